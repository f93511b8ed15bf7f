/* SPDX-License-Identifier: Apache-2.0 */
/* Facts in short, and the names that the sentences of every hypothesis may use. */
#include "base/version.h"
#include "judge/hypo_int.h"

const struct cv_subject *cv_hypo_package(const struct cv_hypo_ctx *x, const char *name)
{
	const struct cv_subject *s = cv_facts_find(x->j.facts, CV_KIND_package, cv_arena_printf(x->a, "report|%s", name));

	/* The facts of a machine (--live, a bundle) have environments with names of their own. */
	for (size_t i = 0; !s && !cv_fact_true(x->j.w->machine, CV_F_machine_from_text) && i < cv_facts_count(x->j.facts, CV_KIND_package); i++) {
		const struct cv_subject *p = cv_facts_at(x->j.facts, CV_KIND_package, i);
		const char *have = cv_fact_str(p, CV_F_package_name), *env = cv_fact_str(p, CV_F_package_env);

		if (have && env && cv_streq(have, name) && cv_fact_true(cv_facts_find(x->j.facts, CV_KIND_env, env), CV_F_env_selected))
			s = p;
	}
	return s;
}

const char *cv_hypo_version(const struct cv_hypo_ctx *x, const char *name)
{
	const char *v = cv_fact_str(cv_hypo_package(x, name), CV_F_package_version);

	return v ? v : cv_fact_str(cv_facts_find(x->j.facts, CV_KIND_framework, cv_arena_printf(x->a, "report|%s", name)), CV_F_framework_version);
}

const char *cv_hypo_label(const struct cv_hypo_ctx *x, const char *name)
{
	const char *v = cv_hypo_version(x, name);

	return v ? cv_arena_printf(x->a, "%s %s", name, v) : NULL;
}

const char *cv_hypo_probe(const struct cv_hypo_ctx *x, const char *question)
{
	return cv_fact_str(cv_facts_find(x->j.facts, CV_KIND_probe, question), CV_F_probe_value);
}

bool cv_hypo_answered(const struct cv_hypo_ctx *x, const char *question, const char *answer)
{
	for (const struct cv_value *v = cv_fact(cv_facts_find(x->j.facts, CV_KIND_probe, question), CV_F_probe_value); v; v = v->next)
		if (v->state == CV_KNOWN && cv_streq(v->str, answer))
			return true;
	return false;
}

const struct cv_subject *cv_hypo_hit(const struct cv_hypo_ctx *x, const char *message)
{
	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_hit); i++) {
		const struct cv_subject *s = cv_facts_at(x->j.facts, CV_KIND_hit, i);

		if (cv_streq(cv_fact_str(s, CV_F_hit_message), message))
			return s;
	}
	return NULL;
}

size_t cv_hypo_messages(const struct cv_hypo_ctx *x)
{
	size_t n = 0;

	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_hit); i++) {
		const char *id = cv_fact_str(cv_facts_at(x->j.facts, CV_KIND_hit, i), CV_F_hit_message);

		n += cv_kb_value(x->j.kb, cv_arena_printf(x->a, "message:%s", id), NULL, "candidates") != NULL;
	}
	return n;
}

const char *cv_hit_capture(const struct cv_hypo_ctx *x, const struct cv_subject *hit, const char *name)
{
	const struct cv_strv *list = cv_fact_list(hit, CV_F_hit_captures);
	size_t n = strlen(name);

	(void)x;
	for (size_t i = 0; i < list->n; i++)
		if (cv_starts(list->v[i], name) && list->v[i][n] == '=')
			return list->v[i] + n + 1;
	return NULL;
}

bool cv_hypo_os(const struct cv_hypo_ctx *x, const char *id)
{
	const char *os = cv_fact_str(x->j.w->machine, CV_F_machine_os_id);

	return os && cv_streq(os, id);
}

bool cv_hypo_command(const struct cv_hypo_ctx *x, const char *part)
{
	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_probe); i++) {
		const struct cv_subject *s = cv_facts_at(x->j.facts, CV_KIND_probe, i);
		const char *v = cv_fact_str(s, CV_F_probe_value);

		if (cv_starts(cv_subject_key(s), "command ") && v && strstr(v, part))
			return true;
	}
	return false;
}

