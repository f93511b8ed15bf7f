/* SPDX-License-Identifier: Apache-2.0 */
/* What comes after the problems: notes, other environments, what was not evaluated, the age of the knowledge. */
#include "report/check.h"

#include "base/str.h"
#include "judge/judge.h"

#define INDENT 2

static void item(struct cv_term *t, const char *text)
{
	cv_term_to(t, INDENT);
	cv_term_put(t, CV_INK_PLAIN, "- ");
	cv_term_wrap(t, INDENT + 2, CV_INK_PLAIN, text);
}

static void heading(struct cv_term *t, const char *word)
{
	cv_term_nl(t);
	cv_term_put(t, CV_INK_BOLD, word);
	cv_term_nl(t);
}

static void print_note_details(const struct cv_check_view *v, const struct cv_finding *f)
{
	struct cv_term *t = v->t;

	if (f->why) {
		cv_term_to(t, INDENT + 2);
		cv_term_wrap(t, INDENT + 2, CV_INK_PLAIN, f->why);
	}
	cv_check_print_evidence(v, f, INDENT + 4);
	for (size_t i = 0; i < f->fixes.n; i++)
		if (f->fixes.v[i].command)
			cv_term_command(t, INDENT + 4, f->fixes.v[i].command);
}

static void print_notes(const struct cv_check_view *v)
{
	bool first = true;

	for (size_t i = 0; i < v->r->findings.n; i++) {
		const struct cv_finding *f = &v->r->findings.v[i];

		if (v->number[i] || !cv_report_counts(v->r, f))
			continue;
		if (first)
			heading(v->t, "notes");
		first = false;
		item(v->t, cv_arena_printf(v->t->scratch, "%s [%s]", f->title, f->rule->id));
		if (v->t->verbose)
			print_note_details(v, f);
	}
	for (size_t i = 0; i < v->r->notices.n; i++) {
		if (first)
			heading(v->t, "notes");
		first = false;
		item(v->t, v->r->notices.v[i].because);
	}
}

static void add_env(struct cv_table *tab, const struct cv_report_env *e)
{
	enum cv_ink ink = e->verdict == CV_VERDICT_OK ? CV_INK_OK : e->verdict == CV_VERDICT_PROBLEM ? CV_INK_ERROR : CV_INK_WARNING;

	cv_table_add(tab, ink, e->packages.n ? cv_report_verdict_word(e->verdict) : "");
	cv_table_add(tab, CV_INK_PLAIN, e->path);
	cv_table_add(tab, CV_INK_DIM,
		     cv_arena_printf(tab->term->scratch, "%s%s%s", e->kind ? e->kind : "environment", e->python ? ", Python " : "",
				     e->python ? e->python : ""));
}

/* Those with nothing of the GPU stack are counted; -v lists them too. */
static void print_other_envs(const struct cv_check_view *v)
{
	size_t empty = 0, others = 0;
	struct cv_table tab;

	cv_table_init(&tab, v->t, INDENT, 3);
	tab.wraps[2] = true;
	for (size_t i = 0; i < v->r->envs.n; i++) {
		const struct cv_report_env *e = &v->r->envs.v[i];

		if (e->selected)
			continue;
		others++;
		if (e->packages.n == 0)
			empty++;
		if (e->packages.n || v->t->verbose)
			add_env(&tab, e);
	}
	if (!others)
		return;
	heading(v->t, "other environments (not part of the verdict)");
	cv_table_print(&tab);
	if (!empty)
		return;
	cv_term_to(v->t, INDENT);
	cv_term_printf(v->t, CV_INK_DIM, "%u %s nothing of the GPU stack", (unsigned)empty, empty == 1 ? "holds" : "hold");
	cv_term_nl(v->t);
}

static void print_because(const struct cv_check_view *v, const char *title, const struct cv_because *b, size_t n)
{
	if (n == 0)
		return;
	heading(v->t, title);
	for (size_t i = 0; i < n; i++)
		item(v->t, cv_arena_printf(v->t->scratch, "%s: %s", b[i].id ? b[i].id : "?", b[i].because));
}

void cv_check_print_rest(const struct cv_check_view *v, const struct cv_report_head *head)
{
	const struct cv_report *r = v->r;
	struct cv_term *t = v->t;

	print_notes(v);
	print_other_envs(v);
	if (t->verbose) {
		print_because(v, "not evaluated", r->not_evaluated.v, r->not_evaluated.n);
		print_because(v, "ruled out", r->ruled_out.v, r->ruled_out.n);
	}
	cv_term_nl(t);
	if (r->not_evaluated.n && !t->verbose)
		cv_term_wrap(t, 0, CV_INK_DIM,
			     cv_arena_printf(t->scratch, "%u rule%s had nothing to judge here or lacked a fact; -v says which and why.",
					     (unsigned)r->not_evaluated.n, r->not_evaluated.n == 1 ? "" : "s"));
	cv_term_printf(t, CV_INK_DIM, "cuvet %s, knowledge base of %s", cv_version(), head->kb_date);
	cv_term_nl(t);
}
