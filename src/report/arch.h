/* SPDX-License-Identifier: Apache-2.0 */
/* Arch: the document of `cuvet arch`: GPU code of files, and which GPUs it serves. Plain data, made by the engine. */
#ifndef CV_REPORT_ARCH_H
#define CV_REPORT_ARCH_H

#include "gpucode/gpucode.h"
#include "report/check.h"

struct cv_arch_gpu {
	const char *name; /* as asked or as the machine has it; NULL: asked by compute capability alone */
	const char *cc;   /* "8.9" */
	uint16_t number;  /* 89 */
};

struct cv_arch_file {
	const char *path;   /* as given; a wheel's member as WHEEL:MEMBER */
	const char *error;  /* why it could not be read, or NULL: then code is there */
	struct cv_gpucode code;
	const struct cv_cover *cover; /* one for each GPU */
};

struct cv_arch {
	CV_VEC(struct cv_arch_gpu) gpus;
	CV_VEC(struct cv_arch_file) files;
	size_t without_code;     /* libraries of an environment that hold no GPU code: not listed */
	const char *no_gpu;      /* why no GPU is known where one was needed, or NULL */
	const char *ptx_isa;     /* the newest PTX ISA that this machine's driver compiles, or NULL: not known, PTX counts */
};

int cv_report_arch_json(const struct cv_arch *r, const struct cv_report_head *head, struct cv_buf *out);
int cv_report_arch_terminal(const struct cv_arch *r, const struct cv_report_head *head, const struct cv_style *style,
			    struct cv_buf *out);

/* "native", "ptx-jit", "partial", "none", "no-gpu-code" */
const char *cv_report_coverage_word(enum cv_coverage c);
/* "sm_90a", "compute_120" */
const char *cv_report_target_text(struct cv_arena *a, struct cv_gpu_target t);

#endif
