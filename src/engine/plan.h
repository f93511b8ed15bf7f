/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plan: the smallest change of the environment with which the programs of a Python environment load. Each is tried on the load
 * map before it is proposed: first nothing, then without the entries of LD_LIBRARY_PATH that bring an older library than the
 * environment's own, then with the directories that hold what is missing, one after the other as they are asked for.
 */
#ifndef CV_ENGINE_PLAN_H
#define CV_ENGINE_PLAN_H

#include "collect/scene.h"
#include "report/run.h"

struct cv_planner {
	struct cv_view *view;
	const struct cv_facts *facts;
	struct cv_scene scene;
	struct cv_strv programs;    /* scenarios, each alone */
	const char *cwd;
	const char *cuda;           /* a toolkit's root whose libraries come first, or NULL */
	struct cv_arena *arena;
	struct cv_diag *diag;
};

int cv_plan_make(struct cv_planner *p, struct cv_run_plan *ret);

#endif
