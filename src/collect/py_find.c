/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where Python environments are looked for.
 *
 * Always: those named by --python and --env, VIRTUAL_ENV, CONDA_PREFIX, python3 (then python) on PATH, .venv and the like in
 * the working directory, /usr and /usr/local. With --all-envs and in a tree also the places where people and tools put them.
 * Numbers are bounded; whether a candidate is one costs a look or two.
 *
 * On PATH may stand a shim: a script that picks an interpreter. pyenv's is understood (PYENV_VERSION, .python-version
 * upwards from the working directory, PYENV_ROOT/version); one of another tool is given as it is, and found to be foreign
 * later.
 */
#include "collect/py.h"

#define PATH_DIRS 256
#define LIST_ENTRIES 1000
#define FINDS 4096

struct finder {
	struct cv_collect_ctx *c;
	struct cv_py_finds *finds;
};

/* Environments may be there that this run does not see: a verdict must not rest on their absence. */
static void unseen(struct finder *f, const char *place)
{
	if (!cv_strv_has(&f->finds->unseen, place))
		cv_strv_push(f->c->scratch, &f->finds->unseen, place);
}

static struct cv_py_found *push(struct finder *f, const char *path)
{
	struct cv_py_found *found;

	if (f->finds->all.n >= FINDS) {
		if (f->finds->all.n == FINDS)
			unseen(f, path);
		return NULL;
	}
	found = CV_VEC_PUSH(f->c->scratch, &f->finds->all);
	if (found)
		found->path = path;
	return found;
}

static const char *get(struct finder *f, const char *name)
{
	const char *value;

	return cv_view_getenv(f->c->view, name, &value) == 0 && value[0] ? value : NULL;
}

/* An absolute path, or NULL where it hangs on a working directory that is not known. */
static const char *absolute(struct finder *f, const char *path)
{
	if (path[0] != '/' && !f->c->sel->cwd)
		return NULL;
	return cv_path_clean(f->c->scratch, path[0] == '/' ? path : cv_path_join(f->c->scratch, f->c->sel->cwd, path));
}

static bool is_program(struct finder *f, const char *path)
{
	struct cv_stat st;

	if (cv_view_stat(f->c->view, path, &st) < 0 || st.type != CV_FT_REG)
		return false;
	return cv_view_access(f->c->view, path, CV_ACCESS_X) == 0;
}

/* The first program of that name on PATH from the skip-th directory on; its directory's index in *ret_at. */
static const char *on_path(struct finder *f, const char *name, size_t skip, size_t *ret_at)
{
	const char *path = get(f, "PATH");
	struct cv_str rest = cv_str_of(path ? path : "");
	struct cv_str dir;

	for (size_t i = 0; i < PATH_DIRS && rest.n && cv_str_split(&rest, ':', &dir); i++) {
		const char *file;

		if (i < skip)
			continue;
		file = absolute(f, cv_path_join(f->c->scratch, dir.n ? cv_str_dup(f->c->scratch, dir) : ".", name));
		if (file && is_program(f, file)) {
			*ret_at = i;
			return file;
		}
	}
	return NULL;
}

/* The words of a pyenv version file, lines with comments cut off; NULL if there is no such file. */
static bool version_file(struct finder *f, const char *path, struct cv_strv *ret)
{
	struct cv_str text, line, word;

	if (cv_view_read(f->c->view, path, 65536, f->c->scratch, &text) < 0)
		return false;
	while (cv_str_line(&text, &line, NULL)) {
		ptrdiff_t hash = cv_str_chr(line, '#');

		if (hash >= 0)
			line.n = (size_t)hash;
		while (cv_str_word(&line, &word))
			cv_strv_push(f->c->scratch, ret, cv_str_dup(f->c->scratch, word));
	}
	return ret->n > 0;
}

/* The versions that pyenv would look through, best first. */
static void pyenv_versions(struct finder *f, const char *root, struct cv_strv *ret)
{
	const char *set = get(f, "PYENV_VERSION");
	struct cv_str rest = cv_str_of(set ? set : "");
	struct cv_str part;

	while (rest.n && cv_str_split(&rest, ':', &part))
		cv_strv_push(f->c->scratch, ret, cv_str_dup(f->c->scratch, part));
	if (ret->n)
		return;
	for (const char *dir = f->c->sel->cwd; dir && dir[0] == '/'; dir = cv_dirname(f->c->scratch, dir)) {
		if (version_file(f, cv_path_join(f->c->scratch, dir, ".python-version"), ret))
			return;
		if (cv_streq(dir, "/"))
			break;
	}
	version_file(f, cv_path_join(f->c->scratch, root, "version"), ret);
}

