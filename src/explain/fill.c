/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was told becomes facts, the surest first; the rules use the first value of a field, so a tool's word comes before a note
 * and a note before prose. The collector of a fact says which it was: "text" or "prose".
 */
#include "explain/room.h"

#include <stdlib.h>

#include "base/version.h"
#include "kb/query.h"

struct fill {
	struct cv_facts *f;
	const struct cv_kb *kb;
	struct cv_arena *a;
	const struct cv_kept *k;
	struct cv_prov prov;
	size_t gpus;
	bool listed;      /* a tool listed the GPUs */
	bool named;       /* some GPU has a name */
};

static struct cv_subject *machine(struct fill *x)
{
	return cv_facts_add(x->f, CV_KIND_machine, "");
}

static struct cv_subject *driver(struct fill *x)
{
	return cv_facts_add(x->f, CV_KIND_driver, "");
}

static struct cv_subject *env(struct fill *x)
{
	return cv_facts_add(x->f, CV_KIND_env, CV_REPORT_ENV);
}

static void str(struct fill *x, struct cv_subject *s, enum cv_field id, const char *value)
{
	cv_facts_str(x->f, s, id, value, x->prov);
}

static void fill_package(struct fill *x, const char *name, const char *version, const char *build)
{
	struct cv_subject *s = cv_facts_add(x->f, CV_KIND_package, cv_arena_printf(x->a, "%s|%s", CV_REPORT_ENV, name));
	const char *local;
	bool conda = *build && !cv_starts(build, "archive");

	str(x, s, CV_F_package_env, CV_REPORT_ENV);
	str(x, s, CV_F_package_name, name);
	str(x, s, CV_F_package_version, version);
	str(x, s, CV_F_package_source, conda ? "conda-meta" : *build ? build : "dist-info");
	local = cv_ver_valid(CV_VER_PEP440, version) ? cv_ver_local(x->a, version) : NULL;
	if (conda || local)
		str(x, s, CV_F_package_build, conda ? build : local);
}

/* Names by which other package managers know the same thing. */
static const char *usual_name(struct fill *x, const char *name)
{
	static const struct {
		const char *from, *to;
	} names[] = {
		{ "microsoft-ml-onnxruntime", "onnxruntime" },
		{ "microsoft-ml-onnxruntime-gpu", "onnxruntime-gpu" },
		{ "microsoft-ml-onnxruntime-directml", "onnxruntime-directml" },
		{ "pytorch", "torch" },
		{ "libtorch", "libtorch" },
	};

	name = cv_pep503(x->a, cv_str_of(name));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (cv_streq(name, names[i].from))
			return names[i].to;
	return name;
}

static void on_package(struct fill *x)
{
	if (x->k->weight > CV_TOLD_PROSE ||
	    !cv_facts_find(x->f, CV_KIND_package, cv_arena_printf(x->a, "%s|%s", CV_REPORT_ENV, usual_name(x, x->k->subject))))
		fill_package(x, usual_name(x, x->k->subject), x->k->value, x->k->extra);
}

static struct cv_subject *framework(struct fill *x, const char *name)
{
	struct cv_subject *s = cv_facts_add(x->f, CV_KIND_framework, cv_arena_printf(x->a, "%s|%s", CV_REPORT_ENV, name));

	if (!cv_fact_known(s, CV_F_framework_name)) {
		str(x, s, CV_F_framework_env, CV_REPORT_ENV);
		str(x, s, CV_F_framework_name, name);
	}
	return s;
}

static void on_framework(struct fill *x)
{
	str(x, framework(x, x->k->subject), CV_F_framework_version, x->k->value);
}

static void on_built_cuda(struct fill *x)
{
	struct cv_subject *s = framework(x, x->k->subject);

	if (cv_streq(x->k->value, "none"))
		cv_facts_state(x->f, s, CV_F_framework_cuda, CV_ABSENT, NULL, x->prov);
	else
		str(x, s, CV_F_framework_cuda, x->k->value);
}

static void on_python(struct fill *x)
{
	str(x, env(x), CV_F_env_python, x->k->value);
}

