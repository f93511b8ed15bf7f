/* SPDX-License-Identifier: Apache-2.0 */
/* The documents of `cuvet kb` and `cuvet rule`. All calls return the error of out (CV_ENOMEM, CV_ELIMIT) or 0. */
#ifndef CV_REPORT_ANSWER_H
#define CV_REPORT_ANSWER_H

#include "judge/judge.h"
#include "kb/query.h"
#include "report/check.h"

int cv_report_kb_json(const struct cv_kb_answer *k, const struct cv_report_head *head, struct cv_buf *out);
/* kb: the one that was asked, for the titles of sources. */
int cv_report_kb_terminal(const struct cv_kb_answer *k, const struct cv_kb *kb, const struct cv_report_head *head,
			  const struct cv_style *style, struct cv_buf *out);

/* What `cuvet rule` shows: one rule with its page, or (rule NULL) the catalogue. */
struct cv_rule_answer {
	const char *asked;          /* id as asked, or NULL for the catalogue */
	const struct cv_rule *rule; /* NULL with asked: not known */
	const char *page;           /* Markdown, or NULL */
};

int cv_report_rule_json(const struct cv_rule_answer *r, const struct cv_report_head *head, struct cv_buf *out);
int cv_report_rule_terminal(const struct cv_rule_answer *r, const struct cv_report_head *head, const struct cv_style *style,
			    struct cv_buf *out);

/*
 * Prints Markdown: headings, paragraphs, "-" lists, fenced blocks (kept as they are), `code` and **strong** words. Anything else
 * comes out as it was written.
 */
void cv_markdown_print(struct cv_term *t, const char *text);

#endif
