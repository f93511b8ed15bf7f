/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trying fixes. Equal effects are judged once, whatever number of findings they are proposed for. Where a fix changes one
 * environment the others are left out of the copy: what cannot change need not be judged.
 */
#include "judge/gate.h"

#include "judge/gate_int.h"

#define SCRATCH_MAX ((size_t)256 << 20)
#define PRICES_MAX 8 /* named for one fix */

static const char not_followed[] = "what the loader takes then was not followed";

/* A machine as a fix leaves it. */
struct trial {
	const char *key;
	struct cv_arena *arena;
	const struct cv_report *after;
	const char *untried;
	bool blind_to_loads;
};

struct cv_gate {
	const struct cv_facts *facts;
	const struct cv_kb *kb;
	const struct cv_report *before;
	const struct cv_world *w;
	struct cv_arena *a;	  /* for what outlives the gate */
	struct cv_arena *scratch; /* its own */
	CV_VEC(struct trial) trials;
};

struct cv_gate *cv_gate_new(const struct cv_facts *facts, const struct cv_kb *kb, const struct cv_report *before, struct cv_arena *a)
{
	struct cv_arena *scratch = cv_arena_new(SCRATCH_MAX);
	struct cv_gate *g = scratch ? CV_NEW(scratch, struct cv_gate) : NULL;

	if (!g) {
		cv_arena_free(scratch);
		return NULL;
	}
	*g = (struct cv_gate){ .facts = facts, .kb = kb, .before = before, .a = a, .scratch = scratch };
	g->w = cv_world_new(facts, kb, scratch);
	if (!g->w) {
		cv_arena_free(scratch);
		return NULL;
	}
	return g;
}

void cv_gate_free(struct cv_gate *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->trials.n; i++)
		cv_arena_free(g->trials.v[i].arena);
	cv_arena_free(g->scratch);
}

/* --- one trial --- */

/* Everything in the effects that makes a difference. */
static const char *key_of(struct cv_arena *a, const struct cv_fix *x)
{
	const char *key = "";

	for (size_t i = 0; i < x->effects.n; i++) {
		const struct cv_effect *e = &x->effects.v[i];

		key = cv_arena_printf(a, "%s%d\n%s\n%s\n%s\n%s\n%d%d %d %d %d\n%s\n", key, (int)e->kind, e->env ? e->env : "",
				      e->name ? e->name : "", e->spec ? e->spec : "", e->extras ? e->extras : "", e->force, e->no_deps,
				      (int)e->subject, (int)e->field, e->value != NULL, e->value ? e->value : "");
	}
	return key;
}

/* The one environment that is changed; NULL if more, or something else, is. */
static const char *only_env(const struct cv_fix *x)
{
	const char *env = x->effects.v[0].env;

	for (size_t i = 0; i < x->effects.n; i++)
		if (!env || !x->effects.v[i].env || !cv_streq(env, x->effects.v[i].env))
			return NULL;
	return env;
}

/* What programs load was found out before the fix: of what it changes nothing is known any more. */
static bool forget_loads(struct cv_gate_run *r, const char *env)
{
	bool any = false;
	static const enum cv_kind kinds[] = { CV_KIND_scenario, CV_KIND_load, CV_KIND_loadfail };

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (size_t i = 0; i < cv_facts_count(r->facts, kinds[k]); i++) {
			const char *key = cv_subject_key(cv_facts_at(r->facts, kinds[k], i));

			if (env && !(cv_starts(key, env) && key[strlen(env)] == '|'))
				continue;
			cv_facts_remove(r->copy, kinds[k], key);
			any = true;
		}
	return any;
}

static void judge_trial(struct cv_gate *g, const struct cv_fix *x, struct trial *t)
{
	struct cv_gate_run r = { .facts = g->facts, .kb = g->kb, .w = g->w, .a = t->arena };
	const char *env = only_env(x);
	int err;

	r.copy = cv_facts_copy(g->facts, t->arena);
	if (!r.copy) {
		t->untried = "out of memory";
		return;
	}
	t->untried = cv__gate_apply(&r, x);
	if (t->untried)
		return;
	t->blind_to_loads = forget_loads(&r, env);
	for (size_t i = 0; env && i < g->w->envs.n; i++)
		if (!cv_streq(g->w->envs.v[i].path, env))
			cv_facts_remove(r.copy, CV_KIND_env, g->w->envs.v[i].path);
	err = cv_facts_freeze(r.copy);
	if (!err)
		err = cv_judge_trial(r.copy, g->kb, t->arena, &t->after);
	if (err)
		t->untried = "out of memory";
}

