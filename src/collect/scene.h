/* SPDX-License-Identifier: Apache-2.0 */
/* Scene: an environment of the facts as the place where scenarios run, with their steps from the knowledge base. */
#ifndef CV_COLLECT_SCENE_H
#define CV_COLLECT_SCENE_H

#include "collect/collect.h"
#include "loadmap/scenario.h"

#define CV_SCENE_SUBJECT "scenario:"

struct cv_scene {
	struct cv_view *view;
	const struct cv_facts *facts;
	const struct cv_kb *kb;
	const struct cv_subject *env;
	struct cv_arena *arena;
	struct cv_diag *diag;
	struct cv_scn_python python;
	struct cv_scn_host host;
};

/* CV_ENOENT: the facts do not tell the interpreter or the search path of env; a diag message says so. The scene is borrowed by runs. */
int cv_scene_init(struct cv_scene *scene, struct cv_view *v, const struct cv_facts *facts, const struct cv_kb *kb,
		  const struct cv_subject *env, struct cv_arena *a, struct cv_diag *d);
/* The loader as this view's environment variables steer it. quick: no files that lose. */
int cv_scene_system(struct cv_view *v, const char *cwd, bool quick, struct cv_arena *a, struct cv_diag *d, struct cv_lm_system **ret);
/* A variable of the view's environment; NULL if it is not set, or there is no environment. */
const char *cv_scene_variable(struct cv_view *v, const char *name);
/* Does the kb have steps of a scenario? */
bool cv_scene_knows(const struct cv_kb *kb, const char *scenario);
/* Starts the interpreter of the scene in a new map. */
int cv_scene_start(struct cv_scene *scene, struct cv_lm_system *sys, struct cv_scn_run **ret);

#endif
