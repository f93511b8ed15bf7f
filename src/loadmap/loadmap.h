/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loadmap: the dynamic loader simulated. Which file is taken for each library, by whom it was asked for, which step of the
 * search decided, and which other files lost; then what the loader would refuse.
 *
 * The rules are those of the target's own glibc (2.17 to 2.43), read off its documentation and checked against the real
 * loaders (tests/truth/loader): DT_RPATH chain, LD_LIBRARY_PATH, DT_RUNPATH of the requester, ld.so.cache, default directories;
 * glibc-hwcaps from 2.33, legacy hwcaps before 2.37; LD_PRELOAD and ld.so.preload; $ORIGIN, $LIB, $PLATFORM; NODEFLIB. musl's own
 * rules for programs of musl.
 *
 * A load map grows by requests: exec of a program, then dlopen calls made by objects that are loaded already. It is built
 * once per (environment, scenario) and only read afterwards.
 *
 *	r = cv_lm_system_new(view, &(struct cv_lm_system_opts){ 0 }, arena, diag, &sys);
 *	r = cv_loadmap_new(sys, arena, diag, &map);
 *	r = cv_loadmap_exec(map, "/usr/bin/python3");
 *	r = cv_loadmap_dlopen(map, 0, "libcudart.so.12", CV_LM_NOW);
 *	...
 *	cv_lm_system_free(sys);    // closes files; all maps made of it end here too
 *
 * All texts live in the arenas. Nothing here is safe for two threads on one system.
 */
#ifndef CV_LOADMAP_LOADMAP_H
#define CV_LOADMAP_LOADMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "parse/elf.h"
#include "view/view.h"

/* Hard maxima; beyond them there is a CV_LM_T_LIMIT trouble and no more is loaded. */
#define CV_LM_OBJECTS_MAX 2000
#define CV_LM_EDGES_MAX 20000
#define CV_LM_TROUBLES_MAX 20000
#define CV_LM_LIST_MAX 16384      /* directories of one path list */
#define CV_LM_STEPS_MAX 2000000   /* files tried by one map */

/* Why a file was taken. */
enum cv_lm_step {
	CV_LM_PROGRAM,   /* asked for by path: the program itself */
	CV_LM_PATH,      /* the name holds a slash */
	CV_LM_LOADED,    /* an object with that name, or that very file, was there already */
	CV_LM_RPATH,
	CV_LM_LIBRARY_PATH,
	CV_LM_RUNPATH,
	CV_LM_CACHE,
	CV_LM_DEFAULT,
	CV_LM_INTERP,    /* the loader itself */
	CV_LM_MISSING,   /* none was taken */
};
const char *cv_lm_step_name(enum cv_lm_step step); /* "RPATH", "LD_LIBRARY_PATH", "ld.so.cache", ... */

/* How it was asked for. */
enum cv_lm_mode { CV_LM_BY_EXEC, CV_LM_BY_NEEDED, CV_LM_BY_FILTER, CV_LM_BY_AUXILIARY, CV_LM_BY_PRELOAD, CV_LM_BY_DLOPEN };
const char *cv_lm_mode_name(enum cv_lm_mode mode); /* "exec", "needed", "filter", "auxiliary", "preload", "dlopen" */

/* Why a candidate file was passed over. */
enum cv_lm_reason {
	CV_LM_LATER,          /* it would have been found, but the search had ended */
	CV_LM_WRONG_CLASS,    /* 32-bit for 64-bit or the other way round */
	CV_LM_WRONG_MACHINE,
	CV_LM_NOT_ELF,        /* found later in the search; a bad file that is met ends the load */
	CV_LM_UNREADABLE,
	CV_LM_DANGLING,
	CV_LM_NEEDS_NEWER_KERNEL,
	CV_LM_HWCAP_UNFIT,    /* a copy for a CPU that is newer or another */
};
const char *cv_lm_reason_name(enum cv_lm_reason reason);

struct cv_lm_loser {
	const char *path;
	enum cv_lm_reason reason;
};

#define CV_LM_NONE ((size_t)-1)

struct cv_lm_object {
	const char *path;     /* as the loader names it (link_map.l_name); of the program: as asked for */
	const char *real;     /* after links */
	const char *soname;   /* DT_SONAME or NULL */
	uint64_t dev, ino;
	const struct cv_elf *elf; /* NULL if it could not be read; only to look at: reading goes through its system's files */
	bool wanted_by_dlopen;    /* root of a dlopen, not needed by something loaded at start */
	bool unloaded;            /* loaded on the way of a dlopen that failed: gone again */
	bool global;              /* its symbols serve all others */
	size_t edge;              /* the request that loaded it */
};

struct cv_lm_edge {
	size_t by;            /* object that asks; CV_LM_NONE for the program and preloads */
	enum cv_lm_mode mode;
	const char *name;     /* as asked for */
	enum cv_lm_step step;
	const char *detail;   /* the list entry that decided ("$ORIGIN/../lib"), or NULL */
	size_t detail_of;     /* object whose RPATH or RUNPATH that list is; else CV_LM_NONE */
	size_t object;        /* CV_LM_NONE if missing */
	const char *refused;  /* the file that was found and then refused, so that there is none; or NULL */
	const char *refusal;  /* why, in the loader's words */
	CV_VEC(struct cv_lm_loser) losers;
	struct cv_strv searched; /* for a missing one: directories and the cache, in the order of the search */
	struct cv_strv tries;    /* with opts.tries: every file that the loader would try to open */
};

