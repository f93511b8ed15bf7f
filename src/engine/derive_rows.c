/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In which rows the facts of an artifact go. Which properties a subject has is in kb/SCHEMA: what it does not have is left out,
 * so one list of facts serves all subjects. To teach it another distribution: a row in recipes[].
 */
#include "engine/derive.h"

#include <stdlib.h>

#include "base/str.h"
#include "base/version.h"
#include "kb/tsv.h"
#include "parse/requirement.h"

/* Where the name of a build comes from: "cu128" of "code:cu128". */
enum build_by {
	BY_NOTHING, /* properties without one */
	BY_VERSION, /* the version's local part, or the CUDA of its version file */
	BY_NAME,    /* "-cu12" at the end of the distribution's name, otherwise the major of its version */
	BY_LIBRARY, /* each library for itself: libbitsandbytes_cuda128.so */
};

static const struct recipe {
	const char *dist, *subject;
	const char *library;   /* its main library: the name up to ".so" */
	enum build_by build;
} recipes[] = {
	{ "torch", "torch", "libtorch_cuda", BY_VERSION },
	{ "onnxruntime-gpu", "onnxruntime-gpu", "libonnxruntime_providers_cuda", BY_NOTHING },
	{ "onnxruntime", "onnxruntime", NULL, BY_NOTHING },
	{ "tensorflow", "tensorflow", "libtensorflow_cc", BY_NOTHING },
	{ "triton", "triton", NULL, BY_NOTHING },
	{ "xformers", "xformers", "_C", BY_NOTHING },
	{ "flash-attn", "flash-attn", NULL, BY_NOTHING },
	{ "vllm", "vllm", "_C_stable_libtorch.abi3", BY_NOTHING },
	{ "bitsandbytes", "bitsandbytes", "libbitsandbytes_cuda", BY_LIBRARY },
	{ "ctranslate2", "ctranslate2", "libctranslate2", BY_NOTHING },
	{ "nvidia-cudnn-cu11", "cudnn", "libcudnn", BY_NAME },
	{ "nvidia-cudnn-cu12", "cudnn", "libcudnn", BY_NAME },
	{ "nvidia-cudnn-cu13", "cudnn", "libcudnn", BY_NAME },
	{ "nvidia-nccl-cu11", "nccl", "libnccl", BY_NAME },
	{ "nvidia-nccl-cu12", "nccl", "libnccl", BY_NAME },
	{ "nvidia-nccl-cu13", "nccl", "libnccl", BY_NAME },
	{ "nvidia-cublas-cu11", "cublas", "libcublas", BY_NAME },
	{ "nvidia-cublas-cu12", "cublas", "libcublas", BY_NAME },
	{ "nvidia-cublas", "cublas", "libcublas", BY_NAME },
	{ "nvidia-cuda-runtime-cu11", "cudart", "libcudart", BY_NAME },
	{ "nvidia-cuda-runtime-cu12", "cudart", "libcudart", BY_NAME },
	{ "nvidia-cuda-runtime", "cudart", "libcudart", BY_NAME },
	{ "nvidia-nvjitlink-cu12", "nvjitlink", "libnvJitLink", BY_NAME },
	{ "nvidia-nvjitlink", "nvjitlink", "libnvJitLink", BY_NAME },
};

struct deriving {
	const struct cv_artifact *art;
	const struct cv_kb *kb;
	struct cv_arena *a;
	struct cv_derived_rows *out;
	const struct recipe *recipe;
	const char *subject, *from, *to, *date, *build;
};

static const char *suffix(struct deriving *d, const char *property, const char *build)
{
	return build ? cv_arena_printf(d->a, "%s:%s", property, build) : property;
}

/* A row, if the subject has such a property; NULL and "" are no values. */
static void add(struct deriving *d, const char *property, const char *build, const char *value)
{
	const char *full = suffix(d, property, build);
	struct cv_kb_row *row;

	if (!value || !*value || !cv_kb_allows(d->kb, d->subject, full))
		return;
	row = CV_VEC_PUSH(d->a, &d->out->v);
	if (row)
		*row = (struct cv_kb_row){ .subject = d->subject, .from = d->from, .to = d->to, .property = full, .value = value,
					   .source = d->out->source, .date = d->date, .tier = "artifact" };
}

static void note(struct deriving *d, const char *text)
{
	cv_strv_push(d->a, &d->out->notes, text);
}

