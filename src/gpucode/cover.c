/* SPDX-License-Identifier: Apache-2.0 */
#include "gpucode/gpucode.h"

/* A GPU counts as served from this share of the containers of the best-served GPU on. */
#define SERVED_PERCENT 2

struct tally {
	uint64_t native, jit;
};

static void count_place(const struct cv_code_place *place, uint16_t cc, uint16_t max_ptx_isa, struct tally *t)
{
	for (size_t i = 0; i < place->sets.n; i++) {
		const struct cv_code_set *set = &place->sets.v[i];
		bool cubin = false, ptx = false;

		for (size_t k = 0; k < set->n; k++) {
			const struct cv_code_piece *p = &set->v[k];

			if (!cv_gpu_target_fits(p->target, cc))
				continue;
			if (!p->target.ptx)
				cubin = true;
			else if (!max_ptx_isa || p->ptx_isa <= max_ptx_isa)
				ptx = true;
		}
		if (cubin)
			t->native += set->containers;
		else if (ptx)
			t->jit += set->containers;
	}
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

struct cv_cover cv_gpucode_cover(const struct cv_gpucode *g, uint16_t cc, uint16_t max_ptx_isa)
{
	struct cv_cover c = { .total = g->own.containers };
	struct tally t = count(g, cc, max_ptx_isa);
	uint64_t most = best(g);

	if (cv_gpucode_elsewhere_decides(g))
		c.total += g->elsewhere.containers;
	c.native = t.native;
	c.jit = t.jit;
	/* counts are at most CV_FATBIN_MAX, so the products cannot overflow */
	if (most == 0)
		c.verdict = CV_COVER_NO_CODE;
	else if (c.native * 100 >= most * SERVED_PERCENT)
		c.verdict = CV_COVER_NATIVE;
	else if ((c.native + c.jit) * 100 >= most * SERVED_PERCENT)
		c.verdict = CV_COVER_PTX_JIT;
	else
		c.verdict = c.native + c.jit ? CV_COVER_PARTIAL : CV_COVER_NONE;
	return c;
}
