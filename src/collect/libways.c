/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ways, by the text that lib.via gives them:
 *
 *	LD_LIBRARY_PATH     its absolute directories
 *	ld.so.conf          directories of the loader's configuration: in the cache or not, ldconfig would take them
 *	ld.so.cache         entries of the cache
 *	default directory   those that the loader itself knows
 *	usual directory     where drivers are put, but no loader looks by itself: WSL, Tegra, container hosts, alternatives
 *	toolkit:ROOT        library, stub and compat directories of a toolkit
 *	env:PREFIX          wheels and conda packages of a selected environment
 */
#include "collect/libways.h"

#include "collect/see.h"
#include "parse/ldcache.h"
#include "parse/libname.h"

#define CACHE "/etc/ld.so.cache"
#define WHEELS_MAX 256

static void by_variable(struct cv_collect_ctx *c, struct cv_libfind *f)
{
	struct cv_str rest, dir;
	const char *value;

	if (cv_view_getenv(c->view, "LD_LIBRARY_PATH", &value) < 0)
		return;
	/* both separators count */
	for (rest = cv_str_of(value); rest.n;) {
		size_t n = 0;

		while (n < rest.n && rest.p[n] != ':' && rest.p[n] != ';')
			n++;
		dir = cv_str_sub(rest, 0, n);
		rest = cv_str_from(rest, n + 1);
		while (dir.n > 1 && dir.p[dir.n - 1] == '/')
			dir.n--;
		if (dir.n)
			cv_libfind_dir(f, cv_str_dup(f->arena, dir), "LD_LIBRARY_PATH", NULL);
	}
}

static void by_conf(struct cv_collect_ctx *c, struct cv_libfind *f)
{
	const struct cv_strv *dirs = cv_fact_list(cv_facts_find(c->facts, CV_KIND_ldso, ""), CV_F_ldso_conf_dirs);

	for (size_t i = 0; i < dirs->n; i++)
		cv_libfind_dir(f, dirs->v[i], "ld.so.conf", NULL);
}

/* Entries of other machines too: the file itself tells its machine. A damaged cache is told by the facts of ldso. */
static void by_cache(struct cv_collect_ctx *c, struct cv_libfind *f)
{
	struct cv_ldcache cache;
	struct cv_str bytes, family;

	if (cv_view_read(c->view, CACHE, CV_LDCACHE_MAX, c->scratch, &bytes) < 0 ||
	    cv_ldcache_parse(bytes, CACHE, c->scratch, NULL, &cache) < 0)
		return;
	for (size_t i = 0; i < cache.n; i++)
		if (cv_libname_family(cv_str_of(cv_basename(cache.v[i].value)), &family))
			cv_libfind_path(f, cache.v[i].value, "ld.so.cache");
}

static void by_fixed(struct cv_libfind *f)
{
	static const char *const defaults[] = { "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
						"/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib" };
	static const char *const usual[] = {
		"/usr/lib/wsl/lib",
		"/usr/local/nvidia/lib64",
		"/usr/local/nvidia/lib",
		"/usr/lib/x86_64-linux-gnu/nvidia/current",
		"/usr/lib/aarch64-linux-gnu/nvidia/current",
		"/usr/lib/aarch64-linux-gnu/nvidia",
		"/usr/lib/aarch64-linux-gnu/tegra",
		"/run/opengl-driver/lib",
		"/usr/local/lib",
		"/usr/local/cuda/compat",
		"/usr/local/cuda/compat/lib",
	};

	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
		cv_libfind_dir(f, defaults[i], "default directory", NULL);
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		cv_libfind_dir(f, usual[i], "usual directory", NULL);
}

/* Subdirectories of dir that are directories or links, as whole paths; at most max. */
static struct cv_strv subdirs(struct cv_collect_ctx *c, struct cv_libfind *f, const char *dir, size_t max)
{
	struct cv_strv got = { 0 };
	struct cv_dirlist list = { 0 };
	int err = cv_view_list(c->view, dir, c->scratch, &list);

