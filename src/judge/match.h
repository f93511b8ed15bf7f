/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Match: the rules by which GPU code, drivers and masks meet GPUs, as pure functions without facts or kb.
 *
 * Answers are three-valued: CV_TRI_UNKNOWN where the vendor's documents leave a case open (Tegra, new members of a family).
 */
#ifndef CV_JUDGE_MATCH_H
#define CV_JUDGE_MATCH_H

#include "base/str.h"
#include "judge/finding.h"

/* A compute capability: 8.9 is { 8, 9 }. */
struct cv_cc {
	unsigned major, minor;
};
bool cv_cc_parse(const char *s, struct cv_cc *ret);
int cv_cc_cmp(struct cv_cc a, struct cv_cc b);

/* What code was made for, named as cuobjdump does: sm_86, sm_90a, compute_120f. */
struct cv_target {
	bool ptx;
	struct cv_cc cc;
	char suffix; /* 0, 'a' or 'f' */
};
bool cv_target_parse(struct cv_str word, struct cv_target *ret);

/* Does code of this target run on the GPU? For PTX only as far as the architecture decides: the driver must know its ISA. */
enum cv_tri cv_target_runs(struct cv_target t, struct cv_cc gpu);

struct cv_code_match {
	enum cv_code code;
	struct cv_str by;	 /* the word of the list that serves the GPU; empty if none does */
	bool only_ptx;		 /* nothing but PTX would serve it (also when the driver cannot compile that PTX) */
	bool undecided;		 /* unknown because a rule is unsettled, not because the list is not known */
	struct cv_cc min, max;	 /* of all targets of the list */
	uint64_t covered, total; /* containers of a file that serve the GPU, and all; 0 where a list decided */
};

/*
 * Which code of a list ("sm_75 sm_90a compute_90") a GPU takes. list NULL or empty: unknown. ptx: whether the driver can
 * compile the PTX of the toolkit that made it.
 */
struct cv_code_match cv_code_match(const char *list, struct cv_cc gpu, enum cv_tri ptx);

/*
 * Does a driver whose CUDA API version is at least api (exactly api with exact) run programs built with CUDA release cuda?
 * Within one major from 11 on, yes: minor-version compatibility. Before 11 the release itself is needed.
 */
enum cv_tri cv_driver_runs(const char *api, bool exact, const char *cuda);

/* One GPU that the driver would enumerate, for a mask. */
struct cv_mask_gpu {
	const char *uuid; /* NULL: not known */
	enum cv_tri visible;
};
struct cv_mask {
	struct cv_str bad; /* the entry that ended the list, empty if none did */
	bool bad_is_end;   /* the mask is "", "-1" or the like: hides on purpose */
	bool has_mig;	   /* an entry names a MIG instance */
};

/*
 * Applies a CUDA_VISIBLE_DEVICES value to n GPUs in PCI order, setting their visible. With ordered false an index tells no
 * GPU apart (a mixed box in the default order FASTEST_FIRST): it leaves the GPUs unknown, unless it is out of range.
 */
struct cv_mask cv_mask_apply(const char *value, bool ordered, struct cv_mask_gpu *gpus, size_t n);

/* Minor number N of the lowest glibc 2.N that wheel tags ask for ("cp312-cp312-manylinux_2_28_x86_64"); -1 if none asks. */
int cv_tags_glibc(const struct cv_strv *tags);

/* Does a line of Requires-Dist name this package (both normalised)? */
bool cv_require_names(const char *require, const char *name);

/* "12" of libcublas.so.12, "9" of libcudnn.so.9, "11" of libcudart.so.11.0; empty if there is no number. */
struct cv_str cv_soname_major(const char *soname);
/* "cublas" of libcublas.so.12; empty if it is no such name. */
struct cv_str cv_soname_family(const char *soname);

#endif
