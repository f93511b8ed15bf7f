/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA toolkits on the machine: /usr/local/cuda*, CUDA_HOME, CUDA_PATH, the nvcc that PATH finds, and where distributions put
 * theirs. One directory met in several ways is one subject; a directory of that name with nothing of a toolkit in it is none.
 *
 * nvcc is never run. Runtime images hold no version file and no header; there the file name of libcudart tells.
 */
#include "collect/registry.h"
#include "collect/see.h"
#include "parse/cudaver.h"

#define HEADER_MAX ((size_t)64 * 1024) /* CUDA_VERSION stands near the top of a megabyte */
#define TOOLKITS_MAX 64

static struct cv_prov prov(const char *path, unsigned line)
{
	return cv_see_prov("toolkit", path, line);
}

struct found {
	const char *root;
	struct cv_strv via;
};

struct search {
	struct cv_collect_ctx *c;
	CV_VEC(struct found) list;
};

static bool has(struct cv_collect_ctx *c, const char *root, const char *name)
{
	return cv_view_exists(c->view, cv_path_join(c->scratch, root, name));
}

static bool is_toolkit(struct cv_collect_ctx *c, const char *root)
{
	return has(c, root, "bin/nvcc") || has(c, root, "version.json") || has(c, root, "version.txt") ||
	       has(c, root, "include/cuda.h") || has(c, root, "lib64") || has(c, root, "targets");
}

static void add(struct search *s, const char *dir, const char *via)
{
	struct cv_collect_ctx *c = s->c;
	struct found *f;
	const char *real;

	if (dir[0] != '/' || cv_view_realpath(c->view, dir, c->scratch, &real) < 0 || cv_streq(real, "/"))
		return;
	for (size_t i = 0; i < s->list.n; i++) {
		if (!cv_streq(s->list.v[i].root, real))
			continue;
		if (!cv_strv_has(&s->list.v[i].via, via))
			cv_strv_push(c->scratch, &s->list.v[i].via, via);
		return;
	}
	if (s->list.n >= TOOLKITS_MAX || !is_toolkit(c, real) || !(f = CV_VEC_PUSH(c->scratch, &s->list)))
		return;
	f->root = real;
	cv_strv_push(c->scratch, &f->via, via);
}

static void add_usr_local(struct search *s)
{
	struct cv_dirlist list = { 0 };

	if (cv_view_list(s->c->view, "/usr/local", s->c->scratch, &list) < 0)
		return;
	for (size_t i = 0; i < list.n; i++) {
		const char *name = list.v[i].name;
		const char *path = cv_path_join(s->c->scratch, "/usr/local", name);

		if (cv_streq(name, "cuda") || cv_starts(name, "cuda-"))
			add(s, path, path);
	}
}

static void add_env(struct search *s, const char *name)
{
	const char *value;

	if (cv_view_getenv(s->c->view, name, &value) == 0)
		add(s, value, name);
}

/* The toolkit of the first nvcc on PATH. Debian's is a script in /usr/bin whose toolkit lies elsewhere. */
static void add_path(struct search *s)
{
	struct cv_collect_ctx *c = s->c;
	struct cv_str rest, dir;
	const char *path, *real;

	if (cv_view_getenv(c->view, "PATH", &path) < 0)
		return;
	rest = cv_str_of(path);
	while (cv_str_split(&rest, ':', &dir)) {
		const char *nvcc;

		if (dir.n == 0 || dir.p[0] != '/')
			continue;
		nvcc = cv_path_join(c->scratch, cv_str_dup(c->scratch, dir), "nvcc");
		if (cv_view_realpath(c->view, nvcc, c->scratch, &real) < 0 || cv_view_access(c->view, real, CV_ACCESS_X) < 0)
			continue;
		if (cv_streq(real, "/usr/bin/nvcc"))
			add(s, "/usr/lib/nvidia-cuda-toolkit", "PATH");
		else
			add(s, cv_dirname(c->scratch, cv_dirname(c->scratch, real)), "PATH");
		return;
	}
}

static int read_head(struct cv_collect_ctx *c, const char *path, struct cv_str *ret)
{
	struct cv_src *src;
	int r = cv_view_open(c->view, path, &src);

	if (r < 0)
		return r;
	r = cv_src_slice(src, 0, src->size < HEADER_MAX ? (size_t)src->size : HEADER_MAX, c->scratch, ret);
	cv_src_close(src);
	return r;
}

