/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arena: memory that is given back all at once.
 *
 * One arena per run holds facts and findings, one scratch arena per collector the rest. An arena has a hard maximum,
 * so that hostile input ends in CV_ENOMEM and not in a dead machine.
 *
 * Failure: cv_arena_alloc() returns NULL. The string helpers return "" instead, so that their callers need no check;
 * both set the sticky flag that cv_arena_failed() tells. The engine looks at it after each phase.
 */
#ifndef CV_BASE_ARENA_H
#define CV_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "cuvet/err.h"

struct cv_arena;

/* A new empty arena that hands out at most max bytes; NULL when out of memory. */
struct cv_arena *cv_arena_new(size_t max);
/* Gives everything back. NULL is allowed. */
void cv_arena_free(struct cv_arena *a);

bool cv_arena_failed(const struct cv_arena *a);
/* Bytes handed out so far. */
size_t cv_arena_used(const struct cv_arena *a);

/* Zeroed memory, aligned for any type. A request of 0 bytes gets a unique valid pointer. */
void *cv_arena_alloc(struct cv_arena *a, size_t size);
/* The same for an array; a count that overflows is a failure like any other. */
void *cv_arena_array(struct cv_arena *a, size_t count, size_t size);
/*
 * Room for new_count elements with the first old_count copied from old (which may be NULL when old_count is 0). The old
 * block is not reused, so growth must be geometric: see vec.h.
 */
void *cv_arena_grow(struct cv_arena *a, const void *old, size_t old_count, size_t new_count, size_t size);

/* Copies, always NUL-terminated; "" on failure. */
char *cv_arena_memdup(struct cv_arena *a, const void *p, size_t n);
char *cv_arena_strdup(struct cv_arena *a, const char *s);
/* The three texts in a row: quicker than printf where there are thousands. */
char *cv_arena_cat(struct cv_arena *a, const char *x, const char *y, const char *z);
char *cv_arena_printf(struct cv_arena *a, const char *fmt, ...) CV_PRINTF(2, 3);
char *cv_arena_vprintf(struct cv_arena *a, const char *fmt, va_list ap) CV_PRINTF(2, 0);

#define CV_NEW(a, type) ((type *)cv_arena_alloc((a), sizeof(type)))
#define CV_NEW_ARRAY(a, type, n) ((type *)cv_arena_array((a), (n), sizeof(type)))

#endif
