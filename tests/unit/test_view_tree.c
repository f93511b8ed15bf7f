/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tmptree.h"
#include "view/tree.h"
#include "view/view.h"

/* The same tree twice: resolved by the kernel where it can, and by hand. */
struct fixture {
	struct tmptree t;
	struct cv_view *v, *by_hand;
	struct cv_arena *a;
};

static void chain(struct fixture *f, unsigned n)
{
	char name[32], text[32];

	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "root/chain%u", i);
		snprintf(text, sizeof(text), i + 1 < n ? "chain%u" : "etc/file", i + 1);
		tmptree_link(&f->t, name, text);
	}
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char room[PATH_MAX];

	assert_non_null(f);
	tmptree_init(&f->t);
	tmptree_file(&f->t, "secret", "outside");
	tmptree_file(&f->t, "root/etc/file", "inside");
	tmptree_file(&f->t, "root/secret/file", "decoy");
	tmptree_dir(&f->t, "root/usr/lib/deep/er");
	tmptree_link(&f->t, "root/lib", "usr/lib");
	tmptree_link(&f->t, "root/abs", "/etc/file");
	tmptree_link(&f->t, "root/absdir", "/etc/");
	tmptree_link(&f->t, "root/fileslash", "etc/file/");
	tmptree_link(&f->t, "root/out", "../secret");
	tmptree_link(&f->t, "root/out2", "../../../../../../../../etc/passwd");
	tmptree_link(&f->t, "root/usr/lib/up", "../../etc/./file");
	tmptree_link(&f->t, "root/usr/lib/dots", "deep/..");
	tmptree_link(&f->t, "root/dangling", "/etc/none");
	tmptree_link(&f->t, "root/loop", "loop2");
	tmptree_link(&f->t, "root/loop2", "/loop");
	tmptree_link(&f->t, "root/hostpath", f->t.dir);
	tmptree_fifo(&f->t, "root/fifo");
	chain(f, 45);
	f->a = cv_arena_new((size_t)64 << 20);
	tmptree_path(&f->t, "root", room);
	assert_int_equal(cv_view_tree_new(room, NULL, &f->v), 0);
	assert_int_equal(cv_view_root_new(room, NULL, &f->by_hand), 0);
	cv_view_tree_walk(f->by_hand);
	alarm(60);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	alarm(0);
	cv_view_free(f->v);
	cv_view_free(f->by_hand);
	cv_arena_free(f->a);
	tmptree_done(&f->t);
	free(f);
	return 0;
}

static void test_view_tree_links_stay_inside(void **state)
{
	struct fixture *f = *state;
	struct cv_view *both[] = { f->v, f->by_hand };

	for (size_t i = 0; i < 2; i++) {
		struct cv_view *v = both[i];
		struct cv_str text;
		struct cv_stat st;
		const char *path;

		assert_int_equal(cv_view_read(v, "/abs", 100, f->a, &text), 0);
		assert_string_equal(text.p, "inside");
		assert_int_equal(cv_view_realpath(v, "/usr/lib/up", f->a, &path), 0);
		assert_string_equal(path, "/etc/file");
		/* "../secret" of the root is the root's own secret, not the one beside it */
		assert_int_equal(cv_view_stat(v, "/out", &st), 0);
		assert_int_equal(st.type, CV_FT_DIR);
		assert_int_equal(cv_view_stat(v, "/out2", &st), CV_ENOENT);
		assert_int_equal(cv_view_stat(v, "/../../../secret", &st), 0);
		assert_int_equal(st.type, CV_FT_DIR);
		assert_int_equal(cv_view_stat(v, "/hostpath", &st), CV_ENOENT);
		assert_int_equal(cv_view_stat(v, "/loop", &st), CV_ELOOP);
		assert_int_equal(cv_view_lstat(v, "/loop", &st), 0);
		assert_int_equal(st.type, CV_FT_LNK);
		assert_int_equal(cv_view_stat(v, "/fileslash", &st), CV_ENOTDIR);
		assert_int_equal(cv_view_realpath(v, "/", f->a, &path), 0);
		assert_string_equal(path, "/");
		assert_int_equal(cv_view_realpath(v, "/lib/dots/deep/../up/..", f->a, &path), CV_ENOTDIR);
		assert_int_equal(cv_view_realpath(v, "/lib/..", f->a, &path), 0);
		assert_string_equal(path, "/usr"); /* not "/": the kernel's parent of a link's target */
		assert_int_equal(cv_view_stat(v, "/chain5", &st), 0); /* 40 links */
		assert_int_equal(cv_view_stat(v, "/chain4", &st), CV_ELOOP);
	}
}

