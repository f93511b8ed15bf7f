/* SPDX-License-Identifier: Apache-2.0 */
/* Use: providers, models, memory, Windows, builds of extensions, expectations; and the table of all rules. */
#include "base/version.h"
#include "judge/hypo_int.h"

CV_HYP_RULE(cv_hyp_windows_tf)
{
	const char *tf = cv_hypo_version(x, "tensorflow");
	bool gone = tf && cv_ver_valid(CV_VER_PEP440, tf) && cv_ver_cmp(CV_VER_PEP440, tf, "2.11") >= 0;

	/* JAX never had one. */
	if (cv_hypo_os(x, "windows") && !x->j.w->wsl && cv_hypo_hit(x, "jax-nogpu")) {
		cv_hyp_set(x, h, "tf_or", cv_hypo_label(x, "jax") ? cv_hypo_label(x, "jax") : "JAX");
		cv_hyp_confirm(h, 25);
		return;
	}
	if (!cv_hypo_os(x, "windows") || x->j.w->wsl || !gone) {
		if (h->score && !cv_hypo_os(x, "windows"))
			cv_hyp_refute(h);
		return;
	}
	if (cv_hypo_hit(x, "tf-win-dll"))
		return; /* it looks for CUDA's DLLs, so it is a GPU build */
	cv_hyp_fact(x, h, cv_hypo_package(x, "tensorflow"), CV_F_package_version);
	cv_hyp_fact(x, h, x->j.w->machine, CV_F_machine_os_name);
	if (cv_hypo_hit(x, "tf-gpu-not-available") || cv_hypo_probe(x, "tensorflow.gpus") || cv_hypo_answered(x, "tensorflow.built", "False") ||
	    cv_hypo_hit(x, "tf-skip") || cv_hypo_hit(x, "tf-no-drivers"))
		cv_hyp_confirm(h, 30);
	else
		cv_hyp_at_least(h, 58);
}

CV_HYP_RULE(cv_hyp_windows_runtime)
{
	const char *ort = cv_hypo_version(x, "onnxruntime-gpu") ? cv_hypo_version(x, "onnxruntime-gpu") : cv_hypo_version(x, "onnxruntime");

	if (!cv_hypo_os(x, "windows") && cv_fact_known(x->j.w->machine, CV_F_machine_os_id) && h->score)
		cv_hyp_support(h, -40);
	if (cv_hypo_hit(x, "win-126") || cv_hypo_hit(x, "win-zlib"))
		cv_hyp_confirm(h, cv_hypo_hit(x, "win-zlib") ? 25 : 5);
	/* A frozen program that fails at the import itself, without a name: the run-time of C++ that came along. */
	if (cv_hypo_hit(x, "ort-capi-import") && ort && (cv_hypo_version(x, "pyinstaller") || cv_hypo_version(x, "nuitka")))
		cv_hyp_at_least(h, 66);
	cv_hyp_set(x, h, "build", cv_hypo_get(x, "build"));
}

CV_HYP_RULE(cv_hyp_bundle)
{
	const char *packer = cv_hypo_label(x, "nuitka") ? cv_hypo_label(x, "nuitka") : cv_hypo_label(x, "pyinstaller");

	cv_hyp_set(x, h, "packer", packer);
	if (h->score && packer)
		cv_hyp_support(h, 18);
}

static bool lists_cuda(const struct cv_hypo_ctx *x, const char *question)
{
	const char *v = cv_hypo_probe(x, question);

	return v && strstr(v, "CUDAExecutionProvider");
}

bool cv_hypo_on_cpu(const struct cv_hypo_ctx *x)
{
	const char *v = cv_hypo_probe(x, "onnxruntime.session");

	return v && strstr(v, "CPUExecutionProvider") && !strstr(v, "CUDA");
}

/* A session that was made and asked which providers it has, without any message of failure. */
CV_HYP_RULE(cv_hyp_provider)
{
	const char *ort = cv_hypo_version(x, "onnxruntime-gpu");
	bool failed = cv_hypo_hit(x, "ort-create") || cv_hypo_hit(x, "ort-provload") || cv_hypo_hit(x, "ort-require");
	bool fits = !cv_hyp_of(x, "cuda-major-mismatch")->confirmed && !cv_hyp_of(x, "cudnn-major-mismatch")->confirmed &&
		    cv_hyp_of(x, "cuda-major-mismatch")->score < 60;

	if (ort && cv_hypo_on_cpu(x) && !failed)
		cv_hyp_at_least(h, lists_cuda(x, "onnxruntime.available") ? 86 : 66);
	if (ort && cv_hypo_hit(x, "cue-only-cpu") && !failed && fits && !cv_hypo_version(x, "onnxruntime"))
		cv_hyp_at_least(h, 62);
	else if (h->score && !fits)
		cv_hyp_support(h, -25);
}

