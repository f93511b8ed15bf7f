/* SPDX-License-Identifier: Apache-2.0 */
/* From text to facts and diagnoses, and the messages of the knowledge base themselves. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "explain/room.h"
#include "judge/hypo.h"

struct fixture {
	struct cv_arena *a;
	struct cv_explain *x;
	struct cv_facts *facts;
	const struct cv_explanation *e;
};

static void start(struct fixture *f)
{
	f->a = cv_arena_new((size_t)256 << 20);
	assert_int_equal(cv_explain_new(cv_kb_builtin(), f->a, &f->x), 0);
	f->facts = cv_facts_new(f->a);
}

/* In pieces of step bytes, so that lines are cut anywhere. */
static void feed(struct fixture *f, const char *file, const char *p, size_t n, size_t step)
{
	cv_explain_begin(f->x, file);
	for (size_t i = 0; i < n; i += step)
		assert_int_equal(cv_explain_feed(f->x, p + i, n - i < step ? n - i : step), 0);
	assert_int_equal(cv_explain_end(f->x), 0);
}

static void finish(struct fixture *f)
{
	assert_int_equal(cv_explain_finish(f->x, f->facts, false), 0);
	assert_int_equal(cv_facts_freeze(f->facts), 0);
	assert_int_equal(cv_hypo(f->facts, cv_kb_builtin(), f->a, &f->e), 0);
}

static void end(struct fixture *f)
{
	cv_explain_free(f->x);
	cv_arena_free(f->a);
}

static void diagnose(const char *text, const char *id, enum cv_surety least)
{
	struct fixture f;

	start(&f);
	feed(&f, "log", text, strlen(text), 7);
	finish(&f);
	if (!id) {
		for (size_t i = 0; i < f.e->diagnoses.n; i++)
			assert_int_equal(f.e->diagnoses.v[i].surety, CV_POSSIBLE);
	} else {
		assert_true(f.e->diagnoses.n > 0);
		assert_string_equal(f.e->diagnoses.v[0].id, id);
		assert_true(f.e->diagnoses.v[0].surety >= least);
		assert_true(f.e->diagnoses.v[0].evidence.n > 0);
		assert_non_null(f.e->diagnoses.v[0].cause);
		assert_null(strchr(f.e->diagnoses.v[0].cause, '{'));
	}
	end(&f);
}

static void test_explain_one_fact_flips(void **state)
{
	(void)state;
	diagnose("Driver Version: 535.183.01\nGPU 0: NVIDIA L4 (UUID: GPU-1)\ntorch==2.9.1+cu130\n", "driver-too-old", CV_CONFIRMED);
	diagnose("Driver Version: 580.95.05\nGPU 0: NVIDIA L4 (UUID: GPU-1)\ntorch==2.9.1+cu130\n", NULL, 0);
	diagnose("torch==2.5.1\ntorchvision==0.19.1\nRuntimeError: operator torchvision::nms does not exist\n", "companion-version-mismatch", CV_CONFIRMED);
	diagnose("libcublas.so.12: cannot open shared object file\nonnxruntime-gpu==1.20.1\nCUDA toolkit: 11.8\n", "cuda-major-mismatch", CV_CONFIRMED);
	diagnose("libcublas.so.12: cannot open shared object file\nonnxruntime-gpu==1.20.1\nnvidia-cublas-cu12==12.4.5.8\n", "library-not-on-loader-path",
		 CV_LIKELY);
	diagnose("no kernel image is available for execution on the device\nGPU: RTX 5090\ntorch==2.6.0+cu124\n", "gpu-too-new-for-build", CV_LIKELY);
	diagnose("no kernel image is available for execution on the device\nGPU: Tesla K40m\ntorch==2.6.0+cu124\n", "gpu-too-old-for-build", CV_LIKELY);
}

/* With its message gone, a report whose facts tell the fault still gets it. */
static void test_explain_facts_alone(void **state)
{
	(void)state;
	diagnose("onnxruntime==1.19.0\nonnxruntime-gpu==1.19.0\n>>> ort.get_available_providers()\n['CPUExecutionProvider']\n",
		 "cpu-package-shadows-gpu", CV_CONFIRMED);
	diagnose("$ nvidia-smi -L\nGPU 0: NVIDIA GeForce RTX 5080 (UUID: GPU-1)\n>>> torch.cuda.get_arch_list()\n['sm_50', 'sm_90']\ntorch==2.6.0+cu124\n",
		 "gpu-too-new-for-build", CV_CONFIRMED);
}

static void test_explain_healthy_and_foreign(void **state)
{
	(void)state;
	diagnose("KeyError: 'cuda_0001.png'\n  File \"/home/u/venv/lib/python3.11/site-packages/torch/utils/data.py\", line 4\n", NULL, 0);
	diagnose("Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN\n", NULL, 0);
	diagnose("", NULL, 0);
}

