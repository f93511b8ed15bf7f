/* SPDX-License-Identifier: Apache-2.0 */
#include "view/member.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK ((size_t)1 << 20)
#define BLOCKS 32 /* the first of them is for the first block of a member */
#define READ_AHEAD 65536
#define NO_BLOCK UINT64_MAX

/* libarchive over a src. */
struct feed {
	struct cv_src *src;
	uint64_t at;
	int err; /* what the src said when it failed */
	unsigned char buf[READ_AHEAD];
};

/* A position in the archive: first in front of headers, then, behind one, in the data of that member. */
struct reader {
	struct archive *ar; /* NULL: not begun */
	struct feed feed;
	uint64_t headers;   /* read so far */
	uint64_t at;        /* in the member's data */
};

struct block {
	uint64_t index;
	uint64_t used; /* clock of the last use */
	unsigned char *p;
};

struct cv_members {
	struct cv_src src; /* of the member at hand */
	struct cv_src *archive;
	struct reader first; /* goes through the archive once */
	struct reader again; /* for going back in the member at hand */
	uint64_t header;     /* number of the member's header, from 1 */
	bool ended;          /* behind the last one */
	char *name;          /* its name: a reader's own is gone when it fails */
	uint64_t unpacked, skipped;
	uint64_t repeated; /* unpacked once more, of the member at hand */
	struct block blocks[BLOCKS];
	uint64_t clock;
};

