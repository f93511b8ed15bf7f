/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collect_run.h"

static struct collect_run run;

static int setup(void **state)
{
	(void)state;
	collect_run_init(&run);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	collect_run_done(&run);
	return 0;
}

static void go(void)
{
	collect_run_go(&run, 1, &cv_collector_toolkit);
}

static const char json[] = "{\n   \"cuda\" : {\n      \"name\" : \"CUDA SDK\",\n      \"version\" : \"12.4.1\"\n   }\n}\n";

/* One directory met by link, by variable and by PATH is one toolkit. */
static void test_collect_toolkit_met_in_many_ways(void **state)
{
	(void)state;
	tmptree_file(&run.tree, "usr/local/cuda-12.4/version.json", json);
	tmptree_file(&run.tree, "usr/local/cuda-12.4/bin/nvcc", "");
	tmptree_chmod(&run.tree, "usr/local/cuda-12.4/bin/nvcc", 0755);
	tmptree_link(&run.tree, "usr/local/cuda", "/etc/alternatives/cuda");
	tmptree_link(&run.tree, "etc/alternatives/cuda", "/usr/local/cuda-12.4");
	tmptree_file(&run.tree, "usr/local/cuda.txt", "");
	run.env[run.env_n++] = "CUDA_HOME=/usr/local/cuda/";
	run.env[run.env_n++] = "PATH=/bin:/usr/local/cuda/bin";
	go();
	assert_int_equal(cv_facts_count(run.facts, CV_KIND_toolkit), 1);
	assert_fact(&run, toolkit, "/usr/local/cuda-12.4", toolkit_version, "12.4.1");
	assert_fact(&run, toolkit, "/usr/local/cuda-12.4", toolkit_version_how, "version.json");
	assert_fact(&run, toolkit, "/usr/local/cuda-12.4", toolkit_nvcc, "/usr/local/cuda-12.4/bin/nvcc");
	assert_fact(&run, toolkit, "/usr/local/cuda-12.4", toolkit_via, "CUDA_HOME PATH /usr/local/cuda /usr/local/cuda-12.4");
}

static void test_collect_toolkit_versions(void **state)
{
	(void)state;
	tmptree_file(&run.tree, "usr/local/cuda-10.2/version.txt", "CUDA Version 10.2.89\n");
	tmptree_file(&run.tree, "usr/local/cuda-13.0/include/cuda.h", "#define CUDA_VERSION 13000\n");
	tmptree_file(&run.tree, "usr/local/cuda-12.6/targets/x86_64-linux/lib/libcudart.so.12.6.77", "");
	tmptree_link(&run.tree, "usr/local/cuda-12.6/lib64", "targets/x86_64-linux/lib");
	tmptree_file(&run.tree, "usr/local/cuda-11.8/lib64/libcudart.so.11.0", "");
	tmptree_file(&run.tree, "usr/local/cuda-12.2/compat/libcuda.so.1", "");
	tmptree_file(&run.tree, "opt/cuda/version.json", "{ \"cuda\" : ");
	go();
	assert_fact(&run, toolkit, "/usr/local/cuda-10.2", toolkit_version, "10.2.89");
	assert_fact(&run, toolkit, "/usr/local/cuda-10.2", toolkit_version_how, "version.txt");
	assert_fact(&run, toolkit, "/usr/local/cuda-13.0", toolkit_version, "13.0");
	assert_fact(&run, toolkit, "/usr/local/cuda-13.0", toolkit_version_how, "cuda.h");
	assert_fact_state(&run, toolkit, "/usr/local/cuda-13.0", toolkit_nvcc, CV_ABSENT);
	assert_fact(&run, toolkit, "/usr/local/cuda-12.6", toolkit_version, "12.6");
	assert_fact(&run, toolkit, "/usr/local/cuda-12.6", toolkit_version_how, "libcudart");
	/* the SONAME of every CUDA 11 tells no release; the directory does */
	assert_fact(&run, toolkit, "/usr/local/cuda-11.8", toolkit_version, "11.8");
	assert_fact(&run, toolkit, "/usr/local/cuda-11.8", toolkit_version_how, "directory name");
	assert_fact_state(&run, toolkit, "/opt/cuda", toolkit_version, CV_UNPARSED);
	/* nothing of a toolkit but a compat copy */
	assert_null(cv_facts_find(run.facts, CV_KIND_toolkit, "/usr/local/cuda-12.2"));
}

/* Debian's nvcc is a script in /usr/bin; /usr is no toolkit. */
static void test_collect_toolkit_debian(void **state)
{
	(void)state;
	tmptree_file(&run.tree, "usr/bin/nvcc", "#!/bin/sh\n");
	tmptree_chmod(&run.tree, "usr/bin/nvcc", 0755);
	tmptree_file(&run.tree, "usr/lib/nvidia-cuda-toolkit/bin/nvcc", "");
	tmptree_file(&run.tree, "usr/include/cuda.h", "#define CUDA_VERSION 11080\n");
	run.env[run.env_n++] = "PATH=/usr/bin";
	go();
	assert_int_equal(cv_facts_count(run.facts, CV_KIND_toolkit), 1);
	assert_fact(&run, toolkit, "/usr/lib/nvidia-cuda-toolkit", toolkit_version, "11.8");
	assert_fact(&run, toolkit, "/usr/lib/nvidia-cuda-toolkit", toolkit_via, "PATH /usr/lib/nvidia-cuda-toolkit");
}

static void test_collect_toolkit_none(void **state)
{
	(void)state;
	tmptree_dir(&run.tree, "usr/local/cuda-empty");
	tmptree_link(&run.tree, "usr/local/cuda", "/usr/local/cuda-12.9");
	run.env[run.env_n++] = "CUDA_HOME=relative";
	run.env[run.env_n++] = "CUDA_PATH=/gone";
	run.env[run.env_n++] = "PATH=:relative::/bin";
	go();
	assert_int_equal(cv_facts_count(run.facts, CV_KIND_toolkit), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_collect_toolkit_met_in_many_ways, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_toolkit_versions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_toolkit_debian, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_toolkit_none, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
