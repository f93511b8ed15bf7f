/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tsv: reads and checks the text form of the knowledge base. The build tool (tools/kbc.c) and --kb at run time share it.
 *
 * Files are UTF-8 lines of columns between tabs, without quoting; empty lines and lines that start with '#' are skipped.
 *
 *	SCHEMA    subject, scheme, property, meaning
 *	SOURCES   key, title, address, date
 *	*.tsv     subject, from, to, property, value, source, date, tier
 *
 * A set is filled in that order, then finished. A bad line is reported and skipped, so that one run names them all: each
 * call returns CV_EFORMAT if it met any, and messages are "FILE:LINE: what is wrong".
 */
#ifndef CV_KB_TSV_H
#define CV_KB_TSV_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/str.h"
#include "base/vec.h"
#include "base/version.h"
#include "kb/kb.h"

#define CV_TSV_LINE_MAX 4000
#define CV_TSV_ROWS_MAX 200000

/* One line of SCHEMA: a property that a subject may have. */
struct cv_tsv_property {
	const char *subject, *property, *meaning;
	enum cv_ver_scheme scheme;
};

struct cv_tsv_source {
	struct cv_kb_source source;
	const char *file;
	unsigned line;
	bool used;
};

struct cv_tsv_row {
	struct cv_kb_row row;
	enum cv_ver_scheme scheme;
	const char *file;
	unsigned line;
};

/* Texts live in the arena that was passed in. Start with a zeroed one. */
struct cv_tsv_set {
	CV_VEC(struct cv_tsv_property) schema;
	CV_VEC(struct cv_tsv_source) sources;
	CV_VEC(struct cv_tsv_row) rows;
};

/* file names the text in messages and must outlive the set. */
int cv_tsv_schema(struct cv_str text, const char *file, struct cv_arena *a, struct cv_diag *d, struct cv_tsv_set *set);
int cv_tsv_sources(struct cv_str text, const char *file, struct cv_arena *a, struct cv_diag *d, struct cv_tsv_set *set);
/* Each row by itself, and that the rows of this file are in order. */
int cv_tsv_rows(struct cv_str text, const char *file, struct cv_arena *a, struct cv_diag *d, struct cv_tsv_set *set);
/* Sorts the rows of all files and checks that the intervals of one subject and property are disjoint. */
int cv_tsv_finish(struct cv_arena *a, struct cv_diag *d, struct cv_tsv_set *set);
/* Refuses sources that no row uses; for the kb of the tree, not for an overlay. */
int cv_tsv_check_used(struct cv_diag *d, const struct cv_tsv_set *set);

/* Does a name of SCHEMA ("gpu:*", "release") stand for this subject or property? */
bool cv_tsv_name_matches(const char *pattern, const char *name);
/* <0, 0, >0 by subject, property, from: the order of the kb. from is compared by the scheme, "" is the least. */
int cv_tsv_row_cmp(enum cv_ver_scheme scheme, const struct cv_kb_row *a, const struct cv_kb_row *b);
/* Do two rows of one subject and property share a version? */
bool cv_tsv_row_overlaps(enum cv_ver_scheme scheme, const struct cv_kb_row *a, const struct cv_kb_row *b);

#endif
