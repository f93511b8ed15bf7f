/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beside the form of PEP 508 the older one with the specifiers in brackets occurs in METADATA of older wheels: "numpy (>=1.2)".
 * A URL runs to the next blank; a marker behind it therefore needs " ;".
 */
#include "parse/requirement.h"

#include <ctype.h>

#include "base/version.h"

struct cursor {
	struct cv_str s; /* what is left */
};

static void skip_blanks(struct cursor *c)
{
	while (c->s.n && (c->s.p[0] == ' ' || c->s.p[0] == '\t'))
		c->s = cv_str_from(c->s, 1);
}

static bool eat(struct cursor *c, char ch)
{
	skip_blanks(c);
	if (!c->s.n || c->s.p[0] != ch)
		return false;
	c->s = cv_str_from(c->s, 1);
	return true;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '-';
}

/* A name begins with a letter or digit and ends with one or with '_'. */
static bool take_name(struct cursor *c, struct cv_str *ret)
{
	size_t n = 0;

	skip_blanks(c);
	while (n < c->s.n && is_name_char(c->s.p[n]))
		n++;
	while (n && !isalnum((unsigned char)c->s.p[n - 1]) && c->s.p[n - 1] != '_')
		n--;
	if (n == 0 || !isalnum((unsigned char)c->s.p[0]))
		return false;
	*ret = cv_str_sub(c->s, 0, n);
	c->s = cv_str_from(c->s, n);
	return true;
}

static int take_extras(struct cursor *c, struct cv_arena *a, struct cv_req *req)
{
	if (!eat(c, '['))
		return 0;
	if (eat(c, ']'))
		return 0;
	do {
		struct cv_str *extra = CV_VEC_PUSH(a, &req->extras);

		if (!extra)
			return CV_ENOMEM;
		if (req->extras.n > CV_REQ_EXTRAS)
			return CV_ELIMIT;
		if (!take_name(c, extra))
			return CV_EFORMAT;
	} while (eat(c, ','));
	return eat(c, ']') ? 0 : CV_EFORMAT;
}

/* Specifiers with commas between; one at the end is allowed. Whether one is well-formed is the version code's to say. */
static bool is_spec_set(struct cv_str s)
{
	struct cv_str part;

	while (cv_str_split(&s, ',', &part)) {
		part = cv_str_trim(part);
		if (part.n == 0 && s.n == 0)
			return true;
		if (part.n == 0 || cv_spec_match(part, "0") == CV_EFORMAT)
			return false;
	}
	return true;
}

static int take_spec(struct cursor *c, struct cv_req *req)
{
	bool brackets = eat(c, '(');
	ptrdiff_t end = cv_str_chr(c->s, brackets ? ')' : ';');

	if (brackets && end < 0)
		return CV_EFORMAT;
	req->spec = cv_str_trim(end < 0 ? c->s : cv_str_sub(c->s, 0, (size_t)end));
	c->s = cv_str_from(c->s, end < 0 ? c->s.n : (size_t)end + brackets);
	return is_spec_set(req->spec) ? 0 : CV_EFORMAT;
}

static int take_url(struct cursor *c, struct cv_req *req)
{
	return cv_str_word(&c->s, &req->url) ? 0 : CV_EFORMAT;
}

int cv_req_parse(struct cv_str text, struct cv_arena *a, struct cv_req *ret)
{
	struct cv_req req = { .spec = { "", 0 }, .url = { "", 0 }, .marker = { "", 0 } };
	struct cursor c = { cv_str_trim(text) };
	int r;

	if (memchr(c.s.p, '\0', c.s.n) || !take_name(&c, &req.name))
		return CV_EFORMAT;
	r = take_extras(&c, a, &req);
	if (r < 0)
		return r;
	r = eat(&c, '@') ? take_url(&c, &req) : take_spec(&c, &req);
	if (r < 0)
		return r;
	skip_blanks(&c);
	if (c.s.n) {
		if (!eat(&c, ';'))
			return CV_EFORMAT;
		req.marker = cv_str_trim(c.s);
		if (req.marker.n == 0)
			return CV_EFORMAT;
	}
	*ret = req;
	return 0;
}
