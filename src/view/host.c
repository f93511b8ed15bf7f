/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host: the live system. The kernel resolves paths; each question costs as few system calls as it can.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "view/sys.h"

struct host_view {
	struct cv_view view;
	char *const *env; /* borrowed */
};

static int host_stat(struct cv_view *v, const char *path, bool follow, struct cv_stat *ret)
{
	struct stat st;

	(void)v;
	if (fstatat(AT_FDCWD, path, &st, follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0)
		return cv_sys_err(errno);
	cv_sys_stat(&st, ret);
	return 0;
}

static int host_readlink(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	(void)v;
	return cv_sys_readlink(AT_FDCWD, path, a, ret);
}

/* The C library's realpath() looks at every component; where /proc tells, one look is enough. */
static int host_realpath(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	char *text;
	int r;

	(void)v;
	if (fd < 0)
		return cv_sys_err(errno);
	r = cv_sys_fd_path(fd, a, ret);
	close(fd);
	if (r != CV_ENOTSUP)
		return r;
	text = realpath(path, NULL);
	if (!text)
		return cv_sys_err(errno);
	r = cv_sys_give(a, text, strlen(text), ret);
	free(text);
	return r;
}

static int host_list(struct cv_view *v, const char *path, struct cv_arena *a, struct cv_dirlist *ret)
{
	int fd = open(path, CV_SYS_OPEN | O_DIRECTORY);

	(void)v;
	if (fd < 0)
		return cv_sys_err(errno);
	return cv_sys_list(fd, a, ret);
}

/* Opening a device can wake it up, so the type is asked first; cv_sys_src() asks again about what was really opened. */
static int host_open(struct cv_view *v, const char *path, struct cv_src **ret)
{
	struct stat st;
	int fd;

	(void)v;
	if (stat(path, &st) < 0)
		return cv_sys_err(errno);
	if (!S_ISREG(st.st_mode))
		return CV_ENOTREG;
	fd = open(path, CV_SYS_OPEN);
	if (fd < 0)
		return cv_sys_err(errno);
	return cv_sys_src(fd, path, ret);
}

static int host_access(struct cv_view *v, const char *path, int mode)
{
	(void)v;
	return faccessat(AT_FDCWD, path, mode, AT_EACCESS) < 0 ? cv_sys_err(errno) : 0;
}

static int host_getenv(struct cv_view *v, const char *name, const char **ret)
{
	char *const *env = ((struct host_view *)v)->env;
	size_t n = strlen(name);

	for (; env && *env; env++) {
		if (strncmp(*env, name, n) == 0 && (*env)[n] == '=') {
			*ret = *env + n + 1;
			return 0;
		}
	}
	return CV_ENOENT;
}

static int host_ids(struct cv_view *v, struct cv_ids *ret)
{
	(void)v;
	*ret = (struct cv_ids){ .uid = geteuid(), .gid = getegid() };
	return 0;
}

static void host_free(struct cv_view *v)
{
	free(v);
}

static const struct cv_view_ops host_ops = {
	.name = "host",
	.stat = host_stat,
	.readlink = host_readlink,
	.realpath = host_realpath,
	.list = host_list,
	.open = host_open,
	.access = host_access,
	.getenv = host_getenv,
	.ids = host_ids,
	.free = host_free,
};

int cv_view_host_new(char *const *env, struct cv_view **ret)
{
	struct host_view *h = calloc(1, sizeof(*h));

	if (!h)
		return CV_ENOMEM;
	h->view = (struct cv_view){ .ops = &host_ops, .live = true };
	h->env = env;
	*ret = &h->view;
	return 0;
}
