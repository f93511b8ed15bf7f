/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/scene.h"

#include <stdio.h>

#include "base/str.h"

/* "onnxruntime:cuda" and "torch/preload" -> the package whose version decides which steps hold. */
static const char *package_of(struct cv_arena *a, const char *scenario)
{
	return cv_arena_memdup(a, scenario, strcspn(scenario, ":./"));
}

static const struct cv_subject *framework(const struct cv_scene *s, const char *scenario)
{
	return cv_facts_find(s->facts, CV_KIND_framework,
			     cv_arena_printf(s->arena, "%s|%s", cv_subject_key(s->env), package_of(s->arena, scenario)));
}

/* "flash_attn" is the distribution flash-attn. */
static const char *package_version(const struct cv_scene *s, const char *import)
{
	char *name = cv_arena_strdup(s->arena, import);

	for (char *p = name; p && *p; p++)
		if (*p == '_')
			*p = '-';
	for (size_t i = 0; i < cv_facts_count(s->facts, CV_KIND_package); i++) {
		const struct cv_subject *p = cv_facts_at(s->facts, CV_KIND_package, i);
		const char *env = cv_fact_str(p, CV_F_package_env), *pkg = cv_fact_str(p, CV_F_package_name);

		if (env && pkg && name && cv_streq(env, cv_subject_key(s->env)) && cv_streq(pkg, name) &&
		    !cv_fact_true(p, CV_F_package_shadowed))
			return cv_fact_str(p, CV_F_package_version);
	}
	return NULL;
}

static const char *version_of_package(const struct cv_scene *s, const char *scenario)
{
	const char *v = cv_fact_str(framework(s, scenario), CV_F_framework_version);

	return v ? v : package_version(s, package_of(s->arena, scenario));
}

static int steps(void *cookie, const char *scenario, struct cv_scn_steps *ret)
{
	struct cv_scene *s = cookie;
	const char *of = version_of_package(s, scenario);
	struct cv_kb_iter it = cv_kb_iter(s->kb, cv_arena_printf(s->arena, CV_SCENE_SUBJECT "%s", scenario), of, "step:*");
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row)) {
		struct cv_scn_step *st;
		uint64_t seq;
		int err;

		if (!of && (*row.from || *row.to))
			continue; /* which version is there is not known: only what holds for all */
		st = CV_VEC_PUSH(s->arena, ret);
		if (!st)
			return CV_ENOMEM;
		if (!cv_str_u64(cv_str_of(row.property + strlen("step:")), &seq) || seq > 9999)
			return cv_diag_fail(s->diag, CV_EFORMAT, "scenario %s: \"%s\" is no step", scenario, row.property);
		err = cv_scn_parse((unsigned)seq, row.value, s->arena, s->diag, st);
		if (err)
			return err;
	}
	return ret->n ? 0 : cv_diag_fail(s->diag, CV_ENOENT, "%s: the knowledge base does not know what this loads", scenario);
}

static bool knows(void *cookie, const char *scenario)
{
	return cv_scene_knows(((struct cv_scene *)cookie)->kb, scenario);
}

/* "13.0" -> "130" */
static const char *without_dots(struct cv_arena *a, const char *text)
{
	const char *out = "";

	for (const char *p = text; *p; p++)
		if (*p != '.')
			out = cv_arena_printf(a, "%s%c", out, *p);
	return out;
}

/* {cuda}: CUDA major of the scenario's own framework; {cuda:NAME}: of another, major and minor as files are named by it. */
static const char *value(void *cookie, const char *scenario, const char *name)
{
	struct cv_scene *s = cookie;
	const char *cuda;

	if (cv_starts(name, "cuda:")) {
		cuda = cv_fact_str(framework(s, name + strlen("cuda:")), CV_F_framework_cuda);
		return cuda ? without_dots(s->arena, cuda) : NULL;
	}
	cuda = cv_streq(name, "cuda") ? cv_fact_str(framework(s, scenario), CV_F_framework_cuda) : NULL;
	return cuda ? cv_arena_memdup(s->arena, cuda, strcspn(cuda, ".")) : NULL;
}

static const char *version(void *cookie, const char *path)
{
	const struct cv_scene *s = cookie;

	return cv_fact_str(cv_facts_find(s->facts, CV_KIND_lib, path), CV_F_lib_version);
}

int cv_scene_init(struct cv_scene *scene, struct cv_view *v, const struct cv_facts *facts, const struct cv_kb *kb,
		  const struct cv_subject *env, struct cv_arena *a, struct cv_diag *d)
{
	const char *abi = cv_fact_str(env, CV_F_env_abi);

	*scene = (struct cv_scene){ .view = v, .facts = facts, .kb = kb, .env = env, .arena = a, .diag = d };
	if (!cv_fact_known(env, CV_F_env_exe) || !cv_fact_known(env, CV_F_env_sys_path))
		return cv_diag_fail(d, CV_ENOENT, "%s: %s", cv_subject_key(env),
				    cv_fact_known(env, CV_F_env_exe) ? "its search path for modules is not known" :
								       "its interpreter is not known");
	scene->python = (struct cv_scn_python){
		.exe = cv_fact_str(env, CV_F_env_exe),
		.version = cv_fact_str(env, CV_F_env_python),
		.free_threaded = abi && cv_ends(abi, "t"),
		.sys_path = cv_fact_list(env, CV_F_env_sys_path),
	};
	scene->host = (struct cv_scn_host){ .cookie = scene, .knows = knows, .steps = steps, .value = value, .version = version };
	return 0;
}

const char *cv_scene_variable(struct cv_view *v, const char *name)
{
	const char *text;

	return cv_view_getenv(v, name, &text) == 0 ? text : NULL;
}

int cv_scene_system(struct cv_view *v, const char *cwd, bool quick, struct cv_arena *a, struct cv_diag *d, struct cv_lm_system **ret)
{
	const char *now = cv_scene_variable(v, "LD_BIND_NOW");
	struct cv_lm_system_opts opts = {
		.cwd = cwd,
		.library_path = cv_scene_variable(v, "LD_LIBRARY_PATH"),
		.preload = cv_scene_variable(v, "LD_PRELOAD"),
		.bind_now = now && *now,
		.quick = quick,
	};

	return cv_lm_system_new(v, &opts, a, d, ret);
}

bool cv_scene_knows(const struct cv_kb *kb, const char *scenario)
{
	char subject[128];
	struct cv_kb_iter it;
	struct cv_kb_row row;

	if (snprintf(subject, sizeof(subject), CV_SCENE_SUBJECT "%s", scenario) >= (int)sizeof(subject))
		return false;
	it = cv_kb_iter(kb, subject, NULL, "step:*");
	return cv_kb_next(&it, &row);
}

int cv_scene_start(struct cv_scene *scene, struct cv_lm_system *sys, struct cv_scn_run **ret)
{
	struct cv_loadmap *map;
	int err = cv_loadmap_new(sys, scene->arena, scene->diag, &map);

	return err ? err : cv_scn_new(scene->view, map, &scene->python, &scene->host, scene->arena, scene->diag, ret);
}
