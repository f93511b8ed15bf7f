/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about packages by themselves: doubled, damaged, hidden, too new for the glibc. */
#include "judge_box.h"

/* Both onnxruntime packages; cuda: what the files in place were built with, NULL where the CPU package came last. */
static void both(struct box *b, const char *cuda)
{
	box_new(b);
	b->driver = "550.54.15";
	box_gpu(b, "1eb8");
	box_torch(b, "2.6.0+cu124", "12.4");
	box_package(b, "onnxruntime-gpu", "1.26.0");
	box_package(b, "onnxruntime", "1.26.0");
	if (!cuda) {
		/* The provider of the GPU package stays on disk. */
		box_str(b, CV_KIND_framework, ENV "|onnxruntime", CV_F_framework_gpu_lib,
			SITE "/onnxruntime/capi/libonnxruntime_providers_cuda.so");
		box_framework(b, "onnxruntime", "onnxruntime", "1.26.0", NULL);
	} else {
		box_ort(b, "1.26.0", cuda);
		box_env_lib(b, "libcublasLt.so.12", "12.4.5");
	}
}

/* H21: the last one written wins (ultralytics#5093, onnxruntime#21769). */
static void test_judge_package_h21_cpu_last(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	both(&b, NULL);
	box_num(&b, CV_KIND_package, SITE "/onnxruntime-gpu-1.26.0.dist-info", CV_F_package_record_changed_n, 3);
	box_judge(&b);
	f = box_expect(&b, "cpu-package-shadows-gpu", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "found"), "onnxruntime");
	box_expect_text(box_fixes(&b, f), "pip uninstall -y onnxruntime onnxruntime-gpu && ");
	box_expect_text(box_fixes(&b, f), "\"onnxruntime-gpu==1.26.0\"");
	assert_int_equal(f->cells.n, 1);
	assert_string_equal(f->cells.v[0], "0|onnxruntime:cuda|0");
	/* One cause, one finding: neither "CPU-only" nor "damaged" besides. */
	assert_int_equal(b.r->findings.n, 1);
	box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_NATIVE, CV_VERDICT_OK);
	box_free(&b);
}

/* H21, the other order: it works, until either is removed. */
static void test_judge_package_h21_gpu_last(void **state)
{
	struct box b;

	(void)state;
	both(&b, "12.8");
	box_num(&b, CV_KIND_package, SITE "/onnxruntime-1.26.0.dist-info", CV_F_package_record_changed_n, 3);
	box_judge(&b);
	box_expect_text(box_expect(&b, "cpu-package-shadows-gpu", CV_WARNING, CV_PRIMARY)->why, "removing either");
	box_expect_cell(&b, "0|onnxruntime:cuda|0", CV_TRI_OK, CV_CODE_NATIVE, CV_VERDICT_OK);
	assert_int_equal(b.r->verdict, CV_VERDICT_OK);
	box_free(&b);

	box_new(&b);
	box_ort(&b, "1.31.1", "13.0");
	box_judge(&b);
	box_expect_ruled_out(&b, "cpu-package-shadows-gpu");
	box_free(&b);
}

/* H21 after removing one: the files that both wrote are gone; the import directory is a ruin. */
static void test_judge_package_h21_one_removed(void **state)
{
	struct box b;
	const struct cv_finding *f;
	const char *pkg;

	(void)state;
	box_new(&b);
	b.driver = "550.54.15";
	pkg = box_package(&b, "onnxruntime-gpu", "1.26.0");
	box_num(&b, CV_KIND_package, pkg, CV_F_package_record_missing_n, 200);
	box_list(&b, CV_KIND_package, pkg, CV_F_package_record_missing,
		 "onnxruntime/__init__.py|onnxruntime/capi/_pybind_state.py");
	box_judge(&b);
	f = box_expect(&b, "damaged-installation", CV_ERROR, CV_PRIMARY);
	box_expect_text(f->why, "Removing another onnxruntime package");
	box_expect_text(box_fixes(&b, f), "--force-reinstall --no-deps \"onnxruntime-gpu==1.26.0\"");
	assert_int_equal(box_cell(&b, "0|onnxruntime:cuda|0")->verdict, CV_VERDICT_PROBLEM);
	box_free(&b);
}

