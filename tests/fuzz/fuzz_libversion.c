/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "parse/libversion.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "libcudnn_graph.so.9", "libfixture.so.3.1.4", "libcublasLt.so.12", "libcuda.so.580.95.05" };
	struct cv_arena *a = cv_arena_new((size_t)16 << 20);
	struct cv_src_mem mem;
	struct cv_libversion v;
	struct cv_elf *e;

	if (!a)
		return 0;
	if (cv_elf_open(cv_src_mem_init(&mem, data, size, "fuzz"), a, NULL, &e) == 0)
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			cv_libversion(e, names[i], a, &v);
	cv_arena_free(a);
	return 0;
}
