/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sys.path as CPython's site module makes it, without the directory of the script in front.
 *
 *	PYTHONPATH, lib/pythonXY.zip, standard library, lib-dynload        from getpath; repeats and relative names are dealt with
 *	site-packages of the venv                                          if there is a pyvenv.cfg
 *	user site                                                          not in a venv without system packages, nor switched off
 *	site-packages of the prefixes                                      venv, and base unless the venv shuts it out
 *
 * After each site directory its .pth files are read, in order of their names. Debian and Fedora patch site.py; which of the
 * patches is there is told by its text. A NAME._pth file beside the interpreter replaces all of it (3.11 and later).
 *
 * What code in .pth files, sitecustomize or usercustomize adds is not seen; such .pth lines are listed.
 */
#include "collect/py.h"

#include "parse/pth.h"

#define SITE_MAX ((size_t)1 << 18)
#define PTH_MAX ((size_t)1 << 18)
#define PATH_MAX_DIRS 1000

struct build {
	struct cv_collect_ctx *c;
	struct cv_arena *a;
	const struct cv_py *py;
	const struct cv_py_vars *vars;
	const struct cv_py_site *site;
	const char *base, *exec_base; /* as PYTHONHOME has them, if it is set */
	struct cv_map known;          /* directories that were added once */
	struct cv_map sites;          /* site directories that were dealt with */
	size_t egg_begin, egg_insert; /* easy_install's two variables */
	struct cv_py_path out;
};

static bool contains(struct cv_str text, const char *what)
{
	return cv_str_find(text, what) >= 0;
}

/* The features of a site.py, or what its release has where it cannot be read (compiled only). */
static struct cv_py_site site_features(struct build *b, const char *stdlib)
{
	const struct cv_py *py = b->py;
	bool new_site = py->major > 3 || (py->major == 3 && py->minor >= 13);
	struct cv_py_site site = { .skips_dot = new_site, .takes_bom = new_site, .thread_dirs = new_site };
	struct cv_str text;

	if (cv_view_read(b->c->view, cv_path_join(b->a, stdlib, "site.py"), SITE_MAX, b->a, &text) < 0) {
		site.debian = cv_path_below(stdlib, "/usr/lib") &&
			      cv_view_is_dir(b->c->view, "/usr/lib/python3/dist-packages");
		return site;
	}
	site.debian = contains(text, "\"dist-packages\"");
	site.debian_env = site.debian && contains(text, "'VIRTUAL_ENV' in os.environ");
	site.fedora = contains(text, "'RPM_BUILD_ROOT' not in os.environ");
	site.skips_dot = contains(text, "not name.startswith(\".\")");
	site.takes_bom = contains(text, "utf-8-sig");
	site.thread_dirs = contains(text, "abi_thread");
	return site;
}

static const struct cv_py_site *site_of(struct build *b, struct cv_map *sites, const char *stdlib)
{
	struct cv_py_site *site = cv_map_get(sites, stdlib);

	if (!site) {
		site = CV_NEW(b->a, struct cv_py_site);
		if (!site)
			return NULL;
		*site = site_features(b, stdlib);
		cv_map_set(b->a, sites, stdlib, site);
	}
	return site;
}

/* os.path.normpath(): as POSIX has it, two slashes at the beginning stay two. */
static const char *normal(struct build *b, const char *path)
{
	const char *clean = cv_path_clean(b->a, path);

	return cv_starts(path, "//") && path[2] != '/' ? cv_arena_printf(b->a, "/%s", clean) : clean;
}

/* Adds a directory that was not there before; it need not exist. */
static void add(struct build *b, const char *dir)
{
	dir = normal(b, dir);
	if (cv_map_get(&b->known, dir) || b->out.dirs.n >= PATH_MAX_DIRS)
		return;
	cv_map_set(b->a, &b->known, dir, b);
	cv_strv_push(b->a, &b->out.dirs, dir);
}

/* A path as os.path.abspath() would have it; NULL where it hangs on a working directory that is not known. */
static const char *absolute(struct build *b, const char *path)
{
	if (path[0] == '/')
		return path;
	return b->vars->cwd ? cv_path_join(b->a, b->vars->cwd, path) : NULL;
}

