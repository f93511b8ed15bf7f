/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A logical line that is no such assignment is passed over with its strings, comments and brackets, so that text inside a
 * docstring is never taken for code. Escapes in strings: \\ \' \" \n \t \r and a line end; others are kept as written.
 */
#include "parse/pyassign.h"

#include <ctype.h>

#define DEPTH 16
#define NAMES 4096
#define ITEMS 65536

struct lexer {
	const char *p, *end;
	unsigned line, depth;
	size_t items;
	struct cv_arena *a;
	int err;
};

static bool literal(struct lexer *l, struct cv_pylit *ret);

static bool fail(struct lexer *l, int err)
{
	if (!l->err)
		l->err = err;
	return false;
}

static bool at(const struct lexer *l, char c)
{
	return l->p < l->end && *l->p == c;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Moves behind the string whose quote stands here; its contents are in *ret. False if it does not end. */
static bool raw_string(struct lexer *l, struct cv_str *ret)
{
	char q = *l->p;
	bool triple = l->end - l->p >= 3 && l->p[1] == q && l->p[2] == q;
	const char *start = l->p + (triple ? 3 : 1);

	for (l->p = start; l->p < l->end; l->p++) {
		if (*l->p == '\\' && l->p + 1 < l->end) {
			l->p++;
			l->line += *l->p == '\n';
		} else if (*l->p == '\n') {
			if (!triple)
				return false;
			l->line++;
		} else if (*l->p == q && (!triple || (l->end - l->p >= 3 && l->p[1] == q && l->p[2] == q))) {
			*ret = (struct cv_str){ start, (size_t)(l->p - start) };
			l->p += triple ? 3 : 1;
			return true;
		}
	}
	return false;
}

/* Blanks and comments; with lines true also line ends, as inside brackets. */
static void skip_space(struct lexer *l, bool lines)
{
	for (; l->p < l->end; l->p++) {
		if (*l->p == '#') {
			while (l->p < l->end && *l->p != '\n')
				l->p++;
			if (l->p == l->end)
				return;
		}
		if (*l->p == '\\' && l->end - l->p >= 2 && l->p[1] == '\n') {
			l->p++;
			l->line++;
		} else if (*l->p == '\n') {
			if (!lines)
				return;
			l->line++;
		} else if (*l->p != ' ' && *l->p != '\t' && *l->p != '\r' && *l->p != '\f') {
			return;
		}
	}
}

/* To the beginning of the next logical line. */
static void skip_logical_line(struct lexer *l)
{
	size_t brackets = 0;
	struct cv_str ignored;

	while (l->p < l->end) {
		char c = *l->p;

		if (c == '"' || c == '\'') {
			raw_string(l, &ignored);
			continue;
		}
		if (c == '#' || c == '\\') {
			const char *before = l->p;

			skip_space(l, false);
			if (l->p == before)
				l->p++;
			continue;
		}
		l->p++;
		if (c == '(' || c == '[' || c == '{')
			brackets++;
		else if ((c == ')' || c == ']' || c == '}') && brackets)
			brackets--;
		if (c == '\n') {
			l->line++;
			if (!brackets)
				return;
		}
	}
}

static struct cv_str take_word(struct lexer *l)
{
	const char *start = l->p;

	while (l->p < l->end && is_word(*l->p))
		l->p++;
	return (struct cv_str){ start, (size_t)(l->p - start) };
}

static char unescape(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	default:
		return c;
	}
}

/* Appends a string's contents to out (room is known to suffice); NULs are dropped. */
static size_t append_string(char *out, size_t n, struct cv_str s, bool raw)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '\\' && !raw && i + 1 < s.n) {
			char next = s.p[i + 1];

			if (memchr("\\'\"ntr", next, 6)) {
				c = unescape(next);
				i++;
			} else if (next == '\n') {
				i++;
				continue;
			}
		}
		if (c)
			out[n++] = c;
	}
	return n;
}

/* The letters before a quote; false if they are no prefix of a plain string (formatted strings are no literals). */
static bool string_prefix(struct cv_str word, bool *ret_raw)
{
	*ret_raw = false;
	if (word.n > 2)
		return false;
	for (size_t i = 0; i < word.n; i++) {
		char c = (char)tolower((unsigned char)word.p[i]);

		if (c == 'r')
			*ret_raw = true;
		else if (c != 'u' && c != 'b')
			return false;
	}
	return true;
}

