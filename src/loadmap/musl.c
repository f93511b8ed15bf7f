/* SPDX-License-Identifier: Apache-2.0 */
/*
 * musl's loader (ldso/dynlink.c), which is also its C library.
 *
 * The names libc., libpthread., librt., libm., libdl., libutil. and libxnet. mean itself. Others: with a slash that path; else
 * what was found by that name before, LD_LIBRARY_PATH, the RUNPATH (or RPATH) of the requester, of the one that asked for it
 * and so on, then the system path: /etc/ld-musl-ARCH.path, or /lib:/usr/local/lib:/usr/lib. Elements end with a colon or a
 * line. Only $ORIGIN is replaced; a list with another token does not count. SONAMEs, versions and caches mean nothing to it,
 * and the class of a file is not looked at.
 */
#include "loadmap/lm.h"

#define PATH_FILE_MAX 65536

static bool is_reserved(const char *name)
{
	static const char *const words[] = { "c.", "pthread.", "rt.", "m.", "dl.", "util.", "xnet." };

	if (!cv_starts(name, "lib"))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (cv_starts(name + 3, words[i]))
			return true;
	return false;
}

struct query {
	const char *name;
	size_t by;
	struct cv_lm_edge *edge;
	struct lm_path *hit;
	const char *hit_name;
	int err;
};

static int lose(struct lm_map *m, struct query *q, const char *path, enum cv_lm_reason reason)
{
	struct cv_lm_loser *l = CV_VEC_PUSH(m->arena, &q->edge->losers);

	if (!l)
		return CV_ENOMEM;
	*l = (struct cv_lm_loser){ .path = path, .reason = reason };
	return 0;
}

/* 1: opened (or the search ends: no hit), 0: go on. */
static int try_file(struct lm_map *m, struct query *q, const char *name)
{
	const char *path = name[0] == '/'	 ? name
			   : m->sys->opts.cwd ? cv_arena_printf(m->arena, "%s/%s", m->sys->opts.cwd, name)
					      : NULL;
	struct lm_path *p;
	int r;

	if (++m->steps > CV_LM_STEPS_MAX)
		return cv_lm_limit(m, "too many files tried");
	if (m->sys->opts.tries && !cv_strv_push(m->arena, &q->edge->tries, name))
		return CV_ENOMEM;
	if (!path)
		return 0;
	r = cv_lm_path(m->sys, path, &p);
	if (r < 0)
		return r == CV_ELIMIT ? cv_lm_limit(m, "too many paths") : r;
	r = p->err ? p->err : p->file && p->file->err != CV_EFORMAT ? p->file->err : 0;
	if (r == 0) {
		q->hit = p;
		q->hit_name = name;
		return 1;
	}
	q->err = r;
	if (r == CV_EACCES && lose(m, q, name, CV_LM_UNREADABLE) < 0)
		return CV_ENOMEM;
	return r != CV_ENOENT && r != CV_ENOTDIR && r != CV_EACCES && r != CV_ELIMIT;
}

static int try_list(struct lm_map *m, struct query *q, const char *list, enum cv_lm_step step, size_t of)
{
	for (const char *s = list; *s && !m->stopped;) {
		size_t n = strcspn(s, ":\n");
		const char *dir = cv_arena_memdup(m->arena, s, n);
		int r;

		s += n + (s[n] != 0);
		if (n == 0)
			continue;
		if (!cv_strv_push(m->arena, &q->edge->searched, dir))
			return CV_ENOMEM;
		r = try_file(m, q, cv_arena_printf(m->arena, "%s/%s", dir, q->name));
		if (r == 1 && q->hit) {
			q->edge->step = step;
			q->edge->detail = dir;
			q->edge->detail_of = of;
		}
		if (r != 0)
			return r;
	}
	return 0;
}

/* The object's list with $ORIGIN replaced; NULL: it has none, or one that cannot be read. */
static int rpath_of(struct lm_map *m, size_t i, const char **ret)
{
	const struct cv_elf *e = m->objs.v[i].file->elf;
	const char *raw = e->runpath ? e->runpath : e->rpath;

	*ret = NULL;
	if (!raw || !raw[0])
		return 0;
	for (const char *s = strchr(raw, '$'); s; s = strchr(s + 1, '$'))
		if (!cv_starts(s, "$ORIGIN") && !cv_starts(s, "${ORIGIN}"))
			return 0;
	return cv_lm_expand(m, i, raw, ret);
}

