/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the loader checks of a file before it takes it, in its order: another class, machine or a kernel that is too old let
 * the search go on; all else that is wrong ends the load. Then what it checks when the file is mapped.
 */
#include "loadmap/lm.h"

#include "base/num.h"

#define PAGE 4096
enum { EI_CLASS = 4, EI_DATA, EI_VERSION, EI_OSABI, EI_ABIVERSION, EI_PAD, EI_NIDENT = 16 };
enum { OSABI_SYSV = 0, OSABI_GNU = 3, ABIVERSION_MAX = 4 };
enum { DF_1_NOOPEN = 0x40 };

static void skip(struct lm_check *c, enum cv_lm_reason reason)
{
	c->verdict = LM_SKIP;
	c->reason = reason;
}

static void bad(struct lm_check *c, const char *what, int err)
{
	c->verdict = LM_BAD;
	c->reason = CV_LM_NOT_ELF;
	c->what = what;
	c->err = err;
}

static uint64_t head_word(const struct lm_loader *ld, const unsigned char *p, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)p[ld->big_endian ? n - 1 - i : i] << (8 * i);
	return v;
}

/* The first 16 bytes. */
static void check_ident(const struct lm_loader *ld, const unsigned char *h, struct lm_check *c)
{
	static const unsigned char zero[EI_NIDENT - EI_PAD];

	if (memcmp(h, "\177ELF", 4) != 0)
		bad(c, "invalid ELF header", 0);
	else if (h[EI_CLASS] != (ld->is64 ? 2 : 1)) {
		skip(c, CV_LM_WRONG_CLASS);
		c->other_class = true;
	} else if (h[EI_DATA] != (ld->big_endian ? 2 : 1))
		bad(c, ld->big_endian ? "ELF file data encoding not big-endian" : "ELF file data encoding not little-endian", 0);
	else if (h[EI_VERSION] != 1)
		bad(c, "ELF file version ident does not match current one", 0);
	else if (h[EI_OSABI] != OSABI_SYSV && h[EI_OSABI] != OSABI_GNU)
		bad(c, "ELF file OS ABI invalid", 0);
	else if (h[EI_ABIVERSION] != 0 && (h[EI_OSABI] != OSABI_GNU || h[EI_ABIVERSION] >= ABIVERSION_MAX))
		bad(c, "ELF file ABI version invalid", 0);
	else if (memcmp(h + EI_PAD, zero, sizeof(zero)) != 0)
		bad(c, "nonzero padding in e_ident", 0);
}

static void check_header(struct lm_map *m, struct lm_file *f, struct lm_check *c)
{
	const struct lm_loader *ld = m->loader;
	const unsigned char *h = f->head;
	const unsigned char *tail = h + (ld->is64 ? 52 : 40); /* from e_ehsize on */
	size_t ph_size = ld->is64 ? 56 : 32;
	uint64_t type = head_word(ld, h + 16, 2);
	uint64_t ph_at = head_word(ld, h + (ld->is64 ? 32 : 28), ld->is64 ? 8 : 4);
	uint64_t ph_n = head_word(ld, tail + 4, 2);

	if (head_word(ld, h + 20, 4) != 1)
		bad(c, "ELF file version does not match current one", 0);
	else if (head_word(ld, h + 18, 2) != ld->machine)
		skip(c, CV_LM_WRONG_MACHINE);
	else if (type != CV_ET_DYN && type != CV_ET_EXEC)
		bad(c, "only ET_DYN and ET_EXEC can be loaded", 0);
	else if (head_word(ld, tail + 2, 2) != ph_size)
		bad(c, "ELF file's phentsize not the expected size", 0);
	else if (!cv_in_range(ph_at, ph_n * ph_size, f->size))
		bad(c, "cannot read file data", (int64_t)ph_at < 0 ? CV_EINVAL : 0);
	else if (m->loader->minor < 36 && cv_lm_kernel(m->sys) && cv_lm_kernel_of(f) > cv_lm_kernel(m->sys))
		skip(c, CV_LM_NEEDS_NEWER_KERNEL);
}

void cv_lm_verify(struct lm_map *m, struct lm_path *p, struct lm_check *ret)
{
	struct lm_check c = { .verdict = LM_FIT };
	struct lm_file *f = p->file;

	if (p->type == CV_FT_DIR)
		bad(&c, "cannot read file data", CV_ENOTREG);
	else if (!f)
		bad(&c, "file too short", 0); /* a device that gives nothing, a pipe whose writer has gone */
	else if (f->err == CV_EIO)
		bad(&c, "cannot read file data", CV_EIO);
	else if (f->head_n < (m->loader->is64 ? 64 : 52))
		bad(&c, "file too short", 0);
	else
		check_ident(m->loader, f->head, &c);
	if (c.verdict == LM_FIT)
		check_header(m, f, &c);
	*ret = c;
}

/* On these a file without PT_GNU_STACK wants an executable stack. */
bool cv_lm_wants_exec_stack(const struct cv_elf *e)
{
	bool by_default = e->machine == CV_EM_X86_64 || e->machine == CV_EM_386 || e->machine == CV_EM_ARM ||
			  e->machine == CV_EM_S390 || (e->machine == CV_EM_PPC64 && e->big_endian);

	return e->has_stack ? e->exec_stack : by_default;
}

