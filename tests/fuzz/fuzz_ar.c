/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a static archive lie inside it, one behind the other. */
#include <stddef.h>
#include <stdint.h>

#include "fuzz.h"
#include "parse/ar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *a = cv_arena_new((size_t)16 << 20);
	uint64_t off, len, last = 0;
	struct cv_src_mem mem;
	struct cv_ar_iter it;
	struct cv_diag d;

	if (!a)
		return 0;
	cv_diag_init(&d, a);
	cv_src_mem_init(&mem, data, size, "fuzz");
	if (cv_ar_is(&mem.src)) {
		cv_ar_begin(&it, &mem.src);
		while (cv_ar_next(&it, &d, &off, &len) == 1) {
			if (off > size || len > size - off || off < last)
				__builtin_trap();
			last = off + len;
		}
	}
	cv_arena_free(a);
	return 0;
}
