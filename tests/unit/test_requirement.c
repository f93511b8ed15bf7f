/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "parse/requirement.h"

static const struct cv_marker_env linux311 = {
	.python_version = "3.11", .python_full_version = "3.11.2", .os_name = "posix", .sys_platform = "linux",
	.platform_system = "Linux", .platform_machine = "x86_64", .platform_release = "5.15.0-91-generic",
	.platform_python_implementation = "CPython", .implementation_name = "cpython", .extra = "",
};

static int parse(const char *text, struct cv_arena *a, struct cv_req *r)
{
	return cv_req_parse(cv_str_of(text), a, r);
}

static void test_requirement_forms(void **state)
{
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_req r;

	(void)state;
	assert_int_equal(parse("nvidia-cudnn-cu12==9.10.2.21; platform_system == \"Linux\"", a, &r), 0);
	assert_true(cv_str_is(r.name, "nvidia-cudnn-cu12"));
	assert_true(cv_str_is(r.spec, "==9.10.2.21"));
	assert_true(cv_str_is(r.marker, "platform_system == \"Linux\""));
	assert_int_equal(parse("jax[cuda12, k8s] (>=0.4,!=0.5.*)", a, &r), 0);
	assert_int_equal(r.extras.n, 2);
	assert_true(cv_str_is(r.extras.v[1], "k8s"));
	assert_true(cv_str_is(r.spec, ">=0.4,!=0.5.*"));
	assert_int_equal(parse("torch @ https://host/torch-2.9.0%2Bcu128.whl ; extra == 'gpu'", a, &r), 0);
	assert_true(cv_str_is(r.url, "https://host/torch-2.9.0%2Bcu128.whl"));
	assert_true(cv_str_is(r.marker, "extra == 'gpu'"));
	assert_int_equal(parse("numpy", a, &r), 0);
	assert_int_equal(r.spec.n + r.url.n + r.marker.n, 0);
	cv_arena_free(a);
}

static void test_requirement_refuses(void **state)
{
	static const char *const bad[] = { "", "-x", "a b", "a[", "a[x", "a[,]", "a >", "a (>=1", "a @", "a ;",
		"a >=1 b", "a =1=" };
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_req r;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse(bad[i], a, &r), CV_EFORMAT);
	assert_int_equal(cv_req_parse((struct cv_str){ "a\0b", 3 }, a, &r), CV_EFORMAT);
	cv_arena_free(a);
}

static void test_marker_values(void **state)
{
	static const struct {
		const char *marker;
		enum cv_marker want;
	} rows[] = {
		{ "", CV_MARKER_TRUE },
		{ "python_version < '3.13'", CV_MARKER_TRUE },
		{ "python_version >= \"3.9\" and python_version < \"3.11\"", CV_MARKER_FALSE },
		{ "'3.9' <= python_version", CV_MARKER_TRUE },
		{ "python_version == '3.*'", CV_MARKER_TRUE },
		{ "python_full_version ~= '3.11.1'", CV_MARKER_TRUE },
		{ "sys_platform == 'win32' or platform_machine == 'x86_64'", CV_MARKER_TRUE },
		{ "sys_platform != 'linux'", CV_MARKER_FALSE },
		{ "platform_machine in 'x86_64 amd64'", CV_MARKER_TRUE },
		{ "platform_machine not in 'x86_64 amd64'", CV_MARKER_FALSE },
		{ "sys.platform == 'linux' and os.name == 'posix'", CV_MARKER_TRUE },
		{ "extra == 'cuda'", CV_MARKER_FALSE },
		{ "(extra == 'a' or extra != 'b') and (python_version > '3')", CV_MARKER_TRUE },
		/* not known, not a version, no such variable */
		{ "platform_version == 'x'", CV_MARKER_UNKNOWN },
		{ "platform_version == 'x' and sys_platform == 'win32'", CV_MARKER_FALSE },
		{ "platform_version == 'x' or sys_platform == 'linux'", CV_MARKER_TRUE },
		{ "platform_version == 'x' or sys_platform == 'win32'", CV_MARKER_UNKNOWN },
		{ "platform_release >= '5.4'", CV_MARKER_UNKNOWN },
		{ "moon_phase == 'full'", CV_MARKER_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum cv_marker got;

		assert_int_equal(cv_marker_eval(cv_str_of(rows[i].marker), &linux311, &got), 0);
		if (got != rows[i].want)
			fail_msg("%s: %d", rows[i].marker, got);
	}
}

static void test_marker_extra(void **state)
{
	struct cv_marker_env env = linux311;
	enum cv_marker got;

	(void)state;
	env.extra = "Foo_bar";
	assert_int_equal(cv_marker_eval(CV_STR("extra == 'foo.-BAR'"), &env, &got), 0);
	assert_int_equal(got, CV_MARKER_TRUE);
	assert_int_equal(cv_marker_eval(CV_STR("extra == 'foobar'"), &env, &got), 0);
	assert_int_equal(got, CV_MARKER_FALSE);
	env.extra = NULL;
	assert_int_equal(cv_marker_eval(CV_STR("extra == 'foobar'"), &env, &got), 0);
	assert_int_equal(got, CV_MARKER_UNKNOWN);
}

static void test_marker_refuses(void **state)
{
	static const char *const bad[] = { "python_version", "python_version <", "< '3'", "python_version < '3", "('a' == 'a'",
					   "'a' == 'a')", "'a' == 'a' and", "'a' is 'a'", "'a' == 'a' 'b'", "'a' not 'b'" };
	enum cv_marker got = CV_MARKER_TRUE;
	char deep[200];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (cv_marker_eval(cv_str_of(bad[i]), &linux311, &got) != CV_EFORMAT)
			fail_msg("%s", bad[i]);
	memset(deep, '(', sizeof(deep));
	assert_int_equal(cv_marker_eval((struct cv_str){ deep, sizeof(deep) }, &linux311, &got), CV_ELIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requirement_forms), cmocka_unit_test(test_requirement_refuses),
		cmocka_unit_test(test_marker_values),	  cmocka_unit_test(test_marker_extra),
		cmocka_unit_test(test_marker_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
