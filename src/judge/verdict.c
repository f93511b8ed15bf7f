/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict: machine and selected environments alone. A problem is an error finding; cannot-tell a cell that stays unknown, or
 * a machine of which nothing is known that a verdict could rest on.
 */
#include "judge/report.h"

#include "base/str.h"

static bool env_counts(const struct cv_world *w, size_t env)
{
	return env == CV_NO_INDEX || w->envs.v[env].selected;
}

static bool env_has_error(const struct cv_judge_ctx *ctx, size_t env)
{
	for (size_t i = 0; i < ctx->found.n; i++)
		if (ctx->found.v[i]->severity == CV_ERROR && ctx->found.v[i]->env == env)
			return true;
	return false;
}

/* An environment whose packages could not be listed. */
static const char *env_unreadable(const struct cv_judge_ctx *ctx, size_t env)
{
	const struct cv_wenv *e = &ctx->w->envs.v[env];
	const struct cv_strv *closed = cv_fact_list(cv_facts_find(ctx->facts, CV_KIND_ldso, ""), CV_F_ldso_dirs_denied);
	enum cv_state state = cv_fact(e->s, CV_F_env_packages)->state;

	/* Where the search path was settled packages were looked for; not asked then means that a record lacks the answer. */
	if (state == CV_DENIED || state == CV_UNPARSED ||
	    (state == CV_NOT_ASKED && e->selected && cv_fact_known(e->s, CV_F_env_sys_path)))
		return cv_fact_because(ctx->a, e->s, CV_F_env_packages);
	for (size_t i = 0; !e->packages.n && i < closed->n; i++)
		if (cv_path_below(closed->v[i], e->path))
			return cv_arena_printf(ctx->a, "%s may not be looked into", closed->v[i]);
	return NULL;
}

static enum cv_verdict env_verdict(const struct cv_judge_ctx *ctx, size_t env)
{
	enum cv_verdict v = env_has_error(ctx, env) ? CV_VERDICT_PROBLEM : CV_VERDICT_OK;

	for (size_t i = 0; i < ctx->report->cells.n && v != CV_VERDICT_PROBLEM; i++) {
		const struct cv_cell *c = &ctx->report->cells.v[i];

		if (c->env == env && c->verdict != CV_VERDICT_OK)
			v = c->verdict;
	}
	return v == CV_VERDICT_OK && env_unreadable(ctx, env) ? CV_VERDICT_CANNOT_TELL : v;
}

/* The problem that the reader should hear of first. */
static const struct cv_finding *first_problem(const struct cv_judge_ctx *ctx)
{
	for (size_t i = 0; i < ctx->found.n; i++) {
		const struct cv_finding *f = ctx->found.v[i];

		if (f->severity == CV_ERROR && f->role == CV_PRIMARY && env_counts(ctx->w, f->env))
			return f;
	}
	for (size_t i = 0; i < ctx->found.n; i++)
		if (ctx->found.v[i]->severity == CV_ERROR && env_counts(ctx->w, ctx->found.v[i]->env))
			return ctx->found.v[i];
	return NULL;
}

static size_t count_problems(const struct cv_judge_ctx *ctx)
{
	size_t n = 0;

	for (size_t i = 0; i < ctx->found.n; i++)
		n += ctx->found.v[i]->severity == CV_ERROR && ctx->found.v[i]->role == CV_PRIMARY &&
		     env_counts(ctx->w, ctx->found.v[i]->env);
	return n;
}

static const struct cv_cell *first_unknown(const struct cv_judge_ctx *ctx)
{
	for (size_t i = 0; i < ctx->report->cells.n; i++) {
		const struct cv_cell *c = &ctx->report->cells.v[i];

		if (c->verdict == CV_VERDICT_CANNOT_TELL && env_counts(ctx->w, c->env))
			return c;
	}
	return NULL;
}

/* "torch 2.11.0+cu130 and onnxruntime-gpu 1.31.1" of the selected environments, with ok cells only; "" if there is none. */
static const char *fitting_frameworks(const struct cv_judge_ctx *ctx)
{
	struct cv_strv list = { 0 };

	for (size_t i = 0; i < ctx->report->cells.n; i++) {
		const struct cv_cell *c = &ctx->report->cells.v[i];

		if (c->verdict == CV_VERDICT_OK && env_counts(ctx->w, c->env) && !cv_strv_has(&list, c->show_framework))
			cv_strv_push(ctx->a, &list, c->show_framework);
	}
	return cv_join_and(ctx->a, &list);
}

