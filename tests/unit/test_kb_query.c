/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kb/query.h"

struct fixture {
	struct cv_arena *a;
	struct cv_diag d;
};

static int setup(void **state)
{
	struct cv_arena *a = cv_arena_new((size_t)64 << 20);
	struct fixture *f = CV_NEW(a, struct fixture);

	assert_non_null(f);
	f->a = a;
	cv_diag_init(&f->d, a);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	cv_arena_free(((struct fixture *)*state)->a);
	return 0;
}

static const struct cv_kb_answer *ask(struct fixture *f, const char *first, const char *rest)
{
	const char *words[] = { first, rest };
	const struct cv_kb_answer *ans = NULL;

	assert_int_equal(cv_kb_ask(cv_kb_builtin(), words, rest ? 2 : 1, f->a, &f->d, &ans), 0);
	assert_non_null(ans);
	assert_non_null(ans->title);
	return ans;
}

/* The value of the line with this label; NULL if there is none. */
static const char *line(const struct cv_kb_answer *ans, const char *label)
{
	for (size_t i = 0; i < ans->lines.n; i++)
		if (strcmp(ans->lines.v[i].label, label) == 0)
			return ans->lines.v[i].value;
	return NULL;
}

/* H30 and its kind: NVIDIA's GPU list and the PCI ids. */
static void test_kb_query_gpu_names(void **state)
{
	static const struct {
		const char *name, *cc;
	} cases[] = {
		{ "A100", "8.0" },	      { "B200", "10.0" },	  { "GB300", "10.3" },
		{ "RTX 2000 Ada", "8.9" },    { "RTX 2050", "8.6" },	  { "RTX 4090", "8.9" },
		{ "rtx4090", "8.9" },	      { "NVIDIA GeForce RTX 4090", "8.9" }, { "4090", "8.9" },
		{ "NVIDIA A100-SXM4-80GB", "8.0" }, { "A100 80 GB", "8.0" }, { "NVIDIA A100-SXM4-40GB MIG 1g.5gb", "8.0" },
		{ "NVIDIA H100 80GB HBM3", "9.0" }, { "H100 NVL", "9.0" }, { "NVIDIA GH200 480GB", "9.0" },
		{ "Tesla T4", "7.5" },	      { "GRID T4-16Q", "7.5" },	  { "Tesla V100-SXM2-32GB", "7.0" },
		{ "GTX 1080 Ti", "6.1" },     { "gtx1080ti", "6.1" },	  { "GTX 1650", "7.5" },
		{ "RTX 3050", "8.6" },	      { "NVIDIA GeForce RTX 3050 A Laptop GPU", "8.9" },
		{ "Quadro RTX 6000", "7.5" }, { "RTX 6000 Ada", "8.9" },  { "RTX A6000", "8.6" },
		{ "RTX PRO 6000 Blackwell", "12.0" }, { "RTX 5090", "12.0" }, { "GB10", "12.1" },
		{ "DGX Spark", "12.1" },      { "NVIDIA B300 SXM6 AC", "10.3" }, { "GB200", "10.0" },
		{ "Orin (nvgpu)", "8.7" },    { "Jetson Nano", "5.3" },	  { "Thor", "11.0" },
		{ "Jetson AGX Xavier", "7.2" }, { "K80", "3.7" },	  { "P100", "6.0" },
		{ "TITAN V", "7.0" },	      { "L4", "8.9" },		  { "A10G", "8.6" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cv_kb_gpu gpu = { 0 };

		if (cv_kb_gpu_by_name(cv_kb_builtin(), cases[i].name, f->a, NULL, &gpu))
			fail_msg("%s is not found", cases[i].name);
		if (!gpu.cc || strcmp(gpu.cc, cases[i].cc) != 0)
			fail_msg("%s is %s, not %s", cases[i].name, gpu.cc ? gpu.cc : "unknown", cases[i].cc);
	}
}

static void test_kb_query_gpu_ambiguous(void **state)
{
	static const char *const names[] = { "RTX 6000", "RTX 5000", "TITAN X", "RTX 2000" };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct cv_strv candidates = { 0 };
		struct cv_kb_gpu gpu = { .name = "untouched" };

		if (cv_kb_gpu_by_name(cv_kb_builtin(), names[i], f->a, &candidates, &gpu) != CV_EINVAL)
			fail_msg("%s is not ambiguous", names[i]);
		assert_string_equal(gpu.name, "untouched");
		assert_true(candidates.n >= 2);
	}
}

