/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libfind: where libraries of the GPU stack lie, each real file once with all names and ways by which it was met.
 *
 * A directory is listed once however many names it has; a link to a file beside it costs one look, a file none. Names keep the
 * spelling of the directory that was asked for, for the loader goes by that.
 */
#ifndef CV_COLLECT_LIBFIND_H
#define CV_COLLECT_LIBFIND_H

#include "base/map.h"
#include "base/vec.h"
#include "collect/collect.h"

#define CV_LIBFIND_FILES_MAX 8192

/* A file, or a link that leads nowhere. */
struct cv_libfile {
	const char *real;     /* after links; of a dead link its own path */
	const char *family;
	const char *env;      /* key of the environment that holds it, or NULL */
	struct cv_strv names; /* paths, as met */
	struct cv_strv via;   /* ways, each once */
	const char *dead;     /* text of a link that leads nowhere, otherwise NULL */
};

struct cv_libfind {
	struct cv_view *view;
	struct cv_arena *arena;
	CV_VEC(struct cv_libfile *) files; /* in order of finding */
	struct cv_map by_real; /* real path -> struct cv_libfile */
	struct cv_map by_name; /* path as met -> struct cv_libfile */
	struct cv_strv denied; /* directories that may not be looked into */
	struct cv_map dirs;    /* spelled and real paths -> its own struct */
};

/* All libraries of one directory. via says why it is looked at; env may be NULL. A directory that is not there is passed over. */
void cv_libfind_dir(struct cv_libfind *f, const char *dir, const char *via, const char *env);
/* One file by path, where its name is one of the GPU stack. */
void cv_libfind_path(struct cv_libfind *f, const char *path, const char *via);
/* The file met under this path, spelled so or by its real directory; NULL if there is none. */
const struct cv_libfile *cv_libfind_named(const struct cv_libfind *f, const char *path);

#endif