/* Every operation on path, both ways, must give one answer. */
static void demand_same(struct fixture *f, const char *path)
{
	struct cv_view *both[] = { f->v, f->by_hand };
	struct cv_stat st[2] = { 0 }, lst[2] = { 0 };
	const char *link[2] = { "", "" }, *real[2] = { "", "" };
	struct cv_dirlist list[2] = { 0 };
	struct cv_str text[2] = { { "", 0 }, { "", 0 } };
	int r[2][7];

	for (size_t i = 0; i < 2; i++) {
		r[i][0] = cv_view_stat(both[i], path, &st[i]);
		r[i][1] = cv_view_lstat(both[i], path, &lst[i]);
		r[i][2] = cv_view_readlink(both[i], path, f->a, &link[i]);
		r[i][3] = cv_view_realpath(both[i], path, f->a, &real[i]);
		r[i][4] = cv_view_list(both[i], path, f->a, &list[i]);
		r[i][5] = cv_view_read(both[i], path, 1000, f->a, &text[i]);
		r[i][6] = cv_view_access(both[i], path, CV_ACCESS_R);
	}
	for (size_t k = 0; k < 7; k++)
		if (r[0][k] != r[1][k])
			fail_msg("%s: operation %zu: %d by the kernel, %d by hand", path, k, r[0][k], r[1][k]);
	assert_memory_equal(&st[0], &st[1], sizeof(st[0]));
	assert_memory_equal(&lst[0], &lst[1], sizeof(lst[0]));
	assert_string_equal(link[0], link[1]);
	assert_string_equal(real[0], real[1]);
	assert_string_equal(text[0].p, text[1].p);
	assert_int_equal(list[0].n, list[1].n);
	for (size_t i = 0; i < list[0].n; i++)
		assert_string_equal(list[0].v[i].name, list[1].v[i].name);
}

static void test_view_tree_both_ways_agree(void **state)
{
	static const char *const parts[] = { "etc", "file", "usr", "lib", "deep", "up", "dots", "..", "abs", "absdir", "out",
					     "loop", "fileslash", "dangling", "hostpath", "fifo", "secret", "none", "chain5", "chain4" };
	const size_t n = sizeof(parts) / sizeof(parts[0]);
	struct fixture *f = *state;
	char path[256];

	if (((struct cv_view *)f->v)->ops != f->by_hand->ops)
		fail();
	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "/%s", parts[i]);
		demand_same(f, path);
		for (size_t j = 0; j < n; j++) {
			snprintf(path, sizeof(path), "/%s/%s", parts[i], parts[j]);
			demand_same(f, path);
			for (size_t k = 0; k < n; k++) {
				snprintf(path, sizeof(path), "/%s/%s/%s", parts[i], parts[j], parts[k]);
				demand_same(f, path);
			}
		}
	}
}

static void test_view_tree_permissions_agree(void **state)
{
	struct fixture *f = *state;
	bool was_root = geteuid() == 0;
	struct cv_stat st;

	tmptree_file(&f->t, "root/closed/in/file", "x");
	tmptree_link(&f->t, "root/closed/link", "/etc/file");
	tmptree_link(&f->t, "root/toclosed", "closed/in/..");
	tmptree_chmod(&f->t, "root/closed/in", 0600);
	tmptree_file(&f->t, "root/unreadable", "x");
	tmptree_chmod(&f->t, "root/unreadable", 0);
	tmptree_chmod(&f->t, "root/closed", was_root ? 0700 : 0);
	if (was_root)
		assert_int_equal(seteuid(65534), 0);
	assert_int_equal(cv_view_stat(f->v, "/closed/link", &st), CV_EACCES);
	assert_int_equal(cv_view_access(f->v, "/unreadable", CV_ACCESS_R), CV_EACCES);
	demand_same(f, "/closed");
	demand_same(f, "/closed/..");
	demand_same(f, "/closed/link");
	demand_same(f, "/closed/none");
	demand_same(f, "/closed/in/file");
	demand_same(f, "/toclosed");
	demand_same(f, "/unreadable");
	if (was_root)
		assert_int_equal(seteuid(0), 0);
	tmptree_chmod(&f->t, "root/closed", 0755);
	tmptree_chmod(&f->t, "root/closed/in", 0644); /* may be listed, not searched */
	if (was_root)
		assert_int_equal(seteuid(65534), 0);
	demand_same(f, "/closed/in");
	demand_same(f, "/closed/in/..");
	demand_same(f, "/closed/in/.");
	demand_same(f, "/toclosed");
	if (was_root)
		assert_int_equal(seteuid(0), 0);
	tmptree_chmod(&f->t, "root/closed/in", 0755);
}

