/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that load and should not meet: copies that hide others, parts of different releases in one process. */
#include "judge/rules.h"

#include "base/str.h"
#include "base/version.h"
#include "judge/advise.h"
#include "judge/cells.h"
#include "judge/fate.h"

/* A library as a scenario loads it. */
struct loaded {
	const struct cv_subject *load;
	const struct cv_wlib *lib;
};

/* What a rule looks at: a workload, and the scenario that it takes alone. */
struct look {
	struct cv_judge_ctx *ctx;
	const struct cv_rule *self;
	const struct cv_wload *l;
	const struct cv_subject *scenario;
	bool found;
	bool mild; /* what is found is a warning and spoils no cell */
};

static bool next_loaded(const struct cv_judge_ctx *ctx, const struct cv_subject *scenario, size_t *at, struct loaded *ret)
{
	while (*at < cv_facts_count(ctx->facts, CV_KIND_load)) {
		const struct cv_subject *s = cv_facts_at(ctx->facts, CV_KIND_load, (*at)++);
		const char *path = cv_fact_str(s, CV_F_load_path);

		if (!cv_is_of(s, scenario))
			return false;
		if (!path)
			continue;
		*ret = (struct loaded){ .load = s, .lib = cv_lib_at(ctx, path) };
		if (ret->lib && ret->lib->family)
			return true;
	}
	return false;
}

static struct cv_finding *report(struct look *w, const char *title, const struct loaded *one, const struct loaded *other)
{
	const struct cv_wenv *env = &w->ctx->w->envs.v[w->l->env];
	struct cv_finding *f = cv_find(w->ctx, w->self, "%s", title);

	w->found = true;
	if (w->mild)
		f->severity = CV_WARNING;
	cv_find_env(w->ctx, f, env);
	cv_find_subject(f, "package", w->l->dist, cv_fact_str(w->l->fw, CV_F_framework_path));
	cv_find_param(w->ctx, f, "package", w->l->label);
	cv_find_param(w->ctx, f, "soname", cv_fact_str(one->load, CV_F_load_soname));
	cv_find_param(w->ctx, f, "found", one->lib->version);
	cv_find_param(w->ctx, f, "needed", other->lib->version);
	cv_find_fact(w->ctx, f, one->load, CV_F_load_path);
	cv_find_fact(w->ctx, f, one->load, CV_F_load_step);
	cv_find_fact(w->ctx, f, one->lib->s, CV_F_lib_version);
	cv_find_fact(w->ctx, f, other->lib->s, CV_F_lib_version);
	cv_find_prove(w->ctx, f, "cuvet check --env %s", cv_shell_quote(w->ctx->a, env->path));
	cv_find_hits(w->ctx, f, w->mild ? CV_ASPECT_NONE : CV_ASPECT_LOADS,
		     (struct cv_hit){ .env = w->l->env, .gpu = CV_NO_INDEX, .workload = w->l->name });
	return f;
}

static bool from_variable(const struct loaded *o)
{
	const char *step = cv_fact_str(o->load, CV_F_load_step);

	return step && cv_streq(step, "LD_LIBRARY_PATH");
}

static void fix_search(struct look *w, struct cv_finding *f, const struct loaded *o)
{
	const char *path = cv_fact_str(o->load, CV_F_load_path), *entry = cv_fact_str(o->load, CV_F_load_detail);
	const char *left = from_variable(o) && entry ? cv_path_without(w->ctx, entry) : NULL;

	if (left)
		cv_find_path(w->ctx, f, left, "the copies that belong together are found again, by what this shell starts");
	if (from_variable(o))
		cv_find_text(w->ctx, f,
			     cv_arena_printf(w->ctx->a, "take %s out of LD_LIBRARY_PATH where it is set",
					     entry ? entry : cv_dirname(w->ctx->a, path)),
			     left ? NULL : "the copies that belong together are found again");
	else
		cv_find_text(w->ctx, f, cv_arena_printf(w->ctx->a, "remove %s, or install the release that fits there", path), NULL);
}

static bool is_own(const struct look *w, const struct loaded *o)
{
	return o->lib->env && cv_streq(o->lib->env, w->ctx->w->envs.v[w->l->env].path);
}

