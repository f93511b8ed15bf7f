/* SPDX-License-Identifier: Apache-2.0 */
/* `cuvet explain`: texts (or a bundle) to facts, facts to diagnoses. */
#include "engine/engine.h"

#include "base/str.h"
#include "explain/explain.h"
#include "judge/hypo.h"
#include "report/explain.h"

#define PIECE ((size_t)64 << 10)
#define INPUTS_MAX 1000
#define TEXT_MAX ((uint64_t)1 << 30)   /* of one text; /dev/zero and a pipe of yes have no end */
#define NO_LINE_MAX ((uint64_t)64 << 20) /* without the end of a line it is no text */

struct explain_doc {
	struct cv_doc doc;
	struct cv_explain_answer answer;
};

static const struct cv_explain_answer *answer_of(const struct cv_doc *doc)
{
	return &((const struct explain_doc *)doc)->answer;
}

static struct cv_report_head head_of(const struct cv_doc *doc)
{
	return (struct cv_report_head){ .schema = doc->ops->schema, .kb_date = cv_kb_date(doc->kb) };
}

static enum cv_status explain_status(const struct cv_doc *doc, const struct cv_options *opt)
{
	const struct cv_explanation *e = answer_of(doc)->e;

	if (opt && opt->exit_zero)
		return CV_STATUS_OK;
	for (size_t i = 0; i < e->diagnoses.n; i++)
		if (e->diagnoses.v[i].surety != CV_POSSIBLE)
			return CV_STATUS_PROBLEM;
	return e->diagnoses.n || e->cannot_tell ? CV_STATUS_CANNOT_TELL : CV_STATUS_OK;
}

static int explain_terminal(const struct cv_doc *doc, const struct cv_style *style, struct cv_buf *out)
{
	struct cv_report_head head = head_of(doc);

	return cv_report_explain_terminal(answer_of(doc), &head, style, out);
}

static int explain_json(const struct cv_doc *doc, struct cv_buf *out)
{
	struct cv_report_head head = head_of(doc);

	return cv_report_explain_json(answer_of(doc), &head, out);
}

static int explain_markdown(const struct cv_doc *doc, struct cv_buf *out)
{
	struct cv_report_head head = head_of(doc);

	return cv_report_explain_markdown(answer_of(doc), &head, out);
}

static const struct cv_doc_ops explain_ops = {
	.schema = "cuvet/explain/1",
	.status = explain_status,
	.terminal = explain_terminal,
	.json = explain_json,
	.markdown = explain_markdown,
};

/* gzip, zstd: what `cuvet gather` writes. */
static bool is_bundle(const char *p, size_t n)
{
	return (n >= 4 && memcmp(p, "\x28\xb5\x2f\xfd", 4) == 0) || (n >= 3 && memcmp(p, "\x1f\x8b\x08", 3) == 0);
}

/* The record of a machine, or (path NULL) this one: its facts are those of check. */
static int read_bundle(struct cv_run *run, const char *path, struct cv_facts *facts)
{
	struct cv_collect_ctx ctx = { .kb = run->kb, .diag = &run->diag, .facts = facts };
	struct cv_selection sel;
	struct cv_view *view;
	int err;

	size_t told = run->diag.n;

	run->opt.root = path;
	err = cv_run_open(run, &view, &sel);
	if (err)
		return err;
	ctx.view = view;
	ctx.sel = &sel;
	err = cv_collect_all(&ctx);
	run->diag.n = told; /* what could not be read is a part of the facts */
	cv_view_free(view);
	return err;
}

/* Whether enough was read; the reason goes to the notices. */
static bool is_enough(struct cv_run *run, const char *name, uint64_t seen, uint64_t since_line)
{
	if (seen < TEXT_MAX && since_line < NO_LINE_MAX)
		return false;
	(void)cv_diag_fail(&run->diag, CV_ELIMIT, "%s: stopped reading after %llu MiB%s", name, (unsigned long long)(seen >> 20),
			   since_line < NO_LINE_MAX ? "" : " without the end of a line");
	return true;
}

static int read_text(struct cv_run *run, struct cv_explain *x, const struct cv_input *in, char *buf, struct cv_facts *facts, bool *ret_bundle)
{
	uint64_t seen = 0, since_line = 0;
	bool first = true;
	size_t n;
	int err;

	cv_explain_begin(x, in->name);
	for (;; first = false) {
		err = in->read(in->cookie, buf, PIECE, &n);
		if (err)
			return cv_diag_fail(&run->diag, err, "%s: %s", in->name, cv_strerror(err));
		if (!n || is_enough(run, in->name, seen, since_line))
			return cv_explain_end(x);
		seen += n;
		since_line = memchr(buf, '\n', n) ? 0 : since_line + n;
		if (first && is_bundle(buf, n)) {
			*ret_bundle = true;
			return read_bundle(run, in->name, facts);
		}
		err = cv_explain_feed(x, buf, n);
		if (err)
			return err;
	}
}

static int read_all(struct cv_run *run, struct cv_explain *x, const struct cv_input *inputs, size_t n, struct explain_doc *doc)
{
	struct cv_facts *facts = cv_facts_new(run->arena);
	char *buf = cv_arena_alloc(run->arena, PIECE);
	const struct cv_recognised *r;
	bool bundle = false;
	int err = facts && buf ? 0 : CV_ENOMEM;

	for (size_t i = 0; i < n && !err; i++)
		err = read_text(run, x, &inputs[i], buf, facts, &bundle);
	if (!err && run->opt.live) {
		err = bundle ? cv_diag_fail(&run->diag, CV_EINVAL, "a bundle is the record of a machine: --live adds nothing to it")
			     : read_bundle(run, NULL, facts);
		bundle = true;
	}
	if (!err)
		err = cv_explain_finish(x, facts, bundle);
	if (err)
		return err;
	for (size_t i = 0, k = cv_explain_recognised(x, &r); i < k; i++) {
		struct cv_explain_part *p = CV_VEC_PUSH(run->arena, &doc->answer.recognised);

		if (p)
			*p = (struct cv_explain_part){ r[i].file, r[i].as, r[i].first, r[i].last };
	}
	doc->answer.facts = facts;
	return cv_facts_freeze(facts);
}

static int run_explain(struct cv_run *run, const struct cv_input *inputs, size_t n, struct explain_doc *doc)
{
	struct cv_explain *x;
	int err = cv_explain_new(run->kb, run->arena, &x);

	if (err)
		return err;
	err = read_all(run, x, inputs, n, doc);
	cv_explain_free(x);
	if (!err)
		err = cv_hypo(doc->answer.facts, run->kb, run->arena, &doc->answer.e);
	return err;
}

int cv_explain(const struct cv_options *opt, const struct cv_input *inputs, size_t n, struct cv_doc **ret_doc)
{
	struct explain_doc *doc;
	struct cv_run run;
	int err = cv_run_init(&run, opt);

	if (!err && n > INPUTS_MAX)
		err = cv_diag_fail(&run.diag, CV_ELIMIT, "more than %d texts", INPUTS_MAX);
	if (!err)
		err = cv_run_load_kb(&run);
	if (err)
		return cv_run_fail(&run, err);
	doc = cv_run_doc_new(&run, &explain_ops, sizeof(*doc));
	err = doc ? run_explain(&run, inputs, n, doc) : CV_ENOMEM;
	if (err || cv_arena_failed(run.arena))
		return cv_run_fail(&run, err ? err : CV_ENOMEM);
	cv_run_tell(&run);
	*ret_doc = &doc->doc;
	return 0;
}
