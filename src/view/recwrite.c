/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recwrite: the index and the blobs of a record.
 *
 * Each range of bytes is kept once, however many files had it. Lines are sorted, files come in the order they were opened, so
 * the same run makes the same record.
 */
#include "view/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "view/recfile.h"
#include "view/redact.h"

struct blob {
	const unsigned char *p;
	size_t len;
	uint64_t pos, hash;
};

struct writer {
	struct cv_record *rec;
	struct cv_arena *a;
	struct cv_redact *redact; /* NULL: nothing is changed */
	struct cv_buf text;       /* lines, not sorted yet */
	CV_VEC(struct cv_str) lines;
	CV_VEC(struct blob) blobs;
	uint32_t *slots; /* by hash: index + 1 into blobs */
	size_t slot_n;
	uint64_t blobs_size;
};

/* --- blobs --- */

static uint64_t hash_of(const unsigned char *p, size_t n)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ n, word;

	for (; n >= 8; p += 8, n -= 8) {
		memcpy(&word, p, 8);
		h = (h ^ word) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	for (; n > 0; p++, n--)
		h = (h ^ *p) * 0x100000001b3u;
	return h ^ h >> 29;
}

static size_t find_slot(const struct writer *w, const struct blob *b)
{
	size_t i = (size_t)b->hash & (w->slot_n - 1);

	while (w->slots[i]) {
		const struct blob *have = &w->blobs.v[w->slots[i] - 1];

		if (have->hash == b->hash && have->len == b->len && memcmp(have->p, b->p, b->len) == 0)
			break;
		i = (i + 1) & (w->slot_n - 1);
	}
	return i;
}

static int grow_slots(struct writer *w)
{
	w->slot_n = w->slot_n ? w->slot_n * 2 : 1024;
	w->slots = cv_arena_array(w->a, w->slot_n, sizeof(*w->slots));
	if (!w->slots)
		return CV_ENOMEM;
	for (size_t i = 0; i < w->blobs.n; i++)
		w->slots[find_slot(w, &w->blobs.v[i])] = (uint32_t)i + 1;
	return 0;
}

/* Where the bytes lie among the blobs; they are borrowed. */
static int place_blob(struct writer *w, const unsigned char *p, size_t len, uint64_t *ret_pos)
{
	struct blob b = { .p = p, .len = len, .pos = w->blobs_size, .hash = hash_of(p, len) };
	struct blob *slot;
	size_t i;

	if ((w->blobs.n + 1) * 2 > w->slot_n && grow_slots(w) < 0)
		return CV_ENOMEM;
	i = find_slot(w, &b);
	if (w->slots[i]) {
		*ret_pos = w->blobs.v[w->slots[i] - 1].pos;
		return 0;
	}
	slot = CV_VEC_PUSH(w->a, &w->blobs);
	if (!slot)
		return CV_ENOMEM;
	*slot = b;
	w->slots[i] = (uint32_t)w->blobs.n;
	w->blobs_size += len;
	*ret_pos = b.pos;
	return 0;
}

/* --- lines --- */

static void put_line(struct writer *w, const struct cv_rec *r)
{
	cv_rec_write(&w->text, r);
}

static const char *redacted_path(struct writer *w, const char *path)
{
	char *copy;

	if (!w->redact)
		return path;
	copy = cv_arena_strdup(w->a, path);
	if (!cv_arena_failed(w->a))
		cv_redact_path(w->redact, copy);
	return copy;
}

static int by_entry_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a + 1, *(const char *const *)b + 1);
}

/* The entries of a directory again in order, since names have changed. */
static void redact_list(struct writer *w, const char *dir, struct cv_rec *r)
{
	const char **v = CV_NEW_ARRAY(w->a, const char *, r->words.n);

	if (!v)
		return;
	for (size_t i = 0; i < r->words.n; i++) {
		char *word = cv_arena_strdup(w->a, r->words.v[i]);

		v[i] = word;
		if (!cv_arena_failed(w->a))
			cv_redact_entry(w->redact, dir, word + 1);
	}
	if (r->words.n > 1 && !cv_arena_failed(w->a))
		qsort(v, r->words.n, sizeof(*v), by_entry_name);
	r->words.v = v;
}

