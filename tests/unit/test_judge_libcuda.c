/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about libcuda: versions that differ, compatibility copies, WSL, and what a driver offers. */
#include "judge_box.h"

#define HOST "/usr/lib/x86_64-linux-gnu/libcuda.so.x"
#define COMPAT "/usr/local/cuda-13.0/compat/libcuda.so.580.95.05"

static void test_judge_libcuda_mismatch(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	b.driver = "535.183.01";
	b.library = "550.90.07";
	box_torch(&b, "2.6.0+cu124", "12.4");
	box_judge(&b);
	f = box_expect(&b, "driver-library-mismatch", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "module"), "535.183.01");
	assert_string_equal(box_param(f, "library"), "550.90.07");
	box_expect_text(box_fixes(&b, f), "reboot");
	assert_int_equal(b.r->findings.n, 1);
	box_expect_cell(&b, "0|torch|0", CV_TRI_BAD, CV_CODE_NATIVE, CV_VERDICT_PROBLEM);
	box_free(&b);

	box_new(&b);
	box_judge(&b);
	box_expect_ruled_out(&b, "driver-library-mismatch");
	box_free(&b);
}

/* A module whose version may not be read leaves a mismatch open, and so the cell. */
static void test_judge_libcuda_mismatch_denied(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	box_torch(&b, "2.11.0+cu130", "13.0");
	box_state(&b, CV_KIND_driver, "", CV_F_driver_module_version, CV_DENIED);
	box_judge(&b);
	box_expect_open(&b, "driver-library-mismatch");
	box_expect_cell(&b, "0|torch|0", CV_TRI_UNKNOWN, CV_CODE_NATIVE, CV_VERDICT_CANNOT_TELL);
	assert_int_equal(b.r->verdict, CV_VERDICT_CANNOT_TELL);
	box_expect_text(b.r->verdict_line, "not allowed to see");
	box_free(&b);
}

/* The module of the libraries' version is on disk: reloading it is enough. */
static void test_judge_libcuda_mismatch_reload(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	b.driver = "570.86.15";
	b.library = "570.124.06";
	box_str(&b, CV_KIND_kmod, "/m/nvidia.ko", CV_F_kmod_kernel, "6.1.0-18-amd64");
	box_str(&b, CV_KIND_kmod, "/m/nvidia.ko", CV_F_kmod_version, "570.124.06");
	box_judge(&b);
	box_expect_text(box_fixes(&b, box_expect(&b, "driver-library-mismatch", CV_ERROR, CV_PRIMARY)), "sudo modprobe nvidia");
	box_free(&b);
}

static void compat(struct box *b, const char *version, const char *how)
{
	const char *path = box_libcuda(b, COMPAT, version, "compat");

	box_list(b, CV_KIND_lib, path, CV_F_lib_fwd_branches, "535|550|565|570|575|580");
	box_list(b, CV_KIND_lib, path, CV_F_lib_fwd_devices, "1|2|7|8|9|10|11|12|13|14");
	box_str(b, CV_KIND_lib, path, CV_F_lib_fwd_cuda, "13.0");
	if (how)
		box_var(b, "LD_LIBRARY_PATH", how);
}

/* TRUTH: libcuda 580.95.05 of cuda-compat over kernel module 580.159.04 gives error 803. */
static void test_judge_libcuda_compat_older(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	box_torch(&b, "2.11.0+cu130", "13.0");
	compat(&b, "580.95.05", "/opt/x:/usr/local/cuda-13.0/compat");
	box_judge(&b);
	f = box_expect(&b, "compat-libcuda-misused", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "found"), "580.95.05");
	assert_string_equal(box_param(f, "needed"), "580.159.04");
	box_expect_text(f->title, "803");
	box_expect_text(box_fixes(&b, f), "export LD_LIBRARY_PATH=/opt/x");
	box_expect_cell(&b, "0|torch|0", CV_TRI_BAD, CV_CODE_NATIVE, CV_VERDICT_PROBLEM);
	assert_null(box_find(&b, "driver-library-mismatch"));
	box_free(&b);

	/* Beside the path it does no harm. */
	box_new(&b);
	box_torch(&b, "2.11.0+cu130", "13.0");
	compat(&b, "580.95.05", NULL);
	box_judge(&b);
	box_expect_ruled_out(&b, "compat-libcuda-misused");
	assert_int_equal(b.r->verdict, CV_VERDICT_OK);
	box_free(&b);
}

