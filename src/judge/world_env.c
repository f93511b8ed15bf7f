/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Environments and the workloads in them: which build of each framework is in place, by its own files first, by the version's
 * local part second, by kb last.
 */
#include "judge/world.h"

#include "base/map.h"
#include "base/version.h"

static const struct {
	const char *framework, *workload;
} workloads[] = {
	{ "torch", "torch" }, { "onnxruntime", "onnxruntime:cuda" }, { "tensorflow", "tensorflow" }, { "jax", "jax" },
	{ "cupy", "cupy" },
};

static const char *python_minor(const struct cv_subject *s, struct cv_arena *a)
{
	const char *python = cv_fact_str(s, CV_F_env_python), *abi = cv_fact_str(s, CV_F_env_abi);
	const char *py = python ? cv_ver_prefix(a, python, 2) : NULL;

	return py && abi && cv_ends(abi, "t") ? cv_arena_printf(a, "%st", py) : py;
}

static void add_env(struct cv_world *w, const struct cv_subject *s, struct cv_arena *a)
{
	struct cv_wenv *env = CV_VEC_PUSH(a, &w->envs);

	if (!env)
		return;
	env->s = s;
	env->index = w->envs.n - 1;
	env->path = cv_subject_key(s);
	env->exe = cv_fact_str(s, CV_F_env_exe);
	env->manager = cv_fact_str(s, CV_F_env_manager);
	env->py = python_minor(s, a);
	env->active = cv_fact_true(s, CV_F_env_active);
	env->selected = cv_fact_true(s, CV_F_env_selected);
	env->managed = cv_fact_true(s, CV_F_env_managed);
}

/* Asked once a name: the same few names are in every environment. */
static void learn_name(struct cv_world *w, const char *name, const struct cv_kb *kb, struct cv_arena *a)
{
	const char *framework;

	if (!name || cv_map_get(&w->writes, name))
		return;
	framework = cv_kb_value(kb, cv_arena_printf(a, "package:%s", name), NULL, "framework");
	cv_map_set(a, &w->writes, name, cv_arena_strdup(a, framework ? framework : ""));
}

/* One walk over all packages, however many environments there are. */
static void share_packages(struct cv_world *w, const struct cv_facts *facts, const struct cv_kb *kb, struct cv_arena *a)
{
	struct cv_map by_path = { 0 };

	for (size_t i = 0; i < w->envs.n; i++)
		cv_map_set(a, &by_path, w->envs.v[i].path, &w->envs.v[i]);
	for (size_t i = 0; i < cv_facts_count(facts, CV_KIND_package); i++) {
		const struct cv_subject *p = cv_facts_at(facts, CV_KIND_package, i), **slot;
		const char *home = cv_fact_str(p, CV_F_package_env);
		struct cv_wenv *env = home ? cv_map_get(&by_path, home) : NULL;

		if (!env || cv_fact_true(p, CV_F_package_shadowed))
			continue;
		learn_name(w, cv_fact_str(p, CV_F_package_name), kb, a);
		slot = CV_VEC_PUSH(a, &env->packages);
		if (slot)
			*slot = p;
	}
}

/* "12.8" of cu128, "9.2" of cu92; NULL for anything else. */
static const char *cuda_of_variant(const char *variant, struct cv_arena *a)
{
	struct cv_str s = cv_str_of(variant ? variant : "");
	uint64_t n;

	if (!cv_str_eat(&s, "cu") || s.n < 2 || s.n > 4 || !cv_str_u64(s, &n))
		return NULL;
	return cv_arena_printf(a, "%u.%u", (unsigned)(n / 10), (unsigned)(n % 10));
}

static const char *variant_of_cuda(const char *cuda, struct cv_arena *a)
{
	int64_t major = cv_ver_part(cuda, 0), minor = cv_ver_part(cuda, 1);

	return major < 0 || minor < 0 ? NULL : cv_arena_printf(a, "cu%lld%lld", (long long)major, (long long)minor);
}

/* The distribution whose files are in place: by the framework's own word, otherwise the one that owns its directory. */
static const struct cv_subject *find_dist(const struct cv_world *w, const struct cv_wenv *env, const struct cv_wload *l)
{
	const char *own = cv_fact_str(l->fw, CV_F_framework_package);
	const struct cv_subject *p = own ? cv_wenv_package(env, own) : cv_wenv_package(env, l->framework);

	for (size_t i = 0; !own && !p && i < env->packages.n; i++) {
		const char *name = cv_fact_str(env->packages.v[i], CV_F_package_name);
		const char *writes = name ? cv_world_writes(w, name) : NULL;

		if (writes && cv_streq(writes, l->framework))
			p = env->packages.v[i];
	}
	return p;
}

