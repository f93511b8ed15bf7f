/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "parse/condameta.h"
#include "parse/jscan.h"

/* The tokens of a document, one letter each; "!" and the error's number at an error. */
static void check_tokens(const char *text, const char *want)
{
	static const char letters[] = ".{}[]KSNTFZ";
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_src_mem mem;
	struct cv_jscan j;
	char got[256];
	size_t n = 0;
	int t;

	assert_int_equal(cv_jscan_init(&j, cv_src_mem_init(&mem, text, strlen(text), "t"), a), 0);
	do {
		t = cv_jscan_next(&j);
		assert_true(n < sizeof(got) - 1);
		got[n++] = t < 0 ? '!' : letters[t];
	} while (t > 0);
	got[n] = '\0';
	if (strcmp(got, want) != 0)
		fail_msg("%s: %s", text, got);
	cv_arena_free(a);
}

static void test_jscan_tokens(void **state)
{
	(void)state;
	check_tokens(" {\"a\": [1, -2.5e+3, \"x\"], \"b\": {}, \"c\": [] , \"d\": null}\n", "{K[NNS]K{}K[]KZ}.");
	check_tokens("true", "T.");
	check_tokens("[false,[],{}]", "[F[]{}].");
	check_tokens("", "!");
	check_tokens("{", "{!");
	check_tokens("{\"a\"}", "{K!");
	check_tokens("{\"a\":}", "{K!");
	check_tokens("{\"a\":1,}", "{KN!");
	check_tokens("[1 2]", "[N!");
	check_tokens("[1]]", "[N]!");
	check_tokens("[1}", "[N!");
	check_tokens("[01]", "[!");
	check_tokens("[-0, 0, 0.5, -0.5, 10]", "[NNNNN].");
	check_tokens("[-01]", "[!");
	check_tokens("[\"\x01\"]", "[!");
	check_tokens("[\"\\x\"]", "[!");
	check_tokens("[tru]", "[!");
	check_tokens("[-]", "[!");
	check_tokens("[1.]", "[!");
	check_tokens("\"open", "!");
}

static void test_jscan_text(void **state)
{
	static const char escapes[] = "\"\\u00e9\\ud83d\\ude00\\n\\ud800\"";
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_src_mem mem;
	struct cv_jscan j;
	struct cv_buf b;

	(void)state;
	assert_int_equal(cv_jscan_init(&j, cv_src_mem_init(&mem, escapes, strlen(escapes), "t"), a), 0);
	assert_int_equal(cv_jscan_next(&j), CV_J_STR);
	assert_string_equal(j.text, "\xc3\xa9\xf0\x9f\x98\x80\n\xef\xbf\xbd");
	cv_buf_init(&b, 1 << 20);
	cv_buf_putc(&b, '"');
	cv_buf_fill(&b, 'x', 100000);
	cv_buf_puts(&b, "\"");
	assert_int_equal(cv_jscan_init(&j, cv_src_mem_init(&mem, b.p, b.n, "t"), a), 0);
	assert_int_equal(cv_jscan_next(&j), CV_J_STR);
	assert_true(j.cut);
	assert_int_equal(j.text_n, CV_JSCAN_TEXT);
	assert_int_equal(cv_jscan_next(&j), CV_J_END);
	b.n = 0;
	cv_buf_fill(&b, '[', 200);
	assert_int_equal(cv_jscan_init(&j, cv_src_mem_init(&mem, b.p, b.n, "t"), a), 0);
	assert_int_equal(cv_jscan_skip(&j, cv_jscan_next(&j)), CV_ELIMIT);
	cv_buf_release(&b);
	cv_arena_free(a);
}

static const char record[] =
	"{\"build\": \"cuda126_py311_0\", \"build_number\": 3, \"channel\": \"https://c/conda-forge/linux-64\",\n"
	" \"depends\": [\"cuda-version >=12.6,<13\", \"python\"], \"files\": [\"a\", \"b\"], \"name\": \"pytorch\", "
			"\"extra\": {\"x\": [1]},\n"
	" \"paths_data\": {\"paths\": [\n"
	"  {\"_path\": \"lib/libtorch.so\", \"path_type\": \"hardlink\", \"sha256\": \"00\", \"size_in_bytes\": 10},\n"
	"  {\"_path\": \"bin/torchrun\", \"path_type\": \"hardlink\", \"file_mode\": \"text\", "
			"\"prefix_placeholder\": \"/p\", \"size_in_bytes\": 9},\n"
	"  {\"_path\": \"lib/libx.so\", \"path_type\": \"hardlink\", \"file_mode\": \"binary\", "
			"\"prefix_placeholder\": \"/p\", \"size_in_bytes\": 8},\n"
	"  {\"_path\": \"lib/link.so\", \"path_type\": \"softlink\", \"size_in_bytes\": 7}, 5],\n"
	"  \"paths_version\": 1}, \"version\": \"2.5.1\"}";

static int note(void *cookie, const struct cv_condafile *file)
{
	struct cv_buf *b = cookie;

	cv_buf_printf(b, "%s:", file->path);
	if (file->has_size)
		cv_buf_printf(b, "%llu", (unsigned long long)file->size);
	cv_buf_putc(b, ';');
	return 0;
}

static void test_condameta_record(void **state)
{
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_src_mem mem;
	struct cv_condameta m;
	struct cv_buf b;

	(void)state;
	cv_buf_init(&b, 4096);
	assert_int_equal(cv_condameta_read(cv_src_mem_init(&mem, record, sizeof(record) - 1, "t"), a, note, &b, NULL, &m), 0);
	assert_string_equal(m.name, "pytorch");
	assert_string_equal(m.version, "2.5.1");
	assert_string_equal(m.build, "cuda126_py311_0");
	assert_string_equal(m.channel, "https://c/conda-forge/linux-64");
	assert_null(m.url);
	assert_true(m.has_build_number);
	assert_int_equal(m.build_number, 3);
	assert_int_equal(m.files, 4);
	assert_int_equal(m.depends.n, 2);
	assert_string_equal(m.depends.v[0], "cuda-version >=12.6,<13");
	assert_string_equal(cv_buf_str(&b), "lib/libtorch.so:10;bin/torchrun:;lib/libx.so:8;lib/link.so:;");
	cv_buf_release(&b);
	cv_arena_free(a);
}

/* Cut anywhere it is refused, and says where. */
static void test_condameta_cut(void **state)
{
	(void)state;
	for (size_t n = 0; n < sizeof(record) - 1; n++) {
		struct cv_arena *a = cv_arena_new(1 << 20);
		struct cv_src_mem mem;
		struct cv_condameta m;
		uint64_t at = 99999;

		assert_int_equal(cv_condameta_read(cv_src_mem_init(&mem, record, n, "t"), a, NULL, NULL, &at, &m), CV_EFORMAT);
		assert_true(at <= n);
		cv_arena_free(a);
	}
}

static void test_condameta_only_files(void **state)
{
	static const char text[] = "{\"files\": [\"a\", \"b\", \"c\"], \"name\": 5}";
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_src_mem mem;
	struct cv_condameta m;

	(void)state;
	assert_int_equal(cv_condameta_read(cv_src_mem_init(&mem, text, sizeof(text) - 1, "t"), a, NULL, NULL, NULL, &m), 0);
	assert_int_equal(m.files, 3);
	assert_null(m.name);
	cv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jscan_tokens),	 cmocka_unit_test(test_jscan_text),
		cmocka_unit_test(test_condameta_record), cmocka_unit_test(test_condameta_cut),
		cmocka_unit_test(test_condameta_only_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
