/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages: one pass of the filter over the text, then the pattern (PCRE2, compiled when its literal is first met) on the one
 * line. Patterns come from kb, texts from anybody: match and depth limits bound both.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/gram.h"
#include "explain/room.h"

#define HITS_MAX 4000
#define HITS_PER_MESSAGE 24
#define TRIES_MAX 200000 /* pattern runs of one message; a log that repeats it further tells nothing new */
#define TEXT_MAX 1000
#define MATCH_LIMIT 20000
#define BEFORE_MAX 2000 /* bytes of a line before and behind the literal that a pattern gets to see */
#define AFTER_MAX 6000

struct message {
	const char *id, *pattern;
	pcre2_code *code;
	bool bad; /* does not compile */
	size_t hits;
	unsigned tries;
};

struct cv_scan {
	struct cv_arena *a;
	CV_VEC(struct message) messages;
	CV_VEC(struct cv_str) literals;
	CV_VEC(struct cv_hit) hits;
	struct cv_gram *gram;
	pcre2_match_data *data;
	pcre2_match_context *limits;
	/* the piece being scanned */
	const char *file, *buf;
	size_t n, line_at; /* line_at: offset up to which lines are counted */
	unsigned first, line;
};

static int add_message(struct cv_scan *s, const struct cv_kb *kb, const struct cv_kb_row *row)
{
	const char *literal = cv_kb_value(kb, row->subject, NULL, "literal");
	struct cv_str *slot;
	struct message *m;
	struct cv_str text = literal ? cv_str_of(literal) : cv_pattern_literal(s->a, row->value);

	if (text.n < CV_GRAM_MIN)
		return 0; /* the build refuses such a row; an overlay's is passed over */
	m = CV_VEC_PUSH(s->a, &s->messages);
	slot = CV_VEC_PUSH(s->a, &s->literals);
	if (!m || !slot)
		return CV_ENOMEM;
	*m = (struct message){ .id = row->subject + strlen("message:"), .pattern = row->value };
	*slot = text;
	return 0;
}

int cv_scan_new(const struct cv_kb *kb, struct cv_arena *a, struct cv_scan **ret)
{
	struct cv_scan *s = CV_NEW(a, struct cv_scan);
	struct cv_kb_iter it = cv_kb_iter(kb, "message:*", NULL, "pattern");
	struct cv_kb_row row;
	int err = 0;

	if (!s)
		return CV_ENOMEM;
	s->a = a;
	while (!err && cv_kb_next(&it, &row))
		err = add_message(s, kb, &row);
	if (!err)
		err = cv_gram_new(a, s->literals.v, s->literals.n, &s->gram);
	if (err)
		return err;
	s->data = pcre2_match_data_create(32, NULL);
	s->limits = pcre2_match_context_create(NULL);
	if (!s->data || !s->limits) {
		cv_scan_free(s);
		return CV_ENOMEM;
	}
	pcre2_set_match_limit(s->limits, MATCH_LIMIT);
	pcre2_set_depth_limit(s->limits, MATCH_LIMIT);
	*ret = s;
	return 0;
}

void cv_scan_free(struct cv_scan *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->messages.n; i++)
		pcre2_code_free(s->messages.v[i].code);
	pcre2_match_data_free(s->data);
	pcre2_match_context_free(s->limits);
}

static pcre2_code *code_of(struct message *m)
{
	int err;
	PCRE2_SIZE at;

	if (m->code || m->bad)
		return m->code;
	m->code = pcre2_compile((PCRE2_SPTR)m->pattern, PCRE2_ZERO_TERMINATED, PCRE2_NEVER_UTF, &err, &at, NULL);
	m->bad = !m->code;
	if (m->code)
		(void)pcre2_jit_compile(m->code, PCRE2_JIT_COMPLETE); /* where it cannot, the interpreter serves */
	return m->code;
}

