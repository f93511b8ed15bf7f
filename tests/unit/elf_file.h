/* SPDX-License-Identifier: Apache-2.0 */
/* A small file in memory that a test may change, and what it opens as. */
#ifndef CV_TESTS_ELF_FILE_H
#define CV_TESTS_ELF_FILE_H

#include <stdio.h>
#include <stdlib.h>

#include "parse/elf.h"

struct elf_file {
	unsigned char *p;
	size_t n;
	struct cv_src_mem mem;
	struct cv_arena *arena;
	struct cv_diag diag;
	struct cv_elf *elf;
};

static inline void elf_file_load(struct elf_file *f, const char *path)
{
	FILE *h = fopen(path, "rb");

	assert_non_null(h);
	*f = (struct elf_file){ .p = malloc(65536), .arena = cv_arena_new((size_t)16 << 20) };
	assert_non_null(f->p);
	assert_non_null(f->arena);
	f->n = fread(f->p, 1, 65536, h);
	fclose(h);
	cv_diag_init(&f->diag, f->arena);
}

/* Opens the first n bytes, in a block of exactly that size, so that a read behind it is seen. */
static inline int elf_file_open_cut(struct elf_file *f, size_t n)
{
	unsigned char *exact = cv_arena_alloc(f->arena, n);

	assert_non_null(exact);
	memcpy(exact, f->p, n);
	f->diag.n = 0;
	return cv_elf_open(cv_src_mem_init(&f->mem, exact, n, "fixture"), f->arena, &f->diag, &f->elf);
}

static inline int elf_file_open(struct elf_file *f)
{
	return elf_file_open_cut(f, f->n);
}

static inline void elf_file_free(struct elf_file *f)
{
	cv_arena_free(f->arena);
	free(f->p);
}

#endif
