/* SPDX-License-Identifier: Apache-2.0 */
/* The rules, by family; each is in the table of registry.c once. To add one: write it, add it here and there, write its page. */
#ifndef CV_JUDGE_RULES_H
#define CV_JUDGE_RULES_H

#include "judge/ctx.h"

#define CV_RULE(name) void name(struct cv_judge_ctx *ctx, const struct cv_rule *self)

/* rules_machine.c: is there a GPU, may we reach it */
CV_RULE(cv_rule_no_nvidia_gpu);
CV_RULE(cv_rule_container_without_gpu);
CV_RULE(cv_rule_device_node_missing);
CV_RULE(cv_rule_device_node_denied);
CV_RULE(cv_rule_cuda_visible_devices);

/* rules_driver.c: is there a driver that drives it */
CV_RULE(cv_rule_driver_missing);
CV_RULE(cv_rule_driver_library_missing);
CV_RULE(cv_rule_driver_not_loaded);
CV_RULE(cv_rule_secure_boot);
CV_RULE(cv_rule_other_driver);
CV_RULE(cv_rule_module_flavour);
CV_RULE(cv_rule_gpu_dropped);

/* rules_libcuda.c: which libcuda, and what it offers */
CV_RULE(cv_rule_library_mismatch);
CV_RULE(cv_rule_compat_misused);
CV_RULE(cv_rule_wsl_libcuda);
CV_RULE(cv_rule_driver_too_old);
CV_RULE(cv_rule_minor_version);

/* rules_code.c: does the build have code for the GPU */
CV_RULE(cv_rule_gpu_too_new);
CV_RULE(cv_rule_gpu_too_old);
CV_RULE(cv_rule_ptx_newer);
CV_RULE(cv_rule_cpu_only);
CV_RULE(cv_rule_rocm_build);
CV_RULE(cv_rule_jetson_wheel);

/* rules_cudnn.c: does the cuDNN beside it */
CV_RULE(cv_rule_cudnn_dropped_gpu);
CV_RULE(cv_rule_cudnn_older_than_gpu);

/* rules_package.c: what is installed, and does it fit together */
CV_RULE(cv_rule_cpu_shadows_gpu);
CV_RULE(cv_rule_companions);
CV_RULE(cv_rule_requirements);
CV_RULE(cv_rule_mixed_wheels);
CV_RULE(cv_rule_damaged);
CV_RULE(cv_rule_shadowed);
CV_RULE(cv_rule_glibc);

/* rules_fit.c holds companions, requirements and mixed wheels */

/* rules_lib.c: the libraries that a build needs */
CV_RULE(cv_rule_cuda_major);
CV_RULE(cv_rule_cudnn_major);
CV_RULE(cv_rule_library_missing);
CV_RULE(cv_rule_loader_path);

/* rules_loads.c: what the loader refuses */
CV_RULE(cv_rule_not_on_loader_path);
CV_RULE(cv_rule_import_order);
CV_RULE(cv_rule_libstdcxx);
CV_RULE(cv_rule_exec_stack);
CV_RULE(cv_rule_static_tls);
/* For the rule glibc-too-old: finds what fails by a version of the C library; how many. */
size_t cv_glibc_by_loads(struct cv_judge_ctx *ctx, const struct cv_rule *self);

/* rules_mix.c: what loads and should not meet */
CV_RULE(cv_rule_shadowed_library);
CV_RULE(cv_rule_cudnn_mix);
CV_RULE(cv_rule_cuda_mixed);
CV_RULE(cv_rule_cudnn_older_first);

/*
 * Causes: predicates that rules share, so that one says "primary" and the others "symptom of" whatever the order they run in.
 */
bool cv_is_other_driver(const struct cv_judge_ctx *ctx);
bool cv_is_flavour_wrong(const struct cv_judge_ctx *ctx, const struct cv_wgpu *g);
bool cv_is_dropped(const struct cv_judge_ctx *ctx, const struct cv_wgpu *g, struct cv_kb_row *ret_last);
bool cv_is_unsigned(const struct cv_judge_ctx *ctx);
bool cv_is_without_gpu(const struct cv_judge_ctx *ctx);
bool cv_is_compat_misused(const struct cv_judge_ctx *ctx, const char **ret_why);
/* A wheel for servers and desktops on a Jetson that needs its own: ok = yes, it is one; unknown = not settled for this release.
 */
enum cv_tri cv_is_jetson_mismatch(const struct cv_judge_ctx *ctx, const struct cv_wload *l);
/* Two packages that write the framework's import directory are installed. */
bool cv_is_double(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const struct cv_subject **ret_cpu,
		  const struct cv_subject **ret_gpu);
/* The package's files are damaged, and not only by another package that writes the same directory. */
bool cv_is_damaged(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, const struct cv_subject *pkg);
/* The driver version that meets the GPUs: the loaded module's, otherwise that of the installed parts; NULL if not known. */
const char *cv_driver_version(const struct cv_judge_ctx *ctx);
/* A module file for the running kernel; NULL if there is none. */
const struct cv_subject *cv_kmod_here(const struct cv_judge_ctx *ctx);

#endif