CV_HYP_RULE(cv_hyp_misread)
{
	const char *session = cv_hypo_probe(x, "onnxruntime.session");
	bool failed = cv_hypo_hit(x, "ort-create") || cv_hypo_hit(x, "ort-provload") || cv_hypo_hit(x, "ort-require");
	bool none = cv_hypo_probe(x, "gpu.other") && !cv_hypo_get(x, "gpu");

	cv_hyp_set(x, h, "session_or", session && strlen(session) < 80 ? session : "the CPU");
	if (none && (failed || cv_hypo_on_cpu(x)))
		cv_hyp_at_least(h, 92);
	else if (failed && cv_hypo_on_cpu(x) && lists_cuda(x, "onnxruntime.available"))
		cv_hyp_at_least(h, 48);
	/* Set, it fails loudly; unset, it falls back: the same fault, told twice. */
	if (cv_hypo_hit(x, "ort-cuda-path") && cv_hypo_hit(x, "ort-create"))
		cv_hyp_at_least(h, 72);
}

CV_HYP_RULE(cv_hyp_model)
{
	const struct cv_subject *ir = cv_hypo_hit(x, "ort-ir"), *opset = cv_hypo_hit(x, "ort-opset"), *max = cv_hypo_hit(x, "ort-opset-max");

	cv_hyp_set(x, h, "build_or", cv_hypo_label(x, "onnxruntime") ? cv_hypo_label(x, "onnxruntime") : cv_hypo_label(x, "onnxruntime-gpu"));
	cv_hyp_set(x, h, "build_or", "the installed onnxruntime");
	cv_hyp_set(x, h, "found_ir", cv_hit_capture(x, ir, "found"));
	cv_hyp_set(x, h, "max_ir", cv_hit_capture(x, ir, "max"));
	cv_hyp_set(x, h, "found_opset", cv_hit_capture(x, opset, "found"));
	cv_hyp_set(x, h, "max_opset", cv_hit_capture(x, max, "max"));
	if (ir || (opset && max))
		cv_hyp_confirm(h, 20);
}

CV_HYP_RULE(cv_hyp_memory)
{
	const struct cv_subject *sign = cv_hypo_hit(x, "cudnn-not-init") ? cv_hypo_hit(x, "cudnn-not-init") : cv_hypo_hit(x, "cublas-not-init");

	if (sign && !cv_hypo_hit(x, "cuda-oom"))
		cv_hyp_set(x, h, "oom_sign", cv_hypo_hit(x, "cudnn-not-init") ? "CUDNN_STATUS_NOT_INITIALIZED" : "CUBLAS_STATUS_NOT_INITIALIZED");
	if (cv_hypo_hit(x, "cuda-error2-count"))
		cv_hyp_support(h, -30);
}

CV_HYP_RULE(cv_hyp_nodes)
{
	cv_hyp_set(x, h, "cpu_nodes", cv_hit_capture(x, cv_hypo_hit(x, "ort-nodes-count"), "cpu"));
	if (cv_hypo_works(x) && h->score)
		cv_hyp_support(h, -10);
}

CV_HYP_RULE(cv_hyp_import_order)
{
	bool torch = cv_hypo_version(x, "torch") != NULL, both = lists_cuda(x, "onnxruntime.session") && cv_hypo_on_cpu(x);
	const struct cv_value *v = cv_fact(cv_facts_find(x->j.facts, CV_KIND_probe, "onnxruntime.session"), CV_F_probe_value);
	bool cpu = false, cuda = false;

	for (; v; v = v->next) {
		cpu |= v->state == CV_KNOWN && strstr(v->str, "CPUExecutionProvider") && !strstr(v->str, "CUDA");
		cuda |= v->state == CV_KNOWN && strstr(v->str, "CUDAExecutionProvider");
	}
	both |= cpu && cuda;
	cv_hyp_set(x, h, "order_words", both ? "with import torch before onnxruntime the session has CUDAExecutionProvider, without it only the CPU" : NULL);
	if (both && torch)
		cv_hyp_at_least(h, 96);
	if (cv_hypo_hit(x, "win-127") && cv_hypo_hit(x, "cue-preload")) {
		cv_hyp_set(x, h, "order_words", "onnxruntime.preload_dlls() took cuDNN from another place, and torch's own no longer fits");
		cv_hyp_at_least(h, 90);
	} else if (cv_hypo_hit(x, "win-127")) {
		cv_hyp_support(h, -8);
	}
	cv_hyp_set(x, h, "order_words", "what is loaded first decides which CUDA and cuDNN the process has");
}

