/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "kb/kb.h"
#include "kb/tsv.h"
#include "tmptree.h"
#include "view/view.h"

struct want {
	const char *version, *value;
};

/* Each value must be there and name a source that exists. */
static void check_values(const char *subject, const char *property, const struct want *want, size_t n)
{
	const struct cv_kb *kb = cv_kb_builtin();

	for (size_t i = 0; i < n; i++) {
		struct cv_kb_source source;
		struct cv_kb_row row;

		if (!cv_kb_get(kb, subject, want[i].version, property, &row))
			fail_msg("no %s of %s %s", property, subject, want[i].version);
		if (strcmp(row.value, want[i].value) != 0)
			fail_msg("%s of %s %s is %s, not %s", property, subject, want[i].version, row.value, want[i].value);
		assert_true(cv_kb_source(kb, row.source, &source));
		assert_true(source.title[0] != '\0');
		assert_true(row.date[0] != '\0');
	}
}
#define CHECK_VALUES(subject, property, ...)                                                         \
	do {                                                                                         \
		static const struct want want[] = { __VA_ARGS__ };                                   \
		check_values(subject, property, want, sizeof(want) / sizeof(*want));                 \
	} while (0)

/* H5: the highest CUDA of a driver's API, by NVIDIA's table (CUDA release notes). */
static void test_kb_driver_cuda(void **state)
{
	(void)state;
	CHECK_VALUES("driver", "cuda", { "595.45.04", "13.2" }, { "565.57.01", "12.7" }, { "495.29.05", "11.5" },
		     { "440.33.01", "10.2" }, { "535", "12.2" }, { "535.288.01", "12.2" }, { "470.256.02", "11.4" },
		     { "580.159.04", "13.0" }, { "615.10", "13.4" }, { "390.157", "9.1" });
	assert_null(cv_kb_value(cv_kb_builtin(), "driver", "567.1", "cuda"));
	assert_null(cv_kb_value(cv_kb_builtin(), "driver", "999", "cuda"));
}

/* H7: what a toolkit was released with; a floor is another thing. */
static void test_kb_toolkit_driver(void **state)
{
	(void)state;
	CHECK_VALUES("cuda", "toolkit_driver", { "12.6", "560.28.03" }, { "12.8", "570.26" }, { "12.9", "575.51.03" },
		     { "13.1", "590.44.01" }, { "13.2", "595.45.04" }, { "12.8.1", "570.124.06" }, { "12.2.2", "535.104.05" },
		     { "11.8", "520.61.05" }, { "10.2", "440.33" });
	CHECK_VALUES("cuda", "floor_driver", { "11.8", "450.80.02" }, { "12.0", "525.60.13" }, { "12.9.1", "525.60.13" },
		     { "13.4", "580.65.06" });
	assert_null(cv_kb_value(cv_kb_builtin(), "cuda", "10.2", "floor_driver"));
	/* A build number is not an update: nothing is guessed for it. */
	assert_null(cv_kb_value(cv_kb_builtin(), "cuda", "12.8.90", "toolkit_driver"));
}

/* H15: read from the wheels; 1.27 turned to CUDA 13, 1.29 lost B200 and GB10. */
static void test_kb_onnxruntime(void **state)
{
	const char *code;

	(void)state;
	CHECK_VALUES("onnxruntime-gpu", "cuda", { "1.18.1", "11" }, { "1.19.0", "12" }, { "1.20.2", "12" }, { "1.23.2", "12" },
		     { "1.26.0", "12" }, { "1.27.0", "13" }, { "1.31.1", "13" });
	CHECK_VALUES("onnxruntime-gpu", "cudnn", { "1.18.1", "8" }, { "1.19.2", "9" }, { "1.26.0", "9" }, { "1.31.1", "9" });
	code = cv_kb_value(cv_kb_builtin(), "onnxruntime-gpu", "1.28.0", "code");
	assert_true(cv_kb_has_word(code, "sm_100a"));
	assert_true(cv_kb_has_word(code, "compute_120"));
	code = cv_kb_value(cv_kb_builtin(), "onnxruntime-gpu", "1.29.0", "code");
	assert_true(cv_kb_has_word(code, "sm_120a"));
	assert_false(cv_kb_has_word(code, "sm_100a"));
	assert_null(strstr(code, "compute_"));
	assert_null(cv_kb_value(cv_kb_builtin(), "onnxruntime-gpu", "1.32.0", "code"));
	/* Withdrawn from the index. */
	assert_int_equal(cv_kb_reach(cv_kb_builtin(), "onnxruntime-gpu", "1.20.1"), CV_KB_UNLISTED);
	assert_int_equal(cv_kb_reach(cv_kb_builtin(), "onnxruntime", "1.20.1"), CV_KB_LISTED);
}

