/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libraries of a load map in columns: name, the step of the search that decided, file. In the tree a file whose name is the
 * one asked for is told by its directory, and the directory that most of them share is written as dots; --flat and -v have whole
 * paths.
 */
#include "report/ld_parts.h"

#include "base/str.h"
#include "report/text.h"

#define NAME_COLS_MAX 38
#define BASE_MIN 30   /* shorter ones, the system's own among them, are better read in full */
#define BASE_FROM 256 /* objects whose directories are tried */

/* One line of the list: a request that loaded something or failed. */
struct row {
	const struct cv_lm_edge *e;
	size_t depth;
};

struct rows {
	CV_VEC(struct row) v;
	size_t name_cols, step_cols;
};

/* The step, with how it was asked for where that is not DT_NEEDED; a path that dlopen was given needs no search. */
static const char *step_of(struct cv_ld_page *p, const struct cv_lm_edge *e)
{
	const char *step = e->refused ? "refused" : cv_lm_step_name(e->step), *mode = cv_lm_mode_name(e->mode);

	if (e->mode == CV_LM_BY_NEEDED || e->mode == CV_LM_BY_EXEC)
		return step;
	return e->step == CV_LM_PATH && !e->refused ? mode : cv_arena_printf(p->t->scratch, "%s, %s", mode, step);
}

/* A name that is a path says no more than its file does. */
static const char *name_of(const struct cv_ld_page *p, const struct cv_lm_edge *e)
{
	return e->object == CV_LM_NONE || p->r->flat || p->t->verbose ? e->name : cv_basename(e->name);
}

static void add_row(struct cv_ld_page *p, struct rows *r, const struct cv_lm_edge *e, size_t depth)
{
	size_t name = CV_LD_INDENT * (depth + 1) + cv_text_width(name_of(p, e)), step = strlen(step_of(p, e));
	struct row *row = CV_VEC_PUSH(p->t->scratch, &r->v);

	if (!row)
		return;
	*row = (struct row){ e, depth };
	if (name <= NAME_COLS_MAX && name > r->name_cols)
		r->name_cols = name;
	if (step > r->step_cols)
		r->step_cols = step;
}

static bool has_loaded(const struct cv_ld_page *p, size_t i)
{
	const struct cv_lm_edge *e = &p->m->edges.v[i];

	return e->object != CV_LM_NONE && p->m->objects.v[e->object].edge == i;
}

/* The requests of object by, those that loaded something or failed; what was there already is left out. */
static void add_tree(struct cv_ld_page *p, struct rows *r, size_t by, unsigned depth)
{
	for (size_t i = 0; i < p->m->edges.n; i++) {
		const struct cv_lm_edge *e = &p->m->edges.v[i];
		bool loaded;

		if (e->by != by)
			continue;
		loaded = has_loaded(p, i);
		if (!(loaded || e->object == CV_LM_NONE) || e->object == by || (by == CV_LM_NONE && e->object == 0) ||
		    cv_ld_is_hidden(p, i))
			continue;
		add_row(p, r, e, depth);
		if (loaded && depth < CV_LD_DEPTH_MAX)
			add_tree(p, r, e->object, depth + 1);
	}
}

/* The file of a row: with its directory alone where the name says the rest. */
static const char *place_of(struct cv_ld_page *p, const struct cv_lm_edge *e)
{
	const char *real = p->m->objects.v[e->object].real, *file = cv_basename(real);
	size_t from = 0, n = (size_t)(file - real), dots = 0;
	char *text;

	if (p->r->flat || p->t->verbose)
		return real;
	if (!cv_streq(file, cv_basename(e->name)))
		n += strlen(file);
	if (p->base && cv_path_below(real, p->base)) {
		from = strlen(p->base);
		dots = strlen(cv_term_dots(p->t));
	}
	text = cv_arena_alloc(p->t->scratch, dots + n - from + 1);
	if (!text)
		return "";
	memcpy(text, cv_term_dots(p->t), dots);
	memcpy(text + dots, real + from, n - from);
	return text;
}

