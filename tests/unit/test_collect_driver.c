/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs on PCI, the loaded driver, module files on disk, device nodes, variables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <archive.h>
#include <archive_entry.h>

#include "collect_run.h"

#define GPU0 "0000:65:00.0"

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
	collect_run_go(&run, 7, &cv_collector_os, &cv_collector_kind, &cv_collector_var, &cv_collector_pci, &cv_collector_driver,
		       &cv_collector_kmod, &cv_collector_node);
}

static void add_linux(void)
{
	tmptree_file(&run.tree, "proc/version", "Linux version 6.1.0-31-amd64 (d@b) (gcc-12) #1 SMP\n");
	tmptree_file(&run.tree, "proc/sys/kernel/osrelease", "6.1.0-31-amd64\n");
	tmptree_file(&run.tree, "proc/modules", "ext4 999424 1 - Live 0x0\n");
	tmptree_dir(&run.tree, "sys/bus/pci/devices");
	tmptree_dir(&run.tree, "lib/modules/6.1.0-31-amd64");
}

static void add_pci(const char *pci, const char *vendor, const char *device, const char *class, const char *driver)
{
	char path[200], target[100];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/vendor", pci);
	tmptree_file(&run.tree, path, vendor);
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/device", pci);
	tmptree_file(&run.tree, path, device);
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/class", pci);
	tmptree_file(&run.tree, path, class);
	if (!driver)
		return;
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/driver", pci);
	snprintf(target, sizeof(target), "../../../../bus/pci/drivers/%s", driver);
	tmptree_link(&run.tree, path, target);
}

static void add_driver(void)
{
	tmptree_file(&run.tree, "proc/modules",
		     "nvidia_uvm 1540096 0 - Live 0x0 (OE)\nnvidia 56717312 1 nvidia_uvm, Live 0x0 (OE)\n");
	tmptree_file(&run.tree, "proc/driver/nvidia/version",
		     "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (b@h)  Sat Oct  3\n"
		     "GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n");
	tmptree_file(&run.tree, "sys/module/nvidia/version", "580.159.04\n");
	tmptree_file(&run.tree, "proc/driver/nvidia/gpus/00000000:65:00.0/information",
		     "Model: \t\t NVIDIA H200\nGPU UUID: \t GPU-1\nBus Location: \t 00000000:65:00.0\nDevice Minor: \t 3\n"
		     "GPU Firmware: \t 580.159.04\nGPU Excluded:\t No\n");
}

static void test_collect_driver_healthy(void **state)
{
	(void)state;
	add_linux();
	add_driver();
	add_pci(GPU0, "0x10de\n", "0x2335\n", "0x030200\n", "nvidia");
	add_pci("0000:65:00.1", "0x10de\n", "0x228b\n", "0x040300\n", "snd_hda_intel");
	add_pci("0000:07:00.0", "0x10de\n", "0x22a3\n", "0x068000\n", NULL);
	add_pci("0000:00:02.0", "0x8086\n", "0x46a6\n", "0x030000\n", "i915");
	tmptree_file(&run.tree, "dev/nvidiactl", "");
	tmptree_file(&run.tree, "dev/nvidia3", "");
	tmptree_file(&run.tree, "dev/nvidia-uvm", "");
	tmptree_file(&run.tree, "usr/bin/nvidia-modprobe", "");
	tmptree_chmod(&run.tree, "usr/bin/nvidia-modprobe", 04755);
	go();
	assert_int_equal(cv_facts_count(run.facts, CV_KIND_gpu), 1);
	assert_fact(&run, gpu, GPU0, gpu_device_id, "2335");
	assert_fact(&run, gpu, GPU0, gpu_class, "030200");
	assert_fact(&run, gpu, GPU0, gpu_bound, "nvidia");
	assert_fact(&run, gpu, GPU0, gpu_in_proc, "yes");
	assert_fact(&run, gpu, GPU0, gpu_name, "NVIDIA H200");
	assert_fact(&run, gpu, GPU0, gpu_minor, "3");
	assert_fact(&run, gpu, GPU0, gpu_firmware, "580.159.04");
	assert_fact(&run, gpu, GPU0, gpu_excluded, "no");
	assert_fact(&run, machine, "", machine_pci_devices, "4");
	assert_fact(&run, machine, "", machine_nvswitches, "1");
	assert_fact(&run, driver, "", driver_module_loaded, "yes");
	assert_fact(&run, driver, "", driver_module_version, "580.159.04");
	assert_fact(&run, driver, "", driver_module_open, "yes");
	assert_fact(&run, driver, "", driver_module_names, "nvidia_uvm nvidia");
	assert_fact(&run, driver, "", driver_modprobe_setuid, geteuid() == 0 ? "yes" : "no"); /* root must own it */
	assert_fact(&run, driver, "", driver_tegra, "no");
	assert_fact(&run, node, "/dev/nvidiactl", node_present, "yes");
	assert_fact_state(&run, node, "/dev/nvidiactl", node_usable, CV_NOT_ASKED);
	assert_fact(&run, node, "/dev/nvidia3", node_present, "yes");
	assert_fact(&run, node, "/dev/nvidia-uvm-tools", node_present, "no");
	assert_null(cv_facts_find(run.facts, CV_KIND_node, "/dev/nvidia0"));
}

