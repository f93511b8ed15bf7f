/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fate: what becomes of a workload when it loads, by the scenarios that were taken (facts of kind scenario, load, loadfail).
 * The one place that turns failures of the loader into kinds; the rules speak of one kind each.
 */
#ifndef CV_JUDGE_FATE_H
#define CV_JUDGE_FATE_H

#include "judge/ctx.h"

enum cv_fate_kind {
	CV_FATE_UNKNOWN,   /* no scenario was taken: because says why, NULL where there is none for this framework */
	CV_FATE_LOADS,
	CV_FATE_WITH_HELP, /* alone it fails; it loads when torch is imported first, or after preload_dlls() */
	CV_FATE_FAILS,
};

/* Why it fails, alone. */
enum cv_fate_why {
	CV_WHY_NONE,
	CV_WHY_NOT_ON_PATH, /* the library is on the machine (there), and the loader does not look there */
	CV_WHY_NOWHERE,     /* it is not, as far as was looked; another major may be */
	CV_WHY_GLIBC,       /* a version of the C library: name is GLIBC_2.38 */
	CV_WHY_LIBSTDCXX,   /* GLIBCXX_..., CXXABI_... */
	CV_WHY_VERSION,     /* another version of a library */
	CV_WHY_EXEC_STACK,
	CV_WHY_STATIC_TLS,
	CV_WHY_FORMAT,      /* a file that cannot be loaded */
	CV_WHY_MODULE,      /* no extension module for this Python */
	CV_WHY_OTHER,
};

struct cv_fate {
	enum cv_fate_kind kind;
	enum cv_fate_why why;
	const char *because;
	const struct cv_subject *scenario, *fail; /* of the workload alone; fail NULL where nothing failed */
	const char *name, *by, *message;          /* of fail; may be NULL */
	const struct cv_wlib *there;
	bool torch_first, preload;                /* which help helps */
};

/* Looks at one workload of known fate; true: it made a finding. */
typedef bool cv_fate_fn(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wload *l, const struct cv_fate *fate);
/* Shows see every workload of known fate. Gives how many made a finding. */
size_t cv_fates_find(struct cv_judge_ctx *ctx, const struct cv_rule *self, cv_fate_fn *see);
/* The same as a whole rule: where nothing is found it says that it is ruled out, or why that cannot be said. */
void cv_fates_judge(struct cv_judge_ctx *ctx, const struct cv_rule *self, cv_fate_fn *see, const char *ruled_out);

struct cv_fate cv_load_fate(const struct cv_judge_ctx *ctx, const struct cv_wload *l);
/* A scenario of an environment by its programs ("torch:cuda onnxruntime:cuda"); NULL if it was not taken. */
const struct cv_subject *cv_scenario_of(const struct cv_judge_ctx *ctx, size_t env, const char *programs);
bool cv_scenario_done(const struct cv_subject *scenario);
/*
 * The loads (CV_KIND_load) or failures (CV_KIND_loadfail) of a scenario: their keys are SCENARIO|NNNN, and facts are sorted by
 * key. Gives the index of the first; they go on while cv_is_of().
 */
size_t cv_first_of(const struct cv_judge_ctx *ctx, enum cv_kind kind, const struct cv_subject *scenario);
bool cv_is_of(const struct cv_subject *s, const struct cv_subject *scenario);
/* The file loaded for a library family ("cudnn", "cublasLt") in a scenario, the first; NULL if none. */
const struct cv_subject *cv_scenario_load(const struct cv_judge_ctx *ctx, const struct cv_subject *scenario, const char *family);
/* LD_LIBRARY_PATH without an entry; NULL if the variable is not known or does not hold it. */
const char *cv_path_without(const struct cv_judge_ctx *ctx, const char *entry);
/* A fix that sets LD_LIBRARY_PATH to this, or unsets it where it is "". Its effect is the caller's to say. */
struct cv_fix *cv_find_path(struct cv_judge_ctx *ctx, struct cv_finding *f, const char *value, const char *changes);
/* The library at this path; NULL if it was not looked at. */
const struct cv_wlib *cv_lib_at(const struct cv_judge_ctx *ctx, const char *path);

#endif
