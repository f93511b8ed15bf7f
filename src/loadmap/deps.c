/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dependencies of an object, breadth first (elf/dl-deps.c).
 *
 * A flat list grows while it is walked: what an object needs goes to its end, each object once. Filters and auxiliaries
 * (DT_FILTER, DT_AUXILIARY) go in front of the object that names them, also where they stood further behind already; they move in
 * the link map too. The list is the object's search list for symbols.
 */
#include "loadmap/lm.h"

enum { DT_NULL = 0, DT_NEEDED = 1, DT_AUXILIARY = 0x7ffffffd, DT_FILTER = 0x7fffffff };

struct node {
	size_t obj;
	size_t next; /* index of a node, or CV_LM_NONE */
	bool done;
};

struct list {
	struct lm_map *m;
	CV_VEC(struct node) v;
	size_t tail;
	size_t root;
	bool trace;
	bool recording; /* what the object that is being served needs */
};

struct want {
	uint64_t tag;
	const char *name;
};
struct wants {
	CV_VEC(struct want) v;
};

static int push_want(struct lm_map *m, struct wants *w, uint64_t tag, const char *name)
{
	struct want *slot = CV_VEC_PUSH(m->arena, &w->v);

	if (!slot)
		return CV_ENOMEM;
	*slot = (struct want){ .tag = tag, .name = name };
	return 0;
}

/* Needs and filters in the order of the dynamic section. */
static int ordered_wants(struct lm_map *m, struct cv_elf *e, struct wants *w)
{
	const struct cv_elf_seg *dyn = NULL;
	size_t size = e->is64 ? 16 : 8;
	uint64_t off, room;

	for (size_t i = 0; i < e->seg_n; i++)
		if (e->segs[i].type == CV_PT_DYNAMIC)
			dyn = &e->segs[i];
	if (!dyn || !cv_elf_offset_of(e, dyn->addr, &off, &room))
		return 0;
	for (uint64_t i = 0; i < CV_ELF_DYN_MAX && (i + 1) * size <= room; i++) {
		unsigned char p[16];
		const char *name;
		uint64_t tag, value;
		int r = cv_elf_read(e, off + i * size, p, size);

		if (r < 0)
			return r == CV_ENOMEM ? r : 0;
		tag = e->is64 ? cv_elf_u64(e, p) : cv_elf_u32(e, p);
		value = e->is64 ? cv_elf_u64(e, p + 8) : cv_elf_u32(e, p + 4);
		if (tag == DT_NULL)
			return 0;
		if (tag != DT_NEEDED && tag != DT_AUXILIARY && tag != DT_FILTER)
			continue;
		r = cv_elf_dynstr(e, value, &name);
		if (r == CV_ENOMEM || (r == 0 && push_want(m, w, tag, name) < 0))
			return CV_ENOMEM;
	}
	return 0;
}

static int wants_of(struct lm_map *m, struct cv_elf *e, struct wants *w)
{
	if (e->auxiliary.n || e->filter.n)
		return ordered_wants(m, e, w);
	for (size_t i = 0; i < e->needed.n; i++)
		if (push_want(m, w, DT_NEEDED, e->needed.v[i]) < 0)
			return CV_ENOMEM;
	return 0;
}

static int push_node(struct list *l, size_t obj, size_t *ret)
{
	struct node *n = CV_VEC_PUSH(l->m->arena, &l->v);

	if (!n)
		return CV_ENOMEM;
	*n = (struct node){ .obj = obj, .next = CV_LM_NONE };
	*ret = l->v.n - 1;
	return 0;
}

static int append(struct list *l, size_t obj)
{
	size_t n;

	if (push_node(l, obj, &n) < 0)
		return CV_ENOMEM;
	if (n)
		l->v.v[l->tail].next = n;
	l->tail = n;
	l->m->objs.v[obj].mark = true;
	return 0;
}

/*
 * Moves obj in front of before in the link map. In front of the program it is out of the sight of all that walk the map: nobody
 * finds it by name or file any more, its versions are not checked, and ldd does not print it. The program itself, moved by a
 * library that names it, stays the beginning, and what lay between is out of sight.
 */
static void move_in_chain(struct lm_map *m, size_t obj, size_t before)
{
	size_t *v = m->pub.chain.v;
	size_t n = 0, at = 0;

	if (v[0] == obj) {
		while (at < m->pub.chain.n && v[at] != before)
			m->objs.v[v[at++]].in_chain = false;
		m->objs.v[obj].in_chain = true;
		memmove(v + 1, v + at, (m->pub.chain.n - at) * sizeof(*v));
		m->pub.chain.n -= at - 1;
		return;
	}
	for (size_t i = 0; i < m->pub.chain.n; i++)
		if (v[i] != obj)
			v[n++] = v[i];
	while (at < n && v[at] != before)
		at++;
	if (at == 0 || at == n) {
		m->pub.chain.n = n;
		m->objs.v[obj].in_chain = false;
		return;
	}
	if (n == m->pub.chain.n)
		return; /* it was out of sight already */
	memmove(v + at + 1, v + at, (m->pub.chain.n - 1 - at) * sizeof(*v));
	v[at] = obj;
}

