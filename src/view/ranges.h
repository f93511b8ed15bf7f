/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges: the parts of one file that were read, with their bytes; parts that touch become one. Private to view/. */
#ifndef CV_VIEW_RANGES_H
#define CV_VIEW_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cv_range {
	uint64_t off;
	size_t len, cap;
	unsigned char *p;
};

struct cv_ranges {
	struct cv_range *v; /* ascending, with gaps between */
	size_t n, cap;
};

/*
 * Adds len bytes at off; bytes that are known already stay as they were. *budget is what may still be kept and counts down:
 * CV_ELIMIT when it is spent. CV_ENOMEM. On failure nothing is changed.
 */
int cv_ranges_add(struct cv_ranges *r, uint64_t off, const void *p, size_t len, size_t *budget);
/* The range that holds all of [off, off + len), or NULL. */
const struct cv_range *cv_ranges_find(const struct cv_ranges *r, uint64_t off, size_t len);
void cv_ranges_release(struct cv_ranges *r);

#endif