static int system_path(struct lm_map *m, const char **ret)
{
	struct cv_str name = cv_str_of(cv_basename(m->loader->path)), text;
	const char *arch = "x86_64";
	int r;

	if (cv_str_eat(&name, "ld-musl-") && cv_str_chr(name, '.') > 0)
		arch = cv_arena_memdup(m->arena, name.p, (size_t)cv_str_chr(name, '.'));
	r = cv_view_read(m->sys->view, cv_arena_printf(m->arena, "/etc/ld-musl-%s.path", arch), PATH_FILE_MAX, m->arena, &text);
	if (r == CV_ENOMEM)
		return r;
	*ret = r == 0 ? text.p : "/lib:/usr/local/lib:/usr/lib";
	return 0;
}

static int search(struct lm_map *m, struct query *q)
{
	const char *list;
	int r = 0;

	if (strchr(q->name, '/')) {
		r = try_file(m, q, q->name);
		q->edge->step = r == 1 && q->hit ? CV_LM_PATH : CV_LM_MISSING;
		return r;
	}
	if (m->sys->opts.library_path)
		r = try_list(m, q, m->sys->opts.library_path, CV_LM_LIBRARY_PATH, CV_LM_NONE);
	for (size_t i = q->by; r == 0 && i != CV_LM_NONE; i = m->objs.v[i].loader) {
		r = rpath_of(m, i, &list);
		if (r == 0 && list)
			r = try_list(m, q, list, m->objs.v[i].file->elf->runpath ? CV_LM_RUNPATH : CV_LM_RPATH, i);
	}
	if (r == 0)
		r = system_path(m, &list);
	return r == 0 ? try_list(m, q, list, CV_LM_DEFAULT, CV_LM_NONE) : r;
}

static size_t find_loaded(const struct lm_map *m, const char *name)
{
	if (is_reserved(name) || cv_streq(name, m->loader->path))
		return m->rtld;
	for (size_t k = 0; k < m->pub.chain.n && !strchr(name, '/'); k++)
		if (m->pub.chain.v[k] != 0 && cv_lm_name_matches(m, m->pub.chain.v[k], name, cv_lm_hash(name)))
			return m->pub.chain.v[k];
	return CV_LM_NONE;
}

static bool is_loadable(const struct lm_file *f)
{
	return f && f->elf && (f->elf->type == CV_ET_DYN || f->elf->type == CV_ET_EXEC) && f->elf->has_dynamic;
}

/* The file that was found becomes an object, unless it is one. 1: it cannot be loaded. */
static int take(struct lm_map *m, struct query *q, size_t edge, size_t *ret)
{
	bool by_name = !strchr(q->name, '/');
	int r;

	for (size_t k = 0; k < m->pub.chain.n; k++) {
		size_t i = m->pub.chain.v[k];

		if (m->objs.v[i].file != q->hit->file)
			continue;
		m->pub.edges.v[edge].step = CV_LM_LOADED;
		*ret = i;
		return by_name ? cv_lm_add_name(m, i, q->name) : 0;
	}
	if (!is_loadable(q->hit->file))
		return 1;
	r = cv_lm_add_object(m, q->hit, q->hit_name, by_name ? q->name : q->hit_name, ret);
	if (r == 0 && !m->stopped) {
		m->objs.v[*ret].loader = q->by;
		m->pub.objects.v[*ret].edge = edge;
		m->pub.objects.v[*ret].global = true;
	}
	return r;
}

static const char *why(struct lm_map *m, const struct query *q)
{
	return q->hit ? "Exec format error" : cv_lm_errno_text(m, q->err);
}

