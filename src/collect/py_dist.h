/* SPDX-License-Identifier: Apache-2.0 */
/* Py_dist: what one installed distribution says about itself, and whether its files are there. */
#ifndef CV_COLLECT_PY_DIST_H
#define CV_COLLECT_PY_DIST_H

#include "base/map.h"
#include "collect/collect.h"
#include "parse/pyname.h"
#include "parse/requirement.h"

#define CV_PY_PACKAGES "py_packages" /* the collector's name */

struct cv_py_dist {
	const char *path;    /* metadata directory or file */
	const char *dir;     /* the directory of sys.path that holds it; for conda the prefix */
	const char *name;    /* normalised, by the file's name */
	const char *version, *build; /* by the file's name; "" if it does not say */
	enum cv_distkind kind;
	unsigned order;      /* in its directory */
};

/* Which distributions belong to the GPU stack: those that the knowledge base has, and a few families. Answers are kept. */
struct cv_py_stack {
	const struct cv_kb *kb;
	struct cv_arena *a;
	struct cv_map known;
	bool kb_is_empty; /* then a short list of its own stands in */
};
void cv_py_stack_init(struct cv_py_stack *s, const struct cv_kb *kb, struct cv_arena *a);
bool cv_py_stack_has(struct cv_py_stack *s, const char *name);

/* Fills subject s from the distribution's own files. The name, version and source by the file's name are put in here too. */
void cv_py_dist_put(struct cv_collect_ctx *c, const struct cv_py_dist *d, struct cv_py_stack *stack,
		    const struct cv_marker_env *markers, struct cv_subject *s);
/* The same from the file's name alone. */
void cv_py_dist_put_name(struct cv_collect_ctx *c, const struct cv_py_dist *d, struct cv_subject *s);

/*
 * Files that a package owns, looked for one by one: all native libraries and the files at its top, of the others a sample of
 * at most CV_PY_SAMPLE that is spread evenly, whatever their number.
 */
#define CV_PY_SAMPLE 200
#define CV_PY_ALWAYS 4000 /* native libraries and top files */
#define CV_PY_TOPS 64
#define CV_PY_ALL 100000
#define CV_PY_NAMED 20

struct cv_py_file {
	const char *path; /* as recorded */
	bool has_size;
	uint64_t size;
};

struct cv_py_files {
	struct cv_collect_ctx *c;
	struct cv_arena *a;
	const char *root; /* recorded paths are relative to it */
	bool sizes;       /* recorded sizes are those of the installed files */
	bool all;
	CV_VEC(struct cv_py_file) always, sample;
	uint64_t stride, others, tops;
	uint64_t checked, missing_n, changed_n;
	struct cv_strv missing, changed; /* CV_PY_NAMED at most, as recorded */
};

/* With all, every file is kept, up to CV_PY_ALL. */
void cv_py_files_init(struct cv_py_files *f, struct cv_collect_ctx *c, struct cv_arena *a, const char *root, bool all);
/* Takes note of one file; path is copied if it is kept. */
void cv_py_files_add(struct cv_py_files *f, struct cv_str path, bool has_size, uint64_t size);
/* Looks for the files that were kept. */
void cv_py_files_check(struct cv_py_files *f);
/* After the check: something is wrong, and only a part was looked at. Then the whole is worth its price: counts become exact. */
bool cv_py_files_is_part(const struct cv_py_files *f);
/* True for "x.so" and "x.so.9". */
bool cv_py_is_native(struct cv_str path);

#endif
