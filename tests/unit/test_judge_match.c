/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of binary compatibility, masks and tags. H numbers are rows of the head-to-head table that the project answers to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/match.h"

#define TORCH_CU130 "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"
#define TORCH_CU126 "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90"
#define TORCH_2_15 "sm_75 sm_80 sm_86 sm_89 sm_90 sm_90a sm_100 sm_100a sm_103f sm_120 sm_120a sm_121a"

static struct cv_cc cc(const char *s)
{
	struct cv_cc v = { 0 };

	assert_true(cv_cc_parse(s, &v));
	return v;
}

static enum cv_code code(const char *list, const char *gpu)
{
	return cv_code_match(list, cc(gpu), CV_TRI_OK).code;
}

static enum cv_tri runs(const char *target, const char *gpu)
{
	struct cv_target t;

	assert_true(cv_target_parse(cv_str_of(target), &t));
	return cv_target_runs(t, cc(gpu));
}

static void test_judge_match_parse(void **state)
{
	struct cv_target t;
	struct cv_cc v;

	(void)state;
	assert_true(cv_cc_parse("12.1", &v));
	assert_int_equal(v.major, 12);
	assert_int_equal(v.minor, 1);
	assert_false(cv_cc_parse("12", &v));
	assert_false(cv_cc_parse("12.x", &v));
	assert_false(cv_cc_parse("8.9.1", &v));
	assert_false(cv_cc_parse("", &v));
	assert_true(cv_target_parse(CV_STR("compute_120f"), &t));
	assert_true(t.ptx);
	assert_int_equal(t.cc.major, 12);
	assert_int_equal(t.suffix, 'f');
	assert_false(cv_target_parse(CV_STR("sm_"), &t));
	assert_false(cv_target_parse(CV_STR("sm_9x"), &t));
	assert_false(cv_target_parse(CV_STR("gfx90a"), &t));
	assert_false(cv_target_parse(CV_STR("sm_99999999999999999999"), &t));
}

/* H1: a cubin runs on the same major with an equal or higher minor (CUDA programming guide; pytorch#95648). */
static void test_judge_match_h1_minor(void **state)
{
	(void)state;
	assert_int_equal(code(TORCH_CU130, "8.9"), CV_CODE_NATIVE);
	assert_int_equal(code(TORCH_CU130, "10.3"), CV_CODE_NATIVE);
	assert_int_equal(code(TORCH_CU130, "12.1"), CV_CODE_NATIVE);
	assert_int_equal(runs("sm_86", "8.9"), CV_TRI_OK);
	assert_int_equal(runs("sm_89", "8.6"), CV_TRI_BAD);
	assert_int_equal(runs("sm_120", "12.1"), CV_TRI_OK);
	assert_int_equal(runs("sm_121", "12.0"), CV_TRI_BAD);
}

/* H3, H4: code lists of the wheels. */
static void test_judge_match_h3_h4_lists(void **state)
{
	const char *cu128_2_9 = "sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120";

	(void)state;
	assert_int_equal(code(cu128_2_9, "6.1"), CV_CODE_NONE);
	assert_int_equal(code(TORCH_CU126, "12.0"), CV_CODE_NONE);
	assert_int_equal(code(TORCH_CU126, "6.1"), CV_CODE_NATIVE);
	assert_int_equal(code(cu128_2_9, "7.0"), CV_CODE_NATIVE);
	assert_int_equal(code(TORCH_CU130, "7.0"), CV_CODE_NONE);
	assert_int_equal(code(TORCH_CU130, "9.0"), CV_CODE_NATIVE);
}

/* H29: a targets are for exactly one GPU (PTX manual). */
static void test_judge_match_h29_exact(void **state)
{
	(void)state;
	assert_int_equal(code("compute_90a", "12.0"), CV_CODE_NONE);
	assert_int_equal(code("compute_90a", "9.0"), CV_CODE_PTX_JIT);
	assert_int_equal(runs("sm_90a", "9.0"), CV_TRI_OK);
	assert_int_equal(runs("sm_100a", "10.3"), CV_TRI_BAD);
	assert_int_equal(runs("sm_120a", "12.1"), CV_TRI_BAD);
}

static void test_judge_match_families(void **state)
{
	(void)state;
	assert_int_equal(runs("sm_100f", "10.0"), CV_TRI_OK);
	assert_int_equal(runs("sm_100f", "10.3"), CV_TRI_OK);
	assert_int_equal(runs("compute_100f", "9.0"), CV_TRI_BAD);
	assert_int_equal(runs("sm_103f", "10.0"), CV_TRI_BAD);
	assert_int_equal(runs("compute_120f", "12.1"), CV_TRI_OK);
	assert_int_equal(runs("sm_120f", "10.0"), CV_TRI_BAD);
	assert_int_equal(runs("sm_110f", "11.0"), CV_TRI_OK);
	/* A member that the manual does not list is left open. */
	assert_int_equal(runs("sm_100f", "10.7"), CV_TRI_UNKNOWN);
}

