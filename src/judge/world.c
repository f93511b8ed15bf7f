/* SPDX-License-Identifier: Apache-2.0 */
/* The machine and its libraries; the driver, GPUs and environments have files of their own. */
#include "judge/world.h"

#include "base/str.h"

enum cv_tri cv_fact_tri(const struct cv_subject *s, enum cv_field id)
{
	const struct cv_value *v = cv_fact(s, id);

	if (v->state == CV_ABSENT)
		return CV_TRI_BAD;
	if (v->state != CV_KNOWN)
		return CV_TRI_UNKNOWN;
	return v->num ? CV_TRI_OK : CV_TRI_BAD;
}

const char *cv_fact_because(struct cv_arena *a, const struct cv_subject *s, enum cv_field id)
{
	const struct cv_value *v = cv_fact(s, id);
	const struct cv_field_info *info = &cv_field_table[id];
	const char *from = cv_prov_text(a, &v->prov);

	return cv_arena_printf(a, "%s.%s: %s%s%s", cv_kind_names[info->kind], info->name, cv_value_text(a, id, v),
			       *from ? ", " : "", from);
}

const char *cv_build_name(enum cv_build b)
{
	static const char *const names[] = {
		[CV_BUILD_UNKNOWN] = "unknown",
		[CV_BUILD_GPU] = "CUDA",
		[CV_BUILD_CPU] = "CPU-only",
		[CV_BUILD_ROCM] = "ROCm",
	};

	return names[b];
}

const struct cv_subject *cv_wenv_package(const struct cv_wenv *env, const char *name)
{
	for (size_t i = 0; i < env->packages.n; i++) {
		const char *got = cv_fact_str(env->packages.v[i], CV_F_package_name);

		if (got && cv_streq(got, name))
			return env->packages.v[i];
	}
	return NULL;
}

const char *cv_world_writes(const struct cv_world *w, const char *package)
{
	const char *framework = cv_map_get(&w->writes, package);

	return framework && *framework ? framework : NULL;
}

const struct cv_wload *cv_world_load(const struct cv_world *w, size_t env, const char *framework)
{
	for (size_t i = 0; i < w->loads.n; i++)
		if (w->loads.v[i].env == env && cv_streq(w->loads.v[i].framework, framework))
			return &w->loads.v[i];
	return NULL;
}

/* Index of dir among the parts of an LD_LIBRARY_PATH; -1 if it is not there. ';' is a separator like ':'. */
static int in_path(const char *path, const char *dir)
{
	struct cv_str rest = cv_str_of(path ? path : ""), part, want = cv_str_of(dir);

	for (int i = 0; rest.n; i++) {
		size_t n = 0;

		while (n < rest.n && rest.p[n] != ':' && rest.p[n] != ';')
			n++;
		part = cv_str_sub(rest, 0, n);
		rest = cv_str_from(rest, n + 1);
		while (part.n > 1 && part.p[part.n - 1] == '/')
			part.n--;
		if (cv_str_eq(part, want))
			return i;
	}
	return -1;
}

static bool is_default_dir(const char *dir, const char *arch)
{
	static const char *const dirs[] = { "/lib", "/usr/lib", "/lib64", "/usr/lib64" };
	const char *tail = cv_basename(dir);

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (cv_streq(dirs[i], dir))
			return true;
	return (cv_starts(dir, "/lib/") || cv_starts(dir, "/usr/lib/")) && cv_ends(tail, "-linux-gnu") && *arch &&
	       cv_starts(tail, arch);
}

struct search {
	const char *path; /* LD_LIBRARY_PATH */
	const struct cv_strv *conf;
	bool has_cache; /* then a directory of the configuration counts for what the cache holds of it */
	const char *arch;
};

/* The step at which the loader would meet the library under this name. */
static void reach_name(const struct search *s, struct cv_arena *a, struct cv_wlib *lib, const char *name)
{
	const char *dir = cv_dirname(a, name);
	bool may_be_cached = !s->has_cache || cv_strv_has(cv_fact_list(lib->s, CV_F_lib_via), "ld.so.cache");
	enum cv_reach_step step = CV_STEP_NONE;
	size_t order = 0;
	int at = in_path(s->path, dir);

	if (at >= 0) {
		step = CV_STEP_LD_LIBRARY_PATH;
		order = (size_t)at;
	}
	for (size_t i = 0; step == CV_STEP_NONE && may_be_cached && i < s->conf->n; i++)
		if (cv_streq(s->conf->v[i], dir)) {
			step = CV_STEP_CACHE;
			order = i;
		}
	if (step == CV_STEP_NONE && is_default_dir(dir, s->arch))
		step = CV_STEP_DEFAULT;
	if (step < lib->step || (step == lib->step && order < lib->order)) {
		lib->step = step;
		lib->order = order;
		lib->path = name;
	}
}

