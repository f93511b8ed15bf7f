/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the gate share. */
#ifndef CV_JUDGE_GATE_INT_H
#define CV_JUDGE_GATE_INT_H

#include "base/str.h"
#include "judge/gate.h"
#include "judge/world.h"

#define CV_GATE_INSTALLS_MAX 200 /* of one fix, with what they require */

/* A distribution of the environment at hand, as the fix leaves it. */
struct cv_gate_pkg {
	const char *name, *key, *version; /* version NULL: not known */
	const struct cv_subject *s;	  /* as it was; NULL: the fix brings it */
	bool gone;
};

/* One fix being applied to a copy of the facts. */
struct cv_gate_run {
	const struct cv_facts *facts;
	struct cv_facts *copy;
	const struct cv_kb *kb;
	const struct cv_world *w; /* before the fix */
	struct cv_arena *a;
	const char *untried; /* the first thing that is not known; then nothing more is done */
	const struct cv_wenv *env;
	const char *site; /* where its packages go */
	CV_VEC(struct cv_gate_pkg) pkgs;
	size_t installs;
};

/* The first reason counts. */
void cv__gate_stop(struct cv_gate_run *r, const char *fmt, ...) CV_PRINTF(2, 3);
struct cv_prov cv__gate_prov(void);
static inline void cv__gate_str(struct cv_gate_run *r, struct cv_subject *s, enum cv_field id, const char *value)
{
	if (value)
		cv_facts_str(r->copy, s, id, value, cv__gate_prov());
	else
		cv_facts_state(r->copy, s, id, CV_ABSENT, NULL, cv__gate_prov());
}
static inline void cv__gate_bool(struct cv_gate_run *r, struct cv_subject *s, enum cv_field id, bool value)
{
	cv_facts_bool(r->copy, s, id, value, cv__gate_prov());
}

/* The parts of applying; each leaves the reason in r->untried where it cannot. */
/* Applies every effect; the reason where one cannot be applied. */
const char *cv__gate_apply(struct cv_gate_run *r, const struct cv_fix *x);
void cv__gate_env(struct cv_gate_run *r, const char *env);
void cv__gate_install(struct cv_gate_run *r, const struct cv_effect *e);
void cv__gate_uninstall(struct cv_gate_run *r, const char *name);
void cv__gate_driver(struct cv_gate_run *r, const char *version);
void cv__gate_load(struct cv_gate_run *r);
/* The import directory of framework holds this release now (version with local part). */
void cv__gate_framework(struct cv_gate_run *r, const char *framework, const char *dist, const char *version, const char *extras);
/* "2.9.0+cu128" of "==2.9.0+cu128"; NULL for any other specifier. */
const char *cv__gate_exact(const char *spec);
/* The framework whose import directory a distribution writes, by kb; NULL if none. */
const char *cv__gate_owns(struct cv_gate_run *r, const char *name);
/* A version of a wheel that is taken in any: what its kind has for this CUDA major; NULL: not known. */
const char *cv__gate_usual_version(struct cv_gate_run *r, const char *wheel);
/* What extras ("cuda,cudnn", may be NULL) of a release bring. */
void cv__gate_extras(struct cv_gate_run *r, const char *name, const char *version, const char *extras);
/* All that comes with the release of e; s is its subject, was that of the one before, or NULL. */
void cv__gate_brings(struct cv_gate_run *r, struct cv_subject *s, const struct cv_subject *was, const struct cv_effect *e,
		     const char *version);
/* What else comes with it: requirements, each an INSTALL; words of a kb row. */
void cv__gate_requires(struct cv_gate_run *r, const char *words, bool only_majors);
/* The libraries of one of NVIDIA's wheels: put in place (of most the major decides), taken away. */
void cv__gate_libs(struct cv_gate_run *r, const char *wheel, const char *version);
/* Wheels for another CUDA that have the same files: these are of another size now. */
void cv__gate_overwrite(struct cv_gate_run *r, const char *wheel, const char *version);
void cv__gate_remove_libs(struct cv_gate_run *r, const char *wheel);
/* The newest wheel that satisfies spec, by kb; NULL if it lists none. */
const char *cv__gate_newest_cudnn(struct cv_gate_run *r, const char *wheel, const char *spec);
/* "nvidia-cudnn" and 12 of nvidia-cudnn-cu12; 0 where the name says no major. */
const char *cv__gate_wheel_stem(struct cv_gate_run *r, const char *wheel, int64_t *ret_cuda);
struct cv_gate_pkg *cv__gate_pkg(struct cv_gate_run *r, const char *name);
/* "12.8" of a torch build: by its local part, or that of the wheel on the package index; NULL for a CPU build or if not known. */
const char *cv__gate_torch_cuda(struct cv_gate_run *r, const char *version, const char **ret_variant);

#endif
