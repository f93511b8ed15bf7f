/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows with kb from what was told: "torch 2.9.1 of the package index, on Linux" is a CUDA 12.8 build. Such facts carry the
 * row's source as their provenance, and come behind what the text itself says.
 */
#include "explain/room.h"

#include "base/version.h"

static struct cv_prov by_row(struct cv_arena *a, const struct cv_kb_row *row)
{
	return (struct cv_prov){ .collector = "kb", .path = cv_arena_printf(a, "%s.%s: %s (%s)", row->subject, row->property, row->source, row->date), .offset = -1 };
}

static struct cv_subject *framework_of(struct cv_facts *f, struct cv_arena *a, const char *name)
{
	struct cv_subject *s = cv_facts_add(f, CV_KIND_framework, cv_arena_printf(a, "%s|%s", CV_REPORT_ENV, name));
	struct cv_prov prov = { .collector = "text", .offset = -1 };

	if (!cv_fact_known(s, CV_F_framework_name)) {
		cv_facts_str(f, s, CV_F_framework_env, CV_REPORT_ENV, prov);
		cv_facts_str(f, s, CV_F_framework_name, name, prov);
	}
	return s;
}

static const struct cv_subject *package(const struct cv_facts *f, struct cv_arena *a, const char *name)
{
	return cv_facts_find(f, CV_KIND_package, cv_arena_printf(a, "%s|%s", CV_REPORT_ENV, name));
}

static bool has_cuda_local(const char *version)
{
	const char *plus = strchr(version, '+');

	return plus && (cv_starts(plus, "+cu") || cv_starts(plus, "+cpu") || cv_starts(plus, "+rocm"));
}

/* conda: "py3.10_cuda11.8_cudnn8.7.0_0", "cuda126_mkl_py312_...", "cpu_mkl_...". */
static void by_conda_build(struct cv_facts *f, struct cv_arena *a, struct cv_subject *fw, const char *build, struct cv_prov prov)
{
	const char *cuda = strstr(build, "cuda");
	struct cv_str v;

	if (!cuda) {
		if (strstr(build, "cpu"))
			cv_facts_state(f, fw, CV_F_framework_cuda, CV_ABSENT, NULL, prov);
		return;
	}
	if (!cv_txt_version(cv_str_of(cuda + 4), &v))
		return;
	while (v.n && !(v.p[v.n - 1] >= '0' && v.p[v.n - 1] <= '9'))
		v.n--;
	for (size_t i = 0; i < v.n; i++)
		if (v.p[i] == '_')
			v.n = i;
	if (cv_str_chr(v, '.') > 0)
		cv_facts_str(f, fw, CV_F_framework_cuda, cv_str_dup(a, v), prov);
	else if (v.n >= 2)
		cv_facts_str(f, fw, CV_F_framework_cuda, cv_arena_printf(a, "%.*s.%c", (int)v.n - 1, v.p, v.p[v.n - 1]), prov);
}

/* The wheels of the package index for Windows and, for long, for Arm servers are CPU builds; those for Linux on x86 are not. */
static void imply_torch(struct cv_facts *f, const struct cv_kb *kb, struct cv_arena *a)
{
	const struct cv_subject *m = cv_facts_find(f, CV_KIND_machine, ""), *p = package(f, a, "torch");
	const char *version = cv_fact_str(p, CV_F_package_version), *os = cv_fact_str(m, CV_F_machine_os_id);
	const char *arch = cv_fact_str(m, CV_F_machine_arch), *source = cv_fact_str(p, CV_F_package_source);
	struct cv_kb_row row;
	struct cv_subject *fw;

	if (!version || cv_fact(framework_of(f, a, "torch"), CV_F_framework_cuda)->state != CV_NOT_ASKED)
		return;
	fw = framework_of(f, a, "torch");
	if (source && cv_streq(source, "conda-meta")) {
		by_conda_build(f, a, fw, cv_fact_str(p, CV_F_package_build), cv_fact(p, CV_F_package_build)->prov);
		return;
	}
	if (has_cuda_local(version) || !source || !cv_streq(source, "dist-info") || cv_fact_known(m, CV_F_machine_jetson) || strstr(version, "dev") ||
	    strchr(version, 'a'))
		return;
	if (!cv_kb_get(kb, "torch", cv_ver_public(a, version), "default_cuda", &row))
		return;
	if ((os && cv_streq(os, "windows")) || (arch && cv_streq(arch, "aarch64")))
		cv_facts_state(f, fw, CV_F_framework_cuda, CV_ABSENT, NULL, by_row(a, &row));
	else if ((os || arch) && !cv_streq(row.value, "cpu"))
		cv_facts_str(f, fw, CV_F_framework_cuda, row.value, by_row(a, &row));
}

