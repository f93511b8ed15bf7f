/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clean-up of pasted lines, in one place: terminals, loggers and forums all add to what a program wrote.
 *
 *	ESC [ ... letter, ESC ] ... BEL     colours, titles
 *	text CR text                        a progress bar: the last part stands
 *	BS                                  takes a character back
 *	"> "                                a quote, also nested; ">>>" is Python's prompt and stays
 *	"name-1  | "                        docker compose
 *	"2024-03-11T10:02:18.114901Z "      kubectl, CI
 */
#include "parse/txt.h"

static struct cv_str skip_escape(struct cv_str s)
{
	size_t i = 1;

	if (s.n < 2)
		return cv_str_from(s, 1);
	if (s.p[1] == ']') {
		while (i < s.n && s.p[i] != '\a' && s.p[i] != 0x1b)
			i++;
		return cv_str_from(s, i + 1);
	}
	if (s.p[1] != '[')
		return cv_str_from(s, 2);
	for (i = 2; i < s.n && ((unsigned char)s.p[i] < 0x40 || (unsigned char)s.p[i] > 0x7e); i++)
		;
	return cv_str_from(s, i + 1);
}

static bool is_stamp_char(char c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == ':' || c == '.' || c == 'T' || c == 'Z' || c == '+';
}

/* "2024-03-11T10:02:18.114901Z " */
static struct cv_str skip_stamp(struct cv_str s)
{
	size_t n = 0;

	while (n < s.n && is_stamp_char(s.p[n]))
		n++;
	if (n < 20 || n >= s.n || s.p[n] != ' ' || s.p[4] != '-' || s.p[10] != 'T')
		return s;
	return cv_str_from(s, n + 1);
}

static struct cv_str skip_quotes(struct cv_str s)
{
	while (cv_str_starts(s, "> ") || (cv_str_starts(s, ">") && s.n > 1 && s.p[1] != '>' && s.p[1] != ' '))
		s = cv_str_from(s, s.p[1] == ' ' ? 2 : 1);
	return s;
}

/* "web-1  | text": a short name, blanks, a bar. */
static struct cv_str skip_compose(struct cv_str s)
{
	size_t n = 0, end;

	while (n < s.n && n < 40 && s.p[n] != ' ' && s.p[n] != '|')
		n++;
	end = n;
	while (n < s.n && s.p[n] == ' ')
		n++;
	if (end < 3 || n == end || n + 1 >= s.n || s.p[n] != '|' || s.p[n + 1] != ' ' || s.p[end - 2] != '-')
		return s;
	return cv_str_from(s, n + 2);
}

struct cv_str cv_txt_clean(struct cv_str s, char *buf, size_t cap)
{
	size_t n = 0;

	while (cv_str_ends(s, "\r"))
		s.n--;
	while (s.n && n < cap) {
		unsigned char c = (unsigned char)s.p[0];

		if (c == 0x1b) {
			s = skip_escape(s);
			continue;
		}
		if (c == '\r')
			n = 0;
		else if (c == '\b')
			n -= n > 0;
		else if (c >= 0x20 || c == '\t')
			buf[n++] = s.p[0];
		s = cv_str_from(s, 1);
	}
	s = skip_stamp(skip_compose((struct cv_str){ buf, n }));
	return skip_quotes(s);
}
