/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <archive.h>
#include <archive_entry.h>

#include "base/buf.h"
#include "tmptree.h"
#include "view/ranges.h"
#include "view/view.h"

/* A made-up machine as a tree, with an environment laid over it; recorded; and the bundle of that. */
struct fixture {
	struct tmptree t;
	struct cv_view *live, *record, *bundle;
	struct cv_arena *a;
	struct cv_diag d;
	char file[PATH_MAX];
};

static const char *const env[] = { "HOME=/home/al ice", "EMPTY=", "GONE" };
static const char *const argv[] = { "cuvet", "check", "--set", "A=b c" };

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct cv_view *tree;
	char big[70000], room[PATH_MAX];

	assert_non_null(f);
	tmptree_init(&f->t);
	tmptree_file(&f->t, "root/etc/os-release", "ID=debian\n");
	tmptree_file(&f->t, "root/etc/copy", "ID=debian\n");
	tmptree_file(&f->t, "root/etc/empty", "");
	tmptree_file(&f->t, "root/odd/a b\n%\xff", "odd");
	tmptree_link(&f->t, "root/link", "etc/os-release");
	tmptree_link(&f->t, "root/loop", "loop");
	tmptree_fifo(&f->t, "root/fifo");
	for (size_t i = 0; i < sizeof(big); i++)
		big[i] = (char)(1 + (i * 7 + i / 251) % 255); /* no NUL: answers are compared as text */
	tmptree_bytes(&f->t, "root/lib/big.so", big, sizeof(big));
	f->a = cv_arena_new((size_t)64 << 20);
	cv_diag_init(&f->d, f->a);
	assert_int_equal(cv_view_tree_new(tmptree_path(&f->t, "root", room), NULL, &tree), 0);
	assert_int_equal(cv_view_setenv_new(tree, env, 3, &f->live), 0);
	tmptree_path(&f->t, "out.tar.zst", f->file);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	cv_view_free(f->bundle);
	cv_view_free(f->record ? f->record : f->live);
	cv_arena_free(f->a);
	tmptree_done(&f->t);
	free(f);
	return 0;
}

static const char *const paths[] = {
	"/", "/etc", "/etc/os-release", "/etc/copy", "/etc/empty", "/etc/none", "/etc/os-release/x", "/link", "/loop", "/fifo",
	"/odd", "/odd/a b\n%\xff", "/lib/big.so", "/proc",
};

#define N(list) (sizeof(list) / sizeof((list)[0]))

static void say_stat(struct cv_buf *out, int r, const struct cv_stat *st)
{
	cv_buf_printf(out, " %d", r);
	if (r == 0)
		cv_buf_printf(out, "(%d %o %u %u %llu %llu %llu %u:%u)", (int)st->type, st->mode, st->uid, st->gid,
			      (unsigned long long)st->size, (unsigned long long)st->dev, (unsigned long long)st->ino,
			      st->rdev_major, st->rdev_minor);
}

/* All that a view says to all questions, as one text. */
static void say_path(struct fixture *f, struct cv_view *v, const char *path, struct cv_buf *out)
{
	struct cv_dirlist list = { 0 };
	struct cv_stat st = { 0 };
	struct cv_str text = { "", 0 };
	const char *s = "";
	int r = cv_view_stat(v, path, &st);

	cv_buf_printf(out, "%s:", path);
	say_stat(out, r, &st);
	r = cv_view_lstat(v, path, &st);
	say_stat(out, r, &st);
	r = cv_view_readlink(v, path, f->a, &s);
	cv_buf_printf(out, " %d %s", r, s);
	r = cv_view_realpath(v, path, f->a, &s);
	cv_buf_printf(out, " %d %s", r, s);
	r = cv_view_list(v, path, f->a, &list);
	cv_buf_printf(out, " %d", r);
	for (size_t i = 0; i < list.n; i++)
		cv_buf_printf(out, " %d%s", (int)list.v[i].type, list.v[i].name);
	for (int mode = 0; mode < 8; mode++)
		cv_buf_printf(out, " %d", cv_view_access(v, path, mode));
	r = cv_starts(path, "/lib") ? 0 : cv_view_read(v, path, 100, f->a, &text);
	cv_buf_printf(out, " %d %s\n", r, text.p);
}

