/* SPDX-License-Identifier: Apache-2.0 */
/* Is it a build for CUDA at all, and does it have code for the GPU? */
#include "judge/rules.h"

#include "base/version.h"
#include "judge/advise.h"
#include "judge/cells.h"
#include "judge/effect.h"

enum trouble { TROUBLE_NONE, TROUBLE_TOO_NEW, TROUBLE_TOO_OLD, TROUBLE_PTX };

static enum trouble trouble_of(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const struct cv_wgpu *g)
{
	struct cv_code_match m = cv_load_code(ctx, l, g);

	if (m.code != CV_CODE_NONE && m.code != CV_CODE_PARTIAL)
		return TROUBLE_NONE;
	if (m.only_ptx)
		return TROUBLE_PTX;
	return cv_cc_cmp(g->ccn, m.min) < 0 ? TROUBLE_TOO_OLD : TROUBLE_TOO_NEW;
}

/* The GPUs that a finding about g speaks for: those of the same compute capability. */
static size_t same_gpus(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wload *l, const struct cv_wgpu *g)
{
	bool partial = cv_load_code(ctx, l, g).code == CV_CODE_PARTIAL;
	size_t n = 0;

	for (size_t i = 0; i < ctx->w->gpus.n; i++) {
		const struct cv_wgpu *other = &ctx->w->gpus.v[i];

		if (other->visible != CV_TRI_OK || !other->cc || cv_cc_cmp(other->ccn, g->ccn) != 0)
			continue;
		n++;
		cv_find_param(ctx, f, "gpu", other->label);
		cv_find_hits(ctx, f, partial ? CV_ASPECT_CODE_PARTIAL : CV_ASPECT_CODE,
			     (struct cv_hit){ .env = l->env, .gpu = i, .workload = l->name });
	}
	return n;
}

static bool is_first_of_kind(const struct cv_world *w, size_t gpu)
{
	for (size_t i = 0; i < gpu; i++)
		if (w->gpus.v[i].visible == CV_TRI_OK && w->gpus.v[i].cc && cv_cc_cmp(w->gpus.v[i].ccn, w->gpus.v[gpu].ccn) == 0)
			return false;
	return true;
}

static void add_build_fix(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wload *l)
{
	const char *none = NULL;

	if (cv_streq(l->framework, "torch") && cv_fix_torch(ctx, f, l, &none))
		return;
	if (cv_streq(l->framework, "onnxruntime") && cv_fix_ort(ctx, f, l, &none))
		return;
	cv_find_text(ctx, f,
		     none ? none
			  : cv_arena_printf(ctx->a, "take a release of %s that has code for these GPUs, or build it for them",
					    l->dist),
		     NULL);
}

static const char *words_as_list(const struct cv_judge_ctx *ctx, const char *words, struct cv_strv *ret)
{
	struct cv_str rest = cv_str_of(words), word;

	while (cv_str_word(&rest, &word))
		cv_strv_push(ctx->a, ret, cv_str_dup(ctx->a, word));
	return words;
}

static struct cv_finding *find_code(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wload *l,
				    const struct cv_wgpu *g, const char *title)
{
	struct cv_finding *f = cv_find(ctx, self, "%s", title);
	struct cv_strv list = { 0 };

	cv_find_env(ctx, f, &ctx->w->envs.v[l->env]);
	cv_find_subject(f, "package", l->dist, cv_fact_str(l->fw, CV_F_framework_path));
	cv_find_param(ctx, f, "package", l->label);
	cv_find_param(ctx, f, "sm", g->cc);
	words_as_list(ctx, l->code, &list);
	cv_find_params(ctx, f, "found", &list);
	cv_find_fact(ctx, f, l->fw, CV_F_framework_version);
	cv_find_fact(ctx, f, l->fw, CV_F_framework_cuda);
	if (l->has_file_code) {
		struct cv_code_match m = cv_load_code(ctx, l, g);

		cv_find_param(ctx, f, "covered", cv_arena_printf(ctx->a, "%llu", (unsigned long long)m.covered));
		cv_find_param(ctx, f, "containers", cv_arena_printf(ctx->a, "%llu", (unsigned long long)m.total));
		cv_find_fact(ctx, f, l->file_code.s, CV_F_code_sets);
	} else if (l->has_code_row) {
		cv_find_row(ctx, f, &l->code_row);
	}
	cv_find_fact(ctx, f, g->s, cv_fact_known(g->s, CV_F_gpu_device_id) ? CV_F_gpu_device_id : CV_F_gpu_name);
	if (g->has_cc_row)
		cv_find_row(ctx, f, &g->cc_row);
	same_gpus(ctx, f, l, g);
	return f;
}

