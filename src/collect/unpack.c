/* SPDX-License-Identifier: Apache-2.0 */
/* libarchive's "raw" format: one nameless member, the unpacked stream. Filters are named one by one. */
#include "collect/unpack.h"

#include <archive.h>
#include <archive_entry.h>

struct feed {
	struct cv_src *src;
	uint64_t at;
	int err;
	char piece[64 * 1024];
};

static la_ssize_t feed_read(struct archive *a, void *cookie, const void **ret)
{
	struct feed *f = cookie;
	uint64_t left = f->src->size - f->at;
	size_t n = left < sizeof(f->piece) ? (size_t)left : sizeof(f->piece);

	f->err = cv_src_read(f->src, f->at, f->piece, n);
	(void)a;
	if (f->err < 0)
		return ARCHIVE_FATAL;
	f->at += n;
	*ret = f->piece;
	return (la_ssize_t)n;
}

static int walk(struct archive *a, uint64_t max, cv_unpack_fn *fn, void *cookie)
{
	struct archive_entry *entry;
	uint64_t total = 0;
	char piece[64 * 1024];

	if (archive_read_next_header(a, &entry) != ARCHIVE_OK)
		return CV_EFORMAT;
	for (;;) {
		la_ssize_t n = archive_read_data(a, piece, sizeof(piece));
		int r;

		if (n == 0)
			return 0;
		if (n < 0)
			return CV_EFORMAT;
		total += (uint64_t)n;
		if (total > max)
			return CV_ELIMIT;
		r = fn(cookie, piece, (size_t)n);
		if (r < 0)
			return r;
	}
}

int cv_unpack(struct cv_src *src, uint64_t max, cv_unpack_fn *fn, void *cookie)
{
	struct feed f = { .src = src };
	struct archive *a = archive_read_new();
	int r = CV_EFORMAT;

	if (!a)
		return CV_ENOMEM;
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_zstd(a);
	archive_read_support_format_raw(a);
	if (archive_read_open(a, &f, NULL, feed_read, NULL) == ARCHIVE_OK)
		r = walk(a, max, fn, cookie);
	archive_read_free(a);
	return f.err < 0 ? f.err : r;
}
