/* SPDX-License-Identifier: Apache-2.0 */
/* The order of judging: world, cells, rules, roles, verdicts. The same facts and kb give the same report, byte for byte. */
#include "judge/judge.h"

#include <stdlib.h>

#include "base/str.h"
#include "judge/anchors.h"
#include "judge/cells.h"
#include "judge/gate.h"
#include "judge/report.h"

static bool found_id(const struct cv_judge_ctx *ctx, const char *id)
{
	for (size_t i = 0; i < ctx->found.n; i++)
		if (cv_streq(ctx->found.v[i]->rule->id, id))
			return true;
	return false;
}

/* A symptom whose cause was not found after all stands for itself. */
static void settle_roles(struct cv_judge_ctx *ctx)
{
	for (size_t i = 0; i < ctx->found.n; i++) {
		struct cv_finding *f = ctx->found.v[i];

		if (f->cause && !found_id(ctx, f->cause)) {
			f->cause = NULL;
			f->role = CV_PRIMARY;
		}
	}
}

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Errors first, primary before symptoms, then by id and subject. */
static int by_rank(const void *a, const void *b)
{
	const struct cv_finding *x = *(struct cv_finding *const *)a, *y = *(struct cv_finding *const *)b;
	int c;

	if (x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	if (x->role != y->role)
		return x->role < y->role ? -1 : 1;
	if ((x->env == CV_NO_INDEX) != (y->env == CV_NO_INDEX))
		return x->env == CV_NO_INDEX ? -1 : 1; /* the machine's before those of what stands on it */
	c = strcmp(x->rule->id, y->rule->id);
	if (!c)
		c = compare_texts(x->subject_path, y->subject_path);
	if (!c)
		c = compare_texts(x->subject_name, y->subject_name);
	if (!c)
		c = strcmp(x->title, y->title);
	if (!c && x->env != y->env)
		c = x->env < y->env ? -1 : 1;
	return c;
}

static void hand_out_findings(struct cv_judge_ctx *ctx)
{
	if (ctx->found.n > 1)
		qsort(ctx->found.v, ctx->found.n, sizeof(*ctx->found.v), by_rank);
	for (size_t i = 0; i < ctx->found.n; i++) {
		struct cv_finding *f = CV_VEC_PUSH(ctx->a, &ctx->report->findings);

		if (f)
			*f = *ctx->found.v[i];
	}
}

static bool said(const struct cv_judge_ctx *ctx, enum cv_said_what what, const char *id)
{
	for (size_t i = 0; i < ctx->said.n; i++)
		if (ctx->said.v[i].what == what && ctx->said.v[i].id && cv_streq(ctx->said.v[i].id, id))
			return true;
	return false;
}

/* Ruled out is only what was found nowhere and evaluated everywhere. */
static void hand_out_said(struct cv_judge_ctx *ctx)
{
	for (size_t i = 0; i < ctx->said.n; i++) {
		const struct cv_said *s = &ctx->said.v[i];
		struct cv_because *b = NULL;

		if (s->what == CV_SAID_RULED_OUT && (found_id(ctx, s->id) || said(ctx, CV_SAID_NOT_EVALUATED, s->id)))
			continue;
		if (s->what == CV_SAID_RULED_OUT)
			b = CV_VEC_PUSH(ctx->a, &ctx->report->ruled_out);
		else if (s->what == CV_SAID_NOT_EVALUATED)
			b = CV_VEC_PUSH(ctx->a, &ctx->report->not_evaluated);
		else
			b = CV_VEC_PUSH(ctx->a, &ctx->report->notices);
		if (b)
			*b = (struct cv_because){ .id = s->id, .because = s->because };
	}
}

/* Where the question is newer than the knowledge base, the reader must hear it. */
static void notice_kb_end(struct cv_judge_ctx *ctx)
{
	const struct cv_world *w = ctx->w;

	if (w->driver.newer_than_kb)
		cv_notice(ctx, "driver %s is newer than this knowledge base (%s)", w->driver.version, cv_kb_date(ctx->kb));
	for (size_t i = 0; i < w->loads.n; i++)
		if (w->loads.v[i].newer_than_kb)
			cv_notice(ctx, "%s is newer than this knowledge base (%s)", w->loads.v[i].label, cv_kb_date(ctx->kb));
	for (size_t i = 0; i < w->gpus.n; i++)
		if (!w->gpus.v[i].cc)
			cv_notice(ctx, "%s", w->gpus.v[i].cc_because);
}

static int judge(const struct cv_facts *facts, const struct cv_kb *kb, struct cv_arena *a, bool trial, const struct cv_report **ret)
{
	struct cv_report *report = CV_NEW(a, struct cv_report);
	struct cv_judge_ctx ctx = {
		.facts = facts, .kb = kb, .a = a, .report = report, .memo = CV_NEW(a, struct cv_memo), .trial = trial,
	};

	ctx.w = report ? cv_world_new(facts, kb, a) : NULL;
	if (!ctx.w)
		return CV_ENOMEM;
	cv_report_fill(&ctx);
	cv_anchors_find(&ctx);
	cv_cells_make(&ctx);
	for (size_t i = 0; i < cv_rule_count(); i++) {
		const struct cv_rule *rule = cv_rule_at(i);

		if (rule->eval)
			rule->eval(&ctx, rule);
	}
	settle_roles(&ctx);
	cv_cells_judge(&ctx);
	notice_kb_end(&ctx);
	hand_out_findings(&ctx);
	hand_out_said(&ctx);
	if (!trial)
		cv_gate_report(&ctx);
	cv_report_conclude(&ctx);
	if (cv_arena_failed(a))
		return CV_ENOMEM;
	*ret = report;
	return 0;
}

int cv_judge(const struct cv_facts *facts, const struct cv_kb *kb, struct cv_arena *a, const struct cv_report **ret)
{
	return judge(facts, kb, a, false, ret);
}

int cv_judge_trial(const struct cv_facts *facts, const struct cv_kb *kb, struct cv_arena *a, const struct cv_report **ret)
{
	return judge(facts, kb, a, true, ret);
}
