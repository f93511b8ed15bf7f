/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Program headers and the dynamic section: what the loader goes by.
 *
 * As in glibc's loader, the dynamic section is found by the address of PT_DYNAMIC and ends with DT_NULL, whatever size the
 * header gives it, and of a tag that stands twice the last one counts (except DT_NEEDED, DT_AUXILIARY and DT_FILTER).
 */
#include "parse/elf_priv.h"

#include "base/num.h"

#define PN_XNUM 0xffff /* the true number of segments is in the first section header */
#define INTERP_MAX 4096
#define DYN_CHUNK 1024

enum { DF_SYMBOLIC = 2, DF_TEXTREL = 4, DF_BIND_NOW = 8, DF_1_NOW = 1 };

enum dt {
	DT_NULL = 0,
	DT_NEEDED = 1,
	DT_PLTRELSZ = 2,
	DT_HASH = 4,
	DT_STRTAB = 5,
	DT_SYMTAB = 6,
	DT_RELA = 7,
	DT_RELASZ = 8,
	DT_STRSZ = 10,
	DT_INIT = 12,
	DT_FINI = 13,
	DT_SONAME = 14,
	DT_RPATH = 15,
	DT_SYMBOLIC = 16,
	DT_REL = 17,
	DT_RELSZ = 18,
	DT_PLTREL = 20,
	DT_TEXTREL = 22,
	DT_JMPREL = 23,
	DT_BIND_NOW = 24,
	DT_RUNPATH = 29,
	DT_FLAGS = 30,
	DT_RELRSZ = 35,
	DT_RELR = 36,
	DT_GNU_HASH = 0x6ffffef5,
	DT_VERSYM = 0x6ffffff0,
	DT_FLAGS_1 = 0x6ffffffb,
	DT_VERDEF = 0x6ffffffc,
	DT_VERDEFNUM = 0x6ffffffd,
	DT_VERNEED = 0x6ffffffe,
	DT_VERNEEDNUM = 0x6fffffff,
	DT_AUXILIARY = 0x7ffffffd,
	DT_FILTER = 0x7fffffff,
};

static void decode_seg(const struct cv_elf *e, const unsigned char *p, struct cv_elf_seg *s)
{
	s->type = cv_elf_u32(e, p);
	if (e->is64) {
		s->flags = cv_elf_u32(e, p + 4);
		s->offset = cv_elf_u64(e, p + 8);
		s->addr = cv_elf_u64(e, p + 16);
		s->file_size = cv_elf_u64(e, p + 32);
		s->mem_size = cv_elf_u64(e, p + 40);
		s->align = cv_elf_u64(e, p + 48);
	} else {
		s->offset = cv_elf_u32(e, p + 4);
		s->addr = cv_elf_u32(e, p + 8);
		s->file_size = cv_elf_u32(e, p + 16);
		s->mem_size = cv_elf_u32(e, p + 20);
		s->flags = cv_elf_u32(e, p + 24);
		s->align = cv_elf_u32(e, p + 28);
	}
}

static int load_interp(struct cv_elf *e, const struct cv_elf_seg *s)
{
	int r = cv_elf_text(e, s->offset, s->file_size < INTERP_MAX ? s->file_size : INTERP_MAX, &e->interp);

	return r < 0 ? cv_elf_damage(e, CV_ELF_SEGMENTS, r, s->offset, "the interpreter's path is damaged") : 0;
}

static int note_seg(struct cv_elf *e, const struct cv_elf_seg *s)
{
	switch (s->type) {
	case CV_PT_INTERP:
		return load_interp(e, s);
	case CV_PT_TLS:
		e->has_tls = true;
		e->tls_size = s->mem_size;
		e->tls_align = s->align;
		return 0;
	case CV_PT_GNU_STACK:
		e->has_stack = true;
		e->exec_stack = s->flags & 1;
		return 0;
	case CV_PT_LOAD:
		if (!cv_in_range(s->offset, s->file_size, e->src->size))
			return cv_elf_damage(e, CV_ELF_SEGMENTS, CV_EFORMAT, s->offset, "a segment reaches beyond the end of the file");
		return 0;
	default:
		return 0;
	}
}

/* The number of segments, which may be too large for the header. */
static int count_segments(struct cv_elf *e, uint64_t *ret)
{
	unsigned char p[4];
	int r;

	*ret = e->lazy->segment_n;
	if (e->lazy->segment_n != PN_XNUM || e->lazy->section_at == 0)
		return 0;
	r = cv_elf_read(e, e->lazy->section_at + (e->is64 ? 44 : 28), p, 4);
	if (r < 0)
		return r;
	*ret = cv_elf_u32(e, p);
	return 0;
}