const struct cv_subject *cv_hypo_toolkit(const struct cv_hypo_ctx *x, int64_t major, bool same)
{
	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_toolkit); i++) {
		const struct cv_subject *s = cv_facts_at(x->j.facts, CV_KIND_toolkit, i);
		const char *v = cv_fact_str(s, CV_F_toolkit_version);

		if (v && (cv_ver_part(v, 0) == major) == same)
			return s;
	}
	return NULL;
}

static bool session_has_cuda(const struct cv_hypo_ctx *x)
{
	const char *v = cv_hypo_probe(x, "onnxruntime.session");

	return v && strstr(v, "CUDAExecutionProvider");
}

bool cv_hypo_works(const struct cv_hypo_ctx *x)
{
	return cv_hypo_answered(x, "torch.ran", "True") || cv_hypo_answered(x, "tensorflow.ran", "True") || session_has_cuda(x) ||
	       (cv_hypo_answered(x, "torch.cuda.is_available", "True") && !cv_hypo_answered(x, "torch.cuda.is_available", "False"));
}

void cv_hypo_set(struct cv_hypo_ctx *x, const char *name, const char *value)
{
	if (value && *value && !cv_map_get(&x->vars, name))
		cv_map_set(x->a, &x->vars, name, (void *)value);
}

const char *cv_hypo_get(const struct cv_hypo_ctx *x, const char *name)
{
	return cv_map_get(&x->vars, name);
}

static void digest_gpu(struct cv_hypo_ctx *x)
{
	const struct cv_world *w = x->j.w;
	const struct cv_wgpu *g = w->gpus.n ? &w->gpus.v[0] : NULL;
	size_t n = 0;

	for (size_t i = 0; i < w->gpus.n; i++) {
		if (w->gpus.v[i].name && !(g && g->name))
			g = &w->gpus.v[i];
		n += cv_fact_true(w->gpus.v[i].s, CV_F_gpu_listed);
	}
	if (g && (g->name || g->cc)) {
		cv_hypo_set(x, "gpu", g->name ? g->name : cv_arena_printf(x->a, "the GPU of compute capability %s", g->cc));
		cv_hypo_set(x, "gpu_paren", g->name ? cv_arena_printf(x->a, " (%s)", g->name) : NULL);
	}
	if (g && g->cc) {
		cv_hypo_set(x, "cc", g->cc);
		cv_hypo_set(x, "sm", cv_arena_printf(x->a, "sm_%u%u", g->ccn.major, g->ccn.minor));
		cv_hypo_set(x, "arch", g->arch);
		cv_hypo_set(x, "last_driver", cv_kb_value(x->j.kb, "cc", g->cc, "last_driver"));
	}
	if (n) {
		cv_hypo_set(x, "gpu_n", cv_arena_printf(x->a, "%zu", n));
		cv_hypo_set(x, "gpu_count_words", n == 1 ? "GPU 0" : cv_arena_printf(x->a, "GPU 0 to %zu", n - 1));
	}
	cv_hypo_set(x, "gpu_paren", " ");
	cv_hypo_set(x, "gpu_or", cv_hypo_get(x, "gpu") ? cv_hypo_get(x, "gpu") : "the GPU");
}