/* "3.11" means the newest 3.11.N that is installed. */
static const char *newest_of(struct finder *f, const char *versions, const char *prefix)
{
	struct cv_dirlist list;
	const char *best = NULL;

	if (cv_view_list(f->c->view, versions, f->c->scratch, &list) < 0)
		return NULL;
	for (size_t i = 0; i < list.n && i < LIST_ENTRIES; i++) {
		const char *name = list.v[i].name;

		if (!cv_starts(name, prefix) || name[strlen(prefix)] != '.' || !cv_ver_valid(CV_VER_PEP440, name) ||
		    cv_ver_is_pre(name))
			continue;
		if (!best || cv_ver_cmp(CV_VER_PEP440, name, best) > 0)
			best = name;
	}
	return best;
}

/* The interpreter that pyenv's shim would start. "system" means the next one on PATH. NULL if none can be told. */
static const char *behind_shim(struct finder *f, const char *shim, const char *name, size_t path_index)
{
	const char *root = get(f, "PYENV_ROOT");
	struct cv_arena *a = f->c->scratch;
	struct cv_strv wanted = { 0 };
	const char *versions;
	size_t ignored;

	if (!root)
		root = cv_dirname(a, cv_dirname(a, shim));
	versions = cv_path_join(a, root, "versions");
	pyenv_versions(f, root, &wanted);
	if (wanted.n == 0)
		return on_path(f, name, path_index + 1, &ignored);
	for (size_t i = 0; i < wanted.n; i++) {
		const char *version = cv_starts(wanted.v[i], "python-") ? wanted.v[i] + 7 : wanted.v[i];
		const char *exe, *newest;

		if (cv_streq(version, "system"))
			return on_path(f, name, path_index + 1, &ignored);
		exe = cv_arena_printf(a, "%s/%s/bin/%s", versions, version, name);
		if (is_program(f, exe))
			return exe;
		newest = newest_of(f, versions, version);
		exe = newest ? cv_arena_printf(a, "%s/%s/bin/%s", versions, newest, name) : NULL;
		if (exe && is_program(f, exe))
			return exe;
	}
	return NULL;
}

static bool is_pyenv_shim(struct finder *f, const char *file)
{
	struct cv_arena *a = f->c->scratch;
	const char *dir = cv_dirname(a, file);
	const char *root = get(f, "PYENV_ROOT");

	if (!cv_streq(cv_basename(dir), "shims"))
		return false;
	if (root && cv_streq(cv_path_clean(a, root), cv_dirname(a, dir)))
		return true;
	return cv_view_exists(f->c->view, cv_path_join(a, cv_dirname(a, dir), "libexec/pyenv"));
}

/* What a name means that may be a shim. */
static const char *real_program(struct finder *f, const char *file, size_t path_index)
{
	const char *behind;

	if (!is_pyenv_shim(f, file))
		return file;
	behind = behind_shim(f, file, cv_basename(file), path_index);
	return behind ? behind : file;
}

static void find_named(struct finder *f)
{
	const struct cv_selection *sel = f->c->sel;
	struct cv_py_found *found;
	size_t at = PATH_DIRS;

	if (sel->python) {
		const char *file = strchr(sel->python, '/') ? absolute(f, sel->python) : on_path(f, sel->python, 0, &at);

		found = push(f, file ? real_program(f, file, at) : sel->python);
		if (found)
			found->named = found->is_exe = true;
	}
	for (size_t i = 0; i < sel->env_n; i++) {
		const char *dir = absolute(f, sel->envs[i]);

		found = push(f, dir ? dir : sel->envs[i]);
		if (found)
			found->named = true;
	}
}

static bool is_hidden(int err)
{
	return err == CV_EACCES || err == CV_ENOTASKED || err == CV_ELIMIT;
}

/* What a variable names is meant to be there. */
static void see_named(struct finder *f, const char *dir)
{
	struct cv_stat st;

	if (dir && is_hidden(cv_view_stat(f->c->view, dir, &st)))
		unseen(f, dir);
}

static void find_active(struct finder *f)
{
	static const char *const names[] = { "python3", "python" };
	const char *venv = get(f, "VIRTUAL_ENV"), *conda = get(f, "CONDA_PREFIX");
	struct cv_py_found *found;

	if (venv && (venv = absolute(f, venv)) && (found = push(f, venv)))
		found->virtual_env = true;
	if (conda && (conda = absolute(f, conda)) && (found = push(f, conda)))
		found->conda_prefix = true;
	see_named(f, venv);
	see_named(f, conda);
	for (size_t i = 0; i < 2; i++) {
		size_t at;
		const char *file = on_path(f, names[i], 0, &at);

		if (!file)
			continue;
		found = push(f, real_program(f, file, at));
		if (found)
			found->is_exe = found->on_path = true;
		return;
	}
}

static void find_here(struct finder *f)
{
	static const char *const names[] = { ".venv", "venv", "env", ".pixi/envs/default" };
	const char *cwd = f->c->sel->cwd;

	for (size_t i = 0; cwd && i < sizeof(names) / sizeof(names[0]); i++)
		push(f, cv_path_join(f->c->scratch, cwd, names[i]));
}

