/* SPDX-License-Identifier: Apache-2.0 */
/* `cuvet run`: what has to be set so that a program of this environment loads. Starting it is the caller's. */
#include "engine/engine.h"

#include "base/str.h"
#include "engine/ldscn.h"
#include "engine/plan.h"
#include "engine/program.h"

struct plan_doc {
	struct cv_doc doc;
	struct cv_run_plan plan;
};

static const struct cv_run_plan *plan_of(const struct cv_doc *doc)
{
	return &((const struct plan_doc *)doc)->plan;
}

static enum cv_status plan_status(const struct cv_doc *doc, const struct cv_options *opt)
{
	return plan_of(doc)->failed && !(opt && opt->exit_zero) ? CV_STATUS_PROBLEM : CV_STATUS_OK;
}

static int plan_terminal(const struct cv_doc *doc, const struct cv_style *style, struct cv_buf *out)
{
	struct cv_report_head head = { .schema = doc->ops->schema, .kb_date = cv_kb_date(doc->kb) };

	return cv_report_run_terminal(plan_of(doc), &head, style, out);
}

static int plan_json(const struct cv_doc *doc, struct cv_buf *out)
{
	struct cv_report_head head = { .schema = doc->ops->schema, .kb_date = cv_kb_date(doc->kb) };

	return cv_report_run_json(plan_of(doc), &head, out);
}

static const struct cv_doc_ops plan_ops = {
	.schema = "cuvet/run/1", .status = plan_status, .terminal = plan_terminal, .json = plan_json
};

/* What the environment's frameworks load, each alone: the scenarios that the collector took with one program. */
static int usual_programs(struct cv_run *run, const struct cv_facts *facts, const struct cv_subject *env, struct cv_strv *ret)
{
	for (size_t i = 0; i < cv_facts_count(facts, CV_KIND_scenario); i++) {
		const struct cv_subject *s = cv_facts_at(facts, CV_KIND_scenario, i);
		const struct cv_strv *program = cv_fact_list(s, CV_F_scenario_program);
		const char *of = cv_fact_str(s, CV_F_scenario_env);

		if (of && cv_streq(of, cv_subject_key(env)) && program->n == 1)
			cv_strv_push(run->arena, ret, program->v[0]);
	}
	if (ret->n == 0)
		return cv_diag_fail(&run->diag, CV_ENOENT, "%s: holds no framework of which it is known what it loads",
				    cv_subject_key(env));
	return 0;
}

static int named_programs(struct cv_run *run, const char *text, struct cv_strv *ret)
{
	struct cv_program program = { 0 };
	int err = cv_program_read(text, run->kb, run->arena, &run->diag, &program);

	for (size_t i = 0; !err && i < program.v.n; i++)
		err = cv_strv_push(run->arena, ret, program.v.v[i].scenario) ? 0 : CV_ENOMEM;
	return err;
}

static int make_plan(struct cv_run *run, struct cv_view *view, const struct cv_selection *sel, const struct cv_plan_query *q,
		     struct cv_run_plan *ret)
{
	struct cv_planner p = { .view = view, .arena = run->arena, .diag = &run->diag, .cwd = run->opt.root ? NULL : run->opt.cwd };
	const struct cv_subject *env;
	struct cv_facts *facts;
	int err = cv_ld_facts(run, view, sel, &facts, &env);

	if (err)
		return err;
	p.facts = facts;
	p.cuda = q->cuda ? cv_path_clean(run->arena, cv_path_join(run->arena, p.cwd ? p.cwd : "/", q->cuda)) : NULL;
	err = cv_scene_init(&p.scene, view, facts, run->kb, env, run->arena, &run->diag);
	if (!err && q->program)
		err = named_programs(run, q->program, &p.programs);
	else if (!err)
		err = usual_programs(run, facts, env, &p.programs);
	return err ? err : cv_plan_make(&p, ret);
}

int cv_plan(const struct cv_options *opt, const struct cv_plan_query *query, struct cv_doc **ret_doc)
{
	struct cv_selection sel;
	struct plan_doc *doc;
	struct cv_view *view;
	struct cv_run run;
	int err = cv_run_init(&run, opt);

	if (!err)
		err = cv_run_load_kb(&run);
	if (err)
		return cv_run_fail(&run, err);
	doc = cv_run_doc_new(&run, &plan_ops, sizeof(*doc));
	err = doc ? cv_run_open(&run, &view, &sel) : CV_ENOMEM;
	if (!err) {
		err = make_plan(&run, view, &sel, query, &doc->plan);
		cv_view_free(view);
	}
	if (err || cv_arena_failed(run.arena))
		return cv_run_fail(&run, err ? err : CV_ENOMEM);
	*ret_doc = &doc->doc;
	return 0;
}

size_t cv_doc_change_count(const struct cv_doc *doc)
{
	return doc->ops == &plan_ops ? plan_of(doc)->changes.n : 0;
}

const char *cv_doc_change(const struct cv_doc *doc, size_t i, const char **ret_value)
{
	if (i >= cv_doc_change_count(doc))
		return NULL;
	*ret_value = plan_of(doc)->changes.v[i].value;
	return plan_of(doc)->changes.v[i].name;
}
