/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small worlds for tests of the load map: ELF files with a dynamic section, written into a temporary root.
 *
 *	struct lm_world w;
 *	lm_world_init(&w, "2.36");                 // with a loader of that version
 *	lm_world_put(&w, "/a/libx.so", &(struct lm_elf){ .soname = "libx.so", .needed = { "liby.so" } });
 *	lm_world_open(&w, &(struct cv_lm_system_opts){ .hwcaps_mask = "" });
 *	... cv_loadmap_exec(w.map, "/p") ...
 *	lm_world_done(&w);
 *
 * One loadable segment holds a whole file. Include it after cmocka.h.
 */
#ifndef TESTS_LM_WORLD_H
#define TESTS_LM_WORLD_H

#include "loadmap/loadmap.h"
#include "tmptree.h"

#define LM_INTERP "/lib64/ld-linux-x86-64.so.2"

struct lm_elf_sym {
	const char *name, *version; /* of a reference: one that it needs; of a definition: one that it defines */
	bool defined, weak, data;   /* data: by a data relocation, else the PLT's */
};

/* NULL ends a list. */
struct lm_elf {
	bool program;               /* with an interpreter */
	const char *interp;         /* another one */
	const char *soname, *rpath, *runpath;
	const char *needed[8], *aux[4], *filter[4];
	const char *verdef[4];
	const char *verneed_of;     /* the provider of verneed */
	const char *verneed[4];
	bool verneed_weak;
	struct lm_elf_sym syms[8];
	uint64_t flags1;
	bool now, symbolic;
	uint16_t type, machine, phentsize; /* 0: as usual */
	unsigned char class, osabi;
	uint32_t stack;             /* flags of PT_GNU_STACK; 0: read and write */
	bool no_stack, no_dynamic, no_load;
	uint64_t static_tls;        /* bytes of thread-local data at a fixed place */
	uint32_t isa;               /* x86 ISA bits needed */
	uint32_t kernel[3];         /* of an ABI note */
	const char *tail;           /* bytes at the end, for a loader; with tail_n */
	size_t tail_n;
};

struct lm_image {
	unsigned char p[16384];
	size_t n;
	char str[4096];
	size_t str_n;
	struct {
		uint64_t tag, value;
	} dyn[64];
	size_t dyn_n;
};

static inline size_t lm_put(struct lm_image *im, const void *p, size_t n, size_t align)
{
	size_t at = (im->n + align - 1) / align * align;

	assert_true(at + n <= sizeof(im->p));
	memcpy(im->p + at, p, n);
	im->n = at + n;
	return at;
}

static inline uint64_t lm_str(struct lm_image *im, const char *s)
{
	size_t at = im->str_n, n = strlen(s) + 1;

	assert_true(at + n <= sizeof(im->str));
	memcpy(im->str + at, s, n);
	im->str_n += n;
	return at;
}

static inline void lm_dyn(struct lm_image *im, uint64_t tag, uint64_t value)
{
	assert_true(im->dyn_n < 64);
	im->dyn[im->dyn_n].tag = tag;
	im->dyn[im->dyn_n++].value = value;
}

static inline void lm_names(struct lm_image *im, uint64_t tag, const char *const *v, size_t n)
{
	for (size_t i = 0; i < n && v[i]; i++)
		lm_dyn(im, tag, lm_str(im, v[i]));
}

static inline void lm_w(unsigned char *p, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)(v >> (8 * i));
}

static inline uint16_t lm_version_index(const struct lm_elf *e, const struct lm_elf_sym *s)
{
	uint16_t i = 2;

	for (size_t k = 0; k < 4 && e->verdef[k]; k++, i++)
		if (s->version && s->defined && strcmp(e->verdef[k], s->version) == 0)
			return i;
	for (size_t k = 0; k < 4 && e->verneed[k]; k++, i++)
		if (s->version && !s->defined && strcmp(e->verneed[k], s->version) == 0)
			return i;
	return 1;
}

