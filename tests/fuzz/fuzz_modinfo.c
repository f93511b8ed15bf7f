/* SPDX-License-Identifier: Apache-2.0 */
/* As a module, and as the bytes of the section alone. */
#include "fuzz.h"

#include "parse/modinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *a = cv_arena_new((size_t)16 << 20);
	struct cv_src_mem mem;
	struct cv_modinfo m;
	struct cv_elf *e;

	if (!a)
		return 0;
	cv_modinfo_parse((struct cv_str){ (const char *)data, size }, a, &m);
	if (cv_elf_open(cv_src_mem_init(&mem, data, size, "fuzz"), a, NULL, &e) == 0)
		cv_modinfo_read(e, a, &m);
	cv_arena_free(a);
	return 0;
}
