/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text form of the knowledge base: one row, one claim. Everything that a look-up takes for granted (order, disjoint
 * intervals, known sources) is checked here and nowhere else.
 */
#include "kb/tsv.h"

#include <stdlib.h>

#define COLUMNS_MAX 8

static int scheme_of_name(struct cv_str name, enum cv_ver_scheme *ret)
{
	if (cv_str_is(name, "dotted"))
		*ret = CV_VER_DOTTED;
	else if (cv_str_is(name, "pep440"))
		*ret = CV_VER_PEP440;
	else if (cv_str_is(name, "deb"))
		*ret = CV_VER_DEB;
	else
		return CV_EFORMAT;
	return 0;
}

bool cv_tsv_name_matches(const char *pattern, const char *name)
{
	size_t n = strlen(pattern);

	if (n >= 2 && cv_streq(pattern + n - 2, ":*"))
		return strncmp(pattern, name, n - 1) == 0 && name[n - 1] != '\0';
	return cv_streq(pattern, name);
}

/* Tabs are the columns' separators; no other control byte may reach a terminal. */
static bool has_control(struct cv_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (((unsigned char)s.p[i] < 0x20 && s.p[i] != '\t') || s.p[i] == 0x7f)
			return true;
	return false;
}

/* YYYY, YYYY-MM or YYYY-MM-DD. */
static bool is_date(const char *s)
{
	static const char form[] = "dddd-dd-dd";
	size_t n = strlen(s);

	if (n != 4 && n != 7 && n != 10)
		return false;
	for (size_t i = 0; i < n; i++) {
		bool digit = s[i] >= '0' && s[i] <= '9';

		if (form[i] == 'd' ? !digit : s[i] != form[i])
			return false;
	}
	if (n >= 7) {
		int month = (s[5] - '0') * 10 + s[6] - '0';

		if (month < 1 || month > 12)
			return false;
	}
	if (n == 10) {
		int day = (s[8] - '0') * 10 + s[9] - '0';

		if (day < 1 || day > 31)
			return false;
	}
	return true;
}

static bool is_tier(const char *s)
{
	return cv_streq(s, "artifact") || cv_streq(s, "vendor-doc") || cv_streq(s, "issue") || cv_streq(s, "derived");
}

/* A cursor over the lines that hold columns. */
struct reader {
	struct cv_str rest;
	const char *file;
	unsigned line;
	struct cv_diag *d;
	struct cv_arena *a;
	int err; /* CV_EFORMAT once a line was bad */
};

static void complain(struct reader *r, const char *what, const char *object)
{
	r->err = cv_diag_fail(r->d, CV_EFORMAT, "%s:%u: %s%s%s%s", r->file, r->line, what, object ? " '" : "",
			      object ? object : "", object ? "'" : "");
}

/* The columns of the next line that has exactly want of them; lines that do not are reported. False at the end. */
static bool next_columns(struct reader *r, size_t want, const char **col)
{
	struct cv_str line, rest, part;

	while (cv_str_line(&r->rest, &line, &r->line)) {
		size_t n = 0;

		if (!line.n || line.p[0] == '#')
			continue;
		if (line.n > CV_TSV_LINE_MAX) {
			complain(r, "the line is too long", NULL);
			continue;
		}
		if (has_control(line)) {
			complain(r, "a control byte in the line", NULL);
			continue;
		}
		rest = line;
		while (cv_str_split(&rest, '\t', &part)) {
			if (n < COLUMNS_MAX)
				col[n] = cv_str_dup(r->a, part);
			n++;
		}
		if (n == want)
			return true;
		r->err = cv_diag_fail(r->d, CV_EFORMAT, "%s:%u: %zu columns, %zu wanted", r->file, r->line, n, want);
	}
	return false;
}

