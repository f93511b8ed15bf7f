/* SPDX-License-Identifier: Apache-2.0 */
/* tests/data/notes holds the whole section of a real libcuda (cuda-compat-13-0, 580.95.05). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "elf_file.h"
#include "parse/fwdcompat.h"

static int parse(struct cv_arena *a, const char *json, struct cv_fwdcompat *ret)
{
	return cv_fwdcompat_parse(cv_str_of(json), a, ret);
}

static void test_fwdcompat_real_text(void **state)
{
	struct cv_arena *a = cv_arena_new((size_t)1 << 20);
	struct cv_fwdcompat f;

	(void)state;
	assert_int_equal(parse(a, "{\"format\":1,\"CUDA version\":\"13.0\",\"driver\":[535,550,580],\"device\":[1,2,14]}", &f), 0);
	assert_string_equal(f.cuda, "13.0");
	assert_int_equal(f.branches.n, 3);
	assert_string_equal(f.branches.v[1], "550");
	assert_int_equal(f.devices.n, 3);
	assert_string_equal(f.devices.v[2], "14");
	cv_arena_free(a);
}

static void test_fwdcompat_tolerant(void **state)
{
	struct cv_arena *a = cv_arena_new((size_t)1 << 20);
	struct cv_fwdcompat f;

	(void)state;
	assert_int_equal(parse(a, " {\"device\":\"all\", \"driver\":[\"535\",{},550], \"new\":{\"x\":[1]}, \"CUDA version\":\"12.4\"}\n",
			       &f),
			 0);
	assert_string_equal(f.cuda, "12.4");
	assert_int_equal(f.branches.n, 2);
	assert_string_equal(f.branches.v[1], "550");
	assert_string_equal(f.devices.v[0], "all");
	assert_int_equal(parse(a, "{\"CUDA version\":12.10,\"driver\":[]}", &f), 0);
	assert_null(f.cuda); /* as a number it could be 12.1 or 12.10 */
	assert_int_equal(f.branches.n, 0);
	assert_int_equal(cv_fwdcompat_parse((struct cv_str){ "{\"driver\":[1]}\0\0", 16 }, a, &f), 0);
	cv_arena_free(a);
}

static void test_fwdcompat_not_understood(void **state)
{
	static const char *const bad[] = { "", "[]", "{}", "{\"other\":1}", "{\"driver\":[1}", "{\"driver\":[1]} x", "13.0" };
	struct cv_arena *a = cv_arena_new((size_t)1 << 20);
	struct cv_fwdcompat f;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse(a, bad[i], &f), CV_EFORMAT);
	cv_arena_free(a);
}

/* Puts the real section into a file that has nothing but it, in a note segment. */
static void build_library(struct elf_file *f, size_t *ret_n)
{
	struct elf_file note;
	const uint64_t at = 64 + 56;

	elf_file_load(&note, TEST_DATA "/notes/cuda-compat-13.0-580.95.05.note");
	elf_file_load(f, TEST_DATA "/elf/x86_64.so"); /* for its header */
	memset(f->p + 56, 0, 8);
	f->p[56] = 1;             /* one program header */
	memset(f->p + 40, 0, 8);  /* no section headers */
	memset(f->p + 64, 0, 56);
	f->p[64] = CV_PT_NOTE;
	memcpy(f->p + 64 + 8, &at, 8);
	memcpy(f->p + 64 + 32, &(uint64_t){ note.n }, 8);
	memcpy(f->p + at, note.p, note.n);
	f->n = at + note.n;
	*ret_n = note.n;
	elf_file_free(&note);
}

static void test_fwdcompat_real_section(void **state)
{
	struct cv_fwdcompat c;
	struct elf_file f;
	size_t n;

	(void)state;
	build_library(&f, &n);
	assert_int_equal(elf_file_open(&f), 0);
	assert_int_equal(cv_fwdcompat_read(f.elf, f.arena, &c), 0);
	assert_string_equal(c.cuda, "13.0");
	assert_int_equal(c.branches.n, 6);
	assert_string_equal(c.branches.v[5], "580");
	assert_int_equal(c.devices.n, 10);
	assert_int_equal(c.at, 64 + 56 + 0x27c);
	assert_memory_equal(f.p + c.at, c.json, strlen(c.json));
	/* a note of this owner that cannot be read is told, and is not the same as none */
	f.p[c.at] = '[';
	assert_int_equal(elf_file_open(&f), 0);
	assert_int_equal(cv_fwdcompat_read(f.elf, f.arena, &c), CV_EFORMAT);
	assert_int_equal(f.diag.n, 1);
	f.p[64] = 0;
	assert_int_equal(elf_file_open(&f), 0);
	assert_int_equal(cv_fwdcompat_read(f.elf, f.arena, &c), CV_ENOENT);
	assert_int_equal(f.diag.n, 0);
	elf_file_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fwdcompat_real_text),
		cmocka_unit_test(test_fwdcompat_tolerant),
		cmocka_unit_test(test_fwdcompat_not_understood),
		cmocka_unit_test(test_fwdcompat_real_section),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