/* Two sources that disagree are both kept. */
static void test_collect_driver_two_versions(void **state)
{
	const struct cv_value *v;

	(void)state;
	add_linux();
	add_driver();
	tmptree_file(&run.tree, "sys/module/nvidia/version", "580.95.05\n");
	go();
	v = collect_fact(&run, CV_KIND_driver, "", CV_F_driver_module_version);
	assert_string_equal(v->str, "580.159.04");
	assert_non_null(v->next);
	assert_string_equal(v->next->str, "580.95.05");
	assert_string_equal(v->next->prov.path, "/sys/module/nvidia/version");
}

static void test_collect_driver_none(void **state)
{
	(void)state;
	add_linux();
	add_pci(GPU0, "0x10de\n", "0x2684\n", "0x030000\n", NULL);
	go();
	assert_fact(&run, driver, "", driver_module_loaded, "no");
	assert_fact_state(&run, driver, "", driver_module_version, CV_ABSENT);
	assert_fact_state(&run, driver, "", driver_module_open, CV_ABSENT);
	assert_fact_state(&run, driver, "", driver_modprobe_setuid, CV_ABSENT);
	assert_fact_state(&run, gpu, GPU0, gpu_bound, CV_ABSENT);
	assert_fact_state(&run, gpu, GPU0, gpu_in_proc, CV_ABSENT);
	assert_fact(&run, node, "/dev/nvidiactl", node_present, "no");
	assert_fact(&run, driver, "", driver_modules_seen, "yes");
	assert_int_equal(cv_facts_count(run.facts, CV_KIND_kmod), 0);
}

static void test_collect_driver_nouveau(void **state)
{
	(void)state;
	add_linux();
	add_pci(GPU0, "0x10de\n", "0x1b06\n", "0x030000\n", "nouveau");
	tmptree_file(&run.tree, "proc/modules", "nouveau 2469888 6 - Live 0x0\n");
	go();
	assert_fact(&run, gpu, GPU0, gpu_bound, "nouveau");
	assert_fact(&run, driver, "", driver_module_loaded, "no");
	assert_fact(&run, driver, "", driver_module_names, "nouveau");
}

/* The driver knows one GPU, PCI shows two: it has dropped the other. */
static void test_collect_driver_dropped_gpu(void **state)
{
	(void)state;
	add_linux();
	add_driver();
	add_pci(GPU0, "0x10de\n", "0x2335\n", "0x030200\n", "nvidia");
	add_pci("0000:a0:00.0", "0x10de\n", "0x1db6\n", "0x030200\n", NULL);
	go();
	assert_int_equal(cv_facts_count(run.facts, CV_KIND_gpu), 2);
	assert_fact(&run, gpu, GPU0, gpu_in_proc, "yes");
	assert_fact(&run, gpu, "0000:a0:00.0", gpu_in_proc, "no");
	assert_fact_state(&run, gpu, "0000:a0:00.0", gpu_bound, CV_ABSENT);
}

static void test_collect_driver_bound_by_uevent(void **state)
{
	(void)state;
	add_linux();
	add_pci(GPU0, "0x10de\n", "0x2335\n", "0x030200\n", NULL);
	tmptree_file(&run.tree, "sys/bus/pci/devices/" GPU0 "/uevent", "DRIVER=vfio-pci\nPCI_CLASS=30200\nPCI_ID=10DE:2335\n");
	go();
	assert_fact(&run, gpu, GPU0, gpu_bound, "vfio-pci");
}

static void test_collect_driver_damaged(void **state)
{
	(void)state;
	add_linux();
	add_driver();
	tmptree_file(&run.tree, "proc/driver/nvidia/version", "rubbish\n");
	tmptree_file(&run.tree, "sys/module/nvidia/version", "");
	tmptree_file(&run.tree, "proc/driver/nvidia/gpus/00000000:65:00.0/information", "\1\2");
	go();
	assert_fact(&run, driver, "", driver_module_loaded, "yes");
	assert_fact_state(&run, driver, "", driver_module_version, CV_UNPARSED);
	assert_fact_state(&run, driver, "", driver_module_open, CV_UNPARSED);
	assert_fact_state(&run, gpu, GPU0, gpu_name, CV_UNPARSED);
	assert_fact(&run, gpu, GPU0, gpu_in_proc, "yes");
}