static void say_ranges(struct cv_view *v, struct cv_buf *out)
{
	static const struct {
		uint64_t off;
		size_t len;
	} ranges[] = { { 100, 50 }, { 0, 64 }, { 150, 10 }, { 64, 36 }, { 60000, 10000 }, { 69990, 100 }, { 5000, 1 }, { 4998, 5 } };
	unsigned char room[10000];
	struct cv_src *src;

	assert_int_equal(cv_view_open(v, "/lib/big.so", &src), 0);
	cv_buf_printf(out, "size %llu\n", (unsigned long long)src->size);
	for (size_t i = 0; i < N(ranges); i++) {
		int r = cv_src_read(src, ranges[i].off, room, ranges[i].len);

		cv_buf_printf(out, "range %d ", r);
		cv_buf_add(out, room, r == 0 ? ranges[i].len : 0);
	}
	cv_src_close(src);
}

static const char *say_all(struct fixture *f, struct cv_view *v)
{
	static const char *const vars[] = { "HOME", "EMPTY", "GONE", "PATH" };
	struct cv_buf out;
	struct cv_ids ids;
	const char *s;

	cv_buf_init(&out, (size_t)4 << 20);
	for (size_t i = 0; i < N(paths); i++)
		say_path(f, v, paths[i], &out);
	say_ranges(v, &out);
	for (size_t i = 0; i < N(vars); i++) {
		s = "";
		cv_buf_printf(&out, "%s %d", vars[i], cv_view_getenv(v, vars[i], &s));
		cv_buf_printf(&out, " %s\n", s);
	}
	cv_buf_printf(&out, "ids %d\n", cv_view_ids(v, &ids));
	assert_int_equal(out.err, 0);
	s = cv_arena_memdup(f->a, out.p, out.n);
	cv_buf_release(&out);
	return s;
}

static void make_record(struct fixture *f)
{
	assert_int_equal(cv_view_record_new(f->live, &f->record), 0);
}

static void write_and_load(struct fixture *f, bool redact)
{
	if (cv_record_write(f->record, f->file, argv, N(argv), redact, &f->d) < 0)
		fail_msg("%s", f->d.v[0]);
	if (cv_view_bundle_new(f->file, &f->d, &f->bundle) < 0)
		fail_msg("%s", f->d.v[0]);
}

static void test_view_record_changes_no_answer(void **state)
{
	struct fixture *f = *state;
	const char *want = say_all(f, f->live);

	make_record(f);
	assert_string_equal(say_all(f, f->record), want);
	assert_string_equal(say_all(f, f->record), want); /* from the notes */
}

static void test_view_record_bundle_equals_live(void **state)
{
	struct fixture *f = *state;
	const char *want = say_all(f, f->live);
	const struct cv_bundle_info *info;

	make_record(f);
	say_all(f, f->record);
	write_and_load(f, false);
	assert_string_equal(say_all(f, f->bundle), want);
	info = cv_view_bundle_info(f->bundle);
	assert_int_equal(info->argc, 4);
	assert_string_equal(info->argv[3], "A=b c");
	assert_false(info->redacted);
	assert_false(f->bundle->live);
	assert_null(cv_view_bundle_info(f->record));
}

/* The record of a replay is the record again, byte by byte. */
static void test_view_record_of_a_bundle_is_the_same(void **state)
{
	struct fixture *f = *state;
	struct cv_view *again;
	struct cv_str first, second;
	struct cv_view *host;
	char file2[PATH_MAX];

	make_record(f);
	say_all(f, f->record);
	write_and_load(f, false);
	assert_int_equal(cv_view_record_new(f->bundle, &again), 0);
	f->bundle = NULL;
	say_all(f, again);
	tmptree_path(&f->t, "again.tar.zst", file2);
	assert_int_equal(cv_record_write(again, file2, argv, N(argv), false, &f->d), 0);
	cv_view_free(again);
	assert_int_equal(cv_view_host_new(NULL, &host), 0);
	assert_int_equal(cv_view_read(host, f->file, 1 << 20, f->a, &first), 0);
	assert_int_equal(cv_view_read(host, file2, 1 << 20, f->a, &second), 0);
	assert_true(cv_str_eq(first, second));
	cv_view_free(host);
}

