/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Term: output for people. Keeps track of the column, cleans what it prints, and colours by meaning: nothing is told by colour
 * alone. A command that is to be copied is never wrapped.
 */
#ifndef CV_REPORT_TERM_H
#define CV_REPORT_TERM_H

#include "base/buf.h"
#include "base/vec.h"
#include "cuvet/cuvet.h"

enum cv_ink { CV_INK_PLAIN, CV_INK_ERROR, CV_INK_WARNING, CV_INK_OK, CV_INK_DIM, CV_INK_BOLD };

struct cv_term {
	struct cv_buf *out;
	struct cv_arena *scratch;
	unsigned width; /* columns of a line */
	bool colour, ascii, verbose;
	size_t col; /* where the next character goes, 0-based */
};

void cv_term_init(struct cv_term *t, struct cv_buf *out, struct cv_arena *scratch, const struct cv_style *style);

/* Text at the current column; NULL prints nothing. */
void cv_term_put(struct cv_term *t, enum cv_ink ink, const char *text);
void cv_term_printf(struct cv_term *t, enum cv_ink ink, const char *fmt, ...) CV_PRINTF(3, 4);
/* Spaces up to column col. */
void cv_term_to(struct cv_term *t, size_t col);
void cv_term_nl(struct cv_term *t);
/* Text from the current column on, wrapped at words; further lines begin at column indent. Ends the line. */
void cv_term_wrap(struct cv_term *t, size_t indent, enum cv_ink ink, const char *text);
/* A line of its own: "$ command". */
void cv_term_command(struct cv_term *t, size_t indent, const char *command);

/* Signs that have an ASCII form. */
const char *cv_term_arrow(const struct cv_term *t);
const char *cv_term_dash(const struct cv_term *t); /* stands for "nothing here" */
const char *cv_term_dots(const struct cv_term *t); /* something was left out */

/*
 * A table: columns as wide as their content; where that is too wide for the line, the columns that may wrap shrink. The texts
 * of cells are borrowed until it is printed.
 */
#define CV_TABLE_COLS 8

struct cv_table_cell {
	const char *text; /* NULL: empty */
	enum cv_ink ink;
};

struct cv_table {
	struct cv_term *term;
	size_t indent, cols;
	bool wraps[CV_TABLE_COLS]; /* this column may be made narrower */
	CV_VEC(struct cv_table_cell) cells;
};

void cv_table_init(struct cv_table *tab, struct cv_term *t, size_t indent, size_t cols);
/* Adds the next cell, row by row from the left. */
void cv_table_add(struct cv_table *tab, enum cv_ink ink, const char *text);
void cv_table_print(struct cv_table *tab);
/* Columns that the widest row takes, without the indent, before any wrapping. */
size_t cv_table_width(const struct cv_table *tab);

#endif
