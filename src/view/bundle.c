/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bundle: answers from a record that recwrite.c wrote, maybe on another machine, maybe changed by somebody since.
 *
 * Only what is written there is answered: nothing is concluded from other lines, so a path below a directory that the record
 * says is absent is still CV_ENOTASKED if it was not asked itself. The reader trusts nothing: members are counted and bounded,
 * the index is checked whole before the first answer, every range must lie within the blobs.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "view/recconv.h"
#include "view/record.h"
#include "view/sys.h"

#define MEMBERS_MAX 16
#define ARENA_MAX ((size_t)1 << 30)

struct bundle_view {
	struct cv_view view;
	struct cv_arena *a;
	struct cv_recindex index;
	unsigned char *index_text, *blobs; /* on the heap */
	size_t blobs_size;
	struct cv_bundle_info info;
};

/* The one line of this question; NULL if it was not asked. */
static const struct cv_rec *look_up(struct cv_view *v, enum cv_rec_op op, const char *path, int mode)
{
	size_t n;

	return cv_recindex_find(&((struct bundle_view *)v)->index, op, path, (unsigned)mode, &n);
}

static int bundle_stat(struct cv_view *v, const char *path, bool follow, struct cv_stat *ret)
{
	const struct cv_rec *r = look_up(v, follow ? CV_REC_STAT : CV_REC_LSTAT, path, 0);

	if (!r)
		return CV_ENOTASKED;
	if (r->err == 0)
		cv_recconv_to_stat(r->stat, ret);
	return r->err;
}

static int text_of(struct cv_view *v, enum cv_rec_op op, const char *path, struct cv_arena *a, const char **ret)
{
	const struct cv_rec *r = look_up(v, op, path, 0);

	if (!r)
		return CV_ENOTASKED;
	return r->err ? r->err : cv_sys_give(a, r->text, strlen(r->text), ret);
}

static int bundle_readlink(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	return text_of(v, CV_REC_READLINK, path, a, ret);
}

static int bundle_realpath(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	return text_of(v, CV_REC_REALPATH, path, a, ret);
}

static int bundle_list(struct cv_view *v, const char *path, struct cv_arena *a, struct cv_dirlist *ret)
{
	const struct cv_rec *r = look_up(v, CV_REC_LIST, path, 0);

	if (!r)
		return CV_ENOTASKED;
	return r->err ? r->err : cv_recconv_to_list(r, a, ret);
}

static int bundle_access(struct cv_view *v, const char *path, int mode)
{
	const struct cv_rec *r = look_up(v, CV_REC_ACCESS, path, mode);

	return r ? r->err : CV_ENOTASKED;
}

static int bundle_getenv(struct cv_view *v, const char *name, const char **ret)
{
	const struct cv_rec *r = look_up(v, CV_REC_ENV, name, 0);

	if (!r)
		return CV_ENOTASKED;
	if (r->err == 0)
		*ret = r->text;
	return r->err;
}

static int bundle_ids(struct cv_view *v, struct cv_ids *ret)
{
	const struct cv_rec *r = look_up(v, CV_REC_IDS, "-", 0);

	if (!r)
		return CV_ENOTASKED;
	if (r->err == 0)
		*ret = (struct cv_ids){ r->ids.uid, r->ids.gid };
	return r->err;
}

/* --- files --- */

struct bundle_src {
	struct cv_src src;
	const struct bundle_view *b;
	const struct cv_rec *v; /* the file's ranges, ascending, read errors among them */
	size_t n;
};

