/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU code of cuDNN beside that of the framework. */
#include "judge_box.h"

#define TORCH_LIB SITE "/torch/lib/gpu.so"
#define TORCH_SETS "395 sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"
#define OLD_CUDNN "20 sm_50 sm_60 sm_61 sm_70 sm_80 sm_90a sm_100 sm_120 compute_120@8.7"
#define NEW_CUDNN "20 sm_75 sm_80 sm_86 sm_90a sm_100f sm_120f sm_121 compute_121@8.8"

static const char *const parts[] = { "libcudnn_ops.so.9", "libcudnn_cnn.so.9", "libcudnn_adv.so.9" };

static void cudnn(struct box *b, const char *version, const char *sets)
{
	box_env_lib(b, "libcudnn.so.9", version);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const char *path = box_env_lib(b, parts[i], version);

		if (sets)
			box_list(b, CV_KIND_code, path, CV_F_code_sets, sets);
	}
}

static void torch(struct box *b)
{
	box_list(b, CV_KIND_code, TORCH_LIB, CV_F_code_sets, TORCH_SETS);
	box_torch(b, "2.9.1+cu128", "12.8");
}

static struct box machine(const char *gpu, const char *version, const char *sets)
{
	struct box b;

	box_new(&b);
	box_gpu(&b, gpu);
	cudnn(&b, version, sets);
	box_package(&b, "nvidia-cudnn-cu12", version);
	torch(&b);
	return b;
}

static void test_judge_cudnn_dropped_volta(void **state)
{
	struct box b = machine("1db1", "9.17.1", NEW_CUDNN);
	const struct cv_finding *f;

	(void)state;
	box_judge(&b);
	f = box_expect(&b, "cudnn-dropped-gpu", CV_ERROR, CV_PRIMARY);
	assert_string_equal(f->rule->parent, "gpu-too-old-for-build");
	assert_string_equal(box_param(f, "sm"), "7.0");
	assert_string_equal(box_param(f, "cudnn"), "9.17.1");
	assert_string_equal(box_param(f, "found"), "sm_75");
	box_expect_text(f->title, "cuDNN 9.17.1 has no code for");
	box_expect_text(box_fixes(&b, f), "\"nvidia-cudnn-cu12==9.10.2.21\"");
	assert_true(f->evidence.n >= 4); /* equal ones once: the code, the version, the GPU and its row */
	box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_PARTIAL, CV_VERDICT_PROBLEM);
	box_expect_ruled_out(&b, "gpu-too-old-for-build");
	box_expect_ruled_out(&b, "cudnn-older-than-gpu");
	box_free(&b);
}

static void test_judge_cudnn_healthy(void **state)
{
	static const struct {
		const char *gpu, *version, *sets;
	} pairs[] = {
		{ "1db1", "9.10.2", OLD_CUDNN }, { "1eb8", "9.17.1", NEW_CUDNN }, { "2684", "9.17.1", NEW_CUDNN },
		{ "2330", "9.17.1", NEW_CUDNN }, { "2901", "9.17.1", NEW_CUDNN }, { "2b85", "9.10.2", OLD_CUDNN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct box b = machine(pairs[i].gpu, pairs[i].version, pairs[i].sets);

		box_judge(&b);
		box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_NATIVE, CV_VERDICT_OK);
		box_expect_ruled_out(&b, "cudnn-dropped-gpu");
		box_expect_ruled_out(&b, "cudnn-older-than-gpu");
		box_free(&b);
	}
}

/* One part of three is enough to fail, and a stray cubin does not save it. */
static void test_judge_cudnn_one_part(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	box_gpu(&b, "1db1");
	box_list(&b, CV_KIND_code, box_env_lib(&b, "libcudnn_cnn.so.9", "9.17.1"), CV_F_code_sets, "300 sm_75 sm_80|3 sm_70");
	cudnn(&b, "9.17.1", OLD_CUDNN);
	torch(&b);
	box_judge(&b);
	f = box_expect(&b, "cudnn-dropped-gpu", CV_ERROR, CV_PRIMARY);
	assert_string_equal(f->subject_name, "libcudnn_cnn.so.9");
	assert_string_equal(box_param(f, "soname"), "libcudnn_cnn.so.9");
	assert_string_equal(box_cell(&b, "0|torch|0")->key, f->cells.v[0]);
	box_free(&b);
}

/* An old cuDNN without PTX under a build for a newer GPU; with PTX the driver compiles it. */
static void test_judge_cudnn_older_than_gpu(void **state)
{
	struct box b = machine("2b85", "9.1.0", "20 sm_70 sm_80 sm_90");

	(void)state;
	box_judge(&b);
	box_expect(&b, "cudnn-older-than-gpu", CV_ERROR, CV_PRIMARY);
	box_expect_ruled_out(&b, "cudnn-dropped-gpu");
	box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_PARTIAL, CV_VERDICT_PROBLEM);
	box_free(&b);

	b = machine("2b85", "9.1.0", "20 sm_70 sm_80 sm_90 compute_90@8.4");
	box_judge(&b);
	box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_PTX_JIT, CV_VERDICT_OK);
	box_free(&b);
}

