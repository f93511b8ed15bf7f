/* SPDX-License-Identifier: Apache-2.0 */
/* What counts in the files of a wheel or of an unpacked distribution. */
#include "engine/derive.h"

#include <stdlib.h>

#include "base/str.h"
#include "base/version.h"
#include "gpucode/gpucode.h"
#include "parse/elf.h"
#include "parse/pyassign.h"

#define DEPTH_MAX 16
#define TEXT_MAX ((size_t)1 << 18)
/* A target with less than this share (in percent) of the containers of the best covered one is left out of a list. */
#define SHARE_MIN 2

struct reading {
	struct cv_run *run;
	struct cv_artifact *art;
	size_t metadata; /* how many METADATA files there were */
};

/* Libraries that every Linux system has: they say nothing of the GPU stack. */
static bool is_system(const char *soname)
{
	static const char *const stems[] = { "libc.so", "libm.so", "libdl.so", "librt.so", "libpthread.so", "libutil.so", "libgcc_s.so",
					     "libstdc++.so", "libz.so", "ld-linux", "libgomp", "libresolv.so" };

	for (size_t i = 0; i < sizeof(stems) / sizeof(*stems); i++)
		if (cv_starts(soname, stems[i]))
			return true;
	return false;
}

struct target_count {
	struct cv_gpu_target target;
	uint64_t n;
};

static int cmp_count(const void *pa, const void *pb)
{
	const struct target_count *a = pa, *b = pb;

	if (a->target.ptx != b->target.ptx)
		return a->target.ptx ? 1 : -1;
	if (a->target.arch != b->target.arch)
		return a->target.arch < b->target.arch ? -1 : 1;
	return (a->target.suffix > b->target.suffix) - (a->target.suffix < b->target.suffix);
}

/* "sm_75 sm_90a compute_120": each target that a fair share of the containers has. */
static const char *code_text(struct cv_arena *a, const struct cv_gpucode *g)
{
	const struct cv_code_place *p = cv_gpucode_elsewhere_decides(g) ? &g->elsewhere : &g->own;
	CV_VEC(struct target_count) counts = { 0 };
	uint64_t most = 0;
	const char *text = "";

	for (size_t i = 0; i < p->sets.n; i++)
		for (size_t j = 0; j < p->sets.v[i].n; j++) {
			struct cv_gpu_target t = p->sets.v[i].v[j].target;
			size_t k = 0;
			bool repeated = j && p->sets.v[i].v[j - 1].target.ptx == t.ptx && p->sets.v[i].v[j - 1].target.arch == t.arch &&
					p->sets.v[i].v[j - 1].target.suffix == t.suffix;

			while (k < counts.n && cmp_count(&counts.v[k], &(struct target_count){ .target = t }) != 0)
				k++;
			if (k == counts.n) {
				struct target_count *slot = CV_VEC_PUSH(a, &counts);

				if (!slot)
					return NULL;
				slot->target = t;
			}
			if (!repeated)
				counts.v[k].n += p->sets.v[i].containers;
		}
	for (size_t i = 0; i < counts.n; i++)
		most = counts.v[i].n > most ? counts.v[i].n : most;
	if (!counts.n)
		return NULL;
	qsort(counts.v, counts.n, sizeof(*counts.v), cmp_count);
	for (size_t i = 0; i < counts.n; i++) {
		const char suffix[] = { counts.v[i].target.suffix, '\0' };

		if (counts.v[i].n < (most * SHARE_MIN + 99) / 100)
			continue;
		text = cv_arena_printf(a, "%s%s%s%u%s", text, *text ? " " : "", counts.v[i].target.ptx ? "compute_" : "sm_",
				       (unsigned)counts.v[i].target.arch, suffix);
	}
	return text;
}

