/* SPDX-License-Identifier: Apache-2.0 */
/* Unpack: a gzip, xz or zstd stream given out piece by piece, never whole in memory. */
#ifndef CV_COLLECT_UNPACK_H
#define CV_COLLECT_UNPACK_H

#include "base/src.h"

/* Gets the next piece; a negative return ends the walk and is passed on. */
typedef int cv_unpack_fn(void *cookie, const char *p, size_t n);

/* CV_ELIMIT when more than max bytes come out, CV_EFORMAT for a damaged stream; an error of src is passed on. */
int cv_unpack(struct cv_src *src, uint64_t max, cv_unpack_fn *fn, void *cookie);

#endif
