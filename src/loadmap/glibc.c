/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a glibc's loader was built with, read off its bytes.
 *
 * The version is in its banner ("... stable release version 2.36", from 2.33 on) or in its file name ("ld-2.31.so", until
 * then), at last told by the newest version set of the C library beside it. The default directories are a run of texts that
 * begin and end with a slash, one behind the other ("/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/", "/lib/",
 * "/usr/lib/"). $LIB is the last part of the first one, which Debian changed to "lib/x86_64-linux-gnu".
 */
#include "loadmap/lm.h"

#include "base/version.h"

#define LOADER_MAX ((size_t)16 << 20)
#define NEWEST_MINOR 43
#define DIR_TEXT_MAX 1024
#define DIRS_MAX 32

static const char *banner_version(struct cv_lm_system *sys, struct cv_str bytes)
{
	static const char mark[] = " release version 2.";
	ptrdiff_t at = cv_str_find(bytes, mark);
	struct cv_str s;
	size_t n = 2;

	if (at < 0)
		return NULL;
	s = cv_str_from(bytes, (size_t)at + sizeof(mark) - 3);
	while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
		n++;
	return n > 2 ? cv_str_dup(sys->arena, cv_str_sub(s, 0, n)) : NULL;
}

/* "ld-2.31.so" */
static const char *name_version(struct cv_lm_system *sys, const char *path)
{
	struct cv_str s = cv_str_of(cv_basename(path));

	if (!cv_str_eat(&s, "ld-2.") || !cv_str_ends(s, ".so"))
		return NULL;
	return cv_arena_printf(sys->arena, "2.%.*s", (int)s.n - 3, s.p);
}

/* The highest GLIBC_2.N that the C library beside the loader defines. */
static int libc_version(struct cv_lm_system *sys, const char *loader, const char **ret)
{
	const struct cv_elf_verdef *v;
	struct lm_path *p;
	int64_t best = -1;
	size_t n;
	int r = cv_lm_path(sys, cv_path_join(sys->arena, cv_dirname(sys->arena, loader), "libc.so.6"), &p);

	if (r < 0)
		return r;
	if (!p->file || !p->file->elf)
		return 0;
	r = cv_elf_verdefs(p->file->elf, &v, &n);
	if (r == CV_ENOMEM)
		return r;
	for (size_t i = 0; r == 0 && i < n; i++)
		if (cv_starts(v[i].name, "GLIBC_2.") && cv_ver_part(v[i].name + 6, 1) > best)
			best = cv_ver_part(v[i].name + 6, 1);
	if (best >= 0)
		*ret = cv_arena_printf(sys->arena, "2.%d", (int)best);
	return 0;
}

static int set_version(struct cv_lm_system *sys, struct lm_loader *ld, struct cv_str bytes)
{
	const char *version = sys->opts.glibc;
	int64_t minor;
	int r = 0;

	if (!version && ld->file) {
		struct lm_path *p;

		version = banner_version(sys, bytes);
		r = cv_lm_path(sys, ld->path, &p);
		if (r == 0 && !version)
			version = name_version(sys, cv_lm_real(sys, p));
		if (r == 0 && !version)
			r = libc_version(sys, cv_lm_real(sys, p), &version);
	}
	ld->version = version;
	minor = version ? cv_ver_part(version, 1) : -1;
	ld->minor = minor >= 0 && minor < 1000 ? (unsigned)minor : NEWEST_MINOR;
	return r;
}

/* A text "/.../" at the beginning of s. */
static bool is_dir_text(struct cv_str s, struct cv_str *ret)
{
	const char *end = s.n ? memchr(s.p, 0, s.n < DIR_TEXT_MAX ? s.n : DIR_TEXT_MAX) : NULL;
	struct cv_str t;

	if (!end || s.p[0] != '/')
		return false;
	t = cv_str_sub(s, 0, (size_t)(end - s.p));
	if (t.n < 2 || t.p[t.n - 1] != '/')
		return false;
	for (size_t i = 0; i < t.n; i++)
		if (t.p[i] < 0x21 || t.p[i] > 0x7e)
			return false;
	*ret = t;
	return true;
}

static int take_dirs(struct cv_lm_system *sys, struct lm_loader *ld, struct cv_str run)
{
	struct cv_str t;
	bool lib = false;

	ld->dirs.n = 0;
	while (ld->dirs.n < DIRS_MAX && is_dir_text(run, &t)) {
		lib |= cv_str_find(t, "/lib") >= 0;
		if (!cv_strv_push(sys->arena, &ld->dirs, cv_str_dup(sys->arena, t)))
			return CV_ENOMEM;
		run = cv_str_from(run, t.n + 1);
	}
	if (!lib)
		ld->dirs.n = 0;
	return 0;
}