/* The words of a system's name: what they mean for the machine. */
static void on_os(struct fill *x)
{
	static const struct {
		const char *word, *id;
	} systems[] = {
		{ "windows", "windows" }, { "ubuntu", "ubuntu" }, { "debian", "debian" }, { "centos", "centos" }, { "fedora", "fedora" },
		{ "colab", "colab" },	  { "rhel", "rhel" },	  { "red hat", "rhel" },  { "amazon linux", "amzn" }, { "arch", "arch" },
		{ "cachyos", "arch" },	  { "unraid", "unraid" }, { "mint", "linuxmint" }, { "tencentos", "tencentos" }, { "rocky", "rocky" },
		{ "win10", "windows" },	  { "win11", "windows" }, { "win 10", "windows" }, { "win 11", "windows" }, { "window", "windows" },
		{ "win-64", "windows" },   { "opensuse", "opensuse" }, { "macos", "macos" },
	};
	struct cv_str s = cv_str_of(x->k->value), v;
	bool wsl = cv_txt_find(s, "wsl") >= 0;
	ptrdiff_t l4t = cv_txt_find(s, "l4t ");

	str(x, machine(x), CV_F_machine_os_name, x->k->value);
	if (wsl && cv_txt_find(s, "docker/") < 0)
		cv_facts_int(x->f, machine(x), CV_F_machine_wsl, 2, x->prov);
	if (cv_txt_find(s, "jetson") >= 0 || cv_txt_find(s, "jetpack") >= 0)
		str(x, machine(x), CV_F_machine_jetson, x->k->value);
	if (cv_txt_find(s, "aarch64") >= 0)
		str(x, machine(x), CV_F_machine_arch, "aarch64");
	else if (cv_txt_find(s, "x86_64") >= 0)
		str(x, machine(x), CV_F_machine_arch, "x86_64");
	if (l4t >= 0 && cv_txt_version(cv_str_from(s, (size_t)l4t + 4), &v))
		str(x, machine(x), CV_F_machine_l4t, cv_str_dup(x->a, v));
	if (cv_txt_find(s, "container") >= 0 || cv_txt_find(s, "docker") >= 0)
		str(x, machine(x), CV_F_machine_container, "docker");
	if (cv_txt_find(s, "kubernetes") >= 0)
		str(x, machine(x), CV_F_machine_container, "kubernetes");
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
		ptrdiff_t at = cv_txt_find(s, systems[i].word);
		struct cv_str rest;

		if (at < 0 || (wsl && cv_streq(systems[i].id, "windows")))
			continue;
		str(x, machine(x), CV_F_machine_os_id, systems[i].id);
		rest = cv_str_trim(cv_str_from(s, (size_t)at + strlen(systems[i].word)));
		while (rest.n && !(rest.p[0] >= '0' && rest.p[0] <= '9') && rest.p[0] != ',')
			rest = cv_str_from(rest, 1);
		if (cv_txt_version(rest, &v))
			str(x, machine(x), CV_F_machine_os_version, cv_str_dup(x->a, v));
		return;
	}
}

static void on_driver(struct fill *x)
{
	if (!cv_ver_valid(CV_VER_DOTTED, x->k->value))
		return;
	str(x, driver(x), CV_F_driver_module_version, x->k->value);
	cv_facts_bool(x->f, driver(x), CV_F_driver_module_loaded, true, x->prov);
}

static void on_module(struct fill *x)
{
	on_driver(x);
}

static void on_driver_cuda(struct fill *x)
{
	str(x, driver(x), CV_F_driver_cuda_api, x->k->value);
}

static void on_module_open(struct fill *x)
{
	cv_facts_bool(x->f, driver(x), CV_F_driver_module_open, cv_streq(x->k->value, "yes"), x->prov);
}

static const char *gpu_key(struct fill *x)
{
	return *x->k->subject ? cv_arena_printf(x->a, "gpu %s", x->k->subject) : cv_arena_printf(x->a, "gpu told %zu", ++x->gpus);
}

