/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which libcuda a program gets, and what it offers. The user-space library must be of the module's version, or a compatibility
 * copy whose own note lists the module's branch and the GPU's brand: otherwise cuInit fails with 803 or 804.
 */
#include "judge/rules.h"

#include "base/version.h"
#include "judge/advise.h"
#include "judge/cells.h"
#include "judge/effect.h"
#include "judge/fate.h"

static bool versions_differ(const char *a, const char *b)
{
	return a && b && cv_ver_cmp(CV_VER_DOTTED, a, b) != 0;
}

/* The library of the driver's own package that a program would get. */
static const struct cv_wlib *own_lib(const struct cv_wdriver *d)
{
	return d->first && d->first->origin && cv_streq(d->first->origin, "host") ? d->first : d->host;
}

CV_RULE(cv_rule_library_mismatch)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	const struct cv_wlib *lib = own_lib(d);
	const struct cv_subject *kmod = cv_kmod_here(ctx);
	struct cv_finding *f;
	struct cv_fix *x;

	if (ctx->w->wsl || ctx->w->jetson || d->tegra) {
		cv_not_evaluated(ctx, self, "this kind of machine has no module and libraries of one driver package");
		return;
	}
	if (!d->module || !lib || !lib->version) {
		cv_not_evaluated(ctx, self,
				 !d->module ? "the version of a loaded module is not known"
				 : lib	    ? "the version of libcuda is not known"
					    : "no libcuda of a driver is seen");
		return;
	}
	if (!versions_differ(d->module, lib->version)) {
		cv_ruled_out(ctx, self, "module and libcuda are both %s", d->module);
		return;
	}
	if (ctx->w->container && d->other && lib != d->host) {
		cv_not_evaluated(ctx, self, "the libcuda in question is a copy in the image");
		return;
	}
	f = cv_find(ctx, self, "kernel module %s and libcuda %s are of different driver versions", d->module, lib->version);
	cv_find_param(ctx, f, "module", d->module);
	cv_find_param(ctx, f, "library", lib->version);
	cv_find_fact(ctx, f, d->s, CV_F_driver_module_version);
	cv_find_fact(ctx, f, lib->s, CV_F_lib_version);
	cv_find_why(ctx, f,
		    "A driver's library and module must be of one version; cuInit fails with 803, nvidia-smi says "
		    "\"Driver/library version mismatch\".");
	if (ctx->w->container) {
		cv_fix_fact(ctx,
			    cv_find_text(ctx, f, "restart the container, so that it gets the host's present driver libraries", NULL),
			    lib->s, CV_F_lib_version, d->module);
	} else if (kmod && !versions_differ(cv_fact_str(kmod, CV_F_kmod_version), lib->version)) {
		cv_find_fact(ctx, f, kmod, CV_F_kmod_version);
		x = cv_find_command(ctx, f, "sudo rmmod nvidia_drm nvidia_modeset nvidia_uvm nvidia && sudo modprobe nvidia",
				    "loads the installed module in place of the old one");
		x->needs_root = true;
		x->risk = "works only while no program and no display uses a GPU";
		cv_fix_load(ctx, x);
		x = cv_find_command(ctx, f, "sudo reboot", "loads the installed module");
		x->needs_root = x->reboot = true;
		cv_fix_load(ctx, x);
	} else {
		x = cv_find_text(ctx, f, "install module and libraries of one driver version from one source, then reboot",
				 "replaces the driver's packages");
		x->needs_root = x->reboot = true;
		cv_fix_driver_version(ctx, x, cv_ver_cmp(CV_VER_DOTTED, d->module, lib->version) > 0 ? d->module : lib->version);
	}
	cv_find_prove(ctx, f, "nvidia-smi");
	cv_find_hits(ctx, f, CV_ASPECT_DRIVER, CV_HIT_ALL);
}

static bool is_origin(const struct cv_wlib *lib, const char *origin)
{
	return lib && lib->origin && cv_streq(lib->origin, origin);
}

/* nvmlBrandType_t 5 and 6; the note of a compat library lists the brands that it serves. */
static bool is_consumer(const struct cv_wgpu *g)
{
	return g->name && (strstr(g->name, "GeForce") || strstr(g->name, "TITAN"));
}

