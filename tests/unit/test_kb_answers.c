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

/* words: blank-separated */
static const struct cv_kb_answer *ask(struct fixture *f, const char *words)
{
	const struct cv_kb_answer *ans = NULL;
	struct cv_str rest = cv_str_of(words), w;
	const char *list[8];
	size_t n = 0;

	while (n < 8 && cv_str_word(&rest, &w))
		list[n++] = cv_str_dup(f->a, w);
	assert_int_equal(cv_kb_ask(cv_kb_builtin(), list, n, f->a, &f->d, &ans), 0);
	assert_non_null(ans->title);
	return ans;
}

static const char *line(const struct cv_kb_answer *ans, const char *label)
{
	for (size_t i = 0; i < ans->lines.n; i++)
		if (strcmp(ans->lines.v[i].label, label) == 0)
			return ans->lines.v[i].value;
	return NULL;
}

static void is_line(const struct cv_kb_answer *ans, const char *label, const char *value)
{
	const char *got = line(ans, label);

	if (!got || strcmp(got, value) != 0)
		fail_msg("%s: %s is %s, not %s", ans->title, label, got ? got : "nowhere", value);
}

static void holds(const struct cv_kb_answer *ans, const char *label, const char *part)
{
	const char *got = line(ans, label);

	if (!got || !strstr(got, part))
		fail_msg("%s: %s is %s, without %s", ans->title, label, got ? got : "nowhere", part);
}

static void test_kb_answers_error_number(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "error 803");

	assert_true(ans->found);
	is_line(ans, "CUDA: name", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH cudaErrorSystemDriverMismatch");
	holds(ans, "CUDA: message", "unsupported display driver");
	/* One number of several libraries: each is told, CUDA first. */
	ans = ask(*state, "error 3");
	assert_true(strncmp(ans->lines.v[0].label, "CUDA:", 5) == 0);
	assert_non_null(line(ans, "NVML: name"));
	ans = ask(*state, "error nvml 3");
	assert_null(line(ans, "CUDA: name"));
	is_line(ans, "NVML: name", "NVML_ERROR_NOT_SUPPORTED");
	ans = ask(*state, "error 77777");
	assert_false(ans->found);
	assert_non_null(strstr(ans->note, cv_kb_date(cv_kb_builtin())));
}

static void test_kb_answers_error_name(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "error CUDA_ERROR_NO_DEVICE");

	is_line(ans, "CUDA: number", "100");
	is_line(ask(*state, "cudaErrorNoDevice"), "CUDA: number", "100");
	is_line(ask(*state, "error cudaerrorinsufficientdriver"), "CUDA: number", "35");
	ans = ask(*state, "error SYSTEM_DRIVER");
	assert_false(ans->found);
	assert_true(ans->candidates.n > 0);
}

static void test_kb_answers_xid(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "xid 79");

	assert_true(ans->found);
	holds(ans, "meaning", "no longer answers");
	ans = ask(*state, "xid 500");
	assert_false(ans->found);
	assert_non_null(strstr(ans->note, "newer than this knowledge base"));
}

static void test_kb_answers_image(void **state)
{
	static const char tag[] = "image nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04";
	const struct cv_kb_answer *ans = ask(*state, tag);

	assert_true(ans->found);
	assert_null(ans->note);
	is_line(ans, "cuDNN", "9.1.0.70");
	is_line(ans, "asks the driver for CUDA", "12.4");
	is_line(ans, "oldest driver for CUDA 12.4", "525.60.13");
	/* Where it is pulled from makes no difference, and an image needs no word before it. */
	is_line(ask(*state, "example.org:5000/nvidia/cuda:12.4.1-base-ubuntu22.04@sha256:00"), "cuDNN", "9.1.0.70");
	ans = ask(*state, "image nvidia/cuda:12.4.0-cudnn8-devel-ubuntu22.04");
	assert_non_null(strstr(ans->note, "was not built"));
	ans = ask(*state, "image nvidia/cuda:12.4.1-cudnn8-devel-ubuntu22.04");
	assert_non_null(strstr(ans->note, "say 'cudnn', not 'cudnn8'"));
	ans = ask(*state, "image nvidia/cuda:12.4.1-base-centos7");
	assert_non_null(strstr(ans->note, "centos7"));
	ans = ask(*state, "image nvidia/cuda:99.0-base-ubuntu22.04");
	assert_false(ans->found);
	assert_int_equal(ans->reach, CV_KB_NEWER);
	ans = ask(*state, "image pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime");
	is_line(ans, "CUDA", "12.6 12.8");
	ans = ask(*state, "image nvidia/pytorch:26.07-py3");
	is_line(ans, "torch", "2.13.0a0+9186a08");
}

