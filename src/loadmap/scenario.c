/* SPDX-License-Identifier: Apache-2.0 */
/* Taking the steps of scenarios, on top of a load map. */
#include "loadmap/scenario.h"

#include "base/str.h"
#include "loadmap/scnrun.h"

static const char *const outcome_names[] = { [CV_SCN_DONE] = "done", [CV_SCN_FAILED] = "failed", [CV_SCN_PASSED] = "passed" };

const char *cv_scn_outcome_name(enum cv_scn_outcome outcome)
{
	return outcome_names[outcome];
}

int cv_scn_new(struct cv_view *view, struct cv_loadmap *map, const struct cv_scn_python *python, const struct cv_scn_host *host,
	       struct cv_arena *a, struct cv_diag *d, struct cv_scn_run **ret)
{
	struct scn *s = CV_NEW(a, struct scn);
	int err;

	if (!s)
		return CV_ENOMEM;
	*s = (struct scn){ .run.map = map, .view = view, .python = python, .host = host, .arena = a, .diag = d };
	err = cv_loadmap_exec(map, python->exe);
	if (err == 0)
		*ret = &s->run;
	return err;
}

static int run_scenario(struct scn *s, const char *name);

/* "libcublasLt.so.12" -> "libcublasLt.so"; NULL if it is no library. */
static const char *hook_name(struct scn *s, const struct cv_lm_object *o)
{
	const char *file = cv_basename(o->soname ? o->soname : o->path);
	const char *so = strstr(file, ".so");

	return so && so != file ? cv_arena_memdup(s->arena, file, (size_t)(so - file) + 3) : NULL;
}

/* What the libraries from object `from` on open when they are loaded. */
static int constructors(struct scn *s, size_t from)
{
	struct cv_loadmap *m = s->run.map;
	const char *error = s->error;

	for (size_t i = from, end = m->objects.n; i < end; i++) {
		const char *name = m->objects.v[i].unloaded ? NULL : hook_name(s, &m->objects.v[i]);
		int r = name && s->host->knows(s->host->cookie, name) ? run_scenario(s, name) : 1;

		if (r < 0)
			return r;
	}
	s->error = error;
	return 0;
}

/* Opens what step st names, as an event. 1, 0 or <0. */
static int load(struct scn *s, const char *scenario, const struct cv_scn_step *st)
{
	struct cv_loadmap *m = s->run.map;
	struct cv_scn_event e = { .scenario = scenario, .seq = st->seq, .edge = m->edges.n, .trouble = m->troubles.n };
	size_t objects = m->objects.n;
	struct cv_scn_event *slot;
	int r;

	s->message = NULL;
	s->shown = NULL;
	r = st->op == CV_SCN_MODULE ? cv_scn_module(s, st->args.v[0]) : cv_scn_open(s, scenario, st);
	if (r < 0)
		return r;
	e.edge_end = m->edges.n;
	e.trouble_end = m->troubles.n;
	e.text = s->shown ? s->shown : st->text;
	e.message = s->message;
	if (r == 0 && !e.message && e.trouble_end > e.trouble)
		e.message = m->troubles.v[e.trouble_end - 1].message;
	e.outcome = r ? CV_SCN_DONE : st->otherwise == CV_SCN_ELSE_FAIL ? CV_SCN_FAILED : CV_SCN_PASSED;
	if (r == 0)
		s->error = e.message ? e.message : "";
	slot = CV_VEC_PUSH(s->arena, &s->run.events);
	if (!slot)
		return CV_ENOMEM;
	*slot = e;
	if (r == 1)
		r = constructors(s, objects);
	return r < 0 ? r : e.outcome == CV_SCN_DONE;
}

static bool is_loaded(const struct scn *s, const char *text)
{
	const struct cv_loadmap *m = s->run.map;

	for (size_t i = 0; i < m->objects.n; i++)
		if (!m->objects.v[i].unloaded && strstr(m->objects.v[i].real ? m->objects.v[i].real : m->objects.v[i].path, text))
			return true;
	return false;
}

static bool error_names(const struct scn *s, const struct cv_strv *words)
{
	for (size_t i = 0; i < words->n; i++)
		if (s->error && strstr(s->error, words->v[i]))
			return true;
	return false;
}

static int import_once(struct scn *s, const char *name)
{
	int r;

	if (cv_strv_has(&s->imported, name))
		return 1;
	r = run_scenario(s, name);
	if (r == 1 && !cv_strv_push(s->arena, &s->imported, name))
		return CV_ENOMEM;
	return r;
}

static int call_loose(struct scn *s, const char *name)
{
	bool was = s->loose;
	int r;

	s->loose = true;
	r = run_scenario(s, name);
	s->loose = was;
	return r;
}

