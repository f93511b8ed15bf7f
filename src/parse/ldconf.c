/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/ldconf.h"

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct cv_str trim_left(struct cv_str s)
{
	while (s.n && is_blank(s.p[0]))
		s = cv_str_from(s, 1);
	return s;
}

static struct cv_str trim(struct cv_str s)
{
	s = trim_left(s);
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

/* Drops the word and the blank that must follow it. ldconfig takes "HWCAP" too, but not "Include". */
static bool eat_word(struct cv_str *s, const char *word, bool any_case)
{
	size_t n = strlen(word);

	if (s->n <= n || !is_blank(s->p[n]))
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = s->p[i];

		if (c != word[i] && !(any_case && c >= 'A' && c <= 'Z' && c - 'A' + 'a' == word[i]))
			return false;
	}
	*s = trim(cv_str_from(*s, n));
	return true;
}

/* A directory without what ldconfig does not take for part of it. */
static void take_dir(struct cv_str s, struct cv_ldconf_item *ret)
{
	ptrdiff_t eq = cv_str_chr(s, '=');

	if (eq >= 0)
		s = trim(cv_str_sub(s, 0, (size_t)eq));
	while (s.n && s.p[s.n - 1] == '/')
		s.n--;
	ret->kind = s.n && s.p[0] == '/' ? CV_LDCONF_DIR : CV_LDCONF_BAD;
	ret->text = s;
}

bool cv_ldconf_next(struct cv_ldconf *c, struct cv_ldconf_item *ret)
{
	struct cv_ldconf_item item = { .kind = CV_LDCONF_INCLUDE };
	struct cv_str s;

	while (!cv_str_word(&c->patterns, &item.text)) {
		ptrdiff_t hash;

		if (!cv_str_line(&c->rest, &s, &c->line))
			return false;
		hash = cv_str_chr(s, '#');
		s = trim_left(hash < 0 ? s : cv_str_sub(s, 0, (size_t)hash));
		if (s.n == 0)
			continue;
		item.line = c->line;
		if (eat_word(&s, "include", false)) {
			c->patterns = s;
			continue;
		}
		if (eat_word(&s, "hwcap", true)) {
			item.kind = CV_LDCONF_HWCAP;
			item.text = s;
		} else {
			take_dir(trim(s), &item);
		}
		*ret = item;
		return true;
	}
	item.line = c->line;
	*ret = item;
	return true;
}

const char *cv_ldconf_pattern(struct cv_arena *a, const char *conf, struct cv_str pattern)
{
	return cv_path_join(a, cv_dirname(a, conf), cv_str_dup(a, pattern));
}
