/* SPDX-License-Identifier: Apache-2.0 */
/* The small part of Markdown in which docs/rules/ is written; see answer.h. */
#include "report/answer.h"

#include "base/str.h"

/* Drops the marks of `code` and **strong**: on a terminal the words speak for themselves, and a copied line is what to type. */
static const char *plain(struct cv_arena *a, struct cv_str s)
{
	char *out = cv_arena_alloc(a, s.n + 1);
	bool code = false;
	size_t at = 0;

	if (!out)
		return "";
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '`')
			code = !code;
		else if (!code && s.p[i] == '*' && i + 1 < s.n && s.p[i + 1] == '*')
			i++;
		else
			out[at++] = s.p[i];
	}
	return out;
}

/* Lines of one paragraph or list item are joined before they are wrapped anew. */
struct block {
	const char *text; /* NULL: none is open */
	bool item;
};

static void flush(struct cv_term *t, struct block *b)
{
	if (!b->text)
		return;
	if (b->item)
		cv_term_put(t, CV_INK_PLAIN, "  - ");
	cv_term_wrap(t, b->item ? 4 : 0, CV_INK_PLAIN, b->text);
	b->text = NULL;
}

static bool heading(struct cv_term *t, struct cv_str line)
{
	size_t level = 0;

	while (level < line.n && line.p[level] == '#')
		level++;
	if (level == 0 || level > 4 || level == line.n || line.p[level] != ' ')
		return false;
	cv_term_wrap(t, 0, CV_INK_BOLD, plain(t->scratch, cv_str_trim(cv_str_from(line, level))));
	return true;
}

static void add_line(struct cv_term *t, struct block *b, struct cv_str line)
{
	struct cv_str trimmed = cv_str_trim(line);

	if (cv_str_starts(trimmed, "- ") || cv_str_starts(trimmed, "* ")) {
		flush(t, b);
		*b = (struct block){ plain(t->scratch, cv_str_trim(cv_str_from(trimmed, 2))), true };
		return;
	}
	if (b->text)
		b->text = cv_arena_printf(t->scratch, "%s %s", b->text, plain(t->scratch, trimmed));
	else
		*b = (struct block){ plain(t->scratch, trimmed), false };
}

void cv_markdown_print(struct cv_term *t, const char *text)
{
	struct cv_str rest = cv_str_of(text), line;
	struct block b = { 0 };
	bool fenced = false;

	while (cv_str_line(&rest, &line, NULL)) {
		if (cv_str_starts(line, "```")) {
			flush(t, &b);
			fenced = !fenced;
		} else if (fenced) {
			cv_term_to(t, 4);
			cv_term_put(t, CV_INK_BOLD, cv_str_dup(t->scratch, line));
			cv_term_nl(t);
		} else if (cv_str_trim(line).n == 0) {
			flush(t, &b);
			cv_term_nl(t);
		} else if (line.p[0] == '#') {
			flush(t, &b);
			if (!heading(t, line))
				add_line(t, &b, line);
		} else {
			add_line(t, &b, line);
		}
	}
	flush(t, &b);
}
