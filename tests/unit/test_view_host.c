/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tmptree.h"
#include "view/view.h"

struct fixture {
	struct tmptree t;
	struct cv_view *v;
	struct cv_arena *a;
	char room[PATH_MAX];
};

static char *const test_env[] = { "HOME=/root", "EMPTY=", "HOMER=x", NULL };

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	tmptree_init(&f->t);
	tmptree_file(&f->t, "d/file", "one\ntwo\n");
	tmptree_file(&f->t, "d/empty", "");
	tmptree_link(&f->t, "d/link", "file");
	tmptree_link(&f->t, "d/self", "self");
	tmptree_link(&f->t, "up", "d");
	tmptree_fifo(&f->t, "fifo");
	f->a = cv_arena_new((size_t)64 << 20);
	assert_int_equal(cv_view_host_new(test_env, &f->v), 0);
	alarm(20); /* nothing here may block */
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	alarm(0);
	cv_view_free(f->v);
	cv_arena_free(f->a);
	tmptree_done(&f->t);
	free(f);
	return 0;
}

static const char *at(struct fixture *f, const char *path)
{
	return tmptree_path(&f->t, path, f->room);
}

static void test_view_host_stat(void **state)
{
	struct fixture *f = *state;
	struct cv_stat st, link;

	assert_int_equal(cv_view_stat(f->v, at(f, "d/link"), &st), 0);
	assert_int_equal(st.type, CV_FT_REG);
	assert_int_equal(st.size, 8);
	assert_int_equal(st.mode, 0644);
	assert_int_equal(cv_view_lstat(f->v, at(f, "d/link"), &link), 0);
	assert_int_equal(link.type, CV_FT_LNK);
	assert_true(link.ino != st.ino);
	assert_int_equal(cv_view_stat(f->v, at(f, "none"), &st), CV_ENOENT);
	assert_int_equal(cv_view_stat(f->v, at(f, "d/file/x"), &st), CV_ENOTDIR);
	assert_int_equal(cv_view_stat(f->v, at(f, "d/self"), &st), CV_ELOOP);
	assert_int_equal(st.size, 8); /* untouched by failures */
	assert_int_equal(cv_view_stat(f->v, "/dev/null", &st), 0);
	assert_int_equal(st.type, CV_FT_CHR);
	assert_int_equal(st.rdev_major, 1);
	assert_int_equal(st.rdev_minor, 3);
	assert_true(f->v->live);
}

static void test_view_host_paths_are_absolute_and_tidied(void **state)
{
	struct fixture *f = *state;
	struct cv_stat st;
	char longer[PATH_MAX + 8];

	assert_int_equal(cv_view_stat(f->v, "tmp", &st), CV_EINVAL);
	assert_int_equal(cv_view_stat(f->v, "", &st), CV_EINVAL);
	assert_int_equal(cv_view_stat(f->v, "./tmp", &st), CV_EINVAL);
	assert_int_equal(cv_view_stat(f->v, "//", &st), 0);
	assert_int_equal(cv_view_stat(f->v, "/./proc//self/./status", &st), 0);
	assert_int_equal(cv_view_lstat(f->v, at(f, "up/"), &st), 0);
	assert_int_equal(st.type, CV_FT_LNK); /* the slash at the end is not part of the question */
	/* ".." behind a link is the parent of its target: up/.. is the tree, not what stands before up by letters */
	assert_int_equal(cv_view_stat(f->v, at(f, "up/../fifo"), &st), 0);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[0] = '/';
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(cv_view_stat(f->v, longer, &st), CV_ELIMIT);
	longer[300] = '\0';
	assert_int_equal(cv_view_stat(f->v, longer, &st), CV_ELIMIT);
}

