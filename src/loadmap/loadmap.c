/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Program start (elf/rtld.c).
 */
#include "loadmap/loadmap.h"

#include "base/buf.h"
#include "loadmap/lm.h"

int cv_loadmap_new(struct cv_lm_system *sys, struct cv_arena *a, struct cv_diag *d, struct cv_loadmap **ret)
{
	struct lm_map *m = CV_NEW(a, struct lm_map);

	if (!m)
		return CV_ENOMEM;
	m->sys = sys;
	m->arena = a;
	m->diag = d;
	m->vdso = m->rtld = CV_LM_NONE;
	m->pub.libc = "none";
	*ret = &m->pub;
	return 0;
}

/* What a file that is no program may be, in words. */
static int not_a_program(struct lm_map *m, const char *path, const struct lm_path *p)
{
	const struct lm_file *f = p->file;

	if (p->type == CV_FT_DIR)
		return cv_diag_fail(m->diag, CV_ENOTREG, "%s: a directory", path);
	if (!f)
		return cv_diag_fail(m->diag, CV_ENOTREG, "%s: not a regular file", path);
	if (f->err < 0 && f->err != CV_EFORMAT)
		return cv_diag_fail(m->diag, f->err, "%s: %s", path, cv_strerror(f->err));
	if (f->head_n >= 2 && f->head[0] == '#' && f->head[1] == '!') {
		struct cv_str line = { (const char *)f->head + 2, f->head_n - 2 };
		struct cv_str word = CV_STR("");

		cv_str_line(&line, &line, NULL);
		cv_str_word(&line, &word);
		return cv_diag_fail(m->diag, CV_EFORMAT, "%s: a script%s%.*s, not an ELF file", path, word.n ? " for " : "",
				    CV_STR_ARG(word));
	}
	if (!f->elf)
		return cv_diag_fail(m->diag, CV_EFORMAT, "%s: not an ELF file", path);
	if (f->elf->type == CV_ET_REL)
		return cv_diag_fail(m->diag, CV_EFORMAT, "%s: an object file or kernel module, not a program or library", path);
	if (f->elf->type != CV_ET_EXEC && f->elf->type != CV_ET_DYN)
		return cv_diag_fail(m->diag, CV_EFORMAT, "%s: an ELF file of type %u, not a program or library", path,
				    f->elf->type);
	if (f->elf->seg_n == 0)
		return cv_diag_fail(m->diag, CV_EFORMAT, "%s: an ELF file without segments: nothing can be loaded", path);
	return 0;
}

/* Nothing but itself is loaded: no interpreter, and not a shared library either. */
static bool is_static(const struct cv_elf *e)
{
	return !e->interp && (e->type == CV_ET_EXEC || e->df1 & CV_DF_1_PIE || !e->has_dynamic);
}

static int add_program(struct lm_map *m, struct lm_path *p, const char *path)
{
	struct cv_lm_edge *e = cv_lm_edge(m, CV_LM_NONE, CV_LM_BY_EXEC, path);
	struct lm_obj *o;
	size_t i;
	int r;

	if (!e)
		return CV_ENOMEM;
	e->step = CV_LM_PROGRAM;
	e->object = 0;
	r = cv_lm_add_object(m, p, path, "", &i);
	if (r < 0)
		return r;
	o = &m->objs.v[0];
	o->name = "";
	o->names.n = 0;
	if (cv_lm_add_name(m, 0, "") < 0)
		return CV_ENOMEM;
	o->type = LM_EXECUTABLE;
	/* The kernel tells the loader of the program's real place; the loader itself takes the path that it was given. */
	if (p->file->elf->interp || (m->loader && m->loader->minor >= 42))
		o->origin = cv_dirname(m->arena, m->pub.objects.v[0].real);
	o->has_id = false;
	return 0;
}

static int add_loader(struct lm_map *m)
{
	struct lm_loader *ld = m->loader;
	struct cv_lm_edge *e = cv_lm_edge(m, 0, CV_LM_BY_EXEC, ld->path);
	struct lm_path *p;
	int r;

	if (!e)
		return CV_ENOMEM;
	e->step = CV_LM_INTERP;
	r = cv_lm_path(m->sys, ld->path, &p);
	if (r == 0)
		r = cv_lm_add_object(m, p, ld->path, ld->path, &m->rtld);
	if (r < 0 || m->stopped)
		return r;
	m->pub.edges.v[m->pub.edges.n - 1].object = m->rtld;
	m->objs.v[m->rtld].has_id = false;
	return ld->soname ? cv_lm_add_name(m, m->rtld, ld->soname) : 0;
}

static int init_lists(struct lm_map *m)
{
	const char *env = m->sys->opts.library_path;

	return env ? cv_lm_decompose(m, 0, env, ":;", &m->env) : 0;
}