static inline void lm_versions(struct lm_image *im, const struct lm_elf *e)
{
	unsigned char b[256] = { 0 };
	size_t n = 0, defs = 0, needs = 0;
	uint16_t index = 2;

	while (defs < 4 && e->verdef[defs])
		defs++;
	while (needs < 4 && e->verneed[needs])
		needs++;
	for (size_t i = 0; defs && i <= defs; i++, n += 28) {
		const char *name = i ? e->verdef[i - 1] : e->soname ? e->soname : "self";

		lm_w(b + n, 1, 2);
		lm_w(b + n + 2, i == 0, 2);
		lm_w(b + n + 4, i + 1, 2);
		lm_w(b + n + 6, 1, 2);
		lm_w(b + n + 8, cv_elf_sysv_hash(name), 4);
		lm_w(b + n + 12, 20, 4);
		lm_w(b + n + 16, i < defs ? 28 : 0, 4);
		lm_w(b + n + 20, lm_str(im, name), 4);
		index = (uint16_t)(2 + defs);
	}
	if (n)
		lm_dyn(im, 0x6ffffffc, lm_put(im, b, n, 8));
	if (!needs)
		return;
	memset(b, 0, sizeof(b));
	lm_w(b, 1, 2);
	lm_w(b + 2, needs, 2);
	lm_w(b + 4, lm_str(im, e->verneed_of), 4);
	lm_w(b + 8, 16, 4);
	for (size_t i = 0; i < needs; i++) {
		unsigned char *p = b + 16 + 16 * i;

		lm_w(p, cv_elf_sysv_hash(e->verneed[i]), 4);
		lm_w(p + 4, e->verneed_weak ? 2 : 0, 2);
		lm_w(p + 6, index++, 2);
		lm_w(p + 8, lm_str(im, e->verneed[i]), 4);
		lm_w(p + 12, i + 1 < needs ? 16 : 0, 4);
	}
	lm_dyn(im, 0x6ffffffe, lm_put(im, b, 16 + 16 * needs, 8));
}

/* The symbols with a SysV hash table of one bucket, and a relocation for each that is not defined. */
static inline void lm_symbols(struct lm_image *im, const struct lm_elf *e)
{
	unsigned char sym[24 * 9] = { 0 }, ver[18] = { 0 }, hash[64] = { 0 }, rela[24 * 8], plt[24 * 8];
	size_t n = 1, rela_n = 0, plt_n = 0;

	for (size_t i = 0; i < 8 && e->syms[i].name; i++, n++) {
		const struct lm_elf_sym *s = &e->syms[i];
		unsigned char *p = sym + 24 * n;
		unsigned char *r = s->data ? rela + 24 * rela_n++ : plt + 24 * plt_n++;

		lm_w(p, lm_str(im, s->name), 4);
		p[4] = (unsigned char)((s->weak ? 2 : 1) << 4 | (s->data ? 1 : 2));
		lm_w(p + 6, s->defined, 2);
		lm_w(p + 8, s->defined ? 64 : 0, 8);
		lm_w(ver + 2 * n, lm_version_index(e, s), 2);
		lm_w(r, 64, 8);
		lm_w(r + 8, (uint64_t)n << 32 | (s->data ? 6 : 7), 8);
		lm_w(r + 16, 0, 8);
		if (s->defined)
			s->data ? rela_n-- : plt_n--;
	}
	lm_dyn(im, 6, lm_put(im, sym, 24 * n, 8));
	lm_dyn(im, 11, 24);
	lm_w(hash, 1, 4);
	lm_w(hash + 4, n, 4);
	lm_w(hash + 8, n - 1, 4);
	for (size_t i = 1; i < n; i++)
		lm_w(hash + 12 + 4 * i, i - 1, 4);
	lm_dyn(im, 4, lm_put(im, hash, 12 + 4 * n, 8));
	if (e->verdef[0] || e->verneed[0])
		lm_dyn(im, 0x6ffffff0, lm_put(im, ver, 2 * n, 8));
	if (rela_n) {
		lm_dyn(im, 7, lm_put(im, rela, 24 * rela_n, 8));
		lm_dyn(im, 8, 24 * rela_n);
	}
	if (plt_n) {
		lm_dyn(im, 23, lm_put(im, plt, 24 * plt_n, 8));
		lm_dyn(im, 2, 24 * plt_n);
		lm_dyn(im, 20, 7);
	}
}