/* The highest GLIBC_X.Y that a library asks for. */
static const char *glibc_floor(struct cv_arena *a, struct cv_elf *e)
{
	const struct cv_elf_verneed *v;
	const char *best = NULL;
	size_t n;

	if (cv_elf_verneeds(e, &v, &n))
		return NULL;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < v[i].n; j++) {
			const char *name = v[i].v[j].name;

			/* GLIBC_PRIVATE and GLIBC_ABI_DT_RELR are no releases. */
			if (!cv_starts(name, "GLIBC_2."))
				continue;
			name += strlen("GLIBC_");
			if (!best || cv_ver_cmp(CV_VER_DOTTED, name, best) > 0)
				best = cv_arena_strdup(a, name);
		}
	return best;
}

static bool is_library(const char *name)
{
	ptrdiff_t at = cv_str_find(cv_str_of(name), ".so");

	return at > 0 && (name[at + 3] == '\0' || name[at + 3] == '.');
}

static int read_library(struct reading *r, const char *path, struct cv_src *src)
{
	struct cv_arena *a = r->run->arena;
	struct cv_derived_lib lib = { .path = path };
	struct cv_gpucode code = { 0 };
	struct cv_derived_lib *slot;
	unsigned char magic[4];
	struct cv_elf *e;
	int err;

	if (src->size < 64 || cv_src_read(src, 0, magic, 4) || memcmp(magic, "\177ELF", 4) != 0)
		return 0;
	err = cv_elf_open(src, a, &r->run->diag, &e);
	if (err)
		return err == CV_ENOMEM ? err : 0; /* the message is in diag */
	lib.soname = e->soname;
	lib.rpath = e->runpath ? NULL : e->rpath;
	lib.runpath = e->runpath;
	lib.aarch64 = e->machine == CV_EM_AARCH64;
	lib.glibc = glibc_floor(a, e);
	for (size_t i = 0; i < e->needed.n; i++)
		if (!is_system(e->needed.v[i]))
			cv_strv_push(a, &lib.needed, e->needed.v[i]);
	err = cv_gpucode_read(src, CV_GPUCODE_SECTIONS, a, &r->run->diag, &code);
	if (err == CV_ENOMEM)
		return err;
	if (!err)
		lib.code = code_text(a, &code);
	slot = CV_VEC_PUSH(a, &r->art->libs);
	if (!slot)
		return CV_ENOMEM;
	*slot = lib;
	return 0;
}

static int read_metadata(struct reading *r, struct cv_src *src)
{
	const struct cv_pyhead *name, *version;
	int err = cv_pyheads_read(src, r->run->arena, &r->art->meta);

	if (err)
		return cv_diag_fail(&r->run->diag, err, "%s: METADATA: %s", r->art->given, cv_strerror(err));
	name = cv_pyheads_get(&r->art->meta, "Name");
	version = cv_pyheads_get(&r->art->meta, "Version");
	if (!name || !version || !cv_ver_valid(CV_VER_PEP440, version->value))
		return cv_diag_fail(&r->run->diag, CV_EFORMAT, "%s: METADATA names no distribution", r->art->given);
	r->art->name = cv_pep503(r->run->arena, cv_str_of(name->value));
	r->art->version = version->value;
	r->metadata++;
	return 0;
}

static int read_tags(struct reading *r, struct cv_src *src)
{
	struct cv_pyheads heads = { 0 };
	const struct cv_pyhead *h;
	size_t at = 0;
	int err = cv_pyheads_read(src, r->run->arena, &heads);

	if (err)
		return err == CV_ENOMEM ? err : 0;
	while ((h = cv_pyheads_next(&heads, "Tag", &at)))
		cv_strv_push(r->run->arena, &r->art->tags, h->value);
	return 0;
}

static const char *string_of(const struct cv_pyassign *p, const char *name)
{
	const struct cv_pyname *n = cv_pyassign_get(p, name);

	return n && n->value.kind == CV_PYLIT_STR ? n->value.text : NULL;
}

