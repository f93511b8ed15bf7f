/* SPDX-License-Identifier: Apache-2.0 */
/* `cuvet arch`: files, wheels and environments in, the GPU code in them and the GPUs that it serves out. */
#include "engine/engine.h"

#include "base/str.h"
#include "engine/archfiles.h"
#include "facts/facts.h"
#include "judge/world.h"
#include "kb/query.h"
#include "report/arch.h"

struct arch_doc {
	struct cv_doc doc;
	struct cv_arch arch;
};

static const struct cv_arch *arch_of(const struct cv_doc *doc)
{
	return &((const struct arch_doc *)doc)->arch;
}

static enum cv_status arch_status(const struct cv_doc *doc, const struct cv_options *opt)
{
	static const enum cv_status statuses[] = {
		[CV_VERDICT_OK] = CV_STATUS_OK,
		[CV_VERDICT_PROBLEM] = CV_STATUS_PROBLEM,
		[CV_VERDICT_CANNOT_TELL] = CV_STATUS_CANNOT_TELL,
	};

	return opt && opt->exit_zero ? CV_STATUS_OK : statuses[cv_arch_verdict(arch_of(doc))];
}

static int arch_terminal(const struct cv_doc *doc, const struct cv_style *style, struct cv_buf *out)
{
	struct cv_report_head head = { .schema = doc->ops->schema, .kb_date = cv_kb_date(doc->kb) };

	return cv_report_arch_terminal(arch_of(doc), &head, style, out);
}

static int arch_json(const struct cv_doc *doc, struct cv_buf *out)
{
	struct cv_report_head head = { .schema = doc->ops->schema, .kb_date = cv_kb_date(doc->kb) };

	return cv_report_arch_json(arch_of(doc), &head, out);
}

static const struct cv_doc_ops arch_ops = {
	.schema = "cuvet/arch/1", .status = arch_status, .terminal = arch_terminal, .json = arch_json
};

/* Each GPU once: a machine with eight of a kind is asked about one. */
static int add_gpu(struct cv_run *run, struct cv_arch *r, const char *name, const char *cc)
{
	struct cv_arch_gpu *g;
	uint16_t number;

	if (!cv_gpu_cc_parse(cc, &number))
		return cv_diag_fail(&run->diag, CV_EINVAL, "'%s': a compute capability like 8.9 is needed", cc);
	for (size_t i = 0; i < r->gpus.n; i++)
		if (r->gpus.v[i].number == number && (!name || (r->gpus.v[i].name && cv_streq(r->gpus.v[i].name, name))))
			return 0;
	g = CV_VEC_PUSH(run->arena, &r->gpus);
	if (!g)
		return CV_ENOMEM;
	/* The number again, so that "08.9" is shown as 8.9. */
	*g = (struct cv_arch_gpu){
		.name = name, .cc = cv_arena_printf(run->arena, "%u.%u", number / 10u, number % 10u), .number = number
	};
	return 0;
}

/* What to type instead of a name that is none. */
static int fail_name(struct cv_run *run, const char *name)
{
	struct cv_strv near = { 0 };
	struct cv_gpu_target t;
	const char *text = "";
	uint16_t cc;

	if (cv_gpu_cc_parse(name, &cc) || (cv_gpu_target_parse(name, &t) && (cc = t.arch) > 0))
		return cv_diag_fail(&run->diag, CV_EINVAL, "'%s': not the name of a GPU; did you mean --cc %u.%u?", name, cc / 10u,
				    cc % 10u);
	cv_kb_gpu_nearest(run->kb, name, run->arena, &near);
	for (size_t i = 0; i < near.n; i++)
		text = cv_arena_printf(run->arena, "%s%s%s", text, i == 0 ? "" : i + 1 == near.n ? " or " : ", ", near.v[i]);
	if (near.n)
		text = cv_arena_printf(run->arena, "did you mean %s?", text);
	else if (strchr(name, ','))
		text = "--gpu takes one name and may be repeated";
	else
		text = "--cc names one by its compute capability";
	return cv_diag_fail(&run->diag, CV_EINVAL, "'%s': not a GPU of this knowledge base (%s); %s", name, cv_kb_date(run->kb),
			    text);
}

#define MEANINGS_MAX 6

/* A few of the products that bear the name, one for each compute capability: "RTX 6000 (7.5)", "RTX 6000 Ada (8.9)", ... */
static int fail_ambiguous(struct cv_run *run, const char *name, const struct cv_strv *candidates)
{
	struct cv_strv shown = { 0 };
	const char *list = "";

	for (size_t i = 0; i < candidates->n && shown.n < MEANINGS_MAX; i++) {
		const char *cc = strrchr(candidates->v[i], '(');

		if (!cc || cv_strv_has(&shown, cc))
			continue;
		list = cv_arena_printf(run->arena, "%s%s%s", list, shown.n ? ", " : "", candidates->v[i]);
		cv_strv_push(run->arena, &shown, cc);
	}
	return cv_diag_fail(&run->diag, CV_EINVAL, "'%s': could be %s%s", name, list, candidates->n > shown.n ? ", ..." : "");
}

