/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explain: pasted text -> facts. Texts are added one after the other, in pieces of any size, and end in facts that the judge
 * reads like those of a machine; what the text does not say stays not_asked.
 *
 *	cv_explain_new(kb, arena, &x);
 *	cv_explain_begin(x, "error.log");
 *	cv_explain_feed(x, p, n);          any number of times
 *	cv_explain_end(x);
 *	cv_explain_finish(x, facts);       once, then freeze the facts
 *
 * Memory does not grow with the text: messages are kept once per id and captures, readers see the first and the last part of a
 * long text, and lines over 64 KiB are cut.
 */
#ifndef CV_EXPLAIN_EXPLAIN_H
#define CV_EXPLAIN_EXPLAIN_H

#include "base/diag.h"
#include "facts/facts.h"
#include "kb/kb.h"

struct cv_explain;

/* A stretch of a text that was recognised. */
struct cv_recognised {
	const char *file, *as;
	unsigned first, last; /* lines, 1-based */
};

int cv_explain_new(const struct cv_kb *kb, struct cv_arena *a, struct cv_explain **ret);
/* Gives back what lies outside the arena (compiled patterns). NULL is allowed. */
void cv_explain_free(struct cv_explain *x);

void cv_explain_begin(struct cv_explain *x, const char *file);
/* CV_ENOMEM only. */
int cv_explain_feed(struct cv_explain *x, const char *p, size_t n);
int cv_explain_end(struct cv_explain *x);
/* Puts everything into facts, surest first. messages_only: the facts of a machine are there already, and texts never mix with them. */
int cv_explain_finish(struct cv_explain *x, struct cv_facts *facts, bool messages_only);
/* What was recognised, by file and line; lives as long as the arena. */
size_t cv_explain_recognised(const struct cv_explain *x, const struct cv_recognised **ret);

#endif