static const char *proof(const struct cv_judge_ctx *ctx, const struct cv_wload *l)
{
	const struct cv_wenv *env = &ctx->w->envs.v[l->env];

	if (cv_streq(l->framework, "torch") && env->exe)
		return cv_arena_printf(ctx->a, "%s -c \"import torch; print(torch.ones(1, device='cuda') + 1)\"",
				       cv_shell_quote(ctx->a, env->exe));
	return cv_arena_printf(ctx->a, "cuvet check --env %s", cv_shell_quote(ctx->a, env->path));
}

static void report_no_code(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wload *l,
			   const struct cv_wgpu *g, enum trouble t)
{
	struct cv_code_match m = cv_load_code(ctx, l, g);
	const char *how = m.code == CV_CODE_PARTIAL ? cv_arena_printf(ctx->a, "code in %llu of %llu parts only",
								      (unsigned long long)m.covered, (unsigned long long)m.total)
						    : "no code";
	const char *title =
		cv_arena_printf(ctx->a, "%s has %s for the %s (compute capability %s)", l->label, how, g->label, g->cc);
	struct cv_finding *f = find_code(ctx, self, l, g, title);

	if (t == TROUBLE_TOO_OLD)
		cv_find_why(ctx, f,
			    "The oldest GPUs that this build serves are newer: is_available() may be True, and the first kernel "
			    "still fails with \"no kernel image is available\".");
	else
		cv_find_why(ctx, f,
			    "Compiled code runs on GPUs of its own major only, and there is no PTX here that this driver could "
			    "compile for a newer one.");
	add_build_fix(ctx, f, l);
	cv_find_prove(ctx, f, "%s", proof(ctx, l));
}

static void report_ptx(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wload *l, const struct cv_wgpu *g)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	const char *release = l->cuda ? cv_ver_prefix(ctx->a, l->cuda, 2) : "?";
	struct cv_finding *f = find_code(
		ctx, self, l, g,
		cv_arena_printf(ctx->a, "%s serves the %s by PTX only, which CUDA %s made and driver %s (CUDA %s) cannot compile",
				l->label, g->label, release, d->version, d->api));
	struct cv_kb_row row;

	cv_find_param(ctx, f, "cuda", release);
	cv_find_param(ctx, f, "driver_cuda", d->api);
	if (cv_kb_get(ctx->kb, "cuda", release, "ptx_isa", &row)) {
		cv_find_param(ctx, f, "needed", row.value);
		cv_find_row(ctx, f, &row);
	}
	if (cv_kb_get(ctx->kb, "cuda", d->api, "ptx_isa", &row))
		cv_find_row(ctx, f, &row);
	cv_find_why(ctx, f,
		    "PTX is compiled by the driver, which knows PTX versions up to its own CUDA release: error 222 (unsupported "
		    "PTX version).");
	add_build_fix(ctx, f, l);
	if (cv_kb_get(ctx->kb, "cuda", release, "toolkit_driver", &row))
		cv_fix_driver(ctx, f, row.value);
	cv_find_prove(ctx, f, "%s", proof(ctx, l));
}

