/* SPDX-License-Identifier: Apache-2.0 */
#include "view/sys.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/vec.h"
#include "view/dirlist.h"

int cv_sys_err(int err)
{
	switch (err) {
	case ENOENT:
	case ESRCH: /* the process behind a /proc entry has ended */
		return CV_ENOENT;
	case EACCES:
	case EPERM:
	case EROFS:
	case ETXTBSY:
		return CV_EACCES;
	case ENOTDIR:
		return CV_ENOTDIR;
	case ELOOP:
		return CV_ELOOP;
	case EISDIR:
		return CV_ENOTREG;
	case ENOMEM:
		return CV_ENOMEM;
	case ENAMETOOLONG:
		return CV_ELIMIT;
	default:
		return CV_EIO;
	}
}

enum cv_ftype cv_sys_type(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return CV_FT_REG;
	case S_IFDIR:
		return CV_FT_DIR;
	case S_IFLNK:
		return CV_FT_LNK;
	case S_IFCHR:
		return CV_FT_CHR;
	case S_IFBLK:
		return CV_FT_BLK;
	case S_IFIFO:
		return CV_FT_FIFO;
	case S_IFSOCK:
		return CV_FT_SOCK;
	default:
		return CV_FT_UNKNOWN;
	}
}

void cv_sys_stat(const struct stat *st, struct cv_stat *ret)
{
	*ret = (struct cv_stat){
		.type = cv_sys_type(st->st_mode),
		.mode = st->st_mode & 07777,
		.uid = st->st_uid,
		.gid = st->st_gid,
		.size = st->st_size > 0 ? (uint64_t)st->st_size : 0,
		.dev = (uint64_t)st->st_dev,
		.ino = (uint64_t)st->st_ino,
	};
	if (ret->type == CV_FT_CHR || ret->type == CV_FT_BLK) {
		ret->rdev_major = major(st->st_rdev);
		ret->rdev_minor = minor(st->st_rdev);
	}
}

/* A file read by pread, or one without a true size that was read when it was opened (fd is -1 then). */
struct file_src {
	struct cv_src src;
	int fd;
	char *text;
	char name[];
};

