/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python environments: which there are, which one is meant, and each one's version, base and sys.path.
 *
 * Selected are those named by --env and --python. If none is named: in a tree all of them; on a live system the active one.
 * Active is what VIRTUAL_ENV, CONDA_PREFIX or python3 on PATH name. Where these differ, all are marked active and one is
 * selected: if both variables are set, the one that python3 on PATH starts (the other was entered before it); else the one
 * that a variable names, as installers go by it; else the one on PATH.
 *
 * The key of an environment is its prefix. A second Python in one prefix (/usr/bin/python3.12 beside the python3 of /usr)
 * has its interpreter as key.
 */
#include "collect/py.h"
#include "collect/registry.h"
#include "collect/see.h"

#define NAME "py_envs"

struct known {
	struct cv_py py;
	const char *key;
	bool named, virtual_env, conda_prefix, on_path;
};

struct run {
	struct cv_collect_ctx *c;
	struct cv_arena *a;
	CV_VEC(struct known) envs;
	struct cv_map by_path;  /* real path of a key -> index + 1, as a pointer into indices */
	struct cv_map versions; /* standard library -> version of patchlevel.h, "" if it has none */
	struct cv_map sites;
	struct cv_py_vars vars;
};

static struct cv_prov from(const char *path)
{
	return cv_see_prov(NAME, path, 0);
}

/* The prefix, or the interpreter where it is not the python3 of its prefix. */
static const char *key_of(struct run *r, const struct cv_py *py)
{
	const char *usual;

	if (py->venv || !py->exe || py->foreign)
		return py->prefix;
	usual = cv_path_join(r->a, py->prefix, "bin/python3");
	if (!cv_view_exists(r->c->view, usual))
		return py->prefix;
	usual = cv_py_follow(r->c, usual);
	if (cv_streq(usual, py->real_exe))
		return py->prefix;
	/* Two names of one file, as /bin and /usr/bin, are one interpreter. */
	if (cv_view_realpath(r->c->view, usual, r->a, &usual) == 0) {
		const char *real;

		if (cv_view_realpath(r->c->view, py->real_exe, r->a, &real) == 0 && cv_streq(real, usual))
			return py->prefix;
	}
	return py->real_exe;
}

static struct known *known_env(struct run *r, const struct cv_py *py, const char *key)
{
	const char *id;
	size_t *index;
	struct known *k;

	if (cv_view_realpath(r->c->view, key, r->a, &id) < 0)
		id = key;
	index = cv_map_get(&r->by_path, id);
	if (index)
		return &r->envs.v[*index];
	index = CV_NEW(r->a, size_t);
	k = CV_VEC_PUSH(r->a, &r->envs);
	if (!index || !k)
		return NULL;
	*index = r->envs.n - 1;
	cv_map_set(r->a, &r->by_path, id, index);
	k->py = *py;
	k->key = key;
	return k;
}

/* What was asked for and is not there is said: as an environment without interpreter if it was named, else as a message. */
static void say_missing(struct run *r, const struct cv_py_found *f, int err)
{
	struct cv_facts *facts = r->c->facts;
	struct cv_subject *s;

	if (f->virtual_env || f->conda_prefix)
		cv_diag_fail(r->c->diag, err, "%s: %s names it, but it is no environment (%s)", f->path,
			     f->virtual_env ? "VIRTUAL_ENV" : "CONDA_PREFIX", cv_strerror(err));
	if (!f->named)
		return;
	cv_diag_fail(r->c->diag, err, "%s: no Python environment (%s)", f->path, cv_strerror(err));
	s = cv_facts_add(facts, CV_KIND_env, f->path);
	cv_facts_state(facts, s, CV_F_env_exe, cv_state_of_err(err), cv_strerror(err), from(f->path));
	cv_facts_bool(facts, s, CV_F_env_selected, true, from(f->path));
	cv_facts_bool(facts, s, CV_F_env_active, false, from(f->path));
}

static void meet(struct run *r, const struct cv_py_found *f, struct cv_strv *unseen)
{
	bool meant = f->named || f->virtual_env || f->conda_prefix || f->on_path;
	struct known *k;
	struct cv_py py;
	int err = f->is_exe ? cv_py_of_exe(r->c, f->path, &py) : cv_py_of_prefix(r->c, f->path, &py);

	if (err < 0) {
		if (!f->is_exe && (err == CV_EACCES || err == CV_ENOTASKED) && !cv_strv_has(unseen, f->path))
			cv_strv_push(r->a, unseen, f->path);
		say_missing(r, f, err);
		return;
	}
	if (!meant && (py.foreign || (!py.venv && !py.base)))
		return;
	k = known_env(r, &py, key_of(r, &py));
	if (!k)
		return;
	k->named |= f->named;
	k->virtual_env |= f->virtual_env;
	k->conda_prefix |= f->conda_prefix;
	k->on_path |= f->on_path;
}