static int bundle_read_at(struct cv_src *src, uint64_t off, void *buf, size_t len)
{
	const struct bundle_src *s = (const struct bundle_src *)src;
	size_t lo = 0, hi = s->n;

	while (lo < hi) { /* the first line that begins behind off */
		size_t mid = lo + (hi - lo) / 2;

		if (s->v[mid].read.off <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i-- > 0;) {
		const struct cv_rec *r = &s->v[i];

		if (r->err && r->read.off == off && r->read.len == len)
			return r->err;
		if (r->err)
			continue;
		if (!cv_in_range(off - r->read.off, len, r->read.len))
			break;
		memcpy(buf, s->b->blobs + r->read.pos + (off - r->read.off), len);
		return 0;
	}
	return CV_ENOTASKED;
}

static void bundle_close(struct cv_src *s)
{
	free(s);
}

static const struct cv_src_ops bundle_src_ops = { .read_at = bundle_read_at, .close = bundle_close };

static int bundle_open(struct cv_view *v, const char *path, struct cv_src **ret)
{
	const struct bundle_view *b = (const struct bundle_view *)v;
	const struct cv_rec *r = look_up(v, CV_REC_OPEN, path, 0);
	struct bundle_src *s;

	if (!r)
		return CV_ENOTASKED;
	if (r->err)
		return r->err;
	s = calloc(1, sizeof(*s));
	if (!s)
		return CV_ENOMEM;
	s->src = (struct cv_src){ .ops = &bundle_src_ops, .size = r->size, .name = r->path };
	s->b = b;
	s->v = cv_recindex_find(&b->index, CV_REC_READ, path, 0, &s->n);
	*ret = &s->src;
	return 0;
}

static void bundle_free(struct cv_view *v)
{
	struct bundle_view *b = (struct bundle_view *)v;

	cv_arena_free(b->a);
	free(b->index_text);
	free(b->blobs);
	free(b);
}

static const struct cv_view_ops bundle_ops = {
	.name = "bundle",
	.stat = bundle_stat,
	.readlink = bundle_readlink,
	.realpath = bundle_realpath,
	.list = bundle_list,
	.open = bundle_open,
	.access = bundle_access,
	.getenv = bundle_getenv,
	.ids = bundle_ids,
	.free = bundle_free,
};

/* --- loading --- */

static const char *error_text(struct archive *ar)
{
	const char *text = archive_error_string(ar);

	return text ? text : "broken";
}

/* The member's bytes on the heap; *ret stays NULL for an empty one. */
static int read_member(struct archive *ar, struct archive_entry *e, size_t max, const char *what, struct cv_diag *d,
		       unsigned char **ret, size_t *ret_n)
{
	int64_t size = archive_entry_size_is_set(e) ? archive_entry_size(e) : -1;
	unsigned char *p;
	size_t n = 0;

	if (*ret || archive_entry_filetype(e) != AE_IFREG || size < 0)
		return cv_diag_fail(d, CV_EFORMAT, "%s: not one plain member", what);
	if ((uint64_t)size > max)
		return cv_diag_fail(d, CV_ELIMIT, "%s: over %zu bytes", what, max);
	p = malloc((size_t)size + 1);
	if (!p)
		return cv_diag_fail(d, CV_ENOMEM, "%s: out of memory", what);
	while (n < (size_t)size) {
		la_ssize_t got = archive_read_data(ar, p + n, (size_t)size - n);

		if (got <= 0) {
			free(p);
			return cv_diag_fail(d, CV_EFORMAT, "%s: %s", what, got < 0 ? error_text(ar) : "ends early");
		}
		n += (size_t)got;
	}
	p[n] = '\0';
	*ret = p;
	*ret_n = n;
	return 0;
}

struct members {
	unsigned char *index, *blobs;
	size_t index_n, blobs_n;
};

static int read_members(struct archive *ar, const char *file, struct cv_arena *a, struct cv_diag *d, struct members *m)
{
	struct archive_entry *e;
	int r;

	for (unsigned count = 0; (r = archive_read_next_header(ar, &e)) == ARCHIVE_OK; count++) {
		const char *name = archive_entry_pathname(e);
		int err = 0;

		if (count >= MEMBERS_MAX)
			return cv_diag_fail(d, CV_ELIMIT, "%s: over %d members", file, MEMBERS_MAX);
		if (name && cv_streq(name, "index"))
			err = read_member(ar, e, CV_RECINDEX_MAX, cv_arena_printf(a, "%s: index", file), d, &m->index, &m->index_n);
		else if (name && cv_streq(name, "blobs"))
			err = read_member(ar, e, CV_RECORD_DATA_MAX, cv_arena_printf(a, "%s: blobs", file), d, &m->blobs, &m->blobs_n);
		else if (archive_entry_size(e) > (int64_t)CV_RECORD_DATA_MAX)
			err = cv_diag_fail(d, CV_ELIMIT, "%s: a member is over %zu bytes", file, CV_RECORD_DATA_MAX);
		if (err < 0)
			return err;
	}
	if (r != ARCHIVE_EOF)
		return cv_diag_fail(d, CV_EFORMAT, "%s: not a bundle: %s", file, error_text(ar));
	if (!m->index)
		return cv_diag_fail(d, CV_EFORMAT, "%s: not a bundle: it has no index", file);
	return 0;
}

static int read_archive(int fd, const char *file, struct cv_arena *a, struct cv_diag *d, struct members *m)
{
	struct archive *ar = archive_read_new();
	int r;

	if (!ar)
		return cv_diag_fail(d, CV_ENOMEM, "%s: out of memory", file);
	if (archive_read_support_format_tar(ar) != ARCHIVE_OK || archive_read_support_filter_zstd(ar) != ARCHIVE_OK)
		r = cv_diag_fail(d, CV_ENOTSUP, "%s: this build reads no zstd", file);
	else if (archive_read_open_fd(ar, fd, 65536) != ARCHIVE_OK)
		r = cv_diag_fail(d, CV_EFORMAT, "%s: not a bundle: %s", file, error_text(ar));
	else
		r = read_members(ar, file, a, d, m);
	archive_read_free(ar);
	return r;
}

/* Every range must lie in the blobs. */
static int check_ranges(const struct bundle_view *b, const char *file, struct cv_diag *d)
{
	for (size_t i = 0; i < b->index.n; i++) {
		const struct cv_rec *r = &b->index.v[i];

		if (r->op == CV_REC_READ && !r->err && !cv_in_range(r->read.pos, r->read.len, b->blobs_size))
			return cv_diag_fail(d, CV_EFORMAT, "%s: index: line %zu: range outside the blobs", file, i + 2);
	}
	return 0;
}

static bool meta_is_yes(struct bundle_view *b, const char *key)
{
	const struct cv_rec *r = look_up(&b->view, CV_REC_META, key, 0);

	return r && r->err == 0 && r->words.n == 1 && cv_streq(r->words.v[0], "yes");
}

static int load(struct bundle_view *b, int fd, const char *file, struct cv_diag *d)
{
	struct members m = { 0 };
	const struct cv_rec *argv;
	int r = read_archive(fd, file, b->a, d, &m);

	b->index_text = m.index;
	b->blobs = m.blobs;
	b->blobs_size = m.blobs_n;
	if (r == 0)
		r = cv_recindex_parse((struct cv_str){ (const char *)m.index, m.index_n }, cv_arena_printf(b->a, "%s: index", file), b->a, d,
				      &b->index);
	if (r == 0)
		r = check_ranges(b, file, d);
	if (r < 0)
		return r == CV_ENOMEM ? cv_diag_fail(d, r, "%s: out of memory", file) : r;
	b->view.live = meta_is_yes(b, "live");
	b->info.redacted = meta_is_yes(b, "redacted");
	argv = look_up(&b->view, CV_REC_META, "argv", 0);
	if (argv && argv->err == 0) {
		b->info.argv = argv->words.v;
		b->info.argc = argv->words.n;
	}
	return 0;
}

static int open_regular(const char *file, struct cv_diag *d)
{
	struct stat st;
	int fd;

	if (stat(file, &st) < 0)
		return cv_diag_fail(d, cv_sys_err(errno), "%s: %s", file, cv_strerror(cv_sys_err(errno)));
	if (!S_ISREG(st.st_mode))
		return cv_diag_fail(d, CV_ENOTREG, "%s: not a regular file", file);
	fd = open(file, CV_SYS_OPEN);
	return fd >= 0 ? fd : cv_diag_fail(d, cv_sys_err(errno), "%s: %s", file, cv_strerror(cv_sys_err(errno)));
}

int cv_view_bundle_new(const char *file, struct cv_diag *d, struct cv_view **ret)
{
	struct bundle_view *b;
	int fd = open_regular(file, d);
	int r = fd;

	if (fd < 0)
		return fd;
	b = calloc(1, sizeof(*b));
	if (b) {
		b->view.ops = &bundle_ops;
		b->a = cv_arena_new(ARENA_MAX);
	}
	r = b && b->a ? load(b, fd, file, d) : cv_diag_fail(d, CV_ENOMEM, "%s: out of memory", file);
	close(fd);
	if (r < 0) {
		if (b)
			bundle_free(&b->view);
		return r;
	}
	*ret = &b->view;
	return 0;
}

const struct cv_bundle_info *cv_view_bundle_info(const struct cv_view *v)
{
	return v->ops == &bundle_ops ? &((const struct bundle_view *)v)->info : NULL;
}
