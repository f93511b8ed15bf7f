/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advise: what to install, and what never to advise. Every build that is named here has code for each GPU that counts, a wheel
 * for this Python and glibc, and a CUDA that this driver runs; no driver is advised that drops one of the GPUs.
 */
#ifndef CV_JUDGE_ADVISE_H
#define CV_JUDGE_ADVISE_H

#include "judge/ctx.h"

#define CV_WANT_GPUS 64

/* What a build must fit. */
struct cv_want {
	struct cv_cc gpus[CV_WANT_GPUS]; /* each kind once */
	size_t n;
	const char *api; /* CUDA version of the driver API, NULL: not known */
	bool api_exact;
	const char *py;	   /* "3.12" or NULL: any */
	const char *glibc; /* NULL: any */
	bool aarch64;
};

/* Of this machine and environment (NULL: any). False if a GPU's compute capability or the driver is not known. */
bool cv_want_of(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, struct cv_want *ret);

/*
 * The best torch build. keep: the release that should stay if a build of it fits, or NULL for the newest. A build of a CUDA
 * release that the driver offers in full is preferred; one that runs by minor-version compatibility only is taken where it
 * gets a torch at least two releases newer.
 */
bool cv_advise_torch(const struct cv_judge_ctx *ctx, const struct cv_want *want, const char *keep, struct cv_build_advice *ret);
/* The newest build whose CUDA the driver offers in full. */
bool cv_advise_torch_in_full(const struct cv_judge_ctx *ctx, const struct cv_want *want, struct cv_build_advice *ret);
/* The newest onnxruntime-gpu of a CUDA major (0: whatever the driver runs). */
bool cv_advise_ort(const struct cv_judge_ctx *ctx, const struct cv_want *want, int64_t cuda_major, struct cv_build_advice *ret);

/* The newest cuDNN of that flavour ("cu12") and major with code for every GPU, that no other package forbids; NULL: none. */
const char *cv_advise_cudnn(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, const char *flavour, int64_t major);
/*
 * What to ask for where an installation would bring the newest cuDNN 9 and that one has no code for a GPU here:
 * "nvidia-cudnn-cu12==9.10.2.21". NULL where the newest will do, or where no release would.
 */
const char *cv_cudnn_pin(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, int64_t cuda_major);

/*
 * May the driver be raised to version? CV_TRI_BAD: a GPU would be dropped (*ret_gpu, *ret_last say which and its last
 * branch). UNKNOWN: a GPU's compute capability is not known.
 */
enum cv_tri cv_advise_driver(const struct cv_judge_ctx *ctx, const char *version, const struct cv_wgpu **ret_gpu,
			     const char **ret_last);
/* The lowest last branch of all GPUs ("580"), NULL if none has one. */
const char *cv_last_driver(const struct cv_judge_ctx *ctx);
/* The oldest driver that all GPUs accept ("570"), NULL if none is known. */
const char *cv_min_driver(const struct cv_judge_ctx *ctx);

/* Commands for the tool that manages the environment. */
struct cv_install {
	const struct cv_wenv *env;
	const struct cv_subject *pkg; /* the installed package that is replaced, or NULL */
	struct cv_strv remove;	      /* distributions to remove first */
	struct cv_strv specs;	      /* "onnxruntime-gpu==1.31.1" */
	const char *index_url;	      /* NULL: the default index */
	bool force;		      /* even if that version is installed */
	bool no_deps;
};
/* NULL where no command can be given (conda packages, a Python that its distribution manages): then say it in words. */
const char *cv_install_command(const struct cv_judge_ctx *ctx, const struct cv_install *in);
/* Adds the command as a fix, with what it does; NULL where there is none. */
struct cv_fix *cv_find_install(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_install *in, const char *changes);
/* True if conda or the distribution's package manager owns this package. */
bool cv_is_conda(const struct cv_wenv *env, const struct cv_subject *pkg);

/* What to do first where another directory comes before the environment's packages on sys.path; NULL where none does. */
const char *cv_install_in_vain(const struct cv_judge_ctx *ctx, const struct cv_wload *l);

/*
 * Adds the fix "install this torch build, with its companions as far as they are installed"; false if no build fits, with
 * *ret_none (may be NULL) saying why.
 */
bool cv_fix_torch(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wload *l, const char **ret_none);
/* The same for onnxruntime-gpu; removes the packages that write the same directory. */
bool cv_fix_ort(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wload *l, const char **ret_none);
/* Adds "raise the driver to version or newer", as far as the GPUs allow; false if they do not. */
bool cv_fix_driver(struct cv_judge_ctx *ctx, struct cv_finding *f, const char *version);
/* How a driver is installed on this system; text with the version in it. */
const char *cv_driver_how(const struct cv_judge_ctx *ctx, const char *version);

#endif