	/* What lies below is not known then, as with a library directory itself. */
	if (err == CV_EACCES || err == CV_ENOTASKED)
		cv_strv_push(f->arena, &f->denied, cv_arena_strdup(f->arena, dir));
	if (err < 0)
		return got;
	for (size_t i = 0; i < list.n && got.n < max; i++)
		if (list.v[i].type == CV_FT_DIR || list.v[i].type == CV_FT_LNK || list.v[i].type == CV_FT_UNKNOWN)
			cv_strv_push(c->scratch, &got, cv_path_join(c->scratch, dir, list.v[i].name));
	return got;
}

static void by_toolkit(struct cv_collect_ctx *c, struct cv_libfind *f, const char *root)
{
	static const char *const dirs[] = {
		"lib64", "lib64/stubs", "lib", "lib/stubs", "compat", "compat/lib", "compat/lib.real"
	};
	const char *via = cv_arena_printf(f->arena, "toolkit:%s", root);
	struct cv_strv targets = subdirs(c, f, cv_path_join(c->scratch, root, "targets"), 16);

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		cv_libfind_dir(f, cv_path_join(f->arena, root, dirs[i]), via, NULL);
	for (size_t i = 0; i < targets.n; i++) {
		const char *lib = cv_path_join(f->arena, targets.v[i], "lib");

		cv_libfind_dir(f, lib, via, NULL);
		cv_libfind_dir(f, cv_path_join(f->arena, lib, "stubs"), via, NULL);
	}
}

/* /usr/local/cuda-12.4 with nothing but compat is no toolkit, but holds a libcuda. */
static void by_compat(struct cv_collect_ctx *c, struct cv_libfind *f)
{
	struct cv_strv dirs = subdirs(c, f, "/usr/local", 1024);

	for (size_t i = 0; i < dirs.n; i++)
		if (cv_starts(dirs.v[i], "/usr/local/cuda-"))
			cv_libfind_dir(f, cv_path_join(f->arena, dirs.v[i], "compat"), "usual directory", NULL);
}

static void by_env(struct cv_collect_ctx *c, struct cv_libfind *f, const struct cv_subject *env)
{
	const char *prefix = cv_subject_key(env), *kind = cv_fact_str(env, CV_F_env_kind);
	const char *via = cv_arena_printf(f->arena, "env:%s", prefix);
	const struct cv_strv *path = cv_fact_list(env, CV_F_env_sys_path);

	for (size_t i = 0; i < path->n; i++) {
		struct cv_strv wheels = subdirs(c, f, cv_path_join(c->scratch, path->v[i], "nvidia"), WHEELS_MAX);

		for (size_t k = 0; k < wheels.n; k++)
			cv_libfind_dir(f, cv_path_join(f->arena, wheels.v[k], "lib"), via, prefix);
		cv_libfind_dir(f, cv_path_join(f->arena, path->v[i], "torch/lib"), via, prefix);
	}
	if (kind && cv_streq(kind, "conda"))
		cv_libfind_dir(f, cv_path_join(f->arena, prefix, "lib"), via, prefix);
}

void cv_libways(struct cv_collect_ctx *c, struct cv_libfind *f)
{
	by_variable(c, f);
	by_conf(c, f);
	by_cache(c, f);
	by_fixed(f);
	for (size_t i = 0; i < cv_facts_count(c->facts, CV_KIND_toolkit); i++)
		by_toolkit(c, f, cv_subject_key(cv_facts_at(c->facts, CV_KIND_toolkit, i)));
	by_compat(c, f);
	for (size_t i = 0; i < cv_facts_count(c->facts, CV_KIND_env); i++) {
		const struct cv_subject *env = cv_facts_at(c->facts, CV_KIND_env, i);

		if (cv_fact_true(env, CV_F_env_selected))
			by_env(c, f, env);
	}
}