enum cv_lm_trouble_kind {
	CV_LM_T_MISSING,        /* cannot open shared object file */
	CV_LM_T_NO_VERSION,     /* version `X' not found (required by ...) */
	CV_LM_T_WRONG_FORMAT,   /* wrong ELF class, invalid ELF header, file too short ... */
	CV_LM_T_UNDEFINED,      /* undefined symbol */
	CV_LM_T_EXEC_STACK,     /* cannot enable executable stack (glibc 2.41 and later, dlopen) */
	CV_LM_T_STATIC_TLS,     /* cannot allocate memory in static TLS block */
	CV_LM_T_ISA_LEVEL,      /* CPU ISA level is lower than required */
	CV_LM_T_UNREADABLE,     /* a file could not be asked about: what the loader does behind it is not known */
	CV_LM_T_LIMIT,          /* a hard maximum was reached */
};
const char *cv_lm_trouble_name(enum cv_lm_trouble_kind kind); /* "missing", "no-version", ... */

struct cv_lm_trouble {
	enum cv_lm_trouble_kind kind;
	bool fatal;           /* the load ends here; false: only if the function is called, or a warning */
	size_t object;        /* the object that suffers: the one that asks; CV_LM_NONE for a preload and the program */
	size_t edge;          /* the request that failed, or CV_LM_NONE */
	const char *name;     /* the library, version or symbol */
	const char *demangled; /* the symbol as its authors wrote it, or NULL */
	const char *other_abi; /* of an undefined symbol: its name under the other C++11 ABI, if provider has that; or NULL */
	size_t provider;      /* for NO_VERSION: the object that should have had it; or CV_LM_NONE */
	const char *message;  /* what ld.so prints or dlerror() says, word for word, without the program's name in front */
};

/* What the loader of this root would use; made once and shared by the maps of one machine. */
struct cv_lm_system;
struct cv_lm_system_opts {
	const char *library_path; /* LD_LIBRARY_PATH or NULL */
	const char *preload;      /* LD_PRELOAD or NULL */
	const char *cwd;          /* for relative entries; NULL: unknown, relative entries are then skipped and said so */
	const char *hwcaps_mask;  /* glibc-hwcaps subdirectories that this CPU takes, best first, colon-separated; NULL: from
				     /proc/cpuinfo */
	const char *glibc;        /* version of the target's loader; NULL: read off the interpreter's own bytes */
	bool bind_now;            /* LD_BIND_NOW */
	bool quick;               /* do not look for files that lose (edge.losers) */
	bool tries;               /* fill edge.tries */
};
/* The view outlives it. The texts of opts are copied. */
int cv_lm_system_new(struct cv_view *v, const struct cv_lm_system_opts *opts, struct cv_arena *a, struct cv_diag *d,
		     struct cv_lm_system **ret);
/* Closes its files; NULL is allowed. */
void cv_lm_system_free(struct cv_lm_system *sys);

struct cv_loadmap {
	CV_VEC(struct cv_lm_object) objects; /* in load order; the program is 0 */
	CV_VEC(struct cv_lm_edge) edges;     /* in the order of the requests */
	CV_VEC(struct cv_lm_trouble) troubles;
	CV_VEC(size_t) scope; /* the global scope: objects in the order in which symbols are looked up */
	CV_VEC(size_t) chain; /* the link map: objects in the order in which ldd prints them */
	const char *machine; /* that it is built for ("x86_64", "aarch64"), or NULL */
	const char *interp, *glibc, *libc;   /* libc: "glibc", "musl", "static", "none" (no loader for it is here) */
};

int cv_loadmap_new(struct cv_lm_system *sys, struct cv_arena *a, struct cv_diag *d, struct cv_loadmap **ret);
/*
 * Loads a program, or a library as ldd does (the library first, no program). As with ldd, a missing library does not end it; a
 * file that would end the real load does. Only once per map. CV_EFORMAT for what the kernel would not run: a diag message
 * says what it is (a script, a kernel module, ...); CV_ENOENT, CV_EACCES, ... if path cannot be read.
 */
int cv_loadmap_exec(struct cv_loadmap *m, const char *path);
/* CV_LM_SYMBOLS: also look up the symbols that a real one looks up at once, and fail as it does. */
enum cv_lm_dlopen_flags { CV_LM_LAZY = 0, CV_LM_NOW = 1, CV_LM_GLOBAL = 2, CV_LM_SYMBOLS = 4 };
/*
 * dlopen(name, flags) called from object by (its RPATH/RUNPATH count). 1: loaded; 0: it would fail, and the troubles added
 * say why; what it loaded on the way is marked unloaded, as the real one unloads it. <0: error.
 */
int cv_loadmap_dlopen(struct cv_loadmap *m, size_t by, const char *name, unsigned flags);
/*
 * Looks every undefined symbol up in scope order, as ldd -r does; adds CV_LM_T_UNDEFINED troubles, with what the C++ ABI tells of
 * them (other_abi).
 */
int cv_loadmap_symbols(struct cv_loadmap *m);

#endif
