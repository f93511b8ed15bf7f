/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes: u32 name size, u32 description size, u32 type, name, description; the last two padded to the alignment, which is 4 and
 * in segments and sections aligned to 8 is 8 (GNU properties).
 */
#include "parse/elf_priv.h"

#include "base/num.h"

#define NAME_MAX_ 256                      /* longer names are passed over */
#define BYTES_MAX ((uint64_t)4 << 20)      /* of all notes of a file */
#define BUILD_ID_MAX 64
#define NT_GNU_BUILD_ID 3

struct walk {
	struct cv_elf *e;
	cv_elf_note_fn *fn;
	void *cookie;
	uint64_t bytes;
	unsigned notes;
};

static uint64_t align_up(uint64_t v, uint64_t align)
{
	return (v + align - 1) / align * align;
}

/* One note at off, room bytes before the end; *ret_size is what it takes up. */
static int one_note(struct walk *w, uint64_t off, uint64_t room, uint64_t align, uint64_t *ret_size)
{
	struct cv_elf *e = w->e;
	unsigned char head[12];
	char name[NAME_MAX_];
	struct cv_elf_note note;
	uint64_t name_size, desc;
	int r = cv_elf_read(e, off, head, sizeof(head));

	if (r < 0)
		return r;
	name_size = cv_elf_u32(e, head);
	note.desc_size = cv_elf_u32(e, head + 4);
	note.type = cv_elf_u32(e, head + 8);
	if (name_size == 0) { /* no note lacks a name: this is padding, of any number of words */
		*ret_size = 4;
		return 0;
	}
	desc = align_up(sizeof(head) + name_size, align);
	if (desc > room || note.desc_size > room - desc)
		return CV_EFORMAT;
	*ret_size = align_up(desc + note.desc_size, align);
	if (name_size > sizeof(name))
		return 0;
	if (++w->notes > CV_ELF_NOTES_MAX)
		return CV_ELIMIT;
	r = cv_elf_read(e, off + sizeof(head), name, (size_t)name_size);
	if (r < 0)
		return r;
	note.name = (struct cv_str){ name, strnlen(name, (size_t)name_size) };
	note.desc_at = off + desc;
	return w->fn(w->cookie, &note);
}

static int walk_range(struct walk *w, uint64_t off, uint64_t size, uint64_t align)
{
	struct cv_elf *e = w->e;
	uint64_t pos = 0;
	int r = 0;

	align = align == 8 ? 8 : 4;
	if (!cv_in_range(off, size, e->src->size))
		return cv_elf_damage(e, CV_ELF_NOTES, CV_EFORMAT, off, "notes reach beyond the end of the file");
	if (size > BYTES_MAX - w->bytes)
		return cv_elf_damage(e, CV_ELF_NOTES, CV_ELIMIT, off, "too many bytes of notes");
	w->bytes += size;
	while (r == 0 && pos < size && size - pos >= 12) {
		uint64_t step;

		r = one_note(w, off + pos, size - pos, align, &step);
		if (r == CV_EFORMAT || r == CV_ELIMIT)
			return cv_elf_damage(e, CV_ELF_NOTES, r, off + pos, "a note is damaged");
		if (r == 0)
			pos += step;
	}
	return r;
}

static bool in_note_segment(const struct cv_elf *e, const struct cv_elf_sec *s)
{
	for (size_t i = 0; i < e->seg_n; i++) {
		const struct cv_elf_seg *g = &e->segs[i];

		if (g->type == CV_PT_NOTE && s->offset >= g->offset && cv_in_range(s->offset - g->offset, s->size, g->file_size))
			return true;
	}
	return false;
}

/* annobin's notes for build tools: thousands of them, none for us. */
static int is_build_attributes(struct cv_elf *e, const struct cv_elf_sec *s)
{
	static const char name[] = ".gnu.build.attributes";
	const struct cv_elf_lazy *l = e->lazy;
	char head[sizeof(name) - 1];
	int r;

	if (s->name_at >= l->names_size || l->names_size - s->name_at < sizeof(head))
		return 0;
	r = cv_elf_read(e, l->names_at + s->name_at, head, sizeof(head));
	return r < 0 ? r : memcmp(head, name, sizeof(head)) == 0;
}

