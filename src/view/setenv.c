/* SPDX-License-Identifier: Apache-2.0 */
/* Setenv: changes of the environment over a base; everything else is passed on. */
#include <stdlib.h>

#include "view/view.h"

struct setenv_view {
	struct cv_view view;
	struct cv_view *base;
	char **set; /* "NAME=VALUE" or "NAME" for unset */
	size_t n;
};

static struct cv_view *base_of(struct cv_view *v)
{
	return ((struct setenv_view *)v)->base;
}

static int setenv_stat(struct cv_view *v, const char *path, bool follow, struct cv_stat *ret)
{
	return follow ? cv_view_stat(base_of(v), path, ret) : cv_view_lstat(base_of(v), path, ret);
}

static int setenv_readlink(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	return cv_view_readlink(base_of(v), path, a, ret);
}

static int setenv_realpath(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	return cv_view_realpath(base_of(v), path, a, ret);
}

static int setenv_list(struct cv_view *v, const char *path, struct cv_arena *a, struct cv_dirlist *ret)
{
	return cv_view_list(base_of(v), path, a, ret);
}

static int setenv_open(struct cv_view *v, const char *path, struct cv_src **ret)
{
	return cv_view_open(base_of(v), path, ret);
}

static int setenv_access(struct cv_view *v, const char *path, int mode)
{
	return cv_view_access(base_of(v), path, mode);
}

static int setenv_getenv(struct cv_view *v, const char *name, const char **ret)
{
	const struct setenv_view *s = (const struct setenv_view *)v;
	size_t len = strlen(name);

	for (size_t i = s->n; i-- > 0;) { /* the last one wins, as in a shell */
		const char *text = s->set[i];

		if (strncmp(text, name, len) != 0 || (text[len] != '=' && text[len] != '\0'))
			continue;
		if (text[len] == '\0')
			return CV_ENOENT;
		*ret = text + len + 1;
		return 0;
	}
	return cv_view_getenv(s->base, name, ret);
}

static int setenv_ids(struct cv_view *v, struct cv_ids *ret)
{
	return cv_view_ids(base_of(v), ret);
}

static void free_set(struct setenv_view *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->set[i]);
	free(s->set);
	free(s);
}

static void setenv_free(struct cv_view *v)
{
	cv_view_free(base_of(v));
	free_set((struct setenv_view *)v);
}

static const struct cv_view_ops setenv_ops = {
	.name = "setenv",
	.stat = setenv_stat,
	.readlink = setenv_readlink,
	.realpath = setenv_realpath,
	.list = setenv_list,
	.open = setenv_open,
	.access = setenv_access,
	.getenv = setenv_getenv,
	.ids = setenv_ids,
	.free = setenv_free,
};

int cv_view_setenv_new(struct cv_view *base, const char *const *set, size_t n, struct cv_view **ret)
{
	struct setenv_view *s;

	for (size_t i = 0; i < n; i++)
		if (set[i][0] == '\0' || set[i][0] == '=')
			return CV_EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return CV_ENOMEM;
	s->view = (struct cv_view){ .ops = &setenv_ops, .live = base->live };
	s->base = base;
	s->set = calloc(n + 1, sizeof(*s->set));
	for (size_t i = 0; s->set && i < n; i++) {
		s->set[i] = strdup(set[i]);
		if (!s->set[i])
			break;
		s->n++;
	}
	if (s->n < n || !s->set) {
		free_set(s);
		return CV_ENOMEM;
	}
	*ret = &s->view;
	return 0;
}
