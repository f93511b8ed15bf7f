/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for a name, step by step as glibc takes it (elf/dl-load.c):
 *
 *	with a slash   that path, tokens replaced; nothing else
 *	without        unless the requester has RUNPATH: its RPATH, that of the one that asked for it, and so on, last the
 *	               program's; LD_LIBRARY_PATH; the requester's RUNPATH; ld.so.cache; the default directories (both less
 *	               with NODEFLIB)
 *
 * In each directory first the subdirectories for special CPUs. Whether they exist is asked once. A file that cannot be opened
 * for another reason than ENOENT, EACCES and ENOTDIR ends the list that it is in, not the search.
 */
#include "loadmap/lm.h"

#define NAME_ROOM 8192

/* A path as the view wants it; NULL: relative, and the current directory is not known. */
static const char *absolute(struct lm_map *m, const char *name)
{
	const char *cwd = m->sys->opts.cwd;

	if (name[0] == '/')
		return name;
	if (cwd)
		return cv_arena_printf(m->arena, "%s/%s", cwd, name);
	if (!m->said_cwd)
		cv_diag_fail(m->diag, CV_ENOENT, "%s: relative to a directory that is not known: left out", name);
	m->said_cwd = true;
	return NULL;
}

/* The loader's errno; it does not search for losers. */
static void set_err(struct lm_search *s, int err)
{
	if (!s->behind)
		s->m->err = err;
}

static int lose(struct lm_search *s, const char *path, enum cv_lm_reason reason)
{
	struct cv_lm_loser *l;

	for (size_t i = 0; i < s->edge->losers.n; i++)
		if (cv_streq(s->edge->losers.v[i].path, path))
			return 0;
	l = CV_VEC_PUSH(s->m->arena, &s->edge->losers);
	if (!l)
		return CV_ENOMEM;
	*l = (struct cv_lm_loser){ .path = cv_arena_strdup(s->m->arena, path), .reason = reason };
	return 0;
}

/* It could not be asked about, so nobody knows what the loader does with it. */
static int unknown(struct lm_search *s, const char *name, int err)
{
	if (!s->behind) {
		const char *message = cv_arena_printf(s->m->arena, "%s: %s", name, cv_strerror(err));
		struct cv_lm_trouble *t = cv_lm_trouble(s->m, CV_LM_T_UNREADABLE, false, s->name, message);

		if (t)
			t->object = s->by;
	}
	return lose(s, name, CV_LM_UNREADABLE);
}

/* The file could not be opened. */
static int closed(struct lm_search *s, const char *name, const char *path, int err)
{
	struct cv_stat st;

	set_err(s, err == CV_ENOTREG || err == CV_ENOTASKED ? CV_ENOENT : err);
	if (err == CV_ENOTASKED || err == CV_EIO)
		return unknown(s, name, err);
	if (err == CV_EACCES)
		return lose(s, name, CV_LM_UNREADABLE);
	if (err == CV_ENOENT && !s->behind && !s->m->sys->opts.quick && cv_view_lstat(s->m->sys->view, path, &st) == 0)
		return lose(s, name, CV_LM_DANGLING);
	return 0;
}

/* A file that was opened. 1: taken or the end of the load. */
static int opened(struct lm_search *s, const char *name, struct lm_path *p)
{
	struct lm_check c;

	cv_lm_verify(s->m, p, &c);
	set_err(s, 0);
	if (s->behind) {
		if (c.verdict == LM_FIT && s->hit && p->file == s->hit->file)
			return 0;
		return lose(s, name, c.verdict == LM_FIT ? CV_LM_LATER : c.reason);
	}
	if (c.verdict == LM_SKIP) {
		s->other_class |= c.other_class;
		s->m->err = CV_ENOENT;
		return lose(s, name, c.reason);
	}
	if (c.verdict == LM_BAD) {
		s->bad = c;
		s->bad_name = cv_arena_strdup(s->m->arena, name);
	} else {
		s->hit = p;
		s->hit_name = cv_arena_strdup(s->m->arena, name);
	}
	return cv_arena_failed(s->m->arena) ? CV_ENOMEM : 1;
}

