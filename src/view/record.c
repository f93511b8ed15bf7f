/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Record: passes questions on and notes them with their answers, errors too.
 *
 * A question that comes again is answered from the notes. So a run sees each file in one state only, even one of /proc that
 * changes all the time, and the replay of its record sees the same.
 */
#include "view/record.h"

#include <stdlib.h>

#include "view/recconv.h"
#include "view/sys.h"

static struct cv_map *map_of(struct cv_record *rec, enum cv_rec_op op, unsigned mode)
{
	return op == CV_REC_ACCESS ? &rec->access[mode & 7] : &rec->ops[op];
}

static struct cv_record_note *look_up(struct cv_record *rec, enum cv_rec_op op, unsigned mode, const char *path)
{
	return cv_map_get(map_of(rec, op, mode), path);
}

/* A new note that the caller completes; NULL if err is no answer or, with rec->err set, if memory is out. */
static struct cv_record_note *add_note(struct cv_record *rec, enum cv_rec_op op, unsigned mode, const char *path, int err)
{
	struct cv_record_note *note;
	const char *key;

	if (err < 0 && !cv_rec_err_is_answer(err))
		return NULL;
	note = CV_NEW(rec->a, struct cv_record_note);
	key = cv_arena_strdup(rec->a, path);
	if (!note || cv_arena_failed(rec->a) || !cv_map_set(rec->a, map_of(rec, op, mode), key, note)) {
		rec->err = CV_ENOMEM;
		return NULL;
	}
	note->rec = (struct cv_rec){ .op = op, .err = err, .path = key };
	if (op == CV_REC_ACCESS)
		note->rec.mode = mode;
	return note;
}

/* For the answers that are not complete without memory: the run goes on, the record is spoilt. */
static void spoil(struct cv_record *rec, int err)
{
	if (err < 0)
		rec->err = err;
}

static int record_stat(struct cv_view *v, const char *path, bool follow, struct cv_stat *ret)
{
	struct cv_record *rec = (struct cv_record *)v;
	enum cv_rec_op op = follow ? CV_REC_STAT : CV_REC_LSTAT;
	struct cv_record_note *note = look_up(rec, op, 0, path);
	struct cv_rec_stat *st;
	int r;

	if (note) {
		if (note->rec.err == 0)
			cv_recconv_to_stat(note->rec.stat, ret);
		return note->rec.err;
	}
	r = follow ? cv_view_stat(rec->base, path, ret) : cv_view_lstat(rec->base, path, ret);
	st = r == 0 ? CV_NEW(rec->a, struct cv_rec_stat) : NULL;
	if (r == 0 && !st) {
		spoil(rec, CV_ENOMEM);
		return r;
	}
	if (r == 0)
		cv_recconv_from_stat(ret, st);
	note = add_note(rec, op, 0, path, r);
	if (note && r == 0)
		note->rec.stat = st;
	return r;
}

/* readlink and realpath */
static int record_text(struct cv_record *rec, enum cv_rec_op op, const char *path, struct cv_arena *a, const char **ret)
{
	struct cv_record_note *note = look_up(rec, op, 0, path);
	int r;

	if (note)
		return note->rec.err ? note->rec.err : cv_sys_give(a, note->rec.text, strlen(note->rec.text), ret);
	if (op == CV_REC_READLINK)
		r = cv_view_readlink(rec->base, path, a, ret);
	else
		r = cv_view_realpath(rec->base, path, a, ret);
	note = add_note(rec, op, 0, path, r);
	if (note && r == 0)
		note->rec.text = cv_arena_strdup(rec->a, *ret);
	return r;
}

static int record_readlink(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	return record_text((struct cv_record *)v, CV_REC_READLINK, path, a, ret);
}

static int record_realpath(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	return record_text((struct cv_record *)v, CV_REC_REALPATH, path, a, ret);
}

