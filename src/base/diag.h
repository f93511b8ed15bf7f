/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diag: what went wrong with which object, collected and handed to the caller; library code never prints.
 *
 * A message is lower case, without a full stop, and names the object first ("/etc/ld.so.cache: offset 48: ...").
 * A full list drops further messages and counts them.
 */
#ifndef CV_BASE_DIAG_H
#define CV_BASE_DIAG_H

#include <stddef.h>

#include "base/arena.h"

#define CV_DIAG_MAX 200

struct cv_diag {
	struct cv_arena *arena; /* owns the texts; not owned by the list */
	const char **v;
	size_t n, cap, dropped;
};

void cv_diag_init(struct cv_diag *d, struct cv_arena *arena);
/* Adds a message and returns err, so that a parser can end with: return cv_diag_fail(d, CV_EFORMAT, "..."); d may be NULL. */
int cv_diag_fail(struct cv_diag *d, int err, const char *fmt, ...) CV_PRINTF(3, 4);

#endif