int cv_tsv_schema(struct cv_str text, const char *file, struct cv_arena *a, struct cv_diag *d, struct cv_tsv_set *set)
{
	struct reader r = { .rest = text, .file = file, .d = d, .a = a };
	const char *col[COLUMNS_MAX];

	while (next_columns(&r, 4, col)) {
		struct cv_tsv_property p = { .subject = col[0], .property = col[2], .meaning = col[3] };
		struct cv_tsv_property *slot;

		if (scheme_of_name(cv_str_of(col[1]), &p.scheme)) {
			complain(&r, "unknown version scheme", col[1]);
			continue;
		}
		if (!p.subject[0] || !p.property[0] || !p.meaning[0]) {
			complain(&r, "an empty column", NULL);
			continue;
		}
		for (size_t i = 0; i < set->schema.n; i++) {
			const struct cv_tsv_property *q = &set->schema.v[i];

			if (!cv_streq(q->subject, p.subject))
				continue;
			if (q->scheme != p.scheme)
				complain(&r, "another version scheme than before for subject", p.subject);
			if (cv_streq(q->property, p.property))
				complain(&r, "a second line for property", p.property);
		}
		slot = CV_VEC_PUSH(a, &set->schema);
		if (!slot)
			return CV_ENOMEM;
		*slot = p;
	}
	return r.err;
}

static struct cv_tsv_source *find_source(const struct cv_tsv_set *set, const char *key)
{
	for (size_t i = 0; i < set->sources.n; i++)
		if (cv_streq(set->sources.v[i].source.key, key))
			return &set->sources.v[i];
	return NULL;
}

int cv_tsv_sources(struct cv_str text, const char *file, struct cv_arena *a, struct cv_diag *d, struct cv_tsv_set *set)
{
	struct reader r = { .rest = text, .file = file, .d = d, .a = a };
	const char *col[COLUMNS_MAX];

	while (next_columns(&r, 4, col)) {
		struct cv_tsv_source *slot;

		if (!col[0][0] || !col[1][0]) {
			complain(&r, "a source without key or title", NULL);
			continue;
		}
		if (find_source(set, col[0])) {
			complain(&r, "a second line for source", col[0]);
			continue;
		}
		if (!is_date(col[3])) {
			complain(&r, "not a date:", col[3]);
			continue;
		}
		slot = CV_VEC_PUSH(a, &set->sources);
		if (!slot)
			return CV_ENOMEM;
		*slot = (struct cv_tsv_source){
			.source = { .key = col[0], .title = col[1], .address = col[2], .date = col[3] },
			.file = file,
			.line = r.line,
		};
	}
	return r.err;
}

static const struct cv_tsv_property *find_property(const struct cv_tsv_set *set, const struct cv_kb_row *row,
						   bool *ret_subject_known)
{
	for (size_t i = 0; i < set->schema.n; i++) {
		const struct cv_tsv_property *p = &set->schema.v[i];

		if (!cv_tsv_name_matches(p->subject, row->subject))
			continue;
		*ret_subject_known = true;
		if (cv_tsv_name_matches(p->property, row->property))
			return p;
	}
	return NULL;
}

/* What is wrong with the interval, or NULL. */
static const char *interval_fault(enum cv_ver_scheme scheme, const struct cv_kb_row *row)
{
	bool exact = cv_streq(row->to, "=");

	if (row->from[0] && !cv_ver_valid(scheme, row->from))
		return "'from' is not a version of the subject's scheme:";
	if (exact)
		return row->from[0] ? NULL : "'to' is '=' with an empty 'from'";
	if (!row->to[0])
		return NULL;
	if (!cv_ver_valid(scheme, row->to))
		return "'to' is not a version of the subject's scheme, in the row from";
	if (row->from[0] && cv_ver_cmp(scheme, row->from, row->to) >= 0)
		return "'to' is not above 'from':";
	return NULL;
}

/* Checks one row by itself; true if it may be kept. */
static bool check_row(struct reader *r, struct cv_tsv_set *set, struct cv_tsv_row *t)
{
	const struct cv_kb_row *row = &t->row;
	const struct cv_tsv_property *p;
	struct cv_tsv_source *source;
	bool subject_known = false;
	const char *fault;

	p = find_property(set, row, &subject_known);
	if (!p) {
		complain(r, subject_known ? "property is not in SCHEMA for this subject:" : "subject is not in SCHEMA:",
			 subject_known ? row->property : row->subject);
		return false;
	}
	t->scheme = p->scheme;
	fault = interval_fault(p->scheme, row);
	if (fault)
		complain(r, fault, row->from);
	else if (!row->value[0])
		complain(r, fault = "the value is empty", NULL);
	else if (!is_tier(row->tier))
		complain(r, fault = "unknown tier", row->tier);
	else if (!is_date(row->date))
		complain(r, fault = "not a date:", row->date);
	source = find_source(set, row->source);
	if (!source)
		complain(r, fault = "source is not in SOURCES:", row->source);
	else
		source->used = true;
	return !fault;
}

