/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FIRST_CHUNK ((size_t)16 * 1024)
#define MAX_CHUNK ((size_t)1024 * 1024)
#define POPULATE_FROM ((size_t)128 * 1024)

struct chunk {
	struct chunk *prev;
	size_t size, used;
	alignas(max_align_t) unsigned char data[];
};

struct cv_arena {
	struct chunk *last;
	size_t max, used, next_size;
	bool failed;
	char empty[1]; /* what the string helpers return on failure; never written */
};

struct cv_arena *cv_arena_new(size_t max)
{
	struct cv_arena *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->max = max;
	a->next_size = FIRST_CHUNK;
	return a;
}

void cv_arena_free(struct cv_arena *a)
{
	if (!a)
		return;
	for (struct chunk *c = a->last, *prev; c; c = prev) {
		prev = c->prev;
		free(c);
	}
	free(a);
}

bool cv_arena_failed(const struct cv_arena *a)
{
	return a->failed;
}

size_t cv_arena_used(const struct cv_arena *a)
{
	return a->used;
}

/* All pages of a large chunk at once: one call for what would be hundreds of page faults. Where that is not known, nothing is lost. */
static void populate(void *p, size_t n)
{
#ifdef MADV_POPULATE_WRITE
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = ((uintptr_t)p + page - 1) / page * page, to = ((uintptr_t)p + n) / page * page;

	if (to > from)
		madvise((void *)from, to - from, MADV_POPULATE_WRITE);
#else
	(void)p;
	(void)n;
#endif
}

static struct chunk *add_chunk(struct cv_arena *a, size_t need)
{
	size_t size = a->next_size > need ? a->next_size : need;
	struct chunk *c = malloc(sizeof(*c) + size);

	if (!c)
		return NULL;
	if (size >= POPULATE_FROM && size <= MAX_CHUNK)
		populate(c, sizeof(*c) + size);
	c->size = size;
	c->used = 0;
	c->prev = a->last;
	a->last = c;
	if (a->next_size < MAX_CHUNK)
		a->next_size *= 2;
	return c;
}

void *cv_arena_alloc(struct cv_arena *a, size_t size)
{
	const size_t align = alignof(max_align_t);
	struct chunk *c = a->last;
	void *p;

	if (size == 0)
		size = 1;
	if (size > SIZE_MAX - align) {
		a->failed = true;
		return NULL;
	}
	size = (size + align - 1) / align * align;
	if (size > a->max - a->used || (!(c && c->size - c->used >= size) && !(c = add_chunk(a, size)))) {
		a->failed = true;
		return NULL;
	}
	p = c->data + c->used;
	c->used += size;
	a->used += size;
	return memset(p, 0, size);
}

void *cv_arena_array(struct cv_arena *a, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size) {
		a->failed = true;
		return NULL;
	}
	return cv_arena_alloc(a, count * size);
}

void *cv_arena_grow(struct cv_arena *a, const void *old, size_t old_count, size_t new_count, size_t size)
{
	void *p = cv_arena_array(a, new_count, size);

	if (p && old_count)
		memcpy(p, old, old_count * size);
	return p;
}

char *cv_arena_memdup(struct cv_arena *a, const void *p, size_t n)
{
	char *s = n < SIZE_MAX ? cv_arena_alloc(a, n + 1) : NULL;

	if (!s) {
		a->failed = true;
		return a->empty;
	}
	if (n)
		memcpy(s, p, n);
	return s;
}

char *cv_arena_strdup(struct cv_arena *a, const char *s)
{
	return cv_arena_memdup(a, s, strlen(s));
}

char *cv_arena_vprintf(struct cv_arena *a, const char *fmt, va_list ap)
{
	va_list again;
	char *s;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	s = n >= 0 ? cv_arena_alloc(a, (size_t)n + 1) : NULL;
	if (!s) {
		a->failed = true;
		return a->empty;
	}
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	return s;
}

char *cv_arena_cat(struct cv_arena *a, const char *x, const char *y, const char *z)
{
	size_t nx = strlen(x), ny = strlen(y), nz = strlen(z);
	char *s = cv_arena_alloc(a, nx + ny + nz + 1);

	if (!s) {
		a->failed = true;
		return a->empty;
	}
	memcpy(s, x, nx);
	memcpy(s + nx, y, ny);
	memcpy(s + nx + ny, z, nz);
	return s;
}

char *cv_arena_printf(struct cv_arena *a, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = cv_arena_vprintf(a, fmt, ap);
	va_end(ap);
	return s;
}
