/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ld.so.conf and the files that it includes: one file's lines, as ldconfig reads them.
 *
 * A '#' begins a comment anywhere. "include PATTERN..." names further files by glob patterns, relative ones from the directory
 * of the file that includes. "hwcap ..." is obsolete and without effect (gone in 2.33). Any other line is one directory, which
 * may hold blanks; from the first '=' on it names a library type of the 1990s ("/usr/lib/libc5=libc5").
 *
 * Trailing slashes are not part of a directory, so "/" is none; one that is not absolute hangs on where ldconfig was run, so it
 * is a bad line here.
 */
#ifndef CV_PARSE_LDCONF_H
#define CV_PARSE_LDCONF_H

#include <stdbool.h>

#include "base/str.h"

enum cv_ldconf_kind { CV_LDCONF_DIR, CV_LDCONF_INCLUDE, CV_LDCONF_HWCAP, CV_LDCONF_BAD };

struct cv_ldconf_item {
	enum cv_ldconf_kind kind;
	struct cv_str text; /* the directory, one pattern, what is behind "hwcap", or the bad line */
	unsigned line;      /* 1-based */
};

/* Walks a file; start with { .rest = text }. */
struct cv_ldconf {
	struct cv_str rest;
	struct cv_str patterns; /* of an include line, not yet given */
	unsigned line;
};
/* True and one item, or false at the end. Slices point into the text. */
bool cv_ldconf_next(struct cv_ldconf *c, struct cv_ldconf_item *ret);

/*
 * The pattern as an absolute one: relative patterns are put behind the directory of conf ("/etc/ld.so.conf").
 */
const char *cv_ldconf_pattern(struct cv_arena *a, const char *conf, struct cv_str pattern);

#endif
