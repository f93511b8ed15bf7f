/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The document of check on reports made by hand, against the files in tests/data/report. CUVET_UPDATE=1 writes them anew:
 * look at the difference before committing it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "expected.h"
#include "judge/judge.h"
#include "report/check.h"
#include "report/text.h"

static const struct cv_rule rule_old = { .id = "driver-too-old", .severity = CV_ERROR, .title = "the driver is too old" };
static const struct cv_rule rule_cpu = { .id = "cpu-only-build", .severity = CV_ERROR, .title = "no GPU support" };
static const struct cv_rule rule_wheels = { .id = "mixed-cuda-wheels", .severity = CV_WARNING, .title = "two CUDA majors" };
static const struct cv_rule rule_jit = { .id = "minor-version-mode", .parent = "not-a-fault", .severity = CV_NOTE, .title = "x" };
static const struct cv_rule rule_code = { .id = "gpu-too-old-for-build", .severity = CV_ERROR, .title = "no code" };
static const struct cv_rule rule_damaged = { .id = "damaged-installation", .severity = CV_ERROR, .title = "damaged" };

static struct cv_finding *add_finding(struct cv_arena *a, struct cv_report *r, const struct cv_rule *rule, const char *title,
				      const char *cell)
{
	struct cv_finding *f = CV_VEC_PUSH(a, &r->findings);

	f->rule = rule;
	f->severity = rule->severity;
	f->role = CV_PRIMARY;
	f->title = title;
	f->subject_kind = "driver";
	f->subject_name = "nvidia";
	f->env = 0;
	if (cell)
		cv_strv_push(a, &f->cells, cell);
	return f;
}

static void add_evidence(struct cv_arena *a, struct cv_finding *f, const char *fact, const char *value, const char *source)
{
	*CV_VEC_PUSH(a, &f->evidence) = (struct cv_evidence){ fact, value, source };
}

static void add_param(struct cv_arena *a, struct cv_finding *f, const char *name, const char *v1, const char *v2)
{
	struct cv_param *p = CV_VEC_PUSH(a, &f->params);

	p->name = name;
	cv_strv_push(a, &p->values, v1);
	if (v2)
		cv_strv_push(a, &p->values, v2);
}

static struct cv_report_env *add_env(struct cv_arena *a, struct cv_report *r, const char *path, const char *kind,
				     const char *python, bool selected, enum cv_verdict verdict)
{
	struct cv_report_env *e = CV_VEC_PUSH(a, &r->envs);

	e->path = path;
	e->kind = kind;
	e->python = python;
	e->active = e->selected = selected;
	e->verdict = verdict;
	return e;
}

static void add_package(struct cv_arena *a, struct cv_report_env *e, const char *name, const char *version, const char *build)
{
	*CV_VEC_PUSH(a, &e->packages) = (struct cv_report_package){ name, version, build, "pip", e->path };
}

static void add_gpu(struct cv_arena *a, struct cv_report *r, const char *name, const char *pci, const char *cc, uint64_t mib)
{
	*CV_VEC_PUSH(a, &r->gpus) = (struct cv_report_gpu){ name, pci, cc, cc ? NULL : "denied", mib, CV_TRI_OK };
}

static struct cv_report *new_report(struct cv_arena *a)
{
	struct cv_report *r = CV_NEW(a, struct cv_report);

	r->os = "Debian GNU/Linux 12 (bookworm)";
	r->kernel = "6.1.0-18-amd64";
	r->glibc = "2.36";
	r->arch = "x86_64";
	r->kind = "bare";
	r->driver = (struct cv_report_driver){ .module = "570.26", .library = "570.26", .cuda_api = "12.8",
					       .library_path = "/usr/lib/x86_64-linux-gnu/libcuda.so.570.26",
					       .firmware = "570.26", .open = CV_TRI_OK };
	return r;
}

static struct cv_report *healthy(struct cv_arena *a)
{
	struct cv_report *r = new_report(a);
	struct cv_report_env *e = add_env(a, r, "/home/me/project/.venv", "venv", "3.12.3", true, CV_VERDICT_OK);

