/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A copy with changes: "what would be so if". It holds the subjects that were changed, added or taken out (kept, marked gone);
 * for all others it asks its base. While it is filled its lists are those of the base; the freeze makes its own, of the kinds
 * that changed alone.
 */
#include <string.h>

#include "base/str.h"
#include "facts/facts_int.h"

struct cv_facts *cv_facts_copy(const struct cv_facts *f, struct cv_arena *a)
{
	struct cv_facts *copy = cv_facts_new(a);

	if (!copy)
		return NULL;
	copy->base = f;
	for (size_t k = 0; k < CV_KIND_COUNT; k++) {
		copy->subjects[k].v = f->subjects[k].v;
		copy->subjects[k].n = f->subjects[k].n;
	}
	return copy;
}

struct cv_subject *cv__facts_own(struct cv_facts *copy, enum cv_kind kind, const char *key)
{
	const struct cv_subject *had = cv_facts_find(copy->base, kind, key);
	struct cv_subject *s;

	if (!had || copy->frozen)
		return NULL;
	s = CV_NEW(copy->arena, struct cv_subject);
	if (!s || !cv_map_set(copy->arena, &copy->map[kind], had->key, s)) {
		copy->failed = true;
		return NULL;
	}
	s->kind = kind;
	s->key = had->key;
	for (size_t i = 0; i < had->slots.n; i++) {
		struct cv__slot *slot = CV_VEC_PUSH(copy->arena, &s->slots);

		if (slot)
			*slot = had->slots.v[i];
		else
			copy->failed = true;
	}
	return s;
}

void cv_facts_remove(struct cv_facts *copy, enum cv_kind kind, const char *key)
{
	struct cv_subject *s;

	if (!cv_facts_find(copy, kind, key))
		return;
	s = cv_facts_add(copy, kind, key);
	s->slots.n = 0;
	s->gone = s != &copy->lost;
}

void cv_facts_clear(struct cv_facts *copy, struct cv_subject *s, enum cv_field id)
{
	for (size_t i = 0; !copy->frozen && s != &copy->lost && i < s->slots.n; i++)
		if (s->slots.v[i].id == id) {
			s->slots.v[i] = s->slots.v[--s->slots.n];
			return;
		}
}

static void push(struct cv_facts *copy, enum cv_kind kind, struct cv_subject *s)
{
	struct cv_subject **slot = CV_VEC_PUSH(copy->arena, &copy->subjects[kind]);

	if (slot)
		*slot = s;
	else
		copy->failed = true;
}

void cv__facts_list(struct cv_facts *copy)
{
	for (size_t k = 0; k < CV_KIND_COUNT; k++) {
		const struct cv_facts *base = copy->base;
		const struct cv_map *own = &copy->map[k];

		if (!own->n)
			continue;
		copy->subjects[k].v = NULL;
		copy->subjects[k].n = copy->subjects[k].cap = 0;
		for (size_t i = 0; i < base->subjects[k].n; i++)
			if (!cv_map_get(own, base->subjects[k].v[i]->key))
				push(copy, (enum cv_kind)k, base->subjects[k].v[i]);
		for (size_t i = 0; i < own->n; i++) {
			struct cv_subject *s = own->v[i].value;

			if (!s->gone)
				push(copy, (enum cv_kind)k, s);
		}
	}
}
