/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/plan.h"

#include "base/str.h"
#include "base/version.h"

#define TRIES_MAX 32

/* One program under one LD_LIBRARY_PATH. */
struct trial {
	struct cv_loadmap *map;
	bool ok;
	const char *failed, *message;
	const char *missing;   /* the library that ends it; NULL: it ends otherwise, or not at all */
	const char *older_dir; /* an entry of LD_LIBRARY_PATH that brings an older library than the environment's own */
};

static bool is_drivers(const char *name)
{
	return cv_starts(name, "libcuda.so") || cv_starts(name, "libnvidia-");
}

static const char *version_at(const struct cv_planner *p, const char *path)
{
	return cv_fact_str(cv_facts_find(p->facts, CV_KIND_lib, path), CV_F_lib_version);
}

static const char *entry_that_hides(const struct cv_planner *p, const struct cv_loadmap *m)
{
	for (size_t i = 0; i < m->edges.n; i++) {
		const struct cv_lm_edge *e = &m->edges.v[i];
		const char *path = e->object == CV_LM_NONE ? NULL : m->objects.v[e->object].real;
		const char *have = path && e->step == CV_LM_LIBRARY_PATH ? version_at(p, path) : NULL;

		for (size_t k = 0; have && k < e->losers.n; k++) {
			const char *own = version_at(p, e->losers.v[k].path);

			if (own && cv_path_below(e->losers.v[k].path, cv_subject_key(p->scene.env)) &&
			    cv_ver_cmp(CV_VER_DOTTED, have, own) < 0)
				return e->detail;
		}
	}
	return NULL;
}

static const char *missing_of(const struct cv_loadmap *m)
{
	const struct cv_lm_trouble *t = m->troubles.n ? &m->troubles.v[m->troubles.n - 1] : NULL;

	return t && t->kind == CV_LM_T_MISSING ? t->name : NULL;
}

static int try_program(struct cv_planner *p, const char *program, const char *path, struct trial *ret)
{
	struct cv_lm_system_opts opts = {
		.cwd = p->cwd, .library_path = path, .preload = cv_scene_variable(p->view, "LD_PRELOAD")
	};
	struct cv_lm_system *sys;
	struct cv_scn_run *run;
	int err;

	err = cv_lm_system_new(p->view, &opts, p->arena, p->diag, &sys);
	if (err)
		return err;
	err = cv_scene_start(&p->scene, sys, &run);
	if (!err)
		err = cv_scn_do(run, program);
	if (err >= 0) {
		*ret = (struct trial){ .map = run->map, .ok = err == 1, .older_dir = entry_that_hides(p, run->map) };
		ret->missing = err ? NULL : missing_of(run->map);
		ret->ok |= ret->missing && is_drivers(ret->missing); /* no path brings a driver */
		ret->failed = ret->ok ? NULL : program;
		ret->message = ret->ok || !run->events.n ? NULL : run->events.v[run->events.n - 1].message;
	}
	cv_lm_system_free(sys);
	return err < 0 ? err : 0;
}

/* All of them; ends at the first that is not as it should be. */
static int try_all(struct cv_planner *p, const char *path, struct trial *ret)
{
	int err = 0;

	*ret = (struct trial){ .ok = true };
	for (size_t i = 0; !err && i < p->programs.n && ret->ok && !ret->older_dir; i++)
		err = try_program(p, p->programs.v[i], path, ret);
	return err;
}

/* The directory of a file with this SONAME: of the environment, else of a toolkit; stubs are none. */
static const char *dir_of(const struct cv_planner *p, const char *soname)
{
	const char *best = NULL;

	for (size_t i = 0; i < cv_facts_count(p->facts, CV_KIND_lib); i++) {
		const struct cv_subject *s = cv_facts_at(p->facts, CV_KIND_lib, i);
		const char *name = cv_fact_str(s, CV_F_lib_soname), *origin = cv_fact_str(s, CV_F_lib_origin);
		const char *key = cv_subject_key(s);

		if (!name || !cv_streq(name, soname) || (origin && (cv_streq(origin, "stub") || cv_streq(origin, "compat"))))
			continue;
		if (cv_path_below(key, cv_subject_key(p->scene.env)))
			return cv_dirname(p->arena, key);
		if (!best && !cv_fact_known(s, CV_F_lib_env)) /* what lies in another environment may go with it */
			best = cv_dirname(p->arena, key);
	}
	return best;
}

static const char *without(const struct cv_planner *p, const char *path, const char *entry)
{
	struct cv_str rest = cv_str_of(path), part;
	const char *out = NULL;

	while (cv_str_split(&rest, ':', &part))
		if (!cv_str_is(part, entry))
			out = out ? cv_arena_printf(p->arena, "%s:%.*s", out, CV_STR_ARG(part)) : cv_str_dup(p->arena, part);
	return out;
}

