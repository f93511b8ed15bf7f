/* SPDX-License-Identifier: Apache-2.0 */
/* Look-ups: binary search over the packed rows, nothing else. The overlay is in overlay.c. */
#include "kb/kb.h"

#include "kb/builtin.h"
#include "kb/tsv.h"

#define VERSION_MAX 128

const struct cv_kb *cv_kb_builtin(void)
{
	return &cv_kb_builtin_data;
}

static const char *text(const struct cv_kb *kb, uint32_t off)
{
	return kb->pool + off;
}

const char *cv_kb_date(const struct cv_kb *kb)
{
	return text(kb, kb->date);
}

static void unpack(const struct cv_kb *kb, size_t i, struct cv_kb_row *ret)
{
	const struct cv_kb_packed *p = &kb->rows[i];

	*ret = (struct cv_kb_row){
		.subject = text(kb, p->subject),
		.from = text(kb, p->from),
		.to = text(kb, p->to),
		.property = text(kb, p->property),
		.value = text(kb, p->value),
		.source = text(kb, p->source),
		.date = text(kb, p->date),
		.tier = text(kb, p->tier),
	};
}

enum cv_ver_scheme cv_kb_scheme(const struct cv_kb *kb, const char *subject)
{
	for (size_t i = 0; i < kb->schema_n; i++)
		if (cv_tsv_name_matches(text(kb, kb->schema[i].subject), subject))
			return (enum cv_ver_scheme)kb->schema[i].scheme;
	return CV_VER_DOTTED;
}

bool cv_kb_allows(const struct cv_kb *kb, const char *subject, const char *property)
{
	for (size_t i = 0; i < kb->schema_n; i++)
		if (cv_tsv_name_matches(text(kb, kb->schema[i].subject), subject) &&
		    cv_tsv_name_matches(text(kb, kb->schema[i].property), property))
			return true;
	return false;
}

/* Index of the first row whose subject (its first n bytes) and property are not below these; after: not below or equal. */
static size_t bound(const struct cv_kb *kb, const char *subject, size_t n, const char *property, bool after)
{
	size_t low = 0, high = kb->row_n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = strncmp(text(kb, kb->rows[mid].subject), subject, n);

		if (!c)
			c = strcmp(text(kb, kb->rows[mid].property), property);
		if (c < 0 || (after && c == 0))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The version without its PEP 440 local part: rows speak of releases, not of builds. */
static const char *without_local(enum cv_ver_scheme scheme, const char *version, char buf[VERSION_MAX])
{
	const char *plus = scheme == CV_VER_PEP440 ? strchr(version, '+') : NULL;
	size_t n;

	if (!plus)
		return version;
	n = (size_t)(plus - version);
	if (n >= VERSION_MAX)
		return version;
	memcpy(buf, version, n);
	buf[n] = '\0';
	return buf;
}

/* -1: all of the row's versions are above version, 1: all are below, 0: it covers version. */
static int side(enum cv_ver_scheme scheme, const char *from, const char *to, const char *version)
{
	int c = from[0] ? cv_ver_cmp(scheme, version, from) : 1;

	if (c < 0)
		return -1;
	if (!to[0])
		return 0;
	if (cv_streq(to, "="))
		return c > 0;
	return cv_ver_cmp(scheme, version, to) >= 0;
}

static int row_side(const struct cv_kb *kb, size_t i, enum cv_ver_scheme scheme, const char *version)
{
	const char *from = text(kb, kb->rows[i].from), *to = text(kb, kb->rows[i].to);

	/* What is not a version has no place in an order; only a claim on every version holds for it. */
	if (!cv_ver_valid(scheme, version))
		return from[0] || to[0] ? -1 : 0;
	return side(scheme, from, to, version);
}

/* The row among [low, high), one subject and property, that covers version; high if none does. */
static size_t find_version(const struct cv_kb *kb, size_t low, size_t high, enum cv_ver_scheme scheme, const char *version)
{
	size_t end = high;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int s = row_side(kb, mid, scheme, version);

		if (s == 0)
			return mid;
		if (s > 0)
			low = mid + 1;
		else
			high = mid;
	}
	return end;
}

