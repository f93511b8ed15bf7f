/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "parse/condameta.h"

static int note(void *cookie, const struct cv_condafile *file)
{
	size_t *sum = cookie;

	*sum += strlen(file->path);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *a = cv_arena_new((size_t)16 << 20);
	struct cv_condameta meta;
	struct cv_src_mem mem;
	uint64_t at;
	size_t sum = 0;

	cv_condameta_read(cv_src_mem_init(&mem, data, size, "fuzz"), a, note, &sum, &at, &meta);
	cv_arena_free(a);
	return 0;
}
