/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Codetext: the sets of a place as texts, so that facts can carry them: "444 sm_75 sm_80 compute_90@8.7", the number of
 * containers first, then their targets, PTX with its ISA where it is known.
 */
#ifndef CV_GPUCODE_CODETEXT_H
#define CV_GPUCODE_CODETEXT_H

#include "gpucode/gpucode.h"

/* Appends to *ret. False when out of memory. */
bool cv_codetext_write(const struct cv_code_place *place, struct cv_arena *a, struct cv_strv *ret);
/* The way back: adds to the empty *ret. CV_EFORMAT if a text is none of the above. */
int cv_codetext_read(const struct cv_strv *texts, struct cv_arena *a, struct cv_code_place *ret);

#endif
