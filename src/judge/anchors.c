/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/anchors.h"

#include "base/version.h"
#include "judge/cells.h"
#include "judge/fate.h"

static void add(struct cv_judge_ctx *ctx, const struct cv_anchor *anchor)
{
	struct cv_anchor *a = CV_VEC_PUSH(ctx->a, &ctx->anchors);

	if (a)
		*a = *anchor;
}

/* A part without any code that can be seen says nothing: it is nobody's cuDNN, or one that keeps its code elsewhere. */
static void add_part(struct cv_judge_ctx *ctx, const struct cv_wload *l, const struct cv_wlib *lib)
{
	const struct cv_subject *s = cv_facts_find(ctx->facts, CV_KIND_code, cv_subject_key(lib->s));
	struct cv_anchor a = { .load = l, .name = lib->soname, .version = lib->version, .lib = lib };
	enum cv_state state = cv_fact(s, CV_F_code_sets)->state;

	a.has_file = cv_file_code_of(ctx->facts, cv_subject_key(lib->s), ctx->a, &a.file);
	if (!a.has_file && (state == CV_DENIED || state == CV_UNPARSED))
		a.because = cv_fact_because(ctx->a, s, CV_F_code_sets);
	if (a.has_file || a.because)
		add(ctx, &a);
}

/* The parts that lie beside the front library. */
static void find_parts(struct cv_judge_ctx *ctx, const struct cv_wload *l, const struct cv_wlib *front)
{
	const struct cv_wenv *env = &ctx->w->envs.v[l->env];
	const char *major = cv_str_dup(ctx->a, cv_soname_major(front->soname ? front->soname : ""));
	const char *names = cv_kb_value(ctx->kb, "workload:cudnn", front->version ? front->version : major, "anchor");
	const char *dir = cv_dirname(ctx->a, cv_subject_key(front->s));

	for (size_t i = 0; names && i < env->near.n; i++) {
		const struct cv_wlib *lib = env->near.v[i].lib;

		if (lib->soname && cv_kb_has_word(names, lib->soname) && cv_streq(cv_dirname(ctx->a, cv_subject_key(lib->s)), dir))
			add_part(ctx, l, lib);
	}
}

/* Where no file was looked at, the version of NVIDIA's wheel tells, as far as kb lists its code: of the x86_64 wheels. */
static void find_package(struct cv_judge_ctx *ctx, const struct cv_wload *l)
{
	const struct cv_wenv *env = &ctx->w->envs.v[l->env];
	const char *major = l->cuda ? cv_arena_printf(ctx->a, "cu%lld", (long long)cv_ver_part(l->cuda, 0)) : NULL;
	struct cv_anchor a = { .load = l };
	const char *release;

	if (!major || !ctx->w->x86)
		return;
	a.name = cv_arena_printf(ctx->a, "nvidia-cudnn-%s", major);
	a.pkg = cv_wenv_package(env, a.name);
	a.version = cv_fact_str(a.pkg, CV_F_package_version);
	release = a.version ? cv_ver_prefix(ctx->a, a.version, 3) : NULL;
	if (release && cv_kb_get(ctx->kb, "cudnn", release, cv_arena_printf(ctx->a, "code:%s", major), &a.row))
		add(ctx, &a);
}

/* The cuDNN that the workload loads by itself, where the loader's steps were followed; otherwise the one that is there for it. */
static const struct cv_wlib *front_of(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const struct cv_provided *p)
{
	struct cv_fate fate = cv_load_fate(ctx, l);
	const struct cv_subject *load = fate.kind == CV_FATE_LOADS ? cv_scenario_load(ctx, fate.scenario, "cudnn") : NULL;
	const char *path = cv_fact_str(load, CV_F_load_path);
	const struct cv_wlib *taken = path ? cv_lib_at(ctx, path) : NULL;

	if (taken)
		return taken;
	if (fate.kind == CV_FATE_FAILS && p->by == CV_PROVIDER_LOADER) /* what mends it may bring another */
		return NULL;
	return p->by == CV_PROVIDER_ENV || p->by == CV_PROVIDER_LOADER ? p->lib : NULL;
}

void cv_anchors_find(struct cv_judge_ctx *ctx)
{
	for (size_t i = 0; i < ctx->w->loads.n; i++) {
		const struct cv_wload *l = &ctx->w->loads.v[i];
		struct cv_strv needs = { 0 };

		if (l->build != CV_BUILD_GPU)
			continue;
		cv_load_needs(ctx, l, &needs);
		for (size_t k = 0; k < needs.n; k++) {
			const struct cv_wlib *front;
			struct cv_provided p;

			if (!cv_str_is(cv_soname_family(needs.v[k]), "cudnn"))
				continue;
			p = cv_load_provided(ctx, l, needs.v[k]);
			front = front_of(ctx, l, &p);
			if (front)
				find_parts(ctx, l, front);
			else if (p.by == CV_PROVIDER_ENV)
				find_package(ctx, l);
		}
	}
}

struct cv_code_match cv_anchor_code(const struct cv_judge_ctx *ctx, const struct cv_anchor *a, const struct cv_wgpu *g)
{
	if (a->because || !g->cc)
		return (struct cv_code_match){ .code = CV_CODE_UNKNOWN };
	if (a->has_file)
		return cv_weigh(&a->file, g->ccn, cv_ptx_limit_of(ctx));
	/* Which toolkit made its PTX is not in the list. */
	return cv_code_match(a->row.value, g->ccn, CV_TRI_UNKNOWN);
}

/* The worse, the lower. */
static int rank(enum cv_code code)
{
	return code == CV_CODE_NATIVE ? 3 : code == CV_CODE_PTX_JIT ? 2 : code == CV_CODE_UNKNOWN ? 1 : 0;
}

struct cv_code_match cv_cell_code(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const struct cv_wgpu *g,
				  const struct cv_anchor **ret_by)
{
	struct cv_code_match worst = cv_load_code(ctx, l, g);

	*ret_by = NULL;
	for (size_t i = 0; i < ctx->anchors.n; i++) {
		const struct cv_anchor *a = &ctx->anchors.v[i];
		struct cv_code_match m = { .code = CV_CODE_NATIVE };

		if (a->load == l)
			m = cv_anchor_code(ctx, a, g);
		if (rank(m.code) >= rank(worst.code))
			continue;
		worst = m;
		*ret_by = a;
	}
	return worst;
}

const char *cv_anchor_because(const struct cv_judge_ctx *ctx, const struct cv_anchor *a, const struct cv_wgpu *g,
			      const struct cv_code_match *m)
{
	if (a->because)
		return a->because;
	if (m->undecided)
		return cv_arena_printf(ctx->a, "whether code of %s runs on compute capability %s is not settled", a->name, g->cc);
	return cv_arena_printf(ctx->a, "whether this driver compiles the PTX of %s is not known", a->name);
}