/* Of two that do not belong together, the one that goes: not the environment's own, else what the variable brought. */
static const struct loaded *outsider(const struct look *w, const struct loaded *a, const struct loaded *b)
{
	if (is_own(w, a) != is_own(w, b))
		return is_own(w, a) ? b : a;
	return from_variable(b) && !from_variable(a) ? b : a;
}

/* How much of a version counts where releases of one major are compared: a patch release changes no interface. */
#define RELEASE_PARTS 2
#define CUDNN_PARTS 3 /* its parts ask each other for the very release */

/* Some files tell their release only as "12.4": then no more than that is compared. */
static int release_cmp(struct cv_arena *a, const char *x, const char *y, unsigned parts)
{
	while (parts > 1 && (cv_ver_part(x, parts - 1) < 0 || cv_ver_part(y, parts - 1) < 0))
		parts--;
	return cv_ver_cmp(CV_VER_DOTTED, cv_ver_prefix(a, x, parts), cv_ver_prefix(a, y, parts));
}

static bool is_cudnn(const struct cv_wlib *lib)
{
	return cv_streq(lib->family, "cudnn") || cv_starts(lib->family, "cudnn_");
}

/* Two libraries of cuDNN of different releases: the first that is loaded, and the first that differs from it. */
static bool cudnn_mix(const struct look *w, struct loaded *ret_first, struct loaded *ret_other)
{
	struct loaded first = { 0 }, o;
	size_t at = cv_first_of(w->ctx, CV_KIND_load, w->scenario);

	while (next_loaded(w->ctx, w->scenario, &at, &o)) {
		if (!is_cudnn(o.lib) || !o.lib->version)
			continue;
		if (!first.lib) {
			first = o;
		} else if (release_cmp(w->ctx->a, first.lib->version, o.lib->version, CUDNN_PARTS) != 0) {
			*ret_first = first;
			*ret_other = o;
			return true;
		}
	}
	return false;
}

/* Libraries of which the first hands its work to the second: both are of one release. */
static const char *const pairs[][2] = { { "cublas", "cublasLt" } };
#define PAIRS (sizeof(pairs) / sizeof(pairs[0]))

static bool pair_mix(const struct look *w, size_t i, struct loaded *ret_one, struct loaded *ret_two)
{
	struct loaded one = { .load = cv_scenario_load(w->ctx, w->scenario, pairs[i][0]) };
	struct loaded two = { .load = cv_scenario_load(w->ctx, w->scenario, pairs[i][1]) };

	if (!one.load || !two.load)
		return false;
	one.lib = cv_lib_at(w->ctx, cv_fact_str(one.load, CV_F_load_path));
	two.lib = cv_lib_at(w->ctx, cv_fact_str(two.load, CV_F_load_path));
	*ret_one = one;
	*ret_two = two;
	return one.lib && two.lib && one.lib->version && two.lib->version &&
	       release_cmp(w->ctx->a, one.lib->version, two.lib->version, RELEASE_PARTS) != 0;
}

/* Another rule says it, and says more. */
static bool told_elsewhere(const struct look *w, const struct cv_wlib *lib)
{
	struct loaded one, two;

	if (is_cudnn(lib) && cudnn_mix(w, &one, &two))
		return true;
	for (size_t i = 0; i < PAIRS; i++)
		if ((cv_streq(lib->family, pairs[i][0]) || cv_streq(lib->family, pairs[i][1])) && pair_mix(w, i, &one, &two))
			return true;
	return false;
}

/* Libraries whose version is that of CUDA: they serve all that was built with their release or an older one. */
static const char *const by_cuda[] = { "cudart", "nvJitLink", "nvrtc" };

/* What the workload asks of the library at least: its own copy may be newer than it needs. */
static const char *release_needed(const struct look *w, const struct cv_wlib *own)
{
	for (size_t i = 0; w->l->cuda && i < sizeof(by_cuda) / sizeof(by_cuda[0]); i++)
		if (cv_streq(own->family, by_cuda[i]))
			return w->l->cuda;
	return own->version;
}

