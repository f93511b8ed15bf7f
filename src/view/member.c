/* SPDX-License-Identifier: Apache-2.0 */
#include "view/member.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define BLOCK ((size_t)1 << 20)
#define BLOCKS 64
#define READ_AHEAD 65536
#define READERS 2
#define NO_BLOCK UINT64_MAX

/* libarchive over a src. */
struct feed {
	struct cv_src *src;
	uint64_t at;
	unsigned char buf[READ_AHEAD];
};

static la_ssize_t feed_read(struct archive *ar, void *cookie, const void **ret)
{
	struct feed *f = cookie;
	uint64_t left = f->src->size - f->at;
	size_t n = left < sizeof(f->buf) ? (size_t)left : sizeof(f->buf);

	(void)ar;
	if (n && cv_src_read(f->src, f->at, f->buf, n) < 0)
		return ARCHIVE_FATAL;
	f->at += n;
	*ret = f->buf;
	return (la_ssize_t)n;
}

static la_int64_t feed_seek(struct archive *ar, void *cookie, la_int64_t off, int whence)
{
	struct feed *f = cookie;
	la_int64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (la_int64_t)f->at : (la_int64_t)f->src->size;

	(void)ar;
	if (off < -base || off > (la_int64_t)f->src->size - base)
		return ARCHIVE_FATAL;
	f->at = (uint64_t)(base + off);
	return base + off;
}

static int feed_open(struct feed *f, struct cv_src *src, struct archive **ret)
{
	struct archive *ar = archive_read_new();

	if (!ar)
		return CV_ENOMEM;
	f->src = src;
	f->at = 0;
	archive_read_support_format_zip_seekable(ar);
	archive_read_set_read_callback(ar, feed_read);
	archive_read_set_seek_callback(ar, feed_seek);
	archive_read_set_callback_data(ar, f);
	if (archive_read_open1(ar) != ARCHIVE_OK) {
		archive_read_free(ar);
		return CV_EFORMAT;
	}
	*ret = ar;
	return 0;
}

static int list(struct archive *ar, struct cv_arena *a, struct cv_members *out)
{
	struct archive_entry *e;
	int r;

	while ((r = archive_read_next_header(ar, &e)) == ARCHIVE_OK || r == ARCHIVE_WARN) {
		const char *name = archive_entry_pathname(e);
		struct cv_member *m;

		if (!name || archive_entry_filetype(e) != AE_IFREG || archive_entry_size(e) < 0)
			continue;
		if (out->n >= CV_MEMBERS_MAX)
			return CV_ELIMIT;
		m = CV_VEC_PUSH(a, out);
		if (!m)
			return CV_ENOMEM;
		m->name = cv_arena_strdup(a, name);
		m->size = (uint64_t)archive_entry_size(e);
	}
	return r == ARCHIVE_EOF ? 0 : CV_EFORMAT;
}

int cv_members_list(struct cv_src *archive, struct cv_arena *a, struct cv_diag *d, struct cv_members *ret)
{
	struct cv_members out = { 0 };
	struct feed *f = malloc(sizeof(*f));
	struct archive *ar;
	int err = f ? feed_open(f, archive, &ar) : CV_ENOMEM;

	if (err == 0) {
		err = list(ar, a, &out);
		if (err == CV_EFORMAT)
			cv_diag_fail(d, err, "%s: %s", archive->name, archive_error_string(ar) ? archive_error_string(ar) : "damaged");
		archive_read_free(ar);
	} else if (err == CV_EFORMAT) {
		cv_diag_fail(d, err, "%s: not a zip archive", archive->name);
	}
	free(f);
	if (err == 0)
		*ret = out;
	return err;
}

/* One pass over the member, from its beginning to at. */
struct reader {
	struct archive *ar; /* NULL: not begun */
	struct feed feed;
	uint64_t at;
};

struct block {
	uint64_t index;
	uint64_t used; /* clock of the last use */
	unsigned char *p;
};

struct member {
	struct cv_src src;
	struct cv_src *archive;
	char *name;
	struct reader readers[READERS];
	struct block blocks[BLOCKS];
	uint64_t clock;
};

static void reader_end(struct reader *r)
{
	if (r->ar)
		archive_read_free(r->ar);
	r->ar = NULL;
}

