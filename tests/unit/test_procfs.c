/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cuvet/err.h"
#include "parse/procfs.h"

static struct cv_arena *arena;

static int setup(void **state)
{
	(void)state;
	arena = cv_arena_new((size_t)1 << 20);
	return arena ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	cv_arena_free(arena);
	return 0;
}

#define assert_str(s, text) assert_true(cv_str_is((s), (text)))

static void test_procfs_modules(void **state)
{
	struct cv_str rest = CV_STR("nvidia_uvm 1540096 0 - Live 0x0000000000000000 (OE)\nrubbish\n\n"
				    "nvidia 56717312 2 nvidia_uvm,nvidia_modeset, Loading 0x0 (POE)\nold 1 0\n");
	struct cv_procmodule m;
	unsigned line = 0;

	(void)state;
	assert_true(cv_procmodules_next(&rest, &line, &m));
	assert_str(m.name, "nvidia_uvm");
	assert_true(m.live);
	assert_int_equal(m.line, 1);
	assert_true(cv_procmodules_next(&rest, &line, &m));
	assert_str(m.name, "nvidia");
	assert_false(m.live);
	assert_int_equal(m.line, 4);
	assert_true(cv_procmodules_next(&rest, &line, &m));
	assert_str(m.name, "old");
	assert_true(m.live);
	assert_false(cv_procmodules_next(&rest, &line, &m));
}

static void test_procfs_cpuinfo(void **state)
{
	struct cv_cpuinfo cpu;

	(void)state;
	assert_int_equal(cv_cpuinfo_parse(CV_STR("processor\t: 0\nmodel name\t: Xeon: 8480\nflags\t\t: fpu avx2 \n\n"
						 "processor\t: 1\nmodel name\t: other\n"),
					  &cpu),
			 0);
	assert_str(cpu.model, "Xeon: 8480");
	assert_int_equal(cpu.model_line, 2);
	assert_str(cpu.flags, "fpu avx2");
	assert_int_equal(cpu.flags_line, 3);
	assert_int_equal(
		cv_cpuinfo_parse(CV_STR("processor\t: 0\nBogoMIPS\t: 62.50\nFeatures\t: fp asimd sve\nCPU implementer\t: 0x41\n"
					"CPU part\t: 0xd42\n"),
				 &cpu),
		0);
	assert_int_equal(cpu.model.n, 0);
	assert_str(cpu.flags, "fp asimd sve");
	assert_str(cpu.part, "0xd42");
	assert_int_equal(cv_cpuinfo_parse(CV_STR("\n\n"), &cpu), CV_EFORMAT);
}

static void test_procfs_mountinfo(void **state)
{
	struct cv_str rest = CV_STR(
		"22 1 0:50 / / rw,relatime shared:1 master:2 - overlay over\\040lay rw,lowerdir=/var/lib/docker/overlay2/l/A\n"
		"cut off\n"
		"30 22 0:53 /a\\011b /dev/shm rw,nosuid - tmpfs shm rw,size=65536k,mode=1777\n"
		"31 22 0:54 / /x rw - proc none\n");
	struct cv_mount m;
	uint64_t bytes;
	unsigned line = 0;

	(void)state;
	assert_true(cv_mountinfo_next(&rest, &line, arena, &m));
	assert_string_equal(m.point, "/");
	assert_string_equal(m.type, "overlay");
	assert_string_equal(m.source, "over lay");
	assert_false(cv_mount_size(m.options, &bytes));
	assert_true(cv_mountinfo_next(&rest, &line, arena, &m));
	assert_string_equal(m.root, "/a\tb");
	assert_int_equal(m.line, 3);
	assert_true(cv_mount_size(m.options, &bytes));
	assert_int_equal(bytes, 65536 * 1024);
	assert_true(cv_mountinfo_next(&rest, &line, arena, &m));
	assert_int_equal(m.options.n, 0);
	assert_false(cv_mountinfo_next(&rest, &line, arena, &m));
}

static void test_procfs_mount_size(void **state)
{
	uint64_t bytes = 7;

	(void)state;
	assert_true(cv_mount_size(CV_STR("rw,size=8g"), &bytes));
	assert_int_equal(bytes, (uint64_t)8 << 30);
	assert_true(cv_mount_size(CV_STR("size=512"), &bytes));
	assert_int_equal(bytes, 512);
	assert_false(cv_mount_size(CV_STR("size=50%"), &bytes));
	assert_false(cv_mount_size(CV_STR("size="), &bytes));
	assert_false(cv_mount_size(CV_STR("size=99999999999999999999k"), &bytes));
	assert_false(cv_mount_size(CV_STR("size=18446744073709551615k"), &bytes));
	assert_int_equal(bytes, 512);
}

static void test_procfs_meminfo(void **state)
{
	uint64_t bytes;

	(void)state;
	assert_true(cv_meminfo_bytes(CV_STR("MemTotal:       24684092 kB\nMemFree: 1 kB\n"), "MemTotal", &bytes));
	assert_int_equal(bytes, (uint64_t)24684092 * 1024);
	assert_false(cv_meminfo_bytes(CV_STR("MemTotalX: 1 kB\n"), "MemTotal", &bytes));
	assert_false(cv_meminfo_bytes(CV_STR("MemTotal: x kB\n"), "MemTotal", &bytes));
}