static int walk_segments(struct walk *w)
{
	const struct cv_elf *e = w->e;
	int r = 0;

	for (size_t i = 0; r == 0 && i < e->seg_n; i++)
		if (e->segs[i].type == CV_PT_NOTE)
			r = walk_range(w, e->segs[i].offset, e->segs[i].file_size, e->segs[i].align);
	return r;
}

int cv_elf_segment_notes(struct cv_elf *e, cv_elf_note_fn *fn, void *cookie)
{
	return walk_segments(&(struct walk){ .e = e, .fn = fn, .cookie = cookie });
}

int cv_elf_notes(struct cv_elf *e, cv_elf_note_fn *fn, void *cookie)
{
	struct walk w = { .e = e, .fn = fn, .cookie = cookie };
	const struct cv_elf_sec *v;
	size_t n;
	int r = walk_segments(&w);

	if (r == 0)
		r = cv_elf_sections(e, &v, &n);
	for (size_t i = 0; r == 0 && i < n; i++) {
		if (v[i].type != CV_SHT_NOTE || in_note_segment(e, &v[i]))
			continue;
		r = is_build_attributes(e, &v[i]);
		if (r == 0)
			r = walk_range(&w, v[i].offset, v[i].size, v[i].align);
		else if (r == 1)
			r = 0;
	}
	return r;
}

int cv_elf_notes_of(struct cv_elf *e, const struct cv_elf_sec *sec, cv_elf_note_fn *fn, void *cookie)
{
	struct walk w = { .e = e, .fn = fn, .cookie = cookie };

	return sec->type == CV_SHT_NOBITS ? 0 : walk_range(&w, sec->offset, sec->size, sec->align);
}

struct wanted {
	const char *name;
	uint32_t type;
	struct cv_elf_note *ret;
};

static int match_note(void *cookie, const struct cv_elf_note *note)
{
	struct wanted *w = cookie;

	if (note->type != w->type || !cv_str_is(note->name, w->name))
		return 0;
	*w->ret = *note;
	w->ret->name = cv_str_of(w->name);
	return 1;
}

typedef int notes_fn(struct cv_elf *e, cv_elf_note_fn *fn, void *cookie);

static int first_note(struct cv_elf *e, notes_fn *notes, const char *name, uint32_t type, struct cv_elf_note *ret)
{
	struct cv_elf_note found;
	struct wanted w = { name, type, &found };
	int r = notes(e, match_note, &w);

	if (r == 1)
		*ret = found;
	return r == 1 ? 0 : r == 0 ? CV_ENOENT : r;
}

int cv_elf_note(struct cv_elf *e, const char *name, uint32_t type, struct cv_elf_note *ret)
{
	return first_note(e, cv_elf_notes, name, type, ret);
}

int cv_elf_segment_note(struct cv_elf *e, const char *name, uint32_t type, struct cv_elf_note *ret)
{
	return first_note(e, cv_elf_segment_notes, name, type, ret);
}

int cv_elf_build_id(struct cv_elf *e, const char **ret)
{
	static const char digits[] = "0123456789abcdef";
	struct cv_elf_note note = { 0 };
	unsigned char id[BUILD_ID_MAX];
	char *s;
	int r = cv_elf_note(e, "GNU", NT_GNU_BUILD_ID, &note);

	if (r < 0)
		return r;
	if (note.desc_size == 0 || note.desc_size > sizeof(id))
		return CV_EFORMAT;
	r = cv_elf_read(e, note.desc_at, id, (size_t)note.desc_size);
	if (r < 0)
		return r;
	s = cv_arena_alloc(e->arena, 2 * (size_t)note.desc_size + 1);
	if (!s)
		return CV_ENOMEM;
	for (size_t i = 0; i < note.desc_size; i++) {
		s[2 * i] = digits[id[i] >> 4];
		s[2 * i + 1] = digits[id[i] & 15];
	}
	*ret = s;
	return 0;
}