static void add_pythonpath(struct build *b)
{
	struct cv_str rest = cv_str_of(b->vars->path ? b->vars->path : "");
	bool trailing = rest.n && cv_str_ends(rest, ":"); /* an empty name, there too, is the working directory */
	struct cv_str part;

	while (rest.n && cv_str_split(&rest, ':', &part)) {
		const char *dir = absolute(b, cv_str_dup(b->a, part));

		if (dir)
			add(b, dir);
	}
	if (trailing && b->vars->cwd)
		add(b, b->vars->cwd);
}

static const char *lib(struct build *b, const char *prefix, const char *tail)
{
	return cv_arena_printf(b->a, "%s/%s/%s%s", cv_streq(prefix, "/") ? "" : prefix, b->py->libdir, b->py->name, tail);
}

static void add_stdlib(struct build *b)
{
	const struct cv_py *py = b->py;

	add(b, cv_arena_printf(b->a, "%s/%s/python%u%u%s.zip", b->base, py->libdir, py->major, py->minor,
			       py->threaded ? "t" : ""));
	add(b, lib(b, b->base, ""));
	if (py->major == 2) {
		add(b, lib(b, b->base, "/plat-linux2"));
		add(b, lib(b, b->base, "/lib-tk"));
		add(b, lib(b, b->base, "/lib-old"));
	}
	add(b, lib(b, b->exec_base, "/lib-dynload"));
}

/* easy_install: what was added since egg_begin goes to the front, behind what went there before. */
static void move_eggs(struct build *b)
{
	struct cv_strv *dirs = &b->out.dirs;
	size_t n = dirs->n > b->egg_begin ? dirs->n - b->egg_begin : 0;
	struct cv_strv moved = { 0 };

	if (n == 0 || b->egg_insert > b->egg_begin)
		return;
	for (size_t i = 0; i < n; i++)
		if (!cv_strv_push(b->a, &moved, dirs->v[b->egg_begin + i]))
			return;
	for (size_t i = b->egg_begin; i > b->egg_insert; i--)
		dirs->v[i - 1 + n] = dirs->v[i - 1];
	for (size_t i = 0; i < n; i++)
		dirs->v[b->egg_insert + i] = moved.v[i];
	b->egg_insert += n;
}

static void pth_line(struct build *b, const char *dir, const char *file, const struct cv_pth_line *line)
{
	const char *path;

	switch (line->kind) {
	case CV_PTH_PATH:
		path = normal(b, cv_path_join(b->a, dir, cv_str_dup(b->a, line->text)));
		if (!cv_map_get(&b->known, path) && cv_view_exists(b->c->view, path))
			add(b, path);
		return;
	case CV_PTH_EGG_BEGIN:
		b->egg_begin = b->out.dirs.n;
		return;
	case CV_PTH_EGG_END:
		move_eggs(b);
		return;
	default:
		cv_strv_push(b->a, &b->out.code,
			     cv_arena_printf(b->a, "%s:%u %s", file, line->line, cv_pth_kind_name(line->kind)));
	}
}

static void read_pth(struct build *b, const char *dir, const char *name)
{
	const char *file = cv_path_join(b->a, dir, name);
	struct cv_pth_line line;
	struct cv_str text;
	unsigned no = 0;

	if (cv_view_read(b->c->view, file, PTH_MAX, b->a, &text) < 0)
		return;
	if (b->site->takes_bom)
		text = cv_pth_skip_bom(text);
	while (cv_pth_next(&text, &no, &line))
		pth_line(b, dir, file, &line);
}

/* A site directory that is there, and its .pth files. */
static void add_site(struct build *b, const char *dir)
{
	struct cv_dirlist list;
	int r;

	dir = normal(b, dir);
	if (cv_map_get(&b->sites, dir))
		return; /* site reads it twice; the second time finds nothing new */
	cv_map_set(b->a, &b->sites, dir, b);
	r = cv_view_list(b->c->view, dir, b->a, &list);
	if (r < 0) {
		if (r != CV_ENOENT && r != CV_ENOTDIR && cv_view_is_dir(b->c->view, dir))
			add(b, dir); /* may not be listed: it is on the path all the same */
		return;
	}
	add(b, dir);
	for (size_t i = 0; i < list.n; i++) {
		const char *name = list.v[i].name;

		if (cv_ends(name, ".pth") && !(b->site->skips_dot && name[0] == '.'))
			read_pth(b, dir, name);
	}
}