static inline void lm_phdr(struct lm_image *im, size_t i, uint32_t type, uint32_t flags, uint64_t off, uint64_t size,
			   uint64_t align)
{
	unsigned char *p = im->p + 64 + 56 * i;

	lm_w(p, type, 4);
	lm_w(p + 4, flags, 4);
	lm_w(p + 8, off, 8);
	lm_w(p + 16, off, 8);
	lm_w(p + 24, off, 8);
	lm_w(p + 32, size, 8);
	lm_w(p + 40, size, 8);
	lm_w(p + 48, align, 8);
}

static inline size_t lm_notes(struct lm_image *im, const struct lm_elf *e, size_t ph)
{
	unsigned char b[32] = { 4, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 'G', 'N', 'U', 0 };

	if (e->isa) {
		b[8] = 5;
		lm_w(b + 16, 0xc0008002, 4);
		lm_w(b + 20, 4, 4);
		lm_w(b + 24, e->isa, 4);
		lm_phdr(im, ph++, 4, 4, lm_put(im, b, 32, 8), 32, 8);
	}
	if (e->kernel[0]) {
		b[8] = 1;
		lm_w(b + 16, 0, 4);
		for (size_t i = 0; i < 3; i++)
			lm_w(b + 20 + 4 * i, e->kernel[i], 4);
		lm_phdr(im, ph++, 4, 4, lm_put(im, b, 32, 4), 32, 4);
	}
	return ph;
}

static inline void lm_dynamic(struct lm_image *im, const struct lm_elf *e)
{
	lm_names(im, 0x7ffffffd, e->aux, 4);
	lm_names(im, 0x7fffffff, e->filter, 4);
	lm_names(im, 1, e->needed, 8);
	if (e->soname)
		lm_dyn(im, 14, lm_str(im, e->soname));
	if (e->rpath)
		lm_dyn(im, 15, lm_str(im, e->rpath));
	if (e->runpath)
		lm_dyn(im, 29, lm_str(im, e->runpath));
	if (e->flags1)
		lm_dyn(im, 0x6ffffffb, e->flags1);
	if (e->static_tls)
		lm_dyn(im, 30, 0x10);
	if (e->now)
		lm_dyn(im, 24, 0);
	if (e->symbolic)
		lm_dyn(im, 16, 0);
	lm_versions(im, e);
	lm_symbols(im, e);
	lm_dyn(im, 5, lm_put(im, im->str, im->str_n, 1));
	lm_dyn(im, 10, im->str_n);
	lm_dyn(im, 0, 0);
}

static inline void lm_build(struct lm_image *im, const struct lm_elf *e)
{
	const char *interp = e->interp ? e->interp : LM_INTERP;
	unsigned char table[64 * 16];
	size_t ph = 0;

	memset(im, 0, sizeof(*im));
	im->n = 64 + 56 * 8;
	im->str_n = 1;
	if (e->program)
		lm_phdr(im, ph++, 3, 4, lm_put(im, interp, strlen(interp) + 1, 1), strlen(interp) + 1, 1);
	ph = lm_notes(im, e, ph);
	lm_dynamic(im, e);
	for (size_t i = 0; i < im->dyn_n; i++) {
		lm_w(table + 16 * i, im->dyn[i].tag, 8);
		lm_w(table + 16 * i + 8, im->dyn[i].value, 8);
	}
	lm_phdr(im, ph++, e->no_dynamic ? 0 : 2, 6, lm_put(im, table, 16 * im->dyn_n, 16), 16 * im->dyn_n, 8);
	if (e->tail)
		lm_put(im, e->tail, e->tail_n, 1);
	if (e->static_tls) {
		lm_phdr(im, ph, 7, 4, 64, 0, 16);
		lm_w(im->p + 64 + 56 * ph++ + 40, e->static_tls, 8);
	}
	if (!e->no_stack)
		lm_phdr(im, ph++, 0x6474e551, e->stack ? e->stack : 6, 0, 0, 16);
	lm_phdr(im, ph++, e->no_load ? 0 : 1, 7, 0, im->n, 4096);
	memcpy(im->p, "\177ELF\2\1\1", 7);
	im->p[4] = e->class ? e->class : 2;
	im->p[7] = e->osabi;
	lm_w(im->p + 16, e->type ? e->type : 3, 2);
	lm_w(im->p + 18, e->machine ? e->machine : 62, 2);
	lm_w(im->p + 20, 1, 4);
	lm_w(im->p + 32, 64, 8);
	lm_w(im->p + 52, 64, 2);
	lm_w(im->p + 54, e->phentsize ? e->phentsize : 56, 2);
	lm_w(im->p + 56, ph, 2);
}

