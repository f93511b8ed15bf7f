/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "parse/pyname.h"

static void check_dist(const char *entry, int kind, const char *name, const char *version)
{
	struct cv_distname d;

	if (!cv_distname_parse(cv_str_of(entry), &d))
		fail_msg("%s", entry);
	assert_int_equal(d.kind, kind);
	if (!cv_str_is(d.name, name) || !cv_str_is(d.version, version))
		fail_msg("%s: %.*s %.*s", entry, CV_STR_ARG(d.name), CV_STR_ARG(d.version));
}

static void test_pyname_dists(void **state)
{
	struct cv_distname d;

	(void)state;
	check_dist("torch-2.9.0+cu128.dist-info", CV_DIST_INFO, "torch", "2.9.0+cu128");
	check_dist("nvidia_cudnn_cu12-9.10.2.21.dist-info", CV_DIST_INFO, "nvidia_cudnn_cu12", "9.10.2.21");
	check_dist("old-name-1.0.dist-info", CV_DIST_INFO, "old-name", "1.0");
	check_dist("foo-1.0-1.dist-info", CV_DIST_INFO, "foo", "1.0-1");
	check_dist("a-3d-tool-0.2.dist-info", CV_DIST_INFO, "a-3d-tool", "0.2");
	check_dist("foo.dist-info", CV_DIST_INFO, "foo", "");
	check_dist("foo-1.x.dist-info", CV_DIST_INFO, "foo", "1.x");
	check_dist("PyYAML-6.0.1.egg-info", CV_DIST_EGG_INFO, "PyYAML", "6.0.1");
	check_dist("foo-1.0-py3.11.egg-info", CV_DIST_EGG_INFO, "foo", "1.0");
	check_dist("foo.egg-info", CV_DIST_EGG_INFO, "foo", "");
	check_dist("foo-1.0-py3.8-linux-x86_64.egg", CV_DIST_EGG, "foo", "1.0");
	check_dist("~orch", CV_DIST_LEFTOVER, "~orch", "");
	check_dist("~orch-2.9.0.dist-info", CV_DIST_LEFTOVER, "~orch-2.9.0.dist-info", "");
	assert_false(cv_distname_parse(CV_STR("torch"), &d));
	assert_false(cv_distname_parse(CV_STR(".dist-info"), &d));
	assert_false(cv_distname_parse(CV_STR("-1.0.dist-info"), &d));
	assert_false(cv_distname_parse(CV_STR("~"), &d));
	assert_false(cv_distname_parse(CV_STR(""), &d));
}

static void test_pyname_conda(void **state)
{
	struct cv_distname d;

	(void)state;
	assert_true(cv_distname_conda(CV_STR("pytorch-cuda-12.4-hc786d27_7.json"), &d));
	assert_true(cv_str_is(d.name, "pytorch-cuda"));
	assert_true(cv_str_is(d.version, "12.4"));
	assert_true(cv_str_is(d.build, "hc786d27_7"));
	assert_false(cv_distname_conda(CV_STR("history"), &d));
	assert_false(cv_distname_conda(CV_STR("state.json"), &d));
	assert_false(cv_distname_conda(CV_STR("a-.json"), &d));
	assert_false(cv_distname_conda(CV_STR("-1-2.json"), &d));
}

static void test_pyname_wheels(void **state)
{
	struct cv_wheelname w;

	(void)state;
	assert_true(cv_wheelname_parse(CV_STR("torch-2.9.0+cu128-cp312-cp312-manylinux_2_28_x86_64.whl"), &w));
	assert_true(cv_str_is(w.version, "2.9.0+cu128"));
	assert_true(cv_str_is(w.platform, "manylinux_2_28_x86_64"));
	assert_int_equal(w.build.n, 0);
	assert_true(cv_wheelname_parse(CV_STR("foo-1.0-2b-py2.py3-none-any.whl"), &w));
	assert_true(cv_str_is(w.build, "2b"));
	assert_true(cv_str_is(w.python, "py2.py3"));
	assert_false(cv_wheelname_parse(CV_STR("foo-1.0-b2-py3-none-any.whl"), &w));
	assert_false(cv_wheelname_parse(CV_STR("foo-1.0-none-any.whl"), &w));
	assert_false(cv_wheelname_parse(CV_STR("foo-1.0-1-py3-none-any-x.whl"), &w));
	assert_false(cv_wheelname_parse(CV_STR("foo--py3-none-any.whl"), &w));
	assert_false(cv_wheelname_parse(CV_STR("foo-1.0-py3-none-any.zip"), &w));
	assert_false(cv_wheelname_parse(CV_STR("foo-1.0-py3-none-.whl"), &w));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pyname_dists),
		cmocka_unit_test(test_pyname_conda),
		cmocka_unit_test(test_pyname_wheels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
