/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pyworld.h"

#define VENV "/app/.venv"
#define SITE VENV "/lib/python3.11/site-packages"
#define CAPI SITE "/onnxruntime/capi"
#define STATE "onnxruntime/capi/onnxruntime_pybind11_state.cpython-311-x86_64-linux-gnu.so"

static int setup(void **state)
{
	static struct pyworld w;

	pyworld_init(&w);
	pyworld_venv(&w, VENV, "");
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	pyworld_done(*state);
	return 0;
}

static const struct cv_subject *framework(struct pyworld *w, const char *name)
{
	const struct cv_subject *s = cv_facts_find(w->facts, CV_KIND_framework, cv_arena_printf(w->a, VENV "|%s", name));

	if (!s)
		fail_msg("no framework %s", name);
	return s;
}

/* A distribution with a RECORD of the given rows. */
static void dist(struct pyworld *w, const char *name, const char *version, const char *record)
{
	char dir[PATH_MAX], text[256];

	snprintf(dir, sizeof(dir), SITE "/%s-%s.dist-info", name, version);
	snprintf(text, sizeof(text), "Name: %s\nVersion: %s\n\n", name, version);
	pyworld_file(w, dir, "METADATA", text);
	pyworld_file(w, dir, "RECORD", record);
}

static void test_py_frameworks_torch(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	dist(w, "torch", "2.9.0", "torch/__init__.py,,0\ntorch/lib/libtorch_cpu.so,,3\n");
	tmptree_file(&w->t, SITE "/torch/__init__.py", "");
	tmptree_file(&w->t, SITE "/torch/version.py", "__version__ = '2.9.0+cu128'\ncuda: Optional[str] = '12.8'\n"
			"hip: Optional[str] = None\n");
	tmptree_file(&w->t, SITE "/torch/lib/libtorch_cpu.so", "xxx");
	tmptree_file(&w->t, SITE "/torch/lib/libtorch_cuda.so", "not an ELF file");
	pyworld_run(w);
	s = framework(w, "torch");
	pyworld_text(s, CV_F_framework_path, SITE "/torch");
	pyworld_text(s, CV_F_framework_version, "2.9.0+cu128");
	pyworld_text(s, CV_F_framework_cuda, "12.8");
	assert_true(cv_fact_absent(s, CV_F_framework_hip));
	pyworld_text(s, CV_F_framework_package, "torch");
	pyworld_text(s, CV_F_framework_gpu_lib, SITE "/torch/lib/libtorch_cuda.so");
	assert_int_equal(cv_fact(s, CV_F_framework_gpu_needed)->state, CV_UNPARSED);
	pyworld_list(w, s, CV_F_framework_claimed_by, "torch");
	pyworld_list(w, s, CV_F_framework_native_of, "torch");
	assert_int_equal(cv_facts_count(w->facts, CV_KIND_framework), 1);
}

static void test_py_frameworks_torch_cpu(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	tmptree_file(&w->t, SITE "/torch/__init__.py", "");
	tmptree_file(&w->t, SITE "/torch/version.py", "__version__ = '2.9.0+cpu'\ncuda = None\n");
	pyworld_run(w);
	s = framework(w, "torch");
	assert_true(cv_fact_absent(s, CV_F_framework_cuda));
	assert_true(cv_fact_absent(s, CV_F_framework_gpu_lib));
	assert_int_equal(cv_fact(s, CV_F_framework_hip)->state, CV_UNPARSED);
	assert_int_equal(cv_fact(s, CV_F_framework_package)->state, CV_NOT_ASKED);
}

static void test_py_frameworks_version_unreadable(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	tmptree_file(&w->t, SITE "/torch/__init__.py", "");
	pyworld_run(w);
	s = framework(w, "torch");
	assert_int_equal(cv_fact(s, CV_F_framework_version)->state, CV_UNPARSED);
	assert_int_equal(cv_fact(s, CV_F_framework_cuda)->state, CV_UNPARSED); /* absent would be a claim about the build */
}

