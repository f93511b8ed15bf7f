/* SPDX-License-Identifier: Apache-2.0 */
/* What file names alone tell about distributions: metadata directories, wheels, conda records. */
#ifndef CV_PARSE_PYNAME_H
#define CV_PARSE_PYNAME_H

#include <stdbool.h>

#include "base/str.h"

enum cv_distkind {
	CV_DIST_INFO,     /* torch-2.9.0.dist-info */
	CV_DIST_EGG_INFO, /* foo-1.0-py3.11.egg-info, a directory or a file; foo.egg-info has no version */
	CV_DIST_EGG,      /* foo-1.0-py3.8.egg: metadata in EGG-INFO inside it */
	CV_DIST_CONDA,    /* pytorch-2.5.1-cuda126_py311_0.json of conda-meta */
	CV_DIST_LEFTOVER, /* ~orch, ~orch-2.9.0.dist-info: an interrupted pip renamed it */
};

struct cv_distname {
	enum cv_distkind kind;
	struct cv_str name;    /* as written, not normalised */
	struct cv_str version; /* empty: the name does not say */
	struct cv_str build;   /* conda only */
};

/* True if the entry of a site directory is one of the first three or a leftover. */
bool cv_distname_parse(struct cv_str entry, struct cv_distname *ret);
/* True if the entry of conda-meta is a package's record ("history" is not). */
bool cv_distname_conda(struct cv_str entry, struct cv_distname *ret);

/* name-version(-build)-python-abi-platform.whl; slices point into the text, a set of tags ("py2.py3") is kept as written. */
struct cv_wheelname {
	struct cv_str name, version, build, python, abi, platform;
};
bool cv_wheelname_parse(struct cv_str file, struct cv_wheelname *ret);

#endif
