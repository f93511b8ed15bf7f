/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jscan: JSON token by token from a src, in constant memory.
 *
 * For files of which little is wanted and much is there: the record of a conda package lists its files, 15,000 for pytorch in
 * 6 MB. As a tree in memory (jansson) that takes 20 MB and ten times as long; here it is 40 KB. Small documents are read with
 * jansson.
 *
 * Checked: structure, numbers, literals, escapes, control characters, depth. Not checked: that text is UTF-8, that keys are
 * unique.
 */
#ifndef CV_PARSE_JSCAN_H
#define CV_PARSE_JSCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/src.h"

#define CV_JSCAN_DEPTH 64
#define CV_JSCAN_TEXT 4096 /* longer strings are cut, with cut set */

enum cv_jtoken {
	CV_J_END,
	CV_J_OBJ,
	CV_J_END_OBJ,
	CV_J_ARR,
	CV_J_END_ARR,
	CV_J_KEY,
	CV_J_STR,
	CV_J_NUM,
	CV_J_TRUE,
	CV_J_FALSE,
	CV_J_NULL,
};

struct cv_jscan {
	struct cv_src *src;
	char *buf;
	size_t at, have;
	uint64_t off; /* in src, of the byte behind buf */
	unsigned depth;
	bool in_object[CV_JSCAN_DEPTH];
	enum { CV_J_WANT_VALUE, CV_J_WANT_FIRST, CV_J_WANT_COLON_VALUE, CV_J_WANT_NEXT } want;
	int err;

	char *text; /* of the last CV_J_KEY, CV_J_STR or CV_J_NUM, NUL-terminated (NULs in it are dropped) */
	size_t text_n;
	bool cut;
};

/* The buffers live in a. 0 or CV_ENOMEM. */
int cv_jscan_init(struct cv_jscan *j, struct cv_src *s, struct cv_arena *a);
/* The next token; CV_J_END at the end of the document, or a negative cv_err (CV_EFORMAT, CV_ELIMIT, what reading gave). */
int cv_jscan_next(struct cv_jscan *j);
/* Passes over the value of which token was the beginning. 0 or a negative cv_err. */
int cv_jscan_skip(struct cv_jscan *j, int token);
/* Offset of the next byte, for messages. */
uint64_t cv_jscan_offset(const struct cv_jscan *j);

#endif
