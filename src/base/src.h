/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Src: a sized thing that can be read at any offset: memory, a file, an archive member.
 *
 * Parsers know files only as a src, so they do no I/O of their own and a fuzzer can feed them memory.
 */
#ifndef CV_BASE_SRC_H
#define CV_BASE_SRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct cv_src;

struct cv_src_ops {
	/* Reads exactly len bytes at off; the caller has checked that they lie within size. 0 or a negative cv_err. */
	int (*read_at)(struct cv_src *s, uint64_t off, void *buf, size_t len);
	/* Ends the use; NULL if there is nothing to do. */
	void (*close)(struct cv_src *s);
};

struct cv_src {
	const struct cv_src_ops *ops;
	uint64_t size;
	const char *name; /* for messages; borrowed */
	bool forward;     /* a packed member: going back costs reading it again from its beginning */
};

/* Reads exactly len bytes at off. CV_EFORMAT if that is past the end (never a short read). */
int cv_src_read(struct cv_src *s, uint64_t off, void *buf, size_t len);
/* The same into fresh arena memory with a NUL behind it. */
int cv_src_slice(struct cv_src *s, uint64_t off, size_t len, struct cv_arena *a, struct cv_str *ret);
/* The whole of it, if it has at most max bytes (CV_ELIMIT above). */
int cv_src_all(struct cv_src *s, size_t max, struct cv_arena *a, struct cv_str *ret);
/* NULL is allowed. */
void cv_src_close(struct cv_src *s);

/* A src over memory that outlives it; nothing to close. */
struct cv_src_mem {
	struct cv_src src;
	const unsigned char *p;
};
struct cv_src *cv_src_mem_init(struct cv_src_mem *m, const void *p, size_t n, const char *name);

#endif
