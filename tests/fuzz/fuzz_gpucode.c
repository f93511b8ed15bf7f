/* SPDX-License-Identifier: Apache-2.0 */
/* The whole reader: ELF objects, archives, cubins, fatbins and PTX, then the weighing. */
#include <stddef.h>
#include <stdint.h>

#include "gpucode/codetext.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *a = cv_arena_new((size_t)64 << 20);
	struct cv_strv texts = { 0 };
	struct cv_code_place again;
	struct cv_src_mem mem;
	struct cv_gpucode g;
	struct cv_diag d;

	if (!a)
		return 0;
	cv_diag_init(&d, a);
	if (cv_gpucode_read(cv_src_mem_init(&mem, data, size, "fuzz"), CV_GPUCODE_EVERYWHERE, a, &d, &g) == 0) {
		(void)cv_gpucode_cover(&g, 90, 87);
		/* An architecture that no text can spell is the only thing that may be lost on the way. */
		if (cv_codetext_write(&g.own, a, &texts))
			(void)cv_codetext_read(&texts, a, &again);
	}
	cv_arena_free(a);
	return 0;
}