static void test_explain_places(void **state)
{
	static const char text[] = "one\r\n\x1b[31mCUDA driver version is insufficient for CUDA runtime version\x1b[0m\r\n";
	struct fixture f;
	const struct cv_subject *hit;

	(void)state;
	start(&f);
	feed(&f, "a.log", text, sizeof(text) - 1, 3);
	finish(&f);
	assert_int_equal(cv_facts_count(f.facts, CV_KIND_hit), 1);
	hit = cv_facts_at(f.facts, CV_KIND_hit, 0);
	assert_int_equal(cv_fact(hit, CV_F_hit_text)->prov.line, 2);
	assert_string_equal(cv_fact(hit, CV_F_hit_text)->prov.path, "a.log");
	assert_string_equal(cv_fact_str(hit, CV_F_hit_text), "CUDA driver version is insufficient for CUDA runtime version");
	end(&f);
}

static void test_explain_utf16(void **state)
{
	static const char ascii[] = "x\nNo CUDA GPUs are available\n";
	char wide[2 * sizeof(ascii)] = { (char)0xff, (char)0xfe };
	struct fixture f;

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(ascii); i++)
		wide[2 + 2 * i] = ascii[i];
	start(&f);
	feed(&f, "w.log", wide, 2 * sizeof(ascii), 5);
	finish(&f);
	assert_int_equal(cv_facts_count(f.facts, CV_KIND_hit), 1);
	assert_int_equal(cv_fact(cv_facts_at(f.facts, CV_KIND_hit, 0), CV_F_hit_text)->prov.line, 2);
	end(&f);
}

/* Messages anywhere in a long text, notes at its end; the same message a million times is kept once. */
static void test_explain_long_text(void **state)
{
	static const char line[] = "step 100 loss 1.2345: CUDA out of memory. Tried to allocate 2 GiB\n";
	struct fixture f;

	(void)state;
	start(&f);
	cv_explain_begin(f.x, "long.log");
	for (size_t i = 0; i < 200000; i++)
		assert_int_equal(cv_explain_feed(f.x, line, sizeof(line) - 1), 0);
	assert_int_equal(cv_explain_feed(f.x, "Driver Version: 550.54.14\n", 26), 0);
	assert_int_equal(cv_explain_end(f.x), 0);
	assert_true(cv_arena_used(f.a) < (size_t)16 << 20);
	finish(&f);
	assert_string_equal(cv_fact_str(cv_facts_find(f.facts, CV_KIND_driver, ""), CV_F_driver_module_version), "550.54.14");
	assert_int_equal(cv_fact(cv_facts_find(f.facts, CV_KIND_driver, ""), CV_F_driver_module_version)->prov.line, 200001);
	end(&f);
}

static void test_explain_literals(void **state)
{
	static const struct {
		const char *pattern, *literal;
	} rows[] = {
		{ "NVRM: Xid \\([^)]*\\): (?<xid>\\d+)", "NVRM: Xid (" },
		{ "(?<a>lib\\S+): cannot open", ": cannot open" },
		{ "abce?fghi", "fghi" },
		{ "one|other thing", "" },
		{ "[abc]x", "" },
		{ "a\\.b\\.cd", "a.b.cd" },
	};
	struct cv_arena *a = cv_arena_new(1 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cv_str s = cv_pattern_literal(a, rows[i].pattern);

		assert_int_equal(s.n, strlen(rows[i].literal));
		assert_memory_equal(s.p, rows[i].literal, s.n);
	}
	cv_arena_free(a);
}

/* Each message of the kb compiles, has a literal for the filter, and proposes diagnoses that exist. */
static void test_explain_kb_messages(void **state)
{
	const struct cv_kb *kb = cv_kb_builtin();
	struct cv_kb_iter it = cv_kb_iter(kb, "message:*", NULL, "pattern");
	struct cv_arena *a = cv_arena_new(16 << 20);
	struct cv_kb_row row;
	size_t n = 0;

	(void)state;
	for (; cv_kb_next(&it, &row); n++) {
		const char *literal = cv_kb_value(kb, row.subject, NULL, "literal"), *list = cv_kb_value(kb, row.subject, NULL, "candidates");
		struct cv_str rest = cv_str_of(list ? list : ""), word;
		PCRE2_SIZE at;
		int err;
		pcre2_code *code = pcre2_compile((PCRE2_SPTR)row.value, PCRE2_ZERO_TERMINATED, 0, &err, &at, NULL);

		if (!code || (literal ? strlen(literal) : cv_pattern_literal(a, row.value).n) < 4)
			fail_msg("%s: does not compile, or has no literal of four bytes", row.subject);
		pcre2_code_free(code);
		while (cv_str_word(&rest, &word)) {
			ptrdiff_t colon = cv_str_rchr(word, ':');
			const char *id = cv_arena_printf(a, "diagnosis:%.*s", (int)(colon < 0 ? 0 : colon), word.p);

			if (!cv_kb_value(kb, id, NULL, "title"))
				fail_msg("%s: there is no %s", row.subject, id);
		}
	}
	assert_true(n >= 200);
	cv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_explain_one_fact_flips), cmocka_unit_test(test_explain_facts_alone),
		cmocka_unit_test(test_explain_healthy_and_foreign), cmocka_unit_test(test_explain_places),
		cmocka_unit_test(test_explain_utf16),	       cmocka_unit_test(test_explain_long_text),
		cmocka_unit_test(test_explain_literals),       cmocka_unit_test(test_explain_kb_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
