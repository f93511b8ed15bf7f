/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenario: what a program loads beyond its NEEDED list, as a list of steps. `import torch` is one: extension modules, libraries
 * opened by ctypes, and what is tried when that fails. The steps come from the knowledge base (subjects scenario:NAME, one row a
 * step, each with the versions for which it holds), so a new release of a framework changes kb alone.
 *
 * A step is a line of words:
 *
 *	module NAME               a Python extension module ("torch._C"): found on sys.path, opened by the interpreter
 *	cdll FLAGS FILE           ctypes.CDLL(FILE)
 *	find FLAGS PATTERN...     ctypes.CDLL of the first file of the first sys.path entry, {path}, that has one
 *	dlopen FLAGS BY FILE      dlopen(FILE) by a library that is loaded; without one there is nothing to do
 *	import NAME               scenario NAME, once
 *	call NAME                 scenario NAME; "call? NAME": in it, a find that finds nothing is no failure
 *	if-loaded TEXT            is there a loaded file with TEXT in its path?
 *	if-exists FILE
 *	if-error WORD...          does the message of the last failure hold one of the words?
 *	goto SEQ
 *	end                       the scenario is over
 *
 * FLAGS: now or lazy, "now,global". BY: the beginning of a file name ("libcudart.so"), or "python". Behind " else " stands what
 * follows a failure or a no: "fail" (the scenario fails; the default), "next", "end", or a SEQ further down: steps never go
 * back, so each scenario ends. {NAME} in a file is a value that the host knows ({cuda}: CUDA major of the build, "13"; {cuda:torch}: of
 * torch, "130"; {version:FILE}: version of the loaded library of that name), else the import directory of package NAME.
 *
 * A scenario that bears the name of a library up to its ".so" ("libcublasLt.so") tells what that library opens when it is loaded,
 * from its constructors. It is taken whenever a library of that name comes in; nothing fails by it.
 */
#ifndef CV_LOADMAP_SCENARIO_H
#define CV_LOADMAP_SCENARIO_H

#include "loadmap/loadmap.h"

#define CV_SCN_STEPS_MAX 1000 /* taken by one run, of all scenarios together */
#define CV_SCN_DEPTH_MAX 16   /* of import and call */

enum cv_scn_op {
	CV_SCN_MODULE,
	CV_SCN_CDLL,
	CV_SCN_FIND,
	CV_SCN_DLOPEN,
	CV_SCN_IMPORT,
	CV_SCN_CALL,
	CV_SCN_CALL_LOOSE, /* call? */
	CV_SCN_IF_LOADED,
	CV_SCN_IF_EXISTS,
	CV_SCN_IF_ERROR,
	CV_SCN_GOTO,
	CV_SCN_END,
};

enum cv_scn_else { CV_SCN_ELSE_FAIL, CV_SCN_ELSE_NEXT, CV_SCN_ELSE_END, CV_SCN_ELSE_SEQ };

struct cv_scn_step {
	unsigned seq;
	enum cv_scn_op op;
	unsigned flags;      /* enum cv_lm_dlopen_flags */
	const char *by;      /* of dlopen */
	struct cv_strv args;
	enum cv_scn_else otherwise;
	unsigned to;         /* of goto and of else SEQ */
	const char *text;    /* the line */
};

struct cv_scn_steps {
	struct cv_scn_step *v; /* by seq */
	size_t n, cap;
};

/* One line into a step. CV_EFORMAT: a diag message says what is wrong with it. */
int cv_scn_parse(unsigned seq, const char *line, struct cv_arena *a, struct cv_diag *d, struct cv_scn_step *ret);

/* The one who knows what lies outside of the loader. Texts it hands out live as long as the run. */
struct cv_scn_host {
	void *cookie;
	bool (*knows)(void *cookie, const char *scenario); /* are there steps of this name? */
	/* The lines of a scenario; CV_ENOENT if there is none of this name. */
	int (*steps)(void *cookie, const char *scenario, struct cv_scn_steps *ret);
	/* {NAME} in a step of this scenario; NULL if it is no value. */
	const char *(*value)(void *cookie, const char *scenario, const char *name);
	/* Version of the library file at this path; NULL if it is not known. */
	const char *(*version)(void *cookie, const char *path);
};

struct cv_scn_python {
	const char *exe;
	const char *version;  /* "3.11.7" */
	bool free_threaded;
	const struct cv_strv *sys_path;
};

enum cv_scn_outcome {
	CV_SCN_DONE,
	CV_SCN_FAILED,  /* the scenario failed by it */
	CV_SCN_PASSED,  /* it failed, and the scenario lives with that */
};
const char *cv_scn_outcome_name(enum cv_scn_outcome outcome); /* "done", "failed", "passed" */

/* A step that loads, or would have. */
struct cv_scn_event {
	const char *scenario;
	unsigned seq;
	const char *text;      /* the step, with values put in */
	enum cv_scn_outcome outcome;
	const char *message;   /* of a failure: dlerror()'s text, or why nothing was opened */
	size_t edge, edge_end; /* the requests of the map that belong to it: [edge, edge_end) */
	size_t trouble, trouble_end;
};

struct cv_scn_run {
	struct cv_loadmap *map;
	CV_VEC(struct cv_scn_event) events;
	/*
	 * Set by the caller: look up the symbols that dlopen looks up, and fail by those that are missing. Half a second for torch,
	 * where a map without takes 30 ms.
	 */
	bool symbols;
};

/*
 * Starts python->exe in map, which must be new. Errors are those of cv_loadmap_exec(). view, map and host outlive the run.
 */
int cv_scn_new(struct cv_view *view, struct cv_loadmap *map, const struct cv_scn_python *python, const struct cv_scn_host *host,
	       struct cv_arena *a, struct cv_diag *d, struct cv_scn_run **ret);
/*
 * Takes the steps of a scenario. 1: it went through; 0: it failed, the last event says where; CV_ENOENT: there is no such
 * scenario; CV_EFORMAT: a step cannot be read; CV_ELIMIT: too many steps.
 */
int cv_scn_do(struct cv_scn_run *run, const char *scenario);
/* The step by which a scenario failed, the last if several did; NULL if none did. */
const struct cv_scn_event *cv_scn_failure(const struct cv_scn_run *run);

#endif
