/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/ctx.h"

#include <stdarg.h>

#include "base/str.h"

struct cv_finding *cv_find(struct cv_judge_ctx *ctx, const struct cv_rule *rule, const char *fmt, ...)
{
	struct cv_finding *f = CV_NEW(ctx->a, struct cv_finding);
	struct cv_finding **slot = CV_VEC_PUSH(ctx->a, &ctx->found);
	va_list ap;

	if (!f || !slot) {
		ctx->found.n -= slot ? 1 : 0;
		ctx->lost = (struct cv_finding){ 0 };
		f = &ctx->lost;
	} else {
		*slot = f;
	}
	f->rule = rule;
	f->severity = rule->severity;
	f->role = CV_PRIMARY;
	f->subject_kind = "machine";
	f->subject_name = "machine";
	f->env = CV_NO_INDEX;
	va_start(ap, fmt);
	f->title = cv_arena_vprintf(ctx->a, fmt, ap);
	va_end(ap);
	return f;
}

void cv_find_subject(struct cv_finding *f, const char *kind, const char *name, const char *path)
{
	f->subject_kind = kind;
	f->subject_name = name ? name : "";
	f->subject_path = path;
}

void cv_find_env(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wenv *env)
{
	(void)ctx;
	f->env = env->index;
	if (cv_streq(f->subject_kind, "machine"))
		cv_find_subject(f, "environment", cv_basename(env->path), env->path);
}

static struct cv_param *param_of(struct cv_judge_ctx *ctx, struct cv_finding *f, const char *name)
{
	struct cv_param *p;

	for (size_t i = 0; i < f->params.n; i++)
		if (cv_streq(f->params.v[i].name, name))
			return &f->params.v[i];
	p = CV_VEC_PUSH(ctx->a, &f->params);
	if (p)
		p->name = name;
	return p;
}

void cv_find_param(struct cv_judge_ctx *ctx, struct cv_finding *f, const char *name, const char *value)
{
	struct cv_param *p = value ? param_of(ctx, f, name) : NULL;

	if (p && !cv_strv_has(&p->values, value))
		cv_strv_push(ctx->a, &p->values, value);
}

void cv_find_params(struct cv_judge_ctx *ctx, struct cv_finding *f, const char *name, const struct cv_strv *values)
{
	for (size_t i = 0; i < values->n; i++)
		cv_find_param(ctx, f, name, values->v[i]);
}

static void add_evidence(struct cv_judge_ctx *ctx, struct cv_finding *f, const char *fact, const char *value, const char *source)
{
	struct cv_evidence *e;

	for (size_t i = 0; i < f->evidence.n; i++)
		if (cv_streq(f->evidence.v[i].fact, fact) && cv_streq(f->evidence.v[i].value, value) &&
		    cv_streq(f->evidence.v[i].source, source))
			return;
	e = CV_VEC_PUSH(ctx->a, &f->evidence);
	if (e)
		*e = (struct cv_evidence){ .fact = fact, .value = value, .source = source };
}

void cv_find_fact(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_subject *s, enum cv_field id)
{
	const struct cv_field_info *info = &cv_field_table[id];
	const struct cv_value *v = cv_fact(s, id);

	add_evidence(ctx, f, cv_arena_printf(ctx->a, "%s.%s", cv_kind_names[info->kind], info->name),
		     cv_value_text(ctx->a, id, v), cv_prov_text(ctx->a, &v->prov));
}

void cv_find_row(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_kb_row *row)
{
	add_evidence(ctx, f, cv_arena_printf(ctx->a, "%s.%s", row->subject, row->property), row->value,
		     cv_arena_printf(ctx->a, "kb: %s (%s)", row->source, row->date));
}

void cv_find_why(struct cv_judge_ctx *ctx, struct cv_finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	f->why = cv_arena_vprintf(ctx->a, fmt, ap);
	va_end(ap);
}

static struct cv_fix *add_fix(struct cv_judge_ctx *ctx, struct cv_finding *f)
{
	struct cv_fix *x = ctx->trial ? NULL : CV_VEC_PUSH(ctx->a, &f->fixes);

	return x ? x : &ctx->lost_fix;
}

