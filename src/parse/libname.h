/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libname: is this file name that of a library of the GPU stack?
 *
 * Names are matched whole, never by prefix: libcudart is not libcuda, and libcuda.so.1.bak is none.
 */
#ifndef CV_PARSE_LIBNAME_H
#define CV_PARSE_LIBNAME_H

#include "base/str.h"

/*
 * "cudnn_ops" for "libcudnn_ops.so.9": the part between "lib" and ".so", if it is of the GPU stack and nothing but a version
 * (numbers between dots) follows. False otherwise.
 */
bool cv_libname_family(struct cv_str name, struct cv_str *ret_family);

/* The numbers behind ".so.": "535.104.05" for "libcuda.so.535.104.05"; empty if there are none. */
struct cv_str cv_libname_version(struct cv_str name);

#endif