static void test_collect_driver_image_knows_nothing(void **state)
{
	(void)state;
	tmptree_dir(&run.tree, "proc");
	tmptree_dir(&run.tree, "dev");
	go();
	assert_fact_state(&run, driver, "", driver_module_loaded, CV_NOT_ASKED);
	assert_fact_state(&run, driver, "", driver_module_version, CV_NOT_ASKED);
	assert_fact_state(&run, driver, "", driver_module_names, CV_NOT_ASKED);
	assert_fact_state(&run, node, "/dev/nvidiactl", node_present, CV_NOT_ASKED);
}

static void test_collect_driver_wsl_nodes(void **state)
{
	(void)state;
	add_linux();
	tmptree_file(&run.tree, "proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n");
	tmptree_file(&run.tree, "dev/dxg", "");
	go();
	assert_int_equal(cv_facts_count(run.facts, CV_KIND_node), 1);
	assert_fact(&run, node, "/dev/dxg", node_present, "yes");
}

static void put(unsigned char *p, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (unsigned char)(v >> 8 * i);
}

#define KO_MODINFO 64
#define KO_NAMES 0x400
#define KO_SECTIONS 0x500
#define KO_SIZE (KO_SECTIONS + 3 * 64)

/* A relocatable ELF file with a .modinfo section; returns its size. */
static size_t make_ko(unsigned char *b, const char *modinfo, size_t n, bool with_signature)
{
	static const char names[] = "\0.modinfo\0.shstrtab";
	static const char signature[] = "~Module signature appended~\n";

	memset(b, 0, KO_SIZE);
	memcpy(b, "\x7f" "ELF\2\1\1", 7);
	put(b + 16, 1, 2);
	put(b + 18, 62, 2);
	put(b + 20, 1, 4);
	put(b + 40, KO_SECTIONS, 8);
	put(b + 52, 64, 2);
	put(b + 58, 64, 2);
	put(b + 60, 3, 2);
	put(b + 62, 2, 2);
	memcpy(b + KO_MODINFO, modinfo, n);
	memcpy(b + KO_NAMES, names, sizeof(names));
	put(b + KO_SECTIONS + 64, 1, 4);
	put(b + KO_SECTIONS + 64 + 4, 1, 4);
	put(b + KO_SECTIONS + 64 + 24, KO_MODINFO, 8);
	put(b + KO_SECTIONS + 64 + 32, n, 8);
	put(b + KO_SECTIONS + 128, 10, 4);
	put(b + KO_SECTIONS + 128 + 4, 3, 4);
	put(b + KO_SECTIONS + 128 + 24, KO_NAMES, 8);
	put(b + KO_SECTIONS + 128 + 32, sizeof(names), 8);
	if (!with_signature)
		return KO_SIZE;
	memcpy(b + KO_SIZE, signature, sizeof(signature) - 1);
	return KO_SIZE + sizeof(signature) - 1;
}

static const char open_info[] = "license=Dual MIT/GPL\0srcversion=1.2\0version=570.86.15\0vermagic=6.1.0";
static const char closed_info[] = "version=535.216.01\0license=NVIDIA";

static void add_ko(const char *path, const char *info, size_t n, bool with_signature)
{
	unsigned char b[KO_SIZE + 64];

	tmptree_bytes(&run.tree, path, b, make_ko(b, info, n, with_signature));
}

static void test_collect_kmod_plain(void **state)
{
	static const char running[] = "/lib/modules/6.1.0-31-amd64/updates/dkms/nvidia.ko";
	static const char other[] = "/lib/modules/6.1.0-28-amd64/kernel/drivers/video/nvidia-current.ko";

	(void)state;
	add_linux();
	add_ko(running + 1, open_info, sizeof(open_info), true);
	add_ko(other + 1, closed_info, sizeof(closed_info), false);
	add_ko("lib/modules/6.1.0-31-amd64/updates/dkms/nvidia-uvm.ko", open_info, sizeof(open_info), false);
	tmptree_file(&run.tree, "lib/modules/6.1.0-31-amd64/modules.dep",
		     "updates/dkms/nvidia.ko:\nkernel/fs/x.ko: kernel/y.ko\n");
	go();
	assert_int_equal(cv_facts_count(run.facts, CV_KIND_kmod), 2);
	assert_fact(&run, kmod, running, kmod_version, "570.86.15");
	assert_fact(&run, kmod, running, kmod_open, "yes");
	assert_fact(&run, kmod, running, kmod_signed, "yes");
	assert_fact(&run, kmod, running, kmod_kernel, "6.1.0-31-amd64");
	assert_fact(&run, kmod, other, kmod_version, "535.216.01");
	assert_fact(&run, kmod, other, kmod_open, "no");
	assert_fact(&run, kmod, other, kmod_signed, "no");
	assert_fact(&run, kmod, other, kmod_kernel, "6.1.0-28-amd64");
}

