/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Member: the files in a zip archive (a wheel), one after the other, as sources that can be read at any offset, without unpacking
 * to disk.
 *
 *	struct cv_members *m;
 *	struct cv_member f;
 *	int r = cv_members_open(archive, diag, &m);
 *
 *	while (r == 0 && (r = cv_members_next(m, diag, &f)) == 1) {
 *		use(cv_members_src(m));    // dies with the next call
 *		r = 0;
 *	}
 *	cv_members_close(m);
 *
 * A packed member can only be read forwards, so going back behind what is still in memory means to unpack it again from its
 * beginning; its first block always stays. Memory: 32 MiB of blocks for all members, and libarchive's directory of the archive.
 */
#ifndef CV_VIEW_MEMBER_H
#define CV_VIEW_MEMBER_H

#include "base/diag.h"
#include "base/src.h"

/* All of these answer CV_ELIMIT. A zip bomb ends at the number of bytes that are unpacked from one archive, repeats counted. */
#define CV_MEMBERS_MAX 200000
#define CV_MEMBERS_UNPACKED_MAX ((uint64_t)16 << 30)
#define CV_MEMBERS_AGAIN_MAX ((uint64_t)64 << 20) /* unpacked once more in one member, beyond twice its size */
#define CV_MEMBERS_SKIPPED_MAX 5000000 /* headers passed over on the way back to a member */

struct cv_members;

struct cv_member {
	const char *name; /* until the next call */
	uint64_t size;    /* unpacked, as the archive says */
};

/* archive must stay open longer. CV_EFORMAT with a message if it is no zip archive. */
int cv_members_open(struct cv_src *archive, struct cv_diag *d, struct cv_members **ret);
/* 1 and the next regular file, 0 at the end, or an error with a message. */
int cv_members_next(struct cv_members *m, struct cv_diag *d, struct cv_member *ret);
/* The bytes of that file: borrowed, not to be closed. CV_EFORMAT where they are damaged, or fewer than the size says. */
struct cv_src *cv_members_src(struct cv_members *m);
/* NULL is allowed. */
void cv_members_close(struct cv_members *m);

#endif