static const struct trial *trial_of(struct cv_gate *g, const struct cv_fix *x)
{
	static const struct trial too_many = { .untried = "more fixes than one run tries are proposed here" };
	const char *key = key_of(g->scratch, x);
	struct trial *t;

	for (size_t i = 0; i < g->trials.n; i++)
		if (cv_streq(g->trials.v[i].key, key))
			return &g->trials.v[i];
	if (g->trials.n >= CV_GATE_TRIALS_MAX || !(t = CV_VEC_PUSH(g->scratch, &g->trials)))
		return &too_many;
	*t = (struct trial){ .key = key, .arena = cv_arena_new(SCRATCH_MAX) };
	if (t->arena)
		judge_trial(g, x, t);
	else
		t->untried = "out of memory";
	return t;
}

/* --- before and after --- */

static const char *env_path(const struct cv_report *r, size_t env)
{
	return env == CV_NO_INDEX ? "" : r->envs.v[env].path;
}

/* A cell key without the number of its environment, which a trial counts anew. */
static const char *cell_tail(const char *key)
{
	const char *tail = strchr(key, '|');

	return tail ? tail : key;
}

static bool share_cells(const struct cv_finding *a, const struct cv_finding *b)
{
	for (size_t i = 0; i < a->cells.n; i++)
		for (size_t k = 0; k < b->cells.n; k++)
			if (cv_streq(cell_tail(a->cells.v[i]), cell_tail(b->cells.v[k])))
				return true;
	return !a->cells.n || !b->cells.n;
}

/* The same fault of the same thing. Of cells one in common is enough: a fix may leave part of what a finding hit. */
static bool same_finding(const struct cv_report *ra, const struct cv_finding *a, const struct cv_report *rb, const struct cv_finding *b)
{
	return cv_streq(a->rule->id, b->rule->id) && cv_streq(env_path(ra, a->env), env_path(rb, b->env)) &&
	       cv_streq(a->subject_name, b->subject_name) && share_cells(a, b);
}

static bool is_left(const struct cv_gate *g, const struct cv_report *after, const struct cv_finding *f, const char *id)
{
	for (size_t i = 0; i < after->findings.n; i++) {
		const struct cv_finding *left = &after->findings.v[i];

		if (f ? same_finding(g->before, f, after, left) : cv_streq(left->rule->id, id))
			return true;
	}
	return false;
}

/* Was it there before, at least as grave? A warning that turns into an error is news. */
static bool was_there(const struct cv_gate *g, const struct cv_report *after, const struct cv_finding *now)
{
	for (size_t i = 0; i < g->before->findings.n; i++) {
		const struct cv_finding *f = &g->before->findings.v[i];

		if (same_finding(g->before, f, after, now) && f->severity >= now->severity)
			return true;
	}
	return false;
}

/* What is not known after the fix and was what the finding spoke of: then nobody can say that it heals. */
static const char *open_after(const struct cv_gate *g, const struct cv_report *after, const struct cv_finding *f, const char *id)
{
	for (size_t i = 0; f && i < after->cells.n; i++) {
		const struct cv_cell *c = &after->cells.v[i];

		if (c->verdict != CV_VERDICT_CANNOT_TELL || (f->env != CV_NO_INDEX && !cv_streq(env_path(after, c->env), env_path(g->before, f->env))))
			continue;
		for (size_t k = 0; k < f->cells.n; k++)
			if (cv_streq(cell_tail(f->cells.v[k]), cell_tail(c->key)))
				return c->unknown_because ? c->unknown_because : "a needed fact is missing";
	}
	for (size_t i = 0; (!f || !f->cells.n) && i < after->not_evaluated.n; i++)
		if (cv_streq(after->not_evaluated.v[i].id, id))
			return after->not_evaluated.v[i].because;
	return NULL;
}

