/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derive: rows of the knowledge base out of a real artifact, for `cuvet kb add`.
 *
 * An artifact is a wheel, or a directory with one distribution unpacked in it. derive_read.c looks at its files and keeps what
 * counts; derive_rows.c says in which rows that goes. Private to src/engine.
 */
#ifndef CV_ENGINE_DERIVE_H
#define CV_ENGINE_DERIVE_H

#include "engine/engine.h"
#include "parse/pymeta.h"

struct cv_derived_lib {
	const char *path;            /* inside the artifact */
	const char *soname, *rpath, *runpath; /* NULL: none */
	struct cv_strv needed;       /* in file order, without those of the system */
	const char *glibc;           /* highest GLIBC_ version that it needs: "2.27", or NULL */
	const char *code;            /* "sm_75 sm_80 compute_120", NULL: no GPU code */
	bool aarch64;
};

struct cv_artifact {
	const char *given;           /* as the caller wrote it */
	const char *name, *version;  /* of METADATA: PEP 503 name */
	struct cv_pyheads meta;
	struct cv_strv tags;         /* Tag lines of WHEEL: "cp311-cp311-manylinux_2_28_x86_64" */
	const char *cuda, *full_version; /* of the package's own version file: "12.8", "2.9.1+cu128"; NULL: it does not say */
	CV_VEC(struct cv_derived_lib) libs; /* sorted by path */
};

/* CV_ENOENT, CV_EFORMAT with a message where it is no artifact; damaged libraries are named in run's messages and left out. */
int cv_artifact_read(struct cv_run *run, struct cv_view *view, const char *path, struct cv_artifact *ret);

struct cv_derived_rows {
	CV_VEC(struct cv_kb_row) v;  /* in the order of the kb */
	struct cv_strv notes;        /* what was seen and has no row */
	const char *source;          /* key, title: the line of SOURCES that the rows need */
	const char *source_title;
};

/* Rows of the subjects and properties that kb's schema has. date is YYYY-MM-DD. */
int cv_artifact_rows(const struct cv_artifact *art, const struct cv_kb *kb, const char *date, struct cv_arena *a,
		     struct cv_derived_rows *ret);

/* One file of an artifact. src is borrowed. A return other than 0 ends the walk. */
typedef int cv_artifact_file_fn(void *cookie, const char *path, struct cv_src *src);
/* Calls fn for every regular file of a wheel. */
int cv_wheel_walk(struct cv_src *wheel, struct cv_arena *a, struct cv_diag *d, cv_artifact_file_fn *fn, void *cookie);

#endif
