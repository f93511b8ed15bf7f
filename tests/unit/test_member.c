/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <archive.h>
#include <archive_entry.h>

#include "view/member.h"

#define ZIP_MAX ((size_t)8 << 20)

struct zip {
	unsigned char *p;
	size_t n;
	struct archive *ar;
};

static struct cv_arena *arena;
static struct cv_diag diag;

static int setup(void **state)
{
	(void)state;
	arena = cv_arena_new((size_t)64 << 20);
	if (!arena)
		return -1;
	cv_diag_init(&diag, arena);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cv_arena_free(arena);
	return 0;
}

static void zip_begin(struct zip *z)
{
	z->p = malloc(ZIP_MAX);
	assert_non_null(z->p);
	z->n = 0;
	z->ar = archive_write_new();
	assert_non_null(z->ar);
	assert_int_equal(archive_write_set_format_zip(z->ar), ARCHIVE_OK);
	assert_int_equal(archive_write_set_bytes_in_last_block(z->ar, 1), ARCHIVE_OK);
	assert_int_equal(archive_write_open_memory(z->ar, z->p, ZIP_MAX, &z->n), ARCHIVE_OK);
}

/* How the byte at an offset of a long member is made. */
static unsigned char pattern(uint64_t off, unsigned seed)
{
	return (unsigned char)((off * 2654435761u >> 13) + off / 4096 + seed);
}

static void zip_add(struct zip *z, const char *name, size_t size, unsigned seed, bool deflate)
{
	struct archive_entry *e = archive_entry_new();
	unsigned char buf[65536];

	if (deflate)
		assert_int_equal(archive_write_zip_set_compression_deflate(z->ar), ARCHIVE_OK);
	else
		assert_int_equal(archive_write_zip_set_compression_store(z->ar), ARCHIVE_OK);
	archive_entry_set_pathname(e, name);
	archive_entry_set_size(e, (la_int64_t)size);
	archive_entry_set_filetype(e, name[strlen(name) - 1] == '/' ? AE_IFDIR : AE_IFREG);
	archive_entry_set_perm(e, 0644);
	assert_int_equal(archive_write_header(z->ar, e), ARCHIVE_OK);
	archive_entry_free(e);
	for (size_t at = 0; at < size; at += sizeof(buf)) {
		size_t n = size - at < sizeof(buf) ? size - at : sizeof(buf);

		for (size_t i = 0; i < n; i++)
			buf[i] = seed ? pattern(at + i, seed) : 0;
		assert_int_equal(archive_write_data(z->ar, buf, n), n);
	}
}

static void zip_end(struct zip *z)
{
	assert_int_equal(archive_write_close(z->ar), ARCHIVE_OK);
	assert_int_equal(archive_write_free(z->ar), ARCHIVE_OK);
}

static void assert_bytes(struct cv_src *s, uint64_t off, size_t n, unsigned seed)
{
	unsigned char buf[8192];

	assert_int_equal(cv_src_read(s, off, buf, n), 0);
	for (size_t i = 0; i < n; i++)
		if (buf[i] != (seed ? pattern(off + i, seed) : 0))
			fail_msg("byte %llu of %s", (unsigned long long)off + i, s->name);
}

static struct cv_members *open_zip(struct cv_src_mem *mem, const struct zip *z)
{
	struct cv_members *m;

	assert_int_equal(cv_members_open(cv_src_mem_init(mem, z->p, z->n, "a.whl"), &diag, &m), 0);
	return m;
}

static void test_member_reads_packed_and_stored_files(void **state)
{
	struct cv_src_mem mem;
	struct cv_members *m;
	struct cv_member f;
	struct zip z;

	(void)state;
	zip_begin(&z);
	zip_add(&z, "pkg/", 0, 0, false);
	zip_add(&z, "pkg/stored.so", 100000, 1, false);
	zip_add(&z, "pkg/empty.so", 0, 0, false);
	zip_add(&z, "pkg/packed.so", 300000, 2, true);
	zip_add(&z, "pkg/packed.so", 5000, 3, true); /* the same name again is another file */
	zip_end(&z);
	m = open_zip(&mem, &z);
	assert_int_equal(cv_members_next(m, &diag, &f), 1);
	assert_string_equal(f.name, "pkg/stored.so");
	assert_int_equal(f.size, 100000);
	assert_bytes(cv_members_src(m), 99000, 1000, 1);
	assert_bytes(cv_members_src(m), 0, 1000, 1);
	assert_int_equal(cv_src_read(cv_members_src(m), 99999, &f, 2), CV_EFORMAT);
	assert_int_equal(cv_members_next(m, &diag, &f), 1);
	assert_int_equal(f.size, 0);
	assert_int_equal(cv_members_next(m, &diag, &f), 1);
	assert_string_equal(cv_members_src(m)->name, "pkg/packed.so");
	assert_true(cv_members_src(m)->forward);
	assert_bytes(cv_members_src(m), 299000, 1000, 2);
	assert_bytes(cv_members_src(m), 150000, 4000, 2);
	assert_int_equal(cv_members_next(m, &diag, &f), 1);
	assert_bytes(cv_members_src(m), 100, 4900, 3);
	assert_int_equal(cv_members_next(m, &diag, &f), 0);
	assert_int_equal(cv_members_next(m, &diag, &f), 0);
	cv_members_close(m);
	free(z.p);
}

