/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hypo: from facts with messages to diagnoses. Candidates come from messages (kb: candidates) and from facts alone; rules over the
 * facts confirm, refute or leave open; what is left is ranked. The judge sees facts, never text.
 */
#ifndef CV_JUDGE_HYPO_H
#define CV_JUDGE_HYPO_H

#include "facts/facts.h"
#include "judge/finding.h"
#include "kb/kb.h"

enum cv_surety { CV_POSSIBLE, CV_LIKELY, CV_CONFIRMED };

struct cv_quote {
	const char *file; /* as given; NULL: kb */
	unsigned line;    /* 0: none */
	const char *text;
};

struct cv_diagnosis {
	const char *id, *parent; /* parent NULL: the id is one of the vocabulary */
	enum cv_surety surety;
	int score; /* for the order only */
	const char *title, *cause, *why;
	CV_VEC(struct cv_quote) evidence;
	CV_VEC(struct cv_fix) fixes;
	struct cv_strv ask;
};

struct cv_explanation {
	CV_VEC(struct cv_diagnosis) diagnoses; /* best first */
	const char *cannot_tell;               /* why there is none, and what would help; NULL where one is given or nothing is wrong */
	bool healthy;                          /* a program in the text says that the GPU works, and nothing speaks against it */
};

/* facts must be frozen and outlive the answer, which lives in a. */
int cv_hypo(const struct cv_facts *facts, const struct cv_kb *kb, struct cv_arena *a, const struct cv_explanation **ret);

#endif
