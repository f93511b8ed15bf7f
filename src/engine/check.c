/* SPDX-License-Identifier: Apache-2.0 */
/* `cuvet check` and `cuvet gather`: the whole way from a machine to a document. */
#include "engine/engine.h"

#include "facts/facts.h"
#include "judge/judge.h"
#include "report/check.h"

struct check_doc {
	struct cv_doc doc;
	struct cv_facts *facts;
	const struct cv_report *report;
};

static const struct check_doc *check_doc(const struct cv_doc *doc)
{
	return (const struct check_doc *)doc;
}

static enum cv_status check_status(const struct cv_doc *doc, const struct cv_options *opt)
{
	const struct cv_report *r = check_doc(doc)->report;
	enum cv_severity level = opt && opt->fail_level != CV_NOTE ? opt->fail_level : CV_ERROR;
	bool exit_zero = opt && opt->exit_zero;

	if (r->verdict == CV_VERDICT_PROBLEM)
		return exit_zero ? CV_STATUS_OK : CV_STATUS_PROBLEM;
	for (size_t i = 0; i < r->findings.n; i++)
		if (r->findings.v[i].severity >= level && cv_report_counts(r, &r->findings.v[i]))
			return exit_zero ? CV_STATUS_OK : CV_STATUS_PROBLEM;
	if (r->verdict == CV_VERDICT_CANNOT_TELL)
		return exit_zero ? CV_STATUS_OK : CV_STATUS_CANNOT_TELL;
	return CV_STATUS_OK;
}

static struct cv_report_head head_of(const struct cv_doc *doc)
{
	return (struct cv_report_head){ .schema = doc->ops->schema, .kb_date = cv_kb_date(doc->kb) };
}

static int check_terminal(const struct cv_doc *doc, const struct cv_style *style, struct cv_buf *out)
{
	struct cv_report_head head = head_of(doc);

	return cv_report_check_terminal(check_doc(doc)->report, &head, style, out);
}

static int check_json(const struct cv_doc *doc, struct cv_buf *out)
{
	struct cv_report_head head = head_of(doc);

	return cv_report_check_json(check_doc(doc)->report, &head, out);
}

static int check_facts(const struct cv_doc *doc, struct cv_buf *out)
{
	struct cv_json j;

	cv_json_init(&j, out, true);
	cv_json_obj(&j);
	cv_json_kstr(&j, "schema", "cuvet/facts/1");
	cv_json_kstr(&j, "cuvet", cv_version());
	cv_json_kstr(&j, "kb_date", cv_kb_date(doc->kb));
	cv_json_key(&j, "facts");
	cv_facts_to_json(check_doc(doc)->facts, &j);
	cv_json_end_obj(&j);
	return out->err;
}

static const struct cv_doc_ops check_ops = {
	.schema = "cuvet/check/1",
	.status = check_status,
	.terminal = check_terminal,
	.json = check_json,
	.facts = check_facts,
};

static int collect(struct cv_run *run, struct cv_view *view, const struct cv_selection *sel, struct check_doc *doc)
{
	struct cv_collect_ctx ctx = { .view = view, .kb = run->kb, .sel = sel, .diag = &run->diag };
	int err;

	doc->facts = ctx.facts = cv_facts_new(run->arena);
	if (!doc->facts)
		return CV_ENOMEM;
	err = cv_collect_all(&ctx);
	if (err)
		return err;
	/* What is broken in a file is a fact of the report; only a collector that could not finish is news beside it. */
	if (ctx.incomplete)
		cv_run_tell(run);
	run->diag.n = 0;
	return cv_facts_freeze(doc->facts);
}

static int write_record(struct cv_run *run, struct cv_view *view, const struct cv_selection *sel)
{
	struct cv_strv words = { 0 };
	int err;

	if (!run->opt.record_to)
		return 0;
	err = cv_selection_to_words(run->arena, sel, &words);
	if (err)
		return err;
	err = cv_record_write(view, run->opt.record_to, words.v, words.n, run->opt.redact, &run->diag);
	if (err && run->diag.n == 0)
		cv_diag_fail(&run->diag, err, "%s: %s", run->opt.record_to, cv_strerror(err));
	return err;
}

static int run_check(struct cv_run *run, struct check_doc *doc)
{
	struct cv_selection sel;
	struct cv_view *view;
	int err = cv_run_open(run, &view, &sel);

	if (err)
		return err;
	err = collect(run, view, &sel, doc);
	if (!err)
		err = cv_judge(doc->facts, run->kb, run->arena, &doc->report);
	if (!err)
		err = write_record(run, view, &sel);
	cv_view_free(view);
	return err;
}

int cv_check(const struct cv_options *opt, struct cv_doc **ret_doc)
{
	struct check_doc *doc;
	struct cv_run run;
	int err = cv_run_init(&run, opt);

	if (!err)
		err = cv_run_load_kb(&run);
	if (err)
		return cv_run_fail(&run, err);
	doc = cv_run_doc_new(&run, &check_ops, sizeof(*doc));
	err = doc ? run_check(&run, doc) : CV_ENOMEM;
	if (err || cv_arena_failed(run.arena))
		return cv_run_fail(&run, err ? err : CV_ENOMEM);
	*ret_doc = &doc->doc;
	return 0;
}

static const struct cv_report *report_of(const struct cv_doc *doc)
{
	return doc->ops == &check_ops ? check_doc(doc)->report : NULL;
}

static const struct cv_finding *finding_at(const struct cv_doc *doc, size_t i)
{
	const struct cv_report *r = report_of(doc);

	return r && i < r->findings.n ? &r->findings.v[i] : NULL;
}

enum cv_verdict cv_doc_verdict(const struct cv_doc *doc)
{
	return report_of(doc) ? report_of(doc)->verdict : CV_VERDICT_CANNOT_TELL;
}

const char *cv_doc_verdict_line(const struct cv_doc *doc)
{
	return report_of(doc) ? report_of(doc)->verdict_line : "";
}

size_t cv_doc_finding_count(const struct cv_doc *doc)
{
	return report_of(doc) ? report_of(doc)->findings.n : 0;
}

const char *cv_doc_finding_id(const struct cv_doc *doc, size_t i)
{
	const struct cv_finding *f = finding_at(doc, i);

	return f ? f->rule->id : NULL;
}

enum cv_severity cv_doc_finding_severity(const struct cv_doc *doc, size_t i)
{
	const struct cv_finding *f = finding_at(doc, i);

	return f ? f->severity : CV_NOTE;
}

const char *cv_doc_finding_title(const struct cv_doc *doc, size_t i)
{
	const struct cv_finding *f = finding_at(doc, i);

	return f ? f->title : NULL;
}
