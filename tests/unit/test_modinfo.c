/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "elf_file.h"
#include "parse/modinfo.h"

static void test_modinfo_module(void **state)
{
	struct cv_modinfo m;
	struct elf_file f;

	(void)state;
	elf_file_load(&f, TEST_DATA "/elf/module.ko");
	assert_int_equal(elf_file_open(&f), 0);
	assert_int_equal(f.elf->type, CV_ET_REL);
	assert_int_equal(cv_modinfo_read(f.elf, f.arena, &m), 0);
	assert_string_equal(m.name, "nvidia");
	assert_string_equal(m.version, "550.135");
	assert_string_equal(m.license, "Dual MIT/GPL");
	assert_string_equal(m.vermagic, "6.1.0-28-amd64 SMP preempt mod_unload modversions ");
	assert_int_equal(m.firmware.n, 2);
	assert_string_equal(m.firmware.v[1], "nvidia/550.135/gsp_ga10x.bin");
	assert_int_equal(f.elf->damaged, 0);
	elf_file_free(&f);
}

static void test_modinfo_absent(void **state)
{
	struct cv_modinfo m;
	struct elf_file f;

	(void)state;
	elf_file_load(&f, TEST_DATA "/elf/x86_64.so");
	assert_int_equal(elf_file_open(&f), 0);
	assert_int_equal(cv_modinfo_read(f.elf, f.arena, &m), CV_ENOENT);
	elf_file_free(&f);
}

static void test_modinfo_texts(void **state)
{
	struct cv_arena *a = cv_arena_new(65536);
	struct cv_modinfo m;

	(void)state;
	/* no NUL at the end, empty texts between, nothing known */
	assert_int_equal(cv_modinfo_parse((struct cv_str){ "a=b\0\0version=1.2", 16 }, a, &m), 0);
	assert_string_equal(m.version, "1.2");
	assert_null(m.license);
	assert_int_equal(cv_modinfo_parse((struct cv_str){ "\0\0", 2 }, a, &m), 0);
	assert_null(m.version);
	assert_int_equal(m.firmware.n, 0);
	cv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modinfo_module),
		cmocka_unit_test(test_modinfo_absent),
		cmocka_unit_test(test_modinfo_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
