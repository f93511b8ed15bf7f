/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "code_file.h"
#include "parse/ar.h"

static struct cv_arena *arena;
static struct cv_diag diag;

static int setup(void **state)
{
	(void)state;
	arena = cv_arena_new((size_t)4 << 20);
	if (!arena)
		return -1;
	cv_diag_init(&diag, arena);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cv_arena_free(arena);
	return 0;
}

static struct bytes archive(void)
{
	struct bytes ar = { .p = cv_arena_alloc(arena, 65536) };

	assert_non_null(ar.p);
	memcpy(ar.p, "!<arch>\n", 8);
	ar.n = 8;
	return ar;
}

/* Walks all of it; the members as "offset+size ". */
static int walk(struct bytes ar, const char **ret)
{
	unsigned char *exact = cv_arena_alloc(arena, ar.n);
	struct cv_src_mem mem;
	struct cv_ar_iter it;
	uint64_t off, size;
	int r;

	memcpy(exact, ar.p, ar.n);
	*ret = "";
	cv_ar_begin(&it, cv_src_mem_init(&mem, exact, ar.n, "lib.a"));
	while ((r = cv_ar_next(&it, &diag, &off, &size)) == 1)
		*ret = cv_arena_printf(arena, "%s%llu+%llu ", *ret, (unsigned long long)off, (unsigned long long)size);
	return r;
}

static void test_ar_passes_over_tables(void **state)
{
	struct bytes ar = archive();
	const char *text;

	(void)state;
	code_file_member(&ar, "/", "tab", 3);
	code_file_member(&ar, "/SYM64/", "tab", 3);
	code_file_member(&ar, "//", "a_very_long_name_of_an_object.o/\n", 33);
	code_file_member(&ar, "/0", "one", 3); /* a member whose name is in that table */
	code_file_member(&ar, "b.o/", "four", 4);
	assert_int_equal(walk(ar, &text), 0);
	assert_string_equal(text, "290+3 354+4 ");
}

static void test_ar_may_be_empty_or_end_with_padding(void **state)
{
	struct bytes ar = archive();
	const char *text;

	(void)state;
	assert_int_equal(walk(ar, &text), 0);
	assert_string_equal(text, "");
	code_file_member(&ar, "odd.o/", "abc", 3);
	ar.n--; /* some tools leave the last padding out */
	assert_int_equal(walk(ar, &text), 0);
	assert_string_equal(text, "68+3 ");
}

static void test_ar_names_the_place_of_damage(void **state)
{
	struct bytes ar = archive();
	const char *text;

	(void)state;
	code_file_member(&ar, "a.o/", "abcd", 4);
	code_file_member(&ar, "b.o/", "abcd", 4);
	ar.p[72 + 58] = 'x'; /* end mark of the second header */
	assert_int_equal(walk(ar, &text), CV_EFORMAT);
	assert_string_equal(text, "68+4 ");
	assert_non_null(strstr(diag.v[diag.n - 1], "lib.a: offset 72:"));
	ar.p[72 + 58] = '`';
	memcpy(ar.p + 72 + 48, "99999999  ", 10);
	assert_int_equal(walk(ar, &text), CV_EFORMAT);
	memcpy(ar.p + 72 + 48, "-4        ", 10);
	assert_int_equal(walk(ar, &text), CV_EFORMAT);
	ar.n = 72 + 30; /* half a header */
	assert_int_equal(walk(ar, &text), CV_EFORMAT);
}

static void test_ar_is_told_by_its_first_bytes(void **state)
{
	struct cv_src_mem mem;

	(void)state;
	assert_true(cv_ar_is(cv_src_mem_init(&mem, "!<arch>\n", 8, "x")));
	assert_false(cv_ar_is(cv_src_mem_init(&mem, "!<thin>\n", 8, "x")));
	assert_false(cv_ar_is(cv_src_mem_init(&mem, "!<arch>", 7, "x")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ar_passes_over_tables),
		cmocka_unit_test(test_ar_may_be_empty_or_end_with_padding),
		cmocka_unit_test(test_ar_names_the_place_of_damage),
		cmocka_unit_test(test_ar_is_told_by_its_first_bytes),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