	add_gpu(a, r, "NVIDIA GeForce RTX 4090", "0000:01:00.0", "8.9", 24564);
	add_package(a, e, "onnxruntime-gpu", "1.22.0", NULL);
	add_package(a, e, "torch", "2.9.0+cu128", "cu128");
	*CV_VEC_PUSH(a, &r->cells) = (struct cv_cell){ "0|torch|0", 0, 0, "torch", CV_TRI_OK, CV_TRI_OK, CV_CODE_NATIVE,
						       CV_VERDICT_OK, NULL, "570.26", "12.8", "9.10.2", "torch 2.9.0+cu128",
						       "RTX 4090 (8.9)", false };
	*CV_VEC_PUSH(a, &r->cells) = (struct cv_cell){ "0|onnxruntime:cuda|0", 0, 0, "onnxruntime:cuda", CV_TRI_OK, CV_TRI_OK,
						       CV_CODE_PTX_JIT, CV_VERDICT_OK, NULL, "570.26", "12.8", "9.10.2",
						       "onnxruntime-gpu 1.22.0", "RTX 4090 (8.9)", false };
	r->verdict = CV_VERDICT_OK;
	r->verdict_line = "torch 2.9.0+cu128 and onnxruntime-gpu 1.22.0 fit this machine's RTX 4090";
	*CV_VEC_PUSH(a, &r->ruled_out) = (struct cv_because){ "driver-too-old", "driver 570.26 offers CUDA 12.8, 12.x needs 525.60.13" };
	return r;
}

static void add_price(struct cv_arena *a, struct cv_fix *x)
{
	static const char *const titles[] = { "xformers 0.0.35 requires torch==2.11.0; installed: torch 2.11.0+cu126", "a second one",
					      "a third one", "a fourth one", "a fifth one" };

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		*CV_VEC_PUSH(a, &x->price) =
			(struct cv_price){ .id = "package-requirement-unmet", .title = titles[i], .severity = CV_WARNING };
}

static void add_old_driver(struct cv_arena *a, struct cv_report *r)
{
	struct cv_finding *f = add_finding(a, r, &rule_old, "torch 2.11.0+cu130 needs a driver that offers CUDA 13; driver 535.104.05 "
							    "offers 12.2", "0|torch|0");

	f->env = CV_NO_INDEX;
	f->why = "The CUDA 13 run-time library returns error 35 when libcuda offers less than 13.0, so torch.cuda.is_available() is "
		 "False and the first CUDA call fails.";
	add_param(a, f, "needed", "580.65.06", NULL);
	add_param(a, f, "found", "535.104.05", NULL);
	add_param(a, f, "sm", "sm_75", "sm_80");
	add_evidence(a, f, "driver.module_version", "535.104.05", "/proc/driver/nvidia/version:1");
	add_evidence(a, f, "lib.version", "535.104.05", "/usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05");
	add_evidence(a, f, "framework.cuda", "13.0", "/home/me/project/.venv/lib/python3.12/site-packages/torch/version.py:5");
	*CV_VEC_PUSH(a, &f->fixes) = (struct cv_fix){
		.command = "/home/me/project/.venv/bin/pip install --force-reinstall torch==2.11.0 --index-url https://index.example/whl/cu126",
		.changes = "replaces torch 2.11.0+cu130 by 2.11.0+cu126",
		.tried = true,
		.heals = true };
	add_price(a, &f->fixes.v[0]);
	*CV_VEC_PUSH(a, &f->fixes) = (struct cv_fix){ .command = "apt-get install nvidia-driver", .changes = "upgrades the driver to 580",
						       .needs_root = true, .reboot = true,
						       .risk = "every container and environment on this machine gets the new driver",
						       .tried = true, .heals = true };
	f->prove = "cuvet check --env /home/me/project/.venv";
	f = add_finding(a, r, &rule_code, "cuDNN 9.12 of cu13 cannot start either", "0|torch|0");
	f->role = CV_SECONDARY;
	f->cause = "driver-too-old";
}

static struct cv_report *problems(struct cv_arena *a)
{
	struct cv_report *r = new_report(a);
	struct cv_report_env *e = add_env(a, r, "/home/me/project/.venv", "venv", "3.12.3", true, CV_VERDICT_PROBLEM);
	struct cv_finding *f;

