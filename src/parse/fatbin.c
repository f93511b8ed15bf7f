/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/fatbin.h"

#include "base/bytes.h"
#include "base/num.h"

#define ENTRY_HEADER 64
#define FLAG_ARCH_SPECIFIC 0x100000u
#define FLAG_FAMILY 0x200000u
#define FLAG_LZ4 0x2000u
#define FLAG_ZSTD 0x8000u

/*
 * A window over the source that follows the walk. It begins with what is left of a page, because a cubin of a megabyte lies
 * between two headers and its pages shall not be read, and grows while one read after the other falls right behind the last
 * (libcufft holds 24,000 containers of 2 KB).
 */
#define WINDOW_MIN 128
#define PAGE 4096
#define WINDOW_NEAR 4096 /* the next page: a gap this small is cheaper to read through */
#define WINDOW_MAX 65536

struct window {
	struct cv_src *src;
	uint64_t at, end; /* what buf holds; end of the region */
	size_t len, step;
	unsigned char buf[WINDOW_MAX];
};

/* Points *ret at n bytes (at most WINDOW_MIN) at offset off, which the caller knows to lie inside the region. */
static int window_get(struct window *w, uint64_t off, size_t n, const unsigned char **ret)
{
	if (off < w->at || off - w->at > w->len || w->len - (size_t)(off - w->at) < n) {
		bool close_by = w->len && off >= w->at && off - w->at < w->len + WINDOW_NEAR;
		uint64_t left = w->end - off;
		size_t want;
		int r;

		w->step = close_by && w->step < WINDOW_MAX ? w->step * 2 : close_by ? WINDOW_MAX : WINDOW_MIN;
		want = PAGE - (size_t)(off % PAGE);
		want = want < w->step ? w->step : want;
		want = left < want ? (size_t)left : want;
		w->len = 0;
		r = cv_src_read(w->src, off, w->buf, want);
		if (r == CV_ENOTASKED && want > n) { /* a record holds what another version read: the headers at least */
			want = n;
			r = cv_src_read(w->src, off, w->buf, want);
		}
		if (r < 0)
			return r;
		w->at = off;
		w->len = want;
	}
	*ret = w->buf + (off - w->at);
	return 0;
}

/* Offset of the next magic at or behind off, aligned to 8 bytes in the file; end if there is none. */
static int find_magic(struct window *w, uint64_t off, uint64_t *ret)
{
	const unsigned char *p;
	uint64_t at = off + (8 - off % 8) % 8;

	while (at < w->end && w->end - at >= CV_FATBIN_HEADER) {
		size_t n;
		int r = window_get(w, at, CV_FATBIN_HEADER, &p);

		if (r < 0)
			return r;
		n = w->len - (size_t)(at - w->at);
		for (size_t i = 0; i + 4 <= n; i += 8) {
			if (cv_le32(p + i) == CV_FATBIN_MAGIC) {
				*ret = at + i;
				return 0;
			}
		}
		at += (n + 7) / 8 * 8;
	}
	*ret = w->end;
	return 0;
}

static struct cv_fatbin_entry decode(const unsigned char *p, uint64_t payload_at)
{
	uint64_t flags = cv_le64(p + 40);
	uint32_t arch = cv_le32(p + 28);
	struct cv_fatbin_entry e = {
		.kind = cv_le16(p),
		.arch = arch > UINT16_MAX ? UINT16_MAX : (uint16_t)arch,
		.suffix = flags & FLAG_ARCH_SPECIFIC ? 'a' : flags & FLAG_FAMILY ? 'f' : '\0',
		.at = payload_at,
		.size = cv_le64(p + 8),
		.packed_size = cv_le32(p + 16),
	};

	e.full_size = e.packed_size ? cv_le64(p + 56) : e.size;
	if (e.packed_size)
		e.packing = flags & FLAG_ZSTD ? CV_FATBIN_ZSTD : flags & FLAG_LZ4 ? CV_FATBIN_LZ4 : CV_FATBIN_OTHER;

	if (e.kind == CV_FATBIN_PTX) {
		e.ptx_minor = cv_le16(p + 24);
		e.ptx_major = cv_le16(p + 26);
	}
	return e;
}

/* The entries in [at, end). 1: they are whole; 0: they are not; <0: error. */
static int read_entries(struct window *w, uint64_t at, uint64_t end, struct cv_fatbin_entry *v, size_t *ret_n)
{
	size_t n = 0;

	while (end - at >= ENTRY_HEADER) {
		const unsigned char *p;
		uint32_t header;
		int r = window_get(w, at, ENTRY_HEADER, &p);

		if (r < 0)
			return r;
		header = cv_le32(p + 4);
		if (header < ENTRY_HEADER || header > end - at || n == CV_FATBIN_ENTRY_MAX)
			return 0;
		v[n] = decode(p, at + header);
		if (!cv_in_range(v[n].at, v[n].size, end))
			return 0;
		at = v[n].at + v[n].size;
		n++;
	}
	*ret_n = n;
	return 1;
}

/* The container at offset at, whose magic is there. 1: it is whole, *ret_end behind it; 0: it is damaged; <0: error. */
static int read_container(struct window *w, uint64_t at, const struct cv_fatbin_sink *sink, uint64_t *ret_end)
{
	struct cv_fatbin_entry v[CV_FATBIN_ENTRY_MAX];
	const unsigned char *p;
	uint64_t body, end;
	uint32_t header;
	size_t n = 0;
	int r = window_get(w, at, CV_FATBIN_HEADER, &p);

	if (r < 0)
		return r;
	header = cv_le16(p + 6);
	body = cv_le64(p + 8);
	if (cv_le16(p + 4) != 1 || header < CV_FATBIN_HEADER || !cv_in_range(header, body, w->end - at))
		return 0;
	end = at + header + body;
	r = read_entries(w, at + header, end, v, &n);
	if (r <= 0)
		return r;
	r = sink->container(sink->cookie, at, end, v, n);
	if (r < 0)
		return r;
	*ret_end = end;
	return 1;
}

static int pass_over(struct cv_fatbin_walk *walk, const struct cv_fatbin_sink *sink, uint64_t at)
{
	if (walk->damaged++ == 0)
		walk->damaged_at = at;
	if (walk->damaged > CV_FATBIN_DAMAGED_MAX)
		return CV_ELIMIT;
	return sink->damaged ? sink->damaged(sink->cookie, at) : 0;
}

int cv_fatbin_walk(struct cv_src *src, uint64_t off, uint64_t len, const struct cv_fatbin_sink *sink, struct cv_fatbin_walk *walk)
{
	struct window w = { .src = src, .step = WINDOW_MIN };
	uint64_t at = off;

	if (!cv_in_range(off, len, src->size))
		return CV_EFORMAT;
	w.end = off + len;
	for (;;) {
		uint64_t end = 0;
		int r = find_magic(&w, at, &at);

		if (r < 0 || w.end - at < CV_FATBIN_HEADER)
			return r;
		r = read_container(&w, at, sink, &end);
		if (r == 0) {
			end = at + 8;
			r = pass_over(walk, sink, at);
		} else if (r == 1 && ++walk->containers > CV_FATBIN_MAX) {
			r = CV_ELIMIT;
		}
		if (r < 0)
			return r;
		at = end;
	}
}