/* The copy that the search would have taken otherwise, of the environment's own wheels, where the one that is taken is too old. */
static const struct cv_wlib *hidden(const struct look *w, const struct loaded *o)
{
	const struct cv_strv *losers = cv_fact_list(o->load, CV_F_load_losers);
	const char *env = w->ctx->w->envs.v[w->l->env].path;

	if (!o->lib->version || is_own(w, o))
		return NULL;
	for (size_t i = 0; i < losers->n; i++) {
		const struct cv_wlib *lib = cv_lib_at(w->ctx, losers->v[i]);

		if (lib && lib->env && cv_streq(lib->env, env) && lib->version &&
		    release_cmp(w->ctx->a, o->lib->version, lib->version, RELEASE_PARTS) < 0 &&
		    release_cmp(w->ctx->a, o->lib->version, release_needed(w, lib), RELEASE_PARTS) < 0)
			return lib;
	}
	return NULL;
}

/* One finding for all that one way of searching hides: its cure is one. */
static void see_shadowed(struct look *w)
{
	struct loaded o, first = { 0 };
	const struct cv_wlib *own = NULL;
	struct cv_finding *f;
	size_t at = cv_first_of(w->ctx, CV_KIND_load, w->scenario), more = 0;

	while (next_loaded(w->ctx, w->scenario, &at, &o)) {
		const struct cv_wlib *lib = hidden(w, &o);

		if (!lib || told_elsewhere(w, o.lib))
			continue;
		more += own != NULL;
		first = own ? first : o;
		own = own ? own : lib;
	}
	if (!own)
		return;
	f = report(w,
		   cv_arena_printf(w->ctx->a, "%s takes %s %s from %s%s; its own is %s", w->l->label,
				   cv_fact_str(first.load, CV_F_load_soname), first.lib->version,
				   cv_dirname(w->ctx->a, first.lib->path),
				   more ? cv_arena_printf(w->ctx->a, " (and %zu more)", more) : "", own->version),
		   &first, &(struct loaded){ .lib = own });
	cv_find_why(w->ctx, f, "The loader takes the first file of that name. An older one lacks symbols that the newer "
			       "libraries beside it ask for.");
	fix_search(w, f, &first);
}

/* A pair that kb knows to work: of libcudnn.so itself and one other release. */
static bool seen_to_work(const struct look *w, const struct loaded *first, const struct loaded *o)
{
	const char *parts = cv_kb_value(w->ctx->kb, "cudnn", cv_ver_prefix(w->ctx->a, first->lib->version, CUDNN_PARTS),
					"works_with_parts");

	return cv_streq(first->lib->family, "cudnn") && parts &&
	       cv_kb_has_word(parts, cv_ver_prefix(w->ctx->a, o->lib->version, CUDNN_PARTS));
}

static void see_cudnn(struct look *w)
{
	struct loaded first, o;
	struct cv_finding *f;

	if (!cudnn_mix(w, &first, &o))
		return;
	w->mild = seen_to_work(w, &first, &o);
	f = report(w,
		   cv_arena_printf(w->ctx->a, "%s loads %s of cuDNN %s beside %s of %s", w->l->label,
				   cv_fact_str(o.load, CV_F_load_soname), o.lib->version, cv_fact_str(first.load, CV_F_load_soname),
				   first.lib->version),
		   &o, &first);
	cv_find_why(w->ctx, f, "The parts of cuDNN belong to one release; mixed, they stop with "
			       "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH or a missing symbol%s.",
		    w->mild ? ", though this pair was seen to work for convolutions" : "");
	fix_search(w, f, outsider(w, &o, &first));
}

static void see_mixed(struct look *w)
{
	for (size_t i = 0; i < PAIRS; i++) {
		struct loaded one, two;
		struct cv_finding *f;

		if (!pair_mix(w, i, &one, &two))
			continue;
		f = report(w,
			   cv_arena_printf(w->ctx->a, "%s loads %s %s beside %s %s", w->l->label,
					   cv_fact_str(one.load, CV_F_load_soname), one.lib->version,
					   cv_fact_str(two.load, CV_F_load_soname), two.lib->version),
			   &two, &one);
		cv_find_why(w->ctx, f, "The two are parts of one release and call each other by private interfaces.");
		fix_search(w, f, outsider(w, &two, &one));
	}
}

