/* SPDX-License-Identifier: Apache-2.0 */
/* The fixtures are what `ldconfig -c new|compat|old` of glibc 2.36 wrote; tests/truth/ldcache.py has the large comparison. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "parse/ldcache.h"

struct file {
	char p[4096];
	size_t n;
	struct cv_arena *arena;
	struct cv_diag diag;
	struct cv_ldcache cache;
};

static void load(struct file *f, const char *name)
{
	FILE *h = fopen(name, "rb");

	assert_non_null(h);
	memset(f, 0, sizeof(*f));
	f->n = fread(f->p, 1, sizeof(f->p) - 1, h);
	fclose(h);
	f->arena = cv_arena_new((size_t)4 << 20);
	assert_non_null(f->arena);
	cv_diag_init(&f->diag, f->arena);
}

/* Reads the first n bytes, in memory of exactly that size and a NUL. */
static int parse(struct file *f, size_t n)
{
	char *exact = cv_arena_memdup(f->arena, f->p, n);

	f->diag.n = 0;
	return cv_ldcache_parse((struct cv_str){ exact, n }, "cache", f->arena, &f->diag, &f->cache);
}

static void check_entries(const struct file *f, bool with_hwcaps)
{
	static const struct {
		const char *key, *value, *hwcaps;
		unsigned isa;
		uint32_t flags;
	} t[] = {
		{ "libfoo.so.1", "/usr/lib/glibc-hwcaps/x86-64-v2/libfoo.so.1", "x86-64-v2", 1, 0x303 },
		{ "libfoo.so.1", "/usr/lib/glibc-hwcaps/x86-64-v3/libfoo.so.1", "x86-64-v3", 2, 0x303 },
		{ "libfoo.so.1", "/usr/lib/libfoo.so.1", NULL, 0, 0x303 },
		{ "libbar.so.2", "/opt/x/libbar.so.2", NULL, 0, 0x303 },
		{ "libbar.so.2", "/usr/lib/libbar.so.2", NULL, 0, 1 },
	};

	assert_true(f->cache.n >= 5);
	for (size_t i = 0; i < 5; i++) {
		const struct cv_ldcache_entry *e = &f->cache.v[i];

		assert_string_equal(e->key, t[i].key);
		assert_string_equal(e->value, t[i].value);
		assert_int_equal(e->flags, t[i].flags);
		assert_int_equal(cv_ldcache_is_libc6(e), t[i].flags == 0x303);
		if (t[i].flags == 0x303)
			assert_string_equal(cv_ldcache_machine(e), "x86_64");
		else
			assert_null(cv_ldcache_machine(e));
		if (with_hwcaps && t[i].hwcaps) {
			assert_string_equal(e->hwcaps, t[i].hwcaps);
			assert_int_equal(cv_ldcache_isa_level(e), t[i].isa);
		} else {
			assert_null(e->hwcaps);
			assert_int_equal(e->hwcap, 0);
		}
	}
}

static void test_ldcache_formats(void **state)
{
	static const struct {
		const char *file;
		bool has_old, has_new;
	} t[] = {
		{ TEST_DATA "/ldcache/new.cache", false, true },
		{ TEST_DATA "/ldcache/compat.cache", true, true },
		{ TEST_DATA "/ldcache/old.cache", true, false },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct file f;

		load(&f, t[i].file);
		assert_int_equal(parse(&f, f.n), 0);
		assert_int_equal(f.cache.has_old, t[i].has_old);
		assert_int_equal(f.cache.has_new, t[i].has_new);
		assert_false(f.cache.big_endian);
		assert_false(f.cache.damaged);
		check_entries(&f, t[i].has_new);
		if (t[i].has_new)
			assert_true(cv_starts(f.cache.generator, "ldconfig (Debian GLIBC 2.36"));
		else
			assert_null(f.cache.generator);
		cv_arena_free(f.arena);
	}
}

static void swap(char *p, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		char c = p[i];

		p[i] = p[n - 1 - i];
		p[n - 1 - i] = c;
	}
}

/* The new format in the other byte order, with and without the mark of 2.33. */
static void test_ldcache_big_endian(void **state)
{
	struct file f;
	uint32_t at, count;

	(void)state;
	load(&f, TEST_DATA "/ldcache/new.cache");
	memcpy(&at, f.p + 32, 4);
	memcpy(&count, f.p + at + 4, 4);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t tag, off, size;

		memcpy(&tag, f.p + at + 8 + i * 16, 4);
		memcpy(&off, f.p + at + 8 + i * 16 + 8, 4);
		memcpy(&size, f.p + at + 8 + i * 16 + 12, 4);
		for (uint32_t k = 0; tag == 1 && k < size; k += 4)
			swap(f.p + off + k, 4);
	}
	for (uint32_t k = 0; k < 8 + count * 16; k += 4)
		swap(f.p + at + k, 4);
	for (size_t i = 0; i < 5; i++) {
		for (size_t k = 0; k < 16; k += 4)
			swap(f.p + 48 + i * 24 + k, 4);
		swap(f.p + 48 + i * 24 + 16, 8);
	}
	swap(f.p + 20, 4);
	swap(f.p + 24, 4);
	swap(f.p + 32, 4);
	f.p[28] = 3;
	assert_int_equal(parse(&f, f.n), 0);
	assert_true(f.cache.big_endian);
	check_entries(&f, true);
	f.p[28] = 0;
	assert_int_equal(parse(&f, f.n), 0);
	assert_true(f.cache.big_endian);
	check_entries(&f, true);
	cv_arena_free(f.arena);
}

static void test_ldcache_damage(void **state)
{
	struct file f;

	(void)state;
	load(&f, TEST_DATA "/ldcache/new.cache");
	assert_int_equal(parse(&f, 0), CV_EFORMAT);
	assert_int_equal(parse(&f, 47), CV_EFORMAT);
	assert_string_equal(f.diag.v[0], "cache: offset 0: no cache of the loader");
	for (size_t n = 48; n < f.n; n++) {
		assert_int_equal(parse(&f, n), 0);
		assert_true(f.cache.damaged);
		assert_int_equal(f.diag.n, 1);
	}
	memset(f.p + 48 + 4, 0xff, 4); /* key of the first entry */
	assert_int_equal(parse(&f, f.n), 0);
	assert_int_equal(f.cache.bad, 1);
	assert_int_equal(f.cache.n, 4);
	assert_string_equal(f.diag.v[0], "cache: offset 48: an entry points outside of the file");
	memset(f.p + 20, 0xff, 4); /* number of entries, in both byte orders too large */
	assert_int_equal(parse(&f, f.n), 0);
	assert_true(f.cache.damaged);
	cv_arena_free(f.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ldcache_formats),
		cmocka_unit_test(test_ldcache_big_endian),
		cmocka_unit_test(test_ldcache_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
