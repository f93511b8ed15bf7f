/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Match: can this piece of GPU code run on this GPU? Pure rules, no kb, no files.
 *
 * Sources: CUDA C++ programming guide ("binary compatibility": same major, equal or higher minor, "not supported for Tegra" and
 * not between desktop and Tegra; "family-specific features"), PTX ISA manual (a targets run on exactly one compute capability,
 * f targets inside their family, plain PTX on anything as new or newer).
 */
#ifndef CV_GPUCODE_MATCH_H
#define CV_GPUCODE_MATCH_H

#include <stdbool.h>
#include <stdint.h>

/* One target of compiled code, as cuobjdump names it: sm_90a, compute_120, with the suffix that the fatbin's flags tell. */
struct cv_gpu_target {
	bool ptx;
	uint16_t arch; /* major * 10 + minor */
	char suffix;   /* 'a', 'f' or 0 */
};

/* Parses "sm_90a", "compute_120f"; false for anything else. */
bool cv_gpu_target_parse(const char *s, struct cv_gpu_target *ret);
/* Parses a compute capability "8.9" into 89; false for anything else. */
bool cv_gpu_cc_parse(const char *s, uint16_t *ret);

enum cv_fit {
	CV_FIT_NO,
	CV_FIT_OPEN, /* not documented: code of a Tegra chip on another GPU and the way round, new members of a family */
	CV_FIT_YES,
};

/*
 * Does code of this target run on compute capability cc (major * 10 + minor)? For PTX this says only that it may be compiled
 * for the GPU: whether the driver's compiler knows its PTX ISA is a question of its own.
 */
enum cv_fit cv_gpu_target_fit(struct cv_gpu_target t, uint16_t cc);

#endif
