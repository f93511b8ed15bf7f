/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of the GPU stack in trees of small made objects: found by every way, each real file once, with the right origin. */
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

static void put(unsigned char *p, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (unsigned char)(v >> 8 * i);
}

#define SO_DYNAMIC 0x100
#define SO_STRINGS 0x200
#define SO_SIZE 0x300

/* The least that is a shared object with a SONAME. */
static void make_so(unsigned char *b, const char *soname, unsigned machine)
{
	memset(b, 0, SO_SIZE);
	memcpy(b, "\x7f" "ELF\2\1\1", 7);
	put(b + 16, 3, 2);
	put(b + 18, machine, 2);
	put(b + 20, 1, 4);
	put(b + 32, 64, 8);
	put(b + 52, 64, 2);
	put(b + 54, 56, 2);
	put(b + 56, 2, 2);
	put(b + 64, 1, 4);       /* PT_LOAD: the whole file at address 0 */
	put(b + 64 + 4, 4, 4);
	put(b + 64 + 32, SO_SIZE, 8);
	put(b + 64 + 40, SO_SIZE, 8);
	put(b + 120, 2, 4);      /* PT_DYNAMIC */
	put(b + 120 + 4, 4, 4);
	put(b + 120 + 8, SO_DYNAMIC, 8);
	put(b + 120 + 16, SO_DYNAMIC, 8);
	put(b + 120 + 32, 64, 8);
	put(b + 120 + 40, 64, 8);
	put(b + SO_DYNAMIC, 5, 8);  /* DT_STRTAB */
	put(b + SO_DYNAMIC + 8, SO_STRINGS, 8);
	put(b + SO_DYNAMIC + 16, 10, 8); /* DT_STRSZ */
	put(b + SO_DYNAMIC + 24, 0x80, 8);
	put(b + SO_DYNAMIC + 32, 14, 8); /* DT_SONAME */
	put(b + SO_DYNAMIC + 40, 1, 8);
	memcpy(b + SO_STRINGS + 1, soname, strlen(soname) + 1);
}

static void add_so(const char *path, const char *soname)
{
	unsigned char b[SO_SIZE];

	make_so(b, soname, 62);
	tmptree_bytes(&run.tree, path, b, sizeof(b));
}

static void go(void)
{
	collect_run_go(&run, 3, &cv_collector_ldso, &cv_collector_toolkit, &cv_collector_lib);
}

#define LIBDIR "/usr/lib/x86_64-linux-gnu"

static void test_collect_lib_driver_once_under_all_names(void **state)
{
	static const char real[] = LIBDIR "/libcuda.so.550.135";

	(void)state;
	add_so(real + 1, "libcuda.so.1");
	tmptree_link(&run.tree, LIBDIR "/libcuda.so.1", "libcuda.so.550.135");
	tmptree_link(&run.tree, LIBDIR "/libcuda.so", "libcuda.so.1");
	tmptree_link(&run.tree, "lib", "usr/lib");
	add_so(LIBDIR "/libcudadebugger.so.1", "libcudadebugger.so.1");
	go();
	assert_int_equal(cv_facts_count(run.facts, CV_KIND_lib), 1);
	assert_fact(&run, lib, real, lib_family, "cuda");
	assert_fact(&run, lib, real, lib_soname, "libcuda.so.1");
	assert_fact(&run, lib, real, lib_version, "550.135");
	assert_fact(&run, lib, real, lib_version_how, "file name");
	assert_fact(&run, lib, real, lib_machine, "x86_64");
	assert_fact(&run, lib, real, lib_origin, "host");
	assert_fact(&run, lib, real, lib_via, "default directory");
	assert_fact(
		&run, lib, real, lib_names,
		"/lib/x86_64-linux-gnu/libcuda.so /lib/x86_64-linux-gnu/libcuda.so.1 /lib/x86_64-linux-gnu/libcuda.so.550.135 "
		"/usr/lib/x86_64-linux-gnu/libcuda.so /usr/lib/x86_64-linux-gnu/libcuda.so.1 "
		"/usr/lib/x86_64-linux-gnu/libcuda.so.550.135");
	assert_fact_state(&run, lib, real, lib_fwd_cuda, CV_ABSENT);
}

