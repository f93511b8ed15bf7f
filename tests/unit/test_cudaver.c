/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cuvet/err.h"
#include "parse/cudaver.h"
#include "parse/modulesdep.h"

static struct cv_arena *arena;

static int setup(void **state)
{
	(void)state;
	arena = cv_arena_new((size_t)1 << 20);
	return arena ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	cv_arena_free(arena);
	return 0;
}

static void test_cudaver_json(void **state)
{
	const char *version;
	unsigned line = 0;

	(void)state;
	assert_int_equal(
		cv_cudaver_json(
			CV_STR("{\n   \"cuda\" : {\n      \"name\" : \"CUDA SDK\",\n      \"version\" : \"12.4.1\"\n   },\n"
			       "   \"cuda_nvcc\" : {\n      \"version\" : \"12.4.131\"\n   }\n}\n"),
			arena, &version, &line),
		0);
	assert_string_equal(version, "12.4.1");
	assert_int_equal(line, 4);
	assert_int_equal(cv_cudaver_json(CV_STR("{\"cuda\":{\"version\":\"12.1.20230222\"}}"), arena, &version, &line), 0);
	assert_string_equal(version, "12.1");
	/* the version of another component is not the toolkit's */
	assert_int_equal(cv_cudaver_json(CV_STR("{\"cuda\":{\"name\":\"x\"},\"cuda_nvcc\":{\"version\":\"12.4.131\"}}"), arena,
					 &version, &line),
			 CV_EFORMAT);
	assert_int_equal(cv_cudaver_json(CV_STR("{\"a\":\"cuda\",\"cuda\""), arena, &version, &line), CV_EFORMAT);
	assert_int_equal(cv_cudaver_json(CV_STR(""), arena, &version, &line), CV_EFORMAT);
}

static void test_cudaver_txt(void **state)
{
	const char *version;

	(void)state;
	assert_int_equal(cv_cudaver_txt(CV_STR("CUDA Version 10.2.89\nCUDA Patch Version 10.2.1\n"), arena, &version), 0);
	assert_string_equal(version, "10.2.89");
	assert_int_equal(cv_cudaver_txt(CV_STR("CUDA Version ten\n"), arena, &version), CV_EFORMAT);
	assert_int_equal(cv_cudaver_txt(CV_STR("CUDA Version 10"), arena, &version), CV_EFORMAT);
}

static void test_cudaver_header(void **state)
{
	const char *version;
	unsigned line = 0;

	(void)state;
	assert_int_equal(cv_cudaver_header(CV_STR("/* x */\n#define CUDA_VERSIONS 1\n#define CUDA_VERSION 12080\n"), arena,
					   &version, &line),
			 0);
	assert_string_equal(version, "12.8");
	assert_int_equal(line, 3);
	assert_int_equal(cv_cudaver_header(CV_STR("#define CUDA_VERSION 11000\n"), arena, &version, &line), 0);
	assert_string_equal(version, "11.0");
	assert_int_equal(cv_cudaver_header(CV_STR("#define CUDA_VERSION __X__\n"), arena, &version, &line), CV_EFORMAT);
	assert_int_equal(cv_cudaver_header(CV_STR("#define CUDA_VERSION"), arena, &version, &line), CV_EFORMAT);
}

static void test_cudaver_name(void **state)
{
	const char *version;

	(void)state;
	assert_int_equal(cv_cudaver_name("cuda-12.4", "cuda-", arena, &version), 0);
	assert_string_equal(version, "12.4");
	assert_int_equal(cv_cudaver_name("libcudart.so.13.0.96", "libcudart.so.", arena, &version), 0);
	assert_string_equal(version, "13.0.96");
	assert_int_equal(cv_cudaver_name("cuda-12", "cuda-", arena, &version), CV_EFORMAT);
	assert_int_equal(cv_cudaver_name("cuda-12.4-old", "cuda-", arena, &version), CV_EFORMAT);
	assert_int_equal(cv_cudaver_name("cuda-12.4.", "cuda-", arena, &version), CV_EFORMAT);
	assert_int_equal(cv_cudaver_name("cuda", "cuda-", arena, &version), CV_EFORMAT);
}

static void test_modulesdep_lines(void **state)
{
	struct cv_str rest = CV_STR("kernel/a.ko.xz: kernel/b.ko.xz\nno colon\n:\nupdates/dkms/nvidia.ko:\n");
	struct cv_str path;

	(void)state;
	assert_true(cv_modulesdep_next(&rest, &path));
	assert_true(cv_str_is(path, "kernel/a.ko.xz"));
	assert_true(cv_modulesdep_next(&rest, &path));
	assert_true(cv_str_is(path, "updates/dkms/nvidia.ko"));
	assert_false(cv_modulesdep_next(&rest, &path));
}

static void test_modulesdep_names(void **state)
{
	static const char *const no[] = { "nvidia-uvm.ko",
					  "nvidiafb.ko.xz",
					  "nvidia-drm.ko.zst",
					  "nvidia",
					  "nvidia.ko.bz2",
					  "nvidia-wmi-ec-backlight.ko",
					  "nvidia-current-uvm.ko",
					  "nvidia-tesla-.ko",
					  ".ko" };
	enum cv_kmod_packing packing;

	(void)state;
	assert_true(cv_kmod_is_nvidia(CV_STR("nvidia.ko"), &packing));
	assert_int_equal(packing, CV_KMOD_PLAIN);
	assert_true(cv_kmod_is_nvidia(CV_STR("nvidia.ko.zst"), &packing));
	assert_int_equal(packing, CV_KMOD_ZST);
	assert_true(cv_kmod_is_nvidia(CV_STR("nvidia-current.ko.xz"), &packing));
	assert_int_equal(packing, CV_KMOD_XZ);
	assert_true(cv_kmod_is_nvidia(CV_STR("nvidia-tesla-470.ko"), &packing));
	assert_true(cv_kmod_is_nvidia(CV_STR("nvidia-legacy-390xx.ko.gz"), &packing));
	assert_int_equal(packing, CV_KMOD_GZ);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		assert_false(cv_kmod_is_nvidia(cv_str_of(no[i]), &packing));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_cudaver_json, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cudaver_txt, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cudaver_header, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cudaver_name, setup, teardown),
		cmocka_unit_test(test_modulesdep_lines),
		cmocka_unit_test(test_modulesdep_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
