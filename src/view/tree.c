/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tree: a directory as the root, for images, chroots and test fixtures.
 *
 * openat2() with RESOLVE_IN_ROOT resolves paths as chroot() would, without its rights and without a way out; where it is
 * missing (before Linux 5.6, or filtered) walk.c does the same by hand. A tree has no environment and no user, and its device
 * nodes are judged by their presence: what this machine's kernel would do with them says nothing.
 */
#include "view/tree.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "view/sys.h"

/* The system call has one number everywhere; old headers lack it and its structure. */
#define OPENAT2_NR 437
#define FACCESSAT2_NR 439
#define RESOLVE_NO_MAGICLINKS_BIT 0x02u
#define RESOLVE_IN_ROOT_BIT 0x10u

struct open_how_v0 {
	uint64_t flags, mode, resolve;
};

struct tree_view {
	struct cv_view view;
	int root;
	bool walk;              /* openat2() is of no use here */
	char *root_path;        /* as the kernel prints it, without a slash at the end; NULL where it does not tell */
};

static int openat2_in_root(int root, const char *path, int flags)
{
	struct open_how_v0 how = {
		.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT_BIT | RESOLVE_NO_MAGICLINKS_BIT,
	};
	long fd;

	/* EAGAIN: something was renamed while ".." was looked up. */
	for (int i = 0; i < 8; i++) {
		fd = syscall(OPENAT2_NR, root, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return (int)fd;
}

static int resolve(struct cv_view *v, const char *path, int flags, int *ret_fd)
{
	struct tree_view *t = (struct tree_view *)v;
	int fd;

	if (t->walk)
		return cv_walk_open(t->root, path, flags, NULL, ret_fd);
	fd = openat2_in_root(t->root, path, flags);
	if (fd < 0 && errno == EAGAIN)
		return cv_walk_open(t->root, path, flags, NULL, ret_fd);
	if (fd < 0)
		return cv_sys_err(errno);
	*ret_fd = fd;
	return 0;
}

static int resolve_stat(struct cv_view *v, const char *path, bool follow, int *ret_fd, struct stat *st)
{
	int fd;
	int r = resolve(v, path, O_PATH | (follow ? 0 : O_NOFOLLOW), &fd);

	if (r < 0)
		return r;
	if (fstat(fd, st) < 0) {
		r = cv_sys_err(errno);
		close(fd);
		return r;
	}
	*ret_fd = fd;
	return 0;
}

static int tree_stat(struct cv_view *v, const char *path, bool follow, struct cv_stat *ret)
{
	struct stat st;
	int fd;
	int r = resolve_stat(v, path, follow, &fd, &st);

	if (r < 0)
		return r;
	close(fd);
	cv_sys_stat(&st, ret);
	return 0;
}

static int tree_readlink(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	struct stat st;
	int fd;
	int r = resolve_stat(v, path, false, &fd, &st);

	if (r < 0)
		return r;
	r = S_ISLNK(st.st_mode) ? cv_sys_readlink(fd, "", a, ret) : CV_EINVAL;
	close(fd);
	return r;
}

/* The real path from the kernel, cut to the root; CV_ENOTSUP where that does not work (no /proc, a mount seen elsewhere). */
static int kernel_realpath(const struct tree_view *t, int fd, struct cv_arena *a, const char **ret)
{
	const char *path;
	int r;

	if (t->walk || !t->root_path)
		return CV_ENOTSUP;
	r = cv_sys_fd_path(fd, a, &path);
	if (r < 0)
		return r;
	if (!cv_path_below(path, t->root_path[0] ? t->root_path : "/"))
		return CV_ENOTSUP;
	path += strlen(t->root_path);
	*ret = path[0] ? path : "/";
	return 0;
}

static int tree_realpath(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	const struct tree_view *t = (const struct tree_view *)v;
	char real[PATH_MAX];
	int fd;
	int r = resolve(v, path, O_PATH, &fd);

	if (r < 0)
		return r;
	r = kernel_realpath(t, fd, a, ret);
	close(fd);
	if (r != CV_ENOTSUP)
		return r;
	r = cv_walk_open(t->root, path, O_PATH, real, &fd);
	if (r < 0)
		return r;
	close(fd);
	return cv_sys_give(a, real, strlen(real), ret);
}

static int tree_list(struct cv_view *v, const char *path, struct cv_arena *a, struct cv_dirlist *ret)
{
	int fd;
	int r = resolve(v, path, CV_SYS_OPEN | O_DIRECTORY, &fd);

	return r < 0 ? r : cv_sys_list(fd, a, ret);
}

static int tree_open(struct cv_view *v, const char *path, struct cv_src **ret)
{
	struct stat st;
	int fd;
	int r = resolve_stat(v, path, true, &fd, &st);

	if (r < 0)
		return r;
	close(fd);
	if (!S_ISREG(st.st_mode))
		return CV_ENOTREG;
	r = resolve(v, path, CV_SYS_OPEN, &fd);
	return r < 0 ? r : cv_sys_src(fd, path, ret);
}

static int fd_access(int fd, int mode)
{
	char link[64];

	if (syscall(FACCESSAT2_NR, fd, "", mode, AT_EACCESS | AT_EMPTY_PATH) == 0)
		return 0;
	if (errno != ENOSYS && errno != EINVAL && errno != EPERM)
		return cv_sys_err(errno);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return faccessat(AT_FDCWD, link, mode, AT_EACCESS) < 0 ? cv_sys_err(errno) : 0;
}

static int tree_access(struct cv_view *v, const char *path, int mode)
{
	struct stat st;
	int fd;
	int r = resolve_stat(v, path, true, &fd, &st);

	if (r < 0)
		return r;
	if (!S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode))
		r = fd_access(fd, mode);
	close(fd);
	return r;
}

static int tree_getenv(struct cv_view *v, const char *name, const char **ret)
{
	(void)v;
	(void)name;
	(void)ret;
	return CV_ENOTASKED;
}

static int tree_ids(struct cv_view *v, struct cv_ids *ret)
{
	(void)v;
	(void)ret;
	return CV_ENOTASKED;
}

static void tree_free(struct cv_view *v)
{
	struct tree_view *t = (struct tree_view *)v;

	if (t->root >= 0)
		close(t->root);
	free(t->root_path);
	free(t);
}

static const struct cv_view_ops tree_ops = {
	.name = "tree",
	.stat = tree_stat,
	.readlink = tree_readlink,
	.realpath = tree_realpath,
	.list = tree_list,
	.open = tree_open,
	.access = tree_access,
	.getenv = tree_getenv,
	.ids = tree_ids,
	.free = tree_free,
};

static char *kernel_root_path(int root)
{
	struct cv_arena *a = cv_arena_new(4 * PATH_MAX);
	const char *path;
	char *copy = NULL;

	if (a && cv_sys_fd_path(root, a, &path) == 0)
		copy = strdup(cv_streq(path, "/") ? "" : path);
	cv_arena_free(a);
	return copy;
}

int cv_view_tree_new(const char *dir, struct cv_diag *d, struct cv_view **ret)
{
	struct tree_view *t = calloc(1, sizeof(*t));
	int fd;

	if (!t)
		return cv_diag_fail(d, CV_ENOMEM, "%s: out of memory", dir);
	t->view.ops = &tree_ops;
	t->root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (t->root < 0) {
		int r = cv_sys_err(errno);

		tree_free(&t->view);
		return cv_diag_fail(d, r, "%s: %s", dir, cv_strerror(r));
	}
	fd = openat2_in_root(t->root, ".", O_PATH);
	if (fd >= 0)
		close(fd);
	else
		t->walk = true;
	t->root_path = kernel_root_path(t->root);
	*ret = &t->view;
	return 0;
}

void cv_view_tree_walk(struct cv_view *tree)
{
	((struct tree_view *)tree)->walk = true;
}
