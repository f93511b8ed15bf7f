/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files and paths of one system, each looked at once.
 *
 * A path costs one stat; a file behind it that is new (by device and inode) one open and one read of its first block. Handles
 * are kept for the files used last and opened again when an older one is needed.
 */
#include "loadmap/lm.h"

#define OPEN_MAX 96
#define PATHS_MAX 500000

static void unlink_src(struct lm_src *s)
{
	struct cv_lm_system *sys = s->sys;

	if (s->newer)
		s->newer->older = s->older;
	else
		sys->newest = s->older;
	if (s->older)
		s->older->newer = s->newer;
	else
		sys->oldest = s->newer;
	s->newer = s->older = NULL;
}

static void link_src(struct lm_src *s)
{
	struct cv_lm_system *sys = s->sys;

	s->older = sys->newest;
	if (sys->newest)
		sys->newest->newer = s;
	else
		sys->oldest = s;
	sys->newest = s;
}

static void close_src(struct cv_src *src)
{
	struct lm_src *s = (struct lm_src *)src;

	if (!s->inner)
		return;
	unlink_src(s);
	cv_src_close(s->inner);
	s->inner = NULL;
	s->sys->open_n--;
}

static int open_src(struct lm_src *s)
{
	struct cv_lm_system *sys = s->sys;
	int r;

	if (s->inner) {
		if (sys->newest != s) {
			unlink_src(s);
			link_src(s);
		}
		return 0;
	}
	if (sys->open_n >= OPEN_MAX)
		close_src(&sys->oldest->src);
	r = cv_view_open(sys->view, s->path, &s->inner);
	if (r < 0)
		return r;
	sys->open_n++;
	link_src(s);
	return 0;
}

static int read_src(struct cv_src *src, uint64_t off, void *buf, size_t len)
{
	struct lm_src *s = (struct lm_src *)src;
	int r = open_src(s);

	return r < 0 ? r : cv_src_read(s->inner, off, buf, len);
}

static const struct cv_src_ops src_ops = { .read_at = read_src, .close = close_src };

void cv_lm_system_free(struct cv_lm_system *sys)
{
	if (!sys)
		return;
	while (sys->oldest)
		close_src(&sys->oldest->src);
	cv_arena_free(sys->tables);
}

/* Reads the headers. What is wrong with the file stays in it. */
static int read_file(struct cv_lm_system *sys, struct lm_file *f)
{
	int r = open_src(&f->src);

	if (r == 0) {
		f->src.src.size = f->size = f->src.inner->size;
		f->head_n = f->size < LM_HEAD ? (size_t)f->size : LM_HEAD;
		r = cv_elf_open_in(sys->pool, &f->src.src, sys->arena, NULL, &f->elf);
	}
	if (r == 0)
		r = cv_elf_read(f->elf, 0, f->head, f->head_n);
	else if (r == CV_EFORMAT)
		r = cv_src_read(&f->src.src, 0, f->head, f->head_n);
	if (r == CV_ENOMEM)
		return r;
	f->err = r;
	return 0;
}

static int new_file(struct cv_lm_system *sys, const struct lm_path *p, struct lm_file **ret)
{
	struct lm_file *f = CV_NEW(sys->arena, struct lm_file);
	int r;

	if (!f)
		return CV_ENOMEM;
	f->src = (struct lm_src){ .src = { .ops = &src_ops, .name = p->path }, .sys = sys, .path = p->path };
	f->path = p->path;
	f->dev = p->dev;
	f->ino = p->ino;
	f->kernel = LM_KERNEL_UNREAD;
	r = read_file(sys, f);
	if (r < 0)
		return r;
	if (f->elf && f->elf->soname)
		f->soname_hash = cv_lm_hash(f->elf->soname);
	*ret = f;
	return 0;
}

static size_t slot_of(const struct cv_lm_system *sys, uint64_t dev, uint64_t ino)
{
	uint64_t h = (ino ^ dev << 40 ^ dev >> 24) * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(h >> 32) & (sys->file_slots - 1);

	while (sys->files[i] && (sys->files[i]->dev != dev || sys->files[i]->ino != ino))
		i = (i + 1) & (sys->file_slots - 1);
	return i;
}

static int grow_files(struct cv_lm_system *sys)
{
	struct lm_file **old = sys->files;
	size_t n = sys->file_slots;

	if ((sys->file_n + 1) * 2 <= n)
		return 0;
	sys->file_slots = n ? n * 2 : 256;
	sys->files = CV_NEW_ARRAY(sys->arena, struct lm_file *, sys->file_slots);
	if (!sys->files)
		return CV_ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (old[i])
			sys->files[slot_of(sys, old[i]->dev, old[i]->ino)] = old[i];
	return 0;
}

