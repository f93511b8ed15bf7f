/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about packages that must fit each other, and about the libraries that a build needs. */
#include "judge_box.h"

static void test_judge_fit_torchvision(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	box_torch(&b, "2.9.0+cu128", "12.8");
	box_list(&b, CV_KIND_package, box_package(&b, "torchvision", "0.20.1+cu124"), CV_F_package_requires, "torch==2.5.1");
	box_judge(&b);
	f = box_expect(&b, "companion-version-mismatch", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "found"), "0.20.1+cu124");
	assert_string_equal(f->subject_name, "torchvision");
	box_expect_text(box_fixes(&b, f), "\"torchvision==0.24.0+cu128\" --index-url ");
	/* Not once more as an unmet requirement. */
	assert_int_equal(b.r->findings.n, 1);
	box_free(&b);

	box_new(&b);
	box_torch(&b, "2.9.0+cu128", "12.8");
	box_list(&b, CV_KIND_package, box_package(&b, "torchvision", "0.24.0+cu128"), CV_F_package_requires, "torch==2.9.0");
	box_judge(&b);
	box_expect_ruled_out(&b, "companion-version-mismatch");
	box_free(&b);

	box_new(&b);
	box_torch(&b, "2.9.0+cu128", "12.8");
	box_state(&b, CV_KIND_package, SITE "/torchvision-x.dist-info", CV_F_package_version, CV_DENIED);
	box_package(&b, "torchvision", "x");
	box_judge(&b);
	box_expect_open(&b, "companion-version-mismatch");
	box_free(&b);
}

/* No requirement in the metadata: kb's pairs decide. From torchvision 0.29.1 the pin is a lower bound: its own word counts. */
static void test_judge_fit_by_kb(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	box_torch(&b, "2.9.0+cu128", "12.8");
	box_package(&b, "torchvision", "0.20.1+cu124");
	box_judge(&b);
	assert_string_equal(box_param(box_expect(&b, "companion-version-mismatch", CV_ERROR, CV_PRIMARY), "needed"), "0.24.0");
	box_free(&b);

	box_new(&b);
	box_torch(&b, "2.14.0+cu130", "13.0");
	box_list(&b, CV_KIND_package, box_package(&b, "torchvision", "0.29.1+cu130"), CV_F_package_requires, "torch>=2.14.0");
	box_judge(&b);
	box_expect_ruled_out(&b, "companion-version-mismatch");
	box_free(&b);
}

