/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about builds: for CUDA at all, with code for the GPU, for this kind of board. */
#include "judge_box.h"

static void torch_on(struct box *b, const char *version, const char *cuda, const char *gpu, const char *driver)
{
	box_new(b);
	b->driver = driver;
	if (gpu)
		box_gpu(b, gpu);
	box_torch(b, version, cuda);
}

/* H1: RTX 4090, L4 and B300 with a list that does not name them. */
static void test_judge_code_h1_not_named(void **state)
{
	static const char *const gpus[] = { "2684", "27b8" };
	struct box b;

	(void)state;
	for (size_t i = 0; i < sizeof(gpus) / sizeof(gpus[0]); i++) {
		torch_on(&b, "2.11.0+cu130", "13.0", gpus[i], "580.95.05");
		box_judge(&b);
		assert_int_equal(b.r->findings.n, 0);
		box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_NATIVE, CV_VERDICT_OK);
		box_free(&b);
	}
}

/* H3, H27: torch 2.9.0+cu128 on a GTX 1080 Ti: is_available() says True, the first kernel fails. */
static void test_judge_code_h3_h27_too_old(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	torch_on(&b, "2.9.0+cu128", "12.8", "1b06", "570.124.06");
	box_judge(&b);
	f = box_expect(&b, "gpu-too-old-for-build", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "sm"), "6.1");
	box_expect_text(f->why, "is_available()");
	/* The same release stays, in the build that has the code. */
	box_expect_text(box_fixes(&b, f), "\"torch==2.9.0+cu126\"");
	assert_null(strstr(box_fixes(&b, f), "cu130"));
	assert_int_equal(b.r->findings.n, 1);
	box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_NONE, CV_VERDICT_PROBLEM);
	box_free(&b);

	torch_on(&b, "2.9.0+cu126", "12.6", "1b06", "570.124.06");
	box_judge(&b);
	box_expect_ruled_out(&b, "gpu-too-old-for-build");
	box_free(&b);
}

/* H3: torch 2.6.0+cu124 on an RTX 5090. */
static void test_judge_code_h3_too_new(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	torch_on(&b, "2.6.0+cu124", "12.4", "2b85", "570.86.16");
	box_judge(&b);
	f = box_expect(&b, "gpu-too-new-for-build", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "sm"), "12.0");
	assert_string_equal(f->params.v[2].name, "found");
	assert_true(f->params.v[2].values.n > 3);
	box_expect_text(box_fixes(&b, f), "cu12");
	box_expect_ruled_out(&b, "gpu-too-old-for-build");
	box_free(&b);

	torch_on(&b, "2.9.0+cu128", "12.8", "2b85", "570.86.16");
	box_judge(&b);
	box_expect_ruled_out(&b, "gpu-too-new-for-build");
	box_free(&b);
}

/* H4: V100 and H100 in one box; 2.10 still has code for both, 2.11 not. */
static void test_judge_code_h4_mixed_box(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	torch_on(&b, "2.11.0+cu128", "12.8", "1db4", "580.95.05");
	box_gpu(&b, "2330");
	box_judge(&b);
	f = box_expect(&b, "gpu-too-old-for-build", CV_ERROR, CV_PRIMARY);
	assert_int_equal(f->cells.n, 1);
	assert_string_equal(f->cells.v[0], "0|torch|0");
	box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_NONE, CV_VERDICT_PROBLEM);
	box_expect_cell(&b, "0|torch|1", CV_TRI_OK, CV_CODE_NATIVE, CV_VERDICT_OK);
	/* What is advised serves both. */
	box_expect_text(box_fixes(&b, f), "cu126");
	box_free(&b);

	torch_on(&b, "2.10.0+cu128", "12.8", "1db4", "580.95.05");
	box_gpu(&b, "2330");
	box_judge(&b);
	assert_int_equal(b.r->verdict, CV_VERDICT_OK);
	box_expect_text(b.r->verdict_line, "the Tesla V100 PCIe 16GB and the H100 SXM5 80GB");
	box_free(&b);
}

