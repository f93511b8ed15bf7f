/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Undefined symbols, as the loader meets them when it relocates (elf/dl-reloc.c, elf/dl-lookup.c).
 *
 * Each symbol that a relocation names and that does not bind to its own object is looked up in the object itself (DT_SYMBOLIC),
 * the global scope and the search list of the dlopen that brought it in. Data is bound at once, functions of the PLT at once
 * only where that is asked for (BIND_NOW, RTLD_NOW), else when they are called. Nobody minds a weak one that is not found.
 * Before 2.31 the provider that a version names must have the symbol; since then it may have moved to another object.
 */
#include "loadmap/lm.h"

#include "base/demangle.h"
#include "loadmap/symtab.h"

#define CHUNK 512 /* relocations read at a time */
#define SPELLED_MAX ((size_t)32 << 20) /* bytes of demangled names of one map: a hostile symbol can mean a long one */

enum { SEEN_DATA = 1, SEEN_PLT = 2, SEEN_COPY = 4, TOLD = 8, TOLD_FATAL = 16 };

struct check {
	struct lm_map *m;
	size_t by;
	struct lm_symtab *t;
	unsigned char *seen; /* per symbol */
	bool now, first_only, fatal;
	unsigned problems;   /* how many symbols */
};

/* What the machine's relocation type means for a look-up. */
enum reloc_class { RELOC_NONE, RELOC_DATA, RELOC_PLT, RELOC_COPY };

static const struct {
	uint16_t machine;
	uint32_t none, copy, jump_slot, relative;
} reloc_types[] = {
	{ CV_EM_X86_64, 0, 5, 7, 8 }, { CV_EM_386, 0, 5, 7, 8 },       { CV_EM_AARCH64, 0, 1024, 1026, 1027 },
	{ CV_EM_ARM, 0, 20, 22, 23 }, { CV_EM_PPC64, 0, 19, 21, 22 },  { CV_EM_S390, 0, 9, 11, 12 },
	{ CV_EM_RISCV, 0, 4, 5, 3 },  { CV_EM_LOONGARCH, 0, 4, 5, 3 },
};

static enum reloc_class class_of(const struct cv_elf *e, uint32_t type)
{
	for (size_t i = 0; i < sizeof(reloc_types) / sizeof(reloc_types[0]); i++) {
		if (reloc_types[i].machine != e->machine)
			continue;
		if (type == reloc_types[i].none || type == reloc_types[i].relative)
			return RELOC_NONE;
		if (type == reloc_types[i].copy)
			return RELOC_COPY;
		return type == reloc_types[i].jump_slot ? RELOC_PLT : RELOC_DATA;
	}
	return RELOC_DATA;
}

struct outcome {
	enum lm_found found;
	size_t at; /* the object that decided */
	bool end;  /* the provider that was named does not have it */
};

/* Is the object the provider that the version was needed of? */
static bool is_named(const struct lm_map *m, size_t obj, const struct lm_version *v)
{
	return v->file && cv_lm_name_matches(m, obj, v->file, cv_lm_hash(v->file));
}

/* do_lookup_x over one object; true: the search is over. */
static int look_in(struct check *c, size_t obj, const struct lm_lookup *l, bool copy, struct outcome *o)
{
	struct lm_map *m = c->m;
	struct lm_file *f = m->objs.v[obj].file;
	struct lm_symtab *t;
	int r;

	if (!f || (copy && m->objs.v[obj].type == LM_EXECUTABLE))
		return 0;
	r = cv_lm_symtab(m->sys, f, &t);
	if (r < 0)
		return r;
	if (t->bucket_n == 0)
		return 0;
	o->found = cv_lm_symtab_find(t, l);
	o->at = obj;
	if (o->found == LM_NO_VERSYM) {
		/* Until 2.40 the loader gives up on itself if this is the provider that is named. */
		if (m->loader->minor >= 41 || !is_named(m, obj, l->version))
			o->found = LM_FOUND;
		return 1;
	}
	if (o->found == LM_FOUND)
		return 1;
	o->end = m->loader->minor < 31 && o->found == LM_NOT_FOUND && l->version && is_named(m, obj, l->version);
	return o->end;
}

static int look_in_list(struct check *c, const size_t *v, size_t n, const struct lm_lookup *l, bool copy, struct outcome *o)
{
	for (size_t i = 0; i < n; i++) {
		int r = look_in(c, v[i], l, copy, o);

		if (r != 0)
			return r;
	}
	return 0;
}

