/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the loader takes, for people: the verdict of each file and its cause, what is wrong, then a tree in which each library
 * stands once, under the object that made the loader look for it. --flat lists instead, --why explains one library.
 */
#include "report/ld_parts.h"

#include "base/str.h"

#define SCRATCH_MAX ((size_t)256 << 20)
#define NAMES_MAX 8 /* objects listed in a sentence */

const char *cv_ld_short(const struct cv_ld_page *p, size_t i)
{
	return i == CV_LM_NONE || i >= p->m->objects.n ? "the program" : cv_basename(p->m->objects.v[i].path);
}

bool cv_ld_is_hidden(const struct cv_ld_page *p, size_t edge)
{
	size_t object = p->m->edges.v[edge].object;

	return cv_report_ld_passed(p->map, edge) || (object != CV_LM_NONE && p->m->objects.v[object].unloaded);
}

const char *cv_ld_count(struct cv_arena *a, size_t n, const char *one, const char *many)
{
	return cv_arena_printf(a, "%zu %s", n, n == 1 ? one : many);
}

const char *cv_ld_add_name(const struct cv_ld_page *p, const char *text, size_t n, size_t object)
{
	if (n >= NAMES_MAX)
		return text;
	return cv_arena_printf(p->t->scratch, "%s%s%s", n ? text : "", n ? ", " : "", cv_ld_short(p, object));
}

const char *cv_ld_end_names(const struct cv_ld_page *p, const char *text, size_t n)
{
	return n > NAMES_MAX ? cv_arena_printf(p->t->scratch, "%s and %zu more", text, n - NAMES_MAX) : text;
}

static size_t count_loaded(const struct cv_loadmap *m)
{
	size_t n = 0;

	for (size_t i = 1; i < m->objects.n; i++)
		n += !m->objects.v[i].unloaded;
	return n;
}

static const char *loads_with(struct cv_ld_page *p, const char *asked)
{
	const struct cv_loadmap *m = p->m;
	struct cv_arena *a = p->t->scratch;

	if (cv_streq(m->libc, "static"))
		return cv_arena_printf(a, "%s is linked statically: no library is loaded", asked);
	return cv_arena_printf(a, "%s loads with %s (%s%s%s)", asked,
			       cv_ld_count(a, count_loaded(m), "library", "libraries"), m->libc,
			       m->glibc ? " " : "", m->glibc ? m->glibc : "");
}

/* Does anything end it? A missing LD_PRELOAD does not. */
static bool ends(const struct cv_loadmap *m)
{
	for (size_t i = 0; i < m->troubles.n; i++)
		if (m->troubles.v[i].fatal)
			return true;
	return false;
}

static void print_verdict(struct cv_ld_page *p, const struct cv_ld_map *map)
{
	struct cv_term *t = p->t;
	const char *text = map->error;
	enum cv_ink ink = CV_INK_WARNING;
	const char *word = "cannot tell: ";

	if (map->m && cv_report_ld_bad(map)) {
		word = "problem: ";
		ink = CV_INK_ERROR;
		text = map->failed ? cv_arena_printf(t->scratch, "%s fails at %s", map->asked, map->failed) :
				     cv_arena_printf(t->scratch, "%s %s %s", map->asked, ends(map->m) ? "does not load:" : "loads, but",
						     cv_ld_cause(p));
	} else if (map->m && cv_report_ld_unknown(map)) {
		text = cv_arena_printf(t->scratch, "%s: %s", map->asked, cv_ld_cause(p));
	} else if (map->m) {
		word = "ok: ";
		ink = CV_INK_OK;
		text = loads_with(p, map->asked);
	}
	cv_term_put(t, ink, word);
	cv_term_wrap(t, CV_LD_INDENT, CV_INK_BOLD, text);
	cv_term_nl(t);
}

static void print_map(struct cv_term *t, const struct cv_ld *r, const struct cv_ld_map *map)
{
	struct cv_ld_page p = { .t = t, .r = r, .map = map, .m = map->m };

	print_verdict(&p, map);
	if (!map->m)
		return;
	cv_ld_print_troubles(&p);
	if (map->m->edges.n <= 1) /* that of the program itself */
		return;
	if (r->why) {
		cv_ld_print_why(&p);
	} else if (r->flat) {
		cv_ld_print_flat(&p);
	} else {
		cv_ld_print_base(&p);
		cv_ld_print_tree(&p);
	}
	cv_term_nl(t);
}

int cv_report_ld_terminal(const struct cv_ld *r, const struct cv_report_head *head, const struct cv_style *style, struct cv_buf *out)
{
	struct cv_arena *scratch = cv_arena_new(SCRATCH_MAX);
	struct cv_term t;
	int err;

	if (!scratch)
		return CV_ENOMEM;
	cv_term_init(&t, out, scratch, style);
	for (size_t i = 0; i < r->maps.n; i++)
		print_map(&t, r, &r->maps.v[i]);
	cv_term_printf(&t, CV_INK_DIM, "cuvet %s, knowledge base of %s", cv_version(), head->kb_date);
	cv_term_nl(&t);
	err = cv_arena_failed(scratch) ? CV_ENOMEM : out->err;
	cv_arena_free(scratch);
	return err;
}