/* Over an older data-centre driver of a listed branch the copy is what makes CUDA 13 run. */
static void test_judge_libcuda_compat_right(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	b.driver = "550.90.07";
	box_torch(&b, "2.11.0+cu130", "13.0");
	compat(&b, "580.95.05", "/usr/local/cuda-13.0/compat");
	box_judge(&b);
	box_expect_ruled_out(&b, "compat-libcuda-misused");
	box_expect_ruled_out(&b, "driver-too-old");
	box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_NATIVE, CV_VERDICT_OK);
	assert_string_equal(b.r->driver.cuda_api, "13.0");
	box_free(&b);
}

static void test_judge_libcuda_compat_branch_and_brand(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	b.driver = "545.23.08";
	compat(&b, "580.95.05", "/usr/local/cuda-13.0/compat");
	box_judge(&b);
	box_expect_text(box_expect(&b, "compat-libcuda-misused", CV_ERROR, CV_PRIMARY)->title, "branch");
	box_free(&b);

	box_new(&b);
	b.driver = "550.90.07";
	box_gpu(&b, "2684");
	compat(&b, "580.95.05", "/usr/local/cuda-13.0/compat");
	box_judge(&b);
	box_expect_text(box_expect(&b, "compat-libcuda-misused", CV_ERROR, CV_PRIMARY)->title, "804");
	box_free(&b);

	box_new(&b);
	box_state(&b, CV_KIND_driver, "", CV_F_driver_module_version, CV_DENIED);
	compat(&b, "580.95.05", "/usr/local/cuda-13.0/compat");
	box_judge(&b);
	box_expect_open(&b, "compat-libcuda-misused");
	box_free(&b);
}

static void test_judge_libcuda_stub_and_copy(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	box_libcuda(&b, "/opt/stubs/libcuda.so.1", NULL, "stub");
	box_var(&b, "LD_LIBRARY_PATH", "/opt/stubs/");
	box_judge(&b);
	assert_string_equal(box_param(box_expect(&b, "compat-libcuda-misused", CV_ERROR, CV_PRIMARY), "origin"), "stub");
	box_free(&b);

	/* A libcuda baked into an image, of another driver. */
	box_new(&b);
	box_str(&b, CV_KIND_machine, "", CV_F_machine_container, "docker");
	box_libcuda(&b, "/usr/local/lib/libcuda.so.535.1", "535.183.01", "host");
	box_judge(&b);
	assert_string_equal(box_param(box_expect(&b, "compat-libcuda-misused", CV_ERROR, CV_PRIMARY), "found"), "535.183.01");
	assert_null(box_find(&b, "driver-library-mismatch"));
	box_free(&b);
}

static void wsl(struct box *b)
{
	box_new(b);
	b->driver = NULL;
	b->gpus = NO_GPU;
	box_num(b, CV_KIND_machine, "", CV_F_machine_wsl, 2);
	box_torch(b, "2.6.0+cu124", "12.4");
	box_list(b, CV_KIND_ldso, "", CV_F_ldso_conf_dirs, "/usr/lib/wsl/lib|/usr/lib/x86_64-linux-gnu");
}