static void test_view_host_links(void **state)
{
	struct fixture *f = *state;
	const char *text = NULL, *want;
	char room[PATH_MAX];

	assert_int_equal(cv_view_readlink(f->v, at(f, "d/link"), f->a, &text), 0);
	assert_string_equal(text, "file");
	assert_int_equal(cv_view_readlink(f->v, at(f, "d/file"), f->a, &text), CV_EINVAL);
	assert_int_equal(cv_view_readlink(f->v, at(f, "none"), f->a, &text), CV_ENOENT);
	assert_string_equal(text, "file");
	want = tmptree_path(&f->t, "d/file", room);
	assert_int_equal(cv_view_realpath(f->v, at(f, "up/../d/link"), f->a, &text), 0);
	assert_string_equal(text, want);
	assert_int_equal(cv_view_realpath(f->v, at(f, "d/self"), f->a, &text), CV_ELOOP);
	assert_int_equal(cv_view_realpath(f->v, "/", f->a, &text), 0);
	assert_string_equal(text, "/");
	/* what the kernel would print for a removed file */
	tmptree_file(&f->t, "x (deleted)", "");
	want = tmptree_path(&f->t, "x (deleted)", room);
	assert_int_equal(cv_view_realpath(f->v, want, f->a, &text), 0);
	assert_string_equal(text, want);
}

static void test_view_host_list(void **state)
{
	struct fixture *f = *state;
	struct cv_dirlist list = { 0 };

	assert_int_equal(cv_view_list(f->v, at(f, "up"), f->a, &list), 0);
	assert_int_equal(list.n, 4);
	assert_string_equal(list.v[0].name, "empty");
	assert_string_equal(list.v[1].name, "file");
	assert_int_equal(list.v[1].type, CV_FT_REG);
	assert_string_equal(list.v[2].name, "link");
	assert_int_equal(list.v[2].type, CV_FT_LNK);
	assert_int_equal(cv_view_list(f->v, at(f, "d/file"), f->a, &list), CV_ENOTDIR);
	assert_int_equal(cv_view_list(f->v, at(f, "fifo"), f->a, &list), CV_ENOTDIR);
	assert_int_equal(cv_view_list(f->v, at(f, "none"), f->a, &list), CV_ENOENT);
	assert_int_equal(list.n, 4);
}

static void test_view_host_open_reads_ranges(void **state)
{
	struct fixture *f = *state;
	struct cv_src *src;
	char two[4] = "";

	assert_int_equal(cv_view_open(f->v, at(f, "d/link"), &src), 0);
	assert_int_equal(src->size, 8);
	assert_string_equal(src->name, at(f, "d/link"));
	assert_int_equal(cv_src_read(src, 4, two, 3), 0);
	assert_string_equal(two, "two");
	assert_int_equal(cv_src_read(src, 6, two, 3), CV_EFORMAT);
	assert_int_equal(truncate(at(f, "d/file"), 0), 0);
	assert_int_equal(cv_src_read(src, 4, two, 3), CV_EIO); /* cut meanwhile */
	cv_src_close(src);
	assert_int_equal(cv_view_open(f->v, at(f, "d/empty"), &src), 0);
	assert_int_equal(src->size, 0);
	cv_src_close(src);
}

static void test_view_host_special_files_are_not_opened(void **state)
{
	struct fixture *f = *state;
	struct cv_src *src;

	assert_int_equal(cv_view_open(f->v, at(f, "fifo"), &src), CV_ENOTREG);
	assert_int_equal(cv_view_open(f->v, "/dev/zero", &src), CV_ENOTREG);
	assert_int_equal(cv_view_open(f->v, at(f, "d"), &src), CV_ENOTREG);
	assert_int_equal(cv_view_open(f->v, at(f, "none"), &src), CV_ENOENT);
	assert_int_equal(cv_view_open(f->v, at(f, "d/self"), &src), CV_ELOOP);
}

