/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of what `cuvet ld` prints for people. */
#ifndef CV_REPORT_LD_PARTS_H
#define CV_REPORT_LD_PARTS_H

#include "report/ld.h"

#define CV_LD_INDENT 2
#define CV_LD_DEPTH_MAX 40

struct cv_ld_page {
	struct cv_term *t;
	const struct cv_ld *r;
	const struct cv_ld_map *map;
	const struct cv_loadmap *m;
	const char *base; /* directory written as dots in the tree; NULL: none */
};

/* Name of the file of object i, as the loader calls it; "the program" where there is no object. */
const char *cv_ld_short(const struct cv_ld_page *p, size_t i);
/* Of no account: a step of the program that may fail did, or what it brought is gone again. */
bool cv_ld_is_hidden(const struct cv_ld_page *p, size_t edge);
/* "2 libraries": the word is made plural where n is not 1. */
const char *cv_ld_count(struct cv_arena *a, size_t n, const char *one, const char *many);

/* A list of objects: each added with its number, then ended; only the first few are named. */
const char *cv_ld_add_name(const struct cv_ld_page *p, const char *text, size_t n, size_t object);
const char *cv_ld_end_names(const struct cv_ld_page *p, const char *text, size_t n);

/* Why it does not load, in one clause. */
const char *cv_ld_cause(const struct cv_ld_page *p);
void cv_ld_print_troubles(struct cv_ld_page *p);

/* Chooses the base, and says which it is. */
void cv_ld_print_base(struct cv_ld_page *p);
void cv_ld_print_tree(struct cv_ld_page *p);
void cv_ld_print_flat(struct cv_ld_page *p);
void cv_ld_print_why(struct cv_ld_page *p);

#endif
