/* SPDX-License-Identifier: Apache-2.0 */
#include "loadmap/symtab.h"

#include "base/bytes.h"
#include "base/num.h"

#define SYMBOLS_MAX CV_ELF_SYMS_MAX
#define VERSIONS_MAX 32768
#define STRINGS_MAX ((size_t)256 << 20)

static uint16_t u16(const struct lm_symtab *t, const unsigned char *p)
{
	return t->e->big_endian ? cv_be16(p) : cv_le16(p);
}

static uint32_t u32(const struct lm_symtab *t, const unsigned char *p)
{
	return t->e->big_endian ? cv_be32(p) : cv_le32(p);
}

static uint64_t word(const struct lm_symtab *t, const unsigned char *p)
{
	if (!t->e->is64)
		return u32(t, p);
	return t->e->big_endian ? cv_be64(p) : cv_le64(p);
}

static size_t sym_size(const struct lm_symtab *t)
{
	return t->e->is64 ? 24 : 16;
}

/* n bytes at an address of the file; CV_EFORMAT if it has fewer there. */
static int fetch(struct cv_lm_system *sys, struct cv_elf *e, uint64_t addr, uint64_t n, const unsigned char **ret)
{
	uint64_t off, room;
	char *p;
	int r;

	if (!cv_elf_offset_of(e, addr, &off, &room) || n > room)
		return CV_EFORMAT;
	p = cv_arena_alloc(sys->tables, (size_t)n + 1);
	if (!p)
		return CV_ENOMEM;
	r = cv_elf_read(e, off, p, (size_t)n);
	if (r == 0)
		*ret = (const unsigned char *)p;
	return r;
}

static int load_symbols(struct cv_lm_system *sys, struct cv_elf *e, struct lm_symtab *t)
{
	uint64_t off, room, n;
	uint32_t count = 0;
	const unsigned char *p;
	int r = cv_elf_sym_count(e, &count);

	if (r < 0 && r != CV_ENOENT)
		return r;
	if (!cv_elf_offset_of(e, e->at.symtab, &off, &room))
		return CV_EFORMAT;
	n = room / sym_size(t);
	if (r == CV_ENOENT) { /* a table without definitions need not tell: as many as there may be */
		if (e->at.strtab > e->at.symtab && (e->at.strtab - e->at.symtab) / sym_size(t) < n)
			n = (e->at.strtab - e->at.symtab) / sym_size(t);
		count = n < SYMBOLS_MAX ? (uint32_t)n : SYMBOLS_MAX;
	}
	t->sym_n = count < n ? count : (uint32_t)n;
	r = fetch(sys, e, e->at.symtab, t->sym_n * sym_size(t), &t->sym);
	if (r < 0)
		return r;
	if (!cv_elf_offset_of(e, e->at.strtab, &off, &room))
		return CV_EFORMAT;
	n = e->at.strtab_size && e->at.strtab_size < room ? e->at.strtab_size : room;
	if (n > STRINGS_MAX)
		return CV_EFORMAT;
	r = fetch(sys, e, e->at.strtab, n, &p);
	t->str = (const char *)p;
	t->str_n = (size_t)n;
	if (r == 0 && e->at.versym) {
		r = fetch(sys, e, e->at.versym, (uint64_t)t->sym_n * 2, &t->versym);
		t->versym_n = r == 0 ? t->sym_n : 0;
	}
	return r;
}

static int load_gnu_hash(struct cv_lm_system *sys, struct cv_elf *e, struct lm_symtab *t)
{
	uint64_t off, room, fixed;
	size_t w = e->is64 ? 8 : 4;
	const unsigned char *p;
	int r = fetch(sys, e, e->at.gnu_hash, 16, &p);

	if (r < 0)
		return r;
	t->bucket_n = u32(t, p);
	t->first = u32(t, p + 4);
	t->bloom_n = u32(t, p + 8);
	t->shift = u32(t, p + 12);
	if (t->bucket_n > SYMBOLS_MAX || t->bloom_n > SYMBOLS_MAX || t->bloom_n == 0 || (t->bloom_n & (t->bloom_n - 1)) ||
	    t->shift > 63 || !cv_elf_offset_of(e, e->at.gnu_hash, &off, &room))
		return CV_EFORMAT;
	fixed = 16 + (uint64_t)t->bloom_n * w + (uint64_t)t->bucket_n * 4;
	if (fixed > room)
		return CV_EFORMAT;
	t->chain_n = t->sym_n > t->first ? t->sym_n - t->first : 0;
	if (t->chain_n > (room - fixed) / 4)
		t->chain_n = (uint32_t)((room - fixed) / 4);
	r = fetch(sys, e, e->at.gnu_hash, fixed + (uint64_t)t->chain_n * 4, &p);
	if (r < 0)
		return r;
	t->gnu = true;
	t->bloom = p + 16;
	t->buckets = t->bloom + t->bloom_n * w;
	t->chains = t->buckets + (size_t)t->bucket_n * 4;
	return 0;
}

