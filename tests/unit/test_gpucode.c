/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpucode/codetext.h"
#include "judge/match.h"

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

static enum cv_fit fit(const char *target, uint16_t cc)
{
	struct cv_gpu_target t;

	assert_true(cv_gpu_target_parse(target, &t));
	return cv_gpu_target_fit(t, cc);
}

static bool fits(const char *target, uint16_t cc)
{
	return fit(target, cc) == CV_FIT_YES;
}

/* CUDA C++ programming guide, binary compatibility; PTX ISA manual, targets. */
static void test_gpucode_matches_targets(void **state)
{
	(void)state;
	assert_true(fits("sm_86", 89));
	assert_true(fits("sm_120", 121));
	assert_true(fits("sm_100", 103));
	assert_false(fits("sm_86", 80));
	assert_false(fits("sm_86", 90));
	assert_false(fits("sm_80", 120));
	assert_true(fits("sm_90a", 90));
	assert_false(fits("sm_120a", 121));
	assert_true(fits("sm_100f", 103));
	assert_false(fits("sm_103f", 100));
	assert_false(fits("sm_100f", 120));
	assert_true(fits("compute_80", 120));
	assert_false(fits("compute_90", 89));
	assert_false(fits("compute_90a", 120));
	assert_true(fits("compute_120f", 121));
	assert_false(fits("compute_100f", 110));
}

/* "Binary compatibility is not supported for Tegra": neither yes nor no. PTX is compiled for any of them. */
static void test_gpucode_leaves_open_what_is_not_documented(void **state)
{
	(void)state;
	assert_int_equal(fit("sm_86", 87), CV_FIT_OPEN);
	assert_int_equal(fit("sm_87", 89), CV_FIT_OPEN);
	assert_int_equal(fit("sm_72", 75), CV_FIT_OPEN);
	assert_int_equal(fit("sm_101", 103), CV_FIT_OPEN); /* Thor, as CUDA 12.8 called it */
	assert_int_equal(fit("sm_100f", 109), CV_FIT_OPEN);
	assert_int_equal(fit("sm_87", 87), CV_FIT_YES);
	assert_int_equal(fit("sm_87", 86), CV_FIT_NO);
	assert_int_equal(fit("sm_110", 110), CV_FIT_YES);
	assert_int_equal(fit("compute_87", 89), CV_FIT_YES);
	assert_int_equal(fit("sm_100f", 101), CV_FIT_NO);
}

/* The judge reads lists of the kb by rules of its own: they must be the same ones. */
static void test_gpucode_agrees_with_the_judge(void **state)
{
	static const uint16_t archs[] = { 32, 35, 50, 52, 53, 60, 61, 62,  70,	72,  75,
					  80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121 };
	static const char *const forms[] = { "sm_%u", "sm_%ua", "sm_%uf", "compute_%u", "compute_%ua", "compute_%uf" };
	static const enum cv_tri same[] = { [CV_FIT_NO] = CV_TRI_BAD, [CV_FIT_OPEN] = CV_TRI_UNKNOWN, [CV_FIT_YES] = CV_TRI_OK };
	const size_t n = sizeof(archs) / sizeof(archs[0]);

	(void)state;
	for (size_t i = 0; i < n * n; i++) {
		uint16_t arch = archs[i / n], cc = archs[i % n];

		for (size_t k = 0; k < sizeof(forms) / sizeof(forms[0]); k++) {
			struct cv_gpu_target t = { .ptx = k >= 3, .arch = arch, .suffix = "\0af"[k % 3] };
			struct cv_target u = { .ptx = t.ptx, .cc = { arch / 10, arch % 10 }, .suffix = t.suffix };

			if (same[cv_gpu_target_fit(t, cc)] != cv_target_runs(u, (struct cv_cc){ cc / 10, cc % 10 }))
				fail_msg("%s of %u on %u", forms[k], arch, cc);
		}
	}
}

static void test_gpucode_refuses_other_words(void **state)
{
	static const char *const bad[] = { "", "sm_", "sm_9", "sm_90b", "compute", "sm_1000", "lto_90", "sm_-90", "sm_90 " };
	struct cv_gpu_target t;
	uint16_t cc;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(cv_gpu_target_parse(bad[i], &t));
	assert_true(cv_gpu_cc_parse("12.1", &cc));
	assert_int_equal(cc, 121);
	assert_false(cv_gpu_cc_parse("12", &cc));
	assert_false(cv_gpu_cc_parse("12.10", &cc));
	assert_false(cv_gpu_cc_parse("8.9.1", &cc));
}

static struct cv_gpucode code_of(const char *const *texts, size_t n)
{
	struct cv_strv list = { 0 };
	struct cv_gpucode g = { 0 };

	for (size_t i = 0; i < n; i++)
		assert_true(cv_strv_push(arena, &list, texts[i]));
	assert_int_equal(cv_codetext_read(&list, arena, &g.own), 0);
	return g;
}

static void assert_cover(const struct cv_gpucode *g, uint16_t cc, uint16_t isa, enum cv_coverage verdict, uint64_t covered)
{
	struct cv_cover c = cv_gpucode_cover(g, cc, isa);

	assert_int_equal(c.verdict, verdict);
	assert_int_equal(c.native + c.jit, covered);
}

