/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PEP 440 specifier sets, as the `packaging` library judges them from its release 26 on (older ones refuse more: to them
 * 2.9.0+cu128 is not >2.9.0rc1).
 *
 *	==V !=V     V's local part counts only where V has one; V.* compares the release parts that V names
 *	<=V >=V     the version's local part is ignored
 *	<V          no pre-release of V itself, unless V is one
 *	>V          no local version of V itself, and no post release of V unless V is one
 *	~=V         >=V, and the release as V's without its last part
 *	===text     the same text, letter case aside; the only one that a version outside of PEP 440 can meet
 */
#include "base/version_pep440.h"

static bool local_free_eq(const struct cv_pep440 *v, const struct cv_pep440 *spec)
{
	struct cv_pep440 pub = cv_pep440_public(v);

	return cv_pep440_cmp(spec->local.p ? v : &pub, spec) == 0;
}

static unsigned part_count(struct cv_str release)
{
	unsigned n = 1;

	for (size_t i = 0; i < release.n; i++)
		n += release.p[i] == '.';
	return n;
}

/* Do epoch and the first n parts of the release (0: all) agree? */
static bool prefix_eq(const struct cv_pep440 *v, const struct cv_pep440 *spec, unsigned n)
{
	return cv_digits_cmp(v->epoch, spec->epoch) == 0 && cv_release_cmp(v->release, spec->release, n) == 0;
}

static bool same_pre(const struct cv_pep440 *a, const struct cv_pep440 *b)
{
	return a->pre == b->pre && cv_digits_cmp(a->pre_n, b->pre_n) == 0;
}

/* Below V's own first development release, so that <V takes no pre-release of V; unless V is one itself. */
static bool less(const struct cv_pep440 *v, const struct cv_pep440 *spec)
{
	struct cv_pep440 bound = *spec;

	bound.dev = true;
	return cv_pep440_cmp(v, spec->pre || spec->dev ? spec : &bound) < 0;
}

/* >V takes no local version of V, and no post release of V unless V is one itself. */
static bool greater(const struct cv_pep440 *v, const struct cv_pep440 *spec)
{
	struct cv_pep440 pub = cv_pep440_public(v);

	if (cv_pep440_cmp(&pub, spec) <= 0)
		return false;
	return spec->dev || spec->post || !(prefix_eq(v, spec, 0) && same_pre(v, spec));
}

enum op { OP_IDENTICAL, OP_EQ, OP_NE, OP_LE, OP_GE, OP_COMPATIBLE, OP_LT, OP_GT };

static const struct {
	const char *text;
	enum op op;
} ops[] = {
	/* longest first */
	{ "===", OP_IDENTICAL }, { "==", OP_EQ }, { "!=", OP_NE }, { "<=", OP_LE },
	{ ">=", OP_GE },         { "~=", OP_COMPATIBLE }, { "<", OP_LT },  { ">", OP_GT },
};

static bool eat_op(struct cv_str *s, enum op *ret)
{
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (cv_str_eat(s, ops[i].text)) {
			*ret = ops[i].op;
			return true;
		}
	}
	return false;
}

static int identical(struct cv_str text, struct cv_str version)
{
	if (text.n == 0)
		return CV_EFORMAT;
	for (size_t i = 0; i < text.n; i++)
		if (strchr(" \t\r\n\f\v;)", text.p[i]))
			return CV_EFORMAT;
	if (text.n != version.n)
		return 0;
	for (size_t i = 0; i < text.n; i++) {
		unsigned char a = (unsigned char)text.p[i];
		unsigned char b = (unsigned char)version.p[i];

		if ((a >= 'A' && a <= 'Z' ? a + 32 : a) != (b >= 'A' && b <= 'Z' ? b + 32 : b))
			return 0;
	}
	return 1;
}

/* "1.2.*": epoch and release only. */
static bool parse_wildcard(struct cv_str text, struct cv_pep440 *ret)
{
	struct cv_pep440 v;

	text.n -= 2;
	if (!cv_pep440_eat(&text, &v) || text.n || v.pre || v.post || v.dev)
		return false;
	*ret = v;
	return true;
}

static int match_parsed(enum op op, const struct cv_pep440 *spec, const struct cv_pep440 *v)
{
	struct cv_pep440 pub = cv_pep440_public(v);
	unsigned parts = part_count(spec->release);

	if (spec->local.p && op != OP_EQ && op != OP_NE)
		return CV_EFORMAT;
	switch (op) {
	case OP_EQ:
		return local_free_eq(v, spec);
	case OP_NE:
		return !local_free_eq(v, spec);
	case OP_LE:
		return cv_pep440_cmp(&pub, spec) <= 0;
	case OP_GE:
		return cv_pep440_cmp(&pub, spec) >= 0;
	case OP_LT:
		return less(v, spec);
	case OP_GT:
		return greater(v, spec);
	case OP_COMPATIBLE:
		if (parts < 2)
			return CV_EFORMAT;
		return cv_pep440_cmp(&pub, spec) >= 0 && prefix_eq(v, spec, parts - 1);
	case OP_IDENTICAL:
		break;
	}
	return CV_EFORMAT;
}

/* One specifier; v is NULL where the version is not one of PEP 440. */
static int match_one(struct cv_str s, struct cv_str version, const struct cv_pep440 *v)
{
	struct cv_pep440 spec;
	bool wildcard;
	enum op op;

	if (!eat_op(&s, &op))
		return CV_EFORMAT;
	s = cv_str_trim(s);
	if (op == OP_IDENTICAL)
		return identical(s, version);
	wildcard = cv_str_ends(s, ".*");
	if (wildcard ? (op != OP_EQ && op != OP_NE) || !parse_wildcard(s, &spec) : !cv_pep440_parse(s, &spec))
		return CV_EFORMAT;
	if (!v)
		return CV_EFORMAT;
	if (wildcard)
		return prefix_eq(v, &spec, part_count(spec.release)) == (op == OP_EQ);
	return match_parsed(op, &spec, v);
}

int cv_spec_match(struct cv_str spec, const char *version)
{
	struct cv_str text = cv_str_trim(cv_str_of(version));
	struct cv_str part;
	struct cv_pep440 v;
	bool is_version = cv_pep440_parse(text, &v);
	int all = 1;

	while (cv_str_split(&spec, ',', &part)) {
		int r;

		part = cv_str_trim(part);
		if (part.n == 0)
			continue;
		r = match_one(part, text, is_version ? &v : NULL);
		if (r < 0)
			return r;
		all &= r; /* go on: a later part that cannot be parsed is still an error */
	}
	return all;
}
