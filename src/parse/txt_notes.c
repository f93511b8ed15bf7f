/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "Key: value" lines: collect_env of torch, vLLM and others, and the notes that people write by hand. One table; keys in any case.
 */
#include "parse/txt.h"

static const struct {
	const char *key;
	enum cv_tell what;
	const char *subject;
	bool version; /* the value begins with a version */
} keys[] = {
	{ "PyTorch version", CV_TELL_FRAMEWORK, "torch", true },
	{ "PyTorch", CV_TELL_FRAMEWORK, "torch", true },
	{ "torch version", CV_TELL_FRAMEWORK, "torch", true },
	{ "TensorFlow version", CV_TELL_FRAMEWORK, "tensorflow", true },
	{ "TensorFlow", CV_TELL_FRAMEWORK, "tensorflow", true },
	{ "TF version", CV_TELL_FRAMEWORK, "tensorflow", true },
	{ "tensorflow-gpu version", CV_TELL_FRAMEWORK, "tensorflow", true },
	{ "jax version", CV_TELL_FRAMEWORK, "jax", true },
	{ "jax", CV_TELL_FRAMEWORK, "jax", true },
	{ "jaxlib version", CV_TELL_PACKAGE, "jaxlib", true },
	{ "onnxruntime", CV_TELL_FRAMEWORK, "onnxruntime", true },
	{ "onnxruntime version", CV_TELL_FRAMEWORK, "onnxruntime", true },
	{ "ORT version", CV_TELL_FRAMEWORK, "onnxruntime", true },
	{ "onnxruntime-gpu", CV_TELL_PACKAGE, "onnxruntime-gpu", true },
	{ "onnxruntime-gpu version", CV_TELL_PACKAGE, "onnxruntime-gpu", true },
	{ "torch", CV_TELL_FRAMEWORK, "torch", true },
	{ "PyTorch Version (GPU?)", CV_TELL_FRAMEWORK, "torch", true },
	{ "pytorch build", CV_TELL_FRAMEWORK, "torch", true },
	{ "torchvision", CV_TELL_PACKAGE, "torchvision", true },
	{ "torchvision version", CV_TELL_PACKAGE, "torchvision", true },
	{ "torchaudio", CV_TELL_PACKAGE, "torchaudio", true },
	{ "xformers", CV_TELL_PACKAGE, "xformers", true },
	{ "xformers version", CV_TELL_PACKAGE, "xformers", true },
	{ "flash-attn", CV_TELL_PACKAGE, "flash-attn", true },
	{ "flash_attn", CV_TELL_PACKAGE, "flash-attn", true },
	{ "flash attention", CV_TELL_PACKAGE, "flash-attn", true },
	{ "bitsandbytes", CV_TELL_PACKAGE, "bitsandbytes", true },
	{ "bitsandbytes version", CV_TELL_PACKAGE, "bitsandbytes", true },
	{ "ctranslate2", CV_TELL_PACKAGE, "ctranslate2", true },
	{ "faster-whisper", CV_TELL_PACKAGE, "faster-whisper", true },
	{ "numpy", CV_TELL_PACKAGE, "numpy", true },
	{ "numpy version", CV_TELL_PACKAGE, "numpy", true },
	{ "triton", CV_TELL_PACKAGE, "triton", true },
	{ "vllm version", CV_TELL_PACKAGE, "vllm", true },
	{ "Tensor Flow Version", CV_TELL_FRAMEWORK, "tensorflow", true },
	{ "ONNX Runtime Version", CV_TELL_FRAMEWORK, "onnxruntime", true },
	{ "CUDA used to build PyTorch", CV_TELL_BUILT_CUDA, "torch", false },
	{ "Python version", CV_TELL_PYTHON, "", true },
	{ "Python", CV_TELL_PYTHON, "", true },
	{ "Libc version", CV_TELL_GLIBC, "", false },
	{ "OS", CV_TELL_OS, "", false },
	{ "OS version", CV_TELL_OS, "", false },
	{ "OS Platform", CV_TELL_OS, "", false },
	{ "OS Platform and Distribution", CV_TELL_OS, "", false },
	{ "OS Distribution", CV_TELL_OS, "", false },
	{ "Host OS", CV_TELL_OS, "", false },
	{ "System", CV_TELL_OS, "", false },
	{ "Distro", CV_TELL_OS, "", false },
	{ "Operating system", CV_TELL_OS, "", false },
	{ "Platform", CV_TELL_OS, "", false },
	{ "Python platform", CV_TELL_OS, "", false },
	{ "\xe6\x93\x8d\xe4\xbd\x9c\xe7\xb3\xbb\xe7\xbb\x9f", CV_TELL_OS, "", false }, /* operating system */
	{ "Kernel", CV_TELL_KERNEL, "", true },
	{ "Architecture", CV_TELL_ARCH, "", false },
	{ "CUDA runtime version", CV_TELL_TOOLKIT, "", true },
	{ "CUDA Toolkit version", CV_TELL_TOOLKIT, "", true },
	{ "nvcc", CV_TELL_NVCC, "", true },
	{ "nvcc version", CV_TELL_NVCC, "", true },
	{ "CUDA toolkit", CV_TELL_TOOLKIT, "", true },
	{ "CUDA", CV_TELL_TOOLKIT, "", true },
	{ "CUDA version", CV_TELL_TOOLKIT, "", true },
	{ "cuDNN", CV_TELL_CUDNN, "", true },
	{ "cuDNN version", CV_TELL_CUDNN, "", false },
	{ "TensorRT", CV_TELL_TENSORRT, "", true },
	{ "TensorRT version", CV_TELL_TENSORRT, "", true },
	{ "Nvidia driver version", CV_TELL_DRIVER, "", true },
	{ "Driver Version", CV_TELL_DRIVER, "", true },
	{ "Nvidia driver", CV_TELL_DRIVER, "", true },
	{ "GPU driver version", CV_TELL_DRIVER, "", true },
	{ "CUDA driver", CV_TELL_DRIVER, "", true },
	{ "Driver", CV_TELL_DRIVER, "", true },
	{ "NVIDIA driver", CV_TELL_DRIVER, "", true },
	{ "GPU driver", CV_TELL_DRIVER, "", true },
	{ "\xe9\xa9\xb1\xe5\x8a\xa8", CV_TELL_DRIVER, "", true },			    /* driver */
	{ "\xe9\xa9\xb1\xe5\x8a\xa8\xe7\x89\x88\xe6\x9c\xac", CV_TELL_DRIVER, "", true }, /* driver version */
	{ "\xe6\x98\xbe\xe5\x8d\xa1\xe9\xa9\xb1\xe5\x8a\xa8", CV_TELL_DRIVER, "", true }, /* driver of the graphics card */
	{ "GPU", CV_TELL_GPU, "", false },
	{ "GPUs", CV_TELL_GPU, "", false },
	{ "GPU model", CV_TELL_GPU, "", false },
	{ "GPU model and memory", CV_TELL_GPU, "", false },
	{ "GPU type", CV_TELL_GPU, "", false },
	{ "GPU name", CV_TELL_GPU, "", false },
	{ "NVIDIA GPU", CV_TELL_GPU, "", false },
	{ "Video card", CV_TELL_GPU, "", false },
	{ "Graphics card", CV_TELL_GPU, "", false },
	{ "\xe6\x98\xbe\xe5\x8d\xa1", CV_TELL_GPU, "", false }, /* graphics card */
	{ "Container image", CV_TELL_IMAGE, "", false },
	{ "Docker image", CV_TELL_IMAGE, "", false },
	{ "Image", CV_TELL_IMAGE, "", false },
};

