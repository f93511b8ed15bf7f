/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dynamic symbols and how they are found.
 *
 * GNU hash: u32 buckets, first hashed symbol, bloom words, shift; the bloom filter in words of the class; the buckets (symbol
 * index, 0 for none); a hash value for each hashed symbol, whose lowest bit marks the end of a chain. SysV hash: u32 buckets,
 * symbols; buckets; chains (64-bit s390 has 64-bit words here: not read). A table that lies is left out, the next way is taken.
 */
#include "parse/elf_priv.h"

#include "base/num.h"

enum how { HOW_END, HOW_GNU, HOW_SYSV, HOW_LINEAR };

uint32_t cv_elf_sysv_hash(const char *name)
{
	uint32_t h = 0;

	for (const unsigned char *p = (const unsigned char *)name; *p; p++) {
		h = (h << 4) + *p;
		h ^= h >> 24 & 0xf0;
		h &= 0xfffffff;
	}
	return h;
}

uint32_t cv_elf_gnu_hash(const char *name)
{
	uint32_t h = 5381;

	for (const unsigned char *p = (const unsigned char *)name; *p; p++)
		h = h * 33 + *p;
	return h;
}

static int read_u32(struct cv_elf *e, uint64_t off, uint32_t *ret)
{
	unsigned char p[4];
	int r = cv_elf_read(e, off, p, sizeof(p));

	if (r == 0)
		*ret = cv_elf_u32(e, p);
	return r;
}

/* Bytes of `room` that n items of size take up from pos on; false if they do not fit. */
static bool fits(uint64_t *pos, uint64_t n, uint64_t size, uint64_t room)
{
	uint64_t bytes;

	if (!cv_mul(n, size, &bytes) || !cv_in_range(*pos, bytes, room))
		return false;
	*pos += bytes;
	return true;
}

static int load_gnu(struct cv_elf *e, struct cv_elf_hash *h)
{
	uint64_t off, room, pos = 16;
	unsigned char p[16];
	int r;

	if (!cv_elf_offset_of(e, e->at.gnu_hash, &off, &room) || room < sizeof(p))
		return CV_EFORMAT;
	r = cv_elf_read(e, off, p, sizeof(p));
	if (r < 0)
		return r;
	h->bucket_n = cv_elf_u32(e, p);
	h->first = cv_elf_u32(e, p + 4);
	h->bloom_n = cv_elf_u32(e, p + 8);
	h->shift = cv_elf_u32(e, p + 12);
	h->bloom_at = off + pos;
	if (h->bucket_n == 0 || h->bucket_n > CV_ELF_SYMS_MAX || h->bloom_n == 0 || (h->bloom_n & (h->bloom_n - 1)) || h->shift > 31 ||
	    !fits(&pos, h->bloom_n, e->is64 ? 8 : 4, room))
		return CV_EFORMAT;
	h->buckets_at = off + pos;
	if (!fits(&pos, h->bucket_n, 4, room))
		return CV_EFORMAT;
	h->chains_at = off + pos;
	h->chain_n = (room - pos) / 4;
	h->usable = true;
	return 0;
}

static int load_sysv(struct cv_elf *e, struct cv_elf_hash *h)
{
	uint64_t off, room, pos = 8;
	unsigned char p[8];
	int r;

	if (!cv_elf_offset_of(e, e->at.hash, &off, &room) || room < sizeof(p))
		return CV_EFORMAT;
	r = cv_elf_read(e, off, p, sizeof(p));
	if (r < 0)
		return r;
	h->bucket_n = cv_elf_u32(e, p);
	h->chain_n = cv_elf_u32(e, p + 4);
	h->buckets_at = off + pos;
	if (h->bucket_n == 0 || !fits(&pos, h->bucket_n, 4, room))
		return CV_EFORMAT;
	h->chains_at = off + pos;
	if (!fits(&pos, h->chain_n, 4, room))
		return CV_EFORMAT;
	h->usable = true;
	return 0;
}

