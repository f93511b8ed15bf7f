/* SPDX-License-Identifier: Apache-2.0 */
/* What `cuvet arch` prints, against the files of tests/data/report (CUVET_UPDATE=1 writes them anew). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expected.h"
#include "gpucode/codetext.h"
#include "report/arch.h"
#include "report/text.h"

static struct cv_arena *arena;

static int setup(void **state)
{
	(void)state;
	arena = cv_arena_new((size_t)64 << 20);
	return arena ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	cv_arena_free(arena);
	return 0;
}

static void add_gpu(struct cv_arch *r, const char *name, const char *cc)
{
	struct cv_arch_gpu *g = CV_VEC_PUSH(arena, &r->gpus);

	assert_non_null(g);
	*g = (struct cv_arch_gpu){ .name = name, .cc = cc };
	assert_true(cv_gpu_cc_parse(cc, &g->number));
}

/* texts: sets of containers, NULL at the end; with an error there are none. */
static struct cv_arch_file *add_file(struct cv_arch *r, const char *group, const char *name, const char *const *texts)
{
	struct cv_arch_file *f = CV_VEC_PUSH(arena, &r->files);
	struct cv_strv list = { 0 };

	assert_non_null(f);
	*f = (struct cv_arch_file){ .group = group, .name = name, .path = group ? cv_path_join(arena, group, name) : name };
	for (; *texts; texts++)
		assert_true(cv_strv_push(arena, &list, *texts));
	assert_int_equal(cv_codetext_read(&list, arena, &f->code.own), 0);
	return f;
}

static void weigh(struct cv_arch *r)
{
	for (size_t i = 0; i < r->files.n; i++) {
		struct cv_cover *c = CV_NEW_ARRAY(arena, struct cv_cover, r->gpus.n + 1);

		for (size_t k = 0; k < r->gpus.n; k++)
			c[k] = cv_gpucode_cover(&r->files.v[i].code, r->gpus.v[k].number, 0);
		r->files.v[i].cover = c;
	}
}

#define SETS(...) (const char *const[]){ __VA_ARGS__, NULL }

static struct cv_arch environment(void)
{
	struct cv_arch r = { .without_code = 142 };

	add_file(&r, "/opt/env", "nvidia/cu13/lib/libcublasLt.so.13",
		 SETS("120 sm_75", "362 sm_80", "1376 sm_90a", "924 sm_120f compute_120@9.0"));
	add_file(&r, "/opt/env", "nvidia/cudnn/lib/libcudnn_engines_runtime_compiled.so.9",
		 SETS("23 sm_75 sm_80 sm_86", "23 sm_80 sm_90a sm_100f compute_121@9.0"));
	add_file(&r, "/opt/env", "a/lib/_C.so", SETS("6 sm_80 sm_86 compute_80@8.8"));
	add_file(&r, "/opt/env", "b/lib/_C.so", SETS("2 sm_70", "300 sm_90"));
	add_file(&r, "/opt/env", "nvidia/cu13/lib/libcufftw.so.12", SETS("1"));
	return r;
}

static void assert_printed(const struct cv_arch *r, const char *file, bool verbose)
{
	struct cv_report_head head = { .schema = "cuvet/arch/1", .kb_date = "2026-01-01" };
	struct cv_style style = { .format = CV_FORMAT_TERMINAL, .width = 80, .verbose = verbose };
	struct cv_buf out;

	cv_buf_init(&out, (size_t)1 << 20);
	assert_int_equal(cv_report_arch_terminal(r, &head, &style, &out), 0);
	for (const char *line = cv_buf_str(&out), *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		assert_true(cv_text_width_n(line, (size_t)(end - line)) <= 80);
	}
	expected_compare(file, &out);
	cv_buf_release(&out);
}

static void test_report_arch_shows_six_gpus(void **state)
{
	struct cv_arch r = environment();

	(void)state;
	add_gpu(&r, "Tesla V100", "7.0");
	add_gpu(&r, "Tesla T4", "7.5");
	add_gpu(&r, "Jetson AGX Orin", "8.7");
	add_gpu(&r, NULL, "8.9");
	add_gpu(&r, "H100", "9.0");
	add_gpu(&r, "RTX 5090", "12.0");
	weigh(&r);
	assert_int_equal(cv_arch_verdict(&r), CV_VERDICT_PROBLEM);
	assert_printed(&r, "arch-six-gpus.txt", false);
	assert_printed(&r, "arch-six-gpus-verbose.txt", true);
}

static void test_report_arch_shows_one_gpu_and_one_file(void **state)
{
	struct cv_arch r = { 0 };

	(void)state;
	add_file(&r, NULL, "/opt/env/lib/libtorch_cuda.so", SETS("443 sm_75 sm_80 sm_90 sm_100", "1 sm_75 sm_80 sm_90a"));
	add_gpu(&r, "Tesla T4", "7.5");
	weigh(&r);
	assert_int_equal(cv_arch_verdict(&r), CV_VERDICT_OK);
	assert_printed(&r, "arch-one.txt", false);
	/* The same compute capability twice is one column of a table and two lines here. */
	add_gpu(&r, "A30", "8.0");
	add_gpu(&r, "A100", "8.0");
	add_gpu(&r, NULL, "8.7");
	weigh(&r);
	assert_int_equal(cv_arch_verdict(&r), CV_VERDICT_CANNOT_TELL);
	assert_printed(&r, "arch-one-four-gpus.txt", false);
}

static void test_report_arch_shows_what_it_cannot_tell(void **state)
{
	struct cv_arch r = environment();
	struct cv_arch_file *f = add_file(&r, "/opt/env", "closed", SETS("1"));

	(void)state;
	f->error = "/opt/env/closed: permission denied";
	f->state = "denied";
	r.files.v[3].code.damaged = 4;
	r.files.v[3].code.damaged_at = 4096;
	r.no_gpu = "this machine has no NVIDIA GPU";
	weigh(&r);
	assert_int_equal(cv_arch_verdict(&r), CV_VERDICT_CANNOT_TELL);
	assert_printed(&r, "arch-unknown.txt", false);
}

static void test_report_arch_labels_tell_files_apart(void **state)
{
	static const char *const names[] = {
		"a/p/f.so", "a/q/f.so", "b/p/f.so", "b/q/f.so", "one/two/three/four/g.so", "six/two/three/four/g.so", "h.so", "h.so",
		"x/h2.so",
	};
	static const char *const want[] = {
		"a/p/f.so", "a/q/f.so", "b/p/f.so", "b/q/f.so", "one/.../g.so", "six/.../g.so", "h.so", "h.so", "h2.so",
	};
	const char *const *labels;
	struct cv_arch r = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add_file(&r, NULL, names[i], SETS("1 sm_80"));
	labels = cv_arch_labels(&r, arena);
	assert_non_null(labels);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(labels[i], want[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_report_arch_shows_six_gpus),
		cmocka_unit_test(test_report_arch_shows_one_gpu_and_one_file),
		cmocka_unit_test(test_report_arch_shows_what_it_cannot_tell),
		cmocka_unit_test(test_report_arch_labels_tell_files_apart),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
