/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parse/ldconf.h"

struct want {
	enum cv_ldconf_kind kind;
	const char *text;
	unsigned line;
};

static void check(const char *text, const struct want *want, size_t n)
{
	struct cv_ldconf c = { .rest = cv_str_of(text) };
	struct cv_ldconf_item item;

	for (size_t i = 0; i < n; i++) {
		assert_true(cv_ldconf_next(&c, &item));
		assert_int_equal(item.kind, want[i].kind);
		if (!cv_str_is(item.text, want[i].text))
			fail_msg("got '%.*s', want '%s'", CV_STR_ARG(item.text), want[i].text);
		assert_int_equal(item.line, want[i].line);
	}
	assert_false(cv_ldconf_next(&c, &item));
	assert_false(cv_ldconf_next(&c, &item));
}

static void test_ldconf_debian(void **state)
{
	static const struct want want[] = {
		{ CV_LDCONF_INCLUDE, "/etc/ld.so.conf.d/*.conf", 1 },
		{ CV_LDCONF_DIR, "/usr/local/cuda-13.0/lib", 4 },
	};

	(void)state;
	check("include /etc/ld.so.conf.d/*.conf\n\n# cuda\n/usr/local/cuda-13.0/lib\n", want, 2);
}

static void test_ldconf_odd_lines(void **state)
{
	static const struct want want[] = {
		{ CV_LDCONF_DIR, "/opt/my libs", 1 },    { CV_LDCONF_INCLUDE, "a/*.conf", 2 },
		{ CV_LDCONF_INCLUDE, "/b.conf", 2 },     { CV_LDCONF_HWCAP, "0 nosegneg", 3 },
		{ CV_LDCONF_HWCAP, "1 x", 4 },           { CV_LDCONF_DIR, "/usr/lib/libc5", 5 },
		{ CV_LDCONF_BAD, "relative/dir", 6 },    { CV_LDCONF_BAD, "includes /x", 7 },
		{ CV_LDCONF_BAD, "Include /x", 8 },      { CV_LDCONF_BAD, "", 9 },
		{ CV_LDCONF_BAD, "include", 10 },        { CV_LDCONF_DIR, "/last", 12 },
	};

	(void)state;
	check("  /opt/my libs//  # why\n\tinclude\ta/*.conf   /b.conf\r\nhwcap 0 nosegneg\nHWCAP 1 x\n/usr/lib/libc5 = libc5\n"
	      "relative/dir\nincludes /x\nInclude /x\n/\ninclude\ninclude  # nothing\n/last",
	      want, sizeof(want) / sizeof(want[0]));
	check("", NULL, 0);
	check("# only this", NULL, 0);
}

static void test_ldconf_pattern(void **state)
{
	struct cv_arena *a = cv_arena_new(65536);

	(void)state;
	assert_string_equal(cv_ldconf_pattern(a, "/etc/ld.so.conf", CV_STR("ld.so.conf.d/*.conf")), "/etc/ld.so.conf.d/*.conf");
	assert_string_equal(cv_ldconf_pattern(a, "/etc/ld.so.conf", CV_STR("/x/*.conf")), "/x/*.conf");
	assert_string_equal(cv_ldconf_pattern(a, "/etc/ld.so.conf.d/a.conf", CV_STR("b")), "/etc/ld.so.conf.d/b");
	cv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ldconf_debian),
		cmocka_unit_test(test_ldconf_odd_lines),
		cmocka_unit_test(test_ldconf_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
