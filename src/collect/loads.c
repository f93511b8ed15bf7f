/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the workloads of the selected environments load: their scenarios, alone and one after the other. Which order a user's
 * program has is not known, so both are taken; and onnxruntime's own way to preload, where it fails alone.
 */
#include "collect/registry.h"
#include "collect/scene.h"
#include "collect/see.h"

#define NAME "loads"
#define PROGRAMS_MAX 16

struct run {
	struct cv_collect_ctx *c;
	struct cv_scene scene;
	struct cv_lm_system *sys;
	struct cv_subject *s;  /* of the program */
	const char *key;
};

static struct cv_prov from(const char *path)
{
	return cv_see_prov(NAME, path, 0);
}

static const char *path_of(const struct cv_loadmap *m, size_t i)
{
	return i == CV_LM_NONE ? NULL : m->objects.v[i].real ? m->objects.v[i].real : m->objects.v[i].path;
}

static void put_str(struct run *r, struct cv_subject *s, enum cv_field id, const char *value, const char *source)
{
	if (value)
		cv_facts_str(r->c->facts, s, id, value, from(source));
}

static void put_load(struct run *r, const struct cv_loadmap *m, size_t i)
{
	const struct cv_lm_object *o = &m->objects.v[i];
	const struct cv_lm_edge *e = &m->edges.v[o->edge];
	struct cv_subject *s = cv_facts_add(r->c->facts, CV_KIND_load, cv_arena_printf(r->c->scratch, "%s|%04zu", r->key, i));
	const char *path = path_of(m, i), *by = path_of(m, e->by);
	struct cv_strv losers = { 0 };

	put_str(r, s, CV_F_load_scenario, r->key, path);
	put_str(r, s, CV_F_load_path, path, path);
	put_str(r, s, CV_F_load_soname, o->soname ? o->soname : cv_basename(e->name), path);
	put_str(r, s, CV_F_load_by, by, by);
	put_str(r, s, CV_F_load_step, cv_lm_step_name(e->step), by);
	put_str(r, s, CV_F_load_detail, e->detail, by);
	for (size_t k = 0; k < e->losers.n; k++) { /* by the name that it has among the libraries */
		const char *loser = e->losers.v[k].path;

		if (cv_view_realpath(r->c->view, loser, r->c->scratch, &loser) < 0)
			loser = e->losers.v[k].path;
		cv_strv_push(r->c->scratch, &losers, loser);
	}
	if (losers.n)
		cv_facts_list(r->c->facts, s, CV_F_load_losers, &losers, from(by));
}

static struct cv_subject *new_fail(struct run *r, size_t n, const struct cv_scn_event *e, const char *kind)
{
	struct cv_subject *s =
		cv_facts_add(r->c->facts, CV_KIND_loadfail, cv_arena_printf(r->c->scratch, "%s|%04zu", r->key, n));

	put_str(r, s, CV_F_loadfail_scenario, r->key, NULL);
	put_str(r, s, CV_F_loadfail_kind, kind, NULL);
	cv_facts_bool(r->c->facts, s, CV_F_loadfail_passed, e->outcome == CV_SCN_PASSED, from(NULL));
	return s;
}

static void put_trouble(struct run *r, const struct cv_loadmap *m, size_t i, const struct cv_scn_event *e)
{
	const struct cv_lm_trouble *t = &m->troubles.v[i];
	struct cv_subject *s = new_fail(r, i, e, cv_lm_trouble_name(t->kind));
	const char *by = path_of(m, t->object);

	put_str(r, s, CV_F_loadfail_name, t->name, by);
	put_str(r, s, CV_F_loadfail_by, by, by);
	put_str(r, s, CV_F_loadfail_provider, path_of(m, t->provider), by);
	put_str(r, s, CV_F_loadfail_message, t->message, by);
	if (t->edge == CV_LM_NONE)
		return;
	put_str(r, s, CV_F_loadfail_refused, m->edges.v[t->edge].refused, by);
	if (m->edges.v[t->edge].searched.n)
		cv_facts_list(r->c->facts, s, CV_F_loadfail_searched, &m->edges.v[t->edge].searched, from(by));
}

/* Failures of steps that may fail are told only where the loader met more than a file that is not there. */
static void put_fails(struct run *r, const struct cv_scn_run *scn)
{
	for (size_t i = 0; i < scn->events.n; i++) {
		const struct cv_scn_event *e = &scn->events.v[i];

		if (e->outcome == CV_SCN_DONE)
			continue;
		for (size_t k = e->trouble; k < e->trouble_end; k++)
			put_trouble(r, scn->map, k, e);
		if (e->trouble == e->trouble_end && e->outcome == CV_SCN_FAILED)
			put_str(r, new_fail(r, 9000 + i, e, "no-module"), CV_F_loadfail_message, e->message, NULL);
	}
}

static const char *key_of(const struct run *r, const struct cv_strv *program)
{
	const char *key = cv_arena_printf(r->c->scratch, "%s|", cv_subject_key(r->scene.env));

	for (size_t i = 0; i < program->n; i++)
		key = cv_arena_printf(r->c->scratch, "%s%s%s", key, i ? " " : "", program->v[i]);
	return key;
}