static void test_kb_query_gpu_unknown(void **state)
{
	static const char *const names[] = { "RTX 9090", "NVIDIA Graphics Device", "", "NVIDIA", "A1000000", "Radeon RX 7900" };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct cv_kb_gpu gpu;

		if (cv_kb_gpu_by_name(cv_kb_builtin(), names[i], f->a, NULL, &gpu) != CV_ENOENT)
			fail_msg("'%s' is found", names[i]);
	}
}

/* Every name of the kb must lead back to its own compute capability, or be told to be ambiguous. */
static void test_kb_query_gpu_every_name(void **state)
{
	struct fixture *f = *state;
	struct cv_kb_iter it = cv_kb_iter(cv_kb_builtin(), "gpu:*", NULL, "name");
	struct cv_kb_row row;
	size_t n = 0;

	while (cv_kb_next(&it, &row)) {
		struct cv_arena *a = cv_arena_new((size_t)16 << 20);
		struct cv_kb_gpu gpu;
		int err;

		assert_non_null(a);
		if (strchr(row.value, ',')) {
			cv_arena_free(a);
			continue;
		}
		err = cv_kb_gpu_by_name(cv_kb_builtin(), row.value, a, NULL, &gpu);
		if (err)
			fail_msg("%s (%s): %d", row.value, row.subject, err);
		assert_string_equal(gpu.cc, cv_kb_value(cv_kb_builtin(), row.subject, NULL, "cc"));
		n++;
		cv_arena_free(a);
	}
	assert_true(n > 450);
	(void)f;
}

static void test_kb_query_gpu_by_pci(void **state)
{
	struct cv_kb_gpu gpu;

	(void)state;
	assert_true(cv_kb_gpu_by_pci(cv_kb_builtin(), "10de", "2684", &gpu));
	assert_string_equal(gpu.name, "NVIDIA GeForce RTX 4090");
	assert_string_equal(gpu.cc, "8.9");
	assert_true(cv_kb_gpu_by_pci(cv_kb_builtin(), "10DE", "1EB8", &gpu));
	assert_string_equal(gpu.cc, "7.5");
	assert_false(cv_kb_gpu_by_pci(cv_kb_builtin(), "10de", "ffff", &gpu));
	assert_false(cv_kb_gpu_by_pci(cv_kb_builtin(), "1002", "2684", &gpu));
	assert_false(cv_kb_gpu_by_pci(cv_kb_builtin(), "10de", "26840", &gpu));
}

static void test_kb_query_torch(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "torch", "2.9.0");

	assert_true(ans->found);
	assert_int_equal(ans->reach, CV_KB_LISTED);
	assert_null(ans->note);
	assert_string_equal(ans->title, "torch 2.9.0");
	assert_string_equal(line(ans, "builds of the vendor's index"), "cpu cu126 cu128 cu130");
	assert_string_equal(line(ans, "torchvision"), "0.24.0");
	assert_string_equal(line(ans, "GPU code (cu130)"), "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120 compute_120");
	for (size_t i = 0; i < ans->lines.n; i++) {
		assert_true(ans->lines.v[i].title[0] != '\0');
		assert_true(ans->lines.v[i].row.date[0] != '\0');
		assert_true(ans->lines.v[i].row.tier[0] != '\0');
	}
}

static void test_kb_query_torch_build(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "torch", "2.9.0+cu128");

	assert_string_equal(ans->title, "torch 2.9.0, build cu128");
	assert_non_null(line(ans, "GPU code (cu128)"));
	assert_null(line(ans, "GPU code (cu130)"));
	assert_string_equal(line(ans, "cuDNN (cu128)"), "9.10.2.21");
}

