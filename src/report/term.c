/* SPDX-License-Identifier: Apache-2.0 */
#include "report/term.h"

#include <stdarg.h>
#include <string.h>

#include "report/text.h"

void cv_term_init(struct cv_term *t, struct cv_buf *out, struct cv_arena *scratch, const struct cv_style *style)
{
	unsigned width = style->width ? style->width : 80;

	*t = (struct cv_term){
		.out = out,
		.scratch = scratch,
		.width = width < 40 ? 40 : width > 200 ? 200 : width,
		.colour = style->colour,
		.ascii = style->ascii,
		.verbose = style->verbose,
	};
}

static const char *ink_on(enum cv_ink ink)
{
	switch (ink) {
	case CV_INK_ERROR:
		return "\033[1;31m";
	case CV_INK_WARNING:
		return "\033[33m";
	case CV_INK_OK:
		return "\033[32m";
	case CV_INK_DIM:
		return "\033[2m";
	case CV_INK_BOLD:
		return "\033[1m";
	case CV_INK_PLAIN:
		break;
	}
	return "";
}

/* text is clean. */
static void put_clean(struct cv_term *t, enum cv_ink ink, const char *text, size_t n)
{
	bool colour = t->colour && ink != CV_INK_PLAIN && n;

	if (colour)
		cv_buf_puts(t->out, ink_on(ink));
	cv_buf_add(t->out, text, n);
	if (colour)
		cv_buf_puts(t->out, "\033[0m");
	t->col += cv_text_width_n(text, n);
}

void cv_term_put(struct cv_term *t, enum cv_ink ink, const char *text)
{
	if (!text)
		return;
	text = cv_text_clean(t->scratch, text, t->ascii);
	put_clean(t, ink, text, strlen(text));
}

void cv_term_printf(struct cv_term *t, enum cv_ink ink, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cv_term_put(t, ink, cv_arena_vprintf(t->scratch, fmt, ap));
	va_end(ap);
}

void cv_term_to(struct cv_term *t, size_t col)
{
	if (t->col >= col)
		return;
	cv_buf_fill(t->out, ' ', col - t->col);
	t->col = col;
}

void cv_term_nl(struct cv_term *t)
{
	cv_buf_putc(t->out, '\n');
	t->col = 0;
}

void cv_term_wrap(struct cv_term *t, size_t indent, enum cv_ink ink, const char *text)
{
	const char *rest = cv_text_clean(t->scratch, text ? text : "", t->ascii);
	bool first = true;
	struct cv_str line;

	for (;;) {
		size_t from = first ? t->col : indent;

		if (!cv_text_line(&rest, t->width > from ? t->width - from : 1, false, &line))
			break;
		if (!first)
			cv_term_nl(t);
		first = false;
		cv_term_to(t, from);
		put_clean(t, ink, line.p, line.n);
	}
	cv_term_nl(t);
}

void cv_term_command(struct cv_term *t, size_t indent, const char *command)
{
	cv_term_to(t, indent);
	cv_term_put(t, CV_INK_DIM, "$ ");
	cv_term_put(t, CV_INK_BOLD, command);
	cv_term_nl(t);
}

const char *cv_term_arrow(const struct cv_term *t)
{
	return t->ascii ? "->" : "\xe2\x86\x92";
}

const char *cv_term_dash(const struct cv_term *t)
{
	(void)t;
	return "-";
}

const char *cv_term_dots(const struct cv_term *t)
{
	return t->ascii ? "..." : "\xe2\x80\xa6";
}