static void add_packed(const char *path, int (*filter)(struct archive *), const char *info, size_t n)
{
	static unsigned char plain[400000], packed[500000];
	struct archive *a = archive_write_new();
	struct archive_entry *e = archive_entry_new();
	size_t at = 300000, used = 0;

	/* text that does not pack away to nothing, so that the stream has several pieces */
	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (unsigned char)((i * 2654435761u) >> 13);
	plain[at - 1] = 0;
	memcpy(plain + at, info, n);
	assert_int_equal(archive_write_set_format_raw(a), ARCHIVE_OK);
	assert_int_equal(filter(a), ARCHIVE_OK);
	assert_int_equal(archive_write_open_memory(a, packed, sizeof(packed), &used), ARCHIVE_OK);
	archive_entry_set_filetype(e, AE_IFREG);
	assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
	assert_int_equal(archive_write_data(a, plain, sizeof(plain)), sizeof(plain));
	archive_entry_free(e);
	archive_write_close(a);
	archive_write_free(a);
	tmptree_bytes(&run.tree, path, packed, used);
}

static void test_collect_kmod_packed(void **state)
{
	static const char zst[] = "/lib/modules/6.1.0-31-amd64/kernel/nvidia-570-open/nvidia.ko.zst";
	static const char other[] = "/lib/modules/6.1.0-28-amd64/extra/nvidia.ko.xz";

	(void)state;
	add_linux();
	add_packed(zst + 1, archive_write_add_filter_zstd, open_info, sizeof(open_info));
	add_packed(other + 1, archive_write_add_filter_xz, open_info, sizeof(open_info));
	go();
	assert_fact(&run, kmod, zst, kmod_version, "570.86.15");
	assert_fact(&run, kmod, zst, kmod_open, "yes");
	assert_fact(&run, kmod, zst, kmod_signed, "no");
	/* of another kernel: not unpacked */
	assert_fact_state(&run, kmod, other, kmod_version, CV_NOT_ASKED);
}

static void test_collect_kmod_xz_only_where_nothing_is_loaded(void **state)
{
	static const char xz[] = "/lib/modules/6.1.0-31-amd64/extra/nvidia.ko.xz";

	(void)state;
	add_linux();
	add_packed(xz + 1, archive_write_add_filter_xz, closed_info, sizeof(closed_info));
	go();
	assert_fact(&run, kmod, xz, kmod_version, "535.216.01");
	assert_fact(&run, kmod, xz, kmod_open, "no");
	collect_run_done(&run);
	collect_run_init(&run);
	add_linux();
	add_driver();
	add_packed(xz + 1, archive_write_add_filter_xz, closed_info, sizeof(closed_info));
	go();
	assert_fact_state(&run, kmod, xz, kmod_version, CV_NOT_ASKED);
}

static void test_collect_kmod_damaged(void **state)
{
	static const char plain[] = "/lib/modules/6.1.0-31-amd64/updates/dkms/nvidia.ko";
	static const char packed[] = "/lib/modules/6.1.0-31-amd64/extra/nvidia.ko.zst";

	(void)state;
	add_linux();
	tmptree_file(&run.tree, plain + 1, "\x7f" "ELF");
	tmptree_file(&run.tree, packed + 1, "\x28\xb5\x2f\xfd no zstd");
	go();
	assert_fact_state(&run, kmod, plain, kmod_version, CV_UNPARSED);
	assert_fact_state(&run, kmod, plain, kmod_signed, CV_UNPARSED);
	assert_fact_state(&run, kmod, packed, kmod_version, CV_UNPARSED);
}

static void test_collect_var(void **state)
{
	(void)state;
	run.env[run.env_n++] = "CUDA_VISIBLE_DEVICES=";
	run.env[run.env_n++] = "CUDA_HOME=/usr/local/cuda";
	go();
	assert_fact(&run, var, "CUDA_VISIBLE_DEVICES", var_value, "");
	assert_fact(&run, var, "CUDA_HOME", var_value, "/usr/local/cuda");
	/* a tree has no environment but what was set */
	assert_fact_state(&run, var, "LD_PRELOAD", var_value, CV_NOT_ASKED);
	/* known from the kb alone */
	assert_fact_state(&run, var, "CUDA_LAUNCH_BLOCKING", var_value, CV_NOT_ASKED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_collect_driver_healthy, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_driver_two_versions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_driver_none, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_driver_nouveau, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_driver_dropped_gpu, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_driver_bound_by_uevent, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_driver_damaged, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_driver_image_knows_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_driver_wsl_nodes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_kmod_plain, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_kmod_packed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_kmod_xz_only_where_nothing_is_loaded, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_kmod_damaged, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collect_var, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
