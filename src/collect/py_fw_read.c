/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each framework's own files say of its build. They are read, never imported.
 *
 *	torch        torch/version.py: __version__, cuda, hip (None where built without)
 *	onnxruntime  capi/build_and_package_info.py: package_name, __version__, cuda_version. GPU wheels have it, CPU wheels only
 *	             from about 1.20 on; so where an old CPU wheel was written over a GPU one it is left behind and lies. Then
 *	             the size of the native module in the RECORDs tells whose files are there. capi/version_info.py is older.
 *	tensorflow   python/platform/build_info.py: a dict; the version stands in a header
 *	jax          jax/version.py; CUDA comes with plugin packages: jax_plugins/xla_cuda12/xla_cuda_plugin.so
 *	cupy         cupy/_version.py, cupy/.data/_wheel.json; CUDA is in the distribution's name
 */
#include "collect/py_fw.h"

#include <ctype.h>

#include "base/version.h"
#include "collect/see.h"
#include "parse/directurl.h"

/* A Python file's assignments and where they stand. */
struct source {
	const char *path;
	int err; /* of reading or parsing */
	struct cv_pyassign names;
};

static struct cv_prov at(const char *path, unsigned line)
{
	return cv_see_prov(CV_PY_FRAMEWORKS, path, line);
}

static struct source read_source(struct cv_py_fw *fw, const char *tail)
{
	struct source src = { .path = cv_path_join(fw->a, fw->dir, tail) };
	struct cv_str text;

	src.err = cv_view_read(fw->c->view, src.path, CV_PYASSIGN_MAX, fw->a, &text);
	if (src.err == 0)
		src.err = cv_pyassign_parse(text, fw->a, &src.names);
	return src;
}

/* The text that a name is set to, or NULL; *ret_line is its line, 0 if there is no such name. */
static const char *text_of(const struct source *src, const char *name, unsigned *ret_line)
{
	const struct cv_pyname *n = src->err ? NULL : cv_pyassign_get(&src->names, name);

	*ret_line = n ? n->line : 0;
	return n && n->value.kind == CV_PYLIT_STR && n->value.text[0] ? n->value.text : NULL;
}

/* The name is there and is None, "" or False. */
static bool is_none(const struct source *src, const char *name)
{
	const struct cv_pyname *n = src->err ? NULL : cv_pyassign_get(&src->names, name);

	if (!n)
		return false;
	return n->value.kind == CV_PYLIT_NONE || (n->value.kind == CV_PYLIT_STR && !n->value.text[0]) ||
	       (n->value.kind == CV_PYLIT_BOOL && !n->value.truth);
}

/* A file that should be there and is not: nothing is known. Absent would say that the framework was built without. */
static void put_failure(struct cv_py_fw *fw, enum cv_field id, const char *path, int err)
{
	enum cv_state state = cv_state_of_err(err);

	if (state == CV_ABSENT)
		cv_facts_state(fw->facts, fw->s, id, CV_UNPARSED, cv_arena_printf(fw->a, "%s is not there", cv_basename(path)),
			       at(path, 0));
	else
		cv_see_fail(fw->c, fw->s, id, err, at(path, 0));
}

/* Puts a version-like text of src into a field: known, absent (it says so), or what hindered. */
static void put_text(struct cv_py_fw *fw, const struct source *src, const char *name, enum cv_field id)
{
	unsigned line;
	const char *text = text_of(src, name, &line);

	if (text)
		cv_facts_str(fw->facts, fw->s, id, text, at(src->path, line));
	else if (is_none(src, name))
		cv_facts_state(fw->facts, fw->s, id, CV_ABSENT, NULL, at(src->path, line));
	else if (src->err)
		put_failure(fw, id, src->path, src->err);
	else
		cv_facts_state(fw->facts, fw->s, id, CV_UNPARSED,
			       line ? "not a literal" : cv_arena_printf(fw->a, "%s is not set", name), at(src->path, line));
}

static void put_version(struct cv_py_fw *fw, const char *version, const char *path, unsigned line)
{
	if (cv_ver_valid(CV_VER_PEP440, version))
		cv_facts_str(fw->facts, fw->s, CV_F_framework_version, version, at(path, line));
	else
		cv_facts_state(fw->facts, fw->s, CV_F_framework_version, CV_UNPARSED, version, at(path, line));
}

/* The version of src's __version__ where it is a text, else what put_text() makes of it. */
static void put_own_version(struct cv_py_fw *fw, const struct source *src)
{
	unsigned line;
	const char *text = text_of(src, "__version__", &line);

	if (text)
		put_version(fw, text, src->path, line);
	else
		put_text(fw, src, "__version__", CV_F_framework_version);
}