/* Version by the file name of libcudart in one of the library directories. */
static int version_of_cudart(struct cv_collect_ctx *c, const char *root, const char **ret, const char **ret_path)
{
	static const char *const dirs[] = { "lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib",
					    "targets/aarch64-linux/lib", "lib" };
	const char *version;

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		const char *dir = cv_path_join(c->scratch, root, dirs[i]);
		struct cv_dirlist list = { 0 };

		if (cv_view_list(c->view, dir, c->scratch, &list) < 0)
			continue;
		for (size_t k = 0; k < list.n; k++) {
			/* CUDA's 12.4 is libcudart.so.12.4.127; libcudart.so.11.0 is the SONAME of every CUDA 11 */
			if (cv_cudaver_name(list.v[k].name, "libcudart.so.", c->scratch, &version) < 0 ||
			    cv_ver_part(version, 2) < 0)
				continue;
			*ret = cv_ver_prefix(c->scratch, version, 2);
			*ret_path = cv_path_join(c->scratch, dir, list.v[k].name);
			return 0;
		}
	}
	return CV_ENOENT;
}

static void put_version(struct cv_collect_ctx *c, struct cv_subject *s, const char *version, const char *how, struct cv_prov p)
{
	cv_facts_str(c->facts, s, CV_F_toolkit_version, version, p);
	cv_facts_str(c->facts, s, CV_F_toolkit_version_how, how, p);
}

static void see_version(struct cv_collect_ctx *c, struct cv_subject *s, const char *root)
{
	const char *json = cv_path_join(c->scratch, root, "version.json");
	const char *txt = cv_path_join(c->scratch, root, "version.txt");
	const char *header = cv_path_join(c->scratch, root, "include/cuda.h");
	const char *version, *path;
	struct cv_str text;
	unsigned line = 0;

	if (cv_streq(root, "/usr/lib/nvidia-cuda-toolkit") || cv_streq(root, "/usr/lib/cuda"))
		header = "/usr/include/cuda.h"; /* Debian */
	if (cv_see_text(c, json, &text) == 0 && cv_cudaver_json(text, c->scratch, &version, &line) == 0)
		put_version(c, s, version, "version.json", prov(json, line));
	else if (cv_see_text(c, txt, &text) == 0 && cv_cudaver_txt(text, c->scratch, &version) == 0)
		put_version(c, s, version, "version.txt", prov(txt, 1));
	else if (read_head(c, header, &text) == 0 && cv_cudaver_header(text, c->scratch, &version, &line) == 0)
		put_version(c, s, version, "cuda.h", prov(header, line));
	else if (version_of_cudart(c, root, &version, &path) == 0)
		put_version(c, s, version, "libcudart", prov(path, 0));
	else if (cv_cudaver_name(cv_basename(root), "cuda-", c->scratch, &version) == 0)
		put_version(c, s, version, "directory name", prov(root, 0));
	else
		cv_facts_state(c->facts, s, CV_F_toolkit_version, CV_UNPARSED, "no file of it tells its version", prov(root, 0));
}

static void see_toolkit(struct cv_collect_ctx *c, const struct found *f)
{
	struct cv_subject *s = cv_facts_add(c->facts, CV_KIND_toolkit, f->root);
	const char *nvcc = cv_path_join(c->scratch, f->root, "bin/nvcc");
	struct cv_stat st;
	int r = cv_view_stat(c->view, nvcc, &st);

	see_version(c, s, f->root);
	if (r == 0)
		cv_facts_str(c->facts, s, CV_F_toolkit_nvcc, nvcc, prov(nvcc, 0));
	else
		cv_see_fail(c, s, CV_F_toolkit_nvcc, r, prov(nvcc, 0));
	cv_facts_list(c->facts, s, CV_F_toolkit_via, &f->via, prov(f->root, 0));
}

static void run(struct cv_collect_ctx *c)
{
	static const char *const usual[] = { "/opt/cuda", "/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit" };
	struct search s = { .c = c };

	add_env(&s, "CUDA_HOME");
	add_env(&s, "CUDA_PATH");
	add_path(&s);
	add_usr_local(&s);
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		add(&s, usual[i], usual[i]);
	for (size_t i = 0; i < s.list.n; i++)
		see_toolkit(c, &s.list.v[i]);
}

const struct cv_collector cv_collector_toolkit = {
	.name = "toolkit",
	.doc = "CUDA toolkits",
	.run = run,
};
