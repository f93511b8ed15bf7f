/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overlay: the files of --kb DIR over the built-in rows.
 *
 * DIR holds *.tsv files and, for sources that the built-in kb does not have, SOURCES; SCHEMA is the built-in one. The result is
 * a kb of the same packed form: one pool with the built-in texts first, so that offsets of built-in rows stay valid.
 */
#include "kb/builtin.h"
#include "kb/kb.h"
#include "kb/tsv.h"
#include "view/view.h"

#define FILE_MAX (4u << 20)
#define POOL_MAX (256u << 20)

/* A pool that is written once: its size is known beforehand, so nothing moves. */
struct pool {
	char *p;
	size_t n;
};

static uint32_t pool_add(struct pool *p, const char *text)
{
	uint32_t off = (uint32_t)p->n;
	size_t n = strlen(text) + 1;

	memcpy(p->p + p->n, text, n);
	p->n += n;
	return off;
}

static int add_builtin(const struct cv_kb *kb, struct cv_arena *a, struct cv_tsv_set *set)
{
	for (size_t i = 0; i < kb->schema_n; i++) {
		struct cv_tsv_property *p = CV_VEC_PUSH(a, &set->schema);

		if (!p)
			return CV_ENOMEM;
		*p = (struct cv_tsv_property){
			.subject = kb->pool + kb->schema[i].subject,
			.property = kb->pool + kb->schema[i].property,
			.meaning = kb->pool + kb->schema[i].meaning,
			.scheme = (enum cv_ver_scheme)kb->schema[i].scheme,
		};
	}
	for (size_t i = 0; i < kb->source_n; i++) {
		struct cv_tsv_source *s = CV_VEC_PUSH(a, &set->sources);

		if (!s)
			return CV_ENOMEM;
		*s = (struct cv_tsv_source){ .file = "built-in" };
		s->source.key = kb->pool + kb->sources[i].key;
	}
	return 0;
}

/* SOURCES and every table of dir; all files are looked at, the first error is returned. */
static int read_dir(struct cv_view *v, const char *dir, struct cv_arena *a, struct cv_diag *d, struct cv_tsv_set *set)
{
	struct cv_dirlist list;
	struct cv_str text;
	const char *path = cv_path_join(a, dir, "SOURCES");
	int err, e;

	err = cv_view_list(v, dir, a, &list);
	if (err)
		return cv_diag_fail(d, err, "%s: %s", dir, cv_strerror(err));
	e = cv_view_read(v, path, FILE_MAX, a, &text);
	if (!e)
		err = cv_tsv_sources(text, path, a, d, set);
	else if (e != CV_ENOENT)
		err = cv_diag_fail(d, e, "%s: %s", path, cv_strerror(e));
	for (size_t i = 0; i < list.n; i++) {
		if (list.v[i].name[0] == '.' || !cv_ends(list.v[i].name, ".tsv"))
			continue;
		path = cv_path_join(a, dir, list.v[i].name);
		e = cv_view_read(v, path, FILE_MAX, a, &text);
		e = e ? cv_diag_fail(d, e, "%s: %s", path, cv_strerror(e)) : cv_tsv_rows(text, path, a, d, set);
		err = err ? err : e;
	}
	e = cv_tsv_finish(a, d, set);
	return err ? err : e;
}

static struct cv_kb_row builtin_row(const struct cv_kb *kb, size_t i)
{
	return (struct cv_kb_row){
		.subject = kb->pool + kb->rows[i].subject,
		.property = kb->pool + kb->rows[i].property,
		.from = kb->pool + kb->rows[i].from,
		.to = kb->pool + kb->rows[i].to,
	};
}

static bool same_property(const struct cv_kb_row *a, const struct cv_kb_row *b)
{
	return cv_streq(a->subject, b->subject) && cv_streq(a->property, b->property);
}

/* Is the built-in row replaced? near is the place of the first overlay row that is not below it. */
static bool is_replaced(const struct cv_tsv_set *set, size_t near, const struct cv_kb_row *row)
{
	/* Overlay rows are disjoint, so only the two neighbours in order can overlap. */
	for (size_t i = near ? near - 1 : 0; i < set->rows.n && i <= near; i++) {
		const struct cv_tsv_row *t = &set->rows.v[i];

		if (same_property(&t->row, row) && cv_tsv_row_overlaps(t->scheme, &t->row, row))
			return true;
	}
	return false;
}