static int look_up(struct check *c, const struct lm_lookup *l, bool copy, struct outcome *o)
{
	struct lm_map *m = c->m;
	const struct lm_obj *by = &m->objs.v[c->by];
	int r = 0;

	*o = (struct outcome){ .found = LM_NOT_FOUND, .at = CV_LM_NONE };
	if (by->file->elf->symbolic && c->by != 0)
		r = look_in(c, c->by, l, copy, o);
	if (r == 0)
		r = look_in_list(c, m->pub.scope.v, m->pub.scope.n, l, copy, o);
	if (r == 0 && by->root != CV_LM_NONE && m->objs.v[by->root].scope)
		r = look_in_list(c, m->objs.v[by->root].scope, m->objs.v[by->root].scope_n, l, copy, o);
	return r < 0 ? r : 0;
}

static const char *name_of(const struct lm_map *m, size_t i)
{
	return m->objs.v[i].name[0] ? m->objs.v[i].name : m->who;
}

/* One trouble per symbol; a function that was told as harmless becomes fatal where data names it too. */
static int report(struct check *c, const struct lm_lookup *l, const struct outcome *o, bool fatal)
{
	struct lm_map *m = c->m;
	const char *who = name_of(m, c->by);
	const char *start = m->dlopening ? "" : o->end ? "relocation error: " : "symbol lookup error: ";
	struct cv_lm_trouble *t;
	const char *message;

	if (o->found == LM_NO_VERSYM)
		message = "Inconsistency detected by ld.so: dl-lookup.c: check_match: Assertion `version->filename == NULL || ! "
			  "_dl_name_match_p (version->filename, map)' failed!";
	else if (o->end)
		message =
			cv_arena_printf(m->arena, "%s%s: symbol %s version %s not defined in file %s with link time reference",
					start, who, l->name, l->version->name, l->version->file);
	else
		message = cv_arena_printf(m->arena, "%s%s: undefined symbol: %s%s%s", start, who, l->name,
					  l->version ? ", version " : "", l->version ? l->version->name : "");
	t = cv_lm_trouble(m, CV_LM_T_UNDEFINED, fatal, cv_arena_strdup(m->arena, l->name), message);
	if (!t)
		return cv_lm_limit(m, "too many undefined symbols");
	if (m->spelled < SPELLED_MAX)
		t->demangled = cv_demangle(m->arena, l->name);
	m->spelled += t->demangled ? strlen(t->demangled) : 0;
	t->object = c->by;
	t->provider = o->end || o->found == LM_NO_VERSYM ? o->at : CV_LM_NONE;
	c->fatal |= fatal;
	c->problems++;
	return 0;
}

static int check_one(struct check *c, uint32_t index, enum reloc_class class, bool fatal)
{
	unsigned char *seen = &c->seen[index];
	unsigned char bit = class == RELOC_PLT ? SEEN_PLT : class == RELOC_COPY ? SEEN_COPY : SEEN_DATA;
	struct lm_symbol s;
	struct lm_lookup l;
	struct outcome o;
	int r;

	if (*seen & bit || *seen & TOLD_FATAL || (*seen & TOLD && !fatal))
		return 0;
	*seen |= bit;
	if (!cv_lm_symbol_at(c->t, index, &s) || s.bind == CV_STB_LOCAL || s.visibility == 1 || s.visibility == 2)
		return 0;
	cv_lm_lookup_init(&l, s.name, cv_lm_symbol_version(c->t, index));
	l.plt = class == RELOC_PLT;
	r = look_up(c, &l, class == RELOC_COPY, &o);
	if (r < 0 || o.found == LM_FOUND)
		return r;
	if (s.bind == CV_STB_WEAK && !o.end && o.found != LM_NO_VERSYM)
		return 0;
	*seen |= fatal ? TOLD | TOLD_FATAL : TOLD;
	return report(c, &l, &o, fatal);
}

struct reloc_table {
	uint64_t addr, size;
	bool rela, plt;
};