/* One walk for the three rules: each reports its own kind of trouble. */
static void judge_code(struct cv_judge_ctx *ctx, const struct cv_rule *self, enum trouble mine)
{
	const struct cv_world *w = ctx->w;
	size_t n = 0, checked = 0;
	const char *unknown = NULL;

	for (size_t i = 0; i < w->loads.n; i++) {
		const struct cv_wload *l = &w->loads.v[i];

		for (size_t k = 0; k < w->gpus.n && l->build == CV_BUILD_GPU; k++) {
			const struct cv_wgpu *g = &w->gpus.v[k];
			struct cv_code_match m = cv_load_code(ctx, l, g);

			if (g->visible == CV_TRI_BAD)
				continue;
			checked++;
			if (m.code == CV_CODE_UNKNOWN)
				unknown = !g->cc     ? g->cc_because
					  : !l->code ? l->code_because
						     : "whether its code runs there is not settled";
			else if ((m.code == CV_CODE_NONE || m.code == CV_CODE_PARTIAL) && g->visible == CV_TRI_UNKNOWN)
				unknown = "which of the GPUs CUDA_VISIBLE_DEVICES means is not known";
			else if (trouble_of(ctx, l, g) == mine && is_first_of_kind(w, k)) {
				n++;
				if (mine == TROUBLE_PTX)
					report_ptx(ctx, self, l, g);
				else
					report_no_code(ctx, self, l, g, mine);
			}
		}
	}
	if (unknown)
		cv_not_evaluated(ctx, self, "%s", unknown);
	else if (!n && checked)
		cv_ruled_out(ctx, self, "every build here was compared with every GPU");
	else if (!n)
		cv_not_evaluated(ctx, self, w->gpus.n ? "there is no build for CUDA" : "there is no GPU to compare with");
}

CV_RULE(cv_rule_gpu_too_new)
{
	judge_code(ctx, self, TROUBLE_TOO_NEW);
}

CV_RULE(cv_rule_gpu_too_old)
{
	judge_code(ctx, self, TROUBLE_TOO_OLD);
}

CV_RULE(cv_rule_ptx_newer)
{
	judge_code(ctx, self, TROUBLE_PTX);
}

/* Is there a GPU for which a CPU build would be a pity? Boards and WSL have one though PCI does not show it. */
static enum cv_tri gpu_wanted(const struct cv_judge_ctx *ctx, const char **ret_because)
{
	const struct cv_world *w = ctx->w;

	if (w->has_gpu == CV_TRI_OK || w->jetson || w->driver.tegra || (w->wsl && w->driver.host))
		return CV_TRI_OK;
	*ret_because = w->has_gpu == CV_TRI_BAD ? "there is no GPU that a CUDA build could use" : w->has_gpu_because;
	return w->has_gpu;
}

static const char *jax_extra(const struct cv_judge_ctx *ctx, const char *version)
{
	const char *api = ctx->w->driver.api;

	return api && cv_ver_part(api, 0) >= 13 && cv_kb_value(ctx->kb, "jax", version, "cuda:13") ? "cuda13" : "cuda12";
}

static void add_gpu_build_fix(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wload *l)
{
	struct cv_install in = { .env = &ctx->w->envs.v[l->env], .pkg = l->pkg };
	const char *version = l->version ? cv_ver_public(ctx->a, l->version) : NULL;

	if (cv_install_in_vain(ctx, l)) {
		cv_fix_untried(cv_find_text(ctx, f, cv_install_in_vain(ctx, l), "lets the environment's own copy be imported"),
			       "what Python would import then was not looked at");
		return;
	}
	if (cv_streq(l->framework, "jax") && version) {
		cv_strv_push(ctx->a, &in.specs, cv_arena_printf(ctx->a, "jax[%s]==%s", jax_extra(ctx, version), version));
	} else if (cv_streq(l->framework, "tensorflow") && version) {
		if (!cv_streq(l->dist, "tensorflow"))
			cv_strv_push(ctx->a, &in.remove, l->dist);
		cv_strv_push(ctx->a, &in.specs, cv_arena_printf(ctx->a, "tensorflow[and-cuda]==%s", version));
	} else {
		add_build_fix(ctx, f, l);
		return;
	}
	if (!cv_find_install(ctx, f, &in, cv_arena_printf(ctx->a, "installs the CUDA build of %s", l->framework)))
		add_build_fix(ctx, f, l);
}