/* H21, the CPU package left in ruins by the removal of the GPU one: the framework is there and no import finds it. */
static void test_judge_package_h21_ruin(void **state)
{
	struct box b;
	const char *pkg;

	(void)state;
	box_new(&b);
	box_torch(&b, "2.11.0+cu130", "13.0");
	box_state(&b, CV_KIND_framework, ENV "|onnxruntime", CV_F_framework_path, CV_ABSENT);
	box_str(&b, CV_KIND_framework, ENV "|onnxruntime", CV_F_framework_env, ENV);
	pkg = box_package(&b, "onnxruntime", "1.26.0");
	box_num(&b, CV_KIND_package, pkg, CV_F_package_record_missing_n, 7);
	box_judge(&b);
	box_expect_text(box_fixes(&b, box_expect(&b, "damaged-installation", CV_ERROR, CV_PRIMARY)),
			"\"onnxruntime-gpu==1.31.1\"");
	assert_null(box_cell(&b, "0|onnxruntime:cuda|0")->show_cuda);
	box_free(&b);
}

static void test_judge_package_damaged(void **state)
{
	struct box b;
	const struct cv_finding *f;
	const char *pkg;

	(void)state;
	box_new(&b);
	pkg = box_torch(&b, "2.11.0+cu130", "13.0");
	box_num(&b, CV_KIND_package, pkg, CV_F_package_record_changed_n, 1);
	box_list(&b, CV_KIND_package, pkg, CV_F_package_record_changed, "torch/lib/libtorch_cuda.so");
	box_judge(&b);
	f = box_expect(&b, "damaged-installation", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "changed"), "torch/lib/libtorch_cuda.so");
	box_expect_text(f->title, "1 of its files has another size");
	box_expect_text(box_fixes(&b, f), "/cu130");
	assert_int_equal(box_cell(&b, "0|torch|0")->loads, CV_TRI_BAD);
	assert_int_equal(b.r->findings.n, 1);
	box_free(&b);

	/* Byte code that is not there is no damage. */
	box_new(&b);
	pkg = box_torch(&b, "2.11.0+cu130", "13.0");
	box_num(&b, CV_KIND_package, pkg, CV_F_package_record_missing_n, 2);
	box_list(&b, CV_KIND_package, pkg, CV_F_package_record_missing,
		 "torch/__pycache__/a.cpython-312.pyc|torch/__pycache__/b.cpython-312.pyc");
	box_judge(&b);
	box_expect_ruled_out(&b, "damaged-installation");
	box_free(&b);
}

static void test_judge_package_damaged_states(void **state)
{
	struct box b;
	const char *pkg;

	(void)state;
	box_new(&b);
	box_state(&b, CV_KIND_package, SITE "/torch-2.11.0+cu130.dist-info", CV_F_package_record_missing_n, CV_DENIED);
	box_torch(&b, "2.11.0+cu130", "13.0");
	box_judge(&b);
	box_expect_open(&b, "damaged-installation");
	box_free(&b);

	box_new(&b);
	pkg = SITE "/nvidia_cudnn_cu12.dist-info";
	box_state(&b, CV_KIND_package, pkg, CV_F_package_version, CV_UNPARSED);
	box_str(&b, CV_KIND_package, pkg, CV_F_package_env, ENV);
	box_str(&b, CV_KIND_package, pkg, CV_F_package_name, "nvidia-cudnn-cu12");
	box_judge(&b);
	box_expect_text(box_expect(&b, "damaged-installation", CV_ERROR, CV_PRIMARY)->title, "metadata cannot be read");
	box_free(&b);
}

/* A library wheel that torch requires hits torch's cells; one of a longer name does not count as it. */
static void test_judge_package_damaged_library(void **state)
{
	struct box b;
	const char *pkg;

	(void)state;
	box_new(&b);
	pkg = box_torch(&b, "2.11.0+cu130", "13.0");
	box_list(&b, CV_KIND_package, pkg, CV_F_package_requires, "nvidia-cudnn-cu13==9.19.0.56; platform_system == \"Linux\"");
	box_num(&b, CV_KIND_package, box_package(&b, "nvidia-cudnn-cu13", "9.19.0.56"), CV_F_package_record_missing_n, 4);
	box_judge(&b);
	assert_int_equal(box_find(&b, "damaged-installation")->cells.n, 1);
	box_free(&b);

	box_new(&b);
	pkg = box_torch(&b, "2.11.0+cu130", "13.0");
	box_list(&b, CV_KIND_package, pkg, CV_F_package_requires, "nvidia-cudnn-cu13==9.19.0.56");
	box_num(&b, CV_KIND_package, box_package(&b, "nvidia-cudnn", "9.19.0.56"), CV_F_package_record_missing_n, 4);
	box_judge(&b);
	assert_int_equal(box_find(&b, "damaged-installation")->cells.n, 0);
	box_free(&b);
}

