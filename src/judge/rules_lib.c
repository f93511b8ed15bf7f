/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA libraries that a build's GPU library names in DT_NEEDED, against what the environment and the loader's paths hold:
 * what is nowhere. A workload of which it is known that it loads lacks nothing; where a library lies is judged in rules_loads.c.
 */
#include "judge/rules.h"

#include "base/version.h"
#include "judge/advise.h"
#include "judge/cells.h"
#include "judge/effect.h"
#include "judge/fate.h"

enum want { WANT_CUDA, WANT_CUDNN, WANT_ANY };

static bool is_cudnn(const char *soname)
{
	return cv_str_is(cv_soname_family(soname), "cudnn");
}

/* The needed libraries that are nowhere, of the kind that a rule speaks of. */
static void lacking(const struct cv_judge_ctx *ctx, const struct cv_wload *l, enum want want, struct cv_strv *ret,
		    const struct cv_wlib **ret_other)
{
	struct cv_strv needs = { 0 };

	cv_load_needs(ctx, l, &needs);
	for (size_t i = 0; i < needs.n; i++) {
		struct cv_provided p = cv_load_provided(ctx, l, needs.v[i]);

		if (p.by != CV_PROVIDER_NONE || (p.other_major != NULL) != (want != WANT_ANY))
			continue;
		if (want != WANT_ANY && is_cudnn(needs.v[i]) != (want == WANT_CUDNN))
			continue;
		cv_strv_push(ctx->a, ret, needs.v[i]);
		if (!*ret_other)
			*ret_other = p.other_major;
	}
}

/* May it be said that a library is nowhere? Only where all places were looked at. */
static const char *blind_because(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const struct cv_fate *fate)
{
	const struct cv_subject *ldso = cv_facts_find(ctx->facts, CV_KIND_ldso, "");
	const struct cv_subject *env = ctx->w->envs.v[l->env].s;
	enum cv_state cache = cv_fact(ldso, CV_F_ldso_cache_entries)->state;

	if (!cv_fact_known(l->fw, CV_F_framework_gpu_needed))
		return cv_fact_because(ctx->a, l->fw, CV_F_framework_gpu_needed);
	if (!cv_fact_known(env, CV_F_env_sys_path))
		return cv_fact_because(ctx->a, env, CV_F_env_sys_path);
	if (cache != CV_KNOWN && cache != CV_ABSENT)
		return cv_fact_because(ctx->a, ldso, CV_F_ldso_cache_entries);
	if (cv_fact_list(ldso, CV_F_ldso_dirs_denied)->n)
		return cv_arena_printf(ctx->a, "%s may not be looked into", cv_fact_list(ldso, CV_F_ldso_dirs_denied)->v[0]);
	if (fate->kind == CV_FATE_FAILS)
		return NULL;
	if (cv_is_conda(&ctx->w->envs.v[l->env], l->pkg))
		return "conda's libraries are found by the loader's rules, which are not judged yet";
	if (!cv_streq(l->framework, "torch") && !cv_streq(l->framework, "onnxruntime"))
		return cv_arena_printf(ctx->a, "%s opens its libraries by itself", l->framework);
	return NULL;
}

/* The wheel of the CUDA stack that brings a library, as the package pins it or by its usual name. */
static const char *wheel_spec(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const char *soname)
{
	const struct cv_strv *requires = cv_fact_list(l->pkg, CV_F_package_requires);
	int64_t cuda = l->cuda ? cv_ver_part(l->cuda, 0) : 0;
	const char *stem = cv_wheel_of(cv_soname_family(soname));

	for (size_t i = 0; stem && i < requires->n; i++)
		if (cv_starts(requires->v[i], stem)) {
			struct cv_str s = cv_str_of(requires->v[i]);
			ptrdiff_t marker = cv_str_chr(s, ';');

			return cv_str_dup(ctx->a, cv_str_trim(marker < 0 ? s : cv_str_sub(s, 0, (size_t)marker)));
		}
	if (!stem || !cuda)
		return NULL;
	if (is_cudnn(soname) && cv_str_is(cv_soname_major(soname), "9") && cv_cudnn_pin(ctx, &ctx->w->envs.v[l->env], cuda))
		return cv_cudnn_pin(ctx, &ctx->w->envs.v[l->env], cuda);
	/* The version of a wheel begins with the number of its SONAME, which is not always that of CUDA (cuFFT 12 is CUDA 13's). */
	if (cuda >= 13 && !is_cudnn(soname))
		return cv_arena_printf(ctx->a, "%s==%.*s.*", stem, CV_STR_ARG(cv_soname_major(soname)));
	return cv_arena_printf(ctx->a, "%s-cu%lld==%.*s.*", stem, (long long)cuda, CV_STR_ARG(cv_soname_major(soname)));
}

