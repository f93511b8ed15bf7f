/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "parse/libname.h"
#include "parse/modscan.h"

static void test_libname_families(void **state)
{
	static const struct {
		const char *name, *family, *version;
	} rows[] = {
		{ "libcuda.so", "cuda", "" },
		{ "libcuda.so.1", "cuda", "1" },
		{ "libcuda.so.535.104.05", "cuda", "535.104.05" },
		{ "libnvidia-ml.so.1", "nvidia-ml", "1" },
		{ "libcudnn.so.9", "cudnn", "9" },
		{ "libcudnn_ops_infer.so.8.9.7", "cudnn_ops_infer", "8.9.7" },
		{ "libcudnn_engines_precompiled.so.9", "cudnn_engines_precompiled", "9" },
		{ "libcublasLt.so.12", "cublasLt", "12" },
		{ "libnvJitLink.so.12.8.93", "nvJitLink", "12.8.93" },
	};
	struct cv_str family;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(cv_libname_family(cv_str_of(rows[i].name), &family));
		assert_true(cv_str_is(family, rows[i].family));
		assert_true(cv_str_is(cv_libname_version(cv_str_of(rows[i].name)), rows[i].version));
	}
}

static void test_libname_others(void **state)
{
	static const char *const names[] = {
		"libcudadebugger.so.1", "libcuda.so.1.bak", "libcuda.so.", "libcuda.so..1",	 "libcuda.so.1.",
		"libcudart_static.a",	"cuda.so",	    "libcuda.a",   "libnvrtc.alt.so.13", "libcudnn_.so",
		"libcublasLtX.so",	"lib.so",	    "libcuda.so1", "libcuda.son",	 ""
	};
	struct cv_str family;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (cv_libname_family(cv_str_of(names[i]), &family))
			fail_msg("%s is taken", names[i]);
	assert_int_equal(cv_libname_version(CV_STR("libcuda.so.1.bak")).n, 0);
	assert_int_equal(cv_libname_version(CV_STR("libcuda.a")).n, 0);
}

static const char stream[] =
	"\0srcversion=9.9\0version=%s\0version=570.86.15\0license=Dual MIT/GPL\0...~Module signature appended~\n";

static void test_modscan_in_pieces_of_any_size(void **state)
{
	(void)state;
	for (size_t step = 1; step < sizeof(stream); step++) {
		struct cv_modscan m = { 0 };

		for (size_t at = 0; at < sizeof(stream) - 1; at += step) {
			size_t n = sizeof(stream) - 1 - at;

			cv_modscan_feed(&m, stream + at, n < step ? n : step);
		}
		assert_string_equal(m.version, "570.86.15");
		assert_string_equal(m.license, "Dual MIT/GPL");
		assert_true(m.is_signed);
	}
}

static void test_modscan_nothing(void **state)
{
	struct cv_modscan m = { 0 };
	static const char text[] = "\0version=\0license=Unheard of\0version=1.2 and no end";

	(void)state;
	cv_modscan_feed(&m, text, sizeof(text) - 1);
	cv_modscan_feed(&m, text, 0);
	assert_string_equal(m.version, "");
	assert_string_equal(m.license, "");
	assert_false(m.is_signed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libname_families),
		cmocka_unit_test(test_libname_others),
		cmocka_unit_test(test_modscan_in_pieces_of_any_size),
		cmocka_unit_test(test_modscan_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
