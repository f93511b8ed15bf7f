/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "facts/facts_int.h"

#define KIND(kind, doc)
#define FIELD(kind, name, type, unit, redact, doc) { CV_KIND_##kind, #name, CV_TYPE_##type, unit, CV_REDACT_##redact, doc },
const struct cv_field_info cv_field_table[CV_FIELD_COUNT] = {
#include "facts/schema.def"
};
#undef KIND
#undef FIELD

#define KIND(kind, doc) #kind,
#define FIELD(kind, name, type, unit, redact, doc)
const char *const cv_kind_names[CV_KIND_COUNT] = {
#include "facts/schema.def"
};
#undef KIND
#undef FIELD

static const struct cv_value not_asked = { .state = CV_NOT_ASKED, .prov = { .offset = -1 } };
static const struct cv_strv empty_list;

const char *cv_state_name(enum cv_state s)
{
	static const char *const names[] = {
		[CV_KNOWN] = "known",	    [CV_ABSENT] = "absent",	  [CV_DENIED] = "denied",
		[CV_UNPARSED] = "unparsed", [CV_NOT_ASKED] = "not_asked",
	};

	return names[s];
}

enum cv_state cv_state_of_err(int err)
{
	switch (err) {
	case 0:
		return CV_KNOWN;
	case CV_ENOENT:
	case CV_ENOTDIR:
		return CV_ABSENT;
	case CV_EACCES:
		return CV_DENIED;
	case CV_ENOTASKED:
		return CV_NOT_ASKED;
	default:
		return CV_UNPARSED;
	}
}

struct cv_facts *cv_facts_new(struct cv_arena *a)
{
	struct cv_facts *f = CV_NEW(a, struct cv_facts);

	if (f)
		f->arena = a;
	return f;
}

static struct cv_subject *lose(struct cv_facts *f)
{
	f->failed = true;
	return &f->lost;
}

struct cv_subject *cv_facts_add(struct cv_facts *f, enum cv_kind kind, const char *key)
{
	struct cv_subject *s = cv_map_get(&f->map[kind], key);
	struct cv_subject **slot;

	if (!s && f->base)
		s = cv__facts_own(f, kind, key);
	if (s) {
		s->gone = s->gone && f->frozen;
		return s;
	}
	if (f->frozen)
		return &f->lost;
	s = CV_NEW(f->arena, struct cv_subject);
	if (!s)
		return lose(f);
	s->kind = kind;
	s->key = cv_arena_strdup(f->arena, key);
	if (!cv_map_set(f->arena, &f->map[kind], s->key, s))
		return lose(f);
	if (f->base) /* its lists are made by the freeze */
		return s;
	slot = CV_VEC_PUSH(f->arena, &f->subjects[kind]);
	if (!slot)
		return lose(f);
	*slot = s;
	return s;
}

const struct cv_subject *cv_facts_find(const struct cv_facts *f, enum cv_kind kind, const char *key)
{
	const struct cv_subject *s = cv_map_get(&f->map[kind], key);

	if (!s && f->base)
		return cv_facts_find(f->base, kind, key);
	return s && s->gone ? NULL : s;
}

size_t cv_facts_count(const struct cv_facts *f, enum cv_kind kind)
{
	return f->subjects[kind].n;
}

const struct cv_subject *cv_facts_at(const struct cv_facts *f, enum cv_kind kind, size_t i)
{
	return i < f->subjects[kind].n ? f->subjects[kind].v[i] : NULL;
}

const char *cv_subject_key(const struct cv_subject *s)
{
	return s->key ? s->key : "";
}

enum cv_kind cv_subject_kind(const struct cv_subject *s)
{
	return s->kind;
}

static const char *intern(struct cv_facts *f, const char *s)
{
	const char *got;
	char *copy;

	if (!s)
		return NULL;
	got = cv_map_get(&f->texts, s);
	if (got)
		return got;
	copy = cv_arena_strdup(f->arena, s);
	if (!cv_map_set(f->arena, &f->texts, copy, copy))
		f->failed = true;
	return copy;
}

static struct cv_value *append(struct cv_facts *f, struct cv_subject *s, enum cv_field id, struct cv_prov prov)
{
	struct cv__slot *slot = NULL;
	struct cv_value *v;

	if (f->frozen || s == &f->lost)
		return NULL;
	for (size_t i = 0; i < s->slots.n && !slot; i++)
		if (s->slots.v[i].id == id)
			slot = &s->slots.v[i];
	if (!slot && (slot = CV_VEC_PUSH(f->arena, &s->slots)))
		slot->id = id;
	v = CV_NEW(f->arena, struct cv_value);
	if (!slot || !v) {
		f->failed = true;
		return NULL;
	}
	v->prov = prov;
	v->prov.collector = intern(f, prov.collector);
	v->prov.path = intern(f, prov.path);
	if (slot->last && !f->base)
		slot->last->next = v;
	else
		slot->first = v;
	slot->last = v;
	return v;
}

