/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>

void cv_buf_init(struct cv_buf *b, size_t max)
{
	*b = (struct cv_buf){ .max = max };
}

void cv_buf_release(struct cv_buf *b)
{
	free(b->p);
	*b = (struct cv_buf){ .max = b->max };
}

static bool reserve(struct cv_buf *b, size_t n)
{
	size_t cap = b->cap ? b->cap : 256;
	char *p;

	if (b->err)
		return false;
	if (n > b->max || b->n > b->max - n) {
		b->err = CV_ELIMIT;
		return false;
	}
	if (b->cap && b->n + n < b->cap)
		return true;
	while (cap <= b->n + n)
		cap *= 2;
	p = realloc(b->p, cap);
	if (!p) {
		b->err = CV_ENOMEM;
		return false;
	}
	b->p = p;
	b->cap = cap;
	return true;
}

void cv_buf_add(struct cv_buf *b, const void *p, size_t n)
{
	if (!reserve(b, n))
		return;
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = '\0';
}

void cv_buf_puts(struct cv_buf *b, const char *s)
{
	cv_buf_add(b, s, strlen(s));
}

void cv_buf_putc(struct cv_buf *b, char c)
{
	cv_buf_add(b, &c, 1);
}

void cv_buf_fill(struct cv_buf *b, char c, size_t n)
{
	if (!reserve(b, n))
		return;
	memset(b->p + b->n, c, n);
	b->n += n;
	b->p[b->n] = '\0';
}

void cv_buf_printf(struct cv_buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || !reserve(b, (size_t)n))
		return;
	va_start(ap, fmt);
	vsnprintf(b->p + b->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
}

const char *cv_buf_str(const struct cv_buf *b)
{
	return b->p ? b->p : "";
}
