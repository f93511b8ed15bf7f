/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The picture of the cells: one row a cell, from the driver to the GPU. GPUs that fare alike share a row. A step that fails
 * carries "!"; a bad row names the problem's number.
 */
#include "report/check.h"

#include "base/str.h"

#define INDENT 2
#define COLS 6

static bool same(const char *a, const char *b)
{
	return (!a && !b) || (a && b && cv_streq(a, b));
}

/* Rows that show the same but for the GPU's index; show_gpu begins with the index where there are several. */
static bool joins(const struct cv_cell *a, const struct cv_cell *b)
{
	return a->env == b->env && a->gpu != CV_NO_INDEX && b->gpu != CV_NO_INDEX && a->verdict == b->verdict &&
	       a->driver == b->driver && a->loads == b->loads && a->code == b->code && a->cudnn_lacks_code == b->cudnn_lacks_code && cv_streq(a->workload, b->workload) &&
	       same(a->show_driver, b->show_driver) && same(a->show_cuda, b->show_cuda) && same(a->show_cudnn, b->show_cudnn) &&
	       same(a->show_framework, b->show_framework) && same(a->show_gpu, b->show_gpu);
}

/* The number of the first problem that hits the cell, 0 if none does. */
static unsigned problem_of(const struct cv_check_view *v, const struct cv_cell *c)
{
	for (size_t i = 0; i < v->r->findings.n; i++) {
		const struct cv_finding *f = &v->r->findings.v[i];

		if (v->number[i] && f->severity == CV_ERROR && cv_strv_has(&f->cells, c->key))
			return v->number[i];
	}
	return 0;
}

static void add_mark(const struct cv_check_view *v, struct cv_table *tab, const struct cv_cell *c)
{
	unsigned number = problem_of(v, c);

	switch (c->verdict) {
	case CV_VERDICT_OK:
		cv_table_add(tab, CV_INK_OK, "ok");
		return;
	case CV_VERDICT_PROBLEM:
		cv_table_add(tab, CV_INK_ERROR, number ? cv_arena_printf(v->t->scratch, "bad [%u]", number) : "bad");
		return;
	case CV_VERDICT_CANNOT_TELL:
		break;
	}
	cv_table_add(tab, CV_INK_WARNING, "?");
}

static void add_step(const struct cv_check_view *v, struct cv_table *tab, enum cv_tri state, const char *text)
{
	if (!text)
		cv_table_add(tab, CV_INK_DIM, state == CV_TRI_UNKNOWN ? "?" : cv_term_dash(v->t));
	else if (state == CV_TRI_BAD)
		cv_table_add(tab, CV_INK_ERROR, cv_arena_printf(v->t->scratch, "! %s", text));
	else
		cv_table_add(tab, CV_INK_PLAIN, text);
}

static void add_gpu(const struct cv_check_view *v, struct cv_table *tab, const struct cv_cell *c, size_t last)
{
	struct cv_arena *a = v->t->scratch;
	bool bad = (c->code == CV_CODE_NONE || c->code == CV_CODE_PARTIAL) && !c->cudnn_lacks_code;
	const char *index = "", *name = c->show_gpu ? c->show_gpu : "?";

	if (cv_starts(name, "NVIDIA ")) /* the maker is told above */
		name += strlen("NVIDIA ");

	if (c->gpu == CV_NO_INDEX) {
		cv_table_add(tab, CV_INK_DIM, c->show_gpu ? c->show_gpu : "none");
		return;
	}
	if (last > c->gpu)
		index = cv_arena_printf(a, "%u-%u ", (unsigned)c->gpu, (unsigned)last);
	else if (v->r->gpus.n > 1)
		index = cv_arena_printf(a, "%u ", (unsigned)c->gpu);
	cv_table_add(tab, bad ? CV_INK_ERROR : CV_INK_PLAIN,
		     cv_arena_printf(a, "%s%s%s%s", bad ? "! " : "", index, name, c->code == CV_CODE_PTX_JIT ? ", PTX JIT" : ""));
}

static void add_heading(const struct cv_check_view *v, struct cv_table *tab)
{
	static const char *const names[COLS] = { "", "driver", "CUDA", "cuDNN", "framework", "GPU" };

	for (size_t i = 0; i < COLS; i++)
		cv_table_add(tab, CV_INK_DIM,
			     i == 0 || i + 1 == COLS ? names[i]
						     : cv_arena_printf(v->t->scratch, "%s %s", names[i], cv_term_arrow(v->t)));
}

static bool is_unknown(const struct cv_cell *c, size_t env)
{
	return c->env == env && c->verdict == CV_VERDICT_CANNOT_TELL && c->unknown_because;
}

