/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judge: facts + kb -> report. It looks at nothing else: no view, no collector, no clock.
 */
#ifndef CV_JUDGE_JUDGE_H
#define CV_JUDGE_JUDGE_H

#include "facts/facts.h"
#include "judge/finding.h"
#include "kb/kb.h"

/* The report lives in a, facts must be frozen and outlive it. */
int cv_judge(const struct cv_facts *facts, const struct cv_kb *kb, struct cv_arena *a, const struct cv_report **ret);

/* What is found alone, for the gate: findings have no fixes. */
int cv_judge_trial(const struct cv_facts *facts, const struct cv_kb *kb, struct cv_arena *a, const struct cv_report **ret);

/* The catalogue of rules, for `cuvet rule` and the docs check. */
struct cv_rule {
	const char *id;
	const char *parent; /* the id of the starting vocabulary that this one refines, or NULL */
	enum cv_severity severity; /* the default: a rule may lower it with a reason, never raise a note to an error */
	const char *title;  /* what it means, in general */
	void (*eval)(struct cv_judge_ctx *ctx, const struct cv_rule *self); /* NULL: made only by another rule or command */
};
const struct cv_rule *cv_rule_find(const char *id);
size_t cv_rule_count(void);
const struct cv_rule *cv_rule_at(size_t i); /* sorted by id */

#endif