static const char *compat_fault(const struct cv_judge_ctx *ctx)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	const struct cv_strv *branches = cv_fact_list(d->first->s, CV_F_lib_fwd_branches);
	const struct cv_strv *brands = cv_fact_list(d->first->s, CV_F_lib_fwd_devices);
	const char *branch = cv_ver_prefix(ctx->a, d->module, 1);

	if (!versions_differ(d->first->version, d->module))
		return NULL;
	if (cv_ver_cmp(CV_VER_DOTTED, d->first->version, d->module) < 0)
		return "it is older than the kernel module: cuInit fails with 803";
	if (branches->n && !cv_strv_has(branches, branch))
		return "its own note does not list the module's branch: cuInit fails with 803";
	for (size_t i = 0; brands->n && i < ctx->w->gpus.n; i++)
		if (ctx->w->gpus.v[i].visible != CV_TRI_BAD && is_consumer(&ctx->w->gpus.v[i]) && !cv_strv_has(brands, "5"))
			return "forward compatibility is not offered for GeForce and TITAN: cuInit fails with 804";
	return NULL;
}

bool cv_is_compat_misused(const struct cv_judge_ctx *ctx, const char **ret_why)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	const char *why = NULL;

	if (ctx->w->wsl || !d->first)
		return false;
	if (is_origin(d->first, "stub"))
		why = "it is a stub for linking: cuInit fails with 34";
	else if (is_origin(d->first, "compat") && d->module && d->first->version)
		why = compat_fault(ctx);
	else if (d->first != d->host && !is_origin(d->first, "compat") && (ctx->w->container || is_origin(d->first, "other")) &&
		 versions_differ(d->first->version, d->module))
		why = "it is a copy of another driver's: cuInit fails with 803";
	if (why)
		*ret_why = why;
	return why != NULL;
}

static void compat_fix(struct cv_judge_ctx *ctx, struct cv_finding *f)
{
	const struct cv_wlib *first = ctx->w->driver.first;
	const char *dir = cv_dirname(ctx->a, first->path);
	struct cv_fix *x;

	if (first->step == CV_STEP_LD_LIBRARY_PATH) {
		const char *left = cv_path_without(ctx, dir);

		x = cv_find_path(ctx, f, left ? left : "",
				 cv_arena_printf(ctx->a, "takes %s off the search path of this shell's programs", dir));
		cv_fix_var(ctx, x, "LD_LIBRARY_PATH", left && *left ? left : NULL);
		return;
	}
	x = cv_find_text(ctx, f,
			 cv_arena_printf(ctx->a,
					 "remove %s from the image or the machine (the package cuda-compat, or its entry in "
					 "/etc/ld.so.conf.d), then run ldconfig",
					 first->path),
			 "lets programs find the driver's own libcuda");
	x->needs_root = true;
	cv_fix_remove(ctx, x, first->s);
}

CV_RULE(cv_rule_compat_misused)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	const char *why = NULL;
	struct cv_finding *f;

	if (ctx->w->wsl) {
		cv_not_evaluated(ctx, self, "under WSL libcuda is Windows'");
		return;
	}
	if (!cv_is_compat_misused(ctx, &why)) {
		bool compat = is_origin(d->first, "compat");

		if (!d->first || (compat && (!d->module || !d->first->version)))
			cv_not_evaluated(ctx, self,
					 !d->first ? "which libcuda a program gets is not known"
						   : "the versions of the module and of the copy are not both known");
		else
			cv_ruled_out(ctx, self,
				     compat ? "the compatibility libcuda that comes first suits the loaded module"
					    : "programs get the driver's own libcuda");
		return;
	}
	f = cv_find(ctx, self, "programs get %s%s%s instead of the driver's own libcuda: %s", d->first->path,
		    d->first->version ? ", version " : "", d->first->version ? d->first->version : "", why);
	cv_find_subject(f, "library", "libcuda.so.1", d->first->path);
	cv_find_param(ctx, f, "soname", "libcuda.so.1");
	cv_find_param(ctx, f, "found", d->first->version);
	cv_find_param(ctx, f, "needed", d->module);
	cv_find_param(ctx, f, "origin", d->first->origin);
	cv_find_fact(ctx, f, d->s, CV_F_driver_module_version);
	cv_find_fact(ctx, f, d->first->s, CV_F_lib_version);
	cv_find_fact(ctx, f, d->first->s, CV_F_lib_origin);
	cv_find_fact(ctx, f, d->first->s, CV_F_lib_via);
	if (is_origin(d->first, "compat"))
		cv_find_fact(ctx, f, d->first->s, CV_F_lib_fwd_branches);
	cv_find_why(ctx, f,
		    "A libcuda that is not the loaded driver's works only as a forward-compatibility copy, with the branches and "
		    "GPUs in its own note.");
	compat_fix(ctx, f);
	cv_find_prove(ctx, f, "cuvet check");
	cv_find_hits(ctx, f, CV_ASPECT_DRIVER, CV_HIT_ALL);
}

