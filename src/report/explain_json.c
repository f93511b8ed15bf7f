/* SPDX-License-Identifier: Apache-2.0 */
/* The document cuvet/explain/1. */
#include "report/explain.h"

#include <stdio.h>

#include "base/json.h"

const char *cv_report_surety_word(enum cv_surety s)
{
	switch (s) {
	case CV_CONFIRMED:
		return "confirmed";
	case CV_LIKELY:
		return "likely";
	case CV_POSSIBLE:
		break;
	}
	return "possible";
}

static void put_quotes(struct cv_json *j, const struct cv_diagnosis *d)
{
	cv_json_karr(j, "evidence");
	for (size_t i = 0; i < d->evidence.n; i++) {
		const struct cv_quote *q = &d->evidence.v[i];

		cv_json_obj(j);
		cv_json_kstr(j, "file", q->file);
		if (q->line)
			cv_json_kuint(j, "line", q->line);
		else
			cv_json_knull(j, "line");
		cv_json_kstr(j, "text", q->text);
		cv_json_end_obj(j);
	}
	cv_json_end_arr(j);
}

static void put_fixes(struct cv_json *j, const struct cv_diagnosis *d)
{
	cv_json_karr(j, "fixes");
	for (size_t i = 0; i < d->fixes.n; i++) {
		const struct cv_fix *f = &d->fixes.v[i];

		cv_json_obj(j);
		cv_json_kstr(j, f->command ? "command" : "text", f->command ? f->command : f->text ? f->text : "");
		cv_json_kstr(j, "changes", f->changes);
		cv_json_kbool(j, "needs_root", f->needs_root);
		cv_json_kbool(j, "reboot", f->reboot);
		if (f->risk)
			cv_json_kstr(j, "risk", f->risk);
		cv_json_end_obj(j);
	}
	cv_json_end_arr(j);
}

static void put_diagnosis(struct cv_json *j, const struct cv_diagnosis *d)
{
	cv_json_obj(j);
	cv_json_kstr(j, "id", d->id);
	if (d->parent)
		cv_json_kstr(j, "parent", d->parent);
	cv_json_kstr(j, "status", cv_report_surety_word(d->surety));
	cv_json_kstr(j, "title", d->title);
	cv_json_kstr(j, "cause", d->cause);
	put_quotes(j, d);
	cv_json_kstr(j, "why", d->why);
	put_fixes(j, d);
	cv_json_karr(j, "ask");
	for (size_t i = 0; i < d->ask.n; i++)
		cv_json_str(j, d->ask.v[i]);
	cv_json_end_arr(j);
	cv_json_end_obj(j);
}

int cv_report_explain_json(const struct cv_explain_answer *x, const struct cv_report_head *head, struct cv_buf *out)
{
	struct cv_json j;

	cv_json_init(&j, out, true);
	cv_json_obj(&j);
	cv_json_kstr(&j, "schema", head->schema);
	cv_json_kstr(&j, "cuvet", cv_version());
	cv_json_kstr(&j, "kb_date", head->kb_date);
	cv_json_karr(&j, "diagnoses");
	for (size_t i = 0; i < x->e->diagnoses.n; i++)
		put_diagnosis(&j, &x->e->diagnoses.v[i]);
	cv_json_end_arr(&j);
	cv_json_karr(&j, "recognised");
	for (size_t i = 0; i < x->recognised.n; i++) {
		const struct cv_explain_part *p = &x->recognised.v[i];
		char lines[32];

		snprintf(lines, sizeof(lines), p->first == p->last ? "%u" : "%u-%u", p->first, p->last);
		cv_json_obj(&j);
		cv_json_kstr(&j, "file", p->file);
		cv_json_kstr(&j, "lines", lines);
		cv_json_kstr(&j, "as", p->as);
		cv_json_end_obj(&j);
	}
	cv_json_end_arr(&j);
	cv_json_kstr(&j, "cannot_tell", x->e->cannot_tell);
	cv_json_key(&j, "facts");
	cv_facts_to_json(x->facts, &j);
	cv_json_end_obj(&j);
	return out->err;
}
