/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about facts that tools in use answer wrongly (the list of the project, rows H5 to H30): the knowledge base must be
 * right, and each row must rest on a source of the right kind. Other values of the same kinds are asked too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kb/query.h"

struct fact {
	const char *subject, *version, *property, *value;
	const char *source; /* key in kb/SOURCES, or the beginning of one */
};

static void check_row(const struct fact *f, const struct cv_kb_row *row, bool same)
{
	struct cv_kb_source source;

	if (!same)
		fail_msg("%s of %s %s is '%s', not '%s'", f->property, f->subject, f->version, row->value, f->value);
	if (strncmp(row->source, f->source, strlen(f->source)) != 0)
		fail_msg("%s of %s %s rests on %s, not on %s", f->property, f->subject, f->version, row->source, f->source);
	assert_true(cv_kb_source(cv_kb_builtin(), row->source, &source));
	assert_true(source.title[0] && source.date[0]);
}

static void check_facts(const struct fact *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct cv_kb_row row;

		if (!cv_kb_get(cv_kb_builtin(), f[i].subject, f[i].version, f[i].property, &row))
			fail_msg("no %s of %s %s", f[i].property, f[i].subject, f[i].version);
		check_row(&f[i], &row, strcmp(row.value, f[i].value) == 0);
	}
}
#define CHECK(...)                                                      \
	do {                                                            \
		static const struct fact facts[] = { __VA_ARGS__ };     \
		check_facts(facts, sizeof(facts) / sizeof(*facts));     \
	} while (0)

static bool has(const char *subject, const char *version, const char *property, const char *word)
{
	const char *value = cv_kb_value(cv_kb_builtin(), subject, version, property);

	if (!value)
		fail_msg("no %s of %s %s", property, subject, version);
	return cv_kb_has_word(value, word);
}

/* H2: floors of minor-version compatibility. */
static void test_kb_headtohead_h2_floors(void **state)
{
	(void)state;
	CHECK({ "cuda", "11.8", "floor_driver", "450.80.02", "nvidia_" },
	      { "cuda", "12.8", "floor_driver", "525.60.13", "nvidia_cudnn_951_matrix" },
	      { "cuda", "12.0", "floor_driver", "525.60.13", "nvidia_" },
	      { "cuda", "13.2", "floor_driver", "580.65.06", "nvidia_cudnn_917_matrix" });
}

/* H3, H4: what the wheels hold. */
static void test_kb_headtohead_h3_h4_code(void **state)
{
	(void)state;
	assert_false(has("torch", "2.9.0", "code:cu128", "sm_60"));
	assert_true(has("torch", "2.9.0", "code:cu128", "sm_70"));
	assert_false(has("torch", "2.11.0", "code:cu128", "sm_70"));
	assert_true(has("torch", "2.10.0", "code:cu128", "sm_70"));
	assert_false(has("torch", "2.6.0", "code:cu124", "sm_120"));
}

/* H5: highest CUDA of a driver branch. */
static void test_kb_headtohead_h5_branches(void **state)
{
	(void)state;
	CHECK({ "driver", "595.45.04", "cuda", "13.2", "nvidia_" }, { "driver", "565.57.01", "cuda", "12.7", "nvidia_ptx_isa_history" },
	      { "driver", "495.29.05", "cuda", "11.5", "nvidia_" }, { "driver", "440.33.01", "cuda", "10.2", "nvidia_" },
	      { "driver", "610.43.02", "cuda", "13.3", "nvidia_" }, { "driver", "460.106.00", "cuda", "11.2", "nvidia_" },
	      { "driver", "555.42.06", "cuda", "12.5", "nvidia_" }, { "driver", "590.44.01", "cuda", "13.1", "nvidia_" });
}

/* H7: what a toolkit was released with, which is no floor. */
static void test_kb_headtohead_h7_full_drivers(void **state)
{
	(void)state;
	CHECK({ "cuda", "12.6", "toolkit_driver", "560.28.03", "nvidia_" }, { "cuda", "12.8", "toolkit_driver", "570.26", "nvidia_" },
	      { "cuda", "12.9", "toolkit_driver", "575.51.03", "nvidia_" }, { "cuda", "13.1", "toolkit_driver", "590.44.01", "" },
	      { "cuda", "13.2", "toolkit_driver", "595.45.04", "" }, { "cuda", "11.8", "toolkit_driver", "520.61.05", "nvidia_" },
	      { "cuda", "11.4", "toolkit_driver", "470.42.01", "nvidia_" });
}

