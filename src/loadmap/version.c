/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of versions (elf/dl-version.c): each version that an object needs of another must be defined there. A provider
 * without any definitions only gets a warning, a weak need too. The provider is looked up by the names under which objects are
 * known.
 */
#include "loadmap/lm.h"

/* Where the first missing one of that name stands in the link map. */
static size_t missing_at(const struct lm_map *m, const char *file)
{
	for (size_t k = 0; k < m->faked.n; k++)
		if (cv_streq(m->faked.v[k].name, file))
			return m->faked.v[k].at;
	return CV_LM_NONE;
}

/* *ret_missing: it is one of those that were not found. */
static size_t provider(const struct lm_map *m, size_t i, const char *file, bool *ret_missing)
{
	const struct lm_obj *o = &m->objs.v[i];
	uint32_t hash = cv_lm_hash(file);
	size_t missing = missing_at(m, file);

	*ret_missing = missing != CV_LM_NONE;
	for (size_t k = 0; k < m->pub.chain.n; k++) {
		size_t obj = m->pub.chain.v[k];

		if (!cv_lm_name_matches(m, obj, file, hash))
			continue;
		*ret_missing = missing <= obj;
		return *ret_missing ? CV_LM_NONE : obj;
	}
	for (size_t k = 0; k < o->scope_n && !*ret_missing; k++)
		if (cv_lm_name_matches(m, o->scope[k], file, hash))
			return o->scope[k];
	return CV_LM_NONE;
}

static const char *name_of(const struct lm_map *m, size_t i)
{
	return m->objs.v[i].name[0] ? m->objs.v[i].name : m->who;
}

struct need {
	size_t by, provider;
	const struct cv_elf_vernaux *v;
	bool verbose;
};

/* Tells what is wrong; 1 if that ends a dlopen. */
static int report(struct lm_map *m, const struct need *n, bool fatal, const char *what)
{
	struct cv_lm_trouble *t;
	const char *object = name_of(m, n->provider);

	if (!n->verbose) {
		m->error = (struct lm_error){ .kind = CV_LM_T_NO_VERSION,
					      .object = object,
					      .what = what,
					      .placed = true,
					      .name = n->v->name,
					      .by = n->by,
					      .provider = n->provider };
		return 1;
	}
	t = cv_lm_trouble(m, CV_LM_T_NO_VERSION, fatal, n->v->name, cv_arena_printf(m->arena, "%s: %s", object, what));
	if (t) {
		t->object = n->by;
		t->provider = n->provider;
	}
	return 0;
}

static int match(struct lm_map *m, const struct need *n)
{
	struct lm_file *f = m->objs.v[n->provider].file;
	const char *by = name_of(m, n->by);
	const struct cv_elf_verdef *defs;
	size_t def_n;
	int r;

	if (!f)
		return 0; /* the kernel's own has what is asked of it */
	if (!f->elf->at.verdef)
		return n->verbose ? report(m, n, false,
					   cv_arena_printf(m->arena, "no version information available (required by %s)", by))
				  : 0;
	r = cv_elf_verdefs(f->elf, &defs, &def_n);
	if (r < 0)
		return r == CV_ENOMEM ? r : 0;
	for (size_t i = 0; i < def_n; i++)
		if (defs[i].hash == n->v->hash && cv_streq(defs[i].name, n->v->name))
			return 0;
	if (!n->v->weak)
		return report(m, n, true, cv_arena_printf(m->arena, "version `%s' not found (required by %s)", n->v->name, by));
	return n->verbose ? report(m, n, false,
				   cv_arena_printf(m->arena, "weak version `%s' not found (required by %s)", n->v->name, by))
			  : 0;
}

/* The loader takes it for granted that what has versions was asked for too; where not, it gives up on itself. */
static int unasked(struct lm_map *m, size_t i, const char *file)
{
	const char *message =
		"Inconsistency detected by ld.so: dl-version.c: _dl_check_map_versions: Assertion `needed != NULL' failed!";
	struct cv_lm_trouble *t = cv_lm_trouble(m, CV_LM_T_NO_VERSION, true, file, message);

	if (t)
		t->object = i;
	m->stopped = true;
	return 0;
}

/* From 2.36: an object with packed relative relocations must ask its C library for that; else the load ends there. */
static int check_relr(struct lm_map *m, size_t i, bool verbose, bool asked)
{
	static const char what[] = "DT_RELR without GLIBC_ABI_DT_RELR dependency";
	const struct cv_elf *e = m->objs.v[i].file->elf;
	struct cv_lm_trouble *t;
	bool libc = false;

	for (size_t k = 0; k < e->needed.n; k++)
		libc |= cv_starts(e->needed.v[k], "libc.so.");
	if (m->loader->minor < 36 || !e->at.relr || !e->at.verneed || asked || !libc)
		return 0;
	m->error = (struct lm_error){ .kind = CV_LM_T_NO_VERSION,
				      .object = name_of(m, i),
				      .what = what,
				      .placed = true,
				      .name = "GLIBC_ABI_DT_RELR",
				      .by = i,
				      .provider = CV_LM_NONE };
	if (!verbose)
		return 1;
	t = cv_lm_trouble(m, CV_LM_T_NO_VERSION, true, "GLIBC_ABI_DT_RELR",
			  cv_arena_printf(m->arena, "error while loading shared libraries: %s: %s", name_of(m, i), what));
	if (t)
		t->object = i;
	m->stopped = true;
	return 0;
}

/* One need. *ret_relr: packed relocations are asked for. */
static int check_need(struct lm_map *m, size_t i, const struct cv_elf_verneed *v, const struct lm_file **fits, bool verbose,
		      bool *ret_relr)
{
	size_t before = m->pub.troubles.n;
	bool missing;
	struct need need = { .by = i, .verbose = verbose, .provider = provider(m, i, v->file, &missing) };
	const struct lm_file *f = need.provider == CV_LM_NONE ? NULL : m->objs.v[need.provider].file;
	bool known = f && *fits == f;

	if (need.provider == CV_LM_NONE && !missing)
		return unasked(m, i, v->file);
	for (size_t j = 0; j < v->n && !missing; j++) {
		int r = 0;

		need.v = &v->v[j];
		*ret_relr |= cv_streq(need.v->name, "GLIBC_ABI_DT_RELR");
		if (!known)
			r = match(m, &need);
		if (r != 0)
			return r;
	}
	/* What was found to fit without a word, all of it looked at, need not be compared again in the next map. */
	if (!missing && verbose && f && f->elf->at.verdef && m->pub.troubles.n == before)
		*fits = f;
	return 0;
}

int cv_lm_check_versions(struct lm_map *m, size_t i, bool verbose)
{
	struct lm_file *f = m->objs.v[i].file;
	const struct cv_elf_verneed *needs;
	bool relr = false;
	size_t n;
	int r;

	m->objs.v[i].versions_done = true;
	if (!f || !f->elf->at.strtab)
		return 0;
	r = cv_elf_verneeds(f->elf, &needs, &n);
	if (r < 0)
		return r == CV_ENOMEM ? r : 0;
	if (!f->fits) {
		f->fits = CV_NEW_ARRAY(m->sys->arena, const struct lm_file *, n);
		if (!f->fits)
			return CV_ENOMEM;
	}
	for (size_t k = 0; k < n && !m->stopped; k++) {
		r = check_need(m, i, &needs[k], &f->fits[k], verbose, &relr);
		if (r != 0)
			return r;
	}
	return check_relr(m, i, verbose, relr);
}