static int load_hashes(struct cv_elf *e)
{
	struct cv_elf_lazy *l = e->lazy;
	int r = 0;

	if (l->have_hashes)
		return 0;
	if (e->at.gnu_hash)
		r = load_gnu(e, &l->gnu);
	if (r < 0)
		r = cv_elf_damage(e, CV_ELF_SYMBOLS, r, cv_elf_place(e, e->at.gnu_hash), "the GNU hash table is damaged");
	if (r == 0 && e->at.hash && !(e->machine == CV_EM_S390 && e->is64)) {
		r = load_sysv(e, &l->sysv);
		if (r < 0)
			r = cv_elf_damage(e, CV_ELF_SYMBOLS, r, cv_elf_place(e, e->at.hash), "the hash table is damaged");
	}
	if (r == 0)
		l->have_hashes = true;
	return r;
}

/* How many symbols there are */

/* By the section headers: CV_ENOENT if they do not tell. */
static int count_by_section(struct cv_elf *e, uint64_t *ret)
{
	const struct cv_elf_sec *v;
	size_t n;
	int r = cv_elf_sections(e, &v, &n);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		if (v[i].type == CV_SHT_DYNSYM && v[i].addr == e->at.symtab) {
			*ret = v[i].size / (e->is64 ? 24 : 16);
			return 0;
		}
	}
	return CV_ENOENT;
}

/* By the chain of the highest bucket. Tables without hashed symbols do not tell: some linkers put any number into first. */
static int count_by_gnu(struct cv_elf *e, uint64_t *ret)
{
	const struct cv_elf_hash *h = &e->lazy->gnu;
	uint32_t last = 0, v = 0;
	int r;

	for (uint32_t i = 0; i < h->bucket_n; i++) {
		r = read_u32(e, h->buckets_at + (uint64_t)i * 4, &v);
		if (r < 0)
			return r;
		last = v > last ? v : last;
	}
	if (last < h->first || last == 0)
		return CV_ENOENT;
	for (;; last++) {
		if (last - h->first >= h->chain_n)
			return CV_EFORMAT;
		r = read_u32(e, h->chains_at + (uint64_t)(last - h->first) * 4, &v);
		if (r < 0)
			return r;
		if (v & 1)
			break;
	}
	*ret = (uint64_t)last + 1;
	return 0;
}

int cv_elf_sym_count(struct cv_elf *e, uint32_t *ret)
{
	struct cv_elf_lazy *l = e->lazy;
	uint64_t n = 0;
	int r = load_hashes(e);

	if (r < 0)
		return r;
	if (!l->have_sym_count && e->at.symtab) {
		if (l->sysv.usable) {
			n = l->sysv.chain_n;
		} else {
			r = count_by_section(e, &n);
			if (r == CV_ENOENT && l->gnu.usable)
				r = count_by_gnu(e, &n);
		}
		if (r == 0 && n > CV_ELF_SYMS_MAX)
			r = CV_ELIMIT;
		if (r < 0) {
			r = cv_elf_damage(e, CV_ELF_SYMBOLS, r, cv_elf_place(e, e->at.symtab), "the number of symbols cannot be told");
			return r < 0 ? r : CV_ENOENT;
		}
		l->sym_count = (uint32_t)n;
	}
	l->have_sym_count = true;
	*ret = l->sym_count;
	return 0;
}

/* Single symbols */

static int read_version_index(struct cv_elf *e, uint32_t i, struct cv_elf_sym *s)
{
	uint64_t off, room;
	unsigned char p[2];
	int r;

	s->version_index = 1;
	if (!e->at.versym)
		return 0;
	if (!cv_elf_offset_of(e, e->at.versym, &off, &room) || !cv_in_range((uint64_t)i * 2, 2, room))
		return CV_EFORMAT;
	r = cv_elf_read(e, off + (uint64_t)i * 2, p, 2);
	if (r < 0)
		return r;
	s->version_index = cv_elf_u16(e, p) & 0x7fff;
	s->hidden = cv_elf_u16(e, p) & 0x8000;
	return 0;
}

