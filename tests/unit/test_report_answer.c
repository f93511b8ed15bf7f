/* SPDX-License-Identifier: Apache-2.0 */
/* The documents of kb and rule, and the small Markdown, against the files in tests/data/report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "expected.h"
#include "report/answer.h"

static const struct cv_style plain = { .format = CV_FORMAT_TERMINAL };
static const struct cv_report_head kb_head = { .schema = "cuvet/kb/1", .kb_date = "2026-11-30" };
static const struct cv_report_head rule_head = { .schema = "cuvet/rule/1", .kb_date = "2026-11-30" };

static void add_line(struct cv_arena *a, struct cv_kb_answer *k, const char *label, const char *value, const char *source)
{
	struct cv_kb_line *line = CV_VEC_PUSH(a, &k->lines);

	*line = (struct cv_kb_line){ .label = label, .value = value, .for_what = "2.9.0 to before 2.10.0", .title = "", .address = "" };
	if (!source)
		return;
	line->row = (struct cv_kb_row){ "torch", "2.9.0", "2.10.0", "x", value, source, "2026-11-30", "artifact" };
	line->title = "torch wheels, read";
	line->address = "wheels of the Python package index";
}

static struct cv_kb_answer *answer(struct cv_arena *a)
{
	struct cv_kb_answer *k = CV_NEW(a, struct cv_kb_answer);

	k->title = "torch 2.9.0, build cu128";
	k->subject = "torch";
	k->version = "2.9.0+cu128";
	k->reach = CV_KB_LISTED;
	k->found = true;
	add_line(a, k, "CUDA of the wheel on the Python package index", "12.8", "artifact_torch");
	add_line(a, k, "GPU code (cu128)", "sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120", "artifact_torch");
	add_line(a, k, "GPU code (cu128)", "sm_70", "an_issue");
	add_line(a, k, "lowest driver", "525.60.13", NULL);
	return k;
}

static void test_report_kb_tells_value_and_source(void **state)
{
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_buf out;

	(void)state;
	cv_buf_init(&out, 1 << 20);
	assert_int_equal(cv_report_kb_terminal(answer(a), cv_kb_builtin(), &kb_head, &plain, &out), 0);
	expected_compare("kb.txt", &out);
	cv_buf_release(&out);
	assert_int_equal(cv_report_kb_json(answer(a), &kb_head, &out), 0);
	expected_compare("kb.json", &out);
	cv_buf_release(&out);
	cv_arena_free(a);
}

static void test_report_kb_tells_what_it_does_not_know(void **state)
{
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_kb_answer k = { .title = "torch 2.99", .subject = "torch", .version = "2.99", .reach = CV_KB_NEWER,
				  .note = "torch 2.99 is newer than this knowledge base (2026-11-30)" };
	struct cv_buf out;

	(void)state;
	cv_strv_push(a, &k.candidates, "2.15.0");
	cv_strv_push(a, &k.candidates, "2.14.1");
	cv_buf_init(&out, 1 << 20);
	assert_int_equal(cv_report_kb_terminal(&k, cv_kb_builtin(), &kb_head, &plain, &out), 0);
	expected_compare("kb-newer.txt", &out);
	cv_buf_release(&out);
	assert_int_equal(cv_report_kb_json(&k, &kb_head, &out), 0);
	expected_compare("kb-newer.json", &out);
	cv_buf_release(&out);
	cv_arena_free(a);
}

static const struct cv_rule rule = { .id = "driver-too-old", .parent = "driver", .severity = CV_ERROR, .title = "the driver is too old" };

static const char page[] = "# driver-too-old\n\nThe driver is **older** than the build needs; `cuvet` compares the CUDA version of\n"
			   "the loaded libcuda.\n\n## Evidence\n\n- `driver.module_version`, the version of the module that is\n"
			   "  loaded now, however it came there\n- a second point\n\n```\n$ pip install 'a  b'   # kept as it is\n```\n"
			   "#not a heading\n\033[31mred\033[0m";

static void test_report_rule_prints_its_page(void **state)
{
	struct cv_rule_answer r = { .asked = rule.id, .rule = &rule, .page = page };
	struct cv_buf out;

	(void)state;
	cv_buf_init(&out, 1 << 20);
	assert_int_equal(cv_report_rule_terminal(&r, &rule_head, &plain, &out), 0);
	expected_compare("rule.txt", &out);
	cv_buf_release(&out);
	assert_int_equal(cv_report_rule_json(&r, &rule_head, &out), 0);
	expected_compare("rule.json", &out);
	cv_buf_release(&out);
}

static void test_report_rule_unknown_names_the_catalogue(void **state)
{
	struct cv_rule_answer r = { .asked = "no-such" };
	struct cv_buf out;

	(void)state;
	cv_buf_init(&out, 1 << 20);
	assert_int_equal(cv_report_rule_terminal(&r, &rule_head, &plain, &out), 0);
	assert_string_equal(cv_buf_str(&out), "no rule is called no-such; the catalogue lists all of them:\n  $ cuvet rule --list\n");
	cv_buf_release(&out);
}

/* The catalogue holds every rule once. */
static void test_report_rule_catalogue_is_complete(void **state)
{
	struct cv_rule_answer r = { .asked = NULL };
	struct cv_buf out;

	(void)state;
	cv_buf_init(&out, 1 << 20);
	assert_int_equal(cv_report_rule_terminal(&r, &rule_head, &plain, &out), 0);
	assert_true(cv_rule_count() > 0);
	for (size_t i = 0; i < cv_rule_count(); i++)
		assert_non_null(strstr(cv_buf_str(&out), cv_rule_at(i)->id));
	cv_buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_report_kb_tells_value_and_source),
		cmocka_unit_test(test_report_kb_tells_what_it_does_not_know),
		cmocka_unit_test(test_report_rule_prints_its_page),
		cmocka_unit_test(test_report_rule_unknown_names_the_catalogue),
		cmocka_unit_test(test_report_rule_catalogue_is_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
