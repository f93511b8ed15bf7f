/* SPDX-License-Identifier: Apache-2.0 */
/*
 * View: the one way to the file system, the environment and the user's identity.
 *
 * Everything cuvet looks at goes through a view, so that the same code judges the host, a directory tree (--root), a bundle
 * gathered elsewhere, and later the layers of an image. Views stack: each wraps the one below.
 *
 *	host    the live system
 *	tree    a directory as the root; links are resolved inside it, absolute ones too, and nothing escapes
 *	bundle  the record of an earlier run; a question that it does not hold is CV_ENOTASKED, never CV_ENOENT
 *	machine another machine's /proc, /sys, /dev and driver files over a base
 *	setenv  environment overrides over a base
 *	record  passes everything through and notes question and outcome, negative ones included
 *
 * A view is used by one thread at a time. One that takes over views below has not done so when it fails.
 *
 * Paths are absolute (CV_EINVAL otherwise), in the view's own root, of less than 4096 bytes (CV_ELIMIT). "//", "/./" and
 * slashes at the end are ignored; ".." is resolved as the kernel does, behind links too, but never above the root. Answers are
 * CV_ENOENT, CV_EACCES, CV_ENOTDIR, CV_ELOOP, CV_ENOTREG, CV_EIO, CV_ENOTASKED, CV_ENOMEM or CV_ELIMIT. Special files are
 * never opened, so nothing blocks.
 */
#ifndef CV_VIEW_VIEW_H
#define CV_VIEW_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/src.h"
#include "base/str.h"

struct cv_view;

enum cv_ftype { CV_FT_REG, CV_FT_DIR, CV_FT_LNK, CV_FT_CHR, CV_FT_BLK, CV_FT_FIFO, CV_FT_SOCK, CV_FT_UNKNOWN };

struct cv_stat {
	enum cv_ftype type;
	uint32_t mode; /* permission bits with set-id bits, 07777 */
	uint32_t uid, gid;
	uint64_t size;
	uint64_t dev, ino; /* identity of the file, for "same file" questions; not printed */
	uint32_t rdev_major, rdev_minor; /* of a device node */
};

struct cv_dirent {
	const char *name;
	enum cv_ftype type; /* of the entry itself, links not followed; CV_FT_UNKNOWN where the system does not say */
};

struct cv_dirlist {
	struct cv_dirent *v; /* sorted bytewise by name, without "." and ".." */
	size_t n;
};

struct cv_ids {
	uint32_t uid, gid;
};

enum cv_access { CV_ACCESS_R = 4, CV_ACCESS_W = 2, CV_ACCESS_X = 1 };

struct cv_view_ops {
	const char *name;
	int (*stat)(struct cv_view *v, const char *path, bool follow, struct cv_stat *ret);
	int (*readlink)(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret);
	int (*realpath)(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret);
	int (*list)(struct cv_view *v, const char *path, struct cv_arena *a, struct cv_dirlist *ret);
	int (*open)(struct cv_view *v, const char *path, struct cv_src **ret);
	int (*access)(struct cv_view *v, const char *path, int mode);
	int (*getenv)(struct cv_view *v, const char *name, const char **ret);
	int (*ids)(struct cv_view *v, struct cv_ids *ret);
	void (*free)(struct cv_view *v);
};

struct cv_view {
	const struct cv_view_ops *ops;
	/* True if facts are of the running system (host, or layers over it): then a missing /proc is a fact. A tree is not. */
	bool live;
};

/* stat follows links, lstat does not. */
int cv_view_stat(struct cv_view *v, const char *path, struct cv_stat *ret);
int cv_view_lstat(struct cv_view *v, const char *path, struct cv_stat *ret);
/* The text of a symbolic link; CV_EINVAL if it is not one. */
int cv_view_readlink(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret);
/* The path with every link resolved, inside the root. */
int cv_view_realpath(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret);
/* At most CV_VIEW_LIST_MAX entries, CV_ELIMIT above. */
#define CV_VIEW_LIST_MAX 65536
int cv_view_list(struct cv_view *v, const char *path, struct cv_arena *a, struct cv_dirlist *ret);
/*
 * Opens a regular file for reading by ranges; the caller closes the src with cv_src_close(), before the view is freed. Files of
 * procfs and sysfs have no true size and are read whole at once, so the size of a src is always true.
 */