static void report_no_gpu_build(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wload *l)
{
	bool rocm = l->build == CV_BUILD_ROCM;
	struct cv_finding *f =
		cv_find(ctx, self, rocm ? "%s is a build for AMD GPUs (ROCm)" : "%s is a CPU-only build", l->label);

	cv_find_env(ctx, f, &ctx->w->envs.v[l->env]);
	cv_find_subject(f, "package", l->dist, cv_fact_str(l->fw, CV_F_framework_path));
	cv_find_param(ctx, f, "package", l->label);
	cv_find_param(ctx, f, "found", rocm ? "rocm" : "cpu");
	cv_find_fact(ctx, f, l->fw, CV_F_framework_version);
	cv_find_fact(ctx, f, l->fw, rocm ? CV_F_framework_hip : CV_F_framework_cuda);
	cv_find_fact(ctx, f, l->fw, CV_F_framework_gpu_lib);
	if (cv_streq(l->framework, "onnxruntime"))
		cv_find_fact(ctx, f, l->fw, CV_F_framework_package);
	for (size_t i = 0; i < ctx->w->gpus.n; i++)
		cv_find_param(ctx, f, "gpu", ctx->w->gpus.v[i].label);
	cv_find_why(ctx, f, "It holds no CUDA code: it runs, and never on the GPU of this machine.");
	add_gpu_build_fix(ctx, f, l);
	cv_find_prove(ctx, f, "cuvet check --env %s", cv_shell_quote(ctx->a, ctx->w->envs.v[l->env].path));
	cv_find_hits(ctx, f, CV_ASPECT_CODE, (struct cv_hit){ .env = l->env, .gpu = CV_NO_INDEX, .workload = l->name });
}

static void judge_build(struct cv_judge_ctx *ctx, const struct cv_rule *self, enum cv_build bad)
{
	const char *because = NULL, *unknown = NULL;
	const struct cv_subject *cpu, *gpu;
	size_t n = 0;

	if (!ctx->w->loads.n) {
		cv_not_evaluated(ctx, self, "no framework is installed");
		return;
	}
	if (gpu_wanted(ctx, &because) != CV_TRI_OK) {
		cv_not_evaluated(ctx, self, "%s", because);
		return;
	}
	for (size_t i = 0; i < ctx->w->loads.n; i++) {
		const struct cv_wload *l = &ctx->w->loads.v[i];

		if (l->build == CV_BUILD_UNKNOWN)
			unknown = l->build_because;
		if (l->build != bad)
			continue;
		if (cv_is_double(ctx, l, &cpu, &gpu)) {
			unknown = "a CPU and a GPU package write one directory: see cpu-package-shadows-gpu";
			continue;
		}
		n++;
		report_no_gpu_build(ctx, self, l);
	}
	if (unknown)
		cv_not_evaluated(ctx, self, "%s", unknown);
	else if (!n)
		cv_ruled_out(ctx, self, "no framework here is a %s build", cv_build_name(bad));
}

CV_RULE(cv_rule_cpu_only)
{
	judge_build(ctx, self, CV_BUILD_CPU);
}

CV_RULE(cv_rule_rocm_build)
{
	judge_build(ctx, self, CV_BUILD_ROCM);
}

