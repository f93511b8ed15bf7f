/* SPDX-License-Identifier: Apache-2.0 */
/* What to install, and what never: rows H8 to H11 and H15 of the head-to-head table, and the commands' spelling. */
#include "judge_box.h"

#include "judge/advise.h"

struct want_row {
	const char *api, *py;
	struct cv_cc gpus[3];
	size_t n;
	bool aarch64;
};

static struct cv_judge_ctx ctx_of(struct cv_arena *a)
{
	return (struct cv_judge_ctx){ .kb = cv_kb_builtin(), .a = a };
}

static struct cv_want want_of(const struct want_row *r)
{
	struct cv_want w = { .api = r->api, .api_exact = true, .py = r->py, .glibc = "2.36", .aarch64 = r->aarch64, .n = r->n };

	for (size_t i = 0; i < r->n; i++)
		w.gpus[i] = r->gpus[i];
	return w;
}

static bool torch_for(struct cv_arena *a, const struct want_row *r, const char *keep, struct cv_build_advice *ret)
{
	struct cv_judge_ctx ctx = ctx_of(a);
	struct cv_want w = want_of(r);

	return cv_advise_torch(&ctx, &w, keep, ret);
}

/* H8: RTX 5090, driver 570.26 (CUDA 12.8), Python 3.12: cu129 up to torch 2.13.0, cu128 up to 2.11; with 580, cu130. */
static void test_judge_advise_h8(void **state)
{
	struct cv_arena *a = cv_arena_new(16u << 20);
	struct cv_build_advice b;

	(void)state;
	assert_true(torch_for(a, &(struct want_row){ "12.8", "3.12", { { 12, 0 } }, 1, false }, NULL, &b));
	assert_string_equal(b.version, "2.13.0");
	assert_string_equal(b.variant, "cu129");
	assert_true(torch_for(a, &(struct want_row){ "12.8", "3.12", { { 12, 0 } }, 1, false }, "2.11.0", &b));
	assert_string_equal(b.variant, "cu128");
	assert_true(torch_for(a, &(struct want_row){ "13.0", "3.12", { { 12, 0 } }, 1, false }, NULL, &b));
	assert_string_equal(b.variant, "cu130");
	/* 2.14.0 is on no index of CUDA 12 with code for it. */
	assert_true(torch_for(a, &(struct want_row){ "12.8", "3.12", { { 12, 0 } }, 1, false }, "2.14.0", &b));
	assert_string_not_equal(b.version, "2.14.0");
	cv_arena_free(a);
}

/* H10: B300 (10.3), or GB10 (12.1, aarch64), with driver 580.82: cu130, for cu126 ends at 9.0 without PTX. */
static void test_judge_advise_h10(void **state)
{
	struct cv_arena *a = cv_arena_new(16u << 20);
	struct cv_build_advice b;

	(void)state;
	assert_true(torch_for(a, &(struct want_row){ "13.0", "3.12", { { 10, 3 } }, 1, false }, "2.13.0", &b));
	assert_string_equal(b.version, "2.13.0");
	assert_string_equal(b.variant, "cu130");
	assert_true(torch_for(a, &(struct want_row){ "13.0", "3.12", { { 10, 3 } }, 1, false }, NULL, &b));
	assert_string_equal(b.variant, "cu130");
	assert_true(torch_for(a, &(struct want_row){ "13.0", "3.12", { { 12, 1 } }, 1, true }, NULL, &b));
	assert_string_equal(b.variant, "cu130");
	cv_arena_free(a);
}

/* H11: GTX 1080 Ti or V100 with driver 580, newest torch: cu126. */
static void test_judge_advise_h11(void **state)
{
	struct cv_arena *a = cv_arena_new(16u << 20);
	struct cv_build_advice b;

	(void)state;
	assert_true(torch_for(a, &(struct want_row){ "13.0", "3.12", { { 6, 1 } }, 1, false }, NULL, &b));
	assert_string_equal(b.variant, "cu126");
	assert_string_equal(b.version, "2.14.1");
	assert_true(torch_for(a, &(struct want_row){ "13.0", "3.12", { { 7, 0 }, { 9, 0 } }, 2, false }, "2.11.0", &b));
	assert_string_equal(b.version, "2.11.0");
	assert_string_equal(b.variant, "cu126");
	cv_arena_free(a);
}

static void test_judge_advise_none(void **state)
{
	struct cv_arena *a = cv_arena_new(16u << 20);
	struct cv_build_advice b;

	(void)state;
	/* Pascal and Blackwell: no build has both. */
	assert_false(torch_for(a, &(struct want_row){ "13.0", "3.12", { { 6, 1 }, { 12, 0 } }, 2, false }, NULL, &b));
	assert_false(torch_for(a, &(struct want_row){ "13.0", "2.7", { { 9, 0 } }, 1, false }, NULL, &b));
	assert_false(torch_for(a, &(struct want_row){ "9.0", "3.12", { { 9, 0 } }, 1, false }, NULL, &b));
	cv_arena_free(a);
}