static const char *join(struct cv_arena *a, const struct cv_strv *list)
{
	const char *text = "";

	for (size_t i = 0; i < list->n; i++)
		text = cv_arena_printf(a, "%s%s%s", text, i ? " " : "", list->v[i]);
	return text;
}

/* The name of a library up to ".so": "libcudnn_ops" */
static struct cv_str stem_of(const char *path)
{
	const char *base = cv_basename(path);
	ptrdiff_t at = cv_str_find(cv_str_of(base), ".so");

	return (struct cv_str){ base, at < 0 ? strlen(base) : (size_t)at };
}

static const struct cv_derived_lib *find_lib(const struct cv_artifact *art, const char *stem)
{
	for (size_t i = 0; stem && i < art->libs.n; i++)
		if (cv_str_is(stem_of(art->libs.v[i].path), stem))
			return &art->libs.v[i];
	return NULL;
}

/* The SONAME version of a NEEDED library: "12" where it needs libcudart.so.12. */
static const char *needed_major(struct cv_arena *a, const struct cv_derived_lib *lib, const char *stem)
{
	for (size_t i = 0; lib && i < lib->needed.n; i++)
		if (cv_starts(lib->needed.v[i], stem))
			return cv_ver_prefix(a, lib->needed.v[i] + strlen(stem), 1);
	return NULL;
}

static const char *higher(const char *a, const char *b)
{
	if (!a || !b)
		return a ? a : b;
	return cv_ver_cmp(CV_VER_DOTTED, a, b) >= 0 ? a : b;
}

/* The lowest glibc that the wheel's tags take: "manylinux_2_27_x86_64.manylinux_2_28_x86_64" is 2.27. */
static const char *tag_glibc(struct cv_arena *a, const struct cv_artifact *art)
{
	static const char *const old[][2] = { { "manylinux1_", "2.5" }, { "manylinux2010_", "2.12" }, { "manylinux2014_", "2.17" } };
	const char *least = NULL;

	for (size_t i = 0; i < art->tags.n; i++) {
		const char *platform = strrchr(art->tags.v[i], '-'), *one = NULL;

		platform = platform ? platform + 1 : art->tags.v[i];
		if (cv_starts(platform, "manylinux_2_"))
			one = cv_arena_printf(a, "2.%lld", (long long)cv_ver_part(platform + strlen("manylinux_2_"), 0));
		for (size_t j = 0; j < sizeof(old) / sizeof(*old); j++)
			one = cv_starts(platform, old[j][0]) ? old[j][1] : one;
		if (one && (!least || cv_ver_cmp(CV_VER_DOTTED, one, least) < 0))
			least = one;
	}
	return least;
}

static const char *symbols_glibc(const struct cv_artifact *art)
{
	const char *most = NULL;

	for (size_t i = 0; i < art->libs.n; i++)
		most = higher(most, art->libs.v[i].glibc);
	return most;
}

/* A requirement as the kb writes it: "nvidia-nccl-cu12==2.27.5", "cuda-toolkit[cublas,nvrtc]==13.0.2". */
static const char *requirement_text(struct cv_arena *a, const struct cv_req *q)
{
	const char *extras = "", *name = cv_pep503(a, q->name), *spec = "";
	struct cv_str rest = q->spec, word;

	for (size_t i = 0; i < q->extras.n; i++)
		extras = cv_arena_printf(a, "%s%s%.*s", extras, i ? "," : "", CV_STR_ARG(q->extras.v[i]));
	while (cv_str_word(&rest, &word))
		spec = cv_arena_printf(a, "%s%.*s", spec, CV_STR_ARG(word));
	return cv_arena_printf(a, "%s%s%s%s%s", name, *extras ? "[" : "", extras, *extras ? "]" : "", spec);
}

static const char *spec_of(const char *text)
{
	return text + strcspn(text, "=<>~!");
}

/* The extra that a marker asks for: "cuda" of 'extra == "cuda"'; NULL if none. */
static const char *extra_of(struct cv_arena *a, struct cv_str marker)
{
	ptrdiff_t at = cv_str_find(marker, "extra ==");
	struct cv_str s = at < 0 ? marker : cv_str_trim(cv_str_from(marker, (size_t)at + strlen("extra ==")));
	ptrdiff_t end;

	if (at < 0 || !s.n)
		return NULL;
	s = cv_str_from(s, 1);
	end = cv_str_chr(s, '"');
	if (end < 0)
		end = cv_str_chr(s, '\'');
	return end < 0 ? NULL : cv_str_dup(a, cv_str_sub(s, 0, (size_t)end));
}

