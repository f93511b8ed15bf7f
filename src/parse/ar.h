/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ar: the members of a static archive (libcublas_static.a). System V form with GNU's long names; only headers are read.
 */
#ifndef CV_PARSE_AR_H
#define CV_PARSE_AR_H

#include "base/diag.h"
#include "base/src.h"

#define CV_AR_MAX 200000

struct cv_ar_iter {
	struct cv_src *src;
	uint64_t at;
	unsigned long n;
};

/* True if the file begins like an archive. */
bool cv_ar_is(struct cv_src *src);
void cv_ar_begin(struct cv_ar_iter *it, struct cv_src *src);
/*
 * The next member's bytes as [*ret_off, *ret_off + *ret_size); symbol and name tables ("/", "//") are passed over. 1: a member,
 * 0: the end, CV_EFORMAT with the offset in d, CV_ELIMIT.
 */
int cv_ar_next(struct cv_ar_iter *it, struct cv_diag *d, uint64_t *ret_off, uint64_t *ret_size);

#endif