static int load_sysv_hash(struct cv_lm_system *sys, struct cv_elf *e, struct lm_symtab *t)
{
	const unsigned char *p;
	int r = fetch(sys, e, e->at.hash, 8, &p);

	if (r < 0)
		return r;
	t->bucket_n = u32(t, p);
	t->chain_n = u32(t, p + 4);
	if (t->bucket_n > SYMBOLS_MAX || t->chain_n > SYMBOLS_MAX)
		return CV_EFORMAT;
	r = fetch(sys, e, e->at.hash, 8 + ((uint64_t)t->bucket_n + t->chain_n) * 4, &p);
	if (r < 0)
		return r;
	t->buckets = p + 8;
	t->chains = t->buckets + (size_t)t->bucket_n * 4;
	return 0;
}

static void set_version(struct lm_symtab *t, uint32_t i, const char *name, uint32_t hash, const char *file)
{
	if (i < t->version_n)
		t->versions[i] = (struct lm_version){ .name = name, .hash = hash, .file = file };
}

static int load_versions(struct cv_lm_system *sys, struct cv_elf *e, struct lm_symtab *t)
{
	const struct cv_elf_verdef *defs;
	const struct cv_elf_verneed *needs;
	size_t def_n, need_n;
	uint32_t high = 0;
	int r = cv_elf_verdefs(e, &defs, &def_n);

	if (r == 0)
		r = cv_elf_verneeds(e, &needs, &need_n);
	if (r < 0)
		return r;
	for (size_t i = 0; i < def_n; i++)
		high = defs[i].index > high ? defs[i].index : high;
	for (size_t i = 0; i < need_n; i++)
		for (size_t k = 0; k < needs[i].n; k++)
			high = needs[i].v[k].index > high ? needs[i].v[k].index : high;
	t->version_n = high + 1;
	t->versions = CV_NEW_ARRAY(sys->tables, struct lm_version, t->version_n);
	if (!t->versions)
		return CV_ENOMEM;
	for (uint32_t i = 0; i < t->version_n; i++)
		t->versions[i].name = "";
	for (size_t i = 0; i < need_n; i++)
		for (size_t k = 0; k < needs[i].n; k++)
			set_version(t, needs[i].v[k].index, needs[i].v[k].name, needs[i].v[k].hash, needs[i].file);
	for (size_t i = 0; i < def_n; i++)
		if (!defs[i].base)
			set_version(t, defs[i].index, defs[i].name, defs[i].hash, NULL);
	return 0;
}

static int load_all(struct cv_lm_system *sys, struct cv_elf *e, struct lm_symtab *t)
{
	int r;

	if (!e->at.symtab || !e->at.strtab)
		return CV_EFORMAT;
	r = load_symbols(sys, e, t);
	if (r == 0)
		r = load_versions(sys, e, t);
	if (r == 0 && e->at.gnu_hash)
		r = load_gnu_hash(sys, e, t);
	else if (r == 0 && e->at.hash)
		r = load_sysv_hash(sys, e, t);
	return r;
}

int cv_lm_symtab(struct cv_lm_system *sys, struct lm_file *f, struct lm_symtab **ret)
{
	struct lm_symtab *t = f->symtab;
	int r;

	if (!t) {
		t = CV_NEW(sys->tables, struct lm_symtab);
		if (!t)
			return CV_ENOMEM;
		t->e = f->elf;
		r = load_all(sys, f->elf, t);
		if (r < 0 && r != CV_EFORMAT && r != CV_ELIMIT)
			return r;
		t->usable = r == 0 && t->sym_n > 0;
		if (!t->usable)
			t->bucket_n = 0;
		f->symtab = t;
	}
	*ret = t;
	return 0;
}

bool cv_lm_symbol_at(const struct lm_symtab *t, uint32_t i, struct lm_symbol *ret)
{
	const unsigned char *p;
	uint32_t name;

	if (!t->usable || i >= t->sym_n)
		return false;
	p = t->sym + i * sym_size(t);
	name = u32(t, p);
	ret->name = name < t->str_n ? t->str + name : "";
	ret->value = word(t, p + (t->e->is64 ? 8 : 4));
	ret->section = u16(t, p + (t->e->is64 ? 6 : 14));
	ret->bind = p[t->e->is64 ? 4 : 12] >> 4;
	ret->type = p[t->e->is64 ? 4 : 12] & 15;
	ret->visibility = p[t->e->is64 ? 5 : 13] & 3;
	return true;
}

const struct lm_version *cv_lm_symbol_version(const struct lm_symtab *t, uint32_t i)
{
	uint16_t v;

	if (i >= t->versym_n)
		return NULL;
	v = u16(t, t->versym + (size_t)i * 2) & 0x7fff;
	return v < t->version_n && t->versions[v].hash ? &t->versions[v] : NULL;
}

void cv_lm_lookup_init(struct lm_lookup *l, const char *name, const struct lm_version *version)
{
	*l = (struct lm_lookup){
		.name = name, .gnu_hash = cv_elf_gnu_hash(name), .sysv_hash = cv_elf_sysv_hash(name), .version = version
	};
}

