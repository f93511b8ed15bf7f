/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "parse/pymeta.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *a = cv_arena_new((size_t)16 << 20);
	struct cv_pyheads heads;
	struct cv_src_mem mem;

	if (cv_pyheads_read(cv_src_mem_init(&mem, data, size, "fuzz"), a, &heads) == 0)
		cv_pyheads_get(&heads, "Requires-Dist");
	cv_arena_free(a);
	return 0;
}
