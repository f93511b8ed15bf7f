/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts, order, roles, and what the judge must do whatever the facts. */
#include "judge_box.h"

static void test_judge_verdict_catalogue(void **state)
{
	(void)state;
	assert_true(cv_rule_count() > 30);
	for (size_t i = 0; i < cv_rule_count(); i++) {
		const struct cv_rule *r = cv_rule_at(i);

		assert_ptr_equal(cv_rule_find(r->id), r);
		assert_non_null(r->title);
		if (i)
			assert_true(strcmp(cv_rule_at(i - 1)->id, r->id) < 0);
	}
	assert_null(cv_rule_find("no-such-rule"));
	assert_null(cv_rule_at(cv_rule_count()));
}

/* Every rule of the table says something about every machine: found, ruled out, or not evaluated. */
static void all_rules_speak(const struct box *b)
{
	for (size_t i = 0; i < cv_rule_count(); i++) {
		const char *id = cv_rule_at(i)->id;
		const char *out = box_because(b->r->ruled_out.v, b->r->ruled_out.n, id);
		const char *open = box_because(b->r->not_evaluated.v, b->r->not_evaluated.n, id);

		if (!box_find(b, id) && !out && !open)
			print_message("%s says nothing\n", id);
		assert_true(box_find(b, id) || out || open);
		assert_false(out && (open || box_find(b, id)));
	}
}

static void test_judge_verdict_every_rule_speaks(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	box_torch(&b, "2.11.0+cu130", "13.0");
	box_judge(&b);
	all_rules_speak(&b);
	box_free(&b);

	box_new(&b);
	b.driver = NULL;
	b.gpus = NO_GPU;
	box_judge(&b);
	all_rules_speak(&b);
	box_free(&b);
}

/* No fact at all: nothing is claimed, nothing is ruled out that was not looked at. */
static void test_judge_verdict_nothing_known(void **state)
{
	struct cv_arena *a = cv_arena_new(4u << 20);
	struct cv_facts *f = cv_facts_new(a);
	struct box b = { .a = a, .f = f };

	(void)state;
	assert_int_equal(cv_facts_freeze(f), 0);
	assert_int_equal(cv_judge(f, cv_kb_builtin(), a, &b.r), 0);
	assert_int_equal(b.r->findings.n, 0);
	assert_int_equal(b.r->ruled_out.n, 0);
	assert_non_null(b.r->verdict_line);
	assert_null(b.r->kind);
	all_rules_speak(&b);
	cv_arena_free(a);
}

/* Every field of every kind in each state that is not "known": no crash, no claim about it. */
static void test_judge_verdict_every_state(void **state)
{
	static const enum cv_state states[] = { CV_ABSENT, CV_DENIED, CV_UNPARSED, CV_NOT_ASKED };

	(void)state;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		for (unsigned id = 0; id < CV_FIELD_COUNT; id++) {
			struct box b;

			box_new(&b);
			box_torch(&b, "2.11.0+cu130", "13.0");
			box_ort(&b, "1.31.1", "13.0");
			for (unsigned k = 0; k < CV_KIND_COUNT; k++)
				for (size_t s = 0; cv_field_table[id].kind == k && s < cv_facts_count(b.f, (enum cv_kind)k); s++)
					box_state(&b, (enum cv_kind)k, cv_subject_key(cv_facts_at(b.f, (enum cv_kind)k, s)),
						  (enum cv_field)id, states[i]);
			box_judge(&b);
			all_rules_speak(&b);
			box_free(&b);
		}
}

static void other_env(struct box *b)
{
	box_str(b, CV_KIND_env, "/srv/other", CV_F_env_kind, "venv");
	box_num(b, CV_KIND_env, "/srv/other", CV_F_env_selected, 0);
	box_str(b, CV_KIND_framework, "/srv/other|torch", CV_F_framework_env, "/srv/other");
	box_str(b, CV_KIND_framework, "/srv/other|torch", CV_F_framework_version, "2.9.0+cpu");
	box_str(b, CV_KIND_framework, "/srv/other|torch", CV_F_framework_cuda, NULL);
}

/* Another environment's problem is listed and does not count. */
static void test_judge_verdict_selected(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	box_torch(&b, "2.11.0+cu130", "13.0");
	other_env(&b);
	box_judge(&b);
	assert_non_null(box_find(&b, "cpu-only-build"));
	assert_int_equal(b.r->verdict, CV_VERDICT_OK);
	assert_int_equal(b.r->envs.v[0].verdict, CV_VERDICT_OK);
	assert_int_equal(b.r->envs.v[1].verdict, CV_VERDICT_PROBLEM);
	assert_false(b.r->envs.v[1].selected);
	box_expect_text(b.r->verdict_line, "torch 2.11.0+cu130 can use");
	box_free(&b);
}