static void test_view_record_unasked_is_not_absent(void **state)
{
	struct fixture *f = *state;
	struct cv_stat st;
	struct cv_src *src;
	struct cv_ids ids;
	const char *s;
	char room[200];

	make_record(f);
	assert_int_equal(cv_view_stat(f->record, "/gone", &st), CV_ENOENT);
	assert_int_equal(cv_view_open(f->record, "/lib/big.so", &src), 0);
	assert_int_equal(cv_src_read(src, 100, room, 100), 0);
	cv_src_close(src);
	write_and_load(f, false);
	assert_int_equal(cv_view_stat(f->bundle, "/gone", &st), CV_ENOENT);
	assert_int_equal(cv_view_lstat(f->bundle, "/gone", &st), CV_ENOTASKED);
	assert_int_equal(cv_view_stat(f->bundle, "/gone/below", &st), CV_ENOTASKED); /* nothing is concluded */
	assert_int_equal(cv_view_open(f->bundle, "/etc/copy", &src), CV_ENOTASKED);
	assert_int_equal(cv_view_access(f->bundle, "/gone", 4), CV_ENOTASKED);
	assert_int_equal(cv_view_getenv(f->bundle, "HOME", &s), CV_ENOTASKED);
	assert_int_equal(cv_view_ids(f->bundle, &ids), CV_ENOTASKED);
	assert_int_equal(cv_view_open(f->bundle, "/lib/big.so", &src), 0);
	assert_int_equal(cv_src_read(src, 120, room, 30), 0);
	assert_int_equal(cv_src_read(src, 99, room, 1), CV_ENOTASKED);
	assert_int_equal(cv_src_read(src, 150, room, 51), CV_ENOTASKED); /* one byte more than was read */
	assert_int_equal(cv_src_read(src, 0, room, 1), CV_ENOTASKED);
	assert_int_equal(cv_src_read(src, 70000, room, 1), CV_EFORMAT); /* the size is known */
	cv_src_close(src);
}

/* --- changing bundles --- */

struct pair {
	struct cv_str index, blobs;
};

static struct pair unpack(struct fixture *f, const char *file)
{
	struct archive *ar = archive_read_new();
	struct archive_entry *e;
	struct pair p = { 0 };

	archive_read_support_format_tar(ar);
	archive_read_support_filter_zstd(ar);
	assert_int_equal(archive_read_open_filename(ar, file, 4096), ARCHIVE_OK);
	for (int i = 0; i < 2; i++) {
		struct cv_str *s = i ? &p.blobs : &p.index;
		char *room;

		assert_int_equal(archive_read_next_header(ar, &e), ARCHIVE_OK);
		assert_string_equal(archive_entry_pathname(e), i ? "blobs" : "index");
		s->n = (size_t)archive_entry_size(e);
		s->p = room = cv_arena_alloc(f->a, s->n + 1);
		assert_int_equal(archive_read_data(ar, room, s->n), s->n);
	}
	assert_int_equal(archive_read_next_header(ar, &e), ARCHIVE_EOF);
	archive_read_free(ar);
	return p;
}

static void put_member(struct archive *ar, const char *name, struct cv_str text)
{
	struct archive_entry *e = archive_entry_new();

	archive_entry_set_pathname(e, name);
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_size(e, (int64_t)text.n);
	assert_int_equal(archive_write_header(ar, e), ARCHIVE_OK);
	assert_int_equal(archive_write_data(ar, text.p, text.n), text.n);
	archive_entry_free(e);
}

static void pack(const char *file, struct pair p, const char *extra)
{
	struct archive *ar = archive_write_new();

	archive_write_set_format_ustar(ar);
	archive_write_add_filter_zstd(ar);
	assert_int_equal(archive_write_open_filename(ar, file), ARCHIVE_OK);
	if (extra)
		put_member(ar, extra, CV_STR("text"));
	if (p.index.p)
		put_member(ar, "index", p.index);
	if (p.blobs.p)
		put_member(ar, "blobs", p.blobs);
	archive_write_close(ar);
	archive_write_free(ar);
}

