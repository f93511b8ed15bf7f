/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Installed distributions: for every environment, each directory of its sys.path is listed once; the names of the metadata
 * directories tell name and version. What belongs to the GPU stack is read further: in selected environments, and in all
 * with --all-envs.
 *
 * A directory that several environments share (system packages of venvs, a user site) is listed once per run. The first
 * directory of sys.path that has a distribution wins; the others are shadowed. In one directory two of one name are what an
 * interrupted update left: the one with a RECORD wins, then the newer.
 */
#include <stdlib.h>

#include "base/version.h"
#include "collect/py_dist.h"
#include "collect/registry.h"
#include "collect/see.h"

struct scan {
	CV_VEC(struct cv_py_dist) dists;
	struct cv_strv leftovers;
	int err; /* why the directory could not be listed; 0 also where there is none */
};

struct run {
	struct cv_collect_ctx *c;
	struct cv_arena *a;
	struct cv_py_stack stack;
	struct cv_map scans; /* directory -> struct scan */
	const char *machine; /* platform_machine, or NULL */
};

/* lib/python3.11 and its lib-dynload hold no distributions and many files. */
static bool is_stdlib(const char *dir)
{
	struct cv_str name = cv_str_of(cv_basename(dir));

	if (cv_str_is(name, "lib-dynload") || cv_str_ends(name, ".zip"))
		return true;
	return cv_str_eat(&name, "python") && name.n && name.p[0] >= '2' && name.p[0] <= '9' && cv_str_chr(name, '.') > 0;
}

static void add_dist(struct run *r, struct scan *scan, const char *dir, const char *entry, const struct cv_distname *name)
{
	struct cv_py_dist *d = CV_VEC_PUSH(r->a, &scan->dists);

	if (!d)
		return;
	*d = (struct cv_py_dist){
		.path = cv_path_join(r->a, dir, entry),
		.dir = dir,
		.name = cv_pep503(r->a, name->name),
		.version = cv_str_dup(r->a, name->version),
		.build = cv_str_dup(r->a, name->build),
		.kind = name->kind,
	};
}

static bool has_record(struct run *r, const struct cv_py_dist *d)
{
	return cv_view_exists(r->c->view, cv_path_join(r->a, d->path, "RECORD"));
}

/* Puts the better of two of one name first. Only where that happens are files looked at. */
static void settle_doubles(struct run *r, struct scan *scan)
{
	struct cv_map seen = { 0 };

	for (size_t i = 0; i < scan->dists.n; i++) {
		struct cv_py_dist *d = &scan->dists.v[i], *first = cv_map_get(&seen, d->name);
		bool better;

		if (!first) {
			cv_map_set(r->a, &seen, d->name, d);
			continue;
		}
		if (has_record(r, first) != has_record(r, d))
			better = has_record(r, d);
		else
			better = cv_ver_cmp(CV_VER_PEP440, d->version, first->version) > 0;
		if (better) {
			struct cv_py_dist other = *first;

			*first = *d;
			*d = other;
		}
	}
}

static const struct scan *scan_of(struct run *r, const char *dir)
{
	struct scan *scan = cv_map_get(&r->scans, dir);
	struct cv_dirlist list;
	struct cv_distname name;
	int err;

	if (scan)
		return scan;
	scan = CV_NEW(r->a, struct scan);
	if (!scan)
		return NULL;
	cv_map_set(r->a, &r->scans, dir, scan);
	if (is_stdlib(dir))
		return scan;
	err = cv_view_list(r->c->view, dir, r->a, &list);
	if (err < 0) {
		scan->err = err == CV_ENOENT || err == CV_ENOTDIR ? 0 : err;
		return scan;
	}
	/* An egg is a directory of sys.path by itself. */
	if (cv_distname_parse(cv_str_of(cv_basename(dir)), &name) && name.kind == CV_DIST_EGG) {
		add_dist(r, scan, cv_dirname(r->a, dir), cv_basename(dir), &name);
		return scan;
	}
	for (size_t i = 0; i < list.n; i++) {
		const char *entry = list.v[i].name;

		if (!cv_distname_parse(cv_str_of(entry), &name) || name.kind == CV_DIST_EGG)
			continue;
		if (name.kind == CV_DIST_LEFTOVER)
			cv_strv_push(r->a, &scan->leftovers, cv_path_join(r->a, dir, entry));
		else
			add_dist(r, scan, dir, entry, &name);
	}
	settle_doubles(r, scan);
	return scan;
}

static const struct scan *scan_conda(struct run *r, const char *prefix)
{
	const char *dir = cv_path_join(r->a, prefix, "conda-meta");
	struct scan *scan = CV_NEW(r->a, struct scan);
	struct cv_dirlist list;
	struct cv_distname name;

	if (!scan || cv_view_list(r->c->view, dir, r->a, &list) < 0)
		return scan;
	for (size_t i = 0; i < list.n; i++) {
		if (!cv_distname_conda(cv_str_of(list.v[i].name), &name))
			continue;
		add_dist(r, scan, dir, list.v[i].name, &name);
		if (scan->dists.n)
			scan->dists.v[scan->dists.n - 1].dir = prefix;
	}
	return scan;
}

