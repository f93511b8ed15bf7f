/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlopen (elf/dl-open.c): the object and what it needs are loaded, versions checked, symbols bound; if anything fails, what came
 * in on the way goes out again.
 */
#include "loadmap/lm.h"

struct before {
	size_t objects;
	size_t *chain, chain_n;
};

static int remember(struct lm_map *m, struct before *b)
{
	b->objects = m->objs.n;
	b->chain_n = m->pub.chain.n;
	b->chain = CV_NEW_ARRAY(m->arena, size_t, b->chain_n);
	if (!b->chain)
		return CV_ENOMEM;
	memcpy(b->chain, m->pub.chain.v, b->chain_n * sizeof(size_t));
	return 0;
}

static void undo(struct lm_map *m, const struct before *b)
{
	memcpy(m->pub.chain.v, b->chain, b->chain_n * sizeof(size_t));
	m->pub.chain.n = b->chain_n;
	for (size_t i = b->objects; i < m->objs.n; i++) {
		m->objs.v[i].in_chain = false;
		m->pub.objects.v[i].unloaded = true;
	}
	if (m->vdso != CV_LM_NONE && m->vdso >= b->objects)
		m->vdso = CV_LM_NONE;
}

/* The dlopen fails with m->error. */
static int give_up(struct lm_map *m, const char *name)
{
	size_t edge = m->pub.edges.n - 1;
	struct cv_lm_trouble *t = cv_lm_trouble(m, m->error.kind, true,
						m->pub.edges.v[edge].object == CV_LM_NONE ? m->pub.edges.v[edge].name : name,
						cv_lm_error_text(m, &m->error));

	if (t && m->error.placed) { /* all was found, and one of them does not suit: no request is to blame */
		t->name = m->error.name;
		t->object = m->error.by;
		t->provider = m->error.provider;
	} else if (t) {
		t->edge = edge;
		t->object = m->pub.edges.v[edge].by;
	}
	return 0;
}

static int unfit(struct lm_map *m, size_t i, enum cv_lm_trouble_kind kind, const char *what)
{
	m->error = (struct lm_error){ .kind = kind,
				      .object = m->objs.v[i].name,
				      .what = what,
				      .placed = true,
				      .name = m->objs.v[i].name,
				      .by = i,
				      .provider = CV_LM_NONE };
	return 1;
}

static int check(struct lm_map *m, size_t root)
{
	const struct lm_obj *o = &m->objs.v[root];

	for (size_t k = 0; k < o->scope_n; k++) {
		size_t i = o->scope[k];
		int r = m->objs.v[i].versions_done ? 0 : cv_lm_check_versions(m, i, false);

		if (r != 0)
			return r;
	}
	for (size_t k = 0; k < o->scope_n; k++) {
		size_t i = o->scope[k];

		if (m->objs.v[i].relocated || cv_lm_isa_fits(m, i))
			continue;
		return unfit(m, i, CV_LM_T_ISA_LEVEL, CV_LM_ISA_TEXT);
	}
	return 0;
}

/* What it loads beyond the object itself. 0, 1 (m->error) or <0. */
static int complete(struct lm_map *m, size_t root, const struct before *b)
{
	int r = cv_lm_deps(m, root, NULL, 0, false);

	for (size_t i = b->objects; i < m->objs.n; i++)
		m->objs.v[i].root = root;
	return r != 0 || m->stopped ? r : check(m, root);
}

/*
 * Room for thread-local data at fixed places is laid out when the program starts; 1664 bytes beyond are left for dlopen, and a
 * few more by chance of alignment. Only what cannot fit by any chance is told.
 */
#define TLS_SURPLUS (1664 + 64)
#define DF_STATIC_TLS 0x10

static int take_static_tls(struct lm_map *m, size_t root)
{
	const struct lm_obj *o = &m->objs.v[root];
	uint64_t used = m->tls_used;

	for (size_t k = 0; k < o->scope_n; k++) {
		const struct lm_obj *dep = &m->objs.v[o->scope[k]];
		const struct cv_elf *e = dep->file ? dep->file->elf : NULL;

		if (!e || dep->relocated || !e->has_tls || !(e->df & DF_STATIC_TLS))
			continue;
		if (e->tls_size > TLS_SURPLUS || used + e->tls_size > TLS_SURPLUS)
			return unfit(m, o->scope[k], CV_LM_T_STATIC_TLS, "cannot allocate memory in static TLS block");
		used += e->tls_size;
	}
	m->tls_used = used;
	return 0;
}

