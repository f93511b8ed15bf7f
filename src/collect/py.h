/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Py: one Python installation or virtual environment, understood from its files alone. Shared by the py_ collectors.
 *
 * cv_py_of_exe() and cv_py_of_prefix() do what CPython's getpath does when it starts (Modules/getpath.py of 3.11 and later,
 * getpath.c before): from the interpreter's path to the prefix, the base prefix and the standard library. cv_py_path() does
 * what the site module does then. The interpreter is never run.
 */
#ifndef CV_COLLECT_PY_H
#define CV_COLLECT_PY_H

#include "base/map.h"
#include "base/version.h"
#include "collect/collect.h"
#include "parse/pyvenv.h"

struct cv_py {
	const char *prefix;    /* sys.prefix */
	const char *exe;       /* sys.executable; NULL if there is no interpreter that works */
	const char *exe_link;  /* the interpreter's name where it is a link to nothing, else NULL */
	const char *real_exe;  /* the file behind its links; NULL without exe */
	const char *base;      /* sys.base_prefix; NULL if the standard library is not to be found */
	const char *exec_base; /* sys.base_exec_prefix */
	const char *home_dir;  /* directory from which base was searched */
	const char *libdir;    /* sys.platlibdir: "lib" or "lib64" */
	const char *name;      /* "python3.11", "python3.13t": directory below lib; NULL if the version is not known */
	unsigned major, minor;
	bool threaded;         /* free-threaded build */
	bool venv;             /* pyvenv.cfg is there */
	const char *cfg_path;
	struct cv_pyvenv cfg;  /* slices of text in the arena */
	bool foreign;          /* not CPython (PyPy, a wrapper, another tool's shim): no more is known */
};

/* exe is absolute, as it would be started. CV_ENOENT and the like if there is no such file; ret is untouched then. */
int cv_py_of_exe(struct cv_collect_ctx *c, const char *exe, struct cv_py *ret);
/*
 * An environment's directory; without an interpreter in it, what pyvenv.cfg and lib tell. CV_ENOENT if it is no environment;
 * CV_EACCES, CV_ENOTASKED where it could not be seen whether it is one.
 */
int cv_py_of_prefix(struct cv_collect_ctx *c, const char *dir, struct cv_py *ret);
/* A path with the link of its last component followed, again and again, as getpath does it: directories are kept as named. */
const char *cv_py_follow(struct cv_collect_ctx *c, const char *path);

/* How the site module of one base behaves; told by its text, for distributions change it. */
struct cv_py_site {
	bool debian;      /* dist-packages instead of site-packages */
	bool debian_env;  /* VIRTUAL_ENV counts as being in one (Debian 11 and before) */
	bool fedora;      /* /usr/local is a prefix too */
	bool skips_dot;   /* .pth files whose name begins with a dot */
	bool takes_bom;
	bool thread_dirs; /* user site of python3.13t has the t */
};

struct cv_py_path {
	struct cv_strv dirs; /* sys.path without the directory of the script */
	struct cv_strv code; /* "FILE:LINE kind" of .pth lines that would run code */
	const char *problem; /* why dirs is not complete, or NULL */
};

/* Environment variables that steer Python; NULL: not set or not known. */
struct cv_py_vars {
	const char *path;      /* PYTHONPATH */
	const char *home;      /* PYTHONHOME */
	const char *user_base; /* PYTHONUSERBASE */
	const char *virtual_env;
	bool no_user_site;
	const char *user_home; /* HOME, or what the password file says */
	struct cv_strv homes;  /* in a tree: every home there is, as nobody says who will run it */
	const char *cwd;
};

void cv_py_vars_init(struct cv_collect_ctx *c, struct cv_py_vars *ret);
/* sites caches struct cv_py_site by standard library; it starts zeroed and lives in scratch. */
void cv_py_path(struct cv_collect_ctx *c, const struct cv_py *py, const struct cv_py_vars *vars, struct cv_map *sites,
		struct cv_py_path *ret);

/* An environment as candidate; what is known of how it was met. */
struct cv_py_found {
	const char *path;    /* prefix, or interpreter where is_exe */
	bool is_exe;
	bool named;          /* by --python or --env */
	bool virtual_env, conda_prefix, on_path; /* by VIRTUAL_ENV, by CONDA_PREFIX, python3 on PATH */
};
struct cv_py_finds {
	CV_VEC(struct cv_py_found) all;
	struct cv_strv unseen; /* places that may hold more, with no right or no record to see them, or over a maximum */
};
/* Every candidate, in a fixed order, repeats included. Which exist is for the caller to see. */
void cv_py_find(struct cv_collect_ctx *c, struct cv_py_finds *ret);

#endif