/* H8, H10: builds of the vendor's index. */
static void test_kb_headtohead_h8_h10_builds(void **state)
{
	(void)state;
	assert_true(has("torch", "2.13.0", "variants", "cu129"));
	assert_true(has("torch", "2.12.1", "variants", "cu129"));
	assert_false(has("torch", "2.12.0", "variants", "cu129"));
	assert_false(has("torch", "2.14.0", "variants", "cu129"));
	assert_true(has("torch", "2.11.0", "variants", "cu128"));
	assert_false(has("torch", "2.12.1", "variants", "cu128"));
	assert_false(has("torch", "2.13.0", "code:cu126", "sm_100"));
	assert_true(has("torch", "2.13.0", "code:cu130", "sm_100"));
}

/* H9, H11: oldest and newest driver of a GPU. */
static void test_kb_headtohead_h9_h11_drivers(void **state)
{
	(void)state;
	CHECK({ "cc", "12.0", "min_driver", "570", "" }, { "cc", "6.1", "last_driver", "580", "" }, { "cc", "7.0", "last_driver", "580", "" },
	      { "cc", "5.2", "last_driver", "580", "" }, { "cc", "3.5", "last_driver", "470", "" });
	assert_null(cv_kb_value(cv_kb_builtin(), "cc", "7.5", "last_driver"));
	assert_true(has("torch", "2.14.1", "code:cu126", "sm_60"));
	assert_true(has("torch", "2.14.1", "code:cu126", "sm_70"));
	assert_false(has("torch", "2.14.1", "code:cu130", "sm_70"));
}

/* H12, H13: flash-attn and glibc. */
static void test_kb_headtohead_h12_h13_floors(void **state)
{
	(void)state;
	CHECK({ "flash-attn", "2.8.3", "min_cc", "8.0", "flash_attn_repo" }, { "flash-attn", "2.5.8", "min_cc", "8.0", "flash_attn_repo" },
	      { "flash-attn", "2.8.2", "min_glibc", "2.32", "flash_attn_issue_1708" },
	      { "torch", "2.13.0", "min_glibc", "2.28", "" }, { "torch", "2.7.0", "min_glibc", "2.28", "" },
	      { "distro:debian", "11", "glibc", "2.31", "pep600_compliance" }, { "distro:ubuntu", "20.04", "glibc", "2.31", "pep600_compliance" },
	      { "bitsandbytes", "0.45.5", "min_glibc:cu128", "2.34", "artifact_bitsandbytes" },
	      { "manylinux", "2.28", "glibc", "2.28", "auditwheel_policy" });
}

/* H14: wheels for a Python, and from which release. */
static void test_kb_headtohead_h14_python(void **state)
{
	(void)state;
	assert_true(has("torch", "2.6.0", "python", "3.13"));
	assert_false(has("torch", "2.4.1", "python", "3.13"));
	assert_true(has("torch", "2.9.0", "python", "3.14"));
	assert_true(has("onnxruntime-gpu", "1.20.0", "python", "3.13"));
	assert_true(has("onnxruntime-gpu", "1.24.1", "python", "3.14"));
	CHECK({ "jax", "0.4.34", "python_first:3.13", "0.4.34", "jax_" });
}

/* H15: the CUDA of the index's wheels, and what 1.29 lost. */
static void test_kb_headtohead_h15_onnxruntime(void **state)
{
	(void)state;
	CHECK({ "onnxruntime-gpu", "1.18.1", "cuda", "11", "" }, { "onnxruntime-gpu", "1.19.2", "cuda", "12", "" },
	      { "onnxruntime-gpu", "1.26.0", "cuda", "12", "" }, { "onnxruntime-gpu", "1.27.0", "cuda", "13", "artifact_onnxruntime_gpu" },
	      { "onnxruntime-gpu", "1.31.1", "cuda", "13", "artifact_onnxruntime_gpu" });
	assert_false(has("onnxruntime-gpu", "1.29.0", "code", "sm_100"));
	assert_false(has("onnxruntime-gpu", "1.29.0", "code", "sm_100a"));
	assert_true(has("onnxruntime-gpu", "1.28.0", "code", "sm_100a"));
}

