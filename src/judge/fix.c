/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to type: exact commands, spelt for the tool that manages the environment, never for another machine's GPUs or driver.
 *
 * A wheel of the vendor's index is named with its local part (torch==2.9.0+cu126): pip takes 2.9.0+cu128 for 2.9.0 and would
 * change nothing.
 */
#include "judge/advise.h"

#include "base/version.h"
#include "judge/cells.h"
#include "judge/effect.h"

static const char conda_unknown[] = "which build conda chooses is not in the knowledge base";

bool cv_is_conda(const struct cv_wenv *env, const struct cv_subject *pkg)
{
	const char *source = cv_fact_str(pkg, CV_F_package_source);

	(void)env;
	return source && cv_streq(source, "conda-meta");
}

static const char *python_of(const struct cv_judge_ctx *ctx, const struct cv_wenv *env)
{
	return cv_shell_quote(ctx->a, env->exe ? env->exe : cv_path_join(ctx->a, env->path, "bin/python"));
}

static bool is_uv(const struct cv_wenv *env)
{
	const char *kind = cv_fact_str(env->s, CV_F_env_kind);

	return (env->manager && cv_streq(env->manager, "uv")) || (kind && cv_streq(kind, "uv"));
}

/* Always quoted: specifiers hold characters that shells give a meaning. */
static const char *spec_word(const struct cv_judge_ctx *ctx, const char *spec)
{
	return strpbrk(spec, "\"$`\\!'") ? cv_shell_quote(ctx->a, spec) : cv_arena_printf(ctx->a, "\"%s\"", spec);
}

static const char *words(const struct cv_judge_ctx *ctx, const struct cv_strv *list, bool spec)
{
	const char *text = "";

	for (size_t i = 0; i < list->n; i++)
		text = cv_arena_printf(ctx->a, "%s %s", text,
				       spec ? spec_word(ctx, list->v[i]) : cv_shell_quote(ctx->a, list->v[i]));
	return text;
}

const char *cv_install_command(const struct cv_judge_ctx *ctx, const struct cv_install *in)
{
	const char *python = python_of(ctx, in->env), *remove = "", *url = "", *flags;
	bool uv = is_uv(in->env);

	if (cv_is_conda(in->env, in->pkg) || in->env->managed)
		return NULL;
	if (in->index_url)
		url = cv_arena_printf(ctx->a, " --index-url %s", cv_shell_quote(ctx->a, in->index_url));
	if (in->remove.n && uv)
		remove = cv_arena_printf(ctx->a, "uv pip uninstall --python %s%s && ", python, words(ctx, &in->remove, false));
	else if (in->remove.n)
		remove = cv_arena_printf(ctx->a, "%s -m pip uninstall -y%s && ", python, words(ctx, &in->remove, false));
	flags = cv_arena_printf(ctx->a, "%s%s", in->force ? (uv ? " --reinstall" : " --force-reinstall") : "",
				in->no_deps ? " --no-deps" : "");
	if (uv)
		return cv_arena_printf(ctx->a, "%suv pip install --python %s%s%s%s", remove, python, flags,
				       words(ctx, &in->specs, true), url);
	return cv_arena_printf(ctx->a, "%s%s -m pip install%s%s%s", remove, python, flags, words(ctx, &in->specs, true), url);
}

struct cv_fix *cv_find_install(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_install *in, const char *changes)
{
	const char *command = ctx->trial ? "" : cv_install_command(ctx, in);
	struct cv_fix *x;

	if (!command)
		return NULL;
	x = cv_find_command(ctx, f, command, changes);
	cv_fix_install(ctx, x, in);
	return x;
}

/* conda-forge's builds follow the virtual package __cuda; asking for a CUDA build by name is what a user can type. */
static const char *conda_command(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, const char *package,
				 int64_t cuda_major)
{
	return cv_arena_printf(ctx->a, "conda install -p %s -c conda-forge \"%s=*=*cuda*\" \"cuda-version=%lld\"",
			       cv_shell_quote(ctx->a, env->path), package, (long long)cuda_major);
}

/* Where the distribution forbids pip, the way is an environment of one's own. */
static const char *venv_command(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, const struct cv_install *in)
{
	const char *url = in->index_url ? cv_arena_printf(ctx->a, " --index-url %s", cv_shell_quote(ctx->a, in->index_url)) : "";

	return cv_arena_printf(ctx->a, "%s -m venv ~/gpu-env && ~/gpu-env/bin/python -m pip install%s%s", python_of(ctx, env),
			       words(ctx, &in->specs, true), url);
}