static void digest_machine(struct cv_hypo_ctx *x)
{
	const struct cv_world *w = x->j.w;
	const struct cv_subject *m = w->machine, *toolkit = cv_facts_find(x->j.facts, CV_KIND_toolkit, "toolkit");
	const struct cv_subject *nvcc = cv_facts_find(x->j.facts, CV_KIND_toolkit, "nvcc");
	const struct cv_subject *d = w->driver.s, *env = cv_facts_find(x->j.facts, CV_KIND_env, "report");
	const char *image = cv_fact_str(m, CV_F_machine_image);

	cv_hypo_set(x, "os", cv_fact_str(m, CV_F_machine_os_name));
	cv_hypo_set(x, "glibc", cv_fact_str(m, CV_F_machine_glibc));
	cv_hypo_set(x, "python", cv_fact_str(env, CV_F_env_python));
	cv_hypo_set(x, "cpu", cv_fact_str(m, CV_F_machine_cpu_model));
	cv_hypo_set(x, "l4t", cv_fact_str(m, CV_F_machine_l4t));
	cv_hypo_set(x, "jetson", cv_fact_str(m, CV_F_machine_jetson));
	cv_hypo_set(x, "image", image);
	cv_hypo_set(x, "image_or", image ? cv_arena_printf(x->a, "the image %s", image) : "the image");
	cv_hypo_set(x, "driver", cv_fact_str(d, CV_F_driver_module_version));
	cv_hypo_set(x, "driver_cuda", cv_fact_str(d, CV_F_driver_cuda_api) ? cv_fact_str(d, CV_F_driver_cuda_api) : w->driver.api);
	cv_hypo_set(x, "toolkit", cv_fact_str(toolkit, CV_F_toolkit_version));
	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_toolkit); i++)
		cv_hypo_set(x, "toolkit", cv_fact_str(cv_facts_at(x->j.facts, CV_KIND_toolkit, i), CV_F_toolkit_version));
	cv_hypo_set(x, "nvcc", cv_fact_str(nvcc, CV_F_toolkit_version));
	cv_hypo_set(x, "nvcc", cv_hypo_get(x, "toolkit"));
	cv_hypo_set(x, "mask", cv_fact_str(cv_facts_find(x->j.facts, CV_KIND_var, "CUDA_VISIBLE_DEVICES"), CV_F_var_value));
	cv_hypo_set(x, "cudnn", cv_fact_str(cv_facts_find(x->j.facts, CV_KIND_lib, "cudnn"), CV_F_lib_version));
	cv_hypo_set(x, "trt", cv_fact_str(cv_facts_find(x->j.facts, CV_KIND_lib, "nvinfer"), CV_F_lib_version));
}

/* "torch 2.5.1": the framework that the report is about, by what is installed. */
static void digest_packages(struct cv_hypo_ctx *x)
{
	static const char *const builds[] = { "onnxruntime-gpu", "torch", "tensorflow", "jax", "ctranslate2", "faster-whisper", "onnxruntime" };
	const struct cv_wload *torch = cv_world_load(x->j.w, 0, "torch");
	const char *url = cv_kb_value(x->j.kb, "index", NULL, "url:pytorch"), *fit = "cu128";
	ptrdiff_t at = url ? cv_str_find(cv_str_of(url), "%s") : -1;

	for (size_t i = 0; i < sizeof(builds) / sizeof(builds[0]); i++)
		cv_hypo_set(x, "build", cv_hypo_label(x, builds[i]));
	cv_hypo_set(x, "build_or", cv_hypo_label(x, "torch"));
	cv_hypo_set(x, "build_or", cv_hypo_get(x, "build") ? cv_hypo_get(x, "build") : "the installed build");
	cv_hypo_set(x, "build_paren", cv_hypo_label(x, "torch") ? cv_arena_printf(x->a, " (%s)", cv_hypo_label(x, "torch")) : "");
	cv_hypo_set(x, "torch_v", cv_hypo_version(x, "torch"));
	cv_hypo_set(x, "ort", cv_hypo_label(x, "onnxruntime-gpu"));
	cv_hypo_set(x, "numpy", cv_hypo_version(x, "numpy"));
	cv_hypo_set(x, "mkl", cv_hypo_version(x, "mkl"));
	cv_hypo_set(x, "tf_or", cv_hypo_label(x, "tensorflow") ? cv_hypo_label(x, "tensorflow") : "TensorFlow");
	if (torch && torch->cuda)
		cv_hypo_set(x, "torch_cuda", cv_ver_prefix(x->a, torch->cuda, 2));
	if (torch && torch->build == CV_BUILD_GPU)
		cv_hypo_set(x, "build_cuda", cv_hypo_get(x, "torch_cuda"));
	if (cv_hypo_get(x, "cc") && cv_ver_cmp(CV_VER_DOTTED, cv_hypo_get(x, "cc"), "7.5") < 0)
		fit = "cu126";
	cv_hypo_set(x, "fit", fit);
	if (at >= 0)
		cv_hypo_set(x, "torch_url", cv_arena_printf(x->a, "%.*s%s%s", (int)at, url, fit, url + at + 2));
}

