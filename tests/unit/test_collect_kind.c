/* SPDX-License-Identifier: Apache-2.0 */
/* What kind of machine a tree is: operating system, container, WSL, Jetson, virtual machine, gVisor. */
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
	collect_run_go(&run, 3, &cv_collector_os, &cv_collector_kind, &cv_collector_pci);
}

static void add_linux(void)
{
	tmptree_file(&run.tree, "proc/version", "Linux version 6.1.0-31-amd64 (d@b) (gcc-12) #1 SMP\n");
	tmptree_file(&run.tree, "proc/sys/kernel/osrelease", "6.1.0-31-amd64\n");
	tmptree_file(&run.tree, "proc/1/cgroup", "0::/init.scope\n");
	tmptree_file(&run.tree, "proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
						       "25 22 0:23 / /dev/shm rw - tmpfs tmpfs rw,size=8142000k\n");
	tmptree_dir(&run.tree, "sys/bus/pci/devices");
}

static void test_collect_kind_bare(void **state)
{
	(void)state;
	add_linux();
	tmptree_file(&run.tree, "etc/os-release",
		     "ID=debian\nVERSION_ID=\"12\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
	tmptree_file(&run.tree, "sys/class/dmi/id/sys_vendor", "Dell Inc.\n");
	go();
	assert_fact(&run, machine, "", machine_os_id, "debian");
	assert_fact(&run, machine, "", machine_os_version, "12");
	assert_fact(&run, machine, "", machine_kernel, "6.1.0-31-amd64");
	assert_fact(&run, machine, "", machine_shm_bytes, "8337408000");
	assert_fact_state(&run, machine, "", machine_container, CV_ABSENT);
	assert_fact_state(&run, machine, "", machine_wsl, CV_ABSENT);
	assert_fact_state(&run, machine, "", machine_jetson, CV_ABSENT);
	assert_fact_state(&run, machine, "", machine_vm, CV_ABSENT);
	assert_fact(&run, machine, "", machine_gvisor, "no");
	assert_fact(&run, machine, "", machine_gpu_scan, "yes");
	assert_fact(&run, machine, "", machine_live, "no");
}

/* An image has empty /proc and /sys: nothing of the running system is known, and nothing is absent. */
static void test_collect_kind_image_knows_no_machine(void **state)
{
	(void)state;
	tmptree_dir(&run.tree, "proc");
	tmptree_dir(&run.tree, "sys");
	tmptree_file(&run.tree, "usr/lib/os-release", "ID=alpine\n");
	go();
	assert_fact(&run, machine, "", machine_os_id, "alpine");
	assert_fact_state(&run, machine, "", machine_os_version, CV_ABSENT);
	assert_fact_state(&run, machine, "", machine_kernel, CV_NOT_ASKED);
	assert_fact_state(&run, machine, "", machine_cpu_model, CV_NOT_ASKED);
	assert_fact_state(&run, machine, "", machine_container, CV_NOT_ASKED);
	assert_fact_state(&run, machine, "", machine_wsl, CV_NOT_ASKED);
	assert_fact_state(&run, machine, "", machine_gvisor, CV_NOT_ASKED);
	assert_fact_state(&run, machine, "", machine_vm, CV_NOT_ASKED);
	assert_fact_state(&run, machine, "", machine_shm_bytes, CV_NOT_ASKED);
	assert_fact_state(&run, machine, "", machine_pci_devices, CV_NOT_ASKED);
	assert_fact_state(&run, machine, "", machine_gpu_scan, CV_NOT_ASKED);
	assert_fact_state(&run, machine, "", machine_arch, CV_ABSENT);
}

static void test_collect_kind_docker_by_overlay(void **state)
{
	(void)state;
	add_linux();
	tmptree_file(&run.tree, "proc/self/mountinfo",
		     "22 1 0:50 / / rw - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A\n"
		     "25 22 0:53 / /dev/shm rw - tmpfs shm rw,size=65536k\n");
	go();
	assert_fact(&run, machine, "", machine_container, "docker");
	assert_fact_from(&run, machine, "", machine_container, "/proc/self/mountinfo");
	assert_fact(&run, machine, "", machine_shm_bytes, "67108864");
	assert_fact_state(&run, machine, "", machine_secure_boot, CV_NOT_ASKED);
}

static void test_collect_kind_dockerenv(void **state)
{
	(void)state;
	tmptree_file(&run.tree, ".dockerenv", "");
	go();
	assert_fact(&run, machine, "", machine_container, "docker");
	assert_fact_from(&run, machine, "", machine_container, "/.dockerenv");
}

/* An image that was written to a disk and booted keeps the file. */
static void test_collect_kind_dockerenv_on_a_disk(void **state)
{
	(void)state;
	add_linux();
	tmptree_file(&run.tree, ".dockerenv", "");
	go();
	assert_fact_state(&run, machine, "", machine_container, CV_ABSENT);
}

static void test_collect_kind_kubernetes_by_variable(void **state)
{
	(void)state;
	add_linux();
	tmptree_file(&run.tree, ".dockerenv", "");
	run.env[run.env_n++] = "KUBERNETES_SERVICE_HOST=10.0.0.1";
	go();
	assert_fact(&run, machine, "", machine_container, "kubernetes");
	assert_fact_from(&run, machine, "", machine_container, "environment");
}

static void test_collect_kind_podman_and_apptainer(void **state)
{
	(void)state;
	add_linux();
	tmptree_file(&run.tree, "run/.containerenv", "");
	go();
	assert_fact(&run, machine, "", machine_container, "podman");
	collect_run_done(&run);
	collect_run_init(&run);
	tmptree_dir(&run.tree, ".singularity.d");
	go();
	assert_fact(&run, machine, "", machine_container, "apptainer");
}

static void test_collect_kind_wsl2(void **state)
{
	(void)state;
	add_linux();
	tmptree_file(&run.tree, "proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n");
	go();
	assert_fact(&run, machine, "", machine_wsl, "2");
	/* its PCI bus is there, and shows no GPU */
	assert_fact_state(&run, machine, "", machine_gpu_scan, CV_NOT_ASKED);
	assert_int_equal(cv_facts_count(run.facts, CV_KIND_gpu), 0);
}

static void add_devtree(const char *compatible, size_t n, const char *model)
{
	tmptree_bytes(&run.tree, "sys/firmware/devicetree/base/compatible", compatible, n);
	tmptree_bytes(&run.tree, "sys/firmware/devicetree/base/model", model, strlen(model) + 1);
	tmptree_link(&run.tree, "proc/device-tree", "/sys/firmware/devicetree/base");
}

static void test_collect_kind_jetson_orin(void **state)
{
	(void)state;
	add_linux();
	add_devtree("nvidia,p3701-0000\0nvidia,tegra234", 34, "NVIDIA Jetson AGX Orin Developer Kit");
	tmptree_file(&run.tree, "etc/nv_tegra_release", "# R36 (release), REVISION: 4.3, GCID: 1, BOARD: generic\n");
	go();
	assert_fact(&run, machine, "", machine_jetson, "NVIDIA Jetson AGX Orin Developer Kit");
	assert_fact(&run, machine, "", machine_l4t, "36.4.3");
	assert_fact(&run, gpu, "tegra", gpu_chip, "tegra234");
	assert_fact(&run, machine, "", machine_gpu_scan, "yes");
}

static void add_gpu(const char *pci, const char *device, const char *class)
{
	char path[200];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/vendor", pci);
	tmptree_file(&run.tree, path, "0x10de\n");
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/device", pci);
	tmptree_file(&run.tree, path, device);
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/class", pci);
	tmptree_file(&run.tree, path, class);
}

/* Thor's own GPU is on PCI: one GPU, not two. */
static void test_collect_kind_jetson_thor(void **state)
{
	(void)state;
	add_linux();
	add_devtree("nvidia,p3971-0089\0nvidia,tegra264", 34, "NVIDIA Jetson AGX Thor Developer Kit");
	add_gpu("0000:01:00.0", "0x2b00\n", "0x030200\n");
	go();
	assert_int_equal(cv_facts_count(run.facts, CV_KIND_gpu), 1);
	assert_fact(&run, gpu, "0000:01:00.0", gpu_chip, "tegra264");
	assert_fact_state(&run, machine, "", machine_l4t, CV_ABSENT);
}

/* docker masks /sys/firmware; the SoC's number is still there. */
static void test_collect_kind_jetson_container(void **state)
{
	(void)state;
	add_linux();
	tmptree_file(&run.tree, "sys/devices/soc0/family", "Tegra\n");
	tmptree_file(&run.tree, "sys/devices/soc0/soc_id", "35\n");
	tmptree_file(&run.tree, "sys/devices/soc0/machine", "NVIDIA Jetson Orin NX\n");
	go();
	assert_fact(&run, machine, "", machine_jetson, "NVIDIA Jetson Orin NX");
	assert_fact(&run, gpu, "tegra", gpu_chip, "tegra234");
}

static void test_collect_kind_gvisor(void **state)
{
	(void)state;
	tmptree_file(&run.tree, "proc/version", "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016\n");
	go();
	assert_fact(&run, machine, "", machine_gvisor, "yes");
	assert_fact(&run, machine, "", machine_container, "other");
	assert_fact_state(&run, machine, "", machine_gpu_scan, CV_NOT_ASKED);
}

static void test_collect_kind_vm(void **state)
{
	(void)state;
	add_linux();
	tmptree_file(&run.tree, "sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
	tmptree_file(&run.tree, "sys/class/dmi/id/product_name", "g5.xlarge\n");
	go();
	assert_fact(&run, machine, "", machine_vm, "Amazon EC2");
	collect_run_done(&run);
	collect_run_init(&run);
	add_linux();
	tmptree_file(&run.tree, "sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
	tmptree_file(&run.tree, "sys/class/dmi/id/product_name", "p5.metal\n");
	go();
	assert_fact_state(&run, machine, "", machine_vm, CV_ABSENT);
	collect_run_done(&run);
	collect_run_init(&run);
	add_linux();
	tmptree_file(&run.tree, "proc/cpuinfo", "model name : x\nflags : fpu avx2 hypervisor\n");
	go();
	assert_fact(&run, machine, "", machine_vm, "unnamed hypervisor");
	assert_fact(&run, machine, "", machine_cpu_flags, "avx2 hypervisor");
}

static void test_collect_kind_secure_boot(void **state)
{
	static const char path[] = "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";

	(void)state;
	add_linux();
	tmptree_bytes(&run.tree, path, "\6\0\0\0\1", 5);
	go();
	assert_fact(&run, machine, "", machine_secure_boot, "yes");
	collect_run_done(&run);
	collect_run_init(&run);
	add_linux();
	tmptree_bytes(&run.tree, path, "\6\0\0\0", 4);
	go();
	assert_fact_state(&run, machine, "", machine_secure_boot, CV_UNPARSED);
}

static void test_collect_os_damaged(void **state)
{
	(void)state;
	add_linux();
	tmptree_file(&run.tree, "etc/os-release", "\1\2\3");
	tmptree_file(&run.tree, "proc/cpuinfo", "");
	tmptree_file(&run.tree, "bin/sh", "\x7f" "ELF");
	go();
	assert_fact_state(&run, machine, "", machine_os_id, CV_UNPARSED);
	assert_fact_state(&run, machine, "", machine_cpu_flags, CV_UNPARSED);
	assert_fact_state(&run, machine, "", machine_arch, CV_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_collect_kind_bare, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_kind_image_knows_no_machine, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_kind_docker_by_overlay, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_kind_dockerenv, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_kind_dockerenv_on_a_disk, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_kind_kubernetes_by_variable, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_kind_podman_and_apptainer, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_kind_wsl2, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_kind_jetson_orin, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_kind_jetson_thor, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_kind_jetson_container, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_kind_gvisor, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_kind_vm, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_kind_secure_boot, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_os_damaged, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
