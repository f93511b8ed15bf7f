/* SPDX-License-Identifier: Apache-2.0 */
/* See: the small steps that the machine's collectors share: look, and say in facts what came of it. */
#ifndef CV_COLLECT_SEE_H
#define CV_COLLECT_SEE_H

#include "collect/collect.h"

/* Provenance with a line (0: none) and without an offset; path may be NULL. */
static inline struct cv_prov cv_see_prov(const char *collector, const char *path, unsigned line)
{
	return (struct cv_prov){ .collector = collector, .path = path, .line = line, .offset = -1 };
}

/* Whole small files: longer ones are CV_ELIMIT. */
#define CV_SEE_TEXT_MAX ((size_t)4 << 20)
int cv_see_text(struct cv_collect_ctx *c, const char *path, struct cv_str *ret);

/*
 * Does the view show this area of a running system ("/proc", "/sys" or "/dev")? A live view does, whatever it finds there. A
 * tree does if that area is filled: the trees of images have empty directories there, whose emptiness says nothing.
 */
bool cv_see_area(struct cv_collect_ctx *c, const char *area);

/* The state that err means for path: what is missing in an area that the view does not show is not asked, not absent. */
enum cv_state cv_see_state(struct cv_collect_ctx *c, const char *path, int err);

/* The field's state for an error at path, with the error's text as the reason where there is more to say than the state. */
void cv_see_fail(struct cv_collect_ctx *c, struct cv_subject *s, enum cv_field id, int err, struct cv_prov prov);

/* The subject with key "". */
static inline struct cv_subject *cv_see_only(struct cv_collect_ctx *c, enum cv_kind kind)
{
	return cv_facts_add(c->facts, kind, "");
}

#endif