static void test_collect_lib_origins(void **state)
{
	static const char compat[] = "/usr/local/cuda-12.4/compat/libcuda.so.550.54.15";
	static const char stub[] = "/usr/local/cuda-12.4/lib64/stubs/libcuda.so";
	static const char toolkit[] = "/usr/local/cuda-12.4/lib64/libcublasLt.so.12";
	static const char mine[] = "/opt/mine/libcudart.so.12";
	static const char distribution[] = LIBDIR "/libcudart.so.11.0";
	static const char wsl[] = "/usr/lib/wsl/lib/libcuda.so.1.1";

	(void)state;
	add_so(compat + 1, "libcuda.so.1");
	add_so(stub + 1, "libcuda.so.1");
	add_so(toolkit + 1, "libcublasLt.so.12");
	add_so(mine + 1, "libcudart.so.12");
	add_so(distribution + 1, "libcudart.so.11.0");
	add_so(wsl + 1, "libcuda.so.1");
	/* a stub is a stub wherever the link to it lies */
	tmptree_link(&run.tree, LIBDIR "/libcuda.so.1", stub);
	run.env[run.env_n++] = "LD_LIBRARY_PATH=/opt/mine/;relative:/gone::/opt/mine";
	go();
	assert_int_equal(cv_facts_count(run.facts, CV_KIND_lib), 6);
	assert_fact(&run, lib, compat, lib_origin, "compat");
	assert_fact(&run, lib, compat, lib_version, "550.54.15");
	assert_fact(&run, lib, stub, lib_origin, "stub");
	assert_fact_state(&run, lib, stub, lib_version, CV_ABSENT);
	assert_fact(&run, lib, stub, lib_via, "default directory | toolkit:/usr/local/cuda-12.4");
	assert_fact(&run, lib, toolkit, lib_origin, "toolkit");
	assert_fact(&run, lib, mine, lib_origin, "other");
	assert_fact(&run, lib, mine, lib_via, "LD_LIBRARY_PATH");
	assert_fact(&run, lib, mine, lib_names, mine);
	assert_fact(&run, lib, distribution, lib_origin, "distribution");
	assert_fact(&run, lib, wsl, lib_origin, "wsl");
	/* 1.1 is no driver's version */
	assert_fact_state(&run, lib, wsl, lib_version, CV_ABSENT);
	assert_fact(&run, ldso, "", ldso_path_dead, "/gone");
}

/* Of two copies that only LD_LIBRARY_PATH leads to, the one of the loaded module's version is the driver's own. */
static void test_collect_lib_host_by_version(void **state)
{
	static const char own[] = "/home/kubernetes/bin/nvidia/lib64/libcuda.so.550.135";
	static const char stray[] = "/home/me/lib/libcuda.so.535.54.03";
	struct cv_prov p = { .collector = "test", .offset = -1 };

	(void)state;
	cv_facts_str(run.facts, cv_facts_add(run.facts, CV_KIND_driver, ""), CV_F_driver_module_version, "550.135", p);
	add_so(own + 1, "libcuda.so.1");
	add_so(stray + 1, "libcuda.so.1");
	run.env[run.env_n++] = "LD_LIBRARY_PATH=/home/me/lib:/home/kubernetes/bin/nvidia/lib64";
	go();
	assert_fact(&run, lib, own, lib_origin, "host");
	assert_fact(&run, lib, stray, lib_origin, "other");
}

static void test_collect_lib_of_another_machine(void **state)
{
	static const char arm[] = "/usr/lib/libcuda.so.1";
	unsigned char b[SO_SIZE];

	(void)state;
	make_so(b, "libcuda.so.1", 183);
	tmptree_bytes(&run.tree, arm + 1, b, sizeof(b));
	go();
	assert_fact(&run, lib, arm, lib_machine, "aarch64");
}

