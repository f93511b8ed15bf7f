/* SPDX-License-Identifier: Apache-2.0 */
/* Liborigin: whose copy of a library this is, told by where it lies. */
#ifndef CV_COLLECT_LIBORIGIN_H
#define CV_COLLECT_LIBORIGIN_H

#include "collect/libfind.h"

/*
 * "host", "compat", "stub", "wsl", "toolkit", "wheel", "conda", "distribution" or "other", as schema.def says of lib.origin.
 * version may be NULL. Toolkits and the loaded module's version are those in facts.
 */
const char *cv_lib_origin(const struct cv_facts *facts, const struct cv_libfile *file, const char *version);

/* True for the libraries that are part of the driver: libcuda, libnvidia-ml. */
bool cv_lib_is_drivers(const char *family);

#endif
