/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "parse/pyvenv.h"

static void check(struct cv_str got, const char *want)
{
	if (!want)
		assert_null(got.p);
	else
		assert_true(cv_str_is(got, want));
}

static void test_pyvenv_of_venv(void **state)
{
	struct cv_pyvenv cfg;

	(void)state;
	cv_pyvenv_parse(CV_STR("home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n"
			       "executable = /usr/bin/python3.11\n"), &cfg);
	check(cfg.home, "/usr/bin");
	check(cfg.version, "3.11.2");
	assert_int_equal(cfg.version_line, 3);
	assert_false(cfg.system_site);
	check(cfg.uv, NULL);
}

static void test_pyvenv_of_virtualenv_and_uv(void **state)
{
	struct cv_pyvenv cfg;

	(void)state;
	cv_pyvenv_parse(CV_STR("home = /opt/py/bin\r\nimplementation = CPython\r\nversion_info = 3.12.3.final.0\r\n"
			       "virtualenv = 20.26.2\r\nversion = 3.12.3\r\ninclude-system-site-packages = TRUE\r\n"), &cfg);
	check(cfg.home, "/opt/py/bin");
	check(cfg.version, "3.12.3");
	check(cfg.virtualenv, "20.26.2");
	assert_true(cfg.system_site);
	cv_pyvenv_parse(CV_STR("home = /x\nimplementation = CPython\nuv = 0.4.18\nversion_info = 3.12.6\n"
			       "include-system-site-packages = false"), &cfg);
	check(cfg.uv, "0.4.18");
	check(cfg.version, "3.12.6");
	assert_false(cfg.system_site);
}

/* site counts a missing or odd key as CPython does. */
static void test_pyvenv_odd_keys(void **state)
{
	struct cv_pyvenv cfg;

	(void)state;
	cv_pyvenv_parse(CV_STR(" HOME=/a=b \nhome = /second\nnonsense\n=\n"), &cfg);
	check(cfg.home, "/a=b");
	assert_true(cfg.system_site);
	cv_pyvenv_parse(CV_STR("include-system-site-packages = yes\n"), &cfg);
	assert_false(cfg.system_site);
	check(cfg.home, NULL);
	cv_pyvenv_parse(CV_STR("version = 3.13t\nversion = alpha\n"), &cfg);
	check(cfg.version, "3.13");
	cv_pyvenv_parse(CV_STR(""), &cfg);
	check(cfg.version, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pyvenv_of_venv),
		cmocka_unit_test(test_pyvenv_of_virtualenv_and_uv),
		cmocka_unit_test(test_pyvenv_odd_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
