/* SPDX-License-Identifier: Apache-2.0 */
#include "report/check.h"

#define SCRATCH_MAX ((size_t)64 << 20)

/* Numbers problems in the order in which they are told; symptoms get the number of their cause, notes none. */
static void number_findings(const struct cv_report *r, unsigned *number)
{
	unsigned next = 1;
	size_t cause;

	for (size_t i = 0; i < r->findings.n; i++)
		if (r->findings.v[i].severity != CV_NOTE && cv_report_counts(r, &r->findings.v[i]) && !cv_check_cause(r, i, &cause))
			number[i] = next++;
	for (size_t i = 0; i < r->findings.n; i++)
		if (cv_check_cause(r, i, &cause))
			number[i] = number[cause];
}

int cv_report_check_terminal(const struct cv_report *r, const struct cv_report_head *head, const struct cv_style *style,
			     struct cv_buf *out)
{
	struct cv_arena *scratch = cv_arena_new(SCRATCH_MAX);
	struct cv_term t;
	struct cv_check_view v = { .r = r, .t = &t };
	unsigned *number = scratch ? CV_NEW_ARRAY(scratch, unsigned, r->findings.n) : NULL;
	int err = CV_ENOMEM;

	if (!number)
		goto out;
	number_findings(r, number);
	v.number = number;
	cv_term_init(&t, out, scratch, style);
	cv_check_print_head(&v);
	cv_check_print_cells(&v);
	cv_check_print_problems(&v);
	cv_check_print_rest(&v, head);
	err = cv_arena_failed(scratch) ? CV_ENOMEM : out->err;
out:
	cv_arena_free(scratch);
	return err;
}
