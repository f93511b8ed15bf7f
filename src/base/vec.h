/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vec: a typed array that grows inside an arena.
 *
 *	CV_VEC(struct thing) things = { 0 };
 *	struct thing *t = CV_VEC_PUSH(arena, &things);   // zeroed new element, or NULL when out of memory
 *	for (size_t i = 0; i < things.n; i++)
 *		use(&things.v[i]);
 *
 * Elements move when it grows: keep indices, not pointers.
 */
#ifndef CV_BASE_VEC_H
#define CV_BASE_VEC_H

#include <stdint.h>

#include "base/arena.h"

#define CV_VEC(type) \
	struct {     \
		type *v; \
		size_t n, cap; \
	}

/* Makes room for one more element; the new element count is counted only by CV_VEC_PUSH. */
bool cv_vec_reserve(struct cv_arena *a, void **v, size_t n, size_t *cap, size_t size);

#define CV_VEC_PUSH(a, vec)                                                                                    \
	(cv_vec_reserve((a), (void **)&(vec)->v, (vec)->n, &(vec)->cap, sizeof(*(vec)->v)) ? &(vec)->v[(vec)->n++] \
											     : NULL)

/* A growing list of strings: the commonest vec, as one named type that functions can share. */
struct cv_strv {
	const char **v;
	size_t n, cap;
};

bool cv_strv_push(struct cv_arena *a, struct cv_strv *list, const char *s);
bool cv_strv_has(const struct cv_strv *list, const char *s);
/* Sorts bytewise and drops repeats. */
void cv_strv_sort(struct cv_strv *list);

#endif
