/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forward compatibility: what a libcuda says of the kernel drivers and devices that it works with although it is newer than they.
 *
 * The section .note.cuda.fwd_compatibility holds one note, owner "NVIDIA Corporation", type 0, behind 604 zero bytes (580.95.05):
 *
 *	{"format":1,"CUDA version":"13.0","driver":[535,550,565,570,575,580],"device":[1,2,7,8,9,10,11,12,13,14]}
 *
 * The driver's own libcuda carries it as well as that of cuda-compat, so the note does not tell them apart. "device" are brands
 * as NVML numbers them (1 Quadro, 2 Tesla, ... all but GeForce and Titan).
 *
 * Read tolerantly: keys in any order, unknown keys passed over, numbers also as texts, one value also without its array.
 */
#ifndef CV_PARSE_FWDCOMPAT_H
#define CV_PARSE_FWDCOMPAT_H

#include "parse/elf.h"

#define CV_FWDCOMPAT_MAX 65536 /* bytes of JSON */

struct cv_fwdcompat {
	const char *cuda;        /* "13.0"; NULL: it does not say */
	struct cv_strv branches; /* "535" */
	struct cv_strv devices;  /* "1" */
	const char *json;        /* the text itself */
	uint64_t at;             /* its offset in the file; 0 where cv_fwdcompat_parse() was called alone */
};

/* Texts are put in a. CV_EFORMAT if it is no JSON object, or one without any of the three keys; CV_ELIMIT if it is too long. */
int cv_fwdcompat_parse(struct cv_str json, struct cv_arena *a, struct cv_fwdcompat *ret);
/* From the library. CV_ENOENT if it has no such note. */
int cv_fwdcompat_read(struct cv_elf *e, struct cv_arena *a, struct cv_fwdcompat *ret);

#endif
