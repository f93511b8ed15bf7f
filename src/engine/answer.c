/* SPDX-License-Identifier: Apache-2.0 */
/* `cuvet kb` and `cuvet rule`: answers that need no machine. */
#include "engine/engine.h"

#include "base/str.h"
#include "kb/query.h"
#include "report/answer.h"
#include "report/pages.h"

struct kb_doc {
	struct cv_doc doc;
	const struct cv_kb_answer *answer;
};

struct rule_doc {
	struct cv_doc doc;
	struct cv_rule_answer answer;
};

static const struct cv_kb_answer *kb_answer(const struct cv_doc *doc)
{
	return ((const struct kb_doc *)doc)->answer;
}

static const struct cv_rule_answer *rule_answer(const struct cv_doc *doc)
{
	return &((const struct rule_doc *)doc)->answer;
}

static struct cv_report_head head_of(const struct cv_doc *doc)
{
	return (struct cv_report_head){ .schema = doc->ops->schema, .kb_date = cv_kb_date(doc->kb) };
}

static enum cv_status found_status(bool found, const struct cv_options *opt)
{
	return found || (opt && opt->exit_zero) ? CV_STATUS_OK : CV_STATUS_CANNOT_TELL;
}

static enum cv_status kb_status(const struct cv_doc *doc, const struct cv_options *opt)
{
	return found_status(kb_answer(doc)->found, opt);
}

static int kb_terminal(const struct cv_doc *doc, const struct cv_style *style, struct cv_buf *out)
{
	struct cv_report_head head = head_of(doc);

	return cv_report_kb_terminal(kb_answer(doc), doc->kb, &head, style, out);
}

static int kb_json(const struct cv_doc *doc, struct cv_buf *out)
{
	struct cv_report_head head = head_of(doc);

	return cv_report_kb_json(kb_answer(doc), &head, out);
}

static const struct cv_doc_ops kb_ops = {
	.schema = "cuvet/kb/1", .status = kb_status, .terminal = kb_terminal, .json = kb_json
};

static enum cv_status rule_status(const struct cv_doc *doc, const struct cv_options *opt)
{
	return found_status(!rule_answer(doc)->asked || rule_answer(doc)->rule, opt);
}

static int rule_terminal(const struct cv_doc *doc, const struct cv_style *style, struct cv_buf *out)
{
	struct cv_report_head head = head_of(doc);

	return cv_report_rule_terminal(rule_answer(doc), &head, style, out);
}

static int rule_json(const struct cv_doc *doc, struct cv_buf *out)
{
	struct cv_report_head head = head_of(doc);

	return cv_report_rule_json(rule_answer(doc), &head, out);
}

static const struct cv_doc_ops rule_ops = {
	.schema = "cuvet/rule/1", .status = rule_status, .terminal = rule_terminal, .json = rule_json
};

int cv_kb_query(const struct cv_options *opt, const char *const *words, size_t n, struct cv_doc **ret_doc)
{
	struct kb_doc *doc;
	struct cv_run run;
	int err = cv_run_init(&run, opt);

	if (!err)
		err = cv_run_load_kb(&run);
	if (err)
		return cv_run_fail(&run, err);
	doc = cv_run_doc_new(&run, &kb_ops, sizeof(*doc));
	err = doc ? cv_kb_ask(run.kb, words, n, run.arena, &run.diag, &doc->answer) : CV_ENOMEM;
	if (err || cv_arena_failed(run.arena))
		return cv_run_fail(&run, err ? err : CV_ENOMEM);
	*ret_doc = &doc->doc;
	return 0;
}

static const char *page_of(const char *id)
{
	for (size_t i = 0; i < cv_rule_pages_n; i++)
		if (cv_streq(cv_rule_pages[i].id, id))
			return cv_rule_pages[i].text;
	return NULL;
}

int cv_rule_page(const struct cv_options *opt, const char *id, struct cv_doc **ret_doc)
{
	struct rule_doc *doc;
	struct cv_run run;
	int err = cv_run_init(&run, opt);

	if (err)
		return cv_run_fail(&run, err);
	doc = cv_run_doc_new(&run, &rule_ops, sizeof(*doc));
	if (!doc)
		return cv_run_fail(&run, CV_ENOMEM);
	if (id) {
		doc->answer.asked = cv_arena_strdup(run.arena, id);
		doc->answer.rule = cv_rule_find(id);
		doc->answer.page = doc->answer.rule ? page_of(id) : NULL;
	}
	if (cv_arena_failed(run.arena))
		return cv_run_fail(&run, CV_ENOMEM);
	*ret_doc = &doc->doc;
	return 0;
}
