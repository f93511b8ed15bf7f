/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share and nobody else includes. */
#ifndef CV_LOADMAP_LM_H
#define CV_LOADMAP_LM_H

#include "base/map.h"
#include "loadmap/loadmap.h"
#include "parse/ldcache.h"

/* Files: each is opened and read once per system, whatever the number of names and maps that lead to it. */

struct lm_symtab;

/*
 * A src that opens its file when it is read and may be closed at any time between, so that thousands of files need few handles.
 */
struct lm_src {
	struct cv_src src;
	struct cv_lm_system *sys;
	const char *path;
	struct cv_src *inner;      /* NULL: closed */
	struct lm_src *newer, *older; /* in the order of use, while open */
};

#define LM_HEAD 64
#define LM_KERNEL_UNREAD (~0u)

struct lm_file {
	struct lm_src src;
	const char *path;           /* the first that led to it */
	uint64_t dev, ino, size;
	int err;                    /* of reading it: 0 or a cv_err */
	unsigned char head[LM_HEAD]; /* its first bytes */
	size_t head_n;
	struct cv_elf *elf;         /* NULL: no ELF header, or not read */
	uint32_t kernel;            /* least kernel by its ABI note, 0: any; LM_KERNEL_UNREAD */
	uint32_t isa;               /* x86 ISA bits that its notes ask for; valid with have_isa */
	bool have_isa;
	uint32_t soname_hash;
	const struct lm_file **fits; /* per need of versions: the provider that is known to have all of them */
	struct lm_symtab *symtab;   /* NULL: not read yet */
};

/* What a path leads to. */
struct lm_path {
	const char *path;
	int err;              /* of looking at it: 0 or a cv_err */
	enum cv_ftype type;
	uint64_t dev, ino;
	struct lm_file *file; /* regular files that were opened, or tried to */
	const char *real;     /* NULL: not asked for yet */
};

/* Looks at a path without opening it. *ret is never NULL; <0 only for CV_ENOMEM and CV_ELIMIT. path is absolute. */
int cv_lm_look(struct cv_lm_system *sys, const char *path, struct lm_path **ret);
/* The same, and opens what is a regular file. */
int cv_lm_path(struct cv_lm_system *sys, const char *path, struct lm_path **ret);
/* The path with links resolved; the path itself where that cannot be told. "" on CV_ENOMEM. */
const char *cv_lm_real(struct cv_lm_system *sys, struct lm_path *p);
/* The kernel that the file's ABI note asks for, 0x00MMmmpp. */
uint32_t cv_lm_kernel_of(struct lm_file *f);

/* What the CPU can, as far as the loader asks. */
struct lm_cpu {
	bool known;
	unsigned level;       /* 1: x86-64 baseline; 2, 3, 4: x86-64-v2 ... */
	bool intel;
	bool avx512_1;        /* legacy capability */
	const char *platform; /* legacy platform ("haswell", "xeon_phi") or NULL */
	bool atomics;         /* aarch64 */
};

enum lm_libc { LM_GLIBC, LM_MUSL, LM_NO_LIBC };

/* A dynamic loader of the root. */
struct lm_loader {
	const char *path;      /* as PT_INTERP names it */
	enum lm_libc libc;     /* LM_NO_LIBC: it is not there */
	const char *version;   /* "2.36", NULL if it cannot be told */
	unsigned minor;        /* of glibc 2.minor; the newest where it cannot be told */
	struct lm_file *file;
	const char *soname;
	bool is64, big_endian;
	uint16_t machine;
	struct cv_strv dirs;   /* default directories, each with a slash at the end */
	const char *lib, *platform; /* $LIB, $PLATFORM; NULL: unknown */
	struct cv_strv subdirs; /* tried in each directory: "glibc-hwcaps/x86-64-v3/", ..., and "" as the last */
	size_t named;          /* how many of them are glibc-hwcaps */
	uint64_t hwcap;        /* legacy capabilities as the cache counts them */
	uint64_t platform_bit;
	uint32_t cache_flags;
	unsigned isa;          /* x86 ISA level of the CPU: bit 0 baseline, 1 v2, ...; all bits where it is not known */
	struct cv_map cached;  /* name -> struct lm_cached: what the cache has for it */
};

/* Which loader serves a file: by its PT_INTERP, or the usual one of its machine. */
int cv_lm_loader_for(struct cv_lm_system *sys, const struct cv_elf *e, struct lm_loader **ret);
/* Fills what depends on the bytes of the loader itself. */
int cv_lm_read_glibc(struct cv_lm_system *sys, struct lm_loader *ld);
int cv_lm_cpu(struct cv_lm_system *sys, const struct lm_cpu **ret);
/* Fills subdirs, named, hwcap, platform and isa. */
int cv_lm_hwcaps(struct cv_lm_system *sys, struct lm_loader *ld);