CV_RULE(cv_rule_wsl_libcuda)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	struct cv_finding *f;
	struct cv_fix *x;

	if (!ctx->w->wsl) {
		if (cv_fact(ctx->w->machine, CV_F_machine_wsl)->state == CV_ABSENT)
			cv_ruled_out(ctx, self, "this is not WSL");
		else
			cv_not_evaluated(ctx, self, "%s", cv_fact_because(ctx->a, ctx->w->machine, CV_F_machine_wsl));
		return;
	}
	if (!d->host) {
		cv_not_evaluated(ctx, self, "there is no libcuda of the Windows driver");
		return;
	}
	if (d->first == d->host) {
		cv_ruled_out(ctx, self, "programs get %s", d->host->path);
		return;
	}
	if (d->first)
		f = cv_find(ctx, self, "programs in this WSL get %s instead of the Windows driver's libcuda", d->first->path);
	else
		f = cv_find(ctx, self, "the loader does not look where the Windows driver's libcuda is (%s)",
			    cv_dirname(ctx->a, d->host->path));
	cv_find_subject(f, "library", "libcuda.so.1", d->host->path);
	cv_find_param(ctx, f, "needed", d->host->path);
	cv_find_param(ctx, f, "soname", "libcuda.so.1");
	cv_find_fact(ctx, f, ctx->w->machine, CV_F_machine_wsl);
	cv_find_fact(ctx, f, d->host->s, CV_F_lib_origin);
	if (d->first) {
		cv_find_param(ctx, f, "found", d->first->path);
		cv_find_fact(ctx, f, d->first->s, CV_F_lib_origin);
		cv_find_fact(ctx, f, d->first->s, CV_F_lib_via);
	}
	cv_find_why(ctx, f, "Under WSL only Windows' libcuda in /usr/lib/wsl/lib reaches the GPU; a Linux driver's does not.");
	if (d->first) {
		x = cv_find_text(ctx, f,
				 "remove the Linux NVIDIA driver packages from WSL (apt-get purge 'libnvidia-compute-*' "
				 "'nvidia-driver-*'), then run ldconfig",
				 "leaves Windows' libcuda as the only one");
		x->needs_root = true;
		cv_fix_remove(ctx, x, d->first->s);
	} else {
		cv_find_command(ctx, f, "echo /usr/lib/wsl/lib | sudo tee /etc/ld.so.conf.d/ld.wsl.conf && sudo ldconfig",
				"puts Windows' libraries on the loader's path")
			->needs_root = true;
	}
	cv_find_prove(ctx, f, "ldconfig -p | grep libcuda.so.1");
	cv_find_hits(ctx, f, CV_ASPECT_DRIVER, CV_HIT_ALL);
}

/* A GPU that this driver is too old to drive at all. */
static size_t old_for_gpus(struct cv_judge_ctx *ctx, const struct cv_rule *self)
{
	const char *version = cv_driver_version(ctx);
	size_t n = 0;

	for (size_t i = 0; version && i < ctx->w->gpus.n; i++) {
		const struct cv_wgpu *g = &ctx->w->gpus.v[i];
		struct cv_kb_row min;
		struct cv_finding *f;

		if (!g->cc || g->integrated || !cv_kb_get(ctx->kb, "cc", g->cc, "min_driver", &min) ||
		    cv_ver_cmp(CV_VER_DOTTED, version, min.value) >= 0)
			continue;
		n++;
		f = cv_find(ctx, self, "driver %s is too old for the %s, which needs %s or newer", version, g->label, min.value);
		cv_find_subject(f, "gpu", g->label, g->pci);
		cv_find_param(ctx, f, "needed", min.value);
		cv_find_param(ctx, f, "found", version);
		cv_find_param(ctx, f, "gpu", g->label);
		cv_find_param(ctx, f, "sm", g->cc);
		cv_find_fact(ctx, f, ctx->w->driver.s, CV_F_driver_module_version);
		cv_find_fact(ctx, f, g->s, CV_F_gpu_device_id);
		cv_find_row(ctx, f, &min);
		cv_find_why(ctx, f,
			    "A driver older than a GPU does not know it: the GPU stays invisible whatever is installed above.");
		if (!cv_fix_driver(ctx, f, min.value))
			cv_find_text(ctx, f, "no driver serves all GPUs of this machine; take one kind out", NULL);
		cv_find_prove(ctx, f, "nvidia-smi -L");
		cv_find_hits(ctx, f, CV_ASPECT_DRIVER, (struct cv_hit){ .env = CV_NO_INDEX, .gpu = i });
	}
	return n;
}

