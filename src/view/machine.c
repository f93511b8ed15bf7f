/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machine: another machine laid under an environment: its /proc, /sys, /dev and driver files, and the base's everything else.
 *
 * A driver file that the machine does not have, or that its record does not tell of, is the base's own if there is one.
 * /etc/ld.so.cache stays the base's, as it does when a container toolkit mounts driver files into a container. Links are
 * resolved by the view that answers. The environment and the user are the base's.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "view/dirlist.h"
#include "view/driverfile.h"
#include "view/view.h"

/* Set in the device numbers of the machine's files, so that none is taken for a file of the base. */
#define MACHINE_DEV (UINT64_C(1) << 63)

struct machine_view {
	struct cv_view view;
	struct cv_view *base, *machine;
};

/* The owner goes by the clean path; ".." is rare, so the arena for it is made when needed. */
static int clean_copy(const char *path, char room[PATH_MAX])
{
	struct cv_arena *a = cv_arena_new(4 * PATH_MAX);
	const char *clean;

	if (!a)
		return CV_ENOMEM;
	clean = cv_path_clean(a, path);
	snprintf(room, PATH_MAX, "%s", clean);
	cv_arena_free(a);
	return 0;
}

static int owner_of(const char *path, enum cv_path_owner *ret)
{
	char room[PATH_MAX];

	if (strstr(path, "/..")) {
		if (clean_copy(path, room) < 0)
			return CV_ENOMEM;
		path = room;
	}
	*ret = cv_path_owner(path);
	return 0;
}

static bool is_not_there(int err)
{
	return err == CV_ENOENT || err == CV_ENOTDIR || err == CV_ENOTASKED;
}

/* A question put to the one view that owns the path, or to both in turn. */
struct question {
	const char *path;
	bool follow;
	int mode;
	struct cv_arena *a;
	struct cv_stat *st;
	const char **text;
	struct cv_src **src;
};

typedef int ask_fn(struct cv_view *v, const struct question *q);

static int ask(struct cv_view *v, ask_fn *fn, const struct question *q, bool *of_machine)
{
	struct machine_view *m = (struct machine_view *)v;
	enum cv_path_owner owner;
	int r = owner_of(q->path, &owner);

	if (r < 0)
		return r;
	*of_machine = owner != CV_OWNER_BASE;
	r = owner == CV_OWNER_BASE ? fn(m->base, q) : fn(m->machine, q);
	if (owner == CV_OWNER_DRIVER && is_not_there(r)) {
		*of_machine = false;
		return fn(m->base, q);
	}
	return r;
}

static int ask_stat(struct cv_view *v, const struct question *q)
{
	return q->follow ? cv_view_stat(v, q->path, q->st) : cv_view_lstat(v, q->path, q->st);
}

static int ask_readlink(struct cv_view *v, const struct question *q)
{
	return cv_view_readlink(v, q->path, q->a, q->text);
}

static int ask_realpath(struct cv_view *v, const struct question *q)
{
	return cv_view_realpath(v, q->path, q->a, q->text);
}

static int ask_open(struct cv_view *v, const struct question *q)
{
	return cv_view_open(v, q->path, q->src);
}

static int ask_access(struct cv_view *v, const struct question *q)
{
	return cv_view_access(v, q->path, q->mode);
}

static int machine_stat(struct cv_view *v, const char *path, bool follow, struct cv_stat *ret)
{
	bool of_machine;
	int r = ask(v, ask_stat, &(struct question){ .path = path, .follow = follow, .st = ret }, &of_machine);

	if (r == 0 && of_machine)
		ret->dev |= MACHINE_DEV;
	return r;
}

static int machine_readlink(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	bool of_machine;

	return ask(v, ask_readlink, &(struct question){ .path = path, .a = a, .text = ret }, &of_machine);
}

static int machine_realpath(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	bool of_machine;

	return ask(v, ask_realpath, &(struct question){ .path = path, .a = a, .text = ret }, &of_machine);
}

static int machine_open(struct cv_view *v, const char *path, struct cv_src **ret)
{
	bool of_machine;

	return ask(v, ask_open, &(struct question){ .path = path, .src = ret }, &of_machine);
}

static int machine_access(struct cv_view *v, const char *path, int mode)
{
	bool of_machine;

	return ask(v, ask_access, &(struct question){ .path = path, .mode = mode }, &of_machine);
}