static void put_note(struct writer *w, const struct cv_record_note *note)
{
	struct cv_rec r = note->rec;
	char *text;

	if (!w->redact) {
		put_line(w, &r);
		return;
	}
	if (r.op != CV_REC_ENV && r.op != CV_REC_IDS)
		r.path = redacted_path(w, r.path);
	if (r.err == 0 && (r.op == CV_REC_READLINK || r.op == CV_REC_REALPATH)) {
		r.text = redacted_path(w, r.text);
	} else if (r.err == 0 && r.op == CV_REC_ENV) {
		text = cv_arena_strdup(w->a, r.text);
		if (!cv_arena_failed(w->a))
			cv_redact_env(w->redact, r.path, text);
		r.text = text;
	} else if (r.err == 0 && r.op == CV_REC_LIST) {
		redact_list(w, note->rec.path, &r);
	}
	put_line(w, &r);
}

/* The bytes as they are to be written: those of the record, or a changed copy. */
static const unsigned char *redacted_range(struct writer *w, const char *path, const struct cv_range *range)
{
	char *copy;

	if (!w->redact || !cv_redact_is_text(path, range->p, range->len))
		return range->p;
	copy = malloc(range->len);
	if (!copy)
		return NULL;
	memcpy(copy, range->p, range->len);
	cv_redact_text(w->redact, path, copy, range->len);
	if (memcmp(copy, range->p, range->len) != 0) {
		unsigned char *kept = cv_arena_alloc(w->a, range->len);

		if (kept)
			memcpy(kept, copy, range->len);
		free(copy);
		return kept;
	}
	free(copy);
	return range->p;
}

static int put_file(struct writer *w, const struct cv_record_file *f)
{
	struct cv_rec r = { .op = CV_REC_READ, .path = redacted_path(w, f->path) };

	for (size_t i = 0; i < f->ranges.n; i++) {
		const unsigned char *p = redacted_range(w, f->path, &f->ranges.v[i]);
		uint64_t pos;

		if (!p || place_blob(w, p, f->ranges.v[i].len, &pos) < 0)
			return CV_ENOMEM;
		r.read.off = f->ranges.v[i].off;
		r.read.len = f->ranges.v[i].len;
		r.read.pos = pos;
		put_line(w, &r);
	}
	for (size_t i = 0; i < f->errors.n; i++) {
		r.err = f->errors.v[i].err;
		r.read.off = f->errors.v[i].off;
		r.read.len = f->errors.v[i].len;
		put_line(w, &r);
	}
	return 0;
}

static void put_meta(struct writer *w, const char *key, const char *const *words, size_t n)
{
	struct cv_rec r = { .op = CV_REC_META, .path = key };

	r.words.v = words;
	r.words.n = n;
	put_line(w, &r);
}

static int put_metas(struct writer *w, const char *const *argv, size_t argc)
{
	const char **words = CV_NEW_ARRAY(w->a, const char *, argc);

	if (!words)
		return CV_ENOMEM;
	for (size_t i = 0; i < argc; i++)
		words[i] = redacted_path(w, argv[i]);
	put_meta(w, "argv", words, argc);
	put_meta(w, "live", &(const char *){ w->rec->view.live ? "yes" : "no" }, 1);
	put_meta(w, "redacted", &(const char *){ w->redact ? "yes" : "no" }, 1);
	return 0;
}

/* --- what redaction has to know first --- */

static void learn_note(struct cv_redact *r, const struct cv_record_note *note)
{
	const struct cv_rec *rec = &note->rec;
	char path[4096];

	if (rec->op == CV_REC_ENV) {
		if (rec->err == 0)
			cv_redact_learn_env(r, rec->path, rec->text);
		return;
	}
	cv_redact_learn_path(r, rec->path);
	if (rec->err)
		return;
	if (rec->op == CV_REC_READLINK || rec->op == CV_REC_REALPATH)
		cv_redact_learn_path(r, rec->text);
	for (size_t i = 0; rec->op == CV_REC_LIST && i < rec->words.n; i++) {
		snprintf(path, sizeof(path), "%s/%s", cv_streq(rec->path, "/") ? "" : rec->path, rec->words.v[i] + 1);
		cv_redact_learn_path(r, path);
	}
	for (size_t i = 0; note->file && i < note->file->ranges.n; i++) {
		const struct cv_range *range = &note->file->ranges.v[i];

		if (cv_redact_is_text(rec->path, range->p, range->len))
			cv_redact_learn_text(r, rec->path, (const char *)range->p, range->len);
	}
}

static int learn(struct writer *w)
{
	char host[256];

	w->redact = cv_redact_new(w->a);
	if (!w->redact)
		return CV_ENOMEM;
	if (w->rec->view.live && gethostname(host, sizeof(host) - 1) == 0) {
		host[sizeof(host) - 1] = '\0';
		cv_redact_learn_host(w->redact, host);
	}
	for (size_t op = 0; op < CV_REC_OPS; op++)
		for (size_t i = 0; i < w->rec->ops[op].n; i++)
			learn_note(w->redact, w->rec->ops[op].v[i].value);
	cv_redact_ready(w->redact);
	return 0;
}

