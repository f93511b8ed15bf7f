/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weigh: the GPU code of a file, as the facts carry it, against a GPU. Code is counted, not united: a few stray cubins of a
 * large library serve no GPU (CV_CODE_PARTIAL). Where the documents leave a GPU open (Tegra), so does the answer.
 */
#ifndef CV_JUDGE_WEIGH_H
#define CV_JUDGE_WEIGH_H

#include "facts/facts.h"
#include "gpucode/gpucode.h"
#include "judge/match.h"

struct cv_file_code {
	const struct cv_subject *s; /* the fact: code.sets of the file */
	struct cv_gpucode code;
	const char *list; /* every target once, as a kb list: "sm_75 sm_80 compute_90" */
};

/* The code of a file, from its facts; false if they are not known or hold no code. */
bool cv_file_code_of(const struct cv_facts *facts, const char *path, struct cv_arena *a, struct cv_file_code *ret);

/* What the driver compiles: isa is the PTX version that it knows at least (0: not known), exactly that one with exact. */
struct cv_ptx_limit {
	uint16_t isa;
	bool exact;
};
struct cv_code_match cv_weigh(const struct cv_file_code *f, struct cv_cc gpu, struct cv_ptx_limit limit);

#endif
