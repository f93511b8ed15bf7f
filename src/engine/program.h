/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Program: the few words of Python that `cuvet ld --python` takes, as names of scenarios:
 *
 *	import torch; import onnxruntime as ort; ort.InferenceSession(...)  ->  torch, onnxruntime, onnxruntime.InferenceSession
 *	torch:cuda                                                          ->  torch:cuda
 *
 * What has no scenario is an error: nothing is guessed. An import that fails ends the program; a call need not: onnxruntime goes
 * on with the CPU.
 */
#ifndef CV_ENGINE_PROGRAM_H
#define CV_ENGINE_PROGRAM_H

#include "base/diag.h"
#include "base/vec.h"
#include "kb/kb.h"

struct cv_statement {
	const char *scenario;
	bool import;
};

struct cv_program {
	CV_VEC(struct cv_statement) v;
};

/* CV_EINVAL: a diag message names the statement. */
int cv_program_read(const char *text, const struct cv_kb *kb, struct cv_arena *a, struct cv_diag *d, struct cv_program *ret);

#endif