static const char *ort_for(struct cv_arena *a, const struct want_row *r, int64_t major)
{
	struct cv_judge_ctx ctx = ctx_of(a);
	struct cv_want w = want_of(r);
	struct cv_build_advice b;

	return cv_advise_ort(&ctx, &w, major, &b) ? b.version : "none";
}

/* H15: 1.19 to 1.26 are CUDA 12, from 1.27 CUDA 13; from 1.29 no code for 10.0 and 12.1. */
static void test_judge_advise_h15(void **state)
{
	struct cv_arena *a = cv_arena_new(16u << 20);

	(void)state;
	assert_string_equal(ort_for(a, &(struct want_row){ "13.0", "3.12", { { 9, 0 } }, 1, false }, 12), "1.26.0");
	assert_string_equal(ort_for(a, &(struct want_row){ "13.0", "3.12", { { 9, 0 } }, 1, false }, 13), "1.31.1");
	assert_string_equal(ort_for(a, &(struct want_row){ "12.8", "3.12", { { 8, 9 } }, 1, false }, 0), "1.26.0");
	assert_string_equal(ort_for(a, &(struct want_row){ "13.0", "3.12", { { 10, 0 } }, 1, false }, 13), "1.28.0");
	assert_string_equal(ort_for(a, &(struct want_row){ "13.0", "3.12", { { 12, 1 } }, 1, false }, 13), "1.28.0");
	assert_string_equal(ort_for(a, &(struct want_row){ "13.0", "3.12", { { 7, 0 } }, 1, false }, 13), "none");
	assert_string_equal(ort_for(a, &(struct want_row){ "13.0", "3.10", { { 9, 0 } }, 1, false }, 13), "none");
	/* aarch64 wheels begin at 1.29, and nobody has read their code. */
	assert_string_equal(ort_for(a, &(struct want_row){ "13.0", "3.12", { { 9, 0 } }, 1, true }, 13), "none");
	cv_arena_free(a);
}

/* The GPU machine: torch 2.11.0+cu130 on an H200 with the CPU onnxruntime beside it. */
static void test_judge_advise_ort_beside_torch(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	box_torch(&b, "2.11.0+cu130", "13.0");
	box_ort(&b, "1.22.0", NULL);
	box_judge(&b);
	f = box_expect(&b, "cpu-only-build", CV_ERROR, CV_PRIMARY);
	assert_string_equal(f->fixes.v[0].command, ENV "/bin/python -m pip uninstall -y onnxruntime && " ENV
						       "/bin/python -m pip install \"onnxruntime-gpu==1.31.1\"");
	box_expect_text(f->fixes.v[0].changes, "like the torch beside it");
	assert_string_equal(b.r->verdict_line, "onnxruntime 1.22.0 is a CPU-only build");
	box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_NATIVE, CV_VERDICT_OK);
	box_free(&b);

	box_new(&b);
	box_torch(&b, "2.9.0+cu128", "12.8");
	box_ort(&b, "1.22.0", NULL);
	box_judge(&b);
	box_expect_text(box_fixes(&b, box_find(&b, "cpu-only-build")), "\"onnxruntime-gpu==1.26.0\"");
	box_free(&b);
}

static void test_judge_advise_managers(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	box_str(&b, CV_KIND_env, ENV, CV_F_env_manager, "uv");
	box_ort(&b, "1.22.0", NULL);
	box_judge(&b);
	assert_string_equal(box_find(&b, "cpu-only-build")->fixes.v[0].command,
			    "uv pip uninstall --python " ENV "/bin/python onnxruntime && uv pip install --python " ENV
			    "/bin/python \"onnxruntime-gpu[cuda,cudnn]==1.31.1\"");
	box_free(&b);

	box_new(&b);
	box_str(&b, CV_KIND_package, SITE "/onnxruntime-1.22.0.dist-info", CV_F_package_source, "conda-meta");
	box_ort(&b, "1.22.0", NULL);
	box_judge(&b);
	assert_string_equal(box_find(&b, "cpu-only-build")->fixes.v[0].command,
			    "conda install -p " ENV " -c conda-forge \"onnxruntime=*=*cuda*\" \"cuda-version=13\"");
	box_free(&b);

	/* The distribution forbids pip: an environment of one's own. */
	box_new(&b);
	box_num(&b, CV_KIND_env, ENV, CV_F_env_managed, 1);
	box_ort(&b, "1.22.0", NULL);
	box_judge(&b);
	box_expect_text(box_find(&b, "cpu-only-build")->fixes.v[0].command, "-m venv ~/gpu-env && ");
	box_free(&b);
}

