/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tmptree.h"
#include "view/view.h"

static char *const test_env[] = { "HOME=/root", "PATH=/bin", "LD_LIBRARY_PATH=/x", NULL };

static void test_view_setenv_overrides(void **state)
{
	const char *const set[] = { "LD_LIBRARY_PATH", "PATH=", "NEW=a=b", "NEW=second", "HOMER=x", "AGAIN=1", "AGAIN" };
	struct cv_view *host, *v;
	const char *value = "";

	(void)state;
	assert_int_equal(cv_view_host_new(test_env, &host), 0);
	assert_int_equal(cv_view_setenv_new(host, set, sizeof(set) / sizeof(set[0]), &v), 0);
	assert_true(v->live);
	assert_int_equal(cv_view_getenv(v, "HOME", &value), 0);
	assert_string_equal(value, "/root");
	assert_int_equal(cv_view_getenv(v, "PATH", &value), 0);
	assert_string_equal(value, "");
	assert_int_equal(cv_view_getenv(v, "LD_LIBRARY_PATH", &value), CV_ENOENT);
	assert_int_equal(cv_view_getenv(v, "LD_LIBRARY", &value), CV_ENOENT);
	assert_int_equal(cv_view_getenv(v, "NEW", &value), 0);
	assert_string_equal(value, "second"); /* the last one wins */
	assert_int_equal(cv_view_getenv(v, "AGAIN", &value), CV_ENOENT);
	cv_view_free(v);
}

static void test_view_setenv_keeps_its_own_texts(void **state)
{
	char text[] = "A=1";
	const char *const set[] = { text };
	struct cv_view *host, *v;
	const char *value = "";

	(void)state;
	assert_int_equal(cv_view_host_new(NULL, &host), 0);
	assert_int_equal(cv_view_setenv_new(host, set, 1, &v), 0);
	text[2] = '2';
	assert_int_equal(cv_view_getenv(v, "A", &value), 0);
	assert_string_equal(value, "1");
	cv_view_free(v);
}

static void test_view_setenv_passes_the_rest_on(void **state)
{
	struct cv_arena *a = cv_arena_new((size_t)1 << 20);
	const char *const set[] = { "A=1" };
	struct cv_view *tree, *v;
	struct cv_dirlist list;
	struct cv_str text;
	struct cv_stat st;
	struct cv_ids ids;
	struct tmptree t;
	const char *s;

	(void)state;
	tmptree_init(&t);
	tmptree_file(&t, "d/f", "text");
	tmptree_link(&t, "l", "/d/f");
	assert_int_equal(cv_view_tree_new(t.dir, NULL, &tree), 0);
	assert_int_equal(cv_view_setenv_new(tree, set, 1, &v), 0);
	assert_false(v->live);
	assert_int_equal(cv_view_stat(v, "/l", &st), 0);
	assert_int_equal(st.type, CV_FT_REG);
	assert_int_equal(cv_view_lstat(v, "/l", &st), 0);
	assert_int_equal(st.type, CV_FT_LNK);
	assert_int_equal(cv_view_readlink(v, "/l", a, &s), 0);
	assert_string_equal(s, "/d/f");
	assert_int_equal(cv_view_realpath(v, "/l", a, &s), 0);
	assert_string_equal(s, "/d/f");
	assert_int_equal(cv_view_list(v, "/d", a, &list), 0);
	assert_int_equal(list.n, 1);
	assert_int_equal(cv_view_read(v, "/l", 10, a, &text), 0);
	assert_string_equal(text.p, "text");
	assert_int_equal(cv_view_access(v, "/none", CV_ACCESS_R), CV_ENOENT);
	assert_int_equal(cv_view_ids(v, &ids), CV_ENOTASKED);
	assert_int_equal(cv_view_getenv(v, "A", &s), 0);
	assert_int_equal(cv_view_getenv(v, "B", &s), CV_ENOTASKED); /* a tree has no environment of its own */
	cv_view_free(v);
	cv_arena_free(a);
	tmptree_done(&t);
}

static void test_view_setenv_rejects_no_name(void **state)
{
	const char *const bad[] = { "=x", "" };
	struct cv_view *host, *v = NULL;

	(void)state;
	assert_int_equal(cv_view_host_new(NULL, &host), 0);
	assert_int_equal(cv_view_setenv_new(host, bad, 1, &v), CV_EINVAL);
	assert_int_equal(cv_view_setenv_new(host, bad + 1, 1, &v), CV_EINVAL);
	assert_null(v);
	cv_view_free(host); /* not taken over on failure */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_view_setenv_overrides),
		cmocka_unit_test(test_view_setenv_keeps_its_own_texts),
		cmocka_unit_test(test_view_setenv_passes_the_rest_on),
		cmocka_unit_test(test_view_setenv_rejects_no_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
