/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/report.h"

#include "base/str.h"

/* bare only where nothing else was seen and everything was looked at. */
static const char *machine_kind(const struct cv_world *w)
{
	if (w->jetson)
		return "jetson";
	if (w->wsl)
		return "wsl";
	if (w->container)
		return "container";
	if (cv_fact_known(w->machine, CV_F_machine_vm))
		return "vm";
	return cv_fact_absent(w->machine, CV_F_machine_container) && cv_fact_absent(w->machine, CV_F_machine_vm) ? "bare" : NULL;
}

static void fill_driver(struct cv_judge_ctx *ctx)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	const struct cv_wlib *lib = d->first ? d->first : d->host;
	struct cv_report_driver *r = &ctx->report->driver;

	r->module = d->module;
	r->library = lib ? lib->version : NULL;
	r->library_path = lib ? lib->path : NULL;
	r->cuda_api = d->api_exact ? d->api : NULL;
	r->open = d->open;
	for (size_t i = 0; i < ctx->w->gpus.n && !r->firmware; i++)
		r->firmware = cv_fact_str(ctx->w->gpus.v[i].s, CV_F_gpu_firmware);
	if (!d->module) {
		enum cv_state version = cv_fact(d->s, CV_F_driver_module_version)->state;
		enum cv_state loaded = cv_fact(d->s, CV_F_driver_module_loaded)->state;

		/* No version file does not mean no module where nobody could see the list of modules. */
		r->state = cv_state_name(version == CV_ABSENT && loaded != CV_KNOWN ? loaded : version);
	}
}

static void fill_gpus(struct cv_judge_ctx *ctx)
{
	for (size_t i = 0; i < ctx->w->gpus.n; i++) {
		const struct cv_wgpu *g = &ctx->w->gpus.v[i];
		struct cv_report_gpu *r = CV_VEC_PUSH(ctx->a, &ctx->report->gpus);

		if (!r)
			return;
		r->name = g->name;
		r->pci = g->pci;
		r->cc = g->cc;
		r->cc_state = g->cc ? NULL : g->cc_because;
		r->memory_mib = g->memory_mib;
		r->visible = g->visible;
	}
}

static void fill_packages(struct cv_judge_ctx *ctx, const struct cv_wenv *env, struct cv_report_env *r)
{
	for (size_t i = 0; i < env->packages.n; i++) {
		const struct cv_subject *s = env->packages.v[i];
		const char *name = cv_fact_str(s, CV_F_package_name), *path = cv_fact_str(s, CV_F_package_path);
		struct cv_report_package *p = CV_VEC_PUSH(ctx->a, &r->packages);

		if (!p)
			return;
		p->path = path ? path : cv_subject_key(s);
		p->name = name ? name : cv_basename(p->path);
		p->version = cv_fact_str(s, CV_F_package_version);
		p->build = cv_fact_str(s, CV_F_package_build);
		p->installer = cv_fact_str(s, CV_F_package_installer);
	}
}

static void fill_envs(struct cv_judge_ctx *ctx)
{
	for (size_t i = 0; i < ctx->w->envs.n; i++) {
		const struct cv_wenv *env = &ctx->w->envs.v[i];
		struct cv_report_env *r = CV_VEC_PUSH(ctx->a, &ctx->report->envs);

		if (!r)
			return;
		r->path = env->path;
		r->kind = cv_fact_str(env->s, CV_F_env_kind);
		r->python = cv_fact_str(env->s, CV_F_env_python);
		r->active = env->active;
		r->selected = env->selected;
		fill_packages(ctx, env, r);
	}
}

void cv_report_fill(struct cv_judge_ctx *ctx)
{
	const struct cv_subject *m = ctx->w->machine;
	struct cv_report *r = ctx->report;

	r->os = cv_fact_str(m, CV_F_machine_os_name);
	if (!r->os)
		r->os = cv_fact_str(m, CV_F_machine_os_id);
	r->kernel = cv_fact_str(m, CV_F_machine_kernel);
	r->glibc = cv_fact_str(m, CV_F_machine_glibc);
	r->arch = cv_fact_str(m, CV_F_machine_arch);
	r->kind = machine_kind(ctx->w);
	fill_driver(ctx);
	fill_gpus(ctx);
	fill_envs(ctx);
}