/* Each line taken away turns exactly its own answer into not-asked: so no other line stands in for it. */
static void test_view_record_each_deleted_line_is_not_asked(void **state)
{
	struct fixture *f = *state;
	struct pair p, cut;
	const char *want;
	size_t lines = 0;

	make_record(f);
	want = say_all(f, f->record);
	write_and_load(f, false);
	p = unpack(f, f->file);
	assert_true(cv_str_starts(p.index, "cuvet-record 1\naccess "));
	for (size_t at = sizeof("cuvet-record 1\n") - 1; at < p.index.n; lines++) {
		size_t len = (size_t)cv_str_chr(cv_str_from(p.index, at), '\n') + 1;
		struct cv_arena *a = f->a;
		const char *got;
		char *text;

		f->a = cv_arena_new((size_t)64 << 20);
		text = cv_arena_alloc(f->a, p.index.n);
		memcpy(text, p.index.p, at);
		memcpy(text + at, p.index.p + at + len, p.index.n - at - len);
		cut = (struct pair){ { text, p.index.n - len }, p.blobs };
		pack(f->file, cut, NULL);
		cv_view_free(f->bundle);
		f->bundle = NULL;
		assert_int_equal(cv_view_bundle_new(f->file, NULL, &f->bundle), 0);
		if (cv_str_starts(cv_str_from(p.index, at), "open /lib/big.so ")) {
			struct cv_src *src;

			assert_int_equal(cv_view_open(f->bundle, "/lib/big.so", &src), CV_ENOTASKED);
		} else {
			got = say_all(f, f->bundle);
			if (cv_str_starts(cv_str_from(p.index, at), "meta "))
				assert_string_equal(got, want);
			else if (cv_streq(got, want) || !strstr(got, " -9"))
				fail_msg("no change without line: %.*s", (int)len, p.index.p + at);
		}
		cv_arena_free(f->a);
		f->a = a;
		at += len;
	}
	assert_true(lines > 150);
}

static int load_packed(struct fixture *f, struct pair p, const char *extra)
{
	struct cv_view *v = NULL;
	int r;

	pack(f->file, p, extra);
	cv_diag_init(&f->d, f->a);
	r = cv_view_bundle_new(f->file, &f->d, &v);
	cv_view_free(v);
	return r;
}

static void demand_message(struct fixture *f, const char *says)
{
	if (f->d.n != 1 || !cv_starts(f->d.v[0], f->file) || !strstr(f->d.v[0], says))
		fail_msg("says \"%s\", not \"%s\"", f->d.n ? f->d.v[0] : "", says);
}

static void test_view_record_hostile_bundles(void **state)
{
	struct fixture *f = *state;
	struct pair good = { CV_STR("cuvet-record 1\nopen /a - ok 4\nread /a 000000000000000+4 ok 0\n"), CV_STR("text") };
	struct pair p = good;
	struct cv_view *v = NULL;
	char room[PATH_MAX];

	assert_int_equal(load_packed(f, good, NULL), 0);
	assert_int_equal(load_packed(f, good, "README"), 0); /* members of later versions */
	assert_int_equal(load_packed(f, good, "index"), CV_EFORMAT);
	demand_message(f, ": index: not one plain member");
	p.blobs.n = 3;
	assert_int_equal(load_packed(f, p, NULL), CV_EFORMAT);
	demand_message(f, ": index: line 3: range outside the blobs");
	p.blobs = (struct cv_str){ 0 };
	assert_int_equal(load_packed(f, p, NULL), CV_EFORMAT);
	p.index = (struct cv_str){ 0 };
	assert_int_equal(load_packed(f, p, "README"), CV_EFORMAT);
	demand_message(f, ": not a bundle: it has no index");
	p.index = CV_STR("cuvet-record 1\nopen /a - ok 4\nread /a 000000000000001+4 ok 18446744073709551615\n");
	p.blobs = CV_STR("text");
	assert_int_equal(load_packed(f, p, NULL), CV_EFORMAT);
	demand_message(f, ": index: line 3: range outside the blobs");
	p.index = CV_STR("cuvet-record 1\nopen /a - ok x\n");
	assert_int_equal(load_packed(f, p, NULL), CV_EFORMAT);
	demand_message(f, ": index: line 2: bad size");
	cv_diag_init(&f->d, f->a);
	tmptree_file(&f->t, "text", "just some text that is no archive\n");
	assert_int_equal(cv_view_bundle_new(tmptree_path(&f->t, "text", room), &f->d, &v), CV_EFORMAT);
	assert_non_null(strstr(f->d.v[0], "/text: not a bundle: "));
	assert_int_equal(cv_view_bundle_new(tmptree_path(&f->t, "none", room), &f->d, &v), CV_ENOENT);
	assert_int_equal(cv_view_bundle_new(tmptree_path(&f->t, "root/fifo", room), &f->d, &v), CV_ENOTREG);
	assert_int_equal(cv_view_root_new(tmptree_path(&f->t, "text", room), &f->d, &v), CV_EFORMAT);
	assert_null(v);
}