/* Binds what is new in the search list, the last first. *ret_fatal: the load ends, troubles are told. */
static int bind(struct lm_map *m, size_t root, unsigned flags, bool *ret_fatal)
{
	const struct lm_obj *o = &m->objs.v[root];
	bool now = flags & CV_LM_NOW || m->sys->opts.bind_now;
	int r = cv_lm_order(m, root);

	*ret_fatal = false;
	if (r < 0)
		return r;
	for (size_t k = o->order_n; k-- > 0 && !*ret_fatal && flags & CV_LM_SYMBOLS;) {
		size_t i = o->order[k];

		r = m->objs.v[i].relocated ? 0 : cv_lm_check_symbols(m, i, now, true, ret_fatal);

		if (r < 0)
			return r;
	}
	for (size_t k = 0; k < o->scope_n && !*ret_fatal; k++)
		m->objs.v[o->scope[k]].relocated = true;
	return 0;
}

/*
 * When the loader takes back what it loaded it counts the objects in its link map, and gives up on itself where one is out of
 * sight: an auxiliary of the program stands in front of it.
 */
static bool miscounts(const struct lm_map *m)
{
	for (size_t i = 0; i < m->objs.n; i++)
		if (i != m->rtld && !m->objs.v[i].in_chain && !m->pub.objects.v[i].unloaded)
			return true;
	return false;
}

/* The process ends with this alone: what was told of the dlopen is never said. */
static void give_up_counting(struct lm_map *m, const char *name, size_t said)
{
	static const char message[] =
		"Inconsistency detected by ld.so: dl-close.c: _dl_close_worker: Assertion `idx == nloaded' failed!";

	m->pub.troubles.n = said;
	cv_lm_trouble(m, m->error.kind, true, name, message);
	m->stopped = true;
}

static int open_new(struct lm_map *m, size_t root, const char *name, unsigned flags, const struct before *b)
{
	size_t said = m->pub.troubles.n;
	bool fatal = false;
	int r = complete(m, root, b);

	if (r == 0 && !m->stopped)
		r = take_static_tls(m, root);
	m->dlopening = true;
	if (r == 0 && !m->stopped)
		r = bind(m, root, flags, &fatal);
	m->dlopening = false;
	if (r < 0)
		return r;
	if (r == 1 || fatal || m->stopped) {
		if (r == 1)
			give_up(m, name);
		if (!m->stopped && miscounts(m))
			give_up_counting(m, name, said);
		m->objs.v[root].scope = m->objs.v[root].order = NULL;
		m->objs.v[root].scope_n = m->objs.v[root].order_n = 0;
		undo(m, b);
		return 0;
	}
	m->objs.v[root].opened = true;
	m->pub.objects.v[root].wanted_by_dlopen |= root >= b->objects;
	return 1;
}

static int dlopen_glibc(struct lm_map *m, size_t by, const char *name, unsigned flags)
{
	struct lm_request q = {
		.name = name, .by = by, .told_by = by, .mode = CV_LM_BY_DLOPEN, .type = LM_LOADED, .loader = CV_LM_NONE
	};
	struct before b;
	size_t root;
	int r = remember(m, &b);

	if (r == 0)
		r = cv_lm_map(m, &q, &root);
	if (r == 1)
		return give_up(m, name);
	if (r < 0 || m->stopped)
		return r;
	r = 1;
	if (root != 0 && root != m->vdso && !m->objs.v[root].opened)
		r = open_new(m, root, name, flags, &b);
	if (r == 1 && flags & CV_LM_GLOBAL && m->objs.v[root].scope && cv_lm_set_global(m, root) < 0)
		return CV_ENOMEM;
	return r;
}

int cv_loadmap_dlopen(struct cv_loadmap *pub, size_t by, const char *name, unsigned flags)
{
	struct lm_map *m = cv_lm_of(pub);
	const char *copy = cv_arena_strdup(m->arena, name);
	int r;

	if (!m->started || by >= m->objs.n || pub->objects.v[by].unloaded)
		return CV_EINVAL;
	if (!m->loader || m->loader->libc == LM_NO_LIBC)
		return cv_diag_fail(m->diag, CV_ENOTSUP, "%s: nothing can be loaded into a program without a loader", m->who);
	if (m->stopped)
		return cv_diag_fail(m->diag, CV_EINVAL, "%s: dlopen(\"%s\"): the program does not start", m->who, name);
	if (m->loader->libc == LM_MUSL)
		r = cv_lm_musl_dlopen(m, by, copy, flags);
	else
		r = dlopen_glibc(m, by, copy, flags);
	return r < 0 ? r : cv_arena_failed(m->arena) || cv_arena_failed(m->sys->arena) ? CV_ENOMEM : r;
}
