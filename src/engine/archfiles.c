/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/archfiles.h"

#include "base/map.h"
#include "base/str.h"
#include "view/member.h"

#define DEPTH_MAX 40
#define FILES_MAX 20000
#define SCRATCH_MAX ((size_t)256 << 20)

struct walk {
	struct cv_run *run;
	struct cv_view *view;
	struct cv_arch *r;
	const char *given; /* the argument, as it was typed */
	const char *full;  /* the same in the view */
	struct cv_strv files; /* libraries, below full */
	struct cv_strv links; /* names of libraries that are links, below full */
};

/* Folders that hold no libraries and can be many: compiled modules, headers, metadata. */
static bool is_pruned(const char *name)
{
	return cv_streq(name, "__pycache__") || cv_streq(name, "include") || cv_ends(name, ".dist-info") ||
	       cv_ends(name, ".egg-info");
}

/* "libx.so", "libx.so.12", "x.cpython-311-x86_64-linux-gnu.so" */
static bool is_library(const char *name)
{
	struct cv_str rest = cv_str_of(name);
	ptrdiff_t at;

	if (name[0] == '.')
		return false;
	while ((at = cv_str_find(rest, ".so")) >= 0) {
		rest = cv_str_from(rest, (size_t)at + 3);
		if (rest.n == 0 || rest.p[0] == '.')
			return true;
	}
	return false;
}

static int add_file(struct cv_run *run, const struct cv_arch_file *f, struct cv_arch *r)
{
	struct cv_arch_file *slot;

	if (r->files.n + r->without_code >= FILES_MAX)
		return cv_diag_fail(&run->diag, CV_ELIMIT, "%s: over %d files", f->group ? f->group : f->path, FILES_MAX);
	slot = CV_VEC_PUSH(run->arena, &r->files);
	if (!slot)
		return CV_ENOMEM;
	*slot = *f;
	return 0;
}

/* What cannot be read is a part of the answer. said may be NULL. */
static int add_error(struct cv_run *run, struct cv_arch_file *f, int err, const char *said, struct cv_arch *r)
{
	if (err == CV_ENOMEM)
		return err;
	f->error = said ? said : cv_arena_printf(run->arena, "%s: %s", f->path, cv_strerror(err));
	f->state = err == CV_EACCES ? "denied" : err == CV_ENOTASKED ? "not_asked" : "unparsed";
	return add_file(run, f, r);
}

static int add_code(struct cv_run *run, struct cv_src *src, enum cv_gpucode_where where, struct cv_arch_file *f,
		    struct cv_arch *r)
{
	struct cv_diag d;
	int err;

	cv_diag_init(&d, run->arena);
	src->name = f->path;
	err = cv_gpucode_read(src, where, run->arena, &d, &f->code);
	if (err)
		return add_error(run, f, err, d.n ? d.v[0] : NULL, r);
	/* In an environment or wheel only what holds GPU code is listed. */
	if (f->group && f->code.own.containers == 0 && f->code.elsewhere.containers == 0 && f->code.damaged == 0) {
		r->without_code++;
		return 0;
	}
	return add_file(run, f, r);
}

static int starts(struct cv_src *src, const char *magic, bool *ret)
{
	char b[4];
	int err = src->size >= 4 ? cv_src_read(src, 0, b, 4) : 0;

	*ret = err == 0 && src->size >= 4 && memcmp(b, magic, 4) == 0;
	return err;
}

/* Linker scripts bear the names of libraries; they are not broken ones. */
static int add_if_elf(struct cv_run *run, struct cv_src *src, struct cv_arch_file *f, struct cv_arch *r)
{
	bool elf;
	int err = starts(src, "\177ELF", &elf);

	if (err)
		return add_error(run, f, err, NULL, r);
	return elf ? add_code(run, src, CV_GPUCODE_SECTIONS, f, r) : 0;
}

static struct cv_arch_file file_of(const struct walk *w, const char *name)
{
	return (struct cv_arch_file){ .path = cv_path_join(w->run->arena, w->given, name), .group = w->given, .name = name };
}

static int add_library(struct walk *w, const char *name)
{
	struct cv_arch_file f = file_of(w, name);
	struct cv_src *src;
	int err = cv_view_open(w->view, cv_path_join(w->run->arena, w->full, name), &src);

	if (err == CV_ENOENT || err == CV_ENOTREG)
		return 0;
	if (err)
		return add_error(w->run, &f, err, NULL, w->r);
	err = add_if_elf(w->run, src, &f, w->r);
	cv_src_close(src);
	return err;
}

static int find_libraries(struct walk *w, const char *dir, unsigned depth);

static const char *name_in(const struct walk *w, const char *dir, const struct cv_dirent *e)
{
	return *dir ? cv_path_join(w->run->arena, dir, e->name) : cv_arena_strdup(w->run->arena, e->name);
}

static enum cv_ftype type_of(const struct walk *w, const char *dir, const struct cv_dirent *e)
{
	struct cv_stat st;

	if (e->type != CV_FT_UNKNOWN)
		return e->type;
	return cv_view_lstat(w->view, cv_path_join(w->run->arena, w->full, name_in(w, dir, e)), &st) == 0 ? st.type : e->type;
}