struct lm_world {
	struct tmptree t;
	struct cv_arena *arena;
	struct cv_diag diag;
	struct cv_view *view;
	struct cv_lm_system *sys;
	struct cv_loadmap *map;
};

static inline void lm_world_put(struct lm_world *w, const char *path, const struct lm_elf *e)
{
	struct lm_image *im = malloc(sizeof(*im));

	assert_non_null(im);
	lm_build(im, e);
	tmptree_bytes(&w->t, path, im->p, im->n);
	free(im);
}

/* Debian's directories; version NULL: no loader. */
static inline void lm_world_init(struct lm_world *w, const char *version)
{
	char tail[256];
	int n;

	memset(w, 0, sizeof(*w));
	tmptree_init(&w->t);
	w->arena = cv_arena_new((size_t)256 << 20);
	cv_diag_init(&w->diag, w->arena);
	if (!version)
		return;
	n = snprintf(
		tail, sizeof(tail),
		"ld.so (test) stable release version %s.%c/lib/x86_64-linux-gnu/%c/usr/lib/x86_64-linux-gnu/%c/lib/%c/usr/lib/%c"
		"lib/x86_64-linux-gnu%c",
		version, 0, 0, 0, 0, 0, 0);
	lm_world_put(w, LM_INTERP, &(struct lm_elf){ .soname = "ld-linux-x86-64.so.2", .tail = tail, .tail_n = (size_t)n });
}

static inline void lm_world_open(struct lm_world *w, const struct cv_lm_system_opts *opts)
{
	assert_int_equal(cv_view_tree_new(w->t.dir, &w->diag, &w->view), 0);
	assert_int_equal(cv_lm_system_new(w->view, opts, w->arena, &w->diag, &w->sys), 0);
	assert_int_equal(cv_loadmap_new(w->sys, w->arena, &w->diag, &w->map), 0);
}

static inline void lm_world_done(struct lm_world *w)
{
	cv_lm_system_free(w->sys);
	cv_view_free(w->view);
	cv_arena_free(w->arena);
	tmptree_done(&w->t);
}

/* The edge of the first request for a name. */
static inline const struct cv_lm_edge *edge_of(const struct lm_world *w, const char *name)
{
	for (size_t i = 0; i < w->map->edges.n; i++)
		if (cv_streq(w->map->edges.v[i].name, name))
			return &w->map->edges.v[i];
	fail_msg("nobody asked for %s", name);
	return NULL;
}

static inline void assert_taken(const struct lm_world *w, const char *name, enum cv_lm_step step, const char *path)
{
	const struct cv_lm_edge *e = edge_of(w, name);

	assert_string_equal(cv_lm_step_name(e->step), cv_lm_step_name(step));
	if (path)
		assert_string_equal(w->map->objects.v[e->object].path, path);
	else
		assert_int_equal(e->object, CV_LM_NONE);
}

static inline void assert_trouble(const struct lm_world *w, size_t i, enum cv_lm_trouble_kind kind, bool fatal, const char *message)
{
	assert_true(i < w->map->troubles.n);
	assert_string_equal(w->map->troubles.v[i].message, message);
	assert_int_equal(w->map->troubles.v[i].kind, kind);
	assert_int_equal(w->map->troubles.v[i].fatal, fatal);
}

#endif
