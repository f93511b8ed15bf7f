/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parse/recindex.h"

struct fixture {
	struct cv_arena *a;
	struct cv_diag d;
	struct cv_recindex x;
};

static int setup(void **state)
{
	static struct fixture f;

	f.a = cv_arena_new((size_t)16 << 20);
	cv_diag_init(&f.d, f.a);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	cv_arena_free(((struct fixture *)*state)->a);
	return 0;
}

static int parse(struct fixture *f, const char *lines)
{
	const char *text = cv_arena_printf(f->a, "%s\n%s", CV_RECINDEX_HEAD, lines);

	cv_diag_init(&f->d, f->a);
	return cv_recindex_parse(cv_str_of(text), "b: index", f->a, &f->d, &f->x);
}

static void test_recindex_reads_each_operation(void **state)
{
	struct fixture *f = *state;
	const struct cv_rec *r;
	size_t n = 0;

	assert_int_equal(parse(f, "access /dev/x rw eacces\n"
				  "env A - ok %\n"
				  "env B - enoent\n"
				  "ids - - ok 1000 4294967295\n"
				  "list /d - ok dsub r.x la%20b\n"
				  "lstat /l - ok l 777 1 2 3 4 5 6 7\n"
				  "meta argv - ok cuvet --x\n"
				  "open /f - ok 18446744073709551615\n"
				  "read /f 000000000000000+16 ok 0\n"
				  "read /f 000000000000016+4 eio\n"
				  "read /f 000000000000020+5 ok 16\n"
				  "readlink /l - ok ..%2Fx\n"
				  "realpath /l - eloop\n"
				  "stat /%C3%A9%25 - enotdir\n"),
			 CV_EFORMAT); /* the list is not sorted: "sub" comes before ".x" */
	assert_string_equal(f->d.v[0], "b: index: line 6: directory entries are not sorted");
	assert_int_equal(parse(f, "access /dev/x rw eacces\n"
				  "env A - ok %\n"
				  "env B - enoent\n"
				  "ids - - ok 1000 4294967295\n"
				  "list /d - ok r.x la%20b dsub\n"
				  "lstat /l - ok l 777 1 2 3 4 5 6 7\n"
				  "meta argv - ok cuvet --x\n"
				  "open /f - ok 18446744073709551615\n"
				  "read /f 000000000000000+16 ok 0\n"
				  "read /f 000000000000016+4 eio\n"
				  "read /f 000000000000020+5 ok 16\n"
				  "readlink /l - ok ..%2Fx\n"
				  "realpath /l - eloop\n"
				  "stat /%C3%A9%25 - enotdir\n"),
			 0);
	assert_int_equal(f->x.n, 14);
	r = cv_recindex_find(&f->x, CV_REC_ACCESS, "/dev/x", 6, &n);
	assert_true(r && n == 1 && r->err == CV_EACCES && r->mode == 6);
	assert_null(cv_recindex_find(&f->x, CV_REC_ACCESS, "/dev/x", 4, &n));
	r = cv_recindex_find(&f->x, CV_REC_ENV, "A", 0, &n);
	assert_true(r && r->text[0] == '\0');
	r = cv_recindex_find(&f->x, CV_REC_IDS, "-", 0, &n);
	assert_true(r && r->ids.uid == 1000 && r->ids.gid == UINT32_MAX);
	r = cv_recindex_find(&f->x, CV_REC_LIST, "/d", 0, &n);
	assert_true(r && r->words.n == 3);
	assert_string_equal(r->words.v[1], "la b");
	r = cv_recindex_find(&f->x, CV_REC_LSTAT, "/l", 0, &n);
	assert_true(r && r->stat->type == 'l' && r->stat->mode == 0777 && r->stat->size == 3 && r->stat->rdev_minor == 7);
	r = cv_recindex_find(&f->x, CV_REC_OPEN, "/f", 0, &n);
	assert_true(r && r->size == UINT64_MAX);
	r = cv_recindex_find(&f->x, CV_REC_READ, "/f", 0, &n);
	assert_true(r && n == 3 && r[2].read.off == 20 && r[2].read.len == 5 && r[2].read.pos == 16 && r[1].err == CV_EIO);
	r = cv_recindex_find(&f->x, CV_REC_READLINK, "/l", 0, &n);
	assert_string_equal(r->text, "../x");
	r = cv_recindex_find(&f->x, CV_REC_STAT, "/\xc3\xa9%", 0, &n);
	assert_true(r && r->err == CV_ENOTDIR);
	assert_null(cv_recindex_find(&f->x, CV_REC_STAT, "/", 0, &n));
	assert_null(cv_recindex_find(&f->x, CV_REC_ENV, "", 0, &n));
}

