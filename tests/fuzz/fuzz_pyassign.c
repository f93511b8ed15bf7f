/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "parse/pyassign.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *a = cv_arena_new((size_t)64 << 20);
	struct cv_pyassign p;

	if (cv_pyassign_parse((struct cv_str){ (const char *)data, size }, a, &p) == 0)
		for (size_t i = 0; i < p.all.n; i++)
			cv_pylit_get(&p.all.v[i].value, "cuda_version");
	cv_arena_free(a);
	return 0;
}
