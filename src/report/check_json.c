/* SPDX-License-Identifier: Apache-2.0 */
/* The document cuvet/check/1; fields in the order of the contract. An unknown value is null, its reason in "state" beside. */
#include "report/check.h"

#include "base/json.h"
#include "judge/judge.h"

static void put_tri(struct cv_json *j, const char *key, enum cv_tri t)
{
	if (t == CV_TRI_UNKNOWN)
		cv_json_knull(j, key);
	else
		cv_json_kbool(j, key, t == CV_TRI_OK);
}

static void put_index(struct cv_json *j, const char *key, size_t i)
{
	if (i == CV_NO_INDEX)
		cv_json_knull(j, key);
	else
		cv_json_kuint(j, key, i);
}

static void put_list(struct cv_json *j, const char *key, const struct cv_strv *list)
{
	cv_json_karr(j, key);
	for (size_t i = 0; i < list->n; i++)
		cv_json_str(j, list->v[i]);
	cv_json_end_arr(j);
}

static void put_driver(struct cv_json *j, const struct cv_report_driver *d)
{
	cv_json_kobj(j, "driver");
	cv_json_kstr(j, "module", d->module);
	cv_json_kstr(j, "library", d->library);
	cv_json_kstr(j, "library_path", d->library_path);
	cv_json_kstr(j, "cuda_api", d->cuda_api);
	cv_json_kstr(j, "firmware", d->firmware);
	put_tri(j, "open", d->open);
	if (!d->module)
		cv_json_kstr(j, "state", d->state ? d->state : "not_asked");
	cv_json_end_obj(j);
}

static void put_gpu(struct cv_json *j, const struct cv_report_gpu *g, size_t index)
{
	cv_json_obj(j);
	cv_json_kuint(j, "index", index);
	cv_json_kstr(j, "name", g->name);
	cv_json_kstr(j, "pci", g->pci);
	cv_json_kstr(j, "cc", g->cc);
	if (g->memory_mib)
		cv_json_kuint(j, "memory_mib", g->memory_mib);
	else
		cv_json_knull(j, "memory_mib");
	put_tri(j, "visible", g->visible);
	if (!g->cc)
		cv_json_kstr(j, "state", g->cc_state ? g->cc_state : "not_asked");
	cv_json_end_obj(j);
}

static void put_machine(struct cv_json *j, const struct cv_report *r)
{
	cv_json_kobj(j, "machine");
	cv_json_kstr(j, "os", r->os);
	cv_json_kstr(j, "kernel", r->kernel);
	cv_json_kstr(j, "glibc", r->glibc);
	cv_json_kstr(j, "arch", r->arch);
	cv_json_kstr(j, "kind", r->kind);
	put_driver(j, &r->driver);
	cv_json_karr(j, "gpus");
	for (size_t i = 0; i < r->gpus.n; i++)
		put_gpu(j, &r->gpus.v[i], i);
	cv_json_end_arr(j);
	cv_json_end_obj(j);
}

static void put_env(struct cv_json *j, const struct cv_report_env *e)
{
	cv_json_obj(j);
	cv_json_kstr(j, "path", e->path);
	cv_json_kstr(j, "kind", e->kind);
	cv_json_kstr(j, "python", e->python);
	cv_json_kbool(j, "active", e->active);
	cv_json_kbool(j, "selected", e->selected);
	cv_json_kstr(j, "verdict", cv_report_verdict_word(e->verdict));
	cv_json_karr(j, "packages");
	for (size_t i = 0; i < e->packages.n; i++) {
		const struct cv_report_package *p = &e->packages.v[i];

		cv_json_obj(j);
		cv_json_kstr(j, "name", p->name);
		cv_json_kstr(j, "version", p->version);
		cv_json_kstr(j, "build", p->build);
		cv_json_kstr(j, "installer", p->installer);
		cv_json_kstr(j, "path", p->path);
		cv_json_end_obj(j);
	}
	cv_json_end_arr(j);
	cv_json_end_obj(j);
}

static void put_cell(struct cv_json *j, const struct cv_cell *c)
{
	cv_json_obj(j);
	cv_json_kstr(j, "key", c->key);
	put_index(j, "environment", c->env);
	cv_json_kstr(j, "workload", c->workload);
	put_index(j, "gpu", c->gpu);
	cv_json_kstr(j, "driver", cv_report_tri_word(c->driver));
	cv_json_kstr(j, "loads", cv_report_tri_word(c->loads));
	cv_json_kstr(j, "code", cv_report_code_word(c->code));
	cv_json_kstr(j, "verdict", cv_report_verdict_word(c->verdict));
	if (c->unknown_because)
		cv_json_kstr(j, "state", c->unknown_because);
	cv_json_end_obj(j);
}

void cv_report_put_outcome(struct cv_json *j, const struct cv_fix *f)
{
	cv_json_kbool(j, "tried", f->tried);
	if (!f->tried) {
		cv_json_kstr(j, "not_tried", f->untried ? f->untried : "what it changes is not among the facts");
		return;
	}
	cv_json_kbool(j, "heals", f->heals);
	if (f->blind_to_loads)
		cv_json_kstr(j, "not_judged", "what programs load after it");
	cv_json_karr(j, "price");
	for (size_t i = 0; i < f->price.n; i++) {
		cv_json_obj(j);
		cv_json_kstr(j, "id", f->price.v[i].id);
		cv_json_kstr(j, "severity", cv_report_severity_word(f->price.v[i].severity));
		cv_json_kstr(j, "title", f->price.v[i].title);
		cv_json_end_obj(j);
	}
	cv_json_end_arr(j);
}

