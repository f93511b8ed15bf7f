/* SPDX-License-Identifier: Apache-2.0 */
/* Cells: environment x workload x GPU, first as far as the world tells, later with what the findings hit. */
#ifndef CV_JUDGE_CELLS_H
#define CV_JUDGE_CELLS_H

#include "judge/ctx.h"

/* Makes every cell; nothing is bad yet: bad needs a finding that says so. */
void cv_cells_make(struct cv_judge_ctx *ctx);
/* Gives each cell its verdict, after the rules. */
void cv_cells_judge(struct cv_judge_ctx *ctx);

/* Whether the loaded driver's compiler knows the PTX of this CUDA release; *ret_because (may be NULL) gets why it is unknown. */
enum cv_tri cv_driver_compiles(const struct cv_judge_ctx *ctx, const char *cuda, const char **ret_because);
/* Whether the driver runs programs of this CUDA release; *ret_because gets why that is unknown. */
enum cv_tri cv_driver_floor(const struct cv_judge_ctx *ctx, const char *cuda, const char **ret_because);
/* What the driver's compiler knows. */
struct cv_ptx_limit cv_ptx_limit_of(const struct cv_judge_ctx *ctx);
/* What code a workload's own library has for a GPU; see anchors.h for those beside it. */
struct cv_code_match cv_load_code(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const struct cv_wgpu *g);

/* Who provides a library that a workload's GPU library needs. */
enum cv_provider { CV_PROVIDER_NONE, CV_PROVIDER_ENV, CV_PROVIDER_LOADER, CV_PROVIDER_ELSEWHERE };
struct cv_provided {
	enum cv_provider by;
	const struct cv_wlib *lib;	   /* NULL when only the wheel's record tells */
	const struct cv_wlib *other_major; /* the same library of another major, when by is NONE */
};
struct cv_provided cv_load_provided(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const char *soname);
/* The nvidia wheel that brings a family of libraries ("cufft" -> "nvidia-cufft", without -cu12), or NULL. */
const char *cv_wheel_of(struct cv_str family);
/* The n-th family of libraries that a wheel ("nvidia-cublas") brings, NULL past the last. */
const char *cv_wheel_family(const char *wheel, size_t n);
/* Is this library one of those that decide: a CUDA run-time, cuBLAS or cuDNN with a major? */
bool cv_soname_decides(const char *soname);
/* The libraries of the CUDA stack that decide: those of DT_NEEDED that collectors list, and cuDNN where it is opened later. */
void cv_load_needs(const struct cv_judge_ctx *ctx, const struct cv_wload *l, struct cv_strv *ret);
/* True if the package's files are all there as its RECORD has them, as far as was looked. */
bool cv_package_intact(const struct cv_subject *pkg);

#endif