/*
 * Names of the SONAME decide: a stub libcuda.so with the SONAME libcuda.so.1 is found by no program that asks for that. Where
 * the SONAME is not known, the collector's word on how it got there does.
 */
static void reach(const struct search *s, struct cv_arena *a, struct cv_wlib *lib)
{
	const struct cv_strv *names = cv_fact_list(lib->s, CV_F_lib_names);
	const struct cv_strv *via = cv_fact_list(lib->s, CV_F_lib_via);

	lib->step = CV_STEP_NONE;
	lib->order = SIZE_MAX;
	lib->path = cv_subject_key(lib->s);
	for (size_t i = 0; i < names->n; i++)
		if (lib->soname && cv_streq(cv_basename(names->v[i]), lib->soname))
			reach_name(s, a, lib, names->v[i]);
	if (lib->soname && cv_streq(cv_basename(cv_subject_key(lib->s)), lib->soname))
		reach_name(s, a, lib, cv_subject_key(lib->s));
	if (lib->step != CV_STEP_NONE)
		return;
	if (cv_strv_has(via, "ld.so.cache"))
		lib->step = CV_STEP_CACHE;
	else if (!lib->soname && cv_strv_has(via, "LD_LIBRARY_PATH"))
		lib->step = CV_STEP_LD_LIBRARY_PATH;
	else if (!lib->soname && cv_strv_has(via, "default directory"))
		lib->step = CV_STEP_DEFAULT;
}

static bool wrong_machine(const struct cv_world *w, const struct cv_subject *s)
{
	const char *machine = cv_fact_str(s, CV_F_lib_machine);

	return machine && *w->arch && !cv_streq(machine, w->arch);
}

static void make_libs(struct cv_world *w, const struct cv_facts *facts, struct cv_arena *a)
{
	const struct cv_subject *path = cv_facts_find(facts, CV_KIND_var, "LD_LIBRARY_PATH");
	const struct cv_subject *ldso = cv_facts_find(facts, CV_KIND_ldso, "");
	const struct search s = {
		.path = cv_fact_str(path, CV_F_var_value),
		.conf = cv_fact_list(ldso, CV_F_ldso_conf_dirs),
		.has_cache = cv_fact_known(ldso, CV_F_ldso_cache_entries),
		.arch = w->arch,
	};

	for (size_t i = 0; i < cv_facts_count(facts, CV_KIND_lib); i++) {
		const struct cv_subject *subject = cv_facts_at(facts, CV_KIND_lib, i);
		struct cv_wlib *lib;

		if (wrong_machine(w, subject) || !(lib = CV_VEC_PUSH(a, &w->libs)))
			continue;
		lib->s = subject;
		lib->family = cv_fact_str(subject, CV_F_lib_family);
		lib->soname = cv_fact_str(subject, CV_F_lib_soname);
		lib->version = cv_fact_str(subject, CV_F_lib_version);
		lib->origin = cv_fact_str(subject, CV_F_lib_origin);
		lib->env = cv_fact_str(subject, CV_F_lib_env);
		reach(&s, a, lib);
	}
}

static void make_machine(struct cv_world *w, const struct cv_facts *facts)
{
	const struct cv_subject *m = cv_facts_find(facts, CV_KIND_machine, "");
	const char *arch = cv_fact_str(m, CV_F_machine_arch);

	w->machine = m;
	w->live = cv_fact_true(m, CV_F_machine_live);
	w->wsl = cv_fact_known(m, CV_F_machine_wsl);
	w->jetson = cv_fact_known(m, CV_F_machine_jetson);
	w->gvisor = cv_fact_true(m, CV_F_machine_gvisor);
	w->container = cv_fact_known(m, CV_F_machine_container);
	w->arch = arch ? arch : "";
	w->x86 = cv_streq(w->arch, "x86_64");
	w->aarch64 = cv_streq(w->arch, "aarch64");
}

const struct cv_world *cv_world_new(const struct cv_facts *facts, const struct cv_kb *kb, struct cv_arena *a)
{
	struct cv_world *w = CV_NEW(a, struct cv_world);

	if (!w)
		return NULL;
	make_machine(w, facts);
	make_libs(w, facts, a);
	cv__world_driver(w, facts, kb, a);
	cv__world_gpus(w, facts, kb, a);
	cv__world_envs(w, facts, kb, a);
	return cv_arena_failed(a) ? NULL : w;
}