static void put_package(struct cv_py_fw *fw, const char *name, const char *path, unsigned line)
{
	cv_facts_str(fw->facts, fw->s, CV_F_framework_package, cv_pep503(fw->a, cv_str_of(name)), at(path, line));
}

static const char *claim_name(const struct cv_subject *claim)
{
	return cv_fact_str(claim, CV_F_package_name);
}

static bool is_claim(const struct cv_py_fw *fw, const char *name)
{
	for (size_t i = 0; i < fw->claims.n; i++)
		if (claim_name(fw->claims.v[i]) && cv_streq(claim_name(fw->claims.v[i]), name))
			return true;
	return false;
}

/* The one distribution that the RECORDs point to: whose native module is in place, or the only one that claims the directory. */
static const char *by_record(const struct cv_py_fw *fw, const char **ret_path)
{
	const struct cv_subject *only = NULL;

	for (size_t i = 0; i < fw->claims.n; i++) {
		const struct cv_subject *claim = fw->claims.v[i];

		if (fw->claims.n == 1 ||
		    (fw->native_of.n == 1 && claim_name(claim) && cv_streq(claim_name(claim), fw->native_of.v[0])))
			only = claim;
	}
	if (!only || !claim_name(only))
		return NULL;
	*ret_path = cv_fact_str(only, CV_F_package_path);
	return claim_name(only);
}

static void put_package_by_record(struct cv_py_fw *fw)
{
	const char *path, *name = by_record(fw, &path);

	if (name)
		put_package(fw, name, path, 0);
}

/* The first that is there; otherwise NULL, with the reason why one could not be looked at, or CV_ENOENT. */
static const char *first_of(struct cv_py_fw *fw, const char *const *paths, int *ret_err)
{
	struct cv_stat st;

	*ret_err = CV_ENOENT;
	for (; *paths; paths++) {
		int r = cv_view_stat(fw->c->view, *paths, &st);

		if (r == 0)
			return *paths;
		if (cv_state_of_err(r) != CV_ABSENT)
			*ret_err = r;
	}
	return NULL;
}

static void put_gpu_lib(struct cv_py_fw *fw, const char *path, int err, const char *from)
{
	if (path || cv_state_of_err(err) == CV_ABSENT) {
		cv_py_fw_gpu_lib(fw, path, from);
		return;
	}
	put_failure(fw, CV_F_framework_gpu_lib, from, err);
	put_failure(fw, CV_F_framework_gpu_needed, from, err);
}

static void put_first_gpu_lib(struct cv_py_fw *fw, const char *const *paths, const char *from)
{
	int err;
	const char *path = first_of(fw, paths, &err);

	put_gpu_lib(fw, path, err, from);
}

static void put_one_gpu_lib(struct cv_py_fw *fw, const char *path, const char *from)
{
	const char *const paths[] = { path, NULL };

	put_first_gpu_lib(fw, paths, from);
}

static void read_torch(struct cv_py_fw *fw)
{
	struct source src = read_source(fw, "version.py");
	const char *lib = cv_path_join(fw->a, fw->dir, "lib");
	/* Until 1.12 some builds had it in two; conda-forge has torch's libraries in the environment's lib. */
	const char *const libs[] = {
		cv_path_join(fw->a, lib, "libtorch_cuda.so"),
		cv_path_join(fw->a, lib, "libtorch_cuda_cu.so"),
		cv_arena_printf(fw->a, "%s/lib/libtorch_cuda.so", fw->prefix),
		NULL,
	};

	put_own_version(fw, &src);
	put_text(fw, &src, "cuda", CV_F_framework_cuda);
	put_text(fw, &src, "hip", CV_F_framework_hip);
	put_package_by_record(fw);
	put_first_gpu_lib(fw, libs, lib);
}

/*
 * Whose files ORT's are. Its own word counts unless the RECORDs say clearly that its file was left behind by another: two
 * distributions, and the native module is of the other one; or one that is not the one named.
 */
static const char *ort_package(struct cv_py_fw *fw, const struct source *src, const char *provider, const char **ret_path,
			       unsigned *ret_line)
{
	const char *own = text_of(src, "package_name", ret_line);
	const char *record = by_record(fw, ret_path);

	if (own)
		own = cv_pep503(fw->a, cv_str_of(own));
	if (own && (!record || cv_streq(own, record) || (fw->native_of.n != 1 && is_claim(fw, own)))) {
		*ret_path = src->path;
		return own;
	}
	*ret_line = 0;
	if (record)
		return record;
	*ret_path = provider ? provider : fw->dir;
	return provider ? "onnxruntime-gpu" : NULL;
}

