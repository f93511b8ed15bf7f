/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnoses for people: the sentence, the lines it rests on, the fix, the question. */
#include "report/explain.h"

#define SCRATCH_MAX ((size_t)64 << 20)
#define INDENT 4
#define QUOTES_SHOWN 5

static enum cv_ink ink_of(enum cv_surety s)
{
	return s == CV_CONFIRMED ? CV_INK_ERROR : s == CV_LIKELY ? CV_INK_WARNING : CV_INK_PLAIN;
}

static void heading(struct cv_term *t, const char *word)
{
	cv_term_to(t, INDENT);
	cv_term_put(t, CV_INK_DIM, word);
	cv_term_nl(t);
}

static void print_quotes(struct cv_term *t, const struct cv_diagnosis *d)
{
	size_t n = t->verbose ? d->evidence.n : d->evidence.n < QUOTES_SHOWN ? d->evidence.n : QUOTES_SHOWN;

	if (n)
		heading(t, "because");
	for (size_t i = 0; i < n; i++) {
		const struct cv_quote *q = &d->evidence.v[i];

		cv_term_to(t, INDENT + 2);
		if (q->file && q->line)
			cv_term_printf(t, CV_INK_DIM, "%s:%u: ", q->file, q->line);
		cv_term_wrap(t, INDENT + 4, CV_INK_PLAIN, q->text);
	}
}

static void print_fixes(struct cv_term *t, const struct cv_diagnosis *d)
{
	for (size_t i = 0; i < d->fixes.n; i++) {
		const struct cv_fix *f = &d->fixes.v[i];

		heading(t, i ? "or" : "fix");
		if (f->command) {
			cv_term_command(t, INDENT + 2, f->command);
			continue;
		}
		cv_term_to(t, INDENT + 2);
		cv_term_wrap(t, INDENT + 2, CV_INK_PLAIN, f->text ? f->text : "");
	}
}

static void print_diagnosis(struct cv_term *t, const struct cv_diagnosis *d, size_t number)
{
	cv_term_nl(t);
	cv_term_printf(t, ink_of(d->surety), "[%zu] %s: ", number, cv_report_surety_word(d->surety));
	cv_term_wrap(t, INDENT, CV_INK_BOLD, cv_arena_printf(t->scratch, "%s [%s]", d->cause, d->id));
	if (number > 1 && !t->verbose && d->surety == CV_POSSIBLE)
		return; /* a guess behind better ones: its sentence is enough */
	print_quotes(t, d);
	if (d->why) {
		cv_term_to(t, INDENT);
		cv_term_wrap(t, INDENT, CV_INK_PLAIN, d->why);
	}
	print_fixes(t, d);
	for (size_t i = 0; i < d->ask.n && d->surety != CV_CONFIRMED; i++) {
		heading(t, "what would settle it");
		cv_term_command(t, INDENT + 2, d->ask.v[i]);
	}
}

static void print_none(struct cv_term *t, const struct cv_explanation *e)
{
	if (e->cannot_tell)
		cv_term_wrap(t, 0, CV_INK_WARNING, cv_arena_printf(t->scratch, "cannot tell: %s", e->cannot_tell));
	else
		cv_term_wrap(t, 0, CV_INK_OK, "no fault in this text");
}

int cv_report_explain_terminal(const struct cv_explain_answer *x, const struct cv_report_head *head, const struct cv_style *style,
			       struct cv_buf *out)
{
	struct cv_arena *scratch = cv_arena_new(SCRATCH_MAX);
	struct cv_term t;
	int err;

	(void)head;
	if (!scratch)
		return CV_ENOMEM;
	cv_term_init(&t, out, scratch, style);
	if (!x->e->diagnoses.n)
		print_none(&t, x->e);
	for (size_t i = 0; i < x->e->diagnoses.n; i++)
		print_diagnosis(&t, &x->e->diagnoses.v[i], i + 1);
	for (size_t i = 0; style->verbose && i < x->recognised.n; i++) {
		const struct cv_explain_part *p = &x->recognised.v[i];

		if (i == 0)
			cv_term_nl(&t);
		cv_term_printf(&t, CV_INK_DIM, "read %s:%u-%u as %s", p->file, p->first, p->last, p->as);
		cv_term_nl(&t);
	}
	err = cv_arena_failed(scratch) ? CV_ENOMEM : out->err;
	cv_arena_free(scratch);
	return err;
}