/* Four equal GPUs are one finding that hits four cells. */
static void test_judge_code_equal_gpus(void **state)
{
	struct box b;

	(void)state;
	torch_on(&b, "2.9.0+cu128", "12.8", "1b06", "570.124.06");
	for (int i = 0; i < 3; i++)
		box_gpu(&b, "1b06");
	box_judge(&b);
	assert_int_equal(b.r->findings.n, 1);
	assert_int_equal(b.r->findings.v[0].cells.n, 4);
	box_free(&b);
}

static void test_judge_code_not_known(void **state)
{
	struct box b;

	(void)state;
	/* Not a build of the index: conda, or one's own. */
	box_new(&b);
	b.driver = "570.124.06";
	box_gpu(&b, "1b06");
	box_str(&b, CV_KIND_package, SITE "/torch-2.9.0.dist-info", CV_F_package_source, "conda-meta");
	box_torch(&b, "2.9.0", "12.8");
	box_judge(&b);
	box_expect_open(&b, "gpu-too-old-for-build");
	box_free(&b);
	torch_on(&b, "2.9.0a0+41361538.nv24.06", "12.5", "1b06", "570.124.06");
	box_judge(&b);
	box_expect_open(&b, "gpu-too-old-for-build");
	box_expect_open(&b, "gpu-too-new-for-build");
	box_expect_open(&b, "ptx-newer-than-driver");
	box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_UNKNOWN, CV_VERDICT_CANNOT_TELL);
	box_free(&b);
	/* A GPU that the kb does not know; its name is no help. */
	torch_on(&b, "2.9.0+cu128", "12.8", NULL, "580.95.05");
	box_str(&b, CV_KIND_gpu, box_gpu(&b, "fff1"), CV_F_gpu_name, "Tesla T4");
	box_judge(&b);
	box_expect_open(&b, "gpu-too-new-for-build");
	assert_null(b.r->gpus.v[0].cc);
	box_expect_text(b.r->gpus.v[0].cc_state, "newer than this knowledge base");
	box_expect_text(b.r->verdict_line, cv_kb_date(cv_kb_builtin()));
	box_free(&b);
}

/* A GPU without PCI id is known by its name, if all products of that name agree. */
static void test_judge_code_gpu_by_name(void **state)
{
	struct box b;

	(void)state;
	torch_on(&b, "2.9.0+cu128", "12.8", NULL, "580.95.05");
	b.gpus = 1;
	box_str(&b, CV_KIND_gpu, "GPU-0", CV_F_gpu_name, "NVIDIA GeForce GTX 1080 Ti");
	box_judge(&b);
	assert_string_equal(b.r->gpus.v[0].cc, "6.1");
	box_expect(&b, "gpu-too-old-for-build", CV_ERROR, CV_PRIMARY);
	box_free(&b);
}

/* H31: a torch newer than the kb. */
static void test_judge_code_h31_newer_torch(void **state)
{
	struct box b;

	(void)state;
	torch_on(&b, "9.1.0+cu130", "13.0", "2335", "580.159.04");
	box_judge(&b);
	box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_UNKNOWN, CV_VERDICT_CANNOT_TELL);
	box_expect_text(b.r->verdict_line,
			cv_arena_printf(b.a, "newer than this knowledge base (%s)", cv_kb_date(cv_kb_builtin())));
	assert_int_equal(b.r->notices.n, 1);
	box_free(&b);
}

/* onnxruntime-gpu 1.26 (CUDA 12.8) serves an RTX 5090 by PTX 9.0 alone: 570 compiles it, an older compiler would not. */
static void test_judge_code_ptx(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	b.driver = "570.124.06";
	box_gpu(&b, "2b85");
	box_ort(&b, "1.26.0", "12.8");
	box_judge(&b);
	box_expect_ruled_out(&b, "ptx-newer-than-driver");
	assert_int_equal(box_cell(&b, "0|onnxruntime:cuda|0")->code, CV_CODE_PTX_JIT);
	box_free(&b);

	/* An H100 under 535 (CUDA 12.2) with 1.21 whose list has 9.0 native: no question of PTX. */
	box_new(&b);
	b.driver = "535.183.01";
	box_gpu(&b, "2330");
	box_ort(&b, "1.22.0", "12.2");
	box_judge(&b);
	assert_int_equal(box_cell(&b, "0|onnxruntime:cuda|0")->code, CV_CODE_NATIVE);
	box_free(&b);

	/* cuda-compat and the like aside, a 12.8 build that has only PTX for the GPU under a driver of 12.4. */
	box_new(&b);
	b.driver = "550.90.07";
	box_str(&b, CV_KIND_gpu, box_gpu(&b, "2901"), CV_F_gpu_cc, "9.5");
	box_ort(&b, "1.26.0", "12.8");
	box_judge(&b);
	f = box_expect(&b, "ptx-newer-than-driver", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "cuda"), "12.8");
	assert_string_equal(box_param(f, "driver_cuda"), "12.4");
	assert_string_equal(box_param(f, "needed"), "8.7");
	box_free(&b);
}