int cv_elf_sym_at(struct cv_elf *e, uint32_t i, struct cv_elf_sym *ret)
{
	uint64_t size = e->is64 ? 24 : 16;
	struct cv_elf_sym s = { 0 };
	uint64_t off, room;
	unsigned char p[24];
	int r;

	if (!e->at.symtab || !cv_elf_offset_of(e, e->at.symtab, &off, &room) || !cv_in_range(i * size, size, room))
		return CV_EFORMAT;
	r = cv_elf_read(e, off + i * size, p, (size_t)size);
	if (r < 0)
		return r;
	s.name_at = cv_elf_u32(e, p);
	if (e->is64) {
		s.value = cv_elf_u64(e, p + 8);
		s.size = cv_elf_u64(e, p + 16);
	} else {
		s.value = cv_elf_u32(e, p + 4);
		s.size = cv_elf_u32(e, p + 8);
	}
	s.bind = p[e->is64 ? 4 : 12] >> 4;
	s.type = p[e->is64 ? 4 : 12] & 15;
	s.other = p[e->is64 ? 5 : 13];
	s.section = cv_elf_u16(e, p + (e->is64 ? 6 : 14));
	r = read_version_index(e, i, &s);
	if (r < 0)
		return r;
	*ret = s;
	return 0;
}

int cv_elf_sym_version(struct cv_elf *e, const struct cv_elf_sym *sym, const char **ret)
{
	const struct cv_elf_verdef *defs;
	const struct cv_elf_verneed *needs;
	size_t def_n, need_n;
	const char *name = NULL;
	int r = cv_elf_verdefs(e, &defs, &def_n);

	if (r == 0)
		r = cv_elf_verneeds(e, &needs, &need_n);
	if (r < 0)
		return r;
	if (sym->version_index > 1) {
		for (size_t i = 0; i < def_n && !name; i++)
			if (defs[i].index == sym->version_index)
				name = defs[i].name;
		for (size_t i = 0; i < need_n && !name; i++)
			for (size_t k = 0; k < needs[i].n && !name; k++)
				if (needs[i].v[k].index == sym->version_index)
					name = needs[i].v[k].name;
	}
	*ret = name;
	return 0;
}

/* Finding by name */

/* Could the table hold the name? Most look-ups that fail end here. */
static int gnu_bloom(struct cv_elf *e, uint32_t hash, bool *ret)
{
	const struct cv_elf_hash *h = &e->lazy->gnu;
	unsigned bits = e->is64 ? 64 : 32;
	uint32_t word = hash / bits & (h->bloom_n - 1);
	unsigned char p[8];
	uint64_t v;
	int r = cv_elf_read(e, h->bloom_at + (uint64_t)word * (bits / 8), p, bits / 8);

	if (r < 0)
		return r;
	v = cv_elf_word(e, p);
	*ret = v >> hash % bits & v >> (hash >> h->shift) % bits & 1;
	return 0;
}

static int start_gnu(struct cv_elf_find *f)
{
	const struct cv_elf_hash *h = &f->e->lazy->gnu;
	bool maybe;
	int r;

	f->hash = cv_elf_gnu_hash(f->name);
	r = gnu_bloom(f->e, f->hash, &maybe);
	if (r < 0)
		return r;
	r = read_u32(f->e, h->buckets_at + (uint64_t)(f->hash % h->bucket_n) * 4, &f->next);
	if (r < 0)
		return r;
	f->how = maybe && f->next && f->next >= h->first ? HOW_GNU : HOW_END;
	return 0;
}

static int start_sysv(struct cv_elf_find *f)
{
	const struct cv_elf_hash *h = &f->e->lazy->sysv;
	int r;

	f->hash = cv_elf_sysv_hash(f->name);
	r = read_u32(f->e, h->buckets_at + (uint64_t)(f->hash % h->bucket_n) * 4, &f->next);
	f->how = HOW_SYSV;
	f->left = (uint32_t)h->chain_n; /* a chain that runs in a circle ends */
	return r;
}

