/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a PEP 440 version, for version.c (order) and version_spec.c (specifiers); nobody else needs them.
 *
 * Numbers stay text, because PEP 440 sets no bound on their length. All slices point into the parsed text.
 */
#ifndef CV_BASE_VERSION_PEP440_H
#define CV_BASE_VERSION_PEP440_H

#include "base/version.h"

struct cv_pep440 {
	struct cv_str epoch;   /* digits; empty: 0 */
	struct cv_str release; /* digits with dots between, never empty */
	char pre;              /* 'a', 'b', 'r' (rc) or 0 */
	bool post, dev;
	struct cv_str pre_n, post_n, dev_n; /* digits; empty: 0 */
	struct cv_str local;   /* as written; .p is NULL when there is none */
};

/* False if s is not a version; blanks around it are allowed. */
bool cv_pep440_parse(struct cv_str s, struct cv_pep440 *ret);
/* The same for the longest version without local part at the beginning of *s, which is dropped from *s. */
bool cv_pep440_eat(struct cv_str *s, struct cv_pep440 *ret);

/* <0, 0, >0: of versions; of two decimal numbers of any length. */
int cv_pep440_cmp(const struct cv_pep440 *a, const struct cv_pep440 *b);
int cv_digits_cmp(struct cv_str a, struct cv_str b);
/* Releases compared as if the shorter went on with zeros; with max > 0 the first max parts only. */
int cv_release_cmp(struct cv_str a, struct cv_str b, unsigned max);

/* v without its local part. */
struct cv_pep440 cv_pep440_public(const struct cv_pep440 *v);

#endif