/* A directory without __init__ never wins; a package later on sys.path does. */
static void test_py_frameworks_leftover(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	tmptree_file(&w->t, SITE "/torch/lib/libtorch_cuda.so", "");
	tmptree_file(&w->t, SITE "/x.pth", "/src\n");
	tmptree_file(&w->t, "/src/torch/__init__.py", "");
	tmptree_file(&w->t, "/src/torch/version.py", "__version__ = '2.1.0a0'\ncuda = None\n");
	tmptree_file(&w->t, SITE "/onnxruntime/capi/libonnxruntime_providers_cuda.so", "");
	pyworld_run(w);
	s = framework(w, "torch");
	pyworld_text(s, CV_F_framework_path, "/src/torch");
	pyworld_list(w, s, CV_F_framework_leftover, SITE "/torch");
	s = framework(w, "onnxruntime");
	assert_true(cv_fact_absent(s, CV_F_framework_path));
	pyworld_list(w, s, CV_F_framework_leftover, SITE "/onnxruntime");
}

static void test_py_frameworks_editable(void **state)
{
	struct pyworld *w = *state;

	tmptree_file(&w->t, SITE "/__editable__.torch-2.8.pth", "import __editable___torch_finder; "
			"__editable___torch_finder.install()\n");
	tmptree_file(&w->t, SITE "/__editable___torch_finder.py",
		     "import sys\nMAPPING: dict[str, str] = {'torch': '/src/pytorch/torch', 'torchgen': "
				"'/src/pytorch/torchgen'}\n");
	tmptree_file(&w->t, "/src/pytorch/torch/__init__.py", "");
	tmptree_file(&w->t, "/src/pytorch/torch/version.py", "__version__ = '2.8.0a0+gitabc'\ncuda = '12.6'\n");
	pyworld_run(w);
	pyworld_text(framework(w, "torch"), CV_F_framework_path, "/src/pytorch/torch");
	pyworld_text(framework(w, "torch"), CV_F_framework_version, "2.8.0a0+gitabc");
}

/* Both onnxruntime packages; native is what the native module has in it, info ORT's own word. */
static void both_ort(struct pyworld *w, const char *native, const char *info)
{
	dist(w, "onnxruntime", "1.19.2", "onnxruntime/__init__.py,,\n" STATE ",,3\n");
	dist(w, "onnxruntime_gpu", "1.19.2", "onnxruntime/__init__.py,,\nonnxruntime/capi/build_and_package_info.py,,"
			"\n" STATE ",,7\n");
	tmptree_file(&w->t, SITE "/onnxruntime/__init__.py", "__version__ = \"1.19.2\"\n");
	tmptree_file(&w->t, CAPI "/build_and_package_info.py", info);
	tmptree_file(&w->t, SITE "/" STATE, native);
	tmptree_file(&w->t, CAPI "/libonnxruntime_providers_cuda.so", "");
}

#define GPU_INFO "package_name = 'onnxruntime-gpu'\n__version__ = '1.19.2'\ncuda_version = '12.2'\n"

static void test_py_frameworks_ort_gpu_last(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	both_ort(w, "7 bytes", GPU_INFO);
	pyworld_run(w);
	s = framework(w, "onnxruntime");
	pyworld_text(s, CV_F_framework_package, "onnxruntime-gpu");
	pyworld_text(s, CV_F_framework_cuda, "12.2");
	pyworld_list(w, s, CV_F_framework_claimed_by, "onnxruntime onnxruntime-gpu");
	pyworld_list(w, s, CV_F_framework_native_of, "onnxruntime-gpu");
}

static void test_py_frameworks_ort_cpu_last(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	both_ort(w, "cpu", "package_name = 'onnxruntime'\n__version__ = '1.19.2'\n");
	pyworld_run(w);
	s = framework(w, "onnxruntime");
	pyworld_text(s, CV_F_framework_package, "onnxruntime");
	assert_true(cv_fact_absent(s, CV_F_framework_cuda));
	pyworld_text(s, CV_F_framework_gpu_lib, CAPI "/libonnxruntime_providers_cuda.so");
	pyworld_list(w, s, CV_F_framework_native_of, "onnxruntime");
}

/* An old CPU wheel has no build information: the GPU wheel's is left behind and must not be believed. */
static void test_py_frameworks_ort_stale_word(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	both_ort(w, "cpu", GPU_INFO);
	pyworld_run(w);
	s = framework(w, "onnxruntime");
	pyworld_text(s, CV_F_framework_package, "onnxruntime");
	assert_string_equal(cv_fact(s, CV_F_framework_package)->next->str, "onnxruntime-gpu");
	assert_true(cv_fact_absent(s, CV_F_framework_cuda));
	pyworld_text(s, CV_F_framework_version, "1.19.2");
}