/* What no loader would take is unparsed, and not the host's. */
static void test_collect_lib_damaged(void **state)
{
	static const char empty[] = LIBDIR "/libcuda.so.535.161.08";
	static const char cut[] = LIBDIR "/libcudnn.so.9";
	static const char dead[] = LIBDIR "/libnvidia-ml.so.1";
	unsigned char b[SO_SIZE];

	(void)state;
	tmptree_file(&run.tree, empty + 1, "");
	make_so(b, "libcudnn.so.9", 62);
	tmptree_bytes(&run.tree, cut + 1, b, 0x90);
	tmptree_link(&run.tree, dead, "libnvidia-ml.so.535.161.08");
	tmptree_link(&run.tree, LIBDIR "/libnccl.so.2", "gone");
	tmptree_link(&run.tree, LIBDIR "/libcufft.so.11", "libcufft.so.11");
	go();
	assert_int_equal(cv_facts_count(run.facts, CV_KIND_lib), 3);
	assert_fact_state(&run, lib, empty, lib_soname, CV_UNPARSED);
	assert_fact_state(&run, lib, empty, lib_origin, CV_UNPARSED);
	assert_fact_state(&run, lib, empty, lib_version, CV_UNPARSED);
	assert_int_equal(collect_fact(&run, CV_KIND_lib, empty, CV_F_lib_version)->prov.offset, 0);
	assert_fact(&run, lib, empty, lib_family, "cuda");
	assert_fact_state(&run, lib, cut, lib_soname, CV_UNPARSED);
	assert_fact_state(&run, lib, cut, lib_origin, CV_UNPARSED);
	assert_fact(&run, lib, dead, lib_soname, "not found (a link to libnvidia-ml.so.535.161.08, which is not there)");
	assert_fact_state(&run, lib, dead, lib_origin, CV_NOT_ASKED);
}

static void test_collect_lib_special_files_are_not_opened(void **state)
{
	static const char fifo[] = LIBDIR "/libcuda.so.1";

	(void)state;
	tmptree_fifo(&run.tree, fifo + 1);
	go();
	assert_fact_state(&run, lib, fifo, lib_soname, CV_UNPARSED);
}

static void add_env(const char *prefix, const char *kind, bool selected, const char *site)
{
	struct cv_subject *s = cv_facts_add(run.facts, CV_KIND_env, prefix);
	struct cv_prov p = { .collector = "test", .offset = -1 };
	struct cv_strv path = { 0 };

	cv_strv_push(run.arena, &path, site);
	cv_facts_str(run.facts, s, CV_F_env_kind, kind, p);
	cv_facts_bool(run.facts, s, CV_F_env_selected, selected, p);
	cv_facts_list(run.facts, s, CV_F_env_sys_path, &path, p);
}

static void test_collect_lib_of_environments(void **state)
{
	static const char wheel[] = "/venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12";
	static const char torch[] = "/venv/lib/python3.12/site-packages/torch/lib/libcudart.so.12";
	static const char conda[] = "/opt/conda/lib/libcufft.so.11.3.3";

	(void)state;
	add_env("/venv", "venv", true, "/venv/lib/python3.12/site-packages");
	add_env("/opt/conda", "conda", true, "/opt/conda/lib/python3.12/site-packages");
	add_env("/other", "venv", false, "/other/lib/python3.12/site-packages");
	add_so(wheel + 1, "libcublas.so.12");
	add_so(torch + 1, "libcudart.so.12");
	add_so(conda + 1, "libcufft.so.11");
	add_so("other/lib/python3.12/site-packages/torch/lib/libcudart.so.12", "libcudart.so.12");
	go();
	assert_int_equal(cv_facts_count(run.facts, CV_KIND_lib), 3);
	assert_fact(&run, lib, wheel, lib_origin, "wheel");
	assert_fact(&run, lib, wheel, lib_env, "/venv");
	assert_fact(&run, lib, wheel, lib_via, "env:/venv");
	assert_fact(&run, lib, torch, lib_origin, "wheel");
	assert_fact(&run, lib, conda, lib_origin, "conda");
	assert_fact(&run, lib, conda, lib_env, "/opt/conda");
	assert_fact(&run, lib, conda, lib_version, "11.3.3");
}

/* libcudnn.so.8 does not know its version; the part beside it does. */
static void test_collect_lib_version_by_neighbour(void **state)
{
	static const char front[] = LIBDIR "/libcudnn.so.8";

	(void)state;
	add_so(front + 1, "libcudnn.so.8");
	add_so(LIBDIR "/libcudnn_ops_infer.so.8.9.7", "libcudnn_ops_infer.so.8");
	tmptree_link(&run.tree, LIBDIR "/libcudnn_ops_infer.so.8", "libcudnn_ops_infer.so.8.9.7");
	go();
	assert_fact(&run, lib, front, lib_version, "8.9.7");
	assert_fact_from(&run, lib, front, lib_version, LIBDIR "/libcudnn_ops_infer.so.8.9.7");
}