/* H16: TensorFlow by CUDA, the tested builds of its docs. */
static void test_kb_headtohead_h16_tensorflow(void **state)
{
	(void)state;
	CHECK({ "tensorflow", "2.1.0", "cuda", "10.1", "tensorflow_docs_source" }, { "tensorflow", "2.3.0", "cuda", "10.1", "tensorflow_docs_source" },
	      { "tensorflow", "2.4.0", "cuda", "11.0", "tensorflow_docs_source" }, { "tensorflow", "2.5.0", "cuda", "11.2", "tensorflow_docs_source" },
	      { "tensorflow", "2.11.0", "cuda", "11.2", "tensorflow_docs_source" }, { "tensorflow", "2.12.0", "cuda", "11.8", "tensorflow_docs_source" },
	      { "tensorflow", "2.14.0", "cuda", "11.8", "tensorflow_docs_source" }, { "tensorflow", "2.15.0", "cuda", "12.2", "tensorflow_docs_source" },
	      { "tensorflow", "2.16.1", "cuda", "12.3", "tensorflow_docs_source" }, { "tensorflow", "2.17.0", "cuda", "12.3", "tensorflow_docs_source" },
	      { "tensorflow", "2.18.0", "cuda", "12.5", "tensorflow_docs_source" }, { "tensorflow", "2.20.0", "cuda", "12.5", "tensorflow_docs_source" });
}

/* H18: what a tag holds. */
static void test_kb_headtohead_h18_images(void **state)
{
	(void)state;
	assert_true(has("image:pytorch/pytorch", "2.9.1", "cuda", "12.8"));
	CHECK({ "image:pytorch/pytorch", "2.9.1", "cudnn_tag", "cudnn9", "find_pytorch_image_tags" },
	      { "image:nvidia/cuda", "12.4.1", "cudnn", "9.1.0.70", "nvidia_cuda_images_copy" },
	      { "image:nvidia/cuda", "12.4.1", "require_cuda", "12.4", "nvidia_cuda_images_copy" });
	assert_true(has("image:nvidia/cuda", "12.4.0", "missing_tags", "12.4.0-cudnn8-devel-ubuntu22.04"));
}

/* H30: GPUs by name. */
static void test_kb_headtohead_h30_names(void **state)
{
	static const char *const gpus[][2] = { { "A100", "8.0" }, { "B200", "10.0" }, { "GB300", "10.3" }, { "RTX 2000 Ada", "8.9" },
					       { "RTX 2050", "8.6" }, { "GB10", "12.1" }, { "L40S", "8.9" }, { "A2", "8.6" } };
	struct cv_arena *a = cv_arena_new((size_t)16 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof(gpus) / sizeof(*gpus); i++) {
		struct cv_kb_gpu gpu;

		assert_int_equal(cv_kb_gpu_by_name(cv_kb_builtin(), gpus[i][0], a, NULL, &gpu), 0);
		assert_string_equal(gpu.cc, gpus[i][1]);
	}
	cv_arena_free(a);
}

/* H31: a question that is newer than the knowledge base is told so, with its date. */
static void test_kb_headtohead_h31_newer(void **state)
{
	static const char *const questions[][2] = { { "torch", "4.0" }, { "driver", "900.10" }, { "cuda", "20.1" }, { "cudnn", "12.0.0" },
						    { "nccl", "9.9" }, { "tensorrt", "99.1" }, { "vllm", "9.0" }, { "xid", "999" } };
	struct cv_arena *a = cv_arena_new((size_t)64 << 20);
	struct cv_diag d;

	(void)state;
	cv_diag_init(&d, a);
	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++) {
		const struct cv_kb_answer *ans = NULL;

		assert_int_equal(cv_kb_ask(cv_kb_builtin(), questions[i], 2, a, &d, &ans), 0);
		if (ans->found || ans->reach != CV_KB_NEWER || !ans->note || !strstr(ans->note, cv_kb_date(cv_kb_builtin())))
			fail_msg("%s %s is not told to be newer", questions[i][0], questions[i][1]);
	}
	cv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kb_headtohead_h2_floors),	      cmocka_unit_test(test_kb_headtohead_h3_h4_code),
		cmocka_unit_test(test_kb_headtohead_h5_branches),     cmocka_unit_test(test_kb_headtohead_h7_full_drivers),
		cmocka_unit_test(test_kb_headtohead_h8_h10_builds),   cmocka_unit_test(test_kb_headtohead_h9_h11_drivers),
		cmocka_unit_test(test_kb_headtohead_h12_h13_floors),  cmocka_unit_test(test_kb_headtohead_h14_python),
		cmocka_unit_test(test_kb_headtohead_h15_onnxruntime), cmocka_unit_test(test_kb_headtohead_h16_tensorflow),
		cmocka_unit_test(test_kb_headtohead_h18_images),      cmocka_unit_test(test_kb_headtohead_h30_names),
		cmocka_unit_test(test_kb_headtohead_h31_newer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