	r->driver = (struct cv_report_driver){ .module = "535.104.05", .library = "535.104.05", .cuda_api = "12.2", .open = CV_TRI_BAD };
	r->kind = "container";
	add_package(a, e, "torch", "2.11.0+cu130", "cu130");
	add_gpu(a, r, "Tesla T4", "0000:3b:00.0", "7.5", 15360);
	add_package(a, add_env(a, r, "/opt/conda/envs/old", "conda", "3.9.18", false, CV_VERDICT_OK), "torch", "1.13.1", NULL);
	add_env(a, r, "/usr", "distribution", "3.11.2", false, CV_VERDICT_OK);
	*CV_VEC_PUSH(a, &r->cells) = (struct cv_cell){ "0|torch|0", 0, 0, "torch", CV_TRI_BAD, CV_TRI_OK, CV_CODE_NATIVE,
						       CV_VERDICT_PROBLEM, NULL, "535.104.05", "13.0", "9.12.0",
						       "torch 2.11.0+cu130", "Tesla T4 (7.5)", false };
	*CV_VEC_PUSH(a, &r->cells) = (struct cv_cell){ "0|onnxruntime:cuda|0", 0, 0, "onnxruntime:cuda", CV_TRI_OK, CV_TRI_BAD,
						       CV_CODE_NONE, CV_VERDICT_PROBLEM, NULL, "535.104.05", NULL, NULL,
						       "onnxruntime 1.22.0", "Tesla T4 (7.5)", false };
	add_old_driver(a, r);
	f = add_finding(a, r, &rule_cpu, "onnxruntime 1.22.0 is a CPU-only build", "0|onnxruntime:cuda|0");
	f->why = "Its own build information names no CUDA.";
	add_evidence(a, f, "framework.cuda", "not found", "onnxruntime/capi/build_and_package_info.py:3");
	*CV_VEC_PUSH(a, &f->fixes) = (struct cv_fix){ .text = "Remove onnxruntime first, then install onnxruntime-gpu: both write one directory." };
	f = add_finding(a, r, &rule_wheels, "nvidia wheels of CUDA 12 and 13 are installed together", NULL);
	f->why = "They share one import directory.";
	f = add_finding(a, r, &rule_jit, "PTX of CUDA 12.8 cannot be compiled by driver 535 (CUDA 12.2)", "0|torch|0");
	f->why = "Minor-version compatibility covers cubins only.";
	add_evidence(a, f, "driver.module_version", "535.104.05", "/proc/driver/nvidia/version:1");
	*CV_VEC_PUSH(a, &r->not_evaluated) = (struct cv_because){ "shm-too-small", "shm_bytes: not asked" };
	*CV_VEC_PUSH(a, &r->not_evaluated) = (struct cv_because){ "secure-boot-blocks-driver", "secure_boot: permission denied" };
	*CV_VEC_PUSH(a, &r->notices) = (struct cv_because){ NULL, "torch 2.99 is newer than this knowledge base (2026-11-30)" };
	r->verdict = CV_VERDICT_PROBLEM;
	r->verdict_line = "torch 2.11.0+cu130 cannot use the Tesla T4: driver 535.104.05 is too old for CUDA 13; onnxruntime is a CPU-only build";
	return r;
}

static struct cv_report *unknown(struct cv_arena *a)
{
	struct cv_report *r = CV_NEW(a, struct cv_report);

	r->driver.state = "denied";
	r->driver.library_path = "/usr/lib/x86_64-linux-gnu/libcuda.so.1";
	r->arch = "aarch64";
	add_gpu(a, r, NULL, "0000:01:00.0", NULL, 0);
	add_package(a, add_env(a, r, "/srv/env", "conda", NULL, true, CV_VERDICT_CANNOT_TELL), "torch", "2.4.0", NULL);
	add_env(a, r, "/srv/empty", "venv", "3.10.1", true, CV_VERDICT_OK);
	*CV_VEC_PUSH(a, &r->cells) = (struct cv_cell){ "0|torch|0", 0, 0, "torch", CV_TRI_UNKNOWN, CV_TRI_UNKNOWN, CV_CODE_UNKNOWN,
						       CV_VERDICT_CANNOT_TELL, "driver.module_version: permission denied", NULL, NULL,
						       NULL, "torch 2.4.0", NULL, false };
	r->verdict = CV_VERDICT_CANNOT_TELL;
	r->verdict_line = "the driver's version may not be read";
	*CV_VEC_PUSH(a, &r->not_evaluated) = (struct cv_because){ "driver-too-old", "driver.module_version: permission denied" };
	return r;
}