/* err: why there is no provider. */
static void put_ort_cuda(struct cv_py_fw *fw, const struct source *src, const char *package, bool own_word, const char *provider,
			 int err)
{
	struct source old = { .err = CV_ENOENT };
	unsigned line;

	if (own_word && text_of(src, "cuda_version", &line)) {
		put_text(fw, src, "cuda_version", CV_F_framework_cuda);
		if (text_of(src, "cudnn_version", &line))
			put_text(fw, src, "cudnn_version", CV_F_framework_cudnn);
		return;
	}
	if (!own_word)
		old = read_source(fw, "capi/version_info.py");
	if (old.err == 0 && text_of(&old, "cuda_version", &line))
		put_text(fw, &old, "cuda_version", CV_F_framework_cuda);
	else if (own_word)
		cv_facts_state(fw->facts, fw->s, CV_F_framework_cuda, CV_ABSENT, "built without CUDA", at(src->path, 0));
	else if (package && cv_streq(package, "onnxruntime"))
		cv_facts_state(fw->facts, fw->s, CV_F_framework_cuda, CV_ABSENT, "the files are those of the CPU package",
			       at(fw->dir, 0));
	else if (!provider && cv_state_of_err(err) == CV_ABSENT)
		cv_facts_state(fw->facts, fw->s, CV_F_framework_cuda, CV_ABSENT, "no CUDA provider", at(fw->dir, 0));
	else if (!provider)
		put_failure(fw, CV_F_framework_cuda, cv_path_join(fw->a, fw->dir, "capi"), err);
}

static void read_ort(struct cv_py_fw *fw)
{
	struct source src = read_source(fw, "capi/build_and_package_info.py"), init = read_source(fw, "__init__.py");
	const char *const libs[] = { cv_path_join(fw->a, fw->dir, "capi/libonnxruntime_providers_cuda.so"), NULL };
	const char *provider, *path = fw->dir, *package, *own, *shown;
	unsigned line, own_line, shown_line;
	bool own_word;
	int err;

	provider = first_of(fw, libs, &err);
	package = ort_package(fw, &src, provider, &path, &line);
	own_word = package && path == src.path;
	if (package)
		put_package(fw, package, path, line);
	own = text_of(&src, "package_name", &own_line);
	if (own && !own_word)
		put_package(fw, own, src.path, own_line); /* left behind: kept beside the other */
	own = own_word ? text_of(&src, "__version__", &own_line) : NULL;
	shown = text_of(&init, "__version__", &shown_line);
	if (own)
		put_version(fw, own, src.path, own_line);
	if (shown && !(own && cv_streq(own, shown)))
		put_version(fw, shown, init.path, shown_line);
	else if (!own && !shown)
		put_text(fw, &init, "__version__", CV_F_framework_version);
	put_ort_cuda(fw, &src, package, own_word, provider, err);
	if (own_word && text_of(&src, "rocm_version", &own_line))
		put_text(fw, &src, "rocm_version", CV_F_framework_hip);
	put_gpu_lib(fw, provider, err, cv_path_join(fw->a, fw->dir, "capi"));
}

/* The three numbers of TF_MAJOR_VERSION, TF_MINOR_VERSION and TF_PATCH_VERSION in a header. */
static bool header_version(struct cv_py_fw *fw, const char *path)
{
	static const char *const names[] = { "TF_MAJOR_VERSION", "TF_MINOR_VERSION", "TF_PATCH_VERSION" };
	struct cv_str text, line, word, value[3] = { { NULL, 0 } };

	if (cv_view_read(fw->c->view, path, 65536, fw->a, &text) < 0)
		return false;
	while (cv_str_line(&text, &line, NULL)) {
		if (!cv_str_word(&line, &word) || !cv_str_is(word, "#define") || !cv_str_word(&line, &word))
			continue;
		for (size_t i = 0; i < 3; i++)
			if (cv_str_is(word, names[i]) && !cv_str_word(&line, &value[i]))
				value[i].p = NULL;
	}
	if (!value[0].p || !value[1].p || !value[2].p)
		return false;
	put_version(fw,
		    cv_arena_printf(fw->a, "%.*s.%.*s.%.*s", CV_STR_ARG(value[0]), CV_STR_ARG(value[1]), CV_STR_ARG(value[2])),
		    path, 0);
	return true;
}