CV_HYP_RULE(cv_hyp_nvcc)
{
	const struct cv_subject *s = cv_facts_find(x->j.facts, CV_KIND_toolkit, "nvcc"), *flash = cv_hypo_hit(x, "flash-nvcc");
	const char *needed = cv_hit_capture(x, flash, "needed"), *nvcc = cv_fact_str(s, CV_F_toolkit_version);
	const char *captured = cv_hit_capture(x, cv_hypo_hit(x, "torch-ext-mismatch2"), "torchcuda");

	cv_hyp_set(x, h, "torch_cuda", captured);
	if (h->score)
		cv_hyp_fact(x, h, s, CV_F_toolkit_version);
	if (cv_hypo_hit(x, "torch-ext-mismatch"))
		cv_hyp_confirm(h, 30);
	if (needed && nvcc && cv_ver_cmp(CV_VER_DOTTED, nvcc, needed) < 0)
		cv_hyp_confirm(h, 30);
}

CV_HYP_RULE(cv_hyp_no_toolkit)
{
	if (!h->score)
		return;
	cv_hyp_set(x, h, "toolkit_pkg", cv_hypo_label(x, "cudatoolkit"));
	if (cv_hypo_hit(x, "cuda-home") && cv_hypo_hit(x, "nvcc-missing"))
		cv_hyp_confirm(h, 30);
	else if (cv_hypo_hit(x, "cuda-home"))
		cv_hyp_confirm(h, 5);
}

CV_HYP_RULE(cv_hyp_shm)
{
	uint64_t bytes = cv_fact_int(x->j.w->machine, CV_F_machine_shm_bytes, 0);

	if (bytes)
		cv_hyp_set(x, h, "shm", cv_arena_printf(x->a, "%llu MiB", (unsigned long long)(bytes >> 20)));
	if (bytes && bytes <= (uint64_t)64 << 20 && h->score)
		cv_hyp_confirm(h, 20);
	else if (bytes > (uint64_t)1 << 30)
		cv_hyp_support(h, -40);
}

/* Somebody wonders at the cuDNN that a wheel brings beside the one that is installed. */
CV_HYP_RULE(cv_hyp_not_a_fault)
{
	const struct cv_subject *version = cv_hypo_hit(x, "cudnn-90100"), *told = cv_facts_find(x->j.facts, CV_KIND_lib, "cudnn");
	const char *how = NULL;

	for (const struct cv_value *v = cv_fact(told, CV_F_lib_version_how); v; v = v->next)
		if (v->state == CV_KNOWN && strstr(v->str, "bundled"))
			how = v->str;
	if (!version || !how || !cv_hypo_works(x))
		return;
	cv_hyp_set(x, h, "nothing_words", cv_arena_printf(x->a, "%s is cuDNN as bundled in the wheel of %s (told: %s); a system installation is not used",
							  cv_hit_capture(x, version, "found"), cv_hypo_get(x, "build_or"), how));
	cv_hyp_at_least(h, 58);
	cv_hyp_refute(cv_hyp_of(x, "cudnn-major-mismatch"));
}

/* "0.231": 231 */
static uint64_t thousandths(const char *number)
{
	uint64_t n = 0;
	unsigned digits = 0;
	bool point = false;

	for (; *number && n < UINT64_MAX / 100000 && digits < 3; number++) {
		point |= *number == '.';
		if (*number >= '0' && *number <= '9') {
			n = 10 * n + (uint64_t)(*number - '0');
			digits += point;
		}
	}
	for (; digits < 3; digits++)
		n *= 10;
	return n;
}