static void hidden(struct box *b, const char *seen_path, const char *seen_version)
{
	box_new(b);
	box_num(b, CV_KIND_package, SITE "/torch-2.11.0+cu130.dist-info", CV_F_package_shadowed, 1);
	box_package(b, "torch", "2.11.0+cu130");
	box_str(b, CV_KIND_package, seen_path, CV_F_package_env, ENV);
	box_str(b, CV_KIND_package, seen_path, CV_F_package_name, "torch");
	box_str(b, CV_KIND_package, seen_path, CV_F_package_version, seen_version);
	box_str(b, CV_KIND_package, seen_path, CV_F_package_source, "dist-info");
	box_framework(b, "torch", "torch", seen_version, "12.1");
}

static void test_judge_package_shadowed(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	hidden(&b, "/home/ada/.local/lib/python3.12/site-packages/torch-2.1.0.dist-info", "2.1.0+cu121");
	box_judge(&b);
	f = box_expect(&b, "shadowed-install", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "found"), "2.1.0+cu121");
	assert_string_equal(box_param(f, "hidden"), "2.11.0+cu130");
	box_expect_text(f->title, ".local");
	box_expect_text(box_fixes(&b, f), "PYTHONNOUSERSITE=1");
	box_free(&b);

	hidden(&b, SITE "/torch-2.1.0.dist-info", "2.1.0+cu121");
	box_judge(&b);
	box_expect(&b, "shadowed-install", CV_WARNING, CV_PRIMARY);
	box_free(&b);

	box_new(&b);
	box_torch(&b, "2.11.0+cu130", "13.0");
	box_judge(&b);
	box_expect_ruled_out(&b, "shadowed-install");
	box_free(&b);

	box_new(&b);
	box_state(&b, CV_KIND_package, SITE "/torch-2.11.0+cu130.dist-info", CV_F_package_shadowed, CV_NOT_ASKED);
	box_torch(&b, "2.11.0+cu130", "13.0");
	box_judge(&b);
	box_expect_open(&b, "shadowed-install");
	box_free(&b);
}

static void test_judge_package_glibc(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	b.glibc = "2.27";
	b.python = "3.10.4";
	b.driver = "535.183.01";
	box_torch(&b, "2.7.0+cu126", "12.6");
	box_judge(&b);
	f = box_expect(&b, "glibc-too-old", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "needed"), "2.28");
	assert_string_equal(box_param(f, "found"), "2.27");
	/* What is advised in its place asks for less. */
	box_expect_text(box_fixes(&b, f), "\"torch==2.");
	assert_null(strstr(box_fixes(&b, f), "torch==2.7"));
	box_free(&b);

	box_new(&b);
	box_torch(&b, "2.11.0+cu130", "13.0");
	box_judge(&b);
	box_expect_ruled_out(&b, "glibc-too-old");
	box_free(&b);

	box_new(&b);
	box_state(&b, CV_KIND_machine, "", CV_F_machine_glibc, CV_DENIED);
	box_torch(&b, "2.11.0+cu130", "13.0");
	box_judge(&b);
	box_expect_open(&b, "glibc-too-old");
	box_free(&b);
}

/* A tag that promises less than kb says the wheel needs: the larger counts. */
static void test_judge_package_glibc_by_kb(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	b.glibc = "2.26";
	b.driver = "535.183.01";
	box_list(&b, CV_KIND_package, SITE "/torch-2.8.0+cu126.dist-info", CV_F_package_tags, "cp312-cp312-manylinux1_x86_64");
	box_torch(&b, "2.8.0+cu126", "12.6");
	box_judge(&b);
	assert_string_equal(box_param(box_expect(&b, "glibc-too-old", CV_ERROR, CV_PRIMARY), "needed"), "2.28");
	box_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judge_package_h21_ruin),	      cmocka_unit_test(test_judge_package_h21_cpu_last),
		cmocka_unit_test(test_judge_package_h21_gpu_last),    cmocka_unit_test(test_judge_package_h21_one_removed),
		cmocka_unit_test(test_judge_package_damaged),	      cmocka_unit_test(test_judge_package_damaged_states),
		cmocka_unit_test(test_judge_package_damaged_library), cmocka_unit_test(test_judge_package_shadowed),
		cmocka_unit_test(test_judge_package_glibc),	      cmocka_unit_test(test_judge_package_glibc_by_kb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
