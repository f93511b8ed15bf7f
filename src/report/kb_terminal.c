/* SPDX-License-Identifier: Apache-2.0 */
/* An answer of the knowledge base: label, value, and where it is from. */
#include "report/answer.h"

#include "base/str.h"

#define SCRATCH_MAX ((size_t)64 << 20)
#define INDENT 2

static const char *origin(const struct cv_term *t, const struct cv_kb_line *line)
{
	if (!line->row.subject)
		return "reckoned";
	return cv_arena_printf(t->scratch, "%s, %s", line->row.date, line->row.source);
}

static void print_lines(const struct cv_kb_answer *k, struct cv_term *t)
{
	struct cv_table tab;
	const char *last = "";

	cv_table_init(&tab, t, INDENT, 4);
	tab.wraps[0] = tab.wraps[1] = tab.wraps[3] = true;
	for (size_t i = 0; i < k->lines.n; i++) {
		const struct cv_kb_line *line = &k->lines.v[i];

		cv_table_add(&tab, CV_INK_PLAIN, cv_streq(last, line->label) ? "" : line->label);
		cv_table_add(&tab, CV_INK_BOLD, line->value);
		cv_table_add(&tab, CV_INK_PLAIN, line->for_what);
		cv_table_add(&tab, CV_INK_DIM, origin(t, line));
		last = line->label;
	}
	if (tab.cells.n) {
		cv_table_print(&tab);
		cv_term_nl(t);
	}
}

static void print_sources(const struct cv_kb_answer *k, struct cv_term *t)
{
	struct cv_strv told = { 0 };

	for (size_t i = 0; i < k->lines.n; i++) {
		const struct cv_kb_line *line = &k->lines.v[i];

		if (!line->row.subject || cv_strv_has(&told, line->row.source))
			continue;
		if (told.n == 0) {
			cv_term_put(t, CV_INK_BOLD, "sources");
			cv_term_nl(t);
		}
		cv_strv_push(t->scratch, &told, line->row.source);
		cv_term_to(t, INDENT);
		cv_term_wrap(t, INDENT + 2, CV_INK_PLAIN,
			     cv_arena_printf(t->scratch, "%s (%s): %s", line->row.source, line->row.tier, line->title ? line->title : ""));
		if (line->address && *line->address) {
			cv_term_to(t, INDENT + 2);
			cv_term_put(t, CV_INK_DIM, line->address);
			cv_term_nl(t);
		}
	}
	if (told.n)
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

int cv_report_kb_terminal(const struct cv_kb_answer *k, const struct cv_report_head *head, const struct cv_style *style,
			  struct cv_buf *out)
{
	struct cv_arena *scratch = cv_arena_new(SCRATCH_MAX);
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
	print_lines(k, &t);
	print_candidates(k, &t);
	print_sources(k, &t);
	cv_term_printf(&t, CV_INK_DIM, "cuvet %s, knowledge base of %s", cv_version(), head->kb_date);
	cv_term_nl(&t);
	err = cv_arena_failed(scratch) ? CV_ENOMEM : out->err;
	cv_arena_free(scratch);
	return err;
}
