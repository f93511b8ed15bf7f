/* SPDX-License-Identifier: Apache-2.0 */
#include "report/term.h"

#include "report/text.h"

#define GAP 2
#define NARROWEST 12

void cv_table_init(struct cv_table *tab, struct cv_term *t, size_t indent, size_t cols)
{
	*tab = (struct cv_table){ .term = t, .indent = indent, .cols = cols > CV_TABLE_COLS ? CV_TABLE_COLS : cols };
}

void cv_table_add(struct cv_table *tab, enum cv_ink ink, const char *text)
{
	struct cv_term *t = tab->term;
	struct cv_table_cell *cell = CV_VEC_PUSH(t->scratch, &tab->cells);

	if (cell)
		*cell = (struct cv_table_cell){ text ? cv_text_clean(t->scratch, text, t->ascii) : "", ink };
}

static void natural_widths(const struct cv_table *tab, size_t *width)
{
	for (size_t i = 0; i < tab->cols; i++)
		width[i] = 0;
	for (size_t i = 0; i < tab->cells.n; i++) {
		size_t w = cv_text_width(tab->cells.v[i].text);

		if (w > width[i % tab->cols])
			width[i % tab->cols] = w;
	}
}

/* Empty columns take no gap. */
static size_t total(const struct cv_table *tab, const size_t *width)
{
	size_t sum = 0;

	for (size_t i = 0; i < tab->cols; i++)
		if (width[i])
			sum += (sum ? GAP : 0) + width[i];
	return sum;
}

size_t cv_table_width(const struct cv_table *tab)
{
	size_t width[CV_TABLE_COLS];

	natural_widths(tab, width);
	return total(tab, width);
}

/* Takes columns off the widest one that may wrap, until the table fits or none can give more. */
static void shrink(const struct cv_table *tab, size_t *width)
{
	size_t room = tab->term->width > tab->indent ? tab->term->width - tab->indent : 0;

	while (total(tab, width) > room) {
		size_t widest = tab->cols;

		for (size_t i = 0; i < tab->cols; i++)
			if (tab->wraps[i] && width[i] > NARROWEST && (widest == tab->cols || width[i] > width[widest]))
				widest = i;
		if (widest == tab->cols)
			return;
		width[widest]--;
	}
}

static size_t column_start(const struct cv_table *tab, const size_t *width, size_t col)
{
	size_t at = tab->indent;

	for (size_t i = 0; i < col; i++)
		if (width[i])
			at += width[i] + GAP;
	return at;
}

static void print_row(const struct cv_table *tab, const size_t *width, const struct cv_table_cell *row)
{
	const char *rest[CV_TABLE_COLS];
	bool more = true;

	for (size_t i = 0; i < tab->cols; i++)
		rest[i] = row[i].text;
	while (more) {
		more = false;
		for (size_t i = 0; i < tab->cols; i++) {
			struct cv_str line;
			char *text;

			/* The last column is kept copyable: a long path there runs over the edge instead of being cut. */
			if (!cv_text_line(&rest[i], width[i], i + 1 < tab->cols, &line))
				continue;
			text = cv_str_dup(tab->term->scratch, line);
			cv_term_to(tab->term, column_start(tab, width, i));
			cv_term_put(tab->term, row[i].ink, text);
			while (*rest[i] == ' ')
				rest[i]++;
			more = more || *rest[i];
		}
		cv_term_nl(tab->term);
	}
}

void cv_table_print(struct cv_table *tab)
{
	size_t width[CV_TABLE_COLS];

	natural_widths(tab, width);
	shrink(tab, width);
	for (size_t i = 0; i + tab->cols <= tab->cells.n; i += tab->cols)
		print_row(tab, width, &tab->cells.v[i]);
}
