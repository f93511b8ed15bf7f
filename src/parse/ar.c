/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/ar.h"

#include "base/num.h"
#include "base/str.h"

#define MAGIC "!<arch>\n"
#define MAGIC_SIZE 8
#define HEADER 60

bool cv_ar_is(struct cv_src *src)
{
	char b[MAGIC_SIZE];

	return src->size >= MAGIC_SIZE && cv_src_read(src, 0, b, MAGIC_SIZE) == 0 && memcmp(b, MAGIC, MAGIC_SIZE) == 0;
}

void cv_ar_begin(struct cv_ar_iter *it, struct cv_src *src)
{
	*it = (struct cv_ar_iter){ .src = src, .at = MAGIC_SIZE };
}

/* Header: 16 name, 12 date, 6 owner, 6 group, 8 mode, 10 size, 2 end mark. Members begin at even offsets. */
int cv_ar_next(struct cv_ar_iter *it, struct cv_diag *d, uint64_t *ret_off, uint64_t *ret_size)
{
	for (;;) {
		char h[HEADER];
		uint64_t size, at = it->at;
		bool table;
		int r;

		if (at >= it->src->size)
			return 0;
		if (++it->n > CV_AR_MAX)
			return CV_ELIMIT;
		r = cv_src_read(it->src, at, h, HEADER);
		if (r == 0 && (h[58] != '`' || h[59] != '\n' || !cv_str_u64(cv_str_trim((struct cv_str){ h + 48, 10 }), &size) ||
			       !cv_in_range(at + HEADER, size, it->src->size)))
			r = CV_EFORMAT;
		if (r < 0)
			return cv_diag_fail(d, r, "%s: offset %llu: not an archive member", it->src->name,
					    (unsigned long long)at);
		it->at = at + HEADER + size + size % 2;
		table = h[0] == '/' && (h[1] == ' ' || h[1] == '/' || memcmp(h, "/SYM64/", 7) == 0);
		if (table)
			continue;
		*ret_off = at + HEADER;
		*ret_size = size;
		return 1;
	}
}
