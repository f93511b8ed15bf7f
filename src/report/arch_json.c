/* SPDX-License-Identifier: Apache-2.0 */
/* The document cuvet/arch/1. */
#include "report/arch.h"

#include "base/json.h"

#define SCRATCH_MAX ((size_t)64 << 20)
#define SUMMARY_WIDTH 300

struct out {
	struct cv_json j;
	struct cv_arena *a;
	const struct cv_arch *r;
};

static const struct cv_code_count *counts(const struct cv_code_place *place, bool ptx, size_t *ret_n)
{
	*ret_n = ptx ? place->ptx.n : place->cubin.n;
	return ptx ? place->ptx.v : place->cubin.v;
}

/* Names as cuobjdump prints them: PTX is sm_120 there too, told apart by the list it stands in. */
static const char *plain_name(struct out *o, struct cv_gpu_target t)
{
	t.ptx = false;
	return cv_arch_target_text(o->a, t);
}

static void put_targets(struct out *o, const char *key, const struct cv_code_place *place, bool ptx)
{
	size_t n;
	const struct cv_code_count *v = counts(place, ptx, &n);

	cv_json_karr(&o->j, key);
	for (size_t i = 0; i < n; i++)
		cv_json_str(&o->j, plain_name(o, v[i].target));
	cv_json_end_arr(&o->j);
}

static bool same_target(struct cv_gpu_target a, struct cv_gpu_target b)
{
	return a.ptx == b.ptx && a.arch == b.arch && a.suffix == b.suffix;
}

/* The PTX versions in which a target occurs, as major * 10 + minor; 0 stands for one that is not known. */
static void put_isas(struct out *o, const struct cv_code_place *place, struct cv_gpu_target t)
{
	bool has[1000] = { false };

	cv_json_karr(&o->j, "isa");
	for (size_t i = 0; i < place->sets.n; i++)
		for (size_t k = 0; k < place->sets.v[i].n; k++) {
			const struct cv_code_piece *p = &place->sets.v[i].v[k];

			if (same_target(p->target, t) && p->ptx_isa < 1000)
				has[p->ptx_isa] = true;
		}
	for (unsigned i = 1; i < 1000; i++)
		if (has[i])
			cv_json_str(&o->j, cv_arena_printf(o->a, "%u.%u", i / 10, i % 10));
	cv_json_end_arr(&o->j);
}

static void put_code(struct out *o, const struct cv_code_place *place, const char *where)
{
	for (int ptx = 0; ptx < 2; ptx++) {
		size_t n;
		const struct cv_code_count *v = counts(place, ptx, &n);

		for (size_t i = 0; i < n; i++) {
			cv_json_obj(&o->j);
			cv_json_kstr(&o->j, "place", where);
			cv_json_kstr(&o->j, "kind", ptx ? "ptx" : "cubin");
			cv_json_kstr(&o->j, "name", plain_name(o, v[i].target));
			cv_json_kuint(&o->j, "count", v[i].n);
			if (ptx)
				put_isas(o, place, v[i].target);
			cv_json_end_obj(&o->j);
		}
	}
}

static void put_cover(struct out *o, const struct cv_arch_gpu *gpu, const struct cv_arch_file *f, const struct cv_cover *c)
{
	const char *because = cv_arch_because(f, c, o->a);

	cv_json_obj(&o->j);
	cv_json_kstr(&o->j, "name", gpu->name);
	cv_json_kstr(&o->j, "cc", gpu->cc);
	cv_json_kstr(&o->j, "verdict", cv_arch_cover_word(c));
	cv_json_kuint(&o->j, "covered", c->native + c->jit);
	cv_json_kuint(&o->j, "ptx_only", c->jit);
	cv_json_kuint(&o->j, "unsettled", c->open);
	cv_json_kuint(&o->j, "total", c->total);
	if (because)
		cv_json_kstr(&o->j, "because", because);
	cv_json_end_obj(&o->j);
}

