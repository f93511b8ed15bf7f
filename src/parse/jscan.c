/* SPDX-License-Identifier: Apache-2.0 */
/* RFC 8259. Between tokens the scanner knows only what it may meet next; the kind of each open bracket is kept in a bit. */
#include "parse/jscan.h"

#include <string.h>

#define CHUNK ((size_t)32768)

int cv_jscan_init(struct cv_jscan *j, struct cv_src *s, struct cv_arena *a)
{
	*j = (struct cv_jscan){ .src = s, .buf = cv_arena_alloc(a, CHUNK), .text = cv_arena_alloc(a, CV_JSCAN_TEXT + 8) };
	j->want = CV_J_WANT_VALUE;
	return j->buf && j->text ? 0 : CV_ENOMEM;
}

uint64_t cv_jscan_offset(const struct cv_jscan *j)
{
	return j->off - (j->have - j->at);
}

static int fail(struct cv_jscan *j, int err)
{
	if (!j->err)
		j->err = err;
	return j->err;
}

/* The next byte without taking it, or -1 at the end or on an error. */
static int peek(struct cv_jscan *j)
{
	size_t want = CHUNK;
	int r;

	if (j->at < j->have)
		return (unsigned char)j->buf[j->at];
	if (j->err)
		return -1;
	if (want > j->src->size - j->off)
		want = (size_t)(j->src->size - j->off);
	if (want == 0)
		return -1;
	r = cv_src_read(j->src, j->off, j->buf, want);
	if (r < 0) {
		fail(j, r);
		return -1;
	}
	j->off += want;
	j->at = 0;
	j->have = want;
	return (unsigned char)j->buf[0];
}

static int take(struct cv_jscan *j)
{
	int c = peek(j);

	j->at += c >= 0;
	return c;
}

static int skip_space(struct cv_jscan *j)
{
	int c;

	while ((c = peek(j)) == ' ' || c == '\t' || c == '\n' || c == '\r')
		j->at++;
	return c;
}

static void put(struct cv_jscan *j, unsigned c)
{
	if (j->text_n >= CV_JSCAN_TEXT)
		j->cut = true;
	else if (c)
		j->text[j->text_n++] = (char)c;
}

static void put_utf8(struct cv_jscan *j, unsigned c)
{
	if (c < 0x80) {
		put(j, c);
	} else if (c < 0x800) {
		put(j, 0xc0 | c >> 6);
		put(j, 0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		put(j, 0xe0 | c >> 12);
		put(j, 0x80 | (c >> 6 & 0x3f));
		put(j, 0x80 | (c & 0x3f));
	} else {
		put(j, 0xf0 | c >> 18);
		put(j, 0x80 | (c >> 12 & 0x3f));
		put(j, 0x80 | (c >> 6 & 0x3f));
		put(j, 0x80 | (c & 0x3f));
	}
}

static int hex4(struct cv_jscan *j, unsigned *ret)
{
	unsigned v = 0;

	for (int i = 0; i < 4; i++) {
		int c = take(j);
		unsigned d;

		if (c >= '0' && c <= '9')
			d = (unsigned)c - '0';
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			d = ((unsigned)c | 0x20) - 'a' + 10;
		else
			return fail(j, CV_EFORMAT);
		v = v << 4 | d;
	}
	*ret = v;
	return 0;
}

/* Behind "\u". Half of a pair that stands alone becomes U+FFFD. */
static int unicode_escape(struct cv_jscan *j)
{
	unsigned hi, lo;
	int r = hex4(j, &hi);

	if (r < 0)
		return r;
	if (hi >= 0xd800 && hi < 0xdc00 && peek(j) == '\\') {
		take(j);
		if (take(j) != 'u')
			return fail(j, CV_EFORMAT);
		r = hex4(j, &lo);
		if (r < 0)
			return r;
		hi = lo >= 0xdc00 && lo < 0xe000 ? 0x10000 + ((hi - 0xd800) << 10) + (lo - 0xdc00) : 0xfffd;
	}
	put_utf8(j, hi >= 0xd800 && hi < 0xe000 ? 0xfffd : hi);
	return 0;
}

static int escape(struct cv_jscan *j)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	int c = take(j);
	const char *p;

	if (c == 'u')
		return unicode_escape(j);
	p = c > 0 ? strchr(from, c) : NULL;
	if (!p)
		return fail(j, CV_EFORMAT);
	put(j, (unsigned char)to[p - from]);
	return 0;
}

/* The plain characters that come next in the buffer, at once. */
static void take_run(struct cv_jscan *j)
{
	const char *p = j->buf + j->at;
	size_t n = 0, room = CV_JSCAN_TEXT - j->text_n, keep;

	while (n < j->have - j->at && p[n] != '"' && p[n] != '\\' && (unsigned char)p[n] >= 0x20)
		n++;
	keep = n < room ? n : room;
	memcpy(j->text + j->text_n, p, keep);
	j->text_n += keep;
	j->cut |= keep < n;
	j->at += n;
}

