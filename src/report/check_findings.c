/* SPDX-License-Identifier: Apache-2.0 */
/* Problems, ranked: each with why, evidence, what to type, and its symptoms beneath. */
#include "report/check.h"

#include "base/str.h"
#include "judge/judge.h"

#define INDENT 4
#define DEEPER 6
#define PRICES_SHOWN 3

bool cv_check_cause(const struct cv_report *r, size_t i, size_t *ret)
{
	const struct cv_finding *f = &r->findings.v[i];
	bool found = false;

	if (!f->cause)
		return false;
	for (size_t k = 0; k < r->findings.n; k++) {
		const struct cv_finding *c = &r->findings.v[k];

		if (k == i || c->cause || c->severity == CV_NOTE || !cv_streq(c->rule->id, f->cause) || !cv_report_counts(r, c))
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

static void print_outcome(struct cv_term *t, const struct cv_fix *x)
{
	cv_term_to(t, DEEPER + 2);
	if (!x->tried)
		cv_term_wrap(t, DEEPER + 2, CV_INK_DIM,
			     cv_arena_printf(t->scratch, "not tried: %s", x->untried ? x->untried : "not known what it changes"));
	else if (!x->heals)
		cv_term_wrap(t, DEEPER + 2, CV_INK_WARNING, "tried on the facts: does not heal by itself");
	else if (!x->price.n)
		cv_term_wrap(t, DEEPER + 2, CV_INK_DIM,
			     x->blind_to_loads ? "tried on the facts: heals, nothing new; loading was not followed" :
						 "tried on the facts: heals, nothing new");
	for (size_t i = 0; x->tried && i < x->price.n; i++) {
		if (i == PRICES_SHOWN) {
			cv_term_to(t, DEEPER + 2);
			cv_term_printf(t, CV_INK_WARNING, "price: and %zu more", x->price.n - i);
			cv_term_nl(t);
			break;
		}
		const struct cv_price *p = &x->price.v[i];

		cv_term_to(t, DEEPER + 2);
		cv_term_put(t, CV_INK_WARNING, "price: ");
		cv_term_wrap(t, DEEPER + 2, CV_INK_PLAIN, cv_arena_printf(t->scratch, "%s [%s]", p->title, p->id));
	}
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
	print_outcome(t, x);
}

static void print_symptoms(const struct cv_check_view *v, size_t cause)
{
	bool first = true;

	for (size_t i = 0; i < v->r->findings.n; i++) {
		const struct cv_finding *f = &v->r->findings.v[i];
		size_t of;

		if (!cv_report_counts(v->r, f) || !cv_check_cause(v->r, i, &of) || of != cause)
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
	if (f->evidence.n)
		heading(t, "evidence");
	cv_check_print_evidence(v, f, DEEPER);
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
