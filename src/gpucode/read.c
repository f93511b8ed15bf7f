/* SPDX-License-Identifier: Apache-2.0 */
#include "gpucode/gpucode.h"

#include "base/bytes.h"
#include "base/num.h"
#include "gpucode/sets.h"
#include "parse/ar.h"
#include "parse/cubin.h"
#include "parse/elf.h"
#include "parse/fatbin.h"

/*
 * Device linking leaves a cubin without a kernel behind, for nvcc's default architecture (1904 bytes in libcufftw 13.0). It is
 * named like any other and serves no GPU. Only cubins below this size are looked into: larger ones always hold code.
 */
#define SMALL_CUBIN 4096
#define PTX_HEAD_MAX 65536 /* where .version and .target of a PTX text must be */

struct reader {
	struct cv_gpucode *g;
	struct cv_src *src; /* of the walk at hand */
	struct cv_sets sets;
	enum cv_gpucode_where where;
	struct cv_diag *d;
	uint64_t container; /* of the piece added last, in the walk at hand */
	bool open;
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

static int close_container(struct reader *r)
{
	if (!r->open)
		return 0;
	r->open = false;
	return cv_sets_close(&r->sets);
}

static int take_entry(void *cookie, uint64_t container, const struct cv_fatbin_entry *e)
{
	struct reader *r = cookie;
	struct cv_code_piece p = { .target = { .ptx = e->kind == CV_FATBIN_PTX, .arch = e->arch, .suffix = e->suffix } };
	int err;

	if (r->open && container != r->container && (err = close_container(r)) < 0)
		return err;
	r->open = true;
	r->container = container;
	if (e->kind != CV_FATBIN_PTX && e->kind != CV_FATBIN_CUBIN)
		return 0;
	if (e->kind == CV_FATBIN_CUBIN && e->full_size == 0 && e->size < SMALL_CUBIN) {
		bool kernels;

		err = cv_cubin_has_code(r->src, e->at, e->size, &kernels);
		if (err || !kernels)
			return err ? err : cv_sets_name(&r->sets, p.target);
	}
	if (e->kind == CV_FATBIN_PTX && e->ptx_major < 100 && e->ptx_minor < 10)
		p.ptx_isa = (uint16_t)(e->ptx_major * 10 + e->ptx_minor);
	return cv_sets_add(&r->sets, p);
}

static int walk(struct reader *r, struct cv_src *src, uint64_t off, uint64_t len, struct cv_code_place *place)
{
	struct cv_fatbin_sink sink = { take_entry, r };
	struct cv_fatbin_walk w = { 0 };
	int err;

	r->sets.place = place;
	r->src = src;
	err = cv_fatbin_walk(src, off, len, &sink, &w);
	if (err == 0)
		err = close_container(r);
	if (err < 0)
		return err;
	if (w.damaged && r->g->damaged == 0)
		r->g->damaged_at = w.damaged_at;
	r->g->damaged += w.damaged;
	return 0;
}

/* One cubin or PTX text counts as one container. */
static int take_single(struct reader *r, const struct cv_cubin_target *t)
{
	struct cv_code_piece p = { .target = { .ptx = t->ptx_isa != 0, .arch = t->arch, .suffix = t->suffix }, .ptx_isa = t->ptx_isa };
	int err;

	r->sets.place = &r->g->own;
	err = cv_sets_add(&r->sets, p);
	return err == 0 ? cv_sets_close(&r->sets) : err;
}

#define SHF_ALLOC 2
#define SHF_EXECINSTR 4

/* Libraries without a word of GPU code are many; those that hide it have hardly any in the usual sections. */
#define NEXT_TO_NOTHING 4
#define WORTH_A_LOOK ((uint64_t)1 << 20)

static int read_section(struct reader *r, struct cv_elf *e, const struct cv_elf_sec *sec, bool elsewhere)
{
	const char *name;
	int err = cv_elf_sec_name(e, sec, &name);
	bool own;

	if (err < 0)
		return err == CV_EFORMAT ? 0 : err;
	if (sec->type == CV_SHT_NOBITS || !cv_in_range(sec->offset, sec->size, e->src->size))
		return 0;
	own = cv_streq(name, ".nv_fatbin") || cv_streq(name, "__nv_relfatbin");
	if (!elsewhere)
		return own ? walk(r, e->src, sec->offset, sec->size, &r->g->own) : 0;
	if (own || !(sec->flags & SHF_ALLOC) || sec->flags & SHF_EXECINSTR)
		return 0;
	if (r->where == CV_GPUCODE_SECTIONS && sec->size < WORTH_A_LOOK)
		return 0;
	return walk(r, e->src, sec->offset, sec->size, &r->g->elsewhere);
}

static int read_sections(struct reader *r, struct cv_elf *e)
{
	const struct cv_elf_sec *secs;
	size_t n;
	int err = cv_elf_sections(e, &secs, &n);

	for (size_t i = 0; err == 0 && i < n; i++)
		err = read_section(r, e, &secs[i], false);
	/* A file without any place for GPU code is not searched for it. */
	if (err || (r->where == CV_GPUCODE_SECTIONS && (r->g->own.containers == 0 || r->g->own.containers > NEXT_TO_NOTHING)))
		return err;
	r->g->looked_elsewhere = true;
	for (size_t i = 0; err == 0 && i < n; i++)
		err = read_section(r, e, &secs[i], true);
	return err;
}

static int read_elf(struct reader *r, struct cv_src *src)
{
	struct cv_elf *e;
	int err = cv_elf_open(src, r->sets.a, r->d, &e);

	if (err < 0)
		return err;
	if (e->machine == CV_EM_CUDA) {
		struct cv_cubin_target t;

		if (!cv_cubin_target(e->ident[7], e->flags, &t))
			return cv_diag_fail(r->d, CV_ENOTSUP, "%s: cubin of an unknown ABI (0x%02x)", src->name, e->ident[7]);
		return take_single(r, &t);
	}
	return read_sections(r, e);
}

static int read_archive(struct reader *r, struct cv_src *src)
{
	struct cv_ar_iter it;
	uint64_t off, size;
	int err;

	cv_ar_begin(&it, src);
	while ((err = cv_ar_next(&it, r->d, &off, &size)) == 1) {
		struct part p = { .src = { .ops = &part_ops, .size = size, .name = src->name }, .whole = src, .at = off };
		unsigned char magic[4];

		if (size < 64 || cv_src_read(&p.src, 0, magic, 4) < 0 || memcmp(magic, "\177ELF", 4) != 0)
			continue;
		err = read_elf(r, &p.src);
		if (err < 0 && err != CV_EFORMAT && err != CV_ENOTSUP)
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
	if (cv_le32(magic) == 0xBA55ED50u) {
		return walk(r, src, 0, src->size, &r->g->own);
	}
	err = cv_src_slice(src, 0, src->size < PTX_HEAD_MAX ? (size_t)src->size : PTX_HEAD_MAX, r->sets.a, &head);
	if (err < 0)
		return err;
	if (cv_ptx_target(head, &t))
		return take_single(r, &t);
	return cv_diag_fail(r->d, CV_EFORMAT, "%s: offset 0: neither ELF, archive, fatbin nor PTX", src->name);
}

int cv_gpucode_read(struct cv_src *src, enum cv_gpucode_where where, struct cv_arena *a, struct cv_diag *d, struct cv_gpucode *ret)
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
