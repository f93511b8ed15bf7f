/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec.h"
#include "tmptree.h"
#include "view/driverfile.h"
#include "view/view.h"

#define LIB "/usr/lib/x86_64-linux-gnu"

struct fixture {
	struct tmptree base, machine;
	struct cv_view *v;
	struct cv_arena *a;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct cv_view *base, *machine;

	assert_non_null(f);
	tmptree_init(&f->base);
	tmptree_init(&f->machine);
	/* a container image: no driver but an old nvidia-smi, a stub, a compat package and a wheel with its own libcuda */
	tmptree_file(&f->base, "etc/os-release", "base");
	tmptree_file(&f->base, "proc/version", "base");
	tmptree_file(&f->base, LIB "/libc.so.6", "base");
	tmptree_file(&f->base, LIB "/libcudart.so.12", "base");
	tmptree_file(&f->base, LIB "/libnvidia-container.so.1", "base");
	tmptree_file(&f->base, LIB "/libnvidia-ml.so.1", "base");
	tmptree_file(&f->base, LIB "/libnvidia-old.so.1", "base");
	tmptree_link(&f->base, "lib", "usr/lib");
	tmptree_file(&f->base, "usr/bin/nvidia-smi", "base");
	tmptree_file(&f->base, "usr/local/cuda/lib64/stubs/libcuda.so", "base");
	tmptree_file(&f->base, "usr/local/cuda/compat/libcuda.so.1", "base");
	tmptree_file(&f->base, "opt/venv/lib/python3.11/site-packages/x/libcuda.so.1", "base");
	tmptree_file(&f->base, "usr/lib/python3/dist-packages/x/libcuda.so.1", "base");
	/* the machine: another distribution with a driver */
	tmptree_file(&f->machine, "etc/os-release", "machine");
	tmptree_file(&f->machine, "etc/ld.so.cache", "machine");
	tmptree_file(&f->machine, "proc/version", "machine");
	tmptree_file(&f->machine, "sys/x", "machine");
	tmptree_file(&f->machine, "dev/nvidia0", "machine");
	tmptree_file(&f->machine, "run/nvidia-persistenced/pid", "machine");
	tmptree_file(&f->machine, LIB "/libc.so.6", "machine");
	tmptree_file(&f->machine, LIB "/libcuda.so.570.26", "machine");
	tmptree_link(&f->machine, LIB "/libcuda.so.1", "libcuda.so.570.26");
	tmptree_file(&f->machine, LIB "/libnvidia-ml.so.1", "machine");
	tmptree_file(&f->machine, LIB "/libnvidia-container.so.1", "machine");
	tmptree_file(&f->machine, LIB "/libonly-machine.so", "machine");
	tmptree_file(&f->machine, LIB "/nvidia/current/libcuda.so.1", "machine");
	tmptree_link(&f->machine, "lib", "usr/lib");
	tmptree_file(&f->machine, "usr/bin/nvidia-smi", "machine");
	tmptree_file(&f->machine, "usr/bin/python3", "machine");
	tmptree_file(&f->machine, "usr/local/cuda/compat/libcuda.so.1", "machine");
	tmptree_file(&f->machine, "usr/lib/modules/6.1/nvidia.ko", "machine");
	f->a = cv_arena_new((size_t)16 << 20);
	assert_int_equal(cv_view_tree_new(f->base.dir, NULL, &base), 0);
	assert_int_equal(cv_view_tree_new(f->machine.dir, NULL, &machine), 0);
	assert_int_equal(cv_view_machine_new(base, machine, &f->v), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	cv_view_free(f->v);
	cv_arena_free(f->a);
	tmptree_done(&f->base);
	tmptree_done(&f->machine);
	free(f);
	return 0;
}

/* Whose file is read at path: "base", "machine" or the error's text. */
static const char *whose(struct fixture *f, const char *path)
{
	struct cv_str text;
	int r = cv_view_read(f->v, path, 100, f->a, &text);

	return r < 0 ? cv_strerror(r) : text.p;
}

static void test_view_machine_each_path_has_one_owner(void **state)
{
	static const struct {
		const char *path, *owner;
	} want[] = {
		{ "/etc/os-release", "base" },
		{ "/etc/ld.so.cache", "not found" },
		{ "/proc/version", "machine" },
		{ "/proc/none", "not found" },
		{ "/sys/x", "machine" },
		{ "/dev/nvidia0", "machine" },
		{ "/run/nvidia-persistenced/pid", "machine" },
		{ LIB "/libc.so.6", "base" },
		{ LIB "/libcudart.so.12", "base" },
		{ LIB "/libcuda.so.1", "machine" },
		{ LIB "/libcuda.so.570.26", "machine" },
		{ "/lib/x86_64-linux-gnu/libcuda.so.1", "machine" },
		{ LIB "/libnvidia-ml.so.1", "machine" },
		{ LIB "/libnvidia-container.so.1", "base" },
		{ LIB "/libnvidia-old.so.1", "base" }, /* the machine has none, so the base's own is seen */
		{ LIB "/libcudadebugger.so.1", "not found" },
		{ LIB "/libonly-machine.so", "not found" },
		{ LIB "/nvidia/current/libcuda.so.1", "machine" },
		{ "/usr/bin/nvidia-smi", "machine" },
		{ "/usr/bin/python3", "not found" },
		{ "/usr/local/cuda/lib64/stubs/libcuda.so", "base" },
		{ "/usr/local/cuda/compat/libcuda.so.1", "base" },
		{ "/opt/venv/lib/python3.11/site-packages/x/libcuda.so.1", "base" },
		{ "/usr/lib/python3/dist-packages/x/libcuda.so.1", "base" },
		{ "/usr/lib/modules/6.1/nvidia.ko", "machine" },
		{ "/proc/../etc/os-release", "base" },
		{ "/etc/../proc/version", "machine" },
		{ "/procfs", "not found" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		if (!cv_streq(whose(f, want[i].path), want[i].owner))
			fail_msg("%s: %s, not %s", want[i].path, whose(f, want[i].path), want[i].owner);
}

static void test_view_machine_other_questions_go_the_same_way(void **state)
{
	struct fixture *f = *state;
	struct cv_stat st, base;
	const char *s;

	assert_int_equal(cv_view_readlink(f->v, LIB "/libcuda.so.1", f->a, &s), 0);
	assert_string_equal(s, "libcuda.so.570.26");
	assert_int_equal(cv_view_realpath(f->v, "/lib/x86_64-linux-gnu/libcuda.so.1", f->a, &s), 0);
	assert_string_equal(s, LIB "/libcuda.so.570.26");
	assert_int_equal(cv_view_lstat(f->v, LIB "/libcuda.so.1", &st), 0);
	assert_int_equal(st.type, CV_FT_LNK);
	assert_int_equal(cv_view_stat(f->v, LIB "/libcuda.so.1", &st), 0);
	assert_int_equal(cv_view_stat(f->v, LIB "/libc.so.6", &base), 0);
	assert_true(st.dev != base.dev); /* never one file, whatever the numbers of the two machines */
	assert_int_equal(cv_view_access(f->v, "/dev/nvidia0", CV_ACCESS_R), 0);
	assert_int_equal(cv_view_access(f->v, "/dev/none", CV_ACCESS_R), CV_ENOENT);
}

static const char *list_of(struct fixture *f, const char *path)
{
	struct cv_dirlist list;
	const char *all = "";
	int r = cv_view_list(f->v, path, f->a, &list);

	if (r < 0)
		return cv_strerror(r);
	for (size_t i = 0; i < list.n; i++)
		all = cv_arena_printf(f->a, "%s%s%s", all, i ? " " : "", list.v[i].name);
	return all;
}

static void test_view_machine_lists_are_joined(void **state)
{
	struct fixture *f = *state;
	struct cv_dirlist list;

	assert_string_equal(list_of(f, LIB), "libc.so.6 libcuda.so.1 libcuda.so.570.26 libcudart.so.12 libnvidia-container.so.1 "
					     "libnvidia-ml.so.1 libnvidia-old.so.1 nvidia");
	assert_int_equal(cv_view_list(f->v, LIB, f->a, &list), 0);
	assert_int_equal(list.v[1].type, CV_FT_LNK);
	assert_string_equal(list_of(f, LIB "/nvidia/current"), "libcuda.so.1");
	assert_string_equal(list_of(f, "/usr/bin"), "nvidia-smi");
	assert_string_equal(list_of(f, "/proc"), "version");
	assert_string_equal(list_of(f, "/"), "dev etc lib opt proc sys usr");
	assert_string_equal(list_of(f, "/etc"), "os-release");
	assert_string_equal(list_of(f, "/usr/lib"), "modules python3 x86_64-linux-gnu");
	assert_string_equal(list_of(f, "/usr/lib/python3"), "dist-packages");
	assert_string_equal(list_of(f, "/usr/local/cuda/compat"), "libcuda.so.1");
	assert_string_equal(list_of(f, "/run/nvidia-persistenced"), "pid");
	assert_string_equal(list_of(f, "/nowhere"), "not found");
}

static void test_view_machine_environment_is_the_base_s(void **state)
{
	const char *const set[] = { "HOME=/base" }, *const other[] = { "HOME=/machine", "USER=m" };
	struct cv_view *base, *machine, *v;
	struct fixture *f = *state;
	const char *value;
	struct cv_ids ids;

	assert_int_equal(cv_view_getenv(f->v, "HOME", &value), CV_ENOTASKED);
	assert_int_equal(cv_view_ids(f->v, &ids), CV_ENOTASKED);
	assert_false(f->v->live);
	assert_int_equal(cv_view_tree_new(f->base.dir, NULL, &base), 0);
	assert_int_equal(cv_view_host_new(NULL, &machine), 0);
	assert_int_equal(cv_view_setenv_new(base, set, 1, &base), 0);
	assert_int_equal(cv_view_setenv_new(machine, other, 2, &machine), 0);
	assert_int_equal(cv_view_machine_new(base, machine, &v), 0);
	assert_int_equal(cv_view_getenv(v, "HOME", &value), 0);
	assert_string_equal(value, "/base");
	assert_int_equal(cv_view_getenv(v, "USER", &value), CV_ENOTASKED);
	assert_true(v->live); /* its /proc is that of a running system */
	cv_view_free(v);
}

/* A machine that was recorded: what it was not asked is the base's, but not in /proc. */
static void test_view_machine_from_a_bundle(void **state)
{
	struct fixture *f = *state;
	struct cv_view *tree, *record, *base, *bundle;
	struct cv_str text;
	struct cv_stat st;
	char file[PATH_MAX];

	assert_int_equal(cv_view_tree_new(f->machine.dir, NULL, &tree), 0);
	assert_int_equal(cv_view_record_new(tree, &record), 0);
	assert_int_equal(cv_view_read(record, LIB "/libcuda.so.1", 100, f->a, &text), 0);
	assert_int_equal(cv_view_read(record, "/proc/version", 100, f->a, &text), 0);
	tmptree_path(&f->machine, "bundle", file);
	assert_int_equal(cv_record_write(record, file, NULL, 0, false, NULL), 0);
	cv_view_free(record);
	cv_view_free(f->v);
	assert_int_equal(cv_view_tree_new(f->base.dir, NULL, &base), 0);
	assert_int_equal(cv_view_root_new(file, NULL, &bundle), 0);
	assert_int_equal(cv_view_machine_new(base, bundle, &f->v), 0);
	assert_string_equal(whose(f, LIB "/libcuda.so.1"), "machine");
	assert_string_equal(whose(f, LIB "/libnvidia-ml.so.1"), "base");
	assert_string_equal(whose(f, LIB "/libcudadebugger.so.1"), "not found");
	assert_string_equal(whose(f, "/proc/version"), "machine");
	assert_int_equal(cv_view_stat(f->v, "/proc/uptime", &st), CV_ENOTASKED);
	assert_int_equal(cv_view_stat(f->v, "/dev/nvidia0", &st), CV_ENOTASKED);
}

static void test_view_machine_driver_files(void **state)
{
	static const char *const driver[] = {
		"/usr/lib64/libcuda.so", "/usr/lib/aarch64-linux-gnu/libcuda.so.1", "/lib64/libnvidia-ptxjitcompiler.so.570.26",
		"/usr/lib/wsl/lib/libdxcore.so", "/usr/lib/aarch64-linux-gnu/tegra/libnvrm_gpu.so", "/usr/lib/aarch64-linux-gnu/nvidia/x",
		"/etc/nv_tegra_release", "/lib/modules/6.1.0/updates/nvidia.ko",
		"/lib/firmware/nvidia/570/gsp_ga10x.bin", "/bin/nvidia-smi",
		"/usr/bin/nvidia-modprobe", "/usr/local/nvidia/lib64/libcuda.so.1",
	};
	static const char *const base[] = {
		"/usr/lib64/libcudart.so.12", "/usr/lib64/libcudnn.so.9", "/usr/lib64/libnvidia-container-go.so.1",
		"/usr/lib64/libnvrtc.so.12",
		"/usr/lib/nvidia-cuda-toolkit/bin/nvcc", "/usr/bin/nvidia-ctk", "/usr/bin/nvcc", "/home/x/nvidia-smi",
		"/opt/conda/lib/libcuda.so.1",
		"/usr/lib/x86_64-linux-gnu/stubs/libcuda.so", "/usr/lib/firmware/intel/x", "/etc/ld.so.cache", "/runner/x",
		"/usr/lib/libcudax.so",
	};
	static const char *const machine[] = { "/proc", "/proc/1/maps", "/sys/bus/pci", "/dev/nvidiactl", "/run/nvidia/driver/x" };

	(void)state;
	for (size_t i = 0; i < sizeof(driver) / sizeof(driver[0]); i++)
		if (cv_path_owner(driver[i]) != CV_OWNER_DRIVER)
			fail_msg("%s is a driver file", driver[i]);
	for (size_t i = 0; i < sizeof(base) / sizeof(base[0]); i++)
		if (cv_path_owner(base[i]) != CV_OWNER_BASE)
			fail_msg("%s is no driver file", base[i]);
	for (size_t i = 0; i < sizeof(machine) / sizeof(machine[0]); i++)
		if (cv_path_owner(machine[i]) != CV_OWNER_MACHINE)
			fail_msg("%s is the machine's", machine[i]);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_view_machine_each_path_has_one_owner),
		T(test_view_machine_other_questions_go_the_same_way),
		T(test_view_machine_lists_are_joined),
		T(test_view_machine_environment_is_the_base_s),
		T(test_view_machine_from_a_bundle),
		cmocka_unit_test(test_view_machine_driver_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
