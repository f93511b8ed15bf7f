/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frameworks: what `import torch` and the like would find in each environment.
 *
 * As the import system does: the first entry of sys.path that holds a package of the name (a directory with __init__) or a
 * module wins; a directory without __init__ is at most a namespace, which a later package beats. If none wins, the map in
 * the finder of an editable installation is asked. Which distributions put the directory there is told by their RECORDs;
 * where several did, the size of the native module tells who wrote last.
 */
#include "collect/py_dist.h"
#include "collect/py_fw.h"
#include "collect/registry.h"
#include "collect/see.h"
#include "parse/elf.h"
#include "parse/pth.h"
#include "parse/pyrecord.h"

struct packages {
	CV_VEC(const struct cv_subject *) all;
};

/* A directory's entries; closed: it is there and may not be listed. */
struct listing {
	struct cv_dirlist entries;
	bool closed;
};

struct run {
	struct cv_collect_ctx *c;
	struct cv_arena *a;
	struct cv_map lists;  /* directory -> struct listing */
	struct cv_map by_env; /* environment -> struct packages */
};

static struct cv_prov at(const char *path)
{
	return cv_see_prov(CV_PY_FRAMEWORKS, path, 0);
}

static const struct listing *list_of(struct cv_collect_ctx *c, struct cv_map *lists, const char *dir)
{
	struct listing *list = cv_map_get(lists, dir);
	static const struct listing none;
	int r;

	if (list)
		return list;
	list = CV_NEW(c->scratch, struct listing);
	if (!list)
		return &none;
	r = cv_view_list(c->view, dir, c->scratch, &list->entries);
	list->closed = r < 0 && r != CV_ENOENT && r != CV_ENOTDIR;
	cv_map_set(c->scratch, lists, dir, list);
	return list;
}

const struct cv_dirlist *cv_py_fw_list(struct cv_py_fw *fw, const char *dir)
{
	return &list_of(fw->c, fw->lists, dir)->entries;
}

const char *cv_py_fw_so(struct cv_py_fw *fw, const char *dir, const char *stem)
{
	const struct cv_dirlist *list = cv_py_fw_list(fw, dir);

	for (size_t i = 0; i < list->n; i++)
		if (cv_starts(list->v[i].name, stem) && cv_py_is_native(cv_str_of(list->v[i].name)))
			return cv_path_join(fw->a, dir, list->v[i].name);
	return NULL;
}

void cv_py_fw_gpu_lib(struct cv_py_fw *fw, const char *path, const char *from)
{
	struct cv_src *src;
	struct cv_elf *elf;
	int r;

	if (!path) {
		cv_facts_state(fw->facts, fw->s, CV_F_framework_gpu_lib, CV_ABSENT, NULL, at(from));
		cv_facts_state(fw->facts, fw->s, CV_F_framework_gpu_needed, CV_ABSENT, NULL, at(from));
		return;
	}
	cv_facts_str(fw->facts, fw->s, CV_F_framework_gpu_lib, path, at(path));
	r = cv_view_open(fw->c->view, path, &src);
	if (r == 0) {
		r = cv_elf_open(src, fw->a, fw->c->diag, &elf);
		if (r == 0 && ((elf->damaged & (CV_ELF_DYNAMIC | CV_ELF_SEGMENTS)) || !elf->has_dynamic))
			r = CV_EFORMAT; /* no library that could be loaded */
		if (r == 0)
			cv_facts_list(fw->facts, fw->s, CV_F_framework_gpu_needed, &elf->needed, at(path));
		cv_src_close(src);
	}
	if (r < 0)
		cv_see_fail(fw->c, fw->s, CV_F_framework_gpu_needed, r, at(path));
}

