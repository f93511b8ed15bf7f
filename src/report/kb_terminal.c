/* SPDX-License-Identifier: Apache-2.0 */
/* An answer of the knowledge base: label, value, and where it is from. */
#include "report/answer.h"

#include "base/str.h"
#include "report/kb_parts.h"

#define SCRATCH_MAX ((size_t)64 << 20)
#define INDENT 2

/* Rows of one source, date and tier share a footnote. */
struct footnotes {
	CV_VEC(const struct cv_kb_line *) v;
};

/* Number of the line's footnote, from 1; 0 when out of memory. */
static size_t footnote(struct cv_arena *a, struct footnotes *notes, const struct cv_kb_line *line)
{
	const struct cv_kb_row *row = &line->row;
	const struct cv_kb_line **slot;

	for (size_t i = 0; i < notes->v.n; i++) {
		const struct cv_kb_row *old = &notes->v.v[i]->row;

		if (cv_streq(old->source, row->source) && cv_streq(old->date, row->date) && cv_streq(old->tier, row->tier))
			return i + 1;
	}
	slot = CV_VEC_PUSH(a, &notes->v);
	if (!slot)
		return 0;
	*slot = line;
	return notes->v.n;
}

static void print_lines(const struct cv_kb_answer *k, struct cv_term *t, struct footnotes *notes)
{
	struct cv_table tab;
	const char *last = "";

	cv_table_init(&tab, t, INDENT, 4);
	tab.wraps[0] = tab.wraps[1] = true;
	for (size_t i = 0; i < k->lines.n; i++) {
		const struct cv_kb_line *line = &k->lines.v[i];

		cv_table_add(&tab, CV_INK_PLAIN, cv_streq(last, line->label) ? "" : line->label);
		cv_table_add(&tab, CV_INK_BOLD, line->value);
		cv_table_add(&tab, CV_INK_DIM, line->for_what);
		cv_table_add(&tab, CV_INK_DIM,
			     line->row.subject ? cv_arena_printf(t->scratch, "[%u]", (unsigned)footnote(t->scratch, notes, line)) : "");
		last = line->label;
	}
	if (tab.cells.n) {
		cv_table_print(&tab);
		cv_term_nl(t);
	}
}

static void print_sources(struct cv_term *t, const struct footnotes *notes)
{
	for (size_t i = 0; i < notes->v.n; i++) {
		const struct cv_kb_line *line = notes->v.v[i];

		cv_term_to(t, INDENT);
		cv_term_printf(t, CV_INK_DIM, "[%u]", (unsigned)(i + 1));
		cv_term_to(t, INDENT + 5);
		cv_term_wrap(t, INDENT + 5, CV_INK_PLAIN,
			     cv_arena_printf(t->scratch, "%s (%s, %s)", line->title ? line->title : line->row.source, line->row.date,
					     line->row.tier));
		if (line->address && *line->address) {
			cv_term_to(t, INDENT + 5);
			cv_term_wrap(t, INDENT + 5, CV_INK_DIM, line->address);
		}
	}
	if (notes->v.n)
		cv_term_nl(t);
}

static void print_candidates(const struct cv_kb_answer *k, struct cv_term *t)
{
	const char *list = "";

	if (k->candidates.n == 0)
		return;
	for (size_t i = 0; i < k->candidates.n; i++)
		list = cv_arena_printf(t->scratch, "%s%s%s", list, i ? ", " : "", k->candidates.v[i]);
	cv_term_to(t, INDENT);
	cv_term_put(t, CV_INK_PLAIN, "known: ");
	cv_term_wrap(t, INDENT + 2, CV_INK_PLAIN, list);
	cv_term_nl(t);
}

int cv_report_kb_terminal(const struct cv_kb_answer *k, const struct cv_kb *kb, const struct cv_report_head *head,
			  const struct cv_style *style, struct cv_buf *out)
{
	struct cv_arena *scratch = cv_arena_new(SCRATCH_MAX);
	struct footnotes notes = { 0 };
	struct cv_term t;
	int err;

	if (!scratch)
		return CV_ENOMEM;
	cv_term_init(&t, out, scratch, style);
	cv_term_wrap(&t, INDENT, CV_INK_BOLD, k->title ? k->title : "not known");
	if (k->note) {
		cv_term_put(&t, CV_INK_WARNING, "note: ");
		cv_term_wrap(&t, INDENT, CV_INK_PLAIN, k->note);
	}
	cv_term_nl(&t);
	print_lines(k, &t, &notes);
	cv_kb_print_matrix(&t, kb, k->matrix);
	cv_kb_print_claims(&t, kb, k);
	print_candidates(k, &t);
	print_sources(&t, &notes);
	cv_term_printf(&t, CV_INK_DIM, "cuvet %s, knowledge base of %s", cv_version(), head->kb_date);
	cv_term_nl(&t);
	err = cv_arena_failed(scratch) ? CV_ENOMEM : out->err;
	cv_arena_free(scratch);
	return err;
}
