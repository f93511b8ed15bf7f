/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pyvenv.cfg, as CPython's getpath and site read it: lines "key = value", keys without regard to case, all else passed over.
 * It cannot be malformed; slices point into the text.
 */
#ifndef CV_PARSE_PYVENV_H
#define CV_PARSE_PYVENV_H

#include <stdbool.h>

#include "base/str.h"

struct cv_pyvenv {
	struct cv_str home;         /* directory of the base interpreter; a file without it makes no venv (p is NULL) */
	struct cv_str version;      /* "3.11.2": of the Python that made it, which an upgrade of the base can outdate */
	unsigned version_line;
	bool system_site;           /* packages of the base are visible too */
	struct cv_str uv, virtualenv; /* version of the tool that made it; p is NULL if it was another */
	struct cv_str implementation; /* virtualenv: "CPython", "PyPy" */
};

void cv_pyvenv_parse(struct cv_str text, struct cv_pyvenv *ret);

#endif