static int file_read_at(struct cv_src *s, uint64_t off, void *buf, size_t len)
{
	struct file_src *f = (struct file_src *)s;
	char *p = buf;

	if (f->fd < 0) {
		memcpy(buf, f->text + off, len);
		return 0;
	}
	while (len > 0) {
		ssize_t n = pread(f->fd, p, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return cv_sys_err(errno);
		if (n == 0) /* somebody cut the file */
			return CV_EIO;
		p += n;
		off += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

static void file_close(struct cv_src *s)
{
	struct file_src *f = (struct file_src *)s;

	if (f->fd >= 0)
		close(f->fd);
	free(f->text);
	free(f);
}

static const struct cv_src_ops file_ops = { .read_at = file_read_at, .close = file_close };

/* Reads until the end; the caller releases buf on failure too. */
static int read_whole(int fd, struct cv_buf *buf)
{
	char piece[4096];
	ssize_t n;

	for (;;) {
		n = read(fd, piece, sizeof(piece));
		if (n == 0)
			return buf->err;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return cv_sys_err(errno);
		cv_buf_add(buf, piece, (size_t)n);
		if (buf->err)
			return buf->err;
	}
}

/*
 * procfs says size 0 and sysfs says a page, or, for binary attributes, more than an ordinary user may read (the PCI
 * configuration space). All of them use no blocks. A real file that small is as cheap to read whole.
 */
static bool has_no_true_size(const struct stat *st)
{
	return st->st_size == 0 || (st->st_blocks == 0 && st->st_size <= 65536);
}

static int new_src(int fd, const char *path, struct cv_src **ret)
{
	size_t len = strlen(path);
	struct file_src *f;
	struct stat st;
	struct cv_buf buf;
	int r;

	if (fstat(fd, &st) < 0)
		return cv_sys_err(errno);
	if (!S_ISREG(st.st_mode))
		return CV_ENOTREG;
	f = calloc(1, sizeof(*f) + len + 1);
	if (!f)
		return CV_ENOMEM;
	memcpy(f->name, path, len);
	f->src = (struct cv_src){ .ops = &file_ops, .size = (uint64_t)st.st_size, .name = f->name };
	f->fd = fd;
	if (has_no_true_size(&st)) {
		cv_buf_init(&buf, CV_SYS_UNSIZED_MAX);
		r = read_whole(fd, &buf);
		if (r < 0) {
			cv_buf_release(&buf);
			free(f);
			return r;
		}
		f->text = buf.p;
		f->src.size = buf.n;
		f->fd = -1;
		close(fd);
	}
	*ret = &f->src;
	return 0;
}

int cv_sys_src(int fd, const char *path, struct cv_src **ret)
{
	int r = new_src(fd, path, ret);

	if (r < 0)
		close(fd);
	return r;
}

static enum cv_ftype entry_type(unsigned char type)
{
	switch (type) {
	case DT_REG:
		return CV_FT_REG;
	case DT_DIR:
		return CV_FT_DIR;
	case DT_LNK:
		return CV_FT_LNK;
	case DT_CHR:
		return CV_FT_CHR;
	case DT_BLK:
		return CV_FT_BLK;
	case DT_FIFO:
		return CV_FT_FIFO;
	case DT_SOCK:
		return CV_FT_SOCK;
	default:
		return CV_FT_UNKNOWN;
	}
}

static int read_entries(DIR *dir, struct cv_arena *a, struct cv_dirlist *ret)
{
	CV_VEC(struct cv_dirent) list = { 0 };

	for (;;) {
		struct cv_dirent *slot;
		struct dirent *e;

		errno = 0;
		e = readdir(dir);
		if (!e)
			break;
		if (cv_streq(e->d_name, ".") || cv_streq(e->d_name, ".."))
			continue;
		if (list.n >= CV_VIEW_LIST_MAX)
			return CV_ELIMIT;
		slot = CV_VEC_PUSH(a, &list);
		if (!slot)
			return CV_ENOMEM;
		slot->name = cv_arena_strdup(a, e->d_name);
		slot->type = entry_type(e->d_type);
	}
	if (errno)
		return cv_sys_err(errno);
	if (cv_arena_failed(a))
		return CV_ENOMEM;
	*ret = (struct cv_dirlist){ list.v, list.n };
	cv_dirlist_sort(ret);
	return 0;
}

int cv_sys_list(int fd, struct cv_arena *a, struct cv_dirlist *ret)
{
	DIR *dir = fdopendir(fd);
	int r;

	if (!dir) {
		r = cv_sys_err(errno);
		close(fd);
		return r;
	}
	r = read_entries(dir, a, ret);
	closedir(dir);
	return r;
}

int cv_sys_give(struct cv_arena *a, const char *p, size_t n, const char **ret)
{
	const char *copy = cv_arena_memdup(a, p, n);

	if (cv_arena_failed(a))
		return CV_ENOMEM;
	*ret = copy;
	return 0;
}

int cv_sys_readlink(int dirfd, const char *path, struct cv_arena *a, const char **ret)
{
	char text[PATH_MAX + 1];
	ssize_t n = readlinkat(dirfd, path, text, sizeof(text));

	if (n < 0)
		return errno == EINVAL ? CV_EINVAL : cv_sys_err(errno);
	if ((size_t)n == sizeof(text))
		return CV_ELIMIT;
	return cv_sys_give(a, text, (size_t)n, ret);
}

int cv_sys_fd_path(int fd, struct cv_arena *a, const char **ret)
{
	const char *path;
	char link[64];
	int r;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	r = cv_sys_readlink(AT_FDCWD, link, a, &path);
	if (r == CV_ENOMEM)
		return r;
	/* A removed file has this behind its path, and so may, by bad luck, an existing one: the caller asks another way. */
	if (r < 0 || path[0] != '/' || cv_ends(path, " (deleted)"))
		return CV_ENOTSUP;
	*ret = path;
	return 0;
}
