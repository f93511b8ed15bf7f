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
#define TORCH SITE "/torch-2.9.0.dist-info"

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

static const struct cv_subject *package(struct pyworld *w, const char *key)
{
	const struct cv_subject *s = cv_facts_find(w->facts, CV_KIND_package, key);

	if (!s)
		fail_msg("no package %s", key);
	return s;
}

static void torch(struct pyworld *w)
{
	tmptree_file(&w->t, TORCH "/METADATA",
		     "Metadata-Version: 2.1\nName: torch\nVersion: 2.9.0+cu128\nRequires-Python: >=3.10\n"
		     "Requires-Dist: nvidia-cudnn-cu12==9.10.2.21; platform_system == \"Linux\"\nRequires-Dist: filelock\n"
		     "Requires-Dist: triton==3.5.0; platform_machine == \"x86_64\"\nRequires-Dist: numpy; "
				"sys_platform == \"win32\"\n\nbody\n");
	tmptree_file(&w->t, TORCH "/WHEEL", "Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_28_x86_64\n\n");
	tmptree_file(&w->t, TORCH "/INSTALLER", "uv\n");
	tmptree_file(&w->t, TORCH "/RECORD",
		     "../../../bin/torchrun,sha256=x,5\nfunctorch/__init__.py,,1\ntorch/__init__.py,,2\n"
				"torch/__pycache__/__init__.cpython-311.pyc,,\n"
		     "torch/lib/libtorch.so,,3\ntorch/lib/libx.so.9,,3\ntorch/nn/deep/a.py,,1\nisympy.py,,1\n"
				"torch-2.9.0.dist-info/RECORD,,\n");
	tmptree_file(&w->t, SITE "/functorch/__init__.py", "x");
	tmptree_file(&w->t, SITE "/torch/__init__.py", "xx");
	tmptree_file(&w->t, SITE "/torch/lib/libtorch.so", "xxx");
	tmptree_file(&w->t, SITE "/torch/lib/libx.so.9", "xxx");
	tmptree_file(&w->t, SITE "/torch/nn/deep/a.py", "x");
	tmptree_file(&w->t, SITE "/isympy.py", "x");
}

static void test_py_packages_whole(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	torch(w);
	tmptree_dir(&w->t, SITE "/filelock-3.0.dist-info");
	tmptree_dir(&w->t, SITE "/~orch");
	pyworld_run(w);
	s = package(w, TORCH);
	pyworld_text(s, CV_F_package_env, VENV);
	pyworld_text(s, CV_F_package_path, TORCH);
	pyworld_text(s, CV_F_package_name, "torch");
	pyworld_text(s, CV_F_package_version, "2.9.0+cu128");
	assert_int_equal(cv_fact(s, CV_F_package_version)->prov.line, 3);
	assert_string_equal(cv_fact(s, CV_F_package_version)->next->str, "2.9.0"); /* what the directory says */
	pyworld_text(s, CV_F_package_build, "cu128");
	pyworld_text(s, CV_F_package_installer, "uv");
	pyworld_text(s, CV_F_package_source, "dist-info");
	pyworld_list(w, s, CV_F_package_tags, "cp311-cp311-manylinux_2_28_x86_64");
	/* Linux holds; the machine is not known here; Windows does not hold; filelock is none of the stack. */
	pyworld_list(w, s, CV_F_package_requires, "nvidia-cudnn-cu12==9.10.2.21 | triton==3.5.0; platform_machine == \"x86_64\"");
	pyworld_text(s, CV_F_package_requires_python, ">=3.10");
	assert_true(cv_fact_absent(s, CV_F_package_url));
	pyworld_list(w, s, CV_F_package_imports, "functorch isympy torch");
	assert_int_equal(cv_fact_int(s, CV_F_package_record_files, 0), 9);
	assert_int_equal(cv_fact_int(s, CV_F_package_record_checked, 0), 7);
	assert_int_equal(cv_fact_int(s, CV_F_package_record_missing_n, 9), 0);
	assert_int_equal(cv_fact_int(s, CV_F_package_record_changed_n, 9), 0);
	assert_false(cv_fact_true(s, CV_F_package_shadowed));
	assert_int_equal(cv_fact_int(pyworld_env(w, VENV), CV_F_env_packages, 0), 2);
	pyworld_list(w, pyworld_env(w, VENV), CV_F_env_leftovers, SITE "/~orch");
	assert_int_equal(cv_facts_count(w->facts, CV_KIND_package), 1);
}