struct cv_lm_system {
	struct cv_view *view;
	struct cv_arena *arena;
	struct cv_diag *diag;
	struct cv_lm_system_opts opts;
	struct cv_map paths;   /* text -> struct lm_path */
	struct lm_file **files; /* hashed by device and inode; a power of two slots */
	size_t file_n, file_slots;
	struct cv_map reals;   /* directory -> text: with links resolved */
	struct cv_map loaders; /* path -> struct lm_loader */
	struct lm_src *newest, *oldest; /* open ones */
	unsigned open_n;
	struct lm_cpu cpu;
	bool have_cpu;
	uint32_t kernel;       /* 0x00MMmmpp, 0 if not known */
	bool have_kernel;
	struct cv_ldcache cache;
	int cache_err;         /* 0, or why there is none */
	bool have_cache;
	struct cv_elf_pool *pool; /* all files read through it */
	struct cv_arena *tables; /* symbol tables: large, so apart */
};

uint32_t cv_lm_kernel(struct cv_lm_system *sys);

/* Maps */

struct lm_dir {
	const char *name;       /* with a slash at the end; "" is the current directory */
	unsigned char *status;  /* per subdirectory of the loader: enum lm_status */
	unsigned char *later;   /* the same, found by the search for losers: the loader does not know it yet */
};
enum lm_status { LM_UNKNOWN, LM_EXISTS, LM_NOT_THERE };

struct lm_entry {
	struct lm_dir *dir;
	const char *raw;        /* as written in the list */
};

struct lm_dirs {
	struct lm_entry *v;
	size_t n;
	bool done;              /* decomposed, or found empty */
};

enum lm_type { LM_EXECUTABLE, LM_LIBRARY, LM_LOADED };

struct lm_indices {
	size_t *v;
	size_t n, cap;
};

struct lm_name {
	const char *s;
	uint32_t hash;
};
uint32_t cv_lm_hash(const char *s);

/* What only the simulation needs of an object; same index as in pub.objects. */
struct lm_obj {
	struct lm_file *file;   /* NULL for the vDSO */
	const char *name;       /* l_name: "" for the program */
	CV_VEC(struct lm_name) names; /* by which it is known; the first is its l_name */
	bool soname_known;      /* the SONAME is among them */
	bool has_id;            /* its file counts in comparisons */
	bool in_chain;
	bool mark;              /* in the list that is being built */
	bool walked;            /* needs is filled */
	bool versions_done, relocated, opened; /* opened: dlopen went through it */
	enum lm_type type;
	size_t loader;          /* l_loader, for the RPATH chain */
	const char *origin;     /* NULL: unknown */
	struct lm_dirs rpath, runpath;
	struct lm_indices needs; /* what it asked for and got, in order; not of a root */
	size_t *order;          /* of its search list, as the loader sorted it; NULL before */
	size_t order_n;
	size_t *scope;          /* its search list once it is a root; NULL before */
	size_t scope_n;
	size_t root;            /* whose search list is its local scope */
};

/* Why the loader gave up on something. */
struct lm_error {
	enum cv_lm_trouble_kind kind;
	const char *object;     /* what the message begins with */
	const char *what;
	int err;                /* a cv_err whose text of errno follows, or 0 */
	bool placed;            /* the three below say more than the request that failed */
	const char *name;       /* the version or library that it is about */
	size_t by, provider;    /* as in struct cv_lm_trouble */
};

struct lm_faked {
	const char *name;
	size_t at; /* in front of the object of this index */
};

struct lm_map {
	struct cv_loadmap pub;
	struct cv_lm_system *sys;
	struct cv_arena *arena;
	struct cv_diag *diag;
	struct lm_loader *loader;
	CV_VEC(struct lm_obj) objs;
	struct cv_map dirs;     /* name -> struct lm_dir */
	struct lm_dirs env, system;
	CV_VEC(struct lm_faked) faked; /* missing ones, which have their place in the link map */
	struct lm_error error;
	int err;                /* the loader's errno as a cv_err; it keeps it from one search to the next */
	size_t steps;
	size_t spelled;         /* bytes of demangled names */
	uint64_t tls_used;      /* of the surplus for dlopen */
	bool started, running, dlopening, stack_exec, stopped, said_cwd, asked_cache;
	size_t vdso;            /* index or CV_LM_NONE */
	size_t rtld;
	const char *who;        /* the program's name in messages */
};

static inline struct lm_map *cv_lm_of(struct cv_loadmap *m)
{
	return (struct lm_map *)m; /* pub is its first member */
}

/* The text of errno as the C library has it ("No such file or directory"). */
const char *cv_lm_errno_text(struct lm_map *m, int err);
/* "object: what: errno" */
const char *cv_lm_error_text(struct lm_map *m, const struct lm_error *e);
/* NULL when over the maximum or out of memory. */
struct cv_lm_trouble *cv_lm_trouble(struct lm_map *m, enum cv_lm_trouble_kind kind, bool fatal, const char *name,
				    const char *message);
/* Reports a hard maximum once and stops the load. */
int cv_lm_limit(struct lm_map *m, const char *what);