/* H16: TensorFlow's tested builds. */
static void test_kb_tensorflow(void **state)
{
	(void)state;
	CHECK_VALUES("tensorflow", "cuda", { "2.1.0", "10.1" }, { "2.3.4", "10.1" }, { "2.4.0", "11.0" }, { "2.5.0", "11.2" },
		     { "2.11.1", "11.2" }, { "2.12.0", "11.8" }, { "2.14.1", "11.8" }, { "2.15.0.post1", "12.2" },
		     { "2.16.1", "12.3" }, { "2.17.1", "12.3" }, { "2.18.0", "12.5" }, { "2.20.0", "12.5" });
}

static void test_kb_torch_code(void **state)
{
	const struct cv_kb *kb = cv_kb_builtin();
	struct cv_kb_row row;

	(void)state;
	/* The file decides over the document. */
	assert_true(cv_kb_get(kb, "torch", "2.8.0+cu128", "code:cu128", &row));
	assert_string_equal(row.value, "sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120");
	assert_string_equal(row.tier, "artifact");
	/* H3: too old, too new. */
	assert_false(cv_kb_has_word(cv_kb_value(kb, "torch", "2.9.0", "code:cu128"), "sm_61"));
	assert_false(cv_kb_has_word(cv_kb_value(kb, "torch", "2.6.0", "code:cu124"), "sm_120"));
	/* H4: cu128 lost Volta with 2.11, cu126 keeps it. */
	assert_true(cv_kb_has_word(cv_kb_value(kb, "torch", "2.10.0", "code:cu128"), "sm_70"));
	assert_false(cv_kb_has_word(cv_kb_value(kb, "torch", "2.11.0", "code:cu128"), "sm_70"));
	assert_true(cv_kb_has_word(cv_kb_value(kb, "torch", "2.14.1", "code:cu126"), "sm_70"));
	/* H8: where cu129 exists. */
	assert_true(cv_kb_has_word(cv_kb_value(kb, "torch", "2.12.1", "variants"), "cu129"));
	assert_false(cv_kb_has_word(cv_kb_value(kb, "torch", "2.12.0", "variants"), "cu129"));
	assert_false(cv_kb_has_word(cv_kb_value(kb, "torch", "2.14.0", "variants"), "cu129"));
	/* A build of somebody else's is not a release; nothing is said of it. */
	assert_null(cv_kb_value(kb, "torch", "2.9.0a0+50eac811a6.nv25.9", "code:cu130"));
	assert_null(cv_kb_value(kb, "torch", "2.10.0.dev20250901+cu128", "code:cu128"));
}

static void test_kb_cc(void **state)
{
	const struct cv_kb *kb = cv_kb_builtin();

	(void)state;
	CHECK_VALUES("cc", "arch", { "8.9", "Ada Lovelace" }, { "9.0", "Hopper" }, { "12.0", "Blackwell" }, { "7.5", "Turing" });
	CHECK_VALUES("cc", "last_driver", { "3.7", "470" }, { "6.1", "580" }, { "7.0", "580" }, { "5.2", "580" },
		     { "2.1", "390" });
	CHECK_VALUES("cc", "module", { "6.1", "proprietary" }, { "7.0", "proprietary" }, { "7.5", "any" }, { "12.0", "open" },
		     { "10.0", "open" });
	CHECK_VALUES("cc", "min_driver", { "12.0", "570" }, { "10.0", "570" });
	assert_null(cv_kb_value(kb, "cc", "7.5", "last_driver"));
	assert_null(cv_kb_value(kb, "cc", "8.9", "last_driver"));
}

static void test_kb_get_without_version(void **state)
{
	const struct cv_kb *kb = cv_kb_builtin();

	(void)state;
	assert_string_equal(cv_kb_value(kb, "gpu:10de:2684", NULL, "cc"), "8.9");
	assert_string_equal(cv_kb_value(kb, "gpu:10de:2684", "7", "cc"), "8.9");
	assert_string_equal(cv_kb_value(kb, "gpu:10de:2684", "not a version", "cc"), "8.9");
	assert_string_equal(cv_kb_value(kb, "gpu:tegra234", NULL, "cc"), "8.7");
	assert_null(cv_kb_value(kb, "gpu:10de:ffff", NULL, "cc"));
	assert_null(cv_kb_value(kb, "gpu:10de:2684", NULL, "nothing"));
	assert_null(cv_kb_value(kb, "torch", "not a version", "variants"));
}