/* Extras with their requirements, in the order of first mention. */
struct extra {
	const char *name;
	struct cv_strv list;
};

static void add_to_extra(struct deriving *d, struct extra *v, size_t *n, size_t max, const char *name, const char *text)
{
	size_t i = 0;

	while (i < *n && !cv_streq(v[i].name, name))
		i++;
	if (i == max)
		return;
	if (i == *n)
		v[(*n)++] = (struct extra){ .name = name };
	cv_strv_push(d->a, &v[i].list, text);
}

/* A requirement that has a property of its own: on torch, cuDNN, NCCL, triton, numpy ... */
static void add_single(struct deriving *d, const char *text)
{
	static const char *const specs[] = { "torch", "torchvision", "torchaudio" };
	const char *spec = spec_of(text);
	const char *name = cv_arena_memdup(d->a, text, (size_t)(spec - text));
	bool exact = cv_starts(spec, "==") && !strchr(spec, ',');

	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++)
		if (cv_streq(name, specs[i]))
			add(d, cv_arena_printf(d->a, "%s_spec", name), NULL, spec);
	if (cv_streq(name, "triton"))
		add(d, exact ? "triton" : "triton_spec", NULL, exact ? spec + 2 : spec);
	if (cv_streq(name, "numpy"))
		add(d, "numpy", NULL, spec);
	if (cv_starts(name, "nvidia-cudnn-cu") && exact)
		add(d, "cudnn", d->build, spec + 2);
	if (cv_starts(name, "nvidia-nccl-cu") && exact)
		add(d, "nccl", d->build, spec + 2);
}

static void add_requirements(struct deriving *d)
{
	const struct cv_pyhead *h;
	struct cv_strv cuda = { 0 }, names = { 0 };
	struct extra extras[16];
	size_t at = 0, extra_n = 0;

	while ((h = cv_pyheads_next(&d->art->meta, "Requires-Dist", &at))) {
		struct cv_req q = { 0 };
		const char *text, *extra;

		if (cv_req_parse(cv_str_of(h->value), d->a, &q))
			continue;
		text = requirement_text(d->a, &q);
		extra = extra_of(d->a, q.marker);
		if (extra) {
			add_to_extra(d, extras, &extra_n, sizeof(extras) / sizeof(*extras), extra, text);
			continue;
		}
		add_single(d, text);
		cv_strv_push(d->a, &names, cv_pep503(d->a, q.name));
		if (cv_starts(text, "nvidia-") || cv_starts(text, "cuda-"))
			cv_strv_push(d->a, &cuda, text);
	}
	cv_strv_sort(&cuda);
	cv_strv_sort(&names);
	add(d, "pins", d->recipe && d->recipe->build == BY_VERSION ? d->build : NULL, join(d->a, &cuda));
	add(d, "requires", d->build, join(d->a, &names));
	for (size_t i = 0; i < extra_n; i++) {
		cv_strv_sort(&extras[i].list);
		add(d, "extra", extras[i].name, join(d->a, &extras[i].list));
	}
	h = cv_pyheads_get(&d->art->meta, "Requires-Python");
	add(d, "python_spec", NULL, h ? h->value : NULL);
}

/* Words of a that b has too, in the order of a. */
static const char *common_words(struct cv_arena *a, const char *x, const char *y)
{
	struct cv_str rest = cv_str_of(x), w;
	const char *text = "";

	while (cv_str_word(&rest, &w)) {
		const char *word = cv_str_dup(a, w);

		if (cv_kb_has_word(y, word))
			text = cv_arena_printf(a, "%s%s%s", text, *text ? " " : "", word);
	}
	return text;
}

/* cuDNN is judged by what its ops, cnn and adv libraries all hold. */
static void add_cudnn(struct deriving *d)
{
	static const char *const deciding[] = { "libcudnn_ops", "libcudnn_cnn", "libcudnn_adv" };
	const char *all = NULL;

	for (size_t i = 0; i < d->art->libs.n; i++)
		if (d->art->libs.v[i].code) {
			const char *stem = cv_str_dup(d->a, stem_of(d->art->libs.v[i].path));

			add(d, "code_lib", cv_arena_printf(d->a, "%s:%s", d->build, stem), d->art->libs.v[i].code);
		}
	for (size_t i = 0; i < sizeof(deciding) / sizeof(*deciding); i++) {
		const struct cv_derived_lib *lib = find_lib(d->art, deciding[i]);

		if (!lib || !lib->code)
			return;
		all = all ? common_words(d->a, all, lib->code) : lib->code;
	}
	add(d, "code", d->build, all);
}