static void set_build(struct cv_wload *l, enum cv_build build, const char *because)
{
	l->build = build;
	l->build_because = because;
}

static void build_by_local(struct cv_wload *l, const char *local, struct cv_arena *a)
{
	if (local && cv_starts(local, "cpu"))
		set_build(l, CV_BUILD_CPU, cv_arena_printf(a, "its version says +%s", local));
	else if (local && cv_starts(local, "rocm"))
		set_build(l, CV_BUILD_ROCM, cv_arena_printf(a, "its version says +%s", local));
	else if (cuda_of_variant(local, a))
		set_build(l, CV_BUILD_GPU, cv_arena_printf(a, "its version says +%s", local));
	else
		set_build(l, CV_BUILD_UNKNOWN, cv_fact_because(a, l->fw, CV_F_framework_cuda));
}

/*
 * A framework's own files say what it was built with. Where they name no CUDA, a GPU library on disk proves nothing: the CPU
 * package of ONNX Runtime leaves the provider of the GPU package in place when it overwrites the rest. A CUDA release in those
 * files with the library gone is damage, not a CPU build.
 */
static void find_build(struct cv_wload *l, const struct cv_kb *kb, const char *local, struct cv_arena *a)
{
	enum cv_state cuda = cv_fact(l->fw, CV_F_framework_cuda)->state;
	enum cv_state lib = cv_fact(l->fw, CV_F_framework_gpu_lib)->state;
	const char *gpu = cv_kb_value(kb, cv_arena_printf(a, "package:%s", l->dist), NULL, "provides_gpu");
	bool ruin = !l->fw || cv_fact_absent(l->fw, CV_F_framework_path); /* an import finds nothing: the package's name tells */

	if (cv_fact_known(l->fw, CV_F_framework_hip))
		set_build(l, CV_BUILD_ROCM, cv_fact_because(a, l->fw, CV_F_framework_hip));
	else if (cuda == CV_KNOWN)
		set_build(l, CV_BUILD_GPU, cv_fact_because(a, l->fw, CV_F_framework_cuda));
	else if (lib == CV_KNOWN && (cuda != CV_ABSENT || (gpu && cv_streq(gpu, "yes"))))
		set_build(l, CV_BUILD_GPU, cv_fact_because(a, l->fw, CV_F_framework_gpu_lib));
	else if (cuda == CV_ABSENT)
		set_build(l, CV_BUILD_CPU, cv_fact_because(a, l->fw, CV_F_framework_cuda));
	else if (ruin && gpu && !cv_streq(gpu, "by-build"))
		set_build(l, cv_streq(gpu, "yes") ? CV_BUILD_GPU : CV_BUILD_CPU,
			  cv_arena_printf(a, "the name of the package %s", l->dist));
	else
		build_by_local(l, local, a);
}

static const char *public_version(const struct cv_wload *l, struct cv_arena *a)
{
	return l->version ? cv_ver_public(a, l->version) : NULL;
}

static void find_cuda(struct cv_wload *l, const struct cv_kb *kb, const char *local, struct cv_arena *a)
{
	const char *version = public_version(l, a);

	l->cuda = cv_fact_str(l->fw, CV_F_framework_cuda);
	l->cudnn = cv_fact_str(l->fw, CV_F_framework_cudnn);
	if (!l->cuda)
		l->cuda = cuda_of_variant(local, a);
	if (!l->cuda && version && l->build == CV_BUILD_GPU && cv_streq(l->framework, "onnxruntime"))
		l->cuda = cv_kb_value(kb, "onnxruntime-gpu", version, "cuda");
	if (!l->cuda && version && l->build == CV_BUILD_GPU && cv_streq(l->framework, "tensorflow"))
		l->cuda = cv_kb_value(kb, "tensorflow", version, "cuda");
	if (cv_streq(l->framework, "torch"))
		l->variant = cuda_of_variant(local, a) ? local : l->cuda && !local ? variant_of_cuda(l->cuda, a) : NULL;
}

