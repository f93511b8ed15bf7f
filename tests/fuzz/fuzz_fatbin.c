/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>

#include "parse/fatbin.h"

static int count(void *cookie, uint64_t container, const struct cv_fatbin_entry *e)
{
	uint64_t *sum = cookie;

	*sum += container + e->arch + e->at + e->size;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t sum = 0;
	struct cv_src_mem mem;
	struct cv_fatbin_walk walk = { 0 };
	struct cv_fatbin_sink sink = { count, &sum };

	cv_fatbin_walk(cv_src_mem_init(&mem, data, size, "fuzz"), 0, size, &sink, &walk);
	return 0;
}
