/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Str: a slice of bytes that somebody else owns; not NUL-terminated. Parsers work on slices, facts hold C strings.
 */
#ifndef CV_BASE_STR_H
#define CV_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

struct cv_str {
	const char *p;
	size_t n;
};

#define CV_STR(literal) ((struct cv_str){ "" literal, sizeof(literal) - 1 })
/* For printf's %.*s. */
#define CV_STR_ARG(s) (int)((s).n > 4096 ? 4096 : (s).n), (s).p

static inline struct cv_str cv_str_of(const char *s)
{
	return (struct cv_str){ s, strlen(s) };
}

bool cv_str_eq(struct cv_str a, struct cv_str b);
bool cv_str_is(struct cv_str a, const char *b);
bool cv_str_starts(struct cv_str s, const char *prefix);
bool cv_str_ends(struct cv_str s, const char *suffix);
/* Index of the first c, or -1. */
ptrdiff_t cv_str_chr(struct cv_str s, char c);
ptrdiff_t cv_str_rchr(struct cv_str s, char c);
/* Index of the first occurrence of needle, or -1. */
ptrdiff_t cv_str_find(struct cv_str s, const char *needle);
struct cv_str cv_str_sub(struct cv_str s, size_t from, size_t n); /* clamped to s */
struct cv_str cv_str_from(struct cv_str s, size_t from);
struct cv_str cv_str_trim(struct cv_str s); /* spaces, tabs, CR and LF at both ends */

/* If s starts with prefix, drops it from *s and returns true. */
bool cv_str_eat(struct cv_str *s, const char *prefix);
/*
 * Takes the part of *rest before the first sep (the whole rest if there is none) into *ret_part. False at the end.
 * "a,,b" gives "a", "", "b"; an empty rest gives nothing.
 */
bool cv_str_split(struct cv_str *rest, char sep, struct cv_str *ret_part);
/* The next line without its end (LF or CRLF); counts *line_no up when that is not NULL. False at the end. */
bool cv_str_line(struct cv_str *rest, struct cv_str *ret_line, unsigned *line_no);
/* The next run of characters that are not blanks; false at the end. */
bool cv_str_word(struct cv_str *rest, struct cv_str *ret_word);

/* Whole slice as an unsigned decimal or (with 0x or without) hexadecimal number; false if anything else is in it. */
bool cv_str_u64(struct cv_str s, uint64_t *ret);
bool cv_str_hex(struct cv_str s, uint64_t *ret);

static inline char *cv_str_dup(struct cv_arena *a, struct cv_str s)
{
	return cv_arena_memdup(a, s.p, s.n);
}

/* C strings */
static inline bool cv_streq(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}
bool cv_starts(const char *s, const char *prefix);
bool cv_ends(const char *s, const char *suffix);
/* The part after the last '/', the whole if there is none. */
const char *cv_basename(const char *path);
/* The part before the last '/': "/" for "/x", "." where there is no slash. */
const char *cv_dirname(struct cv_arena *a, const char *path);
/* dir and name with exactly one slash between; an absolute name replaces dir. */
const char *cv_path_join(struct cv_arena *a, const char *dir, const char *name);
/* Lexical clean-up of an absolute path: "//", "/./" and trailing slashes go, "/x/../" is folded, never above "/". */
const char *cv_path_clean(struct cv_arena *a, const char *path);
/* True if path is dir or lies below it (whole components). */
bool cv_path_below(const char *path, const char *dir);
/* PEP 503 name: lower case, runs of "-_." become one '-'. */
const char *cv_pep503(struct cv_arena *a, struct cv_str name);

#endif
