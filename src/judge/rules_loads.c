/* SPDX-License-Identifier: Apache-2.0 */
/* What the loader refuses to a workload, one kind of failure a rule; fate.c tells the kinds. */
#include "judge/rules.h"

#include "base/str.h"
#include "base/version.h"
#include "judge/advise.h"
#include "judge/cells.h"
#include "judge/effect.h"
#include "judge/fate.h"

/* A warning marks no cell: with help the workload loads. */
static void dress(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wload *l, const struct cv_fate *fate)
{
	enum cv_aspect aspect = fate->kind == CV_FATE_FAILS ? CV_ASPECT_LOADS : CV_ASPECT_NONE;
	const struct cv_wenv *env = &ctx->w->envs.v[l->env];

	cv_find_env(ctx, f, env);
	cv_find_subject(f, "package", l->dist, cv_fact_str(l->fw, CV_F_framework_path));
	cv_find_param(ctx, f, "package", l->label);
	cv_find_fact(ctx, f, fate->fail, CV_F_loadfail_message);
	cv_find_fact(ctx, f, fate->fail, CV_F_loadfail_by);
	cv_find_prove(ctx, f, "cuvet check --env %s", cv_shell_quote(ctx->a, env->path));
	cv_find_hits(ctx, f, aspect, (struct cv_hit){ .env = l->env, .gpu = CV_NO_INDEX, .workload = l->name });
}

/* Directories of the libraries that the workload needs and the environment or the machine has, each once. */
static const char *folders(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const struct cv_fate *fate)
{
	struct cv_strv needs = { 0 }, dirs = { 0 };
	const char *text = "";

	cv_strv_push(ctx->a, &dirs, cv_dirname(ctx->a, fate->there->path));
	cv_load_needs(ctx, l, &needs);
	for (size_t i = 0; i < needs.n; i++) {
		struct cv_provided p = cv_load_provided(ctx, l, needs.v[i]);
		const char *dir = p.lib && p.by != CV_PROVIDER_LOADER ? cv_dirname(ctx->a, p.lib->path) : NULL;

		if (dir && !cv_strv_has(&dirs, dir))
			cv_strv_push(ctx->a, &dirs, dir);
	}
	for (size_t i = 0; i < dirs.n; i++)
		text = cv_arena_printf(ctx->a, "%s%s%s", text, i ? ":" : "", dirs.v[i]);
	return text;
}