/* torch/version.py and onnxruntime/capi/build_and_package_info.py */
static int read_version_file(struct reading *r, struct cv_src *src)
{
	struct cv_pyassign p = { 0 };
	struct cv_str text;
	const char *cuda, *full;

	if (cv_src_all(src, TEXT_MAX, r->run->arena, &text) || cv_pyassign_parse(text, r->run->arena, &p))
		return cv_arena_failed(r->run->arena) ? CV_ENOMEM : 0;
	cuda = string_of(&p, "cuda");
	cuda = cuda ? cuda : string_of(&p, "cuda_version");
	full = string_of(&p, "__version__");
	r->art->cuda = cuda ? cuda : r->art->cuda;
	r->art->full_version = full ? full : r->art->full_version;
	return 0;
}

/* Of a wheel's two directories only the first part counts: "torch-2.9.1.dist-info/METADATA". */
static bool is_own_metadata(const char *path, const char *file)
{
	const char *slash = strchr(path, '/');

	return slash && cv_streq(slash + 1, file) && cv_str_ends((struct cv_str){ path, (size_t)(slash - path) }, ".dist-info");
}

static int take_file(void *cookie, const char *path, struct cv_src *src)
{
	struct reading *r = cookie;

	if (is_own_metadata(path, "METADATA"))
		return read_metadata(r, src);
	if (is_own_metadata(path, "WHEEL"))
		return read_tags(r, src);
	if (cv_streq(path, "torch/version.py") || cv_streq(path, "onnxruntime/capi/build_and_package_info.py"))
		return read_version_file(r, src);
	return is_library(cv_basename(path)) ? read_library(r, path, src) : 0;
}

static int walk_dir(struct reading *r, struct cv_view *view, const char *dir, const char *below, unsigned depth)
{
	struct cv_dirlist list;
	int err = cv_view_list(view, dir, r->run->arena, &list);

	if (err)
		return depth ? 0 : err;
	for (size_t i = 0; i < list.n; i++) {
		const char *full = cv_path_join(r->run->arena, dir, list.v[i].name);
		const char *rel = *below ? cv_path_join(r->run->arena, below, list.v[i].name) : cv_arena_strdup(r->run->arena, list.v[i].name);
		struct cv_src *src;

		if (list.v[i].type == CV_FT_DIR && depth < DEPTH_MAX) {
			err = walk_dir(r, view, full, rel, depth + 1);
		} else if (list.v[i].type == CV_FT_REG) {
			if (cv_view_open(view, full, &src))
				continue;
			err = take_file(r, rel, src);
			cv_src_close(src);
		}
		if (err)
			return err;
	}
	return 0;
}

static int cmp_lib(const void *pa, const void *pb)
{
	const struct cv_derived_lib *a = pa, *b = pb;

	return strcmp(a->path, b->path);
}

int cv_artifact_read(struct cv_run *run, struct cv_view *view, const char *path, struct cv_artifact *ret)
{
	const char *cwd = run->opt.root || !run->opt.cwd ? "/" : run->opt.cwd;
	const char *full = cv_path_clean(run->arena, cv_path_join(run->arena, cwd, path));
	struct reading r = { .run = run, .art = ret };
	struct cv_src *src;
	int err;

	*ret = (struct cv_artifact){ .given = cv_arena_strdup(run->arena, path) };
	if (cv_view_is_dir(view, full)) {
		err = walk_dir(&r, view, full, "", 0);
	} else {
		err = cv_view_open(view, full, &src);
		if (err)
			return cv_diag_fail(&run->diag, err, "%s: %s", path, cv_strerror(err));
		src->name = ret->given;
		err = cv_wheel_walk(src, run->arena, &run->diag, take_file, &r);
		cv_src_close(src);
	}
	if (err)
		return err;
	if (r.metadata != 1)
		return cv_diag_fail(&run->diag, CV_EFORMAT, "%s: %s", path,
				    r.metadata ? "several distributions: give one wheel, or a directory with one" : "no distribution: no .dist-info/METADATA");
	if (ret->libs.n)
		qsort(ret->libs.v, ret->libs.n, sizeof(*ret->libs.v), cmp_lib);
	return 0;
}
