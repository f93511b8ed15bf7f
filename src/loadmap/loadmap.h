/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loadmap: the dynamic loader simulated. Which file is taken for each library, by whom it was asked for, which step of the
 * search decided, and which other files lost; then what the loader would refuse.
 *
 * The rules are those of the target's own glibc (2.17 to 2.43), read off its documentation and checked against the real
 * loaders (tests/truth): DT_RPATH chain, LD_LIBRARY_PATH, DT_RUNPATH of the requester, ld.so.cache, default directories;
 * glibc-hwcaps from 2.33, legacy hwcaps before 2.37; LD_PRELOAD and ld.so.preload; $ORIGIN, $LIB, $PLATFORM; NODEFLIB.
 *
 * A load map grows by requests: exec of a program, then dlopen calls made by objects that are loaded already. It is built
 * once per (environment, scenario) and only read afterwards.
 */
#ifndef CV_LOADMAP_LOADMAP_H
#define CV_LOADMAP_LOADMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "parse/elf.h"
#include "view/view.h"

/* Why a file was taken. */
enum cv_lm_step {
	CV_LM_PROGRAM,   /* asked for by path: the program itself */
	CV_LM_PATH,      /* the name holds a slash */
	CV_LM_LOADED,    /* an object with that SONAME, or that very file, was there already */
	CV_LM_PRELOAD,   /* LD_PRELOAD or ld.so.preload */
	CV_LM_RPATH,
	CV_LM_LIBRARY_PATH,
	CV_LM_RUNPATH,
	CV_LM_CACHE,
	CV_LM_DEFAULT,
	CV_LM_INTERP,    /* the loader itself */
	CV_LM_MISSING,
};
const char *cv_lm_step_name(enum cv_lm_step step); /* "RPATH", "LD_LIBRARY_PATH", "ld.so.cache", ... */

/* Why a candidate file was passed over. */
enum cv_lm_reason {
	CV_LM_LATER,          /* it would have been found, but the search had ended */
	CV_LM_WRONG_CLASS,    /* 32-bit for 64-bit or the other way round */
	CV_LM_WRONG_MACHINE,
	CV_LM_NOT_ELF,
	CV_LM_UNREADABLE,
	CV_LM_DANGLING,
	CV_LM_NEEDS_NEWER_KERNEL,
	CV_LM_HWCAP_UNFIT,    /* a glibc-hwcaps copy for a newer CPU */
};
const char *cv_lm_reason_name(enum cv_lm_reason reason);

struct cv_lm_loser {
	const char *path;
	enum cv_lm_reason reason;
};

struct cv_lm_object {
	const char *path;     /* as the loader names it (link_map.l_name) */
	const char *real;     /* after links */
	const char *soname;   /* DT_SONAME or NULL */
	uint64_t dev, ino;
	const struct cv_elf *elf; /* NULL if it could not be read */
	bool wanted_by_dlopen;    /* root of a dlopen, not needed by something loaded at start */
};

struct cv_lm_edge {
	size_t by;            /* object that asks; CV_LM_NONE for the program and preloads */
	const char *name;     /* as asked for */
	enum cv_lm_step step;
	const char *detail;   /* the list entry that decided ("$ORIGIN/../lib"), or NULL */
	size_t object;        /* CV_LM_NONE if missing */
	CV_VEC(struct cv_lm_loser) losers;
	struct cv_strv searched; /* for a missing one: where it was looked for, in order */
};
#define CV_LM_NONE ((size_t)-1)

enum cv_lm_trouble_kind {
	CV_LM_T_MISSING,        /* cannot open shared object file */
	CV_LM_T_NO_VERSION,     /* version `X' not found (required by ...) */
	CV_LM_T_WRONG_FORMAT,   /* wrong ELF class, invalid ELF header, file too short ... */
	CV_LM_T_UNDEFINED,      /* undefined symbol */
	CV_LM_T_EXEC_STACK,     /* cannot enable executable stack (glibc 2.41 and later, dlopen) */
	CV_LM_T_STATIC_TLS,     /* cannot allocate memory in static TLS block */
	CV_LM_T_UNREADABLE,     /* a file could not be read: nothing behind it is known */
	CV_LM_T_LIMIT,          /* a hard maximum was reached */
};

struct cv_lm_trouble {
	enum cv_lm_trouble_kind kind;
	bool fatal;           /* the load ends here; false: only if the function is called, or a warning */
	size_t object;        /* the object that suffers */
	const char *name;     /* the library, version or symbol */
	size_t provider;      /* for NO_VERSION: the object that should have had it; or CV_LM_NONE */
	const char *message;  /* what ld.so prints, word for word, without the program's name in front */
};

/* What the loader of this root would use; made once and shared by the maps of one machine. */
struct cv_lm_system;
struct cv_lm_system_opts {
	const char *library_path; /* LD_LIBRARY_PATH or NULL */
	const char *preload;      /* LD_PRELOAD or NULL */
	const char *cwd;          /* for relative entries; NULL: unknown, relative entries are then skipped and said so */
	const char *hwcaps_mask;  /* glibc-hwcaps subdirectories that this CPU takes, best first, colon-separated; NULL: from /proc/cpuinfo */
	const char *glibc;        /* version of the target's loader; NULL: read off the interpreter's own bytes */
	bool bind_now;            /* LD_BIND_NOW */
};
int cv_lm_system_new(struct cv_view *v, const struct cv_lm_system_opts *opts, struct cv_arena *a, struct cv_diag *d,
		     struct cv_lm_system **ret);

struct cv_loadmap {
	CV_VEC(struct cv_lm_object) objects; /* in load order */
	CV_VEC(struct cv_lm_edge) edges;     /* in the order of the requests */
	CV_VEC(struct cv_lm_trouble) troubles;
	const char *interp, *glibc, *libc;   /* libc: "glibc", "musl", "static", "none" */
};

int cv_loadmap_new(struct cv_lm_system *sys, struct cv_arena *a, struct cv_diag *d, struct cv_loadmap **ret);
/* Loads a program, or a library as ldd does (the library first, no program). */
int cv_loadmap_exec(struct cv_loadmap *m, const char *path);
enum cv_lm_dlopen_flags { CV_LM_LAZY = 0, CV_LM_NOW = 1, CV_LM_GLOBAL = 2 };
/*
 * dlopen(name, flags) called from object by (its RPATH/RUNPATH count). 1: loaded; 0: it would fail, and the troubles added
 * say why; what it loaded on the way is unloaded again, as the real one does. <0: error.
 */
int cv_loadmap_dlopen(struct cv_loadmap *m, size_t by, const char *name, unsigned flags);
/* Looks every undefined symbol up in scope order, as ldd -r does; adds CV_LM_T_UNDEFINED troubles. */
int cv_loadmap_symbols(struct cv_loadmap *m);

#endif