/* A message whose id begins so. */
static bool hears(const struct cv_hypo_ctx *x, const char *prefix)
{
	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_hit); i++)
		if (cv_starts(cv_fact_str(cv_facts_at(x->j.facts, CV_KIND_hit, i), CV_F_hit_message), prefix))
			return true;
	return false;
}

/* "{if_ort}": an empty name that is known where the report is about that, so that a sentence beside it is told. */
static void digest_subjects(struct cv_hypo_ctx *x)
{
	static const struct {
		const char *name, *packages[3], *message;
	} subjects[] = {
		{ "if_ort", { "onnxruntime-gpu", "onnxruntime", "onnxruntime-genai" }, "ort-" },
		{ "if_ct2", { "ctranslate2", "faster-whisper", "whisper-ctranslate2" }, "ld-not-found-loaded" },
		{ "if_torch", { "torch", "torchvision", "vllm" }, "torch-" },
		{ "if_tf", { "tensorflow", "tensorflow-gpu", "keras" }, "tf-" },
		{ "if_jax", { "jax", "jaxlib", "flax" }, "jax-" },
		{ "if_bnb", { "bitsandbytes", NULL, NULL }, "bnb-" },
	};
	const char *cc = cv_hypo_get(x, "cc"), *sm = cv_hit_capture(x, cv_hypo_hit(x, "gpu-capability"), "sm");

	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
		bool told = hears(x, subjects[i].message);

		for (size_t k = 0; k < 3 && subjects[i].packages[k]; k++)
			told |= cv_hypo_version(x, subjects[i].packages[k]) != NULL;
		if (told)
			cv_map_set(x->a, &x->vars, subjects[i].name, (void *)"");
	}
	if (cv_hypo_os(x, "windows"))
		cv_map_set(x->a, &x->vars, "if_win", (void *)"");
	if (cv_hypo_os(x, "centos"))
		cv_map_set(x->a, &x->vars, "if_centos", (void *)"");
	if (cv_hypo_get(x, "jetson") || x->j.w->aarch64)
		cv_map_set(x->a, &x->vars, "if_jetson", (void *)"");
	if (x->j.w->container || cv_hypo_get(x, "image"))
		cv_map_set(x->a, &x->vars, "if_ctr", (void *)"");
	if ((cc && cv_ver_part(cc, 0) >= 10) || (sm && (cv_starts(sm, "12") || cv_starts(sm, "10"))))
		cv_map_set(x->a, &x->vars, "if_sm120", (void *)"");
	if ((cc && cv_ver_part(cc, 0) == 8) || (sm && cv_starts(sm, "8")))
		cv_map_set(x->a, &x->vars, "if_sm86", (void *)"");
	if (cv_hypo_hit(x, "cxxabi-true") || cv_hypo_version(x, "flash-attn"))
		cv_map_set(x->a, &x->vars, "abi_words", (void *)"");
	if (cv_hit_capture(x, cv_hypo_hit(x, "undef-torch-ext"), "symbol") &&
	    strstr(cv_hit_capture(x, cv_hypo_hit(x, "undef-torch-ext"), "symbol"), "SetDeviceE"))
		cv_map_set(x->a, &x->vars, "if_setdevice", (void *)"");
	if (cv_streq(cv_fact_str(cv_hypo_package(x, "torch"), CV_F_package_source) ? cv_fact_str(cv_hypo_package(x, "torch"), CV_F_package_source) : "",
		     "archive"))
		cv_map_set(x->a, &x->vars, "if_libtorch", (void *)"");
}

void cv_hypo_digest(struct cv_hypo_ctx *x)
{
	digest_gpu(x);
	digest_machine(x);
	digest_packages(x);
	digest_subjects(x);
}
