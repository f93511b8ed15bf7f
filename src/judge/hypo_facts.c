/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What facts suggest where no message speaks: a fault that a report shows without naming it. Such guesses stay below those of
 * messages, and are not made where a program says that the GPU works.
 */
#include "base/version.h"
#include "judge/hypo_int.h"

#define GUESS 46   /* shown where nothing better is known */
#define GOOD 54

static int cmp(const char *a, const char *b)
{
	return cv_ver_cmp(CV_VER_DOTTED, a, b);
}

static bool is_old(const char *version, const char *limit)
{
	return version && cv_ver_valid(CV_VER_PEP440, version) && cv_ver_cmp(CV_VER_PEP440, version, limit) < 0;
}

/* "12.1/lib64": 12.1 */
static bool version_at(struct cv_str s, struct cv_str *ret)
{
	size_t n = 0;

	while (n < s.n && ((s.p[n] >= '0' && s.p[n] <= '9') || s.p[n] == '.'))
		n++;
	*ret = cv_str_sub(s, 0, n);
	return n > 2 && cv_str_chr(*ret, '.') > 0 && s.p[n - 1] != '.';
}

/* "/usr/local/cuda-12.1/lib64" on LD_LIBRARY_PATH before a wheel of CUDA 12.4: libraries of one name, the older first. */
static void path_before_wheel(struct cv_hypo_ctx *x)
{
	const struct cv_subject *var = cv_facts_find(x->j.facts, CV_KIND_var, "LD_LIBRARY_PATH");
	const char *path = cv_fact_str(var, CV_F_var_value), *build = cv_hypo_get(x, "build_cuda"), *jax = cv_hypo_version(x, "jax");
	struct cv_hyp *h = cv_hyp_of(x, "library-shadowed"), *cudnn = cv_hyp_of(x, "cudnn-older-loaded-first");
	struct cv_str rest = cv_str_of(path ? path : ""), part, v;

	while (cv_str_split(&rest, ':', &part)) {
		ptrdiff_t at = cv_str_find(part, "cuda-"), dnn = cv_str_find(part, "cudnn");
		const char *have;

		if (at >= 0 && version_at(cv_str_from(part, (size_t)at + 5), &v)) {
			have = cv_str_dup(x->a, v);
			if ((build && cv_ver_part(have, 0) == cv_ver_part(build, 0) && cmp(have, build) < 0) || (!build && jax)) {
				cv_hyp_set(x, h, "shadowed", "libnvJitLink or another CUDA library");
				cv_hyp_set(x, h, "path_entry", cv_str_dup(x->a, part));
				cv_hyp_fact(x, h, var, CV_F_var_value);
				cv_hyp_at_least(h, GOOD);
			}
		}
		if (dnn >= 0 && (build || jax) && h->score < GUESS) {
			cv_hyp_set(x, cudnn, "path_entry", cv_str_dup(x->a, part));
			cv_hyp_fact(x, cudnn, var, CV_F_var_value);
			cv_hyp_at_least(cudnn, GUESS);
		}
	}
}

/* Two numbers of packages that do not go together by what is known of them. */
static void packages(struct cv_hypo_ctx *x)
{
	const char *numpy = cv_hypo_version(x, "numpy"), *torch = cv_hypo_version(x, "torch"), *mkl = cv_hypo_version(x, "mkl");
	const char *conda = cv_hypo_version(x, "cudatoolkit"), *api = cv_hypo_get(x, "driver_cuda"), *nvcc, *build = cv_hypo_get(x, "build_cuda");
	struct cv_hyp *h;

	if (numpy && cv_ver_valid(CV_VER_PEP440, numpy) && cv_ver_part(numpy, 0) >= 2 && is_old(torch, "2.3")) {
		h = cv_hyp_of(x, "numpy-abi-mismatch");
		cv_hyp_fact(x, h, cv_hypo_package(x, "numpy"), CV_F_package_version);
		cv_hyp_at_least(h, GOOD);
	}
	if (mkl && (cmp(mkl, "2024.1") >= 0) && is_old(torch, "2.4") && cv_hypo_package(x, "torch") &&
	    cv_streq(cv_fact_str(cv_hypo_package(x, "torch"), CV_F_package_source), "conda-meta")) {
		h = cv_hyp_of(x, "mkl-mismatch");
		cv_hyp_fact(x, h, cv_hypo_package(x, "mkl"), CV_F_package_version);
		cv_hyp_at_least(h, GOOD);
	}
	if (conda && api && cv_ver_valid(CV_VER_DOTTED, conda) && cmp(conda, api) > 0) {
		h = cv_hyp_of(x, "ptx-newer-than-driver");
		cv_hyp_set(x, h, "build_cuda", conda);
		cv_hyp_fact(x, h, cv_hypo_package(x, "cudatoolkit"), CV_F_package_version);
		cv_hyp_at_least(h, GUESS);
	}
	nvcc = cv_fact_str(cv_facts_find(x->j.facts, CV_KIND_toolkit, "nvcc"), CV_F_toolkit_version);
	if (nvcc && build && cv_ver_valid(CV_VER_DOTTED, nvcc) && cv_ver_part(nvcc, 0) != cv_ver_part(build, 0)) {
		h = cv_hyp_of(x, "nvcc-torch-mismatch");
		cv_hyp_fact(x, h, cv_facts_find(x->j.facts, CV_KIND_toolkit, "nvcc"), CV_F_toolkit_version);
		cv_hyp_at_least(h, cv_hypo_command(x, "setup.py") || cv_hypo_command(x, "no-build-isolation") ? GOOD : 30);
	}
}