int cv_view_open(struct cv_view *v, const char *path, struct cv_src **ret);
/* faccessat with the effective ids: 0 if all of mode (enum cv_access) is allowed. */
int cv_view_access(struct cv_view *v, const char *path, int mode);
/* 0 and the value, CV_ENOENT if unset, CV_ENOTASKED where the view has no environment (a tree). Lives as long as the view. */
int cv_view_getenv(struct cv_view *v, const char *name, const char **ret);
int cv_view_ids(struct cv_view *v, struct cv_ids *ret);
/* NULL is allowed. Frees the views below too. */
void cv_view_free(struct cv_view *v);

/*
 * Whole small file as text. Files of /proc and /sys have no true size, so this reads until the end; more than max bytes is
 * CV_ELIMIT. NUL bytes stay. *ret has a NUL behind it.
 */
int cv_view_read(struct cv_view *v, const char *path, size_t max, struct cv_arena *a, struct cv_str *ret);
/* The same for one-line files: the first line, trimmed. CV_ELIMIT for a file of more than CV_VIEW_LINE_MAX bytes. */
#define CV_VIEW_LINE_MAX 65536
int cv_view_read_line(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret);
bool cv_view_exists(struct cv_view *v, const char *path);
bool cv_view_is_dir(struct cv_view *v, const char *path);

/* The live system. env is the process's environment (borrowed), so that the library itself never reads it. */
int cv_view_host_new(char *const *env, struct cv_view **ret);
/*
 * dir is a path on the host. A tree has neither environment nor user (CV_ENOTASKED); access to its device nodes is allowed where
 * they exist.
 */
int cv_view_tree_new(const char *dir, struct cv_diag *d, struct cv_view **ret);
/* file is a bundle written by cv_record_write(). */
int cv_view_bundle_new(const char *file, struct cv_diag *d, struct cv_view **ret);
/* dir_or_bundle: a directory becomes a tree, a file a bundle. */
int cv_view_root_new(const char *dir_or_bundle, struct cv_diag *d, struct cv_view **ret);
/*
 * Takes over base and machine. /proc, /sys, /dev, /run/nvidia*, the driver's files in the system's directories and kernel
 * modules come from machine, all else, environment and user too, from base. Which files are the driver's is listed in
 * view/driverfile.c; one that machine lacks, or does not tell of, is base's own. Directories in which both have files show both.
 */
int cv_view_machine_new(struct cv_view *base, struct cv_view *machine, struct cv_view **ret);
/* Takes over base. set holds n texts "NAME=VALUE" or "NAME" (unset); copied; the last one counts. CV_EINVAL without a name. */
int cv_view_setenv_new(struct cv_view *base, const char *const *set, size_t n, struct cv_view **ret);

/* What a bundle says about the run that made it; NULL-able strings live as long as the view. */
struct cv_bundle_info {
	const char *const *argv; /* of the recorded run */
	size_t argc;
	bool redacted;
};
/* NULL if v is not a bundle itself: a view over one does not pass this on. */
const struct cv_bundle_info *cv_view_bundle_info(const struct cv_view *v);

/*
 * Takes over base; every question and answer is noted until the view is freed. What was asked before is answered from the
 * notes, so a run and its replay see one state of each file.
 */
int cv_view_record_new(struct cv_view *base, struct cv_view **ret);
/*
 * Writes what a recording view has seen to file (tar, zstd). argv is noted. redact replaces user and host names, serial numbers,
 * UUIDs and secrets in paths, links, variables and texts alike, always by something of the same length (view/redact.h); files
 * that are not text stay as they are. Without redact only the owner may read the file. Nothing is left behind on failure:
 * CV_ELIMIT if more than 512 MiB were read, CV_ENOTREG if file is there and no regular file, CV_EIO and the like.
 */
int cv_record_write(struct cv_view *record, const char *file, const char *const *argv, size_t argc, bool redact,
		    struct cv_diag *d);

#endif
