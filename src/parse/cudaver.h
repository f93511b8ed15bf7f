/* SPDX-License-Identifier: Apache-2.0 */
/* The version of a CUDA toolkit as its own files tell it. Texts are put in the arena; CV_EFORMAT if it is not told. */
#ifndef CV_PARSE_CUDAVER_H
#define CV_PARSE_CUDAVER_H

#include "base/arena.h"
#include "base/str.h"

/* version.json: "12.4.1"; a date in the third place ("12.1.20230222") is left out. */
int cv_cudaver_json(struct cv_str text, struct cv_arena *a, const char **ret, unsigned *ret_line);
/* version.txt, up to CUDA 11.0: "CUDA Version 10.2.89" */
int cv_cudaver_txt(struct cv_str text, struct cv_arena *a, const char **ret);
/* cuda.h (or its beginning): "#define CUDA_VERSION 13000" gives "13.0" */
int cv_cudaver_header(struct cv_str text, struct cv_arena *a, const char **ret, unsigned *ret_line);
/* "12.4" from "cuda-12.4" and "12.4.127" from "libcudart.so.12.4.127": what stands behind prefix, if it is a dotted version. */
int cv_cudaver_name(const char *name, const char *prefix, struct cv_arena *a, const char **ret);

#endif