/* A bundle cut off or damaged anywhere fails or answers, but does no harm. */
static void test_view_record_damaged_bundles(void **state)
{
	struct fixture *f = *state;
	struct cv_view *host;
	struct cv_str whole;
	unsigned failed = 0, rounds = 0;

	make_record(f);
	say_all(f, f->record);
	write_and_load(f, false);
	assert_int_equal(cv_view_host_new(NULL, &host), 0);
	assert_int_equal(cv_view_read(host, f->file, 1 << 20, f->a, &whole), 0);
	cv_view_free(host);
	for (size_t i = 0; i < whole.n; i += 97, rounds++) {
		struct cv_view *v = NULL;
		struct cv_stat st;
		char *text = cv_arena_memdup(f->a, whole.p, whole.n);

		text[i] = (char)(text[i] ^ 0x41);
		tmptree_bytes(&f->t, "out.tar.zst", text, rounds % 2 ? whole.n : i);
		if (cv_view_bundle_new(f->file, NULL, &v) < 0)
			failed++;
		else
			cv_view_stat(v, "/etc", &st);
		cv_view_free(v);
	}
	assert_true(failed > rounds / 2);
}

/* --- writing --- */

static size_t entries_beside(struct fixture *f)
{
	struct cv_view *host;
	struct cv_dirlist list = { 0 };

	assert_int_equal(cv_view_host_new(NULL, &host), 0);
	assert_int_equal(cv_view_list(host, f->t.dir, f->a, &list), 0);
	cv_view_free(host);
	return list.n;
}