static void test_gpucode_open_code_makes_no_verdict(void **state)
{
	static const char *const texts[] = { "90 sm_80 sm_86", "10 sm_80 sm_86 compute_80@8.0", "100 sm_87" };
	struct cv_gpucode g = code_of(texts, 1);

	(void)state;
	assert_cover(&g, 87, 0, CV_COVER_NONE, 0);
	assert_true(cv_gpucode_cover(&g, 87, 0).unsettled);
	assert_int_equal(cv_gpucode_cover(&g, 87, 0).open, 90);
	assert_false(cv_gpucode_cover(&g, 90, 0).unsettled);
	/* PTX serves for sure, whatever becomes of the cubins. */
	g = code_of(texts, 2);
	assert_cover(&g, 87, 0, CV_COVER_PTX_JIT, 10);
	assert_false(cv_gpucode_cover(&g, 87, 0).unsettled);
	/* A few open ones cannot make the difference where the others do. */
	g = code_of(texts + 2, 1);
	assert_cover(&g, 87, 0, CV_COVER_NATIVE, 100);
	assert_true(cv_gpucode_cover(&g, 89, 0).unsettled);
	assert_false(cv_gpucode_cover(&g, 86, 0).unsettled);
}

/* The numbers of libcudnn_engines_precompiled of cu13: two stray sm_70 cubins do not serve a V100. */
static void test_gpucode_counts_instead_of_uniting(void **state)
{
	static const char *const texts[] = { "2 sm_70 sm_80", "473 sm_75 sm_80", "900 sm_80 sm_90", "4 compute_90@8.7" };
	struct cv_gpucode g = code_of(texts, 4);

	(void)state;
	assert_int_equal(g.own.containers, 1379);
	assert_cover(&g, 70, 0, CV_COVER_PARTIAL, 2);
	assert_cover(&g, 75, 0, CV_COVER_NATIVE, 475);
	assert_cover(&g, 86, 0, CV_COVER_NATIVE, 1375);
	assert_cover(&g, 61, 0, CV_COVER_NONE, 0);
	assert_cover(&g, 120, 0, CV_COVER_PARTIAL, 4);
}

static void test_gpucode_ptx_needs_a_driver_that_knows_it(void **state)
{
	static const char *const texts[] = { "100 sm_80 compute_80@8.8" };
	struct cv_gpucode g = code_of(texts, 1);

	(void)state;
	assert_cover(&g, 90, 0, CV_COVER_PTX_JIT, 100);
	assert_cover(&g, 90, 88, CV_COVER_PTX_JIT, 100);
	assert_cover(&g, 90, 87, CV_COVER_NONE, 0);
	assert_cover(&g, 89, 80, CV_COVER_NATIVE, 100);
}

static void test_gpucode_without_code_is_no_verdict_on_gpus(void **state)
{
	struct cv_gpucode g = { 0 };

	(void)state;
	assert_cover(&g, 90, 0, CV_COVER_NO_CODE, 0);
	g = code_of((const char *const[]){ "1" }, 1); /* a container that holds nothing that runs */
	assert_int_equal(g.own.containers, 1);
	assert_cover(&g, 75, 0, CV_COVER_NO_CODE, 0);
}

static void test_gpucode_text_survives_a_round_trip(void **state)
{
	static const char *const texts[] = { "444 sm_75 sm_90a sm_100f compute_120f@9.0", "7", "1 compute_52" };
	struct cv_gpucode g = code_of(texts, 3);
	struct cv_strv out = { 0 };

	(void)state;
	assert_true(cv_codetext_write(&g.own, arena, &out));
	assert_int_equal(out.n, 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(out.v[i], texts[i]);
	assert_int_equal(g.own.containers, 452);
	assert_int_equal(g.own.cubin.n, 3);
	assert_int_equal(g.own.cubin.v[0].n, 444);
	assert_int_equal(g.own.ptx.v[0].n, 1);
}

static void test_gpucode_refuses_broken_text(void **state)
{
	static const char *const bad[] = { "", "x sm_80", "0 sm_80", "3 sm80", "3 compute_80@", "99999999999 sm_80" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct cv_strv list = { 0 };
		struct cv_code_place place;

		assert_true(cv_strv_push(arena, &list, bad[i]));
		assert_int_equal(cv_codetext_read(&list, arena, &place), CV_EFORMAT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gpucode_matches_targets),
		cmocka_unit_test(test_gpucode_leaves_open_what_is_not_documented),
		cmocka_unit_test(test_gpucode_agrees_with_the_judge),
		cmocka_unit_test(test_gpucode_refuses_other_words),
		cmocka_unit_test(test_gpucode_open_code_makes_no_verdict),
		cmocka_unit_test(test_gpucode_counts_instead_of_uniting),
		cmocka_unit_test(test_gpucode_ptx_needs_a_driver_that_knows_it),
		cmocka_unit_test(test_gpucode_without_code_is_no_verdict_on_gpus),
		cmocka_unit_test(test_gpucode_text_survives_a_round_trip),
		cmocka_unit_test(test_gpucode_refuses_broken_text),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
