/* SPDX-License-Identifier: Apache-2.0 */
#include "gpucode/sets.h"

#include <string.h>

static int target_cmp(struct cv_gpu_target a, struct cv_gpu_target b)
{
	if (a.arch != b.arch)
		return a.arch < b.arch ? -1 : 1;
	return a.suffix - b.suffix;
}

static int piece_cmp(const struct cv_code_piece *a, const struct cv_code_piece *b)
{
	int c;

	if (a->target.ptx != b->target.ptx)
		return a->target.ptx ? 1 : -1;
	c = target_cmp(a->target, b->target);
	return c ? c : (int)a->ptx_isa - (int)b->ptx_isa;
}

/* Counts are few (one per architecture), so they are kept sorted by insertion. */
int cv_sets_name(struct cv_sets *s, struct cv_gpu_target t, uint64_t entries)
{
	struct cv_code_count **v = t.ptx ? &s->place->ptx.v : &s->place->cubin.v;
	size_t *n = t.ptx ? &s->place->ptx.n : &s->place->cubin.n;
	size_t *cap = t.ptx ? &s->place->ptx.cap : &s->place->cubin.cap;
	size_t i = 0;

	while (i < *n && target_cmp((*v)[i].target, t) < 0)
		i++;
	if (i < *n && target_cmp((*v)[i].target, t) == 0) {
		(*v)[i].n += entries;
		return 0;
	}
	if (*n >= CV_SET_NAMES_MAX)
		return CV_ELIMIT;
	if (!cv_vec_reserve(s->a, (void **)v, *n, cap, sizeof(**v)))
		return CV_ENOMEM;
	memmove(*v + i + 1, *v + i, (*n - i) * sizeof(**v));
	(*v)[i] = (struct cv_code_count){ .target = t, .n = entries };
	++*n;
	return 0;
}

int cv_sets_add(struct cv_sets *s, struct cv_code_piece p)
{
	size_t i = 0;
	int r = cv_sets_name(s, p.target, 1);

	if (r < 0)
		return r;
	while (i < s->open_n && piece_cmp(&s->open[i], &p) < 0)
		i++;
	if (i < s->open_n && piece_cmp(&s->open[i], &p) == 0)
		return 0;
	if (s->open_n >= CV_SET_PIECES_MAX)
		return CV_ELIMIT;
	memmove(s->open + i + 1, s->open + i, (s->open_n - i) * sizeof(*s->open));
	s->open[i] = p;
	s->open_n++;
	return 0;
}

static bool same(const struct cv_sets *s, const struct cv_code_set *set)
{
	if (set->n != s->open_n)
		return false;
	for (size_t i = 0; i < set->n; i++)
		if (piece_cmp(&set->v[i], &s->open[i]) != 0)
			return false;
	return true;
}

static struct cv_code_set *find(struct cv_sets *s)
{
	if (s->last < s->place->sets.n && same(s, &s->place->sets.v[s->last]))
		return &s->place->sets.v[s->last];
	for (size_t i = 0; i < s->place->sets.n; i++)
		if (same(s, &s->place->sets.v[i]))
			return &s->place->sets.v[s->last = i];
	return NULL;
}

int cv_sets_close(struct cv_sets *s)
{
	struct cv_code_set *set = find(s);

	if (!set) {
		struct cv_code_piece *copy = NULL;

		if (s->place->sets.n >= CV_SETS_MAX)
			return CV_ELIMIT;
		if (s->open_n) {
			copy = cv_arena_grow(s->a, s->open, s->open_n, s->open_n, sizeof(*copy));
			if (!copy)
				return CV_ENOMEM;
		}
		set = CV_VEC_PUSH(s->a, &s->place->sets);
		if (!set)
			return CV_ENOMEM;
		*set = (struct cv_code_set){ .v = copy, .n = s->open_n };
		s->last = s->place->sets.n - 1;
	}
	set->containers++;
	s->place->containers++;
	s->open_n = 0;
	return 0;
}