bool cv_kb_get(const struct cv_kb *kb, const char *subject, const char *version, const char *property, struct cv_kb_row *ret)
{
	size_t low = bound(kb, subject, SIZE_MAX, property, false), high = bound(kb, subject, SIZE_MAX, property, true);
	char buf[VERSION_MAX];

	if (low < high && version) {
		enum cv_ver_scheme scheme = cv_kb_scheme(kb, subject);

		low = find_version(kb, low, high, scheme, without_local(scheme, version, buf));
	}
	if (low >= high)
		return false;
	unpack(kb, low, ret);
	return true;
}

const char *cv_kb_value(const struct cv_kb *kb, const char *subject, const char *version, const char *property)
{
	struct cv_kb_row row;

	return cv_kb_get(kb, subject, version, property, &row) ? row.value : NULL;
}

bool cv_kb_has_word(const char *value, const char *word)
{
	struct cv_str rest = cv_str_of(value), w;

	while (cv_str_word(&rest, &w))
		if (cv_str_is(w, word))
			return true;
	return false;
}

/* Where rows of a subject, or of all that begin like "gpu:*", start. */
static size_t first_of(const struct cv_kb *kb, const char *subject, const char *property)
{
	bool all = !property || cv_ends(property, ":*");

	if (cv_ends(subject, ":*"))
		return bound(kb, subject, strlen(subject) - 1, "", false);
	return bound(kb, subject, SIZE_MAX, all ? "" : property, false);
}

struct cv_kb_iter cv_kb_iter(const struct cv_kb *kb, const char *subject, const char *version, const char *property)
{
	return (struct cv_kb_iter){
		.kb = kb,
		.subject = subject,
		.version = version,
		.property = property,
		.at = subject ? first_of(kb, subject, property) : 0,
	};
}

bool cv_kb_next(struct cv_kb_iter *it, struct cv_kb_row *ret)
{
	char buf[VERSION_MAX];

	while (it->at < it->kb->row_n) {
		size_t i = it->at++;
		const char *subject = text(it->kb, it->kb->rows[i].subject);

		if (it->subject && !cv_tsv_name_matches(it->subject, subject)) {
			/* Rows of one subject or prefix lie together and the walk began at them. */
			it->at = it->kb->row_n;
			continue;
		}
		if (it->property && !cv_tsv_name_matches(it->property, text(it->kb, it->kb->rows[i].property)))
			continue;
		if (it->version) {
			if (it->last != subject) {
				it->scheme = cv_kb_scheme(it->kb, subject);
				it->last = subject;
			}
			if (row_side(it->kb, i, it->scheme, without_local(it->scheme, it->version, buf)) != 0)
				continue;
		}
		unpack(it->kb, i, ret);
		return true;
	}
	return false;
}

enum cv_kb_reach cv_kb_reach(const struct cv_kb *kb, const char *subject, const char *version)
{
	enum cv_ver_scheme scheme = cv_kb_scheme(kb, subject);
	struct cv_kb_row row;
	struct cv_kb_iter it;
	bool above = false, below = false;
	char buf[VERSION_MAX];

	it = cv_kb_iter(kb, subject, NULL, NULL);
	if (!cv_kb_next(&it, &row))
		return CV_KB_NO_SUBJECT;
	version = without_local(scheme, version, buf);
	if (!cv_ver_valid(scheme, version))
		return CV_KB_UNLISTED;
	it = cv_kb_iter(kb, subject, NULL, cv_kb_get(kb, subject, NULL, "release", &row) ? "release" : NULL);
	while (cv_kb_next(&it, &row)) {
		int s = row_side(kb, it.at - 1, scheme, version);

		if (s == 0)
			return CV_KB_LISTED;
		above |= s > 0;
		below |= s < 0;
	}
	if (above && below)
		return CV_KB_UNLISTED;
	return above ? CV_KB_NEWER : CV_KB_OLDER;
}

bool cv_kb_source(const struct cv_kb *kb, const char *key, struct cv_kb_source *ret)
{
	size_t low = 0, high = kb->source_n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct cv_kb_packed_source *s = &kb->sources[mid];
		int c = strcmp(text(kb, s->key), key);

		if (c == 0) {
			*ret = (struct cv_kb_source){
				.key = text(kb, s->key),
				.title = text(kb, s->title),
				.address = text(kb, s->address),
				.date = text(kb, s->date),
			};
			return true;
		}
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}