static void test_recindex_neighbours_are_not_mixed_up(void **state)
{
	struct fixture *f = *state;
	const struct cv_rec *r;
	size_t n = 0;

	assert_int_equal(parse(f, "read /a 000000000000000+1 ok 0\n"
				  "read /a%20b 000000000000000+1 ok 1\n"
				  "read /a.b 000000000000000+1 ok 2\n"
				  "read /ab 000000000000000+1 ok 3\n"),
			 0);
	r = cv_recindex_find(&f->x, CV_REC_READ, "/a", 0, &n);
	assert_true(r && n == 1 && r->read.pos == 0);
	r = cv_recindex_find(&f->x, CV_REC_READ, "/a b", 0, &n);
	assert_true(r && n == 1 && r->read.pos == 1);
	r = cv_recindex_find(&f->x, CV_REC_READ, "/ab", 0, &n);
	assert_true(r && n == 1 && r->read.pos == 3);
}

static void test_recindex_rejects_what_breaks_the_format(void **state)
{
	static const struct {
		const char *line, *says;
	} bad[] = {
		{ "stat /a", "too few fields" },
		{ "stat /a -", "no outcome" },
		{ "stat /a - broken", "unknown outcome" },
		{ "stat /a - enoent x", "unknown outcome" },
		{ "look /a - enoent", "unknown operation" },
		{ "stat /a x enoent", "unknown argument" },
		{ "stat /a%2 - enoent", "bad path" },
		{ "stat /a%2f - enoent", "bad path" },
		{ "stat /a%00 - enoent", "bad path" },
		{ "stat /a\x01 - enoent", "bad path" },
		{ "stat /\xc3\xa9 - enoent", "bad path" },
		{ "stat  - enoent", "bad path" },
		{ "stat /a - ok r 644 0 0 1 1 1 0", "bad file status" },
		{ "stat /a - ok r 644 0 0 1 1 1 0 0 0", "bad file status" },
		{ "stat /a - ok r 648 0 0 1 1 1 0 0", "bad file mode" },
		{ "stat /a - ok r 77777 0 0 1 1 1 0 0", "bad file mode" },
		{ "stat /a - ok r 644 4294967296 0 1 1 1 0 0", "bad file status" },
		{ "stat /a - ok x 644 0 0 1 1 1 0 0", "bad file type" },
		{ "stat /a - ok  644 0 0 1 1 1 0 0", "bad file type" },
		{ "open /a - ok 18446744073709551616", "bad size" },
		{ "open /a - ok -1", "bad size" },
		{ "open /a - ok", "bad size" },
		{ "read /a 0+1 ok 0", "bad range" },
		{ "read /a 000000000000000+0 ok 0", "bad range" },
		{ "read /a 000000000000000+1000000000000000 ok 0", "bad range" },
		{ "read /a 000000000000000 ok 0", "bad range" },
		{ "read /a 000000000000000+1 ok x", "bad position" },
		{ "access /a wr ok", "bad access mode" },
		{ "access /a  ok", "bad access mode" },
		{ "access /a r ok x", "unknown words" },
		{ "list /a - ok x", "bad directory entry" },
		{ "list /a - ok r", "bad directory entry" },
		{ "list /a - ok ra/b", "bad directory entry" },
		{ "list /a - ok rb ra", "not sorted" },
		{ "list /a - ok ra da", "not sorted" },
		{ "readlink /a - ok a b", "bad text" },
		{ "readlink /a - ok", "bad text" },
		{ "ids - - ok 1", "bad ids" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int r = parse(f, cv_arena_printf(f->a, "env A - enoent\n%s\n", bad[i].line));

		if (cv_starts(bad[i].line, "access")) /* sorts before "env" */
			r = parse(f, cv_arena_printf(f->a, "access / - ok\n%s\n", bad[i].line));
		if (r != CV_EFORMAT)
			fail_msg("accepted (%d): %s", r, bad[i].line);
		if (f->d.n != 1 || !strstr(f->d.v[0], bad[i].says) || !cv_starts(f->d.v[0], "b: index: line 3: "))
			fail_msg("%s: says %s", bad[i].line, f->d.n ? f->d.v[0] : "nothing");
	}
}

static void test_recindex_rejects_disorder(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, "stat /b - enoent\nstat /a - enoent\n"), CV_EFORMAT);
	assert_int_equal(parse(f, "stat /a - enoent\nstat /a - enoent\n"), CV_EFORMAT);
	assert_int_equal(parse(f, "read /a 000000000000000+10 ok 0\nread /a 000000000000009+1 ok 0\n"), CV_EFORMAT);
	assert_string_equal(f->d.v[0], "b: index: line 3: ranges overlap");
	/* with an error between them too */
	assert_int_equal(parse(f, "read /a 000000000000000+10 ok 0\nread /a 000000000000005+1 eio\nread /a 000000000000009+1 ok 0\n"),
			 CV_EFORMAT);
	assert_int_equal(cv_recindex_parse(CV_STR("cuvet-record 2\n"), "b", f->a, &f->d, &f->x), CV_EFORMAT);
	assert_int_equal(cv_recindex_parse(CV_STR(""), "b", f->a, &f->d, &f->x), CV_EFORMAT);
	assert_int_equal(parse(f, ""), 0);
	assert_int_equal(f->x.n, 0);
}

