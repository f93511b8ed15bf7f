/* SPDX-License-Identifier: Apache-2.0 */
/*
 * os-release: which distribution a root holds.
 *
 * The file is a list of shell assignments; a reader must undo the shell's quoting. A later assignment replaces an earlier one.
 */
#ifndef CV_PARSE_OSRELEASE_H
#define CV_PARSE_OSRELEASE_H

#include "base/arena.h"
#include "base/str.h"

struct cv_osrelease_item {
	const char *value; /* NULL: the file does not assign it */
	unsigned line;
};

struct cv_osrelease {
	struct cv_osrelease_item id, version_id, pretty_name;
};

/* Texts are put in a. CV_EFORMAT if the text holds not one assignment. */
int cv_osrelease_parse(struct cv_str text, struct cv_arena *a, struct cv_osrelease *ret);

#endif