const char *cv_lm_segments(const struct lm_map *m, const struct cv_elf *e, bool is_program)
{
	bool load = false, dynamic = false, empty_dynamic = false;

	for (size_t i = 0; i < e->seg_n; i++) {
		const struct cv_elf_seg *s = &e->segs[i];

		if (s->type == CV_PT_DYNAMIC) {
			dynamic |= s->file_size != 0;
			empty_dynamic |= s->file_size == 0;
		}
		if (s->type != CV_PT_LOAD)
			continue;
		load = true;
		if (m->loader->minor < 35 && (s->align & (PAGE - 1)) != 0)
			return "ELF load command alignment not page-aligned";
		if (m->loader->minor < 35 && ((s->addr - s->offset) & (s->align - 1)) != 0)
			return "ELF load command address/offset not properly aligned";
		if (((s->addr - s->offset) & (PAGE - 1)) != 0)
			return "ELF load command address/offset not page-aligned";
	}
	if (!load)
		return "object file has no loadable segments";
	if (e->type != CV_ET_DYN && !is_program)
		return "cannot dynamically load executable";
	if ((!dynamic && e->type == CV_ET_DYN) || (empty_dynamic && m->loader->minor >= 34))
		return "object file has no dynamic section";
	return NULL;
}

const char *cv_lm_mappable(struct lm_map *m, struct lm_file *f, bool is_dlopen, enum cv_lm_trouble_kind *ret_kind, int *ret_err)
{
	const struct cv_elf *e = f->elf;
	const char *what = cv_lm_segments(m, e, false);

	*ret_kind = CV_LM_T_WRONG_FORMAT;
	*ret_err = 0;
	if (what)
		return what;
	if (e->df1 & CV_DF_1_PIE)
		return "cannot dynamically load position-independent executable";
	if (is_dlopen && e->df1 & DF_1_NOOPEN)
		return "shared object cannot be dlopen()ed";
	if (cv_lm_wants_exec_stack(e) && !m->stack_exec) {
		if (is_dlopen && m->loader->minor >= 41) {
			*ret_kind = CV_LM_T_EXEC_STACK;
			*ret_err = CV_EINVAL;
			return "cannot enable executable stack as shared object requires";
		}
		m->stack_exec = true;
	}
	return NULL;
}

enum { NT_GNU_PROPERTY_TYPE_0 = 5, PROPERTY_MAX = 4096 };
#define X86_ISA_1_NEEDED 0xc0008002u
#define PT_GNU_PROPERTY 0x6474e553u

/* The property of the note's list; 0 if it is not there. */
static uint32_t property(struct cv_elf *e, const struct cv_elf_note *note, uint32_t type)
{
	size_t word = e->is64 ? 8 : 4;
	uint64_t at = 0;

	for (unsigned i = 0; i < PROPERTY_MAX && note->desc_size - at >= 8; i++) {
		unsigned char p[12];
		uint64_t size;

		if (cv_elf_read(e, note->desc_at + at, p, 8) < 0)
			return 0;
		size = cv_elf_u32(e, p + 4);
		if (size > note->desc_size - at - 8)
			return 0;
		if (cv_elf_u32(e, p) == type)
			return size == 4 && cv_elf_read(e, note->desc_at + at + 8, p, 4) == 0 ? cv_elf_u32(e, p) : 0;
		at += 8 + (size + word - 1) / word * word;
		if (at > note->desc_size)
			return 0;
	}
	return 0;
}

/* The property note: a PT_NOTE names it, and PT_GNU_PROPERTY, which loaders before 2.40 do not look at on x86. */
static bool property_note(struct cv_elf *e, unsigned minor, struct cv_elf_note *ret)
{
	for (size_t i = 0; i < e->seg_n && minor >= 40; i++) {
		const struct cv_elf_seg *s = &e->segs[i];
		unsigned char p[16];

		if (s->type != PT_GNU_PROPERTY || s->file_size < sizeof(p) || cv_elf_read(e, s->offset, p, sizeof(p)) < 0)
			continue;
		ret->desc_at = s->offset + sizeof(p);
		ret->desc_size = cv_elf_u32(e, p + 4);
		return cv_elf_u32(e, p) == 4 && cv_elf_u32(e, p + 8) == NT_GNU_PROPERTY_TYPE_0 && memcmp(p + 12, "GNU", 4) == 0 &&
		       ret->desc_size <= s->file_size - sizeof(p);
	}
	return cv_elf_segment_note(e, "GNU", NT_GNU_PROPERTY_TYPE_0, ret) == 0;
}

bool cv_lm_isa_fits(const struct lm_map *m, size_t i)
{
	struct lm_file *f = m->objs.v[i].file;
	struct cv_elf_note note;

	if (m->loader->minor < 33 || m->loader->machine != CV_EM_X86_64 || m->loader->isa == ~0u || !f)
		return true;
	if (!f->have_isa && property_note(f->elf, m->loader->minor, &note))
		f->isa = property(f->elf, &note, X86_ISA_1_NEEDED);
	f->have_isa = true;
	return (f->isa & m->loader->isa) == f->isa;
}