static void test_judge_verdict_unreadable_environment(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	box_state(&b, CV_KIND_env, ENV, CV_F_env_packages, CV_DENIED);
	box_judge(&b);
	assert_int_equal(b.r->verdict, CV_VERDICT_CANNOT_TELL);
	assert_int_equal(b.r->envs.v[0].verdict, CV_VERDICT_CANNOT_TELL);
	box_free(&b);
}

static void test_judge_verdict_lines(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	box_judge(&b);
	assert_string_equal(b.r->verdict_line, "the H200 SXM 141GB (driver 580.159.04) is ready; no framework that uses it is in "
					       "the environments looked at");
	box_free(&b);

	box_new(&b);
	box_torch(&b, "2.11.0+cu130", "13.0");
	box_ort(&b, "1.31.1", "13.0");
	box_env_lib(&b, "libcublasLt.so.13", "13.1.0");
	box_gpu(&b, "2330");
	box_gpu(&b, "2330");
	box_judge(&b);
	assert_string_equal(b.r->verdict_line,
			    "torch 2.11.0+cu130 and onnxruntime-gpu 1.31.1 can use all 2 H100 SXM5 80GB (driver 580.159.04)");
	box_free(&b);

	box_new(&b);
	b.driver = NULL;
	box_torch(&b, "2.9.0+cpu", NULL);
	box_judge(&b);
	assert_string_equal(b.r->verdict_line, "no NVIDIA driver is installed; and 1 more problem");
	box_free(&b);
}

/* Errors first, primary ones before their symptoms, then by id. */
static void test_judge_verdict_order(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	b.driver = NULL;
	b.library = "550.90.07";
	box_str(&b, CV_KIND_gpu, box_gpu(&b, "2204"), CV_F_gpu_bound, "nouveau");
	box_torch(&b, "2.9.0+cpu", NULL);
	box_var(&b, "LD_LIBRARY_PATH", "stubs");
	box_judge(&b);
	assert_int_equal(b.r->findings.n, 4);
	assert_string_equal(b.r->findings.v[0].rule->id, "other-driver-holds-gpu");
	assert_string_equal(b.r->findings.v[1].rule->id, "cpu-only-build");
	assert_string_equal(b.r->findings.v[2].rule->id, "driver-not-loaded");
	assert_int_equal(b.r->findings.v[2].role, CV_SECONDARY);
	assert_string_equal(b.r->findings.v[3].rule->id, "loader-path-entry");
	box_free(&b);
}

/* A tree of files: no machine to judge against, and that is said. */
static void test_judge_verdict_tree(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	b.driver = NULL;
	b.gpus = NO_GPU;
	box_num(&b, CV_KIND_machine, "", CV_F_machine_live, 0);
	box_state(&b, CV_KIND_machine, "", CV_F_machine_pci_devices, CV_NOT_ASKED);
	box_state(&b, CV_KIND_driver, "", CV_F_driver_module_loaded, CV_NOT_ASKED);
	box_torch(&b, "2.11.0+cu130", "13.0");
	box_judge(&b);
	assert_int_equal(b.r->findings.n, 0);
	assert_int_equal(b.r->verdict, CV_VERDICT_CANNOT_TELL);
	box_expect_text(b.r->verdict_line, "files of a system that does not run");
	box_free(&b);
}

static void test_judge_verdict_out_of_memory(void **state)
{
	struct box b;
	const struct cv_report *r = NULL;

	(void)state;
	box_new(&b);
	box_torch(&b, "2.11.0+cu130", "13.0");
	box_judge(&b);
	for (size_t max = 64; max < 60000; max += 997) {
		struct cv_arena *a = cv_arena_new(max);

		int err = cv_judge(b.f, cv_kb_builtin(), a, &r);

		assert_int_equal(err, cv_arena_failed(a) ? CV_ENOMEM : 0);
		cv_arena_free(a);
	}
	box_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judge_verdict_catalogue),	    cmocka_unit_test(test_judge_verdict_every_rule_speaks),
		cmocka_unit_test(test_judge_verdict_nothing_known), cmocka_unit_test(test_judge_verdict_every_state),
		cmocka_unit_test(test_judge_verdict_selected),	    cmocka_unit_test(test_judge_verdict_unreadable_environment),
		cmocka_unit_test(test_judge_verdict_lines),	    cmocka_unit_test(test_judge_verdict_order),
		cmocka_unit_test(test_judge_verdict_tree),	    cmocka_unit_test(test_judge_verdict_out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
