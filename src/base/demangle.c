/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libiberty reads the names. A short hostile one can mean a text of gigabytes: each level names the one before it twice. So its
 * callback form is used, which keeps all it has on the stack, and is left by a jump when there is too much text.
 */
#include "base/demangle.h"

#include <setjmp.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "base/str.h"

struct sink {
	char text[CV_DEMANGLE_MAX + 1];
	size_t n;
	jmp_buf full;
};

static void put(const char *p, size_t n, void *cookie)
{
	struct sink *s = cookie;

	if (n > CV_DEMANGLE_MAX - s->n)
		longjmp(s->full, 1);
	memcpy(s->text + s->n, p, n);
	s->n += n;
}

const char *cv_demangle(struct cv_arena *a, const char *symbol)
{
	struct sink s;

	if (!cv_starts(symbol, "_Z") || strlen(symbol) > CV_DEMANGLE_SYMBOL_MAX)
		return NULL;
	s.n = 0;
	if (setjmp(s.full))
		return NULL;
	if (!cplus_demangle_v3_callback(symbol, DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT, put, &s))
		return NULL;
	return cv_arena_memdup(a, s.text, s.n);
}