static int record_list(struct cv_view *v, const char *path, struct cv_arena *a, struct cv_dirlist *ret)
{
	struct cv_record *rec = (struct cv_record *)v;
	struct cv_record_note *note = look_up(rec, CV_REC_LIST, 0, path);
	int r;

	if (note)
		return note->rec.err ? note->rec.err : cv_recconv_to_list(&note->rec, a, ret);
	r = cv_view_list(rec->base, path, a, ret);
	note = add_note(rec, CV_REC_LIST, 0, path, r);
	if (note && r == 0)
		spoil(rec, cv_recconv_from_list(ret, rec->a, &note->rec));
	return r;
}

static int record_access(struct cv_view *v, const char *path, int mode)
{
	struct cv_record *rec = (struct cv_record *)v;
	struct cv_record_note *note = look_up(rec, CV_REC_ACCESS, (unsigned)mode, path);
	int r;

	if (note)
		return note->rec.err;
	r = cv_view_access(rec->base, path, mode);
	add_note(rec, CV_REC_ACCESS, (unsigned)mode, path, r);
	return r;
}

static int record_getenv(struct cv_view *v, const char *name, const char **ret)
{
	struct cv_record *rec = (struct cv_record *)v;
	struct cv_record_note *note = look_up(rec, CV_REC_ENV, 0, name);
	int r;

	if (note) {
		if (note->rec.err == 0)
			*ret = note->rec.text;
		return note->rec.err;
	}
	r = cv_view_getenv(rec->base, name, ret);
	note = add_note(rec, CV_REC_ENV, 0, name, r);
	if (note && r == 0)
		note->rec.text = cv_arena_strdup(rec->a, *ret);
	return r;
}

static int record_ids(struct cv_view *v, struct cv_ids *ret)
{
	struct cv_record *rec = (struct cv_record *)v;
	struct cv_record_note *note = look_up(rec, CV_REC_IDS, 0, "-");
	int r;

	if (note) {
		if (note->rec.err == 0)
			*ret = (struct cv_ids){ note->rec.ids.uid, note->rec.ids.gid };
		return note->rec.err;
	}
	r = cv_view_ids(rec->base, ret);
	note = add_note(rec, CV_REC_IDS, 0, "-", r);
	if (note && r == 0) {
		note->rec.ids.uid = ret->uid;
		note->rec.ids.gid = ret->gid;
	}
	return r;
}

/* --- files --- */

struct record_src {
	struct cv_src src;
	struct cv_record *rec;
	struct cv_record_file *file;
	struct cv_src *base; /* NULL until something is read that is not known yet */
};

static int known_error(const struct cv_record_file *f, uint64_t off, size_t len)
{
	for (size_t i = 0; i < f->errors.n; i++)
		if (f->errors.v[i].off == off && f->errors.v[i].len == len)
			return f->errors.v[i].err;
	return 0;
}

static void note_error(struct cv_record *rec, struct cv_record_file *f, uint64_t off, size_t len, int err)
{
	struct cv_record_read_error *e;

	if (!cv_rec_err_is_answer(err) || off > CV_RECINDEX_OFFSET_MAX)
		return;
	e = CV_VEC_PUSH(rec->a, &f->errors);
	if (!e) {
		spoil(rec, CV_ENOMEM);
		return;
	}
	*e = (struct cv_record_read_error){ off, len, err };
}

static int read_base(struct record_src *s, uint64_t off, void *buf, size_t len)
{
	if (!s->base) {
		int r = cv_view_open(s->rec->base, s->file->path, &s->base);

		if (r < 0)
			return r;
	}
	if (s->base->size != s->file->size) /* not the file any more whose size was told */
		return CV_EIO;
	return cv_src_read(s->base, off, buf, len);
}