static bool find_shadowed(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wload *l, const struct cv_fate *fate)
{
	struct look w = { .ctx = ctx, .self = self, .l = l, .scenario = fate->scenario };

	see_shadowed(&w);
	return w.found;
}

static bool find_cudnn(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wload *l, const struct cv_fate *fate)
{
	struct look w = { .ctx = ctx, .self = self, .l = l, .scenario = fate->scenario };

	see_cudnn(&w);
	return w.found;
}

static bool find_mixed(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wload *l, const struct cv_fate *fate)
{
	struct look w = { .ctx = ctx, .self = self, .l = l, .scenario = fate->scenario };

	see_mixed(&w);
	return w.found;
}

CV_RULE(cv_rule_shadowed_library)
{
	cv_fates_judge(ctx, self, find_shadowed, "no library that is loaded hides a newer one of the environment");
}

CV_RULE(cv_rule_cudnn_mix)
{
	cv_fates_judge(ctx, self, find_cudnn, "the parts of cuDNN that are loaded are of one release");
}

CV_RULE(cv_rule_cuda_mixed)
{
	cv_fates_judge(ctx, self, find_mixed, "cuBLAS and cuBLASLt that are loaded are of one release");
}

/* torch's cuDNN, where onnxruntime has brought an older one before. */
CV_RULE(cv_rule_cudnn_older_first)
{
	size_t n = 0, known = 0;

	for (size_t i = 0; i < ctx->w->loads.n; i++) {
		const struct cv_wload *l = &ctx->w->loads.v[i];
		const struct cv_subject *alone = cv_scenario_of(ctx, l->env, "torch:cuda");
		const struct cv_subject *after = cv_scenario_of(ctx, l->env, "onnxruntime:cuda torch:cuda");
		struct loaded own, met;
		struct cv_finding *f;

		if (!cv_streq(l->framework, "torch") || !cv_scenario_done(alone) || !cv_scenario_done(after))
			continue;
		known++;
		own.load = cv_scenario_load(ctx, alone, "cudnn");
		met.load = cv_scenario_load(ctx, after, "cudnn");
		own.lib = own.load ? cv_lib_at(ctx, cv_fact_str(own.load, CV_F_load_path)) : NULL;
		met.lib = met.load ? cv_lib_at(ctx, cv_fact_str(met.load, CV_F_load_path)) : NULL;
		if (!own.lib || !met.lib || !own.lib->version || !met.lib->version ||
		    release_cmp(ctx->a, met.lib->version, own.lib->version, CUDNN_PARTS) >= 0)
			continue;
		n++;
		f = cv_find(ctx, self, "%s gets cuDNN %s instead of its own %s where onnxruntime is imported first", l->label,
			    met.lib->version, own.lib->version);
		f->severity = CV_WARNING; /* only in that order, and torch itself asks for its own version in some calls only */
		cv_find_env(ctx, f, &ctx->w->envs.v[l->env]);
		cv_find_subject(f, "package", l->dist, cv_fact_str(l->fw, CV_F_framework_path));
		cv_find_param(ctx, f, "found", met.lib->version);
		cv_find_param(ctx, f, "needed", own.lib->version);
		cv_find_fact(ctx, f, met.load, CV_F_load_path);
		cv_find_fact(ctx, f, met.load, CV_F_load_by);
		cv_find_fact(ctx, f, own.lib->s, CV_F_lib_version);
		cv_find_why(ctx, f, "A library that is loaded serves all who ask for its name afterwards; torch refuses an older cuDNN "
				    "than the one it was built with where it checks.");
		cv_find_text(ctx, f, "import torch before onnxruntime", "torch's own cuDNN serves both");
		cv_find_prove(ctx, f, "cuvet ld --env %s 'import torch; onnxruntime:cuda' --why libcudnn.so",
			      cv_shell_quote(ctx->a, ctx->w->envs.v[l->env].path));
	}
	if (!n && known)
		cv_ruled_out(ctx, self, "torch gets its own cuDNN or a newer one in either order");
	else if (!n)
		cv_not_evaluated(ctx, self, "torch and onnxruntime with CUDA are not in one environment, or do not load");
}
