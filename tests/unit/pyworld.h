/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pyworld: a tree with a Python in it, and the collectors of Python environments run over it. Include it after cmocka.h.
 *
 *	struct pyworld w;
 *	pyworld_init(&w);                       // /usr/bin/python3 -> python3.11 with a standard library
 *	pyworld_venv(&w, "/app/.venv", "");      // more lines of pyvenv.cfg
 *	pyworld_run(&w);                        // facts in w.facts
 *	pyworld_done(&w);
 */
#ifndef TESTS_PYWORLD_H
#define TESTS_PYWORLD_H

#include "collect/registry.h"
#include "tmptree.h"

#define PYWORLD_ELF "\177ELF\2\1\1"

struct pyworld {
	struct tmptree t;
	struct cv_arena *a;
	struct cv_diag diag;
	struct cv_facts *facts;
	struct cv_view *view;
	struct cv_selection sel;
	const char *env[32]; /* "NAME=VALUE" of a live run */
	size_t env_n;
	bool live;
	const char *closed; /* a directory that may not be listed nor searched */
};

/* A view in which everything below one directory is denied: root cannot make such a tree. */
struct pyworld_closed {
	struct cv_view view;
	struct cv_view *base;
	struct cv_view_ops ops;
	const char *dir;
};

static inline int pyworld_closed_list(struct cv_view *v, const char *path, struct cv_arena *a, struct cv_dirlist *ret)
{
	struct pyworld_closed *c = (struct pyworld_closed *)v;

	return cv_path_below(path, c->dir) ? CV_EACCES : cv_view_list(c->base, path, a, ret);
}

static inline int pyworld_closed_stat(struct cv_view *v, const char *path, bool follow, struct cv_stat *ret)
{
	struct pyworld_closed *c = (struct pyworld_closed *)v;

	if (cv_path_below(path, c->dir) && strcmp(path, c->dir) != 0)
		return CV_EACCES;
	return follow ? cv_view_stat(c->base, path, ret) : cv_view_lstat(c->base, path, ret);
}

static inline int pyworld_closed_open(struct cv_view *v, const char *path, struct cv_src **ret)
{
	struct pyworld_closed *c = (struct pyworld_closed *)v;

	return cv_path_below(path, c->dir) ? CV_EACCES : cv_view_open(c->base, path, ret);
}

static inline int pyworld_closed_readlink(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	return cv_view_readlink(((struct pyworld_closed *)v)->base, path, a, ret);
}

static inline int pyworld_closed_realpath(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	return cv_view_realpath(((struct pyworld_closed *)v)->base, path, a, ret);
}

static inline int pyworld_closed_access(struct cv_view *v, const char *path, int mode)
{
	return cv_view_access(((struct pyworld_closed *)v)->base, path, mode);
}

static inline int pyworld_closed_getenv(struct cv_view *v, const char *name, const char **ret)
{
	return cv_view_getenv(((struct pyworld_closed *)v)->base, name, ret);
}

static inline int pyworld_closed_ids(struct cv_view *v, struct cv_ids *ret)
{
	return cv_view_ids(((struct pyworld_closed *)v)->base, ret);
}

static inline void pyworld_closed_free(struct cv_view *v)
{
	cv_view_free(((struct pyworld_closed *)v)->base);
	free(v);
}

static inline struct cv_view *pyworld_close(struct cv_view *base, const char *dir)
{
	struct pyworld_closed *c = calloc(1, sizeof(*c));

	assert_non_null(c);
	c->ops = (struct cv_view_ops){
		.name = "closed",
		.stat = pyworld_closed_stat,
		.readlink = pyworld_closed_readlink,
		.realpath = pyworld_closed_realpath,
		.list = pyworld_closed_list,
		.open = pyworld_closed_open,
		.access = pyworld_closed_access,
		.getenv = pyworld_closed_getenv,
		.ids = pyworld_closed_ids,
		.free = pyworld_closed_free,
	};
	c->view.ops = &c->ops;
	c->base = base;
	c->dir = dir;
	return &c->view;
}

