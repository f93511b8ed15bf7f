/* SPDX-License-Identifier: Apache-2.0 */
/* The document of `cuvet explain`. All calls return the error of out (CV_ENOMEM, CV_ELIMIT) or 0. */
#ifndef CV_REPORT_EXPLAIN_H
#define CV_REPORT_EXPLAIN_H

#include "facts/facts.h"
#include "judge/hypo.h"
#include "report/check.h"

/* A stretch of a text, as the reader of texts tells it. */
struct cv_explain_part {
	const char *file, *as;
	unsigned first, last;
};

struct cv_explain_answer {
	const struct cv_explanation *e;
	const struct cv_facts *facts;
	CV_VEC(struct cv_explain_part) recognised;
};

int cv_report_explain_json(const struct cv_explain_answer *x, const struct cv_report_head *head, struct cv_buf *out);
int cv_report_explain_terminal(const struct cv_explain_answer *x, const struct cv_report_head *head, const struct cv_style *style,
			       struct cv_buf *out);
/* To be pasted under an issue. */
int cv_report_explain_markdown(const struct cv_explain_answer *x, const struct cv_report_head *head, struct cv_buf *out);
const char *cv_report_surety_word(enum cv_surety s); /* confirmed, likely, possible */

#endif