/* Where the framework itself has no code, that is the finding. */
static void test_judge_cudnn_not_the_cause(void **state)
{
	struct box b = machine("1b06", "9.17.1", NEW_CUDNN);

	(void)state;
	box_judge(&b);
	box_expect(&b, "gpu-too-old-for-build", CV_ERROR, CV_PRIMARY);
	assert_null(box_find(&b, "cudnn-dropped-gpu"));
	box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_NONE, CV_VERDICT_PROBLEM);
	box_free(&b);
}

/* A mixed box: one finding, for the GPU that it is about, hitting every workload that shares the copy. */
static void test_judge_cudnn_mixed_box(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	box_gpu(&b, "1db1");
	box_gpu(&b, "2330");
	cudnn(&b, "9.17.1", NEW_CUDNN);
	torch(&b);
	box_list(&b, CV_KIND_code, SITE "/onnxruntime/lib/gpu.so", CV_F_code_sets, "80 sm_60 sm_70 sm_75 sm_80 sm_90a compute_90@8.7");
	box_ort(&b, "1.26.0", "12.8");
	box_list(&b, CV_KIND_framework, ENV "|onnxruntime", CV_F_framework_gpu_needed, "libcudart.so.12|libcudnn.so.9");
	box_judge(&b);
	f = box_expect(&b, "cudnn-dropped-gpu", CV_ERROR, CV_PRIMARY);
	assert_int_equal(f->cells.n, 2);
	box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_PARTIAL, CV_VERDICT_PROBLEM);
	box_expect_cell(&b, "0|onnxruntime:cuda|0", CV_TRI_OK, CV_CODE_PARTIAL, CV_VERDICT_PROBLEM);
	box_expect_cell(&b, "0|torch|1", CV_TRI_OK, CV_CODE_NATIVE, CV_VERDICT_OK);
	box_free(&b);
}

/* What may not be read is not guessed; what nobody looked at says nothing against the cell. */
static void test_judge_cudnn_not_known(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	box_state(&b, CV_KIND_code, box_env_lib(&b, "libcudnn_ops.so.9", "9.17.1"), CV_F_code_sets, CV_DENIED);
	cudnn(&b, "9.17.1", NEW_CUDNN);
	torch(&b);
	box_judge(&b);
	box_expect_open(&b, "cudnn-dropped-gpu");
	box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_UNKNOWN, CV_VERDICT_CANNOT_TELL);
	box_free(&b);

	b = machine("1db1", "9.17.1", NULL);
	box_judge(&b);
	box_expect_open(&b, "cudnn-dropped-gpu");
	box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_NATIVE, CV_VERDICT_OK);
	box_free(&b);
}

/* Parts that lie elsewhere are another copy's. */
static void test_judge_cudnn_another_copy(void **state)
{
	struct box b;
	static const char *const path = SITE "/other/libcudnn_ops.so.9";

	(void)state;
	box_new(&b);
	box_gpu(&b, "1db1");
	box_str(&b, CV_KIND_lib, path, CV_F_lib_family, "cudnn_ops");
	box_str(&b, CV_KIND_lib, path, CV_F_lib_soname, "libcudnn_ops.so.9");
	box_str(&b, CV_KIND_lib, path, CV_F_lib_env, ENV);
	box_list(&b, CV_KIND_code, path, CV_F_code_sets, NEW_CUDNN);
	cudnn(&b, "9.10.2", OLD_CUDNN);
	torch(&b);
	box_judge(&b);
	box_expect_ruled_out(&b, "cudnn-dropped-gpu");
	box_free(&b);
}

/* The loader takes an older copy from LD_LIBRARY_PATH: that one counts, whatever lies in the environment. */
static void test_judge_cudnn_the_copy_that_is_loaded(void **state)
{
	static const char *const names[] = { "libcudnn.so.9", "libcudnn_ops.so.9", "libcudnn_cnn.so.9", "libcudnn_adv.so.9" };

	(void)state;
	for (int old = 0; old < 2; old++) {
		struct box b = machine("1db1", old ? "9.17.1" : "9.10.2", old ? NEW_CUDNN : OLD_CUDNN);

		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			const char *path = cv_arena_printf(b.a, "/opt/cudnn/lib/%s", names[i]);

			box_str(&b, CV_KIND_lib, path, CV_F_lib_family, "cudnn");
			box_str(&b, CV_KIND_lib, path, CV_F_lib_soname, names[i]);
			box_str(&b, CV_KIND_lib, path, CV_F_lib_version, old ? "9.10.2" : "9.17.1");
			box_list(&b, CV_KIND_lib, path, CV_F_lib_names, path);
			box_list(&b, CV_KIND_code, path, CV_F_code_sets, old ? OLD_CUDNN : NEW_CUDNN);
		}
		box_var(&b, "LD_LIBRARY_PATH", "/opt/cudnn/lib");
		box_str(&b, CV_KIND_scenario, ENV "|torch:cuda", CV_F_scenario_outcome, "done");
		box_str(&b, CV_KIND_load, ENV "|torch:cuda|0001", CV_F_load_scenario, ENV "|torch:cuda");
		box_str(&b, CV_KIND_load, ENV "|torch:cuda|0001", CV_F_load_soname, "libcudnn.so.9");
		box_str(&b, CV_KIND_load, ENV "|torch:cuda|0001", CV_F_load_path, "/opt/cudnn/lib/libcudnn.so.9");
		box_judge(&b);
		assert_int_equal(box_find(&b, "cudnn-dropped-gpu") != NULL, !old);
		assert_int_equal(box_cell(&b, "0|torch|0")->code, old ? CV_CODE_NATIVE : CV_CODE_PARTIAL);
		if (!old) /* no wheel of the environment is to blame */
			box_expect_text(box_fixes(&b, box_find(&b, "cudnn-dropped-gpu")), "take /opt/cudnn/lib out of the loader's path");
		box_free(&b);
	}
}

