/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "code_file.h"
#include "parse/fatpack.h"

static struct cv_arena *arena;

static int setup(void **state)
{
	(void)state;
	arena = cv_arena_new((size_t)4 << 20);
	return arena ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	cv_arena_free(arena);
	return 0;
}

/* In blocks of exactly their sizes, so that any access beside them is seen. */
static int lz4(const char *packed, size_t n, size_t size, unsigned char **ret)
{
	char *in = cv_arena_alloc(arena, n);

	*ret = cv_arena_alloc(arena, size);
	memcpy(in, packed, n);
	return cv_fatbin_unpack(CV_FATBIN_LZ4, (struct cv_str){ in, n }, *ret, size);
}

static void assert_lz4(const char *packed, size_t n, const char *want)
{
	unsigned char *out;

	assert_int_equal(lz4(packed, n, strlen(want), &out), 0);
	assert_memory_equal(out, want, strlen(want));
}

static void test_fatpack_unpacks_lz4(void **state)
{
	static const char long_run[] = "\x1f"
				       "a\1\0\xff\5"
				       "\x10"
				       "b"; /* a, 279 more of it, b */
	char want[282] = { 0 };

	(void)state;
	assert_lz4("\x30"
		   "abc", 4, "abc");
	assert_lz4("\x31"
		   "abc\3\0\x20"
		   "xy", 9, "abcabcabxy");
	memset(want, 'a', 280);
	want[280] = 'b';
	assert_lz4(long_run, sizeof(long_run) - 1, want);
}

static void test_fatpack_refuses_broken_lz4(void **state)
{
	static const struct {
		const char *p;
		size_t n, size;
	} bad[] = {
		{ "\x30"
		  "ab", 3, 3 },			/* literals behind the end */
		{ "\x30"
		  "abc", 4, 2 },		/* more than there is room for */
		{ "\x30"
		  "abc", 4, 4 },		/* less */
		{ "\x10"
		  "a\2\0", 4, 5 },		/* a match before the beginning */
		{ "\x10"
		  "a\0\0", 4, 5 },		/* distance 0 */
		{ "\x10"
		  "a\1", 3, 5 },		/* half a distance */
		{ "\x1f"
		  "a\1\0\xff", 5, 300 },	/* a length that does not end */
		{ "\xf0\xff", 2, 300 },
		{ "\x10"
		  "a\1\0", 4, 4 },		/* a match that is too long */
	};
	unsigned char *out;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(lz4(bad[i].p, bad[i].n, bad[i].size, &out), CV_EFORMAT);
	assert_int_equal(lz4("", 0, 0, &out), 0);
}

struct first {
	struct bytes file;
	unsigned char out[8192];
	size_t n;
	int r;
};

static int unpack_first(void *cookie, uint64_t at, uint64_t end, const struct cv_fatbin_entry *v, size_t n)
{
	struct first *f = cookie;
	struct cv_str packed = { (const char *)f->file.p + v[0].at, (size_t)v[0].packed_size };

	(void)at;
	(void)end;
	(void)n;
	f->n = (size_t)v[0].full_size;
	assert_true(f->n <= sizeof(f->out));
	f->r = cv_fatbin_unpack(v[0].packing, packed, f->out, f->n);
	return 0;
}

/* One cubin as fatbinary packs it: plain, LZ4 and zstd hold the same bytes. */
static void test_fatpack_unpacks_what_fatbinary_packs(void **state)
{
	static const char *const names[] = { "lz4.fatbin", "zstd.fatbin" };
	struct bytes plain = code_file_load(arena, "plain.fatbin");

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct first *f = CV_NEW(arena, struct first);
		struct cv_fatbin_sink sink = { .container = unpack_first, .cookie = f };
		struct cv_fatbin_walk w = { 0 };
		struct cv_src_mem mem;

		f->file = code_file_load(arena, names[i]);
		cv_src_mem_init(&mem, f->file.p, f->file.n, names[i]);
		assert_int_equal(cv_fatbin_walk(&mem.src, 0, f->file.n, &sink, &w), 0);
		assert_int_equal(f->r, 0);
		assert_memory_equal(f->out, plain.p + 16 + 64, f->n);
		f->file.p[16 + 64 + 30] ^= 0x55;
		w = (struct cv_fatbin_walk){ 0 };
		assert_int_equal(cv_fatbin_walk(&mem.src, 0, f->file.n, &sink, &w), 0);
		assert_true(f->r == CV_EFORMAT || memcmp(f->out, plain.p + 16 + 64, f->n) != 0);
	}
}

static void test_fatpack_knows_no_other_scheme(void **state)
{
	unsigned char out[4];

	(void)state;
	assert_int_equal(cv_fatbin_unpack(CV_FATBIN_OTHER, CV_STR("abcd"), out, 4), CV_ENOTSUP);
	assert_int_equal(cv_fatbin_unpack(CV_FATBIN_ZSTD, CV_STR("abcd"), out, 4), CV_EFORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fatpack_unpacks_lz4),
		cmocka_unit_test(test_fatpack_refuses_broken_lz4),
		cmocka_unit_test(test_fatpack_unpacks_what_fatbinary_packs),
		cmocka_unit_test(test_fatpack_knows_no_other_scheme),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
