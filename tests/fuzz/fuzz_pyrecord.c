/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "parse/pyrecord.h"

static int note(void *cookie, const struct cv_pyrecord_row *row)
{
	uint64_t *sum = cookie;

	for (size_t i = 0; i < row->path.n; i++)
		*sum += (unsigned char)row->path.p[i];
	for (size_t i = 0; i < row->hash.n; i++)
		*sum += (unsigned char)row->hash.p[i];
	return *sum % 4096 == 4095;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *a = cv_arena_new((size_t)1 << 20);
	struct cv_pyrecord rec;
	struct cv_src_mem mem;
	uint64_t sum = 0;

	cv_pyrecord_read(cv_src_mem_init(&mem, data, size, "fuzz"), a, note, &sum, &rec);
	cv_arena_free(a);
	return 0;
}