static const struct known *select_active(const struct run *r)
{
	const struct known *venv = NULL, *conda = NULL, *path = NULL;

	for (size_t i = 0; i < r->envs.n; i++) {
		const struct known *k = &r->envs.v[i];

		venv = k->virtual_env ? k : venv;
		conda = k->conda_prefix ? k : conda;
		path = k->on_path ? k : path;
	}
	if (venv && conda && path == conda)
		return conda;
	return venv ? venv : conda ? conda : path;
}

static bool is_selected(const struct run *r, const struct known *k)
{
	bool named = r->c->sel->python || r->c->sel->env_n;

	if (named)
		return k->named;
	return r->c->view->live ? select_active(r) == k : true;
}

static bool has(struct run *r, const char *dir, const char *name)
{
	return cv_view_exists(r->c->view, cv_path_join(r->a, dir, name));
}

static bool has_part(const char *path, const char *part)
{
	return cv_str_find(cv_str_of(path), part) >= 0;
}

/* Kind and what installs into it. */
static void kind_of(struct run *r, const struct known *k, const char **ret_kind, const char **ret_manager)
{
	const struct cv_py *py = &k->py;
	const char *above = cv_dirname(r->a, py->prefix);

	*ret_kind = "other";
	*ret_manager = "pip";
	if (has(r, py->prefix, "conda-meta")) {
		*ret_kind = "conda";
		*ret_manager = has(r, py->prefix, "conda-meta/pixi") ? "pixi" : "conda";
	} else if (py->venv && py->cfg.uv.p) {
		*ret_kind = *ret_manager = "uv";
	} else if (py->venv) {
		*ret_kind = "venv";
		if (has_part(py->prefix, "/pypoetry/virtualenvs/") || has(r, above, "poetry.lock"))
			*ret_manager = "poetry";
	} else if (has_part(py->prefix, "/.pyenv/versions/") || has_part(py->prefix, "/pyenv/versions/")) {
		*ret_kind = "pyenv";
	} else if (cv_streq(py->prefix, "/usr")) {
		*ret_kind = "distribution";
	} else if (cv_streq(py->prefix, "/usr/local")) {
		*ret_kind = "local";
	} else if (has_part(py->prefix, "/uv/python/")) {
		*ret_manager = "uv";
	}
}

/* PY_VERSION of the header that every installation for building has; "" if it is not there. */
static const char *patchlevel(struct run *r, const struct cv_py *py, const char **ret_path)
{
	const char *path = cv_arena_printf(r->a, "%s/include/%s/patchlevel.h", py->base, py->name);
	const char *got = cv_map_get(&r->versions, path);
	struct cv_str text, line;

	*ret_path = path;
	if (got)
		return got;
	got = "";
	if (cv_view_read(r->c->view, path, 65536, r->a, &text) == 0) {
		while (cv_str_line(&text, &line, NULL)) {
			struct cv_str word;

			if (!cv_str_eat(&line, "#define") || !cv_str_word(&line, &word) || !cv_str_is(word, "PY_VERSION"))
				continue;
			line = cv_str_trim(line);
			if (cv_str_eat(&line, "\"") && cv_str_ends(line, "\""))
				got = cv_arena_memdup(r->a, line.p, line.n - 1);
		}
	}
	cv_map_set(r->a, &r->versions, path, (void *)(uintptr_t)got);
	return got;
}

/* True if version is of the Python that the interpreter is ("3.11.7" of python3.11). */
static bool same_minor(const struct cv_py *py, const char *version)
{
	return cv_ver_part(version, 0) == (int64_t)py->major && cv_ver_part(version, 1) == (int64_t)py->minor;
}

/* Best first: the base's header, pyvenv.cfg, the interpreter's name. A pyvenv.cfg of another Python comes last. */
static void put_version(struct run *r, const struct known *k, struct cv_subject *s)
{
	const struct cv_py *py = &k->py;
	struct cv_facts *facts = r->c->facts;
	const char *path, *header, *cfg = NULL;
	bool fits = false;

	if (!py->name) {
		cv_facts_state(facts, s, CV_F_env_python, CV_UNPARSED,
			       py->foreign ? "not CPython, or started by another tool's script" : "no file tells its version",
			       from(py->exe ? py->exe : py->prefix));
		return;
	}
	if (py->cfg.version.p) {
		cfg = cv_str_dup(r->a, py->cfg.version);
		fits = same_minor(py, cfg);
	}
	header = py->base ? patchlevel(r, py, &path) : "";
	if (header[0] && same_minor(py, header))
		cv_facts_str(facts, s, CV_F_env_python, header, from(path));
	else if (!fits)
		cv_facts_str(facts, s, CV_F_env_python, cv_arena_printf(r->a, "%u.%u", py->major, py->minor),
			     from(py->real_exe ? py->real_exe : py->prefix));
	if (cfg && !(header[0] && cv_streq(cfg, header)))
		cv_facts_str(facts, s, CV_F_env_python, cfg, cv_see_prov(NAME, py->cfg_path, py->cfg.version_line));
	cv_facts_str(facts, s, CV_F_env_abi, cv_arena_printf(r->a, "cp%u%u%s", py->major, py->minor, py->threaded ? "t" : ""),
		     from(py->real_exe ? py->real_exe : py->prefix));
}

