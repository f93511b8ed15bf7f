/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assignments of literals at module level of a Python file, read without running it: torch/version.py, the build information of
 * ONNX Runtime and TensorFlow, jaxlib/version.py and the like.
 *
 *	NAME = literal          NAME: annotation = literal
 *
 * Literals: None, True, False, numbers, strings (adjacent ones are joined), lists, tuples, dicts, and a call with one literal
 * argument, which counts as that argument (collections.OrderedDict([...])). Anything else is kept as CV_PYLIT_OTHER, so that a
 * reader sees that the name was set to what cannot be told. Indented code is passed over.
 */
#ifndef CV_PARSE_PYASSIGN_H
#define CV_PARSE_PYASSIGN_H

#include "base/str.h"
#include "base/vec.h"

#define CV_PYASSIGN_MAX ((size_t)1 << 18) /* bytes of a file that make sense here */

enum cv_pylit_kind {
	CV_PYLIT_OTHER, /* not a literal */
	CV_PYLIT_NONE,
	CV_PYLIT_BOOL,
	CV_PYLIT_NUM, /* as written, in text */
	CV_PYLIT_STR,
	CV_PYLIT_LIST, /* list, tuple or set */
	CV_PYLIT_DICT, /* items are key, value, key, value ... */
};

struct cv_pylit {
	enum cv_pylit_kind kind;
	bool truth;        /* CV_PYLIT_BOOL */
	const char *text;  /* CV_PYLIT_STR, CV_PYLIT_NUM */
	CV_VEC(struct cv_pylit) items;
};

struct cv_pyname {
	struct cv_str name;
	unsigned line; /* 1-based */
	struct cv_pylit value;
};

struct cv_pyassign {
	CV_VEC(struct cv_pyname) all;
};

/* Everything lives in a. CV_ELIMIT for more text, names or nesting than makes sense, CV_ENOMEM; else it reads what it can. */
int cv_pyassign_parse(struct cv_str text, struct cv_arena *a, struct cv_pyassign *ret);
/* The last assignment of name, or NULL. */
const struct cv_pyname *cv_pyassign_get(const struct cv_pyassign *p, const char *name);
/* The value of a string key in a dict, or in a list of pairs; NULL if there is none. */
const struct cv_pylit *cv_pylit_get(const struct cv_pylit *v, const char *key);

#endif