/* Replaces $ORIGIN, $LIB, $PLATFORM; "" where one has no value. *ret is text itself where there is none. */
int cv_lm_expand(struct lm_map *m, size_t by, const char *text, const char **ret);
/* A list of directories; seps as for strsep. */
int cv_lm_decompose(struct lm_map *m, size_t by, const char *text, const char *seps, struct lm_dirs *ret);
/* Fills m->system. */
int cv_lm_system_dirs(struct lm_map *m);
/* RPATH (run false) or RUNPATH of the object; n is 0 if it has none. */
int cv_lm_rpath(struct lm_map *m, size_t by, bool run, const struct lm_dirs **ret);

/* What the loader says of a file that it has opened. */
enum lm_verdict { LM_FIT, LM_SKIP, LM_BAD };
struct lm_check {
	enum lm_verdict verdict;
	enum cv_lm_reason reason;
	bool other_class;
	const char *what; /* the message, for LM_BAD */
	int err;
};
void cv_lm_verify(struct lm_map *m, struct lm_path *p, struct lm_check *ret);
/* What it checks of a file's segments; NULL: nothing against it. is_program: the loader runs it as the program. */
const char *cv_lm_segments(const struct lm_map *m, const struct cv_elf *e, bool is_program);
bool cv_lm_wants_exec_stack(const struct cv_elf *e);
/* Does the CPU reach the ISA level that the object's notes ask for? */
#define CV_LM_ISA_TEXT "CPU ISA level is lower than required"
bool cv_lm_isa_fits(const struct lm_map *m, size_t i);
/* All that it checks when it maps the file; NULL: nothing against it. dlopen: not at program start. */
const char *cv_lm_mappable(struct lm_map *m, struct lm_file *f, bool is_dlopen, enum cv_lm_trouble_kind *ret_kind, int *ret_err);

/* A search for one name. */
struct lm_search {
	struct lm_map *m;
	const char *name;
	size_t by;             /* whose paths count; CV_LM_NONE: nobody's */
	struct cv_lm_edge *edge;
	bool other_class;
	bool behind;           /* the file is found: only looking for losers */
	bool telling;          /* only writing down the directories */
	uint64_t hit_dev, hit_ino; /* its directory, then */
	struct lm_path *hit;
	const char *hit_name;  /* l_name */
	struct lm_check bad;   /* the file that ends the load */
	const char *bad_name;
};
/* 1: found, 0: not, <0: error. bad.verdict is LM_BAD if a file on the way ends the load. */
int cv_lm_search(struct lm_search *s);
/* The entry that ld.so.cache has for the name; NULL: none. Others of that name become losers. */
int cv_lm_cache_lookup(struct lm_search *s, const char **ret);

/*
 * dl_map_object: finds or loads name. 0: *ret is its index, or CV_LM_NONE for a missing one where that is allowed (exec);
 * 1: m->error says why the loader gives up; <0: error.
 */
struct lm_request {
	const char *name;  /* expanded */
	size_t by;         /* who asks, CV_LM_NONE: nobody */
	enum cv_lm_mode mode;
	enum lm_type type;
	bool trace;        /* a missing one is only noted */
	size_t loader;     /* whose child it becomes */
	size_t told_by;    /* by of the edge */
};
int cv_lm_map(struct lm_map *m, const struct lm_request *q, size_t *ret);
/* Adds an object that is found already. */
int cv_lm_add_object(struct lm_map *m, struct lm_path *p, const char *name, const char *asked, size_t *ret);
/* NULL when out of memory or over the maximum. */
struct cv_lm_edge *cv_lm_edge(struct lm_map *m, size_t by, enum cv_lm_mode mode, const char *name);
bool cv_lm_name_matches(const struct lm_map *m, size_t i, const char *name, uint32_t hash);
int cv_lm_add_name(struct lm_map *m, size_t i, const char *name);

/* dl_map_object_deps; preloads come behind root. 0, 1 (m->error) or <0. Sets the scope of root. */
int cv_lm_deps(struct lm_map *m, size_t root, const size_t *preloads, size_t preload_n, bool trace);
/* Adds the search list of root to the global scope. */
int cv_lm_set_global(struct lm_map *m, size_t root);
/* Sorts the search list of root for relocation, which then runs from the back. */
int cv_lm_order(struct lm_map *m, size_t root);
/* The C library, where it is relocated before all others; or CV_LM_NONE. */
size_t cv_lm_libc(const struct lm_map *m);
int cv_lm_preload(struct lm_map *m, size_t **ret, size_t *ret_n);
/* Versions of one object. 0, 1 (m->error; only where not verbose) or <0. */
int cv_lm_check_versions(struct lm_map *m, size_t i, bool verbose);
/* Undefined symbols of one object. now: functions too. first_only: stop at the first fatal one. *ret_fatal tells. */
int cv_lm_check_symbols(struct lm_map *m, size_t i, bool now, bool first_only, bool *ret_fatal);

/* Where an undefined symbol is defined for the other C++11 ABI: fills other_abi and provider of the troubles. */
int cv_lm_abi_tells(struct lm_map *m);

int cv_lm_musl_exec(struct lm_map *m);
int cv_lm_musl_dlopen(struct lm_map *m, size_t by, const char *name, unsigned flags);

#endif