static int reader_begin(struct member *m, struct reader *r)
{
	struct archive_entry *e;
	int err;

	reader_end(r);
	err = feed_open(&r->feed, m->archive, &r->ar);
	if (err)
		return err;
	r->at = 0;
	while ((err = archive_read_next_header(r->ar, &e)) == ARCHIVE_OK || err == ARCHIVE_WARN) {
		const char *name = archive_entry_pathname(e);

		if (name && strcmp(name, m->name) == 0)
			return 0;
	}
	return err == ARCHIVE_EOF ? CV_ENOENT : CV_EFORMAT;
}

/* The reader that is nearest before off; one that has to begin again if both are past it. */
static struct reader *choose(struct member *m, uint64_t off)
{
	struct reader *best = NULL, *spare = &m->readers[0];

	for (size_t i = 0; i < READERS; i++) {
		struct reader *r = &m->readers[i];

		if (!r->ar)
			spare = r;
		else if (r->at <= off && (!best || r->at > best->at))
			best = r;
		else if (spare->ar && r->at < spare->at)
			spare = r; /* the one farther on is worth more: it has read more */
	}
	return best ? best : spare;
}

static struct block *oldest(struct member *m)
{
	struct block *b = &m->blocks[0];

	for (size_t i = 1; i < BLOCKS; i++)
		if (m->blocks[i].used < b->used)
			b = &m->blocks[i];
	return b;
}

static size_t block_size(const struct member *m, uint64_t index)
{
	uint64_t left = m->src.size - index * BLOCK;

	return left < BLOCK ? (size_t)left : BLOCK;
}

/* Reads the next block of r into a buffer of the cache. */
static int take_block(struct member *m, struct reader *r, struct block **ret)
{
	uint64_t index = r->at / BLOCK;
	struct block *b = oldest(m);
	size_t want = block_size(m, index), got = 0;

	if (!b->p && !(b->p = malloc(BLOCK)))
		return CV_ENOMEM;
	b->index = NO_BLOCK;
	while (got < want) {
		la_ssize_t n = archive_read_data(r->ar, b->p + got, want - got);

		if (n <= 0)
			return CV_EFORMAT;
		got += (size_t)n;
	}
	r->at += want;
	b->index = index;
	b->used = ++m->clock;
	*ret = b;
	return 0;
}

static int get_block(struct member *m, uint64_t index, struct block **ret)
{
	struct reader *r;
	struct block *b;
	int err;

	for (size_t i = 0; i < BLOCKS; i++) {
		if (m->blocks[i].p && m->blocks[i].index == index) {
			m->blocks[i].used = ++m->clock;
			*ret = &m->blocks[i];
			return 0;
		}
	}
	r = choose(m, index * BLOCK);
	err = !r->ar || r->at > index * BLOCK ? reader_begin(m, r) : 0;
	while (!err) {
		err = take_block(m, r, &b);
		if (!err && b->index == index) {
			*ret = b;
			return 0;
		}
	}
	reader_end(r);
	return err;
}

static int member_read_at(struct cv_src *s, uint64_t off, void *buf, size_t len)
{
	struct member *m = (struct member *)s;
	unsigned char *out = buf;

	while (len) {
		struct block *b;
		size_t skip = (size_t)(off % BLOCK), n;
		int err = get_block(m, off / BLOCK, &b);

		if (err)
			return err;
		n = block_size(m, b->index) - skip;
		if (n > len)
			n = len;
		memcpy(out, b->p + skip, n);
		out += n;
		off += n;
		len -= n;
	}
	return 0;
}

static void member_close(struct cv_src *s)
{
	struct member *m = (struct member *)s;

	for (size_t i = 0; i < READERS; i++)
		reader_end(&m->readers[i]);
	for (size_t i = 0; i < BLOCKS; i++)
		free(m->blocks[i].p);
	free(m->name);
	free(m);
}

static const struct cv_src_ops member_ops = { .read_at = member_read_at, .close = member_close };

int cv_member_open(struct cv_src *archive, const struct cv_member *want, struct cv_src **ret)
{
	struct member *m = calloc(1, sizeof(*m));

	if (!m)
		return CV_ENOMEM;
	m->name = strdup(want->name);
	if (!m->name) {
		free(m);
		return CV_ENOMEM;
	}
	m->src = (struct cv_src){ .ops = &member_ops, .size = want->size, .name = m->name };
	m->archive = archive;
	for (size_t i = 0; i < BLOCKS; i++)
		m->blocks[i].index = NO_BLOCK;
	*ret = &m->src;
	return 0;
}
