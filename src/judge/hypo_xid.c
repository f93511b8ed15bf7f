/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Xid numbers of a kernel log. Only 79 names a diagnosis; of the others the answer tells what they mean, who usually causes them
 * and what to do, by kb. Many are faults of the program (13, 31, 43), or follow from another (45).
 */
#include "judge/hypo_int.h"

#define TOLD_MAX 3

static const char *xid_of(const struct cv_hypo_ctx *x, size_t i)
{
	const struct cv_subject *hit = cv_facts_at(x->j.facts, CV_KIND_hit, i);
	const char *message = cv_fact_str(hit, CV_F_hit_message);

	return message && cv_streq(message, "xid") ? cv_hit_capture(x, hit, "xid") : NULL;
}

const struct cv_subject *cv_hypo_xid(const struct cv_hypo_ctx *x, const char *number)
{
	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_hit); i++) {
		const char *xid = xid_of(x, i);

		if (xid && cv_streq(xid, number))
			return cv_facts_at(x->j.facts, CV_KIND_hit, i);
	}
	return NULL;
}

static const char *words(const struct cv_hypo_ctx *x, const char *xid)
{
	const struct cv_kb *kb = x->j.kb;
	const char *meaning = cv_kb_value(kb, "xid", xid, "meaning"), *usual = cv_kb_value(kb, "xid", xid, "usual_cause");
	const char *action = cv_kb_value(kb, "xid", xid, "action");

	if (!meaning)
		return NULL;
	return cv_arena_printf(x->a, "Xid %s: %s%s%s%s%s", xid, meaning, usual ? "; usual cause: " : "", usual ? usual : "",
			       action ? "; what to do: " : "", action ? action : "");
}

const char *cv_hypo_xids(const struct cv_hypo_ctx *x)
{
	const char *text = NULL, *seen[TOLD_MAX];
	size_t told = 0;

	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_hit) && told < TOLD_MAX; i++) {
		const char *xid = xid_of(x, i), *one = NULL;
		bool again = false;

		for (size_t k = 0; xid && k < told; k++)
			again |= cv_streq(seen[k], xid);
		if (!xid || again || !(one = words(x, xid)))
			continue;
		seen[told++] = xid;
		text = cv_arena_printf(x->a, "%s%s%s", text ? text : "", text ? ". " : "", one);
	}
	return text;
}
