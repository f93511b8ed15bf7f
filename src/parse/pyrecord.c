/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dialect is that of Python's csv module with its defaults: comma, double quote, a quote inside quotes is doubled, quotes
 * may span lines. Wheels are written by many tools, so LF and CRLF both occur and rows may have one or two fields only.
 */
#include "parse/pyrecord.h"

#include <string.h>

#define CHUNK ((size_t)65536)

struct reader {
	struct cv_src *src;
	char *buf; /* CHUNK bytes */
	size_t at, have;
	uint64_t off; /* of the byte behind the buffer */
	bool plain;   /* no quote and no NUL in the buffer, as nearly always: rows are split by commas alone */
};

/* Moves what is left to the front and fills up; *ret_more is false at the end of the file. */
static int fill(struct reader *r, bool *ret_more)
{
	size_t left = r->have - r->at;
	size_t want = CHUNK - left;
	int err;

	memmove(r->buf, r->buf + r->at, left);
	r->at = 0;
	r->have = left;
	if (want > r->src->size - r->off)
		want = (size_t)(r->src->size - r->off);
	*ret_more = want > 0;
	if (want == 0)
		return 0;
	err = cv_src_read(r->src, r->off, r->buf + left, want);
	if (err < 0)
		return err;
	r->off += want;
	r->have += want;
	r->plain = !memchr(r->buf, '"', r->have) && !memchr(r->buf, '\0', r->have);
	return 0;
}

/* Length of the row at p without its line end, or -1 if its end is not within n bytes. Line ends inside quotes do not count. */
static ptrdiff_t row_length(const struct reader *r)
{
	const char *p = r->buf + r->at;
	size_t n = r->have - r->at, at = 0;

	for (;;) {
		const char *nl = memchr(p + at, '\n', n - at);
		size_t end = nl ? (size_t)(nl - p) : n;
		size_t quotes = 0;

		if (!nl)
			return -1;
		if (r->plain)
			return (ptrdiff_t)end;
		for (const char *q = p; (q = memchr(q, '"', end - (size_t)(q - p))); q++)
			quotes++;
		if (quotes % 2 == 0 || end > CV_PYRECORD_PATH)
			return (ptrdiff_t)end;
		at = end + 1;
	}
}

/* What is left of a row. */
struct rest {
	char *p;
	size_t n;
	bool comma; /* another field follows, perhaps an empty one */
	bool plain;
};

/* Takes one field off the row; quoted ones are unquoted in place. False if the quoting is broken. */
static bool take_field(struct rest *rest, struct cv_str *ret)
{
	char *in = rest->p, *end = rest->p + rest->n, *out = in;
	bool good = true;

	if (in < end && *in == '"') {
		for (in++; in < end && (*in != '"' || (in + 1 < end && in[1] == '"')); in++) {
			if (*in == '"')
				in++;
			*out++ = *in;
		}
		good = in < end && (in + 1 == end || in[1] == ',');
		in += in < end;
	} else {
		in = memchr(in, ',', rest->n);
		if (!in)
			in = end;
		out = in;
		good = rest->plain || !memchr(rest->p, '"', (size_t)(out - rest->p));
	}
	*ret = (struct cv_str){ rest->p, (size_t)(out - rest->p) };
	rest->comma = in < end;
	in += in < end;
	rest->p = in;
	rest->n = (size_t)(end - in);
	return good;
}

/* A row that the file ends in the middle of has no line end, and then mostly fewer than three fields. */
static bool parse_row(char *p, size_t n, bool plain, bool whole, struct cv_pyrecord_row *row)
{
	struct cv_str field[3] = { { "", 0 }, { "", 0 }, { "", 0 } };
	struct rest rest = { p, n, true, plain };
	size_t fields = 0;

	if (n > CV_PYRECORD_PATH || (!plain && memchr(p, '\0', n)))
		return false;
	while (rest.comma && fields < 3)
		if (!take_field(&rest, &field[fields++]))
			return false;
	if (rest.comma || field[0].n == 0 || (!whole && fields < 3))
		return false;
	row->path = field[0];
	row->hash = field[1];
	field[2] = cv_str_trim(field[2]);
	row->has_size = field[2].n > 0;
	return !row->has_size || cv_str_u64(field[2], &row->size);
}

static unsigned line_ends(const char *p, size_t n)
{
	unsigned lines = 0;

	for (const char *q = p; (q = memchr(q, '\n', n - (size_t)(q - p))); q++)
		lines++;
	return lines;
}

static int one_row(struct reader *r, size_t n, bool whole, struct cv_pyrecord_row row, cv_pyrecord_fn *fn, void *cookie,
		   struct cv_pyrecord *rec)
{
	char *p = r->buf + r->at;

	if (n && p[n - 1] == '\r')
		n--;
	if (n == 0)
		return 0;
	if (!parse_row(p, n, r->plain, whole, &row)) {
		rec->bad_rows++;
		if (!rec->bad_line)
			rec->bad_line = row.line;
		return 0;
	}
	if (++rec->rows > CV_PYRECORD_ROWS)
		return CV_ELIMIT;
	return fn(cookie, &row);
}

int cv_pyrecord_read(struct cv_src *s, struct cv_arena *a, cv_pyrecord_fn *fn, void *cookie, struct cv_pyrecord *ret)
{
	struct reader r = { .src = s, .buf = cv_arena_alloc(a, CHUNK) };
	struct cv_pyrecord rec = { 0 };
	unsigned line = 1;
	bool more = true, in_long = false;
	int err = 0;

	if (!r.buf)
		return CV_ENOMEM;
	while (err == 0) {
		ptrdiff_t found = row_length(&r);
		size_t n = found < 0 ? r.have - r.at : (size_t)found;
		unsigned ends;

		if (found < 0 && more && n < CHUNK) {
			err = fill(&r, &more);
			continue;
		}
		if (found < 0 && n == 0)
			break;
		ends = r.plain ? 0 : line_ends(r.buf + r.at, n); /* before the quotes are taken out in place */
		if (!in_long)
			err = one_row(&r, n, found >= 0, (struct cv_pyrecord_row){ .line = line }, fn, cookie, &rec);
		in_long = found < 0; /* the row fills the buffer: what follows up to its line end belongs to it */
		line += ends + (found >= 0);
		r.at += n + (found >= 0);
	}
	if (err)
		return err;
	*ret = rec;
	return 0;
}
