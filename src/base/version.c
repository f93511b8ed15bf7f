/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The three orders of versions.
 *
 * PEP 440 is read as the `packaging` library reads it, alternative spellings included: a leading v, any letter case, "-", "_"
 * or "." before and behind a suffix, alpha/beta/c/pre/preview, rev/r, "1.0-1" for a post release, missing numbers for 0.
 * Debian is ordered as dpkg does, but a number too large for dpkg is still a number here.
 */
#include "base/version.h"

#include "base/version_pep440.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static int sign(size_t a, size_t b)
{
	return a < b ? -1 : a > b;
}

static struct cv_str trim(struct cv_str s)
{
	while (s.n && is_blank(s.p[0]))
		s = cv_str_from(s, 1);
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

/* Takes the digits at the beginning of *s; empty if there are none. */
static struct cv_str eat_digits(struct cv_str *s)
{
	size_t n = 0;
	struct cv_str digits;

	while (n < s->n && is_digit(s->p[n]))
		n++;
	digits = cv_str_sub(*s, 0, n);
	*s = cv_str_from(*s, n);
	return digits;
}

int cv_digits_cmp(struct cv_str a, struct cv_str b)
{
	while (a.n && a.p[0] == '0')
		a = cv_str_from(a, 1);
	while (b.n && b.p[0] == '0')
		b = cv_str_from(b, 1);
	if (a.n != b.n)
		return sign(a.n, b.n);
	return a.n ? memcmp(a.p, b.p, a.n) : 0;
}

/* The next part of a release, without the dot before it; empty (0) at the end. */
static struct cv_str next_part(struct cv_str *release)
{
	if (release->n && release->p[0] == '.')
		*release = cv_str_from(*release, 1);
	return eat_digits(release);
}

int cv_release_cmp(struct cv_str a, struct cv_str b, unsigned max)
{
	for (unsigned i = 0; (a.n || b.n) && (max == 0 || i < max); i++) {
		int c = cv_digits_cmp(next_part(&a), next_part(&b));

		if (c)
			return c;
	}
	return 0;
}

/* Digits with single dots between, from the beginning of *s. */
static struct cv_str eat_release(struct cv_str *s)
{
	struct cv_str all = *s;
	size_t n = 0;