/* How far one symbol of the chain serves. *candidates: versioned ones that an unversioned request may take if there is one
 * only. */
enum fit { FIT_NO, FIT_YES, FIT_NO_VERSYM };

struct walk {
	const struct lm_symtab *t;
	const struct lm_lookup *l;
	unsigned candidates;
	uint32_t candidate;
};

static bool is_definition(const struct lm_symbol *s, bool plt)
{
	const unsigned types = 1u << CV_STT_NOTYPE | 1u << CV_STT_OBJECT | 1u << CV_STT_FUNC | 1u << 5 /* common */ |
			       1u << CV_STT_TLS | 1u << CV_STT_IFUNC;

	if (s->value == 0 && s->section != 0xfff1 && s->type != CV_STT_TLS)
		return false;
	return !(plt && s->section == CV_ELF_UNDEF) && types >> s->type & 1;
}

static enum fit fit_version(struct walk *w, uint32_t i)
{
	const struct lm_symtab *t = w->t;
	const struct lm_version *want = w->l->version;
	uint16_t raw, v;

	if (!t->versym)
		return want ? FIT_NO_VERSYM : FIT_YES;
	raw = i < t->versym_n ? u16(t, t->versym + (size_t)i * 2) : 1;
	v = raw & 0x7fff;
	if (!want) {
		/* The oldest version is the one after the base. */
		if (v < 3)
			return FIT_YES;
		if (!(raw & 0x8000) && w->candidates++ == 0)
			w->candidate = i;
		return FIT_NO;
	}
	if (v >= t->version_n)
		return FIT_NO;
	if (t->versions[v].hash == want->hash && cv_streq(t->versions[v].name, want->name))
		return FIT_YES;
	return !want->hidden && t->versions[v].hash == 0 && !(raw & 0x8000) ? FIT_YES : FIT_NO;
}

static enum fit fit_symbol(struct walk *w, uint32_t i)
{
	struct lm_symbol s;

	if (!cv_lm_symbol_at(w->t, i, &s) || !is_definition(&s, w->l->plt) || strcmp(s.name, w->l->name) != 0)
		return FIT_NO;
	return fit_version(w, i);
}

/* What binding and visibility make of a symbol that fits. */
static enum lm_found bound(const struct lm_symtab *t, uint32_t i, enum fit fit)
{
	struct lm_symbol s;

	if (!cv_lm_symbol_at(t, i, &s) || s.visibility == 1 || s.visibility == 2)
		return LM_OTHER;
	if (s.bind != CV_STB_GLOBAL && s.bind != CV_STB_WEAK && s.bind != CV_STB_UNIQUE)
		return LM_OTHER;
	return fit == FIT_NO_VERSYM ? LM_NO_VERSYM : LM_FOUND;
}

static bool bloom_has(const struct lm_symtab *t, uint32_t hash)
{
	unsigned bits = t->e->is64 ? 64 : 32;
	uint32_t at = hash / bits & (t->bloom_n - 1);
	uint64_t v = word(t, t->bloom + (size_t)at * (bits / 8));

	return v >> hash % bits & v >> (hash >> t->shift) % bits & 1;
}

static enum lm_found find_gnu(struct walk *w)
{
	const struct lm_symtab *t = w->t;
	uint32_t hash = w->l->gnu_hash, i;

	if (!bloom_has(t, hash))
		return LM_NOT_FOUND;
	i = u32(t, t->buckets + (size_t)(hash % t->bucket_n) * 4);
	if (i == 0 || i < t->first)
		return LM_NOT_FOUND;
	for (; i - t->first < t->chain_n; i++) {
		uint32_t h = u32(t, t->chains + (size_t)(i - t->first) * 4);

		if ((h ^ hash) >> 1 == 0) {
			enum fit fit = fit_symbol(w, i);

			if (fit != FIT_NO)
				return bound(t, i, fit);
		}
		if (h & 1)
			break;
	}
	return LM_NOT_FOUND;
}

static enum lm_found find_sysv(struct walk *w)
{
	const struct lm_symtab *t = w->t;
	uint32_t i = u32(t, t->buckets + (size_t)(w->l->sysv_hash % t->bucket_n) * 4);

	for (uint32_t left = t->chain_n; i && i < t->chain_n && left; left--) {
		enum fit fit = fit_symbol(w, i);

		if (fit != FIT_NO)
			return bound(t, i, fit);
		i = u32(t, t->chains + (size_t)i * 4);
	}
	return LM_NOT_FOUND;
}

enum lm_found cv_lm_symtab_find(const struct lm_symtab *t, const struct lm_lookup *l)
{
	struct walk w = { .t = t, .l = l };
	enum lm_found r;

	if (t->bucket_n == 0)
		return LM_NOT_FOUND;
	r = t->gnu ? find_gnu(&w) : find_sysv(&w);
	if (r == LM_NOT_FOUND && w.candidates == 1)
		return bound(t, w.candidate, FIT_YES);
	return r;
}
