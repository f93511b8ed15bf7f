/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbol versions: GNU extension of Sun's scheme (LSB "Symbol Versioning").
 *
 * As in glibc's loader the chains are followed by their "next" fields alone; the counts beside them are not believed.
 */
#include "parse/elf_priv.h"

enum { FLAG_BASE = 1, FLAG_WEAK = 2 };

/* A table being walked: [off, off + room) of the file. */
struct table {
	struct cv_elf *e;
	uint64_t off, room;
	unsigned left; /* entries of both levels that may still come */
};

static int entry(struct table *t, uint64_t pos, void *buf, size_t size)
{
	if (t->left == 0)
		return CV_ELIMIT;
	t->left--;
	if (pos > t->room || size > t->room - pos)
		return CV_EFORMAT;
	return cv_elf_read(t->e, t->off + pos, buf, size);
}

static int open_table(struct cv_elf *e, uint64_t addr, struct table *ret)
{
	*ret = (struct table){ .e = e, .left = CV_ELF_VERS_MAX };
	return cv_elf_offset_of(e, addr, &ret->off, &ret->room) ? 0 : CV_EFORMAT;
}

/* The names of one definition: its own, then those that it inherits from. */
static int verdef_names(struct table *t, uint64_t pos, struct cv_elf_verdef *def)
{
	struct cv_elf *e = t->e;
	uint64_t next;

	do {
		unsigned char p[8];
		const char *name;
		int r = entry(t, pos, p, sizeof(p));

		if (r < 0)
			return r;
		r = cv_elf_dynstr(e, cv_elf_u32(e, p), &name);
		if (r < 0)
			return r;
		if (!def->name)
			def->name = name;
		else if (!cv_strv_push(e->arena, &def->parents, name))
			return CV_ENOMEM;
		next = cv_elf_u32(e, p + 4);
		pos += next;
	} while (next);
	return 0;
}

static int walk_verdefs(struct cv_elf *e)
{
	struct cv_elf_lazy *l = e->lazy;
	struct table t;
	uint64_t pos = 0, next;
	int r = open_table(e, e->at.verdef, &t);

	if (r < 0)
		return r;
	do {
		struct cv_elf_verdef def = { 0 };
		struct cv_elf_verdef *slot;
		unsigned char p[20];

		r = entry(&t, pos, p, sizeof(p));
		if (r < 0)
			return r;
		def.base = cv_elf_u16(e, p + 2) & FLAG_BASE;
		def.weak = cv_elf_u16(e, p + 2) & FLAG_WEAK;
		def.index = cv_elf_u16(e, p + 4) & 0x7fff;
		def.hash = cv_elf_u32(e, p + 8);
		r = verdef_names(&t, pos + cv_elf_u32(e, p + 12), &def);
		if (r < 0)
			return r;
		slot = CV_VEC_PUSH(e->arena, &l->verdefs);
		if (!slot)
			return CV_ENOMEM;
		*slot = def;
		next = cv_elf_u32(e, p + 16);
		pos += next;
	} while (next);
	return 0;
}

/* What is needed of one file. A damaged end leaves what came before. */
static int vernauxes(struct table *t, uint64_t pos, struct cv_elf_verneed *need)
{
	struct cv_elf *e = t->e;
	CV_VEC(struct cv_elf_vernaux) v = { 0 };
	uint64_t next;
	int r;

	do {
		struct cv_elf_vernaux *aux;
		unsigned char p[16];
		const char *name;

		r = entry(t, pos, p, sizeof(p));
		if (r == 0)
			r = cv_elf_dynstr(e, cv_elf_u32(e, p + 8), &name);
		if (r < 0)
			break;
		aux = CV_VEC_PUSH(e->arena, &v);
		if (!aux)
			return CV_ENOMEM;
		aux->name = name;
		aux->hash = cv_elf_u32(e, p);
		aux->weak = cv_elf_u16(e, p + 4) & FLAG_WEAK;
		aux->index = cv_elf_u16(e, p + 6) & 0x7fff;
		next = cv_elf_u32(e, p + 12);
		pos += next;
	} while (next);
	need->v = v.v;
	need->n = v.n;
	return r;
}

static int walk_verneeds(struct cv_elf *e)
{
	struct cv_elf_lazy *l = e->lazy;
	struct table t;
	uint64_t pos = 0, next;
	int r = open_table(e, e->at.verneed, &t);

	if (r < 0)
		return r;
	do {
		struct cv_elf_verneed *need;
		unsigned char p[16];
		const char *file;

		r = entry(&t, pos, p, sizeof(p));
		if (r == 0)
			r = cv_elf_dynstr(e, cv_elf_u32(e, p + 4), &file);
		if (r < 0)
			return r;
		need = CV_VEC_PUSH(e->arena, &l->verneeds);
		if (!need)
			return CV_ENOMEM;
		need->file = file;
		r = vernauxes(&t, pos + cv_elf_u32(e, p + 8), need);
		if (r < 0)
			return r;
		next = cv_elf_u32(e, p + 12);
		pos += next;
	} while (next);
	return 0;
}

int cv_elf_verdefs(struct cv_elf *e, const struct cv_elf_verdef **ret, size_t *ret_n)
{
	struct cv_elf_lazy *l = e->lazy;

	if (!l->have_verdefs && e->at.verdef) {
		int r;

		l->verdefs.n = 0;
		r = walk_verdefs(e);
		if (r < 0)
			r = cv_elf_damage(e, CV_ELF_VERDEF, r, cv_elf_place(e, e->at.verdef), "the versions that it defines are damaged");
		if (r < 0)
			return r;
	}
	l->have_verdefs = true;
	*ret = l->verdefs.v;
	*ret_n = l->verdefs.n;
	return 0;
}

int cv_elf_verneeds(struct cv_elf *e, const struct cv_elf_verneed **ret, size_t *ret_n)
{
	struct cv_elf_lazy *l = e->lazy;

	if (!l->have_verneeds && e->at.verneed) {
		int r;

		l->verneeds.n = 0;
		r = walk_verneeds(e);
		if (r < 0)
			r = cv_elf_damage(e, CV_ELF_VERNEED, r, cv_elf_place(e, e->at.verneed), "the versions that it needs are damaged");
		if (r < 0)
			return r;
	}
	l->have_verneeds = true;
	*ret = l->verneeds.v;
	*ret_n = l->verneeds.n;
	return 0;
}