/* A minor means its newest patch, and all of them are named. */
static void test_kb_query_minor(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "torch", "2.12");

	assert_string_equal(ans->title, "torch 2.12.1");
	assert_string_equal(line(ans, "releases"), "2.12.0 2.12.1");
	ans = ask(*state, "tensorflow", "2.16");
	assert_string_equal(ans->title, "tensorflow 2.16.2");
	assert_string_equal(line(ans, "CUDA"), "12.3");
	ans = ask(*state, "torch", "2.1");
	assert_string_equal(ans->title, "torch 2.1.2");
	ans = ask(*state, "onnxruntime-gpu", "1.27");
	assert_string_equal(line(ans, "CUDA"), "13");
	assert_string_equal(line(ans, "cannot be imported without"), "libcudart.so.13");
}

static void test_kb_query_spellings(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "torch==2.9.0+cu126", NULL);

	assert_string_equal(ans->title, "torch 2.9.0, build cu126");
	assert_string_equal(ask(*state, "pytorch", "2.9.0")->title, "torch 2.9.0");
	assert_string_equal(ask(*state, "ort", "1.27.0")->title, "onnxruntime-gpu 1.27.0");
}

static void test_kb_query_beyond_the_kb(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "torch", "3.1");

	assert_false(ans->found);
	assert_int_equal(ans->reach, CV_KB_NEWER);
	assert_non_null(strstr(ans->note, "newer than this knowledge base ("));
	assert_non_null(strstr(ans->note, cv_kb_date(cv_kb_builtin())));
	assert_int_equal(ans->lines.n, 0);
	ans = ask(*state, "torch", "1.0.0");
	assert_false(ans->found);
	assert_non_null(strstr(ans->note, "older than this knowledge base ("));
	ans = ask(*state, "driver", "650");
	assert_false(ans->found);
	assert_int_equal(ans->lines.n, 0);
	ans = ask(*state, "cc", "14.0");
	assert_non_null(strstr(ans->note, "newer than this knowledge base ("));
}

static void test_kb_query_driver(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "driver", "535");

	assert_true(ans->found);
	assert_string_equal(line(ans, "highest CUDA of its driver API"), "12.2");
	assert_string_equal(line(ans, "end of life"), "2026-06");
	assert_string_equal(line(ans, "runs programs built for CUDA (11 and newer)"), "11.x 12.x");
	assert_string_equal(line(ans, "newest PTX it can compile (PTX ISA)"), "8.2");
	assert_non_null(strstr(line(ans, "too new for compute capabilities"), "3.5"));
	assert_null(strstr(line(ans, "too new for compute capabilities"), "6.1"));
	assert_non_null(strstr(line(ans, "too old for compute capabilities"), "12.0"));
	ans = ask(*state, "driver", "595.45.04");
	assert_non_null(strstr(line(ans, "too new for compute capabilities"), "6.1"));
	/* The last branch for a GPU still runs it, in every release. */
	ans = ask(*state, "driver", "580.159.04");
	assert_null(strstr(line(ans, "too new for compute capabilities"), "6.1"));
	assert_null(line(ans, "too old for compute capabilities"));
	/* 12.x needs 525.60.13: an early 525 does not do. */
	ans = ask(*state, "driver", "525.53");
	assert_string_equal(line(ans, "runs programs built for CUDA (11 and newer)"), "11.x");
}

static void test_kb_query_cuda(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "cuda", "12.8");

	assert_string_equal(line(ans, "driver for all its features"), "570.26");
	assert_string_equal(line(ans, "oldest driver for its major"), "525.60.13");
	assert_string_equal(line(ans, "torch with a cu128 build"), "2.7.0 to 2.11.0");
	assert_string_equal(line(ans, "onnxruntime-gpu for CUDA 12"), "1.19.0 to 1.26.0");
	ans = ask(*state, "cuda", "11.2");
	assert_string_equal(line(ans, "tensorflow for CUDA 11.2"), "2.5.0 to 2.11.0");
	ans = ask(*state, "cuda", "12.7");
	assert_non_null(ans->note);
}

