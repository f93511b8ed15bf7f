/* SPDX-License-Identifier: Apache-2.0 */
/* `cuvet ld`: what the dynamic loader of the root would take for programs and libraries. */
#include "engine/engine.h"

#include "base/str.h"
#include "collect/scene.h"
#include "engine/ldscn.h"

struct ld_doc {
	struct cv_doc doc;
	struct cv_ld ld;
};

static const struct cv_ld *ld_of(const struct cv_doc *doc)
{
	return &((const struct ld_doc *)doc)->ld;
}

/* CONTRACT: 1 missing, version error, fatal undefined; 3 a file could not be read. */
static enum cv_status ld_status(const struct cv_doc *doc, const struct cv_options *opt)
{
	bool bad = false, unknown = false;

	for (size_t i = 0; i < ld_of(doc)->maps.n; i++) {
		bad |= cv_report_ld_bad(&ld_of(doc)->maps.v[i]);
		unknown |= cv_report_ld_unknown(&ld_of(doc)->maps.v[i]);
	}
	if (opt && opt->exit_zero)
		return CV_STATUS_OK;
	return bad ? CV_STATUS_PROBLEM : unknown ? CV_STATUS_CANNOT_TELL : CV_STATUS_OK;
}

static int ld_terminal(const struct cv_doc *doc, const struct cv_style *style, struct cv_buf *out)
{
	struct cv_report_head head = { .schema = doc->ops->schema, .kb_date = cv_kb_date(doc->kb) };

	return cv_report_ld_terminal(ld_of(doc), &head, style, out);
}

static int ld_json(const struct cv_doc *doc, struct cv_buf *out)
{
	struct cv_report_head head = { .schema = doc->ops->schema, .kb_date = cv_kb_date(doc->kb) };

	return cv_report_ld_json(ld_of(doc), &head, out);
}

static const struct cv_doc_ops ld_ops = {
	.schema = "cuvet/ld/1", .status = ld_status, .terminal = ld_terminal, .json = ld_json
};

static int add_map(struct cv_run *run, struct cv_lm_system *sys, const char *given, struct cv_ld *r)
{
	const char *cwd = run->opt.root || !run->opt.cwd ? "/" : run->opt.cwd;
	struct cv_ld_map *map = CV_VEC_PUSH(run->arena, &r->maps);
	struct cv_loadmap *m;
	struct cv_diag d;
	int err;

	if (!map)
		return CV_ENOMEM;
	cv_diag_init(&d, run->arena);
	map->asked = cv_arena_strdup(run->arena, given);
	err = cv_loadmap_new(sys, run->arena, &d, &m);
	if (!err)
		err = cv_loadmap_exec(m, cv_path_clean(run->arena, cv_path_join(run->arena, cwd, given)));
	if (!err && r->symbols)
		err = cv_loadmap_symbols(m);
	if (err == CV_ENOMEM)
		return err;
	map->err = err;
	if (err)
		map->error = d.n ? d.v[0] : cv_arena_printf(run->arena, "%s: %s", given, cv_strerror(err));
	else
		map->m = m;
	return 0;
}

/* Where no file can be judged at all, that is an error of who asked: the first is told. */
static int check_input(struct cv_run *run, const struct cv_ld *r)
{
	for (size_t i = 0; i < r->maps.n; i++) {
		int err = r->maps.v[i].err;

		if (!err || err == CV_EACCES || err == CV_EIO || err == CV_ENOTASKED)
			return 0;
	}
	return r->maps.n ? cv_diag_fail(&run->diag, r->maps.v[0].err, "%s", r->maps.v[0].error) : 0;
}

static int run_ld(struct cv_run *run, const struct cv_ld_query *q, struct cv_ld *r)
{
	struct cv_lm_system *sys;
	struct cv_selection sel;
	struct cv_view *view;
	int err = cv_run_open(run, &view, &sel);

	if (err)
		return err;
	r->symbols = q->symbols;
	r->flat = q->flat;
	r->why = q->why ? cv_arena_strdup(run->arena, q->why) : NULL;
	if (run->opt.python || run->opt.env_n) {
		err = cv_ld_python(run, view, &sel, q, r);
		cv_view_free(view);
		return err;
	}
	err = cv_scene_system(view, run->opt.root ? NULL : run->opt.cwd, q->quick, run->arena, &run->diag, &sys);
	if (!err) {
		for (size_t i = 0; !err && i < q->path_n; i++)
			err = add_map(run, sys, q->paths[i], r);
		if (!err)
			err = check_input(run, r);
		cv_lm_system_free(sys);
	}
	cv_view_free(view);
	return err;
}

int cv_ld(const struct cv_options *opt, const struct cv_ld_query *query, struct cv_doc **ret_doc)
{
	struct ld_doc *doc;
	struct cv_run run;
	int err = cv_run_init(&run, opt);

	if (!err && query->path_n == 0)
		err = CV_EINVAL;
	if (err)
		return cv_run_fail(&run, err);
	err = cv_run_load_kb(&run);
	if (err)
		return cv_run_fail(&run, err);
	doc = cv_run_doc_new(&run, &ld_ops, sizeof(*doc));
	err = doc ? run_ld(&run, query, &doc->ld) : CV_ENOMEM;
	if (err || cv_arena_failed(run.arena))
		return cv_run_fail(&run, err ? err : CV_ENOMEM);
	*ret_doc = &doc->doc;
	return 0;
}
