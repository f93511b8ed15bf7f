/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A load map over a root whose files are cut out of the input: the program, its loader, two libraries that serve every name
 * below /lib, and the loader's cache. Four bytes in front of all tell flags and where the cuts are, in 32nds.
 */
#include "fuzz.h"

#include <stdlib.h>

#include "loadmap/loadmap.h"

enum { PROGRAM, LOADER, ONE, OTHER, CACHE, FILES };

struct box {
	struct cv_view view;
	const uint8_t *p[FILES];
	size_t n[FILES];
};

static int file_of(const char *path)
{
	unsigned sum = 0;

	if (cv_streq(path, "/p"))
		return PROGRAM;
	if (cv_starts(path, "/lib64/"))
		return LOADER;
	if (cv_streq(path, "/etc/ld.so.cache"))
		return CACHE;
	if (!cv_starts(path, "/lib/") || strchr(path + 5, '/') || !path[5])
		return -1;
	for (const char *s = path + 5; *s; s++)
		sum += (unsigned char)*s;
	return sum % 3 == 0 ? -1 : sum % 3 == 1 ? ONE : OTHER;
}

static int box_stat(struct cv_view *v, const char *path, bool follow, struct cv_stat *ret)
{
	int i = file_of(path);

	(void)follow;
	if (cv_streq(path, "/lib/") || cv_streq(path, "/lib")) {
		*ret = (struct cv_stat){ .type = CV_FT_DIR, .dev = 1, .ino = 100 };
		return 0;
	}
	if (i < 0)
		return CV_ENOENT;
	*ret = (struct cv_stat){ .type = CV_FT_REG, .size = ((struct box *)v)->n[i], .dev = 1, .ino = (uint64_t)i + 1 };
	return 0;
}

static int box_realpath(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	(void)v;
	*ret = cv_arena_strdup(a, path);
	return 0;
}

static int box_readlink(struct cv_view *v, const char *path, struct cv_arena *a, const char **ret)
{
	(void)v;
	(void)a;
	(void)ret;
	return file_of(path) < 0 ? CV_ENOENT : CV_EINVAL;
}

static void close_mem(struct cv_src *s)
{
	free(s);
}

static int read_mem(struct cv_src *s, uint64_t off, void *buf, size_t len)
{
	memcpy(buf, ((struct cv_src_mem *)s)->p + off, len);
	return 0;
}

static int box_open(struct cv_view *v, const char *path, struct cv_src **ret)
{
	static const struct cv_src_ops ops = { .read_at = read_mem, .close = close_mem };
	const struct box *b = (const struct box *)v;
	struct cv_src_mem *m;
	int i = file_of(path);

	if (i < 0)
		return CV_ENOENT;
	m = calloc(1, sizeof(*m));
	if (!m)
		return CV_ENOMEM;
	m->src = (struct cv_src){ .ops = &ops, .size = b->n[i], .name = "box" };
	m->p = b->p[i];
	*ret = &m->src;
	return 0;
}

static void box_free(struct cv_view *v)
{
	(void)v;
}

static const struct cv_view_ops box_ops = {
	.name = "box",
	.stat = box_stat,
	.readlink = box_readlink,
	.realpath = box_realpath,
	.open = box_open,
	.free = box_free,
};

static void touch(struct box *b, struct cv_arena *a, unsigned flags)
{
	struct cv_lm_system_opts opts = {
		.library_path = flags & 1 ? "/a:$ORIGIN/../lib;" : NULL,
		.preload = flags & 2 ? "libx.so /lib/liby.so" : NULL,
		.cwd = "/lib",
		.hwcaps_mask = "x86-64-v2",
		.glibc = flags & 4 ? "2.31" : NULL,
		.quick = flags & 8,
		.bind_now = flags & 16,
	};
	struct cv_lm_system *sys;
	struct cv_loadmap *m;
	struct cv_diag d;

	cv_diag_init(&d, a);
	if (cv_lm_system_new(&b->view, &opts, a, &d, &sys) < 0)
		return;
	if (cv_loadmap_new(sys, a, &d, &m) == 0 && cv_loadmap_exec(m, "/p") == 0) {
		cv_loadmap_symbols(m);
		cv_loadmap_dlopen(m, 0, "libb.so", CV_LM_NOW | CV_LM_SYMBOLS);
		cv_loadmap_dlopen(m, m->objects.n - 1, "$ORIGIN/libc.so", CV_LM_LAZY | CV_LM_GLOBAL);
	}
	cv_lm_system_free(sys);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *a;
	struct box b = { .view = { .ops = &box_ops } };
	size_t at = 4;

	if (size < 4 || !(a = cv_arena_new((size_t)256 << 20)))
		return 0;
	for (int i = 0; i < FILES; i++) {
		size_t n = i < 3 ? (size - 4) / 32 * (data[i + 1] & 31) : (size - at) / (size_t)(FILES - i);

		b.p[i] = data + at;
		b.n[i] = n < size - at ? n : size - at;
		at += b.n[i];
	}
	touch(&b, a, data[0]);
	cv_arena_free(a);
	return 0;
}
