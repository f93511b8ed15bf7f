/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Member: the members of a zip archive (a wheel) as sources that can be read at any offset, without unpacking to disk.
 *
 * A packed member can only be read forwards, so going back means to begin again. Two readers are kept, one before the other,
 * and the blocks last read are kept in memory: a reader of ELF files looks at the beginning and the end first and then once
 * through the middle, which costs two passes over a library of a gigabyte.
 */
#ifndef CV_VIEW_MEMBER_H
#define CV_VIEW_MEMBER_H

#include "base/diag.h"
#include "base/src.h"

#define CV_MEMBERS_MAX 200000

struct cv_member {
	const char *name;
	uint64_t size; /* unpacked */
};

struct cv_members {
	struct cv_member *v; /* in file order; regular files only */
	size_t n, cap;
};

/* Lists a zip archive. CV_EFORMAT with a message in d if it is not one. */
int cv_members_list(struct cv_src *archive, struct cv_arena *a, struct cv_diag *d, struct cv_members *ret);
/* Opens one of them; archive must stay open longer. CV_ENOENT. */
int cv_member_open(struct cv_src *archive, const struct cv_member *m, struct cv_src **ret);

#endif