static void add_command(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_install *in, const char *changes)
{
	if (cv_find_install(ctx, f, in, changes))
		return;
	cv_fix_untried(cv_find_command(ctx, f, venv_command(ctx, in->env, in),
				       "makes a virtual environment in ~/gpu-env: this Python belongs to the distribution, "
				       "which forbids pip"),
		       "it makes an environment that is not there yet");
}

/* torchvision and torchaudio must come from the same index and release. */
static void add_companions(struct cv_judge_ctx *ctx, const struct cv_wenv *env, const struct cv_build_advice *b,
			   struct cv_strv *specs)
{
	static const char *const names[] = { "torchvision", "torchaudio" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *version = cv_kb_value(ctx->kb, "torch", b->version, names[i]);

		if (!version || !cv_wenv_package(env, names[i]))
			continue;
		/* The last torchaudio serves all later torch releases and is not on their indexes: it stays. */
		if (cv_streq(names[i], "torchaudio") && cv_ver_part(version, 1) != cv_ver_part(b->version, 1))
			continue;
		cv_strv_push(ctx->a, specs,
			     ctx->w->x86 ? cv_arena_printf(ctx->a, "%s==%s+%s", names[i], version, b->variant)
					 : cv_arena_printf(ctx->a, "%s==%s", names[i], version));
	}
}

static const char *torch_changes(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const struct cv_build_advice *b)
{
	return cv_arena_printf(ctx->a, "replaces %s by torch %s+%s%s", l->label, b->version, b->variant,
			       cv_ver_cmp(CV_VER_DOTTED, ctx->w->driver.api, b->cuda) >= 0
				       ? ""
				       : cv_arena_printf(ctx->a,
							 "; CUDA %s runs on this driver (%s) by minor-version compatibility",
							 b->cuda, ctx->w->driver.api));
}

/* Requirements are lines: does one of another package than pkg name this one? */
static bool is_required(const struct cv_wenv *env, const struct cv_subject *pkg, const char *name)
{
	for (size_t i = 0; i < env->packages.n; i++) {
		const struct cv_strv *requires = cv_fact_list(env->packages.v[i], CV_F_package_requires);

		for (size_t k = 0; env->packages.v[i] != pkg && k < requires->n; k++)
			if (cv_require_names(requires->v[k], name))
				return true;
	}
	return false;
}

/*
 * Wheels of another CUDA major that write the files which the new build's wheels write, and that nothing else requires: if
 * they stayed, they would lie beneath the new ones and take them away when they go.
 */
static void clashing_wheels(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, const struct cv_subject *pkg,
			    int64_t cuda_major, struct cv_strv *ret)
{
	static const char *const stems[] = { "nvidia-cudnn-cu",	   "nvidia-nccl-cu",   "nvidia-cusparselt-cu",
					     "nvidia-nvshmem-cu",  "nvidia-curand-cu", "nvidia-cusolver-cu" };

	for (size_t i = 0; i < env->packages.n; i++) {
		const char *name = cv_fact_str(env->packages.v[i], CV_F_package_name);

		for (size_t k = 0; name && k < sizeof(stems) / sizeof(stems[0]); k++) {
			uint64_t major;

			if (cv_starts(name, stems[k]) && cv_str_u64(cv_str_of(name + strlen(stems[k])), &major) &&
			    (int64_t)major != cuda_major && !is_required(env, pkg, name))
				cv_strv_push(ctx->a, ret, name);
		}
	}
}

/* The vendor's index of a build, NULL if kb has none. */
static const char *torch_index(const struct cv_judge_ctx *ctx, const char *variant)
{
	const char *url = cv_kb_value(ctx->kb, "index", NULL, "url:pytorch");
	ptrdiff_t at = url ? cv_str_find(cv_str_of(url), "%s") : -1;

	return at < 0 ? NULL : cv_arena_printf(ctx->a, "%.*s%s%s", (int)at, url, variant, url + at + 2);
}

static void add_torch(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wload *l, const struct cv_build_advice *b)
{
	const struct cv_wenv *env = &ctx->w->envs.v[l->env];
	struct cv_install in = { .env = env, .pkg = l->pkg, .index_url = torch_index(ctx, b->variant) };

	if (cv_is_conda(env, l->pkg)) {
		cv_fix_untried(cv_find_command(ctx, f, conda_command(ctx, env, "pytorch", cv_ver_part(b->cuda, 0)),
					       "installs the CUDA build of conda-forge"),
			       conda_unknown);
		return;
	}
	cv_strv_push(ctx->a, &in.specs, cv_arena_printf(ctx->a, "torch==%s+%s", b->version, b->variant));
	/* A build of one's own under the name of an index's: an installer that sees that version does nothing. */
	in.force = in.no_deps =
		l->version && cv_streq(l->version, cv_arena_printf(ctx->a, "%s+%s", b->version, b->variant));
	if (!in.force) {
		clashing_wheels(ctx, env, l->pkg, cv_ver_part(b->cuda, 0), &in.remove);
		add_companions(ctx, env, b, &in.specs);
	}
	add_command(ctx, f, &in, torch_changes(ctx, l, b));
}

