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

static bool spell(const char *symbol, int options, struct sink *s)
{
	if (!cv_starts(symbol, "_Z") || strlen(symbol) > CV_DEMANGLE_SYMBOL_MAX)
		return false;
	s->n = 0;
	if (setjmp(s->full))
		return false;
	return cplus_demangle_v3_callback(symbol, DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT | options, put, s);
}

const char *cv_demangle(struct cv_arena *a, const char *symbol)
{
	struct sink s;

	return spell(symbol, 0, &s) ? cv_arena_memdup(a, s.text, s.n) : NULL;
}

#define ABI_TAG "B5cxx11"

bool cv_cxx11_tagged(const char *symbol)
{
	return strstr(symbol, "7__cxx11") || strstr(symbol, ABI_TAG);
}

/*
 * Both names begin alike up to where the first thing of std is named (St, Ss, Sb), but for the N and the qualifiers before it, and
 * for tags. Behind it the numbers of substitutions differ, so the rest says nothing.
 */
uint64_t cv_cxx11_key(const char *symbol)
{
	uint64_t h = 0xcbf29ce484222325, end = h;

	for (const char *p = symbol; *p; p++) {
		if (p[0] == 'S' && (p[1] == 't' || p[1] == 's' || p[1] == 'b'))
			break;
		if (p[0] == 'B' && strncmp(p, ABI_TAG, sizeof(ABI_TAG) - 1) == 0) {
			p += sizeof(ABI_TAG) - 2;
			continue;
		}
		h = (h ^ (unsigned char)*p) * 0x100000001b3;
		if (*p != 'N' && *p != 'K' && *p != 'V' && *p != 'r')
			end = h;
	}
	return end;
}

static size_t without(char *text, size_t n, const char *what)
{
	size_t len = strlen(what), k = 0;

	for (size_t i = 0; i < n;) {
		if (n - i >= len && memcmp(text + i, what, len) == 0)
			i += len;
		else
			text[k++] = text[i++];
	}
	return k;
}

bool cv_cxx11_plain(const char *symbol, char *ret)
{
	struct sink s;

	if (!spell(symbol, DMGL_VERBOSE, &s)) /* verbose: std::string in full */
		return false;
	s.n = without(s.text, s.n, "__cxx11::");
	s.n = without(s.text, s.n, "[abi:cxx11]");
	memcpy(ret, s.text, s.n);
	ret[s.n] = '\0';
	return true;
}