static int add_named(struct cv_run *run, struct cv_arch *r, const char *given)
{
	const char *name = cv_str_dup(run->arena, cv_str_trim(cv_str_of(given)));
	struct cv_strv candidates = { 0 };
	struct cv_kb_gpu gpu;
	int err = cv_kb_gpu_by_name(run->kb, name, run->arena, &candidates, &gpu);

	/* Several products can bear the name, all of one compute capability: then it stands as asked. */
	if (err == 0 && gpu.cc)
		return add_gpu(run, r, candidates.n == 1 ? gpu.name : name, gpu.cc);
	if (err != CV_EINVAL)
		return err && err != CV_ENOENT ? err : fail_name(run, name);
	return fail_ambiguous(run, name, &candidates);
}

static int add_ccs(struct cv_run *run, struct cv_arch *r, const char *text)
{
	struct cv_str rest = cv_str_of(text), part;
	int err = 0;

	while (!err && cv_str_split(&rest, ',', &part))
		err = add_gpu(run, r, NULL, cv_str_dup(run->arena, cv_str_trim(part)));
	return err;
}

static int add_machine_gpus(struct cv_run *run, const struct cv_world *w, struct cv_arch *r)
{
	int err = 0;

	for (size_t i = 0; !err && i < w->gpus.n; i++) {
		const struct cv_wgpu *g = &w->gpus.v[i];

		if (g->cc)
			err = add_gpu(run, r, g->label, g->cc);
		else
			r->no_gpu = cv_arena_printf(run->arena, "the compute capability of %s is not known", g->label);
	}
	if (!err && r->gpus.n == 0 && !r->no_gpu)
		r->no_gpu = w->has_gpu == CV_TRI_BAD ? "this machine has no NVIDIA GPU" : "no GPU of this machine is known";
	if (w->driver.api && w->driver.api_exact)
		r->ptx_isa = cv_kb_value(run->kb, "cuda", w->driver.api, "ptx_isa");
	return err;
}

/* The GPUs of the machine that is looked at, and what its driver can compile. */
static int ask_machine(struct cv_run *run, struct cv_view *view, const struct cv_selection *sel, struct cv_arch *r)
{
	struct cv_collect_ctx ctx = { .view = view, .kb = run->kb, .sel = sel, .diag = &run->diag };
	const struct cv_world *w;
	int err;

	ctx.facts = cv_facts_new(run->arena);
	if (!ctx.facts)
		return CV_ENOMEM;
	err = cv_collect_all(&ctx);
	run->diag.n = 0; /* what is broken elsewhere on the machine is not the question */
	if (!err)
		err = cv_facts_freeze(ctx.facts);
	if (err)
		return err;
	w = cv_world_new(ctx.facts, run->kb, run->arena);
	return w ? add_machine_gpus(run, w, r) : CV_ENOMEM;
}

static int asked_gpus(struct cv_run *run, const struct cv_arch_query *q, struct cv_arch *r)
{
	int err = 0;

	for (size_t i = 0; !err && i < q->gpu_n; i++)
		err = add_named(run, r, q->gpus[i]);
	for (size_t i = 0; !err && i < q->cc_n; i++)
		err = add_ccs(run, r, q->ccs[i]);
	return err;
}

static int weigh(struct cv_run *run, struct cv_arch *r)
{
	uint16_t isa = 0;

	if (r->ptx_isa && !cv_gpu_cc_parse(r->ptx_isa, &isa))
		isa = 0;
	for (size_t i = 0; i < r->files.n; i++) {
		struct cv_cover *c = CV_NEW_ARRAY(run->arena, struct cv_cover, r->gpus.n + 1);

		if (!c)
			return CV_ENOMEM;
		for (size_t k = 0; k < r->gpus.n; k++)
			c[k] = cv_gpucode_cover(&r->files.v[i].code, r->gpus.v[k].number, isa);
		r->files.v[i].cover = c;
	}
	return 0;
}

static bool has_code(const struct cv_arch *r)
{
	for (size_t i = 0; i < r->files.n; i++)
		if (!r->files.v[i].error && cv_arch_place(&r->files.v[i])->containers)
			return true;
	return false;
}

static int run_arch(struct cv_run *run, const struct cv_arch_query *q, struct cv_arch *r)
{
	struct cv_selection sel;
	struct cv_view *view;
	int err = cv_run_open(run, &view, &sel);

	if (err)
		return err;
	err = asked_gpus(run, q, r);
	for (size_t i = 0; !err && i < q->path_n; i++)
		err = cv_arch_add_path(run, view, q->paths[i], r);
	/* Without GPU code there is nothing that a GPU would be needed for. */
	if (!err && r->gpus.n == 0 && has_code(r))
		err = ask_machine(run, view, &sel, r);
	if (!err)
		err = weigh(run, r);
	cv_view_free(view);
	return err;
}

int cv_arch(const struct cv_options *opt, const struct cv_arch_query *query, struct cv_doc **ret_doc)
{
	struct arch_doc *doc;
	struct cv_run run;
	int err = cv_run_init(&run, opt);

	if (!err)
		err = cv_run_load_kb(&run);
	if (err)
		return cv_run_fail(&run, err);
	doc = cv_run_doc_new(&run, &arch_ops, sizeof(*doc));
	err = doc ? run_arch(&run, query, &doc->arch) : CV_ENOMEM;
	if (err || cv_arena_failed(run.arena))
		return cv_run_fail(&run, err ? err : CV_ENOMEM);
	*ret_doc = &doc->doc;
	return 0;
}
