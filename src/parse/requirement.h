/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requirements and environment markers of PEP 508: torch[opt]>=2.4,<3; python_version < "3.13" and extra == "cuda".
 *
 * Slices point into the text. Markers are evaluated with three values: a variable that is not known makes unknown, unless
 * the rest of the expression decides without it.
 */
#ifndef CV_PARSE_REQUIREMENT_H
#define CV_PARSE_REQUIREMENT_H

#include "base/str.h"
#include "base/vec.h"

#define CV_REQ_EXTRAS 64

struct cv_req {
	struct cv_str name;
	CV_VEC(struct cv_str) extras;
	struct cv_str spec;   /* version specifiers as written, without the brackets of the old form; empty: any version */
	struct cv_str url;    /* direct reference behind '@'; empty: none */
	struct cv_str marker; /* behind ';'; empty: always */
};

/* CV_EFORMAT if the text is no requirement (the marker is looked at only by cv_marker_eval). a holds the extras. */
int cv_req_parse(struct cv_str text, struct cv_arena *a, struct cv_req *ret);

enum cv_marker { CV_MARKER_FALSE, CV_MARKER_TRUE, CV_MARKER_UNKNOWN };

/* Values of the marker variables; NULL: not known. */
struct cv_marker_env {
	const char *python_version;      /* "3.11" */
	const char *python_full_version; /* "3.11.2" */
	const char *os_name, *sys_platform, *platform_system; /* "posix", "linux", "Linux" */
	const char *platform_machine, *platform_release, *platform_version;
	const char *platform_python_implementation, *implementation_name, *implementation_version;
	const char *extra; /* "" outside of any extra */
};

/* CV_EFORMAT if it is no marker, CV_ELIMIT if it is nested too deeply. An empty one is true. */
int cv_marker_eval(struct cv_str marker, const struct cv_marker_env *env, enum cv_marker *ret);

#endif