/* --- the index --- */

static int by_line(const void *a, const void *b)
{
	const struct cv_str *x = a, *y = b;
	int c = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);

	return c ? c : (x->n > y->n) - (x->n < y->n);
}

/* Sorted lines in *ret; two questions that redaction made one, with one answer, are written once. */
static int sort_lines(struct writer *w, struct cv_buf *ret)
{
	struct cv_str rest = { cv_buf_str(&w->text), w->text.n }, line;

	while (cv_str_line(&rest, &line, NULL)) {
		struct cv_str *slot = CV_VEC_PUSH(w->a, &w->lines);

		if (!slot)
			return CV_ENOMEM;
		*slot = line;
	}
	qsort(w->lines.v, w->lines.n, sizeof(*w->lines.v), by_line);
	cv_buf_puts(ret, CV_RECINDEX_HEAD "\n");
	for (size_t i = 0; i < w->lines.n; i++) {
		if (i > 0 && cv_str_eq(w->lines.v[i - 1], w->lines.v[i]))
			continue;
		cv_buf_add(ret, w->lines.v[i].p, w->lines.v[i].n);
		cv_buf_putc(ret, '\n');
	}
	return ret->err;
}

static int make_index(struct writer *w, const char *const *argv, size_t argc, bool redact, struct cv_buf *ret)
{
	const struct cv_map *opens = &w->rec->ops[CV_REC_OPEN];
	int r = redact ? learn(w) : 0;

	if (r == 0)
		r = put_metas(w, argv, argc);
	for (size_t op = 0; r == 0 && op < CV_REC_OPS; op++)
		for (size_t i = 0; i < w->rec->ops[op].n; i++)
			put_note(w, w->rec->ops[op].v[i].value);
	for (size_t mode = 0; mode < 8; mode++)
		for (size_t i = 0; i < w->rec->access[mode].n; i++)
			put_note(w, w->rec->access[mode].v[i].value);
	for (size_t i = 0; r == 0 && i < opens->n; i++) {
		const struct cv_record_note *note = opens->v[i].value;

		if (note->file)
			r = put_file(w, note->file);
	}
	if (r == 0 && cv_arena_failed(w->a))
		r = CV_ENOMEM;
	if (r == 0)
		r = w->text.err;
	return r < 0 ? r : sort_lines(w, ret);
}

/* The blobs in order as plain slices. */
static int write_file(struct writer *w, const char *file, const struct cv_buf *index, struct cv_diag *d)
{
	struct cv_str *blobs = CV_NEW_ARRAY(w->a, struct cv_str, w->blobs.n);

	if (!blobs)
		return cv_diag_fail(d, CV_ENOMEM, "%s: out of memory", file);
	for (size_t i = 0; i < w->blobs.n; i++)
		blobs[i] = (struct cv_str){ (const char *)w->blobs.v[i].p, w->blobs.v[i].len };
	return cv_recfile_write(file, w->redact == NULL, (struct cv_str){ cv_buf_str(index), index->n }, blobs, w->blobs.n, d);
}

int cv_record_write(struct cv_view *record, const char *file, const char *const *argv, size_t argc, bool redact,
		    struct cv_diag *d)
{
	struct writer w = { .rec = (struct cv_record *)record };
	struct cv_buf index;
	int r;

	if (record->ops != &cv_record_ops)
		return cv_diag_fail(d, CV_EINVAL, "%s: nothing was recorded", file);
	if (w.rec->err)
		return cv_diag_fail(d, w.rec->err, "%s: the record is not whole: %s", file, cv_strerror(w.rec->err));
	w.a = cv_arena_new(CV_RECORD_NOTES_MAX);
	if (!w.a)
		return cv_diag_fail(d, CV_ENOMEM, "%s: out of memory", file);
	cv_buf_init(&w.text, CV_RECINDEX_MAX);
	cv_buf_init(&index, CV_RECINDEX_MAX);
	r = make_index(&w, argv, argc, redact, &index);
	if (r < 0)
		cv_diag_fail(d, r, "%s: cannot make the index: %s", file, cv_strerror(r));
	else
		r = write_file(&w, file, &index, d);
	cv_buf_release(&index);
	cv_buf_release(&w.text);
	cv_arena_free(w.a);
	return r;
}