static la_ssize_t feed_read(struct archive *ar, void *cookie, const void **ret)
{
	struct feed *f = cookie;
	uint64_t left = f->src->size - f->at;
	size_t n = left < sizeof(f->buf) ? (size_t)left : sizeof(f->buf);

	(void)ar;
	if (n) {
		int err = cv_src_read(f->src, f->at, f->buf, n);

		if (err < 0) {
			f->err = err;
			return ARCHIVE_FATAL;
		}
	}
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

static void reader_end(struct reader *r)
{
	if (r->ar)
		archive_read_free(r->ar);
	r->ar = NULL;
}

static int reader_begin(struct reader *r, struct cv_src *archive)
{
	reader_end(r);
	r->feed.src = archive;
	r->feed.at = 0;
	r->feed.err = 0;
	r->headers = r->at = 0;
	r->ar = archive_read_new();
	if (!r->ar)
		return CV_ENOMEM;
	archive_read_support_format_zip_seekable(r->ar);
	archive_read_set_read_callback(r->ar, feed_read);
	archive_read_set_seek_callback(r->ar, feed_seek);
	archive_read_set_callback_data(r->ar, &r->feed);
	return archive_read_open1(r->ar) == ARCHIVE_OK ? 0 : r->feed.err ? r->feed.err : CV_EFORMAT;
}

/* 1: the next header is in *ret, 0: the end. */
static int reader_header(struct reader *r, struct archive_entry **ret)
{
	int err = archive_read_next_header(r->ar, ret);

	r->at = 0;
	if (err == ARCHIVE_EOF)
		return 0;
	if (err != ARCHIVE_OK && err != ARCHIVE_WARN)
		return r->feed.err ? r->feed.err : CV_EFORMAT;
	r->headers++;
	return 1;
}

/* Begins again and goes to the header with that number. */
static int reader_return(struct cv_members *m, struct reader *r, uint64_t header)
{
	int err = reader_begin(r, m->archive);

	while (err == 0 && r->headers < header) {
		struct archive_entry *e;

		if (++m->skipped > CV_MEMBERS_SKIPPED_MAX)
			return CV_ELIMIT;
		err = reader_header(r, &e);
		if (err >= 0)
			err = err == 1 ? 0 : CV_EFORMAT;
	}
	return err;
}

static struct block *block_for(struct cv_members *m, uint64_t index)
{
	struct block *b = &m->blocks[1];

	if (index == 0)
		return &m->blocks[0];
	for (size_t i = 2; i < BLOCKS; i++)
		if (m->blocks[i].used < b->used)
			b = &m->blocks[i];
	return b;
}

static size_t block_size(const struct cv_members *m, uint64_t index)
{
	uint64_t left = m->src.size - index * BLOCK;

	return left < BLOCK ? (size_t)left : BLOCK;
}

/* Unpacks the next block of r into a buffer of the cache. */
static int take_block(struct cv_members *m, struct reader *r, struct block **ret)
{
	uint64_t index = r->at / BLOCK;
	struct block *b = block_for(m, index);
	size_t want = block_size(m, index), got = 0;

	if (!b->p && !(b->p = malloc(BLOCK)))
		return CV_ENOMEM;
	m->unpacked += want;
	m->repeated += r == &m->again ? want : 0;
	if (m->unpacked > CV_MEMBERS_UNPACKED_MAX || m->repeated > 2 * m->src.size + CV_MEMBERS_AGAIN_MAX)
		return CV_ELIMIT;
	b->index = NO_BLOCK;
	while (got < want) {
		la_ssize_t n = archive_read_data(r->ar, b->p + got, want - got);

		if (n <= 0)
			return n < 0 && r->feed.err ? r->feed.err : CV_EFORMAT;
		got += (size_t)n;
	}
	r->at += want;
	b->index = index;
	b->used = ++m->clock;
	*ret = b;
	return 0;
}

/* The reader that reaches off with the least work. */
static int choose(struct cv_members *m, uint64_t off, struct reader **ret)
{
	struct reader *first = &m->first, *again = &m->again;
	bool can_first = first->ar && first->headers == m->header && first->at <= off;
	bool can_again = again->ar && again->at <= off;

	*ret = can_first && (!can_again || first->at >= again->at) ? first : again;
	return can_first || can_again ? 0 : reader_return(m, again, m->header);
}

static int get_block(struct cv_members *m, uint64_t index, struct block **ret)
{
	struct reader *r;
	int err;

	for (size_t i = 0; i < BLOCKS; i++) {
		if (m->blocks[i].index == index) {
			m->blocks[i].used = ++m->clock;
			*ret = &m->blocks[i];
			return 0;
		}
	}
	err = choose(m, index * BLOCK, &r);
	while (!err) {
		err = take_block(m, r, ret);
		if (!err && (*ret)->index == index)
			return 0;
	}
	reader_end(r);
	return err;
}

static int member_read_at(struct cv_src *s, uint64_t off, void *buf, size_t len)
{
	struct cv_members *m = (struct cv_members *)s;
	unsigned char *out = buf;

	while (len) {
		struct block *b = NULL;
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

static const struct cv_src_ops member_ops = { .read_at = member_read_at };

static void forget_blocks(struct cv_members *m)
{
	for (size_t i = 0; i < BLOCKS; i++) {
		m->blocks[i].index = NO_BLOCK;
		m->blocks[i].used = 0;
	}
}

static int fail(struct cv_members *m, struct cv_diag *d, int err, const char *what)
{
	const char *said = m->first.ar && err == CV_EFORMAT ? archive_error_string(m->first.ar) : NULL;

	return cv_diag_fail(d, err, "%s: %s", m->archive->name, said ? said : err == CV_EFORMAT ? what : cv_strerror(err));
}

int cv_members_open(struct cv_src *archive, struct cv_diag *d, struct cv_members **ret)
{
	struct cv_members *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return CV_ENOMEM;
	m->archive = archive;
	forget_blocks(m);
	err = reader_begin(&m->first, archive);
	if (err < 0) {
		fail(m, d, err, "not a zip archive");
		cv_members_close(m);
		return err;
	}
	*ret = m;
	return 0;
}

/* Makes the entry the member at hand. 1, or 0 if it is no file that has bytes. */
static int set_member(struct cv_members *m, struct archive_entry *e)
{
	const char *name = archive_entry_pathname(e);

	if (!name)
		name = archive_entry_pathname_utf8(e);
	if (!name || archive_entry_filetype(e) != AE_IFREG || archive_entry_size(e) < 0)
		return 0;
	free(m->name);
	m->name = strdup(name);
	if (!m->name)
		return CV_ENOMEM;
	m->src = (struct cv_src){ .ops = &member_ops, .size = (uint64_t)archive_entry_size(e), .name = m->name, .forward = true };
	return 1;
}

int cv_members_next(struct cv_members *m, struct cv_diag *d, struct cv_member *ret)
{
	struct archive_entry *e;
	int err = 0;

	reader_end(&m->again);
	forget_blocks(m);
	m->repeated = 0;
	if (m->ended)
		return 0;
	/* A damaged member ends a reader for good. */
	if (!m->first.ar)
		err = reader_return(m, &m->first, m->header);
	while (err == 0 && (err = reader_header(&m->first, &e)) == 1) {
		m->header = m->first.headers;
		err = m->header > CV_MEMBERS_MAX ? CV_ELIMIT : set_member(m, e);
	}
	if (err < 0)
		return fail(m, d, err, "damaged");
	m->ended = err == 0;
	if (err == 1)
		*ret = (struct cv_member){ .name = m->name, .size = m->src.size };
	return err;
}

struct cv_src *cv_members_src(struct cv_members *m)
{
	return &m->src;
}

void cv_members_close(struct cv_members *m)
{
	if (!m)
		return;
	reader_end(&m->first);
	reader_end(&m->again);
	for (size_t i = 0; i < BLOCKS; i++)
		free(m->blocks[i].p);
	free(m->name);
	free(m);
}