struct cv_fix *cv_find_command(struct cv_judge_ctx *ctx, struct cv_finding *f, const char *command, const char *changes)
{
	struct cv_fix *x = add_fix(ctx, f);

	*x = (struct cv_fix){ .command = command, .changes = changes };
	return x;
}

struct cv_fix *cv_find_text(struct cv_judge_ctx *ctx, struct cv_finding *f, const char *text, const char *changes)
{
	struct cv_fix *x = add_fix(ctx, f);

	*x = (struct cv_fix){ .text = text, .changes = changes };
	return x;
}

void cv_find_prove(struct cv_judge_ctx *ctx, struct cv_finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	f->prove = cv_arena_vprintf(ctx->a, fmt, ap);
	va_end(ap);
}

void cv_find_symptom(struct cv_finding *f, const char *cause)
{
	f->role = CV_SECONDARY;
	f->cause = cause;
}

static void say(struct cv_judge_ctx *ctx, enum cv_said_what what, const char *id, const char *text)
{
	struct cv_said *said;

	for (size_t i = 0; i < ctx->said.n; i++) {
		const struct cv_said *old = &ctx->said.v[i];

		if (old->what == what && cv_streq(old->because, text) &&
		    (id == old->id || (id && old->id && cv_streq(id, old->id))))
			return;
	}
	said = CV_VEC_PUSH(ctx->a, &ctx->said);
	if (said)
		*said = (struct cv_said){ .what = what, .id = id, .because = text };
}

void cv_ruled_out(struct cv_judge_ctx *ctx, const struct cv_rule *rule, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(ctx, CV_SAID_RULED_OUT, rule->id, cv_arena_vprintf(ctx->a, fmt, ap));
	va_end(ap);
}

void cv_not_evaluated(struct cv_judge_ctx *ctx, const struct cv_rule *rule, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(ctx, CV_SAID_NOT_EVALUATED, rule->id, cv_arena_vprintf(ctx->a, fmt, ap));
	va_end(ap);
}

void cv_notice(struct cv_judge_ctx *ctx, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(ctx, CV_SAID_NOTICE, NULL, cv_arena_vprintf(ctx->a, fmt, ap));
	va_end(ap);
}

bool cv_hit_matches(const struct cv_hit *hit, const struct cv_cell *c)
{
	if (hit->env != CV_NO_INDEX && hit->env != c->env)
		return false;
	if (hit->gpu != CV_NO_INDEX && hit->gpu != c->gpu)
		return false;
	return !hit->workload || cv_streq(hit->workload, c->workload);
}

void cv_find_hits(struct cv_judge_ctx *ctx, struct cv_finding *f, enum cv_aspect aspect, struct cv_hit hit)
{
	for (size_t i = 0; i < ctx->report->cells.n; i++) {
		struct cv_cell *c = &ctx->report->cells.v[i];

		if (!cv_hit_matches(&hit, c))
			continue;
		if (!cv_strv_has(&f->cells, c->key))
			cv_strv_push(ctx->a, &f->cells, c->key);
		if (aspect == CV_ASPECT_DRIVER)
			c->driver = CV_TRI_BAD;
		else if (aspect == CV_ASPECT_LOADS)
			c->loads = CV_TRI_BAD;
		else if (aspect == CV_ASPECT_CODE)
			c->code = CV_CODE_NONE;
		else if (aspect == CV_ASPECT_CODE_PARTIAL)
			c->code = CV_CODE_PARTIAL;
	}
}

const char *cv_shell_quote(struct cv_arena *a, const char *s)
{
	static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=@%+,-";
	const char *out = "";

	if (*s && s[strspn(s, safe)] == '\0')
		return s;
	for (const char *quote; (quote = strchr(s, '\'')) != NULL; s = quote + 1)
		out = cv_arena_printf(a, "%s%.*s'\\''", out, (int)(quote - s), s);
	return cv_arena_printf(a, "'%s%s'", out, s);
}

const char *cv_join_and(struct cv_arena *a, const struct cv_strv *list)
{
	const char *text = "";

	for (size_t i = 0; i < list->n; i++) {
		const char *sep = i == 0 ? "" : i + 1 == list->n ? " and " : ", ";

		text = cv_arena_printf(a, "%s%s%s", text, sep, list->v[i]);
	}
	return text;
}
