/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the rules of hypotheses work with. A rule looks at the facts and at the hypothesis it is about:
 *
 *	CV_HYP_RULE(cv_hyp_shm) { if (...) cv_hyp_confirm(x, h, 40); }
 *
 * and sets the names that the kb's sentences use (cv_hyp_set). A rule never makes text of its own where kb can hold it.
 */
#ifndef CV_JUDGE_HYPO_INT_H
#define CV_JUDGE_HYPO_INT_H

#include "base/map.h"
#include "judge/ctx.h"
#include "judge/hypo.h"

struct cv_hyp {
	const char *id;
	int score;       /* 0: nothing speaks for it */
	bool confirmed, refuted;
	bool by_prose;   /* it rests on a sentence of a person, not on a tool: never confirmed */
	unsigned messages; /* different messages that speak for it */
	const struct cv_finding *finding; /* of the rules that check uses, or NULL */
	struct cv_map vars;
	CV_VEC(struct cv_quote) evidence;
	struct cv_strv notes; /* of its messages */
};

/* A library that something looked for and did not get, or that a build needs by kb. */
struct cv_want_lib {
	const char *name;    /* "libcublas.so.12", "cudnn64_9.dll", or "" when only the majors are known */
	const char *family;  /* "cublas" */
	int64_t cuda, cudnn; /* major that it belongs to; 0: not of that kind */
	const char *needer;  /* "onnxruntime-gpu 1.19.0", or NULL */
	const struct cv_subject *hit; /* the message, or NULL: by kb or by a list of needs */
};

struct cv_hypo_ctx {
	struct cv_judge_ctx j;
	struct cv_arena *a;
	CV_VEC(struct cv_hyp) hyps;
	struct cv_map vars; /* names that every sentence may use */
	CV_VEC(struct cv_want_lib) wants;
};

#define CV_HYP_RULE(name) void name(struct cv_hypo_ctx *x, struct cv_hyp *h)

/* Never NULL: a hypothesis that swallows what is done to it where the id is unknown. */
struct cv_hyp *cv_hyp_of(struct cv_hypo_ctx *x, const char *id);
void cv_hyp_support(struct cv_hyp *h, int score); /* raises by score */
void cv_hyp_at_least(struct cv_hyp *h, int score);
void cv_hyp_confirm(struct cv_hyp *h, int score); /* the facts prove it; at least that score, over every guess */
void cv_hyp_refute(struct cv_hyp *h);
/* A name for the sentences; NULL is passed over, the first one set stays. */
void cv_hyp_set(struct cv_hypo_ctx *x, struct cv_hyp *h, const char *name, const char *value);
void cv_hypo_set(struct cv_hypo_ctx *x, const char *name, const char *value);
const char *cv_hypo_get(const struct cv_hypo_ctx *x, const char *name);
/* Evidence: the fact with its place. */
void cv_hyp_fact(struct cv_hypo_ctx *x, struct cv_hyp *h, const struct cv_subject *s, enum cv_field id);
void cv_hyp_quote(struct cv_hypo_ctx *x, struct cv_hyp *h, const struct cv_subject *hit);

/* Facts in short. Versions are NULL where nothing tells them. */
const struct cv_subject *cv_hypo_package(const struct cv_hypo_ctx *x, const char *name);
const char *cv_hypo_version(const struct cv_hypo_ctx *x, const char *name); /* of a package or framework */
const char *cv_hypo_label(const struct cv_hypo_ctx *x, const char *name);   /* "torch 2.5.1", NULL if not known */
const char *cv_hypo_probe(const struct cv_hypo_ctx *x, const char *question);
bool cv_hypo_answered(const struct cv_hypo_ctx *x, const char *question, const char *answer);
const struct cv_subject *cv_hypo_hit(const struct cv_hypo_ctx *x, const char *message);
/* The line of a kernel log that reports this Xid; and what those that were reported mean, NULL if there are none. */
const struct cv_subject *cv_hypo_xid(const struct cv_hypo_ctx *x, const char *number);
const char *cv_hypo_xids(const struct cv_hypo_ctx *x);
/* How many messages were found that speak for some diagnosis. */
size_t cv_hypo_messages(const struct cv_hypo_ctx *x);
const char *cv_hit_capture(const struct cv_hypo_ctx *x, const struct cv_subject *hit, const char *name);
bool cv_hypo_os(const struct cv_hypo_ctx *x, const char *id);
bool cv_hypo_command(const struct cv_hypo_ctx *x, const char *part);
/* A toolkit whose major is, or is not, the given one; NULL if none is known. */
const struct cv_subject *cv_hypo_toolkit(const struct cv_hypo_ctx *x, int64_t major, bool same);
bool cv_hypo_works(const struct cv_hypo_ctx *x); /* a program in the text says that it ran on the GPU */