static bool is_none(struct cv_str v)
{
	return cv_str_is(v, "No CUDA") || cv_str_is(v, "None") || cv_str_is(v, "N/A") || cv_str_starts(v, "Could not collect") || !v.n;
}

static bool is_report(const struct cv_txt *t, const char *key)
{
	return t->report || cv_streq(key, "CUDA used to build PyTorch") || cv_streq(key, "PyTorch version") || cv_streq(key, "CUDA runtime version") ||
	       cv_streq(key, "Nvidia driver version") || cv_streq(key, "Libc version");
}

/* "supports CUDA 11.4": a driver told by what it offers. */
static bool driver_by_cuda(struct cv_txt *t, struct cv_str value)
{
	ptrdiff_t at = cv_txt_find(value, "supports CUDA ");
	struct cv_str v;

	if (at < 0 || !cv_txt_version(cv_str_from(value, (size_t)at + 14), &v))
		return false;
	cv_tell(t, CV_TELL_DRIVER_CUDA, CV_TOLD_NOTE, CV_STR(""), v);
	return true;
}

/* "460.56 loaded, 460.73.01 installed" */
static void driver_pair(struct cv_txt *t, struct cv_str value)
{
	struct cv_str rest = value, word, v, last = { "", 0 };

	while (cv_str_word(&rest, &word)) {
		if (cv_str_starts(word, "loaded") && last.n)
			cv_tell(t, CV_TELL_MODULE, CV_TOLD_NOTE, CV_STR(""), last);
		else if (cv_str_starts(word, "installed") && last.n)
			cv_tell_extra(t, CV_TELL_LIB, CV_TOLD_NOTE, CV_STR("libcuda.so"), last, CV_STR("driver"));
		if (cv_txt_version(word, &v))
			last = v;
	}
}

static struct cv_str glibc_of(struct cv_str v)
{
	(void)cv_str_eat(&v, "glibc-");
	(void)cv_str_eat(&v, "glibc ");
	return v;
}

