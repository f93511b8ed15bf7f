/* SPDX-License-Identifier: Apache-2.0 */
#include "base/src.h"

#include "base/num.h"

int cv_src_read(struct cv_src *s, uint64_t off, void *buf, size_t len)
{
	if (!cv_in_range(off, len, s->size))
		return CV_EFORMAT;
	return len ? s->ops->read_at(s, off, buf, len) : 0;
}

int cv_src_slice(struct cv_src *s, uint64_t off, size_t len, struct cv_arena *a, struct cv_str *ret)
{
	char *p;
	int r;

	if (!cv_in_range(off, len, s->size))
		return CV_EFORMAT;
	if (len == SIZE_MAX || !(p = cv_arena_alloc(a, len + 1)))
		return CV_ENOMEM;
	r = cv_src_read(s, off, p, len);
	if (r < 0)
		return r;
	*ret = (struct cv_str){ p, len };
	return 0;
}

int cv_src_all(struct cv_src *s, size_t max, struct cv_arena *a, struct cv_str *ret)
{
	if (s->size > max)
		return CV_ELIMIT;
	return cv_src_slice(s, 0, (size_t)s->size, a, ret);
}

void cv_src_close(struct cv_src *s)
{
	if (s && s->ops->close)
		s->ops->close(s);
}

static int mem_read_at(struct cv_src *s, uint64_t off, void *buf, size_t len)
{
	memcpy(buf, ((struct cv_src_mem *)s)->p + off, len);
	return 0;
}

static const struct cv_src_ops mem_ops = { .read_at = mem_read_at };

struct cv_src *cv_src_mem_init(struct cv_src_mem *m, const void *p, size_t n, const char *name)
{
	m->src = (struct cv_src){ .ops = &mem_ops, .size = n, .name = name };
	m->p = p;
	return &m->src;
}