/* Few maps need them: ld.so.cache has what is there. */
int cv_lm_system_dirs(struct lm_map *m)
{
	struct cv_strv *dirs = &m->loader->dirs;
	struct cv_buf b;
	int r;

	if (m->system.done)
		return 0;
	cv_buf_init(&b, 65536);
	for (size_t i = 0; i < dirs->n; i++)
		cv_buf_printf(&b, "%s%s", i ? ":" : "", dirs->v[i]);
	r = b.err ? b.err : cv_lm_decompose(m, 0, cv_arena_strdup(m->arena, cv_buf_str(&b)), ":", &m->system);
	cv_buf_release(&b);
	return r;
}

static void drop_from_chain(struct lm_map *m, size_t obj)
{
	size_t n = 0;

	for (size_t i = 0; i < m->pub.chain.n; i++)
		if (m->pub.chain.v[i] != obj)
			m->pub.chain.v[n++] = m->pub.chain.v[i];
	m->pub.chain.n = n;
	m->objs.v[obj].in_chain = false;
}

/*
 * The loader's own place in the link map: behind what precedes it in the search list. If nobody needs it: none before 2.40, then
 * the last of those in the search list.
 */
static int place_loader(struct lm_map *m)
{
	const struct lm_obj *o = &m->objs.v[0];
	size_t i = 1, at = 0, *slot;

	drop_from_chain(m, m->rtld);
	while (i < o->scope_n && o->scope[i] != m->rtld)
		i++;
	if (i >= o->scope_n && m->loader->minor < 40)
		return 0;
	slot = CV_VEC_PUSH(m->arena, &m->pub.chain);
	if (!slot)
		return CV_ENOMEM;
	while (at + 2 < m->pub.chain.n && m->pub.chain.v[at] != o->scope[i - 1])
		at++;
	memmove(&m->pub.chain.v[at + 2], &m->pub.chain.v[at + 1], (m->pub.chain.n - at - 2) * sizeof(size_t));
	m->pub.chain.v[at + 1] = m->rtld;
	m->objs.v[m->rtld].in_chain = true;
	return 0;
}

int cv_lm_set_global(struct lm_map *m, size_t root)
{
	for (size_t i = 0; i < m->objs.v[root].scope_n; i++) {
		size_t obj = m->objs.v[root].scope[i];
		size_t *slot;

		if (m->pub.objects.v[obj].global)
			continue;
		slot = CV_VEC_PUSH(m->arena, &m->pub.scope);
		if (!slot)
			return CV_ENOMEM;
		*slot = obj;
		m->pub.objects.v[obj].global = true;
	}
	return 0;
}

/* The message of an error that ends the start of the program. */
static int fatal_at_start(struct lm_map *m)
{
	struct cv_lm_trouble *t = cv_lm_trouble(
		m, m->error.kind, true, m->pub.edges.v[m->pub.edges.n - 1].name,
		cv_arena_printf(m->arena, "error while loading shared libraries: %s", cv_lm_error_text(m, &m->error)));

	if (t) {
		t->edge = m->pub.edges.n - 1;
		t->object = m->pub.edges.v[t->edge].by;
	}
	m->stopped = true;
	return 0;
}

