/* SPDX-License-Identifier: Apache-2.0 */
/* Libways: every place where a program could meet a library of the GPU stack, in the loader's order where it has one. */
#ifndef CV_COLLECT_LIBWAYS_H
#define CV_COLLECT_LIBWAYS_H

#include "collect/libfind.h"

/* Looks in all of them; needs the facts of ldso, toolkit and env. */
void cv_libways(struct cv_collect_ctx *c, struct cv_libfind *f);

#endif