static void put_fix(struct cv_json *j, const struct cv_fix *f)
{
	cv_json_obj(j);
	cv_json_kstr(j, f->command ? "command" : "text", f->command ? f->command : f->text ? f->text : "");
	cv_json_kstr(j, "changes", f->changes);
	cv_json_kbool(j, "needs_root", f->needs_root);
	cv_json_kbool(j, "reboot", f->reboot);
	if (f->risk)
		cv_json_kstr(j, "risk", f->risk);
	cv_report_put_outcome(j, f);
	cv_json_end_obj(j);
}

static void put_subject(struct cv_json *j, const struct cv_finding *f)
{
	cv_json_kobj(j, "subject");
	cv_json_kstr(j, "kind", f->subject_kind);
	cv_json_kstr(j, "name", f->subject_name);
	if (f->subject_path)
		cv_json_kstr(j, "path", f->subject_path);
	cv_json_end_obj(j);
}

static void put_params(struct cv_json *j, const struct cv_finding *f)
{
	cv_json_kobj(j, "params");
	for (size_t i = 0; i < f->params.n; i++) {
		const struct cv_param *p = &f->params.v[i];

		if (p->values.n == 1)
			cv_json_kstr(j, p->name, p->values.v[0]);
		else
			put_list(j, p->name, &p->values);
	}
	cv_json_end_obj(j);
}

static void put_evidence(struct cv_json *j, const struct cv_finding *f)
{
	cv_json_karr(j, "evidence");
	for (size_t i = 0; i < f->evidence.n; i++) {
		cv_json_obj(j);
		cv_json_kstr(j, "fact", f->evidence.v[i].fact);
		cv_json_kstr(j, "value", f->evidence.v[i].value);
		cv_json_kstr(j, "source", f->evidence.v[i].source);
		cv_json_end_obj(j);
	}
	cv_json_end_arr(j);
}

static void put_finding(struct cv_json *j, const struct cv_finding *f)
{
	cv_json_obj(j);
	cv_json_kstr(j, "id", f->rule->id);
	if (f->rule->parent)
		cv_json_kstr(j, "parent", f->rule->parent);
	cv_json_kstr(j, "severity", cv_report_severity_word(f->severity));
	cv_json_kstr(j, "role", cv_report_role_word(f->role));
	if (f->cause)
		cv_json_kstr(j, "cause", f->cause);
	cv_json_kstr(j, "title", f->title);
	put_subject(j, f);
	put_list(j, "cells", &f->cells);
	put_params(j, f);
	put_evidence(j, f);
	cv_json_kstr(j, "why", f->why);
	cv_json_karr(j, "fixes");
	for (size_t i = 0; i < f->fixes.n; i++)
		put_fix(j, &f->fixes.v[i]);
	cv_json_end_arr(j);
	cv_json_kstr(j, "prove", f->prove);
	cv_json_end_obj(j);
}

static void put_because(struct cv_json *j, const char *key, const struct cv_because *v, size_t n)
{
	cv_json_karr(j, key);
	for (size_t i = 0; i < n; i++) {
		cv_json_obj(j);
		cv_json_kstr(j, "id", v[i].id);
		cv_json_kstr(j, "because", v[i].because);
		cv_json_end_obj(j);
	}
	cv_json_end_arr(j);
}

int cv_report_check_json(const struct cv_report *r, const struct cv_report_head *head, struct cv_buf *out)
{
	struct cv_json j;

	cv_json_init(&j, out, true);
	cv_json_obj(&j);
	cv_json_kstr(&j, "schema", head->schema);
	cv_json_kstr(&j, "cuvet", cv_version());
	cv_json_kstr(&j, "kb_date", head->kb_date);
	cv_json_kstr(&j, "verdict", cv_report_verdict_word(r->verdict));
	cv_json_kstr(&j, "summary", r->verdict_line);
	put_machine(&j, r);
	cv_json_karr(&j, "environments");
	for (size_t i = 0; i < r->envs.n; i++)
		put_env(&j, &r->envs.v[i]);
	cv_json_end_arr(&j);
	cv_json_karr(&j, "cells");
	for (size_t i = 0; i < r->cells.n; i++)
		put_cell(&j, &r->cells.v[i]);
	cv_json_end_arr(&j);
	cv_json_karr(&j, "findings");
	for (size_t i = 0; i < r->findings.n; i++)
		put_finding(&j, &r->findings.v[i]);
	cv_json_end_arr(&j);
	put_because(&j, "ruled_out", r->ruled_out.v, r->ruled_out.n);
	put_because(&j, "not_evaluated", r->not_evaluated.v, r->not_evaluated.n);
	put_because(&j, "notices", r->notices.v, r->notices.n);
	cv_json_end_obj(&j);
	return out->err;
}