/* Every pythonX.Y in a directory of programs. */
static void find_interpreters(struct finder *f, const char *bin)
{
	struct cv_dirlist list;

	if (cv_view_list(f->c->view, bin, f->c->scratch, &list) < 0)
		return;
	for (size_t i = 0; i < list.n; i++) {
		struct cv_str rest = cv_str_of(list.v[i].name);
		struct cv_py_found *found;
		uint64_t minor;

		if (!cv_str_eat(&rest, "python3."))
			continue;
		if (cv_str_ends(rest, "t"))
			rest.n--;
		if (!cv_str_u64(rest, &minor))
			continue;
		found = push(f, cv_path_join(f->c->scratch, bin, list.v[i].name));
		if (found)
			found->is_exe = true;
	}
}

/* Places below a home directory, and below directories for work. A star is one directory whose name does not begin with a dot. */
static const char *const home_places[] = {
	".venv", "venv", "env", "*/.venv", "*/venv",
	"miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba",
	"miniconda3/envs/*", "anaconda3/envs/*", "miniforge3/envs/*", "mambaforge/envs/*", "micromamba/envs/*", ".conda/envs/*",
	".pyenv/versions/*", ".virtualenvs/*", ".local/share/virtualenvs/*", ".cache/pypoetry/virtualenvs/*",
	".local/share/uv/tools/*", ".local/share/uv/python/*", ".local/pipx/venvs/*", ".local/share/pipx/venvs/*",
};
static const char *const work_places[] = { "", ".venv", "venv", "env", "*/.venv", "*/venv", "*/.pixi/envs/*", ".pixi/envs/*" };
static const char *const work_dirs[] = { "/workspace", "/app", "/venv", "/srv", "/code", "/work", "/data" };
static const char *const other_places[] = {
	"opt/*", "opt/*/.venv", "opt/*/venv", "opt/*/envs/*", "opt/pyenv/versions/*", "opt/uv/python/*", "srv/*", "srv/*/.venv",
	"srv/*/venv", "usr/local/pyenv/versions/*", "usr/local/conda", "usr/local/conda/envs/*", "usr/share/miniconda",
};

/* Expands the stars of pattern below dir. */
static void expand(struct finder *f, const char *dir, const char *pattern)
{
	const char *star = strchr(pattern, '*');
	struct cv_arena *a = f->c->scratch;
	struct cv_dirlist list;
	const char *base;
	int err;

	if (!star) {
		push(f, cv_path_join(a, dir, pattern));
		return;
	}
	base = star == pattern ? dir : cv_path_join(a, dir, cv_arena_memdup(a, pattern, (size_t)(star - pattern) - 1));
	err = cv_view_list(f->c->view, base, a, &list);
	if (is_hidden(err) || (err == 0 && list.n > LIST_ENTRIES))
		unseen(f, base);
	if (err < 0)
		return;
	for (size_t i = 0; i < list.n && i < LIST_ENTRIES; i++) {
		const struct cv_dirent *e = &list.v[i];

		if (e->name[0] == '.' || (e->type != CV_FT_DIR && e->type != CV_FT_LNK && e->type != CV_FT_UNKNOWN))
			continue;
		expand(f, cv_path_join(a, base, e->name), star[1] == '/' ? star + 2 : "");
	}
}

static void find_places(struct finder *f)
{
	const char *own = get(f, "HOME");
	struct cv_dirlist homes;

	for (size_t i = 0; i < sizeof(other_places) / sizeof(other_places[0]); i++)
		expand(f, "/", other_places[i]);
	for (size_t k = 0; k < sizeof(home_places) / sizeof(home_places[0]); k++)
		expand(f, "/root", home_places[k]);
	if (cv_view_list(f->c->view, "/home", f->c->scratch, &homes) < 0)
		homes.n = 0;
	for (size_t i = 0; i < homes.n && i < 64; i++)
		for (size_t k = 0; k < sizeof(home_places) / sizeof(home_places[0]); k++)
			expand(f, cv_path_join(f->c->scratch, "/home", homes.v[i].name), home_places[k]);
	if (own && own[0] == '/' && !cv_path_below(own, "/home") && !cv_streq(own, "/root"))
		for (size_t k = 0; k < sizeof(home_places) / sizeof(home_places[0]); k++)
			expand(f, own, home_places[k]);
	for (size_t i = 0; i < sizeof(work_dirs) / sizeof(work_dirs[0]); i++)
		for (size_t k = 0; k < sizeof(work_places) / sizeof(work_places[0]); k++)
			expand(f, work_dirs[i], work_places[k]);
}

void cv_py_find(struct cv_collect_ctx *c, struct cv_py_finds *ret)
{
	struct finder f = { .c = c, .finds = ret };

	*ret = (struct cv_py_finds){ 0 };
	find_named(&f);
	find_active(&f);
	find_here(&f);
	push(&f, "/usr/local");
	push(&f, "/usr");
	if (c->sel->all_envs || !c->view->live) {
		find_interpreters(&f, "/usr/local/bin");
		find_interpreters(&f, "/usr/bin");
		find_places(&f);
	}
}