static void test_kb_answers_families(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "distro ubuntu 22.04");

	is_line(ans, "glibc", "2.35");
	is_line(ask(*state, "distro debian 12"), "glibc", "2.36");
	ans = ask(*state, "distro");
	assert_true(ans->found && ans->lines.n > 5);
	ans = ask(*state, "cloud sagemaker");
	assert_true(ans->found);
	ans = ask(*state, "cloud nowhere-at-all");
	assert_false(ans->found);
	assert_true(ans->candidates.n > 0);
	ans = ask(*state, "conda conda-forge pytorch 2.13.0");
	assert_non_null(line(ans, "CUDA (linux-64)"));
}

static void test_kb_answers_jetson(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "jetpack 6.2");

	assert_true(ans->found);
	is_line(ans, "CUDA", "12.6");
	assert_string_equal(ans->subject, "jetson");
	is_line(ask(*state, "jetson 36.4.3"), "Python", "3.10");
	assert_false(ask(*state, "jetpack 99")->found);
}

/* H6 and its kind: cudnn_version.h, cuda.h and nccl.h say how the numbers are made. */
static void test_kb_answers_version_numbers(void **state)
{
	is_line(ask(*state, "cudnn 91002"), "the number 91002", "version 9.10.2");
	is_line(ask(*state, "cudnn 90100"), "the number 90100", "version 9.1.0");
	is_line(ask(*state, "cudnn 8907"), "the number 8907", "version 8.9.7");
	is_line(ask(*state, "cuda 12080"), "the number 12080", "version 12.8");
	is_line(ask(*state, "cuda 13000"), "the number 13000", "version 13.0");
	is_line(ask(*state, "nccl 22703"), "the number 22703", "version 2.27.3");
	assert_true(ask(*state, "cudnn 91002")->found);
	/* A driver's number is no such number. */
	assert_null(line(ask(*state, "driver 535"), "the number 535"));
}

static void test_kb_answers_minor(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "flash-attn 2.8");

	/* 2.8.3.post2 is the newest, but only of 2.8.3.post1 a source tells the wheels. */
	assert_string_equal(ans->title, "flash-attn 2.8.3.post2");
	is_line(ans, "wheels for torch", "2.4.0 2.5.1 2.6.0 2.7.1 2.8.0");
	is_line(ans, "lowest compute capability", "8.0");
	is_line(ans, "lowest glibc", "2.32");
	ans = ask(*state, "cudnn 9");
	assert_non_null(line(ans, "GPU code (cu12)"));
	assert_non_null(line(ans, "GPU code (cu13)"));
}

static void test_kb_answers_libraries(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "nccl 2.32.3");

	assert_true(cv_kb_has_word(line(ans, "GPU code (cu12)"), "sm_60"));
	assert_false(cv_kb_has_word(line(ans, "GPU code (cu13)"), "sm_60"));
	is_line(ans, "SONAME (cu12)", "libnccl.so.2");
	/* By the name of the wheel it is the same. */
	assert_string_equal(ask(*state, "nvidia-nccl-cu12 2.32.3")->title, "nccl 2.32.3");
	is_line(ask(*state, "package nvidia-nccl-cu12"), "library", "nccl");
	ans = ask(*state, "tensorrt 10.3");
	is_line(ans, "CUDA", "11.8 12.5");
	is_line(ans, "in full", "10.3.0.26");
	holds(ask(*state, "torch 2.8.0+cu128"), "requires of CUDA (cu128)", "nvidia-cudnn-cu12==9.10.2.21");
	is_line(ask(*state, "manylinux_2_28_x86_64"), "glibc", "2.28");
	is_line(ask(*state, "manylinux 2.28"), "glibc", "2.28");
	is_line(ask(*state, "manylinux2014"), "glibc", "2.17");
}

static void test_kb_answers_typo(void **state)
{
	static const char *const typos[][2] = {
		{ "torhc", "torch" },	      { "onnxruntme-gpu", "onnxruntime-gpu" }, { "tensorlfow", "tensorflow" },
		{ "cdnn", "cudnn" },	      { "drivr", "driver" },		       { "marix", "matrix" },
		{ "claims2", "claims" },      { "nvidia-ncl-cu12", "nvidia-nccl-cu12" }, { "Xid", "xid" },
	};

	for (size_t i = 0; i < sizeof(typos) / sizeof(*typos); i++) {
		const struct cv_kb_answer *ans = ask(*state, typos[i][0]);

		assert_false(ans->found);
		if (!ans->candidates.n || strcmp(ans->candidates.v[0], typos[i][1]) != 0)
			fail_msg("%s: %s", typos[i][0], ans->candidates.n ? ans->candidates.v[0] : "nothing");
	}
	/* What is near to nothing gets the whole list, without the data of other commands. */
	assert_true(ask(*state, "qqqqqqqqq")->candidates.n > 10);
	assert_false(cv_strv_has(&ask(*state, "qqqqqqqqq")->candidates, "message"));
}