static void put_exe(struct run *r, const struct known *k, struct cv_subject *s)
{
	const struct cv_py *py = &k->py;

	if (py->exe)
		cv_facts_str(r->c->facts, s, CV_F_env_exe, py->exe, from(py->exe));
	else
		cv_facts_state(r->c->facts, s, CV_F_env_exe, CV_ABSENT, py->exe_link ? "a link to nothing" : NULL,
			       from(py->exe_link ? py->exe_link : py->prefix));
}

static void put_base(struct run *r, const struct known *k, struct cv_subject *s)
{
	const struct cv_py *py = &k->py;
	struct cv_facts *facts = r->c->facts;
	const char *mark;

	if (py->foreign)
		return;
	if (!py->base)
		cv_facts_state(facts, s, CV_F_env_base, CV_ABSENT, "its standard library was not found", from(py->home_dir));
	else if (py->venv)
		cv_facts_str(facts, s, CV_F_env_base, py->base, from(py->cfg_path));
	if (!py->base || !py->name)
		return;
	mark = cv_arena_printf(r->a, "%s/%s/%s/EXTERNALLY-MANAGED", py->base, py->libdir, py->name);
	cv_facts_bool(facts, s, CV_F_env_managed, !py->venv && cv_view_exists(r->c->view, mark), from(mark));
}

static void put_path(struct run *r, const struct known *k, struct cv_subject *s)
{
	struct cv_facts *facts = r->c->facts;
	struct cv_py_path path;

	cv_py_path(r->c, &k->py, &r->vars, &r->sites, &path);
	if (path.dirs.n)
		cv_facts_list(facts, s, CV_F_env_sys_path, &path.dirs, from(k->py.cfg_path ? k->py.cfg_path : k->py.prefix));
	if (path.problem)
		cv_facts_state(facts, s, CV_F_env_sys_path, CV_UNPARSED, path.problem, from(k->py.prefix));
	if (path.code.n)
		cv_facts_list(facts, s, CV_F_env_path_code, &path.code, from(k->py.prefix));
}

static void put(struct run *r, const struct known *k)
{
	struct cv_facts *facts = r->c->facts;
	struct cv_subject *s = cv_facts_add(facts, CV_KIND_env, k->key);
	const char *kind, *manager, *why = k->virtual_env || k->conda_prefix || k->on_path ? "environment" : NULL;

	kind_of(r, k, &kind, &manager);
	cv_facts_str(facts, s, CV_F_env_kind, kind, from(k->py.cfg_path ? k->py.cfg_path : k->py.prefix));
	put_version(r, k, s);
	put_exe(r, k, s);
	put_base(r, k, s);
	cv_facts_bool(facts, s, CV_F_env_active, why != NULL, from(why));
	cv_facts_bool(facts, s, CV_F_env_selected, is_selected(r, k), from(why));
	if (cv_streq(kind, "distribution") && cv_fact_true(s, CV_F_env_managed) && has(r, "/var/lib/dpkg", "status"))
		manager = "apt";
	cv_facts_str(facts, s, CV_F_env_manager, manager, from(k->py.cfg_path ? k->py.cfg_path : k->py.prefix));
	put_path(r, k, s);
}

static void run(struct cv_collect_ctx *c)
{
	struct run r = { .c = c, .a = c->scratch };
	struct cv_py_finds finds;

	cv_py_vars_init(c, &r.vars);
	cv_py_find(c, &finds);
	for (size_t i = 0; i < finds.all.n; i++)
		meet(&r, &finds.all.v[i], &finds.unseen);
	for (size_t i = 0; i < r.envs.n; i++)
		put(&r, &r.envs.v[i]);
	if (finds.unseen.n)
		cv_facts_list(c->facts, cv_facts_add(c->facts, CV_KIND_machine, ""), CV_F_machine_envs_unseen, &finds.unseen, from(NULL));
}

const struct cv_collector cv_collector_py_envs = {
	.name = NAME,
	.doc = "Python environments, their versions and sys.path",
	.run = run,
};
