/* SPDX-License-Identifier: Apache-2.0 */
/* How properties are called in answers, and in which order they stand. To name a new one: a row here. */
#include "kb/query_int.h"

/* How a property is called in an answer; also the order of the lines. Properties that are not here follow under their name. */
static const struct label {
	const char *subject, *property, *label; /* subject NULL: any */
} labels[] = {
	{ NULL, "name", "name" },
	{ NULL, "arch", "architecture" },
	{ NULL, "tegra", "chip" },
	{ "gpu:*", "cc", "compute capability" },
	{ NULL, "memory_mib", "memory, nominal (MiB)" },
	{ "driver", "cuda", "highest CUDA of its driver API" },
	{ NULL, "designation", "branch" },
	{ NULL, "end_of_life", "end of life" },
	{ NULL, "default_cuda", "CUDA of the wheel on the Python package index" },
	{ NULL, "variants", "builds of the vendor's index" },
	{ NULL, "variants_aarch64", "builds of the vendor's index, aarch64" },
	{ NULL, "cuda", "CUDA" },
	{ NULL, "built_cuda", "built with CUDA" },
	{ NULL, "cudnn", "cuDNN" },
	{ NULL, "code", "GPU code" },
	{ NULL, "code_aarch64", "GPU code, aarch64" },
	{ "image:*", "python", "Python" },
	{ "cloud:*", "python", "Python" },
	{ "jetson", "python", "Python" },
	{ NULL, "python", "Python with wheels" },
	{ NULL, "python_min", "lowest Python" },
	{ NULL, "min_glibc", "lowest glibc" },
	{ NULL, "glibc_aarch64", "lowest glibc, aarch64" },
	{ NULL, "torchvision", "torchvision" },
	{ NULL, "torchvision_spec", "torchvision" },
	{ NULL, "torchaudio", "torchaudio" },
	{ NULL, "torchaudio_spec", "torchaudio" },
	{ NULL, "triton", "triton" },
	{ NULL, "triton_spec", "triton" },
	{ NULL, "nccl", "NCCL" },
	{ NULL, "toolkit_driver", "driver for all its features" },
	{ NULL, "floor_driver", "oldest driver for its major" },
	{ NULL, "driver_branch", "driver branch" },
	{ NULL, "ptx_isa", "PTX ISA" },
	{ "cuda", "cc", "compute capabilities its compiler knows" },
	{ NULL, "min_driver", "oldest driver" },
	{ NULL, "last_driver", "newest driver" },
	{ NULL, "module", "kernel module flavour" },
	{ NULL, "first_cuda", "first CUDA toolkit" },
	{ NULL, "last_cuda", "last CUDA toolkit" },
	{ NULL, "listed_since", "listed by the open kernel modules since" },
	{ "cudnn", "cc", "compute capabilities of the support matrix" },
	{ NULL, "soname", "SONAME" },
	{ NULL, "split_libs", "split into" },
	{ "cudnn", "wheel", "wheel versions" },
	{ NULL, "wheel", "wheel" },
	{ NULL, "extras", "extras that bring CUDA" },
	{ NULL, "needs", "libraries that it needs" },
	{ NULL, "opens", "libraries that it opens when used" },
	{ NULL, "import_needs", "cannot be imported without" },
	{ NULL, "rpath", "RPATH or RUNPATH" },
	{ NULL, "tensorrt", "TensorRT major" },
	{ NULL, "preload_dlls", "has preload_dlls()" },
	{ NULL, "numpy", "numpy" },
	{ NULL, "pins_cudnn", "cuDNN wheel of [and-cuda]" },
	{ NULL, "windows_gpu", "GPU on native Windows" },
	{ NULL, "min_cc", "lowest compute capability" },
	{ NULL, "role", "role" },
	{ NULL, "framework", "import directory" },
	{ NULL, "provides_gpu", "brings GPU code" },
	{ NULL, "partner", "GPU package" },
	{ NULL, "dir", "directory" },
	/* images and clouds */
	{ NULL, "title", "called" },
	{ NULL, "gpu", "GPU" },
	{ NULL, "memory_gib", "memory of one GPU (GiB)" },
	{ NULL, "driver", "driver" },
	{ NULL, "driver_kind", "kind of driver" },
	{ NULL, "driver_built", "built with driver" },
	{ NULL, "driver_stated", "driver that its notes ask for" },
	{ NULL, "torch", "torch" },
	{ NULL, "torch_spec", "torch" },
	{ NULL, "torch_wheels", "wheels for torch" },
	{ NULL, "torch_range", "torch releases" },
	{ NULL, "cuda_spec", "CUDA" },
	{ NULL, "cuda_installed", "CUDA toolkits" },
	{ NULL, "cuda_compat_package", "cuda-compat package (not the driver)" },
	{ NULL, "cudnn_tag", "tags with cuDNN say" },
	{ NULL, "cudnn_ended", "cuDNN, no longer renewed" },
	{ NULL, "cudnn_pip", "cuDNN wheel" },
	{ NULL, "cudnn_rule", "cuDNN images" },
	{ NULL, "tensorflow", "tensorflow" },
	{ NULL, "jax", "jax" },
	{ NULL, "onnxruntime", "onnxruntime" },
	{ NULL, "vllm", "vllm" },
	{ NULL, "tritonserver", "Triton server" },
	{ NULL, "tensorrt_llm", "TensorRT-LLM" },
	{ NULL, "python_spec", "Python" },
	{ NULL, "flavours", "flavours" },
	{ NULL, "os", "distributions" },
	{ NULL, "os_ended", "distributions, no longer renewed" },
	{ NULL, "os_built", "distribution" },
	{ NULL, "require_cuda", "asks the driver for CUDA" },
	{ NULL, "require_branches", "or one of these driver branches" },
	{ NULL, "require_brands", "on these brands" },
	{ NULL, "missing_tags", "tags that were not built, or are doubtful" },
	{ NULL, "tags_seen", "tags seen" },
	{ NULL, "arch_list", "set up to build for" },
	{ NULL, "container_toolkit", "container toolkit" },
	{ NULL, "instances", "machine types" },
	/* libraries and extensions */
	{ NULL, "library", "library" },
	{ NULL, "code_lib", "GPU code of a library" },
	{ NULL, "built_with", "built with" },
	{ NULL, "requires", "requires" },
	{ NULL, "extra", "extra" },
	{ NULL, "pins", "requires of CUDA" },
	{ NULL, "full", "in full" },
	{ NULL, "index", "on the Python package index" },
	{ NULL, "engine", "engines" },
	{ NULL, "cxx11_abi", "std::string of the new ABI" },
	{ NULL, "max_opset", "newest ONNX opset" },
	{ NULL, "max_ir", "newest ONNX IR version" },
	{ NULL, "onnx", "ONNX" },
	{ NULL, "gcc_max", "newest GCC for its compiler" },
	{ NULL, "clang_max", "newest Clang for its compiler" },
	/* systems */
	{ NULL, "tag", "tag" },
	{ NULL, "alias", "older name" },
	{ NULL, "abi", "ABI tag" },
	{ NULL, "free_threaded_abi", "ABI tag, free-threaded" },
	{ NULL, "glibc", "glibc" },
	{ NULL, "glibcxx_max", "newest GLIBCXX" },
	{ NULL, "cxxabi_max", "newest CXXABI" },
	{ NULL, "pip_min", "lowest pip" },
	{ NULL, "gcc", "GCC" },
	{ NULL, "seen_with", "seen with" },
	{ NULL, "released", "released" },
	{ NULL, "end_of_extended_support", "end of extended support" },
	{ NULL, "jetpack", "JetPack" },
	{ NULL, "driver_rule", "what its driver number means" },
	{ NULL, "onnxruntime_index", "onnxruntime-gpu of the package index" },
	{ NULL, "onnxruntime_community", "onnxruntime-gpu of jetson-containers" },
	{ NULL, "cpu", "CPU build" },
	{ NULL, "depends", "depends on" },
	/* numbers */
	{ NULL, "symbol", "name" },
	{ NULL, "message", "message" },
	{ NULL, "meaning", "meaning" },
	{ NULL, "usual_cause", "mostly" },
	{ NULL, "causes", "possible causes" },
	{ NULL, "action", "what to do" },
	{ NULL, "action_code", "vendor's code for that" },
	{ NULL, "trap", "what is misread" },
	{ NULL, "fatality", "for the NVLink fabric" },
	{ NULL, "sticky", "ends the context of the process" },
	{ NULL, "number_now", "number today" },
	{ NULL, "rule", "rule" },
	{ NULL, "issue", "known fault" },
	{ NULL, "note", "note" },
};
#define LABEL_N (sizeof(labels) / sizeof(*labels))