/* 1: yes or done; 0: no or failed; <0: error. */
static int take(struct scn *s, const char *scenario, const struct cv_scn_step *st)
{
	const char *file;

	switch (st->op) {
	case CV_SCN_MODULE:
	case CV_SCN_CDLL:
	case CV_SCN_FIND:
	case CV_SCN_DLOPEN:
		return load(s, scenario, st);
	case CV_SCN_IMPORT:
		return import_once(s, st->args.v[0]);
	case CV_SCN_CALL:
		return run_scenario(s, st->args.v[0]);
	case CV_SCN_CALL_LOOSE:
		return call_loose(s, st->args.v[0]);
	case CV_SCN_IF_LOADED:
		return is_loaded(s, st->args.v[0]);
	case CV_SCN_IF_EXISTS:
		file = cv_scn_expand(s, scenario, st->args.v[0], NULL);
		return file && cv_view_exists(s->view, file);
	case CV_SCN_IF_ERROR:
		return error_names(s, &st->args);
	case CV_SCN_GOTO:
	case CV_SCN_END:
		return 1;
	}
	return CV_EINVAL;
}

/* Index of the step with that seq or the first behind it. */
static size_t step_at(const struct cv_scn_steps *steps, unsigned seq)
{
	size_t i = 0;

	while (i < steps->n && steps->v[i].seq < seq)
		i++;
	return i;
}

/* A scenario failed, and the one that called it lives with that. */
static void forgive(struct scn *s, size_t from)
{
	for (size_t i = from; i < s->run.events.n; i++)
		if (s->run.events.v[i].outcome == CV_SCN_FAILED)
			s->run.events.v[i].outcome = CV_SCN_PASSED;
}

/* A scenario ends at a question: the failure that was asked about is raised again, or the answer itself is the failure. */
static int end_at_question(struct scn *s, const char *scenario, const struct cv_scn_step *st)
{
	struct cv_scn_event *e;

	for (size_t i = s->run.events.n; st->op == CV_SCN_IF_ERROR && i-- > 0;)
		if (s->run.events.v[i].outcome == CV_SCN_PASSED) {
			s->run.events.v[i].outcome = CV_SCN_FAILED;
			return 0;
		}
	e = CV_VEC_PUSH(s->arena, &s->run.events);
	if (!e)
		return CV_ENOMEM;
	*e = (struct cv_scn_event){ .scenario = scenario,
				    .seq = st->seq,
				    .text = st->text,
				    .outcome = CV_SCN_FAILED,
				    .message = cv_arena_printf(s->arena, "no: %s", st->text),
				    .edge = s->run.map->edges.n,
				    .edge_end = s->run.map->edges.n,
				    .trouble = s->run.map->troubles.n,
				    .trouble_end = s->run.map->troubles.n };
	return 0;
}

static bool is_question(enum cv_scn_op op)
{
	return op == CV_SCN_IF_LOADED || op == CV_SCN_IF_EXISTS || op == CV_SCN_IF_ERROR;
}

static int walk(struct scn *s, const char *name, const struct cv_scn_steps *steps)
{
	for (size_t i = 0; i < steps->n;) {
		const struct cv_scn_step *st = &steps->v[i];
		size_t events = s->run.events.n;
		int r;

		if (s->steps++ >= CV_SCN_STEPS_MAX)
			return cv_diag_fail(s->diag, CV_ELIMIT, "scenario %s: more than %d steps", name, CV_SCN_STEPS_MAX);
		r = take(s, name, st);
		if (r < 0)
			return r;
		if (r == 0 && st->otherwise != CV_SCN_ELSE_FAIL)
			forgive(s, events);
		if (st->op == CV_SCN_END || (r == 0 && st->otherwise == CV_SCN_ELSE_END))
			return 1;
		if (r == 0 && st->otherwise == CV_SCN_ELSE_FAIL)
			return is_question(st->op) ? end_at_question(s, name, st) : 0;
		i = st->op == CV_SCN_GOTO || (r == 0 && st->otherwise == CV_SCN_ELSE_SEQ) ? step_at(steps, st->to) : i + 1;
	}
	return 1;
}

static int run_scenario(struct scn *s, const char *name)
{
	struct cv_scn_steps steps = { 0 };
	int r = s->host->steps(s->host->cookie, name, &steps);

	if (r < 0)
		return r;
	if (s->depth >= CV_SCN_DEPTH_MAX)
		return cv_diag_fail(s->diag, CV_ELIMIT, "scenario %s: more than %d inside of each other", name, CV_SCN_DEPTH_MAX);
	s->depth++;
	r = walk(s, name, &steps);
	s->depth--;
	return r;
}

int cv_scn_do(struct cv_scn_run *run, const char *scenario)
{
	struct scn *s = (struct scn *)run;
	const char *name = cv_arena_strdup(s->arena, scenario);
	int r = name ? 0 : CV_ENOMEM;

	if (r == 0 && !s->started)
		r = constructors(s, 0);
	s->started = true;
	if (r == 0)
		r = import_once(s, name);

	return cv_arena_failed(s->arena) ? CV_ENOMEM : r;
}

const struct cv_scn_event *cv_scn_failure(const struct cv_scn_run *run)
{
	for (size_t i = run->events.n; i-- > 0;)
		if (run->events.v[i].outcome == CV_SCN_FAILED)
			return &run->events.v[i];
	return NULL;
}
