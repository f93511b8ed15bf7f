/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conda-meta/NAME-VERSION-BUILD.json: the record of a package that conda, mamba or pixi installed, read as a stream.
 *
 * paths_data.paths holds the files with sizes; older conda wrote only "files". Paths are relative to the environment.
 */
#ifndef CV_PARSE_CONDAMETA_H
#define CV_PARSE_CONDAMETA_H

#include "base/src.h"
#include "base/vec.h"

#define CV_CONDAMETA_FILES 1000000

struct cv_condameta {
	const char *name, *version, *build; /* NULL where missing */
	const char *channel, *subdir, *url; /* NULL where missing */
	bool has_build_number;
	uint64_t build_number;
	uint64_t files;                     /* in paths_data, else in files */
	struct cv_strv depends;             /* "cuda-version >=12.6,<13" */
};

struct cv_condafile {
	const char *path; /* lives until the callback returns */
	bool has_size;    /* size is that of the installed file: not so for links and for files in which a prefix was replaced */
	uint64_t size;
};

/* Gets each file of paths_data; a return other than 0 ends the reading and is passed on. */
typedef int cv_condafile_fn(void *cookie, const struct cv_condafile *file);

/* fn may be NULL. CV_EFORMAT (with the offset in *ret_offset unless NULL), CV_ELIMIT, what reading or fn gave. Texts: in a. */
int cv_condameta_read(struct cv_src *s, struct cv_arena *a, cv_condafile_fn *fn, void *cookie, uint64_t *ret_offset,
		      struct cv_condameta *ret);

#endif
