/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From an interpreter to its prefixes, as getpath finds them.
 *
 * The interpreter's links are followed by its last component only, so a directory that is a link stays as it was named. A
 * pyvenv.cfg with "home", one directory up or beside it, moves the search to home. From there upwards, but never in "/" itself,
 * lib/pythonX.Y/os.py is looked for; a lib/pythonXY.zip counts before it. PYTHONHOME is handled with the path (py_path.c): it
 * concerns a run, not the installation.
 *
 * The compiled-in prefix that getpath falls back to is not known here; the directory of the interpreter behind all links
 * stands in for it.
 */
#include "collect/py.h"

#include <ctype.h>

#define LINKS 40
#define CFG_MAX ((size_t)65536)

const char *cv_py_follow(struct cv_collect_ctx *c, const char *path)
{
	for (int i = 0; i < LINKS; i++) {
		const char *to;

		if (cv_view_readlink(c->view, path, c->scratch, &to) < 0)
			return path;
		path = cv_path_clean(c->scratch, cv_path_join(c->scratch, cv_dirname(c->scratch, path), to));
	}
	return path;
}

/* "3.11", "3.13t" at the beginning of s; what follows must not go on with a digit or letter other than d (a debug build). */
static bool parse_version(struct cv_str s, struct cv_py *py)
{
	uint64_t major, minor;
	size_t dot = 0, end;

	while (dot < s.n && isdigit((unsigned char)s.p[dot]))
		dot++;
	if (dot == s.n || s.p[dot] != '.' || !cv_str_u64(cv_str_sub(s, 0, dot), &major))
		return false;
	for (end = dot + 1; end < s.n && isdigit((unsigned char)s.p[end]); end++)
		;
	if (!cv_str_u64(cv_str_sub(s, dot + 1, end - dot - 1), &minor) || major > 99 || minor > 999)
		return false;
	py->major = (unsigned)major;
	py->minor = (unsigned)minor;
	py->threaded = end < s.n && s.p[end] == 't';
	return true;
}

static void set_name(struct cv_collect_ctx *c, struct cv_py *py)
{
	py->name = cv_arena_printf(c->scratch, "python%u.%u%s", py->major, py->minor, py->threaded ? "t" : "");
}

/* The version in an interpreter's name, "python3.11". */
static bool version_of_name(const char *name, struct cv_py *py)
{
	struct cv_str s = cv_str_of(name);

	return cv_str_eat(&s, "python") && parse_version(s, py);
}

static bool has_stdlib(struct cv_collect_ctx *c, const char *prefix, const char *libdir, const char *name)
{
	const char *dir = cv_arena_printf(c->scratch, "%s/%s/%s", prefix, libdir, name);

	return cv_view_exists(c->view, cv_path_join(c->scratch, dir, "os.py")) ||
	       cv_view_exists(c->view, cv_path_join(c->scratch, dir, "os.pyc"));
}

static const char *parent(struct cv_collect_ctx *c, const char *dir)
{
	const char *up = cv_dirname(c->scratch, dir);

	return cv_streq(up, "/") || cv_streq(up, ".") ? NULL : up;
}

/* Is one of the versions in list the one that pyvenv.cfg tells, or else the one whose directory the environment itself has? */
static bool choose_version(struct cv_collect_ctx *c, const struct cv_strv *names, struct cv_py *py)
{
	struct cv_py told = { 0 };
	const char *lib = cv_path_join(c->scratch, py->prefix, "lib");

	if (names->n == 1)
		return version_of_name(names->v[0], py);
	if (py->cfg.version.p && parse_version(py->cfg.version, &told)) {
		set_name(c, &told);
		if (cv_strv_has(names, told.name))
			return version_of_name(told.name, py);
	}
	for (size_t i = 0; py->venv && i < names->n; i++)
		if (cv_view_is_dir(c->view, cv_path_join(c->scratch, lib, names->v[i])))
			return version_of_name(names->v[i], py);
	return false;
}

