/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "parse/pth.h"

static void test_pth_lines(void **state)
{
	struct cv_str rest = CV_STR("# comment\n\n   \nfoo/bar  \r\n../x\rimport os\t\nimport\tsys; sys.path\n "
			"importx\nimportant\nlast");
	static const struct {
		int kind;
		const char *text;
		unsigned line;
	} want[] = {
		{ CV_PTH_PATH, "foo/bar", 4 }, { CV_PTH_PATH, "../x", 5 },     { CV_PTH_CODE, "import os", 6 },
		{ CV_PTH_CODE, "import\tsys; sys.path", 7 },		       { CV_PTH_PATH, " importx", 8 },
		{ CV_PTH_PATH, "important", 9 },			       { CV_PTH_PATH, "last", 10 },
	};
	struct cv_pth_line line;
	unsigned no = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_true(cv_pth_next(&rest, &no, &line));
		assert_int_equal(line.kind, want[i].kind);
		assert_int_equal(line.line, want[i].line);
		assert_true(cv_str_is(line.text, want[i].text));
	}
	assert_false(cv_pth_next(&rest, &no, &line));
}

static enum cv_pth_kind kind_of(const char *text)
{
	struct cv_str rest = cv_str_of(text);
	struct cv_pth_line line;
	unsigned no = 0;

	assert_true(cv_pth_next(&rest, &no, &line));
	return line.kind;
}

static void test_pth_known_code(void **state)
{
	(void)state;
	assert_int_equal(kind_of("import os; var = 'SETUPTOOLS_USE_DISTUTILS'; enabled = os.environ.get(var, 'local') "
			"== 'local'; "
				 "enabled and __import__('_distutils_hack').add_shim();"), CV_PTH_HARMLESS);
	assert_int_equal(kind_of("import __editable___foo_1_0_finder; __editable___foo_1_0_finder.install()"), CV_PTH_EDITABLE);
	assert_int_equal(kind_of("import sys, types, os;has_mfs = sys.version_info > (3, 5);p = 1"), CV_PTH_NAMESPACE);
	assert_int_equal(kind_of("import sys; sys.__plen = len(sys.path)"), CV_PTH_EGG_BEGIN);
	assert_int_equal(kind_of("import sys; new=sys.path[sys.__plen:]; del sys.path[sys.__plen:]; "
				 "p=getattr(sys,'__egginsert',0); sys.path[p:p]=new; sys.__egginsert = "
						"p+len(new)"), CV_PTH_EGG_END);
	assert_int_equal(kind_of("import site; site.addsitedir('/x')"), CV_PTH_CODE);
	assert_string_equal(cv_pth_kind_name(CV_PTH_CODE), "other");
	assert_string_equal(cv_pth_kind_name(CV_PTH_EDITABLE), "editable");
}

static void test_pth_bom(void **state)
{
	(void)state;
	assert_true(cv_str_is(cv_pth_skip_bom(CV_STR("\xef\xbb\xbfx")), "x"));
	assert_true(cv_str_is(cv_pth_skip_bom(CV_STR("x")), "x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pth_lines),
		cmocka_unit_test(test_pth_known_code),
		cmocka_unit_test(test_pth_bom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