/* Only the package is known: kb has the code of its release. */
static void test_judge_cudnn_by_package(void **state)
{
	static const struct {
		const char *version;
		bool bad;
	} wheels[] = { { "9.11.0.98", true }, { "9.10.2.21", false }, { "9.17.1.4", true }, { "9.28.0.10", true } };

	(void)state;
	for (size_t i = 0; i < sizeof(wheels) / sizeof(wheels[0]); i++) {
		struct box b;

		box_new(&b);
		box_gpu(&b, "1db1");
		box_num(&b, CV_KIND_env, ENV, CV_F_env_selected, 0);
		box_package(&b, "nvidia-cudnn-cu12", wheels[i].version);
		box_list(&b, CV_KIND_framework, ENV "|torch", CV_F_framework_gpu_needed, "libcudnn.so.9");
		box_framework(&b, "torch", "torch", "2.9.1+cu128", "12.8");
		box_package(&b, "torch", "2.9.1+cu128");
		box_judge(&b);
		assert_int_equal(box_find(&b, "cudnn-dropped-gpu") != NULL, wheels[i].bad);
		if (!wheels[i].bad)
			box_expect_ruled_out(&b, "cudnn-dropped-gpu");
		box_free(&b);
	}
}

/* What installs ONNX Runtime's libraries would bring the newest cuDNN: not where it has no code for a GPU here. */
static void test_judge_cudnn_is_pinned_in_other_fixes(void **state)
{
	static const struct {
		const char *gpu;
		bool pinned;
	} machines[] = { { "1db1", true }, { "1b06", true }, { "1eb8", false }, { "2330", false }, { "2b85", false } };

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct box b;
		const char *fixes;

		box_new(&b);
		box_gpu(&b, machines[i].gpu);
		box_ort(&b, "1.26.0", "12.8");
		box_list(&b, CV_KIND_framework, ENV "|onnxruntime", CV_F_framework_gpu_needed, "libcudart.so.12|libcudnn.so.9");
		box_judge(&b);
		fixes = box_fixes(&b, box_expect(&b, "library-missing", CV_ERROR, CV_PRIMARY));
		box_expect_text(fixes, "onnxruntime-gpu[cuda,cudnn]==1.26.0");
		assert_int_equal(strstr(fixes, "\"nvidia-cudnn-cu12==9.10.2.21\"") != NULL, machines[i].pinned);
		box_free(&b);
	}
}

/* No release that other packages allow has the code: then the framework is what has to change. */
static void test_judge_cudnn_fix_obeys_pins(void **state)
{
	struct box b = machine("1db1", "9.17.1", NEW_CUDNN);
	const struct cv_finding *f;

	(void)state;
	box_list(&b, CV_KIND_package, box_package(&b, "tool", "1.0"), CV_F_package_requires, "nvidia-cudnn-cu12>=9.11");
	box_judge(&b);
	f = box_expect(&b, "cudnn-dropped-gpu", CV_ERROR, CV_PRIMARY);
	assert_null(strstr(box_fixes(&b, f), "nvidia-cudnn-cu12=="));
	assert_true(f->fixes.n > 0);
	box_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judge_cudnn_dropped_volta),
		cmocka_unit_test(test_judge_cudnn_healthy),
		cmocka_unit_test(test_judge_cudnn_one_part),
		cmocka_unit_test(test_judge_cudnn_older_than_gpu),
		cmocka_unit_test(test_judge_cudnn_not_the_cause),
		cmocka_unit_test(test_judge_cudnn_mixed_box),
		cmocka_unit_test(test_judge_cudnn_not_known),
		cmocka_unit_test(test_judge_cudnn_another_copy),
		cmocka_unit_test(test_judge_cudnn_the_copy_that_is_loaded),
		cmocka_unit_test(test_judge_cudnn_by_package),
		cmocka_unit_test(test_judge_cudnn_is_pinned_in_other_fixes),
		cmocka_unit_test(test_judge_cudnn_fix_obeys_pins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
