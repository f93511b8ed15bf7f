/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RECORD of an installed distribution: CSV rows "path,sha256=...,size" of its files, read as a stream (torch has 14,000).
 *
 * Paths are relative to the directory that holds the .dist-info, may begin with "../" (scripts) and may be absolute. Rows
 * without a hash or size are normal (.pyc files, RECORD itself). A bad row does not end the reading; it is counted.
 */
#ifndef CV_PARSE_PYRECORD_H
#define CV_PARSE_PYRECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/src.h"

#define CV_PYRECORD_ROWS 1000000
#define CV_PYRECORD_PATH 4096 /* bytes of one row */

struct cv_pyrecord_row {
	struct cv_str path; /* all slices live until the callback returns */
	struct cv_str hash; /* "sha256=..." or empty */
	bool has_size;
	uint64_t size;
	unsigned line; /* 1-based */
};

/* Gets each good row in order; a return other than 0 ends the reading and is passed on. */
typedef int cv_pyrecord_fn(void *cookie, const struct cv_pyrecord_row *row);

struct cv_pyrecord {
	uint64_t rows;     /* good ones */
	uint64_t bad_rows;
	unsigned bad_line; /* the first bad one; 0: none */
};

/* 0, CV_ELIMIT above CV_PYRECORD_ROWS, what reading gave, or what fn returned. a holds a work buffer. */
int cv_pyrecord_read(struct cv_src *s, struct cv_arena *a, cv_pyrecord_fn *fn, void *cookie, struct cv_pyrecord *ret);

#endif