static void print_place(struct cv_ld_page *p, const struct rows *r, enum cv_ink ink, const char *text)
{
	struct cv_term *t = p->t;
	size_t at = r->name_cols + 2 + r->step_cols + 2;

	cv_term_to(t, at);
	if (strchr(text, ' ')) {
		cv_term_wrap(t, at, ink, text);
		return;
	}
	cv_term_put(t, ink, text); /* what wrapping would do, without looking for blanks */
	cv_term_nl(t);
}

static void print_row(struct cv_ld_page *p, const struct rows *r, const struct row *row)
{
	const struct cv_lm_edge *e = row->e;
	struct cv_term *t = p->t;
	bool lost = e->object == CV_LM_NONE;

	cv_term_to(t, CV_LD_INDENT * (row->depth + 1));
	cv_term_put(t, lost ? CV_INK_ERROR : CV_INK_PLAIN, name_of(p, e));
	if (t->col > r->name_cols)
		cv_term_nl(t);
	cv_term_to(t, r->name_cols + 2);
	cv_term_put(t, lost ? CV_INK_ERROR : CV_INK_DIM, step_of(p, e));
	if (!lost)
		print_place(p, r, CV_INK_DIM, place_of(p, e));
	else if (e->refused)
		print_place(p, r, CV_INK_ERROR, cv_arena_printf(t->scratch, "%s: %s", e->refused, e->refusal));
	else
		cv_term_nl(t);
	if (!lost && t->verbose && e->detail)
		print_place(p, r, CV_INK_DIM, cv_arena_printf(t->scratch, "by %s", e->detail));
}

static void print_rows(struct cv_ld_page *p, const struct rows *r)
{
	for (size_t i = 0; i < r->v.n; i++)
		print_row(p, r, &r->v.v[i]);
}

void cv_ld_print_tree(struct cv_ld_page *p)
{
	struct rows r = { .name_cols = 0 };

	add_tree(p, &r, CV_LM_NONE, 0); /* preloaded ones */
	if (p->m->objects.n)
		add_tree(p, &r, 0, 0);
	print_rows(p, &r);
}

void cv_ld_print_flat(struct cv_ld_page *p)
{
	struct rows r = { .name_cols = 0 };

	for (size_t i = 1; i < p->m->objects.n; i++)
		if (p->m->objects.v[i].edge < p->m->edges.n && !cv_ld_is_hidden(p, p->m->objects.v[i].edge))
			add_row(p, &r, &p->m->edges.v[p->m->objects.v[i].edge], 0);
	for (size_t i = 0; i < p->m->edges.n; i++)
		if (p->m->edges.v[i].object == CV_LM_NONE && !cv_ld_is_hidden(p, i))
			add_row(p, &r, &p->m->edges.v[i], 0);
	print_rows(p, &r);
}

static size_t files_below(const struct cv_loadmap *m, struct cv_str dir)
{
	size_t n = 0;

	for (size_t i = 1; i < m->objects.n; i++) {
		struct cv_str real = cv_str_of(m->objects.v[i].real ? m->objects.v[i].real : "");

		n += real.n > dir.n && real.p[dir.n] == '/' && memcmp(real.p, dir.p, dir.n) == 0;
	}
	return n;
}

/* The directory whose letters, left out, save the most. */
void cv_ld_print_base(struct cv_ld_page *p)
{
	const struct cv_loadmap *m = p->m;
	size_t best = 0;

	for (size_t i = 1; !p->t->verbose && i < m->objects.n && i < BASE_FROM; i++) {
		struct cv_str dir = cv_str_of(m->objects.v[i].real ? m->objects.v[i].real : "");
		ptrdiff_t end;

		while ((end = cv_str_rchr(dir, '/')) >= BASE_MIN) {
			size_t n;

			dir.n = (size_t)end;
			n = files_below(m, dir);
			if (n > 1 && n * dir.n > best) {
				best = n * dir.n;
				p->base = cv_str_dup(p->t->scratch, dir);
			}
		}
	}
	if (!p->base)
		return;
	cv_term_to(p->t, CV_LD_INDENT);
	cv_term_printf(p->t, CV_INK_DIM, "%s is %s", cv_term_dots(p->t), p->base);
	cv_term_nl(p->t);
}
