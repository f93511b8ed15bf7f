/* SPDX-License-Identifier: Apache-2.0 */
/*
 * os-release(5). Values may be bare, in single quotes (nothing is special) or in double quotes (a backslash quotes the next of
 * $ ` " \). A value whose quotes do not close is no assignment. Seen in the wild and accepted: CRLF ends, blanks behind a value.
 */
#include "parse/osrelease.h"

#include "cuvet/err.h"

static bool is_name(struct cv_str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!(c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (i > 0 && c >= '0' && c <= '9')))
			return false;
	}
	return s.n > 0;
}

/* Undoes the quoting of s into out, which has room for s.n + 1 bytes. False where the quotes do not close. */
static bool unquote(struct cv_str s, char *out)
{
	char quote = '\0';
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '\\' && quote != '\'') {
			if (++i == s.n)
				return false;
			/* Within double quotes the shell keeps a backslash before any other character. */
			if (quote == '"' && !strchr("$`\"\\", s.p[i]))
				out[n++] = '\\';
			out[n++] = s.p[i];
		} else if (c == quote && quote) {
			quote = '\0';
		} else if (!quote && (c == '"' || c == '\'')) {
			quote = c;
		} else {
			out[n++] = c;
		}
	}
	out[n] = '\0';
	return quote == '\0';
}

int cv_osrelease_parse(struct cv_str text, struct cv_arena *a, struct cv_osrelease *ret)
{
	struct cv_osrelease got = { 0 };
	const struct {
		const char *key;
		struct cv_osrelease_item *item;
	} keys[] = { { "ID", &got.id }, { "VERSION_ID", &got.version_id }, { "PRETTY_NAME", &got.pretty_name } };
	struct cv_str rest = text;
	struct cv_str line;
	unsigned line_no = 0;
	bool any = false;

	while (cv_str_line(&rest, &line, &line_no)) {
		struct cv_str s = cv_str_trim(line);
		ptrdiff_t eq = cv_str_chr(s, '=');
		struct cv_str name;
		char *value;

		if (eq <= 0 || s.p[0] == '#')
			continue;
		name = cv_str_sub(s, 0, (size_t)eq);
		s = cv_str_from(s, (size_t)eq + 1);
		value = cv_arena_alloc(a, s.n + 1);
		if (!value)
			return CV_ENOMEM;
		if (!is_name(name) || !unquote(s, value))
			continue;
		any = true;
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (cv_str_is(name, keys[i].key))
				*keys[i].item = (struct cv_osrelease_item){ value, line_no };
	}
	if (!any)
		return CV_EFORMAT;
	*ret = got;
	return 0;
}