/* "2x NVIDIA GeForce RTX 5090", "NVIDIA RTX 4000 Ada Generation x7+", "RTX 3060 12G": the product in it. */
static const char *product(struct fill *x, const char *text)
{
	struct cv_str s = cv_str_trim(cv_str_of(text)), first, rest = s;
	ptrdiff_t at;

	if (cv_str_word(&rest, &first) && first.n <= 3 && cv_str_ends(first, "x"))
		s = cv_str_trim(rest);
	at = cv_str_find(s, " (");
	if (at > 0)
		s = cv_str_sub(s, 0, (size_t)at);
	at = cv_str_find(s, " x");
	if (at > 0 && (size_t)at + 2 < s.n && s.p[at + 2] >= '0' && s.p[at + 2] <= '9')
		s = cv_str_sub(s, 0, (size_t)at);
	at = cv_str_chr(s, ',');
	if (at > 0)
		s = cv_str_sub(s, 0, (size_t)at);
	return cv_str_dup(x->a, s);
}

static bool is_product(struct fill *x, const char *name)
{
	struct cv_kb_gpu gpu;

	return cv_kb_gpu_by_name(x->kb, name, x->a, NULL, &gpu) == 0;
}

static void on_gpu(struct fill *x)
{
	bool listed = x->k->what == CV_TELL_GPU_LISTED;
	const char *name = product(x, x->k->value), *cc_text = strstr(x->k->value, "ompute capability ");
	struct cv_kb_gpu gpu;
	struct cv_subject *s;
	struct cv_str v;

	if (strstr(x->k->value, "Jetson") || strstr(x->k->value, "Xavier") || strstr(x->k->value, "Orin"))
		str(x, machine(x), CV_F_machine_jetson, x->k->value);
	if (strstr(name, "Intel") || strstr(name, "Radeon") || strstr(name, "AMD")) {
		str(x, cv_facts_add(x->f, CV_KIND_probe, "gpu.other"), CV_F_probe_value, x->k->value);
		return;
	}
	/* A tool's list is the list; words after it add nothing. Prose must name a product that exists. */
	if (!listed && (x->listed || (x->k->weight == CV_TOLD_PROSE && (x->named || !is_product(x, name)))))
		return;
	x->listed |= listed;
	x->named = true;
	s = cv_facts_add(x->f, CV_KIND_gpu, gpu_key(x));
	if (listed)
		cv_facts_bool(x->f, s, CV_F_gpu_listed, true, x->prov);
	str(x, s, CV_F_gpu_name, name);
	if (cc_text && cv_txt_version(cv_str_of(cc_text + 18), &v))
		str(x, s, CV_F_gpu_cc, cv_str_dup(x->a, v));
	else if (cv_kb_gpu_by_name(x->kb, name, x->a, NULL, &gpu) == 0 && gpu.cc)
		cv_facts_str(x->f, s, CV_F_gpu_cc, gpu.cc, (struct cv_prov){ .collector = "kb", .path = gpu.subject, .offset = -1 });
}

static struct cv_subject *some_gpu(struct fill *x)
{
	const char *key = *x->k->subject ? cv_arena_printf(x->a, "gpu %s", x->k->subject) : "gpu told 1";

	return cv_facts_add(x->f, CV_KIND_gpu, key);
}

static void on_gpu_cc(struct fill *x)
{
	str(x, some_gpu(x), CV_F_gpu_cc, x->k->value);
}

static void on_gpu_mig(struct fill *x)
{
	str(x, some_gpu(x), CV_F_gpu_mig, x->k->value);
}

static void on_gpu_mode(struct fill *x)
{
	str(x, some_gpu(x), CV_F_gpu_compute_mode, x->k->value);
}

static void on_gpu_bound(struct fill *x)
{
	str(x, some_gpu(x), CV_F_gpu_bound, x->k->value);
}

static void on_toolkit(struct fill *x)
{
	const char *key = *x->k->subject ? x->k->subject : "toolkit";
	struct cv_subject *s = cv_facts_add(x->f, CV_KIND_toolkit, key);

	str(x, s, CV_F_toolkit_version, x->k->value);
	if (*x->k->extra)
		str(x, s, CV_F_toolkit_version_how, x->k->extra);
}

static void on_nvcc(struct fill *x)
{
	struct cv_subject *s = cv_facts_add(x->f, CV_KIND_toolkit, "nvcc");

	str(x, s, CV_F_toolkit_version, x->k->value);
	str(x, s, CV_F_toolkit_nvcc, "nvcc");
}