	while (n < all.n && (is_digit(all.p[n]) || (n > 0 && all.p[n] == '.' && n + 1 < all.n && is_digit(all.p[n + 1]))))
		n++;
	*s = cv_str_from(all, n);
	return cv_str_sub(all, 0, n);
}

/* PEP 440 */

static void eat_sep(struct cv_str *s)
{
	if (s->n && (s->p[0] == '-' || s->p[0] == '_' || s->p[0] == '.'))
		*s = cv_str_from(*s, 1);
}

static bool eat_nocase(struct cv_str *s, const char *word)
{
	size_t n = strlen(word);

	if (s->n < n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (lower(s->p[i]) != word[i])
			return false;
	*s = cv_str_from(*s, n);
	return true;
}

static const struct suffix_word {
	const char *word;
	char means; /* 'a', 'b', 'r' (rc), 'p' (post), 'd' (dev) */
} suffix_words[] = {
	/* a word comes before its own beginning */
	{ "alpha", 'a' }, { "a", 'a' },   { "beta", 'b' }, { "b", 'b' },   { "preview", 'r' }, { "pre", 'r' }, { "c", 'r' },
	{ "rc", 'r' },    { "post", 'p' }, { "rev", 'p' },  { "r", 'p' }, { "dev", 'd' },
};

/*
 * Eats "[-_.] word [-_.] digits" if word means one of wanted; returns what it means, or 0 and leaves *s alone. The separator
 * behind the word is eaten even where no digits follow, as packaging does ("1.0a-" is 1.0a0).
 */
static char eat_suffix(struct cv_str *s, const char *wanted, struct cv_str *ret_n)
{
	struct cv_str rest = *s;

	eat_sep(&rest);
	for (size_t i = 0; i < sizeof(suffix_words) / sizeof(suffix_words[0]); i++) {
		if (!strchr(wanted, suffix_words[i].means) || !eat_nocase(&rest, suffix_words[i].word))
			continue;
		eat_sep(&rest);
		*ret_n = eat_digits(&rest);
		*s = rest;
		return suffix_words[i].means;
	}
	return 0;
}

static bool eat_post(struct cv_str *s, struct cv_str *ret_n)
{
	if (s->n > 1 && s->p[0] == '-' && is_digit(s->p[1])) {
		*s = cv_str_from(*s, 1);
		*ret_n = eat_digits(s);
		return true;
	}
	return eat_suffix(s, "p", ret_n) != 0;
}

bool cv_pep440_eat(struct cv_str *s, struct cv_pep440 *ret)
{
	struct cv_pep440 v = { .pre = 0 };
	struct cv_str rest = *s;
	struct cv_str after_epoch;

	eat_nocase(&rest, "v");
	after_epoch = rest;
	v.epoch = eat_digits(&after_epoch);
	if (v.epoch.n && after_epoch.n && after_epoch.p[0] == '!')
		rest = cv_str_from(after_epoch, 1);
	else
		v.epoch.n = 0;
	v.release = eat_release(&rest);
	if (v.release.n == 0)
		return false;
	v.pre = eat_suffix(&rest, "abr", &v.pre_n);
	v.post = eat_post(&rest, &v.post_n);
	v.dev = eat_suffix(&rest, "d", &v.dev_n) != 0;
	*s = rest;
	*ret = v;
	return true;
}

/* Letters and digits with single separators between. */
static bool is_local(struct cv_str s)
{
	bool sep_before = true;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool sep = c == '.' || c == '-' || c == '_';

		if (sep ? sep_before : !is_digit(c) && !is_alpha(c))
			return false;
		sep_before = sep;
	}
	return !sep_before;
}

bool cv_pep440_parse(struct cv_str s, struct cv_pep440 *ret)
{
	struct cv_pep440 v;

	s = trim(s);
	if (!cv_pep440_eat(&s, &v))
		return false;
	if (cv_str_eat(&s, "+")) {
		if (!is_local(s))
			return false;
		v.local = s;
	} else if (s.n) {
		return false;
	}
	*ret = v;
	return true;
}

/* Takes the part before the next separator; false at the end. */
static bool local_part(struct cv_str *rest, struct cv_str *ret_part, bool *ret_numeric)
{
	size_t n = 0;
	bool numeric = true;

	if (rest->n == 0)
		return false;
	while (n < rest->n && (is_digit(rest->p[n]) || is_alpha(rest->p[n])))
		numeric &= is_digit(rest->p[n++]);
	*ret_part = cv_str_sub(*rest, 0, n);
	*ret_numeric = numeric;
	*rest = cv_str_from(*rest, n + 1);
	return true;
}

static int text_cmp(struct cv_str a, struct cv_str b)
{
	for (size_t i = 0; i < a.n && i < b.n; i++) {
		char x = lower(a.p[i]);
		char y = lower(b.p[i]);

		if (x != y)
			return x < y ? -1 : 1;
	}
	return sign(a.n, b.n);
}

/* Numbers after words, the shorter first; no local part before any. */
static int local_cmp(struct cv_str a, struct cv_str b)
{
	for (;;) {
		struct cv_str x, y;
		bool x_num, y_num;
		bool has_x = local_part(&a, &x, &x_num);
		bool has_y = local_part(&b, &y, &y_num);
		int c;

		if (!has_x || !has_y)
			return has_x - has_y;
		if (x_num != y_num)
			return x_num ? 1 : -1;
		c = x_num ? cv_digits_cmp(x, y) : text_cmp(x, y);
		if (c)
			return c;
	}
}

/* Where a pre-release stands among the versions of one release: dev only, a, b, rc, final and post. */
static int pre_rank(const struct cv_pep440 *v)
{
	if (v->pre)
		return v->pre == 'a' ? 1 : v->pre == 'b' ? 2 : 3;
	return v->dev && !v->post ? 0 : 4;
}

int cv_pep440_cmp(const struct cv_pep440 *a, const struct cv_pep440 *b)
{
	int c = cv_digits_cmp(a->epoch, b->epoch);

	if (!c)
		c = cv_release_cmp(a->release, b->release, 0);
	if (!c)
		c = pre_rank(a) - pre_rank(b);
	if (!c)
		c = cv_digits_cmp(a->pre_n, b->pre_n);
	if (!c)
		c = a->post - b->post;
	if (!c)
		c = cv_digits_cmp(a->post_n, b->post_n);
	if (!c)
		c = b->dev - a->dev; /* a dev release comes before what it leads to */
	if (!c)
		c = cv_digits_cmp(a->dev_n, b->dev_n);
	return c ? c : local_cmp(a->local, b->local);
}

struct cv_pep440 cv_pep440_public(const struct cv_pep440 *v)
{
	struct cv_pep440 p = *v;

