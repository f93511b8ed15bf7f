/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVIDIA kernel modules on disk. modules.dep of the running kernel names the file that modprobe would load; the usual
 * directories are looked at besides, shallowly in the trees of other kernels: a module built for another kernel than the one
 * that runs is the commonest reason for "not loaded".
 *
 * A plain file is read by its .modinfo section. A packed one (xz, zstd, gzip) must be unpacked to its end, up to 100 MB, which
 * for xz takes a second; so that is done only for the running kernel, and for xz only where no loaded module tells the version.
 */
#include "collect/registry.h"
#include "collect/see.h"
#include "collect/unpack.h"
#include "parse/modinfo.h"
#include "parse/modscan.h"
#include "parse/modulesdep.h"

#define MODULES_DIR "/lib/modules"
#define KERNELS_MAX 32
#define FILES_MAX 256
#define DEP_MAX ((size_t)16 << 20)
#define UNPACK_MAX ((uint64_t)256 << 20)
#define SIGNED "~Module signature appended~\n"

struct modules {
	struct cv_collect_ctx *c;
	const char *kernel; /* whose tree is being looked at */
	bool running;
	struct cv_strv seen; /* real paths */
};

static struct cv_prov prov(const char *path)
{
	return cv_see_prov("kmod", path, 0);
}

/* Licences of .modinfo: the proprietary flavour says "NVIDIA", the open one "Dual MIT/GPL". */
static void put_texts(struct cv_collect_ctx *c, struct cv_subject *s, const char *version, const char *license, const char *path)
{
	if (version[0])
		cv_facts_str(c->facts, s, CV_F_kmod_version, version, prov(path));
	else
		cv_facts_state(c->facts, s, CV_F_kmod_version, CV_UNPARSED, "it tells no version", prov(path));
	if (license[0])
		cv_facts_bool(c->facts, s, CV_F_kmod_open, !cv_streq(license, "NVIDIA") && !cv_streq(license, "Proprietary"),
			      prov(path));
	else
		cv_facts_state(c->facts, s, CV_F_kmod_open, CV_UNPARSED, "it tells no licence", prov(path));
}

static void put_error(struct cv_collect_ctx *c, struct cv_subject *s, int err, const char *path)
{
	cv_see_fail(c, s, CV_F_kmod_version, err, prov(path));
	cv_see_fail(c, s, CV_F_kmod_open, err, prov(path));
	cv_see_fail(c, s, CV_F_kmod_signed, err, prov(path));
}

static bool read_signed(struct cv_src *src)
{
	char tail[sizeof(SIGNED) - 1];

	return src->size > sizeof(tail) && cv_src_read(src, src->size - sizeof(tail), tail, sizeof(tail)) == 0 &&
	       memcmp(tail, SIGNED, sizeof(tail)) == 0;
}

static void see_plain(struct cv_collect_ctx *c, struct cv_subject *s, struct cv_src *src, const char *path)
{
	struct cv_modinfo info;
	struct cv_elf *e;
	int r = cv_elf_open(src, c->scratch, NULL, &e);

	if (r == 0)
		r = cv_modinfo_read(e, c->scratch, &info);
	if (r < 0) {
		put_error(c, s, r == CV_ENOENT ? CV_EFORMAT : r, path);
		return;
	}
	put_texts(c, s, info.version ? info.version : "", info.license ? info.license : "", path);
	cv_facts_bool(c->facts, s, CV_F_kmod_signed, read_signed(src), prov(path));
}

static int feed(void *cookie, const char *p, size_t n)
{
	cv_modscan_feed(cookie, p, n);
	return 0;
}

static void see_packed(struct cv_collect_ctx *c, struct cv_subject *s, struct cv_src *src, const char *path)
{
	struct cv_modscan m = { 0 };
	int r = cv_unpack(src, UNPACK_MAX, feed, &m);

	if (r < 0) {
		put_error(c, s, r, path);
		return;
	}
	put_texts(c, s, m.version, m.license, path);
	cv_facts_bool(c->facts, s, CV_F_kmod_signed, m.is_signed, prov(path));
}

static bool worth_unpacking(const struct modules *m, enum cv_kmod_packing packing)
{
	const struct cv_subject *driver = cv_facts_find(m->c->facts, CV_KIND_driver, "");

	return m->running && (packing != CV_KMOD_XZ || !cv_fact_known(driver, CV_F_driver_module_version));
}