static void fix_path(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wload *l, const struct cv_fate *fate)
{
	const char *quoted = cv_shell_quote(ctx->a, folders(ctx, l, fate));

	cv_find_command(ctx, f,
			cv_arena_printf(ctx->a, "export LD_LIBRARY_PATH=%s\"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"", quoted),
			"makes the loader look there, for what is started from this shell");
}

/* Then that is the fault: other rules name what is missing, and where the rest lies is no matter yet. */
static bool lacks_more(const struct cv_judge_ctx *ctx, const struct cv_wload *l)
{
	struct cv_strv needs = { 0 };

	cv_load_needs(ctx, l, &needs);
	for (size_t i = 0; i < needs.n; i++)
		if (cv_load_provided(ctx, l, needs.v[i]).by == CV_PROVIDER_NONE)
			return true;
	return false;
}

static bool see_not_on_path(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wload *l, const struct cv_fate *fate)
{
	struct cv_finding *f;

	if (fate->kind != CV_FATE_FAILS || fate->why != CV_WHY_NOT_ON_PATH || lacks_more(ctx, l))
		return false;
	f = cv_find(ctx, self, "%s needs %s, which lies in %s, where the loader does not look", l->label, fate->name,
		    cv_dirname(ctx->a, fate->there->path));
	dress(ctx, f, l, fate);
	cv_find_param(ctx, f, "soname", fate->name);
	cv_find_param(ctx, f, "found", fate->there->path);
	cv_find_fact(ctx, f, fate->fail, CV_F_loadfail_searched);
	cv_find_fact(ctx, f, fate->there->s, CV_F_lib_soname);
	cv_find_why(ctx, f, "A library that is installed is found only in the directories that the loader searches, or if "
			    "something has loaded it before.");
	fix_path(ctx, f, l, fate);
	return true;
}

CV_RULE(cv_rule_not_on_loader_path)
{
	cv_fates_judge(ctx, self, see_not_on_path, "the loader finds every library that the workloads here open");
}

static void say_help(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wload *l, const struct cv_fate *fate)
{
	const struct cv_subject *torch = cv_scenario_of(ctx, l->env, "torch:cuda " "onnxruntime:cuda");

	if (fate->preload)
		cv_find_text(ctx, f, "call onnxruntime.preload_dlls() before the first session",
			     "opens the libraries of the nvidia wheels, then those on the loader's path");
	if (fate->torch_first)
		cv_find_text(ctx, f, "import torch before onnxruntime", "torch brings the libraries into the process");
	if (fate->there)
		fix_path(ctx, f, l, fate);
	if (fate->torch_first)
		cv_find_fact(ctx, f, torch, CV_F_scenario_outcome);
}

static bool see_order(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wload *l, const struct cv_fate *fate)
{
	struct cv_finding *f;

	if (fate->kind != CV_FATE_WITH_HELP)
		return false;
	f = cv_find(ctx, self, "%s finds its CUDA libraries only %s", l->label,
		    fate->torch_first && fate->preload ? "after torch is imported, or preload_dlls() is called" :
		    fate->torch_first		      ? "after torch is imported" :
							"after preload_dlls() is called");
	dress(ctx, f, l, fate);
	cv_find_param(ctx, f, "soname", fate->name);
	cv_find_why(ctx, f, "Its libraries name no directory, and the loader does not look into the wheels. Without help the "
			    "session falls back to the CPU with exit status 0.");
	say_help(ctx, f, l, fate);
	return true;
}

CV_RULE(cv_rule_import_order)
{
	cv_fates_judge(ctx, self, see_order, "the workloads here load whatever is imported first");
}

/* The libraries of this SONAME that have the version: it is not known which versions they define, so only their names are given. */
static void report_version(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wload *l, const struct cv_fate *fate)
{
	dress(ctx, f, l, fate);
	cv_find_param(ctx, f, "needed", fate->name);
	cv_find_param(ctx, f, "found", cv_fact_str(fate->fail, CV_F_loadfail_provider));
	cv_find_fact(ctx, f, fate->fail, CV_F_loadfail_provider);
}

static bool see_glibc(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wload *l, const struct cv_fate *fate)
{
	const char *glibc = cv_fact_str(ctx->w->machine, CV_F_machine_glibc);
	struct cv_finding *f;

	if (fate->kind != CV_FATE_FAILS || fate->why != CV_WHY_GLIBC)
		return false;
	f = cv_find(ctx, self, "%s needs %s; glibc here is %s", l->label, fate->name, glibc ? glibc : "older");
	report_version(ctx, f, l, fate);
	cv_find_fact(ctx, f, ctx->w->machine, CV_F_machine_glibc);
	cv_find_why(ctx, f, "The C library belongs to the system: it is not upgraded alone.");
	cv_find_text(ctx, f, "take an older release of the package, whose wheel tag fits this glibc, or a newer system or image",
		     NULL);
	return true;
}

size_t cv_glibc_by_loads(struct cv_judge_ctx *ctx, const struct cv_rule *self)
{
	return cv_fates_find(ctx, self, see_glibc);
}

static void fix_libstdcxx(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wload *l, const char *provider)
{
	const struct cv_wenv *env = &ctx->w->envs.v[l->env];
	const char *dir = provider ? cv_dirname(ctx->a, provider) : NULL, *left = dir ? cv_path_without(ctx, dir) : NULL;
	const char *kind = cv_fact_str(env->s, CV_F_env_kind);

	if (left) {
		cv_find_path(ctx, f, left, "another libstdc++ is found, by what this shell starts");
		cv_find_text(ctx, f, cv_arena_printf(ctx->a, "take %s out of LD_LIBRARY_PATH where it is set", dir), NULL);
	} else if (dir && cv_starts(dir, cv_arena_printf(ctx->a, "%s/", env->path))) {
		if (kind && cv_streq(kind, "conda"))
			cv_find_command(ctx, f,
					cv_arena_printf(ctx->a, "conda install -p %s -c conda-forge libstdcxx-ng",
							cv_shell_quote(ctx->a, env->path)),
					"a newer libstdc++.so.6 in the environment; the older programs run with it");
		else
			cv_find_text(ctx, f, cv_arena_printf(ctx->a, "remove or replace %s", provider), NULL);
	} else {
		cv_find_text(ctx, f, "take an older release of the package, or a newer system or image", NULL);
	}
}

static bool see_libstdcxx(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wload *l, const struct cv_fate *fate)
{
	const char *provider = cv_fact_str(fate->fail, CV_F_loadfail_provider);
	struct cv_finding *f;

	if (fate->kind != CV_FATE_FAILS || fate->why != CV_WHY_LIBSTDCXX)
		return false;
	f = cv_find(ctx, self, "%s needs %s, not in %s", l->label, fate->name,
		    provider ? provider : "the loaded libstdc++");
	report_version(ctx, f, l, fate);
	cv_find_why(ctx, f, "Whatever loads first decides: a libstdc++ of an old compiler in the environment or on "
			    "LD_LIBRARY_PATH hides the newer one of the system, or the other way round.");
	fix_libstdcxx(ctx, f, l, provider);
	return true;
}

CV_RULE(cv_rule_libstdcxx)
{
	cv_fates_judge(ctx, self, see_libstdcxx, "the libstdc++ that is loaded has every version that is asked for");
}

static bool see_exec_stack(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wload *l, const struct cv_fate *fate)
{
	struct cv_finding *f;
	const char *file;

	if (fate->kind != CV_FATE_FAILS || fate->why != CV_WHY_EXEC_STACK)
		return false;
	file = cv_fact_str(fate->fail, CV_F_loadfail_refused);
	if (!file && fate->name && strchr(fate->name, '/'))
		file = fate->name;
	f = cv_find(ctx, self, "%s: the loader refuses %s, which asks for an executable stack", l->label,
		    fate->name ? cv_basename(fate->name) : "a library");
	dress(ctx, f, l, fate);
	cv_find_param(ctx, f, "soname", fate->name);
	cv_find_param(ctx, f, "found", file);
	cv_find_fact(ctx, f, fate->fail, CV_F_loadfail_refused);
	cv_find_fact(ctx, f, ctx->w->machine, CV_F_machine_glibc);
	cv_find_why(ctx, f, "From glibc 2.41 on dlopen does not make the stack executable.");
	if (file)
		cv_find_command(ctx, f,
				cv_arena_printf(ctx->a, "patchelf --clear-execstack %s", cv_shell_quote(ctx->a, file)),
				"clears the mark in the file; hardly any library needs it");
	cv_find_text(ctx, f, "install a newer release of the package, whose libraries do not ask for it", NULL);
	return true;
}

CV_RULE(cv_rule_exec_stack)
{
	cv_fates_judge(ctx, self, see_exec_stack, "no library that is loaded asks for an executable stack that the loader refuses");
}

static bool see_static_tls(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wload *l, const struct cv_fate *fate)
{
	struct cv_finding *f;

	if (fate->kind != CV_FATE_FAILS || fate->why != CV_WHY_STATIC_TLS)
		return false;
	f = cv_find(ctx, self, "%s: no room is left for thread-local data of %s", l->label,
		    fate->name ? cv_basename(fate->name) : "a library");
	dress(ctx, f, l, fate);
	cv_find_param(ctx, f, "soname", fate->name);
	cv_find_why(ctx, f, "Libraries that are opened late share a small block for thread-local data at fixed places.");
	cv_find_text(ctx, f, "import this package first, or preload the library that is named (LD_PRELOAD)", NULL);
	return true;
}

CV_RULE(cv_rule_static_tls)
{
	cv_fates_judge(ctx, self, see_static_tls, "thread-local data of all libraries that are opened fits");
}
