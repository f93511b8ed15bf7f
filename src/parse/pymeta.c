/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The format is that of Python's email.feedparser in its default policy: a header is a name of printable ASCII without blanks
 * or colon, then a colon; a line that begins with a blank continues the one before; an empty line ends the headers. Old
 * setuptools fold the whole description into a header: its value is kept like any other, within the limit.
 */
#include "parse/pymeta.h"

#include <ctype.h>

#define CHUNK ((size_t)8192)

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Length of the header name at the start of line, or -1 if it is no header. */
static ptrdiff_t name_length(struct cv_str line)
{
	size_t n = 0;

	while (n < line.n && line.p[n] > ' ' && line.p[n] < 0x7f && line.p[n] != ':')
		n++;
	return n > 0 && n < line.n && line.p[n] == ':' ? (ptrdiff_t)n : -1;
}

/* Joins the lines of a folded value with single spaces. A NUL would cut the text short: it is taken out. */
static const char *unfold(struct cv_arena *a, struct cv_str raw)
{
	char *out = cv_arena_alloc(a, raw.n + 1);
	struct cv_str line;
	size_t n = 0;

	if (!out)
		return "";
	while (cv_str_line(&raw, &line, NULL)) {
		line = cv_str_trim(line);
		if (line.n == 0)
			continue;
		if (n)
			out[n++] = ' ';
		for (size_t i = 0; i < line.n; i++)
			if (line.p[i])
				out[n++] = line.p[i];
	}
	out[n] = '\0';
	return out;
}

/* The offset behind the empty line that ends the headers, or 0 if text has none. */
static size_t headers_end(struct cv_str text, size_t from)
{
	size_t at = from > 2 ? from - 2 : 0; /* the line end before it can be in the part that was searched already */

	while (at < text.n) {
		const char *nl = memchr(text.p + at, '\n', text.n - at);

		if (!nl)
			return 0;
		at = (size_t)(nl - text.p) + 1;
		if (at < text.n && text.p[at] == '\n')
			return at + 1;
		if (at + 1 < text.n && text.p[at] == '\r' && text.p[at + 1] == '\n')
			return at + 2;
	}
	return 0;
}

/* Reads as much of the beginning as the headers take, chunk by chunk. */
static int read_headers(struct cv_src *s, struct cv_arena *a, struct cv_str *ret)
{
	char *p = NULL;
	size_t have = 0, cap = 0;

	for (;;) {
		size_t want = s->size - have > CHUNK ? CHUNK : (size_t)(s->size - have);
		size_t end;
		int r;

		if (want == 0)
			break;
		if (have + want > CV_PYMETA_MAX)
			return CV_ELIMIT;
		if (have + want > cap) {
			cap = cap ? cap * 2 : CHUNK;
			p = cv_arena_grow(a, p, have, cap, 1);
			if (!p)
				return CV_ENOMEM;
		}
		r = cv_src_read(s, have, p + have, want);
		if (r < 0)
			return r;
		have += want;
		end = headers_end((struct cv_str){ p, have }, have - want);
		if (end) {
			have = end;
			break;
		}
	}
	*ret = (struct cv_str){ p ? p : "", have };
	return 0;
}

int cv_pyheads_read(struct cv_src *s, struct cv_arena *a, struct cv_pyheads *ret)
{
	struct cv_pyheads heads = { 0 };
	struct cv_str text, rest, line;
	unsigned line_no = 0;
	int r = read_headers(s, a, &text);

	if (r < 0)
		return r;
	rest = text;
	while (cv_str_line(&rest, &line, &line_no)) {
		ptrdiff_t name = name_length(line);
		struct cv_pyhead *head;
		struct cv_str raw;

		if (line.n == 0)
			break;
		if (name < 0) {
			heads.bad_line = line_no;
			break;
		}
		head = CV_VEC_PUSH(a, &heads.all);
		if (!head)
			return CV_ENOMEM;
		head->name = cv_str_sub(line, 0, (size_t)name);
		head->line = line_no;
		raw = cv_str_from(line, (size_t)name + 1);
		while (rest.n && is_blank(rest.p[0]) && cv_str_line(&rest, &line, &line_no))
			raw.n = (size_t)(line.p + line.n - raw.p);
		head->value = unfold(a, raw);
	}
	*ret = heads;
	return 0;
}

static bool same_name(struct cv_str a, const char *b)
{
	if (a.n != strlen(b))
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (tolower((unsigned char)a.p[i]) != tolower((unsigned char)b[i]))
			return false;
	return true;
}

const struct cv_pyhead *cv_pyheads_next(const struct cv_pyheads *h, const char *name, size_t *at)
{
	while (*at < h->all.n) {
		const struct cv_pyhead *head = &h->all.v[(*at)++];

		if (same_name(head->name, name))
			return head;
	}
	return NULL;
}

const struct cv_pyhead *cv_pyheads_get(const struct cv_pyheads *h, const char *name)
{
	size_t at = 0;

	return cv_pyheads_next(h, name, &at);
}
