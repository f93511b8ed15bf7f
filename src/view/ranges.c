/* SPDX-License-Identifier: Apache-2.0 */
#include "view/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "cuvet/err.h"

static uint64_t end_of(const struct cv_range *r)
{
	return r->off + r->len;
}

/* Index of the first range that ends at off or behind it. */
static size_t first_reaching(const struct cv_ranges *r, uint64_t off)
{
	size_t lo = 0, hi = r->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (end_of(&r->v[mid]) < off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct cv_range *cv_ranges_find(const struct cv_ranges *r, uint64_t off, size_t len)
{
	size_t i = first_reaching(r, off + (len > 0)); /* a range that only ends at off holds nothing of it */

	if (i == r->n || r->v[i].off > off || end_of(&r->v[i]) - off < len)
		return NULL;
	return &r->v[i];
}

static int make_room(struct cv_ranges *r)
{
	size_t cap = r->cap ? r->cap * 2 : 4;
	struct cv_range *v;

	if (r->n < r->cap)
		return 0;
	v = realloc(r->v, cap * sizeof(*v));
	if (!v)
		return CV_ENOMEM;
	r->v = v;
	r->cap = cap;
	return 0;
}

static int insert(struct cv_ranges *r, size_t at, uint64_t off, const void *p, size_t len)
{
	unsigned char *copy;

	if (make_room(r) < 0)
		return CV_ENOMEM;
	copy = malloc(len);
	if (!copy)
		return CV_ENOMEM;
	memcpy(copy, p, len);
	memmove(&r->v[at + 1], &r->v[at], (r->n - at) * sizeof(*r->v));
	r->v[at] = (struct cv_range){ .off = off, .len = len, .cap = len, .p = copy };
	r->n++;
	return 0;
}

/* Makes first long enough for size bytes; grows by halves, since readers often go on where they stopped. */
static int grow(struct cv_range *first, size_t size)
{
	size_t cap = first->cap + first->cap / 2;
	unsigned char *p;

	if (size <= first->cap)
		return 0;
	if (cap < size)
		cap = size;
	p = realloc(first->p, cap);
	if (!p)
		return CV_ENOMEM;
	first->p = p;
	first->cap = cap;
	return 0;
}

/* Makes one of the ranges [i, j), which all touch the new one; what was known is laid over the new bytes. */
static int merge(struct cv_ranges *r, size_t i, size_t j, uint64_t off, const void *p, size_t len)
{
	struct cv_range *first = &r->v[i], *last = &r->v[j - 1];
	uint64_t from = first->off < off ? first->off : off;
	uint64_t to = end_of(last) > off + len ? end_of(last) : off + len;
	struct cv_range all = { .off = from, .len = (size_t)(to - from), .cap = (size_t)(to - from) };

	if (j - i == 1 && first->off <= off) { /* longer at its end, the common case */
		size_t have = (size_t)(end_of(first) - off);

		if (grow(first, all.len) < 0)
			return CV_ENOMEM;
		memcpy(first->p + first->len, (const unsigned char *)p + have, len - have);
		first->len = all.len;
		return 0;
	}
	all.p = malloc(all.len);
	if (!all.p)
		return CV_ENOMEM;
	memcpy(all.p + (off - from), p, len);
	for (size_t k = i; k < j; k++) {
		memcpy(all.p + (r->v[k].off - from), r->v[k].p, r->v[k].len);
		free(r->v[k].p);
	}
	r->v[i] = all;
	memmove(&r->v[i + 1], &r->v[j], (r->n - j) * sizeof(*r->v));
	r->n -= j - i - 1;
	return 0;
}

int cv_ranges_add(struct cv_ranges *r, uint64_t off, const void *p, size_t len, size_t *budget)
{
	size_t i, j, known = 0;
	int err;

	if (len == 0 || cv_ranges_find(r, off, len))
		return 0;
	i = first_reaching(r, off);
	for (j = i; j < r->n && r->v[j].off <= off + len; j++) {
		uint64_t from = r->v[j].off > off ? r->v[j].off : off;
		uint64_t to = end_of(&r->v[j]) < off + len ? end_of(&r->v[j]) : off + len;

		known += (size_t)(to - from);
	}
	if (len - known > *budget)
		return CV_ELIMIT;
	err = i == j ? insert(r, i, off, p, len) : merge(r, i, j, off, p, len);
	if (err == 0)
		*budget -= len - known;
	return err;
}

void cv_ranges_release(struct cv_ranges *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->v[i].p);
	free(r->v);
	*r = (struct cv_ranges){ 0 };
}
