/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gram: finds many literals in a text in one pass, ignoring case. It is a filter: what it finds is to be confirmed.
 *
 * Of each literal one window of seven bytes, its rarest, is looked for at every fourth byte of the text (one of four
 * alignments must fall there); literals of four to six bytes need a second pass at every byte.
 */
#ifndef CV_BASE_GRAM_H
#define CV_BASE_GRAM_H

#include "base/arena.h"
#include "base/str.h"

#define CV_GRAM_MIN 4
#define CV_GRAM_MAX 4096 /* literals */

struct cv_gram;

/* The literals are borrowed. CV_EINVAL if one is shorter than CV_GRAM_MIN, CV_ELIMIT if there are too many. */
int cv_gram_new(struct cv_arena *a, const struct cv_str *literals, size_t n, struct cv_gram **ret);
/* which is the index of the literal, pos where it begins in buf. A literal that occurs twice is told twice. */
typedef void cv_gram_hit(void *cookie, size_t which, size_t pos);
void cv_gram_scan(const struct cv_gram *g, const char *buf, size_t n, cv_gram_hit *hit, void *cookie);

#endif
