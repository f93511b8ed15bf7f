/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "collect/scene.h"
#include "engine/program.h"
#include "kb/kb.h"
#include "loadmap/scenario.h"

static struct cv_arena *arena;
static struct cv_diag diag;

static int setup(void **state)
{
	(void)state;
	arena = cv_arena_new((size_t)16 << 20);
	cv_diag_init(&diag, arena);
	return arena ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	cv_arena_free(arena);
	return 0;
}

/* The scenarios of a text, a call as "name()", with blanks between them. */
static const char *read(const char *text)
{
	struct cv_program p = { 0 };
	const char *out = "";

	if (cv_program_read(text, cv_kb_builtin(), arena, &diag, &p) != 0)
		return "error";
	for (size_t i = 0; i < p.v.n; i++)
		out = cv_arena_printf(arena, "%s%s%s%s", out, i ? " " : "", p.v.v[i].scenario, p.v.v[i].import ? "" : "()");
	return out;
}

static void test_program_imports_and_calls(void **state)
{
	(void)state;
	assert_string_equal(read("import torch"), "torch");
	assert_string_equal(read("import torch, onnxruntime as ort"), "torch onnxruntime");
	assert_string_equal(read("  import  torch ;; import onnxruntime;\n\nimport torch.nn.functional as F\n"), "torch onnxruntime torch");
	assert_string_equal(read("from torch.nn import functional"), "torch");
	assert_string_equal(read("import onnxruntime as ort; ort.preload_dlls(cuda=True)"), "onnxruntime onnxruntime.preload_dlls()");
	assert_string_equal(read("import onnxruntime; onnxruntime.InferenceSession('a.onnx')"), "onnxruntime onnxruntime.InferenceSession()");
	assert_string_equal(read("torch:cuda"), "torch:cuda()");
	assert_string_equal(read("import torch.cuda as c; c.init()"), "torch torch.cuda.init()");
}

static void test_program_refuses_what_it_does_not_know(void **state)
{
	static const char *const bad[] = {
		"", ";", "\n", "import", "import ,torch", "import nosuchthing", "from nosuchthing import x", "ort.preload_dlls()",
		"import torch; torch.nosuch()", "print('hello')", "import torchx", "x = 1", "from", "torch/preload", "import torch/preload", "libcublasLt.so",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (strcmp(read(bad[i]), "error") != 0)
			fail_msg("taken: \"%s\"", bad[i]);
	assert_int_equal(diag.n, sizeof(bad) / sizeof(bad[0]));
}

static void test_program_error_names_the_statement(void **state)
{
	(void)state;
	diag.n = 0;
	assert_string_equal(read("import torch; fly()"), "error");
	assert_true(cv_starts(diag.v[0], "\"fly()\": what this loads is not known; known are "));
	assert_non_null(strstr(diag.v[0], " onnxruntime, "));
	assert_null(strstr(diag.v[0], "/"));
	assert_null(strstr(diag.v[0], ".so"));
}

static bool has_step(const char *subject, unsigned seq)
{
	struct cv_kb_iter it = cv_kb_iter(cv_kb_builtin(), subject, NULL, "step:*");
	struct cv_kb_row row;
	uint64_t n;

	while (cv_kb_next(&it, &row))
		if (cv_str_u64(cv_str_of(row.property + strlen("step:")), &n) && n == seq)
			return true;
	return false;
}

/* Every step of the knowledge base can be read, leads to a step that is there, and names scenarios that are there. */
static void test_program_steps_of_the_kb(void **state)
{
	struct cv_kb_iter it = cv_kb_iter(cv_kb_builtin(), CV_SCENE_SUBJECT "*", NULL, "step:*");
	struct cv_kb_row row;
	size_t n = 0;

	(void)state;
	for (; cv_kb_next(&it, &row); n++) {
		struct cv_scn_step st;
		uint64_t seq;

		if (!cv_str_u64(cv_str_of(row.property + strlen("step:")), &seq) ||
		    cv_scn_parse((unsigned)seq, row.value, arena, &diag, &st) != 0)
			fail_msg("%s %s: %s", row.subject, row.property, diag.n ? diag.v[diag.n - 1] : "");
		if ((st.op == CV_SCN_GOTO || st.otherwise == CV_SCN_ELSE_SEQ) && !has_step(row.subject, st.to))
			fail_msg("%s %s: there is no step %u", row.subject, row.property, st.to);
		if ((st.op == CV_SCN_IMPORT || st.op == CV_SCN_CALL || st.op == CV_SCN_CALL_LOOSE) &&
		    !cv_scene_knows(cv_kb_builtin(), st.args.v[0]))
			fail_msg("%s %s: there is no scenario %s", row.subject, row.property, st.args.v[0]);
	}
	assert_true(n > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_program_imports_and_calls, setup, teardown),
		cmocka_unit_test_setup_teardown(test_program_refuses_what_it_does_not_know, setup, teardown),
		cmocka_unit_test_setup_teardown(test_program_error_names_the_statement, setup, teardown),
		cmocka_unit_test_setup_teardown(test_program_steps_of_the_kb, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
