/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about the driver itself: there, loaded, of the right flavour and branch for the GPU. */
#include "judge_box.h"

#define KMOD "/lib/modules/6.1.0-18-amd64/updates/dkms/nvidia.ko"

static void kmod(struct box *b, const char *kernel, const char *version, bool open)
{
	const char *key = cv_arena_printf(b->a, "/lib/modules/%s/updates/dkms/nvidia.ko", kernel);

	box_str(b, CV_KIND_kmod, key, CV_F_kmod_kernel, kernel);
	box_str(b, CV_KIND_kmod, key, CV_F_kmod_version, version);
	box_num(b, CV_KIND_kmod, key, CV_F_kmod_open, open);
}

static void test_judge_driver_missing(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	b.driver = NULL;
	box_gpu(&b, "1eb8");
	box_torch(&b, "2.9.0+cu128", "12.8");
	box_judge(&b);
	f = box_expect(&b, "driver-missing", CV_ERROR, CV_PRIMARY);
	box_expect_text(box_fixes(&b, f), "apt-get install nvidia-driver");
	assert_true(f->fixes.v[0].needs_root);
	assert_string_equal(f->cells.v[0], "0|torch|0");
	/* No driver is one problem, not "too old" as well. */
	assert_int_equal(b.r->findings.n, 1);
	box_expect_open(&b, "driver-too-old");
	box_expect_open(&b, "driver-not-loaded");
	box_expect_cell(&b, "0|torch|0", CV_TRI_BAD, CV_CODE_NATIVE, CV_VERDICT_PROBLEM);
	assert_string_equal(b.r->verdict_line, "no NVIDIA driver is installed");
	box_free(&b);

	box_new(&b);
	box_judge(&b);
	box_expect_ruled_out(&b, "driver-missing");
	box_free(&b);

	box_new(&b);
	b.driver = NULL;
	box_state(&b, CV_KIND_driver, "", CV_F_driver_module_loaded, CV_DENIED);
	box_judge(&b);
	box_expect_open(&b, "driver-missing");
	assert_int_equal(b.r->verdict, CV_VERDICT_CANNOT_TELL);
	box_free(&b);
}

/* Debian 12 has 535: too old for Blackwell, so no apt line for it. */
static void test_judge_driver_missing_blackwell(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	b.driver = NULL;
	box_gpu(&b, "2b85");
	box_judge(&b);
	f = box_expect(&b, "driver-missing", CV_ERROR, CV_PRIMARY);
	box_expect_text(box_fixes(&b, f), "570");
	assert_null(strstr(box_fixes(&b, f), "apt-get"));
	box_free(&b);

	box_new(&b);
	b.driver = NULL;
	box_gpu(&b, "1b06");
	box_judge(&b);
	box_expect_text(box_fixes(&b, box_find(&b, "driver-missing")), "none past branch 580");
	box_free(&b);
}

static void test_judge_driver_library_missing(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	box_torch(&b, "2.9.0+cu128", "12.8");
	box_str(&b, CV_KIND_lib, "/usr/lib/x86_64-linux-gnu/libcuda.so.x", CV_F_lib_family, "nothing");
	box_judge(&b);
	f = box_expect(&b, "driver-library-missing", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "found"), "580.159.04");
	assert_string_equal(f->rule->parent, "driver-missing");
	box_free(&b);

	box_new(&b);
	box_judge(&b);
	box_expect_ruled_out(&b, "driver-library-missing");
	box_free(&b);
}

static void not_loaded(struct box *b)
{
	box_new(b);
	b->driver = NULL;
	b->library = "550.90.07";
	box_torch(b, "2.6.0+cu124", "12.4");
}

static void test_judge_driver_not_loaded(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	not_loaded(&b);
	kmod(&b, "6.1.0-17-amd64", "550.90.07", false);
	box_judge(&b);
	f = box_expect(&b, "driver-not-loaded", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "built_for"), "6.1.0-17-amd64");
	assert_string_equal(box_param(f, "kernel"), "6.1.0-18-amd64");
	box_expect_text(box_fixes(&b, f), "dkms autoinstall");
	assert_int_equal(b.r->findings.n, 1);
	box_expect_ruled_out(&b, "driver-missing");
	box_free(&b);

	not_loaded(&b);
	kmod(&b, "6.1.0-18-amd64", "550.90.07", false);
	box_judge(&b);
	f = box_expect(&b, "driver-not-loaded", CV_ERROR, CV_PRIMARY);
	box_expect_text(box_fixes(&b, f), "sudo modprobe nvidia");
	box_free(&b);

	box_new(&b);
	box_judge(&b);
	box_expect_ruled_out(&b, "driver-not-loaded");
	box_free(&b);

	not_loaded(&b);
	box_state(&b, CV_KIND_driver, "", CV_F_driver_module_loaded, CV_NOT_ASKED);
	box_judge(&b);
	box_expect_open(&b, "driver-not-loaded");
	box_free(&b);
}