static int find_entry(struct walk *w, const char *dir, const struct cv_dirent *e, unsigned depth)
{
	enum cv_ftype type = type_of(w, dir, e);

	if (type == CV_FT_DIR)
		return is_pruned(e->name) ? 0 : find_libraries(w, name_in(w, dir, e), depth + 1);
	if ((type != CV_FT_REG && type != CV_FT_LNK) || !is_library(e->name))
		return 0;
	if (w->files.n + w->links.n >= FILES_MAX)
		return cv_diag_fail(&w->run->diag, CV_ELIMIT, "%s: over %d libraries", w->given, FILES_MAX);
	return cv_strv_push(w->run->arena, type == CV_FT_REG ? &w->files : &w->links, name_in(w, dir, e)) ? 0 : CV_ENOMEM;
}

/* dir is below w->full, "" for itself. Links to directories are not followed: what they lead to is elsewhere, or seen anyway. */
static int find_libraries(struct walk *w, const char *dir, unsigned depth)
{
	const char *full = cv_path_join(w->run->arena, w->full, dir);
	struct cv_arena *scratch;
	struct cv_dirlist list;
	int err;

	if (depth > DEPTH_MAX)
		return cv_diag_fail(&w->run->diag, CV_ELIMIT, "%s: over %d folders deep", full, DEPTH_MAX);
	scratch = cv_arena_new(SCRATCH_MAX);
	if (!scratch)
		return CV_ENOMEM;
	err = cv_view_list(w->view, full, scratch, &list);
	if (err && err != CV_ENOENT) {
		struct cv_arch_file f = file_of(w, dir);

		err = add_error(w->run, &f, err, NULL, w->r);
		list.n = 0;
	}
	for (size_t i = 0; !err && i < list.n; i++)
		err = find_entry(w, dir, &list.v[i], depth);
	cv_arena_free(scratch);
	return err == CV_ENOENT ? 0 : err;
}

/* Links count where the file behind them is not listed by itself: some installers link a whole environment to their cache. */
static int add_links(struct walk *w)
{
	struct cv_arena *a = w->run->arena;
	struct cv_map seen = { 0 };

	for (size_t i = 0; i < w->files.n + w->links.n; i++) {
		bool link = i >= w->files.n;
		const char *name = link ? w->links.v[i - w->files.n] : w->files.v[i], *key;
		struct cv_stat st;
		int err = cv_view_stat(w->view, cv_path_join(a, w->full, name), &st);

		if (err || st.type != CV_FT_REG)
			continue;
		key = cv_arena_printf(a, "%llu:%llu", (unsigned long long)st.dev, (unsigned long long)st.ino);
		if (link && !cv_map_get(&seen, key) && (err = add_library(w, name)) != 0)
			return err;
		if (!cv_map_set(a, &seen, key, w))
			return CV_ENOMEM;
	}
	return 0;
}

static int add_dir(struct walk *w)
{
	int err = find_libraries(w, "", 0);

	for (size_t i = 0; !err && i < w->files.n; i++)
		err = add_library(w, w->files.v[i]);
	return !err && w->links.n ? add_links(w) : err;
}

static int add_member(struct walk *w, struct cv_members *members, const struct cv_member *m)
{
	struct cv_arena *a = w->run->arena;
	struct cv_arch_file f = { .group = w->given };
	struct cv_src *src = cv_members_src(members);

	if (!is_library(cv_basename(m->name)))
		return 0;
	f.path = cv_arena_printf(a, "%s:%s", w->given, m->name);
	f.name = cv_arena_strdup(a, m->name);
	return add_if_elf(w->run, src, &f, w->r);
}

static int add_wheel(struct walk *w, struct cv_src *archive)
{
	struct cv_arch_file f = { .path = w->given, .name = w->given };
	struct cv_members *members;
	struct cv_member m;
	struct cv_diag d;
	int err, code = 0;

	cv_diag_init(&d, w->run->arena);
	err = cv_members_open(archive, &d, &members);
	if (err)
		return add_error(w->run, &f, err, d.n ? d.v[0] : NULL, w->r);
	while (!code && (err = cv_members_next(members, &d, &m)) == 1)
		code = add_member(w, members, &m);
	cv_members_close(members);
	if (code)
		return code;
	return err ? add_error(w->run, &f, err, d.n ? d.v[0] : NULL, w->r) : 0;
}

static int add_named(struct walk *w)
{
	struct cv_arch_file f = { .path = w->given, .name = w->given };
	struct cv_src *src;
	bool zip;
	int err = cv_view_open(w->view, w->full, &src);

	/* Nothing to judge at all is the caller's mistake. */
	if (err == CV_ENOENT || err == CV_ENOTDIR || err == CV_ENOTREG || err == CV_ELOOP)
		return cv_diag_fail(&w->run->diag, err, "%s: %s", w->given, cv_strerror(err));
	if (err)
		return add_error(w->run, &f, err, NULL, w->r);
	src->name = w->given;
	err = starts(src, "PK\003\004", &zip);
	if (err)
		err = add_error(w->run, &f, err, NULL, w->r);
	else
		err = zip ? add_wheel(w, src) : add_code(w->run, src, CV_GPUCODE_SEARCH, &f, w->r);
	cv_src_close(src);
	return err;
}

int cv_arch_add_path(struct cv_run *run, struct cv_view *view, const char *path, struct cv_arch *r)
{
	const char *cwd = run->opt.root || !run->opt.cwd ? "/" : run->opt.cwd;
	struct walk w = { .run = run, .view = view, .r = r, .given = cv_arena_strdup(run->arena, path) };

	w.full = cv_path_clean(run->arena, cv_path_join(run->arena, cwd, path));
	return cv_view_is_dir(view, w.full) ? add_dir(&w) : add_named(&w);
}
