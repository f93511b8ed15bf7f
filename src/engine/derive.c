/* SPDX-License-Identifier: Apache-2.0 */
/* `cuvet kb add`: the rows that artifacts give, as lines for kb/ or as JSON. */
#include "engine/derive.h"

#include "base/json.h"
#include "base/str.h"

struct derive_doc {
	struct cv_doc doc;
	struct cv_derived_rows *of; /* one of each artifact */
	size_t n;
};

static const struct derive_doc *derived(const struct cv_doc *doc)
{
	return (const struct derive_doc *)doc;
}

static enum cv_status derive_status(const struct cv_doc *doc, const struct cv_options *opt)
{
	(void)doc;
	(void)opt;
	return CV_STATUS_OK;
}

/* Texts of files must not reach a terminal with control bytes, nor break a line of the table. */
static void put_clean(struct cv_buf *out, const char *s)
{
	for (; *s; s++)
		cv_buf_add(out, (unsigned char)*s < 0x20 || *s == 0x7f ? "?" : s, 1);
}

static int derive_terminal(const struct cv_doc *doc, const struct cv_style *style, struct cv_buf *out)
{
	(void)style;
	for (size_t i = 0; i < derived(doc)->n; i++) {
		const struct cv_derived_rows *r = &derived(doc)->of[i];

		cv_buf_printf(out, "# kb/SOURCES: %s\t", r->source);
		put_clean(out, r->source_title);
		cv_buf_printf(out, "\twheels of the Python package index\t%s\n", r->v.n ? r->v.v[0].date : "");
		for (size_t j = 0; j < r->notes.n; j++) {
			cv_buf_printf(out, "# ");
			put_clean(out, r->notes.v[j]);
			cv_buf_printf(out, "\n");
		}
		for (size_t j = 0; j < r->v.n; j++) {
			const struct cv_kb_row *row = &r->v.v[j];
			const char *const col[] = { row->subject, row->from, row->to, row->property, row->value, row->source, row->date, row->tier };

			for (size_t k = 0; k < sizeof(col) / sizeof(*col); k++) {
				if (k)
					cv_buf_printf(out, "\t");
				put_clean(out, col[k]);
			}
			cv_buf_printf(out, "\n");
		}
	}
	return out->err;
}

static void json_row(struct cv_json *j, const struct cv_kb_row *row)
{
	cv_json_obj(j);
	cv_json_kstr(j, "subject", row->subject);
	cv_json_kstr(j, "from", row->from);
	cv_json_kstr(j, "to", row->to);
	cv_json_kstr(j, "property", row->property);
	cv_json_kstr(j, "value", row->value);
	cv_json_kstr(j, "source", row->source);
	cv_json_kstr(j, "date", row->date);
	cv_json_kstr(j, "tier", row->tier);
	cv_json_end_obj(j);
}

static int derive_json(const struct cv_doc *doc, struct cv_buf *out)
{
	struct cv_json j;

	cv_json_init(&j, out, true);
	cv_json_obj(&j);
	cv_json_kstr(&j, "schema", doc->ops->schema);
	cv_json_kstr(&j, "cuvet", cv_version());
	cv_json_kstr(&j, "kb_date", cv_kb_date(doc->kb));
	cv_json_karr(&j, "artifacts");
	for (size_t i = 0; i < derived(doc)->n; i++) {
		const struct cv_derived_rows *r = &derived(doc)->of[i];

		cv_json_obj(&j);
		cv_json_kstr(&j, "source", r->source);
		cv_json_kstr(&j, "source_title", r->source_title);
		cv_json_karr(&j, "rows");
		for (size_t k = 0; k < r->v.n; k++)
			json_row(&j, &r->v.v[k]);
		cv_json_end_arr(&j);
		cv_json_karr(&j, "notes");
		for (size_t k = 0; k < r->notes.n; k++)
			cv_json_str(&j, r->notes.v[k]);
		cv_json_end_arr(&j);
		cv_json_end_obj(&j);
	}
	cv_json_end_arr(&j);
	cv_json_end_obj(&j);
	return out->err;
}

static const struct cv_doc_ops derive_ops = {
	.schema = "cuvet/rows/1", .status = derive_status, .terminal = derive_terminal, .json = derive_json
};

static int derive_all(struct cv_run *run, const char *const *paths, size_t n, const char *date, struct derive_doc *doc)
{
	struct cv_selection sel;
	struct cv_view *view;
	int err = cv_run_open(run, &view, &sel);

	if (err)
		return err;
	doc->of = CV_NEW_ARRAY(run->arena, struct cv_derived_rows, n);
	for (size_t i = 0; !err && i < n; i++) {
		struct cv_artifact art;

		err = doc->of ? cv_artifact_read(run, view, paths[i], &art) : CV_ENOMEM;
		if (!err)
			err = cv_artifact_rows(&art, run->kb, date, run->arena, &doc->of[i]);
		if (!err)
			doc->n = i + 1;
	}
	cv_view_free(view);
	return err;
}

int cv_kb_derive(const struct cv_options *opt, const char *const *paths, size_t n, const char *date, struct cv_doc **ret_doc)
{
	struct derive_doc *doc;
	struct cv_run run;
	int err = cv_run_init(&run, opt);

	if (!err)
		err = cv_run_load_kb(&run);
	if (err)
		return cv_run_fail(&run, err);
	if (!n || strlen(date) != strlen("2026-11-30"))
		return cv_run_fail(&run, cv_diag_fail(&run.diag, CV_EINVAL, "kb add: give wheels or directories, and the date as YYYY-MM-DD"));
	doc = cv_run_doc_new(&run, &derive_ops, sizeof(*doc));
	date = cv_arena_strdup(run.arena, date);
	err = doc ? derive_all(&run, paths, n, date, doc) : CV_ENOMEM;
	if (err || cv_arena_failed(run.arena))
		return cv_run_fail(&run, err ? err : CV_ENOMEM);
	cv_run_tell(&run);
	*ret_doc = &doc->doc;
	return 0;
}
