/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sys: what the host view and the tree view share: the system's answers in cuvet's terms. Private to view/.
 *
 * Special files are never opened: the caller looks at the type first, and cv_sys_src() looks again at the descriptor that
 * it got, so a file that changed in between ends in CV_ENOTREG. Descriptors are opened with CV_SYS_OPEN, which neither
 * blocks on a pipe nor takes a terminal.
 */
#ifndef CV_VIEW_SYS_H
#define CV_VIEW_SYS_H

#include <fcntl.h>
#include <sys/stat.h>

#include "view/view.h"

#define CV_SYS_OPEN (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
/* Files that have no true size (procfs, sysfs) are read whole when opened, up to this. */
#define CV_SYS_UNSIZED_MAX ((size_t)16 << 20)

/* enum cv_err for an errno. */
int cv_sys_err(int err);
enum cv_ftype cv_sys_type(mode_t mode);
void cv_sys_stat(const struct stat *st, struct cv_stat *ret);
/* A src over fd, which must be a regular file. Takes fd over, on failure too. path is for messages and copied. */
int cv_sys_src(int fd, const char *path, struct cv_src **ret);
/* The sorted entries of the directory fd. Takes fd over, on failure too. */
int cv_sys_list(int fd, struct cv_arena *a, struct cv_dirlist *ret);
/* A copy of n bytes in a; CV_ENOMEM if a has failed. */
int cv_sys_give(struct cv_arena *a, const char *p, size_t n, const char **ret);
/* The text of the link path below dirfd (readlinkat), "" means dirfd itself. */
int cv_sys_readlink(int dirfd, const char *path, struct cv_arena *a, const char **ret);
/* Path of the file behind fd as the kernel knows it; CV_ENOTSUP where /proc does not tell. */
int cv_sys_fd_path(int fd, struct cv_arena *a, const char **ret);

#endif
