/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gate: no fix is printed that was not tried. What a fix changes (its effects, effect.h) is applied to a copy of the facts, filled
 * up with what kb knows of the new packages, and the copy is judged. The finding must be gone; errors and warnings that were
 * not there before are the price of the fix.
 *
 * Nothing is guessed: where kb lacks a fact that the judgement needs, the fix is "not tried", with the reason. A fix is tried
 * alone, one level deep; a trial makes no fixes of its own.
 */
#ifndef CV_JUDGE_GATE_H
#define CV_JUDGE_GATE_H

#include "judge/ctx.h"

#define CV_GATE_TRIALS_MAX 32 /* judgements of one run; fixes beyond are not tried, and say so */

struct cv_gate;

/* before is the report of these facts. NULL when out of memory; to be freed. The texts of outcomes live in a. */
struct cv_gate *cv_gate_new(const struct cv_facts *facts, const struct cv_kb *kb, const struct cv_report *before, struct cv_arena *a);
void cv_gate_free(struct cv_gate *g);
/*
 * Fills in x->tried, heals, untried and price. f is what it is to heal; with f NULL every finding of that id, in any
 * environment.
 */
void cv_gate_try(struct cv_gate *g, const struct cv_finding *f, const char *id, struct cv_fix *x);

/*
 * The fixes of all findings of a report: each is tried. One that does not heal, or is only a dearer way than
 * another, is dropped, but never the last one of a finding. Those without a price come first.
 */
void cv_gate_report(const struct cv_judge_ctx *ctx);

#endif
