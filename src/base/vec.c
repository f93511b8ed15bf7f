/* SPDX-License-Identifier: Apache-2.0 */
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

bool cv_vec_reserve(struct cv_arena *a, void **v, size_t n, size_t *cap, size_t size)
{
	size_t want;
	void *p;

	if (n < *cap)
		return true;
	want = *cap ? *cap * 2 : 8;
	p = cv_arena_grow(a, *v, n, want, size);
	if (!p)
		return false;
	*v = p;
	*cap = want;
	return true;
}

bool cv_strv_push(struct cv_arena *a, struct cv_strv *list, const char *s)
{
	const char **p = CV_VEC_PUSH(a, list);

	if (!p)
		return false;
	*p = s;
	return true;
}

bool cv_strv_has(const struct cv_strv *list, const char *s)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->v[i], s) == 0)
			return true;
	return false;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void cv_strv_sort(struct cv_strv *list)
{
	size_t out = 0;

	if (list->n < 2)
		return;
	qsort(list->v, list->n, sizeof(*list->v), by_bytes);
	for (size_t i = 0; i < list->n; i++)
		if (out == 0 || strcmp(list->v[out - 1], list->v[i]) != 0)
			list->v[out++] = list->v[i];
	list->n = out;
}