static bool string(struct lexer *l, struct cv_str prefix, struct cv_pylit *ret)
{
	const char *behind;
	unsigned line;
	char *out = NULL;
	size_t n = 0, cap = 0;

	do {
		struct cv_str part;
		bool raw;

		if (!string_prefix(prefix, &raw) || !raw_string(l, &part))
			return false;
		if (n + part.n + 1 > cap) {
			size_t want = (n + part.n + 1) * 2;

			out = cv_arena_grow(l->a, out, n, want, 1);
			if (!out)
				return fail(l, CV_ENOMEM);
			cap = want;
		}
		n = append_string(out, n, part, raw);
		behind = l->p;
		line = l->line;
		skip_space(l, l->depth > 0);
		prefix = take_word(l);
	} while (at(l, '"') || at(l, '\''));
	l->p = behind;
	l->line = line;
	out[n] = '\0';
	*ret = (struct cv_pylit){ .kind = CV_PYLIT_STR, .text = out };
	return true;
}

static bool number(struct lexer *l, struct cv_pylit *ret)
{
	const char *start = l->p;

	if (at(l, '-') || at(l, '+'))
		l->p++;
	if (l->p == l->end || (!isdigit((unsigned char)*l->p) && *l->p != '.'))
		return false;
	while (l->p < l->end && (is_word(*l->p) || *l->p == '.'))
		l->p++;
	*ret = (struct cv_pylit){ .kind = CV_PYLIT_NUM, .text = cv_arena_memdup(l->a, start, (size_t)(l->p - start)) };
	return true;
}

static bool push(struct lexer *l, struct cv_pylit *list, struct cv_pylit item)
{
	struct cv_pylit *slot = CV_VEC_PUSH(l->a, &list->items);

	if (!slot)
		return fail(l, CV_ENOMEM);
	if (++l->items > ITEMS)
		return fail(l, CV_ELIMIT);
	*slot = item;
	return true;
}

/* The inside of brackets up to close: items, or pairs in braces. Behind the opening bracket. */
static bool items(struct lexer *l, char close, struct cv_pylit *ret)
{
	bool comma = false;

	*ret = (struct cv_pylit){ .kind = CV_PYLIT_LIST };
	for (;;) {
		struct cv_pylit item;

		skip_space(l, true);
		if (at(l, close)) {
			l->p++;
			break;
		}
		if (!literal(l, &item) || !push(l, ret, item))
			return false;
		skip_space(l, true);
		if (close == '}' && at(l, ':')) {
			l->p++;
			ret->kind = CV_PYLIT_DICT;
			if (!literal(l, &item) || !push(l, ret, item))
				return false;
			skip_space(l, true);
		}
		if (at(l, ','))
			comma = true;
		else if (!at(l, close))
			return false;
		l->p += at(l, ',');
	}
	if (ret->kind == CV_PYLIT_DICT && ret->items.n % 2)
		return false;
	if (close == '}' && ret->items.n == 0)
		ret->kind = CV_PYLIT_DICT;
	if (close == ')' && ret->items.n == 1 && !comma) {
		struct cv_pylit only = ret->items.v[0]; /* brackets around one thing are that thing */

		*ret = only;
	}
	return true;
}

/* Brackets of all kinds, one level deeper. At the opening bracket. */
static bool bracketed(struct lexer *l, struct cv_pylit *ret)
{
	char close = *l->p == '(' ? ')' : *l->p == '[' ? ']' : '}';
	bool ok;

	if (++l->depth > DEPTH)
		return fail(l, CV_ELIMIT);
	l->p++;
	ok = items(l, close, ret);
	l->depth--;
	return ok;
}

/* A name: a constant, the prefix of a string, or the name of a call. */
static bool named(struct lexer *l, struct cv_pylit *ret)
{
	struct cv_str word = take_word(l);

	if (at(l, '"') || at(l, '\''))
		return string(l, word, ret);
	if (cv_str_is(word, "None")) {
		*ret = (struct cv_pylit){ .kind = CV_PYLIT_NONE };
		return true;
	}
	if (cv_str_is(word, "True") || cv_str_is(word, "False")) {
		*ret = (struct cv_pylit){ .kind = CV_PYLIT_BOOL, .truth = cv_str_is(word, "True") };
		return true;
	}
	while (at(l, '.')) {
		l->p++;
		take_word(l);
	}
	return at(l, '(') && bracketed(l, ret);
}