/* Why cells stay unknown, each reason once; the workload is named where reasons differ. */
static void print_unknown(const struct cv_check_view *v, size_t env)
{
	struct cv_strv reasons = { 0 };

	for (size_t i = 0; i < v->r->cells.n; i++) {
		const struct cv_cell *c = &v->r->cells.v[i];

		if (is_unknown(c, env) && !cv_strv_has(&reasons, c->unknown_because))
			cv_strv_push(v->t->scratch, &reasons, c->unknown_because);
	}
	for (size_t k = 0; k < reasons.n; k++) {
		const char *who = "";

		for (size_t i = 0; i < v->r->cells.n && reasons.n > 1 && !*who; i++) {
			const struct cv_cell *c = &v->r->cells.v[i];

			if (is_unknown(c, env) && cv_streq(c->unknown_because, reasons.v[k]))
				who = cv_arena_printf(v->t->scratch, "%s: ", c->workload);
		}
		cv_term_to(v->t, INDENT);
		cv_term_put(v->t, CV_INK_WARNING, "? ");
		cv_term_wrap(v->t, INDENT + 2, CV_INK_PLAIN, cv_arena_printf(v->t->scratch, "%s%s", who, reasons.v[k]));
	}
}

static void print_table(const struct cv_check_view *v, size_t env)
{
	struct cv_table tab;

	cv_table_init(&tab, v->t, INDENT, COLS);
	tab.wraps[4] = tab.wraps[5] = true;
	add_heading(v, &tab);
	for (size_t i = 0; i < v->r->cells.n; i++) {
		const struct cv_cell *c = &v->r->cells.v[i];
		size_t last = c->gpu;

		if (c->env != env)
			continue;
		while (i + 1 < v->r->cells.n && joins(c, &v->r->cells.v[i + 1]))
			last = v->r->cells.v[++i].gpu;
		add_mark(v, &tab, c);
		add_step(v, &tab, c->driver, c->show_driver);
		add_step(v, &tab, CV_TRI_OK, c->show_cuda);
		add_step(v, &tab, c->cudnn_lacks_code ? CV_TRI_BAD : CV_TRI_OK, c->show_cudnn);
		add_step(v, &tab, c->loads, c->show_framework ? c->show_framework : c->workload);
		add_gpu(v, &tab, c, last);
	}
	if (tab.cells.n > COLS)
		cv_table_print(&tab);
	print_unknown(v, env);
}

static bool has_cells(const struct cv_report *r, size_t env)
{
	for (size_t i = 0; i < r->cells.n; i++)
		if (r->cells.v[i].env == env)
			return true;
	return false;
}

static void print_packages(const struct cv_check_view *v, const struct cv_report_env *e)
{
	struct cv_table tab;

	cv_table_init(&tab, v->t, INDENT, 4);
	for (size_t i = 0; i < e->packages.n; i++) {
		const struct cv_report_package *p = &e->packages.v[i];

		cv_table_add(&tab, CV_INK_PLAIN, p->name);
		cv_table_add(&tab, CV_INK_PLAIN, p->version);
		cv_table_add(&tab, CV_INK_PLAIN, p->build);
		cv_table_add(&tab, CV_INK_DIM, p->installer);
	}
	if (tab.cells.n) {
		cv_term_nl(v->t);
		cv_table_print(&tab);
	}
}

static void put_env_name(const struct cv_check_view *v, size_t env)
{
	const struct cv_report_env *e = &v->r->envs.v[env];

	cv_term_put(v->t, CV_INK_BOLD, e->path);
	cv_term_printf(v->t, CV_INK_DIM, "  %s%s%s%s", e->kind ? e->kind : "environment", e->python ? ", Python " : "",
		       e->python ? e->python : "", e->active ? ", active" : "");
}

static void print_env(const struct cv_check_view *v, size_t env)
{
	cv_term_nl(v->t);
	put_env_name(v, env);
	cv_term_nl(v->t);
	print_table(v, env);
	if (v->t->verbose)
		print_packages(v, &v->r->envs.v[env]);
}

/* Environments without a framework take a line each. */
static void print_empty_envs(const struct cv_check_view *v)
{
	bool first = true;

	for (size_t i = 0; i < v->r->envs.n; i++) {
		if (!v->r->envs.v[i].selected || has_cells(v->r, i))
			continue;
		if (first)
			cv_term_nl(v->t);
		first = false;
		put_env_name(v, i);
		cv_term_put(v->t, CV_INK_DIM, ", no GPU framework");
		cv_term_nl(v->t);
		if (v->t->verbose)
			print_packages(v, &v->r->envs.v[i]);
	}
}

void cv_check_print_cells(const struct cv_check_view *v)
{
	for (size_t i = 0; i < v->r->envs.n; i++)
		if (v->r->envs.v[i].selected && has_cells(v->r, i))
			print_env(v, i);
	print_empty_envs(v);
	if (has_cells(v->r, CV_NO_INDEX)) {
		cv_term_nl(v->t);
		print_table(v, CV_NO_INDEX);
	}
}
