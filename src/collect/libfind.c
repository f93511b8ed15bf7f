/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/libfind.h"

#include "parse/libname.h"

struct entry {
	const char *name, *family;
	const char *real; /* NULL: a dead link */
	const char *dead;
};

struct dir {
	CV_VEC(struct entry) entries; /* of the GPU stack only */
};

static bool is_plain_file(const struct cv_dirlist *list, const char *name)
{
	size_t lo = 0, hi = list->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int order = strcmp(list->v[mid].name, name);

		if (order == 0)
			return list->v[mid].type == CV_FT_REG;
		if (order < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

/* Resolves a link of the directory real_dir; a link to a plain file beside it needs no further look. */
static void resolve_link(struct cv_libfind *f, const char *real_dir, const struct cv_dirlist *list, struct entry *e)
{
	const char *path = cv_path_join(f->arena, real_dir, e->name);
	const char *text;

	if (cv_view_readlink(f->view, path, f->arena, &text) == 0 && !strchr(text, '/') && is_plain_file(list, text)) {
		e->real = cv_path_join(f->arena, real_dir, text);
		return;
	}
	if (cv_view_realpath(f->view, path, f->arena, &e->real) == 0)
		return;
	e->real = NULL;
	if (cv_view_readlink(f->view, path, f->arena, &e->dead) < 0)
		e->dead = "";
}

/* Whether a failure leaves open what is there: not allowed, not recorded, too much. */
static bool leaves_open(int r)
{
	return r < 0 && r != CV_ENOENT && r != CV_ENOTDIR;
}

static void fill_dir(struct cv_libfind *f, struct dir *d, const char *real_dir)
{
	struct cv_dirlist list = { 0 };
	struct cv_str family;
	int r = cv_view_list(f->view, real_dir, f->arena, &list);

	if (leaves_open(r))
		cv_strv_push(f->arena, &f->denied, real_dir);
	if (r < 0)
		return;
	for (size_t i = 0; i < list.n; i++) {
		struct entry *e;

		if (list.v[i].type == CV_FT_DIR || !cv_libname_family(cv_str_of(list.v[i].name), &family))
			continue;
		e = CV_VEC_PUSH(f->arena, &d->entries);
		if (!e)
			return;
		e->name = list.v[i].name;
		e->family = cv_str_dup(f->arena, family);
		if (list.v[i].type == CV_FT_REG)
			e->real = cv_path_join(f->arena, real_dir, e->name);
		else
			resolve_link(f, real_dir, &list, e);
	}
}

/* Empty if it is not there; NULL when out of memory. */
static const struct dir *get_dir(struct cv_libfind *f, const char *path)
{
	struct dir *d = cv_map_get(&f->dirs, path);
	const char *real = NULL;
	int r;

	if (d)
		return d;
	r = cv_view_realpath(f->view, path, f->arena, &real);
	if (leaves_open(r))
		cv_strv_push(f->arena, &f->denied, cv_arena_strdup(f->arena, path));
	if (r == 0)
		d = cv_map_get(&f->dirs, real);
	if (!d) {
		d = CV_NEW(f->arena, struct dir);
		if (!d)
			return NULL;
		if (real) {
			fill_dir(f, d, real);
			cv_map_set(f->arena, &f->dirs, real, d);
		}
	}
	cv_map_set(f->arena, &f->dirs, cv_arena_strdup(f->arena, path), d);
	return d;
}

static void add_entry(struct cv_libfind *f, const char *dir, const struct entry *e, const char *via, const char *env)
{
	const char *name = cv_path_join(f->arena, dir, e->name);
	const char *real = e->real ? e->real : name;
	struct cv_libfile *file = cv_map_get(&f->by_real, real);
	struct cv_libfile **slot;

	if (!file) {
		if (f->files.n >= CV_LIBFIND_FILES_MAX || !(file = CV_NEW(f->arena, struct cv_libfile)) ||
		    !cv_map_set(f->arena, &f->by_real, real, file) || !(slot = CV_VEC_PUSH(f->arena, &f->files)))
			return;
		*slot = file;
		file->real = real;
		file->family = e->family;
		file->dead = e->real ? NULL : e->dead;
	}
	if (env && !file->env)
		file->env = env;
	if (!cv_map_get(&f->by_name, name) && cv_map_set(f->arena, &f->by_name, name, file))
		cv_strv_push(f->arena, &file->names, name);
	if (!cv_strv_has(&file->via, via))
		cv_strv_push(f->arena, &file->via, via);
}

void cv_libfind_dir(struct cv_libfind *f, const char *dir, const char *via, const char *env)
{
	const struct dir *d = dir[0] == '/' ? get_dir(f, dir) : NULL;

	for (size_t i = 0; d && i < d->entries.n; i++)
		add_entry(f, dir, &d->entries.v[i], via, env);
}

void cv_libfind_path(struct cv_libfind *f, const char *path, const char *via)
{
	const char *name = cv_basename(path), *dir;
	const struct dir *d;
	struct cv_str family;

	if (path[0] != '/' || !cv_libname_family(cv_str_of(name), &family))
		return;
	dir = cv_dirname(f->arena, path);
	d = get_dir(f, dir);
	for (size_t i = 0; d && i < d->entries.n; i++)
		if (cv_streq(d->entries.v[i].name, name))
			add_entry(f, dir, &d->entries.v[i], via, NULL);
}

const struct cv_libfile *cv_libfind_named(const struct cv_libfind *f, const char *path)
{
	const struct cv_libfile *file = cv_map_get(&f->by_real, path);

	return file ? file : cv_map_get(&f->by_name, path);
}