int cv_tsv_row_cmp(enum cv_ver_scheme scheme, const struct cv_kb_row *a, const struct cv_kb_row *b)
{
	int c = strcmp(a->subject, b->subject);

	if (!c)
		c = strcmp(a->property, b->property);
	if (!c)
		c = (a->from[0] != '\0') - (b->from[0] != '\0');
	if (!c && a->from[0])
		c = cv_ver_cmp(scheme, a->from, b->from);
	return c;
}

bool cv_tsv_row_overlaps(enum cv_ver_scheme scheme, const struct cv_kb_row *a, const struct cv_kb_row *b)
{
	const struct cv_kb_row *low = a, *high = b;

	if (cv_tsv_row_cmp(scheme, a, b) > 0) {
		low = b;
		high = a;
	}
	if (!high->from[0] || !low->to[0])
		return true;
	if (cv_streq(low->to, "="))
		return cv_ver_cmp(scheme, low->from, high->from) == 0;
	return cv_ver_cmp(scheme, low->to, high->from) > 0;
}

int cv_tsv_rows(struct cv_str text, const char *file, struct cv_arena *a, struct cv_diag *d, struct cv_tsv_set *set)
{
	struct reader r = { .rest = text, .file = file, .d = d, .a = a };
	const char *col[COLUMNS_MAX];
	struct cv_kb_row last = { 0 };

	while (next_columns(&r, 8, col)) {
		struct cv_tsv_row t = {
			.row = { .subject = col[0], .from = col[1], .to = col[2], .property = col[3], .value = col[4],
				 .source = col[5], .date = col[6], .tier = col[7] },
			.file = file,
			.line = r.line,
		};
		struct cv_tsv_row *slot;

		if (!check_row(&r, set, &t))
			continue;
		if (last.subject && cv_tsv_row_cmp(t.scheme, &last, &t.row) >= 0)
			complain(&r, "not in order (subject, property, from), or twice:", t.row.property);
		last = t.row;
		if (set->rows.n >= CV_TSV_ROWS_MAX)
			return cv_diag_fail(d, CV_ELIMIT, "%s:%u: more than %d rows", file, r.line, CV_TSV_ROWS_MAX);
		slot = CV_VEC_PUSH(a, &set->rows);
		if (!slot)
			return CV_ENOMEM;
		*slot = t;
	}
	return r.err;
}

static int cmp_rows(const void *pa, const void *pb)
{
	const struct cv_tsv_row *a = pa, *b = pb;
	int c = cv_tsv_row_cmp(a->scheme, &a->row, &b->row);

	/* Equal keys are an error that is reported below; its text must not depend on the sort. */
	if (!c)
		c = strcmp(a->file, b->file);
	if (!c)
		c = (a->line > b->line) - (a->line < b->line);
	return c;
}

int cv_tsv_finish(struct cv_arena *a, struct cv_diag *d, struct cv_tsv_set *set)
{
	int err = 0;

	if (cv_arena_failed(a))
		return CV_ENOMEM;
	if (set->rows.n)
		qsort(set->rows.v, set->rows.n, sizeof(*set->rows.v), cmp_rows);
	for (size_t i = 1; i < set->rows.n; i++) {
		const struct cv_tsv_row *p = &set->rows.v[i - 1], *q = &set->rows.v[i];

		if (!cv_streq(p->row.subject, q->row.subject) || !cv_streq(p->row.property, q->row.property))
			continue;
		if (cv_tsv_row_overlaps(q->scheme, &p->row, &q->row))
			err = cv_diag_fail(d, CV_EFORMAT, "%s:%u: '%s' of '%s' overlaps the interval of %s:%u", q->file, q->line,
					   q->row.property, q->row.subject, p->file, p->line);
	}
	return err;
}

int cv_tsv_check_used(struct cv_diag *d, const struct cv_tsv_set *set)
{
	int err = 0;

	for (size_t i = 0; i < set->sources.n; i++) {
		const struct cv_tsv_source *s = &set->sources.v[i];

		if (!s->used)
			err = cv_diag_fail(d, CV_EFORMAT, "%s:%u: no row uses source '%s'", s->file, s->line, s->source.key);
	}
	return err;
}