static bool rests_on_loads(const struct cv_finding *f)
{
	static const char *const kinds[] = { "loadfail.", "load.", "scenario." };

	for (size_t i = 0; f && i < f->evidence.n; i++)
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
			if (cv_starts(f->evidence.v[i].fact, kinds[k]))
				return true;
	return false;
}

/* A finding that rests on what was loaded is gone from a copy that does not hold it: that is no proof. */
static const char *unseen_after(const struct cv_report *after, const struct cv_finding *f)
{
	if (!rests_on_loads(f))
		return NULL;
	for (size_t i = 0; i < after->ruled_out.n; i++)
		if (cv_streq(after->ruled_out.v[i].id, f->rule->id))
			return NULL;
	return not_followed;
}

static void add_prices(struct cv_gate *g, const struct cv_report *after, struct cv_fix *x)
{
	for (size_t i = 0; i < after->findings.n && x->price.n < PRICES_MAX; i++) {
		const struct cv_finding *now = &after->findings.v[i];
		struct cv_price *p;

		if (now->severity == CV_NOTE || was_there(g, after, now))
			continue;
		p = CV_VEC_PUSH(g->a, &x->price);
		if (p)
			*p = (struct cv_price){ .id = now->rule->id,
						.title = cv_arena_strdup(g->a, now->title),
						.severity = now->severity };
	}
}

void cv_gate_try(struct cv_gate *g, const struct cv_finding *f, const char *id, struct cv_fix *x)
{
	const struct trial *t;
	const char *open;

	if (!x->effects.n && !x->untried)
		x->untried = rests_on_loads(f) ? not_followed : "what it changes is not among the facts";
	if (x->untried)
		return;
	t = trial_of(g, x);
	if (t->untried) {
		x->untried = cv_arena_strdup(g->a, t->untried);
		return;
	}
	x->heals = !is_left(g, t->after, f, id);
	open = x->heals ? open_after(g, t->after, f, id) : NULL;
	if (!open && x->heals && t->blind_to_loads)
		open = unseen_after(t->after, f);
	if (open) {
		x->heals = false;
		x->untried = cv_arena_strdup(g->a, open);
		return;
	}
	x->tried = true;
	x->blind_to_loads = t->blind_to_loads;
	add_prices(g, t->after, x);
}

/* --- all fixes of a report --- */

/* Best first: heals for nothing or was not tried (cheapest first, as proposed), makes warnings, makes errors, does not heal. */
enum rank { RANK_FREE, RANK_WARNINGS, RANK_ERRORS, RANK_USELESS };

static enum rank rank_of(const struct cv_fix *x)
{
	enum rank rank = x->price.n ? RANK_WARNINGS : RANK_FREE;

	if (x->tried && !x->heals)
		return RANK_USELESS;
	for (size_t i = 0; i < x->price.n; i++)
		if (x->price.v[i].severity == CV_ERROR)
			rank = RANK_ERRORS;
	return rank;
}

static void sort_fixes(struct cv_finding *f)
{
	for (size_t i = 1; i < f->fixes.n; i++)
		for (size_t k = i; k > 0 && rank_of(&f->fixes.v[k]) < rank_of(&f->fixes.v[k - 1]); k--) {
			struct cv_fix x = f->fixes.v[k];

			f->fixes.v[k] = f->fixes.v[k - 1];
			f->fixes.v[k - 1] = x;
		}
}

/* What makes new errors, or heals nothing, goes where there is something better. */
static void drop_worse(struct cv_finding *f)
{
	sort_fixes(f);
	while (f->fixes.n > 1 && rank_of(&f->fixes.v[f->fixes.n - 1]) >= RANK_ERRORS && rank_of(&f->fixes.v[0]) < RANK_ERRORS)
		f->fixes.n--;
}

void cv_gate_report(const struct cv_judge_ctx *ctx)
{
	struct cv_gate *g = NULL;

	for (size_t i = 0; i < ctx->report->findings.n; i++) {
		struct cv_finding *f = &ctx->report->findings.v[i];

		if (!f->fixes.n)
			continue;
		if (!g && !(g = cv_gate_new(ctx->facts, ctx->kb, ctx->report, ctx->a)))
			return;
		for (size_t k = 0; k < f->fixes.n; k++)
			cv_gate_try(g, f, f->rule->id, &f->fixes.v[k]);
		drop_worse(f);
	}
	cv_gate_free(g);
}
