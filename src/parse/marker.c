/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Markers, evaluated while they are parsed. As in the "packaging" library of 2026, values of the variables that are versions
 * are compared as versions where the right side makes a specifier; all else as strings, for which only equality is defined
 * ("<" is never true). Where the library would raise an error or its releases differ (a kernel release compared with a
 * version), the answer here is unknown. "extra" is compared in normalised form.
 */
#include "parse/requirement.h"

#include <ctype.h>
#include <stdio.h>

#include "base/version.h"

#define DEPTH 32
#define TEXT 128 /* longer operands are not compared */

struct marker {
	struct cv_str s;
	const struct cv_marker_env *env;
	unsigned depth;
	int err;
};

/* An operand: a literal, or a variable with its value. */
struct operand {
	struct cv_str text;
	bool known, is_extra, is_version;
};

static enum cv_marker or_expr(struct marker *m);

static enum cv_marker fail(struct marker *m, int err)
{
	if (!m->err)
		m->err = err;
	m->s.n = 0;
	return CV_MARKER_UNKNOWN;
}

static void skip_blanks(struct marker *m)
{
	while (m->s.n && isspace((unsigned char)m->s.p[0]))
		m->s = cv_str_from(m->s, 1);
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static struct cv_str peek_word(struct marker *m)
{
	size_t n = 0;

	skip_blanks(m);
	while (n < m->s.n && is_word_char(m->s.p[n]))
		n++;
	return cv_str_sub(m->s, 0, n);
}

static bool eat_word(struct marker *m, const char *word)
{
	struct cv_str got = peek_word(m);

	if (!cv_str_is(got, word))
		return false;
	m->s = cv_str_from(m->s, got.n);
	return true;
}

static struct operand variable(const struct cv_marker_env *e, struct cv_str name)
{
	const struct {
		const char *name, *old, *value;
	} table[] = {
		{ "python_version", NULL, e->python_version },
		{ "python_full_version", NULL, e->python_full_version },
		{ "os_name", "os.name", e->os_name },
		{ "sys_platform", "sys.platform", e->sys_platform },
		{ "platform_system", NULL, e->platform_system },
		{ "platform_machine", "platform.machine", e->platform_machine },
		{ "platform_release", NULL, e->platform_release },
		{ "platform_version", "platform.version", e->platform_version },
		{ "platform_python_implementation", "platform.python_implementation", e->platform_python_implementation },
		{ "python_implementation", NULL, e->platform_python_implementation },
		{ "implementation_name", NULL, e->implementation_name },
		{ "implementation_version", NULL, e->implementation_version },
		{ "extra", NULL, e->extra },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (!cv_str_is(name, table[i].name) && !(table[i].old && cv_str_is(name, table[i].old)))
			continue;
		return (struct operand){ .text = cv_str_of(table[i].value ? table[i].value : ""),
					 .known = table[i].value != NULL,
					 .is_extra = cv_str_is(name, "extra"),
					 .is_version = (cv_str_ends(name, "_version") && !cv_str_is(name, "platform_version")) ||
						       cv_str_is(name, "platform_release") };
	}
	return (struct operand){ .text = { "", 0 } };
}

static struct operand take_operand(struct marker *m)
{
	struct cv_str word;

	skip_blanks(m);
	if (m->s.n && (m->s.p[0] == '"' || m->s.p[0] == '\'')) {
		char quote = m->s.p[0];
		ptrdiff_t end;

		m->s = cv_str_from(m->s, 1);
		end = cv_str_chr(m->s, quote);
		if (end < 0) {
			fail(m, CV_EFORMAT);
			return (struct operand){ .text = { "", 0 } };
		}
		word = cv_str_sub(m->s, 0, (size_t)end);
		m->s = cv_str_from(m->s, (size_t)end + 1);
		return (struct operand){ .text = word, .known = true };
	}
	word = peek_word(m);
	if (word.n == 0) {
		fail(m, CV_EFORMAT);
		return (struct operand){ .text = { "", 0 } };
	}
	m->s = cv_str_from(m->s, word.n);
	return variable(m->env, word);
}

enum op { OP_LT, OP_LE, OP_EQ, OP_NE, OP_GE, OP_GT, OP_COMPAT, OP_EXACT, OP_IN, OP_NOT_IN, OP_BAD };
static const char *const op_text[] = { "<", "<=", "==", "!=", ">=", ">", "~=", "===" };

static enum op take_op(struct marker *m)
{
	static const enum op order[] = { OP_EXACT, OP_LE, OP_EQ, OP_NE, OP_GE, OP_COMPAT, OP_LT, OP_GT };

	skip_blanks(m);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (cv_str_eat(&m->s, op_text[order[i]]))
			return order[i];
	if (eat_word(m, "in"))
		return OP_IN;
	if (eat_word(m, "not") && eat_word(m, "in"))
		return OP_NOT_IN;
	fail(m, CV_EFORMAT);
	return OP_BAD;
}

static bool contains(struct cv_str hay, struct cv_str needle)
{
	for (size_t i = 0; i + needle.n <= hay.n; i++)
		if (memcmp(hay.p + i, needle.p, needle.n) == 0)
			return true;
	return needle.n == 0;
}

static char fold(char c)
{
	return c == '_' || c == '.' ? '-' : (char)tolower((unsigned char)c);
}

/* PEP 503 form without memory: runs of separators count as one. */
static bool same_name(struct cv_str a, struct cv_str b)
{
	size_t i = 0, j = 0;

	while (i < a.n && j < b.n) {
		if (fold(a.p[i]) != fold(b.p[j]))
			return false;
		if (fold(a.p[i]) == '-') {
			while (i + 1 < a.n && fold(a.p[i + 1]) == '-')
				i++;
			while (j + 1 < b.n && fold(b.p[j + 1]) == '-')
				j++;
		}
		i++;
		j++;
	}
	return i == a.n && j == b.n;
}

static enum cv_marker of_bool(bool b)
{
	return b ? CV_MARKER_TRUE : CV_MARKER_FALSE;
}

/* 1, 0, or CV_EFORMAT where these are not versions. */
static int as_versions(struct cv_str left, enum op op, struct cv_str right)
{
	char spec[TEXT + 8], version[TEXT + 1];
	int n = snprintf(spec, sizeof(spec), "%s%.*s", op_text[op], (int)right.n, right.p);

	if (n < 0)
		return CV_EFORMAT;
	memcpy(version, left.p, left.n);
	version[left.n] = '\0';
	return cv_spec_match((struct cv_str){ spec, (size_t)n }, version);
}

/* Is the text a version for which a specifier could be written? */
static bool is_version(struct cv_str s)
{
	char text[TEXT + 1];

	if (cv_str_ends(s, ".*"))
		s.n -= 2;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	return cv_ver_valid(CV_VER_PEP440, text);
}

static enum cv_marker as_strings(struct cv_str left, enum op op, struct cv_str right)
{
	bool same = cv_str_eq(left, right);

	switch (op) {
	case OP_LT:
	case OP_GT:
		return CV_MARKER_FALSE;
	case OP_LE:
	case OP_EQ:
	case OP_EXACT:
	case OP_GE:
		return of_bool(same);
	case OP_NE:
		return of_bool(!same);
	default:
		return CV_MARKER_UNKNOWN;
	}
}

static enum cv_marker evaluate(struct operand left, enum op op, struct operand right)
{
	int r;

	if (!left.known || !right.known || left.text.n > TEXT || right.text.n > TEXT)
		return CV_MARKER_UNKNOWN;
	if (op == OP_IN || op == OP_NOT_IN)
		return of_bool(contains(right.text, left.text) == (op == OP_IN));
	if (left.is_extra || right.is_extra) {
		if (op == OP_EQ || op == OP_NE)
			return of_bool(same_name(left.text, right.text) == (op == OP_EQ));
		return as_strings(left.text, op, right.text);
	}
	if ((!left.is_version && !right.is_version) || !is_version(right.text))
		return as_strings(left.text, op, right.text);
	r = as_versions(left.text, op, right.text);
	return r < 0 ? CV_MARKER_UNKNOWN : of_bool(r > 0);
}

static enum cv_marker atom(struct marker *m)
{
	struct operand left, right;
	enum cv_marker v;
	enum op op;

	skip_blanks(m);
	if (!cv_str_eat(&m->s, "(")) {
		left = take_operand(m);
		op = take_op(m);
		right = take_operand(m);
		return m->err ? CV_MARKER_UNKNOWN : evaluate(left, op, right);
	}
	if (++m->depth > DEPTH)
		return fail(m, CV_ELIMIT);
	v = or_expr(m);
	m->depth--;
	skip_blanks(m);
	return cv_str_eat(&m->s, ")") ? v : fail(m, CV_EFORMAT);
}

static enum cv_marker and_expr(struct marker *m)
{
	enum cv_marker v = atom(m);

	while (!m->err && eat_word(m, "and")) {
		enum cv_marker w = atom(m);

		if (v == CV_MARKER_FALSE || w == CV_MARKER_FALSE)
			v = CV_MARKER_FALSE;
		else if (v == CV_MARKER_UNKNOWN || w == CV_MARKER_UNKNOWN)
			v = CV_MARKER_UNKNOWN;
	}
	return v;
}

static enum cv_marker or_expr(struct marker *m)
{
	enum cv_marker v = and_expr(m);

	while (!m->err && eat_word(m, "or")) {
		enum cv_marker w = and_expr(m);

		if (v == CV_MARKER_TRUE || w == CV_MARKER_TRUE)
			v = CV_MARKER_TRUE;
		else if (v == CV_MARKER_UNKNOWN || w == CV_MARKER_UNKNOWN)
			v = CV_MARKER_UNKNOWN;
	}
	return v;
}

int cv_marker_eval(struct cv_str marker, const struct cv_marker_env *env, enum cv_marker *ret)
{
	struct marker m = { .s = cv_str_trim(marker), .env = env };
	enum cv_marker v;

	if (m.s.n == 0) {
		*ret = CV_MARKER_TRUE;
		return 0;
	}
	v = or_expr(&m);
	skip_blanks(&m);
	if (!m.err && m.s.n)
		m.err = CV_EFORMAT;
	if (m.err)
		return m.err;
	*ret = v;
	return 0;
}