/* The first entry of a sorted list that is not before name. */
static size_t lower_bound(const struct cv_dirlist *list, const char *name)
{
	size_t lo = 0, hi = list->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(list->v[mid].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Is dir a package? 0, CV_ENOENT if it is not, or why it cannot be told. */
static int look_for_init(struct run *r, const char *dir)
{
	static const char *const names[] = { "__init__.py", "__init__.pyc" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct cv_stat st;
		int err = cv_view_stat(r->c->view, cv_path_join(r->a, dir, names[i]), &st);

		if (err != CV_ENOENT && err != CV_ENOTDIR)
			return err;
	}
	return CV_ENOENT;
}

/* torch.py, torch.pyc, torch.so, torch.cpython-311-x86_64-linux-gnu.so */
static const char *module_in(struct run *r, const char *dir, const struct cv_dirlist *list, const char *name)
{
	const char *dotted = cv_arena_printf(r->a, "%s.", name);

	for (size_t i = lower_bound(list, dotted); i < list->n && cv_starts(list->v[i].name, dotted); i++) {
		const char *entry = list->v[i].name;

		if (cv_ends(entry, ".py") || cv_ends(entry, ".pyc") || cv_ends(entry, ".so"))
			return cv_path_join(r->a, dir, entry);
	}
	return NULL;
}

/* False if not even the name could be looked up. */
static bool is_searchable(struct run *r, const char *path)
{
	struct cv_stat st;
	int err = cv_view_stat(r->c->view, path, &st);

	return err == 0 || err == CV_ENOENT || err == CV_ENOTDIR;
}

static bool is_stdlib(const char *dir)
{
	return cv_ends(dir, "/lib-dynload") || cv_ends(dir, ".zip") || cv_starts(cv_basename(dir), "python");
}

/*
 * What the path finder takes, NULL if nothing; an error if it cannot be told whether *ret is a package. leftovers collects
 * directories that it passes over. In a directory that may not be listed a name can still be looked up; where not even that is
 * allowed, the search ends: what lies behind may be hidden by it.
 */
static int find_import(struct run *r, const struct cv_strv *path, const char *name, struct cv_strv *leftovers, const char **ret)
{
	*ret = NULL;
	for (size_t i = 0; i < path->n; i++) {
		const char *dir = cv_path_join(r->a, path->v[i], name), *module;
		const struct listing *list;
		size_t k;
		int err;

		if (is_stdlib(path->v[i]))
			continue;
		list = list_of(r->c, &r->lists, path->v[i]);
		k = lower_bound(&list->entries, name);
		if (list->closed && !is_searchable(r, dir))
			return 0;
		if (list->closed || (k < list->entries.n && cv_streq(list->entries.v[k].name, name))) {
			err = look_for_init(r, dir);
			if (err != CV_ENOENT) {
				*ret = dir;
				return err;
			}
			if (cv_view_is_dir(r->c->view, dir))
				cv_strv_push(r->a, leftovers, dir);
		}
		module = module_in(r, path->v[i], &list->entries, name);
		if (module) {
			*ret = module;
			return 0;
		}
	}
	return 0;
}

/* Where the finder that a .pth line installs has the name; NULL if it does not, or is of another make. */
static const char *finder_maps(struct run *r, const char *site, struct cv_str line, const char *name)
{
	const struct cv_pyname *mapping;
	const struct cv_pylit *to;
	struct cv_pyassign p;
	struct cv_str text, word;
	const char *file;

	if (!cv_str_eat(&line, "import") || !cv_str_word(&line, &word))
		return NULL;
	if (cv_str_ends(word, ";"))
		word.n--;
	file = cv_arena_printf(r->a, "%s/%.*s.py", site, CV_STR_ARG(word));
	if (cv_view_read(r->c->view, file, CV_PYASSIGN_MAX, r->a, &text) < 0 || cv_pyassign_parse(text, r->a, &p) < 0)
		return NULL;
	mapping = cv_pyassign_get(&p, "MAPPING");
	to = mapping ? cv_pylit_get(&mapping->value, name) : NULL;
	return to && to->kind == CV_PYLIT_STR && to->text[0] == '/' && look_for_init(r, to->text) == 0 ? to->text : NULL;
}

/* Editable installations: env.path_code has "FILE:LINE editable". */
static const char *find_editable(struct run *r, const struct cv_subject *env, const char *name)
{
	const struct cv_strv *code = cv_fact_list(env, CV_F_env_path_code);

	for (size_t i = 0; i < code->n; i++) {
		struct cv_str entry = cv_str_of(code->v[i]), text;
		struct cv_pth_line line;
		const char *file;
		ptrdiff_t colon = cv_str_rchr(entry, ':');
		unsigned no = 0;

		if (colon < 0 || !cv_str_ends(entry, " editable"))
			continue;
		file = cv_arena_memdup(r->a, entry.p, (size_t)colon);
		if (cv_view_read(r->c->view, file, 65536, r->a, &text) < 0)
			continue;
		while (cv_pth_next(&text, &no, &line)) {
			const char *dir = NULL;

			if (line.kind == CV_PTH_EDITABLE)
				dir = finder_maps(r, cv_dirname(r->a, file), line.text, name);
			if (dir)
				return dir;
		}
	}
	return NULL;
}

static void find_claims(struct run *r, struct cv_py_fw *fw, const char *import)
{
	const struct packages *packages = cv_map_get(&r->by_env, fw->prefix);

	for (size_t i = 0; packages && i < packages->all.n; i++) {
		const struct cv_subject *p = packages->all.v[i], **slot;

		if (!cv_strv_has(cv_fact_list(p, CV_F_package_imports), import))
			continue;
		slot = CV_VEC_PUSH(fw->a, &fw->claims);
		if (slot)
			*slot = p;
	}
}

struct wanted {
	const char *path;
	bool found, has_size;
	uint64_t size;
};

static int look_for(void *cookie, const struct cv_pyrecord_row *row)
{
	struct wanted *w = cookie;

	if (!cv_str_is(row->path, w->path))
		return 0;
	w->found = true;
	w->has_size = row->has_size;
	w->size = row->size;
	return 1;
}

/* Does the claim's RECORD give the native module the size that it has? */
static bool owns_native(struct cv_py_fw *fw, const struct cv_subject *claim, uint64_t size)
{
	const char *info = cv_fact_str(claim, CV_F_package_path), *site;
	struct wanted w = { 0 };
	struct cv_pyrecord sum;
	struct cv_src *src;

	if (!info)
		return false;
	site = cv_dirname(fw->a, info);
	if (!cv_path_below(fw->native, site) || cv_view_open(fw->c->view, cv_path_join(fw->a, info, "RECORD"), &src) < 0)
		return false;
	w.path = fw->native + strlen(site) + 1;
	(void)cv_pyrecord_read(src, fw->a, look_for, &w, &sum); /* it ends early when found */
	cv_src_close(src);
	return w.found && w.has_size && w.size == size;
}

static void find_native(struct cv_py_fw *fw, const struct cv_py_fw_kind *kind)
{
	struct cv_stat st;

	if (!kind->native_stem || !fw->dir)
		return;
	fw->native = cv_py_fw_so(fw, cv_path_join(fw->a, fw->dir, kind->native_dir), kind->native_stem);
	if (!fw->native || cv_view_stat(fw->c->view, fw->native, &st) < 0)
		return;
	for (size_t i = 0; i < fw->claims.n; i++) {
		const char *name = cv_fact_str(fw->claims.v[i], CV_F_package_name);

		if (name && owns_native(fw, fw->claims.v[i], st.size))
			cv_strv_push(fw->a, &fw->native_of, name);
	}
}

static void put_claims(struct cv_py_fw *fw)
{
	struct cv_strv names = { 0 };

	for (size_t i = 0; i < fw->claims.n; i++) {
		const char *name = cv_fact_str(fw->claims.v[i], CV_F_package_name);

		if (name)
			cv_strv_push(fw->a, &names, name);
	}
	if (names.n)
		cv_facts_list(fw->facts, fw->s, CV_F_framework_claimed_by, &names, at(fw->dir));
	if (fw->native)
		cv_facts_list(fw->facts, fw->s, CV_F_framework_native_of, &fw->native_of, at(fw->native));
}

static void one_framework(struct run *r, const struct cv_subject *env, const struct cv_py_fw_kind *kind)
{
	const struct cv_strv *path = cv_fact_list(env, CV_F_env_sys_path);
	struct cv_py_fw fw = { .c = r->c, .facts = r->c->facts, .a = r->a, .env = env, .lists = &r->lists };
	struct cv_strv leftovers = { 0 };
	const char *found;
	int err = find_import(r, path, kind->name, &leftovers, &found);

	fw.prefix = cv_subject_key(env);
	if (!found)
		found = find_editable(r, env, kind->name);
	find_claims(r, &fw, kind->name);
	if (!found && leftovers.n == 0 && fw.claims.n == 0)
		return;
	fw.s = cv_facts_add(fw.facts, CV_KIND_framework, cv_arena_printf(r->a, "%s|%s", fw.prefix, kind->name));
	cv_facts_str(fw.facts, fw.s, CV_F_framework_env, fw.prefix, at(fw.prefix));
	cv_facts_str(fw.facts, fw.s, CV_F_framework_name, kind->name, at(found ? found : fw.prefix));
	if (leftovers.n)
		cv_facts_list(fw.facts, fw.s, CV_F_framework_leftover, &leftovers, at(fw.prefix));
	if (err < 0) {
		cv_see_fail(r->c, fw.s, CV_F_framework_path, err, at(found));
		return;
	}
	if (!found) {
		cv_facts_state(fw.facts, fw.s, CV_F_framework_path, CV_ABSENT,
			       leftovers.n ? "its directory has no __init__.py" : "its distribution is there, its files are not",
			       at(leftovers.n ? leftovers.v[0] : fw.prefix));
		put_claims(&fw);
		return;
	}
	cv_facts_str(fw.facts, fw.s, CV_F_framework_path, found, at(found));
	if (!cv_view_is_dir(r->c->view, found))
		return; /* a module of that name: none of the framework's own files */
	fw.dir = found;
	find_native(&fw, kind);
	put_claims(&fw);
	kind->read(&fw);
}

static void index_packages(struct run *r)
{
	for (size_t i = 0; i < cv_facts_count(r->c->facts, CV_KIND_package); i++) {
		const struct cv_subject *p = cv_facts_at(r->c->facts, CV_KIND_package, i), **slot;
		const char *env = cv_fact_str(p, CV_F_package_env);
		struct packages *list = env ? cv_map_get(&r->by_env, env) : NULL;

		if (!env || cv_fact_true(p, CV_F_package_shadowed))
			continue;
		if (!list) {
			list = CV_NEW(r->a, struct packages);
			if (!list)
				return;
			cv_map_set(r->a, &r->by_env, env, list);
		}
		slot = CV_VEC_PUSH(r->a, &list->all);
		if (slot)
			*slot = p;
	}
}

static void run(struct cv_collect_ctx *c)
{
	struct run r = { .c = c, .a = c->scratch };

	index_packages(&r);
	for (size_t i = 0; i < cv_facts_count(c->facts, CV_KIND_env); i++)
		for (size_t k = 0; k < cv_py_fw_kind_count; k++)
			one_framework(&r, cv_facts_at(c->facts, CV_KIND_env, i), &cv_py_fw_kinds[k]);
}

const struct cv_collector cv_collector_py_frameworks = {
	.name = CV_PY_FRAMEWORKS,
	.doc = "what an import of each framework would find, and how it was built",
	.run = run,
};
