/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kb/tsv.h"

static const char schema[] = "# comment\n"
			     "driver\tdotted\tcuda\thighest CUDA\n"
			     "torch\tpep440\tcode:*\tGPU code\n"
			     "torch\tpep440\tpython\tPython\n"
			     "gpu:*\tdotted\tname\tname\n";
static const char sources[] = "k\tTitle\texample.org\t2026-11-30\nunused\tTitle\t\t2026\n";

struct fixture {
	struct cv_arena *a;
	struct cv_diag d;
	struct cv_tsv_set set;
};

static int setup(void **state)
{
	struct cv_arena *a = cv_arena_new(1 << 22);
	struct fixture *f = CV_NEW(a, struct fixture);

	assert_non_null(f);
	f->a = a;
	cv_diag_init(&f->d, a);
	assert_int_equal(cv_tsv_schema(cv_str_of(schema), "SCHEMA", a, &f->d, &f->set), 0);
	assert_int_equal(cv_tsv_sources(cv_str_of(sources), "SOURCES", a, &f->d, &f->set), 0);
	assert_int_equal(f->d.n, 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	cv_arena_free(f->a);
	return 0;
}

static void accept(struct fixture *f, const char *rows)
{
	assert_int_equal(cv_tsv_rows(cv_str_of(rows), "good.tsv", f->a, &f->d, &f->set), 0);
	assert_int_equal(cv_tsv_finish(f->a, &f->d, &f->set), 0);
	assert_int_equal(f->d.n, 0);
}

/* The rows must be refused with exactly one message. */
static void refuse(struct fixture *f, const char *rows, const char *message)
{
	int err = cv_tsv_rows(cv_str_of(rows), "bad.tsv", f->a, &f->d, &f->set);

	if (!err)
		err = cv_tsv_finish(f->a, &f->d, &f->set);
	assert_int_equal(err, CV_EFORMAT);
	assert_int_equal(f->d.n, 1);
	assert_string_equal(f->d.v[0], message);
}

static void test_kb_tsv_good_rows(void **state)
{
	struct fixture *f = *state;

	accept(f, "# a comment\n"
		  "\n"
		  "driver\t535\t536\tcuda\t12.2\tk\t2026-11-30\tvendor-doc\r\n"
		  "driver\t545\t\tcuda\t12.3\tk\t2026-11\tderived\n"
		  "gpu:10de:2684\t\t\tname\tRTX 4090\tk\t2026\tissue\n"
		  "torch\t2.9.0\t=\tcode:cu126\tsm_50\tk\t2026\tartifact\n"
		  "torch\t\t2.9.0\tcode:cu128\tsm_70\tk\t2026\tartifact\n"
		  "torch\t2.9.0\t2.10.0\tcode:cu128\tsm_75\tk\t2026\tartifact\n");
	assert_int_equal(f->set.rows.n, 6);
	assert_string_equal(f->set.rows.v[0].row.value, "12.2");
	assert_int_equal(f->set.rows.v[0].line, 3);
	assert_string_equal(f->set.rows.v[1].row.to, "");
	assert_int_equal(f->set.rows.v[5].scheme, CV_VER_PEP440);
}

static void test_kb_tsv_columns(void **state)
{
	refuse(*state, "driver\t535\t536\tcuda\t12.2\tk\t2026\n", "bad.tsv:1: 7 columns, 8 wanted");
}

static void test_kb_tsv_too_many_columns(void **state)
{
	refuse(*state, "\n#\ndriver\t535\t536\tcuda\t12.2\tk\t2026\tissue\tmore\tand more\n", "bad.tsv:3: 10 columns, 8 wanted");
}

static void test_kb_tsv_unknown_subject(void **state)
{
	refuse(*state, "gpu:\t\t\tname\tx\tk\t2026\tissue\n", "bad.tsv:1: subject is not in SCHEMA: 'gpu:'");
}

static void test_kb_tsv_unknown_property(void **state)
{
	refuse(*state, "torch\t2.9.0\t=\tcode\tsm_50\tk\t2026\tissue\n",
	       "bad.tsv:1: property is not in SCHEMA for this subject: 'code'");
}

static void test_kb_tsv_unknown_source(void **state)
{
	refuse(*state, "driver\t535\t536\tcuda\t12.2\tnobody\t2026\tissue\n", "bad.tsv:1: source is not in SOURCES: 'nobody'");
}

static void test_kb_tsv_unknown_tier(void **state)
{
	refuse(*state, "driver\t535\t536\tcuda\t12.2\tk\t2026\trumour\n", "bad.tsv:1: unknown tier 'rumour'");
}

static void test_kb_tsv_empty_value(void **state)
{
	refuse(*state, "driver\t535\t536\tcuda\t\tk\t2026\tissue\n", "bad.tsv:1: the value is empty");
}

static void test_kb_tsv_control_byte(void **state)
{
	refuse(*state, "driver\t535\t536\tcuda\t12\x1b[1m\tk\t2026\tissue\n", "bad.tsv:1: a control byte in the line");
}

static void test_kb_tsv_inverted_interval(void **state)
{
	/* By the subject's order: as text "10" would be below "9". */
	refuse(*state, "driver\t10\t9\tcuda\t12.2\tk\t2026\tissue\n", "bad.tsv:1: 'to' is not above 'from': '10'");
}

static void test_kb_tsv_empty_interval(void **state)
{
	refuse(*state, "driver\t535\t535.0\tcuda\t12.2\tk\t2026\tissue\n", "bad.tsv:1: 'to' is not above 'from': '535'");
}

static void test_kb_tsv_bad_from(void **state)
{
	refuse(*state, "torch\tnew\t=\tpython\t3.12\tk\t2026\tissue\n",
	       "bad.tsv:1: 'from' is not a version of the subject's scheme: 'new'");
}

static void test_kb_tsv_bad_to(void **state)
{
	refuse(*state, "torch\t2.9.0\tnew\tpython\t3.12\tk\t2026\tissue\n",
	       "bad.tsv:1: 'to' is not a version of the subject's scheme, in the row from '2.9.0'");
}

static void test_kb_tsv_exactly_nothing(void **state)
{
	refuse(*state, "driver\t\t=\tcuda\t12.2\tk\t2026\tissue\n", "bad.tsv:1: 'to' is '=' with an empty 'from' ''");
}

static void test_kb_tsv_dates(void **state)
{
	static const char *const bad[] = {
		"26", "2026-1", "2026-00", "2026-13", "2026-11-00", "2026-11-32", "2026/11", "2026-11-3x",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct cv_tsv_set set = f->set;
		const char *text;
		struct cv_diag d;

		cv_diag_init(&d, f->a);
		text = cv_arena_printf(f->a, "driver\t535\t536\tcuda\t12.2\tk\t%s\tissue\n", bad[i]);
		assert_int_equal(cv_tsv_rows(cv_str_of(text), "bad.tsv", f->a, &d, &set), CV_EFORMAT);
		assert_string_equal(d.v[0], cv_arena_printf(f->a, "bad.tsv:1: not a date: '%s'", bad[i]));
	}
}

static void test_kb_tsv_order(void **state)
{
	refuse(*state,
	       "driver\t550\t551\tcuda\t12.4\tk\t2026\tissue\n"
	       "driver\t535\t536\tcuda\t12.2\tk\t2026\tissue\n",
	       "bad.tsv:2: not in order (subject, property, from), or twice: 'cuda'");
}

static void test_kb_tsv_order_of_versions(void **state)
{
	/* 2.10.0 comes after 2.9.0, and a release after its candidates. */
	accept(*state, "torch\t2.9.0rc1\t=\tpython\t3.12\tk\t2026\tissue\n"
		       "torch\t2.9.0\t=\tpython\t3.12\tk\t2026\tissue\n"
		       "torch\t2.10.0\t=\tpython\t3.12\tk\t2026\tissue\n");
}

static void test_kb_tsv_overlap(void **state)
{
	refuse(*state,
	       "torch\t2.8.0\t2.10.0\tpython\t3.12\tk\t2026\tissue\n"
	       "torch\t2.9.0\t=\tpython\t3.13\tk\t2026\tissue\n",
	       "bad.tsv:2: 'python' of 'torch' overlaps the interval of bad.tsv:1");
}

static void test_kb_tsv_overlap_of_open_end(void **state)
{
	refuse(*state,
	       "torch\t2.8.0\t\tpython\t3.12\tk\t2026\tissue\n"
	       "torch\t9.0.0\t=\tpython\t3.13\tk\t2026\tissue\n",
	       "bad.tsv:2: 'python' of 'torch' overlaps the interval of bad.tsv:1");
}

static void test_kb_tsv_overlap_across_files(void **state)
{
	static const char other[] = "driver\t535\t536\tcuda\t12.2\tk\t2026\tissue\n";
	struct fixture *f = *state;

	assert_int_equal(cv_tsv_rows(cv_str_of(other), "a.tsv", f->a, &f->d, &f->set), 0);
	refuse(f, "driver\t535.54\t540\tcuda\t12.3\tk\t2026\tissue\n",
	       "bad.tsv:1: 'cuda' of 'driver' overlaps the interval of a.tsv:1");
}

static void test_kb_tsv_touching_is_no_overlap(void **state)
{
	accept(*state, "driver\t535\t536\tcuda\t12.2\tk\t2026\tissue\n"
		       "driver\t536\t540\tcuda\t12.3\tk\t2026\tissue\n");
}

static void test_kb_tsv_every_fault_is_named(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(cv_tsv_rows(cv_str_of("driver\t535\t536\tcuda\t\tk\t2026\tissue\n"
					       "driver\t536\t537\tcuda\t12.3\tk\t2026\tissue\n"
					       "nothing\t536\t537\tcuda\t12.3\tk\t2026\tissue\n"),
				     "bad.tsv", f->a, &f->d, &f->set),
			 CV_EFORMAT);
	assert_int_equal(f->d.n, 2);
	assert_int_equal(f->set.rows.n, 1);
}

static void test_kb_tsv_unused_source(void **state)
{
	struct fixture *f = *state;

	accept(f, "driver\t535\t536\tcuda\t12.2\tk\t2026\tissue\n");
	assert_int_equal(cv_tsv_check_used(&f->d, &f->set), CV_EFORMAT);
	assert_int_equal(f->d.n, 1);
	assert_string_equal(f->d.v[0], "SOURCES:2: no row uses source 'unused'");
}

static void test_kb_tsv_bad_sources(void **state)
{
	static const char text[] = "k\tAgain\t\t2026\nl\t\t\t2026\nm\tT\t\tlate\n";
	struct fixture *f = *state;

	assert_int_equal(cv_tsv_sources(cv_str_of(text), "S", f->a, &f->d, &f->set), CV_EFORMAT);
	assert_int_equal(f->d.n, 3);
	assert_string_equal(f->d.v[0], "S:1: a second line for source 'k'");
	assert_string_equal(f->d.v[1], "S:2: a source without key or title");
	assert_string_equal(f->d.v[2], "S:3: not a date: 'late'");
}

static void test_kb_tsv_bad_schema(void **state)
{
	static const char text[] = "driver\tsemver\tx\ty\ndriver\tpep440\tx\ty\ntorch\tpep440\tpython\ty\n";
	struct fixture *f = *state;

	assert_int_equal(cv_tsv_schema(cv_str_of(text), "S", f->a, &f->d, &f->set), CV_EFORMAT);
	assert_int_equal(f->d.n, 3);
	assert_string_equal(f->d.v[0], "S:1: unknown version scheme 'semver'");
	assert_string_equal(f->d.v[1], "S:2: another version scheme than before for subject 'driver'");
	assert_string_equal(f->d.v[2], "S:3: a second line for property 'python'");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_kb_tsv_good_rows),
		TEST(test_kb_tsv_columns),
		TEST(test_kb_tsv_too_many_columns),
		TEST(test_kb_tsv_unknown_subject),
		TEST(test_kb_tsv_unknown_property),
		TEST(test_kb_tsv_unknown_source),
		TEST(test_kb_tsv_unknown_tier),
		TEST(test_kb_tsv_empty_value),
		TEST(test_kb_tsv_control_byte),
		TEST(test_kb_tsv_inverted_interval),
		TEST(test_kb_tsv_empty_interval),
		TEST(test_kb_tsv_bad_from),
		TEST(test_kb_tsv_bad_to),
		TEST(test_kb_tsv_exactly_nothing),
		TEST(test_kb_tsv_dates),
		TEST(test_kb_tsv_order),
		TEST(test_kb_tsv_order_of_versions),
		TEST(test_kb_tsv_overlap),
		TEST(test_kb_tsv_overlap_of_open_end),
		TEST(test_kb_tsv_overlap_across_files),
		TEST(test_kb_tsv_touching_is_no_overlap),
		TEST(test_kb_tsv_every_fault_is_named),
		TEST(test_kb_tsv_unused_source),
		TEST(test_kb_tsv_bad_sources),
		TEST(test_kb_tsv_bad_schema),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