/* onnxruntime-gpu of the index: CUDA and cuDNN majors. */
static void imply_ort(struct cv_facts *f, const struct cv_kb *kb, struct cv_arena *a)
{
	const struct cv_subject *p = package(f, a, "onnxruntime-gpu");
	const char *version = cv_fact_str(p, CV_F_package_version), *source = cv_fact_str(p, CV_F_package_source);
	struct cv_subject *fw;
	struct cv_kb_row row;

	if (!version || !cv_ver_valid(CV_VER_PEP440, version))
		return;
	fw = framework_of(f, a, "onnxruntime");
	if (source && strstr(source, "cuda12"))
		cv_facts_str(f, fw, CV_F_framework_cuda, "12", cv_fact(p, CV_F_package_source)->prov);
	else if (source && strstr(source, "cuda13"))
		cv_facts_str(f, fw, CV_F_framework_cuda, "13", cv_fact(p, CV_F_package_source)->prov);
	else if (cv_kb_get(kb, "onnxruntime-gpu", cv_ver_public(a, version), "cuda", &row))
		cv_facts_str(f, fw, CV_F_framework_cuda, row.value, by_row(a, &row));
	if (cv_kb_get(kb, "onnxruntime-gpu", cv_ver_public(a, version), "cudnn", &row))
		cv_facts_str(f, fw, CV_F_framework_cudnn, row.value, by_row(a, &row));
}

static bool has_libcuda(const struct cv_facts *f)
{
	for (size_t i = 0; i < cv_facts_count(f, CV_KIND_lib); i++) {
		const char *family = cv_fact_str(cv_facts_at(f, CV_KIND_lib, i), CV_F_lib_family);

		if (family && cv_streq(family, "cuda"))
			return true;
	}
	return false;
}

/* A driver that is named by its version has its libcuda, unless the text lists what there is. */
static void imply_libcuda(struct cv_facts *f)
{
	const struct cv_subject *d = cv_facts_find(f, CV_KIND_driver, "");
	struct cv_prov prov = cv_fact(d, CV_F_driver_module_version)->prov;
	struct cv_subject *s;

	if (!cv_fact_known(d, CV_F_driver_module_version) || has_libcuda(f))
		return;
	s = cv_facts_add(f, CV_KIND_lib, "libcuda.so.1");
	cv_facts_str(f, s, CV_F_lib_family, "cuda", prov);
	cv_facts_str(f, s, CV_F_lib_soname, "libcuda.so.1", prov);
	cv_facts_str(f, s, CV_F_lib_version, cv_fact_str(d, CV_F_driver_module_version), prov);
	cv_facts_str(f, s, CV_F_lib_version_how, "the driver's", prov);
	cv_facts_str(f, s, CV_F_lib_origin, cv_fact_known(cv_facts_find(f, CV_KIND_machine, ""), CV_F_machine_wsl) ? "wsl" : "host", prov);
}

void cv_imply(struct cv_facts *f, const struct cv_kb *kb, struct cv_arena *a)
{
	imply_libcuda(f);
	imply_torch(f, kb, a);
	imply_ort(f, kb, a);
}
