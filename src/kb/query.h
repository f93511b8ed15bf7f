/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Query: what `cuvet kb ...` answers, as data; the report room renders it.
 *
 *	kb torch 2.9 | torch 2.9.0+cu128 | onnxruntime-gpu 1.27 | tensorflow 2.16 | jax 0.7 | cupy 14.2 | flash-attn 2.8
 *	kb cuda 12.8 | driver 535.104.05 | cudnn 9 | cudnn 91002 | nccl 2.27 | tensorrt 10.3 | python 3.13 | manylinux 2.28
 *	kb gpu "RTX 4090" | gpu 10de:2684 | cc 8.9
 *	kb image nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04 | cloud colab | conda pytorch 2.7 | distro ubuntu 22.04 | jetson 36.4
 *	kb error 803 | error CUDA_ERROR_NO_DEVICE | xid 79
 *	kb matrix torch | claims onnxruntime
 *
 * A first word alone lists what is known of the subject (releases, branches, GPUs).
 */
#ifndef CV_KB_QUERY_H
#define CV_KB_QUERY_H

#include "base/arena.h"
#include "base/vec.h"
#include "kb/kb.h"

/* One line of an answer. Same label on several lines in a row: several sources or qualifiers of one thing. */
struct cv_kb_line {
	const char *label;     /* "highest CUDA of its driver API", "GPU code (cu128)" */
	const char *value;     /* "12.2", "sm_75 sm_80 sm_86 sm_90" */
	const char *for_what;  /* versions that the row speaks of, "2.9.0" or "2.9.0 to before 2.10.0"; "" where it has none */
	struct cv_kb_row row;  /* the row behind it, with key of source, date and tier; row.subject NULL: reckoned from others */
	const char *title, *address; /* of the source; "" for a reckoned line */
};

/* One build of one release in a table of compatibility. NULL: no row says it. */
struct cv_kb_matrix_row {
	const char *release, *build;   /* "2.9.1", "cu128"; build NULL where a release has only one */
	const char *cuda, *cudnn;      /* "12.8", "9.10.2.21" */
	const char *python;            /* "3.10-3.14" */
	const char *oldest, *newest;   /* compute capabilities of plug-in GPUs that its code serves, by PTX too */
	const char *gaps;              /* those between that it does not serve, blank-separated; "" for none */
	const char *driver;            /* oldest Linux driver for that CUDA major */
	bool ptx;                      /* PTX goes on beyond the newest one */
	bool is_default;               /* it is the build on the Python package index */
	struct cv_strv sources;        /* keys */
};

struct cv_kb_matrix {
	const char *subject;
	CV_VEC(struct cv_kb_matrix_row) rows; /* newest release first */
};

/* What circulates, and what is right. */
struct cv_kb_claim {
	const char *id, *topic, *claim, *verdict, *right;
	const char *doubt;      /* why the verdict is not certain, or NULL */
	struct cv_strv sources; /* keys */
};

struct cv_kb_answer {
	const char *title;     /* "torch 2.9.0, build cu128" */
	const char *subject;   /* subject of the kb: "torch", "gpu:10de:2684" */
	const char *version;   /* as asked, or NULL */
	enum cv_kb_reach reach;
	bool found;            /* false: exit status 3, "not known" */
	/*
	 * One sentence where the answer is not plainly "listed": "torch 2.20 is newer than this knowledge base (2026-11-30)", "an
	 * ambiguous name: say which", ...; NULL otherwise. Rows that still hold may follow.
	 */
	const char *note;
	CV_VEC(struct cv_kb_line) lines;
	const struct cv_kb_matrix *matrix; /* of `kb matrix`, or NULL */
	CV_VEC(struct cv_kb_claim) claims; /* of `kb claims` */
	struct cv_strv candidates; /* names or words that would give an answer, when this one is ambiguous or unknown */
};

/*
 * words are what follows `cuvet kb`. CV_EINVAL (with a message in d) if they are not a question; an unknown subject or version
 * is an answer (found false). The answer lives in a; texts of rows as long as the kb.
 */
int cv_kb_ask(const struct cv_kb *kb, const char *const *words, size_t n, struct cv_arena *a, struct cv_diag *d,
	      const struct cv_kb_answer **ret);

/* A GPU of the kb, found by PCI id or by name. */
struct cv_kb_gpu {
	const char *subject; /* "gpu:10de:2684"; the first one where several ids bear the name */
	const char *name;    /* as the kb spells it */
	const char *cc;      /* "8.9"; NULL where no source gives it */
	uint64_t memory_mib; /* 0: no source gives it, or it differs between the variants */
};

/*
 * Finds a GPU by name, loosely (case, "NVIDIA", "GeForce", "Tesla", form factor and memory size may be missing or added), never
 * ambiguously: 0 if all GPUs that the name can mean have one compute capability, CV_ENOENT if none fits, CV_EINVAL if they
 * differ. candidates (may be NULL) then gets the names in question.
 */
int cv_kb_gpu_by_name(const struct cv_kb *kb, const char *name, struct cv_arena *a, struct cv_strv *candidates,
		      struct cv_kb_gpu *ret);
/*
 * Names that come nearest to one that none fits, the equally near ones, at most three; none if nothing is near. Without the words
 * "NVIDIA" and "GeForce" before them, which nobody types.
 */
void cv_kb_gpu_nearest(const struct cv_kb *kb, const char *name, struct cv_arena *a, struct cv_strv *ret);
/* vendor and device are four hexadecimal digits each, in any case. False if the kb does not list the id. */
bool cv_kb_gpu_by_pci(const struct cv_kb *kb, const char *vendor, const char *device, struct cv_kb_gpu *ret);

#endif
