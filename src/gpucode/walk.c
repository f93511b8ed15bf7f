/* SPDX-License-Identifier: Apache-2.0 */
#include "gpucode/walk.h"

#include "parse/cubin.h"
#include "parse/fatpack.h"

#define LOOKS_MAX 65536  /* small cubins that are looked into in one source: whoever has more has no stray to tell */
#define SMALL_CUBIN 4096 /* bytes; device linking of nothing leaves 872 to 2300 behind */

static bool runs(const struct cv_fatbin_entry *e)
{
	return e->kind == CV_FATBIN_PTX || e->kind == CV_FATBIN_CUBIN;
}

static struct cv_code_piece piece_of(const struct cv_fatbin_entry *e)
{
	struct cv_code_piece p = { .target = { .ptx = e->kind == CV_FATBIN_PTX, .arch = e->arch, .suffix = e->suffix } };

	if (e->kind == CV_FATBIN_PTX && e->ptx_major < 100 && e->ptx_minor < 10)
		p.ptx_isa = (uint16_t)(e->ptx_major * 10 + e->ptx_minor);
	return p;
}

static bool is_small(const struct cv_fatbin_entry *v, size_t n)
{
	size_t cubins = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i].kind == CV_FATBIN_PTX || v[i].full_size >= SMALL_CUBIN || v[i].size > 2 * SMALL_CUBIN)
			return false;
		cubins += v[i].kind == CV_FATBIN_CUBIN;
	}
	return cubins > 0;
}

/* Does a small cubin hold code? What cannot be unpacked is taken to. */
static int has_code(struct cv_src *src, const struct cv_fatbin_entry *e, bool *ret)
{
	unsigned char packed[2 * SMALL_CUBIN], full[SMALL_CUBIN];
	struct cv_str bytes = { (const char *)packed, (size_t)e->packed_size };
	struct cv_src_mem mem;
	int err;

	if (e->packing == CV_FATBIN_PLAIN)
		return cv_cubin_has_code(src, e->at, e->size, ret);
	*ret = true;
	if (e->packed_size > e->size)
		return 0;
	err = cv_src_read(src, e->at, packed, bytes.n);
	if (err < 0)
		return err;
	if (cv_fatbin_unpack(e->packing, bytes, full, (size_t)e->full_size) < 0)
		return 0;
	return cv_cubin_has_code(cv_src_mem_init(&mem, full, (size_t)e->full_size, src->name), 0, e->full_size, ret);
}

/* Is there no code in any of them? */
static int is_bare(struct cv_src *src, const struct cv_fatbin_entry *v, size_t n, bool *ret)
{
	bool code = false;

	for (size_t i = 0; i < n && !code; i++) {
		int err = v[i].kind == CV_FATBIN_CUBIN ? has_code(src, &v[i], &code) : 0;

		if (err < 0)
			return err;
	}
	*ret = !code;
	return 0;
}

static int add(struct cv_sets *sets, struct cv_code_piece p, bool bare)
{
	return bare ? cv_sets_name(sets, p.target, 1) : cv_sets_add(sets, p);
}

struct direct {
	struct cv_src *src;
	struct cv_sets *sets;
	struct cv_walk_options *o;
};

static int take_container(void *cookie, uint64_t at, uint64_t end, const struct cv_fatbin_entry *v, size_t n)
{
	struct direct *d = cookie;
	bool small = is_small(v, n), bare = false;
	int err = small && d->o->unmask ? is_bare(d->src, v, n, &bare) : 0;

	(void)at;
	(void)end;
	d->o->ret_small |= small;
	for (size_t i = 0; err == 0 && i < n; i++)
		if (runs(&v[i]))
			err = add(d->sets, piece_of(&v[i]), bare);
	return err == 0 ? cv_sets_close(d->sets) : err;
}

int cv_walk(struct cv_src *src, uint64_t off, uint64_t len, struct cv_sets *sets, struct cv_walk_options *o,
	    struct cv_fatbin_walk *walk)
{
	struct direct d = { src, sets, o };
	struct cv_fatbin_sink sink = { .container = take_container, .cookie = &d };