static void put_error(struct out *o, const struct cv_arch_file *f)
{
	cv_json_knull(&o->j, "containers");
	cv_json_kstr(&o->j, "state", f->state);
	cv_json_kstr(&o->j, "error", f->error);
}

static void put_file(struct out *o, const struct cv_arch_file *f)
{
	const struct cv_code_place *place = cv_arch_place(f);

	cv_json_obj(&o->j);
	cv_json_kstr(&o->j, "path", f->path);
	if (f->error) {
		put_error(o, f);
		cv_json_end_obj(&o->j);
		return;
	}
	cv_json_kuint(&o->j, "containers", f->code.own.containers);
	cv_json_key(&o->j, "elsewhere");
	if (f->code.looked_elsewhere)
		cv_json_uint(&o->j, f->code.elsewhere.containers);
	else
		cv_json_null(&o->j);
	cv_json_kuint(&o->j, "damaged", f->code.damaged);
	put_targets(o, "cubin", place, false);
	put_targets(o, "ptx", place, true);
	cv_json_karr(&o->j, "code");
	put_code(o, &f->code.own, "sections");
	put_code(o, &f->code.elsewhere, "elsewhere");
	cv_json_end_arr(&o->j);
	cv_json_karr(&o->j, "gpus");
	for (size_t i = 0; i < o->r->gpus.n; i++)
		put_cover(o, &o->r->gpus.v[i], f, &f->cover[i]);
	cv_json_end_arr(&o->j);
	cv_json_end_obj(&o->j);
}

static void put_gpu(struct out *o, size_t i)
{
	struct cv_arch_sum s = cv_arch_sum(o->r, i);

	cv_json_obj(&o->j);
	cv_json_kstr(&o->j, "name", o->r->gpus.v[i].name);
	cv_json_kstr(&o->j, "cc", o->r->gpus.v[i].cc);
	cv_json_kstr(&o->j, "summary", cv_arch_sentence(o->r, i, NULL, SUMMARY_WIDTH, o->a));
	cv_json_kobj(&o->j, "files");
	cv_json_kuint(&o->j, "native", s.native);
	cv_json_kuint(&o->j, "ptx-jit", s.ptx_jit);
	cv_json_kuint(&o->j, "partial", s.partial);
	cv_json_kuint(&o->j, "none", s.none);
	cv_json_kuint(&o->j, "unknown", s.unknown);
	cv_json_end_obj(&o->j);
	cv_json_end_obj(&o->j);
}

static void put_document(struct out *o, const struct cv_report_head *head)
{
	cv_json_obj(&o->j);
	cv_json_kstr(&o->j, "schema", head->schema);
	cv_json_kstr(&o->j, "cuvet", cv_version());
	cv_json_kstr(&o->j, "kb_date", head->kb_date);
	cv_json_kstr(&o->j, "verdict", cv_report_verdict_word(cv_arch_verdict(o->r)));
	cv_json_kstr(&o->j, "no_gpu", o->r->no_gpu);
	cv_json_kstr(&o->j, "driver_ptx_isa", o->r->ptx_isa);
	cv_json_kuint(&o->j, "without_code", o->r->without_code);
	cv_json_karr(&o->j, "gpus");
	for (size_t i = 0; i < o->r->gpus.n; i++)
		put_gpu(o, i);
	cv_json_end_arr(&o->j);
	cv_json_karr(&o->j, "files");
	for (size_t i = 0; i < o->r->files.n; i++)
		put_file(o, &o->r->files.v[i]);
	cv_json_end_arr(&o->j);
	cv_json_end_obj(&o->j);
}

int cv_report_arch_json(const struct cv_arch *r, const struct cv_report_head *head, struct cv_buf *buf)
{
	struct out o = { .a = cv_arena_new(SCRATCH_MAX), .r = r };
	bool failed;

	if (!o.a)
		return CV_ENOMEM;
	cv_json_init(&o.j, buf, true);
	put_document(&o, head);
	failed = cv_arena_failed(o.a);
	cv_arena_free(o.a);
	return buf->err ? buf->err : failed ? CV_ENOMEM : 0;
}