static struct cv_report *many_gpus(struct cv_arena *a)
{
	struct cv_report *r = healthy(a);
	static const char *const keys[] = { "0|torch|0", "0|torch|1", "0|torch|2", "0|torch|3" };

	r->gpus.n = r->cells.n = 0;
	for (size_t i = 0; i < 4; i++) {
		bool odd = i == 3;

		add_gpu(a, r, odd ? "Tesla V100-SXM2-32GB" : "NVIDIA H100 80GB HBM3", "0000:01:00.0", odd ? "7.0" : "9.0",
			odd ? 32768 : 81559);
		*CV_VEC_PUSH(a, &r->cells) = (struct cv_cell){
			keys[i], 0, i, "torch", CV_TRI_OK, CV_TRI_OK, odd ? CV_CODE_NONE : CV_CODE_NATIVE,
			odd ? CV_VERDICT_PROBLEM : CV_VERDICT_OK, NULL, "570.26", "12.8", "9.10.2", "torch 2.11.0+cu128",
			odd ? "Tesla V100 (7.0)" : "H100 80GB HBM3 (9.0)", false };
	}
	r->gpus.v[3].visible = CV_TRI_BAD;
	add_finding(a, r, &rule_code, "torch 2.11.0+cu128 has no code for the Tesla V100 (7.0)", "0|torch|3")->why =
		"Its libraries hold code for 7.5 and newer.";
	r->verdict = CV_VERDICT_PROBLEM;
	r->verdict_line = "torch 2.11.0+cu128 has no code for GPU 3, a Tesla V100";
	return r;
}

static struct cv_report *hostile(struct cv_arena *a)
{
	struct cv_report *r = new_report(a);
	struct cv_finding *f;

	r->os = "\033]0;owned\007Evil\x9b\x33\x31m OS \xe2\x80\xaegnp.exe";
	add_gpu(a, r, "GPU\nwith\tbreaks", "0000:01:00.0", "8.6", 512);
	add_env(a, r, "/\xe7\x92\xb0\xe5\xa2\x83/\xff\xfe/\xf0\x9f\x98\x80", "venv", "3.12", true, CV_VERDICT_PROBLEM);
	*CV_VEC_PUSH(a, &r->cells) = (struct cv_cell){
		"0|torch|0", 0, 0, "torch", CV_TRI_OK, CV_TRI_BAD, CV_CODE_PARTIAL, CV_VERDICT_PROBLEM, NULL, "570.26", "12.8", "9.10.2",
		"torch-\xe7\x89\x88\xe6\x9c\xac-2.9.0+cu128.gitabcdef0123456789abcdef0123456789abcdef", "a GPU whose name goes on and on (8.6)",
		false };
	f = add_finding(a, r, &rule_damaged, "\033[2J\033[31mred\033[0m", "0|torch|0");
	f->why = "averyveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryverylongwordthatdoesnotfit and more";
	add_evidence(a, f, "package.record_missing", "caf\xc3\xa9\x1b[5m", "/tmp/\r\n/x");
	*CV_VEC_PUSH(a, &f->fixes) = (struct cv_fix){ .command = "rm '/tmp/a\033[8mb'" };
	r->verdict = CV_VERDICT_PROBLEM;
	r->verdict_line = "line\none";
	return r;
}

static const struct cv_report_head head = { .schema = "cuvet/check/1", .kb_date = "2026-11-30" };

typedef struct cv_report *make_fn(struct cv_arena *a);

static void check_terminal(make_fn *make, const struct cv_style *style, const char *name)
{
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_buf out;

	cv_buf_init(&out, 1 << 20);
	assert_int_equal(cv_report_check_terminal(make(a), &head, style, &out), 0);
	expected_compare(name, &out);
	cv_buf_release(&out);
	cv_arena_free(a);
}

static void check_json(make_fn *make, const char *name)
{
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_buf out;

	cv_buf_init(&out, 1 << 20);
	assert_int_equal(cv_report_check_json(make(a), &head, &out), 0);
	expected_compare(name, &out);
	cv_buf_release(&out);
	cv_arena_free(a);
}

static const struct cv_style plain = { .format = CV_FORMAT_TERMINAL };