static void test_view_record_write_leaves_nothing_behind(void **state)
{
	struct fixture *f = *state;
	char room[PATH_MAX];
	struct stat st;

	make_record(f);
	say_all(f, f->record);
	assert_int_equal(entries_beside(f), 1);
	assert_int_equal(cv_record_write(f->record, tmptree_path(&f->t, "none/x", room), NULL, 0, false, &f->d), CV_ENOENT);
	assert_non_null(strstr(f->d.v[0], "none/x"));
	/* over a directory, a device, a pipe */
	assert_int_equal(cv_record_write(f->record, tmptree_path(&f->t, "root/etc", room), NULL, 0, false, &f->d), CV_ENOTREG);
	assert_int_equal(cv_record_write(f->record, tmptree_path(&f->t, "root/fifo", room), NULL, 0, false, &f->d), CV_ENOTREG);
	assert_int_equal(cv_record_write(f->record, "/dev/null", NULL, 0, false, &f->d), CV_ENOTREG);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	if (access("/dev/full", W_OK) == 0 && symlink("/dev/full", tmptree_path(&f->t, "full", room)) == 0)
		assert_int_equal(cv_record_write(f->record, room, NULL, 0, false, &f->d), CV_ENOTREG);
	unlink(room);
	assert_int_equal(entries_beside(f), 1);
	assert_int_equal(cv_record_write(f->live, f->file, NULL, 0, false, &f->d), CV_EINVAL);
	assert_int_equal(cv_record_write(f->record, f->file, NULL, 0, false, &f->d), 0);
	assert_int_equal(entries_beside(f), 2);
	assert_int_equal(stat(f->file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600); /* it holds the environment */
	assert_int_equal(cv_record_write(f->record, f->file, NULL, 0, true, &f->d), 0); /* takes the old one's place */
	assert_int_equal(entries_beside(f), 2);
}

static void test_view_record_blobs_are_shared(void **state)
{
	struct fixture *f = *state;
	struct cv_str text;
	struct pair p;

	make_record(f);
	assert_int_equal(cv_view_read(f->record, "/etc/os-release", 100, f->a, &text), 0);
	assert_int_equal(cv_view_read(f->record, "/etc/copy", 100, f->a, &text), 0);
	assert_int_equal(cv_view_read(f->record, "/link", 100, f->a, &text), 0);
	write_and_load(f, false);
	p = unpack(f, f->file);
	assert_int_equal(p.blobs.n, 10);
	assert_true(cv_str_find(p.index, "\nread /etc/copy 000000000000000+10 ok 0\n") > 0);
	assert_true(cv_str_find(p.index, "\nread /link 000000000000000+10 ok 0\n") > 0);
}

/* A file of the system that changes between two looks is the same file in one run, and in its replay. */
static void test_view_record_sees_one_state(void **state)
{
	struct fixture *f = *state;
	struct cv_str first, second, third;

	make_record(f);
	assert_int_equal(cv_view_read(f->record, "/etc/os-release", 100, f->a, &first), 0);
	tmptree_file(&f->t, "root/etc/os-release", "ID=changed-and-longer\n");
	assert_int_equal(cv_view_read(f->record, "/etc/os-release", 100, f->a, &second), 0);
	assert_true(cv_str_eq(first, second));
	write_and_load(f, false);
	assert_int_equal(cv_view_read(f->bundle, "/etc/os-release", 100, f->a, &third), 0);
	assert_true(cv_str_eq(first, third));
}

static void test_view_record_notes_read_errors(void **state)
{
	struct fixture *f = *state;
	struct cv_src *src;
	char room[16], path[PATH_MAX];

	make_record(f);
	assert_int_equal(cv_view_open(f->record, "/lib/big.so", &src), 0);
	assert_int_equal(truncate(tmptree_path(&f->t, "root/lib/big.so", path), 100), 0);
	assert_int_equal(cv_src_read(src, 50, room, 16), 0);
	assert_int_equal(cv_src_read(src, 95, room, 16), CV_EIO);
	cv_src_close(src);
	write_and_load(f, false);
	assert_int_equal(cv_view_open(f->bundle, "/lib/big.so", &src), 0);
	assert_int_equal(cv_src_read(src, 50, room, 16), 0);
	assert_int_equal(cv_src_read(src, 95, room, 16), CV_EIO);
	assert_int_equal(cv_src_read(src, 95, room, 15), CV_ENOTASKED);
	cv_src_close(src);
}

/* --- ranges against a plain model --- */

static void test_view_record_ranges_merge(void **state)
{
	enum { SIZE = 4096 };
	unsigned char file[SIZE];
	uint32_t rnd = 1;

	(void)state;
	for (size_t i = 0; i < SIZE; i++)
		file[i] = (unsigned char)(i * 31 + i / 256);
	for (int round = 0; round < 200; round++) {
		bool known[SIZE] = { false };
		struct cv_ranges r = { 0 };
		size_t budget = SIZE, count = 0, runs = 0;

		for (int step = 0; step < 60; step++) {
			size_t off, len;

			rnd = rnd * 1664525u + 1013904223u;
			off = (rnd >> 8) % SIZE;
			rnd = rnd * 1664525u + 1013904223u;
			len = (rnd >> 8) % (round % 2 ? 40 : 400);
			if (len > SIZE - off)
				len = SIZE - off;
			assert_int_equal(cv_ranges_add(&r, off, file + off, len, &budget), 0);
			for (size_t i = off; i < off + len; i++)
				known[i] = true;
		}
		for (size_t i = 0; i < SIZE; i++) {
			const struct cv_range *at = cv_ranges_find(&r, i, 1);

			assert_int_equal(at != NULL, known[i]);
			if (at)
				assert_int_equal(at->p[i - at->off], file[i]);
			count += known[i];
			runs += known[i] && (i == 0 || !known[i - 1]);
		}
		assert_int_equal(r.n, runs); /* what touches is one */
		assert_int_equal(budget, SIZE - count);
		cv_ranges_release(&r);
	}
}

static void test_view_record_ranges_keep_a_budget(void **state)
{
	struct cv_ranges r = { 0 };
	size_t budget = 10;

	(void)state;
	assert_int_equal(cv_ranges_add(&r, 0, "12345678", 8, &budget), 0);
	assert_int_equal(cv_ranges_add(&r, 4, "abcdefg", 7, &budget), CV_ELIMIT);
	assert_int_equal(r.v[0].len, 8);
	assert_int_equal(cv_ranges_add(&r, 4, "abcdef", 6, &budget), 0); /* only 2 of them are new */
	assert_int_equal(budget, 0);
	assert_memory_equal(r.v[0].p, "12345678ef", 10); /* what was known stays */
	assert_int_equal(cv_ranges_add(&r, 2, "xxxx", 4, &budget), 0);
	cv_ranges_release(&r);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_view_record_changes_no_answer),
		T(test_view_record_bundle_equals_live),
		T(test_view_record_of_a_bundle_is_the_same),
		T(test_view_record_unasked_is_not_absent),
		T(test_view_record_each_deleted_line_is_not_asked),
		T(test_view_record_hostile_bundles),
		T(test_view_record_damaged_bundles),
		T(test_view_record_write_leaves_nothing_behind),
		T(test_view_record_blobs_are_shared),
		T(test_view_record_sees_one_state),
		T(test_view_record_notes_read_errors),
		cmocka_unit_test(test_view_record_ranges_merge),
		cmocka_unit_test(test_view_record_ranges_keep_a_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
