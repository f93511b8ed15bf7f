/* SPDX-License-Identifier: Apache-2.0 */
/* Problems, ranked: each with why, evidence, what to type, and its symptoms beneath. */
#include "report/check.h"

#include "base/str.h"
#include "judge/judge.h"
#include "report/text.h"

#define INDENT 4
#define DEEPER 6

bool cv_check_cause(const struct cv_report *r, size_t i, size_t *ret)
{
	const struct cv_finding *f = &r->findings.v[i];
	bool found = false;

	if (!f->cause)
		return false;
	for (size_t k = 0; k < r->findings.n; k++) {
		const struct cv_finding *c = &r->findings.v[k];

		if (k == i || c->cause || c->severity == CV_NOTE || !cv_streq(c->rule->id, f->cause))
			continue;
		/* The cause in the same environment is meant, else the machine's, else any of that name. */
		if (!found || c->env == f->env || (c->env == CV_NO_INDEX && r->findings.v[*ret].env != f->env)) {
			*ret = k;
			found = true;
		}
	}
	return found;
}

static enum cv_ink ink_of(enum cv_severity s)
{
	return s == CV_ERROR ? CV_INK_ERROR : s == CV_WARNING ? CV_INK_WARNING : CV_INK_PLAIN;
}

static void heading(struct cv_term *t, const char *word)
{
	cv_term_to(t, INDENT);
	cv_term_put(t, CV_INK_DIM, word);
	cv_term_nl(t);
}

/* Where the columns of value and source begin; a text too long for its column pushes what follows to the next line. */
struct evidence_cols {
	size_t value, source;
};

#define FACT_MAX 30
#define VALUE_MAX 34

static struct evidence_cols evidence_cols(const struct cv_finding *f)
{
	size_t fact = 0, value = 0;

	for (size_t i = 0; i < f->evidence.n; i++) {
		const struct cv_evidence *e = &f->evidence.v[i];
		size_t fw = cv_text_width(e->fact), vw = cv_text_width(e->value ? e->value : "?");

		if (fw > fact && fw <= FACT_MAX)
			fact = fw;
		if (vw > value && vw <= VALUE_MAX)
			value = vw;
	}
	return (struct evidence_cols){ DEEPER + fact + 2, DEEPER + fact + 2 + value + 2 };
}

/* A file of an environment, whose path the reader has seen above, is told from site-packages on; -v tells all of it. */
static const char *short_source(const struct cv_check_view *v, const char *source)
{
	static const char *const marks[] = { "/site-packages/", "/dist-packages/" };

	if (!source || v->t->verbose)
		return source;
	for (size_t i = 0; i < v->r->envs.n; i++) {
		if (!cv_starts(source, v->r->envs.v[i].path))
			continue;
		for (size_t k = 0; k < sizeof(marks) / sizeof(marks[0]); k++) {
			const char *at = strstr(source, marks[k]);

			if (at)
				return cv_arena_printf(v->t->scratch, "%s%s", cv_term_dots(v->t), at);
		}
	}
	return source;
}

static void print_one_evidence(const struct cv_check_view *v, const struct cv_evidence *e, struct evidence_cols at)
{
	struct cv_term *t = v->t;
	const char *value = e->value ? e->value : "?", *from = short_source(v, e->source);
	bool source = from && *from, beside;

	cv_term_to(t, DEEPER);
	cv_term_put(t, CV_INK_PLAIN, e->fact);
	if (t->col + 2 > at.value)
		cv_term_nl(t);
	cv_term_to(t, at.value);
	beside = source && at.value + cv_text_width(value) + 2 <= at.source && at.source + cv_text_width(from) <= t->width;
	if (!beside) {
		cv_term_wrap(t, at.value, CV_INK_BOLD, value);
		if (!source)
			return;
		cv_term_to(t, DEEPER + 2);
	} else {
		cv_term_put(t, CV_INK_BOLD, value);
		cv_term_to(t, at.source);
	}
	cv_term_wrap(t, DEEPER + 2, CV_INK_DIM, from);
}

static void print_evidence(const struct cv_check_view *v, const struct cv_finding *f)
{
	struct evidence_cols at = evidence_cols(f);

	if (f->evidence.n)
		heading(v->t, "evidence");
	for (size_t i = 0; i < f->evidence.n; i++)
		print_one_evidence(v, &f->evidence.v[i], at);
}

static void print_fix(const struct cv_check_view *v, const struct cv_fix *x, bool first)
{
	struct cv_term *t = v->t;
	const char *price = x->needs_root && x->reboot ? "needs root and a reboot" : x->needs_root ? "needs root"
											 : x->reboot	 ? "needs a reboot"
													 : NULL;

	heading(t, first ? "fix" : "or");
	if (x->command) {
		cv_term_command(t, DEEPER, x->command);
	} else if (x->text) {
		cv_term_to(t, DEEPER);
		cv_term_wrap(t, DEEPER, CV_INK_PLAIN, x->text);
	}
	if (x->changes || price) {
		cv_term_to(t, DEEPER + 2);
		cv_term_wrap(t, DEEPER + 2, CV_INK_PLAIN,
			     cv_arena_printf(t->scratch, "%s%s%s", x->changes ? x->changes : "", x->changes && price ? "; " : "",
					     price ? price : ""));
	}
	if (x->risk) {
		cv_term_to(t, DEEPER + 2);
		cv_term_put(t, CV_INK_WARNING, "risk: ");
		cv_term_wrap(t, DEEPER + 2, CV_INK_PLAIN, x->risk);
	}
}

static void print_symptoms(const struct cv_check_view *v, size_t cause)
{
	bool first = true;

	for (size_t i = 0; i < v->r->findings.n; i++) {
		const struct cv_finding *f = &v->r->findings.v[i];
		size_t of;

		if (!cv_check_cause(v->r, i, &of) || of != cause)
			continue;
		if (first)
			heading(v->t, "which also shows as");
		first = false;
		cv_term_to(v->t, DEEPER);
		cv_term_put(v->t, CV_INK_PLAIN, "- ");
		cv_term_wrap(v->t, DEEPER + 2, CV_INK_PLAIN, cv_arena_printf(v->t->scratch, "%s [%s]", f->title, f->rule->id));
	}
}

static void print_problem(const struct cv_check_view *v, size_t i)
{
	const struct cv_finding *f = &v->r->findings.v[i];
	struct cv_term *t = v->t;

	cv_term_nl(t);
	cv_term_printf(t, ink_of(f->severity), "[%u] %s: ", v->number[i], cv_report_severity_word(f->severity));
	cv_term_wrap(t, INDENT, CV_INK_BOLD, cv_arena_printf(t->scratch, "%s [%s]", f->title, f->rule->id));
	if (f->why) {
		cv_term_to(t, INDENT);
		cv_term_wrap(t, INDENT, CV_INK_PLAIN, f->why);
	}
	print_evidence(v, f);
	for (size_t k = 0; k < f->fixes.n; k++)
		print_fix(v, &f->fixes.v[k], k == 0);
	if (f->prove) {
		heading(t, "proof that it is gone");
		cv_term_command(t, DEEPER, f->prove);
	}
	print_symptoms(v, i);
}

void cv_check_print_problems(const struct cv_check_view *v)
{
	for (size_t i = 0; i < v->r->findings.n; i++) {
		size_t cause;

		if (v->number[i] && !cv_check_cause(v->r, i, &cause))
			print_problem(v, i);
	}
}