/*
 * The version where the interpreter's name does not tell it (a copy called python3): the pythonX.Y with a standard library
 * below lib of the nearest directory above that has one.
 */
static bool version_of_lib(struct cv_collect_ctx *c, const char *from, struct cv_py *py)
{
	for (const char *dir = from; dir; dir = parent(c, dir)) {
		struct cv_strv names = { 0 };
		struct cv_dirlist list;

		if (cv_view_list(c->view, cv_path_join(c->scratch, dir, "lib"), c->scratch, &list) < 0)
			continue;
		for (size_t i = 0; i < list.n; i++) {
			struct cv_py one = { 0 };

			if (version_of_name(list.v[i].name, &one) && has_stdlib(c, dir, "lib", list.v[i].name))
				cv_strv_push(c->scratch, &names, list.v[i].name);
		}
		if (names.n)
			return choose_version(c, &names, py);
	}
	return false;
}

static const char *search_up(struct cv_collect_ctx *c, const char *from, const char *libdir, const char *name)
{
	for (const char *dir = from; dir; dir = parent(c, dir))
		if (has_stdlib(c, dir, libdir, name))
			return dir;
	return NULL;
}

static const char *search_dynload(struct cv_collect_ctx *c, const char *from, const char *libdir, const char *name)
{
	for (const char *dir = from; dir; dir = parent(c, dir))
		if (cv_view_is_dir(c->view, cv_arena_printf(c->scratch, "%s/%s/%s/lib-dynload", dir, libdir, name)))
			return dir;
	return NULL;
}

/* Finds base, exec_base and libdir from home_dir, else from where the interpreter really is. */
static void find_base(struct cv_collect_ctx *c, struct cv_py *py)
{
	static const char *const libdirs[] = { "lib", "lib64" };
	const char *from[2] = { py->home_dir, NULL };
	const char *whole;

	if (py->real_exe && cv_view_realpath(c->view, py->real_exe, c->scratch, &whole) == 0)
		from[1] = cv_dirname(c->scratch, whole);
	for (size_t i = 0; i < 2 && !py->base; i++) {
		for (size_t k = 0; k < 2 && from[i] && !py->base; k++) {
			py->base = search_up(c, from[i], libdirs[k], py->name);
			py->libdir = libdirs[k];
			if (py->base)
				py->exec_base = search_dynload(c, from[i], libdirs[k], py->name);
		}
	}
	if (!py->base)
		py->libdir = "lib";
	if (!py->exec_base)
		py->exec_base = py->base;
}

/* pyvenv.cfg one directory above the interpreter's, or beside it. */
static void read_cfg(struct cv_collect_ctx *c, const char *bin, struct cv_py *py)
{
	const char *const dirs[] = { cv_dirname(c->scratch, bin), bin };
	struct cv_str text;

	for (size_t i = 0; i < 2; i++) {
		const char *path = cv_path_join(c->scratch, dirs[i], "pyvenv.cfg");

		if (cv_view_read(c->view, path, CFG_MAX, c->scratch, &text) < 0)
			continue;
		cv_pyvenv_parse(text, &py->cfg);
		py->cfg_path = path;
		py->venv = true;
		return;
	}
}

static bool is_elf(struct cv_collect_ctx *c, const char *path)
{
	struct cv_src *src;
	char magic[4];
	int r;

	r = cv_view_open(c->view, path, &src);
	if (r < 0)
		return r == CV_EACCES || r == CV_ENOTASKED; /* may be run without being read */
	r = cv_src_read(src, 0, magic, sizeof(magic));
	cv_src_close(src);
	return r == 0 && memcmp(magic, "\177ELF", 4) == 0;
}

static bool find_version(struct cv_collect_ctx *c, struct cv_py *py)
{
	if (py->real_exe && version_of_name(cv_basename(py->real_exe), py))
		return true;
	if (version_of_lib(c, py->home_dir, py))
		return true;
	return py->cfg.version.p && parse_version(py->cfg.version, py);
}