static void put_result(struct run *r, const struct cv_scn_run *scn, const char *failed)
{
	const char *exe = r->scene.python.exe;
	uint64_t n = 0;

	cv_facts_str(r->c->facts, r->s, CV_F_scenario_outcome, failed ? "failed" : "done", from(exe));
	if (failed)
		cv_facts_str(r->c->facts, r->s, CV_F_scenario_failed, failed, from(exe));
	else
		cv_facts_state(r->c->facts, r->s, CV_F_scenario_failed, CV_ABSENT, NULL, from(exe));
	if (failed && cv_scn_failure(scn))
		put_str(r, r->s, CV_F_scenario_error, cv_scn_failure(scn)->message, exe);
	for (size_t i = 0; i < scn->map->objects.n; i++)
		if (!scn->map->objects.v[i].unloaded && scn->map->objects.v[i].edge < scn->map->edges.n) {
			put_load(r, scn->map, i);
			n++;
		}
	cv_facts_int(r->c->facts, r->s, CV_F_scenario_objects, n, from(exe));
	put_fails(r, scn);
}

/* What could not be asked about may be anything: then there is no outcome. */
static int unseen(const struct cv_scn_run *scn)
{
	for (size_t i = 0; i < scn->map->troubles.n; i++) {
		enum cv_lm_trouble_kind kind = scn->map->troubles.v[i].kind;

		if (kind == CV_LM_T_UNREADABLE || kind == CV_LM_T_LIMIT)
			return CV_ENOTASKED;
	}
	return 0;
}

/* True: it went through. */
static bool run_program(struct run *r, const struct cv_strv *program)
{
	struct cv_scn_run *scn = NULL;
	const char *failed = NULL;
	int err;

	r->key = key_of(r, program);
	r->s = cv_facts_add(r->c->facts, CV_KIND_scenario, r->key);
	put_str(r, r->s, CV_F_scenario_env, cv_subject_key(r->scene.env), r->scene.python.exe);
	cv_facts_list(r->c->facts, r->s, CV_F_scenario_program, program, from(r->scene.python.exe));
	err = cv_scene_start(&r->scene, r->sys, &scn);
	for (size_t i = 0; !err && !failed && i < program->n; i++) {
		err = cv_scn_do(scn, program->v[i]);
		failed = err == 0 ? program->v[i] : NULL;
		err = err < 0 ? err : 0;
	}
	if (!err)
		err = unseen(scn);
	if (err == CV_ENOENT) { /* of this release */
		cv_facts_state(r->c->facts, r->s, CV_F_scenario_outcome, CV_NOT_ASKED, "what this release loads is not known",
			       from(r->scene.python.exe));
		return false;
	}
	if (err) {
		cv_see_fail(r->c, r->s, CV_F_scenario_outcome, err, from(r->scene.python.exe));
		return false;
	}
	put_result(r, scn, failed);
	return !failed;
}

/* "torch:cuda" for a build with CUDA, "torch" for one without; NULL if kb has no scenario for it. */
static const char *program_of(struct run *r, const struct cv_subject *fw)
{
	const char *name = cv_fact_str(fw, CV_F_framework_name), *cuda;

	if (!name || !cv_fact_known(fw, CV_F_framework_path))
		return NULL;
	cuda = cv_arena_printf(r->c->scratch, "%s:cuda", name);
	if (cv_fact_known(fw, CV_F_framework_gpu_lib) && cv_scene_knows(r->c->kb, cuda))
		return cuda;
	return cv_scene_knows(r->c->kb, name) ? name : NULL;
}

static void run_both(struct run *r, const char *a, const char *b)
{
	const char *ab[] = { a, b }, *ba[] = { b, a };

	run_program(r, &(struct cv_strv){ .v = ab, .n = 2 });
	run_program(r, &(struct cv_strv){ .v = ba, .n = 2 });
}

#define PRELOAD "onnxruntime.preload_dlls"
#define ORT "onnxruntime:cuda"

static void run_env(struct run *r)
{
	struct cv_strv programs = { 0 };
	const char *env = cv_subject_key(r->scene.env);

	for (size_t i = 0; i < cv_facts_count(r->c->facts, CV_KIND_framework); i++) {
		const struct cv_subject *fw = cv_facts_at(r->c->facts, CV_KIND_framework, i);
		const char *of = cv_fact_str(fw, CV_F_framework_env);
		const char *program = of && cv_streq(of, env) ? program_of(r, fw) : NULL;

		if (program && programs.n < PROGRAMS_MAX)
			cv_strv_push(r->c->scratch, &programs, program);
	}
	for (size_t i = 0; i < programs.n; i++)
		if (!run_program(r, &(struct cv_strv){ .v = &programs.v[i], .n = 1 }) && cv_streq(programs.v[i], ORT))
			run_program(r, &(struct cv_strv){ .v = (const char *[]){ PRELOAD, ORT }, .n = 2 });
	if (cv_strv_has(&programs, ORT) && cv_strv_has(&programs, "torch:cuda"))
		run_both(r, "torch:cuda", ORT);
}

static void run(struct cv_collect_ctx *c)
{
	struct run r = { .c = c };

	if (cv_scene_system(c->view, c->sel->cwd, false, c->scratch, c->diag, &r.sys) < 0)
		return;
	for (size_t i = 0; i < cv_facts_count(c->facts, CV_KIND_env); i++) {
		const struct cv_subject *env = cv_facts_at(c->facts, CV_KIND_env, i);

		if (cv_fact_true(env, CV_F_env_selected) &&
		    cv_scene_init(&r.scene, c->view, c->facts, c->kb, env, c->scratch, c->diag) == 0)
			run_env(&r);
	}
	cv_lm_system_free(r.sys);
}

const struct cv_collector cv_collector_loads = {
	.name = NAME,
	.doc = "what the workloads of the selected environments load",
	.run = run,
};