/* Root may look into everything, so somebody else looks. */
static void test_collect_lib_denied_directory(void **state)
{
	const bool root = geteuid() == 0;

	(void)state;
	add_so(LIBDIR "/libcuda.so.1", "libcuda.so.1");
	tmptree_chmod(&run.tree, LIBDIR, 0);
	if (root)
		assert_int_equal(seteuid(65534), 0);
	go();
	if (root)
		assert_int_equal(seteuid(0), 0);
	tmptree_chmod(&run.tree, LIBDIR, 0755);
	assert_fact(&run, ldso, "", ldso_dirs_denied, LIBDIR " " LIBDIR "/nvidia/current");
	assert_int_equal(cv_facts_count(run.facts, CV_KIND_lib), 0);
}

static void test_collect_ldso_conf(void **state)
{
	(void)state;
	tmptree_file(&run.tree, "etc/ld.so.conf",
		     "/opt/first/\ninclude ld.so.conf.d/*.conf\ninclude /etc/ld.so.conf # itself\nrelative\n");
	tmptree_file(&run.tree, "etc/ld.so.conf.d/b.conf", "# comment\n/opt/b\n/opt/first\n");
	tmptree_file(&run.tree, "etc/ld.so.conf.d/a.conf", "/opt/a\n");
	tmptree_file(&run.tree, "etc/ld.so.conf.d/.hidden.conf", "/opt/hidden\n");
	tmptree_file(&run.tree, "etc/ld.so.conf.d/c.other", "/opt/c\n");
	tmptree_file(&run.tree, "etc/ld.so.preload", "/a.so:/b.so /c.so # /d.so\n");
	add_so("opt/a/libcudart.so.12", "libcudart.so.12");
	go();
	assert_fact(&run, ldso, "", ldso_conf_dirs, "/opt/first /opt/a /opt/b");
	assert_fact(&run, ldso, "", ldso_preload, "/a.so /b.so /c.so");
	assert_fact_state(&run, ldso, "", ldso_cache_format, CV_ABSENT);
	assert_fact(&run, lib, "/opt/a/libcudart.so.12", lib_via, "ld.so.conf");
}

/* A cache of the new format with one entry of libcuda. */
static void add_cache(const char *soname, const char *path, bool cut)
{
	unsigned char b[512] = "glibc-ld.so.cache1.1";
	size_t strings = 48 + 24, soname_n = strlen(soname) + 1, path_n = strlen(path) + 1;

	put(b + 20, 1, 4);
	put(b + 24, soname_n + path_n, 4);
	put(b + 28, 2, 1);
	put(b + 48, 0x0303, 4);
	put(b + 52, strings, 4);
	put(b + 56, strings + soname_n, 4);
	memcpy(b + strings, soname, soname_n);
	memcpy(b + strings + soname_n, path, path_n);
	tmptree_bytes(&run.tree, "etc/ld.so.cache", b, cut ? 30 : strings + soname_n + path_n);
}

static void test_collect_ldso_cache(void **state)
{
	static const char real[] = "/opt/driver/libcuda.so.550.135";

	(void)state;
	add_so(real + 1, "libcuda.so.1");
	tmptree_link(&run.tree, "opt/driver/libcuda.so.1", "libcuda.so.550.135");
	add_cache("libcuda.so.1", "/opt/driver/libcuda.so.1", false);
	go();
	assert_fact(&run, ldso, "", ldso_cache_format, "new");
	assert_fact(&run, ldso, "", ldso_cache_entries, "1");
	assert_fact(&run, lib, real, lib_via, "ld.so.cache");
	assert_fact(&run, lib, real, lib_names, "/opt/driver/libcuda.so.1");
	assert_fact(&run, lib, real, lib_origin, "host");
}

static void test_collect_ldso_damaged(void **state)
{
	(void)state;
	add_cache("libcuda.so.1", "/opt/driver/libcuda.so.1", true);
	tmptree_dir(&run.tree, "etc/ld.so.conf");
	go();
	assert_fact_state(&run, ldso, "", ldso_cache_format, CV_UNPARSED);
	assert_fact_state(&run, ldso, "", ldso_conf_dirs, CV_UNPARSED);
	assert_fact_state(&run, ldso, "", ldso_path_dead, CV_NOT_ASKED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_collect_lib_driver_once_under_all_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_lib_origins, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_lib_host_by_version, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_lib_of_another_machine, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_lib_damaged, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_lib_special_files_are_not_opened, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_lib_of_environments, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_lib_version_by_neighbour, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_lib_denied_directory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_ldso_conf, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_ldso_cache, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_ldso_damaged, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