static void test_py_packages_files_gone(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;
	char path[PATH_MAX];

	torch(w);
	tmptree_file(&w->t, SITE "/torch/lib/libtorch.so", "other size");
	unlink(tmptree_path(&w->t, SITE "/torch/lib/libx.so.9", path));
	unlink(tmptree_path(&w->t, SITE "/torch/nn/deep/a.py", path));
	pyworld_run(w);
	s = package(w, TORCH);
	pyworld_list(w, s, CV_F_package_record_missing, "torch/lib/libx.so.9 torch/nn/deep/a.py");
	assert_int_equal(cv_fact_int(s, CV_F_package_record_missing_n, 0), 2);
	pyworld_list(w, s, CV_F_package_record_changed, "torch/lib/libtorch.so");
	assert_int_equal(cv_fact_int(s, CV_F_package_record_changed_n, 0), 1);
}

/* Broken metadata: the directory's name stands in, the broken part is unparsed with its line. */
static void test_py_packages_damaged(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	torch(w);
	tmptree_file(&w->t, TORCH "/METADATA", "Metadata-Version: 2.1\n\1\2\3\4garbage\nName: torch\n");
	tmptree_file(&w->t, TORCH "/RECORD", "torch/__init__.py,,2\ntorch/lib/libtorch.so,,x\n");
	tmptree_file(&w->t, TORCH "/direct_url.json", "{\"url\"");
	tmptree_file(&w->t, TORCH "/INSTALLER", "");
	pyworld_run(w);
	s = package(w, TORCH);
	pyworld_text(s, CV_F_package_name, "torch");
	pyworld_text(s, CV_F_package_version, "2.9.0");
	assert_int_equal(cv_fact(s, CV_F_package_version)->next->state, CV_UNPARSED);
	assert_int_equal(cv_fact(s, CV_F_package_requires)->state, CV_UNPARSED);
	assert_int_equal(cv_fact(s, CV_F_package_requires)->prov.line, 2);
	assert_int_equal(cv_fact(s, CV_F_package_record_files)->state, CV_UNPARSED);
	assert_int_equal(cv_fact(s, CV_F_package_record_files)->prov.line, 2);
	assert_int_equal(cv_fact(s, CV_F_package_url)->state, CV_UNPARSED);
	assert_int_equal(cv_fact(s, CV_F_package_installer)->state, CV_UNPARSED);
}

static void test_py_packages_no_files(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	tmptree_dir(&w->t, SITE "/onnxruntime_gpu-1.20.1.dist-info");
	pyworld_run(w);
	s = package(w, SITE "/onnxruntime_gpu-1.20.1.dist-info");
	pyworld_text(s, CV_F_package_name, "onnxruntime-gpu");
	pyworld_text(s, CV_F_package_version, "1.20.1");
	assert_true(cv_fact_absent(s, CV_F_package_requires));
	assert_true(cv_fact_absent(s, CV_F_package_record_files));
	assert_true(cv_fact_absent(s, CV_F_package_installer));
	assert_true(cv_fact_absent(s, CV_F_package_tags));
}

/* Two of one name in one directory: the one with a RECORD is in place. In a later directory: hidden. */
static void test_py_packages_shadowed(void **state)
{
	struct pyworld *w = *state;

	torch(w);
	tmptree_file(&w->t, SITE "/torch-2.10.0.dist-info/METADATA", "Name: torch\nVersion: 2.10.0\n\n");
	tmptree_file(&w->t, VENV "/lib/python3.11/site-packages/more.pth", "/more\n");
	tmptree_file(&w->t, "/more/torch-1.13.0.dist-info/METADATA", "Name: torch\nVersion: 1.13.0\n\n");
	tmptree_file(&w->t, "/more/numpy-1.26.0.egg-info", "Metadata-Version: 1.1\nName: numpy\nVersion: 1.26.0\n");
	pyworld_run(w);
	assert_false(cv_fact_true(package(w, TORCH), CV_F_package_shadowed));
	assert_true(cv_fact_true(package(w, SITE "/torch-2.10.0.dist-info"), CV_F_package_shadowed));
	assert_true(cv_fact_true(package(w, "/more/torch-1.13.0.dist-info"), CV_F_package_shadowed));
	assert_false(cv_fact_true(package(w, "/more/numpy-1.26.0.egg-info"), CV_F_package_shadowed));
	pyworld_text(package(w, "/more/numpy-1.26.0.egg-info"), CV_F_package_source, "egg-info");
	pyworld_text(package(w, "/more/numpy-1.26.0.egg-info"), CV_F_package_version, "1.26.0");
}

