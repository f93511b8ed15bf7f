/* SPDX-License-Identifier: Apache-2.0 */
/* Two lines: a version or a specifier set, and a version. The orders must be total and agree with their mirror. */
#include "fuzz.h"

#include <stdlib.h>

#include "base/version.h"

static void check_order(enum cv_ver_scheme scheme, const char *a, const char *b)
{
	int x = cv_ver_cmp(scheme, a, b);
	int y = cv_ver_cmp(scheme, b, a);

	if ((x < 0) != (y > 0) || (x == 0) != (y == 0) || cv_ver_cmp(scheme, a, a) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *arena = cv_arena_new((size_t)1 << 20);
	struct cv_str rest = { (const char *)data, size };
	struct cv_str first = { "", 0 };
	const char *a, *b;

	if (!arena)
		return 0;
	cv_str_line(&rest, &first, NULL);
	a = cv_str_dup(arena, first);
	b = cv_str_dup(arena, rest);
	check_order(CV_VER_PEP440, a, b);
	check_order(CV_VER_DOTTED, a, b);
	check_order(CV_VER_DEB, a, b);
	cv_spec_match(first, b);
	cv_ver_in(CV_VER_PEP440, b, a, a);
	cv_ver_part(a, 1);
	cv_ver_prefix(arena, a, 2);
	cv_ver_local(arena, a);
	/* the public part of a version is one itself */
	if (cv_ver_valid(CV_VER_PEP440, a) && !cv_ver_valid(CV_VER_PEP440, cv_ver_public(arena, a)))
		abort();
	cv_arena_free(arena);
	return 0;
}