/* Same release, another CUDA: kernels for the CPU only, or for another major. */
static void test_judge_fit_cuda_of_companions(void **state)
{
	static const struct {
		const char *torch, *cuda, *vision;
		bool fits;
	} rows[] = {
		{ "2.9.0+cu128", "12.8", "0.24.0+cpu", false },
		{ "2.9.0+cu130", "13.0", "0.24.0+cu126", false },
		{ "2.9.0+cu130", "13.0", "0.24.0", false }, /* the index's default is 12.8 */
		{ "2.9.0+cu126", "12.6", "0.24.0", true },
		{ "2.9.0+cu126", "12.6", "0.24.0+cu128", true },
		{ "2.9.0", "12.8", "0.24.0", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct box b;

		box_new(&b);
		box_torch(&b, rows[i].torch, rows[i].cuda);
		box_list(&b, CV_KIND_package, box_package(&b, "torchvision", rows[i].vision), CV_F_package_requires,
			 "torch==2.9.0");
		box_judge(&b);
		if (rows[i].fits)
			box_expect_ruled_out(&b, "companion-version-mismatch");
		else
			box_expect(&b, "companion-version-mismatch", CV_ERROR, CV_PRIMARY);
		box_free(&b);
	}
}

static void jax(struct box *b, const char *jaxlib, const char *plugin)
{
	box_new(b);
	box_framework(b, "jax", "jax", "0.7.0", "12");
	box_list(b, CV_KIND_package, box_package(b, "jax", "0.7.0"), CV_F_package_requires, "jaxlib<=0.7.0,>=0.7.0");
	box_package(b, "jaxlib", jaxlib);
	box_package(b, "jax-cuda12-plugin", plugin);
}

static void test_judge_fit_jax(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	jax(&b, "0.7.0", "0.6.0");
	box_judge(&b);
	f = box_expect(&b, "companion-version-mismatch", CV_ERROR, CV_PRIMARY);
	assert_string_equal(f->subject_name, "jax-cuda12-plugin");
	box_expect_text(box_fixes(&b, f), "jax-cuda12-plugin==0.7.0");
	assert_int_equal(b.r->findings.n, 1);
	box_free(&b);

	jax(&b, "0.5.0", "0.7.0");
	box_judge(&b);
	f = box_expect(&b, "companion-version-mismatch", CV_ERROR, CV_PRIMARY);
	assert_string_equal(f->subject_name, "jaxlib");
	assert_int_equal(b.r->findings.n, 1);
	box_free(&b);

	jax(&b, "0.7.0", "0.7.0");
	box_judge(&b);
	box_expect_ruled_out(&b, "companion-version-mismatch");
	box_free(&b);
}

static void test_judge_fit_requirements(void **state)
{
	struct box b;
	const struct cv_finding *f;
	const char *pkg;

	(void)state;
	box_new(&b);
	pkg = box_torch(&b, "2.9.0+cu128", "12.8");
	box_list(&b, CV_KIND_package, pkg, CV_F_package_requires,
		 "nvidia-cudnn-cu12==9.10.2.21; platform_system == \"Linux\"|nvidia-nccl-cu12 "
		 "(==2.27.5)|triton==3.5.0|nvidia-nvtx-cu12 @ file:///x");
	box_package(&b, "nvidia-cudnn-cu12", "9.12.0.46");
	box_judge(&b);
	f = box_expect(&b, "package-requirement-unmet", CV_WARNING, CV_PRIMARY);
	assert_string_equal(box_param(f, "needed"), "nvidia-cudnn-cu12==9.10.2.21");
	assert_string_equal(box_param(f, "found"), "nvidia-cudnn-cu12 9.12.0.46");
	box_expect_text(f->title, "no nvidia-nccl-cu12");
	box_expect_text(box_fixes(&b, f), "pip install \"nvidia-cudnn-cu12==9.10.2.21\" \"nvidia-nccl-cu12==2.27.5\"");
	assert_int_equal(b.r->verdict, CV_VERDICT_OK);
	box_free(&b);
}

/* onnxruntime is there as onnxruntime-gpu; a package without known requirements says nothing. */
static void test_judge_fit_requirements_met(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	box_ort(&b, "1.31.1", "13.0");
	box_list(&b, CV_KIND_package, box_package(&b, "rapidocr", "1.0"), CV_F_package_requires,
		 "onnxruntime>=1.7.0|onnxruntime-gpu[cuda]~=1.20");
	box_judge(&b);
	box_expect_ruled_out(&b, "package-requirement-unmet");
	box_free(&b);

	box_new(&b);
	box_state(&b, CV_KIND_package, SITE "/torch-2.9.0.dist-info", CV_F_package_requires, CV_DENIED);
	box_package(&b, "torch", "2.9.0");
	box_judge(&b);
	box_expect_open(&b, "package-requirement-unmet");
	box_free(&b);
}

static void test_judge_fit_mixed_wheels(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	/* cuDNN of cu12 and of cu13 are the same files. */
	box_new(&b);
	box_package(&b, "nvidia-cudnn-cu12", "9.10.2.21");
	box_package(&b, "nvidia-cudnn-cu13", "9.19.0.56");
	box_judge(&b);
	f = box_expect(&b, "mixed-cuda-wheels", CV_WARNING, CV_PRIMARY);
	box_expect_text(f->title, "nvidia-cudnn-cu12 and nvidia-cudnn-cu13 write the same files");
	box_free(&b);

	/* cuBLAS 12 and 13 are not: they may lie side by side. */
	box_new(&b);
	box_package(&b, "nvidia-cublas-cu12", "12.8.4.1");
	box_package(&b, "nvidia-cublas", "13.1.0.3");
	box_judge(&b);
	box_expect(&b, "mixed-cuda-wheels", CV_NOTE, CV_PRIMARY);
	box_free(&b);

	box_new(&b);
	box_package(&b, "nvidia-cublas-cu12", "12.8.4.1");
	box_package(&b, "nvidia-cudnn-cu12", "9.10.2.21");
	box_judge(&b);
	box_expect_ruled_out(&b, "mixed-cuda-wheels");
	box_free(&b);

	box_new(&b);
	box_judge(&b);
	box_expect_open(&b, "mixed-cuda-wheels");
	box_free(&b);
}

/* H24: the CUDA provider is there and no cuDNN. From 1.28 on it is opened late and stands in no DT_NEEDED. */
static void test_judge_fit_h24_no_cudnn(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	box_ort(&b, "1.31.1", "13.0");
	box_env_lib(&b, "libcudart.so.13", "13.0.96");
	box_env_lib(&b, "libcublas.so.13", "13.1.0");
	box_env_lib(&b, "libcublasLt.so.13", "13.1.0");
	box_judge(&b);
	f = box_expect(&b, "library-missing", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "soname"), "libcudnn.so.9");
	box_expect_text(box_fixes(&b, f), "\"onnxruntime-gpu[cuda,cudnn]==1.31.1\"");
	assert_int_equal(box_cell(&b, "0|onnxruntime:cuda|0")->loads, CV_TRI_BAD);
	assert_int_equal(b.r->findings.n, 1);
	box_free(&b);

	box_new(&b);
	box_ort(&b, "1.31.1", "13.0");
	box_env_lib(&b, "libcudart.so.13", "13.0.96");
	box_env_lib(&b, "libcublas.so.13", "13.1.0");
	box_env_lib(&b, "libcublasLt.so.13", "13.1.0");
	box_package(&b, "nvidia-cudnn-cu13", "9.19.0.56");
	box_env_lib(&b, "libcudnn.so.9", "9.19.0"); /* the wheel's record alone would not do: files were looked at */
	box_judge(&b);
	box_expect_ruled_out(&b, "library-missing");
	assert_int_equal(b.r->verdict, CV_VERDICT_OK);
	box_free(&b);

	box_new(&b);
	box_state(&b, CV_KIND_ldso, "", CV_F_ldso_cache_entries, CV_DENIED);
	box_ort(&b, "1.31.1", "13.0");
	box_judge(&b);
	box_expect_open(&b, "library-missing");
	assert_int_equal(b.r->verdict, CV_VERDICT_CANNOT_TELL);
	box_free(&b);
}