static int check_all_versions(struct lm_map *m)
{
	for (size_t k = 0; k < m->pub.chain.n && !m->stopped; k++) {
		int r = cv_lm_check_versions(m, m->pub.chain.v[k], true);

		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * Thread-local data of an object that a filter of the program has put out of sight is not counted, and the loader notices before
 * 2.40.
 */
static int check_tls(struct lm_map *m)
{
	static const char text[] =
		"Inconsistency detected by ld.so: rtld.c: init_tls: Assertion `i == GL(dl_tls_max_dtv_idx)' failed!";

	for (size_t i = 1; m->loader->minor < 40 && i < m->objs.n && !m->stopped; i++) {
		const struct lm_obj *o = &m->objs.v[i];
		struct cv_lm_trouble *t;

		if (o->in_chain || i == m->rtld || !o->file || o->file->elf->tls_size == 0)
			continue;
		t = cv_lm_trouble(m, CV_LM_T_WRONG_FORMAT, true, o->name, text);
		if (t)
			t->object = i;
		m->stopped = true;
	}
	return 0;
}

static int check_all_isa(struct lm_map *m)
{
	for (size_t k = 0; k < m->objs.v[0].scope_n; k++) {
		size_t i = m->objs.v[0].scope[k];
		const char *name = m->objs.v[i].name[0] ? m->objs.v[i].name : m->who;
		struct cv_lm_trouble *t;

		if (cv_lm_isa_fits(m, i))
			continue;
		t = cv_lm_trouble(m, CV_LM_T_ISA_LEVEL, true, name, cv_arena_printf(m->arena, "%s: " CV_LM_ISA_TEXT, name));
		if (t)
			t->object = i;
		break;
	}
	return 0;
}

/* What the loader refuses of a library that it runs as the program; the kernel is content with less of a true program. */
static int check_program(struct lm_map *m, struct lm_path *p)
{
	const struct cv_elf *e = p->file->elf;
	struct lm_check c = { .verdict = LM_FIT };
	const char *what;
	bool mapping = false;

	if (!e->interp)
		cv_lm_verify(m, p, &c);
	what = c.verdict == LM_BAD ? c.what : NULL;
	if (!what) {
		what = cv_lm_segments(m, e, true);
		mapping = true;
	}
	m->error = (struct lm_error){ .kind = CV_LM_T_WRONG_FORMAT, .object = m->who, .what = what, .err = mapping ? 0 : c.err };
	return what != NULL;
}

static int start_glibc(struct lm_map *m, struct lm_path *p)
{
	size_t *preloads, preload_n;
	int r;

	if (check_program(m, p))
		return fatal_at_start(m);
	r = add_loader(m);
	if (r == 0)
		r = init_lists(m);
	if (r == 0)
		r = cv_lm_preload(m, &preloads, &preload_n);
	if (r == 0 && !m->stopped)
		r = cv_lm_deps(m, 0, preloads, preload_n, true);
	if (r == 1)
		r = fatal_at_start(m);
	if (r == 0 && m->objs.v[0].scope && m->objs.v[0].in_chain)
		r = place_loader(m);
	if (r == 0)
		r = cv_lm_set_global(m, 0);
	if (r == 0 && !m->stopped)
		r = check_all_versions(m);
	if (r == 0 && !m->stopped)
		r = check_tls(m);
	if (r == 0 && !m->stopped)
		r = check_all_isa(m);
	if (r == 0 && m->objs.v[0].scope)
		r = cv_lm_order(m, 0);
	for (size_t i = 0; i < m->objs.n; i++)
		m->objs.v[i].relocated = true;
	return r;
}

/*
 * The interpreter that the program names is not there: the kernel finds no such file, for all that the program itself is there.
 */
static int no_loader(struct lm_map *m)
{
	struct cv_lm_edge *e = cv_lm_edge(m, 0, CV_LM_BY_EXEC, m->loader->path);
	struct cv_lm_trouble *t;

	if (!e || !cv_strv_push(m->arena, &e->searched, m->loader->path))
		return CV_ENOMEM;
	t = cv_lm_trouble(m, CV_LM_T_MISSING, true, m->loader->path,
			  cv_arena_printf(m->arena, "%s: cannot execute: required file not found (%s)", m->who, m->loader->path));
	if (t) {
		t->object = 0;
		t->edge = m->pub.edges.n - 1;
	}
	m->stopped = true;
	return 0;
}

static int start(struct lm_map *m, struct lm_path *p, const char *path)
{
	const struct cv_elf *e = p->file->elf;
	int r;

	m->pub.machine = cv_elf_machine_name(e);
	m->stack_exec = e->interp && cv_lm_wants_exec_stack(e);
	if (is_static(e)) {
		m->pub.libc = "static";
		return add_program(m, p, path);
	}
	r = cv_lm_loader_for(m->sys, e, &m->loader);
	if (r < 0)
		return cv_diag_fail(m->diag, r, "%s: no rules for the loader of this machine (ELF machine %u)", path, e->machine);
	m->pub.interp = m->loader->path;
	r = add_program(m, p, path);
	if (r < 0)
		return r;
	switch (m->loader->libc) {
	case LM_NO_LIBC:
		return no_loader(m);
	case LM_MUSL:
		m->pub.libc = "musl";
		return cv_lm_musl_exec(m);
	default:
		m->pub.libc = "glibc";
		m->pub.glibc = m->loader->version;
		return start_glibc(m, p);
	}
}

int cv_loadmap_exec(struct cv_loadmap *pub, const char *path)
{
	struct lm_map *m = cv_lm_of(pub);
	struct lm_path *p;
	int r;

	if (m->started || path[0] != '/')
		return CV_EINVAL;
	m->started = true;
	m->who = cv_arena_strdup(m->arena, path);
	r = cv_lm_path(m->sys, path, &p);
	if (r == 0 && p->err < 0)
		r = cv_diag_fail(m->diag, p->err, "%s: %s", path, cv_strerror(p->err));
	if (r == 0)
		r = not_a_program(m, path, p);
	if (r == 0)
		r = start(m, p, m->who);
	m->running = !m->stopped;
	return r < 0 ? r : cv_arena_failed(m->arena) || cv_arena_failed(m->sys->arena) ? CV_ENOMEM : 0;
}