/* H32: the real torch 2.15.0 wheel; desktop rules for B300 and GB10, Orin is not settled. */
static void test_judge_match_h32_torch_2_15(void **state)
{
	struct cv_code_match orin = cv_code_match(TORCH_2_15, cc("8.7"), CV_TRI_OK);

	(void)state;
	assert_int_equal(code(TORCH_2_15, "10.3"), CV_CODE_NATIVE);
	assert_int_equal(code(TORCH_2_15, "12.1"), CV_CODE_NATIVE);
	assert_int_equal(code(TORCH_2_15, "9.0"), CV_CODE_NATIVE);
	assert_int_equal(orin.code, CV_CODE_UNKNOWN);
	assert_true(orin.undecided);
	assert_int_equal(runs("sm_87", "8.7"), CV_TRI_OK);
	assert_int_equal(runs("sm_87", "8.9"), CV_TRI_UNKNOWN);
	/* PTX is not in question there. */
	assert_int_equal(code("sm_80 compute_80", "8.7"), CV_CODE_PTX_JIT);
}

static void test_judge_match_ptx(void **state)
{
	struct cv_code_match m = cv_code_match("sm_60 compute_90", cc("12.0"), CV_TRI_BAD);

	(void)state;
	assert_int_equal(m.code, CV_CODE_NONE);
	assert_true(m.only_ptx);
	assert_int_equal(cv_code_match("sm_60 compute_90", cc("12.0"), CV_TRI_OK).code, CV_CODE_PTX_JIT);
	assert_int_equal(cv_code_match("sm_60 compute_90", cc("12.0"), CV_TRI_UNKNOWN).code, CV_CODE_UNKNOWN);
	assert_int_equal(cv_code_match("sm_60 compute_90", cc("7.0"), CV_TRI_OK).code, CV_CODE_NONE);
	assert_int_equal(cv_code_match(NULL, cc("7.0"), CV_TRI_OK).code, CV_CODE_UNKNOWN);
	assert_int_equal(cv_code_match("nothing here", cc("7.0"), CV_TRI_OK).code, CV_CODE_UNKNOWN);
	m = cv_code_match("sm_86 sm_80 compute_80", cc("8.6"), CV_TRI_OK);
	assert_true(cv_str_is(m.by, "sm_86"));
	assert_int_equal(m.min.major, 8);
	assert_int_equal(m.max.minor, 6);
}

/* H2: minor-version compatibility (12.x from 525.60.13, 13.x from 580.65.06); before 11 the release itself is needed. */
static void test_judge_match_h2_floor(void **state)
{
	(void)state;
	assert_int_equal(cv_driver_runs("12.4", true, "12.8"), CV_TRI_OK);
	assert_int_equal(cv_driver_runs("12.2", true, "12.6"), CV_TRI_OK);
	assert_int_equal(cv_driver_runs("13.0", true, "13.2"), CV_TRI_OK);
	assert_int_equal(cv_driver_runs("12.9", true, "13.0"), CV_TRI_BAD);
	assert_int_equal(cv_driver_runs("13.4", true, "11.7"), CV_TRI_OK);
	assert_int_equal(cv_driver_runs("10.1", true, "10.2"), CV_TRI_BAD);
	assert_int_equal(cv_driver_runs("10.2", true, "10.1"), CV_TRI_OK);
	/* A driver newer than the kb offers at least what its newest row says. */
	assert_int_equal(cv_driver_runs("13.4", false, "13.5"), CV_TRI_OK);
	assert_int_equal(cv_driver_runs("13.4", false, "14.0"), CV_TRI_UNKNOWN);
	assert_int_equal(cv_driver_runs(NULL, true, "12.0"), CV_TRI_UNKNOWN);
	assert_int_equal(cv_driver_runs("12.0", true, NULL), CV_TRI_UNKNOWN);
}

#define U0 "GPU-00000000-1111-2222-3333-444444444444"
#define U1 "GPU-00000001-1111-2222-3333-444444444444"

static void mask(const char *value, bool ordered, size_t n, enum cv_tri first, enum cv_tri second)
{
	struct cv_mask_gpu g[2] = { { .uuid = U0 }, { .uuid = U1 } };

	(void)cv_mask_apply(value, ordered, g, n);
	assert_int_equal(g[0].visible, first);
	if (n > 1)
		assert_int_equal(g[1].visible, second);
}