struct env {
	const struct cv_subject *s;
	const char *key;
	bool full;
	struct cv_marker_env markers;
	struct cv_map seen; /* names that an earlier directory had */
	struct cv_strv leftovers;
	uint64_t count;
	const char *blind; /* a directory that could not be listed */
	int blind_err;
};

/* The metadata's path; for a second environment that sees the same one also that environment. */
static struct cv_subject *subject_of(struct run *r, const struct env *e, const struct cv_py_dist *d)
{
	const char *key = d->path;

	if (cv_facts_find(r->c->facts, CV_KIND_package, key))
		key = cv_arena_printf(r->a, "%s|%s", d->path, e->key);
	return cv_facts_add(r->c->facts, CV_KIND_package, key);
}

static void put_dist(struct run *r, struct env *e, const struct cv_py_dist *d)
{
	struct cv_facts *facts = r->c->facts;
	struct cv_prov prov = cv_see_prov(CV_PY_PACKAGES, d->path, 0);
	bool conda = d->kind == CV_DIST_CONDA;
	struct cv_subject *s;
	bool shadowed = false;

	e->count++;
	if (!conda) {
		shadowed = cv_map_get(&e->seen, d->name) != NULL;
		if (!shadowed)
			cv_map_set(r->a, &e->seen, d->name, e);
	}
	if (!cv_py_stack_has(&r->stack, d->name))
		return;
	s = subject_of(r, e, d);
	cv_facts_str(facts, s, CV_F_package_env, e->key, prov);
	cv_facts_str(facts, s, CV_F_package_path, d->path, prov);
	cv_facts_bool(facts, s, CV_F_package_shadowed, shadowed, prov);
	if (e->full)
		cv_py_dist_put(r->c, d, &r->stack, &e->markers, s);
	else
		cv_py_dist_put_name(r->c, d, s);
}

static void put_scan(struct run *r, struct env *e, const struct scan *scan)
{
	for (size_t i = 0; scan && i < scan->dists.n; i++)
		put_dist(r, e, &scan->dists.v[i]);
	for (size_t i = 0; scan && i < scan->leftovers.n; i++)
		cv_strv_push(r->a, &e->leftovers, scan->leftovers.v[i]);
}

static struct cv_marker_env markers_of(struct run *r, const struct cv_subject *s)
{
	const char *python = cv_fact_str(s, CV_F_env_python);

	return (struct cv_marker_env){
		.python_version = python ? cv_ver_prefix(r->a, python, 2) : NULL,
		.python_full_version = python && cv_ver_part(python, 2) >= 0 ? python : NULL,
		.os_name = "posix",
		.sys_platform = "linux",
		.platform_system = "Linux",
		.platform_machine = r->machine,
		.platform_python_implementation = python ? "CPython" : NULL,
		.implementation_name = python ? "cpython" : NULL,
		.extra = "",
	};
}

static void one_env(struct run *r, const struct cv_subject *s)
{
	struct cv_facts *facts = r->c->facts;
	const struct cv_strv *path = cv_fact_list(s, CV_F_env_sys_path);
	const char *kind = cv_fact_str(s, CV_F_env_kind), *key = cv_subject_key(s);
	struct env e = { .s = s, .key = key, .markers = markers_of(r, s) };
	struct cv_subject *own = cv_facts_add(facts, CV_KIND_env, key);
	struct cv_prov prov = cv_see_prov(CV_PY_PACKAGES, key, 0);

	e.full = r->c->sel->all_envs || cv_fact_true(s, CV_F_env_selected);
	for (size_t i = 0; i < path->n; i++) {
		const struct scan *scan = scan_of(r, path->v[i]);

		put_scan(r, &e, scan);
		if (scan && scan->err && !e.blind) {
			e.blind = path->v[i];
			e.blind_err = scan->err;
		}
	}
	if (kind && cv_streq(kind, "conda"))
		put_scan(r, &e, scan_conda(r, key));
	if (e.blind)
		cv_facts_state(facts, own, CV_F_env_packages, cv_state_of_err(e.blind_err), cv_strerror(e.blind_err),
			       cv_see_prov(CV_PY_PACKAGES, e.blind, 0));
	else if (cv_fact_known(s, CV_F_env_sys_path))
		cv_facts_int(facts, own, CV_F_env_packages, e.count, prov);
	if (e.leftovers.n)
		cv_facts_list(facts, own, CV_F_env_leftovers, &e.leftovers, prov);
}

static void run(struct cv_collect_ctx *c)
{
	struct run r = { .c = c, .a = c->scratch };

	r.machine = cv_fact_str(cv_facts_find(c->facts, CV_KIND_machine, ""), CV_F_machine_arch);
	cv_py_stack_init(&r.stack, c->kb, c->scratch);
	for (size_t i = 0; i < cv_facts_count(c->facts, CV_KIND_env); i++)
		one_env(&r, cv_facts_at(c->facts, CV_KIND_env, i));
}

const struct cv_collector cv_collector_py_packages = {
	.name = CV_PY_PACKAGES,
	.doc = "installed distributions of the GPU stack",
	.run = run,
};
