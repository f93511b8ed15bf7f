/* SPDX-License-Identifier: Apache-2.0 */
/* Section headers. Numbers too large for the ELF header stand in the first section header (gABI, "extended numbering"). */
#include "parse/elf_priv.h"

#include "base/num.h"

#define SHN_XINDEX 0xffff

static int read_sec(struct cv_elf *e, uint64_t i, struct cv_elf_sec *s)
{
	const struct cv_elf_lazy *l = e->lazy;
	unsigned char p[64];
	uint64_t off;
	int r;

	if (!cv_add(l->section_at, i * l->section_size, &off))
		return CV_EFORMAT;
	r = cv_elf_read(e, off, p, e->is64 ? 64 : 40);
	if (r < 0)
		return r;
	s->name_at = cv_elf_u32(e, p);
	s->type = cv_elf_u32(e, p + 4);
	s->flags = cv_elf_word(e, p + 8);
	if (e->is64) {
		s->addr = cv_elf_u64(e, p + 16);
		s->offset = cv_elf_u64(e, p + 24);
		s->size = cv_elf_u64(e, p + 32);
		s->link = cv_elf_u32(e, p + 40);
		s->info = cv_elf_u32(e, p + 44);
		s->align = cv_elf_u64(e, p + 48);
		s->entry_size = cv_elf_u64(e, p + 56);
	} else {
		s->addr = cv_elf_u32(e, p + 12);
		s->offset = cv_elf_u32(e, p + 16);
		s->size = cv_elf_u32(e, p + 20);
		s->link = cv_elf_u32(e, p + 24);
		s->info = cv_elf_u32(e, p + 28);
		s->align = cv_elf_u32(e, p + 32);
		s->entry_size = cv_elf_u32(e, p + 36);
	}
	return 0;
}

static void find_names(struct cv_elf *e, uint64_t index)
{
	struct cv_elf_lazy *l = e->lazy;
	const struct cv_elf_sec *s;

	if (index == 0 || index >= l->sections_n)
		return;
	s = &l->sections[index];
	if (s->type == CV_SHT_NOBITS || s->offset >= e->src->size)
		return;
	l->names_at = s->offset;
	l->names_size = s->size < e->src->size - s->offset ? s->size : e->src->size - s->offset;
}

static int load_sections(struct cv_elf *e)
{
	struct cv_elf_lazy *l = e->lazy;
	struct cv_elf_sec first;
	uint64_t n = l->section_n;
	int r;

	if (l->section_at == 0)
		return 0;
	if (l->section_size < (e->is64 ? 64 : 40))
		return cv_elf_damage(e, CV_ELF_SECTIONS, CV_EFORMAT, l->section_at, "section headers of a wrong size");
	r = read_sec(e, 0, &first);
	if (r < 0)
		return cv_elf_damage(e, CV_ELF_SECTIONS, r, l->section_at, "the section headers lie beyond the end of the file");
	if (n == 0)
		n = first.size;
	if (n > CV_ELF_SECS_MAX || n > (e->src->size - l->section_at) / l->section_size) {
		n = (e->src->size - l->section_at) / l->section_size;
		n = n < CV_ELF_SECS_MAX ? n : CV_ELF_SECS_MAX;
		cv_elf_damage(e, CV_ELF_SECTIONS, CV_EFORMAT, l->section_at, "too many section headers for the file");
	}
	l->sections = CV_NEW_ARRAY(e->arena, struct cv_elf_sec, n);
	if (!l->sections)
		return CV_ENOMEM;
	for (; l->sections_n < n; l->sections_n++) {
		r = read_sec(e, l->sections_n, &l->sections[l->sections_n]);
		if (r < 0)
			return cv_elf_damage(e, CV_ELF_SECTIONS, r, l->section_at, "the section headers are cut off");
	}
	find_names(e, l->name_section == SHN_XINDEX ? first.link : l->name_section);
	return 0;
}

int cv_elf_sections(struct cv_elf *e, const struct cv_elf_sec **ret, size_t *ret_n)
{
	struct cv_elf_lazy *l = e->lazy;

	if (!l->have_sections) {
		int r;

		l->sections_n = 0;
		r = load_sections(e);
		if (r < 0)
			return r;
		l->have_sections = true;
	}
	*ret = l->sections;
	*ret_n = l->sections_n;
	return 0;
}

int cv_elf_sec_name(struct cv_elf *e, const struct cv_elf_sec *sec, const char **ret)
{
	const struct cv_elf_lazy *l = e->lazy;

	if (sec->name_at >= l->names_size)
		return CV_EFORMAT;
	return cv_elf_text(e, l->names_at + sec->name_at, l->names_size - sec->name_at, ret);
}

int cv_elf_section(struct cv_elf *e, const char *name, const struct cv_elf_sec **ret)
{
	const struct cv_elf_lazy *l = e->lazy;
	const struct cv_elf_sec *v;
	size_t n, len = strlen(name);
	int r = cv_elf_sections(e, &v, &n);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		if (v[i].name_at >= l->names_size)
			continue;
		r = cv_elf_text_is(e, l->names_at + v[i].name_at, l->names_size - v[i].name_at, name, len);
		if (r < 0)
			return r;
		if (r) {
			*ret = &v[i];
			return 0;
		}
	}
	return CV_ENOENT;
}