/* H28: an index out of range hides the GPU (CUDA guide). */
static void test_judge_match_h28_mask(void **state)
{
	(void)state;
	mask("7", true, 1, CV_TRI_BAD, CV_TRI_BAD);
	mask("0", true, 1, CV_TRI_OK, CV_TRI_BAD);
	mask("", true, 2, CV_TRI_BAD, CV_TRI_BAD);
	mask("-1", true, 2, CV_TRI_BAD, CV_TRI_BAD);
	mask("1", true, 2, CV_TRI_BAD, CV_TRI_OK);
	mask("1,0", true, 2, CV_TRI_OK, CV_TRI_OK);
	mask(" 0 , 1 ", true, 2, CV_TRI_OK, CV_TRI_OK);
	/* An invalid entry ends the list. */
	mask("0,7,1", true, 2, CV_TRI_OK, CV_TRI_BAD);
	mask("7,0,1", true, 2, CV_TRI_BAD, CV_TRI_BAD);
	mask("99999999999999999999", true, 2, CV_TRI_BAD, CV_TRI_BAD);
}

static void test_judge_match_mask_uuid(void **state)
{
	struct cv_mask_gpu blind[2] = { { 0 }, { 0 } };

	(void)state;
	mask(U1, true, 2, CV_TRI_BAD, CV_TRI_OK);
	mask("GPU-00000001", true, 2, CV_TRI_BAD, CV_TRI_OK);
	mask("GPU-0000000", true, 2, CV_TRI_BAD, CV_TRI_BAD); /* not unique */
	mask("GPU-deadbeef", true, 2, CV_TRI_BAD, CV_TRI_BAD);
	mask("MIG-GPU-00000001/1/0", true, 1, CV_TRI_OK, CV_TRI_BAD);
	mask("MIG-whatever", true, 2, CV_TRI_UNKNOWN, CV_TRI_UNKNOWN);
	(void)cv_mask_apply("GPU-00000001", true, blind, 2);
	assert_int_equal(blind[0].visible, CV_TRI_UNKNOWN);
}

/* A mixed box counts in the order FASTEST_FIRST: an index alone names no GPU. */
static void test_judge_match_mask_unordered(void **state)
{
	(void)state;
	mask("0", false, 2, CV_TRI_UNKNOWN, CV_TRI_UNKNOWN);
	mask("0,1", false, 2, CV_TRI_OK, CV_TRI_OK);
	mask("0,0", false, 2, CV_TRI_UNKNOWN, CV_TRI_UNKNOWN);
	mask("7", false, 2, CV_TRI_BAD, CV_TRI_BAD);
	mask(U0, false, 2, CV_TRI_OK, CV_TRI_BAD);
}

static int glibc(const char *a, const char *b)
{
	const char *v[2] = { a, b };
	struct cv_strv tags = { .v = v, .n = b ? 2 : 1 };

	return cv_tags_glibc(&tags);
}

static void test_judge_match_tags(void **state)
{
	(void)state;
	assert_int_equal(glibc("cp312-cp312-manylinux_2_28_x86_64", NULL), 28);
	assert_int_equal(glibc("cp311-cp311-manylinux_2_27_x86_64", "cp311-cp311-manylinux_2_28_x86_64"), 27);
	assert_int_equal(glibc("py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64", NULL), 17);
	assert_int_equal(glibc("cp311-cp311-manylinux1_x86_64", NULL), 5);
	assert_int_equal(glibc("cp312-cp312-linux_x86_64", NULL), -1);
	assert_int_equal(glibc("py3-none-any", NULL), -1);
	assert_int_equal(glibc("", NULL), -1);
}

static void test_judge_match_sonames(void **state)
{
	(void)state;
	assert_true(cv_str_is(cv_soname_major("libcudart.so.11.0"), "11"));
	assert_true(cv_str_is(cv_soname_major("libcublas.so.12"), "12"));
	assert_int_equal(cv_soname_major("libcublas.so").n, 0);
	assert_int_equal(cv_soname_major("libx.so.y").n, 0);
	assert_true(cv_str_is(cv_soname_family("libcublasLt.so.12"), "cublasLt"));
	assert_true(cv_str_is(cv_soname_family("libcudart-d0da41ae.so.11.0"), "cudart-d0da41ae"));
	assert_int_equal(cv_soname_family("cublas.so.12").n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judge_match_parse),
		cmocka_unit_test(test_judge_match_h1_minor),
		cmocka_unit_test(test_judge_match_h3_h4_lists),
		cmocka_unit_test(test_judge_match_h29_exact),
		cmocka_unit_test(test_judge_match_families),
		cmocka_unit_test(test_judge_match_h32_torch_2_15),
		cmocka_unit_test(test_judge_match_ptx),
		cmocka_unit_test(test_judge_match_h2_floor),
		cmocka_unit_test(test_judge_match_h28_mask),
		cmocka_unit_test(test_judge_match_mask_uuid),
		cmocka_unit_test(test_judge_match_mask_unordered),
		cmocka_unit_test(test_judge_match_tags),
		cmocka_unit_test(test_judge_match_sonames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
