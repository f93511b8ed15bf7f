/* SPDX-License-Identifier: Apache-2.0 */
/* What single cubins and PTX texts tell: header, sections, first lines. */
#include <stddef.h>
#include <stdint.h>

#include "fuzz.h"
#include "parse/cubin.h"

static void check(const struct cv_cubin_target *t)
{
	if (t->suffix && t->suffix != 'a' && t->suffix != 'f')
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_str all = { (const char *)data, size };
	size_t half = size > 8 ? 8 + (size - 8) / 2 : size;
	struct cv_cubin_target t;
	struct cv_src_mem mem;
	bool code;

	cv_src_mem_init(&mem, data, size, "fuzz");
	if (cv_cubin_has_code(&mem.src, 0, size, &code) < 0 && size == 0)
		__builtin_trap();
	(void)cv_cubin_has_code(&mem.src, size / 3, size - size / 3, &code);
	if (cv_ptx_target(all, &t))
		check(&t);
	if (size < 8)
		return 0;
	if (cv_cubin_target(data[0], (uint32_t)data[1] | (uint32_t)data[2] << 8 | (uint32_t)data[3] << 16 | (uint32_t)data[4] << 24, &t))
		check(&t);
	t.suffix = cv_cubin_suffix(cv_str_sub(all, 8, half - 8), cv_str_from(all, half), (uint16_t)(data[5] | data[6] << 8));
	check(&t);
	return 0;
}
