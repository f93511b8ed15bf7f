/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/archfiles.h"

#include "base/str.h"
#include "view/member.h"

#define DEPTH_MAX 12
#define FILES_MAX 20000
#define SMALLEST 4096 /* bytes: a library with GPU code is larger */

/* Directories of an environment that hold no libraries of it. */
static bool is_pruned(const char *name)
{
	static const char *const names[] = { "__pycache__", "include", "share", "tests", "test", "conda-meta", "pkgs" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (cv_streq(name, names[i]))
			return true;
	return cv_ends(name, ".dist-info") || cv_ends(name, ".egg-info");
}

/* "libx.so", "libx.so.12", "x.cpython-311-x86_64-linux-gnu.so" */
static bool is_library(const char *name)
{
	ptrdiff_t at = cv_str_find(cv_str_of(name), ".so");

	return at > 0 && (name[at + 3] == '\0' || name[at + 3] == '.');
}

/* Reads one source; what it says about a file that cannot be read becomes the file's error. */
static int read_code(struct cv_run *run, struct cv_src *src, enum cv_gpucode_where where, struct cv_arch_file *f)
{
	struct cv_diag d;
	int err;

	cv_diag_init(&d, run->arena);
	err = cv_gpucode_read(src, where, run->arena, &d, &f->code);
	if (err == CV_ENOMEM)
		return err;
	if (err)
		f->error = d.n ? d.v[0] : cv_strerror(err);
	return 0;
}

static int add_file(struct cv_run *run, const struct cv_arch_file *f, struct cv_arch *r)
{
	struct cv_arch_file *slot = CV_VEC_PUSH(run->arena, &r->files);

	if (!slot)
		return CV_ENOMEM;
	*slot = *f;
	return 0;
}

/* In an environment or wheel only what holds GPU code is listed. */
static int add_if_code(struct cv_run *run, const struct cv_arch_file *f, struct cv_arch *r)
{
	if (!f->error && f->code.own.containers == 0 && f->code.elsewhere.containers == 0) {
		r->without_code++;
		return 0;
	}
	return add_file(run, f, r);
}

static int add_library(struct cv_run *run, struct cv_view *view, const char *path, struct cv_arch *r)
{
	struct cv_arch_file f = { .path = path };
	unsigned char magic[4];
	struct cv_src *src;
	int err = cv_view_open(view, path, &src);

	if (err == CV_ENOMEM)
		return err;
	if (err) {
		f.error = cv_arena_printf(run->arena, "%s: %s", path, cv_strerror(err));
		return add_file(run, &f, r);
	}
	/* Linker scripts bear the names of libraries; they are not broken ones. */
	if (src->size >= SMALLEST && cv_src_read(src, 0, magic, 4) == 0 && memcmp(magic, "\177ELF", 4) == 0) {
		err = read_code(run, src, CV_GPUCODE_SECTIONS, &f);
		if (!err)
			err = add_if_code(run, &f, r);
	}
	cv_src_close(src);
	return err;
}

static int add_dir(struct cv_run *run, struct cv_view *view, const char *dir, unsigned depth, struct cv_arch *r)
{
	struct cv_dirlist list;
	int err = cv_view_list(view, dir, run->arena, &list);

	if (err)
		return err == CV_ENOMEM ? err : 0;
	for (size_t i = 0; i < list.n; i++) {
		const struct cv_dirent *e = &list.v[i];
		const char *path;

		if (e->type != CV_FT_DIR && e->type != CV_FT_REG)
			continue;
		if (e->type == CV_FT_DIR ? is_pruned(e->name) || depth >= DEPTH_MAX : !is_library(e->name))
			continue;
		if (r->files.n + r->without_code >= FILES_MAX)
			return cv_diag_fail(&run->diag, CV_ELIMIT, "%s: over %d libraries", dir, FILES_MAX);
		path = cv_path_join(run->arena, dir, e->name);
		err = e->type == CV_FT_DIR ? add_dir(run, view, path, depth + 1, r) : add_library(run, view, path, r);
		if (err)
			return err;
	}
	return 0;
}

static int add_members(struct cv_run *run, struct cv_src *archive, const char *path, struct cv_arch *r)
{
	struct cv_members members;
	int err = cv_members_list(archive, run->arena, &run->diag, &members);

	for (size_t i = 0; !err && i < members.n; i++) {
		const struct cv_member *m = &members.v[i];
		struct cv_arch_file f = { .path = cv_arena_printf(run->arena, "%s:%s", path, m->name) };
		struct cv_src *src;

		if (!is_library(cv_basename(m->name)) || m->size < SMALLEST)
			continue;
		err = cv_member_open(archive, m, &src);
		if (err)
			break;
		err = read_code(run, src, CV_GPUCODE_SECTIONS, &f);
		cv_src_close(src);
		if (!err)
			err = add_if_code(run, &f, r);
	}
	return err;
}

static bool is_zip(struct cv_src *src)
{
	char magic[4];

	return src->size >= 4 && cv_src_read(src, 0, magic, 4) == 0 && memcmp(magic, "PK\003\004", 4) == 0;
}

static int add_named(struct cv_run *run, struct cv_view *view, const char *path, const char *given, struct cv_arch *r)
{
	struct cv_arch_file f = { .path = given };
	struct cv_src *src;
	int err = cv_view_open(view, path, &src);

	if (err)
		return cv_diag_fail(&run->diag, err, "%s: %s", given, cv_strerror(err));
	src->name = given;
	if (is_zip(src)) {
		err = add_members(run, src, given, r);
	} else {
		err = read_code(run, src, CV_GPUCODE_EVERYWHERE, &f);
		if (!err)
			err = add_file(run, &f, r);
	}
	cv_src_close(src);
	return err;
}

int cv_arch_add_path(struct cv_run *run, struct cv_view *view, const char *path, struct cv_arch *r)
{
	const char *cwd = run->opt.root || !run->opt.cwd ? "/" : run->opt.cwd;
	const char *full = cv_path_clean(run->arena, cv_path_join(run->arena, cwd, path));

	if (cv_view_is_dir(view, full))
		return add_dir(run, view, full, 0, r);
	return add_named(run, view, full, cv_arena_strdup(run->arena, path), r);
}
