/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects, requests and troubles of a map; and the decision whether a request is served by what is there already, by a file
 * that the search finds, or not at all (elf/dl-load.c).
 *
 * An object is known by the names under which it was asked for, by its own name (l_name) and by its SONAME; then by device and
 * inode. The program that the kernel loaded has no identity of its file for the loader, so that it can come in a second time.
 */
#include "loadmap/lm.h"

struct cv_lm_trouble *cv_lm_trouble(struct lm_map *m, enum cv_lm_trouble_kind kind, bool fatal, const char *name,
				    const char *message)
{
	struct cv_lm_trouble *t;

	if (m->pub.troubles.n >= CV_LM_TROUBLES_MAX)
		return NULL;
	t = CV_VEC_PUSH(m->arena, &m->pub.troubles);
	if (t)
		*t = (struct cv_lm_trouble){ .kind = kind,
					     .fatal = fatal,
					     .object = CV_LM_NONE,
					     .edge = CV_LM_NONE,
					     .name = name,
					     .provider = CV_LM_NONE,
					     .message = message };
	return t;
}

int cv_lm_limit(struct lm_map *m, const char *what)
{
	if (!m->stopped && !cv_lm_trouble(m, CV_LM_T_LIMIT, true, what, what))
		return CV_ENOMEM;
	m->stopped = true;
	return 0;
}

struct cv_lm_edge *cv_lm_edge(struct lm_map *m, size_t by, enum cv_lm_mode mode, const char *name)
{
	struct cv_lm_edge *e = CV_VEC_PUSH(m->arena, &m->pub.edges);

	if (e)
		*e = (struct cv_lm_edge){ .by = by,	   .mode = mode,	       .name = name, .step = CV_LM_MISSING,
					  .object = CV_LM_NONE, .detail_of = CV_LM_NONE };
	return e;
}

uint32_t cv_lm_hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

bool cv_lm_name_matches(const struct lm_map *m, size_t i, const char *name, uint32_t hash)
{
	const struct lm_obj *o = &m->objs.v[i];

	for (size_t k = 0; k < o->names.n; k++)
		if (o->names.v[k].hash == hash && cv_streq(o->names.v[k].s, name))
			return true;
	return false;
}

int cv_lm_add_name(struct lm_map *m, size_t i, const char *name)
{
	uint32_t hash = cv_lm_hash(name);
	struct lm_name *slot;

	if (cv_lm_name_matches(m, i, name, hash))
		return 0;
	slot = CV_VEC_PUSH(m->arena, &m->objs.v[i].names);
	if (!slot)
		return CV_ENOMEM;
	*slot = (struct lm_name){ .s = name, .hash = hash };
	return 0;
}

/* Something there of that name; a SONAME that matches becomes one of its names. */
static int find_loaded(struct lm_map *m, const char *name, size_t *ret)
{
	uint32_t hash = cv_lm_hash(name);

	*ret = CV_LM_NONE;
	for (size_t k = 0; k < m->pub.chain.n; k++) {
		size_t i = m->pub.chain.v[k];
		struct lm_obj *o = &m->objs.v[i];

		if (!cv_lm_name_matches(m, i, name, hash)) {
			const char *soname = o->file && o->file->soname_hash == hash ? o->file->elf->soname : NULL;

			if (o->soname_known || !soname || !cv_streq(soname, name))
				continue;
			o->soname_known = true;
			if (cv_lm_add_name(m, i, soname) < 0)
				return CV_ENOMEM;
		}
		*ret = i;
		return 0;
	}
	return 0;
}

static size_t find_file(const struct lm_map *m, const struct lm_file *f)
{
	for (size_t k = 0; k < m->pub.chain.n; k++) {
		const struct lm_obj *o = &m->objs.v[m->pub.chain.v[k]];

		if (o->has_id && o->file == f)
			return m->pub.chain.v[k];
	}
	return CV_LM_NONE;
}

/* The directory of l_name, as it stands: links in it are not followed, only the root's slash is not doubled. */
static const char *origin_of(struct lm_map *m, const char *name)
{
	const char *cwd = m->sys->opts.cwd;
	const char *path = name[0] == '/' ? name
			   : cwd	  ? cv_arena_printf(m->arena, "%s%s%s", cwd, cv_ends(cwd, "/") ? "" : "/", name)
					  : NULL;
	const char *slash = path ? strrchr(path, '/') : NULL;

	if (!slash)
		return NULL;
	return slash == path ? "/" : cv_arena_memdup(m->arena, path, (size_t)(slash - path));
}

int cv_lm_add_object(struct lm_map *m, struct lm_path *p, const char *name, const char *asked, size_t *ret)
{
	struct cv_lm_object *pub;
	struct lm_obj *o;
	size_t *link;
	size_t i = m->objs.n;

	if (i >= CV_LM_OBJECTS_MAX)
		return cv_lm_limit(m, "too many objects");
	pub = CV_VEC_PUSH(m->arena, &m->pub.objects);
	o = CV_VEC_PUSH(m->arena, &m->objs);
	link = CV_VEC_PUSH(m->arena, &m->pub.chain);
	if (!pub || !o || !link)
		return CV_ENOMEM;
	*link = i;
	*pub = (struct cv_lm_object){ .path = name, .edge = m->pub.edges.n ? m->pub.edges.n - 1 : 0 };
	*o = (struct lm_obj){ .file = p ? p->file : NULL,
			      .name = name,
			      .has_id = p != NULL,
			      .in_chain = true,
			      .loader = CV_LM_NONE,
			      .type = LM_LIBRARY,
			      .root = CV_LM_NONE };
	pub->real = p ? cv_lm_real(m->sys, p) : name;
	if (p) {
		pub->dev = p->file->dev;
		pub->ino = p->file->ino;
		pub->elf = p->file->elf;
		pub->soname = p->file->elf->soname;
		o->origin = origin_of(m, name);
	}
	if (cv_lm_add_name(m, i, name) < 0 || cv_lm_add_name(m, i, asked) < 0)
		return CV_ENOMEM;
	*ret = i;
	return cv_arena_failed(m->arena) ? CV_ENOMEM : 0;
}

