/* SPDX-License-Identifier: Apache-2.0 */
/* Run: the document of `cuvet run --print`: what has to be set so that the programs of an environment load. */
#ifndef CV_REPORT_RUN_H
#define CV_REPORT_RUN_H

#include "report/check.h"

struct cv_run_change {
	const char *name, *value; /* value NULL: unset it */
	const char *why;
};

struct cv_run_plan {
	const char *env;
	struct cv_strv programs;
	CV_VEC(struct cv_run_change) changes; /* empty: nothing has to be changed */
	const char *failed, *message;         /* the program that no change heals, and what the loader says; or NULL */
	struct cv_strv advice;                /* what would, in words */
};

int cv_report_run_json(const struct cv_run_plan *r, const struct cv_report_head *head, struct cv_buf *out);
int cv_report_run_terminal(const struct cv_run_plan *r, const struct cv_report_head *head, const struct cv_style *style,
			   struct cv_buf *out);

#endif
