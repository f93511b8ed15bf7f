/* SPDX-License-Identifier: Apache-2.0 */
#include "gpucode/gpucode.h"

/* A GPU counts as served from this share of the containers of the best-served GPU on. */
#define SERVED_PERCENT 2

struct tally {
	uint64_t native, jit, open;
};

/* The best that a container offers to the GPU. */
static void count_set(const struct cv_code_set *set, uint16_t cc, uint16_t max_ptx_isa, struct tally *t)
{
	bool cubin = false, ptx = false, open = false;

	for (size_t i = 0; i < set->n; i++) {
		const struct cv_code_piece *p = &set->v[i];
		enum cv_fit fit = cv_gpu_target_fit(p->target, cc);

		if (fit == CV_FIT_NO || (p->target.ptx && max_ptx_isa && p->ptx_isa > max_ptx_isa))
			continue;
		open |= fit == CV_FIT_OPEN;
		cubin |= fit == CV_FIT_YES && !p->target.ptx;
		ptx |= fit == CV_FIT_YES && p->target.ptx;
	}
	if (cubin)
		t->native += set->containers;
	else if (ptx)
		t->jit += set->containers;
	else if (open)
		t->open += set->containers;
}

static void count_place(const struct cv_code_place *place, uint16_t cc, uint16_t max_ptx_isa, struct tally *t)
{
	for (size_t i = 0; i < place->sets.n; i++)
		count_set(&place->sets.v[i], cc, max_ptx_isa, t);
}

bool cv_gpucode_elsewhere_decides(const struct cv_gpucode *g)
{
	return g->elsewhere.containers > g->own.containers;
}

static struct tally count(const struct cv_gpucode *g, uint16_t cc, uint16_t max_ptx_isa)
{
	struct tally t = { 0 };

	count_place(&g->own, cc, max_ptx_isa, &t);
	if (cv_gpucode_elsewhere_decides(g))
		count_place(&g->elsewhere, cc, max_ptx_isa, &t);
	return t;
}

/* The most containers that any GPU gets: only architectures that the file names can be the best. */
static uint64_t best(const struct cv_gpucode *g)
{
	const struct cv_code_place *place = cv_gpucode_elsewhere_decides(g) ? &g->elsewhere : &g->own;
	uint64_t most = 0;

	for (int kind = 0; kind < 2; kind++) {
		size_t n = kind ? place->ptx.n : place->cubin.n;
		const struct cv_code_count *v = kind ? place->ptx.v : place->cubin.v;

		for (size_t i = 0; i < n; i++) {
			struct tally t = count(g, v[i].target.arch, 0);

			if (t.native + t.jit > most)
				most = t.native + t.jit;
		}
	}
	return most;
}

static enum cv_coverage weigh(uint64_t native, uint64_t jit, uint64_t most)
{
	/* counts are at most CV_FATBIN_MAX, so the products cannot overflow */
	if (native * 100 >= most * SERVED_PERCENT)
		return CV_COVER_NATIVE;
	if ((native + jit) * 100 >= most * SERVED_PERCENT)
		return CV_COVER_PTX_JIT;
	return native + jit ? CV_COVER_PARTIAL : CV_COVER_NONE;
}

struct cv_cover cv_gpucode_cover(const struct cv_gpucode *g, uint16_t cc, uint16_t max_ptx_isa)
{
	struct tally t = count(g, cc, max_ptx_isa);
	struct cv_cover c = { .native = t.native, .jit = t.jit, .open = t.open, .total = g->own.containers };
	uint64_t most = best(g);

	if (cv_gpucode_elsewhere_decides(g))
		c.total += g->elsewhere.containers;
	if (most) {
		c.verdict = weigh(t.native, t.jit, most);
		c.unsettled = weigh(t.native, t.jit + t.open, most) != c.verdict;
	}
	c.unsettled = c.verdict < CV_COVER_PTX_JIT && (c.unsettled || g->damaged);
	return c;
}
