/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LD_PRELOAD (names between blanks and colons) and /etc/ld.so.preload (also tabs and lines; from '#' to the end of a line is a
 * comment). A name that cannot be loaded is told and left out. The program's RPATH and RUNPATH count, as if it asked.
 */
#include "loadmap/lm.h"

#define PRELOAD_FILE "/etc/ld.so.preload"
#define PRELOAD_MAX ((size_t)1 << 20)
#define NAME_MAX_BYTES 4095 /* longer names in LD_PRELOAD count as empty */

struct preloads {
	CV_VEC(size_t) v;
};

static int one(struct lm_map *m, struct cv_str name, const char *where, struct preloads *ret)
{
	size_t before = m->objs.n, obj, *slot;
	struct lm_request q = { .mode = CV_LM_BY_PRELOAD, .type = LM_LIBRARY, .told_by = CV_LM_NONE };
	struct cv_lm_trouble *t;
	int r;

	q.name = cv_str_dup(m->arena, name);
	r = cv_lm_map(m, &q, &obj);
	if (r < 0 || m->stopped)
		return r;
	if (r == 1) {
		t = cv_lm_trouble(m, m->error.kind, false, q.name,
				  cv_arena_printf(m->arena,
						  "ERROR: ld.so: object '%s' from %s cannot be preloaded (%s): ignored.",
						  q.name, where, m->error.what));
		if (t)
			t->edge = m->pub.edges.n - 1;
		return 0;
	}
	if (m->objs.n == before || obj == m->vdso)
		return 0; /* it was there already */
	slot = CV_VEC_PUSH(m->arena, &ret->v);
	if (!slot)
		return CV_ENOMEM;
	*slot = obj;
	return 0;
}

static int all_of(struct lm_map *m, struct cv_str text, const char *seps, const char *where, struct preloads *ret)
{
	while (text.n && !m->stopped) {
		size_t n = 0;
		int r = 0;

		while (n < text.n && text.p[n] && !strchr(seps, text.p[n]))
			n++;
		if (n && n <= NAME_MAX_BYTES)
			r = one(m, cv_str_sub(text, 0, n), where, ret);
		if (r < 0)
			return r;
		text = cv_str_from(text, n + 1);
	}
	return 0;
}

static void blank_comments(char *p, size_t n)
{
	bool comment = false;

	for (size_t i = 0; i < n; i++) {
		if (p[i] == '#')
			comment = true;
		else if (p[i] == '\n')
			comment = false;
		if (comment)
			p[i] = ' ';
	}
}

static int from_file(struct lm_map *m, struct preloads *ret)
{
	struct cv_str text;
	char *copy;
	int r = cv_view_read(m->sys->view, PRELOAD_FILE, PRELOAD_MAX, m->arena, &text);

	if (r == CV_ENOENT || r == CV_EACCES || r == CV_ENOTDIR)
		return 0;
	if (r == CV_ENOMEM)
		return r;
	if (r < 0) {
		cv_diag_fail(m->diag, r, PRELOAD_FILE ": %s", cv_strerror(r));
		return 0;
	}
	copy = cv_arena_memdup(m->arena, text.p, text.n);
	if (cv_arena_failed(m->arena))
		return CV_ENOMEM;
	blank_comments(copy, text.n);
	return all_of(m, (struct cv_str){ copy, text.n }, ": \t\n", PRELOAD_FILE, ret);
}

int cv_lm_preload(struct lm_map *m, size_t **ret, size_t *ret_n)
{
	struct preloads found = { 0 };
	int r = 0;

	if (m->sys->opts.preload)
		r = all_of(m, cv_str_of(m->sys->opts.preload), " :", "LD_PRELOAD", &found);
	if (r == 0)
		r = from_file(m, &found);
	*ret = found.v.v;
	*ret_n = found.v.n;
	return r;
}
