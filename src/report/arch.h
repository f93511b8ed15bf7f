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
	const char *path;  /* as given, or below what was given: DIR/FILE, WHEEL:MEMBER */
	const char *group; /* the directory or wheel that was given, NULL: the file itself */
	const char *name;  /* in the group: "torch/lib/libtorch_cuda.so"; the path where there is none */
	const char *error; /* why it could not be read, or NULL: then code is there */
	const char *state; /* with error: "denied", "not_asked" or "unparsed" */
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

/* How many files have what for one GPU; files that could not be read and files without any GPU code are in none of them. */
struct cv_arch_sum {
	size_t native, ptx_jit, partial, none, unknown;
};

struct cv_arch_sum cv_arch_sum(const struct cv_arch *r, size_t gpu);
/* Files that could not be read. */
size_t cv_arch_unreadable(const struct cv_arch *r);
enum cv_verdict cv_arch_verdict(const struct cv_arch *r);
/*
 * The answer in a sentence for one GPU. Names of files are appended as long as they fit into width columns, at least one; labels
 * gives the short names, NULL: the paths. "no GPU code" where no file has any.
 */
const char *cv_arch_sentence(const struct cv_arch *r, size_t gpu, const char *const *labels, size_t width, struct cv_arena *a);
/* Why a verdict is unknown; NULL where it is not. */
const char *cv_arch_because(const struct cv_arch_file *f, const struct cv_cover *c, struct cv_arena *a);
/* The shortest end of each file's path, from a component on, that no other file's path ends in. NULL when out of memory. */
const char *const *cv_arch_labels(const struct cv_arch *r, struct cv_arena *a);

/* "native", "ptx-jit", "partial", "none", "unknown", "no-gpu-code" */
const char *cv_arch_cover_word(const struct cv_cover *c);
/* The part of the code that decides and that is listed. */
const struct cv_code_place *cv_arch_place(const struct cv_arch_file *f);
/* "sm_90a", "compute_120" */
const char *cv_arch_target_text(struct cv_arena *a, struct cv_gpu_target t);

#endif