/* 8907 of torch.backends.cudnn.version() is 8.9.7, 90100 is 9.1.0. */
static const char *cudnn_version(struct fill *x, const char *value)
{
	struct cv_str v = cv_str_of(value);
	uint64_t n;

	if (!cv_str_u64(v, &n) || n < 1000)
		return value;
	if (n >= 90000)
		return cv_arena_printf(x->a, "%u.%u.%u", (unsigned)(n / 10000), (unsigned)(n / 100 % 100), (unsigned)(n % 100));
	return cv_arena_printf(x->a, "%u.%u.%u", (unsigned)(n / 1000), (unsigned)(n / 100 % 10), (unsigned)(n % 100));
}

static void on_cudnn(struct fill *x)
{
	struct cv_subject *s = cv_facts_add(x->f, CV_KIND_lib, *x->k->subject ? x->k->subject : "cudnn");

	str(x, s, CV_F_lib_family, "cudnn");
	str(x, s, CV_F_lib_version, cudnn_version(x, x->k->value));
	str(x, s, CV_F_lib_origin, "told");
	if (*x->k->extra)
		str(x, s, CV_F_lib_version_how, x->k->extra);
}

static void on_tensorrt(struct fill *x)
{
	struct cv_subject *s = cv_facts_add(x->f, CV_KIND_lib, "nvinfer");

	str(x, s, CV_F_lib_family, "nvinfer");
	str(x, s, CV_F_lib_version, x->k->value);
	str(x, s, CV_F_lib_origin, "told");
}

/* "libcublas.so.12.4.5.8": family cublas, SONAME libcublas.so.12; cudnn64_9.dll: family cudnn. */
static void on_lib(struct fill *x)
{
	const char *path = x->k->subject, *base = cv_basename(path), *back = strrchr(base, '\\'), *so;
	struct cv_subject *s;
	struct cv_strv via = { 0 };

	base = back ? back + 1 : base;
	if (cv_streq(x->k->extra, "driver")) {
		path = cv_arena_printf(x->a, "libcuda.so.%s", x->k->value);
		base = path;
	}
	so = strstr(base, ".so");
	s = cv_facts_add(x->f, CV_KIND_lib, path);
	if (so && cv_starts(base, "lib")) {
		const char *rest = so[3] == '.' ? so + 4 : "";
		const char *major = cv_ver_prefix(x->a, rest, 1);

		str(x, s, CV_F_lib_family, cv_arena_printf(x->a, "%.*s", (int)(so - base - 3), base + 3));
		str(x, s, CV_F_lib_soname, *rest ? cv_arena_printf(x->a, "%.*s.so.%s", (int)(so - base), base, major) : base);
		if (strchr(rest, '.') && cv_ver_valid(CV_VER_DOTTED, rest))
			str(x, s, CV_F_lib_version, rest);
	} else {
		const char *digits = strstr(base, "64_");

		str(x, s, CV_F_lib_family, cv_arena_printf(x->a, "%.*s", digits ? (int)(digits - base) : 0, base));
		str(x, s, CV_F_lib_soname, base);
	}
	if (cv_starts(base, "libcuda.so") && !strstr(path, "compat") && !strstr(path, "stubs"))
		str(x, s, CV_F_lib_origin, strstr(path, "/wsl/") ? "wsl" : "host");
	else if (strstr(path, "compat"))
		str(x, s, CV_F_lib_origin, "compat");
	else if (strstr(path, "site-packages"))
		str(x, s, CV_F_lib_origin, "wheel");
	if (cv_streq(x->k->extra, "cache"))
		cv_strv_push(x->a, &via, "ld.so.cache");
	else if (cv_streq(x->k->extra, "tried"))
		cv_strv_push(x->a, &via, "LD_LIBRARY_PATH");
	if (via.n)
		cv_facts_list(x->f, s, CV_F_lib_via, &via, x->prov);
}

static void on_needs(struct fill *x)
{
	struct cv_subject *s = cv_facts_add(x->f, CV_KIND_need, x->k->value);

	str(x, s, CV_F_need_by, x->k->subject);
}

static void on_var(struct fill *x)
{
	struct cv_subject *s = cv_facts_add(x->f, CV_KIND_var, x->k->subject);

	str(x, s, CV_F_var_value, x->k->value);
}

