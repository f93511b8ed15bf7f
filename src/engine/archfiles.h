/* SPDX-License-Identifier: Apache-2.0 */
/* Which files an argument of `cuvet arch` means, and the code in them. */
#ifndef CV_ENGINE_ARCHFILES_H
#define CV_ENGINE_ARCHFILES_H

#include "engine/engine.h"
#include "report/arch.h"

/*
 * path: a library, object, archive, cubin, fatbin or PTX file; a wheel (its members are listed as WHEEL:MEMBER); a directory
 * (an environment: its libraries that hold GPU code). A file that cannot be read is listed with its error; only a path that is
 * not there fails (CV_ENOENT, with a message).
 */
int cv_arch_add_path(struct cv_run *run, struct cv_view *view, const char *path, struct cv_arch *r);

#endif
