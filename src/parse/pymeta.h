/* SPDX-License-Identifier: Apache-2.0 */
/*
 * METADATA, PKG-INFO and WHEEL: the header files of an installed distribution (core metadata, RFC 822 style).
 *
 * Only the headers are read, never the description behind the first empty line, which can be of any size. A line that is no
 * header ends them, as it does for Python's own reader: what came before counts, bad_line tells where it broke.
 */
#ifndef CV_PARSE_PYMETA_H
#define CV_PARSE_PYMETA_H

#include "base/diag.h"
#include "base/src.h"
#include "base/vec.h"

#define CV_PYMETA_MAX ((size_t)1 << 20) /* bytes of headers */

struct cv_pyhead {
	struct cv_str name;
	const char *value; /* trimmed; a folded value is joined with single spaces */
	unsigned line;     /* 1-based */
};

struct cv_pyheads {
	CV_VEC(struct cv_pyhead) all;
	unsigned bad_line; /* where something stood that is no header; 0: nowhere */
};

/*
 * Everything lives in a. CV_ELIMIT if the headers do not end within CV_PYMETA_MAX bytes, else what reading gave. An empty file
 * is no error: it has no headers.
 */
int cv_pyheads_read(struct cv_src *s, struct cv_arena *a, struct cv_pyheads *ret);
/* The first header of that name (without regard to case), or NULL. */
const struct cv_pyhead *cv_pyheads_get(const struct cv_pyheads *h, const char *name);
/* The next one after *at (start with 0), or NULL. */
const struct cv_pyhead *cv_pyheads_next(const struct cv_pyheads *h, const char *name, size_t *at);

#endif