/* An answer of a framework is a fact about it. */
static void on_probe(struct fill *x)
{
	static const struct {
		const char *key, *framework;
		enum cv_field field;
	} facts[] = {
		{ "torch.__version__", "torch", CV_F_framework_version },
		{ "torch.version.cuda", "torch", CV_F_framework_cuda },
		{ "tensorflow.__version__", "tensorflow", CV_F_framework_version },
		{ "onnxruntime.__version__", "onnxruntime", CV_F_framework_version },
		{ "jax.__version__", "jax", CV_F_framework_version },
	};
	struct cv_subject *s = cv_facts_add(x->f, CV_KIND_probe, x->k->subject);
	struct cv_str v;

	str(x, s, CV_F_probe_value, x->k->value);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		if (!cv_streq(x->k->subject, facts[i].key))
			continue;
		if (cv_streq(x->k->value, "None"))
			cv_facts_state(x->f, framework(x, facts[i].framework), facts[i].field, CV_ABSENT, NULL, x->prov);
		else if (cv_txt_version(cv_str_of(x->k->value), &v))
			str(x, framework(x, facts[i].framework), facts[i].field, cv_str_dup(x->a, v));
	}
	if (cv_streq(x->k->subject, "torchvision.__version__") && cv_txt_version(cv_str_of(x->k->value), &v))
		fill_package(x, "torchvision", cv_str_dup(x->a, v), "");
	if (cv_streq(x->k->subject, "l4t")) {
		str(x, machine(x), CV_F_machine_l4t, x->k->value);
		str(x, machine(x), CV_F_machine_jetson, "Jetson");
	}
	if (cv_streq(x->k->subject, "torch.cuda.capability") && x->k->value[0] == '(') {
		struct cv_str rest = cv_str_of(x->k->value + 1), major, minor;

		if (cv_str_split(&rest, ',', &major) && cv_str_split(&rest, ')', &minor)) {
			x->named = true;
			str(x, cv_facts_add(x->f, CV_KIND_gpu, "gpu 0"), CV_F_gpu_cc,
			    cv_arena_printf(x->a, "%.*s.%.*s", CV_STR_ARG(cv_str_trim(major)), CV_STR_ARG(cv_str_trim(minor))));
		}
	}
}

static void on_container(struct fill *x)
{
	str(x, machine(x), CV_F_machine_container, x->k->value);
}

/* "nvidia/cuda:12.2.2-runtime-ubuntu22.04", "pytorch/pytorch:2.4.0-cuda12.4-cudnn9-runtime": the tag tells the toolkit inside. */
static void on_image(struct fill *x)
{
	const char *tag = strstr(x->k->value, "cuda:"), *at = tag ? tag + 5 : strstr(x->k->value, "-cuda");
	struct cv_subject *s;
	struct cv_str v;

	str(x, machine(x), CV_F_machine_image, x->k->value);
	if (!at || !cv_txt_version(cv_str_of(tag ? at : at + 5), &v) || cv_str_chr(v, '.') < 0)
		return;
	s = cv_facts_add(x->f, CV_KIND_toolkit, "image");
	str(x, s, CV_F_toolkit_version, cv_str_dup(x->a, v));
	str(x, s, CV_F_toolkit_version_how, "tag of the image");
}

static void on_secure_boot(struct fill *x)
{
	cv_facts_bool(x->f, machine(x), CV_F_machine_secure_boot, cv_streq(x->k->value, "yes"), x->prov);
}

static void on_shm(struct fill *x)
{
	struct cv_str s = cv_str_of(x->k->value);
	uint64_t n = 0;
	size_t i = 0;

	while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9' && n < 1000000)
		n = n * 10 + (uint64_t)(s.p[i++] - '0');
	while (i < s.n && s.p[i] != 'K' && s.p[i] != 'M' && s.p[i] != 'G')
		i++;
	if (i < s.n && n)
		cv_facts_int(x->f, machine(x), CV_F_machine_shm_bytes, n << (s.p[i] == 'K' ? 10 : s.p[i] == 'M' ? 20 : 30), x->prov);
}

static void on_kernel(struct fill *x)
{
	str(x, machine(x), CV_F_machine_kernel, x->k->value);
}