static void put_info(struct cv_py_fw *fw, const struct source *src, const struct cv_pyname *info, const char *key,
		     enum cv_field id)
{
	const struct cv_pylit *v = cv_pylit_get(&info->value, key);

	if (v && v->kind == CV_PYLIT_STR && isdigit((unsigned char)v->text[0]) && !strchr(v->text, '_'))
		cv_facts_str(fw->facts, fw->s, id, v->text, at(src->path, info->line));
	else
		cv_facts_state(fw->facts, fw->s, id, CV_UNPARSED, cv_arena_printf(fw->a, "no %s", key),
			       at(src->path, info->line));
}

static void read_tensorflow(struct cv_py_fw *fw)
{
	struct source src = read_source(fw, "python/platform/build_info.py");
	const struct cv_pyname *info = src.err ? NULL : cv_pyassign_get(&src.names, "build_info");
	const struct cv_pylit *cuda = info ? cv_pylit_get(&info->value, "is_cuda_build") : NULL;
	const char *const libs[] = {
		cv_path_join(fw->a, fw->dir, "libtensorflow_cc.so.2"),
		cv_path_join(fw->a, fw->dir, "python/_pywrap_tensorflow_internal.so"),
		NULL,
	};
	const char *path, *name;

	put_package_by_record(fw);
	if (!header_version(fw, cv_path_join(fw->a, fw->dir, "include/tensorflow/core/public/release_version.h")) &&
	    !header_version(fw, cv_path_join(fw->a, fw->dir, "include/tensorflow/core/public/version.h"))) {
		name = by_record(fw, &path);
		for (size_t i = 0; name && i < fw->claims.n; i++)
			if (claim_name(fw->claims.v[i]) && cv_streq(claim_name(fw->claims.v[i]), name) &&
			    cv_fact_str(fw->claims.v[i], CV_F_package_version))
				put_version(fw, cv_fact_str(fw->claims.v[i], CV_F_package_version), path, 0);
	}
	if (src.err) {
		put_failure(fw, CV_F_framework_cuda, src.path, src.err);
		return;
	}
	if (!cuda || cuda->kind != CV_PYLIT_BOOL) {
		cv_facts_state(fw->facts, fw->s, CV_F_framework_cuda, CV_UNPARSED, "no is_cuda_build",
			       at(src.path, info ? info->line : 0));
		return;
	}
	if (!cuda->truth) {
		cv_facts_state(fw->facts, fw->s, CV_F_framework_cuda, CV_ABSENT, NULL, at(src.path, info->line));
		cv_py_fw_gpu_lib(fw, NULL, src.path); /* its one library has the GPU part or has it not */
		return;
	}
	put_info(fw, &src, info, "cuda_version", CV_F_framework_cuda);
	put_info(fw, &src, info, "cudnn_version", CV_F_framework_cudnn);
	put_first_gpu_lib(fw, libs, fw->dir);
}

/* The numbers at the beginning of s: "12" of "12x", "12.2" of "12.2-foo". */
static const char *leading_number(struct cv_py_fw *fw, const char *s)
{
	size_t n = strspn(s, "0123456789.");

	while (n && s[n - 1] == '.')
		n--;
	return n ? cv_arena_memdup(fw->a, s, n) : NULL;
}

/* CUDA plugins of jax on sys.path: jax_plugins is a namespace, every entry may have a part of it. True if there is one. */
static bool read_jax_plugins(struct cv_py_fw *fw)
{
	const struct cv_strv *path = cv_fact_list(fw->env, CV_F_env_sys_path);
	bool found = false;

	for (size_t i = 0; i < path->n; i++) {
		const char *dir = cv_path_join(fw->a, path->v[i], "jax_plugins");
		const struct cv_dirlist *list = cv_py_fw_list(fw, dir);

		for (size_t k = list->n; k > 0; k--) { /* the newest CUDA first */
			const char *name = list->v[k - 1].name, *plugin = cv_path_join(fw->a, dir, name), *lib, *cuda;

			if (!cv_starts(name, "xla_cuda"))
				continue;
			cuda = leading_number(fw, name + strlen("xla_cuda"));
			lib = cv_path_join(fw->a, plugin, "xla_cuda_plugin.so");
			if (cuda)
				cv_facts_str(fw->facts, fw->s, CV_F_framework_cuda, cuda, at(plugin, 0));
			if (!found)
				put_one_gpu_lib(fw, lib, plugin);
			found = true;
		}
	}
	return found;
}