static const struct cv_kb_matrix_row *matrix_row(const struct cv_kb_answer *ans, const char *release, const char *build)
{
	assert_non_null(ans->matrix);
	for (size_t i = 0; i < ans->matrix->rows.n; i++) {
		const struct cv_kb_matrix_row *r = &ans->matrix->rows.v[i];

		if (strcmp(r->release, release) == 0 && (!build || (r->build && strcmp(r->build, build) == 0)))
			return r;
	}
	fail_msg("no row %s %s", release, build ? build : "");
	return NULL;
}

static void test_kb_answers_matrix_torch(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "matrix torch");
	const struct cv_kb_matrix_row *r = matrix_row(ans, "2.15.0", "cu132");

	assert_true(ans->found);
	assert_ptr_equal(r, &ans->matrix->rows.v[0]); /* newest first */
	assert_true(r->is_default);
	assert_string_equal(r->cuda, "13.2");
	assert_string_equal(r->python, "3.11-3.15");
	assert_string_equal(r->oldest, "7.5");
	assert_string_equal(r->newest, "12.1");
	assert_false(r->ptx);
	assert_true(r->sources.n > 0);
	r = matrix_row(ans, "2.6.0", "cu118");
	assert_string_equal(r->driver, "450.80.02");
	assert_string_equal(r->oldest, "3.7");
	assert_string_equal(r->newest, "9.0");
	/* H11, release matrix: cu126 keeps Pascal and Volta where cu128 no longer does. */
	assert_string_equal(matrix_row(ans, "2.11.0", "cu126")->oldest, "5.0");
	assert_string_equal(matrix_row(ans, "2.11.0", "cu128")->oldest, "7.5");
	/* A minor alone lists its releases. */
	ans = ask(*state, "matrix torch 2.9");
	assert_non_null(matrix_row(ans, "2.9.0", "cu130"));
	assert_non_null(matrix_row(ans, "2.9.1", "cu130"));
	assert_false(ask(*state, "matrix torch 99")->found);
}

static void test_kb_answers_matrix_others(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "matrix onnxruntime-gpu");
	const struct cv_kb_matrix_row *r = matrix_row(ans, "1.29.0", NULL);

	/* H15, wheels: no code for B200 in 1.29. */
	assert_non_null(strstr(r->gaps, "10.0"));
	assert_null(r->build);
	/* 1.28 has sm_100a, which is for exactly 10.0: not for B300. */
	assert_string_equal(matrix_row(ans, "1.28.0", NULL)->gaps, "10.3");
	assert_string_equal(matrix_row(ans, "1.26.0", NULL)->cuda, "12.8");
	assert_string_equal(matrix_row(ans, "1.18.1", NULL)->cudnn, "8");
	assert_null(matrix_row(ans, "1.14.1", NULL)->oldest);
	/* H16, tensorflow install docs. */
	ans = ask(*state, "matrix tensorflow");
	assert_string_equal(matrix_row(ans, "2.15.1", NULL)->cuda, "12.2");
	assert_string_equal(matrix_row(ans, "2.10.0", NULL)->cuda, "11.2");
	ans = ask(*state, "matrix jax");
	assert_string_equal(matrix_row(ans, "0.12.0.1", "13")->driver, "580.65.06");
	assert_string_equal(matrix_row(ans, "0.12.0.1", "12")->oldest, "5.0");
	ans = ask(*state, "matrix torhc");
	assert_false(ans->found);
	assert_non_null(strstr(ans->note, "did you mean 'torch'?"));
	assert_true(ask(*state, "matrix")->candidates.n >= 5);
}

static void test_kb_answers_claims(void **state)
{
	const struct cv_kb_answer *ans = ask(*state, "claims");
	size_t wrong = 0;

	assert_int_equal(ans->claims.n, 21);
	for (size_t i = 0; i < ans->claims.n; i++) {
		const struct cv_kb_claim *c = &ans->claims.v[i];

		assert_true(c->claim[0] && c->right[0] && c->topic[0] && c->sources.n > 0);
		wrong += strcmp(c->verdict, "wrong") == 0;
	}
	assert_int_equal(wrong, 12);
	ans = ask(*state, "claims cudnn");
	assert_true(ans->claims.n > 0 && ans->claims.n < 21);
	assert_false(ask(*state, "claims sourdough")->found);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_kb_answers_error_number),
		TEST(test_kb_answers_error_name),
		TEST(test_kb_answers_xid),
		TEST(test_kb_answers_image),
		TEST(test_kb_answers_families),
		TEST(test_kb_answers_jetson),
		TEST(test_kb_answers_version_numbers),
		TEST(test_kb_answers_minor),
		TEST(test_kb_answers_libraries),
		TEST(test_kb_answers_typo),
		TEST(test_kb_answers_matrix_torch),
		TEST(test_kb_answers_matrix_others),
		TEST(test_kb_answers_claims),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