/* kb knows the wheels of the vendors' indexes only: a conda build or a build of one's own has its own list. */
static bool is_index_wheel(const struct cv_wload *l)
{
	const char *source = cv_fact_str(l->pkg, CV_F_package_source);

	return source && cv_streq(source, "dist-info");
}

static void set_code(struct cv_wload *l, const struct cv_kb *kb, const char *subject, const char *version, const char *property)
{
	l->has_code_row = cv_kb_get(kb, subject, version, property, &l->code_row);
	if (l->has_code_row)
		l->code = l->code_row.value;
}

static const char *no_code_reason(const struct cv_wload *l, const struct cv_kb *kb, const char *subject, const char *version,
				  struct cv_arena *a)
{
	if (l->newer_than_kb)
		return cv_arena_printf(a, "%s %s is newer than this knowledge base (%s)", subject, version, cv_kb_date(kb));
	return cv_arena_printf(a, "the knowledge base (%s) does not list the GPU code of %s", cv_kb_date(kb), l->label);
}

/* Code that is made at run time for whatever GPU is there, as kb says. */
static bool is_elsewhere(const struct cv_kb *kb, const char *workload, struct cv_arena *a)
{
	const char *code = cv_kb_value(kb, cv_arena_printf(a, "workload:%s", workload), NULL, "code");

	return code && cv_streq(code, "elsewhere");
}

static void find_code(struct cv_wload *l, const struct cv_world *w, const struct cv_facts *facts, const struct cv_kb *kb,
		      struct cv_arena *a)
{
	const char *version = public_version(l, a), *subject = NULL, *kb_cuda;
	const char *arch = w->aarch64 ? "_aarch64" : "";

	l->code_elsewhere = is_elsewhere(kb, l->name, a);
	if (l->code_elsewhere)
		return;
	l->has_file_code = cv_file_code_of(facts, cv_fact_str(l->fw, CV_F_framework_gpu_lib), a, &l->file_code);
	if (l->has_file_code) {
		l->code = l->file_code.list;
		return;
	}
	if (!version || !is_index_wheel(l)) {
		l->code_because = cv_arena_printf(a, "%s is not a wheel of an index whose GPU code is listed", l->label);
		return;
	}
	if (cv_streq(l->framework, "torch")) {
		subject = "torch";
		if (l->variant)
			set_code(l, kb, subject, version, cv_arena_printf(a, "code%s:%s", arch, l->variant));
	} else if (cv_streq(l->framework, "onnxruntime") && cv_streq(l->dist, "onnxruntime-gpu")) {
		subject = "onnxruntime-gpu";
		kb_cuda = cv_kb_value(kb, subject, version, "cuda");
		if (kb_cuda && l->cuda && cv_ver_part(kb_cuda, 0) == cv_ver_part(l->cuda, 0))
			set_code(l, kb, subject, version, cv_arena_printf(a, "code%s", arch));
	} else if (cv_streq(l->framework, "tensorflow") && w->x86) {
		subject = "tensorflow";
		set_code(l, kb, subject, version, "code");
	}
	if (cv_streq(l->framework, "jax") && l->cuda && w->x86) {
		subject = "jax";
		set_code(l, kb, subject, version, cv_arena_printf(a, "code:%lld", (long long)cv_ver_part(l->cuda, 0)));
	}
	if (!subject)
		subject = l->dist;
	l->newer_than_kb = cv_kb_reach(kb, subject, version) == CV_KB_NEWER;
	if (!l->code)
		l->code_because = no_code_reason(l, kb, subject, version, a);
}

/* Wheels for servers say so by a +cuNNN part or by pinning nvidia's wheels; a Jetson has its CUDA from JetPack. */
static bool is_desktop_wheel(const struct cv_wload *l, struct cv_arena *a)
{
	const struct cv_strv *requires = cv_fact_list(l->pkg, CV_F_package_requires);

	if (l->build != CV_BUILD_GPU)
		return false;
	if (l->version && cuda_of_variant(cv_ver_local(a, l->version), a))
		return true;
	for (size_t i = 0; i < requires->n; i++)
		if (cv_starts(requires->v[i], "nvidia-cu") || cv_starts(requires->v[i], "cuda-toolkit"))
			return true;
	return false;
}

