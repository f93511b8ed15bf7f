/* SPDX-License-Identifier: Apache-2.0 */
/* Glob: paths of the view that fit a pattern, as glob(3) finds them without GLOB_BRACE and GLOB_TILDE. */
#ifndef CV_VIEW_GLOB_H
#define CV_VIEW_GLOB_H

#include "base/vec.h"
#include "view/view.h"

#define CV_GLOB_MAX 4096

/*
 * Adds the paths that exist, sorted, at most CV_GLOB_MAX of one pattern. pattern is absolute; '*' and '?' and sets do not match
 * '/' nor a leading '.'. Directories that may not be read are passed over, as glob(3) does. *budget is how many directories may
 * still be listed, over several calls; at 0 nothing more is found.
 */
void cv_glob(struct cv_view *v, const char *pattern, unsigned *budget, struct cv_arena *a, struct cv_strv *paths);

#endif