const char *cv_install_in_vain(const struct cv_judge_ctx *ctx, const struct cv_wload *l)
{
	const struct cv_wenv *env = &ctx->w->envs.v[l->env];
	const struct cv_strv *sys_path = cv_fact_list(env->s, CV_F_env_sys_path);
	const char *path = cv_fact_str(l->fw, CV_F_framework_path);
	const char *dir = path ? cv_dirname(ctx->a, path) : NULL;

	if (!dir || cv_path_below(dir, env->path))
		return NULL;
	for (size_t i = 0; i < sys_path->n && !cv_path_below(sys_path->v[i], env->path); i++)
		if (cv_streq(sys_path->v[i], dir))
			return cv_arena_printf(ctx->a,
					       "take %s out of PYTHONPATH, or remove its %s: Python looks there before the packages "
					       "of %s, so installing into the environment changes nothing",
					       dir, l->framework, env->path);
	return NULL;
}

static bool no_fix(const char *because, const char **ret_none)
{
	if (ret_none)
		*ret_none = because;
	return false;
}

bool cv_fix_torch(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wload *l, const char **ret_none)
{
	const struct cv_wenv *env = &ctx->w->envs.v[l->env];
	const char *keep = l->version ? cv_ver_public(ctx->a, l->version) : NULL, *none = NULL;
	struct cv_build_advice b, full;
	struct cv_want want;

	if (ctx->trial)
		return true;
	if (cv_install_in_vain(ctx, l))
		return no_fix(cv_install_in_vain(ctx, l), ret_none);
	if (ctx->w->jetson)
		none = "install the torch wheel of the board's own JetPack";
	else if (!cv_want_of(ctx, env, &want))
		none = "the GPUs or the driver are not known well enough to name a build that fits";
	else if (!cv_advise_torch(ctx, &want, keep, &b))
		none = cv_arena_printf(ctx->a,
				       "no torch build in the knowledge base (%s) fits this driver, these GPUs and this Python",
				       cv_kb_date(ctx->kb));
	if (none)
		return no_fix(none, ret_none);
	add_torch(ctx, f, l, &b);
	/* Beyond the driver's CUDA it runs, with less: the other way is an older torch. */
	if (!cv_is_conda(env, l->pkg) && cv_ver_cmp(CV_VER_DOTTED, want.api, b.cuda) < 0 &&
	    cv_advise_torch_in_full(ctx, &want, &full))
		add_torch(ctx, f, l, &full);
	return true;
}

/* Everything installed that writes the framework's import directory. */
static void same_directory(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, const char *framework, struct cv_strv *ret)
{
	for (size_t i = 0; i < env->packages.n; i++) {
		const char *name = cv_fact_str(env->packages.v[i], CV_F_package_name), *writes;

		if (!name)
			continue;
		writes = cv_world_writes(ctx->w, name);
		if (writes && cv_streq(writes, framework) && !cv_strv_has(ret, name))
			cv_strv_push(ctx->a, ret, name);
	}
	cv_strv_sort(ret);
}

/* Are the CUDA libraries that this onnxruntime-gpu needs there already, from torch's wheels or the system? */
static bool ort_libs_there(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const struct cv_build_advice *b)
{
	static const char *const properties[] = { "needs", "opens" };
	bool any = false;

	for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++) {
		const char *words = cv_kb_value(ctx->kb, "onnxruntime-gpu", b->version, properties[i]);
		struct cv_str rest = cv_str_of(words ? words : ""), word;

		while (cv_str_word(&rest, &word)) {
			const char *soname = cv_str_dup(ctx->a, word);
			enum cv_provider by;

			if (!cv_soname_decides(soname))
				continue;
			any = true;
			by = cv_load_provided(ctx, l, soname).by;
			if (by != CV_PROVIDER_ENV && by != CV_PROVIDER_LOADER)
				return false;
		}
	}
	return any;
}

