/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cuvet/err.h"
#include "parse/nvproc.h"

static struct cv_arena *arena;

static int setup(void **state)
{
	(void)state;
	arena = cv_arena_new((size_t)1 << 20);
	return arena ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	cv_arena_free(arena);
	return 0;
}

/* Lines as drivers of 2008 to 2026 print them. */
static void test_nvproc_version_of_every_flavour(void **state)
{
	static const struct {
		const char *text, *version, *arch;
		bool open;
	} rows[] = {
		{ "NVRM version: NVIDIA UNIX x86_64 Kernel Module  177.80  Wed Oct  1 14:43:46 PDT 2008\n", "177.80", "x86_64",
		  false },
		{ "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.135  Fri Jan 10 20:00:00 UTC 2025\nGCC version:  gcc "
		  "version 12.2.0 (x)\n",
		  "550.135", "x86_64", false },
		{ "NVRM version: NVIDIA UNIX aarch64 Kernel Module  440.95.01  Thu May 28\n", "440.95.01", "aarch64", false },
		{ "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (dvs-builder@U22)  Sat "
		  "Oct  3\n",
		  "580.159.04", "x86_64", true },
		{ "NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  35.4.1  Release Build\n", "35.4.1", "aarch64",
		  true },
	};
	struct cv_nvrm v;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(cv_nvrm_parse(cv_str_of(rows[i].text), arena, &v), 0);
		assert_string_equal(v.version, rows[i].version);
		assert_string_equal(v.arch, rows[i].arch);
		assert_int_equal(v.open, rows[i].open);
		assert_int_equal(v.line, 1);
	}
}

static void test_nvproc_version_is_not_the_compilers(void **state)
{
	struct cv_nvrm v;

	(void)state;
	assert_int_equal(
		cv_nvrm_parse(CV_STR("NVRM version: NVIDIA UNIX x86_64 Kernel Module\nGCC version:  gcc version 12.2.0\n"), arena,
			      &v),
		CV_EFORMAT);
	assert_int_equal(cv_nvrm_parse(CV_STR("GCC version:  gcc version 12.2.0\n"), arena, &v), CV_EFORMAT);
	assert_int_equal(cv_nvrm_parse(CV_STR(""), arena, &v), CV_EFORMAT);
	assert_int_equal(cv_nvrm_parse(CV_STR("NVRM version: NVIDIA UNIX x86_64 Kernel Module  550. ..1 5..5 550\n"), arena, &v),
			 CV_EFORMAT);
}

static void test_nvproc_information(void **state)
{
	struct cv_nvgpu g;

	(void)state;
	assert_int_equal(
		cv_nvgpu_parse(CV_STR("Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 10\n"
				      "GPU UUID: \t GPU-9221d5d1-b60b-a624-bf14-0a1819cfda3b\nBus Location: \t 0000:62:00.0\n"
				      "Device Minor: \t 5\nGPU Firmware: \t 535.129.03\nGPU Excluded:\t No\n"),
			       arena, &g),
		0);
	assert_string_equal(g.model, "NVIDIA H100 80GB HBM3");
	assert_string_equal(g.uuid, "GPU-9221d5d1-b60b-a624-bf14-0a1819cfda3b");
	assert_string_equal(g.firmware, "535.129.03");
	assert_string_equal(g.bus, "0000:62:00.0");
	assert_true(g.has_minor);
	assert_int_equal(g.minor, 5);
	assert_true(g.has_excluded);
	assert_false(g.excluded);
	assert_false(g.firmware_none);
}

static void test_nvproc_information_that_is_not_known(void **state)
{
	struct cv_nvgpu g;

	(void)state;
	assert_int_equal(cv_nvgpu_parse(CV_STR("Model: \t Tesla T4\nGPU UUID: \t GPU-\?\?\?\?\?\?\?\?-\?\?\?\?\n"
					       "Device Minor: \t x\nGPU Firmware: \t N/A\nBlacklisted:\t Yes\n"),
					arena, &g),
			 0);
	assert_null(g.uuid);
	assert_null(g.firmware);
	assert_true(g.firmware_none);
	assert_false(g.has_minor);
	assert_true(g.excluded);
	assert_int_equal(cv_nvgpu_parse(CV_STR("nothing\n"), arena, &g), CV_EFORMAT);
}

static void test_nvproc_pci_address(void **state)
{
	(void)state;
	assert_string_equal(cv_pci_address(arena, CV_STR("0000:65:00.0")), "0000:65:00.0");
	assert_string_equal(cv_pci_address(arena, CV_STR("00000000:65:00.0")), "0000:65:00.0");
	assert_string_equal(cv_pci_address(arena, CV_STR("0009:0A:1F.7")), "0009:0a:1f.7");
	assert_string_equal(cv_pci_address(arena, CV_STR("00010000:01:00.0")), "10000:01:00.0");
	assert_null(cv_pci_address(arena, CV_STR("0000:65:20.0")));
	assert_null(cv_pci_address(arena, CV_STR("0000:65:00.8")));
	assert_null(cv_pci_address(arena, CV_STR("65:00.0")));
	assert_null(cv_pci_address(arena, CV_STR("0000:65:00.")));
	assert_null(cv_pci_address(arena, CV_STR("")));
}

static void test_nvproc_tegra_release(void **state)
{
	static const struct {
		const char *text, *l4t;
	} rows[] = {
		{ "# R36 (release), REVISION: 4.7, GCID: 42132812, BOARD: generic, EABI: aarch64, DATE: Thu Sep 18\n# KERNEL: "
		  "oot\n",
		  "36.4.7" },
		{ "# R32(release), REVISION: 6.1, GCID: 27863751", "32.6.1" },
		{ "# R38 (release), REVISION: 2.0", "38.2.0" },
		{ "# R21 (release), REVISION: 7", "21.7" },
	};
	const char *got;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(cv_tegra_release_parse(cv_str_of(rows[i].text), arena, &got), 0);
		assert_string_equal(got, rows[i].l4t);
	}
	assert_int_equal(cv_tegra_release_parse(CV_STR("# R (release), REVISION: 1.0"), arena, &got), CV_EFORMAT);
	assert_int_equal(cv_tegra_release_parse(CV_STR("# R36 (release), REVISION: x"), arena, &got), CV_EFORMAT);
	assert_int_equal(cv_tegra_release_parse(CV_STR("# R36 (release)"), arena, &got), CV_EFORMAT);
	assert_int_equal(cv_tegra_release_parse(CV_STR(""), arena, &got), CV_EFORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nvproc_version_of_every_flavour, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nvproc_version_is_not_the_compilers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nvproc_information, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nvproc_information_that_is_not_known, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nvproc_pci_address, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nvproc_tegra_release, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