/* The part of a property before its qualifier. */
static struct cv_str stem(const char *property)
{
	struct cv_str s = cv_str_of(property);
	ptrdiff_t colon = cv_str_chr(s, ':');

	return colon < 0 ? s : cv_str_sub(s, 0, (size_t)colon);
}

const char *cv_kb_qualifier(const char *property)
{
	const char *colon = strchr(property, ':');

	return colon ? colon + 1 : NULL;
}

static bool subject_fits(const char *pattern, const char *subject)
{
	if (!pattern)
		return true;
	return cv_ends(pattern, ":*") ? strncmp(subject, pattern, strlen(pattern) - 1) == 0 : cv_streq(pattern, subject);
}

size_t cv_kb_label_place(const char *subject, const char *property)
{
	struct cv_str s = stem(property);

	for (size_t i = 0; i < LABEL_N; i++)
		if (cv_str_is(s, labels[i].property) && subject_fits(labels[i].subject, subject))
			return i;
	return LABEL_N;
}

const char *cv_kb_label(struct cv_kb_asking *q, const char *subject, const char *property)
{
	size_t i = cv_kb_label_place(subject, property);
	const char *name = i < LABEL_N ? labels[i].label : cv_str_dup(q->a, stem(property)), *build = cv_kb_qualifier(property);

	return build ? cv_arena_printf(q->a, "%s (%s)", name, build) : name;
}