static void add_path(struct deriving *d, const struct cv_derived_lib *lib, const char *build)
{
	add(d, "rpath", build, lib->runpath ? cv_arena_printf(d->a, "RUNPATH %s", lib->runpath) :
			       lib->rpath   ? cv_arena_printf(d->a, "RPATH %s", lib->rpath) : NULL);
}

/* The main library, and of a CUDA library its second one (libcublasLt). */
static void add_library(struct deriving *d)
{
	const struct cv_derived_lib *lib = find_lib(d->art, d->recipe->library);
	const char *code = lib && lib->aarch64 ? "code_aarch64" : "code";

	if (d->recipe->build == BY_NAME)
		add(d, "wheel", d->build, cv_streq(d->subject, "cudnn") ? d->art->version : d->art->name);
	if (!lib)
		return;
	if (cv_streq(d->subject, "cudnn")) {
		const struct cv_derived_lib *ops = find_lib(d->art, "libcudnn_ops");

		add_cudnn(d);
		add_path(d, ops ? ops : lib, d->build);
	} else {
		add(d, code, d->build, lib->code);
		add_path(d, lib, d->build);
		add(d, "soname", d->build, lib->soname);
		add(d, "needs", d->recipe->build == BY_NAME ? d->build : NULL, join(d->a, &lib->needed));
	}
	add(d, "dir", d->build, cv_dirname(d->a, lib->path));
	for (size_t i = 0; d->recipe->build == BY_NAME && i < d->art->libs.n; i++) {
		const struct cv_derived_lib *other = &d->art->libs.v[i];
		const char *name = cv_str_dup(d->a, stem_of(other->path));

		if (other == lib || cv_streq(d->subject, "cudnn") || !cv_kb_allows(d->kb, d->subject, "soname:x"))
			continue;
		add(d, "soname", cv_arena_printf(d->a, "%s:%s", name, d->build), other->soname);
		add(d, "code", cv_arena_printf(d->a, "%s:%s", name, d->build), other->code);
	}
}

static void add_each_library(struct deriving *d)
{
	for (size_t i = 0; i < d->art->libs.n; i++) {
		const struct cv_derived_lib *lib = &d->art->libs.v[i];
		struct cv_str stem = stem_of(lib->path);
		const char *build;

		if (!cv_str_eat(&stem, d->recipe->library))
			continue;
		build = cv_arena_printf(d->a, "cu%.*s", CV_STR_ARG(stem));
		add(d, "code", build, lib->code);
		add(d, "needs", build, join(d->a, &lib->needed));
		if (higher(tag_glibc(d->a, d->art), lib->glibc) == lib->glibc && lib->glibc)
			add(d, "min_glibc", build, lib->glibc);
	}
}

static void add_onnxruntime(struct deriving *d)
{
	const struct cv_derived_lib *cuda = find_lib(d->art, "libonnxruntime_providers_cuda");
	const struct cv_derived_lib *trt = find_lib(d->art, "libonnxruntime_providers_tensorrt");

	if (!cv_streq(d->subject, "onnxruntime-gpu"))
		return;
	add(d, "cuda", NULL, needed_major(d->a, cuda, "libcudart.so."));
	add(d, "cudnn", NULL, needed_major(d->a, cuda, "libcudnn.so."));
	add(d, "tensorrt", NULL, needed_major(d->a, trt, "libnvinfer.so."));
	add(d, "built_cuda", NULL, d->art->cuda ? cv_ver_prefix(d->a, d->art->cuda, 2) : NULL);
	if (cuda && !cuda->rpath && !cuda->runpath)
		add(d, "rpath", NULL, "none");
}