/* "the NVIDIA H200", "both A100", "all 8 NVIDIA H200", "the V100 and the H100" */
static const char *gpus_text(const struct cv_judge_ctx *ctx)
{
	struct cv_strv labels = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < ctx->w->gpus.n; i++) {
		const struct cv_wgpu *g = &ctx->w->gpus.v[i];
		const char *the = cv_arena_printf(ctx->a, "the %s", g->label);

		if (g->visible == CV_TRI_BAD)
			continue;
		n++;
		if (!cv_strv_has(&labels, the))
			cv_strv_push(ctx->a, &labels, the);
	}
	if (labels.n == 1 && n > 1)
		return cv_arena_printf(ctx->a, "all %zu %s", n, labels.v[0] + strlen("the "));
	return labels.n ? cv_join_and(ctx->a, &labels) : "the GPU";
}

static const char *driver_text(const struct cv_judge_ctx *ctx)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	const char *version = d->module ? d->module : d->version;

	return version ? cv_arena_printf(ctx->a, " (driver %s)", version) : "";
}

static const char *ok_line(const struct cv_judge_ctx *ctx)
{
	const char *frameworks = fitting_frameworks(ctx);

	if (*frameworks)
		return cv_arena_printf(ctx->a, "%s can use %s%s", frameworks, gpus_text(ctx), driver_text(ctx));
	if (ctx->w->driver.state != CV_DRIVER_READY)
		return "nothing wrong was found, and no framework that uses a GPU";
	return cv_arena_printf(ctx->a, "%s%s is ready; no framework that uses it is in the environments looked at",
			       gpus_text(ctx), driver_text(ctx));
}

/* A tree or record of anything: an image at least says what system it is, or whose programs it holds. */
static bool is_a_system(const struct cv_judge_ctx *ctx)
{
	const struct cv_subject *m = ctx->w->machine;

	return cv_fact_known(m, CV_F_machine_os_id) || cv_fact_known(m, CV_F_machine_arch) || cv_fact_known(m, CV_F_machine_glibc) ||
	       cv_fact_known(m, CV_F_machine_kernel);
}

/* Nothing to hang a verdict on: packages that may not be seen; no framework, and neither driver nor GPU known. */
static const char *machine_unknown(const struct cv_judge_ctx *ctx)
{
	for (size_t i = 0; i < ctx->w->envs.n; i++)
		if (ctx->w->envs.v[i].selected && env_unreadable(ctx, i))
			return env_unreadable(ctx, i);
	if (ctx->report->cells.n)
		return NULL;
	if (cv_fact_list(ctx->w->machine, CV_F_machine_envs_unseen)->n)
		return cv_arena_printf(ctx->a, "%s could not be looked into, and may hold environments",
				       cv_fact_list(ctx->w->machine, CV_F_machine_envs_unseen)->v[0]);
	if (!ctx->w->live)
		return ctx->w->envs.n || is_a_system(ctx) ? NULL : "neither an operating system nor a Python environment was found";
	if (ctx->w->driver.state == CV_DRIVER_UNKNOWN)
		return ctx->w->driver.unknown_because;
	return ctx->w->has_gpu == CV_TRI_UNKNOWN && ctx->w->driver.state != CV_DRIVER_READY ? ctx->w->has_gpu_because : NULL;
}

static void conclude_problem(struct cv_judge_ctx *ctx, const struct cv_finding *f)
{
	size_t n = count_problems(ctx);

	ctx->report->verdict = CV_VERDICT_PROBLEM;
	ctx->report->verdict_line = f->title;
	if (n > 1)
		ctx->report->verdict_line =
			cv_arena_printf(ctx->a, "%s; and %zu more problem%s", f->title, n - 1, n == 2 ? "" : "s");
}

void cv_report_conclude(struct cv_judge_ctx *ctx)
{
	const struct cv_finding *f = first_problem(ctx);
	const struct cv_cell *c = first_unknown(ctx);
	const char *because = machine_unknown(ctx);
	struct cv_report *r = ctx->report;

	for (size_t i = 0; i < r->envs.n; i++)
		r->envs.v[i].verdict = env_verdict(ctx, i);
	if (f) {
		conclude_problem(ctx, f);
	} else if (c) {
		r->verdict = CV_VERDICT_CANNOT_TELL;
		r->verdict_line = cv_arena_printf(
			ctx->a, "cannot tell whether %s can use %s: %s", c->show_framework,
			c->gpu == CV_NO_INDEX ? "a GPU" : cv_arena_printf(ctx->a, "the %s", ctx->w->gpus.v[c->gpu].label),
			c->unknown_because ? c->unknown_because : "a needed fact is missing");
	} else if (because) {
		r->verdict = CV_VERDICT_CANNOT_TELL;
		r->verdict_line = cv_arena_printf(ctx->a, "cannot tell what this machine has: %s", because);
	} else {
		r->verdict = CV_VERDICT_OK;
		r->verdict_line = ok_line(ctx);
	}
}