/* open_verify: 1 found (or the load ends), 0 not, <0 error. */
static int try_file(struct lm_search *s, const char *name)
{
	struct lm_map *m = s->m;
	const char *path = absolute(m, name);
	struct lm_path *p;
	int r;

	if (++m->steps > CV_LM_STEPS_MAX)
		return cv_lm_limit(m, "too many files tried");
	if (!s->behind && m->sys->opts.tries && !cv_strv_push(m->arena, &s->edge->tries, cv_arena_strdup(m->arena, name)))
		return CV_ENOMEM;
	if (!path)
		return 0;
	r = cv_lm_path(m->sys, path, &p);
	if (r == CV_ELIMIT)
		return cv_lm_limit(m, "too many paths");
	if (r < 0)
		return r;
	if (p->err < 0)
		return closed(s, name, path, p->err);
	if (!p->file && cv_view_access(m->sys->view, path, CV_ACCESS_R) == CV_EACCES)
		return closed(s, name, path, CV_EACCES);
	if (p->file && p->file->err < 0 && p->file->err != CV_EFORMAT && p->file->err != CV_EIO)
		return closed(s, name, path, p->file->err);
	return opened(s, name, p);
}

/*
 * Is there a directory at all? Asked after a miss, as the loader does, so that its errno is the same. Before 2.41 it takes the
 * slash off first, and so "/" never exists for it.
 */
static void judge_dir(struct lm_search *s, unsigned char *status, char *dir)
{
	struct lm_path *p;
	int err;

	if (s->m->loader->minor < 41) {
		dir[strlen(dir) - 1] = 0;
		if (!dir[0]) {
			*status = LM_NOT_THERE;
			set_err(s, CV_ENOENT);
			return;
		}
	}
	if (cv_lm_look(s->m->sys, dir, &p) < 0)
		return;
	err = p->err;
	/* The view drops a "." at the end, which the kernel only finds in a directory that may be searched. */
	if (err == 0 && p->type == CV_FT_DIR && cv_str_ends(cv_str_of(dir), s->m->loader->minor < 41 ? "/." : "/./"))
		err = cv_view_access(s->m->sys->view, dir, CV_ACCESS_X);
	if (err == 0 && p->type == CV_FT_DIR) {
		*status = LM_EXISTS;
		return;
	}
	*status = LM_NOT_THERE;
	if (err < 0)
		set_err(s, err);
}

/* Behind a hit: the directory of the hit by another name ("/lib" beside "/usr/lib") holds nothing that loses. */
static bool is_hit_dir(struct lm_search *s, const struct lm_dir *d)
{
	struct lm_path *p;

	return d->name[0] == '/' && cv_lm_look(s->m->sys, d->name, &p) == 0 &&
	       (p->err < 0 || (p->dev == s->hit_dev && p->ino == s->hit_ino && p->ino));
}

/*
 * Is the first part of a subdirectory's path ("tls/" of "tls/haswell/") not there? Then neither is the rest, and as the loader asks
 * for the subdirectory last, its errno is the same.
 */
static bool lacks_first(struct lm_search *s, const char *name, size_t dir_n, const char *sub)
{
	size_t n = strcspn(sub, "/");
	struct lm_path *p;
	char first[NAME_ROOM];

	if (!n || name[0] != '/')
		return false;
	memcpy(first, name, dir_n + n);
	first[dir_n + n] = 0;
	return cv_lm_look(s->m->sys, first, &p) == 0 && p->err == CV_ENOENT;
}

/* One subdirectory of a directory; name has room for the file. */
static int try_sub(struct lm_search *s, unsigned char *status, const char *sub, char *name, size_t name_n, size_t dir_n)
{
	int r;

	memcpy(name + name_n, s->name, strlen(s->name) + 1);
	if (*status == LM_UNKNOWN && !s->m->sys->opts.tries && lacks_first(s, name, dir_n, sub)) {
		*status = LM_NOT_THERE;
		set_err(s, CV_ENOENT);
		return 0;
	}
	r = try_file(s, name);
	if (r == 0 && *status == LM_UNKNOWN) {
		name[name_n] = 0;
		judge_dir(s, status, name);
	} else if (r == 1) {
		*status = LM_EXISTS;
	}
	return r;
}