static void add_prefix(struct build *b, const char *prefix)
{
	const struct cv_py *py = b->py;
	const char *version = cv_arena_printf(b->a, "python%u.%u", py->major, py->minor);
	bool in_venv = py->venv || (b->site->debian_env && b->vars->virtual_env);

	if (!b->site->debian) {
		add_site(b, lib(b, prefix, "/site-packages"));
		if (!cv_streq(py->libdir, "lib"))
			add_site(b, cv_arena_printf(b->a, "%s/lib/%s/site-packages", prefix, py->name));
		return;
	}
	if (in_venv)
		add_site(b, cv_arena_printf(b->a, "%s/lib/%s/site-packages", prefix, version));
	add_site(b, cv_arena_printf(b->a, "%s/local/lib/%s/dist-packages", prefix, version));
	add_site(b, cv_arena_printf(b->a, "%s/lib/python3/dist-packages", prefix));
	add_site(b, lib(b, prefix, "/dist-packages"));
}

static const char *user_site_below(struct build *b, const char *base)
{
	const struct cv_py *py = b->py;

	return cv_arena_printf(b->a, "%s/lib/python%u.%u%s/site-packages", base, py->major, py->minor,
			       py->threaded && b->site->thread_dirs ? "t" : "");
}

/* In a tree nobody says who will run it: a user site counts if only one home has it. */
static const char *user_site_of_tree(struct build *b)
{
	const char *only = NULL;

	for (size_t i = 0; i < b->vars->homes.n; i++) {
		const char *dir = user_site_below(b, cv_path_join(b->a, b->vars->homes.v[i], ".local"));

		if (!cv_view_is_dir(b->c->view, dir))
			continue;
		if (only)
			return NULL;
		only = dir;
	}
	return only;
}

static void add_user_site(struct build *b)
{
	const struct cv_py_vars *vars = b->vars;
	const char *dir = NULL;

	if (vars->user_base)
		dir = absolute(b, user_site_below(b, vars->user_base));
	else if (vars->user_home)
		dir = absolute(b, user_site_below(b, cv_path_join(b->a, vars->user_home, ".local")));
	else
		dir = user_site_of_tree(b);
	if (dir)
		add_site(b, dir);
}

/* The site module's main(). */
static void run_site(struct build *b)
{
	const struct cv_py *py = b->py;
	bool system = !py->venv || py->cfg.system_site;
	bool user = system && !b->vars->no_user_site;

	if (py->venv)
		add_prefix(b, py->prefix);
	if (user)
		add_user_site(b);
	if (b->site->fedora && user)
		add_prefix(b, "/usr/local");
	if (py->venv)
		add_prefix(b, py->prefix);
	if (!system)
		return;
	add_prefix(b, b->base);
	if (!cv_streq(b->base, b->exec_base))
		add_prefix(b, b->exec_base);
}

/* NAME._pth beside the interpreter or the file behind its links: sys.path is what it lists. True if there is one. */
static bool from_pth_file(struct build *b)
{
	const char *const exes[] = { b->py->exe, b->py->real_exe };
	struct cv_str text, line;
	const char *file = NULL;
	bool site = false;

	if (b->py->major < 3 || (b->py->major == 3 && b->py->minor < 11))
		return false;
	for (size_t i = 0; i < 2 && !file; i++) {
		if (!exes[i])
			continue;
		file = cv_arena_printf(b->a, "%s._pth", exes[i]);
		if (cv_view_read(b->c->view, file, PTH_MAX, b->a, &text) < 0)
			file = NULL;
	}
	if (!file)
		return false;
	while (cv_str_line(&text, &line, NULL)) {
		ptrdiff_t hash = cv_str_chr(line, '#');

		line = cv_str_trim(hash >= 0 ? cv_str_sub(line, 0, (size_t)hash) : line);
		if (cv_str_is(line, "import site"))
			site = true;
		else if (line.n && !cv_str_starts(line, "import "))
			add(b, cv_path_join(b->a, cv_dirname(b->a, file), cv_str_dup(b->a, line)));
	}
	b->base = b->exec_base = cv_dirname(b->a, file);
	if (site)
		run_site(b);
	return true;
}