/* NVIDIA's wheels that the package requires and that are not installed. */
static void pinned_wheels(const struct cv_judge_ctx *ctx, const struct cv_wload *l, struct cv_strv *specs)
{
	const struct cv_strv *requires = cv_fact_list(l->pkg, CV_F_package_requires);

	for (size_t i = 0; i < requires->n; i++) {
		const char *line = requires->v[i];
		const char *name = cv_pep503(ctx->a, (struct cv_str){ line, strcspn(line, " =<>!~;[(") });

		if (cv_starts(name, "nvidia-") && !cv_wenv_package(&ctx->w->envs.v[l->env], name))
			cv_strv_push(ctx->a, specs,
				     cv_str_dup(ctx->a, cv_str_trim((struct cv_str){ line, strcspn(line, ";") })));
	}
}

/* The package's own list of what it needs, where it has one: "onnxruntime-gpu[cuda,cudnn]==1.26.0". */
static const char *spec_with_extras(const struct cv_judge_ctx *ctx, const struct cv_wload *l)
{
	const char *version = l->version ? cv_ver_public(ctx->a, l->version) : NULL;
	const char *extras = version ? cv_kb_value(ctx->kb, l->dist, version, "extras") : NULL;

	if (!extras || !cv_kb_has_word(extras, "cuda") || !cv_kb_has_word(extras, "cudnn"))
		return NULL;
	return cv_arena_printf(ctx->a, "%s[cuda,cudnn]==%s", l->dist, version);
}

/* cuDNN's wheels of all CUDA majors write the same files: beside one of another major the package's own would damage it. */
static bool has_other_cudnn(const struct cv_judge_ctx *ctx, const struct cv_wload *l)
{
	const struct cv_wenv *env = &ctx->w->envs.v[l->env];
	const char *own = cv_arena_printf(ctx->a, "nvidia-cudnn-cu%lld", l->cuda ? (long long)cv_ver_part(l->cuda, 0) : 0LL);

	for (size_t i = 0; i < env->packages.n; i++) {
		const char *name = cv_fact_str(env->packages.v[i], CV_F_package_name);

		if (name && cv_starts(name, "nvidia-cudnn-cu") && !cv_streq(name, own))
			return true;
	}
	return false;
}

static bool is_installed(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const char *spec)
{
	const char *name = cv_arena_memdup(ctx->a, spec, strcspn(spec, "=<>!~ ;["));
	const struct cv_subject *pkg = cv_wenv_package(&ctx->w->envs.v[l->env], name);
	const char *version = cv_fact_str(pkg, CV_F_package_version);

	return version && cv_spec_match(cv_str_of(spec + strlen(name)), version) == 1;
}

static void add_wheels_fix(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wload *l,
			   const struct cv_strv *sonames)
{
	struct cv_install in = { .env = &ctx->w->envs.v[l->env], .pkg = l->pkg };
	const char *whole = has_other_cudnn(ctx, l) ? NULL : spec_with_extras(ctx, l);
	const char *pin = whole && l->cuda ? cv_cudnn_pin(ctx, in.env, cv_ver_part(l->cuda, 0)) : NULL;
	struct cv_fix *x;

	if (whole)
		cv_strv_push(ctx->a, &in.specs, whole);
	if (pin)
		cv_strv_push(ctx->a, &in.specs, pin);
	if (!whole)
		pinned_wheels(ctx, l, &in.specs);
	for (size_t i = 0; !whole && i < sonames->n; i++) {
		const char *spec = wheel_spec(ctx, l, sonames->v[i]);

		if (spec && !cv_strv_has(&in.specs, spec))
			cv_strv_push(ctx->a, &in.specs, spec);
		/* It is installed by its name, and its library is not there: an installer would see nothing to do. */
		in.force |= spec && is_installed(ctx, l, spec);
	}
	in.no_deps = in.force;
	x = in.specs.n ? cv_find_install(ctx, f, &in, "installs the libraries into the environment") : NULL;
	if (x && !whole && cv_streq(l->framework, "onnxruntime"))
		x->risk = "this release does not look there by itself: their lib folders must go on LD_LIBRARY_PATH";
	else if (!x)
		cv_find_text(ctx, f,
			     cv_arena_printf(ctx->a, "install %s into the environment or onto the loader's path",
					     cv_join_and(ctx->a, sonames)),
			     NULL);
}

