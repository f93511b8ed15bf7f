/* SPDX-License-Identifier: Apache-2.0 */
/* What facts.c and copy.c share: the store itself. */
#ifndef CV_FACTS_FACTS_INT_H
#define CV_FACTS_FACTS_INT_H

#include "base/map.h"
#include "facts/facts.h"

struct cv__slot {
	enum cv_field id;
	struct cv_value *first, *last;
};

struct cv_subject {
	enum cv_kind kind;
	const char *key;
	bool gone; /* taken out of a copy */
	CV_VEC(struct cv__slot) slots; /* in order of filling; a subject has few fields, so a scan is the index */
};

struct cv_facts {
	struct cv_arena *arena;
	struct cv_map map[CV_KIND_COUNT];                    /* key -> subject, while filling */
	CV_VEC(struct cv_subject *) subjects[CV_KIND_COUNT]; /* sorted by the freeze */
	struct cv_subject lost;                              /* swallows values when out of memory */
	struct cv_map texts;                                 /* provenance texts, interned: few differ */
	const struct cv_facts *base;                         /* of a copy: what was not changed is there */
	bool frozen, failed;
};

/* The subject of a copy, made from that of its base; NULL if it has none. CV_ENOMEM shows in facts->failed. */
struct cv_subject *cv__facts_own(struct cv_facts *copy, enum cv_kind kind, const char *key);
/* Lists the subjects of a copy: those of the base but for what was changed, and those added. */
void cv__facts_list(struct cv_facts *copy);

#endif
