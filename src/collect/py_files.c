/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Are a package's files there, and of their recorded size? torch has 14,000: every native library is looked for, and of the
 * rest a sample by stride, which doubles whenever the sample is full. So the result hangs on the list alone.
 *
 * Left out are byte code (made again when missing) and what lies outside of the site directory (scripts), unless it is native.
 */
#include "collect/py_dist.h"

bool cv_py_is_native(struct cv_str path)
{
	struct cv_str name = path;
	const char *slash;
	ptrdiff_t at;
	char last = path.n ? path.p[path.n - 1] : '\0';

	if (last != 'o' && (last < '0' || last > '9'))
		return false; /* most files are out by this alone */
	slash = memrchr(path.p, '/', path.n);
	if (slash)
		name = cv_str_from(path, (size_t)(slash + 1 - path.p));
	at = cv_str_find(name, ".so");
	return at > 0 && ((size_t)at + 3 == name.n || name.p[at + 3] == '.');
}

/* A file of a package's top directory: losing one of those breaks the import at once. */
static bool is_top(struct cv_str path)
{
	ptrdiff_t slash = cv_str_chr(path, '/');

	if (!cv_str_ends(path, ".py"))
		return false;
	return slash < 0 || cv_str_chr(cv_str_from(path, (size_t)slash + 1), '/') < 0;
}

void cv_py_files_init(struct cv_py_files *f, struct cv_collect_ctx *c, struct cv_arena *a, const char *root, bool all)
{
	*f = (struct cv_py_files){ .c = c, .a = a, .root = root, .sizes = true, .all = all, .stride = 1 };
}

/* Keeps every second one of the sample. */
static void thin_out(struct cv_py_files *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->sample.n; i += 2)
		f->sample.v[n++] = f->sample.v[i];
	f->sample.n = n;
	f->stride *= 2;
}

void cv_py_files_add(struct cv_py_files *f, struct cv_str path, bool has_size, uint64_t size)
{
	bool native = cv_py_is_native(path);
	struct cv_py_file *slot;

	if (cv_str_ends(path, ".pyc") || (!native && (cv_str_starts(path, "../") || cv_str_starts(path, "/"))))
		return;
	if (f->always.n < CV_PY_ALWAYS && (native || (f->tops < CV_PY_TOPS && is_top(path)))) {
		f->tops += !native;
		slot = CV_VEC_PUSH(f->a, &f->always);
	} else {
		if (f->others++ % f->stride != 0)
			return;
		if (f->sample.n == (f->all ? CV_PY_ALL : CV_PY_SAMPLE))
			thin_out(f);
		if ((f->others - 1) % f->stride != 0)
			return;
		slot = CV_VEC_PUSH(f->a, &f->sample);
	}
	if (slot)
		*slot = (struct cv_py_file){ .path = cv_str_dup(f->a, path), .has_size = has_size, .size = size };
}

static void check_one(struct cv_py_files *f, const struct cv_py_file *file)
{
	size_t dir = strlen(f->root), name = strlen(file->path);
	char *path = cv_arena_alloc(f->a, dir + name + 2);
	struct cv_stat st;
	int r;

	if (!path)
		return;
	memcpy(path, f->root, dir);
	path[dir] = '/';
	memcpy(path + dir + 1, file->path, name + 1);
	r = cv_view_stat(f->c->view, file->path[0] == '/' ? file->path : path, &st);

	if (r == CV_ENOENT || r == CV_ENOTDIR) {
		f->checked++;
		if (f->missing_n++ < CV_PY_NAMED)
			cv_strv_push(f->a, &f->missing, file->path);
		return;
	}
	if (r < 0)
		return; /* not allowed to see, or not in the record: neither there nor missing */
	f->checked++;
	if (f->sizes && file->has_size && st.size != file->size && f->changed_n++ < CV_PY_NAMED)
		cv_strv_push(f->a, &f->changed, file->path);
}

void cv_py_files_check(struct cv_py_files *f)
{
	for (size_t i = 0; i < f->always.n; i++)
		check_one(f, &f->always.v[i]);
	for (size_t i = 0; i < f->sample.n; i++)
		check_one(f, &f->sample.v[i]);
}

bool cv_py_files_is_part(const struct cv_py_files *f)
{
	return !f->all && f->stride > 1 && (f->missing_n || f->changed_n);
}