/* A filter in front of node *orig, which moves to a new place. */
static int insert_filter(struct list *l, size_t *orig, size_t obj)
{
	struct lm_map *m = l->m;
	bool known = m->objs.v[obj].mark;
	size_t copy;

	if (push_node(l, 0, &copy) < 0)
		return CV_ENOMEM;
	l->v.v[copy] = l->v.v[*orig];
	if (known) {
		size_t late = copy;

		while (l->v.v[late].next != CV_LM_NONE && l->v.v[l->v.v[late].next].obj != obj)
			late = l->v.v[late].next;
		if (l->v.v[late].next == CV_LM_NONE)
			return 0; /* it is further in front already */
		if (l->tail == l->v.v[late].next)
			l->tail = late;
		l->v.v[late].next = l->v.v[l->v.v[late].next].next;
	}
	l->v.v[*orig] = (struct node){ .obj = obj, .next = copy };
	m->objs.v[obj].mark = true;
	move_in_chain(m, obj, l->v.v[copy].obj);
	if (*orig == l->tail)
		l->tail = copy;
	*orig = copy;
	return 0;
}

/* What one want comes to. 1: the load ends. */
static int serve(struct list *l, size_t *orig, size_t by, const struct want *w)
{
	struct lm_map *m = l->m;
	enum lm_type type = m->objs.v[by].type;
	struct lm_request q = { .by = by, .told_by = by, .loader = by };
	size_t obj;
	int r = cv_lm_expand(m, by, w->name, &q.name);

	if (r < 0)
		return r;
	if (q.name[0] == 0 && w->name[0] != 0) {
		if (w->tag != DT_AUXILIARY)
			return 0;
		m->error = (struct lm_error){ .kind = CV_LM_T_MISSING,
					      .object = w->name,
					      .what = "empty dynamic string token substitution" };
		return 1;
	}
	q.mode = w->tag == DT_NEEDED ? CV_LM_BY_NEEDED : w->tag == DT_FILTER ? CV_LM_BY_FILTER : CV_LM_BY_AUXILIARY;
	q.trace = l->trace && w->tag != DT_AUXILIARY; /* nobody minds if one of these is missing */
	q.type = type == LM_EXECUTABLE ? LM_LIBRARY : type;
	r = cv_lm_map(m, &q, &obj);
	if (r == 1 && w->tag == DT_AUXILIARY)
		return 0;
	if (r != 0 || m->stopped || obj == CV_LM_NONE)
		return r;
	if (l->recording) {
		size_t *slot = CV_VEC_PUSH(m->arena, &m->objs.v[by].needs);

		if (!slot)
			return CV_ENOMEM;
		*slot = obj;
	}
	if (w->tag != DT_NEEDED)
		return insert_filter(l, orig, obj);
	return m->objs.v[obj].mark ? 0 : append(l, obj);
}

static int walk(struct list *l)
{
	struct lm_map *m = l->m;

	for (size_t at = 0; at != CV_LM_NONE;) {
		size_t obj = l->v.v[at].obj;
		struct lm_file *f = m->objs.v[obj].file;
		struct wants wants = { 0 };
		size_t orig = at;
		int r = 0;

		l->v.v[at].done = true;
		l->recording = obj != l->root && !m->objs.v[obj].walked && !m->objs.v[obj].scope;
		m->objs.v[obj].walked |= l->recording;
		if (f)
			r = wants_of(m, f->elf, &wants);
		for (size_t i = 0; r == 0 && i < wants.v.n && !m->stopped; i++)
			r = serve(l, &orig, obj, &wants.v.v[i]);
		if (r != 0 || m->stopped)
			return r;
		while (at != CV_LM_NONE && l->v.v[at].done)
			at = l->v.v[at].next;
	}
	return 0;
}

/* The list becomes the search list of root. */
static int finish(struct list *l, size_t root)
{
	struct lm_map *m = l->m;
	struct lm_obj *o = &m->objs.v[root];
	size_t *scope = CV_NEW_ARRAY(m->arena, size_t, l->v.n);
	size_t n = 0;

	if (!scope)
		return CV_ENOMEM;
	for (size_t at = 0; at != CV_LM_NONE; at = l->v.v[at].next) {
		scope[n++] = l->v.v[at].obj;
		m->objs.v[l->v.v[at].obj].mark = false;
	}
	o->scope = scope;
	o->scope_n = n;
	return 0;
}

/*
 * Until 2.34 the loader insists on the root being the first of its own list, which a filter of the root itself prevents; and it
 * does so before it tells of any other error.
 */
static int insist(struct lm_map *m, size_t root, int r)
{
	static const char text[] =
		"Inconsistency detected by ld.so: dl-deps.c: _dl_map_object_deps: "
		"Assertion `map->l_searchlist.r_list[0] == map' failed!";
	struct cv_lm_trouble *t;

	if (m->loader->minor >= 35 || m->objs.v[root].scope[0] == root)
		return r;
	t = cv_lm_trouble(m, CV_LM_T_WRONG_FORMAT, true, m->pub.objects.v[root].path, text);
	if (t)
		t->object = root;
	m->stopped = true;
	return 0;
}

int cv_lm_deps(struct lm_map *m, size_t root, const size_t *preloads, size_t preload_n, bool trace)
{
	struct list l = { .m = m, .root = root, .trace = trace };
	int r = append(&l, root), e;

	m->err = 0;
	for (size_t i = 0; r == 0 && i < preload_n; i++)
		r = append(&l, preloads[i]);
	if (r == 0)
		r = walk(&l);
	if (r < 0)
		return r;
	e = finish(&l, root);
	if (e == 0 && !m->stopped)
		r = insist(m, root, r);
	return e < 0 ? e : r;
}
