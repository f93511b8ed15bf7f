/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tmptree: a directory of its own for a test, filled by path. Everything fails the test on an error.
 *
 *	struct tmptree t;
 *	tmptree_init(&t);
 *	tmptree_file(&t, "etc/os-release", "ID=debian\n");   // parents are made
 *	tmptree_link(&t, "lib", "usr/lib");                   // lib -> usr/lib
 *	... t.dir ...
 *	tmptree_done(&t);
 *
 * Include it after cmocka.h.
 */
#ifndef TESTS_TMPTREE_H
#define TESTS_TMPTREE_H

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tmptree {
	char dir[64];
};

static inline void tmptree_init(struct tmptree *t)
{
	snprintf(t->dir, sizeof(t->dir), "/tmp/cuvet-test-XXXXXX");
	assert_non_null(mkdtemp(t->dir));
	assert_int_equal(chmod(t->dir, 0755), 0);
}

/* dir/path in one of a few buffers that are used in turn by the caller's own array. */
static inline const char *tmptree_path(const struct tmptree *t, const char *path, char room[PATH_MAX])
{
	int n = snprintf(room, PATH_MAX, "%s/%s", t->dir, path[0] == '/' ? path + 1 : path);

	assert_true(n > 0 && n < PATH_MAX);
	return room;
}

static inline void tmptree_parents(char *full, size_t from)
{
	for (char *p = full + from; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
}

static inline void tmptree_dir(const struct tmptree *t, const char *path)
{
	char full[PATH_MAX];

	tmptree_path(t, path, full);
	tmptree_parents(full, strlen(t->dir) + 1);
	mkdir(full, 0755);
	assert_int_equal(access(full, F_OK), 0);
}

static inline void tmptree_bytes(const struct tmptree *t, const char *path, const void *p, size_t n)
{
	char full[PATH_MAX];
	int fd;

	tmptree_path(t, path, full);
	tmptree_parents(full, strlen(t->dir) + 1);
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, n), n);
	close(fd);
}

static inline void tmptree_file(const struct tmptree *t, const char *path, const char *text)
{
	tmptree_bytes(t, path, text, strlen(text));
}

static inline void tmptree_link(const struct tmptree *t, const char *path, const char *text)
{
	char full[PATH_MAX];

	tmptree_path(t, path, full);
	tmptree_parents(full, strlen(t->dir) + 1);
	assert_int_equal(symlink(text, full), 0);
}

static inline void tmptree_fifo(const struct tmptree *t, const char *path)
{
	char full[PATH_MAX];

	tmptree_path(t, path, full);
	tmptree_parents(full, strlen(t->dir) + 1);
	assert_int_equal(mkfifo(full, 0644), 0);
}

static inline void tmptree_chmod(const struct tmptree *t, const char *path, mode_t mode)
{
	char full[PATH_MAX];

	assert_int_equal(chmod(tmptree_path(t, path, full), mode), 0);
}

static inline int tmptree_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void tmptree_done(struct tmptree *t)
{
	nftw(t->dir, tmptree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
