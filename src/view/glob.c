/* SPDX-License-Identifier: Apache-2.0 */
#include "view/glob.h"

#include <fnmatch.h>

struct globber {
	struct cv_view *view;
	struct cv_arena *arena;
	unsigned *budget;
};

/* Adds what name, one component that may be a pattern, is below dir. Only the last component is asked for existence. */
static void expand(const struct globber *g, const char *dir, const char *name, bool last, struct cv_strv *paths)
{
	struct cv_arena *a = g->arena;
	struct cv_dirlist list = { 0 };
	struct cv_stat st;

	if (!strpbrk(name, "*?[")) {
		const char *path = cv_path_join(a, dir, name);

		if ((!last || cv_view_lstat(g->view, path, &st) == 0) && paths->n < CV_GLOB_MAX)
			cv_strv_push(a, paths, path);
		return;
	}
	if (*g->budget == 0)
		return;
	--*g->budget;
	if (cv_view_list(g->view, dir, a, &list) < 0)
		return;
	for (size_t i = 0; i < list.n && paths->n < CV_GLOB_MAX; i++)
		if (fnmatch(name, list.v[i].name, FNM_PERIOD) == 0)
			cv_strv_push(a, paths, cv_path_join(a, dir, list.v[i].name));
}

void cv_glob(struct cv_view *v, const char *pattern, unsigned *budget, struct cv_arena *a, struct cv_strv *paths)
{
	const struct globber g = { v, a, budget };
	struct cv_str rest = cv_str_of(pattern);
	struct cv_strv now = { 0 };
	struct cv_str part;

	if (pattern[0] != '/')
		return;
	cv_strv_push(a, &now, "/");
	while (cv_str_split(&rest, '/', &part)) {
		struct cv_strv next = { 0 };
		const char *name;

		if (part.n == 0)
			continue;
		name = cv_str_dup(a, part);
		for (size_t i = 0; i < now.n; i++)
			expand(&g, now.v[i], name, rest.n == 0, &next);
		now = next;
	}
	for (size_t i = 0; i < now.n; i++)
		cv_strv_push(a, paths, now.v[i]);
}
