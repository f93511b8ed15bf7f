/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpucode/codetext.h"

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

static bool fits(const char *target, uint16_t cc)
{
	struct cv_gpu_target t;

	assert_true(cv_gpu_target_parse(target, &t));
	return cv_gpu_target_fit(t, cc) == CV_FIT_YES;
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
		cmocka_unit_test(test_gpucode_refuses_other_words),
		cmocka_unit_test(test_gpucode_counts_instead_of_uniting),
		cmocka_unit_test(test_gpucode_ptx_needs_a_driver_that_knows_it),
		cmocka_unit_test(test_gpucode_without_code_is_no_verdict_on_gpus),
		cmocka_unit_test(test_gpucode_text_survives_a_round_trip),
		cmocka_unit_test(test_gpucode_refuses_broken_text),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
