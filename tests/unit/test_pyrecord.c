/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "parse/pyrecord.h"

struct seen {
	struct cv_buf out; /* "path|hash|size@line;" */
	int stop_after;
};

static int note(void *cookie, const struct cv_pyrecord_row *row)
{
	struct seen *s = cookie;

	cv_buf_printf(&s->out, "%.*s|%.*s|", CV_STR_ARG(row->path), CV_STR_ARG(row->hash));
	if (row->has_size)
		cv_buf_printf(&s->out, "%llu", (unsigned long long)row->size);
	cv_buf_printf(&s->out, "@%u;", row->line);
	return s->stop_after && --s->stop_after == 0 ? 7 : 0;
}

static int parse(const char *text, size_t n, struct seen *s, struct cv_pyrecord *rec)
{
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_src_mem mem;
	int r;

	cv_buf_init(&s->out, (size_t)64 << 20);
	r = cv_pyrecord_read(cv_src_mem_init(&mem, text, n, "RECORD"), a, note, s, rec);
	cv_arena_free(a);
	return r;
}

static void check(const char *text, const char *want, unsigned rows, unsigned bad, unsigned bad_line)
{
	struct seen s = { .stop_after = 0 };
	struct cv_pyrecord rec;

	assert_int_equal(parse(text, strlen(text), &s, &rec), 0);
	assert_string_equal(cv_buf_str(&s.out), want);
	assert_int_equal(rec.rows, rows);
	assert_int_equal(rec.bad_rows, bad);
	assert_int_equal(rec.bad_line, bad_line);
	cv_buf_release(&s.out);
}

static void test_pyrecord_rows(void **state)
{
	(void)state;
	check("a.py,sha256=x_-,12\r\nb.so,,\n\nRECORD,,", "a.py|sha256=x_-|12@1;b.so||@2;RECORD||@4;", 3, 0, 0);
	check("only\none,sha256=1\n", "only||@1;one|sha256=1|@2;", 2, 0, 0);
	check("", "", 0, 0, 0);
}

static void test_pyrecord_quotes(void **state)
{
	(void)state;
	check("\"a,b\"\"c\",sha256=q,3\n\"two\nlines\",,1\nx,,\n", "a,b\"c|sha256=q|3@1;two\nlines||1@2;x||@4;", 3, 0, 0);
	check("\"a\"b,,\nx,,\n", "x||@2;", 1, 1, 1);
	check("a\"b,,\n\"x,,\n", "", 0, 1, 1); /* one quote open to the other: one row */
	check("\"open,,\nx,,\n", "", 0, 1, 1);
}

static void test_pyrecord_bad_rows(void **state)
{
	(void)state;
	check("a,,\nb,,x1\nc,,,\n,,\nd,,18446744073709551616\ne,,5\n", "a||@1;e||5@6;", 2, 4, 2);
	check("a,,\ntorch/li", "a||@1;", 1, 1, 2); /* the file ends in the middle of a row */
}

static void test_pyrecord_stops(void **state)
{
	struct seen s = { .stop_after = 2 };
	struct cv_pyrecord rec;

	(void)state;
	assert_int_equal(parse("a\nb\nc\n", 6, &s, &rec), 7);
	assert_string_equal(cv_buf_str(&s.out), "a||@1;b||@2;");
	cv_buf_release(&s.out);
}

/* Rows across the borders of the work buffer, and one that is longer than any path. */
static void test_pyrecord_large(void **state)
{
	struct seen s = { .stop_after = 0 };
	struct cv_pyrecord rec;
	struct cv_buf text;

	(void)state;
	cv_buf_init(&text, (size_t)64 << 20);
	for (unsigned i = 0; i < 20000; i++)
		cv_buf_printf(&text, "pkg/%0*u.py,sha256=abc,%u\n", (int)(i % 90 + 1), i, i);
	cv_buf_fill(&text, 'x', 200000);
	cv_buf_puts(&text, "\nlast,,1\n");
	assert_int_equal(parse(text.p, text.n, &s, &rec), 0);
	assert_int_equal(rec.rows, 20001);
	assert_true(rec.bad_rows > 0);
	assert_int_equal(rec.bad_line, 20001);
	assert_true(cv_str_ends(cv_str_of(cv_buf_str(&s.out)), "last||1@20002;"));
	cv_buf_release(&s.out);
	cv_buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pyrecord_rows),	  cmocka_unit_test(test_pyrecord_quotes),
		cmocka_unit_test(test_pyrecord_bad_rows), cmocka_unit_test(test_pyrecord_stops),
		cmocka_unit_test(test_pyrecord_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