/* H14: from which release wheels exist. */
static void test_kb_query_python(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "python", "3.13");

	assert_true(ans->found);
	assert_string_equal(line(ans, "torch with wheels"), "2.5.0 to 2.15.0");
	assert_string_equal(line(ans, "onnxruntime-gpu with wheels"), "1.20.0 to 1.31.1");
	assert_string_equal(line(ans, "jax with wheels"), "0.4.34 to 0.12.0.1");
	assert_string_equal(line(ask(*state, "python", "3.14"), "torch with wheels"), "2.9.0 to 2.15.0");
	assert_string_equal(line(ask(*state, "python", "3.12.4"), "torch with wheels"), "2.2.0 to 2.15.0");
	ans = ask(*state, "python", "3.99");
	assert_false(ans->found);
	assert_non_null(ans->note);
}

static void test_kb_query_gpu_answers(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "gpu", "RTX 4090");

	assert_true(ans->found);
	assert_string_equal(ans->subject, "gpu:10de:2684");
	assert_string_equal(line(ans, "compute capability"), "8.9");
	assert_string_equal(line(ans, "architecture"), "Ada Lovelace");
	ans = ask(*state, "gpu", "10de:1b06");
	assert_string_equal(line(ans, "compute capability"), "6.1");
	assert_string_equal(line(ans, "newest driver"), "580");
	assert_string_equal(line(ans, "kernel module flavour"), "proprietary");
	ans = ask(*state, "gpu", "RTX 6000");
	assert_false(ans->found);
	assert_true(ans->candidates.n >= 2);
	assert_non_null(strstr(ans->note, "say which"));
	ans = ask(*state, "gpu", "10de:ffff");
	assert_false(ans->found);
	assert_non_null(strstr(ans->note, cv_kb_date(cv_kb_builtin())));
}

static void test_kb_query_others(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "cc", "8.9");

	assert_string_equal(line(ans, "architecture"), "Ada Lovelace");
	assert_non_null(strstr(line(ans, "GPUs"), "RTX 4090"));
	ans = ask(*state, "cudnn", "9.10.2");
	assert_true(ans->found);
	assert_true(cv_kb_has_word(line(ans, "GPU code (cu12)"), "sm_70"));
	ans = ask(*state, "cudnn", "9.11.0");
	assert_false(cv_kb_has_word(line(ans, "GPU code (cu12)"), "sm_70"));
	ans = ask(*state, "package", "ONNXRuntime");
	assert_string_equal(line(ans, "GPU package"), "onnxruntime-gpu");
	ans = ask(*state, "var", "CUDA_VISIBLE_DEVICES");
	assert_string_equal(line(ans, "read by"), "libcuda");
	assert_true(ask(*state, "torch", NULL)->found);
	assert_non_null(line(ask(*state, "driver", NULL), "releases"));
}

static void test_kb_query_unknown_subject(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "mxnet", "1.9");

	assert_false(ans->found);
	assert_int_equal(ans->reach, CV_KB_NO_SUBJECT);
	assert_true(ans->candidates.n > 0);
}

static void test_kb_query_no_question(void **state)
{
	static const char *const bad_version[] = { "torch", "newest" };
	struct fixture *f = *state;
	const struct cv_kb_answer *ans = NULL;

	assert_int_equal(cv_kb_ask(cv_kb_builtin(), NULL, 0, f->a, &f->d, &ans), CV_EINVAL);
	assert_int_equal(cv_kb_ask(cv_kb_builtin(), bad_version, 2, f->a, &f->d, &ans), CV_EINVAL);
	assert_null(ans);
	assert_int_equal(f->d.n, 2);
	assert_string_equal(f->d.v[1], "kb: 'newest' is not a version of torch");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_kb_query_gpu_names),
		TEST(test_kb_query_gpu_ambiguous),
		TEST(test_kb_query_gpu_unknown),
		TEST(test_kb_query_gpu_every_name),
		TEST(test_kb_query_gpu_by_pci),
		TEST(test_kb_query_torch),
		TEST(test_kb_query_torch_build),
		TEST(test_kb_query_minor),
		TEST(test_kb_query_spellings),
		TEST(test_kb_query_beyond_the_kb),
		TEST(test_kb_query_driver),
		TEST(test_kb_query_cuda),
		TEST(test_kb_query_python),
		TEST(test_kb_query_gpu_answers),
		TEST(test_kb_query_others),
		TEST(test_kb_query_unknown_subject),
		TEST(test_kb_query_no_question),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