static void see_module(struct modules *m, const char *path, enum cv_kmod_packing packing)
{
	static const enum cv_field fields[] = { CV_F_kmod_version, CV_F_kmod_open, CV_F_kmod_signed };
	struct cv_collect_ctx *c = m->c;
	struct cv_subject *s;
	struct cv_src *src;
	const char *real;
	int r;

	if (cv_view_realpath(c->view, path, c->scratch, &real) < 0)
		real = path;
	if (m->seen.n >= FILES_MAX || cv_strv_has(&m->seen, real))
		return;
	cv_strv_push(c->scratch, &m->seen, real);
	s = cv_facts_add(c->facts, CV_KIND_kmod, real);
	cv_facts_str(c->facts, s, CV_F_kmod_kernel, m->kernel, prov(real));
	if (packing != CV_KMOD_PLAIN && !worth_unpacking(m, packing)) {
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
			cv_facts_state(c->facts, s, fields[i], CV_NOT_ASKED, "it is packed, and not worth unpacking here",
				       prov(real));
		return;
	}
	r = cv_view_open(c->view, real, &src);
	if (r < 0) {
		put_error(c, s, r, real);
		return;
	}
	if (packing == CV_KMOD_PLAIN)
		see_plain(c, s, src, real);
	else
		see_packed(c, s, src, real);
	cv_src_close(src);
}

static void see_dir(struct modules *m, const char *dir)
{
	struct cv_dirlist list = { 0 };
	enum cv_kmod_packing packing;

	if (cv_view_list(m->c->view, dir, m->c->scratch, &list) < 0)
		return;
	for (size_t i = 0; i < list.n; i++)
		if (cv_kmod_is_nvidia(cv_str_of(list.v[i].name), &packing))
			see_module(m, cv_path_join(m->c->scratch, dir, list.v[i].name), packing);
}

/* Ubuntu's signed modules lie in kernel/nvidia-BRANCH. */
static void see_branches(struct modules *m, const char *dir)
{
	struct cv_dirlist list = { 0 };

	if (cv_view_list(m->c->view, dir, m->c->scratch, &list) < 0)
		return;
	for (size_t i = 0; i < list.n; i++)
		if (cv_starts(list.v[i].name, "nvidia-"))
			see_dir(m, cv_path_join(m->c->scratch, dir, list.v[i].name));
}

static void see_dep(struct modules *m, const char *tree)
{
	struct cv_collect_ctx *c = m->c;
	enum cv_kmod_packing packing;
	struct cv_str rest, path;

	if (cv_view_read(c->view, cv_path_join(c->scratch, tree, "modules.dep"), DEP_MAX, c->scratch, &rest) < 0)
		return;
	while (cv_modulesdep_next(&rest, &path)) {
		ptrdiff_t slash = cv_str_rchr(path, '/');

		if (cv_kmod_is_nvidia(cv_str_from(path, (size_t)(slash + 1)), &packing))
			see_module(m, cv_path_join(c->scratch, tree, cv_str_dup(c->scratch, path)), packing);
	}
}

static void see_tree(struct modules *m, const char *tree)
{
	static const char *const dirs[] = { "updates/dkms",	    "updates",	    "extra",
					    "extra/nvidia",	    "weak-updates", "weak-updates/nvidia",
					    "kernel/drivers/video", "misc" };
	struct cv_arena *a = m->c->scratch;

	if (m->running)
		see_dep(m, tree);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		see_dir(m, cv_path_join(a, tree, dirs[i]));
	see_branches(m, cv_path_join(a, tree, "kernel"));
}

static bool is_listed(const struct cv_dirlist *list, const char *name)
{
	for (size_t i = 0; name && i < list->n; i++)
		if (cv_streq(list->v[i].name, name))
			return true;
	return false;
}

static void run(struct cv_collect_ctx *c)
{
	struct cv_subject *driver = cv_see_only(c, CV_KIND_driver);
	const char *running = cv_fact_str(cv_facts_find(c->facts, CV_KIND_machine, ""), CV_F_machine_kernel);
	struct modules m = { .c = c, .kernel = running, .running = true };
	struct cv_dirlist list = { 0 };
	const char *tree;
	int r = cv_view_list(c->view, MODULES_DIR, c->scratch, &list);

	if (is_listed(&list, running)) {
		tree = cv_path_join(c->scratch, MODULES_DIR, running);
		see_tree(&m, tree);
		cv_facts_bool(c->facts, driver, CV_F_driver_modules_seen, true, prov(tree));
	} else {
		cv_see_fail(c, driver, CV_F_driver_modules_seen, r < 0 ? r : CV_ENOENT, prov(MODULES_DIR));
	}
	m.running = false;
	for (size_t i = 0; i < list.n && i < KERNELS_MAX; i++) {
		m.kernel = list.v[i].name;
		if (!running || !cv_streq(m.kernel, running))
			see_tree(&m, cv_path_join(c->scratch, MODULES_DIR, m.kernel));
	}
}

const struct cv_collector cv_collector_kmod = {
	.name = "kmod",
	.doc = "NVIDIA kernel modules on disk",
	.run = run,
};
