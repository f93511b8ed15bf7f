/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does cuDNN have code for a GPU that the framework itself serves? Where the framework does not, that is the finding, and its fix
 * brings another cuDNN along.
 */
#include "judge/rules.h"

#include "base/version.h"
#include "judge/advise.h"
#include "judge/anchors.h"
#include "judge/cells.h"

static bool is_bad(enum cv_code code)
{
	return code == CV_CODE_NONE || code == CV_CODE_PARTIAL;
}

static bool same_copy(const struct cv_anchor *a, const struct cv_anchor *b)
{
	return a->load->env == b->load->env && a->lib == b->lib && a->pkg == b->pkg;
}

/* The anchor that makes the cell bad, NULL if none does. */
static const struct cv_anchor *culprit(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const struct cv_wgpu *g)
{
	const struct cv_anchor *by;

	return g->cc && is_bad(cv_cell_code(ctx, l, g, &by).code) ? by : NULL;
}

static bool too_old(const struct cv_judge_ctx *ctx, const struct cv_anchor *a, const struct cv_wgpu *g)
{
	return cv_cc_cmp(g->ccn, cv_anchor_code(ctx, a, g).min) < 0;
}

/* "cuDNN 9.17.1" */
static const char *label_of(const struct cv_judge_ctx *ctx, const struct cv_anchor *a)
{
	return a->version ? cv_arena_printf(ctx->a, "cuDNN %s", a->version) : "this cuDNN";
}

/* Every workload that this copy fails, on every GPU of that compute capability. */
static void add_hits(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_anchor *a, const struct cv_wgpu *g)
{
	const struct cv_world *w = ctx->w;

	for (size_t k = 0; k < w->gpus.n; k++) {
		const struct cv_wgpu *other = &w->gpus.v[k];

		if (other->visible != CV_TRI_OK || !other->cc || cv_cc_cmp(other->ccn, g->ccn) != 0)
			continue;
		cv_find_param(ctx, f, "gpu", other->label);
		for (size_t i = 0; i < w->loads.n; i++) {
			const struct cv_wload *l = &w->loads.v[i];
			const struct cv_anchor *by = culprit(ctx, l, other);

			if (by && same_copy(by, a))
				cv_find_hits(ctx, f, CV_ASPECT_CODE_PARTIAL,
					     (struct cv_hit){ .env = l->env, .gpu = k, .workload = l->name });
		}
	}
}

/* Each part of the same copy that fails the GPU. */
static void add_parts(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_anchor *a, const struct cv_wgpu *g)
{
	struct cv_str rest = cv_str_of(a->has_file ? a->file.list : a->row.value), word;

	while (cv_str_word(&rest, &word))
		cv_find_param(ctx, f, "found", cv_str_dup(ctx->a, word));
	for (size_t i = 0; i < ctx->anchors.n; i++) {
		const struct cv_anchor *part = &ctx->anchors.v[i];

		if (part->load != a->load || !is_bad(cv_anchor_code(ctx, part, g).code))
			continue;
		cv_find_param(ctx, f, "soname", part->lib ? part->name : NULL);
		if (part->has_file)
			cv_find_fact(ctx, f, part->file.s, CV_F_code_sets);
		else
			cv_find_row(ctx, f, &part->row);
	}
	if (a->lib)
		cv_find_fact(ctx, f, a->lib->s, CV_F_lib_version);
	else
		cv_find_fact(ctx, f, a->pkg, CV_F_package_version);
}

static bool is_outside(const struct cv_anchor *a, const struct cv_wenv *env)
{
	if (!a->lib || (a->lib->env && cv_streq(a->lib->env, env->path)))
		return false;
	return !cv_path_below(cv_subject_key(a->lib->s), env->path);
}

/* NVIDIA's wheel of it in the environment; *ret_flavour gets "cu12". */
static const struct cv_subject *wheel_of(const struct cv_judge_ctx *ctx, const struct cv_anchor *a, const char **ret_flavour)
{
	static const char *const flavours[] = { "cu11", "cu12", "cu13" };
	const struct cv_wenv *env = &ctx->w->envs.v[a->load->env];
	const char *major = a->load->cuda ? cv_arena_printf(ctx->a, "cu%lld", (long long)cv_ver_part(a->load->cuda, 0)) : NULL;
	const struct cv_subject *any = NULL;

	if (is_outside(a, env))
		return NULL;
	for (size_t i = 0; i < sizeof(flavours) / sizeof(flavours[0]); i++) {
		const struct cv_subject *p = cv_wenv_package(env, cv_arena_printf(ctx->a, "nvidia-cudnn-%s", flavours[i]));

		if (!p || (any && !(major && cv_streq(flavours[i], major))))
			continue;
		any = p;
		*ret_flavour = flavours[i];
	}
	return any;
}