void cv_facts_str(struct cv_facts *f, struct cv_subject *s, enum cv_field id, const char *value, struct cv_prov prov)
{
	struct cv_value *v = append(f, s, id, prov);

	if (v)
		v->str = cv_arena_strdup(f->arena, value);
}

void cv_facts_int(struct cv_facts *f, struct cv_subject *s, enum cv_field id, uint64_t value, struct cv_prov prov)
{
	struct cv_value *v = append(f, s, id, prov);

	if (v)
		v->num = value;
}

void cv_facts_bool(struct cv_facts *f, struct cv_subject *s, enum cv_field id, bool value, struct cv_prov prov)
{
	cv_facts_int(f, s, id, value, prov);
}

void cv_facts_list(struct cv_facts *f, struct cv_subject *s, enum cv_field id, const struct cv_strv *value, struct cv_prov prov)
{
	struct cv_value *v = append(f, s, id, prov);
	struct cv_strv *copy = CV_NEW(f->arena, struct cv_strv);

	if (!v || !copy)
		return;
	for (size_t i = 0; i < value->n; i++)
		if (!cv_strv_push(f->arena, copy, cv_arena_strdup(f->arena, value->v[i])))
			f->failed = true;
	v->list = copy;
}

void cv_facts_state(struct cv_facts *f, struct cv_subject *s, enum cv_field id, enum cv_state state, const char *reason,
		    struct cv_prov prov)
{
	struct cv_value *v = append(f, s, id, prov);

	if (!v)
		return;
	v->state = state;
	v->str = reason ? cv_arena_strdup(f->arena, reason) : NULL;
}

static int by_key(const void *a, const void *b)
{
	const struct cv_subject *const *x = a;
	const struct cv_subject *const *y = b;

	return strcmp((*x)->key, (*y)->key);
}

int cv_facts_freeze(struct cv_facts *f)
{
	if (f->base)
		cv__facts_list(f);
	for (size_t k = 0; k < CV_KIND_COUNT; k++)
		if (f->subjects[k].n > 1 && (!f->base || f->map[k].n)) /* what a copy did not change is its base's */
			qsort(f->subjects[k].v, f->subjects[k].n, sizeof(*f->subjects[k].v), by_key);
	f->frozen = true;
	return f->failed || cv_arena_failed(f->arena) ? CV_ENOMEM : 0;
}

const struct cv_value *cv_fact(const struct cv_subject *s, enum cv_field id)
{
	for (size_t i = 0; s && i < s->slots.n; i++)
		if (s->slots.v[i].id == id)
			return s->slots.v[i].first;
	return &not_asked;
}

const char *cv_fact_str(const struct cv_subject *s, enum cv_field id)
{
	const struct cv_value *v = cv_fact(s, id);

	return v->state == CV_KNOWN ? v->str : NULL;
}

uint64_t cv_fact_int(const struct cv_subject *s, enum cv_field id, uint64_t dflt)
{
	const struct cv_value *v = cv_fact(s, id);

	return v->state == CV_KNOWN ? v->num : dflt;
}

bool cv_fact_true(const struct cv_subject *s, enum cv_field id)
{
	return cv_fact_int(s, id, 0) != 0;
}

const struct cv_strv *cv_fact_list(const struct cv_subject *s, enum cv_field id)
{
	const struct cv_value *v = cv_fact(s, id);

	return v->state == CV_KNOWN && v->list ? v->list : &empty_list;
}

const char *cv_prov_text(struct cv_arena *a, const struct cv_prov *p)
{
	if (!p->path)
		return "";
	if (p->line > 0)
		return cv_arena_printf(a, "%s:%lld", p->path, (long long)p->line);
	if (p->offset >= 0)
		return cv_arena_printf(a, "%s@%lld", p->path, (long long)p->offset);
	return p->path;
}

/* Entries of several words are kept apart by more than a blank. */
static const char *list_text(struct cv_arena *a, const struct cv_strv *list)
{
	const char *text = "", *sep = " ";

	for (size_t i = 0; list && i < list->n; i++)
		sep = strchr(list->v[i], ' ') ? " | " : sep;
	for (size_t i = 0; list && i < list->n; i++)
		text = i ? cv_arena_printf(a, "%s%s%s", text, sep, list->v[i]) : list->v[i];
	return text;
}

const char *cv_value_text(struct cv_arena *a, enum cv_field id, const struct cv_value *v)
{
	static const char *const states[] = {
		[CV_ABSENT] = "not found",
		[CV_DENIED] = "not allowed to see",
		[CV_UNPARSED] = "unreadable",
		[CV_NOT_ASKED] = "not looked at",
	};

	if (v->state != CV_KNOWN)
		return v->str ? cv_arena_printf(a, "%s (%s)", states[v->state], v->str) : states[v->state];
	switch (cv_field_table[id].type) {
	case CV_TYPE_STR:
		return v->str;
	case CV_TYPE_INT:
		return cv_arena_printf(a, "%llu", (unsigned long long)v->num);
	case CV_TYPE_BOOL:
		return v->num ? "yes" : "no";
	case CV_TYPE_LIST:
		return list_text(a, v->list);
	}
	return "";
}