static void add_glibc(struct deriving *d)
{
	const struct cv_derived_lib *lib = find_lib(d->art, d->recipe ? d->recipe->library : NULL);
	const char *symbols = symbols_glibc(d->art);

	/* Of a library of CUDA its own symbols count, of a wheel that is installed its tag too. */
	if (d->recipe && d->recipe->build == BY_NAME)
		add(d, "min_glibc", d->build, cv_streq(d->subject, "cudnn") ? symbols : lib ? lib->glibc : NULL);
	else if (d->recipe && d->recipe->build == BY_LIBRARY)
		add(d, "min_glibc", NULL, tag_glibc(d->a, d->art));
	else
		add(d, "min_glibc", NULL, higher(tag_glibc(d->a, d->art), symbols));
}

static const struct recipe *recipe_of(const char *dist)
{
	for (size_t i = 0; i < sizeof(recipes) / sizeof(*recipes); i++)
		if (cv_streq(recipes[i].dist, dist))
			return &recipes[i];
	return NULL;
}

static const char *build_of(struct deriving *d)
{
	const struct cv_artifact *art = d->art;
	const char *full = art->full_version ? art->full_version : art->version, *local;
	size_t n = strlen(art->name);

	if (!d->recipe)
		return NULL;
	if (d->recipe->build == BY_NAME) {
		if (n > 5 && cv_starts(art->name + n - 5, "-cu1"))
			return art->name + n - 4;
		return cv_arena_printf(d->a, "cu%lld", (long long)cv_ver_part(art->version, 0));
	}
	if (d->recipe->build != BY_VERSION)
		return NULL;
	local = cv_ver_local(d->a, full);
	if (!local && art->cuda)
		local = cv_arena_printf(d->a, "cu%lld%lld", (long long)cv_ver_part(art->cuda, 0), (long long)cv_ver_part(art->cuda, 1));
	return local;
}

static void settle(struct deriving *d)
{
	const char *version = cv_ver_public(d->a, d->art->version);

	d->recipe = recipe_of(d->art->name);
	d->subject = d->recipe ? d->recipe->subject : cv_arena_printf(d->a, "package:%s", d->art->name);
	d->from = version;
	d->to = "=";
	/* Rows on cuDNN speak of X.Y.Z whatever the build's number. */
	if (cv_streq(d->subject, "cudnn")) {
		d->from = cv_ver_prefix(d->a, version, 3);
		d->to = cv_arena_printf(d->a, "%s.%lld", cv_ver_prefix(d->a, version, 2), (long long)cv_ver_part(version, 2) + 1);
	}
	d->build = build_of(d);
}

static void add_source(struct deriving *d)
{
	char *key = cv_arena_printf(d->a, "artifact_%s", d->art->name);

	for (char *c = key; *c; c++)
		if (*c == '-')
			*c = '_';
	d->out->source = key;
	d->out->source_title = cv_arena_printf(d->a, "wheel %s %s, read %s", d->art->name, d->art->version, d->date);
}

static void add_notes(struct deriving *d)
{
	const char *python = "";

	for (size_t i = 0; i < d->art->tags.n && !*python; i++)
		python = cv_str_dup(d->a, cv_str_sub(cv_str_of(d->art->tags.v[i]), 0, strcspn(d->art->tags.v[i], "-")));
	if (*python)
		note(d, cv_arena_printf(d->a, "Python tag %s: which other wheels there are, one wheel does not tell", python));
	if (!d->recipe && d->art->libs.n)
		note(d, cv_arena_printf(d->a, "%zu libraries; no recipe says which of them counts", d->art->libs.n));
}

static int cmp_row(const void *pa, const void *pb)
{
	const struct cv_kb_row *a = pa, *b = pb;
	int c = strcmp(a->subject, b->subject);

	return c ? c : strcmp(a->property, b->property);
}

int cv_artifact_rows(const struct cv_artifact *art, const struct cv_kb *kb, const char *date, struct cv_arena *a,
		     struct cv_derived_rows *ret)
{
	struct deriving d = { .art = art, .kb = kb, .a = a, .out = ret, .date = date };

	*ret = (struct cv_derived_rows){ 0 };
	settle(&d);
	add_source(&d);
	add(&d, "release", NULL, "1");
	add_requirements(&d);
	add_glibc(&d);
	if (d.recipe && d.recipe->build == BY_LIBRARY)
		add_each_library(&d);
	else if (d.recipe && d.recipe->library)
		add_library(&d);
	add_onnxruntime(&d);
	add_notes(&d);
	if (cv_arena_failed(a))
		return CV_ENOMEM;
	if (ret->v.n)
		qsort(ret->v.v, ret->v.n, sizeof(*ret->v.v), cmp_row);
	return 0;
}
