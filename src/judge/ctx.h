/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ctx: what a rule works with. A rule reads the world, makes findings and says what it ruled out or could not evaluate:
 *
 *	struct cv_finding *f = cv_find(ctx, self, "the driver %s is ...", version);
 *
 *	cv_find_param(ctx, f, "found", version);
 *	cv_find_fact(ctx, f, driver->s, CV_F_driver_module_version);
 *	cv_find_hits(ctx, f, CV_ASPECT_DRIVER, &(struct cv_hit){ ... });
 *	cv_find_command(ctx, f, command, "what it changes");
 *
 * Nothing fails visibly: out of memory swallows what is added and is told by the arena's flag. Texts are copied or must live
 * in the arena, facts or kb. A finding stays valid until the judge is done.
 */
#ifndef CV_JUDGE_CTX_H
#define CV_JUDGE_CTX_H

#include "judge/judge.h"
#include "judge/world.h"

enum cv_said_what { CV_SAID_RULED_OUT, CV_SAID_NOT_EVALUATED, CV_SAID_NOTICE };
struct cv_said {
	enum cv_said_what what;
	const char *id, *because;
};

/* A build to install, see advise.h. */
struct cv_build_advice {
	const char *version; /* without local part */
	const char *variant; /* torch: "cu126" */
	const char *cuda;    /* release or major */
};

/* Advice that was worked out before, by question. */
struct cv_memo_entry {
	const char *key;
	struct cv_build_advice first, second;
};
struct cv_memo {
	CV_VEC(struct cv_memo_entry) entries;
};

struct cv_anchor; /* anchors.h */

struct cv_judge_ctx {
	const struct cv_facts *facts;
	const struct cv_kb *kb;
	struct cv_arena *a;
	const struct cv_world *w;
	struct cv_report *report;
	struct cv_memo *memo; /* may be NULL */
	CV_VEC(struct cv_anchor) anchors;
	CV_VEC(struct cv_finding *) found;
	CV_VEC(struct cv_said) said;
	struct cv_finding lost; /* swallow what is added when out of memory */
	struct cv_fix lost_fix;
	struct cv_effect lost_effect;
	bool trial; /* the gate asks what is found alone: no fixes are made */
};

/* A new finding: about the machine, primary, with the rule's severity. Never NULL. */
struct cv_finding *cv_find(struct cv_judge_ctx *ctx, const struct cv_rule *rule, const char *fmt, ...) CV_PRINTF(3, 4);
/* It is about this environment, or this package in it. */
void cv_find_env(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wenv *env);
void cv_find_subject(struct cv_finding *f, const char *kind, const char *name, const char *path);
/* Adds a value to a parameter; NULL adds nothing. */
void cv_find_param(struct cv_judge_ctx *ctx, struct cv_finding *f, const char *name, const char *value);
void cv_find_params(struct cv_judge_ctx *ctx, struct cv_finding *f, const char *name, const struct cv_strv *values);
/* Evidence: a fact as it was seen, a row of the kb. */
void cv_find_fact(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_subject *s, enum cv_field id);
void cv_find_row(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_kb_row *row);
void cv_find_why(struct cv_judge_ctx *ctx, struct cv_finding *f, const char *fmt, ...) CV_PRINTF(3, 4);
/* A fix, cheapest first; the returned one can be marked (needs_root, effect.h). Never NULL; valid until the next fix. */
struct cv_fix *cv_find_command(struct cv_judge_ctx *ctx, struct cv_finding *f, const char *command, const char *changes);
struct cv_fix *cv_find_text(struct cv_judge_ctx *ctx, struct cv_finding *f, const char *text, const char *changes);
void cv_find_prove(struct cv_judge_ctx *ctx, struct cv_finding *f, const char *fmt, ...) CV_PRINTF(3, 4);
/* It is a symptom of the finding with that id. */
void cv_find_symptom(struct cv_finding *f, const char *cause);

void cv_ruled_out(struct cv_judge_ctx *ctx, const struct cv_rule *rule, const char *fmt, ...) CV_PRINTF(3, 4);
void cv_not_evaluated(struct cv_judge_ctx *ctx, const struct cv_rule *rule, const char *fmt, ...) CV_PRINTF(3, 4);
/* A remark to the reader, once. */
void cv_notice(struct cv_judge_ctx *ctx, const char *fmt, ...) CV_PRINTF(2, 3);

/* Which cells a finding hits, and where; CV_NO_INDEX and NULL stand for all. */
struct cv_hit {
	size_t env, gpu;
	const char *workload;
};
#define CV_HIT_ALL ((struct cv_hit){ .env = CV_NO_INDEX, .gpu = CV_NO_INDEX })
enum cv_aspect { CV_ASPECT_NONE, CV_ASPECT_DRIVER, CV_ASPECT_LOADS, CV_ASPECT_CODE, CV_ASPECT_CODE_PARTIAL };
void cv_find_hits(struct cv_judge_ctx *ctx, struct cv_finding *f, enum cv_aspect aspect, struct cv_hit hit);

bool cv_hit_matches(const struct cv_hit *hit, const struct cv_cell *c);

/* Text helpers. A word quoted for a POSIX shell, itself if it needs none. */
const char *cv_shell_quote(struct cv_arena *a, const char *s);
/* "a", "a and b", "a, b and c" */
const char *cv_join_and(struct cv_arena *a, const struct cv_strv *list);

#endif
