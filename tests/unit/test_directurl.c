/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "parse/directurl.h"

static void test_directurl_forms(void **state)
{
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_directurl d;

	(void)state;
	assert_int_equal(cv_directurl_parse(CV_STR("{\"url\": \"file:///src/torch\", \"dir_info\": {\"editable\": "
			"true}}"), a, &d), 0);
	assert_string_equal(d.url, "file:///src/torch");
	assert_true(d.editable);
	assert_null(d.commit);
	assert_int_equal(cv_directurl_parse(CV_STR("{\"url\": \"https://u:secret@host/r.git\", \"vcs_info\": {\"vcs\": \"git\", "
						   "\"commit_id\": \"abc\"}}"), a, &d), 0);
	assert_string_equal(d.url, "https://host/r.git");
	assert_string_equal(d.commit, "abc");
	assert_false(d.editable);
	assert_int_equal(cv_directurl_parse(CV_STR("{\"url\": \"ssh://git@host/a:b@c\"}"), a, &d), 0);
	assert_string_equal(d.url, "ssh://git@host/a:b@c");
	cv_arena_free(a);
}

static void test_directurl_refuses(void **state)
{
	static const char *const bad[] = {
		"", "{}", "[]", "{\"url\": 5}", "{\"url\": \"a\", \"url\": \"b\"}", "{\"url\": \"a\"", "x",
	};
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_directurl d;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(cv_directurl_parse(cv_str_of(bad[i]), a, &d), CV_EFORMAT);
	cv_arena_free(a);
}

static void test_directurl_json_text(void **state)
{
	struct cv_arena *a = cv_arena_new(1 << 20);
	const char *text;

	(void)state;
	assert_int_equal(cv_json_text_of(CV_STR("{\"cuda\": \"12.x\", \"nccl\": {}}"), "cuda", a, &text), 0);
	assert_string_equal(text, "12.x");
	assert_int_equal(cv_json_text_of(CV_STR("{\"nccl\": {}}"), "cuda", a, &text), CV_ENOENT);
	assert_int_equal(cv_json_text_of(CV_STR("{\"cuda\": 12}"), "cuda", a, &text), CV_ENOENT);
	assert_int_equal(cv_json_text_of(CV_STR("[]"), "cuda", a, &text), CV_EFORMAT);
	cv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_directurl_forms),
		cmocka_unit_test(test_directurl_refuses),
		cmocka_unit_test(test_directurl_json_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