static void test_judge_fit_cuda_major(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	box_ort(&b, "1.26.0", "12.8");
	box_env_lib(&b, "libcudart.so.13", "13.0.96");
	box_env_lib(&b, "libcublas.so.13", "13.1.0");
	box_env_lib(&b, "libcublasLt.so.13", "13.1.0");
	box_env_lib(&b, "libcudnn.so.9", "9.19.0");
	box_judge(&b);
	f = box_expect(&b, "cuda-major-mismatch", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "needed"), "12");
	assert_string_equal(box_param(f, "found"), "13");
	assert_string_equal(box_param(f, "soname"), "libcudart.so.12");
	box_expect_ruled_out(&b, "cudnn-major-mismatch");
	box_expect_ruled_out(&b, "library-missing");
	box_free(&b);

	box_new(&b);
	box_ort(&b, "1.18.1", "11.8");
	box_env_lib(&b, "libcudart.so.11", "11.8.89");
	box_env_lib(&b, "libcublas.so.11", "11.11.3");
	box_env_lib(&b, "libcublasLt.so.11", "11.11.3");
	box_env_lib(&b, "libcudnn.so.9", "9.1.0");
	box_judge(&b);
	f = box_expect(&b, "cudnn-major-mismatch", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "needed"), "8");
	assert_string_equal(box_param(f, "found"), "9");
	box_expect_ruled_out(&b, "cuda-major-mismatch");
	box_free(&b);
}

static void test_judge_fit_libraries_not_known(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	box_state(&b, CV_KIND_framework, ENV "|onnxruntime", CV_F_framework_gpu_needed, CV_UNPARSED);
	box_ort(&b, "1.31.1", "13.0");
	box_judge(&b);
	box_expect_open(&b, "cuda-major-mismatch");
	box_expect_open(&b, "cudnn-major-mismatch");
	box_expect_open(&b, "library-missing");
	box_free(&b);
}

static void test_judge_fit_loader_path(void **state)
{
	static const struct {
		const char *path, *param, *value;
		enum cv_severity severity;
	} rows[] = {
		{ "/usr/local/cuda/lib64/stubs", "stub", "/usr/local/cuda/lib64/stubs", CV_WARNING },
		{ "/opt/lib:lib64", "relative", "lib64", CV_WARNING },
		{ "/usr/local/nvidia/lib64:/gone", "dead", "/gone", CV_NOTE },
	};
	struct box b;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		box_new(&b);
		box_var(&b, "LD_LIBRARY_PATH", rows[i].path);
		box_list(&b, CV_KIND_ldso, "", CV_F_ldso_path_dead, "/gone|/usr/local/nvidia/lib64");
		box_judge(&b);
		assert_string_equal(box_param(box_expect(&b, "loader-path-entry", rows[i].severity, CV_PRIMARY), rows[i].param),
				    rows[i].value);
		box_free(&b);
	}
	/* What NVIDIA's images set is harmless; H17: nothing is set and nothing is wrong. */
	box_new(&b);
	box_var(&b, "LD_LIBRARY_PATH", "/usr/local/nvidia/lib:/usr/local/nvidia/lib64");
	box_list(&b, CV_KIND_ldso, "", CV_F_ldso_path_dead, "/usr/local/nvidia/lib|/usr/local/nvidia/lib64");
	box_judge(&b);
	box_expect_ruled_out(&b, "loader-path-entry");
	box_free(&b);
	box_new(&b);
	box_torch(&b, "2.11.0+cu130", "13.0");
	box_judge(&b);
	box_expect_ruled_out(&b, "loader-path-entry");
	assert_int_equal(b.r->findings.n, 0);
	box_free(&b);
	box_new(&b);
	box_state(&b, CV_KIND_var, "LD_LIBRARY_PATH", CV_F_var_value, CV_NOT_ASKED);
	box_judge(&b);
	box_expect_open(&b, "loader-path-entry");
	box_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judge_fit_torchvision),	     cmocka_unit_test(test_judge_fit_by_kb),
		cmocka_unit_test(test_judge_fit_cuda_of_companions), cmocka_unit_test(test_judge_fit_jax),
		cmocka_unit_test(test_judge_fit_requirements),	     cmocka_unit_test(test_judge_fit_requirements_met),
		cmocka_unit_test(test_judge_fit_mixed_wheels),	     cmocka_unit_test(test_judge_fit_h24_no_cudnn),
		cmocka_unit_test(test_judge_fit_cuda_major),	     cmocka_unit_test(test_judge_fit_libraries_not_known),
		cmocka_unit_test(test_judge_fit_loader_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
