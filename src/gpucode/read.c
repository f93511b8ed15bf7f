/* SPDX-License-Identifier: Apache-2.0 */
#include "gpucode/gpucode.h"

#include "base/bytes.h"
#include "base/num.h"
#include "gpucode/walk.h"
#include "parse/ar.h"
#include "parse/cubin.h"
#include "parse/elf.h"

#define PTX_HEAD_MAX 65536 /* where .version and .target of a PTX text must be */
#define NOTE_MAX 65536     /* of a cubin's section that is read whole */
#define SCRATCH_MAX ((size_t)256 << 20)

struct reader {
	struct cv_gpucode *g;
	struct cv_sets sets;
	enum cv_gpucode_where where;
	struct cv_diag *d;
	struct cv_arena *scratch; /* of the object at hand: an archive holds thousands */
	const struct cv_walk_notes *notes; /* of a source that can only be read forwards, or NULL */
	struct cv_walk_options options;
	uint64_t budget; /* bytes that may still be walked of the object at hand */
	bool in_archive;
};

/* A part of a src as a src of its own, so that offsets and alignment are those of the member. */
struct part {
	struct cv_src src;
	struct cv_src *whole;
	uint64_t at;
};

static int part_read_at(struct cv_src *s, uint64_t off, void *buf, size_t len)
{
	struct part *p = (struct part *)s;

	return cv_src_read(p->whole, p->at + off, buf, len);
}

static const struct cv_src_ops part_ops = { .read_at = part_read_at };

static void note_damage(struct reader *r, uint64_t at, uint64_t n)
{
	if (n && r->g->damaged == 0)
		r->g->damaged_at = at;
	r->g->damaged += n;
}

/* What looks like a damaged container elsewhere is most likely none at all. */
static int walk(struct reader *r, struct cv_src *src, uint64_t off, uint64_t len, struct cv_code_place *place)
{
	struct cv_fatbin_walk w = { 0 };
	int err = 0;

	if (len > r->budget)
		return cv_diag_fail(r->d, CV_ELIMIT, "%s: offset %llu: its sections lie over one another", src->name,
				    (unsigned long long)off);
	r->budget -= len;
	r->sets.place = place;
	r->sets.last = 0;
	if (r->notes)
		err = cv_walk_replay(r->notes, off, len, &r->sets, &r->options, &w);
	if (err == 0)
		err = cv_walk(src, off, len, &r->sets, &r->options, &w);
	if (err < 0)
		return err;
	if (place == &r->g->own)
		note_damage(r, w.damaged_at, w.damaged);
	return 0;
}

/* One cubin or PTX text counts as one container. */
static int take_single(struct reader *r, const struct cv_cubin_target *t, bool kernels)
{
	struct cv_code_piece p = {
		.target = { .ptx = t->ptx_isa != 0, .arch = t->arch, .suffix = t->suffix },
		.ptx_isa = t->ptx_isa,
	};
	int err;

	r->sets.place = &r->g->own;
	err = kernels ? cv_sets_add(&r->sets, p) : cv_sets_name(&r->sets, p.target, 1);
	return err == 0 ? cv_sets_close(&r->sets) : err;
}

#define SHF_ALLOC 2
#define SHF_EXECINSTR 4
#define PF_X 1

/* Libraries without a word of GPU code are many; those that hide it have hardly any in the usual sections. */
#define NEXT_TO_NOTHING 4
#define WORTH_A_LOOK ((uint64_t)1 << 20)
/* Up to this many containers a single one is 2 % and can make a verdict. */
#define STRAY_COUNTS 50

static bool is_own(const char *name)
{
	return cv_streq(name, ".nv_fatbin") || cv_streq(name, "__nv_relfatbin");
}

/* A section that ends behind the file, as in a download that broke off, is read as far as it goes. */
static int read_own(struct reader *r, struct cv_elf *e, const struct cv_elf_sec *sec)
{
	uint64_t size = e->src->size;
	const char *name;
	int err = cv_elf_sec_name(e, sec, &name);

	if (err < 0)
		return err == CV_EFORMAT ? 0 : err;
	if (sec->type == CV_SHT_NOBITS || !is_own(name))
		return 0;
	if (cv_in_range(sec->offset, sec->size, size))
		return walk(r, e->src, sec->offset, sec->size, &r->g->own);
	note_damage(r, sec->offset, 1);
	return sec->offset < size ? walk(r, e->src, sec->offset, size - sec->offset, &r->g->own) : 0;
}

