/* SPDX-License-Identifier: Apache-2.0 */
/* A symbol, also with _Z in front: it ends soon, and what comes out is not longer than promised. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"

static void look(struct cv_arena *a, const char *symbol)
{
	const char *s = cv_demangle(a, symbol);

	if (s && strlen(s) > CV_DEMANGLE_MAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *arena = cv_arena_new((size_t)16 << 20);
	const char *symbol;

	if (!arena)
		return 0;
	symbol = cv_arena_memdup(arena, (const char *)data, size);
	look(arena, symbol);
	look(arena, cv_arena_printf(arena, "_Z%s", symbol));
	cv_arena_free(arena);
	return 0;
}