/* Named groups that took part, as NAME=VALUE in the order of the names. */
static void read_captures(const struct cv_scan *s, const pcre2_code *code, const char *line, struct cv_strv *ret)
{
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(s->data);
	uint32_t n = 0, size = 0;
	PCRE2_SPTR table = NULL;

	pcre2_pattern_info(code, PCRE2_INFO_NAMECOUNT, &n);
	if (!n)
		return;
	pcre2_pattern_info(code, PCRE2_INFO_NAMEENTRYSIZE, &size);
	pcre2_pattern_info(code, PCRE2_INFO_NAMETABLE, &table);
	for (uint32_t i = 0; i < n; i++, table += size) {
		size_t group = (size_t)table[0] << 8 | table[1], from, len;

		if (group >= pcre2_get_ovector_count(s->data) || at[2 * group] == PCRE2_UNSET)
			continue;
		from = at[2 * group];
		len = at[2 * group + 1] - from;
		if (len)
			cv_strv_push(s->a, ret, cv_arena_printf(s->a, "%s=%.*s", (const char *)table + 2, (int)(len > 300 ? 300 : len), line + from));
	}
}

static bool same_captures(const struct cv_strv *a, const struct cv_strv *b)
{
	for (size_t i = 0; i < a->n && a->n == b->n; i++)
		if (!cv_streq(a->v[i], b->v[i]))
			return false;
	return a->n == b->n;
}

static void add_hit(struct cv_scan *s, size_t which, struct cv_str line, const pcre2_code *code)
{
	struct cv_strv captures = { 0 };
	struct cv_hit *h;

	read_captures(s, code, line.p, &captures);
	for (size_t i = 0; i < s->hits.n; i++)
		if (s->hits.v[i].message == which && cv_streq(s->hits.v[i].file, s->file) && same_captures(&s->hits.v[i].captures, &captures)) {
			s->hits.v[i].count += s->hits.v[i].line != s->line;
			return;
		}
	if (s->messages.v[which].hits >= HITS_PER_MESSAGE || s->hits.n >= HITS_MAX || !(h = CV_VEC_PUSH(s->a, &s->hits)))
		return;
	s->messages.v[which].hits++;
	line = cv_str_trim(line);
	*h = (struct cv_hit){ .message = which, .file = s->file, .line = s->line, .captures = captures, .count = 1 };
	h->text = cv_str_dup(s->a, cv_str_sub(line, 0, TEXT_MAX));
}

static void count_lines(struct cv_scan *s, size_t to)
{
	for (; s->line_at < to; s->line_at++)
		s->line += s->buf[s->line_at] == '\n';
}

static void on_literal(void *cookie, size_t which, size_t pos)
{
	struct cv_scan *s = cookie;
	struct message *m = &s->messages.v[which];
	const char *start = s->buf + pos, *end;
	pcre2_code *code;

	if (m->tries >= TRIES_MAX || !(code = code_of(m)))
		return;
	m->tries++;
	while (start > s->buf && start[-1] != '\n' && pos - (size_t)(start - s->buf) < BEFORE_MAX)
		start--;
	end = memchr(s->buf + pos, '\n', s->n - pos < AFTER_MAX ? s->n - pos : AFTER_MAX);
	if (!end)
		end = s->buf + (s->n - pos < AFTER_MAX ? s->n : pos + AFTER_MAX);
	if (pcre2_match(code, (PCRE2_SPTR)start, (size_t)(end - start), 0, 0, s->data, s->limits) < 0)
		return;
	if ((size_t)(start - s->buf) < s->line_at) { /* the second pass of the filter begins anew */
		s->line_at = 0;
		s->line = s->first;
	}
	count_lines(s, (size_t)(start - s->buf));
	add_hit(s, which, (struct cv_str){ start, (size_t)(end - start) }, code);
}

int cv_scan_lines(struct cv_scan *s, const char *file, const char *buf, size_t n, unsigned first)
{
	s->file = file;
	s->buf = buf;
	s->n = n;
	s->line = s->first = first;
	s->line_at = 0;
	cv_gram_scan(s->gram, buf, n, on_literal, s);
	return cv_arena_failed(s->a) ? CV_ENOMEM : 0;
}

size_t cv_scan_hits(const struct cv_scan *s, const struct cv_hit **ret)
{
	*ret = s->hits.v;
	return s->hits.n;
}

const char *cv_scan_id(const struct cv_scan *s, size_t message)
{
	return s->messages.v[message].id;
}