static int read_other(struct reader *r, struct cv_elf *e, const struct cv_elf_sec *sec)
{
	const char *name;
	int err = cv_elf_sec_name(e, sec, &name);

	if (err < 0)
		return err == CV_EFORMAT ? 0 : err;
	if (sec->type == CV_SHT_NOBITS || is_own(name) || !(sec->flags & SHF_ALLOC) || sec->flags & SHF_EXECINSTR)
		return 0;
	if (!cv_in_range(sec->offset, sec->size, e->src->size) || (r->where == CV_GPUCODE_SECTIONS && sec->size < WORTH_A_LOOK))
		return 0;
	return walk(r, e->src, sec->offset, sec->size, &r->g->elsewhere);
}

/* Without section headers nothing tells GPU code from other data: all that is loaded and not executed is looked through. */
static int read_segments(struct reader *r, struct cv_elf *e)
{
	int err = 0;

	for (size_t i = 0; err == 0 && i < e->seg_n; i++) {
		const struct cv_elf_seg *s = &e->segs[i];

		if (s->type == CV_PT_LOAD && !(s->flags & PF_X) && cv_in_range(s->offset, s->file_size, e->src->size))
			err = walk(r, e->src, s->offset, s->file_size, &r->g->own);
	}
	return err;
}

static int read_own_sections(struct reader *r, struct cv_elf *e, const struct cv_elf_sec *secs, size_t n)
{
	int err = 0;

	for (size_t i = 0; err == 0 && i < n; i++)
		err = read_own(r, e, &secs[i]);
	/* Of so few containers the one that device linking left behind would count as code for its architecture. */
	if (err || !r->options.ret_small || r->in_archive || r->g->own.containers > STRAY_COUNTS)
		return err;
	r->g->own = (struct cv_code_place){ .containers = 0 };
	r->g->damaged = 0;
	r->options.unmask = true;
	for (size_t i = 0; err == 0 && i < n; i++)
		err = read_own(r, e, &secs[i]);
	r->options.unmask = false;
	return err;
}

static int read_sections(struct reader *r, struct cv_elf *e)
{
	const struct cv_elf_sec *secs;
	size_t n;
	int err = cv_elf_sections(e, &secs, &n);

	if (err < 0)
		return err;
	if (e->damaged & CV_ELF_SECTIONS)
		return CV_EFORMAT;
	if (n == 0)
		return read_segments(r, e);
	err = read_own_sections(r, e, secs, n);
	/* A file without any place for GPU code is not searched for it unasked: an environment has hundreds. */
	if (err || r->g->own.containers > NEXT_TO_NOTHING || (r->where == CV_GPUCODE_SECTIONS && r->g->own.containers == 0))
		return err;
	r->g->looked_elsewhere = true;
	for (size_t i = 0; err == 0 && i < n; i++)
		err = read_other(r, e, &secs[i]);
	return err;
}

/* The bytes of a section, none where it is missing or of an unlikely size. */
static int section_bytes(struct reader *r, struct cv_elf *e, const char *name, struct cv_str *ret)
{
	const struct cv_elf_sec *sec;
	int err = cv_elf_section(e, name, &sec);

	*ret = (struct cv_str){ NULL, 0 };
	if (err == CV_ENOENT)
		return 0;
	if (err < 0 || sec->type == CV_SHT_NOBITS || sec->size > NOTE_MAX || !cv_in_range(sec->offset, sec->size, e->src->size))
		return err < 0 ? err : 0;
	return cv_src_slice(e->src, sec->offset, (size_t)sec->size, r->scratch, ret);
}

static int read_cubin(struct reader *r, struct cv_elf *e)
{
	struct cv_cubin_target t;
	struct cv_str compat, tkinfo;
	bool kernels;
	int err;

	if (!cv_cubin_target(e->ident[7], e->flags, &t))
		return cv_diag_fail(r->d, CV_ENOTSUP, "%s: cubin of an unknown ABI (0x%02x)", e->src->name, e->ident[7]);
	err = section_bytes(r, e, ".nv.compat", &compat);
	if (err == 0)
		err = section_bytes(r, e, ".note.nv.tkinfo", &tkinfo);
	if (err == 0)
		err = cv_cubin_has_code(e->src, 0, e->src->size, &kernels);
	if (err < 0)
		return err;
	if (!t.suffix)
		t.suffix = cv_cubin_suffix(compat, tkinfo, t.arch);
	return take_single(r, &t, kernels);
}

