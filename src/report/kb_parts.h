/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the answer of the knowledge base for people. Private to src/report. */
#ifndef CV_REPORT_KB_PARTS_H
#define CV_REPORT_KB_PARTS_H

#include "kb/query.h"
#include "report/term.h"

/* The table of compatibility, with its legend; nothing for NULL. */
void cv_kb_print_matrix(struct cv_term *t, const struct cv_kb *kb, const struct cv_kb_matrix *matrix);
/* Claim, verdict, what is right, sources. */
void cv_kb_print_claims(struct cv_term *t, const struct cv_kb *kb, const struct cv_kb_answer *k);

#endif
