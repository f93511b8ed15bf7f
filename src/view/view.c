/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of view.h: each checks and tidies the path, then asks the view.
 *
 * A path that is not absolute is CV_EINVAL. "//", "/./" and slashes at the end are dropped. ".." is left to the view: behind a
 * symbolic link it does not mean the lexical parent. So a question has one spelling wherever it is recorded.
 */
#include "view/view.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "view/dirlist.h"
#include "view/sys.h"

/* Room for a path that had to be tidied. */
struct path_room {
	char text[PATH_MAX];
};

static bool is_tidy(const char *path)
{
	const char *p;

	if (path[0] == '/' && path[1] == '\0')
		return true;
	for (p = path; *p; p++)
		if (*p == '/' && (p[1] == '/' || p[1] == '\0' || (p[1] == '.' && (p[2] == '/' || p[2] == '\0'))))
			return false;
	return true;
}

/* Points *path at a tidy spelling of itself, which may lie in room. */
static int tidy(const char **path, struct path_room *room)
{
	const char *in = *path;
	size_t n = 0;

	if (in[0] != '/')
		return CV_EINVAL;
	if (strlen(in) >= sizeof(room->text))
		return CV_ELIMIT;
	if (is_tidy(in))
		return 0;
	while (*in) {
		size_t len;

		while (*in == '/')
			in++;
		len = strcspn(in, "/");
		if (len > 0 && !(len == 1 && in[0] == '.')) {
			room->text[n++] = '/';
			memcpy(room->text + n, in, len);
			n += len;
		}
		in += len;
	}
	if (n == 0)
		room->text[n++] = '/';
	room->text[n] = '\0';
	*path = room->text;
	return 0;
}

static int stat_either(struct cv_view *v, const char *path, bool follow, struct cv_stat *ret)
{
	struct path_room room;
	int r = tidy(&path, &room);

	return r < 0 ? r : v->ops->stat(v, path, follow, ret);
}

int cv_view_stat(struct cv_view *v, const char *path, struct cv_stat *ret)
{
	return stat_either(v, path, true, ret);
}

int cv_view_lstat(struct cv_view *v, const char *path, struct cv_stat *ret)
{
	return stat_either(v, path, false, ret);
}

int cv_view_readlink(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	struct path_room room;
	int r = tidy(&path, &room);

	return r < 0 ? r : v->ops->readlink(v, path, a, ret);
}

int cv_view_realpath(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	struct path_room room;
	int r = tidy(&path, &room);

	return r < 0 ? r : v->ops->realpath(v, path, a, ret);
}

int cv_view_list(struct cv_view *v, const char *path, struct cv_arena *a, struct cv_dirlist *ret)
{
	struct path_room room;
	int r = tidy(&path, &room);

	return r < 0 ? r : v->ops->list(v, path, a, ret);
}

int cv_view_open(struct cv_view *v, const char *path, struct cv_src **ret)
{
	struct path_room room;
	int r = tidy(&path, &room);

	return r < 0 ? r : v->ops->open(v, path, ret);
}

int cv_view_access(struct cv_view *v, const char *path, int mode)
{
	struct path_room room;
	int r = tidy(&path, &room);

	if (r < 0)
		return r;
	if (mode & ~(CV_ACCESS_R | CV_ACCESS_W | CV_ACCESS_X))
		return CV_EINVAL;
	return v->ops->access(v, path, mode);
}

int cv_view_getenv(struct cv_view *v, const char *name, const char **ret)
{
	if (name[0] == '\0' || strchr(name, '='))
		return CV_EINVAL;
	return v->ops->getenv(v, name, ret);
}

int cv_view_ids(struct cv_view *v, struct cv_ids *ret)
{
	return v->ops->ids(v, ret);
}

void cv_view_free(struct cv_view *v)
{
	if (v)
		v->ops->free(v);
}

int cv_view_read(struct cv_view *v, const char *path, size_t max, struct cv_arena *a, struct cv_str *ret)
{
	struct cv_src *src;
	int r = cv_view_open(v, path, &src);

	if (r < 0)
		return r;
	r = cv_src_all(src, max, a, ret);
	cv_src_close(src);
	return r;
}

int cv_view_read_line(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	struct cv_str text, line = { "", 0 };
	int r = cv_view_read(v, path, CV_VIEW_LINE_MAX, a, &text);

	if (r < 0)
		return r;
	cv_str_line(&text, &line, NULL);
	line = cv_str_trim(line);
	return cv_sys_give(a, line.p, line.n, ret);
}

bool cv_view_exists(struct cv_view *v, const char *path)
{
	struct cv_stat st;

	return cv_view_stat(v, path, &st) == 0;
}

bool cv_view_is_dir(struct cv_view *v, const char *path)
{
	struct cv_stat st;

	return cv_view_stat(v, path, &st) == 0 && st.type == CV_FT_DIR;
}

int cv_view_root_new(const char *dir_or_bundle, struct cv_diag *d, struct cv_view **ret)
{
	struct stat st;

	if (stat(dir_or_bundle, &st) == 0 && S_ISDIR(st.st_mode))
		return cv_view_tree_new(dir_or_bundle, d, ret);
	return cv_view_bundle_new(dir_or_bundle, d, ret);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct cv_dirent *)a)->name, ((const struct cv_dirent *)b)->name);
}

void cv_dirlist_sort(struct cv_dirlist *list)
{
	if (list->n > 1)
		qsort(list->v, list->n, sizeof(*list->v), by_name);
}