/* The own sections twice and the others once is what honest files need, and sections of those do not lie over one another. */
static uint64_t walk_budget(const struct cv_src *src)
{
	return src->size > UINT64_MAX / 3 ? UINT64_MAX : src->size * 3;
}

static int read_open_elf(struct reader *r, struct cv_src *src)
{
	struct cv_walk_notes notes;
	unsigned char h[20];
	struct cv_elf *e;
	int err = cv_src_read(src, 0, h, sizeof(h));

	r->budget = walk_budget(src);
	/* Before anything at the end of it is asked for. */
	if (err == 0 && src->forward && cv_le16(h + 18) != CV_EM_CUDA) {
		err = cv_walk_note_all(src, r->scratch, &notes);
		r->notes = err == 0 ? &notes : NULL;
	}
	if (err == 0)
		err = cv_elf_open_static(src, r->scratch, r->d, &e);
	if (err == 0)
		err = e->machine == CV_EM_CUDA ? read_cubin(r, e) : read_sections(r, e);
	r->notes = NULL;
	return err;
}

static int read_elf(struct reader *r, struct cv_src *src)
{
	int err;

	r->scratch = cv_arena_new(SCRATCH_MAX);
	if (!r->scratch)
		return CV_ENOMEM;
	err = read_open_elf(r, src);
	cv_arena_free(r->scratch);
	r->scratch = NULL;
	return err;
}

static int read_archive(struct reader *r, struct cv_src *src)
{
	struct cv_ar_iter it;
	uint64_t off, size;
	int err;

	r->in_archive = true;
	cv_ar_begin(&it, src);
	while ((err = cv_ar_next(&it, r->d, &off, &size)) == 1) {
		struct part p = { .src = { .ops = &part_ops, .size = size, .name = src->name }, .whole = src, .at = off };
		unsigned char magic[4];

		if (size < 64 || cv_src_read(&p.src, 0, magic, 4) < 0 || memcmp(magic, "\177ELF", 4) != 0)
			continue;
		err = read_elf(r, &p.src);
		if (err == CV_EFORMAT || err == CV_ENOTSUP)
			note_damage(r, off, 1);
		else if (err < 0)
			return err;
	}
	return err;
}

static int read_any(struct reader *r, struct cv_src *src)
{
	unsigned char magic[4];
	struct cv_cubin_target t;
	struct cv_str head;
	int err;

	if (src->size < 4)
		return cv_diag_fail(r->d, CV_EFORMAT, "%s: offset 0: too short for any object", src->name);
	err = cv_src_read(src, 0, magic, 4);
	if (err < 0)
		return err;
	if (memcmp(magic, "\177ELF", 4) == 0)
		return read_elf(r, src);
	if (cv_ar_is(src))
		return read_archive(r, src);
	r->budget = walk_budget(src);
	if (cv_le32(magic) == CV_FATBIN_MAGIC)
		return walk(r, src, 0, src->size, &r->g->own);
	err = cv_src_slice(src, 0, src->size < PTX_HEAD_MAX ? (size_t)src->size : PTX_HEAD_MAX, r->sets.a, &head);
	if (err < 0)
		return err;
	if (cv_ptx_target(head, &t))
		return take_single(r, &t, true);
	return cv_diag_fail(r->d, CV_EFORMAT, "%s: offset 0: neither ELF, archive, fatbin nor PTX", src->name);
}

int cv_gpucode_read(struct cv_src *src, enum cv_gpucode_where where, struct cv_arena *a, struct cv_diag *d,
		    struct cv_gpucode *ret)
{
	struct cv_gpucode g = { 0 };
	struct reader *r = CV_NEW(a, struct reader);
	int err;

	if (!r)
		return CV_ENOMEM;
	r->g = &g;
	r->sets.a = a;
	r->where = where;
	r->d = d;
	err = read_any(r, src);
	if (err < 0)
		return err;
	*ret = g;
	return 0;
}
