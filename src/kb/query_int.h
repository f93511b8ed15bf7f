/* SPDX-License-Identifier: Apache-2.0 */
/* What query.c and reckon.c share. Private to src/kb. */
#ifndef CV_KB_QUERY_INT_H
#define CV_KB_QUERY_INT_H

#include "kb/query.h"

struct cv_kb_asking {
	const struct cv_kb *kb;
	struct cv_arena *a;
	struct cv_kb_answer *answer;
};

/* A line with the row behind it. */
void cv_kb_add_row(struct cv_kb_asking *q, const char *label, const struct cv_kb_row *row);
/* A line that is reckoned from several rows; nothing is added for an empty value. */
void cv_kb_add_reckoned(struct cv_kb_asking *q, const char *label, const char *value);

/* Lines that follow from other subjects. version is a version of the subject that the kb knows. */
void cv_kb_reckon_driver(struct cv_kb_asking *q, const char *version);
void cv_kb_reckon_cuda(struct cv_kb_asking *q, const char *version);
void cv_kb_reckon_cc(struct cv_kb_asking *q, const char *cc);
/* Which releases have wheels for a Python minor; false if none has. */
bool cv_kb_reckon_python(struct cv_kb_asking *q, const char *minor);

#endif