int cv_elf_load_segments(struct cv_elf *e, uint64_t at)
{
	size_t least = e->is64 ? 56 : 32;
	struct cv_elf_seg *segs;
	uint64_t n;
	int r = count_segments(e, &n);

	if (r < 0)
		return cv_elf_damage(e, CV_ELF_SEGMENTS, r, at, "the number of segments cannot be read");
	if (n == 0 || at == 0)
		return 0;
	if (e->phentsize < least)
		return cv_elf_damage(e, CV_ELF_SEGMENTS, CV_EFORMAT, at, "program headers of a wrong size");
	if (e->phentsize != least || n > CV_ELF_SEGS_MAX)
		r = cv_elf_damage(e, CV_ELF_SEGMENTS, CV_EFORMAT, at, "program headers of a wrong size or number");
	if (n > CV_ELF_SEGS_MAX)
		n = CV_ELF_SEGS_MAX;
	segs = CV_NEW_ARRAY(e->arena, struct cv_elf_seg, n);
	if (!segs)
		return CV_ENOMEM;
	e->segs = segs;
	for (uint64_t i = 0; i < n; i++) {
		unsigned char p[56];
		uint64_t off;

		r = cv_add(at, i * e->phentsize, &off) ? cv_elf_read(e, off, p, least) : CV_EFORMAT;
		if (r < 0)
			return cv_elf_damage(e, CV_ELF_SEGMENTS, r, at, "the program headers are cut off");
		decode_seg(e, p, &segs[i]);
		e->seg_n++;
		r = note_seg(e, &segs[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

/* The dynamic section */

bool cv_elf_strtab(const struct cv_elf *e, uint64_t *ret_off, uint64_t *ret_room)
{
	uint64_t off, room;

	if (!e->at.strtab || !cv_elf_offset_of(e, e->at.strtab, &off, &room))
		return false;
	*ret_off = off;
	*ret_room = e->at.strtab_size && e->at.strtab_size < room ? e->at.strtab_size : room;
	return true;
}

int cv_elf_dynstr(struct cv_elf *e, uint64_t index, const char **ret)
{
	uint64_t off, room;

	if (!cv_elf_strtab(e, &off, &room) || index >= room)
		return CV_EFORMAT;
	return cv_elf_text(e, off + index, room - index, ret);
}

int cv_elf_dynstr_to(struct cv_elf *e, uint64_t index, char *buf, size_t size)
{
	uint64_t off, room;
	size_t n;
	int r;

	if (!cv_elf_strtab(e, &off, &room) || index >= room)
		return CV_EFORMAT;
	r = cv_elf_text_length(e, off + index, room - index, &n);
	if (r == 0 && n >= size)
		r = CV_ELIMIT;
	return r < 0 ? r : cv_elf_read(e, off + index, buf, n + 1);
}

/* Where the value of a tag goes that is kept as it is, or NULL. */
static uint64_t *number_of(struct cv_elf *e, uint64_t tag)
{
	struct cv_elf_tables *t = &e->at;

	switch (tag) {
	case DT_PLTRELSZ:
		return &t->jmprel_size;
	case DT_HASH:
		return &t->hash;
	case DT_STRTAB:
		return &t->strtab;
	case DT_SYMTAB:
		return &t->symtab;
	case DT_RELA:
		return &t->rela;
	case DT_RELASZ:
		return &t->rela_size;
	case DT_STRSZ:
		return &t->strtab_size;
	case DT_INIT:
		return &t->init;
	case DT_FINI:
		return &t->fini;
	case DT_REL:
		return &t->rel;
	case DT_RELSZ:
		return &t->rel_size;
	case DT_JMPREL:
		return &t->jmprel;
	case DT_FLAGS:
		return &e->df;
	case DT_RELRSZ:
		return &t->relr_size;
	case DT_RELR:
		return &t->relr;
	case DT_GNU_HASH:
		return &t->gnu_hash;
	case DT_VERSYM:
		return &t->versym;
	case DT_FLAGS_1:
		return &e->df1;
	case DT_VERDEF:
		return &t->verdef;
	case DT_VERDEFNUM:
		return &t->verdef_n;
	case DT_VERNEED:
		return &t->verneed;
	case DT_VERNEEDNUM:
		return &t->verneed_n;
	default:
		return NULL;
	}
}

static void take_number(struct cv_elf *e, uint64_t tag, uint64_t v)
{
	uint64_t *to = number_of(e, tag);

	if (to)
		*to = v;
	else if (tag == DT_PLTREL)
		e->at.jmprel_is_rela = v == DT_RELA;
	else if (tag == DT_SYMBOLIC)
		e->symbolic = true;
	else if (tag == DT_TEXTREL)
		e->textrel = true;
	else if (tag == DT_BIND_NOW)
		e->bind_now = true;
}

/* Names that stand for themselves, and lists. */
static int take_string(struct cv_elf *e, uint64_t tag, uint64_t v)
{
	struct cv_strv *list = tag == DT_NEEDED      ? &e->needed
			       : tag == DT_AUXILIARY ? &e->auxiliary
			       : tag == DT_FILTER    ? &e->filter
						     : NULL;
	const char **one = tag == DT_SONAME    ? &e->soname
			   : tag == DT_RPATH   ? &e->rpath
			   : tag == DT_RUNPATH ? &e->runpath
					       : NULL;
	const char *s;
	int r;

	if (!list && !one)
		return 0;
	r = cv_elf_dynstr(e, v, &s);
	if (r < 0)
		return cv_elf_damage(e, CV_ELF_DYNAMIC, r, cv_elf_place(e, e->at.strtab), "a string of the dynamic section is damaged");
	if (one)
		*one = s;
	else if (!cv_strv_push(e->arena, list, s))
		return CV_ENOMEM;
	return 0;
}

/* Entries from off on, as many as one block of the cache has; one that straddles blocks alone. */
static int some_entries(struct cv_elf *e, uint64_t off, uint64_t room, size_t size, unsigned char *buf, size_t *ret_n)
{
	uint64_t n = CV_ELF_BLOCK - off % CV_ELF_BLOCK;

	n = n < DYN_CHUNK ? n : DYN_CHUNK;
	n = n < room ? n : room;
	n = n < size ? size : n - n % size;
	*ret_n = (size_t)n;
	return cv_elf_read(e, off, buf, (size_t)n);
}

static int walk_dynamic(struct cv_elf *e, uint64_t off, uint64_t room, bool strings)
{
	size_t size = e->is64 ? 16 : 8, n = 0, at = 0;
	unsigned char buf[DYN_CHUNK];

	for (size_t i = 0; i < CV_ELF_DYN_MAX && room - i * size >= size; i++, at += size) {
		uint64_t tag, v;
		int r = 0;

		if (at == n) {
			at = 0;
			r = some_entries(e, off + i * size, room - i * size, size, buf, &n);
			if (r == CV_EFORMAT) /* to the last that is there */
				r = cv_elf_read(e, off + i * size, buf, n = size);
		}
		if (r < 0)
			return r;
		tag = cv_elf_word(e, buf + at);
		v = cv_elf_word(e, buf + at + size / 2);
		if (tag == DT_NULL)
			return 0;
		if (!strings)
			take_number(e, tag, v);
		else if ((r = take_string(e, tag, v)) < 0)
			return r;
	}
	return CV_EFORMAT;
}

int cv_elf_load_dynamic(struct cv_elf *e)
{
	const struct cv_elf_seg *s = NULL;
	uint64_t off, room;
	int r;

	for (size_t i = 0; i < e->seg_n; i++)
		if (e->segs[i].type == CV_PT_DYNAMIC)
			s = &e->segs[i];
	if (!s)
		return 0;
	e->has_dynamic = true;
	if (!cv_elf_offset_of(e, s->addr, &off, &room)) {
		off = s->offset;
		room = s->file_size;
	}
	/* Strings need the string table, which may be named behind them. */
	r = walk_dynamic(e, off, room, false);
	if (r < 0) {
		r = cv_elf_damage(e, CV_ELF_DYNAMIC, r, off, "the dynamic section does not end");
		if (r < 0)
			return r;
	}
	e->bind_now |= (e->df & DF_BIND_NOW) || (e->df1 & DF_1_NOW);
	e->textrel |= (e->df & DF_TEXTREL) != 0;
	e->symbolic |= (e->df & DF_SYMBOLIC) != 0;
	r = walk_dynamic(e, off, room, true);
	return r == CV_EFORMAT ? 0 : r; /* told by the first walk */
}