bool cv_hypo_on_cpu(const struct cv_hypo_ctx *x); /* a session of ONNX Runtime says that it has the CPU only */

/* Sentences: false where a name outside [ ] is not known. */
bool cv_hypo_fill(const struct cv_hypo_ctx *x, const struct cv_hyp *h, const char *text, const char **ret);

/* hypo_digest.c: the common names and the wanted libraries. */
void cv_hypo_digest(struct cv_hypo_ctx *x);
/* hypo_want.c */
bool cv_lib_name(struct cv_arena *a, const char *name, struct cv_want_lib *ret);
void cv_hypo_wants(struct cv_hypo_ctx *x);

struct cv_hyp_rule {
	const char *id;
	void (*eval)(struct cv_hypo_ctx *x, struct cv_hyp *h);
};
extern const struct cv_hyp_rule cv_hyp_rules[]; /* ends with a NULL id; in the order in which they run */

CV_HYP_RULE(cv_hyp_libraries);
CV_HYP_RULE(cv_hyp_cudnn_mix);
CV_HYP_RULE(cv_hyp_shadowed_lib);
CV_HYP_RULE(cv_hyp_older_first);
CV_HYP_RULE(cv_hyp_nccl);
CV_HYP_RULE(cv_hyp_cupy);
CV_HYP_RULE(cv_hyp_tensorrt);
CV_HYP_RULE(cv_hyp_bitsandbytes);
CV_HYP_RULE(cv_hyp_libstdcxx);
CV_HYP_RULE(cv_hyp_glibc);
CV_HYP_RULE(cv_hyp_driver_old);
CV_HYP_RULE(cv_hyp_container);
CV_HYP_RULE(cv_hyp_requirement);
CV_HYP_RULE(cv_hyp_compat);
CV_HYP_RULE(cv_hyp_wsl);
CV_HYP_RULE(cv_hyp_suspend);
CV_HYP_RULE(cv_hyp_mask);
CV_HYP_RULE(cv_hyp_mig);
CV_HYP_RULE(cv_hyp_exclusive);
CV_HYP_RULE(cv_hyp_mismatch);
CV_HYP_RULE(cv_hyp_flavour);
CV_HYP_RULE(cv_hyp_secure_boot);
CV_HYP_RULE(cv_hyp_not_loaded);
CV_HYP_RULE(cv_hyp_no_gpu);
CV_HYP_RULE(cv_hyp_ptx);
CV_HYP_RULE(cv_hyp_gpu_code);
CV_HYP_RULE(cv_hyp_cpu_build);
CV_HYP_RULE(cv_hyp_double);
CV_HYP_RULE(cv_hyp_companion);
CV_HYP_RULE(cv_hyp_extension);
CV_HYP_RULE(cv_hyp_shadowed_env);
CV_HYP_RULE(cv_hyp_broken);
CV_HYP_RULE(cv_hyp_first_run);
CV_HYP_RULE(cv_hyp_wheel);
CV_HYP_RULE(cv_hyp_index);
CV_HYP_RULE(cv_hyp_jetson);
CV_HYP_RULE(cv_hyp_windows_tf);
CV_HYP_RULE(cv_hyp_windows_runtime);
CV_HYP_RULE(cv_hyp_bundle);
CV_HYP_RULE(cv_hyp_provider);
CV_HYP_RULE(cv_hyp_misread);
CV_HYP_RULE(cv_hyp_model);
CV_HYP_RULE(cv_hyp_memory);
CV_HYP_RULE(cv_hyp_nodes);
CV_HYP_RULE(cv_hyp_import_order);
CV_HYP_RULE(cv_hyp_nvcc);
CV_HYP_RULE(cv_hyp_no_toolkit);
CV_HYP_RULE(cv_hyp_numpy);
CV_HYP_RULE(cv_hyp_mkl);
CV_HYP_RULE(cv_hyp_mixed);
CV_HYP_RULE(cv_hyp_shm);
CV_HYP_RULE(cv_hyp_not_a_fault);
CV_HYP_RULE(cv_hyp_lost);
CV_HYP_RULE(cv_hyp_facts);
CV_HYP_RULE(cv_hyp_fell);
CV_HYP_RULE(cv_hyp_k8s);
CV_HYP_RULE(cv_hyp_dropped);

#endif
