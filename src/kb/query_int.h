/* SPDX-License-Identifier: Apache-2.0 */
/* What query.c, answers.c, image.c, labels.c, matrix.c, nearest.c and reckon.c share. Private to src/kb. */
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

/* Place of a property in the order of answers; the same high number for all that have no label. */
size_t cv_kb_label_place(const char *subject, const char *property);
/* "cu128" of "code:cu128", or NULL. */
const char *cv_kb_qualifier(const char *property);
/* How a property is called in an answer. */
const char *cv_kb_label(struct cv_kb_asking *q, const char *subject, const char *property);
/* Every row of subject that covers version (NULL: all). build: of qualified properties only these, or NULL for all. */
void cv_kb_add_rows(struct cv_kb_asking *q, const char *subject, const char *version, const char *build);
bool cv_kb_has_rows(const struct cv_kb *kb, const char *subject, const char *property);
/* The answer on a version ("" lists what is known) of a subject that has releases. */
void cv_kb_answer_version(struct cv_kb_asking *q, const char *subject, const char *asked);
void cv_kb_answer_list(struct cv_kb_asking *q, const char *subject);

/* Answers that are more than the rows of one version; words is what follows the first word. */
void cv_kb_answer_error(struct cv_kb_asking *q, const char *words);
void cv_kb_answer_family(struct cv_kb_asking *q, const char *family, const char *words);
void cv_kb_answer_jetpack(struct cv_kb_asking *q, const char *jetpack);
void cv_kb_answer_claims(struct cv_kb_asking *q, const char *words);
void cv_kb_answer_image(struct cv_kb_asking *q, const char *image);
void cv_kb_answer_matrix(struct cv_kb_asking *q, const char *words);
/* Says that there is no such subject, and what comes nearest to it. */
void cv_kb_answer_nothing(struct cv_kb_asking *q, const char *word);
/* The word of list that word was most likely meant to be, or NULL. */
const char *cv_kb_nearest(const char *word, const struct cv_strv *list);
/* Letters that are missing, too many, wrong or swapped between two short texts, without regard to case. */
size_t cv_kb_letters_apart(const char *a, const char *b);
/* Does text hold part, without regard to case? */
bool cv_kb_holds(const char *text, const char *part);
/* "535" of "535 536"; the same without the first word in *rest. NULL at the end. */
const char *cv_kb_word(struct cv_arena *a, const char **rest);

/* Lines that follow from other subjects. version is a version of the subject that the kb knows. */
void cv_kb_reckon_driver(struct cv_kb_asking *q, const char *version);
void cv_kb_reckon_cuda(struct cv_kb_asking *q, const char *version);
void cv_kb_reckon_cc(struct cv_kb_asking *q, const char *cc);
/* Which releases have wheels for a Python minor; false if none has. */
bool cv_kb_reckon_python(struct cv_kb_asking *q, const char *minor);

#endif