/* H15: from 1.29 onnxruntime-gpu has no code for a B200. */
static void test_judge_code_h15_b200(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	box_gpu(&b, "2901");
	box_ort(&b, "1.29.0", "13.0");
	box_judge(&b);
	assert_string_equal(box_param(box_expect(&b, "gpu-too-new-for-build", CV_ERROR, CV_PRIMARY), "sm"), "10.0");
	box_expect_text(box_fixes(&b, box_find(&b, "gpu-too-new-for-build")), "onnxruntime-gpu[cuda,cudnn]==1.28.0");
	box_free(&b);

	box_new(&b);
	box_gpu(&b, "2901");
	box_ort(&b, "1.28.0", "13.0");
	box_judge(&b);
	box_expect_ruled_out(&b, "gpu-too-new-for-build");
	box_free(&b);
}

/* H22: torch 2.9.0+cpu on an A100 machine. */
static void test_judge_code_h22_cpu_build(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	torch_on(&b, "2.9.0+cpu", NULL, "20b0", "570.124.06");
	box_judge(&b);
	f = box_expect(&b, "cpu-only-build", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "package"), "torch 2.9.0+cpu");
	box_expect_text(box_fixes(&b, f), ENV "/bin/python -m pip install \"torch==2.9.0+cu128\"");
	assert_int_equal(b.r->findings.n, 1);
	box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_NONE, CV_VERDICT_PROBLEM);
	box_free(&b);

	torch_on(&b, "2.9.0+cu128", "12.8", "20b0", "570.124.06");
	box_judge(&b);
	box_expect_ruled_out(&b, "cpu-only-build");
	box_free(&b);

	box_new(&b);
	box_gpu(&b, "20b0");
	box_state(&b, CV_KIND_framework, ENV "|torch", CV_F_framework_cuda, CV_DENIED);
	box_state(&b, CV_KIND_framework, ENV "|torch", CV_F_framework_gpu_lib, CV_DENIED);
	box_torch(&b, "2.9.0", NULL);
	box_judge(&b);
	box_expect_open(&b, "cpu-only-build");
	assert_int_equal(b.r->verdict, CV_VERDICT_CANNOT_TELL);
	box_free(&b);
}

static void test_judge_code_rocm(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	box_str(&b, CV_KIND_framework, ENV "|torch", CV_F_framework_hip, "6.2.41133");
	box_torch(&b, "2.6.0+rocm6.2", NULL);
	box_judge(&b);
	assert_string_equal(box_expect(&b, "rocm-build", CV_ERROR, CV_PRIMARY)->rule->parent, "cpu-only-build");
	assert_null(box_find(&b, "cpu-only-build"));
	box_free(&b);

	box_new(&b);
	box_torch(&b, "2.9.0+cu128", "12.8");
	box_judge(&b);
	box_expect_ruled_out(&b, "rocm-build");
	box_free(&b);
}

static void jetson(struct box *b, const char *chip_cc, const char *l4t, const char *driver)
{
	box_new(b);
	b->driver = driver;
	b->arch = "aarch64";
	b->gpus = 1;
	box_str(b, CV_KIND_machine, "", CV_F_machine_jetson, "NVIDIA Jetson AGX");
	box_str(b, CV_KIND_machine, "", CV_F_machine_l4t, l4t);
	box_str(b, CV_KIND_gpu, "integrated", CV_F_gpu_cc, chip_cc);
	box_str(b, CV_KIND_gpu, "integrated", CV_F_gpu_name, "Jetson");
}