/* Neither RECORD fits (a build of one's own): ORT's own word is the best there is. */
static void test_py_frameworks_ort_own_build(void **state)
{
	struct pyworld *w = *state;

	both_ort(w, "some other size", GPU_INFO);
	pyworld_run(w);
	pyworld_text(framework(w, "onnxruntime"), CV_F_framework_package, "onnxruntime-gpu");
	pyworld_list(w, framework(w, "onnxruntime"), CV_F_framework_native_of, "");
}

static void test_py_frameworks_ort_old(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	tmptree_file(&w->t, SITE "/onnxruntime/__init__.py", "__version__ = '1.8.1'\n");
	tmptree_file(&w->t, CAPI "/libonnxruntime_providers_cuda.so", "");
	tmptree_file(&w->t, CAPI "/version_info.py", "use_cuda = True\ncuda_version = \"11.0\"\n");
	pyworld_run(w);
	s = framework(w, "onnxruntime");
	pyworld_text(s, CV_F_framework_package, "onnxruntime-gpu");
	pyworld_text(s, CV_F_framework_cuda, "11.0");
}

static void test_py_frameworks_tensorflow(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	dist(w, "tensorflow", "2.18.0", "tensorflow/__init__.py,,\n");
	tmptree_file(&w->t, SITE "/tensorflow/__init__.py", "");
	tmptree_file(&w->t, SITE "/tensorflow/python/platform/build_info.py",
		     "import collections\nbuild_info = collections.OrderedDict([('cuda_version', '12.5.1'), "
				"('cudnn_version', '9'), "
		     "('is_cuda_build', True)])\n");
	tmptree_file(&w->t, SITE "/tensorflow/include/tensorflow/core/public/version.h",
		     "#define TF_MAJOR_VERSION 2\n#define TF_MINOR_VERSION 18\n#define TF_PATCH_VERSION 0\n");
	tmptree_file(&w->t, SITE "/tensorflow/libtensorflow_cc.so.2", "");
	pyworld_run(w);
	s = framework(w, "tensorflow");
	pyworld_text(s, CV_F_framework_version, "2.18.0");
	pyworld_text(s, CV_F_framework_cuda, "12.5.1");
	pyworld_text(s, CV_F_framework_cudnn, "9");
	pyworld_text(s, CV_F_framework_package, "tensorflow");
	pyworld_text(s, CV_F_framework_gpu_lib, SITE "/tensorflow/libtensorflow_cc.so.2");
}

static void test_py_frameworks_tensorflow_cpu(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	dist(w, "tensorflow_cpu", "2.18.0", "tensorflow/__init__.py,,\n");
	tmptree_file(&w->t, SITE "/tensorflow/__init__.py", "");
	tmptree_file(&w->t, SITE "/tensorflow/python/platform/build_info.py", "build_info = {'is_cuda_build': False}\n");
	tmptree_file(&w->t, SITE "/tensorflow/libtensorflow_cc.so.2", "");
	pyworld_run(w);
	s = framework(w, "tensorflow");
	assert_true(cv_fact_absent(s, CV_F_framework_cuda));
	assert_true(cv_fact_absent(s, CV_F_framework_gpu_lib));
	pyworld_text(s, CV_F_framework_version, "2.18.0");
	pyworld_text(s, CV_F_framework_package, "tensorflow-cpu");
}

#define JAX_VERSION "_version = '0.10.2'\n_release_version: str = '0.10.2.post1'\ndef f():\n  return 1\n__version__ = f()\n"

static void test_py_frameworks_jax(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	dist(w, "jax", "0.10.2", "jax/__init__.py,,\n");
	tmptree_file(&w->t, SITE "/jax/__init__.py", "");
	tmptree_file(&w->t, SITE "/jax/version.py", JAX_VERSION);
	tmptree_file(&w->t, SITE "/jax_plugins/xla_cuda12/xla_cuda_plugin.so", "");
	pyworld_run(w);
	s = framework(w, "jax");
	pyworld_text(s, CV_F_framework_version, "0.10.2.post1");
	pyworld_text(s, CV_F_framework_cuda, "12");
	pyworld_text(s, CV_F_framework_gpu_lib, SITE "/jax_plugins/xla_cuda12/xla_cuda_plugin.so");
	pyworld_text(s, CV_F_framework_package, "jax");
}

