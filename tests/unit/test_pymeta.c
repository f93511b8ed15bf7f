/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "parse/pymeta.h"

struct fixture {
	struct cv_arena *a;
	struct cv_pyheads heads;
	uint64_t furthest; /* how far the src was read */
};

struct counted {
	struct cv_src src;
	const char *p;
	uint64_t furthest;
};

static int counted_read(struct cv_src *s, uint64_t off, void *buf, size_t len)
{
	struct counted *c = (struct counted *)s;

	memcpy(buf, c->p + off, len);
	if (off + len > c->furthest)
		c->furthest = off + len;
	return 0;
}

static const struct cv_src_ops counted_ops = { .read_at = counted_read };

static int parse(struct fixture *f, const char *text, size_t n)
{
	struct counted c = { .src = { .ops = &counted_ops, .size = n }, .p = text };
	int r = cv_pyheads_read(&c.src, f->a, &f->heads);

	f->furthest = c.furthest;
	return r;
}

static int setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){ .a = cv_arena_new((size_t)8 << 20) };
	*state = &f;
	return f.a ? 0 : -1;
}

static int teardown(void **state)
{
	cv_arena_free(((struct fixture *)*state)->a);
	return 0;
}

static const char *value(struct fixture *f, const char *name)
{
	const struct cv_pyhead *h = cv_pyheads_get(&f->heads, name);

	return h ? h->value : NULL;
}

static void test_pymeta_headers(void **state)
{
	static const char text[] = "Metadata-Version: 2.1\r\nName: torch\r\nVersion:2.9.0+cu128\r\n"
				   "Requires-Dist: filelock\r\nRequires-Dist: sympy\r\n  >=1.13.3\r\n\r\nName: not-this\r\n";
	struct fixture *f = *state;
	const struct cv_pyhead *h;
	size_t at = 0;

	assert_int_equal(parse(f, text, sizeof(text) - 1), 0);
	assert_string_equal(value(f, "name"), "torch");
	assert_string_equal(value(f, "VERSION"), "2.9.0+cu128");
	assert_string_equal(cv_pyheads_next(&f->heads, "Requires-Dist", &at)->value, "filelock");
	h = cv_pyheads_next(&f->heads, "Requires-Dist", &at);
	assert_string_equal(h->value, "sympy >=1.13.3");
	assert_int_equal(h->line, 5);
	assert_null(cv_pyheads_next(&f->heads, "Requires-Dist", &at));
	assert_int_equal(f->heads.bad_line, 0);
	assert_null(value(f, "License"));
}

/* Like email.feedparser, the first line that is no header ends them. */
static void test_pymeta_damage(void **state)
{
	static const char text[] = "Name: a\n\0\1\2garbage\nVersion: 1\n";
	static const char folded_first[] = " folded\nName: a\n";
	struct fixture *f = *state;

	assert_int_equal(parse(f, text, sizeof(text) - 1), 0);
	assert_string_equal(value(f, "Name"), "a");
	assert_null(value(f, "Version"));
	assert_int_equal(f->heads.bad_line, 2);
	assert_int_equal(parse(f, folded_first, sizeof(folded_first) - 1), 0);
	assert_int_equal(f->heads.bad_line, 1);
	assert_int_equal(parse(f, "", 0), 0);
	assert_int_equal(f->heads.all.n, 0);
	assert_int_equal(parse(f, "Name", 4), 0);
	assert_int_equal(f->heads.bad_line, 1);
}

/* A description of megabytes behind the headers is not read. */
static void test_pymeta_stops_at_body(void **state)
{
	struct fixture *f = *state;
	size_t n = (size_t)4 << 20;
	char *text = cv_arena_alloc(f->a, n);

	assert_non_null(text);
	memset(text, 'x', n);
	memcpy(text, "Name: a\nVersion: 1\n\n", 20);
	assert_int_equal(parse(f, text, n), 0);
	assert_string_equal(value(f, "Version"), "1");
	assert_true(f->furthest <= 8192);
	memset(text, ':', n); /* never an end */
	assert_int_equal(parse(f, text, n), CV_ELIMIT);
}

/* The empty line on the border between two chunks. */
static void test_pymeta_chunk_border(void **state)
{
	struct fixture *f = *state;

	for (size_t pad = 8192 - 30; pad < 8192 + 4; pad++) {
		char *text = cv_arena_alloc(f->a, 10000);
		size_t n = 0;

		assert_non_null(text);
		memcpy(text, "Name: a\nX: ", 11);
		memset(text + 11, 'y', pad);
		n = 11 + pad;
		memcpy(text + n, "\nVersion: 1\r\n\r\nLate: 1\n", 24);
		n += 23;
		assert_int_equal(parse(f, text, n), 0);
		assert_string_equal(value(f, "Version"), "1");
		assert_null(value(f, "Late"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pymeta_headers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pymeta_damage, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pymeta_stops_at_body, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pymeta_chunk_border, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