static void test_recindex_writes_what_it_reads(void **state)
{
	struct fixture *f = *state;
	const char *path = "/a b\n%\xff\x7f/\xc3\xa9";
	struct cv_rec r = { .op = CV_REC_READLINK, .path = path, .text = "" };
	struct cv_buf out;
	size_t n;

	cv_buf_init(&out, 4096);
	cv_buf_puts(&out, CV_RECINDEX_HEAD "\n");
	cv_rec_write(&out, &r);
	assert_string_equal(cv_buf_str(&out), CV_RECINDEX_HEAD "\nreadlink /a%20b%0A%25%FF%7F/%C3%A9 - ok %\n");
	assert_int_equal(cv_recindex_parse((struct cv_str){ out.p, out.n }, "b", f->a, NULL, &f->x), 0);
	assert_string_equal(f->x.v[0].path, path);
	assert_ptr_equal(cv_recindex_find(&f->x, CV_REC_READLINK, path, 0, &n), f->x.v);
	cv_buf_release(&out);
	assert_true(cv_rec_err_is_answer(CV_ENOENT));
	assert_false(cv_rec_err_is_answer(CV_ENOTASKED));
	assert_false(cv_rec_err_is_answer(CV_ENOMEM));
	assert_false(cv_rec_err_is_answer(0));
}

static void test_recindex_limits_hold(void **state)
{
	struct fixture *f = *state;
	struct cv_arena *small = cv_arena_new(2000);
	struct cv_buf out;

	cv_buf_init(&out, (size_t)4 << 20);
	cv_buf_puts(&out, CV_RECINDEX_HEAD "\nlist / - ok");
	for (int i = 0; i <= CV_RECINDEX_WORDS_MAX; i++)
		cv_buf_printf(&out, " r%06d", i);
	assert_int_equal(cv_recindex_parse((struct cv_str){ out.p, out.n }, "b", f->a, &f->d, &f->x), CV_ELIMIT);
	cv_buf_release(&out);
	cv_buf_puts(&out, CV_RECINDEX_HEAD "\n");
	for (int i = 0; i < 100; i++)
		cv_buf_printf(&out, "stat /%03d - enoent\n", i);
	assert_int_equal(cv_recindex_parse((struct cv_str){ out.p, out.n }, "b", small, NULL, &f->x), CV_ENOMEM);
	assert_int_equal(cv_recindex_parse((struct cv_str){ out.p, out.n }, "b", f->a, NULL, &f->x), 0);
	assert_int_equal(f->x.n, 100);
	cv_buf_release(&out);
	cv_arena_free(small);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_recindex_reads_each_operation),
		T(test_recindex_neighbours_are_not_mixed_up),
		T(test_recindex_rejects_what_breaks_the_format),
		T(test_recindex_rejects_disorder),
		T(test_recindex_writes_what_it_reads),
		T(test_recindex_limits_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