static void test_judge_driver_secure_boot(void **state)
{
	struct box b;

	(void)state;
	not_loaded(&b);
	kmod(&b, "6.1.0-18-amd64", "550.90.07", false);
	box_num(&b, CV_KIND_machine, "", CV_F_machine_secure_boot, 1);
	box_num(&b, CV_KIND_kmod, KMOD, CV_F_kmod_signed, 0);
	box_judge(&b);
	box_expect(&b, "secure-boot-blocks-driver", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_expect(&b, "driver-not-loaded", CV_ERROR, CV_SECONDARY)->cause, "secure-boot-blocks-driver");
	box_free(&b);

	/* Not known to be unsigned: nothing is proven. */
	not_loaded(&b);
	kmod(&b, "6.1.0-18-amd64", "550.90.07", false);
	box_num(&b, CV_KIND_machine, "", CV_F_machine_secure_boot, 1);
	box_judge(&b);
	box_expect_open(&b, "secure-boot-blocks-driver");
	box_expect(&b, "driver-not-loaded", CV_ERROR, CV_PRIMARY);
	box_free(&b);

	not_loaded(&b);
	kmod(&b, "6.1.0-18-amd64", "550.90.07", false);
	box_judge(&b);
	box_expect_ruled_out(&b, "secure-boot-blocks-driver");
	box_free(&b);
}

static void test_judge_driver_other(void **state)
{
	static const char *const names[] = { "nouveau", "nova_core" };
	struct box b;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct cv_finding *f;

		not_loaded(&b);
		kmod(&b, "6.1.0-18-amd64", "550.90.07", false);
		box_str(&b, CV_KIND_gpu, box_gpu(&b, "2204"), CV_F_gpu_bound, names[i]);
		box_judge(&b);
		f = box_expect(&b, "other-driver-holds-gpu", CV_ERROR, CV_PRIMARY);
		assert_string_equal(box_param(f, "driver"), names[i]);
		assert_string_equal(f->cells.v[0], "0|torch|0");
		box_expect_text(box_fixes(&b, f), cv_arena_printf(b.a, "blacklist %s", names[i]));
		assert_string_equal(box_expect(&b, "driver-not-loaded", CV_ERROR, CV_SECONDARY)->cause, "other-driver-holds-gpu");
		box_free(&b);
	}
	box_new(&b);
	box_judge(&b);
	box_expect_ruled_out(&b, "other-driver-holds-gpu");
	box_free(&b);

	box_new(&b);
	box_state(&b, CV_KIND_gpu, box_gpu(&b, "2335"), CV_F_gpu_bound, CV_DENIED);
	box_judge(&b);
	box_expect_open(&b, "other-driver-holds-gpu");
	box_free(&b);
}

/* One of two GPUs given to a virtual machine is somebody's wish; the only one is a problem. */
static void test_judge_driver_vfio(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	box_torch(&b, "2.9.0+cu128", "12.8");
	box_gpu(&b, "2335");
	box_str(&b, CV_KIND_gpu, box_gpu(&b, "2335"), CV_F_gpu_bound, "vfio-pci");
	box_judge(&b);
	assert_null(box_find(&b, "other-driver-holds-gpu"));
	assert_int_equal(b.r->cells.n, 1);
	assert_int_equal(b.r->verdict, CV_VERDICT_OK);
	box_free(&b);

	box_new(&b);
	box_torch(&b, "2.9.0+cu128", "12.8");
	box_str(&b, CV_KIND_gpu, box_gpu(&b, "2335"), CV_F_gpu_bound, "vfio-pci");
	box_judge(&b);
	assert_string_equal(box_param(box_expect(&b, "other-driver-holds-gpu", CV_ERROR, CV_PRIMARY), "driver"), "vfio-pci");
	assert_int_equal(b.r->verdict, CV_VERDICT_PROBLEM);
	box_free(&b);
}