/* PYTHONHOME: "prefix" or "prefix:exec_prefix". */
static void apply_pythonhome(struct build *b)
{
	struct cv_str rest, part;

	if (!b->vars->home)
		return;
	rest = cv_str_of(b->vars->home);
	if (cv_str_split(&rest, ':', &part))
		b->base = b->exec_base = cv_str_dup(b->a, part);
	if (rest.n)
		b->exec_base = cv_str_dup(b->a, rest);
	if (!cv_view_is_dir(b->c->view, lib(b, b->base, "")))
		b->out.problem = cv_arena_printf(b->a, "PYTHONHOME is %s, where its standard library is not", b->vars->home);
}

void cv_py_path(struct cv_collect_ctx *c, const struct cv_py *py, const struct cv_py_vars *vars, struct cv_map *sites,
		struct cv_py_path *ret)
{
	struct build b = { .c = c, .a = c->scratch, .py = py, .vars = vars, .base = py->base, .exec_base = py->exec_base };

	*ret = (struct cv_py_path){ 0 };
	if (py->foreign || !py->name) {
		ret->problem = py->foreign ? "the interpreter is not CPython" : "the version of its Python is not known";
		return;
	}
	apply_pythonhome(&b);
	if (!b.base) {
		b.out.problem = "the standard library of its Python was not found";
		b.base = b.exec_base = py->prefix;
	}
	b.site = site_of(&b, sites, lib(&b, b.base, ""));
	if (!b.site)
		return;
	if (!from_pth_file(&b)) {
		add_pythonpath(&b);
		if (!b.out.problem)
			add_stdlib(&b);
		run_site(&b);
	}
	*ret = b.out;
}

static const char *get(struct cv_collect_ctx *c, const char *name)
{
	const char *value;

	return cv_view_getenv(c->view, name, &value) == 0 && value[0] ? value : NULL;
}

/* The home directory of uid in /etc/passwd. */
static const char *home_of(struct cv_collect_ctx *c, uint32_t uid)
{
	struct cv_str text, line;

	if (cv_view_read(c->view, "/etc/passwd", (size_t)1 << 20, c->scratch, &text) < 0)
		return NULL;
	while (cv_str_line(&text, &line, NULL)) {
		struct cv_str field[6];
		size_t n = 0;
		uint64_t id;

		while (n < 6 && cv_str_split(&line, ':', &field[n]))
			n++;
		if (n == 6 && cv_str_u64(field[2], &id) && id == uid && field[5].n)
			return cv_str_dup(c->scratch, field[5]);
	}
	return NULL;
}

static void list_homes(struct cv_collect_ctx *c, struct cv_strv *homes)
{
	struct cv_dirlist list;

	cv_strv_push(c->scratch, homes, "/root");
	if (cv_view_list(c->view, "/home", c->scratch, &list) < 0)
		return;
	for (size_t i = 0; i < list.n && i < 64; i++)
		cv_strv_push(c->scratch, homes, cv_path_join(c->scratch, "/home", list.v[i].name));
}

void cv_py_vars_init(struct cv_collect_ctx *c, struct cv_py_vars *ret)
{
	struct cv_py_vars vars = {
		.path = get(c, "PYTHONPATH"),
		.home = get(c, "PYTHONHOME"),
		.user_base = get(c, "PYTHONUSERBASE"),
		.virtual_env = get(c, "VIRTUAL_ENV"),
		.no_user_site = get(c, "PYTHONNOUSERSITE") != NULL,
		.cwd = c->sel->cwd,
	};
	const char *home;
	struct cv_ids ids;
	int r = cv_view_getenv(c->view, "HOME", &home);

	if (r == 0)
		vars.user_home = cv_arena_strdup(c->scratch, home);
	else if (c->view->live && cv_view_ids(c->view, &ids) == 0)
		vars.user_home = home_of(c, ids.uid);
	else if (!c->view->live)
		list_homes(c, &vars.homes);
	*ret = vars;
}