/* Longer than what is kept in memory: going back unpacks again and still gives the right bytes. */
static void test_member_goes_back_in_a_long_file(void **state)
{
	const size_t size = (size_t)70 << 20;
	struct cv_src_mem mem;
	struct cv_members *m;
	struct cv_member f;
	struct zip z;

	(void)state;
	zip_begin(&z);
	zip_add(&z, "before", 10, 7, true);
	zip_add(&z, "long", size, 0, true);
	zip_add(&z, "after", 5000, 9, true);
	zip_end(&z);
	assert_true(z.n < 1 << 20);
	m = open_zip(&mem, &z);
	assert_int_equal(cv_members_next(m, &diag, &f), 1);
	assert_int_equal(cv_members_next(m, &diag, &f), 1);
	for (int i = 0; i < 2; i++) {
		assert_bytes(cv_members_src(m), size - 100, 100, 0);
		assert_bytes(cv_members_src(m), 0, 100, 0);
		assert_bytes(cv_members_src(m), 3 << 20, 100, 0);
		assert_bytes(cv_members_src(m), ((size_t)40 << 20) - 50, 100, 0);
		assert_bytes(cv_members_src(m), 2 << 20, 100, 0);
	}
	assert_int_equal(cv_members_next(m, &diag, &f), 1);
	assert_bytes(cv_members_src(m), 0, 5000, 9);
	assert_int_equal(cv_members_next(m, &diag, &f), 0);
	cv_members_close(m);
	free(z.p);
}

/* Who goes back and forth for ever is stopped; the next file is readable again. */
static void test_member_bounds_going_back(void **state)
{
	const size_t size = (size_t)70 << 20;
	struct cv_src_mem mem;
	struct cv_members *m;
	struct cv_member f;
	struct zip z;
	char buf[16];
	int err = 0, turns = 0;

	(void)state;
	zip_begin(&z);
	zip_add(&z, "long", size, 0, true);
	zip_add(&z, "after", 5000, 9, true);
	zip_end(&z);
	m = open_zip(&mem, &z);
	assert_int_equal(cv_members_next(m, &diag, &f), 1);
	for (; err == 0 && turns < 30; turns++)
		err = cv_src_read(cv_members_src(m), turns % 3 == 0 ? size - 100 : (size_t)(turns % 3 == 1 ? 3 : 36) << 20, buf, sizeof(buf));
	assert_int_equal(err, CV_ELIMIT);
	assert_true(turns > 6 && turns < 15);
	assert_int_equal(cv_members_next(m, &diag, &f), 1);
	assert_bytes(cv_members_src(m), 0, 5000, 9);
	cv_members_close(m);
	free(z.p);
}

/* Where a file's packed bytes begin: the first occurrence of its name, behind it. */
static size_t data_of(const struct zip *z, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i + n < z->n; i++)
		if (memcmp(z->p + i, name, n) == 0)
			return i + n + (size_t)(z->p[i - 2] | z->p[i - 1] << 8);
	fail_msg("no %s in the archive", name);
	return 0;
}

static void test_member_of_broken_bytes_leaves_the_next_readable(void **state)
{
	struct cv_src_mem mem;
	struct cv_members *m;
	struct cv_member f;
	unsigned char buf[16];
	struct zip z;

	(void)state;
	zip_begin(&z);
	zip_add(&z, "first.so", 200000, 1, true);
	zip_add(&z, "second.so", 5000, 2, true);
	zip_end(&z);
	memset(z.p + data_of(&z, "first.so") + 100, 0xff, 2000);
	m = open_zip(&mem, &z);
	assert_int_equal(cv_members_next(m, &diag, &f), 1);
	assert_int_equal(cv_src_read(cv_members_src(m), 190000, buf, 16), CV_EFORMAT);
	assert_int_equal(cv_src_read(cv_members_src(m), 0, buf, 16), CV_EFORMAT);
	assert_int_equal(cv_members_next(m, &diag, &f), 1);
	assert_string_equal(f.name, "second.so");
	assert_bytes(cv_members_src(m), 0, 5000, 2);
	assert_int_equal(cv_members_next(m, &diag, &f), 0);
	cv_members_close(m);
	free(z.p);
}