/* A libcuda in an image that is not of the host's driver; a container that never asked for a GPU; its /dev/shm. */
static void containers(struct cv_hypo_ctx *x)
{
	const char *driver = cv_fact_str(cv_facts_find(x->j.facts, CV_KIND_driver, ""), CV_F_driver_module_version);
	uint64_t shm = cv_fact_int(x->j.w->machine, CV_F_machine_shm_bytes, 0);
	bool inside = x->j.w->container || cv_fact_known(x->j.w->machine, CV_F_machine_image) || cv_hypo_command(x, "docker run");
	struct cv_hyp *h;

	for (size_t i = 0; driver && i < cv_facts_count(x->j.facts, CV_KIND_lib); i++) {
		const struct cv_subject *lib = cv_facts_at(x->j.facts, CV_KIND_lib, i);
		const char *family = cv_fact_str(lib, CV_F_lib_family), *v = cv_fact_str(lib, CV_F_lib_version);

		if (!inside || !family || !cv_streq(family, "cuda") || !v || cv_ver_part(v, 0) < 300 || cmp(v, driver) == 0)
			continue;
		h = cv_hyp_of(x, "compat-libcuda-misused");
		cv_hyp_set(x, h, "libcuda_found", cv_arena_printf(x->a, "libcuda.so.%s", v));
		cv_hyp_fact(x, h, lib, CV_F_lib_version);
		cv_hyp_at_least(h, GOOD);
	}
	if (cv_hypo_command(x, "docker run") && !cv_hypo_command(x, "--gpus") && !cv_hypo_command(x, "--runtime") && !cv_hypo_command(x, "--device") &&
	    (cv_hypo_answered(x, "torch.cuda.is_available", "False") || cv_hypo_on_cpu(x))) {
		h = cv_hyp_of(x, "container-without-gpu");
		cv_hyp_set(x, h, "ctr_reason", "it was started without --gpus all or --runtime=nvidia");
		cv_hyp_at_least(h, GOOD);
	}
	if (inside && shm && shm <= (uint64_t)64 << 20)
		cv_hyp_at_least(cv_hyp_of(x, "shm-too-small"), 40);
}

static void machine(struct cv_hypo_ctx *x)
{
	const char *jetson = cv_hypo_get(x, "jetson"), *torch = cv_hypo_version(x, "torch");

	if (cv_fact_tri(x->j.w->machine, CV_F_machine_secure_boot) == CV_TRI_OK && !cv_hypo_probe(x, "nvidia-smi") && !cv_hypo_get(x, "driver_cuda") &&
	    cv_hypo_command(x, "modprobe"))
		cv_hyp_at_least(cv_hyp_of(x, "secure-boot-blocks-driver"), GUESS);
	if (jetson && torch && !strstr(torch, "nv") && !cv_hypo_works(x))
		cv_hyp_at_least(cv_hyp_of(x, "jetson-wheel-mismatch"), GUESS);
	if (x->j.w->wsl && cv_hypo_answered(x, "torch.cuda.is_available", "False") && !cv_hypo_get(x, "driver_cuda") && cv_hypo_get(x, "build_cuda"))
		cv_hyp_at_least(cv_hyp_of(x, "wsl-libcuda-path"), 40);
}

CV_HYP_RULE(cv_hyp_facts)
{
	(void)h;
	if (cv_hypo_works(x))
		return;
	path_before_wheel(x);
	packages(x);
	containers(x);
	machine(x);
}
