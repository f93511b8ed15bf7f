/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that load: where Python finds a module, what ctypes opens, and who calls dlopen. */
#include "loadmap/scnrun.h"

#include "base/str.h"
#include "base/version.h"
#include "view/glob.h"

#define EM_AARCH64 183

/* First directory of sys.path that holds a package of that name. Namespace packages are none: nothing is opened by them. */
static const char *package_dir(struct scn *s, const char *name)
{
	const struct cv_strv *path = s->python->sys_path;

	for (size_t i = 0; i < path->n; i++) {
		const char *dir = cv_path_join(s->arena, path->v[i], name);

		if (dir && cv_view_exists(s->view, cv_path_join(s->arena, dir, "__init__.py")))
			return dir;
	}
	return NULL;
}

/* The object whose file name or SONAME begins with prefix, the first loaded; "python" is who runs Python code. */
static size_t object_named(const struct scn *s, const char *prefix)
{
	const struct cv_loadmap *m = s->run.map;
	bool python = cv_streq(prefix, "python");

	for (size_t i = 0; i < m->objects.n; i++) {
		const struct cv_lm_object *o = &m->objects.v[i];

		if (!o->unloaded && (cv_starts(cv_basename(o->path), python ? "libpython3" : prefix) ||
				     (!python && o->soname && cv_starts(o->soname, prefix))))
			return i;
	}
	return python ? 0 : CV_LM_NONE;
}

static const char *version_of(struct scn *s, const char *library)
{
	size_t i = object_named(s, library);
	const struct cv_lm_object *o = i == CV_LM_NONE ? NULL : &s->run.map->objects.v[i];

	return o ? s->host->version(s->host->cookie, o->real ? o->real : o->path) : NULL;
}

/* "{version:libcudnn.so}" -> "9.19.0", "{version2:...}" -> "9.19": the first numbers only. */
static const char *value_of(struct scn *s, const char *scenario, const char *name, const char *path)
{
	const char *v;

	if (cv_streq(name, "path"))
		return path;
	if (cv_starts(name, "version:"))
		return version_of(s, name + 8);
	if (cv_starts(name, "version2:")) {
		v = version_of(s, name + 9);
		return v ? cv_ver_prefix(s->arena, v, 2) : NULL;
	}
	v = s->host->value(s->host->cookie, scenario, name);
	return v ? v : package_dir(s, name);
}

/* A package that is not installed, in Python's words, or a value that the facts do not tell. */
static const char *unknown(struct scn *s, struct cv_str name)
{
	bool value = cv_str_is(name, "cuda") || cv_str_chr(name, ':') >= 0;

	s->message = value ? cv_arena_printf(s->arena, "%.*s is not known here", CV_STR_ARG(name)) :
			     cv_arena_printf(s->arena, "No module named '%.*s'", CV_STR_ARG(name));
	return NULL;
}

const char *cv_scn_expand(struct scn *s, const char *scenario, const char *text, const char *path)
{
	struct cv_str rest = cv_str_of(text);
	const char *out = "";
	ptrdiff_t open;

	while ((open = cv_str_chr(rest, '{')) >= 0) {
		struct cv_str name = cv_str_from(rest, (size_t)open + 1);
		ptrdiff_t close = cv_str_chr(name, '}');
		const char *value;

		if (close < 0)
			break;
		value = value_of(s, scenario, cv_str_dup(s->arena, cv_str_sub(name, 0, (size_t)close)), path);
		if (!value)
			return unknown(s, cv_str_sub(name, 0, (size_t)close));
		out = cv_arena_printf(s->arena, "%s%.*s%s", out, CV_STR_ARG(cv_str_sub(rest, 0, (size_t)open)), value);
		rest = cv_str_from(name, (size_t)close + 1);
	}
	return cv_arena_printf(s->arena, "%s%.*s", out, CV_STR_ARG(rest));
}

/* Suffixes of extension modules in the order of CPython's importlib (_imp.extension_suffixes). */
static void suffixes(struct scn *s, struct cv_strv *ret)
{
	const struct cv_elf *e = s->run.map->objects.v[0].elf;
	const char *machine = e && e->machine == EM_AARCH64 ? "aarch64" : "x86_64";
	struct cv_str v = cv_str_of(s->python->version ? s->python->version : ""), major = { 0 }, minor = { 0 };

	if (cv_str_split(&v, '.', &major) && cv_str_split(&v, '.', &minor)) {
		const char *tag = cv_arena_printf(s->arena, ".cpython-%.*s%.*s%s-%s-linux-", CV_STR_ARG(major), CV_STR_ARG(minor),
						  s->python->free_threaded ? "t" : "", machine);

		cv_strv_push(s->arena, ret, cv_arena_printf(s->arena, "%sgnu.so", tag));
		cv_strv_push(s->arena, ret, cv_arena_printf(s->arena, "%smusl.so", tag));
	}
	cv_strv_push(s->arena, ret, ".abi3.so");
	cv_strv_push(s->arena, ret, ".so");
}