static struct cv_finding *report_lacking(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wload *l,
					 const struct cv_strv *sonames, const struct cv_wlib *other)
{
	const char *majors = other && other->soname ? cv_str_dup(ctx->a, cv_soname_major(other->soname)) : NULL;
	struct cv_finding *f;

	if (other)
		f = cv_find(ctx, self, "%s needs %s; here is %s", l->label, cv_join_and(ctx->a, sonames), other->soname);
	else
		f = cv_find(ctx, self, "%s needs %s, which is not on this machine", l->label, cv_join_and(ctx->a, sonames));
	cv_find_env(ctx, f, &ctx->w->envs.v[l->env]);
	cv_find_subject(f, "package", l->dist, cv_fact_str(l->fw, CV_F_framework_path));
	cv_find_param(ctx, f, "package", l->label);
	cv_find_params(ctx, f, "soname", sonames);
	for (size_t i = 0; i < sonames->n; i++)
		cv_find_param(ctx, f, "needed", cv_str_dup(ctx->a, cv_soname_major(sonames->v[i])));
	cv_find_param(ctx, f, "found", majors);
	cv_find_fact(ctx, f, l->fw, CV_F_framework_gpu_needed);
	if (other) {
		cv_find_fact(ctx, f, other->s, CV_F_lib_soname);
		cv_find_fact(ctx, f, other->s, CV_F_lib_version);
	}
	cv_find_prove(ctx, f, "cuvet check --env %s", cv_shell_quote(ctx->a, ctx->w->envs.v[l->env].path));
	cv_find_hits(ctx, f, CV_ASPECT_LOADS, (struct cv_hit){ .env = l->env, .gpu = CV_NO_INDEX, .workload = l->name });
	return f;
}

static void report_major(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wload *l,
			 const struct cv_strv *sonames, const struct cv_wlib *other)
{
	struct cv_finding *f = report_lacking(ctx, self, l, sonames, other);

	cv_find_why(ctx, f,
		    "A library of another major has another name (SONAME) and another interface: the loader does not take it.");
	if (cv_streq(l->framework, "onnxruntime") && cv_fix_ort(ctx, f, l, NULL) && has_other_cudnn(ctx, l))
		return;
	add_wheels_fix(ctx, f, l, sonames);
}

static void judge_libs(struct cv_judge_ctx *ctx, const struct cv_rule *self, enum want want)
{
	size_t n = 0, checked = 0;
	const char *blind = NULL;

	for (size_t i = 0; i < ctx->w->loads.n; i++) {
		const struct cv_wload *l = &ctx->w->loads.v[i];
		const struct cv_wlib *other = NULL;
		struct cv_strv sonames = { 0 };
		struct cv_fate fate;
		const char *because;

		if (l->build != CV_BUILD_GPU)
			continue;
		fate = cv_load_fate(ctx, l);
		if (fate.kind == CV_FATE_LOADS || fate.kind == CV_FATE_WITH_HELP) {
			checked++;
			continue;
		}
		because = fate.because ? fate.because : blind_because(ctx, l, &fate);
		if (because) {
			blind = because;
			continue;
		}
		checked++;
		lacking(ctx, l, want, &sonames, &other);
		/* Not of the CUDA stack: libgomp.so.1, libmkl ...; what a damaged package lacks is not told twice. */
		if (fate.why == CV_WHY_NOWHERE && want == WANT_ANY && !cv_soname_decides(fate.name) && !sonames.n &&
		    cv_package_intact(l->pkg))
			cv_strv_push(ctx->a, &sonames, fate.name);
		if (!sonames.n)
			continue;
		n++;
		if (want == WANT_ANY) {
			struct cv_finding *f = report_lacking(ctx, self, l, &sonames, NULL);

			cv_find_why(ctx, f, "Neither the environment nor the directories that the loader searches hold it.");
			if (cv_streq(l->framework, "onnxruntime") && !spec_with_extras(ctx, l))
				cv_fix_ort(ctx, f, l, NULL);
			add_wheels_fix(ctx, f, l, &sonames);
		} else {
			report_major(ctx, self, l, &sonames, other);
		}
	}
	if (blind)
		cv_not_evaluated(ctx, self, "%s", blind);
	else if (!n && checked)
		cv_ruled_out(ctx, self, "every CUDA and cuDNN library that a build here needs is there in its major");
	else if (!n)
		cv_not_evaluated(ctx, self, "no build for CUDA is installed");
}

CV_RULE(cv_rule_cuda_major)
{
	judge_libs(ctx, self, WANT_CUDA);
}

CV_RULE(cv_rule_cudnn_major)
{
	judge_libs(ctx, self, WANT_CUDNN);
}

CV_RULE(cv_rule_library_missing)
{
	judge_libs(ctx, self, WANT_ANY);
}

/* NVIDIA's images set these two, and they exist only where an old runtime mounts them. */
static bool is_harmless(const char *dir)
{
	return cv_streq(dir, "/usr/local/nvidia/lib") || cv_streq(dir, "/usr/local/nvidia/lib64");
}

