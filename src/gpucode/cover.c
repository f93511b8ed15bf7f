/* SPDX-License-Identifier: Apache-2.0 */
#include "gpucode/gpucode.h"

/* A GPU counts as served from this share of the containers of the best-served GPU on. */
#define SERVED_PERCENT 2

static void count(const struct cv_gpucode *g, uint16_t cc, uint16_t max_ptx_isa, uint64_t *native, uint64_t *jit)
{
	*native = *jit = 0;
	for (size_t i = 0; i < g->sets.n; i++) {
		const struct cv_code_set *set = &g->sets.v[i];
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
			*native += set->containers;
		else if (ptx)
			*jit += set->containers;
	}
}

/* The most containers that any GPU gets: only architectures that the file names can be the best. */
static uint64_t best(const struct cv_gpucode *g)
{
	uint64_t most = 0;

	for (int kind = 0; kind < 2; kind++) {
		size_t n = kind ? g->ptx.n : g->cubin.n;
		const struct cv_code_count *v = kind ? g->ptx.v : g->cubin.v;

		for (size_t i = 0; i < n; i++) {
			uint64_t native, jit;

			count(g, v[i].target.arch, 0, &native, &jit);
			if (native + jit > most)
				most = native + jit;
		}
	}
	return most;
}

struct cv_cover cv_gpucode_cover(const struct cv_gpucode *g, uint16_t cc, uint16_t max_ptx_isa)
{
	struct cv_cover c = { .total = g->containers + g->elsewhere };
	uint64_t most = best(g);

	if (g->sets.n == 0 || most == 0) {
		c.verdict = CV_COVER_NO_CODE;
		return c;
	}
	count(g, cc, max_ptx_isa, &c.native, &c.jit);
	/* counts are at most CV_FATBIN_MAX, so the products cannot overflow */
	if (c.native * 100 >= most * SERVED_PERCENT)
		c.verdict = CV_COVER_NATIVE;
	else if ((c.native + c.jit) * 100 >= most * SERVED_PERCENT)
		c.verdict = CV_COVER_PTX_JIT;
	else
		c.verdict = c.native + c.jit ? CV_COVER_PARTIAL : CV_COVER_NONE;
	return c;
}