static const char *module_in(struct scn *s, const char *dir, const char *name)
{
	struct cv_strv list = { 0 };

	suffixes(s, &list);
	for (size_t i = 0; i < list.n; i++) {
		const char *file = cv_path_join(s->arena, dir, cv_arena_printf(s->arena, "%s%s", name, list.v[i]));

		if (file && cv_view_exists(s->view, file))
			return file;
	}
	return NULL;
}

/* NULL, and the name that Python misses: the package, else the module. */
static const char *no_module(struct scn *s, const char *name, size_t n)
{
	s->message = cv_arena_printf(s->arena, "No module named '%.*s'", (int)n, name);
	return NULL;
}

/* "torch._C" -> its file; NULL if there is none: s->message says so. */
static const char *module_file(struct scn *s, const char *name)
{
	struct cv_str rest = cv_str_of(name), part;
	const char *dir = NULL, *file = NULL;

	while (cv_str_split(&rest, '.', &part)) {
		const char *one = cv_str_dup(s->arena, part);

		if (rest.n) {
			dir = dir ? cv_path_join(s->arena, dir, one) : package_dir(s, one);
			if (!dir)
				return no_module(s, one, strlen(one));
			continue;
		}
		for (size_t i = 0; !dir && !file && i < s->python->sys_path->n; i++)
			file = module_in(s, s->python->sys_path->v[i], one);
		if (dir)
			file = module_in(s, dir, one);
	}
	return file ? file : no_module(s, name, strlen(name));
}

static int dlopen_by(struct scn *s, size_t by, const char *file, unsigned flags)
{
	return cv_loadmap_dlopen(s->run.map, by, file, flags | (s->run.symbols ? CV_LM_SYMBOLS : 0));
}

int cv_scn_module(struct scn *s, const char *name)
{
	const char *file = module_file(s, name);

	if (!file)
		return 0;
	s->shown = cv_arena_printf(s->arena, "module %s", file);
	return dlopen_by(s, object_named(s, "python"), file, CV_LM_NOW);
}

/* Who calls dlopen for ctypes: its module, or the interpreter where that is built in. */
static size_t ctypes_object(struct scn *s)
{
	if (!s->ctypes_tried) {
		const char *file = module_file(s, "_ctypes");

		s->ctypes_tried = true;
		s->ctypes = object_named(s, "python");
		if (file && dlopen_by(s, s->ctypes, file, CV_LM_NOW) == 1)
			s->ctypes = object_named(s, cv_basename(file));
		s->message = NULL;
	}
	return s->ctypes;
}

/* The first match under the first entry of sys.path that has one; "" if there is none, NULL on failure. */
static const char *find(struct scn *s, const char *scenario, const struct cv_strv *patterns)
{
	unsigned budget = 4096; /* directories listed: each entry of sys.path costs a few */

	for (size_t i = 0; i < s->python->sys_path->n; i++)
		for (size_t k = 0; k < patterns->n; k++) {
			const char *p = cv_scn_expand(s, scenario, patterns->v[k], s->python->sys_path->v[i]);
			struct cv_strv found = { 0 };

			if (!p)
				return NULL;
			cv_glob(s->view, p, &budget, s->arena, &found);
			if (found.n)
				return found.v[0];
		}
	return "";
}

static int open_by(struct scn *s, size_t by, const char *file, unsigned flags)
{
	s->shown = cv_arena_printf(s->arena, "dlopen %s", file);
	return dlopen_by(s, by, file, flags);
}

int cv_scn_open(struct scn *s, const char *scenario, const struct cv_scn_step *st)
{
	const char *file;
	size_t by;

	if (st->op == CV_SCN_FIND) {
		file = find(s, scenario, &st->args);
		if (file && !*file) {
			s->message = cv_arena_printf(s->arena, "%s not found in the system path", cv_basename(st->args.v[0]));
			return s->loose;
		}
	} else {
		file = cv_scn_expand(s, scenario, st->args.v[0], NULL);
	}
	if (!file)
		return 0;
	if (st->op != CV_SCN_DLOPEN)
		return open_by(s, ctypes_object(s), file, st->flags);
	by = object_named(s, st->by);
	if (by != CV_LM_NONE)
		return open_by(s, by, file, st->flags);
	s->message = cv_arena_printf(s->arena, "%s is not loaded, so nothing asks for %s", st->by, file);
	return 1;
}