static void test_report_check_healthy(void **state)
{
	(void)state;
	check_terminal(healthy, &plain, "healthy.txt");
	check_json(healthy, "healthy.json");
}

static void test_report_check_problems_are_ranked(void **state)
{
	(void)state;
	check_terminal(problems, &plain, "problems.txt");
	check_json(problems, "problems.json");
}

static void test_report_check_verbose_lists_the_rest(void **state)
{
	(void)state;
	check_terminal(problems, &(struct cv_style){ .verbose = true, .width = 100 }, "problems-verbose.txt");
	check_terminal(healthy, &(struct cv_style){ .verbose = true }, "healthy-verbose.txt");
}

static void test_report_check_colour_and_ascii(void **state)
{
	(void)state;
	check_terminal(problems, &(struct cv_style){ .colour = true }, "problems-colour.txt");
	check_terminal(hostile, &(struct cv_style){ .ascii = true }, "hostile-ascii.txt");
}

static void test_report_check_unknown_is_told(void **state)
{
	(void)state;
	check_terminal(unknown, &plain, "unknown.txt");
	check_json(unknown, "unknown.json");
}

static void test_report_check_equal_gpus_share_a_row(void **state)
{
	(void)state;
	check_terminal(many_gpus, &plain, "many-gpus.txt");
}

static void test_report_check_hostile_texts_are_harmless(void **state)
{
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_buf out;

	(void)state;
	check_terminal(hostile, &plain, "hostile.txt");
	check_json(hostile, "hostile.json");
	cv_buf_init(&out, 1 << 20);
	assert_int_equal(cv_report_check_terminal(hostile(a), &head, &plain, &out), 0);
	for (size_t i = 0; i < out.n; i++)
		assert_true((unsigned char)out.p[i] >= 0x20 || out.p[i] == '\n');
	cv_buf_release(&out);
	cv_arena_free(a);
}

/* Colour adds nothing but colour: without the escape sequences the text is the plain one. */
static void test_report_check_colour_carries_no_meaning(void **state)
{
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_buf coloured, bare, stripped;

	(void)state;
	cv_buf_init(&coloured, 1 << 20);
	cv_buf_init(&bare, 1 << 20);
	cv_buf_init(&stripped, 1 << 20);
	assert_int_equal(cv_report_check_terminal(problems(a), &head, &(struct cv_style){ .colour = true }, &coloured), 0);
	assert_int_equal(cv_report_check_terminal(problems(a), &head, &plain, &bare), 0);
	for (size_t i = 0; i < coloured.n; i++) {
		if (coloured.p[i] == '\033')
			while (coloured.p[i] != 'm')
				i++;
		else
			cv_buf_putc(&stripped, coloured.p[i]);
	}
	assert_string_equal(cv_buf_str(&stripped), cv_buf_str(&bare));
	assert_int_not_equal(coloured.n, bare.n);
	cv_buf_release(&coloured);
	cv_buf_release(&bare);
	cv_buf_release(&stripped);
	cv_arena_free(a);
}

/* Nothing but commands, paths and words that cannot be broken goes over the edge. */
static void test_report_check_lines_fit(void **state)
{
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_buf out;
	struct cv_str rest, line;

	(void)state;
	cv_buf_init(&out, 1 << 20);
	assert_int_equal(cv_report_check_terminal(problems(a), &head, &plain, &out), 0);
	rest = cv_str_of(cv_buf_str(&out));
	while (cv_str_line(&rest, &line, NULL))
		if (cv_text_width_n(line.p, line.n) > 80 && cv_str_find(line, "$ ") < 0 && cv_str_find(line, "site-packages") < 0)
			fail_msg("too wide: %.*s", CV_STR_ARG(line));
	cv_buf_release(&out);
	cv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_report_check_healthy),
		cmocka_unit_test(test_report_check_problems_are_ranked),
		cmocka_unit_test(test_report_check_verbose_lists_the_rest),
		cmocka_unit_test(test_report_check_colour_and_ascii),
		cmocka_unit_test(test_report_check_unknown_is_told),
		cmocka_unit_test(test_report_check_equal_gpus_share_a_row),
		cmocka_unit_test(test_report_check_hostile_texts_are_harmless),
		cmocka_unit_test(test_report_check_colour_carries_no_meaning),
		cmocka_unit_test(test_report_check_lines_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
