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
	cv_json_karr(&j, "candidates");
	for (size_t i = 0; i < k->candidates.n; i++)
		cv_json_str(&j, k->candidates.v[i]);
	cv_json_end_arr(&j);
	cv_json_end_obj(&j);
	return out->err;
}