static int check_table(struct check *c, const struct reloc_table *tab)
{
	struct cv_elf *e = c->m->objs.v[c->by].file->elf;
	size_t entry = (e->is64 ? 16 : 8) + (tab->rela ? (e->is64 ? 8u : 4u) : 0);
	uint64_t off, room, n;
	unsigned char buf[CHUNK * 24];

	if (!tab->addr || !cv_elf_offset_of(e, tab->addr, &off, &room))
		return 0;
	n = (tab->size < room ? tab->size : room) / entry;
	for (uint64_t i = 0; i < n && !(c->first_only && c->fatal) && !c->m->stopped; i += CHUNK) {
		size_t k = n - i < CHUNK ? (size_t)(n - i) : CHUNK;
		int r = cv_elf_read(e, off + i * entry, buf, k * entry);

		for (size_t j = 0; r == 0 && j < k && !(c->first_only && c->fatal); j++) {
			const unsigned char *p = buf + j * entry;
			uint64_t info = e->is64 ? cv_elf_u64(e, p + 8) : cv_elf_u32(e, p + 4);
			uint32_t sym = (uint32_t)(info >> (e->is64 ? 32 : 8));
			enum reloc_class class = class_of(e, (uint32_t)(e->is64 ? info & 0xffffffff : info & 0xff));
			bool lazy = tab->plt && class == RELOC_PLT && !c->now;

			if (sym && sym < c->t->sym_n && class != RELOC_NONE)
				r = check_one(c, sym, class, !lazy);
		}
		if (r < 0)
			return r == CV_EFORMAT ? 0 : r;
	}
	return 0;
}

/* Some linkers count the PLT's relocations, at the end, among the others. */
static uint64_t without_plt(const struct cv_elf_tables *at, uint64_t addr, uint64_t size)
{
	return at->jmprel && at->jmprel_size <= size && addr + size == at->jmprel + at->jmprel_size ? size - at->jmprel_size
												    : size;
}

int cv_lm_check_symbols(struct lm_map *m, size_t i, bool now, bool first_only, bool *ret_fatal)
{
	struct lm_file *f = m->objs.v[i].file;
	struct check c = { .m = m, .by = i, .first_only = first_only };
	const struct cv_elf_tables *at;
	int r;

	if (!f || i == m->rtld)
		return 0;
	r = cv_lm_symtab(m->sys, f, &c.t);
	if (r < 0 || !c.t->usable)
		return r;
	c.now = now || f->elf->bind_now;
	c.seen = cv_arena_alloc(m->sys->tables, c.t->sym_n);
	if (!c.seen)
		return CV_ENOMEM;
	at = &f->elf->at;
	r = check_table(&c, &(struct reloc_table){ at->rel, without_plt(at, at->rel, at->rel_size), false, false });
	if (r == 0)
		r = check_table(&c, &(struct reloc_table){ at->rela, without_plt(at, at->rela, at->rela_size), true, false });
	if (r == 0)
		r = check_table(&c, &(struct reloc_table){ at->jmprel, at->jmprel_size, at->jmprel_is_rela, true });
	if (c.fatal && ret_fatal)
		*ret_fatal = true;
	return r;
}

int cv_loadmap_symbols(struct cv_loadmap *pub)
{
	struct lm_map *m = cv_lm_of(pub);
	bool now = m->sys->opts.bind_now;
	unsigned char *done;
	size_t libc;
	int r;

	if (!m->started)
		return CV_EINVAL;
	if (!m->loader || m->stopped)
		return 0;
	done = cv_arena_alloc(m->arena, m->objs.n);
	r = done && !m->objs.v[0].order && m->objs.v[0].scope ? cv_lm_order(m, 0) : done ? 0 : CV_ENOMEM;
	libc = cv_lm_libc(m);
	if (r == 0 && libc != CV_LM_NONE) {
		done[libc] = 1;
		r = cv_lm_check_symbols(m, libc, now, false, NULL);
	}
	for (size_t k = m->objs.v[0].order_n; r == 0 && k-- > 0;) {
		size_t i = m->objs.v[0].order[k];

		r = done[i] ? 0 : cv_lm_check_symbols(m, i, now, false, NULL);
		done[i] = 1;
	}
	/* Then what dlopen brought, and for musl all. */
	for (size_t i = m->objs.n; r == 0 && i-- > 0;)
		r = done[i] || pub->objects.v[i].unloaded ? 0 : cv_lm_check_symbols(m, i, now, false, NULL);
	if (r == 0)
		r = cv_lm_abi_tells(m);
	return r < 0 ? r : cv_arena_failed(m->arena) ? CV_ENOMEM : 0;
}
