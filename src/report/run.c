/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run.h"

#include "base/json.h"
#include "report/term.h"

#define SCRATCH_MAX ((size_t)16 << 20)

int cv_report_run_json(const struct cv_run_plan *r, const struct cv_report_head *head, struct cv_buf *out)
{
	struct cv_json j;

	cv_json_init(&j, out, true);
	cv_json_obj(&j);
	cv_json_kstr(&j, "schema", head->schema);
	cv_json_kstr(&j, "cuvet", cv_version());
	cv_json_kstr(&j, "kb_date", head->kb_date);
	cv_json_kstr(&j, "environment", r->env);
	cv_json_karr(&j, "programs");
	for (size_t i = 0; i < r->programs.n; i++)
		cv_json_str(&j, r->programs.v[i]);
	cv_json_end_arr(&j);
	cv_json_karr(&j, "changes");
	for (size_t i = 0; i < r->changes.n; i++) {
		cv_json_obj(&j);
		cv_json_kstr(&j, "name", r->changes.v[i].name);
		cv_json_kstr(&j, "value", r->changes.v[i].value);
		cv_json_kstr(&j, "why", r->changes.v[i].why);
		cv_json_end_obj(&j);
	}
	cv_json_end_arr(&j);
	cv_json_kstr(&j, "failed", r->failed);
	cv_json_kstr(&j, "message", r->message);
	cv_json_karr(&j, "advice");
	for (size_t i = 0; i < r->advice.n; i++)
		cv_json_str(&j, r->advice.v[i]);
	cv_json_end_arr(&j);
	cv_json_end_obj(&j);
	return out->err;
}

static const char *quoted(struct cv_arena *a, const char *s)
{
	const char *out = "'";

	for (; *s; s++)
		out = *s == '\'' ? cv_arena_printf(a, "%s'\\''", out) : cv_arena_printf(a, "%s%c", out, *s);
	return cv_arena_printf(a, "%s'", out);
}

static void print_change(struct cv_term *t, const struct cv_run_change *c)
{
	cv_term_command(t, 2, c->value ? cv_arena_printf(t->scratch, "export %s=%s", c->name, quoted(t->scratch, c->value)) :
					 cv_arena_printf(t->scratch, "unset %s", c->name));
	cv_term_to(t, 4);
	cv_term_wrap(t, 4, CV_INK_DIM, c->why);
}

static void print_verdict(struct cv_term *t, const struct cv_run_plan *r)
{
	if (r->failed) {
		cv_term_put(t, CV_INK_ERROR, "problem: ");
		cv_term_wrap(t, 2, CV_INK_BOLD, cv_arena_printf(t->scratch, "no setting makes %s load in %s", r->failed, r->env));
		cv_term_nl(t);
		cv_term_to(t, 2);
		cv_term_wrap(t, 4, CV_INK_PLAIN, r->message);
		return;
	}
	cv_term_put(t, CV_INK_OK, "ok: ");
	cv_term_wrap(t, 2, CV_INK_BOLD,
		     r->changes.n ? cv_arena_printf(t->scratch, "%s loads what it needs with this", r->env) :
				    cv_arena_printf(t->scratch, "%s loads what it needs as it is", r->env));
}

int cv_report_run_terminal(const struct cv_run_plan *r, const struct cv_report_head *head, const struct cv_style *style,
			   struct cv_buf *out)
{
	struct cv_arena *scratch = cv_arena_new(SCRATCH_MAX);
	struct cv_term t;
	int err;

	if (!scratch)
		return CV_ENOMEM;
	cv_term_init(&t, out, scratch, style);
	print_verdict(&t, r);
	cv_term_nl(&t);
	for (size_t i = 0; i < r->changes.n && !r->failed; i++)
		print_change(&t, &r->changes.v[i]);
	for (size_t i = 0; i < r->advice.n; i++) {
		cv_term_to(&t, 2);
		cv_term_wrap(&t, 4, CV_INK_PLAIN, r->advice.v[i]);
	}
	cv_term_printf(&t, CV_INK_DIM, "cuvet %s, knowledge base of %s", cv_version(), head->kb_date);
	cv_term_nl(&t);
	err = cv_arena_failed(scratch) ? CV_ENOMEM : out->err;
	cv_arena_free(scratch);
	return err;
}
