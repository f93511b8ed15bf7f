/* SPDX-License-Identifier: Apache-2.0 */
/* The document cuvet/arch/1. */
#include "report/arch.h"

#include "base/json.h"

#define SCRATCH_MAX ((size_t)64 << 20)

const char *cv_report_coverage_word(enum cv_coverage c)
{
	switch (c) {
	case CV_COVER_NATIVE:
		return "native";
	case CV_COVER_PTX_JIT:
		return "ptx-jit";
	case CV_COVER_PARTIAL:
		return "partial";
	case CV_COVER_NONE:
		return "none";
	case CV_COVER_NO_CODE:
		break;
	}
	return "no-gpu-code";
}

const char *cv_report_target_text(struct cv_arena *a, struct cv_gpu_target t)
{
	return cv_arena_printf(a, "%s_%u%.1s", t.ptx ? "compute" : "sm", t.arch, t.suffix == 'a' ? "a" : t.suffix == 'f' ? "f" : "");
}

/* Names as cuobjdump prints them: PTX is sm_120 there too, told apart by the list it stands in. */
static void put_targets(struct cv_json *j, struct cv_arena *a, const char *key, const struct cv_code_place *place, bool ptx)
{
	size_t n = ptx ? place->ptx.n : place->cubin.n;
	const struct cv_code_count *v = ptx ? place->ptx.v : place->cubin.v;

	cv_json_karr(j, key);
	for (size_t i = 0; i < n; i++) {
		struct cv_gpu_target t = v[i].target;

		t.ptx = false;
		cv_json_str(j, cv_report_target_text(a, t));
	}
	cv_json_end_arr(j);
}

static void put_cover(struct cv_json *j, const struct cv_arch_gpu *gpu, const struct cv_cover *c)
{
	cv_json_obj(j);
	cv_json_kstr(j, "name", gpu->name);
	cv_json_kstr(j, "cc", gpu->cc);
	cv_json_kstr(j, "verdict", cv_report_coverage_word(c->verdict));
	cv_json_kuint(j, "covered", c->native + c->jit);
	cv_json_kuint(j, "total", c->total);
	cv_json_end_obj(j);
}

static void put_file(struct cv_json *j, struct cv_arena *a, const struct cv_arch *r, const struct cv_arch_file *f)
{
	const struct cv_code_place *place = cv_gpucode_elsewhere_decides(&f->code) ? &f->code.elsewhere : &f->code.own;

	cv_json_obj(j);
	cv_json_kstr(j, "path", f->path);
	if (f->error) {
		cv_json_knull(j, "containers");
		cv_json_kstr(j, "state", "unparsed");
		cv_json_kstr(j, "error", f->error);
		cv_json_end_obj(j);
		return;
	}
	cv_json_kuint(j, "containers", f->code.own.containers);
	cv_json_key(j, "elsewhere");
	if (f->code.looked_elsewhere)
		cv_json_uint(j, f->code.elsewhere.containers);
	else
		cv_json_null(j);
	cv_json_kuint(j, "damaged", f->code.damaged);
	put_targets(j, a, "cubin", place, false);
	put_targets(j, a, "ptx", place, true);
	cv_json_karr(j, "gpus");
	for (size_t i = 0; i < r->gpus.n; i++)
		put_cover(j, &r->gpus.v[i], &f->cover[i]);
	cv_json_end_arr(j);
	cv_json_end_obj(j);
}

int cv_report_arch_json(const struct cv_arch *r, const struct cv_report_head *head, struct cv_buf *out)
{
	struct cv_arena *a = cv_arena_new(SCRATCH_MAX);
	struct cv_json j;

	if (!a)
		return CV_ENOMEM;
	cv_json_init(&j, out, true);
	cv_json_obj(&j);
	cv_json_kstr(&j, "schema", head->schema);
	cv_json_kstr(&j, "cuvet", cv_version());
	cv_json_kstr(&j, "kb_date", head->kb_date);
	cv_json_kstr(&j, "no_gpu", r->no_gpu);
	cv_json_kstr(&j, "driver_ptx_isa", r->ptx_isa);
	cv_json_kuint(&j, "without_code", r->without_code);
	cv_json_karr(&j, "files");
	for (size_t i = 0; i < r->files.n; i++)
		put_file(&j, a, r, &r->files.v[i]);
	cv_json_end_arr(&j);
	cv_json_end_obj(&j);
	cv_arena_free(a);
	return out->err;
}