static void test_py_frameworks_jax_cpu(void **state)
{
	struct pyworld *w = *state;

	tmptree_file(&w->t, SITE "/jax/__init__.py", "");
	tmptree_file(&w->t, SITE "/jax/version.py", "_version = '0.4.30'\n__version__ = g()\n");
	pyworld_run(w);
	pyworld_text(framework(w, "jax"), CV_F_framework_version, "0.4.30");
	assert_true(cv_fact_absent(framework(w, "jax"), CV_F_framework_cuda));
	assert_true(cv_fact_absent(framework(w, "jax"), CV_F_framework_gpu_lib));
}

static void test_py_frameworks_cupy(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	dist(w, "cupy_cuda112", "10.6.0", "cupy/__init__.py,,\n");
	tmptree_file(&w->t, SITE "/cupy/__init__.py", "");
	tmptree_file(&w->t, SITE "/cupy/_version.py", "__version__ = '10.6.0'\n");
	tmptree_file(&w->t, SITE "/cupy/.data/_wheel.json", "{\"cuda\": \"11.2\"}");
	tmptree_file(&w->t, SITE "/cupy_backends/cuda/libs/cublas.cpython-311-x86_64-linux-gnu.so", "");
	pyworld_run(w);
	s = framework(w, "cupy");
	pyworld_text(s, CV_F_framework_package, "cupy-cuda112");
	pyworld_text(s, CV_F_framework_cuda, "11.2");
	assert_null(cv_fact(s, CV_F_framework_cuda)->next);
	pyworld_text(s, CV_F_framework_gpu_lib, SITE "/cupy_backends/cuda/libs/cublas.cpython-311-x86_64-linux-gnu.so");
}

/* The distribution is recorded, its directory is gone. */
static void test_py_frameworks_gone(void **state)
{
	struct pyworld *w = *state;

	dist(w, "torch", "2.9.0", "torch/__init__.py,,0\n");
	pyworld_run(w);
	assert_true(cv_fact_absent(framework(w, "torch"), CV_F_framework_path));
	pyworld_list(w, framework(w, "torch"), CV_F_framework_claimed_by, "torch");
}

/* A directory of that name whose inside may not be seen: denied, neither there nor absent. */
static void test_py_frameworks_closed(void **state)
{
	struct pyworld *w = *state;

	tmptree_file(&w->t, SITE "/x.pth", "/src\n");
	tmptree_file(&w->t, "/src/torch/__init__.py", "");
	tmptree_file(&w->t, "/src/torch/version.py", "__version__ = '2.9.0'\n");
	w->closed = "/src/torch";
	pyworld_run(w);
	assert_int_equal(cv_facts_count(w->facts, CV_KIND_framework), 1);
	assert_int_equal(cv_fact(framework(w, "torch"), CV_F_framework_path)->state, CV_DENIED);
	assert_int_equal(cv_fact(framework(w, "torch"), CV_F_framework_cuda)->state, CV_NOT_ASKED);
}

/* A closed directory earlier on sys.path may hide what lies behind it: nothing is claimed. */
static void test_py_frameworks_behind_closed(void **state)
{
	struct pyworld *w = *state;

	tmptree_file(&w->t, SITE "/x.pth", "/src\n");
	tmptree_file(&w->t, "/src/torch/__init__.py", "");
	w->closed = SITE;
	pyworld_run(w);
	assert_int_equal(cv_facts_count(w->facts, CV_KIND_framework), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_py_frameworks_torch),		 TEST(test_py_frameworks_torch_cpu),
		TEST(test_py_frameworks_version_unreadable), TEST(test_py_frameworks_leftover),
		TEST(test_py_frameworks_editable),	 TEST(test_py_frameworks_ort_gpu_last),
		TEST(test_py_frameworks_ort_cpu_last),	 TEST(test_py_frameworks_ort_stale_word),
		TEST(test_py_frameworks_ort_own_build),	 TEST(test_py_frameworks_ort_old),
		TEST(test_py_frameworks_tensorflow),	 TEST(test_py_frameworks_tensorflow_cpu),
		TEST(test_py_frameworks_jax),		 TEST(test_py_frameworks_jax_cpu),
		TEST(test_py_frameworks_cupy),		 TEST(test_py_frameworks_gone),
		TEST(test_py_frameworks_closed),	 TEST(test_py_frameworks_behind_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