	return cv_fatbin_walk(src, off, len, &sink, walk);
}

struct noting {
	struct cv_src *src;
	struct cv_arena *a;
	struct cv_walk_notes *notes;
	uint64_t looked; /* cubins looked into */
};

static int note_container(void *cookie, uint64_t at, uint64_t end, const struct cv_fatbin_entry *v, size_t n)
{
	struct noting *t = cookie;
	struct cv_walk_note *c = CV_VEC_PUSH(t->a, &t->notes->containers);
	int err = 0;

	if (!c)
		return CV_ENOMEM;
	*c = (struct cv_walk_note){ .at = at, .end = end, .first = t->notes->pieces.n, .small = is_small(v, n) };
	if (c->small && t->looked < LOOKS_MAX) {
		t->looked += n;
		err = is_bare(t->src, v, n, &c->bare);
	}
	for (size_t i = 0; err == 0 && i < n; i++) {
		struct cv_code_piece *p = runs(&v[i]) ? CV_VEC_PUSH(t->a, &t->notes->pieces) : NULL;

		if (!runs(&v[i]))
			continue;
		if (!p)
			return CV_ENOMEM;
		*p = piece_of(&v[i]);
		c->n++;
	}
	return err;
}

static int note_damage(void *cookie, uint64_t at)
{
	struct noting *t = cookie;
	uint64_t *slot = CV_VEC_PUSH(t->a, &t->notes->damaged);

	if (!slot)
		return CV_ENOMEM;
	*slot = at;
	return 0;
}

int cv_walk_note_all(struct cv_src *src, struct cv_arena *a, struct cv_walk_notes *ret)
{
	struct cv_walk_notes notes = { .containers = { 0 } };
	struct noting t = { .src = src, .a = a, .notes = &notes };
	struct cv_fatbin_sink sink = { .container = note_container, .cookie = &t, .damaged = note_damage };
	struct cv_fatbin_walk walk = { 0 };
	int err = cv_fatbin_walk(src, 0, src->size, &sink, &walk);

	if (err < 0)
		return err;
	*ret = notes;
	return 0;
}

/* Index of the first container at or behind off; they are in file order and do not overlap. */
static size_t first_from(const struct cv_walk_notes *notes, uint64_t off)
{
	size_t low = 0, high = notes->containers.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (notes->containers.v[mid].at < off)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Does a container begin before at and end behind it? */
static bool is_inside(const struct cv_walk_notes *notes, uint64_t at)
{
	size_t i = first_from(notes, at);

	return i > 0 && notes->containers.v[i - 1].end > at;
}

/* Damage is damage in any part that holds it: the bounds of a part are narrower than those of the file. */
static void replay_damage(const struct cv_walk_notes *notes, uint64_t off, uint64_t len, struct cv_fatbin_walk *walk)
{
	for (size_t i = 0; i < notes->damaged.n; i++) {
		uint64_t at = notes->damaged.v[i];

		if (at >= off && at - off < len && len - (at - off) >= CV_FATBIN_HEADER && walk->damaged++ == 0)
			walk->damaged_at = at;
	}
}

int cv_walk_replay(const struct cv_walk_notes *notes, uint64_t off, uint64_t len, struct cv_sets *sets, struct cv_walk_options *o,
		   struct cv_fatbin_walk *walk)
{
	if (is_inside(notes, off) || is_inside(notes, off + len))
		return 0;
	replay_damage(notes, off, len, walk);
	for (size_t i = first_from(notes, off); i < notes->containers.n && notes->containers.v[i].at < off + len; i++) {
		const struct cv_walk_note *c = &notes->containers.v[i];
		int err = 0;

		o->ret_small |= c->small;
		for (size_t k = 0; err == 0 && k < c->n; k++)
			err = add(sets, notes->pieces.v[c->first + k], o->unmask && c->bare);
		if (err == 0)
			err = cv_sets_close(sets);
		if (err < 0)
			return err;
	}
	return 1;
}
