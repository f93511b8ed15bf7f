/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the loader takes, for people: the verdict of each file in a line, then a tree in which each library stands once, under
 * the object that made the loader look for it, with the step of the search that decided. --flat lists instead, --why shows only
 * the ways to one library, with the files that lost.
 */
#include "report/ld.h"

#include "base/str.h"

#define SCRATCH_MAX ((size_t)256 << 20)
#define INDENT 2
#define DEPTH_MAX 40

struct printer {
	struct cv_term *t;
	const struct cv_ld *r;
	const struct cv_ld_map *map;
	const struct cv_loadmap *m;
};

static const char *where_from(struct cv_arena *a, const struct cv_lm_edge *e)
{
	const char *step = cv_lm_step_name(e->step);

	return e->detail ? cv_arena_printf(a, "%s %s", step, e->detail) : step;
}

static void print_edge(struct printer *p, size_t indent, const struct cv_lm_edge *e)
{
	struct cv_term *t = p->t;

	cv_term_to(t, indent);
	if (e->object == CV_LM_NONE) {
		cv_term_put(t, CV_INK_ERROR, cv_arena_printf(t->scratch, "%s  ", e->name));
		cv_term_wrap(t, indent + 4, CV_INK_ERROR, e->refused ? cv_arena_printf(t->scratch, "refused: %s: %s", e->refused, e->refusal) :
								       "not found");
		return;
	}
	cv_term_put(t, CV_INK_PLAIN, cv_arena_printf(t->scratch, "%s  ", e->name));
	cv_term_wrap(t, indent + 4, CV_INK_DIM,
		     cv_arena_printf(t->scratch, "%s  [%s]", p->m->objects.v[e->object].real, where_from(t->scratch, e)));
}

/* Of no account: a step of the program that may fail did, or what it brought is gone again. */
static bool is_hidden(const struct printer *p, size_t edge)
{
	size_t object = p->m->edges.v[edge].object;

	return cv_report_ld_passed(p->map, edge) || (object != CV_LM_NONE && p->m->objects.v[object].unloaded);
}

/* The requests of object by, those that loaded something or failed; what was there already is left out. */
static void print_tree(struct printer *p, size_t by, unsigned depth)
{
	for (size_t i = 0; i < p->m->edges.n; i++) {
		const struct cv_lm_edge *e = &p->m->edges.v[i];
		bool loaded = e->object != CV_LM_NONE && p->m->objects.v[e->object].edge == i;

		if (e->by != by || !(loaded || e->object == CV_LM_NONE) || e->object == by || is_hidden(p, i))
			continue;
		print_edge(p, INDENT * (depth + 1), e);
		if (loaded && depth < DEPTH_MAX)
			print_tree(p, e->object, depth + 1);
	}
}

static void print_flat(struct printer *p)
{
	for (size_t i = 0; i < p->m->objects.n; i++)
		if (p->m->objects.v[i].edge < p->m->edges.n && !is_hidden(p, p->m->objects.v[i].edge))
			print_edge(p, INDENT, &p->m->edges.v[p->m->objects.v[i].edge]);
	for (size_t i = 0; i < p->m->edges.n; i++)
		if (p->m->edges.v[i].object == CV_LM_NONE && !is_hidden(p, i))
			print_edge(p, INDENT, &p->m->edges.v[i]);
}

/* The chain of requests from the file asked about to this one. */
static const char *chain_of(struct printer *p, const struct cv_lm_edge *e)
{
	const char *text = e->name;
	size_t by = e->by;

	for (unsigned n = 0; by != CV_LM_NONE && by < p->m->objects.n && n < DEPTH_MAX; n++) {
		const struct cv_lm_object *o = &p->m->objects.v[by];

		text = cv_arena_printf(p->t->scratch, "%s %s %s", cv_basename(o->path), cv_term_arrow(p->t), text);
		if (o->edge >= p->m->edges.n || p->m->edges.v[o->edge].by == by)
			break;
		by = p->m->edges.v[o->edge].by;
	}
	return text;
}

static void print_why_edge(struct printer *p, const struct cv_lm_edge *e)
{
	struct cv_term *t = p->t;

	cv_term_to(t, INDENT);
	cv_term_wrap(t, INDENT + 4, CV_INK_BOLD, chain_of(p, e));
	print_edge(p, INDENT * 2, e);
	for (size_t i = 0; i < e->losers.n; i++) {
		cv_term_to(t, INDENT * 2);
		cv_term_wrap(t, INDENT * 2 + 4, CV_INK_DIM,
			     cv_arena_printf(t->scratch, "not %s: %s", e->losers.v[i].path, cv_lm_reason_name(e->losers.v[i].reason)));
	}
	for (size_t i = 0; e->object == CV_LM_NONE && i < e->searched.n; i++) {
		cv_term_to(t, INDENT * 2);
		cv_term_wrap(t, INDENT * 2 + 4, CV_INK_DIM, cv_arena_printf(t->scratch, "searched %s", e->searched.v[i]));
	}
}