static void test_procfs_cgroup(void **state)
{
	static const struct {
		const char *text, *kind;
		unsigned line;
	} rows[] = {
		{ "12:pids:/docker/0123abc\n", "docker", 1 },
		{ "0::/system.slice/docker-0123abc.scope\n", "docker", 1 },
		{ "1:cpu:/\n0::/kubepods.slice/kubepods-besteffort.slice/cri-containerd-0123.scope\n", "kubernetes", 2 },
		{ "0::/machine.slice/libpod-0123.scope/container\n", "podman", 1 },
		{ "0::/lxc.payload.web/init.scope\n", "lxc", 1 },
		{ "0::/machine.slice/systemd-nspawn@deb.service/payload/init.scope\n", "nspawn", 1 },
		{ "0::/machine.slice/machine-qemu\\x2d1\\x2dvm.scope\n", NULL, 0 },
		{ "0::/system.slice/docker.service\n", NULL, 0 },
		{ "0::/user.slice/user-1000.slice/docker\n", NULL, 0 },
		{ "0::/\n", NULL, 0 },
		{ "rubbish\n:\n::\n", NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned line = 0;
		const char *kind = cv_cgroup_container(cv_str_of(rows[i].text), &line);

		if (rows[i].kind)
			assert_string_equal(kind, rows[i].kind);
		else
			assert_null(kind);
		assert_int_equal(line, rows[i].line);
	}
}

static void test_procfs_kernels(void **state)
{
	(void)state;
	assert_true(cv_version_is_gvisor(CV_STR("Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016\n")));
	assert_true(cv_version_is_gvisor(CV_STR("Linux version 4.19.0-gvisor #1 SMP Sun Jan 10 15:06:54 PST 2016\n")));
	assert_false(cv_version_is_gvisor(
		CV_STR("Linux version 4.4.0-21-generic (buildd@lgw01-21) (gcc version 5.3.1) #37-Ubuntu SMP\n")));
	assert_false(cv_version_is_gvisor(CV_STR("")));
	assert_int_equal(cv_osrelease_wsl(CV_STR("5.15.153.1-microsoft-standard-WSL2\n")), 2);
	assert_int_equal(cv_osrelease_wsl(CV_STR("4.4.0-19041-Microsoft\n")), 1);
	assert_int_equal(cv_osrelease_wsl(CV_STR("6.1.0-31-amd64\n")), 0);
	assert_int_equal(cv_osrelease_wsl(CV_STR("")), 0);
}

static void test_procfs_nul_lists(void **state)
{
	struct cv_str rest = { "a\0bc\0\0d", 7 };
	struct cv_str item;

	(void)state;
	assert_true(cv_nul_next(&rest, &item));
	assert_str(item, "a");
	assert_true(cv_nul_next(&rest, &item));
	assert_str(item, "bc");
	assert_true(cv_nul_next(&rest, &item));
	assert_int_equal(item.n, 0);
	assert_true(cv_nul_next(&rest, &item));
	assert_str(item, "d");
	assert_false(cv_nul_next(&rest, &item));
}

static void test_procfs_devtree(void **state)
{
	struct cv_str chip;

	(void)state;
	assert_true(cv_devtree_tegra((struct cv_str){ "nvidia,p3737-0000+p3701-0000\0nvidia,p3701-0000\0nvidia,tegra234\0", 63 },
				     &chip));
	assert_str(chip, "tegra234");
	assert_true(cv_devtree_tegra((struct cv_str){ "nvidia,p3971-0089\0nvidia,tegra264\0", 34 }, &chip));
	assert_str(chip, "tegra264");
	assert_false(cv_devtree_tegra(CV_STR("raspberrypi,5-model-b"), &chip));
	assert_false(cv_devtree_tegra(CV_STR("nvidia,tegra234-gpcdma"), &chip));
	assert_false(cv_devtree_tegra(CV_STR("nvidia,tegra"), &chip));
}

static void test_procfs_uevent_and_efi(void **state)
{
	struct cv_str value;
	unsigned byte = 9;

	(void)state;
	assert_true(cv_uevent_get(CV_STR("DRIVER=nvidia\nPCI_ID=10DE:2330\n"), "PCI_ID", &value));
	assert_str(value, "10DE:2330");
	assert_false(cv_uevent_get(CV_STR("DRIVER=nvidia\n"), "DRIVE", &value));
	assert_int_equal(cv_efivar_byte((struct cv_str){ "\x06\0\0\0\1", 5 }, &byte), 0);
	assert_int_equal(byte, 1);
	assert_int_equal(cv_efivar_byte((struct cv_str){ "\x06\0\0\0", 4 }, &byte), CV_EFORMAT);
	assert_int_equal(byte, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_procfs_modules, setup, teardown),
		cmocka_unit_test_setup_teardown(test_procfs_cpuinfo, setup, teardown),
		cmocka_unit_test_setup_teardown(test_procfs_mountinfo, setup, teardown),
		cmocka_unit_test_setup_teardown(test_procfs_mount_size, setup, teardown),
		cmocka_unit_test_setup_teardown(test_procfs_meminfo, setup, teardown),
		cmocka_unit_test_setup_teardown(test_procfs_cgroup, setup, teardown),
		cmocka_unit_test_setup_teardown(test_procfs_kernels, setup, teardown),
		cmocka_unit_test_setup_teardown(test_procfs_nul_lists, setup, teardown),
		cmocka_unit_test_setup_teardown(test_procfs_devtree, setup, teardown),
		cmocka_unit_test_setup_teardown(test_procfs_uevent_and_efi, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
