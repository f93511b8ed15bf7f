/* SPDX-License-Identifier: Apache-2.0 */
/* Every rule, sorted by id. A rule's page is docs/rules/<id>.md. */
#include "judge/rules.h"

#include <stdlib.h>
#include <string.h>

static const struct cv_rule rules[] = {
	{ "companion-version-mismatch", NULL, CV_ERROR, "packages that must share a release do not", cv_rule_companions },
	{ "compat-libcuda-misused", NULL, CV_ERROR, "a libcuda that is not the host driver's own is loaded", cv_rule_compat_misused },
	{ "container-without-gpu", NULL, CV_ERROR, "the container has no access to the GPU", cv_rule_container_without_gpu },
	{ "cpu-only-build", NULL, CV_ERROR, "the installed package has no GPU support at all", cv_rule_cpu_only },
	{ "cpu-package-shadows-gpu", NULL, CV_ERROR, "a CPU package of the same import name overwrote or hides the GPU one",
	  cv_rule_cpu_shadows_gpu },
	{ "cuda-major-mismatch", NULL, CV_ERROR, "the binary needs libraries of another CUDA major than those present", cv_rule_cuda_major },
	{ "cuda-visible-devices", NULL, CV_ERROR, "CUDA_VISIBLE_DEVICES hides every GPU that is wanted", cv_rule_cuda_visible_devices },
	{ "cudnn-major-mismatch", NULL, CV_ERROR, "the binary needs another cuDNN major than the one present", cv_rule_cudnn_major },
	{ "damaged-installation", NULL, CV_ERROR, "files of an installed package are missing, truncated or differ from its RECORD",
	  cv_rule_damaged },
	{ "device-node-denied", "device-node-missing", CV_ERROR, "this user may not open a /dev/nvidia* node that CUDA needs",
	  cv_rule_device_node_denied },
	{ "device-node-missing", NULL, CV_ERROR, "a /dev/nvidia* node that CUDA needs is missing and nothing creates it",
	  cv_rule_device_node_missing },
	{ "driver-library-mismatch", NULL, CV_ERROR, "kernel module and user-space driver libraries are of different versions",
	  cv_rule_library_mismatch },
	{ "driver-library-missing", "driver-missing", CV_ERROR, "the kernel module is loaded, the driver's libcuda is not installed",
	  cv_rule_driver_library_missing },
	{ "driver-minor-version", "not-a-fault", CV_NOTE, "the build's CUDA is newer than the driver's, within one major: it runs",
	  cv_rule_minor_version },
	{ "driver-missing", NULL, CV_ERROR, "no NVIDIA driver is installed", cv_rule_driver_missing },
	{ "driver-not-loaded", NULL, CV_ERROR, "the driver is installed but its kernel module is not loaded", cv_rule_driver_not_loaded },
	{ "driver-too-old", NULL, CV_ERROR, "the driver is older than the CUDA build in use, or the GPU, needs", cv_rule_driver_too_old },
	{ "glibc-too-old", NULL, CV_ERROR, "the system glibc is older than the binary or wheel tag needs", cv_rule_glibc },
	{ "gpu-dropped-by-driver", NULL, CV_ERROR, "the installed driver branch no longer supports this older GPU", cv_rule_gpu_dropped },
	{ "gpu-too-new-for-build", NULL, CV_ERROR, "the build has no code for this newer GPU", cv_rule_gpu_too_new },
	{ "gpu-too-old-for-build", NULL, CV_ERROR, "the build dropped this older GPU", cv_rule_gpu_too_old },
	{ "jetson-wheel-mismatch", NULL, CV_ERROR, "Jetson needs the wheel of its own JetPack", cv_rule_jetson_wheel },
	{ "kernel-module-flavour", NULL, CV_ERROR, "open or proprietary kernel module does not suit this GPU generation",
	  cv_rule_module_flavour },
	{ "library-missing", NULL, CV_ERROR, "a library that the binary needs is not on the machine", cv_rule_library_missing },
	{ "loader-path-entry", NULL, CV_WARNING, "a library search path entry is dead, relative or a stub folder", cv_rule_loader_path },
	{ "mixed-cuda-wheels", NULL, CV_WARNING, "cu11, cu12 or cu13 nvidia wheels are installed together", cv_rule_mixed_wheels },
	{ "no-nvidia-gpu", NULL, CV_ERROR, "there is no NVIDIA GPU in the machine", cv_rule_no_nvidia_gpu },
	{ "other-driver-holds-gpu", NULL, CV_ERROR, "another kernel driver than NVIDIA's is bound to the GPU", cv_rule_other_driver },
	{ "package-requirement-unmet", NULL, CV_WARNING, "an installed package does not have the version that another one pins",
	  cv_rule_requirements },
	{ "ptx-newer-than-driver", NULL, CV_ERROR, "PTX was made by a toolkit newer than the driver can compile", cv_rule_ptx_newer },
	{ "rocm-build", "cpu-only-build", CV_ERROR, "the installed package is built for AMD GPUs", cv_rule_rocm_build },
	{ "secure-boot-blocks-driver", NULL, CV_ERROR, "Secure Boot refuses the unsigned kernel module", cv_rule_secure_boot },
	{ "shadowed-install", NULL, CV_ERROR, "another copy than the environment's own is imported", cv_rule_shadowed },
	{ "wsl-libcuda-path", NULL, CV_ERROR, "WSL: libcuda of the Windows driver is not what gets loaded", cv_rule_wsl_libcuda },
};

static int by_id(const void *key, const void *rule)
{
	return strcmp(key, ((const struct cv_rule *)rule)->id);
}

const struct cv_rule *cv_rule_find(const char *id)
{
	return bsearch(id, rules, sizeof(rules) / sizeof(rules[0]), sizeof(rules[0]), by_id);
}

size_t cv_rule_count(void)
{
	return sizeof(rules) / sizeof(rules[0]);
}

const struct cv_rule *cv_rule_at(size_t i)
{
	return i < cv_rule_count() ? &rules[i] : NULL;
}