/* H32 and the Jetson rules: Orin before JetPack 7 needs its own wheel; what a server wheel does there is not settled. */
static void test_judge_code_jetson(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	jetson(&b, "8.7", "36.4.3", "540.4.0");
	box_torch(&b, "2.9.0+cu126", "12.6");
	box_judge(&b);
	f = box_expect(&b, "jetson-wheel-mismatch", CV_WARNING, CV_PRIMARY);
	assert_string_equal(box_param(f, "l4t"), "36.4.3");
	box_expect_open(&b, "driver-library-mismatch");
	assert_null(box_find(&b, "driver-too-old"));
	assert_int_equal(b.r->verdict, CV_VERDICT_CANNOT_TELL);
	assert_string_equal(b.r->kind, "jetson");
	box_free(&b);

	jetson(&b, "8.7", "39.2.0", "595.78");
	box_torch(&b, "2.15.0+cu132", "13.2");
	box_judge(&b);
	box_expect_open(&b, "jetson-wheel-mismatch");
	assert_int_equal(b.r->findings.n, 0);
	assert_int_equal(b.r->verdict, CV_VERDICT_CANNOT_TELL);
	box_free(&b);

	/* Thor takes the server wheels. */
	jetson(&b, "11.0", "38.2.1", "580.00");
	box_torch(&b, "2.12.0+cu130", "13.0");
	box_judge(&b);
	box_expect_ruled_out(&b, "jetson-wheel-mismatch");
	box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_NATIVE, CV_VERDICT_OK);
	box_free(&b);

	jetson(&b, "8.7", "36.4.3", "540.4.0");
	box_torch(&b, "2.9.0+cpu", NULL);
	box_judge(&b);
	f = box_expect(&b, "cpu-only-build", CV_ERROR, CV_PRIMARY);
	box_expect_text(box_fixes(&b, f), "JetPack");
	box_free(&b);
}

/* H10's other half: GB10 takes the aarch64 list. */
static void test_judge_code_aarch64(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	b.arch = "aarch64";
	box_str(&b, CV_KIND_gpu, box_gpu(&b, "2e12"), CV_F_gpu_cc, "12.1");
	box_torch(&b, "2.13.0+cu126", "12.6");
	box_judge(&b);
	box_expect(&b, "gpu-too-new-for-build", CV_ERROR, CV_PRIMARY);
	box_expect_text(box_fixes(&b, box_find(&b, "gpu-too-new-for-build")), "torch==2.13.0+cu130");
	box_free(&b);
}

/* CuPy makes its code at run time, JAX too as far as its compiler knows the GPU. */
static void test_judge_code_made_at_run_time(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	b.driver = "570.124.06";
	box_gpu(&b, "2236");
	box_framework(&b, "cupy", "cupy-cuda12x", "14.2.0", "12");
	box_package(&b, "cupy-cuda12x", "14.2.0");
	box_framework(&b, "jax", "jax", "0.7.0", "12");
	box_package(&b, "jax", "0.7.0");
	box_judge(&b);
	assert_int_equal(box_cell(&b, "0|cupy|0")->code, CV_CODE_PTX_JIT);
	assert_int_equal(box_cell(&b, "0|jax|0")->code, CV_CODE_PTX_JIT);
	assert_int_equal(b.r->verdict, CV_VERDICT_OK);
	box_free(&b);

	box_new(&b);
	box_gpu(&b, "2b85");
	box_framework(&b, "jax", "jax", "0.7.0", "12");
	box_package(&b, "jax", "0.7.0");
	box_judge(&b);
	assert_int_equal(box_cell(&b, "0|jax|0")->code, CV_CODE_UNKNOWN);
	box_free(&b);
}

#define TORCH_LIB SITE "/torch/lib/gpu.so"

