/* SPDX-License-Identifier: Apache-2.0 */
/* `cuvet ld --python ENV 'import torch'`: what a Python program loads, by the scenarios of the knowledge base. */
#include "engine/ldscn.h"

#include "base/str.h"
#include "collect/scene.h"
#include "engine/program.h"

static const struct cv_subject *selected(const struct cv_facts *facts)
{
	for (size_t i = 0; i < cv_facts_count(facts, CV_KIND_env); i++)
		if (cv_fact_true(cv_facts_at(facts, CV_KIND_env, i), CV_F_env_selected))
			return cv_facts_at(facts, CV_KIND_env, i);
	return NULL;
}

static int collect(struct cv_run *run, struct cv_view *view, const struct cv_selection *sel, struct cv_facts **ret)
{
	struct cv_collect_ctx ctx = { .view = view, .kb = run->kb, .sel = sel, .diag = &run->diag };
	int err;

	*ret = ctx.facts = cv_facts_new(run->arena);
	if (!*ret)
		return CV_ENOMEM;
	err = cv_collect_all(&ctx);
	run->diag.n = 0; /* what is broken in a file that does not matter here */
	return err ? err : cv_facts_freeze(*ret);
}

static int run_statements(struct cv_run *run, struct cv_scn_run *scn, const struct cv_program *program, struct cv_ld_map *map)
{
	for (size_t i = 0; i < program->v.n; i++) {
		const struct cv_statement *st = &program->v.v[i];
		int r = cv_scn_do(scn, st->scenario);

		if (r < 0)
			return cv_diag_fail(&run->diag, r, "%s: %s", st->scenario, cv_strerror(r));
		if (r == 0 && !map->failed)
			map->failed = st->scenario;
		if (r == 0 && st->import)
			return 0;
	}
	return 0;
}

static int run_text(struct cv_run *run, struct cv_scene *scene, struct cv_lm_system *sys, const char *text, struct cv_ld *r)
{
	struct cv_ld_map *map = CV_VEC_PUSH(run->arena, &r->maps);
	struct cv_program program = { 0 };
	struct cv_scn_run *scn;
	int err;

	if (!map)
		return CV_ENOMEM;
	map->asked = cv_arena_strdup(run->arena, text);
	err = cv_program_read(text, run->kb, run->arena, &run->diag, &program);
	if (!err)
		err = cv_scene_start(scene, sys, &scn);
	if (err)
		return err;
	map->m = scn->map;
	map->scn = scn;
	scn->symbols = true;
	return run_statements(run, scn, &program, map);
}

int cv_ld_facts(struct cv_run *run, struct cv_view *view, const struct cv_selection *sel, struct cv_facts **ret,
		const struct cv_subject **ret_env)
{
	int err = collect(run, view, sel, ret);

	if (err)
		return err;
	*ret_env = selected(*ret);
	return *ret_env ? 0 : cv_diag_fail(&run->diag, CV_ENOENT, "no Python environment is there");
}

int cv_ld_python(struct cv_run *run, struct cv_view *view, const struct cv_selection *sel, const struct cv_ld_query *q, struct cv_ld *r)
{
	const struct cv_subject *env;
	struct cv_lm_system *sys;
	struct cv_scene scene;
	struct cv_facts *facts;
	int err = cv_ld_facts(run, view, sel, &facts, &env);

	if (err)
		return err;
	err = cv_scene_init(&scene, view, facts, run->kb, env, run->arena, &run->diag);
	if (!err)
		err = cv_scene_system(view, run->opt.root ? NULL : run->opt.cwd, q->quick, run->arena, &run->diag, &sys);
	if (err)
		return err;
	for (size_t i = 0; !err && i < q->path_n; i++)
		err = run_text(run, &scene, sys, q->paths[i], r);
	cv_lm_system_free(sys);
	return err;
}