/* Behind the opening quote. */
static int string(struct cv_jscan *j, int token)
{
	j->text_n = 0;
	j->cut = false;
	for (;;) {
		int c;

		take_run(j);
		c = take(j);
		if (c == '"')
			break;
		if (c < 0x20)
			return fail(j, CV_EFORMAT);
		if (c != '\\')
			put(j, (unsigned)c);
		else if (escape(j) < 0)
			return j->err;
	}
	j->text[j->text_n] = '\0';
	return token;
}

static void digits(struct cv_jscan *j, bool *some)
{
	int c;

	while ((c = peek(j)) >= '0' && c <= '9') {
		put(j, (unsigned)take(j));
		*some = true;
	}
}

static int number(struct cv_jscan *j)
{
	bool whole = false, fraction = true, exponent = true;
	int c, first;

	j->text_n = 0;
	j->cut = false;
	if (peek(j) == '-')
		put(j, (unsigned)take(j));
	first = peek(j);
	digits(j, &whole);
	if (first == '0' && j->text_n > 1 && j->text[j->text_n - 2] != '-')
		whole = false; /* leading zeros are not allowed */
	if (peek(j) == '.') {
		put(j, (unsigned)take(j));
		fraction = false;
		digits(j, &fraction);
	}
	if ((c = peek(j)) == 'e' || c == 'E') {
		put(j, (unsigned)take(j));
		if ((c = peek(j)) == '+' || c == '-')
			put(j, (unsigned)take(j));
		exponent = false;
		digits(j, &exponent);
	}
	j->text[j->text_n] = '\0';
	return whole && fraction && exponent ? CV_J_NUM : fail(j, CV_EFORMAT);
}

static int word(struct cv_jscan *j, const char *text, int token)
{
	for (; *text; text++)
		if (take(j) != *text)
			return fail(j, CV_EFORMAT);
	return token;
}

static int open_bracket(struct cv_jscan *j, bool object)
{
	if (j->depth == CV_JSCAN_DEPTH)
		return fail(j, CV_ELIMIT);
	j->in_object[j->depth++] = object;
	j->want = CV_J_WANT_FIRST;
	return object ? CV_J_OBJ : CV_J_ARR;
}

static int close_bracket(struct cv_jscan *j)
{
	j->depth--;
	j->want = CV_J_WANT_NEXT;
	return j->in_object[j->depth] ? CV_J_END_OBJ : CV_J_END_ARR;
}

static int value(struct cv_jscan *j)
{
	int c = skip_space(j);

	j->want = CV_J_WANT_NEXT;
	switch (c) {
	case '{':
		take(j);
		return open_bracket(j, true);
	case '[':
		take(j);
		return open_bracket(j, false);
	case '"':
		take(j);
		return string(j, CV_J_STR);
	case 't':
		return word(j, "true", CV_J_TRUE);
	case 'f':
		return word(j, "false", CV_J_FALSE);
	case 'n':
		return word(j, "null", CV_J_NULL);
	default:
		return c == '-' || (c >= '0' && c <= '9') ? number(j) : fail(j, CV_EFORMAT);
	}
}

/* A key in an object, a value in an array. */
static int member(struct cv_jscan *j)
{
	if (!j->in_object[j->depth - 1])
		return value(j);
	if (skip_space(j) != '"')
		return fail(j, CV_EFORMAT);
	take(j);
	j->want = CV_J_WANT_COLON_VALUE;
	return string(j, CV_J_KEY);
}

int cv_jscan_next(struct cv_jscan *j)
{
	int c, close;

	if (j->err)
		return j->err;
	c = skip_space(j);
	if (j->err)
		return j->err;
	if (j->want == CV_J_WANT_VALUE)
		return value(j);
	if (j->want == CV_J_WANT_COLON_VALUE) {
		if (take(j) != ':')
			return fail(j, CV_EFORMAT);
		return value(j);
	}
	if (j->depth == 0)
		return c < 0 ? CV_J_END : fail(j, CV_EFORMAT);
	close = j->in_object[j->depth - 1] ? '}' : ']';
	if (c == close) {
		take(j);
		return close_bracket(j);
	}
	if (j->want == CV_J_WANT_NEXT && take(j) != ',')
		return fail(j, CV_EFORMAT);
	return member(j);
}

int cv_jscan_skip(struct cv_jscan *j, int token)
{
	unsigned outside = j->depth;

	if (token < 0)
		return token;
	if (token != CV_J_OBJ && token != CV_J_ARR)
		return 0;
	outside--;
	while (j->depth > outside) {
		int t = cv_jscan_next(j);

		if (t < 0)
			return t;
	}
	return 0;
}
