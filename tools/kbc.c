/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kbc KBDIR OUT.c: checks the knowledge base and writes it as C (see kb/builtin.h).
 *
 * Reads KBDIR/SCHEMA, KBDIR/SOURCES and every KBDIR/NAME.tsv in the order of their names, so that the output depends on
 * nothing else. A fault in any row is printed with file and line and fails the build.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/map.h"
#include "kb/builtin.h"
#include "kb/tsv.h"

#define FILE_MAX (16u << 20)
#define ARENA_MAX ((size_t)512 << 20)

/* Texts of the output, each once. An entry's value is its offset + 1. */
struct pool {
	struct cv_arena *a;
	struct cv_map map;
	size_t n;
	bool failed;
};

static uint32_t pool_add(struct pool *p, const char *text)
{
	uint32_t *off = cv_map_get(&p->map, text);

	if (off)
		return *off;
	off = CV_NEW(p->a, uint32_t);
	if (!off || p->n > UINT32_MAX / 2 || !cv_map_set(p->a, &p->map, text, off)) {
		p->failed = true;
		return 0;
	}
	*off = (uint32_t)p->n;
	p->n += strlen(text) + 1;
	return *off;
}

static int read_file(const char *path, struct cv_arena *a, struct cv_str *ret)
{
	FILE *f = fopen(path, "rb");
	char *p;
	size_t n;

	if (!f) {
		fprintf(stderr, "kbc: %s: %s\n", path, strerror(errno));
		return CV_EIO;
	}
	p = cv_arena_alloc(a, FILE_MAX + 1);
	n = p ? fread(p, 1, FILE_MAX + 1, f) : 0;
	if (!p || ferror(f) || n > FILE_MAX) {
		fprintf(stderr, "kbc: %s: cannot be read, or is over %u bytes\n", path, FILE_MAX);
		fclose(f);
		return CV_EIO;
	}
	fclose(f);
	*ret = (struct cv_str){ cv_arena_memdup(a, p, n), n };
	return 0;
}

/* The names of KBDIR that end in .tsv, sorted. */
static int list_tables(const char *dir, struct cv_arena *a, struct cv_strv *ret)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	if (!d) {
		fprintf(stderr, "kbc: %s: %s\n", dir, strerror(errno));
		return CV_EIO;
	}
	while ((e = readdir(d)))
		if (e->d_name[0] != '.' && cv_ends(e->d_name, ".tsv"))
			cv_strv_push(a, ret, cv_arena_strdup(a, e->d_name));
	closedir(d);
	cv_strv_sort(ret);
	return 0;
}

typedef int read_fn(struct cv_str, const char *, struct cv_arena *, struct cv_diag *, struct cv_tsv_set *);

static int read_with(read_fn *fn, const char *dir, const char *name, struct cv_arena *a, struct cv_diag *d,
		     struct cv_tsv_set *set)
{
	struct cv_arena *scratch = cv_arena_new(2 * (size_t)FILE_MAX + 4096);
	struct cv_str text;
	int err = scratch ? read_file(cv_path_join(a, dir, name), scratch, &text) : CV_ENOMEM;

	if (!err)
		err = fn(text, cv_arena_printf(a, "kb/%s", name), a, d, set);
	cv_arena_free(scratch);
	return err;
}

/* Everything of dir into set; the first error counts, but all files are looked at. */
static int read_kb(const char *dir, struct cv_arena *a, struct cv_diag *d, struct cv_tsv_set *set)
{
	struct cv_strv tables = { 0 };
	int err, e;

	err = read_with(cv_tsv_schema, dir, "SCHEMA", a, d, set);
	e = read_with(cv_tsv_sources, dir, "SOURCES", a, d, set);
	err = err ? err : e;
	e = list_tables(dir, a, &tables);
	err = err ? err : e;
	for (size_t i = 0; i < tables.n; i++) {
		e = read_with(cv_tsv_rows, dir, tables.v[i], a, d, set);
		err = err ? err : e;
	}
	e = cv_tsv_finish(a, d, set);
	err = err ? err : e;
	/* Bad rows do not count as users, so this would only repeat their fault. */
	if (!err)
		err = cv_tsv_check_used(d, set);
	return err;
}

static void write_text(FILE *out, const char *s)
{
	fputs("\t\"", out);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\' || c == '?')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			fprintf(out, "\\%03o", c);
		else
			fputc(c, out);
	}
	fputs("\\0\"\n", out);
}