/* Puts both lists together; where both have a name the machine's entry is the one that counts. */
static int join(const struct cv_dirlist *base, const struct cv_dirlist *machine, struct cv_arena *a, struct cv_dirlist *ret)
{
	struct cv_dirent *v = CV_NEW_ARRAY(a, struct cv_dirent, base->n + machine->n);
	size_t i = 0, j = 0, n = 0;

	if (!v)
		return CV_ENOMEM;
	while (i < base->n || j < machine->n) {
		int c = i == base->n ? 1 : j == machine->n ? -1 : strcmp(base->v[i].name, machine->v[j].name);

		if (c == 0)
			i++;
		v[n++] = c < 0 ? base->v[i++] : machine->v[j++];
	}
	if (n > CV_VIEW_LIST_MAX)
		return CV_ELIMIT;
	*ret = (struct cv_dirlist){ v, n };
	return 0;
}

/* Keeps the entries of dir that are not the base's. */
static int keep_driver_files(struct cv_dirlist *list, const char *dir)
{
	char path[PATH_MAX + 256];
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		enum cv_path_owner owner;

		snprintf(path, sizeof(path), "%s/%s", cv_streq(dir, "/") ? "" : dir, list->v[i].name);
		if (owner_of(path, &owner) < 0)
			return CV_ENOMEM;
		if (owner != CV_OWNER_BASE)
			list->v[n++] = list->v[i];
	}
	list->n = n;
	return 0;
}

/* A directory that belongs to the driver, as far as the machine has it. */
static int list_driver_dir(struct machine_view *m, const char *path, struct cv_arena *a, struct cv_dirlist *ret)
{
	struct cv_dirlist base, machine;
	int r = cv_view_list(m->machine, path, a, &machine);

	if (is_not_there(r))
		return cv_view_list(m->base, path, a, ret);
	if (r < 0)
		return r;
	r = cv_view_list(m->base, path, a, &base);
	if (r == 0)
		return join(&base, &machine, a, ret);
	if (!is_not_there(r))
		return r;
	*ret = machine;
	return 0;
}

/* A directory of the base in which driver files lie too. What the machine does not tell of its own adds nothing. */
static int list_driver_home(struct machine_view *m, const char *path, struct cv_arena *a, struct cv_dirlist *ret)
{
	struct cv_dirlist base, machine;
	int r = cv_view_list(m->base, path, a, &base);

	if (r < 0)
		return r;
	if (cv_view_list(m->machine, path, a, &machine) < 0) {
		*ret = base;
		return 0;
	}
	r = keep_driver_files(&machine, path);
	return r < 0 ? r : join(&base, &machine, a, ret);
}

static int machine_list(struct cv_view *v, const char *path, struct cv_arena *a, struct cv_dirlist *ret)
{
	struct machine_view *m = (struct machine_view *)v;
	enum cv_path_owner owner;
	int r = owner_of(path, &owner);

	if (r < 0)
		return r;
	if (owner == CV_OWNER_MACHINE)
		return cv_view_list(m->machine, path, a, ret);
	if (owner == CV_OWNER_DRIVER)
		return list_driver_dir(m, path, a, ret);
	return cv_is_driver_home(path) ? list_driver_home(m, path, a, ret) : cv_view_list(m->base, path, a, ret);
}

static int machine_getenv(struct cv_view *v, const char *name, const char **ret)
{
	return cv_view_getenv(((struct machine_view *)v)->base, name, ret);
}

static int machine_ids(struct cv_view *v, struct cv_ids *ret)
{
	return cv_view_ids(((struct machine_view *)v)->base, ret);
}

static void machine_free(struct cv_view *v)
{
	struct machine_view *m = (struct machine_view *)v;

	cv_view_free(m->base);
	cv_view_free(m->machine);
	free(m);
}

static const struct cv_view_ops machine_ops = {
	.name = "machine",
	.stat = machine_stat,
	.readlink = machine_readlink,
	.realpath = machine_realpath,
	.list = machine_list,
	.open = machine_open,
	.access = machine_access,
	.getenv = machine_getenv,
	.ids = machine_ids,
	.free = machine_free,
};

int cv_view_machine_new(struct cv_view *base, struct cv_view *machine, struct cv_view **ret)
{
	struct machine_view *m = calloc(1, sizeof(*m));

	if (!m)
		return CV_ENOMEM;
	/* /proc and /sys are the machine's, so whether their absence means something is for it to say */
	m->view = (struct cv_view){ .ops = &machine_ops, .live = machine->live };
	m->base = base;
	m->machine = machine;
	*ret = &m->view;
	return 0;
}