static void flavour(struct box *b, const char *gpu, const char *driver, int open)
{
	box_new(b);
	b->driver = driver;
	box_gpu(b, gpu);
	box_torch(b, "2.9.0+cu128", "12.8");
	if (open >= 0)
		box_num(b, CV_KIND_driver, "", CV_F_driver_module_open, (uint64_t)open);
}

static void test_judge_driver_flavour(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	flavour(&b, "2b85", "570.124.06", 0);
	box_judge(&b);
	f = box_expect(&b, "kernel-module-flavour", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "needed"), "open");
	assert_string_equal(box_param(f, "sm"), "12.0");
	assert_int_equal(b.r->verdict, CV_VERDICT_PROBLEM);
	box_free(&b);

	flavour(&b, "1db4", "570.124.06", 1);
	box_judge(&b);
	f = box_expect(&b, "kernel-module-flavour", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "needed"), "proprietary");
	box_free(&b);

	flavour(&b, "1eb8", "570.124.06", 1);
	box_judge(&b);
	box_expect_ruled_out(&b, "kernel-module-flavour");
	box_free(&b);

	flavour(&b, "2b85", "570.124.06", -1);
	box_judge(&b);
	box_expect_open(&b, "kernel-module-flavour");
	box_free(&b);
}

/* The module file for this kernel is of the wrong flavour: that is why nothing is loaded. */
static void test_judge_driver_flavour_on_disk(void **state)
{
	struct box b;

	(void)state;
	not_loaded(&b);
	box_gpu(&b, "2b85");
	kmod(&b, "6.1.0-18-amd64", "570.124.06", false);
	box_judge(&b);
	box_expect(&b, "kernel-module-flavour", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_expect(&b, "driver-not-loaded", CV_ERROR, CV_SECONDARY)->cause, "kernel-module-flavour");
	box_free(&b);
}

static void test_judge_driver_dropped(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	b.driver = "590.48.01";
	box_str(&b, CV_KIND_gpu, box_gpu(&b, "1b06"), CV_F_gpu_bound, NULL);
	box_num(&b, CV_KIND_gpu, "0000:01:00.0", CV_F_gpu_in_proc, 0);
	box_torch(&b, "2.9.0+cu126", "12.6");
	box_judge(&b);
	f = box_expect(&b, "gpu-dropped-by-driver", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "needed"), "580");
	assert_string_equal(box_param(f, "found"), "590.48.01");
	assert_null(strstr(box_fixes(&b, f), "595"));
	assert_int_equal(b.r->findings.n, 1);
	box_expect_cell(&b, "0|torch|0", CV_TRI_BAD, CV_CODE_NATIVE, CV_VERDICT_PROBLEM);
	box_free(&b);

	box_new(&b);
	b.driver = "580.95.05";
	box_gpu(&b, "1b06");
	box_judge(&b);
	box_expect_ruled_out(&b, "gpu-dropped-by-driver");
	box_free(&b);

	box_new(&b);
	box_state(&b, CV_KIND_driver, "", CV_F_driver_module_version, CV_DENIED);
	box_state(&b, CV_KIND_lib, "/usr/lib/x86_64-linux-gnu/libcuda.so.x", CV_F_lib_version, CV_UNPARSED);
	box_judge(&b);
	box_expect_open(&b, "gpu-dropped-by-driver");
	box_free(&b);
}

/* A box with a Kepler that needs 470 and a Blackwell that needs 570: no driver serves both, and none is advised. */
static void test_judge_driver_dropped_beside_newer(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	box_gpu(&b, "102d");
	box_gpu(&b, "2b85");
	box_judge(&b);
	f = box_expect(&b, "gpu-dropped-by-driver", CV_ERROR, CV_PRIMARY);
	box_expect_text(box_fixes(&b, f), "no driver serves all GPUs");
	box_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judge_driver_missing),
		cmocka_unit_test(test_judge_driver_missing_blackwell),
		cmocka_unit_test(test_judge_driver_library_missing),
		cmocka_unit_test(test_judge_driver_not_loaded),
		cmocka_unit_test(test_judge_driver_secure_boot),
		cmocka_unit_test(test_judge_driver_other),
		cmocka_unit_test(test_judge_driver_vfio),
		cmocka_unit_test(test_judge_driver_flavour),
		cmocka_unit_test(test_judge_driver_flavour_on_disk),
		cmocka_unit_test(test_judge_driver_dropped),
		cmocka_unit_test(test_judge_driver_dropped_beside_newer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
