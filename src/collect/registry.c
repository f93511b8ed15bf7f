/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/registry.h"

/* What one collector may use for itself; facts are elsewhere. */
#define SCRATCH_MAX ((size_t)256 << 20)

/* In this order: later ones read what earlier ones put in. */
static const struct cv_collector *const collectors[] = {
	&cv_collector_os,      &cv_collector_kind,	  &cv_collector_var,	       &cv_collector_pci,
	&cv_collector_driver,  &cv_collector_kmod,	  &cv_collector_node,	       &cv_collector_ldso,
	&cv_collector_py_envs, &cv_collector_py_packages, &cv_collector_py_frameworks, &cv_collector_toolkit,
	&cv_collector_lib,     &cv_collector_loads,	  &cv_collector_code,
};

int cv_collect_all(struct cv_collect_ctx *ctx)
{
	for (size_t i = 0; i < sizeof(collectors) / sizeof(collectors[0]); i++) {
		bool failed;

		ctx->scratch = cv_arena_new(SCRATCH_MAX);
		if (!ctx->scratch)
			return CV_ENOMEM;
		collectors[i]->run(ctx);
		failed = cv_arena_failed(ctx->scratch);
		cv_arena_free(ctx->scratch);
		ctx->scratch = NULL;
		/* A collector that ran into its maximum has met something hostile; what it put in stands. */
		if (failed) {
			cv_diag_fail(ctx->diag, CV_ENOMEM, "collector %s: out of memory, its facts are not complete",
				     collectors[i]->name);
			ctx->incomplete = true;
		}
	}
	return 0;
}
