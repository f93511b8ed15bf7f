/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/gram.h"

struct found {
	size_t n, which[64], pos[64];
};

static void on_hit(void *cookie, size_t which, size_t pos)
{
	struct found *f = cookie;

	if (f->n < 64) {
		f->which[f->n] = which;
		f->pos[f->n++] = pos;
	}
}

static struct found scan(const char *const *words, size_t n, const char *text, size_t len)
{
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_str literals[16];
	struct cv_gram *g;
	struct found f = { 0 };

	for (size_t i = 0; i < n; i++)
		literals[i] = cv_str_of(words[i]);
	assert_int_equal(cv_gram_new(a, literals, n, &g), 0);
	cv_gram_scan(g, text, len, on_hit, &f);
	cv_arena_free(a);
	return f;
}

/* At each of the four alignments, and at both ends of the text. */
static void test_gram_finds_at_every_offset(void **state)
{
	const char *word = "no kernel image";

	(void)state;
	for (size_t off = 0; off < 9; off++)
		for (size_t tail = 0; tail < 5; tail++) {
			char text[64];
			struct found f;

			memset(text, '.', sizeof(text));
			memcpy(text + off, word, strlen(word));
			f = scan(&word, 1, text, off + strlen(word) + tail);
			assert_int_equal(f.n, 1);
			assert_int_equal(f.pos[0], off);
		}
}

static void test_gram_ignores_case_and_finds_short_ones(void **state)
{
	const char *words[] = { "CUDA out of memory", "Xid:" };
	const char *text = "x xid: 1, cuda OUT of Memory, CUDA out of memor";
	struct found f = scan(words, 2, text, strlen(text));

	(void)state;
	assert_int_equal(f.n, 2);
	assert_int_equal(f.which[0], 0);
	assert_int_equal(f.pos[0], 10);
	assert_int_equal(f.which[1], 1);
	assert_int_equal(f.pos[1], 2);
}

static void test_gram_refuses_what_is_too_short(void **state)
{
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_str word = CV_STR("GPU");
	struct cv_gram *g = NULL;

	(void)state;
	assert_int_equal(cv_gram_new(a, &word, 1, &g), CV_EINVAL);
	assert_null(g);
	cv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gram_finds_at_every_offset),
		cmocka_unit_test(test_gram_ignores_case_and_finds_short_ones),
		cmocka_unit_test(test_gram_refuses_what_is_too_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
