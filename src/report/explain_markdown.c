/* SPDX-License-Identifier: Apache-2.0 */
/* An answer for an issue: Markdown, the first diagnoses with their lines quoted. Text of the report goes into fenced blocks. */
#include "report/explain.h"

#include "report/text.h"

#define SCRATCH_MAX ((size_t)64 << 20)
#define SHOWN 3

/* A fence that the text cannot end: longer than any run of backticks is not needed where they are replaced. */
static const char *plain(struct cv_arena *a, const char *text)
{
	char *copy = cv_arena_strdup(a, cv_text_clean(a, text ? text : "", false));

	for (char *p = copy; *p; p++)
		if (*p == '`')
			*p = '\'';
	return copy;
}

static void put_quotes(struct cv_buf *out, struct cv_arena *a, const struct cv_diagnosis *d)
{
	if (!d->evidence.n)
		return;
	cv_buf_puts(out, "\nIt rests on:\n\n```\n");
	for (size_t i = 0; i < d->evidence.n && i < 5; i++) {
		const struct cv_quote *q = &d->evidence.v[i];

		if (q->file && q->line)
			cv_buf_printf(out, "%s:%u: ", plain(a, q->file), q->line);
		cv_buf_printf(out, "%.400s\n", plain(a, q->text));
	}
	cv_buf_puts(out, "```\n");
}

static void put_fixes(struct cv_buf *out, struct cv_arena *a, const struct cv_diagnosis *d)
{
	if (d->fixes.n)
		cv_buf_puts(out, "\nFix, cheapest first:\n\n");
	for (size_t i = 0; i < d->fixes.n; i++) {
		const struct cv_fix *f = &d->fixes.v[i];

		if (f->command)
			cv_buf_printf(out, "- `%s`\n", plain(a, f->command));
		else
			cv_buf_printf(out, "- %s\n", plain(a, f->text));
	}
}

int cv_report_explain_markdown(const struct cv_explain_answer *x, const struct cv_report_head *head, struct cv_buf *out)
{
	struct cv_arena *a = cv_arena_new(SCRATCH_MAX);
	int err;

	if (!a)
		return CV_ENOMEM;
	if (!x->e->diagnoses.n)
		cv_buf_printf(out, "%s\n", x->e->cannot_tell ? plain(a, x->e->cannot_tell) : "No fault in this text.");
	for (size_t i = 0; i < x->e->diagnoses.n && i < SHOWN; i++) {
		const struct cv_diagnosis *d = &x->e->diagnoses.v[i];

		cv_buf_printf(out, "%s**%s** (%s, `%s`)\n", i ? "\n---\n\n" : "", plain(a, d->cause), cv_report_surety_word(d->surety), d->id);
		put_quotes(out, a, d);
		if (d->why)
			cv_buf_printf(out, "\n%s\n", plain(a, d->why));
		put_fixes(out, a, d);
		if (d->ask.n && d->surety != CV_CONFIRMED)
			cv_buf_printf(out, "\nWhat would settle it: `%s`\n", plain(a, d->ask.v[0]));
	}
	cv_buf_printf(out, "\n<sub>cuvet %s, knowledge of %s</sub>\n", cv_version(), head->kb_date);
	err = cv_arena_failed(a) ? CV_ENOMEM : out->err;
	cv_arena_free(a);
	return err;
}
