/* SPDX-License-Identifier: Apache-2.0 */
/* Fixes that are tried on a copy of the facts: what heals, what it costs, and what cannot be tried. */
#include "judge_box.h"

#include "judge/gate.h"

static struct cv_effect *effect(struct box *b, struct cv_fix *x, enum cv_effect_kind kind)
{
	struct cv_effect *e = CV_VEC_PUSH(b->a, &x->effects);

	assert_non_null(e);
	*e = (struct cv_effect){ .kind = kind, .env = kind <= CV_EFFECT_UNINSTALL ? ENV : NULL, .spec = "" };
	return e;
}

static struct cv_fix try_driver(struct box *b, const char *version, const char *id)
{
	struct cv_gate *g = cv_gate_new(b->f, cv_kb_builtin(), b->r, b->a);
	struct cv_fix x = { .text = "a driver" };

	effect(b, &x, CV_EFFECT_DRIVER)->spec = version;
	assert_non_null(g);
	cv_gate_try(g, NULL, id, &x);
	cv_gate_free(g);
	return x;
}

static struct cv_fix try_install(struct box *b, const char *name, const char *spec, const char *id)
{
	struct cv_gate *g = cv_gate_new(b->f, cv_kb_builtin(), b->r, b->a);
	struct cv_fix x = { .command = "pip install" };
	struct cv_effect *e = effect(b, &x, CV_EFFECT_INSTALL);

	e->name = name;
	e->spec = spec;
	cv_gate_try(g, box_find(b, id), id, &x);
	cv_gate_free(g);
	return x;
}

static bool costs(const struct cv_fix *x, const char *id)
{
	for (size_t i = 0; i < x->price.n; i++)
		if (cv_streq(x->price.v[i].id, id))
			return true;
	return false;
}

/* CUDA 13.2's PTX needs 595, which drops the V100 beside: no table of pairs says so, the facts after the fix do. */
static void test_judge_gate_driver_past_a_gpu(void **state)
{
	struct box b;
	struct cv_fix x;

	(void)state;
	box_new(&b);
	b.driver = "570.124.06";
	box_gpu(&b, "2331");
	box_gpu(&b, "1db4");
	box_torch(&b, "2.9.0+cu130", "13.0");
	box_judge(&b);
	box_expect(&b, "driver-too-old", CV_ERROR, CV_PRIMARY);
	x = try_driver(&b, "595.45.04", "driver-too-old");
	assert_true(x.tried && x.heals);
	assert_true(costs(&x, "gpu-dropped-by-driver"));
	x = try_driver(&b, "580.65.06", "driver-too-old");
	assert_true(x.tried && x.heals);
	assert_false(costs(&x, "gpu-dropped-by-driver"));
	x = try_driver(&b, "575.57.08", "driver-too-old");
	assert_true(x.tried);
	assert_false(x.heals);
	/* The facts and the report are as they were. */
	box_expect(&b, "driver-too-old", CV_ERROR, CV_PRIMARY);
	assert_string_equal(cv_fact_str(cv_facts_find(b.f, CV_KIND_driver, ""), CV_F_driver_module_version), "570.124.06");
	box_free(&b);
}

static void test_judge_gate_torch_for_a_gpu(void **state)
{
	struct box b;
	struct cv_fix x;

	(void)state;
	box_new(&b);
	b.driver = "570.124.06";
	box_gpu(&b, "1b06");
	box_torch(&b, "2.9.0+cu128", "12.8");
	box_judge(&b);
	box_expect(&b, "gpu-too-old-for-build", CV_ERROR, CV_PRIMARY);
	x = try_install(&b, "torch", "==2.9.0+cu126", "gpu-too-old-for-build");
	assert_true(x.tried && x.heals);
	assert_int_equal(x.price.n, 0);
	x = try_install(&b, "torch", "==2.9.0+cu130", "gpu-too-old-for-build");
	assert_true(x.tried);
	assert_false(x.heals);
	/* What is installed is not installed again. */
	x = try_install(&b, "torch", "==2.9.0+cu128", "gpu-too-old-for-build");
	assert_true(x.tried);
	assert_false(x.heals);
	x = try_install(&b, "torch", "==2.9.0+cpu", "gpu-too-old-for-build");
	assert_true(x.tried && costs(&x, "cpu-only-build"));
	box_free(&b);
}

/* Where kb or the facts are silent a fix is not tried, and says why. */
static void test_judge_gate_says_what_it_lacks(void **state)
{
	struct cv_fix nothing = { .text = "pray" };
	struct cv_gate *g;
	struct box b;
	struct cv_fix x;

	(void)state;
	box_new(&b);
	b.driver = "570.124.06";
	box_gpu(&b, "1b06");
	box_torch(&b, "2.9.0+cu128", "12.8");
	box_judge(&b);
	x = try_install(&b, "torch", "==99.0+cu126", "gpu-too-old-for-build");
	assert_false(x.tried || x.heals);
	box_expect_text(x.untried, "knowledge base");
	x = try_install(&b, "nvidia-cublas-cu99", "", "gpu-too-old-for-build");
	assert_false(x.heals);
	g = cv_gate_new(b.f, cv_kb_builtin(), b.r, b.a);
	cv_gate_try(g, NULL, "gpu-too-old-for-build", &nothing);
	assert_false(nothing.tried || nothing.heals);
	assert_non_null(nothing.untried);
	cv_gate_free(g);
	x = (struct cv_fix){ .command = "pip install" };
	effect(&b, &x, CV_EFFECT_INSTALL)->env = "/nowhere";
	x.effects.v[0].name = "torch";
	g = cv_gate_new(b.f, cv_kb_builtin(), b.r, b.a);
	cv_gate_try(g, NULL, "gpu-too-old-for-build", &x);
	box_expect_text(x.untried, "/nowhere");
	cv_gate_free(g);
	box_free(&b);
}

/* One run tries a bounded number; equal fixes count once. */
static void test_judge_gate_is_bounded(void **state)
{
	size_t tried = 0, equal = 0;
	struct cv_gate *g;
	struct box b;

	(void)state;
	box_new(&b);
	box_judge(&b);
	g = cv_gate_new(b.f, cv_kb_builtin(), b.r, b.a);
	for (int i = 0; i < 3 * CV_GATE_TRIALS_MAX; i++) {
		struct cv_fix x = { .command = "export A" };
		struct cv_effect *e = effect(&b, &x, CV_EFFECT_FACT);

		e->subject = CV_KIND_var;
		e->field = CV_F_var_value;
		e->name = "A";
		e->value = i < CV_GATE_TRIALS_MAX ? "same" : cv_arena_printf(b.a, "%d", i);
		cv_gate_try(g, NULL, "driver-missing", &x);
		tried += x.tried;
		equal += x.tried && i < CV_GATE_TRIALS_MAX;
	}
	assert_int_equal(equal, CV_GATE_TRIALS_MAX);
	assert_int_equal(tried, CV_GATE_TRIALS_MAX + CV_GATE_TRIALS_MAX - 1);
	cv_gate_free(g);
	box_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judge_gate_driver_past_a_gpu),
		cmocka_unit_test(test_judge_gate_torch_for_a_gpu),
		cmocka_unit_test(test_judge_gate_says_what_it_lacks),
		cmocka_unit_test(test_judge_gate_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