/* Until 0.4.26 or so the GPU build was a jaxlib of its own, "0.4.25+cuda12.cudnn89". */
static bool read_old_jaxlib(struct cv_py_fw *fw)
{
	const struct cv_strv *path = cv_fact_list(fw->env, CV_F_env_sys_path);

	for (size_t i = 0; i < path->n; i++) {
		const char *jaxlib = cv_path_join(fw->a, path->v[i], "jaxlib"), *lib;

		if (!cv_view_exists(fw->c->view, cv_path_join(fw->a, jaxlib, "__init__.py")) &&
		    !cv_view_exists(fw->c->view, cv_path_join(fw->a, jaxlib, "version.py")))
			continue;
		if (!cv_py_fw_so(fw, cv_path_join(fw->a, jaxlib, "cuda"), ""))
			return false;
		lib = cv_path_join(fw->a, jaxlib, "xla_extension.so");
		put_one_gpu_lib(fw, lib, jaxlib);
		return true;
	}
	return false;
}

static void read_jax(struct cv_py_fw *fw)
{
	static const char *const names[] = { "__version__", "_release_version", "_version" };
	struct source src = read_source(fw, "version.py");
	bool done = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !done; i++) {
		unsigned line;
		const char *text = text_of(&src, names[i], &line);

		done = text != NULL;
		if (text)
			put_version(fw, text, src.path, line);
	}
	if (!done)
		put_text(fw, &src, "_version", CV_F_framework_version);
	put_package_by_record(fw);
	if (read_jax_plugins(fw) || read_old_jaxlib(fw))
		return;
	cv_facts_state(fw->facts, fw->s, CV_F_framework_cuda, CV_ABSENT, "no CUDA plugin", at(fw->dir, 0));
	cv_py_fw_gpu_lib(fw, NULL, fw->dir);
}

/* "12" of cupy-cuda12x, "11.2" of cupy-cuda112. */
static const char *cupy_cuda(struct cv_py_fw *fw, const char *name)
{
	const char *digits;

	if (!cv_starts(name, "cupy-cuda"))
		return NULL;
	name += strlen("cupy-cuda");
	digits = leading_number(fw, name);
	if (digits && strlen(digits) > 2)
		return cv_arena_printf(fw->a, "%.2s.%s", digits, digits + 2);
	return digits;
}

static void put_cupy_cuda(struct cv_py_fw *fw)
{
	const char *path = cv_path_join(fw->a, fw->dir, ".data/_wheel.json"), *package, *cuda = NULL, *from = path;
	struct cv_str text;

	package = by_record(fw, &from);
	if (package)
		cuda = cupy_cuda(fw, package);
	if (cuda) {
		cv_facts_str(fw->facts, fw->s, CV_F_framework_cuda, cuda, at(from, 0));
	} else if (package && cv_starts(package, "cupy-rocm")) {
		cv_facts_str(fw->facts, fw->s, CV_F_framework_hip, package + strlen("cupy-rocm-"), at(from, 0));
		cv_facts_state(fw->facts, fw->s, CV_F_framework_cuda, CV_ABSENT, NULL, at(from, 0));
		return;
	}
	if (cv_view_read(fw->c->view, path, CV_DIRECTURL_MAX, fw->a, &text) < 0 ||
	    cv_json_text_of(text, "cuda", fw->a, &package) < 0)
		return;
	package = leading_number(fw, package);
	if (package && !(cuda && cv_streq(cuda, package)))
		cv_facts_str(fw->facts, fw->s, CV_F_framework_cuda, package, at(path, 0));
}

static void read_cupy(struct cv_py_fw *fw)
{
	struct source src = read_source(fw, "_version.py");
	const char *libs = cv_path_join(fw->a, cv_dirname(fw->a, fw->dir), "cupy_backends/cuda/libs");

	put_own_version(fw, &src);
	put_package_by_record(fw);
	put_cupy_cuda(fw);
	cv_py_fw_gpu_lib(fw, cv_py_fw_so(fw, libs, "cublas."), libs);
}

const struct cv_py_fw_kind cv_py_fw_kinds[] = {
	{ .name = "torch", .native_dir = "lib", .native_stem = "libtorch_cpu.so", .read = read_torch },
	{ .name = "onnxruntime", .native_dir = "capi", .native_stem = "onnxruntime_pybind11_state", .read = read_ort },
	{ .name = "tensorflow", .native_dir = "", .native_stem = "libtensorflow_cc.so", .read = read_tensorflow },
	{ .name = "jax", .read = read_jax },
	{ .name = "cupy", .native_dir = "_core", .native_stem = "core.", .read = read_cupy },
};
const size_t cv_py_fw_kind_count = sizeof(cv_py_fw_kinds) / sizeof(cv_py_fw_kinds[0]);