static void add_api_evidence(struct cv_judge_ctx *ctx, struct cv_finding *f)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	const struct cv_wlib *lib = d->first ? d->first : d->host;

	if (d->module)
		cv_find_fact(ctx, f, d->s, CV_F_driver_module_version);
	if (lib)
		cv_find_fact(ctx, f, lib->s, CV_F_lib_version);
	if (lib && cv_fact_known(lib->s, CV_F_lib_fwd_cuda))
		cv_find_fact(ctx, f, lib->s, CV_F_lib_fwd_cuda);
	if (d->has_api_row)
		cv_find_row(ctx, f, &d->api_row);
	else if (!lib || !cv_fact_known(lib->s, CV_F_lib_fwd_cuda))
		cv_find_fact(ctx, f, d->s, CV_F_driver_cuda_api);
}

/* Another build first, the driver last: it is everybody's. */
static void too_old_fixes(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wload *l, const char *floor)
{
	const char *none = NULL;
	const struct cv_wgpu *g = NULL;
	const char *last = NULL;
	bool any = false;

	if (cv_streq(l->framework, "torch"))
		any = cv_fix_torch(ctx, f, l, &none);
	else if (cv_streq(l->framework, "onnxruntime"))
		any = cv_fix_ort(ctx, f, l, &none);
	if (floor && cv_fix_driver(ctx, f, floor))
		return;
	if (!any && floor && cv_advise_driver(ctx, floor, &g, &last) == CV_TRI_BAD)
		cv_find_text(ctx, f,
			     cv_arena_printf(ctx->a,
					     "no driver from %s on drives the %s (last branch %s), so %s cannot run beside it",
					     floor, g->label, last, l->label),
			     NULL);
	else if (!any && none)
		cv_find_text(ctx, f, none, NULL);
}

static void report_too_old(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wload *l)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	const char *driver = d->version ? d->version : d->module, *why = NULL;
	int64_t major = cv_ver_part(l->cuda, 0);
	struct cv_kb_row floor = { 0 };
	bool has_floor = cv_kb_get(ctx->kb, "cuda", l->cuda, "floor_driver", &floor);
	struct cv_finding *f = cv_find(ctx, self, "%s needs a driver that offers CUDA %s; driver %s offers %s", l->label,
				       major >= 11 ? cv_arena_printf(ctx->a, "%lld", (long long)major) : l->cuda,
				       driver ? driver : "?", d->api ? d->api : "less");

	cv_find_env(ctx, f, &ctx->w->envs.v[l->env]);
	cv_find_subject(f, "package", l->dist, cv_fact_str(l->fw, CV_F_framework_path));
	cv_find_param(ctx, f, "found", driver);
	cv_find_param(ctx, f, "needed", has_floor ? floor.value : NULL);
	cv_find_param(ctx, f, "cuda", l->cuda);
	cv_find_param(ctx, f, "driver_cuda", d->api);
	cv_find_param(ctx, f, "package", l->label);
	add_api_evidence(ctx, f);
	cv_find_fact(ctx, f, l->fw, CV_F_framework_cuda);
	if (has_floor)
		cv_find_row(ctx, f, &floor);
	cv_find_why(ctx, f,
		    "The CUDA %lld run-time library returns error 35 when libcuda offers less than %lld.0, so the first CUDA "
		    "call fails.",
		    (long long)major, (long long)major);
	too_old_fixes(ctx, f, l, has_floor ? floor.value : NULL);
	cv_find_prove(ctx, f, "cuvet check --env %s", cv_shell_quote(ctx->a, ctx->w->envs.v[l->env].path));
	cv_find_hits(ctx, f, CV_ASPECT_DRIVER, (struct cv_hit){ .env = l->env, .gpu = CV_NO_INDEX, .workload = l->name });
	if (cv_is_compat_misused(ctx, &why))
		cv_find_symptom(f, "compat-libcuda-misused");
	else if (cv_is_jetson_mismatch(ctx, l) == CV_TRI_OK)
		cv_find_symptom(f, "jetson-wheel-mismatch");
}

