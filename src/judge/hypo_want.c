/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wanted libraries: what a message says was not found, what a list of dependencies names, and what a build needs by kb.
 *
 * A name tells its CUDA: libcublas.so.12, cublas64_12.dll. The majors of some libraries are not CUDA's: libcufft 10, 11, 12 belong to
 * CUDA 11, 12, 13.
 */
#include "base/version.h"
#include "judge/hypo_int.h"

/* How the number of a library's name and its CUDA major differ. */
static const struct {
	const char *family;
	int64_t ahead; /* CUDA major minus the number, from CUDA 11 on */
} families[] = {
	{ "cublas", 0 },  { "cublasLt", 0 }, { "cudart", 0 },	 { "nvrtc", 0 },    { "nvJitLink", 0 }, { "cufft", 1 },
	{ "cusolver", 0 }, { "cusparse", 0 }, { "curand", 0 },   { "cupti", 0 },    { "Lt", 0 },	     { "nvrtc-builtins", 0 },
};

static int64_t cuda_of(const char *family, const char *number)
{
	int64_t n = cv_ver_part(number, 0);

	if (n > 99)
		n /= 10; /* cudart64_110.dll */
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (cv_streq(family, families[i].family)) {
			if (n < 9 || cv_streq(family, "curand"))
				return 0;
			return n >= 10 ? n + families[i].ahead : n;
		}
	return 0;
}

bool cv_lib_name(struct cv_arena *a, const char *name, struct cv_want_lib *ret)
{
	const char *base = cv_basename(name), *so = strstr(base, ".so"), *number;
	struct cv_want_lib w = { .name = base };

	if (so && cv_starts(base, "lib")) {
		w.family = cv_arena_printf(a, "%.*s", (int)(so - base - 3), base + 3);
		number = so[3] == '.' ? so + 4 : "";
	} else {
		const char *mark = strstr(base, "64_");

		if (!mark)
			return false;
		w.family = cv_arena_printf(a, "%.*s", (int)(mark - base), base);
		number = mark + 3;
	}
	if (cv_starts(w.family, "cudnn"))
		w.cudnn = cv_ver_part(number, 0);
	else if (*number)
		w.cuda = cuda_of(w.family, number);
	if (w.cuda < 0 || w.cudnn < 0)
		return false;
	*ret = w;
	return true;
}

static void push(struct cv_hypo_ctx *x, struct cv_want_lib w)
{
	struct cv_want_lib *slot;

	for (size_t i = 0; i < x->wants.n; i++)
		if (cv_streq(x->wants.v[i].name, w.name) && x->wants.v[i].cuda == w.cuda && x->wants.v[i].cudnn == w.cudnn) {
			if (!x->wants.v[i].needer)
				x->wants.v[i].needer = w.needer;
			return;
		}
	slot = CV_VEC_PUSH(x->a, &x->wants);
	if (slot)
		*slot = w;
}

/* Whose library it is: the package in the report that opens such libraries. */
static const char *needer_of(struct cv_hypo_ctx *x, const char *text)
{
	static const char *const names[] = { "onnxruntime-gpu", "ctranslate2", "faster-whisper", "tensorflow", "onnxruntime-genai", "jax", "torch" };

	if (text && strstr(text, "onnxruntime") && cv_hypo_label(x, "onnxruntime-gpu"))
		return cv_hypo_label(x, "onnxruntime-gpu");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (cv_hypo_label(x, names[i]))
			return cv_hypo_label(x, names[i]);
	return text && strstr(text, "onnxruntime") ? "this onnxruntime" : NULL;
}

static void by_messages(struct cv_hypo_ctx *x)
{
	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_hit); i++) {
		const struct cv_subject *hit = cv_facts_at(x->j.facts, CV_KIND_hit, i);
		const char *id = cv_fact_str(hit, CV_F_hit_message), *text = cv_fact_str(hit, CV_F_hit_text);
		const char *soname = cv_hit_capture(x, hit, "soname");
		struct cv_want_lib w;

		if (!soname || !(cv_starts(id, "ld-") || cv_starts(id, "ort-provload") || cv_starts(id, "tf-dso")) || cv_streq(id, "ld-not-defined") ||
		    cv_streq(id, "ld-debug-needed") || !cv_lib_name(x->a, soname, &w))
			continue;
		w.hit = hit;
		w.needer = needer_of(x, text);
		push(x, w);
	}
}

static void by_lists(struct cv_hypo_ctx *x)
{
	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_need); i++) {
		const struct cv_subject *s = cv_facts_at(x->j.facts, CV_KIND_need, i);
		struct cv_want_lib w;

		if (!cv_lib_name(x->a, cv_subject_key(s), &w) || (!w.cuda && !w.cudnn))
			continue;
		w.needer = cv_fact_str(s, CV_F_need_by);
		push(x, w);
	}
}

static int64_t number(const char *text)
{
	return text ? cv_ver_part(text, 0) : 0;
}

/* "Require cuDNN 9.* and CUDA 12.*": the build says what it needs. Otherwise kb says it of the release. */
static void by_build(struct cv_hypo_ctx *x)
{
	const struct cv_subject *require = cv_hypo_hit(x, "ort-require");
	const struct cv_wload *ort = cv_world_load(x->j.w, 0, "onnxruntime");
	const char *ct2 = cv_hypo_version(x, "ctranslate2"), *whisper = cv_hypo_version(x, "faster-whisper"), *needer = cv_hypo_label(x, "ctranslate2");
	int64_t cuda = number(cv_hit_capture(x, require, "cuda")), cudnn = number(cv_hit_capture(x, require, "cudnn"));

	if (!cuda && ort && cv_hypo_version(x, "onnxruntime-gpu"))
		cuda = number(ort->cuda);
	if (!cudnn && ort)
		cudnn = number(ort->cudnn);
	if (cuda)
		push(x, (struct cv_want_lib){ .name = "", .family = "", .cuda = cuda, .needer = needer_of(x, "onnxruntime") });
	if (cudnn)
		push(x, (struct cv_want_lib){ .name = "", .family = "cudnn", .cudnn = cudnn, .needer = needer_of(x, "onnxruntime") });
	if (!ct2 && whisper) {
		ct2 = cv_kb_value(x->j.kb, "faster-whisper", whisper, "ctranslate2");
		needer = cv_hypo_label(x, "faster-whisper");
	}
	if (!ct2)
		return;
	cuda = number(cv_kb_value(x->j.kb, "ctranslate2", ct2, "cuda"));
	cudnn = number(cv_kb_value(x->j.kb, "ctranslate2", ct2, "cudnn"));
	if (cuda)
		push(x, (struct cv_want_lib){ .name = "", .family = "", .cuda = cuda, .needer = needer });
	if (cudnn)
		push(x, (struct cv_want_lib){ .name = "", .family = "cudnn", .cudnn = cudnn, .needer = needer });
}

void cv_hypo_wants(struct cv_hypo_ctx *x)
{
	by_messages(x);
	by_lists(x);
	by_build(x);
}
