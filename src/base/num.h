/* SPDX-License-Identifier: Apache-2.0 */
/* Checked arithmetic for offsets and counts that come from files. Each returns false on overflow. */
#ifndef CV_BASE_NUM_H
#define CV_BASE_NUM_H

#include <stdbool.h>
#include <stdint.h>

static inline bool cv_add(uint64_t a, uint64_t b, uint64_t *ret)
{
	return !__builtin_add_overflow(a, b, ret);
}

static inline bool cv_mul(uint64_t a, uint64_t b, uint64_t *ret)
{
	return !__builtin_mul_overflow(a, b, ret);
}

/* True if [off, off + len) lies within [0, size). */
static inline bool cv_in_range(uint64_t off, uint64_t len, uint64_t size)
{
	return off <= size && len <= size - off;
}

#endif