CV_RULE(cv_rule_driver_too_old)
{
	const struct cv_world *w = ctx->w;
	size_t n, checked = 0;
	const char *unknown = NULL;

	if (w->driver.state != CV_DRIVER_READY) {
		cv_not_evaluated(ctx, self, "%s",
				 w->driver.state == CV_DRIVER_UNKNOWN ? w->driver.unknown_because
								      : "no driver is in place whose version counts");
		return;
	}
	n = old_for_gpus(ctx, self);
	for (size_t i = 0; i < w->loads.n; i++) {
		const struct cv_wload *l = &w->loads.v[i];
		const char *because = NULL;

		if (l->build != CV_BUILD_GPU)
			continue;
		switch (cv_driver_floor(ctx, l->cuda, &because)) {
		case CV_TRI_BAD:
			report_too_old(ctx, self, l);
			n++;
			break;
		case CV_TRI_UNKNOWN:
			unknown = because;
			break;
		case CV_TRI_OK:
			checked++;
			break;
		}
	}
	if (unknown)
		cv_not_evaluated(ctx, self, "%s", unknown);
	else if (!n && checked)
		cv_ruled_out(ctx, self, "driver %s runs the CUDA of every build here",
			     w->driver.version ? w->driver.version : "");
	else if (!n && cv_driver_version(ctx))
		cv_ruled_out(ctx, self, "no GPU here needs a newer driver than %s", cv_driver_version(ctx));
	else if (!n)
		cv_not_evaluated(ctx, self, "the version of the driver is not known");
}

/* A build of the same major and a newer minor than the driver offers. */
static bool is_minor_mode(const struct cv_judge_ctx *ctx, const struct cv_wload *l)
{
	const struct cv_wdriver *d = &ctx->w->driver;

	if (l->build != CV_BUILD_GPU || !l->cuda || cv_ver_part(l->cuda, 1) < 0)
		return false;
	return cv_driver_runs(d->api, true, l->cuda) == CV_TRI_OK &&
	       cv_ver_cmp(CV_VER_DOTTED, d->api, cv_ver_prefix(ctx->a, l->cuda, 2)) < 0;
}

static void report_minor(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wenv *env,
			 const struct cv_strv *labels)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	struct cv_finding *f =
		cv_find(ctx, self, "%s %s a newer CUDA than driver %s offers (%s) and %s by minor-version compatibility",
			cv_join_and(ctx->a, labels), labels->n == 1 ? "has" : "have", d->version, d->api,
			labels->n == 1 ? "runs" : "run");

	cv_find_env(ctx, f, env);
	cv_find_params(ctx, f, "package", labels);
	cv_find_param(ctx, f, "driver_cuda", d->api);
	cv_find_param(ctx, f, "found", d->version);
	add_api_evidence(ctx, f);
	for (size_t i = 0; i < ctx->w->loads.n; i++) {
		const struct cv_wload *l = &ctx->w->loads.v[i];
		struct cv_kb_row full;

		if (l->env != env->index || !is_minor_mode(ctx, l))
			continue;
		cv_find_param(ctx, f, "cuda", l->cuda);
		cv_find_fact(ctx, f, l->fw, CV_F_framework_cuda);
		if (!cv_kb_get(ctx->kb, "cuda", cv_ver_prefix(ctx->a, l->cuda, 2), "toolkit_driver", &full))
			continue;
		cv_find_param(ctx, f, "full_feature_driver", full.value);
		cv_find_row(ctx, f, &full);
	}
	cv_find_why(ctx, f,
		    "Nothing is wrong. Only PTX of the newer CUDA cannot be compiled by this driver, and what newer drivers "
		    "added is not there.");
}

/* Harmless, and told by many tools as a conflict: a note keeps the reader from "fixing" it. */
CV_RULE(cv_rule_minor_version)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	bool known = d->api && d->api_exact && d->state == CV_DRIVER_READY;
	size_t n = 0, checked = 0;

	for (size_t e = 0; known && e < ctx->w->envs.n; e++) {
		struct cv_strv labels = { 0 };

		for (size_t i = 0; i < ctx->w->loads.n; i++) {
			const struct cv_wload *l = &ctx->w->loads.v[i];

			if (l->env != e)
				continue;
			checked += l->build == CV_BUILD_GPU && l->cuda;
			if (is_minor_mode(ctx, l))
				cv_strv_push(ctx->a, &labels, l->label);
		}
		if (!labels.n)
			continue;
		n++;
		report_minor(ctx, self, &ctx->w->envs.v[e], &labels);
	}
	if (!n && checked)
		cv_ruled_out(ctx, self, "the driver offers the CUDA of every build here in full");
	else if (!n)
		cv_not_evaluated(ctx, self, "no GPU build meets a driver whose CUDA version is known");
}
