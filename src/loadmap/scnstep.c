/* SPDX-License-Identifier: Apache-2.0 */
/* Reading one line of a scenario. */
#include "loadmap/scenario.h"

#include "base/str.h"

static const struct {
	const char *word;
	enum cv_scn_op op;
	bool has_flags, has_by;
	size_t least, most; /* arguments */
} ops[] = {
	{ "module", CV_SCN_MODULE, false, false, 1, 1 },
	{ "cdll", CV_SCN_CDLL, true, false, 1, 1 },
	{ "find", CV_SCN_FIND, true, false, 1, 16 },
	{ "dlopen", CV_SCN_DLOPEN, true, true, 1, 1 },
	{ "import", CV_SCN_IMPORT, false, false, 1, 1 },
	{ "call", CV_SCN_CALL, false, false, 1, 1 },
	{ "call?", CV_SCN_CALL_LOOSE, false, false, 1, 1 },
	{ "if-loaded", CV_SCN_IF_LOADED, false, false, 1, 1 },
	{ "if-exists", CV_SCN_IF_EXISTS, false, false, 1, 1 },
	{ "if-error", CV_SCN_IF_ERROR, false, false, 1, 64 },
	{ "goto", CV_SCN_GOTO, false, false, 1, 1 },
	{ "end", CV_SCN_END, false, false, 0, 0 },
};

static bool read_seq(struct cv_str s, unsigned after, unsigned *ret)
{
	uint64_t n;

	if (!cv_str_u64(s, &n) || n <= after || n > 9999)
		return false;
	*ret = (unsigned)n;
	return true;
}

static bool read_flags(struct cv_str s, unsigned *ret)
{
	struct cv_str part;
	bool bound = false;

	*ret = 0;
	while (cv_str_split(&s, ',', &part)) {
		if (cv_str_is(part, "now") || cv_str_is(part, "lazy"))
			bound = true;
		else if (!cv_str_is(part, "global"))
			return false;
		*ret |= cv_str_is(part, "now") ? CV_LM_NOW : cv_str_is(part, "global") ? CV_LM_GLOBAL : 0;
	}
	return bound;
}

static bool read_else(struct cv_str s, struct cv_scn_step *st)
{
	s = cv_str_trim(s);
	if (cv_str_is(s, "fail"))
		st->otherwise = CV_SCN_ELSE_FAIL;
	else if (cv_str_is(s, "next"))
		st->otherwise = CV_SCN_ELSE_NEXT;
	else if (cv_str_is(s, "end"))
		st->otherwise = CV_SCN_ELSE_END;
	else if (read_seq(s, st->seq, &st->to))
		st->otherwise = CV_SCN_ELSE_SEQ;
	else
		return false;
	return true;
}

static const char *read_words(struct cv_str s, struct cv_arena *a, struct cv_scn_step *st)
{
	struct cv_str word;
	size_t k = 0;

	if (!cv_str_word(&s, &word))
		return "no words";
	while (k < sizeof(ops) / sizeof(ops[0]) && !cv_str_is(word, ops[k].word))
		k++;
	if (k == sizeof(ops) / sizeof(ops[0]))
		return "unknown operation";
	st->op = ops[k].op;
	if (ops[k].has_flags && (!cv_str_word(&s, &word) || !read_flags(word, &st->flags)))
		return "flags are now or lazy, and global";
	if (ops[k].has_by) {
		if (!cv_str_word(&s, &word))
			return "no caller";
		st->by = cv_str_dup(a, word);
	}
	while (cv_str_word(&s, &word))
		cv_strv_push(a, &st->args, cv_str_dup(a, word));
	if (st->args.n < ops[k].least || st->args.n > ops[k].most)
		return "wrong number of words";
	if (st->op == CV_SCN_GOTO && !read_seq(cv_str_of(st->args.v[0]), st->seq, &st->to))
		return "steps only go forward";
	return NULL;
}

int cv_scn_parse(unsigned seq, const char *line, struct cv_arena *a, struct cv_diag *d, struct cv_scn_step *ret)
{
	struct cv_str s = cv_str_of(line);
	ptrdiff_t at = cv_str_find(s, " else ");
	struct cv_scn_step st = { .seq = seq, .text = cv_arena_strdup(a, line) };
	const char *wrong = NULL;

	if (at >= 0) {
		if (!read_else(cv_str_from(s, (size_t)at + 6), &st))
			wrong = "behind else stands fail, next, end or a step further down";
		s = cv_str_sub(s, 0, (size_t)at);
	}
	if (!wrong)
		wrong = read_words(s, a, &st);
	if (wrong)
		return cv_diag_fail(d, CV_EFORMAT, "step %u: \"%s\": %s", seq, line, wrong);
	if (cv_arena_failed(a))
		return CV_ENOMEM;
	*ret = st;
	return 0;
}
