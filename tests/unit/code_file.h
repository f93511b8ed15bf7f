/* SPDX-License-Identifier: Apache-2.0 */
/* Fixtures of tests/data/gpucode, and files made around them in memory. Include it after cmocka.h. */
#ifndef CV_TESTS_CODE_FILE_H
#define CV_TESTS_CODE_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"

struct bytes {
	unsigned char *p;
	size_t n;
};

static inline struct bytes code_file_load(struct cv_arena *a, const char *name)
{
	char path[512];
	struct bytes b = { .p = cv_arena_alloc(a, 65536) };
	FILE *f;

	snprintf(path, sizeof(path), "%s/gpucode/%s", TEST_DATA, name);
	f = fopen(path, "rb");
	assert_non_null(f);
	assert_non_null(b.p);
	b.n = fread(b.p, 1, 65536, f);
	assert_true(b.n > 0 && b.n < 65536);
	fclose(f);
	return b;
}

static inline void code_file_put(struct bytes *b, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		b->p[b->n++] = (unsigned char)(i < 8 ? v >> 8 * i : 0);
}

static inline void code_file_set(struct bytes *b, size_t at, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		b->p[at + i] = (unsigned char)(i < 8 ? v >> 8 * i : 0);
}

static inline void code_file_add(struct bytes *b, const void *p, size_t n)
{
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	while (b->n % 8)
		b->p[b->n++] = 0;
}

/* The fatbin containers in a fixture: its bytes from the first magic on, as its size says. */
static inline struct bytes code_file_container(struct cv_arena *a, const char *name)
{
	struct bytes b = code_file_load(a, name);
	size_t at = 0;

	while (at + 16 <= b.n && memcmp(b.p + at, "\x50\xed\x55\xba", 4) != 0)
		at += 8;
	assert_true(at + 16 <= b.n);
	return (struct bytes){ b.p + at, 16 + b.p[at + 8] + ((size_t)b.p[at + 9] << 8) + ((size_t)b.p[at + 10] << 16) };
}

struct code_section {
	const char *name;
	struct bytes data;
	uint64_t flags; /* 2 allocated, 4 executed */
};

#define CODE_FILE_MAX ((size_t)6 << 20)

/* A little ELF library for x86_64 with these sections and one PT_LOAD over all of them. Section headers come last. */
static inline struct bytes code_file_elf(struct cv_arena *a, const struct code_section *v, size_t n)
{
	struct bytes b = { .p = cv_arena_alloc(a, CODE_FILE_MAX) };
	size_t at[16], name[16], names, names_at, headers;

	assert_non_null(b.p);
	assert_true(n < 14);
	code_file_add(&b, "\177ELF\2\1\1", 8);
	b.n = 64 + 56;
	for (size_t i = 0; i < n; i++) {
		at[i] = b.n;
		code_file_add(&b, v[i].data.p, v[i].data.n);
	}
	names_at = b.n;
	code_file_put(&b, 0, 1);
	for (size_t i = 0; i < n; i++) {
		name[i] = b.n - names_at;
		memcpy(b.p + b.n, v[i].name, strlen(v[i].name) + 1);
		b.n += strlen(v[i].name) + 1;
	}
	names = b.n - names_at;
	code_file_add(&b, "", 0);
	headers = b.n;
	b.n += 64; /* section 0 */
	for (size_t i = 0; i <= n; i++) {
		code_file_put(&b, i < n ? name[i] : 0, 4);
		code_file_put(&b, i < n ? 1 : 3, 4);
		code_file_put(&b, i < n ? v[i].flags : 0, 8);
		code_file_put(&b, i < n ? at[i] : 0, 8);
		code_file_put(&b, i < n ? at[i] : names_at, 8);
		code_file_put(&b, i < n ? v[i].data.n : names, 8);
		code_file_put(&b, 0, 24);
	}
	code_file_set(&b, 16, 3, 2);  /* ET_DYN */
	code_file_set(&b, 18, 62, 2); /* x86_64 */
	code_file_set(&b, 20, 1, 4);
	code_file_set(&b, 32, 64, 8);
	code_file_set(&b, 40, headers, 8);
	code_file_set(&b, 52, 64, 2);
	code_file_set(&b, 54, 56, 2);
	code_file_set(&b, 56, 1, 2);
	code_file_set(&b, 58, 64, 2);
	code_file_set(&b, 60, n + 2, 2);
	code_file_set(&b, 62, n + 1, 2);
	code_file_set(&b, 64, 1, 4); /* PT_LOAD */
	code_file_set(&b, 68, 4, 4);
	code_file_set(&b, 96, headers, 8);
	code_file_set(&b, 104, headers, 8);
	return b;
}

/* Appends a member to an archive that begins with "!<arch>\n"; returns where its bytes are. */
static inline size_t code_file_member(struct bytes *ar, const char *name, const void *p, size_t n)
{
	char h[61];
	size_t at;

	snprintf(h, sizeof(h), "%-16s%-12s%-6s%-6s%-8s%-10zu`\n", name, "0", "0", "0", "644", n);
	memcpy(ar->p + ar->n, h, 60);
	at = ar->n + 60;
	memcpy(ar->p + at, p, n);
	ar->n = at + n;
	if (n % 2)
		ar->p[ar->n++] = '\n';
	return at;
}

#endif