static bool literal(struct lexer *l, struct cv_pylit *ret)
{
	skip_space(l, l->depth > 0);
	if (l->p == l->end)
		return false;
	if (*l->p == '(' || *l->p == '[' || *l->p == '{')
		return bracketed(l, ret);
	if (*l->p == '"' || *l->p == '\'')
		return string(l, (struct cv_str){ "", 0 }, ret);
	if (isdigit((unsigned char)*l->p) || *l->p == '-' || *l->p == '+' || *l->p == '.')
		return number(l, ret);
	return is_word(*l->p) && named(l, ret);
}

/* Behind ':' of an annotation: to its '='. False if the logical line ends before. */
static bool skip_annotation(struct lexer *l)
{
	size_t brackets = 0;
	struct cv_str ignored;

	while (l->p < l->end) {
		char c = *l->p;

		if (c == '"' || c == '\'') {
			if (!raw_string(l, &ignored))
				return false;
			continue;
		}
		if (c == '\n' || c == '#' || (c == '=' && !brackets))
			return c == '=';
		if (c == '(' || c == '[' || c == '{')
			brackets++;
		else if ((c == ')' || c == ']' || c == '}') && brackets)
			brackets--;
		l->p++;
	}
	return false;
}

static bool ends_here(struct lexer *l)
{
	skip_space(l, false);
	return l->p == l->end || *l->p == '\n' || *l->p == ';';
}

/* One statement at the beginning of a line. */
static bool statement(struct lexer *l, struct cv_pyassign *out)
{
	unsigned line = l->line;
	struct cv_str name = take_word(l);
	struct cv_pylit value;
	struct cv_pyname *slot;
	struct lexer before;

	skip_space(l, false);
	if (name.n == 0)
		return true;
	if (at(l, ':')) {
		l->p++;
		if (!skip_annotation(l))
			return true;
	}
	if (!at(l, '=') || (l->end - l->p > 1 && l->p[1] == '='))
		return true;
	l->p++;
	before = *l;
	if (!literal(l, &value) || !ends_here(l)) {
		if (l->err)
			return false;
		l->p = before.p; /* the caller passes over it as a whole */
		l->line = before.line;
		value = (struct cv_pylit){ .kind = CV_PYLIT_OTHER };
	}
	slot = CV_VEC_PUSH(l->a, &out->all);
	if (!slot)
		return fail(l, CV_ENOMEM);
	if (out->all.n > NAMES)
		return fail(l, CV_ELIMIT);
	*slot = (struct cv_pyname){ .name = name, .line = line, .value = value };
	return true;
}

int cv_pyassign_parse(struct cv_str text, struct cv_arena *a, struct cv_pyassign *ret)
{
	struct lexer l = { .p = text.p, .end = text.p + text.n, .line = 1, .a = a };
	struct cv_pyassign out = { 0 };

	if (text.n > CV_PYASSIGN_MAX)
		return CV_ELIMIT;
	while (l.p < l.end) {
		const char *before = l.p;

		l.depth = 0;
		if (is_word(*l.p) && !statement(&l, &out))
			return l.err;
		if (l.err)
			return l.err;
		skip_logical_line(&l);
		if (l.p == before)
			break;
	}
	*ret = out;
	return 0;
}

const struct cv_pyname *cv_pyassign_get(const struct cv_pyassign *p, const char *name)
{
	for (size_t i = p->all.n; i > 0; i--)
		if (cv_str_is(p->all.v[i - 1].name, name))
			return &p->all.v[i - 1];
	return NULL;
}

static bool is_text(const struct cv_pylit *v, const char *s)
{
	return v->kind == CV_PYLIT_STR && cv_streq(v->text, s);
}

const struct cv_pylit *cv_pylit_get(const struct cv_pylit *v, const char *key)
{
	if (v->kind == CV_PYLIT_DICT) {
		for (size_t i = 0; i + 1 < v->items.n; i += 2)
			if (is_text(&v->items.v[i], key))
				return &v->items.v[i + 1];
	} else if (v->kind == CV_PYLIT_LIST) {
		for (size_t i = 0; i < v->items.n; i++) {
			const struct cv_pylit *pair = &v->items.v[i];

			if (pair->kind == CV_PYLIT_LIST && pair->items.n == 2 && is_text(&pair->items.v[0], key))
				return &pair->items.v[1];
		}
	}
	return NULL;
}