static const char *vdso_name(const struct lm_loader *ld)
{
	switch (ld->machine) {
	case CV_EM_X86_64:
	case CV_EM_AARCH64:
	case CV_EM_RISCV:
	case CV_EM_LOONGARCH:
		return "linux-vdso.so.1";
	case CV_EM_386:
		return "linux-gate.so.1";
	default:
		return ld->is64 ? "linux-vdso64.so.1" : "linux-vdso.so.1";
	}
}

/* The kernel's own library is always there, right behind the program, but only shown where somebody asks for it. */
static int find_vdso(struct lm_map *m, const char *name, size_t *ret)
{
	size_t *v;
	int r;

	if (m->vdso != CV_LM_NONE || !cv_streq(name, vdso_name(m->loader)))
		return 0;
	r = cv_lm_add_object(m, NULL, vdso_name(m->loader), vdso_name(m->loader), &m->vdso);
	if (r < 0 || m->stopped)
		return r;
	v = m->pub.chain.v;
	memmove(v + 2, v + 1, (m->pub.chain.n - 2) * sizeof(*v));
	v[1] = *ret = m->vdso;
	return 0;
}

static int fail(struct lm_map *m, enum cv_lm_trouble_kind kind, const char *object, const char *what, int err)
{
	m->error = (struct lm_error){ .kind = kind, .object = object, .what = what, .err = err };
	return 1;
}

/* The search came to nothing. */
static int not_found(struct lm_map *m, const struct lm_request *q, const struct lm_search *s, size_t edge)
{
	const char *wrong = m->loader->is64 ? "wrong ELF class: ELFCLASS32" : "wrong ELF class: ELFCLASS64";
	struct lm_faked *faked;
	struct cv_lm_trouble *t;
	int r;

	if (s->bad.verdict == LM_BAD) {
		m->pub.edges.v[edge].refused = s->bad_name;
		m->pub.edges.v[edge].refusal = s->bad.what;
		return fail(m, CV_LM_T_WRONG_FORMAT, s->bad_name, s->bad.what, s->bad.err);
	}
	if (s->other_class)
		r = fail(m, CV_LM_T_WRONG_FORMAT, q->name, wrong, 0);
	else
		r = fail(m, CV_LM_T_MISSING, q->name, "cannot open shared object file", m->err);
	if (!q->trace)
		return r;
	t = cv_lm_trouble(m, m->error.kind, true, q->name,
			  cv_arena_printf(m->arena, "error while loading shared libraries: %s", cv_lm_error_text(m, &m->error)));
	if (t) {
		t->object = q->told_by;
		t->edge = edge;
	}
	faked = CV_VEC_PUSH(m->arena, &m->faked);
	if (!faked)
		return CV_ENOMEM;
	*faked = (struct lm_faked){ .name = q->name, .at = m->objs.n };
	return 0;
}

static int map_file(struct lm_map *m, const struct lm_request *q, const struct lm_search *s, size_t edge, size_t *ret)
{
	bool is_dlopen = q->type == LM_LOADED;
	enum cv_lm_trouble_kind kind;
	const char *what;
	int err, r;

	*ret = find_file(m, s->hit->file);
	if (*ret != CV_LM_NONE) {
		m->pub.edges.v[edge].step = CV_LM_LOADED;
		return cv_lm_add_name(m, *ret, q->name);
	}
	what = cv_lm_mappable(m, s->hit->file, is_dlopen, &kind, &err);
	if (what) {
		m->pub.edges.v[edge].refused = s->hit_name;
		m->pub.edges.v[edge].refusal = what;
		return fail(m, kind, q->name, what, err);
	}
	r = cv_lm_add_object(m, s->hit, s->hit_name, q->name, ret);
	if (r < 0 || m->stopped)
		return r;
	m->pub.objects.v[*ret].edge = edge;
	m->objs.v[*ret].type = q->type;
	m->objs.v[*ret].loader = q->loader;
	return 0;
}

int cv_lm_map(struct lm_map *m, const struct lm_request *q, size_t *ret)
{
	size_t edge = m->pub.edges.n;
	struct lm_search s = { .m = m, .name = q->name, .by = q->by };
	struct cv_lm_edge e;
	size_t found = CV_LM_NONE;
	int r;

	*ret = CV_LM_NONE;
	if (edge >= CV_LM_EDGES_MAX)
		return cv_lm_limit(m, "too many requests");
	s.edge = cv_lm_edge(m, q->told_by, q->mode, q->name);
	if (!s.edge)
		return CV_ENOMEM;
	r = find_loaded(m, q->name, &found);
	if (r == 0 && found == CV_LM_NONE)
		r = find_vdso(m, q->name, &found);
	if (r < 0)
		return r;
	if (found != CV_LM_NONE) {
		s.edge->step = CV_LM_LOADED;
	} else {
		e = *s.edge; /* the search may not hold on to an element that moves */
		s.edge = &e;
		r = cv_lm_search(&s);
		if (r >= 0 && !m->stopped) {
			m->pub.edges.v[edge] = e;
			r = r == 1 ? map_file(m, q, &s, edge, &found) : not_found(m, q, &s, edge);
		}
	}
	if (r == 1)
		m->pub.edges.v[edge].step = CV_LM_MISSING;
	m->pub.edges.v[edge].object = found;
	*ret = found;
	return r;
}