static inline void pyworld_python(struct pyworld *w, const char *prefix, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/bin/%s", prefix, name);
	tmptree_file(&w->t, path, PYWORLD_ELF);
	tmptree_chmod(&w->t, path, 0755);
	snprintf(path, sizeof(path), "%s/lib/%s/os.py", prefix, name);
	tmptree_file(&w->t, path, "");
	snprintf(path, sizeof(path), "%s/lib/%s/lib-dynload", prefix, name);
	tmptree_dir(&w->t, path);
}

static inline void pyworld_init(struct pyworld *w)
{
	*w = (struct pyworld){ 0 };
	tmptree_init(&w->t);
	w->a = cv_arena_new((size_t)64 << 20);
	assert_non_null(w->a);
	cv_diag_init(&w->diag, w->a);
	pyworld_python(w, "/usr", "python3.11");
	tmptree_link(&w->t, "/usr/bin/python3", "python3.11");
}

static inline void pyworld_venv(struct pyworld *w, const char *dir, const char *cfg)
{
	char path[PATH_MAX], text[1024];

	snprintf(path, sizeof(path), "%s/pyvenv.cfg", dir);
	snprintf(text, sizeof(text), "home = /usr/bin\nversion = 3.11.2\n%s",
		 cfg[0] ? cfg : "include-system-site-packages = false\n");
	tmptree_file(&w->t, path, text);
	snprintf(path, sizeof(path), "%s/bin/python3", dir);
	tmptree_link(&w->t, path, "/usr/bin/python3");
	snprintf(path, sizeof(path), "%s/lib/python3.11/site-packages", dir);
	tmptree_dir(&w->t, path);
}

/* A file of the tree, named in two parts. */
static inline void pyworld_file(struct pyworld *w, const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	assert_true(n > 0 && n < PATH_MAX);
	tmptree_file(&w->t, path, text);
}

static inline void pyworld_run(struct pyworld *w)
{
	static const struct cv_collector *const all[] = { &cv_collector_py_envs, &cv_collector_py_packages,
							  &cv_collector_py_frameworks };
	struct cv_collect_ctx c = { .kb = cv_kb_builtin(), .sel = &w->sel, .diag = &w->diag };

	assert_int_equal(cv_view_tree_new(w->t.dir, &w->diag, &w->view), 0);
	if (w->env_n)
		assert_int_equal(cv_view_setenv_new(w->view, w->env, w->env_n, &w->view), 0);
	if (w->closed)
		w->view = pyworld_close(w->view, w->closed);
	w->view->live = w->live;
	w->facts = cv_facts_new(w->a);
	c.view = w->view;
	c.facts = w->facts;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		c.scratch = cv_arena_new((size_t)64 << 20);
		assert_non_null(c.scratch);
		all[i]->run(&c);
		assert_false(cv_arena_failed(c.scratch));
		cv_arena_free(c.scratch);
	}
	assert_int_equal(cv_facts_freeze(w->facts), 0);
}

static inline void pyworld_done(struct pyworld *w)
{
	cv_view_free(w->view);
	cv_arena_free(w->a);
	tmptree_done(&w->t);
}

static inline const struct cv_subject *pyworld_env(struct pyworld *w, const char *key)
{
	const struct cv_subject *s = cv_facts_find(w->facts, CV_KIND_env, key);

	if (!s)
		fail_msg("no environment %s", key);
	return s;
}

static inline void pyworld_text(const struct cv_subject *s, enum cv_field id, const char *want)
{
	const char *got = cv_fact_str(s, id);

	if (!want ? got != NULL : !got || strcmp(got, want) != 0)
		fail_msg("%s.%s: %s instead of %s", s ? cv_subject_key(s) : "-", cv_field_table[id].name, got ? got : "(none)",
			 want ? want : "(none)");
}

/* The values of a list, joined by blanks. */
static inline void pyworld_list(struct pyworld *w, const struct cv_subject *s, enum cv_field id, const char *want)
{
	const char *got = cv_value_text(w->a, id, cv_fact(s, id));

	if (strcmp(got, want) != 0)
		fail_msg("%s.%s: %s instead of %s", s ? cv_subject_key(s) : "-", cv_field_table[id].name, got, want);
}

#endif
