/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share. */
#ifndef CV_EXPLAIN_ROOM_H
#define CV_EXPLAIN_ROOM_H

#include "base/vec.h"
#include "explain/explain.h"
#include "parse/txt.h"

/* Something told, kept until the facts are filled. */
struct cv_kept {
	enum cv_tell what;
	enum cv_told_weight weight;
	const char *subject, *value, *extra, *file;
	unsigned line, station; /* station: number of the paste it stands in */
};

#define CV_KEPT_MAX 20000

struct cv_keeps {
	CV_VEC(struct cv_kept) v;
};

/* A message that was found. */
struct cv_hit {
	size_t message; /* index into the scanner's table */
	const char *file, *text;
	unsigned line;
	struct cv_strv captures;
	uint64_t count;
};

struct cv_scan;
/* The messages of kb: literals for the filter, patterns compiled when first needed. */
int cv_scan_new(const struct cv_kb *kb, struct cv_arena *a, struct cv_scan **ret);
void cv_scan_free(struct cv_scan *s);
/* Looks for literals in buf, whole lines without escape sequences; first is the number of its first line. */
int cv_scan_lines(struct cv_scan *s, const char *file, const char *buf, size_t n, unsigned first);
size_t cv_scan_hits(const struct cv_scan *s, const struct cv_hit **ret);
const char *cv_scan_id(const struct cv_scan *s, size_t message);

/*
 * Leaves out what tells of another machine than the one with the fault: of pastes that contradict each other, those nearest to the
 * messages stay. Returns true if there is a contradiction and nothing that says which of them is meant.
 */
bool cv_sift(struct cv_keeps *keeps, const struct cv_scan *scan, const struct cv_kb *kb, struct cv_arena *a);

/* The longest stretch of plain characters that a match of the pattern must hold; empty if there is none of four bytes. */
struct cv_str cv_pattern_literal(struct cv_arena *a, const char *pattern);

/* Keeps into facts; what follows from several of them, with kb, is put in by cv_imply(). */
void cv_fill(struct cv_facts *f, const struct cv_kb *kb, struct cv_arena *a, const struct cv_keeps *keeps);
void cv_imply(struct cv_facts *f, const struct cv_kb *kb, struct cv_arena *a);

#define CV_REPORT_ENV "report" /* key of the one environment that a text speaks of */

#endif
