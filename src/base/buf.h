/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buf: a growing byte string on the heap with a hard maximum. Errors are sticky: look at err once, at the end.
 */
#ifndef CV_BASE_BUF_H
#define CV_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

#include "base/str.h"
#include "cuvet/err.h"

struct cv_buf {
	char *p; /* always NUL-terminated once something was added; NULL before */
	size_t n, cap, max;
	int err; /* 0, CV_ENOMEM or CV_ELIMIT */
};

void cv_buf_init(struct cv_buf *b, size_t max);
void cv_buf_release(struct cv_buf *b);
void cv_buf_add(struct cv_buf *b, const void *p, size_t n);
void cv_buf_puts(struct cv_buf *b, const char *s);
void cv_buf_putc(struct cv_buf *b, char c);
/* n times c. */
void cv_buf_fill(struct cv_buf *b, char c, size_t n);
void cv_buf_printf(struct cv_buf *b, const char *fmt, ...) CV_PRINTF(2, 3);
/* What is in it, "" when empty. */
const char *cv_buf_str(const struct cv_buf *b);

#endif
