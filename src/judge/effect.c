/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/effect.h"

#include "judge/advise.h"

static struct cv_effect *add(struct cv_judge_ctx *ctx, struct cv_fix *x, enum cv_effect_kind kind)
{
	struct cv_effect *e = x == &ctx->lost_fix ? NULL : CV_VEC_PUSH(ctx->a, &x->effects);

	if (!e)
		e = &ctx->lost_effect;
	*e = (struct cv_effect){ .kind = kind };
	return e;
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("._-", c));
}

void cv_effect_of_spec(struct cv_arena *a, const char *text, struct cv_effect *ret)
{
	struct cv_str s = cv_str_trim(cv_str_of(text)), name = s;
	ptrdiff_t at = cv_str_chr(s, ';');

	if (at >= 0)
		s = cv_str_trim(cv_str_sub(s, 0, (size_t)at));
	for (name.n = 0; name.n < s.n && is_name_char(s.p[name.n]);)
		name.n++;
	ret->name = cv_pep503(a, name);
	s = cv_str_trim(cv_str_from(s, name.n));
	at = cv_str_starts(s, "[") ? cv_str_chr(s, ']') : -1;
	if (at > 0) {
		ret->extras = cv_str_dup(a, cv_str_sub(s, 1, (size_t)at - 1));
		s = cv_str_trim(cv_str_from(s, (size_t)at + 1));
	}
	if (cv_str_starts(s, "(") && cv_str_ends(s, ")"))
		s = cv_str_trim(cv_str_sub(s, 1, s.n - 2));
	ret->spec = cv_str_dup(a, s);
}

void cv_fix_install(struct cv_judge_ctx *ctx, struct cv_fix *x, const struct cv_install *in)
{
	for (size_t i = 0; i < in->remove.n; i++) {
		struct cv_effect *e = add(ctx, x, CV_EFFECT_UNINSTALL);

		e->env = in->env->path;
		e->name = in->remove.v[i];
	}
	for (size_t i = 0; i < in->specs.n; i++) {
		struct cv_effect *e = add(ctx, x, CV_EFFECT_INSTALL);

		e->env = in->env->path;
		e->force = in->force;
		e->no_deps = in->no_deps;
		cv_effect_of_spec(ctx->a, in->specs.v[i], e);
	}
}

void cv_fix_driver_version(struct cv_judge_ctx *ctx, struct cv_fix *x, const char *version)
{
	add(ctx, x, CV_EFFECT_DRIVER)->spec = version;
}

void cv_fix_load(struct cv_judge_ctx *ctx, struct cv_fix *x)
{
	add(ctx, x, CV_EFFECT_LOAD);
}

void cv_fix_fact(struct cv_judge_ctx *ctx, struct cv_fix *x, const struct cv_subject *s, enum cv_field id, const char *value)
{
	struct cv_effect *e = s ? add(ctx, x, CV_EFFECT_FACT) : &ctx->lost_effect;

	e->subject = cv_field_table[id].kind;
	e->name = s ? cv_subject_key(s) : "";
	e->field = id;
	e->value = value;
}

void cv_fix_var(struct cv_judge_ctx *ctx, struct cv_fix *x, const char *name, const char *value)
{
	struct cv_effect *e = add(ctx, x, CV_EFFECT_FACT);

	e->subject = CV_KIND_var;
	e->name = name;
	e->field = CV_F_var_value;
	e->value = value;
}

void cv_fix_remove(struct cv_judge_ctx *ctx, struct cv_fix *x, const struct cv_subject *s)
{
	struct cv_effect *e = add(ctx, x, CV_EFFECT_REMOVE);

	e->subject = cv_subject_kind(s);
	e->name = cv_subject_key(s);
}

void cv_fix_untried(struct cv_fix *x, const char *because)
{
	x->untried = because;
}
