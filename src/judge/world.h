/* SPDX-License-Identifier: Apache-2.0 */
/*
 * World: the typed picture of machine, GPUs, environments and workloads that the rules read, made once from facts and kb.
 *
 * Everything is borrowed from facts, kb or the judge's arena and read-only once made. A NULL text means "not known" or "none";
 * the field beside it says which. Nothing here is a verdict: that is for cells and rules.
 */
#ifndef CV_JUDGE_WORLD_H
#define CV_JUDGE_WORLD_H

#include "base/map.h"
#include "facts/facts.h"
#include "judge/finding.h"
#include "judge/match.h"
#include "judge/weigh.h"
#include "kb/kb.h"

/* Where the loader finds a library by its SONAME, without RPATH. The order is that of the search. */
enum cv_reach_step { CV_STEP_LD_LIBRARY_PATH, CV_STEP_CACHE, CV_STEP_DEFAULT, CV_STEP_NONE };

struct cv_wlib {
	const struct cv_subject *s;
	const char *family, *soname, *version, *origin, *env; /* may be NULL */
	const char *path;				      /* as the loader would name it, otherwise the real path */
	enum cv_reach_step step;
	size_t order; /* within the step */
};

/* What there is of an NVIDIA driver. */
enum cv_driver_state {
	CV_DRIVER_READY,      /* a module is loaded (or WSL's or a board's own driver is there) and a libcuda of its own */
	CV_DRIVER_NOT_LOADED, /* parts of it are installed, the module is not loaded */
	CV_DRIVER_NO_LIBRARY, /* the module is loaded, no libcuda is there */
	CV_DRIVER_MISSING,    /* no part of it is there */
	CV_DRIVER_NOT_PASSED, /* in a container that got no libcuda */
	CV_DRIVER_UNKNOWN,    /* a needed fact is missing: unknown_because */
};

struct cv_wdriver {
	const struct cv_subject *s;
	enum cv_driver_state state;
	const char *unknown_because;
	const char *version_because; /* why a loaded module's version is not known, so that no mismatch can be ruled out */
	enum cv_tri loaded, open;
	bool tegra;		     /* a Tegra driver whose numbers are not those of the desktop branches */
	const char *module;	     /* version of the loaded module */
	const struct cv_wlib *host;  /* the driver's own libcuda (WSL: that of Windows) */
	const struct cv_wlib *first; /* the libcuda.so.1 that a program without RPATH gets */
	const struct cv_wlib *other; /* a host libcuda of another version than host, if any */
	bool library_read;	     /* a libcuda said its version or its CUDA release */
	const char *version;	     /* the version that decides: of first, else of the module */
	const char *api;	     /* CUDA version that its API has at least */
	bool api_exact;		     /* it has exactly that one */
	bool newer_than_kb;
	const char *api_because; /* why api is NULL */
	bool has_api_row;
	struct cv_kb_row api_row; /* the row that told */
};

struct cv_wgpu {
	const struct cv_subject *s;
	const char *pci, *name, *cc, *arch, *label; /* label: for titles, never NULL */
	struct cv_cc ccn;			    /* when cc is known */
	const char *cc_because;			    /* why cc is NULL */
	bool has_cc_row;
	struct cv_kb_row cc_row; /* the row that told cc; false: a fact did */
	uint64_t memory_mib;
	bool integrated;     /* of a Jetson */
	bool unbound;	     /* another kernel driver than NVIDIA's holds it */
	bool held_by_linux;  /* and that is nouveau or nova, not one that a virtual machine wants */
	enum cv_tri node;    /* its device node is there and usable, or will be made */
	enum cv_tri visible; /* CUDA would enumerate it */
	bool masked;	     /* it is invisible only because CUDA_VISIBLE_DEVICES hides it */
};

enum cv_build { CV_BUILD_UNKNOWN, CV_BUILD_GPU, CV_BUILD_CPU, CV_BUILD_ROCM };

/* A library that a program of an environment can get: its own, or one that the loader reaches. */
struct cv_wnear {
	const struct cv_wlib *lib;
	bool in_env;
};