static int record_read_at(struct cv_src *src, uint64_t off, void *buf, size_t len)
{
	struct record_src *s = (struct record_src *)src;
	const struct cv_range *known = cv_ranges_find(&s->file->ranges, off, len);
	int r;

	if (known) {
		memcpy(buf, known->p + (off - known->off), len);
		return 0;
	}
	r = known_error(s->file, off, len);
	if (r < 0)
		return r;
	r = read_base(s, off, buf, len);
	if (r < 0)
		note_error(s->rec, s->file, off, len, r);
	else if (off > CV_RECINDEX_OFFSET_MAX)
		spoil(s->rec, CV_ELIMIT);
	else
		spoil(s->rec, cv_ranges_add(&s->file->ranges, off, buf, len, &s->rec->budget));
	return r;
}

static void record_close(struct cv_src *src)
{
	struct record_src *s = (struct record_src *)src;

	cv_src_close(s->base);
	free(s);
}

static const struct cv_src_ops record_src_ops = { .read_at = record_read_at, .close = record_close };

/* Opens in the base and notes the outcome; base is NULL on failure, note where the record has no memory left. */
static int open_first(struct cv_record *rec, const char *path, struct cv_src **base, struct cv_record_note **note)
{
	int r = cv_view_open(rec->base, path, base);

	*note = add_note(rec, CV_REC_OPEN, 0, path, r);
	if (r < 0 || !*note)
		return r;
	(*note)->rec.size = (*base)->size;
	(*note)->file = CV_NEW(rec->a, struct cv_record_file);
	if (!(*note)->file) {
		(*note)->rec.err = CV_EIO; /* never reached by a reader of the record: it is not whole */
		spoil(rec, CV_ENOMEM);
		*note = NULL;
		return 0;
	}
	*(*note)->file = (struct cv_record_file){ .path = (*note)->rec.path, .size = (*base)->size };
	return 0;
}

static int record_open(struct cv_view *v, const char *path, struct cv_src **ret)
{
	struct cv_record *rec = (struct cv_record *)v;
	struct cv_record_note *note = look_up(rec, CV_REC_OPEN, 0, path);
	struct cv_src *base = NULL;
	struct record_src *s;
	int r = note ? note->rec.err : open_first(rec, path, &base, &note);

	if (r < 0)
		return r;
	if (!note) { /* nothing can be noted any more: hand the file out as it is */
		*ret = base;
		return 0;
	}
	s = calloc(1, sizeof(*s));
	if (!s) {
		cv_src_close(base);
		return CV_ENOMEM;
	}
	s->src = (struct cv_src){ .ops = &record_src_ops, .size = note->file->size, .name = note->file->path };
	s->rec = rec;
	s->file = note->file;
	s->base = base;
	*ret = &s->src;
	return 0;
}

static void record_free(struct cv_view *v)
{
	struct cv_record *rec = (struct cv_record *)v;
	const struct cv_map *opens = &rec->ops[CV_REC_OPEN];

	for (size_t i = 0; i < opens->n; i++) {
		struct cv_record_note *note = opens->v[i].value;

		if (note->file)
			cv_ranges_release(&note->file->ranges);
	}
	cv_view_free(rec->base);
	cv_arena_free(rec->a);
	free(rec);
}

const struct cv_view_ops cv_record_ops = {
	.name = "record",
	.stat = record_stat,
	.readlink = record_readlink,
	.realpath = record_realpath,
	.list = record_list,
	.open = record_open,
	.access = record_access,
	.getenv = record_getenv,
	.ids = record_ids,
	.free = record_free,
};

int cv_view_record_new(struct cv_view *base, struct cv_view **ret)
{
	struct cv_record *rec = calloc(1, sizeof(*rec));

	if (!rec)
		return CV_ENOMEM;
	rec->a = cv_arena_new(CV_RECORD_NOTES_MAX);
	if (!rec->a) {
		free(rec);
		return CV_ENOMEM;
	}
	rec->view = (struct cv_view){ .ops = &cv_record_ops, .live = base->live };
	rec->base = base;
	rec->budget = CV_RECORD_DATA_MAX;
	*ret = &rec->view;
	return 0;
}