/* 0: loaded or there; 1: not, and the trouble is told. */
static int load(struct lm_map *m, size_t by, enum cv_lm_mode mode, const char *name, size_t *ret)
{
	size_t edge = m->pub.edges.n;
	struct query q = { .name = name, .by = by, .err = CV_ENOENT };
	struct cv_lm_trouble *t;
	struct cv_lm_edge e;
	size_t found = find_loaded(m, name);
	int r = 0;

	if (edge >= CV_LM_EDGES_MAX)
		return cv_lm_limit(m, "too many requests");
	if (!cv_lm_edge(m, mode == CV_LM_BY_PRELOAD ? CV_LM_NONE : by, mode, name))
		return CV_ENOMEM;
	e = m->pub.edges.v[edge];
	q.edge = &e;
	e.step = CV_LM_LOADED;
	if (found == CV_LM_NONE) {
		e.step = CV_LM_MISSING;
		r = search(m, &q);
		m->pub.edges.v[edge] = e;
		if (r >= 0 && !m->stopped)
			r = q.hit ? take(m, &q, edge, &found) : 1;
	} else {
		m->pub.edges.v[edge] = e;
	}
	if (r < 0 || m->stopped)
		return r;
	m->pub.edges.v[edge].object = found;
	*ret = found;
	if (r == 0)
		return 0;
	m->pub.edges.v[edge].step = CV_LM_MISSING;
	t = cv_lm_trouble(m, q.hit ? CV_LM_T_WRONG_FORMAT : CV_LM_T_MISSING, true, name,
			  cv_arena_printf(m->arena, "Error loading shared library %s: %s (needed by %s)", name, why(m, &q),
					  m->pub.objects.v[by].path));
	if (t) {
		t->edge = edge;
		t->object = m->pub.edges.v[edge].by;
	}
	return 1;
}

/* What the objects from first on need, in load order. *ret_failed: something was not there. */
static int load_deps(struct lm_map *m, size_t first, bool *ret_failed)
{
	*ret_failed = false;
	for (size_t i = first; i < m->objs.n && !m->stopped; i++) {
		const struct cv_elf *e = m->objs.v[i].file->elf;

		for (size_t k = 0; i != m->rtld && k < e->needed.n && !m->stopped; k++) {
			size_t obj;
			int r = load(m, i, CV_LM_BY_NEEDED, e->needed.v[k], &obj);

			if (r < 0)
				return r;
			*ret_failed |= r == 1;
		}
	}
	return 0;
}

static int set_scope(struct lm_map *m)
{
	m->pub.scope.n = 0;
	for (size_t k = 0; k < m->pub.chain.n; k++) {
		size_t *slot = CV_VEC_PUSH(m->arena, &m->pub.scope);

		if (!slot)
			return CV_ENOMEM;
		*slot = m->pub.chain.v[k];
		m->pub.objects.v[*slot].global = true;
	}
	return 0;
}

int cv_lm_musl_exec(struct lm_map *m)
{
	struct cv_lm_edge *e = cv_lm_edge(m, 0, CV_LM_BY_EXEC, m->loader->path);
	struct lm_path *p;
	bool failed;
	int r;

	if (!e)
		return CV_ENOMEM;
	e->step = CV_LM_INTERP;
	r = cv_lm_path(m->sys, m->loader->path, &p);
	if (r == 0)
		r = cv_lm_add_object(m, p, m->loader->path, "libc.so", &m->rtld);
	if (r < 0 || m->stopped)
		return r;
	m->pub.edges.v[m->pub.edges.n - 1].object = m->rtld;
	for (const char *s = m->sys->opts.preload; s && *s && !m->stopped;) {
		size_t n = strcspn(s, ": \t\n"), obj;

		r = n ? load(m, 0, CV_LM_BY_PRELOAD, cv_arena_memdup(m->arena, s, n), &obj) : 0;
		if (r < 0)
			return r;
		s += n + (s[n] != 0);
	}
	r = load_deps(m, 0, &failed);
	return r < 0 ? r : set_scope(m);
}

int cv_lm_musl_dlopen(struct lm_map *m, size_t by, const char *name, unsigned flags)
{
	size_t before = m->objs.n, chain_n = m->pub.chain.n, obj;
	bool failed = false;
	int r;

	(void)flags; /* musl keeps no object from the others' sight but by dlsym */
	r = load(m, by, CV_LM_BY_DLOPEN, name, &obj);
	if (r < 0 || m->stopped)
		return r;
	if (r == 0)
		r = load_deps(m, before, &failed);
	if (r < 0)
		return r;
	if (r == 0 && !failed) {
		if (obj >= before)
			m->pub.objects.v[obj].wanted_by_dlopen = true;
		r = set_scope(m);
		return r < 0 ? r : 1;
	}
	for (size_t i = before; i < m->objs.n; i++)
		m->pub.objects.v[i].unloaded = true;
	m->pub.chain.n = chain_n;
	return 0;
}