static int find_file(struct cv_lm_system *sys, struct lm_path *p)
{
	size_t slot;
	int r = grow_files(sys);

	if (r < 0)
		return r;
	if (p->dev == 0 && p->ino == 0) /* a view that does not tell: every path is a file of its own */
		return new_file(sys, p, &p->file);
	slot = slot_of(sys, p->dev, p->ino);
	p->file = sys->files[slot];
	if (p->file)
		return 0;
	r = new_file(sys, p, &p->file);
	if (r == 0) {
		sys->files[slot] = p->file;
		sys->file_n++;
	}
	return r;
}

int cv_lm_look(struct cv_lm_system *sys, const char *path, struct lm_path **ret)
{
	struct lm_path *p = cv_map_get(&sys->paths, path);
	struct cv_stat st;

	if (p) {
		*ret = p;
		return 0;
	}
	if (sys->paths.n >= PATHS_MAX)
		return CV_ELIMIT;
	p = CV_NEW(sys->arena, struct lm_path);
	if (!p)
		return CV_ENOMEM;
	p->path = cv_arena_strdup(sys->arena, path);
	p->err = cv_view_stat(sys->view, path, &st);
	if (p->err == 0) {
		p->type = st.type;
		p->dev = st.dev;
		p->ino = st.ino;
	}
	if (cv_arena_failed(sys->arena) || !cv_map_set(sys->arena, &sys->paths, p->path, p))
		return CV_ENOMEM;
	*ret = p;
	return 0;
}

int cv_lm_path(struct cv_lm_system *sys, const char *path, struct lm_path **ret)
{
	int r = cv_lm_look(sys, path, ret);

	if (r == 0 && (*ret)->err == 0 && (*ret)->type == CV_FT_REG && !(*ret)->file)
		r = find_file(sys, *ret);
	return r;
}

static const char *real_dir(struct cv_lm_system *sys, const char *dir)
{
	const char *real = cv_map_get(&sys->reals, dir);

	if (real)
		return real;
	if (cv_view_realpath(sys->view, dir, sys->arena, &real) < 0)
		real = NULL;
	else if (!cv_map_set(sys->arena, &sys->reals, dir, cv_arena_strdup(sys->arena, real)))
		return NULL;
	return real;
}

/* Most files lie in few directories, so these are resolved once, and of a file only its own links are read. */
const char *cv_lm_real(struct cv_lm_system *sys, struct lm_path *p)
{
	const char *at = p->path;

	for (int i = 0; i < 8 && !p->real; i++) {
		const char *name = cv_basename(at), *target, *dir;
		int r;

		if (!name[0] || cv_streq(name, ".") || cv_streq(name, ".."))
			break;
		dir = real_dir(sys, cv_dirname(sys->arena, at));
		if (!dir)
			break;
		at = cv_path_join(sys->arena, dir, name);
		r = cv_view_readlink(sys->view, at, sys->arena, &target);
		if (r == CV_EINVAL)
			p->real = at;
		else if (r < 0)
			break;
		else
			at = cv_path_join(sys->arena, dir, target);
	}
	if (!p->real && cv_view_realpath(sys->view, p->path, sys->arena, &p->real) < 0)
		p->real = p->path;
	return p->real;
}

/* NT_GNU_ABI_TAG: 0 for Linux, then three numbers of the least kernel. Another system is one that never comes. */
static int abi_note(void *cookie, const struct cv_elf_note *note)
{
	struct lm_file *f = cookie;
	unsigned char p[16];

	if (note->type != 1 || !cv_str_is(note->name, "GNU") || note->desc_size < sizeof(p))
		return 0;
	if (cv_elf_read(f->elf, note->desc_at, p, sizeof(p)) < 0)
		return 0;
	if (cv_elf_u32(f->elf, p) != 0)
		f->kernel = LM_KERNEL_UNREAD - 1;
	else
		f->kernel = (cv_elf_u32(f->elf, p + 4) & 0xff) << 16 | (cv_elf_u32(f->elf, p + 8) & 0xff) << 8 |
			    (cv_elf_u32(f->elf, p + 12) & 0xff);
	return 1;
}

uint32_t cv_lm_kernel_of(struct lm_file *f)
{
	if (f->kernel == LM_KERNEL_UNREAD) {
		f->kernel = 0;
		if (f->elf)
			cv_elf_segment_notes(f->elf, abi_note, f);
	}
	return f->kernel;
}
