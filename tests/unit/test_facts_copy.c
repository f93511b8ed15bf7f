/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of facts: what is changed in one shows there alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "facts/facts.h"

static const struct cv_prov here = { .collector = "test", .path = "/f", .offset = -1 };
static const struct cv_prov there = { .collector = "fix", .offset = -1 };

static void put(struct cv_facts *f, const char *key, const char *version)
{
	struct cv_subject *s = cv_facts_add(f, CV_KIND_lib, key);

	cv_facts_str(f, s, CV_F_lib_version, version, here);
	cv_facts_str(f, s, CV_F_lib_soname, "libx.so.1", here);
}

static struct cv_facts *three(struct cv_arena *a)
{
	struct cv_facts *f = cv_facts_new(a);

	put(f, "/b", "2");
	put(f, "/a", "1");
	put(f, "/c", "3");
	assert_int_equal(cv_facts_freeze(f), 0);
	return f;
}

static const char *version(const struct cv_facts *f, const char *key)
{
	return cv_fact_str(cv_facts_find(f, CV_KIND_lib, key), CV_F_lib_version);
}

static void test_facts_copy_changes(void **state)
{
	struct cv_arena *a = cv_arena_new(1 << 20), *b = cv_arena_new(1 << 20);
	struct cv_facts *f = three(a), *copy = cv_facts_copy(f, b);
	struct cv_subject *s = cv_facts_add(copy, CV_KIND_lib, "/b");

	(void)state;
	cv_facts_str(copy, s, CV_F_lib_version, "20", there);
	cv_facts_clear(copy, s, CV_F_lib_soname);
	put(copy, "/ab", "1.5");
	cv_facts_remove(copy, CV_KIND_lib, "/c");
	assert_int_equal(cv_facts_count(copy, CV_KIND_lib), 3);
	assert_int_equal(cv_facts_freeze(copy), 0);
	assert_string_equal(version(copy, "/a"), "1");
	assert_string_equal(version(copy, "/b"), "20");
	assert_null(cv_fact(cv_facts_find(copy, CV_KIND_lib, "/b"), CV_F_lib_version)->next);
	assert_int_equal(cv_fact(cv_facts_find(copy, CV_KIND_lib, "/b"), CV_F_lib_soname)->state, CV_NOT_ASKED);
	assert_null(cv_facts_find(copy, CV_KIND_lib, "/c"));
	assert_int_equal(cv_facts_count(copy, CV_KIND_lib), 3);
	assert_string_equal(cv_subject_key(cv_facts_at(copy, CV_KIND_lib, 0)), "/a");
	assert_string_equal(cv_subject_key(cv_facts_at(copy, CV_KIND_lib, 1)), "/ab");
	assert_string_equal(cv_subject_key(cv_facts_at(copy, CV_KIND_lib, 2)), "/b");
	/* The facts themselves are as they were. */
	assert_int_equal(cv_facts_count(f, CV_KIND_lib), 3);
	assert_string_equal(version(f, "/b"), "2");
	assert_string_equal(version(f, "/c"), "3");
	assert_null(cv_fact(cv_facts_find(f, CV_KIND_lib, "/b"), CV_F_lib_version)->next);
	assert_string_equal(cv_fact_str(cv_facts_find(f, CV_KIND_lib, "/b"), CV_F_lib_soname), "libx.so.1");
	assert_null(cv_facts_find(f, CV_KIND_lib, "/ab"));
	cv_arena_free(b);
	cv_arena_free(a);
}

static void test_facts_copy_takes_out_and_puts_back(void **state)
{
	struct cv_arena *a = cv_arena_new(1 << 20), *b = cv_arena_new(1 << 20);
	struct cv_facts *f = three(a), *copy = cv_facts_copy(f, b);
	struct cv_subject *s;

	(void)state;
	cv_facts_remove(copy, CV_KIND_lib, "/a");
	cv_facts_remove(copy, CV_KIND_lib, "/nowhere");
	s = cv_facts_add(copy, CV_KIND_lib, "/a");
	assert_int_equal(cv_fact(s, CV_F_lib_version)->state, CV_NOT_ASKED);
	cv_facts_str(copy, s, CV_F_lib_version, "9", there);
	assert_int_equal(cv_facts_freeze(copy), 0);
	assert_string_equal(version(copy, "/a"), "9");
	assert_int_equal(cv_facts_count(copy, CV_KIND_lib), 3);
	/* Frozen: nothing more is changed. */
	cv_facts_remove(copy, CV_KIND_lib, "/b");
	cv_facts_str(copy, cv_facts_add(copy, CV_KIND_lib, "/b"), CV_F_lib_version, "8", there);
	assert_string_equal(version(copy, "/b"), "2");
	assert_string_equal(version(copy, "/a"), "9");
	cv_arena_free(b);
	cv_arena_free(a);
}

static void test_facts_copy_of_a_copy(void **state)
{
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_facts *f = three(a), *one = cv_facts_copy(f, a), *two;

	(void)state;
	cv_facts_remove(one, CV_KIND_lib, "/a");
	assert_int_equal(cv_facts_freeze(one), 0);
	two = cv_facts_copy(one, a);
	put(two, "/a", "7");
	cv_facts_remove(two, CV_KIND_lib, "/b");
	assert_int_equal(cv_facts_freeze(two), 0);
	assert_string_equal(version(two, "/a"), "7");
	assert_null(cv_facts_find(two, CV_KIND_lib, "/b"));
	assert_int_equal(cv_facts_count(two, CV_KIND_lib), 2);
	assert_int_equal(cv_facts_count(one, CV_KIND_lib), 2);
	assert_null(cv_facts_find(one, CV_KIND_lib, "/a"));
	cv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facts_copy_changes),
		cmocka_unit_test(test_facts_copy_takes_out_and_puts_back),
		cmocka_unit_test(test_facts_copy_of_a_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
