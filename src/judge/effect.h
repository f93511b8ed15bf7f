/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Effect: says what a fix changes, so that the gate (gate.h) can try it. A fix without effects is printed as "not tried", with
 * the reason given by cv_fix_untried() or a general one. Values are borrowed like those of cv_find_fact().
 */
#ifndef CV_JUDGE_EFFECT_H
#define CV_JUDGE_EFFECT_H

#include "judge/ctx.h"

struct cv_install;

/* "name[extras] spec ; marker": name, extras and spec of an INSTALL. */
void cv_effect_of_spec(struct cv_arena *a, const char *text, struct cv_effect *ret);
/* Adds what the command of an installation does. */
void cv_fix_install(struct cv_judge_ctx *ctx, struct cv_fix *x, const struct cv_install *in);
void cv_fix_driver_version(struct cv_judge_ctx *ctx, struct cv_fix *x, const char *version);
void cv_fix_load(struct cv_judge_ctx *ctx, struct cv_fix *x);
/* value NULL: absent. */
void cv_fix_fact(struct cv_judge_ctx *ctx, struct cv_fix *x, const struct cv_subject *s, enum cv_field id, const char *value);
void cv_fix_var(struct cv_judge_ctx *ctx, struct cv_fix *x, const char *name, const char *value);
void cv_fix_remove(struct cv_judge_ctx *ctx, struct cv_fix *x, const struct cv_subject *s);
/* Why it cannot be tried; ends with no full stop. */
void cv_fix_untried(struct cv_fix *x, const char *because);

#endif