static int cmp_source(const void *pa, const void *pb)
{
	const struct cv_tsv_source *a = pa, *b = pb;

	return strcmp(a->source.key, b->source.key);
}

/* "{ 1, 2, 3": one call, one order of evaluation, so that every compiler makes the same pool. */
static void write_entry(FILE *out, struct pool *p, const char *const *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%u", i ? ", " : "\t{ ", pool_add(p, text[i]));
}

static void write_rows(FILE *out, struct pool *p, const struct cv_tsv_set *set)
{
	fputs("static const struct cv_kb_packed rows[] = {\n", out);
	for (size_t i = 0; i < set->rows.n; i++) {
		const struct cv_kb_row *r = &set->rows.v[i].row;
		const char *const texts[] = { r->subject, r->from, r->to, r->property, r->value, r->source, r->date, r->tier };

		write_entry(out, p, texts, 8);
		fputs(" },\n", out);
	}
	fputs("};\n\nstatic const struct cv_kb_packed_source sources[] = {\n", out);
	for (size_t i = 0; i < set->sources.n; i++) {
		const struct cv_kb_source *s = &set->sources.v[i].source;

		write_entry(out, p, (const char *[]){ s->key, s->title, s->address, s->date }, 4);
		fputs(" },\n", out);
	}
	fputs("};\n\nstatic const struct cv_kb_packed_property schema[] = {\n", out);
	for (size_t i = 0; i < set->schema.n; i++) {
		const struct cv_tsv_property *s = &set->schema.v[i];

		write_entry(out, p, (const char *[]){ s->subject, s->property, s->meaning }, 3);
		fprintf(out, ", %u },\n", (unsigned)s->scheme);
	}
	fputs("};\n\n", out);
}

static const char *newest_date(const struct cv_tsv_set *set)
{
	const char *newest = "";

	for (size_t i = 0; i < set->rows.n; i++) {
		const char *date = set->rows.v[i].row.date;

		if (strlen(date) == 10 && strcmp(date, newest) > 0)
			newest = date;
	}
	return newest;
}

static int write_kb(const char *path, struct cv_arena *a, const struct cv_tsv_set *set)
{
	struct pool pool = { .a = a };
	uint32_t date;
	FILE *out = fopen(path, "wb");

	if (!out) {
		fprintf(stderr, "kbc: %s: %s\n", path, strerror(errno));
		return CV_EIO;
	}
	pool_add(&pool, "");
	fputs("/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by tools/kbc.c from kb/; do not edit. */\n", out);
	fputs("#include \"kb/builtin.h\"\n\n", out);
	write_rows(out, &pool, set);
	date = pool_add(&pool, newest_date(set));
	fputs("static const char pool[] =\n", out);
	for (size_t i = 0; i < pool.map.n; i++)
		write_text(out, pool.map.v[i].key);
	fprintf(out, "\t;\n\nconst struct cv_kb cv_kb_builtin_data = {\n\t.pool = pool,\n\t.pool_n = sizeof(pool),\n"
		     "\t.rows = rows,\n\t.row_n = %zu,\n\t.sources = sources,\n\t.source_n = %zu,\n"
		     "\t.schema = schema,\n\t.schema_n = %zu,\n\t.date = %u,\n};\n",
		set->rows.n, set->sources.n, set->schema.n, date);
	if (ferror(out) | (fclose(out) != 0) | pool.failed) {
		fprintf(stderr, "kbc: %s: cannot be written\n", path);
		remove(path);
		return CV_EIO;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct cv_tsv_set set = { 0 };
	struct cv_arena *a;
	struct cv_diag d;
	int err;

	if (argc != 3) {
		fputs("usage: kbc KBDIR OUT.c\n", stderr);
		return 2;
	}
	a = cv_arena_new(ARENA_MAX);
	if (!a) {
		fputs("kbc: out of memory\n", stderr);
		return 1;
	}
	cv_diag_init(&d, a);
	err = read_kb(argv[1], a, &d, &set);
	for (size_t i = 0; i < d.n; i++)
		fprintf(stderr, "%s\n", d.v[i]);
	if (d.dropped)
		fprintf(stderr, "... and %zu more\n", d.dropped);
	if (!err && (!set.rows.n || !set.sources.n)) {
		fprintf(stderr, "kbc: %s: no rows\n", argv[1]);
		err = CV_EFORMAT;
	}
	if (!err) {
		qsort(set.sources.v, set.sources.n, sizeof(*set.sources.v), cmp_source);
		err = write_kb(argv[2], a, &set);
	}
	cv_arena_free(a);
	return err ? 1 : 0;
}