/* System packages that a venv sees too: one subject for each environment. */
static void test_py_packages_shared(void **state)
{
	static const char shared[] = "/usr/lib/python3.11/site-packages/numpy-2.0.0.dist-info";
	struct pyworld *w = *state;
	const char *second = cv_arena_printf(w->a, "%s|/home/b/venv", shared);

	pyworld_venv(w, "/home/b/venv", "include-system-site-packages = true\n");
	tmptree_file(&w->t, "/usr/lib/python3.11/site-packages/numpy-2.0.0.dist-info/METADATA", "Name: numpy\n"
			"Version: 2.0.0\n\n");
	pyworld_run(w);
	assert_int_equal(cv_facts_count(w->facts, CV_KIND_package), 2);
	pyworld_text(package(w, shared), CV_F_package_env, "/usr");
	pyworld_text(package(w, second), CV_F_package_env, "/home/b/venv");
	pyworld_text(package(w, second), CV_F_package_path, shared);
}

static void test_py_packages_conda(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	pyworld_python(w, "/opt/conda", "python3.12");
	tmptree_link(&w->t, "/opt/conda/bin/python3", "python3.12");
	tmptree_file(&w->t, "/opt/conda/conda-meta/cudnn-9.10.1-h_0.json",
		     "{\"name\": \"cudnn\", \"channel\": \"https://c/conda-forge\", \"paths_data\": {\"paths\": ["
		     "{\"_path\": \"lib/libcudnn.so.9\", \"path_type\": \"hardlink\", \"size_in_bytes\": 3}, "
		     "{\"_path\": \"lib/gone.so\", \"path_type\": \"hardlink\", \"size_in_bytes\": 3}]}}");
	tmptree_file(&w->t, "/opt/conda/conda-meta/cuda-version-12.9-h_3.json", "{\"name\": ");
	tmptree_file(&w->t, "/opt/conda/lib/libcudnn.so.9", "xxx");
	tmptree_file(&w->t, "/opt/conda/lib/python3.12/site-packages/torch-2.5.1.dist-info/INSTALLER", "conda\n");
	tmptree_file(&w->t, "/opt/conda/lib/python3.12/site-packages/torch-2.5.1.dist-info/RECORD", "torch/_C.so,,7\n");
	tmptree_file(&w->t, "/opt/conda/lib/python3.12/site-packages/torch/_C.so", "longer than recorded");
	pyworld_run(w);
	s = package(w, "/opt/conda/conda-meta/cudnn-9.10.1-h_0.json");
	pyworld_text(s, CV_F_package_source, "conda-meta");
	pyworld_text(s, CV_F_package_version, "9.10.1");
	pyworld_text(s, CV_F_package_build, "h_0");
	pyworld_list(w, s, CV_F_package_record_missing, "lib/gone.so");
	assert_int_equal(cv_fact_int(s, CV_F_package_record_changed_n, 9), 0);
	s = package(w, "/opt/conda/conda-meta/cuda-version-12.9-h_3.json");
	pyworld_text(s, CV_F_package_version, "12.9");
	assert_int_equal(cv_fact(s, CV_F_package_record_files)->state, CV_UNPARSED);
	assert_true(cv_fact(s, CV_F_package_record_files)->prov.offset >= 0);
	/* conda changes libraries after pip wrote their sizes down */
	s = package(w, "/opt/conda/lib/python3.12/site-packages/torch-2.5.1.dist-info");
	assert_int_equal(cv_fact_int(s, CV_F_package_record_missing_n, 9), 0);
	assert_int_equal(cv_fact(s, CV_F_package_record_changed_n)->state, CV_NOT_ASKED);
}

/* Environments that are not selected: by name only. */
static void test_py_packages_not_selected(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	torch(w);
	w->live = true;
	w->sel.cwd = "/app";
	w->env[w->env_n++] = "PATH=/usr/bin";
	pyworld_run(w);
	s = package(w, TORCH);
	pyworld_text(s, CV_F_package_name, "torch");
	pyworld_text(s, CV_F_package_version, "2.9.0");
	assert_int_equal(cv_fact(s, CV_F_package_record_files)->state, CV_NOT_ASKED);
	assert_int_equal(cv_fact_int(pyworld_env(w, VENV), CV_F_env_packages, 0), 1);
}