static void test_judge_libcuda_wsl(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	wsl(&b);
	box_libcuda(&b, "/usr/lib/wsl/lib/libcuda.so.1", NULL, "wsl");
	box_judge(&b);
	box_expect_ruled_out(&b, "wsl-libcuda-path");
	assert_int_equal(b.r->findings.n, 0);
	assert_int_equal(b.r->verdict, CV_VERDICT_CANNOT_TELL);
	assert_string_equal(b.r->kind, "wsl");
	box_free(&b);

	wsl(&b);
	box_libcuda(&b, "/usr/lib/wsl/lib/libcuda.so.1", NULL, "wsl");
	box_libcuda(&b, "/opt/nv/libcuda.so.550", "550.90.07", "host");
	box_var(&b, "LD_LIBRARY_PATH", "/opt/nv");
	box_judge(&b);
	f = box_expect(&b, "wsl-libcuda-path", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "found"), "/opt/nv/libcuda.so.1");
	assert_int_equal(b.r->verdict, CV_VERDICT_PROBLEM);
	box_free(&b);

	wsl(&b);
	box_judge(&b);
	box_expect(&b, "driver-missing", CV_ERROR, CV_PRIMARY);
	box_expect_open(&b, "wsl-libcuda-path");
	box_free(&b);
}

static void test_judge_libcuda_wsl_not_on_path(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	b.driver = NULL;
	b.gpus = NO_GPU;
	box_num(&b, CV_KIND_machine, "", CV_F_machine_wsl, 2);
	box_libcuda(&b, "/usr/lib/wsl/lib/libcuda.so.1", NULL, "wsl");
	box_judge(&b);
	box_expect_text(box_fixes(&b, box_expect(&b, "wsl-libcuda-path", CV_ERROR, CV_PRIMARY)), "ld.wsl.conf");
	box_free(&b);

	box_new(&b);
	box_judge(&b);
	box_expect_ruled_out(&b, "wsl-libcuda-path");
	box_free(&b);
}

static const struct cv_finding *too_old(struct box *b, const char *driver, const char *torch, const char *cuda)
{
	box_new(b);
	b->driver = driver;
	box_gpu(b, "1eb8");
	box_torch(b, torch, cuda);
	box_judge(b);
	return box_find(b, "driver-too-old");
}

static void test_judge_libcuda_too_old(void **state)
{
	static const struct {
		const char *driver, *torch, *cuda, *needed, *offers;
	} rows[] = {
		{ "470.256.02", "2.3.1+cu121", "12.1", "525.60.13", "11.4" },
		{ "525.60.13", "2.9.0+cu130", "13.0", "580.65.06", "12.0" },
		{ "575.57.08", "2.11.0+cu130", "13.0", "580.65.06", "12.9" },
	};
	struct box b;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct cv_finding *f = too_old(&b, rows[i].driver, rows[i].torch, rows[i].cuda);

		assert_ptr_equal(f, box_expect(&b, "driver-too-old", CV_ERROR, CV_PRIMARY));
		assert_string_equal(box_param(f, "found"), rows[i].driver);
		assert_string_equal(box_param(f, "needed"), rows[i].needed);
		assert_string_equal(box_param(f, "driver_cuda"), rows[i].offers);
		assert_string_equal(box_param(f, "cuda"), rows[i].cuda);
		assert_int_equal(b.r->findings.n, 1);
		box_expect_cell(&b, "0|torch|0", CV_TRI_BAD, CV_CODE_NATIVE, CV_VERDICT_PROBLEM);
		/* Another build first, the driver last. */
		assert_non_null(f->fixes.v[0].command);
		box_expect_text(box_fixes(&b, f), rows[i].needed);
		box_free(&b);
	}
}

/* H2: 550.54.14 with cu128, 535 with cu126, 580.65.06 with cu132 run; a note says what is missing. */
static void test_judge_libcuda_h2_minor_versions(void **state)
{
	static const struct {
		const char *driver, *torch, *cuda;
	} rows[] = {
		{ "550.54.14", "2.9.0+cu128", "12.8" },
		{ "535.104.05", "2.9.0+cu126", "12.6" },
		{ "580.65.06", "2.12.0+cu132", "13.2" },
	};
	struct box b;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct cv_finding *f;

		assert_null(too_old(&b, rows[i].driver, rows[i].torch, rows[i].cuda));
		box_expect_ruled_out(&b, "driver-too-old");
		f = box_expect(&b, "driver-minor-version", CV_NOTE, CV_PRIMARY);
		assert_string_equal(f->rule->parent, "not-a-fault");
		box_expect_text(f->why, "PTX");
		box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_NATIVE, CV_VERDICT_OK);
		assert_int_equal(b.r->verdict, CV_VERDICT_OK);
		box_free(&b);
	}
	assert_null(too_old(&b, "570.124.06", "2.9.0+cu128", "12.8"));
	box_expect_ruled_out(&b, "driver-minor-version");
	box_free(&b);
}