/* "run 1 0.231 s  run 2 0.021 s": slow only where the first run takes a multiple of the second. */
CV_HYP_RULE(cv_hyp_first_run)
{
	static const char *const messages[] = { "first-run-slow-call", "first-run-slow-pass", "first-run-slow-run" };

	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		const struct cv_subject *hit = cv_hypo_hit(x, messages[i]);
		const char *first = cv_hit_capture(x, hit, "first"), *second = cv_hit_capture(x, hit, "second");

		if (first && second && thousandths(first) < 3 * thousandths(second))
			cv_hyp_refute(h);
	}
}

const struct cv_hyp_rule cv_hyp_rules[] = {
	{ "cuda-major-mismatch", cv_hyp_libraries },
	{ "cudnn-sublibrary-mix", cv_hyp_cudnn_mix },
	{ "library-shadowed", cv_hyp_shadowed_lib },
	{ "cudnn-older-loaded-first", cv_hyp_older_first },
	{ "nccl-mismatch", cv_hyp_nccl },
	{ "cupy-cuda-mismatch", cv_hyp_cupy },
	{ "tensorrt-version-mismatch", cv_hyp_tensorrt },
	{ "native-extension-missing", cv_hyp_bitsandbytes },
	{ "libstdcxx-too-old", cv_hyp_libstdcxx },
	{ "glibc-too-old", cv_hyp_glibc },
	{ "driver-too-old", cv_hyp_driver_old },
	{ "container-cuda-requirement", cv_hyp_requirement },
	{ "compat-libcuda-misused", cv_hyp_compat },
	{ "wsl-libcuda-path", cv_hyp_wsl },
	{ "uvm-broken-after-suspend", cv_hyp_suspend },
	{ "cuda-visible-devices", cv_hyp_mask },
	{ "mig-selection", cv_hyp_mig },
	{ "gpu-in-exclusive-mode", cv_hyp_exclusive },
	{ "driver-library-mismatch", cv_hyp_mismatch },
	{ "kernel-module-flavour", cv_hyp_flavour },
	{ "secure-boot-blocks-driver", cv_hyp_secure_boot },
	{ "driver-not-loaded", cv_hyp_not_loaded },
	{ "no-nvidia-gpu", cv_hyp_no_gpu },
	{ "ptx-newer-than-driver", cv_hyp_ptx },
	{ "container-lost-gpu", cv_hyp_lost },
	{ "gpu-dropped-by-driver", cv_hyp_dropped },
	{ "container-without-gpu", cv_hyp_container },
	{ "gpu-too-new-for-build", cv_hyp_gpu_code },
	{ "cpu-only-build", cv_hyp_cpu_build },
	{ "cpu-package-shadows-gpu", cv_hyp_double },
	{ "companion-version-mismatch", cv_hyp_companion },
	{ "extension-abi-mismatch", cv_hyp_extension },
	{ "shadowed-install", cv_hyp_shadowed_env },
	{ "broken-release", cv_hyp_broken },
	{ "no-matching-wheel", cv_hyp_wheel },
	{ "wrong-package-index", cv_hyp_index },
	{ "jetson-wheel-mismatch", cv_hyp_jetson },
	{ "mixed-cuda-wheels", cv_hyp_mixed },
	{ "numpy-abi-mismatch", cv_hyp_numpy },
	{ "mkl-mismatch", cv_hyp_mkl },
	{ "windows-gpu-unsupported", cv_hyp_windows_tf },
	{ "windows-runtime-missing", cv_hyp_windows_runtime },
	{ "packaged-app-incomplete", cv_hyp_bundle },
	{ "provider-not-requested", cv_hyp_provider },
	{ "availability-misread", cv_hyp_misread },
	{ "model-newer-than-runtime", cv_hyp_model },
	{ "gpu-out-of-memory", cv_hyp_memory },
	{ "node-on-cpu", cv_hyp_nodes },
	{ "import-order", cv_hyp_import_order },
	{ "gpu-fell-off-bus", cv_hyp_fell },
	{ "k8s-runtime-not-configured", cv_hyp_k8s },
	{ "nvcc-torch-mismatch", cv_hyp_nvcc },
	{ "cuda-toolkit-missing", cv_hyp_no_toolkit },
	{ "shm-too-small", cv_hyp_shm },
	{ "conv-algo-search-slow", cv_hyp_first_run },
	{ "not-a-fault", cv_hyp_not_a_fault },
	{ "", cv_hyp_facts },
	{ NULL, NULL },
};
