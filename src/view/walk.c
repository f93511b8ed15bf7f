/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules are those of path_resolution(7) with the given directory as "/": ".." of the root is the root, an absolute link
 * starts over at the root. Every open has O_NOFOLLOW, so the kernel follows no link by itself, and ".." is never asked of
 * the kernel: the known parent is opened again from the root. A directory that is moved meanwhile cannot lead outside.
 */
#include "view/tree.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "view/sys.h"

/* Opens done for one path; many ".." behind a deep path open its parents again and again. */
#define MAX_OPENS 20000

struct walk {
	int root, fd;          /* fd: the directory reached so far (O_PATH) */
	char real[PATH_MAX];   /* its path in root, "" for the root itself */
	size_t real_n;
	char todo[2 * PATH_MAX];
	unsigned links, opens;
};

static int step_into(struct walk *w, int *fd, const char *name, int flags)
{
	int next;

	if (++w->opens > MAX_OPENS)
		return CV_ELIMIT;
	next = openat(*fd, name, flags | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0)
		return cv_sys_err(errno);
	close(*fd);
	*fd = next;
	return 0;
}

static int go_root(struct walk *w)
{
	int fd = openat(w->root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return cv_sys_err(errno);
	if (w->fd >= 0)
		close(w->fd);
	w->fd = fd;
	return 0;
}

static int append_real(struct walk *w, const char *name)
{
	size_t n = strlen(name);

	if (w->real_n + 1 + n >= sizeof(w->real))
		return CV_ELIMIT;
	w->real[w->real_n] = '/';
	memcpy(w->real + w->real_n + 1, name, n + 1);
	w->real_n += 1 + n;
	return 0;
}

/* "." and ".." need the right to search the directory, as every look-up in it does. */
static int may_search(const struct walk *w)
{
	struct stat st;

	return fstatat(w->fd, ".", &st, 0) < 0 ? cv_sys_err(errno) : 0;
}

static int go_up(struct walk *w)
{
	char name[NAME_MAX + 1];
	char *slash = strrchr(w->real, '/');
	int r = go_root(w);

	if (r < 0 || !slash)
		return r;
	*slash = '\0';
	w->real_n = (size_t)(slash - w->real);
	for (const char *p = w->real; *p;) {
		size_t len = strcspn(++p, "/");

		memcpy(name, p, len);
		name[len] = '\0';
		r = step_into(w, &w->fd, name, O_PATH | O_DIRECTORY);
		if (r < 0)
			return r;
		p += len;
	}
	return 0;
}

/* Puts the text of the link name before what is still to do. */
static int follow(struct walk *w, const char *name, size_t rest_at)
{
	char text[PATH_MAX];
	ssize_t n = readlinkat(w->fd, name, text, sizeof(text));
	size_t rest = strlen(w->todo + rest_at);

	if (n < 0)
		return errno == EINVAL ? CV_EIO : cv_sys_err(errno);
	if (n == 0)
		return CV_ENOENT;
	if (++w->links > CV_WALK_LINKS)
		return CV_ELOOP;
	if ((size_t)n == sizeof(text) || (size_t)n + rest >= sizeof(w->todo))
		return CV_ELIMIT;
	memmove(w->todo + n, w->todo + rest_at, rest + 1);
	memcpy(w->todo, text, (size_t)n);
	if (text[0] != '/')
		return 0;
	w->real[0] = '\0';
	w->real_n = 0;
	return go_root(w);
}

/*
 * Does the first component of todo. *done is set when it was the last: then fd is what was asked for. A slash behind the
 * last component, which only the text of a link can have here, demands a directory.
 */
static int step(struct walk *w, int flags, bool *done)
{
	char name[NAME_MAX + 1];
	size_t start = strspn(w->todo, "/");
	size_t len = strcspn(w->todo + start, "/");
	size_t rest_at = start + len;
	bool last = w->todo[rest_at + strspn(w->todo + rest_at, "/")] == '\0';
	struct stat st;
	int r;

	if (len > NAME_MAX)
		return CV_ELIMIT;
	memcpy(name, w->todo + start, len);
	name[len] = '\0';
	if (len == 0 || cv_streq(name, ".") || cv_streq(name, "..")) {
		r = len ? may_search(w) : 0;
		if (r == 0 && len == 2)
			r = go_up(w);
		if (r == 0 && last) {
			*done = true;
			return step_into(w, &w->fd, ".", flags);
		}
	} else {
		if (fstatat(w->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return cv_sys_err(errno);
		if (S_ISLNK(st.st_mode) && !(last && w->todo[rest_at] == '\0' && (flags & O_NOFOLLOW)))
			return follow(w, name, rest_at);
		if (last && w->todo[rest_at] == '/')
			flags |= O_DIRECTORY;
		r = append_real(w, name);
		if (r == 0)
			r = step_into(w, &w->fd, name, last ? flags : O_PATH | O_DIRECTORY);
		*done = last;
	}
	memmove(w->todo, w->todo + rest_at, strlen(w->todo + rest_at) + 1);
	return r;
}

int cv_walk_open(int root, const char *path, int flags, char *real, int *ret_fd)
{
	struct walk w = { .root = root, .fd = -1 };
	size_t n = strlen(path);
	bool done = false;
	int r;

	if (n >= PATH_MAX)
		return CV_ELIMIT;
	memcpy(w.todo, path, n + 1);
	r = go_root(&w);
	while (r == 0 && !done)
		r = step(&w, flags, &done);
	if (r < 0) {
		if (w.fd >= 0)
			close(w.fd);
		return r;
	}
	if (real) {
		if (w.real_n == 0)
			append_real(&w, "");
		memcpy(real, w.real, w.real_n + 1);
	}
	*ret_fd = w.fd;
	return 0;
}
