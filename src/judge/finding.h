/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the judge hands to the report: cells, findings, what was ruled out and what could not be evaluated.
 * Plain data in one arena, read-only once made. The meaning of each field is that of docs/json.md (exit status and JSON).
 */
#ifndef CV_JUDGE_FINDING_H
#define CV_JUDGE_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "cuvet/cuvet.h"
#include "facts/facts.h"

struct cv_rule;
struct cv_judge_ctx;

struct cv_evidence {
	const char *fact;   /* "driver.module_version" */
	const char *value;  /* "535.104.05" */
	const char *source; /* "/proc/driver/nvidia/version:1", or "kb: KEY (DATE)" */
};

struct cv_param {
	const char *name; /* "needed", "found", "soname", "sm", ... */
	struct cv_strv values; /* one: written as a string; several: as a list */
};

/* What a fix changes, in words that facts have: gate.h tries it. */
enum cv_effect_kind {
	CV_EFFECT_INSTALL,   /* name spec [extras] into env, as pip or uv would */
	CV_EFFECT_UNINSTALL, /* name out of env */
	CV_EFFECT_DRIVER,    /* driver of version spec installed, module and libraries, and its module loaded */
	CV_EFFECT_LOAD,      /* the installed module loaded, and the nodes made, as far as a GPU and the kernel let it */
	CV_EFFECT_FACT,      /* field of subject name has value; NULL: absent */
	CV_EFFECT_REMOVE,    /* subject name of kind is gone */
};

struct cv_effect {
	enum cv_effect_kind kind;
	const char *env;    /* INSTALL, UNINSTALL: key of the environment */
	const char *name;   /* normalised name of a distribution; key of a subject */
	const char *spec;   /* INSTALL: "==2.9.0+cu126", ">=1.21", "" for any; DRIVER: version */
	const char *extras; /* INSTALL: "cuda,cudnn", or NULL */
	bool force;         /* INSTALL: even if that version is there */
	bool no_deps;       /* INSTALL: it alone */
	enum cv_kind subject;
	enum cv_field field;
	const char *value; /* BOOL: "yes" or "no" */
};

/* A finding that is there only after a fix. */
struct cv_price {
	const char *id, *title;
	enum cv_severity severity;
};

struct cv_fix {
	const char *command; /* exactly what to type; NULL if text says it */
	const char *text;    /* what to do where no command fits; NULL otherwise */
	const char *changes; /* what it changes */
	bool needs_root, reboot;
	const char *risk; /* its price, or NULL */
	CV_VEC(struct cv_effect) effects;
	/* What the gate found: tried on a copy of the facts, or why not. heals: the finding is gone then, as far as facts tell. */
	bool tried, heals;
	bool blind_to_loads; /* tried, but for what programs load after it, which only the loader's rules on files would tell */
	const char *untried;
	CV_VEC(struct cv_price) price;
};

struct cv_finding {
	const struct cv_rule *rule;
	enum cv_severity severity;
	enum cv_role role;
	const char *title;                                  /* one line with this machine's own names and versions */
	const char *subject_kind, *subject_name, *subject_path; /* path may be NULL */
	struct cv_strv cells;                               /* cell keys it hits */
	CV_VEC(struct cv_param) params;
	CV_VEC(struct cv_evidence) evidence;
	const char *why;
	CV_VEC(struct cv_fix) fixes; /* cheapest first */
	const char *prove;           /* a command that shows it is gone, or NULL */
	const char *cause;           /* id of the primary finding of which this is a symptom, or NULL */
	size_t env;                  /* index of the environment, or CV_NO_INDEX for the machine */
};

#define CV_NO_INDEX ((size_t)-1)

enum cv_tri { CV_TRI_UNKNOWN, CV_TRI_OK, CV_TRI_BAD };
enum cv_code { CV_CODE_UNKNOWN, CV_CODE_NATIVE, CV_CODE_PTX_JIT, CV_CODE_PARTIAL, CV_CODE_NONE };

struct cv_cell {
	const char *key;      /* "env#|workload|gpu#" */
	size_t env, gpu;      /* gpu: CV_NO_INDEX where there is none */
	const char *workload; /* "torch", "onnxruntime:cuda", ... */
	enum cv_tri driver, loads;
	enum cv_code code;
	enum cv_verdict verdict;
	const char *unknown_because; /* for a cell that stays unknown */
	/* For the picture: what is found at each step of driver -> CUDA -> cuDNN -> framework -> GPU; NULL where not known. */
	const char *show_driver, *show_cuda, *show_cudnn, *show_framework, *show_gpu;
	bool cudnn_lacks_code; /* what is wrong with code: the framework has it, the cuDNN that it gets does not */
};

struct cv_because {
	const char *id, *because;
};

struct cv_report_gpu {
	const char *name, *pci, *cc; /* cc NULL: unknown */
	const char *cc_state;        /* reason when cc is NULL */
	uint64_t memory_mib;         /* 0: unknown */
	enum cv_tri visible;
};

struct cv_report_package {
	const char *name, *version, *build, *installer, *path;
};

struct cv_report_env {
	const char *path, *kind, *python;
	bool active, selected;
	enum cv_verdict verdict;
	CV_VEC(struct cv_report_package) packages;
};

struct cv_report_driver {
	const char *module, *library, *library_path, *cuda_api, *firmware;
	enum cv_tri open;
	const char *state; /* why module is NULL: "absent", "denied", ... */
};

struct cv_report {
	enum cv_verdict verdict;
	const char *verdict_line; /* one sentence: the answer */
	const char *os, *kernel, *glibc, *arch, *kind;
	struct cv_report_driver driver;
	CV_VEC(struct cv_report_gpu) gpus;
	CV_VEC(struct cv_report_env) envs;
	CV_VEC(struct cv_cell) cells;
	CV_VEC(struct cv_finding) findings; /* errors first, primary before its symptoms, then by id and subject */
	CV_VEC(struct cv_because) ruled_out;
	CV_VEC(struct cv_because) not_evaluated;
	CV_VEC(struct cv_because) notices; /* id NULL: free text for the reader, e.g. "newer than this knowledge base" */
};

#endif