/* One directory with its subdirectories. *ret_any: one of them exists. */
static int try_dir(struct lm_search *s, struct lm_dir *d, bool *ret_any)
{
	const struct cv_strv *subs = &s->m->loader->subdirs;
	size_t dir_n = strlen(d->name), file_n = strlen(s->name);
	char name[NAME_ROOM];

	*ret_any = false;
	if (s->behind && is_hit_dir(s, d))
		return 0;
	if (dir_n < sizeof(name))
		memcpy(name, d->name, dir_n);
	for (size_t i = 0; i < subs->n; i++) {
		unsigned char *status = s->behind && d->status[i] == LM_UNKNOWN ? &d->later[i] : &d->status[i];
		size_t sub_n = strlen(subs->v[i]);
		int r;

		if (*status == LM_NOT_THERE)
			continue;
		if (dir_n + sub_n + file_n >= sizeof(name)) {
			set_err(s, CV_ELIMIT);
			*ret_any = true;
			continue;
		}
		memcpy(name + dir_n, subs->v[i], sub_n);
		r = try_sub(s, status, subs->v[i], name, dir_n + sub_n, dir_n);
		*ret_any |= *status != LM_NOT_THERE;
		if (r != 0)
			return r;
	}
	return 0;
}

/* open_path: a list of directories. */
static int try_list(struct lm_search *s, const struct lm_dirs *list, enum cv_lm_step step, size_t of)
{
	for (size_t i = 0; i < list->n; i++) {
		struct lm_dir *d = list->v[i].dir;
		bool any;
		int r;

		if (s->telling) {
			if (!cv_strv_push(s->m->arena, &s->edge->searched, d->name[0] ? d->name : "."))
				return CV_ENOMEM;
			continue;
		}
		r = try_dir(s, d, &any);
		if (r == 1 && s->hit) {
			s->edge->step = step;
			s->edge->detail = list->v[i].raw;
			s->edge->detail_of = of;
		}
		if (r != 0)
			return r;
		if (!s->behind && any && s->m->err != CV_ENOENT && s->m->err != CV_EACCES && s->m->err != CV_ENOTDIR)
			return 0;
	}
	return 0;
}

static int try_rpath(struct lm_search *s, size_t of, bool run)
{
	const struct lm_dirs *list;
	int r = cv_lm_rpath(s->m, of, run, &list);

	return r < 0 ? r : try_list(s, list, run ? CV_LM_RUNPATH : CV_LM_RPATH, of);
}

/* The chain of RPATHs; the program's comes last, and not twice. */
static int try_rpaths(struct lm_search *s)
{
	struct lm_map *m = s->m;
	bool did_main = false;
	int r = 0;

	if (s->by != CV_LM_NONE && m->objs.v[s->by].file && m->objs.v[s->by].file->elf->runpath)
		return 0;
	for (size_t i = s->by; i != CV_LM_NONE && r == 0; i = m->objs.v[i].loader) {
		r = try_rpath(s, i, false);
		did_main |= i == 0 && m->objs.v[0].rpath.n;
	}
	return r == 0 && !did_main && m->objs.n ? try_rpath(s, 0, false) : r;
}

static bool nodeflib(const struct lm_search *s)
{
	size_t i = s->by == CV_LM_NONE ? 0 : s->by;
	const struct lm_map *m = s->m;

	return i < m->objs.n && m->objs.v[i].file && m->objs.v[i].file->elf->df1 & CV_DF_1_NODEFLIB;
}