static const struct cv_cell *torch_file(struct box *b, const char *gpu, const char *driver, const char *sets)
{
	box_new(b);
	b->driver = driver;
	box_gpu(b, gpu);
	box_list(b, CV_KIND_code, TORCH_LIB, CV_F_code_sets, sets);
	box_num(b, CV_KIND_code, TORCH_LIB, CV_F_code_containers, 400);
	box_torch(b, "2.5.0a0+872d972e41.nv24.08", "12.6"); /* of no index: kb knows nothing of it */
	box_judge(b);
	return box_cell(b, "0|torch|0");
}

/* What the file holds outranks kb, and is counted: a stray cubin serves nobody. */
static void test_judge_code_read_from_the_file(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	assert_int_equal(torch_file(&b, "1eb8", "560.35.03", "395 sm_75 sm_80 sm_90|4 sm_90a")->code, CV_CODE_NATIVE);
	assert_int_equal(b.r->verdict, CV_VERDICT_OK);
	box_free(&b);

	assert_int_equal(torch_file(&b, "1db4", "560.35.03", "395 sm_75 sm_80 sm_90|2 sm_70")->code, CV_CODE_PARTIAL);
	f = box_expect(&b, "gpu-too-old-for-build", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "covered"), "2");
	assert_string_equal(box_param(f, "containers"), "397");
	box_expect_text(f->title, "code in 2 of 397 parts only");
	box_free(&b);

	assert_int_equal(torch_file(&b, "1b06", "560.35.03", "395 sm_75 sm_80 sm_90")->code, CV_CODE_NONE);
	box_expect(&b, "gpu-too-old-for-build", CV_ERROR, CV_PRIMARY);
	box_free(&b);
}

/* PTX carries its version: 8.5 is of CUDA 12.5 and 12.6, which driver 560 compiles and 550 does not. */
static void test_judge_code_ptx_of_the_file(void **state)
{
	struct box b;

	(void)state;
	assert_int_equal(torch_file(&b, "2b85", "575.51.03", "100 sm_80 compute_90@8.5")->code, CV_CODE_PTX_JIT);
	box_free(&b);
	assert_int_equal(torch_file(&b, "2330", "550.90.07", "100 sm_80 compute_80@8.5")->code, CV_CODE_NONE);
	box_expect(&b, "ptx-newer-than-driver", CV_ERROR, CV_PRIMARY);
	box_free(&b);
	assert_int_equal(torch_file(&b, "2330", "550.90.07", "100 sm_80 compute_80@8.4")->code, CV_CODE_PTX_JIT);
	box_free(&b);
}

/* A file without code that can be seen, or with facts that are no code: back to kb. */
static void test_judge_code_file_says_nothing(void **state)
{
	static const char *const sets[] = { "", "nonsense", "0 sm_80" };

	(void)state;
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		struct box b;

		box_new(&b);
		box_gpu(&b, "1b06");
		box_list(&b, CV_KIND_code, TORCH_LIB, CV_F_code_sets, sets[i]);
		box_torch(&b, "2.9.0+cu128", "12.8");
		box_judge(&b);
		assert_int_equal(box_cell(&b, "0|torch|0")->code, CV_CODE_NONE);
		box_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judge_code_read_from_the_file),
		cmocka_unit_test(test_judge_code_ptx_of_the_file),
		cmocka_unit_test(test_judge_code_file_says_nothing),
		cmocka_unit_test(test_judge_code_h1_not_named),
		cmocka_unit_test(test_judge_code_h3_h27_too_old),
		cmocka_unit_test(test_judge_code_h3_too_new),
		cmocka_unit_test(test_judge_code_h4_mixed_box),
		cmocka_unit_test(test_judge_code_equal_gpus),
		cmocka_unit_test(test_judge_code_not_known),
		cmocka_unit_test(test_judge_code_gpu_by_name),
		cmocka_unit_test(test_judge_code_h31_newer_torch),
		cmocka_unit_test(test_judge_code_ptx),
		cmocka_unit_test(test_judge_code_h15_b200),
		cmocka_unit_test(test_judge_code_h22_cpu_build),
		cmocka_unit_test(test_judge_code_rocm),
		cmocka_unit_test(test_judge_code_jetson),
		cmocka_unit_test(test_judge_code_aarch64),
		cmocka_unit_test(test_judge_code_made_at_run_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