static void on_glibc(struct fill *x)
{
	str(x, machine(x), CV_F_machine_glibc, x->k->value);
}

static void on_arch(struct fill *x)
{
	str(x, machine(x), CV_F_machine_arch, x->k->value);
}

static void on_location(struct fill *x)
{
	struct cv_subject *s =
		cv_facts_add(x->f, CV_KIND_package, cv_arena_printf(x->a, "%s|%s", CV_REPORT_ENV, usual_name(x, x->k->subject)));

	str(x, s, CV_F_package_location, x->k->value);
}

static void (*const handlers[])(struct fill *x) = {
	[CV_TELL_PACKAGE] = on_package,	  [CV_TELL_PACKAGE_AT] = on_location,   [CV_TELL_FRAMEWORK] = on_framework,
	[CV_TELL_BUILT_CUDA] = on_built_cuda, [CV_TELL_PYTHON] = on_python,	    [CV_TELL_OS] = on_os,
	[CV_TELL_KERNEL] = on_kernel,	  [CV_TELL_GLIBC] = on_glibc,	    [CV_TELL_ARCH] = on_arch,
	[CV_TELL_DRIVER] = on_driver,	  [CV_TELL_MODULE] = on_module,	    [CV_TELL_DRIVER_CUDA] = on_driver_cuda,
	[CV_TELL_MODULE_OPEN] = on_module_open, [CV_TELL_GPU] = on_gpu,		    [CV_TELL_GPU_LISTED] = on_gpu,
	[CV_TELL_GPU_CC] = on_gpu_cc,	  [CV_TELL_GPU_MIG] = on_gpu_mig,	    [CV_TELL_GPU_MODE] = on_gpu_mode,
	[CV_TELL_GPU_BOUND] = on_gpu_bound,	  [CV_TELL_TOOLKIT] = on_toolkit,	    [CV_TELL_NVCC] = on_nvcc,
	[CV_TELL_CUDNN] = on_cudnn,	  [CV_TELL_TENSORRT] = on_tensorrt,	    [CV_TELL_LIB] = on_lib,
	[CV_TELL_NEEDS] = on_needs,	  [CV_TELL_VAR] = on_var,		    [CV_TELL_PROBE] = on_probe,
	[CV_TELL_CONTAINER] = on_container,	  [CV_TELL_IMAGE] = on_image,	    [CV_TELL_SECURE_BOOT] = on_secure_boot,
	[CV_TELL_SHM] = on_shm,
};

static void on_command(struct fill *x, size_t n)
{
	str(x, cv_facts_add(x->f, CV_KIND_probe, cv_arena_printf(x->a, "command %03zu", n)), CV_F_probe_value, x->k->value);
}

void cv_fill(struct cv_facts *f, const struct cv_kb *kb, struct cv_arena *a, const struct cv_keeps *keeps)
{
	struct fill x = { .f = f, .kb = kb, .a = a };
	struct cv_prov self = { .collector = "text", .offset = -1 };
	struct cv_subject *e = cv_facts_add(f, CV_KIND_env, CV_REPORT_ENV);
	size_t commands = 0;

	cv_facts_bool(f, machine(&x), CV_F_machine_from_text, true, self);
	cv_facts_bool(f, machine(&x), CV_F_machine_live, true, self);
	cv_facts_bool(f, e, CV_F_env_active, true, self);
	cv_facts_str(f, e, CV_F_env_exe, "python", self);
	cv_facts_bool(f, e, CV_F_env_selected, true, self);
	for (int weight = CV_TOLD_RUNTIME; weight >= CV_TOLD_PROSE; weight--)
		for (size_t i = 0; i < keeps->v.n; i++) {
			const struct cv_kept *k = &keeps->v.v[i];

			if ((int)k->weight != weight)
				continue;
			x.k = k;
			x.prov = (struct cv_prov){ .collector = weight == CV_TOLD_PROSE ? "prose" : "text", .path = k->file, .line = k->line, .offset = -1 };
			if (k->what == CV_TELL_COMMAND && commands < 200)
				on_command(&x, commands++);
			else if ((size_t)k->what < sizeof(handlers) / sizeof(handlers[0]) && handlers[k->what])
				handlers[k->what](&x);
		}
}