static int find_dirs(struct cv_lm_system *sys, struct lm_loader *ld, struct cv_str bytes)
{
	struct cv_str t;

	for (size_t i = 1; i < bytes.n && ld->dirs.n == 0; i++) {
		const char *next = memchr(bytes.p + i, '/', bytes.n - i);
		int r;

		if (!next)
			break;
		i = (size_t)(next - bytes.p);
		if (bytes.p[i - 1] != 0 || !is_dir_text(cv_str_from(bytes, i), &t))
			continue;
		r = take_dirs(sys, ld, cv_str_from(bytes, i));
		if (r < 0)
			return r;
	}
	return 0;
}

/* Without a loader to read: Debian's directories where they are, or else the usual ones. */
static int guess_dirs(struct cv_lm_system *sys, struct lm_loader *ld)
{
	const char *word = ld->is64 ? "lib64" : "lib";
	const char *multi = ld->machine == CV_EM_X86_64 && ld->is64 ? "x86_64-linux-gnu"
			    : ld->machine == CV_EM_AARCH64	    ? "aarch64-linux-gnu"
			    : ld->machine == CV_EM_386		    ? "i386-linux-gnu"
								    : NULL;
	struct cv_arena *a = sys->arena;
	bool ok = true;

	if (multi && cv_view_is_dir(sys->view, cv_arena_printf(a, "/usr/lib/%s", multi))) {
		ok &= cv_strv_push(a, &ld->dirs, cv_arena_printf(a, "/lib/%s/", multi));
		ok &= cv_strv_push(a, &ld->dirs, cv_arena_printf(a, "/usr/lib/%s/", multi));
		word = "lib";
	} else if (ld->machine == CV_EM_AARCH64 && !cv_view_is_dir(sys->view, "/usr/lib64")) {
		word = "lib";
	}
	ok &= cv_strv_push(a, &ld->dirs, cv_arena_printf(a, "/%s/", word));
	ok &= cv_strv_push(a, &ld->dirs, cv_arena_printf(a, "/usr/%s/", word));
	return ok ? 0 : CV_ENOMEM;
}

static void set_lib(struct cv_lm_system *sys, struct lm_loader *ld, struct cv_str bytes)
{
	struct cv_str first = cv_str_of(ld->dirs.v[0]);
	const char *last, *debian;
	size_t n;

	first.n--; /* the slash */
	last = cv_basename(cv_str_dup(sys->arena, first));
	debian = cv_arena_printf(sys->arena, "lib/%s", last);
	n = strlen(debian) + 1;
	ld->lib = last;
	if (!cv_streq(last, "lib"))
		for (size_t i = 1; i + n <= bytes.n; i++) {
			const char *p = memchr(bytes.p + i, 'l', bytes.n - n - i + 1);

			if (!p)
				break;
			i = (size_t)(p - bytes.p);
			if (p[-1] == 0 && memcmp(p, debian, n) == 0) {
				ld->lib = debian;
				break;
			}
		}
	if (bytes.n == 0 && cv_str_find(cv_str_of(last), "-linux-gnu") >= 0)
		ld->lib = debian;
}

static const struct {
	uint16_t machine;
	bool is64;
	uint32_t flags;
} cache_flags[] = {
	{ CV_EM_X86_64, true, 0x0303 },	 { CV_EM_X86_64, false, 0x0803 }, { CV_EM_386, false, 0x0003 },
	{ CV_EM_AARCH64, true, 0x0a03 }, { CV_EM_ARM, false, 0x0903 },	  { CV_EM_PPC64, true, 0x0503 },
	{ CV_EM_S390, true, 0x0403 },	 { CV_EM_RISCV, true, 0x1003 },	  { CV_EM_LOONGARCH, true, 0x1203 },
};

int cv_lm_read_glibc(struct cv_lm_system *sys, struct lm_loader *ld)
{
	struct cv_str bytes = CV_STR("");
	int r = 0;

	if (ld->file)
		r = cv_src_all(&ld->file->src.src, LOADER_MAX, sys->arena, &bytes);
	if (r == CV_ENOMEM)
		return r;
	r = set_version(sys, ld, bytes);
	if (r == 0)
		r = find_dirs(sys, ld, bytes);
	if (r == 0 && ld->dirs.n == 0)
		r = guess_dirs(sys, ld);
	if (r < 0)
		return r;
	set_lib(sys, ld, bytes);
	for (size_t i = 0; i < sizeof(cache_flags) / sizeof(cache_flags[0]); i++)
		if (cache_flags[i].machine == ld->machine && cache_flags[i].is64 == ld->is64)
			ld->cache_flags = cache_flags[i].flags;
	return cv_arena_failed(sys->arena) ? CV_ENOMEM : 0;
}