/* Many files: all native ones are looked for, of the others a sample that is the same every time. */
static void test_py_packages_sample(void **state)
{
	struct pyworld *w = *state;
	static char record[400000];
	const struct cv_subject *s;
	size_t n = 0;

	tmptree_dir(&w->t, SITE "/torch/a/b");
	for (unsigned i = 0; i < 5000; i++)
		n += (size_t)snprintf(record + n, sizeof(record) - n, "torch/a/b/f%u.py,,0\n", i);
	for (unsigned i = 0; i < 30; i++)
		n += (size_t)snprintf(record + n, sizeof(record) - n, "torch/lib/lib%u.so,,1\n", i);
	tmptree_file(&w->t, TORCH "/METADATA", "Name: torch\nVersion: 2.9.0\n\n");
	tmptree_file(&w->t, TORCH "/RECORD", record);
	for (unsigned i = 0; i < 5030; i++) {
		snprintf(record, sizeof(record), i < 5000 ? SITE "/torch/a/b/f%u.py" : SITE "/torch/lib/lib%u.so",
			i < 5000 ? i : i - 5000);
		tmptree_file(&w->t, record, i < 5000 ? "" : "x");
	}
	pyworld_run(w);
	s = package(w, TORCH);
	assert_int_equal(cv_fact_int(s, CV_F_package_record_files, 0), 5030);
	assert_in_range(cv_fact_int(s, CV_F_package_record_checked, 0), 30 + 100, 30 + 200);
	assert_int_equal(cv_fact_int(s, CV_F_package_record_missing_n, 9), 0);
}

/* Once something is missing all files are looked for, so that the count is the true one. */
static void test_py_packages_damaged_counts_all(void **state)
{
	struct pyworld *w = *state;
	static char record[100000];
	const struct cv_subject *s;
	size_t n = 0;

	for (unsigned i = 0; i < 1000; i++)
		n += (size_t)snprintf(record + n, sizeof(record) - n, "torch/a/b/f%u.py,,1\n", i);
	snprintf(record + n, sizeof(record) - n, "torch/lib/lib.so,,1\n");
	tmptree_file(&w->t, TORCH "/METADATA", "Name: torch\nVersion: 2.9.0\n\n");
	tmptree_file(&w->t, TORCH "/RECORD", record);
	tmptree_file(&w->t, SITE "/torch/a/b/f0.py", "other");
	pyworld_run(w);
	s = package(w, TORCH);
	assert_int_equal(cv_fact_int(s, CV_F_package_record_checked, 0), 1001);
	assert_int_equal(cv_fact_int(s, CV_F_package_record_missing_n, 0), 1000);
	assert_int_equal(cv_fact_int(s, CV_F_package_record_changed_n, 0), 1);
	assert_int_equal(cv_fact_list(s, CV_F_package_record_missing)->n, 20);
	assert_string_equal(cv_fact_list(s, CV_F_package_record_missing)->v[0], "torch/lib/lib.so");
}

/* A directory of sys.path that may not be read: how many packages there are is not known, and it is on sys.path all the same. */
static void test_py_packages_closed(void **state)
{
	struct pyworld *w = *state;

	torch(w);
	tmptree_file(&w->t, "/home/u/x/numpy-2.0.0.dist-info/METADATA", "Name: numpy\nVersion: 2.0.0\n\n");
	w->closed = SITE;
	pyworld_run(w);
	assert_int_equal(cv_fact(pyworld_env(w, VENV), CV_F_env_packages)->state, CV_DENIED);
	assert_string_equal(cv_fact(pyworld_env(w, VENV), CV_F_env_packages)->prov.path, SITE);
	assert_true(cv_strv_has(cv_fact_list(pyworld_env(w, VENV), CV_F_env_sys_path), SITE));
	assert_int_equal(cv_facts_count(w->facts, CV_KIND_package), 0);
	assert_true(cv_fact_known(pyworld_env(w, "/usr"), CV_F_env_packages));
}

static void test_py_packages_metadata_closed(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	torch(w);
	w->closed = TORCH;
	pyworld_run(w);
	s = package(w, TORCH);
	pyworld_text(s, CV_F_package_version, "2.9.0");
	assert_int_equal(cv_fact(s, CV_F_package_requires)->state, CV_DENIED);
	assert_int_equal(cv_fact(s, CV_F_package_record_files)->state, CV_DENIED);
	assert_int_equal(cv_fact(s, CV_F_package_url)->state, CV_DENIED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_py_packages_whole),	 TEST(test_py_packages_files_gone), TEST(test_py_packages_damaged),
		TEST(test_py_packages_no_files), TEST(test_py_packages_shadowed),   TEST(test_py_packages_shared),
		TEST(test_py_packages_conda),	 TEST(test_py_packages_not_selected), TEST(test_py_packages_sample),
		TEST(test_py_packages_damaged_counts_all), TEST(test_py_packages_closed), TEST(test_py_packages_metadata_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