/* What exe, real_exe, prefix and cfg lead to. */
static void finish(struct cv_collect_ctx *c, struct cv_py *py)
{
	if (py->cfg.implementation.p && !cv_str_is(py->cfg.implementation, "CPython"))
		py->foreign = true;
	if (py->foreign)
		return;
	if (py->cfg.home.p)
		py->home_dir = cv_path_clean(c->scratch, cv_str_dup(c->scratch, py->cfg.home));
	if (!find_version(c, py))
		return;
	set_name(c, py);
	find_base(c, py);
	if (!py->venv && py->base)
		py->prefix = py->base;
}

int cv_py_of_exe(struct cv_collect_ctx *c, const char *exe, struct cv_py *ret)
{
	struct cv_py py = { .libdir = "lib" };
	struct cv_stat st;
	const char *bin;
	int r = cv_view_stat(c->view, exe, &st);

	if (r < 0)
		return r;
	if (st.type != CV_FT_REG)
		return CV_ENOTREG;
	py.exe = cv_path_clean(c->scratch, exe);
	py.real_exe = cv_py_follow(c, py.exe);
	bin = cv_dirname(c->scratch, py.exe);
	py.prefix = cv_dirname(c->scratch, bin);
	py.home_dir = cv_dirname(c->scratch, py.real_exe);
	read_cfg(c, bin, &py);
	py.foreign = !cv_starts(cv_basename(py.real_exe), "python") || (!py.venv && !is_elf(c, py.real_exe));
	finish(c, &py);
	*ret = py;
	return 0;
}

/* A directory without an interpreter that works: a venv whose base is gone, or one that was copied without bin. */
static int without_exe(struct cv_collect_ctx *c, const char *dir, const char *link, struct cv_py *ret)
{
	struct cv_py py = { .libdir = "lib", .prefix = dir, .exe_link = link };
	struct cv_dirlist list;
	bool known;

	read_cfg(c, cv_path_join(c->scratch, dir, "bin"), &py);
	if (!py.venv && !cv_view_is_dir(c->view, cv_path_join(c->scratch, dir, "conda-meta")))
		return CV_ENOENT;
	if (py.cfg.implementation.p && !cv_str_is(py.cfg.implementation, "CPython"))
		py.foreign = true;
	known = py.cfg.version.p && parse_version(py.cfg.version, &py);
	if (cv_view_list(c->view, cv_path_join(c->scratch, dir, "lib"), c->scratch, &list) == 0)
		for (size_t i = 0; i < list.n && !known; i++)
			known = version_of_name(list.v[i].name, &py);
	if (known) {
		set_name(c, &py);
		py.home_dir = py.cfg.home.p ? cv_path_clean(c->scratch, cv_str_dup(c->scratch, py.cfg.home)) : dir;
		find_base(c, &py);
	}
	*ret = py;
	return 0;
}

int cv_py_of_prefix(struct cv_collect_ctx *c, const char *dir, struct cv_py *ret)
{
	static const char *const names[] = { "bin/python3", "bin/python" };
	const char *link = NULL;
	struct cv_stat st;
	int r, hidden = 0;

	dir = cv_path_clean(c->scratch, dir);
	r = cv_view_stat(c->view, dir, &st);
	if (r < 0 || st.type != CV_FT_DIR)
		return r == CV_ENOTASKED ? r : CV_ENOENT;
	r = cv_view_stat(c->view, cv_path_join(c->scratch, dir, "bin"), &st);
	if (r == CV_EACCES || r == CV_ENOTASKED)
		return r;
	if (r < 0 || st.type != CV_FT_DIR)
		return without_exe(c, dir, NULL, ret);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *exe = cv_path_join(c->scratch, dir, names[i]);
		const char *to;

		r = cv_py_of_exe(c, exe, ret);
		if (r == 0)
			return 0;
		if (r == CV_EACCES || r == CV_ENOTASKED)
			hidden = r;
		if (!link && cv_view_readlink(c->view, exe, c->scratch, &to) == 0)
			link = exe;
	}
	r = without_exe(c, dir, link, ret);
	return r < 0 && hidden ? hidden : r;
}