static void pack_row(struct pool *p, const struct cv_kb_row *r, struct cv_kb_packed *ret)
{
	*ret = (struct cv_kb_packed){
		.subject = pool_add(p, r->subject),
		.from = pool_add(p, r->from),
		.to = pool_add(p, r->to),
		.property = pool_add(p, r->property),
		.value = pool_add(p, r->value),
		.source = pool_add(p, r->source),
		.date = pool_add(p, r->date),
		.tier = pool_add(p, r->tier),
	};
}

/* Merges both sorted lists; rows has room for all of them. */
static size_t merge_rows(const struct cv_kb *kb, const struct cv_tsv_set *set, struct pool *p, struct cv_kb_packed *rows)
{
	size_t n = 0, over = 0;

	for (size_t i = 0; i < kb->row_n; i++) {
		struct cv_kb_row row = builtin_row(kb, i);

		while (over < set->rows.n && cv_tsv_row_cmp(set->rows.v[over].scheme, &set->rows.v[over].row, &row) < 0)
			pack_row(p, &set->rows.v[over++].row, &rows[n++]);
		if (!is_replaced(set, over, &row))
			rows[n++] = kb->rows[i];
	}
	while (over < set->rows.n)
		pack_row(p, &set->rows.v[over++].row, &rows[n++]);
	return n;
}

static size_t merge_sources(const struct cv_kb *kb, const struct cv_tsv_set *set, struct pool *p,
			    struct cv_kb_packed_source *sources)
{
	size_t n = kb->source_n;

	memcpy(sources, kb->sources, n * sizeof(*sources));
	for (size_t i = kb->source_n; i < set->sources.n; i++) {
		const struct cv_kb_source *s = &set->sources.v[i].source;
		struct cv_kb_packed_source packed = {
			.key = pool_add(p, s->key),
			.title = pool_add(p, s->title),
			.address = pool_add(p, s->address),
			.date = pool_add(p, s->date),
		};
		size_t at = n++;

		/* A handful at most: insertion keeps them sorted by key. */
		for (; at > 0 && strcmp(p->p + sources[at - 1].key, s->key) > 0; at--)
			sources[at] = sources[at - 1];
		sources[at] = packed;
	}
	return n;
}

/* Bytes that the texts of the overlay need in the pool, besides the built-in ones. */
static size_t pool_need(const struct cv_kb *kb, const struct cv_tsv_set *set)
{
	size_t n = 0;

	for (size_t i = 0; i < set->rows.n; i++) {
		const struct cv_kb_row *r = &set->rows.v[i].row;

		n += strlen(r->subject) + strlen(r->from) + strlen(r->to) + strlen(r->property) + strlen(r->value) +
		     strlen(r->source) + strlen(r->date) + strlen(r->tier) + 8;
	}
	for (size_t i = kb->source_n; i < set->sources.n; i++) {
		const struct cv_kb_source *s = &set->sources.v[i].source;

		n += strlen(s->key) + strlen(s->title) + strlen(s->address) + strlen(s->date) + 4;
	}
	return n;
}

static int build(const struct cv_kb *kb, const struct cv_tsv_set *set, struct cv_arena *a, const struct cv_kb **ret)
{
	size_t need = pool_need(kb, set);
	struct cv_kb *over = CV_NEW(a, struct cv_kb);
	struct cv_kb_packed *rows = CV_NEW_ARRAY(a, struct cv_kb_packed, kb->row_n + set->rows.n);
	struct cv_kb_packed_source *sources = CV_NEW_ARRAY(a, struct cv_kb_packed_source, set->sources.n);
	struct pool pool = { .p = need < POOL_MAX ? cv_arena_alloc(a, kb->pool_n + need) : NULL, .n = kb->pool_n };

	if (!over || !rows || !sources || !pool.p)
		return CV_ENOMEM;
	memcpy(pool.p, kb->pool, kb->pool_n);
	*over = *kb;
	over->pool = pool.p;
	over->rows = rows;
	over->row_n = merge_rows(kb, set, &pool, rows);
	over->sources = sources;
	over->source_n = merge_sources(kb, set, &pool, sources);
	over->pool_n = pool.n;
	for (size_t i = 0; i < over->row_n; i++) {
		const char *date = pool.p + rows[i].date;

		if (strlen(date) == 10 && strcmp(date, pool.p + over->date) > 0)
			over->date = rows[i].date;
	}
	*ret = over;
	return 0;
}

int cv_kb_overlay(struct cv_view *v, const char *dir, struct cv_arena *a, struct cv_diag *d, const struct cv_kb **ret)
{
	const struct cv_kb *kb = cv_kb_builtin();
	struct cv_tsv_set set = { 0 };
	int err = add_builtin(kb, a, &set);

	if (!err)
		err = read_dir(v, dir, a, d, &set);
	if (!err)
		err = build(kb, &set, a, ret);
	return err;
}