enum cv_tri cv_is_jetson_mismatch(const struct cv_judge_ctx *ctx, const struct cv_wload *l)
{
	const char *l4t = cv_fact_str(ctx->w->machine, CV_F_machine_l4t);
	bool thor = ctx->w->gpus.n > 0;

	for (size_t i = 0; i < ctx->w->gpus.n; i++)
		thor &= ctx->w->gpus.v[i].cc && ctx->w->gpus.v[i].ccn.major >= 10;
	if (!ctx->w->jetson || !l->desktop_wheel || thor)
		return CV_TRI_BAD;
	/* From JetPack 7.2 (L4T 39) on an Orin takes the server packages of CUDA; whether every wheel has its code is open. */
	return l4t && cv_ver_part(l4t, 0) < 38 ? CV_TRI_OK : CV_TRI_UNKNOWN;
}

CV_RULE(cv_rule_jetson_wheel)
{
	const char *l4t = cv_fact_str(ctx->w->machine, CV_F_machine_l4t);
	size_t n = 0, unknown = 0;

	if (!ctx->w->jetson) {
		if (cv_fact(ctx->w->machine, CV_F_machine_jetson)->state == CV_ABSENT)
			cv_ruled_out(ctx, self, "this is not a Jetson");
		else
			cv_not_evaluated(ctx, self, "%s", cv_fact_because(ctx->a, ctx->w->machine, CV_F_machine_jetson));
		return;
	}
	for (size_t i = 0; i < ctx->w->loads.n; i++) {
		const struct cv_wload *l = &ctx->w->loads.v[i];
		enum cv_tri wrong = cv_is_jetson_mismatch(ctx, l);
		struct cv_finding *f;

		unknown += wrong == CV_TRI_UNKNOWN;
		if (wrong != CV_TRI_OK)
			continue;
		n++;
		/* No error: some of its code may run there, and no document says which. The cell stays unknown. */
		f = cv_find(ctx, self, "%s is a wheel for servers; a %s with L4T %s needs the wheel of its own JetPack", l->label,
			    cv_fact_str(ctx->w->machine, CV_F_machine_jetson), l4t);
		f->severity = CV_WARNING;
		cv_find_env(ctx, f, &ctx->w->envs.v[l->env]);
		cv_find_subject(f, "package", l->dist, cv_fact_str(l->fw, CV_F_framework_path));
		cv_find_param(ctx, f, "package", l->label);
		cv_find_param(ctx, f, "l4t", l4t);
		cv_find_param(ctx, f, "cuda", l->cuda);
		cv_find_fact(ctx, f, ctx->w->machine, CV_F_machine_jetson);
		cv_find_fact(ctx, f, ctx->w->machine, CV_F_machine_l4t);
		cv_find_fact(ctx, f, l->fw, CV_F_framework_version);
		cv_find_fact(ctx, f, l->fw, CV_F_framework_cuda);
		cv_find_why(ctx, f,
			    "Up to JetPack 6 the board's driver and CUDA are Tegra's own; wheels for Arm servers (SBSA) are "
			    "built for another driver and other GPUs.");
		cv_fix_untried(cv_find_text(ctx, f,
					    cv_arena_printf(ctx->a,
							    "install the %s wheel that NVIDIA publishes for this JetPack (L4T %s), "
							    "or use its L4T container image",
							    l->framework, l4t),
					    "replaces the wheel"),
			       "the knowledge base does not list the wheels of JetPack");
		cv_find_prove(ctx, f, "cuvet check --env %s", cv_shell_quote(ctx->a, ctx->w->envs.v[l->env].path));
		cv_find_hits(ctx, f, CV_ASPECT_NONE, (struct cv_hit){ .env = l->env, .gpu = CV_NO_INDEX, .workload = l->name });
	}
	if (unknown)
		cv_not_evaluated(ctx, self, "whether wheels for servers serve this Jetson is not settled for its L4T release");
	else if (!n)
		cv_ruled_out(ctx, self, "no wheel for servers is installed on this Jetson");
}
