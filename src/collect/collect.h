/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectors: each looks at one source through the view and puts facts in. They run in the order of the table in
 * collect/registry.c; a later one may read what an earlier one put in (not frozen yet).
 *
 * To add one: write collect/<source>.c with a cv_collector, add its row to the registry, its fields to facts/schema.def.
 * A collector never judges, never prints and never fails the run: what it cannot read becomes a state.
 */
#ifndef CV_COLLECT_COLLECT_H
#define CV_COLLECT_COLLECT_H

#include "facts/facts.h"
#include "kb/kb.h"
#include "view/view.h"

/* Which environments the user asked about; everything borrowed. */
struct cv_selection {
	const char *python;          /* --python PATH, or NULL */
	const char *const *envs;     /* --env DIR ... */
	size_t env_n;
	bool all_envs;               /* --all-envs */
	const char *cwd;             /* working directory in the view, or NULL */
};

struct cv_collect_ctx {
	struct cv_view *view;
	struct cv_facts *facts;
	const struct cv_kb *kb;      /* for lists of names only (packages of the GPU stack, steering variables) */
	const struct cv_selection *sel;
	struct cv_arena *scratch;    /* emptied after each collector: facts copy what they keep */
	struct cv_diag *diag;        /* gets what parsers say of broken files; the facts hold it too */
	bool incomplete;             /* set by cv_collect_all(): a collector ran into its maximum, diag says which */
};

struct cv_collector {
	const char *name; /* also the collector's name in provenance */
	const char *doc;
	void (*run)(struct cv_collect_ctx *c);
};

/* Runs all of them, in order. CV_ENOMEM or 0. ctx->scratch is made and freed here. */
int cv_collect_all(struct cv_collect_ctx *ctx);

#endif
