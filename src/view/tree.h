/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walk: resolves a path inside a directory as chroot() would, one component at a time. Private to view/.
 *
 * It is what the tree view uses where the kernel has no openat2() or a filter forbids it, and how it learns a real path that
 * the kernel does not tell.
 */
#ifndef CV_VIEW_TREE_H
#define CV_VIEW_TREE_H

#include "view/view.h"

/* As many links as Linux follows in one path. */
#define CV_WALK_LINKS 40

/*
 * Opens path (absolute, in root) with flags; O_NOFOLLOW means the link itself where the last component is one. 0 and the
 * descriptor, or a negative cv_err. If real is not NULL it gets the path in root with links resolved (4096 bytes of room).
 */
int cv_walk_open(int root, const char *path, int flags, char *real, int *ret_fd);

/* For tests: makes a tree view use cv_walk_open() from now on. */
void cv_view_tree_walk(struct cv_view *tree);

#endif