static int try_cache(struct lm_search *s)
{
	const struct cv_strv *dirs = &s->m->loader->dirs;
	const char *path;
	int r;

	if (s->telling)
		return cv_strv_push(s->m->arena, &s->edge->searched, "/etc/ld.so.cache") ? 0 : CV_ENOMEM;
	r = cv_lm_cache_lookup(s, &path);
	if (r < 0)
		return r;
	if (!s->m->asked_cache && s->m->sys->cache_err < 0 && s->m->sys->cache_err != CV_EFORMAT)
		set_err(s, s->m->sys->cache_err);
	s->m->asked_cache |= !s->behind;
	for (size_t i = 0; path && nodeflib(s) && i < dirs->n; i++) {
		if (!cv_starts(path, dirs->v[i]))
			continue;
		/* It says that it tries it, then does not. */
		if (!s->behind && s->m->sys->opts.tries && !cv_strv_push(s->m->arena, &s->edge->tries, path))
			return CV_ENOMEM;
		path = NULL;
	}
	r = path ? try_file(s, path) : 0;
	if (r == 1 && s->hit)
		s->edge->step = CV_LM_CACHE;
	return r;
}

typedef int step_fn(struct lm_search *s);

static int try_env(struct lm_search *s)
{
	return try_list(s, &s->m->env, CV_LM_LIBRARY_PATH, CV_LM_NONE);
}

static int try_runpath(struct lm_search *s)
{
	return s->by == CV_LM_NONE ? 0 : try_rpath(s, s->by, true);
}

static int try_default(struct lm_search *s)
{
	int r = nodeflib(s) ? 1 : cv_lm_system_dirs(s->m);

	if (r != 0)
		return r < 0 ? r : 0;
	return try_list(s, &s->m->system, CV_LM_DEFAULT, CV_LM_NONE);
}

/* Copies for CPUs that this one is not, beside the file that was taken. */
static int unfit_copies(struct lm_search *s)
{
	static const char *const levels[] = { "x86-64-v2", "x86-64-v3", "x86-64-v4" };
	struct lm_map *m = s->m;
	const char *dir = cv_dirname(m->arena, s->hit_name);
	const struct cv_strv *subs = &m->loader->subdirs;
	struct lm_path *p;

	if (m->loader->minor < 33 || m->loader->machine != CV_EM_X86_64 || s->hit_name[0] != '/')
		return 0;
	if (cv_lm_look(m->sys, cv_path_join(m->arena, dir, "glibc-hwcaps"), &p) < 0 || p->err < 0)
		return 0;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		const char *sub = cv_arena_printf(m->arena, "glibc-hwcaps/%s/", levels[i]);
		const char *name = cv_arena_printf(m->arena, "%s/%s%s", dir, sub, s->name);

		if (cv_strv_has(subs, sub) || cv_lm_look(m->sys, name, &p) < 0 || p->err < 0)
			continue;
		if (lose(s, name, CV_LM_HWCAP_UNFIT) < 0)
			return CV_ENOMEM;
	}
	return 0;
}

static int search_path(struct lm_search *s)
{
	const char *name;
	int r = cv_lm_expand(s->m, s->by, s->name, &name);

	if (r < 0)
		return r;
	r = try_file(s, name);
	if (r == 1 && s->hit)
		s->edge->step = CV_LM_PATH;
	return r;
}

static int run_steps(struct lm_search *s)
{
	static step_fn *const steps[] = { try_rpaths, try_env, try_runpath, try_cache, try_default };
	int r = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && r == 0 && !s->m->stopped; i++)
		r = steps[i](s);
	return r;
}

int cv_lm_search(struct lm_search *s)
{
	int r;

	r = strchr(s->name, '/') ? search_path(s) : run_steps(s);
	if (r == 1 && s->hit && s->edge->step != CV_LM_PATH && !s->m->sys->opts.quick) {
		/* Once more for the files that lose: what was looked at is remembered, so this costs little. */
		struct lm_path *dir;

		s->behind = true;
		if (s->hit_name[0] == '/' && cv_lm_look(s->m->sys, cv_dirname(s->m->arena, s->hit_name), &dir) == 0) {
			s->hit_dev = dir->dev;
			s->hit_ino = dir->ino;
		}
		r = run_steps(s);
		if (r == 0)
			r = unfit_copies(s);
	}
	if (r == 0 && !s->hit && !strchr(s->name, '/')) {
		s->telling = true; /* where it was looked for */
		r = run_steps(s);
	}
	return r < 0 ? r : s->hit != NULL;
}