static void tell_value(struct cv_txt *t, size_t i, struct cv_str value)
{
	enum cv_told_weight weight = is_report(t, keys[i].key) ? CV_TOLD_TOOL : CV_TOLD_NOTE;
	struct cv_str subject = cv_str_of(keys[i].subject), v = value;

	if (is_none(value)) {
		if (keys[i].what == CV_TELL_BUILT_CUDA && !cv_str_is(value, "N/A"))
			cv_tell(t, CV_TELL_PROBE, weight, CV_STR("torch.built"), CV_STR("none"));
		if (cv_str_is(value, "No CUDA"))
			cv_tell(t, CV_TELL_PROBE, weight, CV_STR("collect_env.cuda"), CV_STR("none"));
		return;
	}
	if (keys[i].what == CV_TELL_DRIVER && driver_by_cuda(t, value))
		return;
	if (keys[i].what == CV_TELL_DRIVER && cv_str_find(value, " loaded") > 0)
		driver_pair(t, value);
	if (keys[i].what == CV_TELL_GLIBC)
		v = glibc_of(v);
	if (keys[i].what == CV_TELL_CUDNN && value.p[0] == '/') {
		ptrdiff_t at = cv_str_find(value, ".so.");

		if (at < 0)
			return;
		subject = value;
		v = cv_str_from(value, (size_t)at + 4);
	}
	if ((keys[i].version || keys[i].what == CV_TELL_CUDNN || keys[i].what == CV_TELL_BUILT_CUDA) && !cv_txt_version(v, &v))
		return;
	cv_tell_extra(t, keys[i].what, weight, subject, v, value);
}

/* "Is CUDA available: False" */
static bool available(struct cv_txt *t, struct cv_str key, struct cv_str value)
{
	if (!cv_txt_is(key, "Is CUDA available") && !cv_txt_is(key, "CUDA available"))
		return false;
	if (cv_txt_is(value, "True") || cv_txt_is(value, "Yes"))
		cv_tell(t, CV_TELL_PROBE, CV_TOLD_TOOL, CV_STR("torch.cuda.is_available"), CV_STR("True"));
	else if (cv_txt_is(value, "False") || cv_txt_is(value, "No"))
		cv_tell(t, CV_TELL_PROBE, CV_TOLD_TOOL, CV_STR("torch.cuda.is_available"), CV_STR("False"));
	return true;
}

/* conda info: "__cuda=12.8=0" */
static void virtual_package(struct cv_txt *t, struct cv_str s)
{
	struct cv_str v;
	ptrdiff_t at = cv_str_find(s, "__cuda=");

	if (at >= 0 && cv_txt_version(cv_str_from(s, (size_t)at + 7), &v))
		cv_tell(t, CV_TELL_DRIVER_CUDA, CV_TOLD_TOOL, CV_STR(""), v);
	at = cv_str_find(s, "__archspec=1=");
	if (at >= 0 && (cv_str_find(s, "=aarch64") > 0 || cv_str_find(s, "=x86_64") > 0))
		cv_tell(t, CV_TELL_ARCH, CV_TOLD_TOOL, CV_STR(""), cv_str_find(s, "=aarch64") > 0 ? CV_STR("aarch64") : CV_STR("x86_64"));
	if (cv_str_find(s, "__win=") >= 0)
		cv_tell(t, CV_TELL_OS, CV_TOLD_TOOL, CV_STR(""), CV_STR("Windows"));
	at = cv_str_find(s, "__glibc=");
	if (at >= 0 && cv_txt_version(cv_str_from(s, (size_t)at + 8), &v))
		cv_tell(t, CV_TELL_GLIBC, CV_TOLD_TOOL, CV_STR(""), v);
}

/* "OS Platform and Distribution (e.g., Linux Ubuntu 16.04)": the key alone. "PyTorch Version (GPU?)" is a key of its own. */
static struct cv_str bare(struct cv_str key)
{
	ptrdiff_t at = cv_str_find(key, " (");

	if (at > 0 && cv_str_find(key, "(GPU?)") < 0)
		key = cv_str_sub(key, 0, (size_t)at);
	while (key.n && strchr("*`_ ", key.p[0]))
		key = cv_str_from(key, 1);
	while (key.n && strchr("*`_ ?", key.p[key.n - 1]))
		key.n--;
	return key;
}

bool cv_txt_note(struct cv_txt *t, struct cv_str key, struct cv_str value)
{
	if (available(t, key, value))
		return true;
	key = bare(key);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (cv_txt_is(key, keys[i].key)) {
			tell_value(t, i, value);
			return true;
		}
	return false;
}

void cv_txt_notes(struct cv_txt *t, struct cv_str line, unsigned *state)
{
	struct cv_str key, value, v;
	ptrdiff_t at;

	(void)state;
	if (line.n < 400)
		virtual_package(t, line);
	at = cv_str_find(line, "Cuda compilation tools, release ");
	if (at >= 0 && cv_txt_version(cv_str_from(line, (size_t)at + 32), &v)) {
		cv_tell(t, CV_TELL_NVCC, CV_TOLD_TOOL, CV_STR(""), v);
		return;
	}
	if (line.n > 400 || !cv_txt_key(line, &key, &value)) {
		struct cv_str s = cv_str_trim(line);

		if (cv_str_eat(&s, "Using CPython ") && cv_txt_version(s, &v))
			cv_tell(t, CV_TELL_PYTHON, CV_TOLD_TOOL, CV_STR(""), v);
		else if (cv_str_eat(&s, "Python ") && s.n < 10 && cv_txt_version(s, &v))
			cv_tell(t, CV_TELL_PYTHON, CV_TOLD_TOOL, CV_STR(""), v);
		return;
	}
	(void)cv_txt_note(t, key, value);
}