int cv_elf_find_init(struct cv_elf_find *f, struct cv_elf *e, const char *name)
{
	int r;

	*f = (struct cv_elf_find){ .e = e, .name = name, .name_n = strlen(name), .left = CV_ELF_SYMS_MAX, .how = HOW_END };
	if (!e->at.symtab)
		return 0;
	r = load_hashes(e);
	if (r < 0)
		return r;
	if (e->lazy->gnu.usable)
		return start_gnu(f);
	if (e->lazy->sysv.usable)
		return start_sysv(f);
	r = cv_elf_sym_count(e, &f->left);
	if (r == CV_ENOENT)
		return 0; /* told as damage already */
	f->how = HOW_LINEAR;
	return r;
}

/* The next index to look at; *ret_match tells whether its hash fits. 1, or 0 at the end. */
static int step(struct cv_elf_find *f, uint32_t *ret_index, bool *ret_match)
{
	const struct cv_elf_hash *h = f->how == HOW_GNU ? &f->e->lazy->gnu : &f->e->lazy->sysv;
	uint32_t i = f->next;
	uint32_t v = 0;
	int r;

	if (f->how == HOW_END || f->left == 0)
		return 0;
	f->left--;
	*ret_index = i;
	*ret_match = true;
	if (f->how == HOW_LINEAR) {
		f->next++;
		return 1;
	}
	if (f->how == HOW_SYSV && i == 0)
		return 0;
	if (f->how == HOW_GNU)
		i -= h->first;
	if (i >= h->chain_n)
		return CV_EFORMAT;
	r = read_u32(f->e, h->chains_at + (uint64_t)i * 4, &v);
	if (r < 0)
		return r;
	if (f->how == HOW_SYSV) {
		f->next = v;
	} else {
		*ret_match = (v | 1) == (f->hash | 1);
		f->next++;
		if (v & 1)
			f->how = HOW_END;
	}
	return 1;
}

/* 1 if symbol i is a definition of the name. */
static int is_match(struct cv_elf_find *f, uint32_t i, struct cv_elf_sym *ret)
{
	uint64_t off, room;
	int r = cv_elf_sym_at(f->e, i, ret);

	if (r < 0)
		return r;
	if (ret->section == CV_ELF_UNDEF)
		return 0;
	if (!cv_elf_strtab(f->e, &off, &room) || ret->name_at >= room)
		return CV_EFORMAT;
	return cv_elf_text_is(f->e, off + ret->name_at, room - ret->name_at, f->name, f->name_n);
}

int cv_elf_find_next(struct cv_elf_find *f, struct cv_elf_sym *ret)
{
	struct cv_elf_sym sym;
	uint32_t i;
	bool match;
	int r;

	while ((r = step(f, &i, &match)) == 1) {
		r = match ? is_match(f, i, &sym) : 0;
		if (r == 1) {
			*ret = sym;
			return 1;
		}
		if (r < 0)
			break;
	}
	f->how = HOW_END;
	return r < 0 ? cv_elf_damage(f->e, CV_ELF_SYMBOLS, r, cv_elf_place(f->e, f->e->at.symtab), "the symbol table is damaged") : 0;
}

/* Does the symbol answer a request for version (NULL: the default one)? A file without versions answers any. */
static int fits_version(struct cv_elf *e, const struct cv_elf_sym *sym, const char *version, bool *ret)
{
	const char *name;
	int r;

	if (!version || !e->at.versym) {
		*ret = !sym->hidden;
		return 0;
	}
	r = cv_elf_sym_version(e, sym, &name);
	if (r < 0)
		return r;
	*ret = name && cv_streq(name, version);
	return 0;
}

int cv_elf_symbol(struct cv_elf *e, const char *name, const char *version, struct cv_elf_sym *ret)
{
	struct cv_elf_find f;
	struct cv_elf_sym sym, other;
	bool fit, have_other = false;
	int r = cv_elf_find_init(&f, e, name);

	if (r < 0)
		return r;
	while ((r = cv_elf_find_next(&f, &sym)) == 1) {
		r = fits_version(e, &sym, version, &fit);
		if (r < 0)
			return r;
		if (fit) {
			*ret = sym;
			return 0;
		}
		if (!version && !have_other) {
			other = sym;
			have_other = true;
		}
	}
	if (r == 0 && have_other)
		*ret = other;
	return r < 0 ? r : have_other ? 0 : CV_ENOENT;
}