static bool has_entry(const char *path, const char *entry)
{
	struct cv_str rest = cv_str_of(path ? path : ""), part;

	while (cv_str_split(&rest, ':', &part))
		if (cv_str_is(part, entry))
			return true;
	return false;
}

static const char *behind(const struct cv_planner *p, const char *path, const char *dir)
{
	return path && *path ? cv_arena_printf(p->arena, "%s:%s", path, dir) : dir;
}

static int search(struct cv_planner *p, const char **path, struct cv_strv *why, struct trial *t)
{
	for (unsigned i = 0; i < TRIES_MAX; i++) {
		const char *dir;
		int err = try_all(p, *path, t);

		if (err || (t->ok && !t->older_dir))
			return err;
		if (t->older_dir && *path && has_entry(*path, t->older_dir)) {
			cv_strv_push(p->arena, why, cv_arena_printf(p->arena, "without %s, which hides newer libraries of the environment",
								    t->older_dir));
			*path = without(p, *path, t->older_dir);
			continue;
		}
		dir = t->missing ? dir_of(p, t->missing) : NULL;
		if (!dir || has_entry(*path, dir))
			return 0;
		cv_strv_push(p->arena, why, cv_arena_printf(p->arena, "%s for %s", dir, t->missing));
		*path = behind(p, *path, dir);
	}
	return 0;
}

static int add_change(struct cv_planner *p, struct cv_run_plan *r, const char *name, const char *value, const char *why)
{
	struct cv_run_change *c = CV_VEC_PUSH(p->arena, &r->changes);

	if (!c)
		return CV_ENOMEM;
	*c = (struct cv_run_change){ .name = name, .value = value, .why = why };
	return 0;
}

/* CUDA_HOME, PATH and the folder of libraries. */
static int pin_toolkit(struct cv_planner *p, struct cv_run_plan *r, const char **path)
{
	static const char *const folders[] = { "lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "lib" };
	const char *why = cv_arena_printf(p->arena, "the toolkit %s", p->cuda), *dir = NULL, *old = cv_scene_variable(p->view, "PATH");
	int err;

	for (size_t i = 0; !dir && i < sizeof(folders) / sizeof(folders[0]); i++)
		if (cv_view_is_dir(p->view, cv_path_join(p->arena, p->cuda, folders[i])))
			dir = cv_path_join(p->arena, p->cuda, folders[i]);
	if (!dir)
		return cv_diag_fail(p->diag, CV_ENOENT, "%s: no CUDA toolkit: it has no folder of libraries", p->cuda);
	*path = *path && **path ? cv_arena_printf(p->arena, "%s:%s", dir, *path) : dir;
	err = add_change(p, r, "CUDA_HOME", p->cuda, why);
	if (!err)
		err = add_change(p, r, "PATH",
				 cv_arena_printf(p->arena, "%s/bin%s%s", p->cuda, old ? ":" : "", old ? old : ""), why);
	return err;
}

/* Where a file itself is the cause there is no setting for it. */
static void advise(struct cv_planner *p, struct cv_run_plan *r, const struct trial *t)
{
	const struct cv_loadmap *m = t->map;

	for (size_t i = 0; m && i < m->troubles.n; i++) {
		const struct cv_lm_trouble *tr = &m->troubles.v[i];

		if (tr->kind == CV_LM_T_EXEC_STACK && tr->name && strchr(tr->name, '/'))
			cv_strv_push(p->arena, &r->advice,
				     cv_arena_printf(p->arena, "patchelf --clear-execstack %s", tr->name));
	}
	if (t->missing && !dir_of(p, t->missing))
		cv_strv_push(p->arena, &r->advice,
			     cv_arena_printf(p->arena, "%s is not on this machine: install it; 'cuvet check' says how", t->missing));
}

int cv_plan_make(struct cv_planner *p, struct cv_run_plan *ret)
{
	const char *before = cv_scene_variable(p->view, "LD_LIBRARY_PATH"), *path = before, *text = "";
	struct cv_strv why = { 0 };
	struct trial t;
	int err = 0;

	ret->env = cv_subject_key(p->scene.env);
	ret->programs = p->programs;
	if (p->cuda)
		err = pin_toolkit(p, ret, &path);
	if (!err)
		err = search(p, &path, &why, &t);
	if (err)
		return err;
	if (!t.ok) {
		ret->failed = t.failed;
		ret->message = t.message;
		advise(p, ret, &t);
		return 0;
	}
	for (size_t i = 0; i < why.n; i++)
		text = cv_arena_printf(p->arena, "%s%s%s", text, i ? "; " : "", why.v[i]);
	if (!*text && p->cuda)
		text = cv_arena_printf(p->arena, "the toolkit %s", p->cuda);
	if (path != before)
		err = add_change(p, ret, "LD_LIBRARY_PATH", path, text);
	return err;
}
