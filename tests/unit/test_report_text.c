/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/term.h"
#include "report/text.h"

static void test_text_width_counts_columns(void **state)
{
	(void)state;
	assert_int_equal(cv_text_width(""), 0);
	assert_int_equal(cv_text_width("torch"), 5);
	assert_int_equal(cv_text_width("caf\xc3\xa9"), 4);
	assert_int_equal(cv_text_width("cafe\xcc\x81"), 4);
	assert_int_equal(cv_text_width("\xe7\x89\x88\xe6\x9c\xac"), 4);
	assert_int_equal(cv_text_width("\xf0\x9f\x98\x80"), 2);
	assert_int_equal(cv_text_width("\xff"), 1);
}

static void test_text_next_refuses_bad_utf8(void **state)
{
	static const char *const bad[] = { "\x80", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xc3" };
	uint32_t c;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(cv_text_next(bad[i], &c), 1);
		assert_int_equal(c, 0xfffd);
	}
	assert_int_equal(cv_text_next("\xf4\x8f\xbf\xbf", &c), 4);
	assert_int_equal(c, 0x10ffff);
	assert_int_equal(cv_text_next("", &c), 0);
}

static void test_text_clean_strips_what_a_terminal_obeys(void **state)
{
	struct cv_arena *a = cv_arena_new(4096);
	static const struct {
		const char *in, *utf8, *ascii;
	} cases[] = {
		{ "plain text", "plain text", "plain text" },
		{ "a\033[31mb", "a[31mb", "a[31mb" },
		{ "a\tb\nc\r", "a b c ", "a b c " },
		{ "\xc2\x9b" "31m", "31m", "31m" },
		{ "x\xe2\x80\xaey", "xy", "xy" },
		{ "\xff" "caf\xc3\xa9", "\xef\xbf\xbd" "caf\xc3\xa9", "?caf?" },
		{ "zero\xe2\x80\x8bwidth\x7f", "zerowidth", "zerowidth" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(cv_text_clean(a, cases[i].in, false), cases[i].utf8);
		assert_string_equal(cv_text_clean(a, cases[i].in, true), cases[i].ascii);
	}
	cv_arena_free(a);
}

static void check_lines(const char *text, size_t width, bool hard, const char *const *want)
{
	struct cv_str line;

	for (; *want; want++) {
		assert_true(cv_text_line(&text, width, hard, &line));
		if (!cv_str_is(line, *want))
			fail_msg("'%.*s' instead of '%s'", CV_STR_ARG(line), *want);
	}
	assert_false(cv_text_line(&text, width, hard, &line));
}

static void test_text_line_breaks_at_words(void **state)
{
	(void)state;
	check_lines("one two three", 7, false, (const char *[]){ "one two", "three", NULL });
	check_lines("one two three", 8, false, (const char *[]){ "one two", "three", NULL });
	check_lines("  one   two  ", 80, false, (const char *[]){ "one   two", NULL });
	check_lines("one   two", 4, false, (const char *[]){ "one", "two", NULL });
	check_lines("a verylongword b", 5, false, (const char *[]){ "a", "verylongword", "b", NULL });
	check_lines("", 5, false, (const char *[]){ NULL });
	check_lines("   ", 5, true, (const char *[]){ NULL });
}

static void test_text_line_cuts_long_words_behind_seams(void **state)
{
	(void)state;
	check_lines("abcdefgh", 3, true, (const char *[]){ "abc", "def", "gh", NULL });
	check_lines("/usr/lib/x", 6, true, (const char *[]){ "/usr/", "lib/x", NULL });
	check_lines("\xe7\x89\x88\xe6\x9c\xac", 1, true, (const char *[]){ "\xe7\x89\x88", "\xe6\x9c\xac", NULL });
}

static void test_table_keeps_columns_aligned(void **state)
{
	struct cv_arena *a = cv_arena_new(1 << 16);
	struct cv_buf out;
	struct cv_term t;
	struct cv_table tab;

	(void)state;
	cv_buf_init(&out, 1 << 16);
	cv_term_init(&t, &out, a, &(struct cv_style){ .width = 40 });
	cv_table_init(&tab, &t, 2, 3);
	tab.wraps[1] = true;
	cv_table_add(&tab, CV_INK_PLAIN, "caf\xc3\xa9");
	cv_table_add(&tab, CV_INK_PLAIN, "a text that does not fit beside the rest");
	cv_table_add(&tab, CV_INK_PLAIN, "end");
	cv_table_add(&tab, CV_INK_PLAIN, "longer");
	cv_table_add(&tab, CV_INK_PLAIN, NULL);
	cv_table_add(&tab, CV_INK_PLAIN, "end");
	cv_table_print(&tab);
	assert_string_equal(cv_buf_str(&out), "  caf\xc3\xa9    a text that does not fit   end\n"
					      "          beside the rest\n"
					      "  longer                             end\n");
	cv_buf_release(&out);
	cv_arena_free(a);
}

static void test_term_never_wraps_commands(void **state)
{
	struct cv_arena *a = cv_arena_new(1 << 16);
	struct cv_buf out;
	struct cv_term t;

	(void)state;
	cv_buf_init(&out, 1 << 16);
	cv_term_init(&t, &out, a, &(struct cv_style){ .width = 40 });
	cv_term_command(&t, 2, "pip install a b c d e f g h i j k l m n o p q r s t u v w x y z");
	assert_string_equal(cv_buf_str(&out), "  $ pip install a b c d e f g h i j k l m n o p q r s t u v w x y z\n");
	cv_buf_release(&out);
	cv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_width_counts_columns),
		cmocka_unit_test(test_text_next_refuses_bad_utf8),
		cmocka_unit_test(test_text_clean_strips_what_a_terminal_obeys),
		cmocka_unit_test(test_text_line_breaks_at_words),
		cmocka_unit_test(test_text_line_cuts_long_words_behind_seams),
		cmocka_unit_test(test_table_keeps_columns_aligned),
		cmocka_unit_test(test_term_never_wraps_commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