/* H9: a driver that does not know the GPU at all. */
static void test_judge_libcuda_h9_gpu_unknown_to_driver(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	b.driver = "550.54.14";
	box_gpu(&b, "2b85");
	box_judge(&b);
	f = box_expect(&b, "driver-too-old", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "needed"), "570");
	assert_string_equal(box_param(f, "sm"), "12.0");
	box_free(&b);
}

/* No libcuda can be read: then the module's number against the floor of the CUDA major decides. */
static void test_judge_libcuda_floor_without_library(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	b.driver = "525.60.13";
	box_gpu(&b, "1eb8");
	box_state(&b, CV_KIND_lib, HOST, CV_F_lib_version, CV_UNPARSED);
	box_torch(&b, "2.3.1+cu121", "12.1");
	box_judge(&b);
	box_expect_ruled_out(&b, "driver-too-old");
	box_free(&b);

	/* Of the branch that offers 12.0, and below the floor. */
	box_new(&b);
	b.driver = "525.53";
	box_gpu(&b, "1eb8");
	box_state(&b, CV_KIND_lib, HOST, CV_F_lib_version, CV_UNPARSED);
	box_torch(&b, "2.3.1+cu121", "12.1");
	box_judge(&b);
	assert_string_equal(box_param(box_expect(&b, "driver-too-old", CV_ERROR, CV_PRIMARY), "needed"), "525.60.13");
	box_free(&b);
}

/* H31: a driver newer than the kb offers at least what its newest row says; above that nobody can tell. */
static void test_judge_libcuda_h31_newer_driver(void **state)
{
	struct box b;

	(void)state;
	assert_null(too_old(&b, "900.10", "2.11.0+cu130", "13.0"));
	box_expect_ruled_out(&b, "driver-too-old");
	assert_int_equal(b.r->notices.n, 1);
	box_expect_text(b.r->notices.v[0].because,
			cv_arena_printf(b.a, "newer than this knowledge base (%s)", cv_kb_date(cv_kb_builtin())));
	assert_null(b.r->driver.cuda_api);
	assert_int_equal(b.r->verdict, CV_VERDICT_OK);
	box_free(&b);

	assert_null(too_old(&b, "900.10", "9.9.0+cu170", "17.0"));
	box_expect_open(&b, "driver-too-old");
	assert_int_equal(b.r->verdict, CV_VERDICT_CANNOT_TELL);
	box_expect_text(b.r->verdict_line, "newer than this knowledge base");
	box_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judge_libcuda_mismatch),
		cmocka_unit_test(test_judge_libcuda_mismatch_denied),
		cmocka_unit_test(test_judge_libcuda_mismatch_reload),
		cmocka_unit_test(test_judge_libcuda_compat_older),
		cmocka_unit_test(test_judge_libcuda_compat_right),
		cmocka_unit_test(test_judge_libcuda_compat_branch_and_brand),
		cmocka_unit_test(test_judge_libcuda_stub_and_copy),
		cmocka_unit_test(test_judge_libcuda_wsl),
		cmocka_unit_test(test_judge_libcuda_wsl_not_on_path),
		cmocka_unit_test(test_judge_libcuda_too_old),
		cmocka_unit_test(test_judge_libcuda_h2_minor_versions),
		cmocka_unit_test(test_judge_libcuda_h9_gpu_unknown_to_driver),
		cmocka_unit_test(test_judge_libcuda_floor_without_library),
		cmocka_unit_test(test_judge_libcuda_h31_newer_driver),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