static bool is_meant(struct printer *p, const struct cv_lm_edge *e)
{
	const char *why = p->r->why;

	if (cv_str_find(cv_str_of(e->name), why) >= 0)
		return true;
	return e->object != CV_LM_NONE && cv_str_find(cv_str_of(p->m->objects.v[e->object].real), why) >= 0;
}

static void print_why(struct printer *p)
{
	bool any = false;

	for (size_t i = 0; i < p->m->edges.n; i++) {
		if (!is_meant(p, &p->m->edges.v[i]))
			continue;
		any = true;
		print_why_edge(p, &p->m->edges.v[i]);
	}
	if (!any) {
		cv_term_to(p->t, INDENT);
		cv_term_wrap(p->t, INDENT, CV_INK_PLAIN, cv_arena_printf(p->t->scratch, "nothing asks for %s", p->r->why));
	}
}

/* Where a program ends, and on the way what failed without harm. */
static void print_steps(struct printer *p)
{
	for (size_t i = 0; i < p->map->scn->events.n; i++) {
		const struct cv_scn_event *e = &p->map->scn->events.v[i];

		if (e->outcome != CV_SCN_FAILED)
			continue;
		cv_term_to(p->t, INDENT);
		cv_term_put(p->t, CV_INK_ERROR, "error: ");
		cv_term_wrap(p->t, INDENT + 4, CV_INK_PLAIN,
			     cv_arena_printf(p->t->scratch, "%s, %s: %s", e->scenario, e->text, e->message));
		cv_term_nl(p->t);
	}
}

static void print_troubles(struct printer *p)
{
	if (p->map->scn) {
		print_steps(p);
		return;
	}
	for (size_t i = 0; i < p->m->troubles.n; i++) {
		const struct cv_lm_trouble *tr = &p->m->troubles.v[i];

		cv_term_to(p->t, INDENT);
		cv_term_put(p->t, tr->fatal ? CV_INK_ERROR : CV_INK_WARNING, tr->fatal ? "error: " : "note: ");
		cv_term_wrap(p->t, INDENT + 4, CV_INK_PLAIN, tr->message ? tr->message : tr->name);
	}
	if (p->m->troubles.n)
		cv_term_nl(p->t);
}

static size_t count_loaded(const struct cv_loadmap *m)
{
	size_t n = 0;

	for (size_t i = 1; i < m->objects.n; i++)
		n += !m->objects.v[i].unloaded;
	return n;
}

static void print_verdict(struct printer *p, const struct cv_ld_map *map)
{
	struct cv_term *t = p->t;
	const char *text = map->error;
	enum cv_ink ink = CV_INK_WARNING;
	const char *word = "cannot tell: ";

	if (map->m && cv_report_ld_bad(map)) {
		word = "problem: ";
		ink = CV_INK_ERROR;
		text = map->failed ? cv_arena_printf(t->scratch, "%s ends at %s", map->asked, map->failed) :
				     cv_arena_printf(t->scratch, "%s does not load", map->asked);
	} else if (map->m && cv_report_ld_unknown(map)) {
		text = cv_arena_printf(t->scratch, "%s needs a file that cannot be read", map->asked);
	} else if (map->m) {
		word = "ok: ";
		ink = CV_INK_OK;
		text = cv_arena_printf(t->scratch, "%s loads with %zu libraries (%s%s%s)", map->asked,
				       count_loaded(map->m), map->m->libc, map->m->glibc ? " " : "",
				       map->m->glibc ? map->m->glibc : "");
	}
	cv_term_put(t, ink, word);
	cv_term_wrap(t, INDENT, CV_INK_BOLD, text);
	cv_term_nl(t);
}

static void print_map(struct cv_term *t, const struct cv_ld *r, const struct cv_ld_map *map)
{
	struct printer p = { .t = t, .r = r, .map = map, .m = map->m };

	print_verdict(&p, map);
	if (!map->m)
		return;
	print_troubles(&p);
	if (r->why) {
		print_why(&p);
	} else if (r->flat) {
		print_flat(&p);
	} else {
		print_tree(&p, 0, 0);
		for (size_t i = 0; i < map->m->edges.n; i++)
			if (map->m->edges.v[i].by == CV_LM_NONE && map->m->edges.v[i].object != 0)
				print_edge(&p, INDENT, &map->m->edges.v[i]);
	}
	cv_term_nl(t);
}

int cv_report_ld_terminal(const struct cv_ld *r, const struct cv_report_head *head, const struct cv_style *style, struct cv_buf *out)
{
	struct cv_arena *scratch = cv_arena_new(SCRATCH_MAX);
	struct cv_term t;
	int err;

	if (!scratch)
		return CV_ENOMEM;
	cv_term_init(&t, out, scratch, style);
	for (size_t i = 0; i < r->maps.n; i++)
		print_map(&t, r, &r->maps.v[i]);
	cv_term_printf(&t, CV_INK_DIM, "cuvet %s, knowledge base of %s", cv_version(), head->kb_date);
	cv_term_nl(&t);
	err = cv_arena_failed(scratch) ? CV_ENOMEM : out->err;
	cv_arena_free(scratch);
	return err;
}