/* The CUDA major to share: that of the torch beside it, otherwise 0 for whatever the driver runs. */
static int64_t shared_major(const struct cv_judge_ctx *ctx, const struct cv_wload *l)
{
	const struct cv_wload *torch = cv_world_load(ctx->w, l->env, "torch");

	if (torch && torch->build == CV_BUILD_GPU && torch->cuda)
		return cv_ver_part(torch->cuda, 0);
	return 0;
}

bool cv_fix_ort(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wload *l, const char **ret_none)
{
	const struct cv_wenv *env = &ctx->w->envs.v[l->env];
	int64_t major = shared_major(ctx, l);
	struct cv_install in = { .env = env, .pkg = l->pkg };
	struct cv_build_advice b;
	struct cv_want want;
	const char *none = NULL, *pin;
	bool with_libs;

	if (ctx->trial)
		return true;
	if (cv_install_in_vain(ctx, l))
		return no_fix(cv_install_in_vain(ctx, l), ret_none);
	if (ctx->w->jetson)
		none = "install the onnxruntime-gpu wheel of the board's own JetPack";
	else if (!cv_want_of(ctx, env, &want))
		none = "the GPUs or the driver are not known well enough to name a build that fits";
	else if (!cv_advise_ort(ctx, &want, major, &b))
		none = cv_arena_printf(
			ctx->a,
			"no onnxruntime-gpu%s in the knowledge base (%s) has code for these GPUs and a wheel for this Python",
			major ? cv_arena_printf(ctx->a, " for CUDA %lld", (long long)major) : "", cv_kb_date(ctx->kb));
	if (none)
		return no_fix(none, ret_none);
	if (cv_is_conda(env, l->pkg)) {
		cv_fix_untried(cv_find_command(ctx, f, conda_command(ctx, env, "onnxruntime", cv_ver_part(b.cuda, 0)),
					       "installs the CUDA build of conda-forge"),
			       conda_unknown);
		return true;
	}
	same_directory(ctx, env, "onnxruntime", &in.remove);
	with_libs = !ort_libs_there(ctx, l, &b) && cv_kb_value(ctx->kb, "onnxruntime-gpu", b.version, "extras");
	if (with_libs)
		clashing_wheels(ctx, env, l->pkg, cv_ver_part(b.cuda, 0), &in.remove);
	cv_strv_push(ctx->a, &in.specs,
		     cv_arena_printf(ctx->a, "onnxruntime-gpu%s==%s", with_libs ? "[cuda,cudnn]" : "", b.version));
	pin = with_libs ? cv_cudnn_pin(ctx, env, cv_ver_part(b.cuda, 0)) : NULL;
	if (pin)
		cv_strv_push(ctx->a, &in.specs, pin);
	add_command(ctx, f, &in,
		    cv_arena_printf(ctx->a, "replaces %s by onnxruntime-gpu %s, built for CUDA %s%s", l->label, b.version, b.cuda,
				    major ? " like the torch beside it" : ""));
	return true;
}

const char *cv_driver_how(const struct cv_judge_ctx *ctx, const char *version)
{
	const char *os = cv_fact_str(ctx->w->machine, CV_F_machine_os_id);

	if (ctx->w->wsl)
		return cv_arena_printf(ctx->a, "install NVIDIA's Windows driver %s or newer in Windows; nothing in WSL", version);
	if (ctx->w->container)
		return cv_arena_printf(ctx->a, "install driver %s or newer on the host; nothing in the container", version);
	if (os && cv_streq(os, "ubuntu"))
		return cv_arena_printf(
			ctx->a, "install driver %s or newer (ubuntu-drivers install, or a package nvidia-driver-NNN)", version);
	return cv_arena_printf(ctx->a, "install driver %s or newer with the system's package manager", version);
}

bool cv_fix_driver(struct cv_judge_ctx *ctx, struct cv_finding *f, const char *version)
{
	const struct cv_wgpu *gpu = NULL;
	const char *last = NULL, *how;
	struct cv_fix *x;

	if (ctx->trial)
		return true;
	if (cv_advise_driver(ctx, version, &gpu, &last) == CV_TRI_BAD)
		return false;
	how = cv_driver_how(ctx, version);
	last = cv_last_driver(ctx);
	if (last)
		how = cv_arena_printf(ctx->a, "%s, but none past branch %s: it is the last that drives all GPUs here", how, last);
	x = cv_find_text(ctx, f, how, cv_arena_printf(ctx->a, "raises the driver to at least %s", version));
	x->needs_root = true;
	x->reboot = !ctx->w->wsl;
	x->risk = "everything on this machine gets the new driver";
	cv_fix_driver_version(ctx, x, version);
	return true;
}
