/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Versions as parsed types, one comparator per scheme. Comparing version strings as text is banned in this project.
 *
 *	CV_VER_PEP440   Python packages: epoch, release, a/b/rc, post, dev, local ("2.9.0+cu128")
 *	CV_VER_DOTTED   numbers between dots: drivers, CUDA, cuDNN, compute capabilities, glibc ("570.26", "12.8", "8.9").
 *	                A missing part counts as 0 ("12" == "12.0"). A tail that is not numeric ("5.15.0-91-generic")
 *	                ends the version and is ignored.
 *	CV_VER_DEB      Debian packages: [epoch:]upstream[-revision], as dpkg --compare-versions
 */
#ifndef CV_BASE_VERSION_H
#define CV_BASE_VERSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum cv_ver_scheme { CV_VER_DOTTED, CV_VER_PEP440, CV_VER_DEB };

/* True if s is a version of the scheme; the whole of s must fit (CV_VER_DOTTED: it must begin with a digit). */
bool cv_ver_valid(enum cv_ver_scheme scheme, const char *s);
/*
 * <0, 0, >0. Both must be valid; an invalid one sorts before every valid one and equal to another invalid one, so that a
 * sort stays total. PEP 440 local parts count (2.9.0 < 2.9.0+cu128).
 */
int cv_ver_cmp(enum cv_ver_scheme scheme, const char *a, const char *b);

/* The number at place i (0 = major) of a dotted or PEP 440 release; -1 if there is no such place, INT64_MAX if it is larger. */
int64_t cv_ver_part(const char *s, unsigned i);
/* The first n parts, "12.8.90" with 2 gives "12.8"; fewer if there are fewer. */
const char *cv_ver_prefix(struct cv_arena *a, const char *s, unsigned n);
/* The PEP 440 local part ("cu128" of "2.9.0+cu128") or NULL; and the version without it. */
const char *cv_ver_local(struct cv_arena *a, const char *s);
const char *cv_ver_public(struct cv_arena *a, const char *s);
/* True for a PEP 440 version with a, b, rc or dev part. */
bool cv_ver_is_pre(const char *s);

/*
 * Does version satisfy a PEP 440 specifier set (">=2.4,<3", "==2.9.*", "~=1.4", "===x")? Returns 1 yes, 0 no, CV_EFORMAT
 * if either cannot be parsed. Pre-releases are judged by order alone, as an installed version is.
 */
int cv_spec_match(struct cv_str spec, const char *version);

/* [from, to): from or to may be "" for no bound on that side. */
bool cv_ver_in(enum cv_ver_scheme scheme, const char *v, const char *from, const char *to);

#endif
