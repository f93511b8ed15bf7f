/* SPDX-License-Identifier: Apache-2.0 */
/* The document cuvet/kb/1. */
#include "report/answer.h"

#include "base/json.h"

static const char *reach_word(enum cv_kb_reach r)
{
	switch (r) {
	case CV_KB_LISTED:
		return "listed";
	case CV_KB_UNLISTED:
		return "unlisted";
	case CV_KB_NEWER:
		return "newer";
	case CV_KB_OLDER:
		return "older";
	case CV_KB_NO_SUBJECT:
		break;
	}
	return "no-subject";
}

static void put_line(struct cv_json *j, const struct cv_kb_line *line)
{
	const struct cv_kb_row *row = &line->row;

	cv_json_obj(j);
	cv_json_kstr(j, "label", line->label);
	cv_json_kstr(j, "value", line->value);
	cv_json_kstr(j, "for", line->for_what);
	cv_json_kstr(j, "subject", row->subject);
	cv_json_kstr(j, "property", row->subject ? row->property : NULL);
	cv_json_kstr(j, "from", row->subject ? row->from : NULL);
	cv_json_kstr(j, "to", row->subject ? row->to : NULL);
	cv_json_kstr(j, "source", row->subject ? row->source : NULL);
	cv_json_kstr(j, "source_title", row->subject ? line->title : NULL);
	cv_json_kstr(j, "source_address", row->subject ? line->address : NULL);
	cv_json_kstr(j, "date", row->subject ? row->date : NULL);
	cv_json_kstr(j, "tier", row->subject ? row->tier : "derived");
	cv_json_end_obj(j);
}

static void put_keys(struct cv_json *j, const char *key, const struct cv_strv *list)
{
	cv_json_karr(j, key);
	for (size_t i = 0; i < list->n; i++)
		cv_json_str(j, list->v[i]);
	cv_json_end_arr(j);
}

static void put_matrix(struct cv_json *j, const struct cv_kb_matrix *m)
{
	cv_json_karr(j, "matrix");
	for (size_t i = 0; m && i < m->rows.n; i++) {
		const struct cv_kb_matrix_row *r = &m->rows.v[i];

		cv_json_obj(j);
		cv_json_kstr(j, "release", r->release);
		cv_json_kstr(j, "build", r->build);
		cv_json_kstr(j, "cuda", r->cuda);
		cv_json_kstr(j, "cudnn", r->cudnn);
		cv_json_kstr(j, "python", r->python);
		cv_json_kstr(j, "oldest_cc", r->oldest);
		cv_json_kstr(j, "newest_cc", r->newest);
		cv_json_kstr(j, "but_not", r->gaps);
		cv_json_kbool(j, "ptx", r->ptx);
		cv_json_kbool(j, "default", r->is_default);
		cv_json_kstr(j, "driver", r->driver);
		put_keys(j, "sources", &r->sources);
		cv_json_end_obj(j);
	}
	cv_json_end_arr(j);
}

static void put_claims(struct cv_json *j, const struct cv_kb_answer *k)
{
	cv_json_karr(j, "claims");
	for (size_t i = 0; i < k->claims.n; i++) {
		const struct cv_kb_claim *c = &k->claims.v[i];

		cv_json_obj(j);
		cv_json_kstr(j, "id", c->id);
		cv_json_kstr(j, "topic", c->topic);
		cv_json_kstr(j, "claim", c->claim);
		cv_json_kstr(j, "verdict", c->verdict);
		cv_json_kstr(j, "right", c->right);
		cv_json_kstr(j, "doubt", c->doubt);
		put_keys(j, "sources", &c->sources);
		cv_json_end_obj(j);
	}
	cv_json_end_arr(j);
}

int cv_report_kb_json(const struct cv_kb_answer *k, const struct cv_report_head *head, struct cv_buf *out)
{
	struct cv_json j;

	cv_json_init(&j, out, true);
	cv_json_obj(&j);
	cv_json_kstr(&j, "schema", head->schema);
	cv_json_kstr(&j, "cuvet", cv_version());
	cv_json_kstr(&j, "kb_date", head->kb_date);
	cv_json_kstr(&j, "title", k->title);
	cv_json_kstr(&j, "subject", k->subject);
	cv_json_kstr(&j, "version", k->version);
	cv_json_kbool(&j, "found", k->found);
	cv_json_kstr(&j, "reach", reach_word(k->reach));
	cv_json_kstr(&j, "note", k->note);
	cv_json_karr(&j, "lines");
	for (size_t i = 0; i < k->lines.n; i++)
		put_line(&j, &k->lines.v[i]);
	cv_json_end_arr(&j);
	put_matrix(&j, k->matrix);
	put_claims(&j, k);
	put_keys(&j, "candidates", &k->candidates);
	cv_json_end_obj(&j);
	return out->err;
}
