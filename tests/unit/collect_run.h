/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collect_run: runs collectors over a made-up tree and asks the facts.
 *
 *	struct collect_run r;
 *	collect_run_init(&r);                         // r.tree is empty
 *	tmptree_file(&r.tree, "etc/os-release", "ID=x\n");
 *	collect_run_go(&r, 2, &cv_collector_os, &cv_collector_kind);
 *	assert_fact(&r, machine, "", machine_os_id, "x");
 *	collect_run_done(&r);
 *
 * Environment variables are those of set_env(). Include it after cmocka.h.
 */
#ifndef TESTS_COLLECT_RUN_H
#define TESTS_COLLECT_RUN_H

#include <stdarg.h>

#include "collect/registry.h"
#include "tmptree.h"

struct collect_run {
	struct tmptree tree;
	struct cv_arena *arena;
	struct cv_view *view;
	struct cv_facts *facts;
	struct cv_diag diag;
	struct cv_selection sel;
	const char *env[16]; /* NAME=VALUE; none: the view has no environment */
	size_t env_n;
};

static inline void collect_run_init(struct collect_run *r)
{
	*r = (struct collect_run){ 0 };
	tmptree_init(&r->tree);
	r->arena = cv_arena_new((size_t)64 << 20);
	assert_non_null(r->arena);
	r->facts = cv_facts_new(r->arena);
	cv_diag_init(&r->diag, r->arena);
}

static inline void collect_run_go(struct collect_run *r, int n, ...)
{
	struct cv_collect_ctx ctx = { .facts = r->facts, .kb = cv_kb_builtin(), .sel = &r->sel, .diag = &r->diag };
	struct cv_view *tree;
	va_list ap;

	assert_int_equal(cv_view_tree_new(r->tree.dir, &r->diag, &tree), 0);
	r->view = tree;
	if (r->env_n)
		assert_int_equal(cv_view_setenv_new(tree, r->env, r->env_n, &r->view), 0);
	ctx.view = r->view;
	va_start(ap, n);
	for (int i = 0; i < n; i++) {
		const struct cv_collector *one = va_arg(ap, const struct cv_collector *);

		ctx.scratch = cv_arena_new((size_t)64 << 20);
		assert_non_null(ctx.scratch);
		one->run(&ctx);
		assert_false(cv_arena_failed(ctx.scratch));
		cv_arena_free(ctx.scratch);
	}
	va_end(ap);
	assert_int_equal(cv_facts_freeze(r->facts), 0);
}

static inline void collect_run_done(struct collect_run *r)
{
	cv_view_free(r->view);
	cv_arena_free(r->arena);
	tmptree_done(&r->tree);
}

static inline const struct cv_value *collect_fact(const struct collect_run *r, enum cv_kind kind, const char *key,
						  enum cv_field id)
{
	const struct cv_subject *s = cv_facts_find(r->facts, kind, key);

	if (!s)
		fail_msg("there is no subject \"%s\"", key);
	return cv_fact(s, id);
}

/* The first value as text, as people would see it. */
#define assert_fact(r, kind, key, field, text)                                                                              \
	assert_string_equal(cv_value_text((r)->arena, CV_F_##field, collect_fact((r), CV_KIND_##kind, (key), CV_F_##field)), \
			    (text))
#define assert_fact_state(r, kind, key, field, want) \
	assert_string_equal(cv_state_name(collect_fact((r), CV_KIND_##kind, (key), CV_F_##field)->state), cv_state_name(want))
#define assert_fact_from(r, kind, key, field, want) \
	assert_string_equal(collect_fact((r), CV_KIND_##kind, (key), CV_F_##field)->prov.path, (want))

#endif
