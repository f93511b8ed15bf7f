/* SPDX-License-Identifier: Apache-2.0 */
/* The drawn answers of the knowledge base: what goes with what, and what circulates. */
#include "report/kb_parts.h"

#include "base/str.h"

#define INDENT 2
#define COLUMNS 7

static const char *or_dash(const struct cv_term *t, const char *text)
{
	return text && *text ? text : cv_term_dash(t);
}

/* "7.5-12.1+", "9.0" */
static const char *gpus_text(struct cv_term *t, const struct cv_kb_matrix_row *row)
{
	const char *more = row->ptx ? "+" : "";

	if (!row->oldest)
		return "?";
	/* Only the lower end is known. */
	if (!row->newest)
		return cv_arena_printf(t->scratch, "%s...", row->oldest);
	if (cv_streq(row->oldest, row->newest))
		return cv_arena_printf(t->scratch, "%s%s", row->oldest, more);
	return cv_arena_printf(t->scratch, "%s-%s%s", row->oldest, row->newest, more);
}

static bool has_gaps(const struct cv_kb_matrix *m)
{
	for (size_t i = 0; i < m->rows.n; i++)
		if (m->rows.v[i].gaps[0])
			return true;
	return false;
}

/* A column stands only where some row has something to say in it. */
struct columns {
	bool build, gaps;
};

static void head(struct cv_table *tab, const struct columns *c, const char *subject)
{
	cv_table_add(tab, CV_INK_DIM, subject);
	if (c->build)
		cv_table_add(tab, CV_INK_DIM, "build");
	cv_table_add(tab, CV_INK_DIM, "CUDA");
	cv_table_add(tab, CV_INK_DIM, "cuDNN");
	cv_table_add(tab, CV_INK_DIM, "Python");
	cv_table_add(tab, CV_INK_DIM, "GPUs");
	if (c->gaps)
		cv_table_add(tab, CV_INK_DIM, "but not");
	cv_table_add(tab, CV_INK_DIM, "driver");
}

static void line(struct cv_table *tab, const struct columns *c, const struct cv_kb_matrix_row *row, bool first)
{
	struct cv_term *t = tab->term;

	cv_table_add(tab, CV_INK_BOLD, first ? row->release : "");
	if (c->build)
		cv_table_add(tab, CV_INK_PLAIN, row->build ? cv_arena_printf(t->scratch, "%s%s", row->build, row->is_default ? "*" : "") : "");
	cv_table_add(tab, CV_INK_PLAIN, or_dash(t, row->cuda));
	cv_table_add(tab, CV_INK_PLAIN, or_dash(t, row->cudnn));
	cv_table_add(tab, CV_INK_PLAIN, first ? or_dash(t, row->python) : "");
	cv_table_add(tab, CV_INK_PLAIN, gpus_text(t, row));
	if (c->gaps)
		cv_table_add(tab, CV_INK_PLAIN, row->gaps);
	cv_table_add(tab, CV_INK_PLAIN, or_dash(t, row->driver));
}

void cv_kb_print_matrix(struct cv_term *t, const struct cv_kb *kb, const struct cv_kb_matrix *m)
{
	struct columns c = { .gaps = m && has_gaps(m) };
	struct cv_strv sources = { 0 };
	struct cv_table tab;

	if (!m || !m->rows.n)
		return;
	for (size_t i = 0; i < m->rows.n; i++) {
		c.build |= m->rows.v[i].build != NULL;
		for (size_t j = 0; j < m->rows.v[i].sources.n; j++)
			if (!cv_strv_has(&sources, m->rows.v[i].sources.v[j]))
				cv_strv_push(t->scratch, &sources, m->rows.v[i].sources.v[j]);
	}
	cv_table_init(&tab, t, INDENT, (size_t)(6 + c.build + c.gaps));
	tab.wraps[3 + c.build] = true; /* Python; cuDNN */
	tab.wraps[2 + c.build] = true;
	if (c.gaps)
		tab.wraps[5 + c.build] = true;
	head(&tab, &c, m->subject);
	for (size_t i = 0; i < m->rows.n; i++)
		line(&tab, &c, &m->rows.v[i], !i || !cv_streq(m->rows.v[i - 1].release, m->rows.v[i].release));
	cv_table_print(&tab);
	cv_term_nl(t);
	cv_term_to(t, INDENT);
	cv_term_wrap(t, INDENT, CV_INK_DIM,
		     "GPUs: oldest and newest compute capability with code in the build, + where PTX goes on beyond it, ? where no source "
		     "says it; Jetsons are left out. driver: the oldest of that CUDA major on Linux. * the build of the Python package index.");
	cv_term_nl(t);
	for (size_t i = 0; i < sources.n; i++) {
		struct cv_kb_source s;

		if (!cv_kb_source(kb, sources.v[i], &s))
			continue;
		cv_term_to(t, INDENT);
		cv_term_wrap(t, INDENT + 2, CV_INK_DIM, cv_arena_printf(t->scratch, "source: %s (%s)", s.title, s.date));
	}
	cv_term_nl(t);
}

static enum cv_ink ink_of(const char *verdict)
{
	return cv_streq(verdict, "wrong") ? CV_INK_ERROR : cv_streq(verdict, "right") ? CV_INK_OK : CV_INK_WARNING;
}

static void print_claim(struct cv_term *t, const struct cv_kb *kb, const struct cv_kb_claim *c)
{
	struct cv_kb_source s;

	cv_term_to(t, INDENT);
	cv_term_printf(t, ink_of(c->verdict), "%s", c->verdict);
	cv_term_put(t, CV_INK_PLAIN, ": ");
	cv_term_wrap(t, INDENT + 2, CV_INK_BOLD, c->claim);
	cv_term_to(t, INDENT + 2);
	cv_term_wrap(t, INDENT + 2, CV_INK_PLAIN, c->right);
	if (c->doubt) {
		cv_term_to(t, INDENT + 2);
		cv_term_wrap(t, INDENT + 2, CV_INK_DIM, c->doubt);
	}
	for (size_t i = 0; i < c->sources.n; i++) {
		if (!cv_kb_source(kb, c->sources.v[i], &s))
			continue;
		cv_term_to(t, INDENT + 2);
		cv_term_wrap(t, INDENT + 4, CV_INK_DIM, cv_arena_printf(t->scratch, "source: %s (%s)", s.title, s.date));
	}
	cv_term_nl(t);
}

void cv_kb_print_claims(struct cv_term *t, const struct cv_kb *kb, const struct cv_kb_answer *k)
{
	for (size_t i = 0; i < k->claims.n; i++)
		print_claim(t, kb, &k->claims.v[i]);
}