static void test_view_host_reads_files_without_size(void **state)
{
	struct fixture *f = *state;
	struct cv_str text = { 0 };
	struct cv_src *src;
	const char *line;

	assert_int_equal(cv_view_read(f->v, "/proc/self/status", 65536, f->a, &text), 0);
	assert_true(cv_str_starts(text, "Name:\t"));
	assert_true(text.p[text.n] == '\0');
	assert_int_equal(cv_view_read(f->v, "/proc/self/status", 10, f->a, &text), CV_ELIMIT);
	assert_int_equal(cv_view_open(f->v, "/proc/self/status", &src), 0);
	assert_true(src->size > 100);
	cv_src_close(src);
	assert_int_equal(cv_view_read_line(f->v, "/proc/sys/kernel/ostype", f->a, &line), 0);
	assert_string_equal(line, "Linux");
	if (cv_view_exists(f->v, "/sys/kernel/mm/transparent_hugepage/enabled")) { /* sysfs claims a page */
		assert_int_equal(cv_view_read(f->v, "/sys/kernel/mm/transparent_hugepage/enabled", 65536, f->a, &text), 0);
		assert_in_range(text.n, 1, 200);
	}
	assert_int_equal(cv_view_read_line(f->v, at(f, "d/file"), f->a, &line), 0);
	assert_string_equal(line, "one");
	assert_int_equal(cv_view_read_line(f->v, at(f, "d/empty"), f->a, &line), 0);
	assert_string_equal(line, "");
}

static void test_view_host_access(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(cv_view_access(f->v, at(f, "d/file"), CV_ACCESS_R | CV_ACCESS_W), 0);
	assert_int_equal(cv_view_access(f->v, at(f, "d/file"), CV_ACCESS_X), CV_EACCES);
	assert_int_equal(cv_view_access(f->v, at(f, "none"), CV_ACCESS_R), CV_ENOENT);
	assert_int_equal(cv_view_access(f->v, at(f, "d/file"), 8), CV_EINVAL);
}

static void test_view_host_permission_denied(void **state)
{
	struct fixture *f = *state;
	struct cv_dirlist list;
	struct cv_stat st;
	struct cv_src *src;
	struct cv_ids ids;
	bool was_root = geteuid() == 0;

	tmptree_file(&f->t, "closed/file", "x");
	tmptree_file(&f->t, "hidden", "x");
	tmptree_chmod(&f->t, "hidden", 0);
	tmptree_chmod(&f->t, "closed", was_root ? 0700 : 0);
	if (was_root)
		assert_int_equal(seteuid(65534), 0);
	assert_int_equal(cv_view_stat(f->v, at(f, "closed/file"), &st), CV_EACCES);
	assert_int_equal(cv_view_stat(f->v, at(f, "closed"), &st), 0);
	assert_int_equal(cv_view_list(f->v, at(f, "closed"), f->a, &list), CV_EACCES);
	assert_int_equal(cv_view_open(f->v, at(f, "closed/file"), &src), CV_EACCES);
	assert_int_equal(cv_view_open(f->v, at(f, "hidden"), &src), CV_EACCES);
	assert_int_equal(cv_view_access(f->v, at(f, "hidden"), CV_ACCESS_R), CV_EACCES); /* the effective user is asked */
	assert_int_equal(cv_view_ids(f->v, &ids), 0);
	assert_int_equal(ids.uid, was_root ? 65534 : geteuid());
	if (was_root)
		assert_int_equal(seteuid(0), 0);
	tmptree_chmod(&f->t, "closed", 0700);
}

static void test_view_host_getenv(void **state)
{
	struct fixture *f = *state;
	struct cv_view *none;
	const char *value = NULL;

	assert_int_equal(cv_view_getenv(f->v, "HOME", &value), 0);
	assert_string_equal(value, "/root");
	assert_int_equal(cv_view_getenv(f->v, "EMPTY", &value), 0);
	assert_string_equal(value, "");
	assert_int_equal(cv_view_getenv(f->v, "HOM", &value), CV_ENOENT);
	assert_int_equal(cv_view_getenv(f->v, "HOME=/root", &value), CV_EINVAL);
	assert_int_equal(cv_view_host_new(NULL, &none), 0);
	assert_int_equal(cv_view_getenv(none, "HOME", &value), CV_ENOENT);
	cv_view_free(none);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_view_host_stat),
		T(test_view_host_paths_are_absolute_and_tidied),
		T(test_view_host_links),
		T(test_view_host_list),
		T(test_view_host_open_reads_ranges),
		T(test_view_host_special_files_are_not_opened),
		T(test_view_host_reads_files_without_size),
		T(test_view_host_access),
		T(test_view_host_permission_denied),
		T(test_view_host_getenv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
