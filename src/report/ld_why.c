/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --why LIB: for each file that serves a name with LIB in it, and each such name without one: who asked first and on which way, what
 * decided, which files lost, and who else asked.
 */
#include "report/ld_parts.h"

#include "base/str.h"

#define LABEL_COLS 16

static bool is_meant(const struct cv_ld_page *p, const struct cv_lm_edge *e)
{
	const char *why = p->r->why;

	if (cv_str_find(cv_str_of(e->name), why) >= 0)
		return true;
	return e->object != CV_LM_NONE && cv_str_find(cv_str_of(p->m->objects.v[e->object].real), why) >= 0;
}

/* The chain of requests from the file asked about to this one. */
static const char *chain_of(struct cv_ld_page *p, const struct cv_lm_edge *e)
{
	const char *text = NULL;
	size_t by = e->by;

	for (unsigned n = 0; by != CV_LM_NONE && by < p->m->objects.n && n < CV_LD_DEPTH_MAX; n++) {
		const struct cv_lm_object *o = &p->m->objects.v[by];

		text = text ? cv_arena_printf(p->t->scratch, "%s %s %s", cv_basename(o->path), cv_term_arrow(p->t), text) :
			      cv_basename(o->path);
		if (o->edge >= p->m->edges.n || p->m->edges.v[o->edge].by == by)
			break;
		by = p->m->edges.v[o->edge].by;
	}
	return text;
}

static void put_line(struct cv_ld_page *p, const char *label, enum cv_ink ink, const char *text)
{
	cv_term_to(p->t, CV_LD_INDENT * 2);
	cv_term_put(p->t, CV_INK_DIM, label);
	cv_term_to(p->t, CV_LD_INDENT * 2 + LABEL_COLS);
	cv_term_wrap(p->t, CV_LD_INDENT * 2 + LABEL_COLS, ink, text);
}

static void put_step(struct cv_ld_page *p, const struct cv_lm_edge *e)
{
	struct cv_arena *a = p->t->scratch;
	const char *text = e->step == CV_LM_PATH ? "the path that was asked for" : cv_lm_step_name(e->step);

	if (e->detail)
		text = cv_arena_printf(a, "%s %s", text, e->detail);
	if (e->detail_of != CV_LM_NONE)
		text = cv_arena_printf(a, "%s of %s", text, cv_ld_short(p, e->detail_of));
	put_line(p, "found by", CV_INK_PLAIN, text);
}

static void put_asker(struct cv_ld_page *p, const struct cv_lm_edge *e)
{
	const char *chain = chain_of(p, e);

	if (e->mode == CV_LM_BY_PRELOAD)
		chain = "LD_PRELOAD or ld.so.preload";
	if (chain)
		put_line(p, "asked for by", CV_INK_PLAIN, chain);
}

static bool same_lists(const struct cv_strv *a, const struct cv_strv *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!cv_streq(a->v[i], b->v[i]))
			return false;
	return true;
}

/* Does edge b tell the same story as a: the same file, or missing in the same places? */
static bool same_story(const struct cv_lm_edge *a, const struct cv_lm_edge *b)
{
	if (a->object != CV_LM_NONE)
		return a->object == b->object;
	return b->object == CV_LM_NONE && cv_streq(a->name, b->name) && !a->refused == !b->refused && same_lists(&a->searched, &b->searched);
}

static void put_others(struct cv_ld_page *p, size_t first)
{
	const struct cv_lm_edge *e = &p->m->edges.v[first];
	const char *text = NULL;
	size_t n = 0;

	for (size_t i = first + 1; i < p->m->edges.n; i++)
		if (same_story(e, &p->m->edges.v[i]))
			text = cv_ld_add_name(p, text, n++, p->m->edges.v[i].by);
	if (n)
		put_line(p, "also asked by", CV_INK_DIM, cv_ld_end_names(p, text, n));
}

static void print_story(struct cv_ld_page *p, size_t i)
{
	const struct cv_lm_edge *e = &p->m->edges.v[i];
	struct cv_term *t = p->t;
	bool lost = e->object == CV_LM_NONE;
	const char *what = !lost ? p->m->objects.v[e->object].real : e->refused ? "refused" : "missing";
	const char *name = lost ? e->name : cv_basename(e->name);

	cv_term_to(t, CV_LD_INDENT);
	cv_term_wrap(t, CV_LD_INDENT * 2, lost ? CV_INK_ERROR : CV_INK_BOLD,
		     cv_arena_printf(t->scratch, "%s is %s%s", name, what, lost && cv_ld_is_hidden(p, i) ? ", which the program lives with" : ""));
	put_asker(p, e);
	if (e->object != CV_LM_NONE)
		put_step(p, e);
	if (e->refused)
		put_line(p, "refused", CV_INK_ERROR, cv_arena_printf(t->scratch, "%s: %s", e->refused, e->refusal));
	for (size_t k = 0; k < e->losers.n; k++)
		put_line(p, k ? "" : "passed over", CV_INK_PLAIN,
			 cv_arena_printf(t->scratch, "%s (%s)", e->losers.v[k].path, cv_lm_reason_name(e->losers.v[k].reason)));
	for (size_t k = 0; e->object == CV_LM_NONE && k < e->searched.n; k++)
		put_line(p, k ? "" : "looked in", CV_INK_PLAIN, e->searched.v[k]);
	put_others(p, i);
}

static bool is_told(const struct cv_ld_page *p, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_story(&p->m->edges.v[k], &p->m->edges.v[i]) && is_meant(p, &p->m->edges.v[k]))
			return true;
	return false;
}

void cv_ld_print_why(struct cv_ld_page *p)
{
	bool any = false;

	for (size_t i = 0; i < p->m->edges.n; i++) {
		if (!is_meant(p, &p->m->edges.v[i]) || is_told(p, i))
			continue;
		if (any)
			cv_term_nl(p->t);
		any = true;
		print_story(p, i);
	}
	if (!any) {
		cv_term_to(p->t, CV_LD_INDENT);
		cv_term_wrap(p->t, CV_LD_INDENT, CV_INK_PLAIN, cv_arena_printf(p->t->scratch, "nothing asks for %s", p->r->why));
	}
}
