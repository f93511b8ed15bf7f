/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kb: the knowledge base. One row is one claim: subject, versions, property, value, source, date, tier.
 *
 * The rows are the .tsv files under kb/ of the source tree, checked and compiled in by the build (tools/kbc.c); --kb DIR lays
 * further files of the same form over them, and a row there replaces those of the same subject and property that it overlaps.
 * kb/SCHEMA lists each subject with its version scheme and each property with what its value means; kb/SOURCES the sources.
 *
 * A row covers versions [from, to); from "" means from the beginning, to "" without end, to "=" exactly from. The local part of
 * a PEP 440 version does not count here: "2.9.0+cu128" is asked as 2.9.0. For one subject
 * and property the intervals are disjoint (the build checks it), so a look-up has one answer. A property may carry a
 * qualifier behind a colon ("code:cu128"); each full name counts as its own property.
 */
#ifndef CV_KB_KB_H
#define CV_KB_KB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/version.h"

struct cv_view;
struct cv_kb;

/* A row as it is handed out; its texts live as long as the kb. The stored form is packed (see builtin.h), so rows are copies. */
struct cv_kb_row {
	const char *subject, *from, *to, *property, *value, *source, *date, *tier;
};

struct cv_kb_source {
	const char *key, *title, *address, *date;
};

/* The compiled-in kb; never NULL, immutable, no need to free. */
const struct cv_kb *cv_kb_builtin(void);
/* The compiled-in kb with the .tsv files of dir (in v) over it. Lives in a. CV_EFORMAT names file and line in d. */
int cv_kb_overlay(struct cv_view *v, const char *dir, struct cv_arena *a, struct cv_diag *d, const struct cv_kb **ret);

/* Date of the newest row (YYYY-MM-DD). */
const char *cv_kb_date(const struct cv_kb *kb);
/* Version scheme of a subject as kb/SCHEMA says; CV_VER_DOTTED for an unknown one. */
enum cv_ver_scheme cv_kb_scheme(const struct cv_kb *kb, const char *subject);

/* May a row have this subject and property, by kb/SCHEMA? */
bool cv_kb_allows(const struct cv_kb *kb, const char *subject, const char *property);

/* The row of (subject, property) that covers version; version NULL takes the first row. False if there is none. */
bool cv_kb_get(const struct cv_kb *kb, const char *subject, const char *version, const char *property, struct cv_kb_row *ret);
/* Its value, or NULL. */
const char *cv_kb_value(const struct cv_kb *kb, const char *subject, const char *version, const char *property);
/* True if value, a list of words separated by blanks, holds word. */
bool cv_kb_has_word(const char *value, const char *word);

/*
 * Walks rows in order (subject, property, from). subject NULL: all, "package:*": all that begin with "package:"; version NULL:
 * all intervals; property NULL: all, "x:*": all qualifiers of x. Gives the next row; false at the end. Arguments are borrowed.
 */
struct cv_kb_iter {
	const struct cv_kb *kb;
	const char *subject, *version, *property;
	size_t at;
	const char *last;          /* the subject whose scheme this is: many rows share one */
	enum cv_ver_scheme scheme;
};
struct cv_kb_iter cv_kb_iter(const struct cv_kb *kb, const char *subject, const char *version, const char *property);
bool cv_kb_next(struct cv_kb_iter *it, struct cv_kb_row *ret);

/* Does the kb reach this version of the subject? Judged by its rows of property "release", or by all where it has none. */
enum cv_kb_reach {
	CV_KB_LISTED,  /* it is a known release (or of a known branch, for drivers) */
	CV_KB_UNLISTED,/* within the range of known releases, but not one of them */
	CV_KB_NEWER,   /* newer than all known: answers must say "newer than this knowledge base" */
	CV_KB_OLDER,   /* older than all known */
	CV_KB_NO_SUBJECT,
};
enum cv_kb_reach cv_kb_reach(const struct cv_kb *kb, const char *subject, const char *version);

/* False if the key is unknown. */
bool cv_kb_source(const struct cv_kb *kb, const char *key, struct cv_kb_source *ret);

#endif
