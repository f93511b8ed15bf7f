/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/weigh.h"

#include "gpucode/codetext.h"

/* Every target once, in the order of the first set that has it. */
static const char *list_of(const struct cv_code_place *place, struct cv_arena *a)
{
	const char *list = "";

	for (int kind = 0; kind < 2; kind++) {
		size_t n = kind ? place->ptx.n : place->cubin.n;
		const struct cv_code_count *v = kind ? place->ptx.v : place->cubin.v;

		for (size_t i = 0; i < n; i++) {
			const struct cv_gpu_target *t = &v[i].target;
			char suffix[2] = { t->suffix, '\0' };

			list = cv_arena_printf(a, "%s%s%s_%u%s", list, *list ? " " : "", t->ptx ? "compute" : "sm", t->arch,
					       suffix);
		}
	}
	return list;
}

bool cv_file_code_of(const struct cv_facts *facts, const char *path, struct cv_arena *a, struct cv_file_code *ret)
{
	const struct cv_subject *s = path ? cv_facts_find(facts, CV_KIND_code, path) : NULL;
	struct cv_file_code f = { .s = s };

	if (!cv_fact_known(s, CV_F_code_sets) || cv_codetext_read(cv_fact_list(s, CV_F_code_sets), a, &f.code.own))
		return false;
	f.code.looked_elsewhere = cv_fact_known(s, CV_F_code_elsewhere_sets);
	if (f.code.looked_elsewhere && cv_codetext_read(cv_fact_list(s, CV_F_code_elsewhere_sets), a, &f.code.elsewhere))
		return false;
	if (!f.code.own.containers && !f.code.elsewhere.containers)
		return false;
	f.list = list_of(cv_gpucode_elsewhere_decides(&f.code) ? &f.code.elsewhere : &f.code.own, a);
	*ret = f;
	return true;
}

static enum cv_code code_of(enum cv_coverage v)
{
	switch (v) {
	case CV_COVER_NATIVE:
		return CV_CODE_NATIVE;
	case CV_COVER_PTX_JIT:
		return CV_CODE_PTX_JIT;
	case CV_COVER_PARTIAL:
		return CV_CODE_PARTIAL;
	case CV_COVER_NONE:
	case CV_COVER_NO_CODE:
		break;
	}
	return CV_CODE_NONE;
}

/* Containers that hold a cubin of this target; the counts of a place that was read from texts are per set. */
static uint64_t containers_with(const struct cv_code_place *place, const struct cv_gpu_target *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < place->sets.n; i++)
		for (size_t k = 0; k < place->sets.v[i].n; k++) {
			const struct cv_gpu_target *have = &place->sets.v[i].v[k].target;

			if (have->arch == t->arch && have->suffix == t->suffix && have->ptx == t->ptx) {
				n += place->sets.v[i].containers;
				break;
			}
		}
	return n;
}

/* The oldest target that is no stray: a file's range is that of what it was built for. */
static struct cv_cc oldest_served(const struct cv_gpucode *g, struct cv_cc dflt)
{
	const struct cv_code_place *place = cv_gpucode_elsewhere_decides(g) ? &g->elsewhere : &g->own;
	uint64_t most = 0;

	for (size_t i = 0; i < place->cubin.n; i++) {
		uint64_t n = containers_with(place, &place->cubin.v[i].target);

		most = n > most ? n : most;
	}
	for (size_t i = 0; i < place->cubin.n; i++)
		if (containers_with(place, &place->cubin.v[i].target) * 100 >= most * 2)
			return (struct cv_cc){ place->cubin.v[i].target.arch / 10u, place->cubin.v[i].target.arch % 10u };
	return dflt;
}

struct cv_code_match cv_weigh(const struct cv_file_code *f, struct cv_cc gpu, struct cv_ptx_limit limit)
{
	uint16_t cc = (uint16_t)(gpu.major * 10 + gpu.minor);
	/* By the rules alone, PTX taken for good: tells the range of the list, and cases that are open. */
	struct cv_code_match m = cv_code_match(f->list, gpu, CV_TRI_OK);
	struct cv_cover any = cv_gpucode_cover(&f->code, cc, 0), now = cv_gpucode_cover(&f->code, cc, limit.isa);

	if (m.code == CV_CODE_UNKNOWN)
		return m;
	m.covered = now.native + now.jit;
	m.total = now.total;
	m.only_ptx = any.verdict == CV_COVER_PTX_JIT;
	m.min = oldest_served(&f->code, m.min);
	/* Where cubins are open (Tegra) and PTX is not, PTX it is. */
	m.code = m.code == CV_CODE_PTX_JIT && now.verdict == CV_COVER_NATIVE ? CV_CODE_PTX_JIT : code_of(now.verdict);
	/* PTX whose version the driver may or may not know. */
	if (m.only_ptx && (!limit.isa || (m.code != CV_CODE_PTX_JIT && !limit.exact)))
		m.code = CV_CODE_UNKNOWN;
	if (m.only_ptx && m.code == CV_CODE_PARTIAL)
		m.code = CV_CODE_NONE;
	return m;
}
