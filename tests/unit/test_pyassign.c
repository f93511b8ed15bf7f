/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "parse/pyassign.h"

struct fixture {
	struct cv_arena *a;
	struct cv_pyassign p;
};

static int setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){ .a = cv_arena_new((size_t)16 << 20) };
	*state = &f;
	return f.a ? 0 : -1;
}

static int teardown(void **state)
{
	cv_arena_free(((struct fixture *)*state)->a);
	return 0;
}

static void parse(struct fixture *f, const char *text)
{
	f->p = (struct cv_pyassign){ 0 };
	assert_int_equal(cv_pyassign_parse(cv_str_of(text), f->a, &f->p), 0);
}

/* The value of name in a few letters. */
static const char *show(struct fixture *f, const struct cv_pylit *v)
{
	if (!v)
		return "-";
	switch (v->kind) {
	case CV_PYLIT_NONE:
		return "None";
	case CV_PYLIT_BOOL:
		return v->truth ? "True" : "False";
	case CV_PYLIT_NUM:
		return v->text;
	case CV_PYLIT_STR:
		return cv_arena_printf(f->a, "'%s'", v->text);
	case CV_PYLIT_LIST:
		return cv_arena_printf(f->a, "[%zu]", v->items.n);
	case CV_PYLIT_DICT:
		return cv_arena_printf(f->a, "{%zu}", v->items.n);
	default:
		return "?";
	}
}

static const char *get(struct fixture *f, const char *name)
{
	const struct cv_pyname *n = cv_pyassign_get(&f->p, name);

	return n ? show(f, &n->value) : "-";
}

static void test_pyassign_torch(void **state)
{
	struct fixture *f = *state;

	parse(f, "from typing import Optional\n\n__all__ = ['__version__', 'debug']\n__version__ = '2.11.0+cu130'\n"
			"debug = False\n"
		 "cuda: Optional[str] = '13.0'\nhip: Optional[str] = None\n");
	assert_string_equal(get(f, "__version__"), "'2.11.0+cu130'");
	assert_string_equal(get(f, "cuda"), "'13.0'");
	assert_string_equal(get(f, "hip"), "None");
	assert_string_equal(get(f, "debug"), "False");
	assert_string_equal(get(f, "__all__"), "[2]");
	assert_string_equal(get(f, "xpu"), "-");
	assert_int_equal(cv_pyassign_get(&f->p, "cuda")->line, 6);
}

static void test_pyassign_tensorflow(void **state)
{
	struct fixture *f = *state;
	const struct cv_pylit *info;

	parse(f, "\"\"\"Auto-generated\ncuda_version = 'not this'\n\"\"\"\nimport collections\n\n"
		 "build_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_60', 'compute_90']), "
		 "('cuda_version', '12.5.1'),\n  ('cudnn_version', '9'), ('is_cuda_build', True)])\n");
	assert_string_equal(get(f, "cuda_version"), "-");
	info = &cv_pyassign_get(&f->p, "build_info")->value;
	assert_string_equal(show(f, cv_pylit_get(info, "cuda_version")), "'12.5.1'");
	assert_string_equal(show(f, cv_pylit_get(info, "cudnn_version")), "'9'");
	assert_string_equal(show(f, cv_pylit_get(info, "is_cuda_build")), "True");
	assert_null(cv_pylit_get(info, "is_rocm_build"));
	parse(f, "d = {'a': 1, \"b\": {'c': (1, 2)},}\n");
	info = &cv_pyassign_get(&f->p, "d")->value;
	assert_string_equal(show(f, cv_pylit_get(info, "b")), "{2}");
	assert_string_equal(show(f, cv_pylit_get(info, "a")), "1");
}

/* The last assignment counts, also one that is no literal; functions and what is in them do not. */
static void test_pyassign_order_and_scope(void **state)
{
	struct fixture *f = *state;

	parse(f, "_version = \"0.10.2\"\n_release_version: str | None = '0.10.2'\ndef get() -> str:\n  _version = 'inner'\n"
		 "  return f\"{_version}\"\n__version__ = get()\nx = 1\nx = 2\nx == 3\n");
	assert_string_equal(get(f, "_version"), "'0.10.2'");
	assert_string_equal(get(f, "_release_version"), "'0.10.2'");
	assert_string_equal(get(f, "__version__"), "[0]");
	assert_string_equal(get(f, "x"), "2");
	parse(f, "a = '1' + b\nc = f'{a}'\nd = g(1)(2)\ne = '1' if x else '2'\nh = [i for i in x]\nj = 'after'\n");
	assert_string_equal(get(f, "a"), "?");
	assert_string_equal(get(f, "c"), "?");
	assert_string_equal(get(f, "d"), "?");
	assert_string_equal(get(f, "e"), "?");
	assert_string_equal(get(f, "h"), "?");
	assert_string_equal(get(f, "j"), "'after'");
}

static void test_pyassign_strings(void **state)
{
	struct fixture *f = *state;

	parse(f, "a = 'it\\'s' \"two\"\nb = r'\\d'\nc = '''x\ny'''\nd = u\"1.0\" # comment\ne = (\n 'p'\n 'q'\n)\ng = "
			"'\\x41\\n'\n");
	assert_string_equal(get(f, "a"), "'it'stwo'");
	assert_string_equal(get(f, "b"), "'\\d'");
	assert_string_equal(get(f, "c"), "'x\ny'");
	assert_string_equal(get(f, "d"), "'1.0'");
	assert_string_equal(get(f, "e"), "'pq'");
	assert_string_equal(get(f, "g"), "'\\x41\n'");
	assert_int_equal(cv_pyassign_get(&f->p, "g")->line, 10);
}

static void test_pyassign_damage(void **state)
{
	struct fixture *f = *state;
	struct cv_buf b;

	parse(f, "a = 'open\nb = 1\n");
	assert_string_equal(get(f, "a"), "?");
	assert_string_equal(get(f, "b"), "1");
	parse(f, "a = [1,\nb = 2");
	assert_string_equal(get(f, "a"), "?");
	parse(f, "a = \"\"\"never ends\nb = 1\n");
	assert_string_equal(get(f, "b"), "-");
	parse(f, "");
	parse(f, "a");
	parse(f, "a:");
	parse(f, "a=");
	assert_string_equal(get(f, "a"), "?");
	cv_buf_init(&b, 1 << 20);
	cv_buf_puts(&b, "a = ");
	cv_buf_fill(&b, '[', 1000);
	assert_int_equal(cv_pyassign_parse((struct cv_str){ b.p, b.n }, f->a, &f->p), CV_ELIMIT);
	cv_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pyassign_torch, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pyassign_tensorflow, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pyassign_order_and_scope, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pyassign_strings, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pyassign_damage, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