static void test_judge_advise_quotes(void **state)
{
	struct cv_arena *a = cv_arena_new(1u << 20);
	struct box b;

	(void)state;
	assert_string_equal(cv_shell_quote(a, "/opt/my-env_1/bin/python3.12"), "/opt/my-env_1/bin/python3.12");
	assert_string_equal(cv_shell_quote(a, "/home/a b/x"), "'/home/a b/x'");
	assert_string_equal(cv_shell_quote(a, "it's"), "'it'\\''s'");
	assert_string_equal(cv_shell_quote(a, ""), "''");
	assert_string_equal(cv_shell_quote(a, "$(rm -rf ~)"), "'$(rm -rf ~)'");
	cv_arena_free(a);

	box_new(&b);
	box_str(&b, CV_KIND_env, ENV, CV_F_env_exe, "/home/o'neil/v $HOME/bin/python");
	box_ort(&b, "1.22.0", NULL);
	box_judge(&b);
	box_expect_text(box_find(&b, "cpu-only-build")->fixes.v[0].command,
			"'/home/o'\\''neil/v $HOME/bin/python' -m pip install");
	box_free(&b);
}

/* The companions come along, from the same index. */
static void test_judge_advise_companions(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	b.driver = "570.124.06";
	box_gpu(&b, "1b06");
	box_torch(&b, "2.9.0+cu128", "12.8");
	box_package(&b, "torchvision", "0.24.0+cu128");
	box_package(&b, "torchaudio", "2.9.0+cu128");
	box_judge(&b);
	box_expect_text(box_fixes(&b, box_find(&b, "gpu-too-old-for-build")),
			"\"torch==2.9.0+cu126\" \"torchvision==0.24.0+cu126\" \"torchaudio==2.9.0+cu126\" --index-url ");
	box_free(&b);
}

/* H11's gate: cu130 on a V100 with driver 570 needs a build, never a driver past 580. */
static void test_judge_advise_driver_gate(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	b.driver = "570.124.06";
	box_gpu(&b, "1db4");
	box_torch(&b, "2.9.0+cu130", "13.0");
	box_judge(&b);
	f = box_expect(&b, "driver-too-old", CV_ERROR, CV_PRIMARY);
	box_expect_text(f->fixes.v[0].command, "cu128");
	box_expect_text(box_fixes(&b, f), "none past branch 580");
	box_free(&b);

	/* A Kepler beside: 580 would drop it. */
	box_new(&b);
	b.driver = "470.256.02";
	box_gpu(&b, "102d");
	box_gpu(&b, "2236");
	box_torch(&b, "2.6.0+cu124", "12.4");
	box_judge(&b);
	f = box_expect(&b, "driver-too-old", CV_ERROR, CV_PRIMARY);
	assert_null(strstr(box_fixes(&b, f), "525"));
	box_free(&b);
}

/* A build of another CUDA major: the wheels that its own would overwrite go first, unless something else requires them. */
static void test_judge_advise_removes_clashing_wheels(void **state)
{
	struct box b;
	const char *pkg;

	(void)state;
	box_new(&b);
	b.driver = "550.54.15";
	box_gpu(&b, "1eb8");
	pkg = box_torch(&b, "2.11.0+cu130", "13.0");
	box_list(&b, CV_KIND_package, pkg, CV_F_package_requires, "nvidia-cudnn-cu13==9.19.0.56|nvidia-nccl-cu13==2.28.9");
	box_package(&b, "nvidia-cudnn-cu13", "9.19.0.56");
	box_package(&b, "nvidia-nccl-cu13", "2.28.9");
	box_list(&b, CV_KIND_package, box_package(&b, "vllm", "0.9"), CV_F_package_requires, "nvidia-nccl-cu13>=2.0");
	box_judge(&b);
	box_expect_text(box_fixes(&b, box_find(&b, "driver-too-old")),
			"-m pip uninstall -y nvidia-cudnn-cu13 && " ENV "/bin/python -m pip install \"torch==2.11.0+cu126\"");
	box_free(&b);
}

/* A ruined CPU onnxruntime on a GPU machine: the GPU package, not the CPU one again. */
static void test_judge_advise_ruined_cpu_package(void **state)
{
	struct box b;
	const char *pkg;

	(void)state;
	box_new(&b);
	box_torch(&b, "2.11.0+cu130", "13.0");
	pkg = box_ort(&b, "1.22.0", NULL);
	box_num(&b, CV_KIND_package, pkg, CV_F_package_record_missing_n, 10);
	box_judge(&b);
	box_expect_text(box_fixes(&b, box_find(&b, "damaged-installation")), "\"onnxruntime-gpu==1.31.1\"");
	box_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judge_advise_removes_clashing_wheels),
		cmocka_unit_test(test_judge_advise_ruined_cpu_package),
		cmocka_unit_test(test_judge_advise_h8),
		cmocka_unit_test(test_judge_advise_h10),
		cmocka_unit_test(test_judge_advise_h11),
		cmocka_unit_test(test_judge_advise_none),
		cmocka_unit_test(test_judge_advise_h15),
		cmocka_unit_test(test_judge_advise_ort_beside_torch),
		cmocka_unit_test(test_judge_advise_managers),
		cmocka_unit_test(test_judge_advise_quotes),
		cmocka_unit_test(test_judge_advise_companions),
		cmocka_unit_test(test_judge_advise_driver_gate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