struct cv_wenv {
	const struct cv_subject *s;
	size_t index;
	const char *path, *exe, *manager;
	const char *py; /* "3.12" or NULL */
	bool active, selected, managed;
	CV_VEC(const struct cv_subject *) packages;
	CV_VEC(struct cv_wnear) near; /* in the order of cv_world.libs, without stubs */
};

struct cv_wload {
	size_t env;
	const char *name;      /* "torch", "onnxruntime:cuda", ... */
	const char *framework; /* "torch", "onnxruntime", ... */
	const struct cv_subject *fw;
	const struct cv_subject *pkg; /* the distribution in place, or NULL */
	const char *dist;	      /* its name, never NULL */
	const char *version;	      /* with local part, or NULL */
	const char *label;	      /* "torch 2.9.0+cu128", never NULL */
	enum cv_build build;
	const char *build_because; /* how build is known, or why it is not */
	const char *cuda, *cudnn;  /* releases it was built with */
	const char *variant;	   /* "cu128", torch only */
	const char *code;	   /* list of GPU code */
	const char *code_because;  /* why code is NULL */
	bool code_elsewhere;	   /* it makes its GPU code at run time */
	bool newer_than_kb;
	bool has_code_row;
	struct cv_kb_row code_row;
	bool has_file_code; /* code was read from the file itself, which outranks kb */
	struct cv_file_code file_code;
	bool desktop_wheel; /* made for servers and desktops, not for a Jetson */
};

struct cv_world {
	const struct cv_subject *machine;
	bool live, wsl, jetson, gvisor, container, x86, aarch64;
	const char *arch; /* never NULL: "" if not known */
	struct cv_wdriver driver;
	CV_VEC(struct cv_wlib) libs;
	struct cv_map by_soname; /* -> the first struct cv_wlib of that SONAME (or file name) that is no stub */
	CV_VEC(struct cv_wgpu) gpus;
	CV_VEC(struct cv_wenv) envs;
	CV_VEC(struct cv_wload) loads;
	struct cv_map writes; /* package name -> framework whose directory it writes, "" for none */
	enum cv_tri has_gpu; /* BAD: looked and there is none */
	const char *has_gpu_because;
	size_t visible_n, maybe_n; /* GPUs that are visible; that may be */
	const char *mask_value;	   /* CUDA_VISIBLE_DEVICES, NULL if not set or not known */
	struct cv_mask mask;
	bool mask_ordered;
};

/* NULL when out of memory. */
const struct cv_world *cv_world_new(const struct cv_facts *facts, const struct cv_kb *kb, struct cv_arena *a);

/* KNOWN yes: ok; KNOWN no and ABSENT: bad; otherwise unknown. */
enum cv_tri cv_fact_tri(const struct cv_subject *s, enum cv_field id);
/* "not allowed to see /dev/nvidia0", "/proc/... was not looked at": why a field is not known. */
const char *cv_fact_because(struct cv_arena *a, const struct cv_subject *s, enum cv_field id);
/* A package of the environment by its normalised name, not hidden by another copy; NULL if there is none. */
const struct cv_subject *cv_wenv_package(const struct cv_wenv *env, const char *name);
/* The framework whose import directory a distribution of this name writes, by kb; NULL if none. */
const char *cv_world_writes(const struct cv_world *w, const char *package);
/* The workload of that framework in an environment, or NULL. */
const struct cv_wload *cv_world_load(const struct cv_world *w, size_t env, const char *framework);
/* "CUDA", "CPU-only", ... */
const char *cv_build_name(enum cv_build b);

/* The pieces of cv_world_new(), one file each. */
void cv__world_driver(struct cv_world *w, const struct cv_facts *facts, const struct cv_kb *kb, struct cv_arena *a);
void cv__world_gpus(struct cv_world *w, const struct cv_facts *facts, const struct cv_kb *kb, struct cv_arena *a);
void cv__world_envs(struct cv_world *w, const struct cv_facts *facts, const struct cv_kb *kb, struct cv_arena *a);

#endif
