/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON alone, and as a note section: the input stands behind an ELF header with one note segment. */
#include "fuzz.h"

#include <stdlib.h>

#include "parse/fwdcompat.h"

static void put(unsigned char *p, size_t n, uint64_t v)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)(v >> 8 * i);
}

static void as_library(const uint8_t *data, size_t size, struct cv_arena *a)
{
	const size_t head = 64 + 56;
	unsigned char *p = cv_arena_alloc(a, head + size);
	struct cv_src_mem mem;
	struct cv_fwdcompat f;
	struct cv_elf *e;

	if (!p)
		return;
	memcpy(p, "\177ELF\2\1\1", 7);
	put(p + 16, 2, CV_ET_DYN);
	put(p + 32, 8, 64);
	put(p + 54, 2, 56);
	put(p + 56, 2, 1);
	put(p + 64, 4, CV_PT_NOTE);
	put(p + 64 + 8, 8, head);
	put(p + 64 + 32, 8, size);
	if (size)
		memcpy(p + head, data, size);
	if (cv_elf_open(cv_src_mem_init(&mem, p, head + size, "fuzz"), a, NULL, &e) == 0)
		cv_fwdcompat_read(e, a, &f);
	else
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *a = cv_arena_new((size_t)16 << 20);
	struct cv_fwdcompat f;

	if (!a)
		return 0;
	cv_fwdcompat_parse((struct cv_str){ (const char *)data, size }, a, &f);
	as_library(data, size, a);
	cv_arena_free(a);
	return 0;
}
