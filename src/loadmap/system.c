/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System: what all maps of one root share; the kernel, and which loader serves which file.
 */
#include "loadmap/lm.h"

#include "base/version.h"

#define TABLES_MAX ((size_t)2 << 30)

static const struct usual_loader {
	uint16_t machine;
	bool is64, big_endian;
	const char *glibc, *musl;
} usual_loaders[] = {
	{ CV_EM_X86_64, true, false, "/lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1" },
	{ CV_EM_AARCH64, true, false, "/lib/ld-linux-aarch64.so.1", "/lib/ld-musl-aarch64.so.1" },
	{ CV_EM_386, false, false, "/lib/ld-linux.so.2", "/lib/ld-musl-i386.so.1" },
	{ CV_EM_X86_64, false, false, "/libx32/ld-linux-x32.so.2", "/lib/ld-musl-x32.so.1" },
	{ CV_EM_ARM, false, false, "/lib/ld-linux-armhf.so.3", "/lib/ld-musl-armhf.so.1" },
	{ CV_EM_PPC64, true, false, "/lib64/ld64.so.2", "/lib/ld-musl-powerpc64le.so.1" },
	{ CV_EM_PPC64, true, true, "/lib64/ld64.so.1", "/lib/ld-musl-powerpc64.so.1" },
	{ CV_EM_S390, true, true, "/lib/ld64.so.1", "/lib/ld-musl-s390x.so.1" },
	{ CV_EM_RISCV, true, false, "/lib/ld-linux-riscv64-lp64d.so.1", "/lib/ld-musl-riscv64.so.1" },
	{ CV_EM_LOONGARCH, true, false, "/lib64/ld-linux-loongarch-lp64d.so.1", "/lib/ld-musl-loongarch64.so.1" },
};

static const char *copy(struct cv_arena *a, const char *s)
{
	return s ? cv_arena_strdup(a, s) : NULL;
}

int cv_lm_system_new(struct cv_view *v, const struct cv_lm_system_opts *opts, struct cv_arena *a, struct cv_diag *d,
		     struct cv_lm_system **ret)
{
	struct cv_lm_system *sys = CV_NEW(a, struct cv_lm_system);

	if (!sys)
		return CV_ENOMEM;
	sys->view = v;
	sys->arena = a;
	sys->diag = d;
	sys->opts = *opts;
	sys->opts.library_path = copy(a, opts->library_path);
	sys->opts.preload = copy(a, opts->preload);
	sys->opts.cwd = copy(a, opts->cwd);
	sys->opts.hwcaps_mask = copy(a, opts->hwcaps_mask);
	sys->opts.glibc = copy(a, opts->glibc);
	sys->pool = cv_elf_pool_new(a);
	sys->tables = cv_arena_new(TABLES_MAX);
	if (cv_arena_failed(a) || !sys->tables || !sys->pool) {
		cv_arena_free(sys->tables);
		return CV_ENOMEM;
	}
	*ret = sys;
	return 0;
}

uint32_t cv_lm_kernel(struct cv_lm_system *sys)
{
	const char *text;

	if (!sys->have_kernel) {
		sys->have_kernel = true;
		if (cv_view_read_line(sys->view, "/proc/sys/kernel/osrelease", sys->arena, &text) == 0) {
			for (unsigned i = 0; i < 3; i++) {
				int64_t n = cv_ver_part(text, i);

				sys->kernel = sys->kernel << 8 | (n < 0 ? 0 : n > 255 ? 255u : (uint32_t)n);
			}
		}
	}
	return sys->kernel;
}

static const struct usual_loader *usual_of(const struct cv_elf *e)
{
	for (size_t i = 0; i < sizeof(usual_loaders) / sizeof(usual_loaders[0]); i++) {
		const struct usual_loader *u = &usual_loaders[i];

		if (u->machine == e->machine && u->is64 == e->is64 && u->big_endian == e->big_endian)
			return u;
	}
	return NULL;
}

/* musl's file is its C library too; nothing else in it is as sure as the name that its programs ask for. */
static bool is_musl(const char *path, const struct lm_file *f)
{
	const char *name = cv_basename(path);

	return cv_starts(name, "ld-musl-") || (f->elf->soname && cv_starts(f->elf->soname, "libc.musl-"));
}

static int read_loader(struct cv_lm_system *sys, struct lm_loader *ld, const struct cv_elf *e)
{
	struct lm_path *p;
	int r = cv_lm_path(sys, ld->path, &p);

	if (r < 0)
		return r;
	ld->libc = LM_NO_LIBC;
	ld->is64 = e->is64;
	ld->big_endian = e->big_endian;
	ld->machine = e->machine;
	if (p->err == 0 && p->file && p->file->err == 0 && p->file->elf) {
		ld->file = p->file;
		ld->soname = p->file->elf->soname;
		ld->libc = is_musl(ld->path, p->file) ? LM_MUSL : LM_GLIBC;
	}
	if (ld->libc == LM_MUSL)
		return 0;
	r = cv_lm_read_glibc(sys, ld);
	return r < 0 ? r : cv_lm_hwcaps(sys, ld);
}

static int loader_at(struct cv_lm_system *sys, const char *path, const struct cv_elf *e, struct lm_loader **ret)
{
	struct lm_loader *ld = cv_map_get(&sys->loaders, path);
	int r;

	if (!ld) {
		ld = CV_NEW(sys->arena, struct lm_loader);
		if (!ld)
			return CV_ENOMEM;
		ld->path = cv_arena_strdup(sys->arena, path);
		r = read_loader(sys, ld, e);
		if (r < 0)
			return r;
		if (!cv_map_set(sys->arena, &sys->loaders, ld->path, ld))
			return CV_ENOMEM;
	}
	*ret = ld;
	return 0;
}

int cv_lm_loader_for(struct cv_lm_system *sys, const struct cv_elf *e, struct lm_loader **ret)
{
	const struct usual_loader *u = usual_of(e);
	struct lm_loader *musl;
	int r;

	if (e->interp && e->interp[0] == '/')
		return loader_at(sys, e->interp, e, ret);
	if (!u)
		return CV_ENOTSUP;
	r = loader_at(sys, u->glibc, e, ret);
	if (r < 0 || (*ret)->libc != LM_NO_LIBC)
		return r;
	r = loader_at(sys, u->musl, e, &musl);
	if (r == 0 && musl->libc != LM_NO_LIBC)
		*ret = musl;
	return r;
}
