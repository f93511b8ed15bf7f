/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cuvet/err.h"
#include "parse/osrelease.h"

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

static void test_osrelease_quotes(void **state)
{
	struct cv_osrelease os;

	(void)state;
	assert_int_equal(
		cv_osrelease_parse(CV_STR("# comment\nPRETTY_NAME=\"A \\\"B\\\" \\$x \\n\"\nID='it''s'\nVERSION_ID=12\\ 1\n"),
				   arena, &os),
		0);
	assert_string_equal(os.pretty_name.value, "A \"B\" $x \\n");
	assert_int_equal(os.pretty_name.line, 2);
	assert_string_equal(os.id.value, "its");
	assert_string_equal(os.version_id.value, "12 1");
}

static void test_osrelease_later_line_wins(void **state)
{
	struct cv_osrelease os;

	(void)state;
	assert_int_equal(cv_osrelease_parse(CV_STR("ID=a\r\nID=b\r\nVERSION_ID=\"open\nXID=c\n"), arena, &os), 0);
	assert_string_equal(os.id.value, "b");
	assert_int_equal(os.id.line, 2);
	assert_null(os.version_id.value);
	assert_null(os.pretty_name.value);
}

static void test_osrelease_refuses_other_text(void **state)
{
	struct cv_osrelease os = { .id = { "kept", 7 } };

	(void)state;
	assert_int_equal(cv_osrelease_parse(CV_STR("\x7f" "ELF\n= x\n1A=b\nA='open\n"), arena, &os), CV_EFORMAT);
	assert_int_equal(cv_osrelease_parse(CV_STR(""), arena, &os), CV_EFORMAT);
	assert_string_equal(os.id.value, "kept");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_osrelease_quotes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_osrelease_later_line_wins, setup, teardown),
		cmocka_unit_test_setup_teardown(test_osrelease_refuses_other_text, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