	p.local = (struct cv_str){ NULL, 0 };
	return p;
}

/* Debian: [epoch:]upstream[-revision]; an empty revision counts as 0. */

struct deb {
	struct cv_str epoch, upstream, revision;
};

static bool deb_chars(struct cv_str s, const char *more)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_digit(s.p[i]) && !is_alpha(s.p[i]) && (s.p[i] == '\0' || !strchr(more, s.p[i])))
			return false;
	return true;
}

static bool deb_parse(struct cv_str s, struct deb *ret)
{
	struct deb d = { .epoch = { NULL, 0 } };
	ptrdiff_t at;

	s = trim(s);
	at = cv_str_chr(s, ':');
	if (at >= 0) {
		struct cv_str e = cv_str_sub(s, 0, (size_t)at);

		d.epoch = eat_digits(&e);
		if (e.n || d.epoch.n == 0)
			return false;
		s = cv_str_from(s, (size_t)at + 1);
	}
	at = cv_str_rchr(s, '-');
	if (at >= 0) {
		d.revision = cv_str_from(s, (size_t)at + 1);
		s = cv_str_sub(s, 0, (size_t)at);
		if (d.revision.n == 0)
			return false;
	}
	d.upstream = s;
	if (s.n == 0 || !is_digit(s.p[0]) || !deb_chars(s, "-+.~:") || !deb_chars(d.revision, "+.~"))
		return false;
	*ret = d;
	return true;
}

/* '~' before the end, the end before letters, letters before all else. A digit ends the part without digits. */
static int deb_rank(struct cv_str s)
{
	char c = s.n ? s.p[0] : '\0';

	if (c == '~')
		return -1;
	if (c == '\0' || is_digit(c))
		return 0;
	return is_alpha(c) ? c : c + 256;
}

static int deb_part_cmp(struct cv_str a, struct cv_str b)
{
	while (a.n || b.n) {
		int c;

		while ((a.n && !is_digit(a.p[0])) || (b.n && !is_digit(b.p[0]))) {
			c = deb_rank(a) - deb_rank(b);
			if (c)
				return c;
			a = cv_str_from(a, 1);
			b = cv_str_from(b, 1);
		}
		c = cv_digits_cmp(eat_digits(&a), eat_digits(&b));
		if (c)
			return c;
	}
	return 0;
}

static int deb_cmp(const struct deb *a, const struct deb *b)
{
	int c = cv_digits_cmp(a->epoch, b->epoch);

	if (!c)
		c = deb_part_cmp(a->upstream, b->upstream);
	return c ? c : deb_part_cmp(a->revision, b->revision);
}

/* All schemes */

static struct cv_str dotted(const char *s)
{
	struct cv_str rest = cv_str_of(s);