static void test_view_tree_limits_end(void **state)
{
	struct fixture *f = *state;
	char text[3000], path[4000];
	struct cv_stat st;
	size_t n = 0;

	/* a thousand ".." behind a deep path, each of which walks down again */
	for (int i = 0; i < 500; i++)
		n += (size_t)snprintf(path + n, sizeof(path) - n, "/etc/..");
	assert_int_equal(cv_view_stat(f->v, path, &st), 0);
	assert_int_equal(cv_view_stat(f->by_hand, path, &st), 0);
	n = 0;
	for (int i = 0; i < 700; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "../");
	snprintf(text + n, sizeof(text) - n, "etc/file");
	tmptree_link(&f->t, "root/usr/lib/deep/er/many", text);
	assert_int_equal(cv_view_stat(f->v, "/usr/lib/deep/er/many", &st), 0);
	assert_int_equal(st.size, 6);
	assert_int_equal(cv_view_stat(f->by_hand, "/usr/lib/deep/er/many", &st), 0);
}

static void test_view_tree_special_files(void **state)
{
	struct fixture *f = *state;
	struct cv_view *both[] = { f->v, f->by_hand };
	char room[PATH_MAX];
	bool have_node;
	struct cv_src *src;
	struct cv_stat st;

	/* a node that this kernel has no driver for: only its presence counts */
	have_node = mknod(tmptree_path(&f->t, "root/nvidia0", room), S_IFCHR | 0600, 0xc3fe) == 0;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(cv_view_open(both[i], "/fifo", &src), CV_ENOTREG);
		assert_int_equal(cv_view_open(both[i], "/etc", &src), CV_ENOTREG);
		if (!have_node)
			continue;
		assert_int_equal(cv_view_stat(both[i], "/nvidia0", &st), 0);
		assert_int_equal(st.type, CV_FT_CHR);
		assert_int_equal(cv_view_open(both[i], "/nvidia0", &src), CV_ENOTREG);
		if (geteuid() == 0)
			assert_int_equal(seteuid(65534), 0);
		assert_int_equal(cv_view_access(both[i], "/nvidia0", CV_ACCESS_R | CV_ACCESS_W), 0);
		assert_int_equal(seteuid(getuid()), 0);
	}
}

static void test_view_tree_has_no_environment(void **state)
{
	struct fixture *f = *state;
	const char *value;
	struct cv_ids ids;

	assert_false(f->v->live);
	assert_int_equal(cv_view_getenv(f->v, "PATH", &value), CV_ENOTASKED);
	assert_int_equal(cv_view_ids(f->v, &ids), CV_ENOTASKED);
	assert_null(cv_view_bundle_info(f->v));
}

static void test_view_tree_new_fails_with_its_name(void **state)
{
	struct fixture *f = *state;
	struct cv_view *v = NULL;
	struct cv_diag d;
	char room[PATH_MAX];

	cv_diag_init(&d, f->a);
	assert_int_equal(cv_view_tree_new("/nonexistent-dir", &d, &v), CV_ENOENT);
	assert_string_equal(d.v[0], "/nonexistent-dir: not found");
	assert_int_equal(cv_view_tree_new(tmptree_path(&f->t, "secret", room), &d, &v), CV_ENOTDIR);
	assert_null(v);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_view_tree_links_stay_inside),
		T(test_view_tree_both_ways_agree),
		T(test_view_tree_permissions_agree),
		T(test_view_tree_limits_end),
		T(test_view_tree_special_files),
		T(test_view_tree_has_no_environment),
		T(test_view_tree_new_fails_with_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
