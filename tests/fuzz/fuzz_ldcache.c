/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <stdlib.h>

#include "parse/ldcache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *a = cv_arena_new((size_t)16 << 20);
	struct cv_ldcache c;
	struct cv_diag d;
	struct cv_str bytes;

	if (!a)
		return 0;
	cv_diag_init(&d, a);
	bytes = (struct cv_str){ cv_arena_memdup(a, data, size), size };
	if (cv_ldcache_parse(bytes, "fuzz", a, &d, &c) == 0) {
		for (size_t i = 0; i < c.n; i++) {
			const struct cv_ldcache_entry *e = &c.v[i];

			/* every text ends within the file */
			if (e->key + strlen(e->key) > bytes.p + size || e->value + strlen(e->value) > bytes.p + size)
				abort();
			cv_ldcache_machine(e);
			cv_ldcache_isa_level(e);
		}
		if (c.bad && !c.damaged)
			abort();
	}
	cv_arena_free(a);
	return 0;
}