static void test_kb_has_word_whole(void **state)
{
	(void)state;
	assert_true(cv_kb_has_word("sm_80 sm_90a compute_90", "sm_90a"));
	assert_false(cv_kb_has_word("sm_80 sm_90a compute_90", "sm_90"));
	assert_false(cv_kb_has_word("", "sm_90"));
}

static void test_kb_reach_answers(void **state)
{
	const struct cv_kb *kb = cv_kb_builtin();
	static const struct {
		const char *subject, *version;
		enum cv_kb_reach reach;
	} cases[] = {
		{ "torch", "2.9.0", CV_KB_LISTED },	{ "torch", "2.9.0+cu128", CV_KB_LISTED },
		{ "torch", "2.9", CV_KB_LISTED },	{ "torch", "2.9.7", CV_KB_UNLISTED },
		{ "torch", "2.9.0a0", CV_KB_UNLISTED }, { "torch", "2.15.0", CV_KB_LISTED },
		{ "torch", "2.15.1", CV_KB_NEWER },	{ "torch", "3.0", CV_KB_NEWER },
		{ "torch", "1.0", CV_KB_OLDER },	{ "torch", "nonsense", CV_KB_UNLISTED },
		{ "driver", "535.104.05", CV_KB_LISTED }, { "driver", "615.999", CV_KB_LISTED },
		{ "driver", "616", CV_KB_NEWER },	{ "driver", "567", CV_KB_UNLISTED },
		{ "driver", "340.108", CV_KB_OLDER },	{ "cuda", "12.8", CV_KB_LISTED },
		{ "cuda", "12.7", CV_KB_UNLISTED },	{ "cuda", "14.0", CV_KB_NEWER },
		{ "cc", "8.9", CV_KB_LISTED },		{ "cc", "13.0", CV_KB_NEWER },
		{ "cc", "1.3", CV_KB_OLDER },		{ "mxnet", "1.9", CV_KB_NO_SUBJECT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (cv_kb_reach(kb, cases[i].subject, cases[i].version) != cases[i].reach)
			fail_msg("reach of %s %s", cases[i].subject, cases[i].version);
}

static void test_kb_iter_walks(void **state)
{
	const struct cv_kb *kb = cv_kb_builtin();
	struct cv_kb_iter it = cv_kb_iter(kb, "torch", "2.12.1", "code:*");
	struct cv_kb_row row;
	size_t n = 0, gpus = 0;

	(void)state;
	while (cv_kb_next(&it, &row)) {
		assert_true(cv_starts(row.property, "code:cu"));
		n++;
	}
	assert_int_equal(n, 4);
	assert_false(cv_kb_next(&it, &row));
	it = cv_kb_iter(kb, "gpu:*", NULL, "cc");
	while (cv_kb_next(&it, &row))
		gpus += cv_starts(row.subject, "gpu:10de:");
	assert_int_equal(gpus, 453);
	it = cv_kb_iter(kb, "no such subject", NULL, NULL);
	assert_false(cv_kb_next(&it, &row));
}

/* What look-ups rest on: order, and one answer for each version. */
static void test_kb_rows_ordered_and_disjoint(void **state)
{
	const struct cv_kb *kb = cv_kb_builtin();
	struct cv_kb_iter it = cv_kb_iter(kb, NULL, NULL, NULL);
	struct cv_kb_row last = { 0 }, row;
	size_t n = 0;

	(void)state;
	while (cv_kb_next(&it, &row)) {
		enum cv_ver_scheme scheme = cv_kb_scheme(kb, row.subject);

		n++;
		if (last.subject && cv_streq(last.subject, row.subject) && cv_streq(last.property, row.property)) {
			assert_true(cv_tsv_row_cmp(scheme, &last, &row) < 0);
			assert_false(cv_tsv_row_overlaps(scheme, &last, &row));
		}
		last = row;
	}
	assert_true(n > 2500);
}

/* The order of releases against a list made by hand: "2.10" is not "2.1". */
static void test_kb_order_of_releases(void **state)
{
	static const char *const torch[] = {
		"1.7.0", "1.7.1", "1.8.0", "1.8.1", "1.9.0", "1.9.1", "1.10.0", "1.10.1", "1.11.0", "1.12.0", "1.12.1", "1.13.0",
		"1.13.1", "2.0.0", "2.0.1", "2.1.0", "2.1.1", "2.1.2", "2.2.0", "2.2.1", "2.2.2", "2.3.0", "2.3.1", "2.4.0",
		"2.4.1", "2.5.0", "2.5.1", "2.6.0", "2.7.0", "2.7.1", "2.8.0", "2.9.0", "2.9.1", "2.10.0", "2.11.0", "2.12.0",
		"2.12.1", "2.13.0", "2.14.0", "2.14.1", "2.15.0",
	};
	static const char *const tensorflow[] = { "2.14.1", "2.15.0", "2.15.0.post1", "2.15.1", "2.16.1" };
	struct cv_kb_iter it = cv_kb_iter(cv_kb_builtin(), "torch", NULL, "release");
	struct cv_kb_row row;
	size_t at = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(torch) / sizeof(*torch); i++) {
		assert_true(cv_kb_next(&it, &row));
		assert_string_equal(row.from, torch[i]);
	}
	assert_false(cv_kb_next(&it, &row));
	it = cv_kb_iter(cv_kb_builtin(), "tensorflow", NULL, "release");
	while (cv_kb_next(&it, &row))
		if (at < sizeof(tensorflow) / sizeof(*tensorflow) && cv_streq(row.from, tensorflow[at]))
			at++;
	assert_int_equal(at, sizeof(tensorflow) / sizeof(*tensorflow));
}

static void test_kb_date_is_a_day(void **state)
{
	(void)state;
	assert_int_equal(strlen(cv_kb_date(cv_kb_builtin())), 10);
	assert_true(strcmp(cv_kb_date(cv_kb_builtin()), "2026-11-30") >= 0);
}

/* First use included; the budget is 5 ms. A sanitizer's build and a busy machine get ten times that. */
static void test_kb_is_fast(void **state)
{
	struct timespec from, to;
	double ms;

	(void)state;
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (unsigned i = 0; i < 100; i++) {
		assert_non_null(cv_kb_value(cv_kb_builtin(), "torch", "2.9.0+cu128", "code:cu128"));
		assert_non_null(cv_kb_value(cv_kb_builtin(), "gpu:10de:2684", NULL, "cc"));
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	ms = (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6;
	assert_true(ms < 50);
}

struct overlay {
	struct tmptree t;
	struct cv_view *v;
	struct cv_arena *a;
	struct cv_diag d;
};

static int overlay_setup(void **state)
{
	struct overlay *o = calloc(1, sizeof(*o));

	assert_non_null(o);
	tmptree_init(&o->t);
	o->a = cv_arena_new((size_t)16 << 20);
	assert_non_null(o->a);
	cv_diag_init(&o->d, o->a);
	*state = o;
	return 0;
}

static int overlay_teardown(void **state)
{
	struct overlay *o = *state;

	cv_view_free(o->v);
	cv_arena_free(o->a);
	tmptree_done(&o->t);
	free(o);
	return 0;
}

static int lay(struct overlay *o, const struct cv_kb **ret)
{
	assert_int_equal(cv_view_tree_new(o->t.dir, &o->d, &o->v), 0);
	return cv_kb_overlay(o->v, "/kb", o->a, &o->d, ret);
}

static void test_kb_overlay_replaces_and_adds(void **state)
{
	struct overlay *o = *state;
	const struct cv_kb *kb = NULL;
	struct cv_kb_source source;
	struct cv_kb_row row;

	tmptree_file(&o->t, "kb/SOURCES", "house\tour own measurement\t\t2027-01-02\n");
	tmptree_file(&o->t, "kb/a.tsv",
		     "driver\t535\t536\tcuda\t99.9\thouse\t2027-01-02\tderived\n"
		     "driver\t700\t701\tcuda\t15.0\thouse\t2027-01-02\tderived\n"
		     "driver\t700\t701\trelease\t1\thouse\t2027-01-02\tderived\n");
	tmptree_file(&o->t, "kb/b.tsv", "gpu:10de:ffff\t\t\tcc\t13.0\thouse\t2027-01-02\tissue\n");
	tmptree_file(&o->t, "kb/notes.txt", "not read");
	assert_int_equal(lay(o, &kb), 0);
	assert_string_equal(cv_kb_value(kb, "driver", "535.1", "cuda"), "99.9");
	assert_string_equal(cv_kb_value(kb, "driver", "700.1", "cuda"), "15.0");
	assert_string_equal(cv_kb_value(kb, "driver", "550", "cuda"), "12.4");
	assert_string_equal(cv_kb_value(kb, "gpu:10de:ffff", NULL, "cc"), "13.0");
	assert_string_equal(cv_kb_value(kb, "torch", "2.9.0", "default_cuda"), "12.8");
	assert_int_equal(cv_kb_reach(kb, "driver", "700.1"), CV_KB_LISTED);
	assert_string_equal(cv_kb_date(kb), "2027-01-02");
	assert_true(cv_kb_source(kb, "house", &source));
	assert_string_equal(source.title, "our own measurement");
	assert_true(cv_kb_get(kb, "driver", "550", "cuda", &row));
	assert_true(cv_kb_source(kb, row.source, &source));
	/* The built-in one is as before. */
	assert_string_equal(cv_kb_value(cv_kb_builtin(), "driver", "535.1", "cuda"), "12.2");
	assert_int_equal(cv_kb_reach(cv_kb_builtin(), "driver", "700.1"), CV_KB_NEWER);
}

/* One wide row drops all built-in rows of its property that it overlaps, and no others. */
static void test_kb_overlay_wide_row(void **state)
{
	struct overlay *o = *state;
	const struct cv_kb *kb = NULL;

	tmptree_file(&o->t, "kb/a.tsv", "driver\t535.50\t560\tcuda\t1.0\tartifact_torch\t2026\tderived\n");
	assert_int_equal(lay(o, &kb), 0);
	assert_null(cv_kb_value(kb, "driver", "535.10", "cuda"));
	assert_string_equal(cv_kb_value(kb, "driver", "545.1", "cuda"), "1.0");
	assert_string_equal(cv_kb_value(kb, "driver", "559", "cuda"), "1.0");
	assert_string_equal(cv_kb_value(kb, "driver", "560.1", "cuda"), "12.6");
	assert_string_equal(cv_kb_value(kb, "driver", "530.1", "cuda"), "12.1");
	assert_string_equal(cv_kb_value(kb, "driver", "535.10", "end_of_life"), "2026-06");
}

static void test_kb_overlay_names_file_and_line(void **state)
{
	struct overlay *o = *state;
	const struct cv_kb *kb = NULL;

	tmptree_file(&o->t, "kb/a.tsv", "# ok\ndriver\t535\t536\tcuda\t99.9\tnobody\t2027-01-02\tderived\n");
	assert_int_equal(lay(o, &kb), CV_EFORMAT);
	assert_null(kb);
	assert_int_equal(o->d.n, 1);
	assert_string_equal(o->d.v[0], "/kb/a.tsv:2: source is not in SOURCES: 'nobody'");
}

static void test_kb_overlay_missing_directory(void **state)
{
	struct overlay *o = *state;
	const struct cv_kb *kb = NULL;

	assert_int_equal(lay(o, &kb), CV_ENOENT);
	assert_null(kb);
	assert_string_equal(o->d.v[0], "/kb: not found");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kb_driver_cuda),
		cmocka_unit_test(test_kb_toolkit_driver),
		cmocka_unit_test(test_kb_onnxruntime),
		cmocka_unit_test(test_kb_tensorflow),
		cmocka_unit_test(test_kb_torch_code),
		cmocka_unit_test(test_kb_cc),
		cmocka_unit_test(test_kb_get_without_version),
		cmocka_unit_test(test_kb_has_word_whole),
		cmocka_unit_test(test_kb_reach_answers),
		cmocka_unit_test(test_kb_iter_walks),
		cmocka_unit_test(test_kb_rows_ordered_and_disjoint),
		cmocka_unit_test(test_kb_order_of_releases),
		cmocka_unit_test(test_kb_date_is_a_day),
		cmocka_unit_test(test_kb_is_fast),
		cmocka_unit_test_setup_teardown(test_kb_overlay_replaces_and_adds, overlay_setup, overlay_teardown),
		cmocka_unit_test_setup_teardown(test_kb_overlay_wide_row, overlay_setup, overlay_teardown),
		cmocka_unit_test_setup_teardown(test_kb_overlay_names_file_and_line, overlay_setup, overlay_teardown),
		cmocka_unit_test_setup_teardown(test_kb_overlay_missing_directory, overlay_setup, overlay_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
