/* SPDX-License-Identifier: Apache-2.0 */
/* Py_fw: one framework in one environment; what the readers of py_fw_read.c get and put. */
#ifndef CV_COLLECT_PY_FW_H
#define CV_COLLECT_PY_FW_H

#include "base/map.h"
#include "collect/collect.h"
#include "parse/pyassign.h"

#define CV_PY_FRAMEWORKS "py_frameworks" /* the collector's name */

struct cv_py_fw {
	struct cv_collect_ctx *c;
	struct cv_facts *facts;
	struct cv_arena *a;
	struct cv_subject *s;
	const struct cv_subject *env;
	const char *prefix;                     /* key of the environment */
	const char *dir;                        /* import directory */
	struct cv_map *lists;                   /* directory -> struct cv_dirlist, of those listed before */
	CV_VEC(const struct cv_subject *) claims; /* distributions whose RECORD holds the import directory */
	const char *native;                     /* the module that decides what it can do; NULL: not found, or there is none */
	struct cv_strv native_of;               /* names of the claims that have its size in their RECORD */
};

/* A framework: where it is imported from, and who reads what its files tell. */
struct cv_py_fw_kind {
	const char *name; /* also what is imported: a directory below an entry of sys.path */
	/* The native module, relative to the import directory: a directory, and the beginning of a file's name in it. */
	const char *native_dir, *native_stem;
	void (*read)(struct cv_py_fw *fw);
};
extern const struct cv_py_fw_kind cv_py_fw_kinds[];
extern const size_t cv_py_fw_kind_count;

/* The sorted entries of a directory, empty if it cannot be listed; listed once per run. */
const struct cv_dirlist *cv_py_fw_list(struct cv_py_fw *fw, const char *dir);
/* The first file in dir whose name begins with stem and is a native library; NULL if there is none. */
const char *cv_py_fw_so(struct cv_py_fw *fw, const char *dir, const char *stem);
/* Puts gpu_lib and what it needs; path NULL: it was looked for and is not there, from where. */
void cv_py_fw_gpu_lib(struct cv_py_fw *fw, const char *path, const char *from);

#endif