	return eat_release(&rest);
}

bool cv_ver_valid(enum cv_ver_scheme scheme, const char *s)
{
	struct cv_pep440 v;
	struct deb d;

	switch (scheme) {
	case CV_VER_DOTTED:
		return is_digit(s[0]);
	case CV_VER_PEP440:
		return cv_pep440_parse(cv_str_of(s), &v);
	case CV_VER_DEB:
		return deb_parse(cv_str_of(s), &d);
	}
	return false;
}

static int cmp_valid(enum cv_ver_scheme scheme, const char *a, const char *b)
{
	struct cv_pep440 va, vb;
	struct deb da, db;

	switch (scheme) {
	case CV_VER_PEP440:
		return cv_pep440_parse(cv_str_of(a), &va) && cv_pep440_parse(cv_str_of(b), &vb) ? cv_pep440_cmp(&va, &vb) : 0;
	case CV_VER_DEB:
		return deb_parse(cv_str_of(a), &da) && deb_parse(cv_str_of(b), &db) ? deb_cmp(&da, &db) : 0;
	case CV_VER_DOTTED:
		break;
	}
	return cv_release_cmp(dotted(a), dotted(b), 0);
}

int cv_ver_cmp(enum cv_ver_scheme scheme, const char *a, const char *b)
{
	bool a_ok = cv_ver_valid(scheme, a);
	bool b_ok = cv_ver_valid(scheme, b);

	return a_ok && b_ok ? cmp_valid(scheme, a, b) : a_ok - b_ok;
}

/* The release of a dotted or a PEP 440 version; empty for anything else. */
static struct cv_str release_of(const char *s)
{
	struct cv_pep440 v;

	return cv_pep440_parse(cv_str_of(s), &v) ? v.release : dotted(s);
}

int64_t cv_ver_part(const char *s, unsigned i)
{
	struct cv_str release = release_of(s);
	struct cv_str part;
	uint64_t n;

	do {
		part = next_part(&release);
		if (part.n == 0)
			return -1;
	} while (i-- > 0);
	while (part.n > 1 && part.p[0] == '0')
		part = cv_str_from(part, 1);
	return cv_str_u64(part, &n) && n <= INT64_MAX ? (int64_t)n : INT64_MAX;
}

const char *cv_ver_prefix(struct cv_arena *a, const char *s, unsigned n)
{
	struct cv_str release = release_of(s);
	struct cv_str rest = release;

	for (unsigned i = 0; i < n && rest.n; i++)
		next_part(&rest);
	return cv_str_dup(a, cv_str_sub(release, 0, release.n - rest.n));
}

const char *cv_ver_local(struct cv_arena *a, const char *s)
{
	struct cv_pep440 v;
	char *out;

	if (!cv_pep440_parse(cv_str_of(s), &v) || !v.local.p)
		return NULL;
	out = cv_str_dup(a, v.local);
	for (char *p = out; *p; p++)
		*p = *p == '-' || *p == '_' ? '.' : lower(*p);
	return out;
}

const char *cv_ver_public(struct cv_arena *a, const char *s)
{
	struct cv_str t = trim(cv_str_of(s));
	struct cv_pep440 v;

	if (cv_pep440_parse(t, &v) && v.local.p)
		t.n -= v.local.n + 1;
	return cv_str_dup(a, t);
}

bool cv_ver_is_pre(const char *s)
{
	struct cv_pep440 v;

	return cv_pep440_parse(cv_str_of(s), &v) && (v.pre || v.dev);
}

bool cv_ver_in(enum cv_ver_scheme scheme, const char *v, const char *from, const char *to)
{
	if (!cv_ver_valid(scheme, v))
		return false;
	return (from[0] == '\0' || cv_ver_cmp(scheme, v, from) >= 0) && (to[0] == '\0' || cv_ver_cmp(scheme, v, to) < 0);
}
