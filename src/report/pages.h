/* SPDX-License-Identifier: Apache-2.0 */
/* Pages: the texts of docs/rules/, compiled in by tools/embed.c. */
#ifndef CV_REPORT_PAGES_H
#define CV_REPORT_PAGES_H

#include <stddef.h>

struct cv_page {
	const char *id;   /* file name without ".md" */
	const char *text; /* Markdown */
};

/* Sorted bytewise by id; the entry behind the last one has NULLs. */
extern const struct cv_page cv_rule_pages[];
extern const size_t cv_rule_pages_n;

#endif
