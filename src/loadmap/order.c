/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which the loader relocates the objects of a search list (elf/dl-sort-maps.c): what is needed before what needs
 * it, so that the first symbol that is not found is the one that it names.
 *
 * From 2.35 on by depth-first search from the end of the list, with the root forced to the front; before that each object is moved
 * behind the last one that needs it, as long as circles allow. Relocation then runs from the back; from 2.32 on libc is the first.
 */
#include "loadmap/lm.h"

struct sort {
	struct lm_map *m;
	size_t root;
	size_t *v;
	size_t n;
	unsigned char *seen; /* by object */
};

/* What the loader counts as the needs of an object: of a root that is being opened none yet, of one that was its whole order. */
static void needs_of(const struct lm_map *m, size_t i, const size_t **ret, size_t *ret_n)
{
	const struct lm_obj *o = &m->objs.v[i];

	*ret = o->order ? o->order : o->needs.v;
	*ret_n = o->order ? o->order_n : o->needs.n;
}

/* Without recursion: chains of dependencies may be as long as there are objects. */
struct frame {
	size_t obj, next;
};

static void visit(struct sort *s, size_t from, struct frame *stack, size_t *out, size_t *at)
{
	size_t depth = 0;

	if (s->seen[from])
		return;
	s->seen[from] = 1;
	stack[depth++] = (struct frame){ .obj = from };
	while (depth) {
		struct frame *f = &stack[depth - 1];
		const size_t *needs;
		size_t n;

		needs_of(s->m, f->obj, &needs, &n);
		while (f->next < n && (s->seen[needs[f->next]] || needs[f->next] == 0))
			f->next++;
		if (f->next < n) {
			size_t dep = needs[f->next++];

			s->seen[dep] = 1;
			stack[depth++] = (struct frame){ .obj = dep };
			continue;
		}
		if (*at > 0)
			out[--*at] = f->obj;
		depth--;
	}
}

static int sort_by_depth(struct sort *s)
{
	struct lm_map *m = s->m;
	struct frame *stack = CV_NEW_ARRAY(m->arena, struct frame, m->objs.n + 1);
	size_t *out = CV_NEW_ARRAY(m->arena, size_t, s->n);
	size_t at = s->n, first = s->v[0], n = 0;

	if (!stack || !out)
		return CV_ENOMEM;
	for (size_t i = s->n; i-- > 0 && at > 0;)
		visit(s, s->v[i], stack, out, &at);
	/* The list may hold less than was reached, and the root goes to the front. */
	s->v[n++] = first;
	for (size_t i = at; i < s->n; i++)
		if (out[i] != first && n < s->n)
			s->v[n++] = out[i];
	s->n = n;
	return 0;
}

static bool needs(const struct lm_map *m, size_t who, size_t what)
{
	const size_t *v;
	size_t n;

	needs_of(m, who, &v, &n);
	for (size_t i = 0; i < n; i++)
		if (v[i] == what)
			return true;
	return false;
}

static int sort_by_moves(struct sort *s, size_t *v, size_t n)
{
	uint16_t *seen = CV_NEW_ARRAY(s->m->arena, uint16_t, n + 1);

	if (!seen)
		return CV_ENOMEM;
	for (size_t i = 0; n > 1 && i < n;) {
		size_t k = n - 1, obj = v[i];
		uint16_t mine;

		seen[i]++;
		while (k > i && !needs(s->m, v[k], obj))
			k--;
		if (k > i) {
			memmove(&v[i], &v[i + 1], (k - i) * sizeof(*v));
			v[k] = obj;
			if (seen[i + 1] <= n - i) {
				mine = seen[i];
				memmove(&seen[i], &seen[i + 1], (k - i) * sizeof(*seen));
				seen[k] = mine;
				continue;
			}
		}
		i++;
		memset(&seen[i], 0, (n - i) * sizeof(*seen));
	}
	return 0;
}

int cv_lm_order(struct lm_map *m, size_t root)
{
	struct lm_obj *o = &m->objs.v[root];
	struct sort s = { .m = m, .root = root, .n = o->scope_n };
	int r;

	s.v = CV_NEW_ARRAY(m->arena, size_t, s.n);
	s.seen = cv_arena_alloc(m->arena, m->objs.n);
	if (!s.v || !s.seen)
		return CV_ENOMEM;
	memcpy(s.v, o->scope, s.n * sizeof(size_t));
	r = m->loader->minor >= 35 ? sort_by_depth(&s) : sort_by_moves(&s, s.v + 1, s.n - 1);
	if (r < 0)
		return r;
	o->order = s.v;
	o->order_n = s.n;
	return 0;
}

static bool is_libc(const struct lm_map *m, size_t i)
{
	const struct lm_file *f = m->objs.v[i].file;

	return f && f->elf->soname && cv_streq(f->elf->soname, "libc.so.6");
}

size_t cv_lm_libc(const struct lm_map *m)
{
	for (size_t i = 0; m->loader->minor >= 32 && i < m->objs.n; i++)
		if (!m->pub.objects.v[i].unloaded && is_libc(m, i))
			return i;
	return CV_LM_NONE;
}