static bool is_stub_dir(const char *dir)
{
	return cv_ends(dir, "/stubs") || strstr(dir, "/stubs/") != NULL;
}

struct entries {
	struct cv_strv stub, relative, dead;
	bool empty;
};

static struct entries sort_entries(const struct cv_judge_ctx *ctx, const char *path)
{
	const struct cv_strv *dead = cv_fact_list(cv_facts_find(ctx->facts, CV_KIND_ldso, ""), CV_F_ldso_path_dead);
	struct entries e = { .empty = *path && (path[0] == ':' || cv_ends(path, ":") || strstr(path, "::")) };
	struct cv_str rest = cv_str_of(path), part;

	while (cv_str_split(&rest, ':', &part)) {
		const char *dir = cv_str_dup(ctx->a, part);

		if (!part.n)
			continue;
		if (is_stub_dir(dir))
			cv_strv_push(ctx->a, &e.stub, dir);
		else if (*dir != '/')
			cv_strv_push(ctx->a, &e.relative, dir);
		else if (cv_strv_has(dead, dir) && !is_harmless(dir))
			cv_strv_push(ctx->a, &e.dead, dir);
	}
	return e;
}

/* What is left without the entries; NULL for nothing. */
static const char *path_without(const struct cv_judge_ctx *ctx, const char *path, const struct entries *e)
{
	struct cv_str rest = cv_str_of(path), part;
	const char *out = NULL;

	while (cv_str_split(&rest, ':', &part)) {
		const char *dir = cv_str_dup(ctx->a, part);

		if (part.n && !cv_strv_has(&e->stub, dir) && !cv_strv_has(&e->relative, dir) && !cv_strv_has(&e->dead, dir))
			out = out ? cv_arena_printf(ctx->a, "%s:%s", out, dir) : dir;
	}
	return out;
}

static void report_path(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_subject *var,
			const struct entries *e)
{
	struct cv_finding *f;

	if (e->stub.n)
		f = cv_find(ctx, self, "LD_LIBRARY_PATH holds %s, a folder of stubs for linking", cv_join_and(ctx->a, &e->stub));
	else if (e->relative.n)
		f = cv_find(ctx, self, "LD_LIBRARY_PATH holds %s, which depends on the working directory",
			    cv_join_and(ctx->a, &e->relative));
	else if (e->dead.n)
		f = cv_find(ctx, self, "LD_LIBRARY_PATH holds %s, which does not exist", cv_join_and(ctx->a, &e->dead));
	else
		f = cv_find(ctx, self, "LD_LIBRARY_PATH has an empty entry, which means the working directory");
	if (!e->stub.n && !e->relative.n)
		f->severity = CV_NOTE; /* the loader passes over it */
	cv_find_params(ctx, f, "stub", &e->stub);
	cv_find_params(ctx, f, "relative", &e->relative);
	cv_find_params(ctx, f, "dead", &e->dead);
	cv_find_fact(ctx, f, var, CV_F_var_value);
	if (e->dead.n)
		cv_find_fact(ctx, f, cv_facts_find(ctx->facts, CV_KIND_ldso, ""), CV_F_ldso_path_dead);
	cv_find_why(ctx, f, "%s",
		    e->stub.n ? "A stub satisfies the linker and fails at run time (error 34, stub library): it must not be "
				"found before the driver's own."
			      : "Programs find other libraries when they are started elsewhere, or the entry has no effect.");
	cv_fix_var(ctx,
		   cv_find_text(ctx, f,
				"take the entry out of LD_LIBRARY_PATH where it is set (shell start-up file, image, module)", NULL),
		   "LD_LIBRARY_PATH", path_without(ctx, cv_fact_str(var, CV_F_var_value), e));
	cv_find_prove(ctx, f, "echo \"$LD_LIBRARY_PATH\"");
}

CV_RULE(cv_rule_loader_path)
{
	const struct cv_subject *var = cv_facts_find(ctx->facts, CV_KIND_var, "LD_LIBRARY_PATH");
	const char *path = cv_fact_str(var, CV_F_var_value);
	struct entries e;

	if (!path) {
		if (cv_fact(var, CV_F_var_value)->state == CV_ABSENT)
			cv_ruled_out(ctx, self, "LD_LIBRARY_PATH is not set");
		else
			cv_not_evaluated(ctx, self, "%s", cv_fact_because(ctx->a, var, CV_F_var_value));
		return;
	}
	e = sort_entries(ctx, path);
	if (e.stub.n || e.relative.n || e.dead.n || e.empty)
		report_path(ctx, self, var, &e);
	else
		cv_ruled_out(ctx, self, "LD_LIBRARY_PATH holds no stub, relative or dead folder that is known");
}
