/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check: the document of `cuvet check` for people and for programs. docs/json.md is the contract of the second.
 */
#ifndef CV_REPORT_CHECK_H
#define CV_REPORT_CHECK_H

#include "judge/finding.h"
#include "report/term.h"

/* What a document of any command starts with. */
struct cv_report_head {
	const char *schema;  /* "cuvet/check/1" */
	const char *kb_date; /* YYYY-MM-DD */
};

/* Both return the error of out (CV_ENOMEM, CV_ELIMIT) or 0. */
int cv_report_check_json(const struct cv_report *r, const struct cv_report_head *head, struct cv_buf *out);
int cv_report_check_terminal(const struct cv_report *r, const struct cv_report_head *head, const struct cv_style *style,
			     struct cv_buf *out);

/* The words of the JSON contract, which the terminal uses too. */
const char *cv_report_verdict_word(enum cv_verdict v);   /* ok, problem, cannot-tell */
const char *cv_report_severity_word(enum cv_severity s); /* error, warning, note */
const char *cv_report_role_word(enum cv_role r);         /* primary, contributing, secondary */
const char *cv_report_tri_word(enum cv_tri t);           /* ok, bad, unknown */
const char *cv_report_code_word(enum cv_code c);         /* native, ptx-jit, partial, none, unknown */

struct cv_json;
/* What the gate found of a fix, in the object at hand: "tried", then "heals" and "price", or "not_tried". */
void cv_report_put_outcome(struct cv_json *j, const struct cv_fix *f);

/* True for a finding of the machine or of a selected environment: only those make the exit status and are told at length. */
bool cv_report_counts(const struct cv_report *r, const struct cv_finding *f);

/*
 * Parts of the terminal form, in the order in which they are printed. number[i] is the number under which finding i is told, 0
 * for notes; symptoms have the number of their cause.
 */
struct cv_check_view {
	const struct cv_report *r;
	const unsigned *number;
	struct cv_term *t;
};

void cv_check_print_head(const struct cv_check_view *v);
void cv_check_print_cells(const struct cv_check_view *v);
void cv_check_print_problems(const struct cv_check_view *v);
void cv_check_print_rest(const struct cv_check_view *v, const struct cv_report_head *head);
void cv_check_print_evidence(const struct cv_check_view *v, const struct cv_finding *f, size_t indent);

/* True if finding i is a symptom that is told under finding *ret. */
bool cv_check_cause(const struct cv_report *r, size_t i, size_t *ret);

#endif