static void add_load(struct cv_world *w, const struct cv_facts *facts, const struct cv_kb *kb, const struct cv_wenv *env,
		     const struct cv_subject *fw, size_t which, struct cv_arena *a)
{
	struct cv_wload *l = CV_VEC_PUSH(a, &w->loads);
	const char *local;

	if (!l)
		return;
	l->env = env->index;
	l->fw = fw;
	l->framework = workloads[which].framework;
	l->name = workloads[which].workload;
	l->pkg = find_dist(w, env, l);
	l->dist = cv_fact_str(fw, CV_F_framework_package);
	if (!l->dist)
		l->dist = cv_fact_str(l->pkg, CV_F_package_name);
	if (!l->dist)
		l->dist = l->framework;
	l->version = cv_fact_str(fw, CV_F_framework_version);
	if (!l->version)
		l->version = cv_fact_str(l->pkg, CV_F_package_version);
	l->label = l->version ? cv_arena_printf(a, "%s %s", l->dist, l->version) : l->dist;
	local = l->version ? cv_ver_local(a, l->version) : NULL;
	find_build(l, kb, local, a);
	find_cuda(l, kb, local, a);
	if (l->build == CV_BUILD_GPU)
		find_code(l, w, facts, kb, a);
	l->desktop_wheel = is_desktop_wheel(l, a);
}

/* A distribution of the framework is installed, though an import would not find it: its files are gone. */
static bool has_dist(const struct cv_world *w, const struct cv_wenv *env, const char *framework)
{
	const struct cv_wload l = { .framework = framework };

	return find_dist(w, env, &l) != NULL;
}

static void add_loads(struct cv_world *w, const struct cv_facts *facts, const struct cv_kb *kb, const struct cv_wenv *env,
		      struct cv_arena *a)
{
	for (size_t which = 0; which < sizeof(workloads) / sizeof(workloads[0]); which++) {
		const char *key = cv_arena_printf(a, "%s|%s", env->path, workloads[which].framework);
		const struct cv_subject *fw = cv_facts_find(facts, CV_KIND_framework, key);

		if (fw || has_dist(w, env, workloads[which].framework))
			add_load(w, facts, kb, env, fw, which, a);
	}
}

static bool is_stub(const struct cv_wlib *lib)
{
	return lib->origin && cv_streq(lib->origin, "stub");
}

static bool lib_in_env(const struct cv_wenv *env, const struct cv_wlib *lib)
{
	const struct cv_strv *path = cv_fact_list(env->s, CV_F_env_sys_path);

	if (lib->env && cv_streq(lib->env, env->path))
		return true;
	if (cv_path_below(cv_subject_key(lib->s), env->path))
		return true;
	for (size_t i = 0; i < path->n; i++)
		if (cv_path_below(cv_subject_key(lib->s), path->v[i]))
			return true;
	return false;
}

/* Rules ask for each need of each workload: they look in this list, not in the libraries of all environments. */
static void find_near(struct cv_world *w, struct cv_wenv *env, struct cv_arena *a)
{
	for (size_t i = 0; i < w->libs.n; i++) {
		const struct cv_wlib *lib = &w->libs.v[i];
		bool in_env = !is_stub(lib) && lib_in_env(env, lib);
		struct cv_wnear *near;

		if (is_stub(lib) || (!in_env && lib->step == CV_STEP_NONE))
			continue;
		near = CV_VEC_PUSH(a, &env->near);
		if (near)
			*near = (struct cv_wnear){ lib, in_env };
	}
}

static void index_libs(struct cv_world *w, struct cv_arena *a)
{
	for (size_t i = 0; i < w->libs.n; i++) {
		struct cv_wlib *lib = &w->libs.v[i];
		const char *name = lib->soname ? lib->soname : cv_basename(lib->path);

		if (!is_stub(lib) && !cv_map_get(&w->by_soname, name))
			(void)cv_map_set(a, &w->by_soname, name, lib);
	}
	for (size_t i = 0; i < w->envs.n; i++)
		find_near(w, &w->envs.v[i], a);
}

void cv__world_envs(struct cv_world *w, const struct cv_facts *facts, const struct cv_kb *kb, struct cv_arena *a)
{
	for (size_t i = 0; i < cv_facts_count(facts, CV_KIND_env); i++)
		add_env(w, cv_facts_at(facts, CV_KIND_env, i), a);
	share_packages(w, facts, kb, a);
	index_libs(w, a);
	for (size_t i = 0; i < w->envs.n; i++)
		add_loads(w, facts, kb, &w->envs.v[i], a);
}
