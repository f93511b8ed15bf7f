/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>

#include "parse/fatpack.h"

/* Also unpacks what is small enough. */
static int count(void *cookie, uint64_t at, uint64_t end, const struct cv_fatbin_entry *v, size_t n)
{
	struct cv_str *whole = cookie;
	unsigned char out[4096];

	for (size_t i = 0; i < n; i++) {
		if (v[i].at < at || v[i].at > end || v[i].size > end - v[i].at)
			__builtin_trap();
		if (v[i].full_size <= sizeof(out))
			(void)cv_fatbin_unpack(v[i].packing, cv_str_sub(*whole, (size_t)v[i].at, (size_t)v[i].packed_size), out,
					       (size_t)v[i].full_size);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_str whole = { (const char *)data, size };
	struct cv_src_mem mem;
	struct cv_fatbin_walk walk = { 0 };
	struct cv_fatbin_sink sink = { .container = count, .cookie = &whole };

	cv_fatbin_walk(cv_src_mem_init(&mem, data, size, "fuzz"), 0, size, &sink, &walk);
	return 0;
}