/* The directory of the archive lies about a size, up to a zip bomb's. */
static void test_member_shorter_than_its_size_is_damage(void **state)
{
	static const unsigned char lies[][4] = { { 0, 0, 8, 0 }, { 0xf0, 0xff, 0xff, 0xff } };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct cv_src_mem mem;
		struct cv_members *m;
		struct cv_member f;
		unsigned char buf[16];
		struct zip z;
		size_t at;

		zip_begin(&z);
		zip_add(&z, "a.so", 100000, 1, true);
		zip_end(&z);
		for (at = z.n - 46; memcmp(z.p + at, "PK\1\2", 4) != 0; at--)
			;
		memcpy(z.p + at + 24, lies[i], 4);
		memcpy(z.p + 22, lies[i], 4); /* beside the data it lies too */
		m = open_zip(&mem, &z);
		assert_int_equal(cv_members_next(m, &diag, &f), 1);
		assert_true(f.size > 100000);
		assert_int_equal(cv_src_read(cv_members_src(m), f.size - 16, buf, 16), CV_EFORMAT);
		cv_members_close(m);
		free(z.p);
	}
}

static void test_member_needs_a_zip_archive(void **state)
{
	struct cv_src_mem mem;
	struct cv_members *m = NULL;
	struct zip z;

	(void)state;
	cv_src_mem_init(&mem, "PK\3\4 no zip archive at all", 26, "a.whl");
	assert_int_equal(cv_members_open(&mem.src, &diag, &m), CV_EFORMAT);
	assert_non_null(strstr(diag.v[diag.n - 1], "a.whl: "));
	assert_int_equal(cv_members_open(cv_src_mem_init(&mem, "", 0, "a.whl"), &diag, &m), CV_EFORMAT);
	zip_begin(&z);
	zip_add(&z, "a.so", 100000, 1, true);
	zip_end(&z);
	/* A download that broke off has no directory. */
	assert_int_equal(cv_members_open(cv_src_mem_init(&mem, z.p, z.n / 2, "cut.whl"), &diag, &m), CV_EFORMAT);
	assert_null(m);
	cv_members_close(NULL);
	free(z.p);
}

/* A file system that fails in the middle is no damaged archive. */
struct failing {
	struct cv_src src;
	const struct zip *z;
	uint64_t good; /* bytes from the beginning that can be read */
};

static int failing_read_at(struct cv_src *s, uint64_t off, void *buf, size_t len)
{
	struct failing *f = (struct failing *)s;

	if (off + len > f->good && off < f->z->n - 65536)
		return CV_EIO;
	memcpy(buf, f->z->p + off, len);
	return 0;
}

static void test_member_passes_errors_of_the_file_on(void **state)
{
	static const struct cv_src_ops ops = { .read_at = failing_read_at };
	struct cv_members *m;
	struct cv_member f;
	unsigned char buf[16];
	struct zip z;
	int r;

	(void)state;
	zip_begin(&z);
	zip_add(&z, "a.so", 1 << 20, 1, false);
	zip_end(&z);
	{
		struct failing bad = { .src = { .ops = &ops, .size = z.n, .name = "a.whl" }, .z = &z, .good = 200000 };

		r = cv_members_open(&bad.src, &diag, &m);
		if (r == 0)
			r = cv_members_next(m, &diag, &f);
		assert_int_equal(r, 1);
		assert_int_equal(cv_src_read(cv_members_src(m), 900000, buf, 16), CV_EIO);
		cv_members_close(m);
	}
	free(z.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_member_reads_packed_and_stored_files),
		cmocka_unit_test(test_member_goes_back_in_a_long_file),
		cmocka_unit_test(test_member_bounds_going_back),
		cmocka_unit_test(test_member_of_broken_bytes_leaves_the_next_readable),
		cmocka_unit_test(test_member_shorter_than_its_size_is_damage),
		cmocka_unit_test(test_member_needs_a_zip_archive),
		cmocka_unit_test(test_member_passes_errors_of_the_file_on),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