static void add_fix(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_anchor *a)
{
	const char *flavour = NULL, *release = NULL;
	struct cv_install in = { .env = &ctx->w->envs.v[a->load->env], .pkg = wheel_of(ctx, a, &flavour) };

	if (is_outside(a, in.env)) {
		cv_find_text(ctx, f,
			     cv_arena_printf(ctx->a, "take %s out of the loader's path, or put a cuDNN with code for these GPUs there",
					     cv_dirname(ctx->a, cv_subject_key(a->lib->s))),
			     "lets another cuDNN be found");
		return;
	}
	if (in.pkg && a->version)
		release = cv_advise_cudnn(ctx, in.env, flavour, cv_ver_part(a->version, 0));
	if (release) {
		cv_strv_push(ctx->a, &in.specs, cv_arena_printf(ctx->a, "nvidia-cudnn-%s==%s", flavour, release));
		if (cv_find_install(ctx, f, &in,
				    cv_arena_printf(ctx->a, "replaces %s by %s, which has code for the GPUs here",
						    label_of(ctx, a), release)))
			return;
	}
	if (cv_streq(a->load->framework, "torch") && cv_fix_torch(ctx, f, a->load, NULL))
		return;
	else if (cv_streq(a->load->framework, "onnxruntime") && !release && cv_fix_ort(ctx, f, a->load, NULL))
		return;
	else
		cv_find_text(ctx, f,
			     cv_arena_printf(ctx->a, "put a cuDNN %s with code for these GPUs in its place%s",
					     a->version ? cv_ver_prefix(ctx->a, a->version, 1) : "",
					     release ? cv_arena_printf(ctx->a, ", such as %s", release) : ""),
			     NULL);
}

static void report(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_anchor *a, const struct cv_wgpu *g)
{
	const struct cv_wload *l = a->load;
	struct cv_finding *f = cv_find(ctx, self, "%s has no code for the %s (compute capability %s), though %s has", label_of(ctx, a),
				       g->label, g->cc, l->label);

	cv_find_env(ctx, f, &ctx->w->envs.v[l->env]);
	cv_find_subject(f, "library", a->name, a->lib ? cv_subject_key(a->lib->s) : NULL);
	cv_find_param(ctx, f, "package", l->label);
	cv_find_param(ctx, f, "cudnn", a->version);
	cv_find_param(ctx, f, "sm", g->cc);
	add_parts(ctx, f, a, g);
	add_hits(ctx, f, a, g);
	cv_find_fact(ctx, f, g->s, cv_fact_known(g->s, CV_F_gpu_device_id) ? CV_F_gpu_device_id : CV_F_gpu_name);
	if (g->has_cc_row)
		cv_find_row(ctx, f, &g->cc_row);
	cv_find_why(ctx, f,
		    "Plain kernels run; convolutions, recurrent layers and whatever else goes through cuDNN fail with an "
		    "architecture mismatch or \"no kernel image is available\".");
	add_fix(ctx, f, a);
	cv_find_prove(ctx, f, "cuvet check --env %s", cv_shell_quote(ctx->a, ctx->w->envs.v[l->env].path));
}

static bool seen_before(const struct cv_judge_ctx *ctx, size_t load, size_t gpu, const struct cv_anchor *a)
{
	const struct cv_world *w = ctx->w;

	for (size_t i = 0; i < load; i++) {
		const struct cv_anchor *by = culprit(ctx, &w->loads.v[i], &w->gpus.v[gpu]);

		if (by && same_copy(by, a))
			return true;
	}
	for (size_t k = 0; k < gpu; k++)
		if (w->gpus.v[k].visible == CV_TRI_OK && w->gpus.v[k].cc && cv_cc_cmp(w->gpus.v[k].ccn, w->gpus.v[gpu].ccn) == 0)
			return true;
	return false;
}

static void judge_cudnn(struct cv_judge_ctx *ctx, const struct cv_rule *self, bool old)
{
	const struct cv_world *w = ctx->w;
	const char *unknown = NULL;
	size_t n = 0, checked = 0;

	for (size_t i = 0; i < w->loads.n; i++)
		for (size_t k = 0; k < w->gpus.n; k++) {
			const struct cv_wgpu *g = &w->gpus.v[k];
			const struct cv_anchor *by;
			struct cv_code_match m = cv_cell_code(ctx, &w->loads.v[i], g, &by);

			if (g->visible == CV_TRI_BAD)
				continue;
			checked += ctx->anchors.n > 0 && g->cc != NULL;
			if (!g->cc)
				unknown = g->cc_because;
			else if (by && m.code == CV_CODE_UNKNOWN)
				unknown = cv_anchor_because(ctx, by, g, &m);
			else if (by && is_bad(m.code) && g->visible == CV_TRI_UNKNOWN)
				unknown = "which of the GPUs CUDA_VISIBLE_DEVICES means is not known";
			else if (by && is_bad(m.code) && too_old(ctx, by, g) == old && !seen_before(ctx, i, k, by)) {
				report(ctx, self, by, g);
				n++;
			}
		}
	if (unknown)
		cv_not_evaluated(ctx, self, "%s", unknown);
	else if (!n && checked)
		cv_ruled_out(ctx, self, "the code in cuDNN's libraries was compared with every GPU");
	else if (!n)
		cv_not_evaluated(ctx, self, w->gpus.n ? "no cuDNN was met whose GPU code is known" : "there is no GPU to compare with");
}

CV_RULE(cv_rule_cudnn_dropped_gpu)
{
	judge_cudnn(ctx, self, true);
}

CV_RULE(cv_rule_cudnn_older_than_gpu)
{
	judge_cudnn(ctx, self, false);
}
