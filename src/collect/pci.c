/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The NVIDIA GPUs that PCI shows, and what the driver says of each.
 *
 * sysfs lists every device of the host, inside containers too. A GPU has class 0300xx (VGA) or 0302xx (3D); a card's audio, USB
 * and serial functions are other classes of the same vendor and no GPUs; NVSwitches are bridges (0680xx), counted apart.
 *
 * The driver's own list, /proc/driver/nvidia/gpus, names the same devices by address, its domain in four or eight digits. A GPU
 * that only one of the two shows is a finding's business, so both are kept: the class comes from PCI, in_proc from the driver.
 *
 * Where PCI cannot show the GPU (WSL, gVisor, no /sys) an empty list means nothing: machine.gpu_scan says so. It is "known, yes"
 * only when all GPUs of the machine would have been seen. An integrated GPU (Tegra) is told by the device tree. Up to Orin it has
 * no PCI device and gets the key "tegra"; Thor's is a PCI device like any other (10de:2b00), so it is only given its chip.
 */
#include "collect/registry.h"
#include "collect/see.h"
#include "parse/nvproc.h"
#include "parse/procfs.h"

#define PCI_DIR "/sys/bus/pci/devices"
#define PROC_DIR "/proc/driver/nvidia/gpus"
#define DEVTREE "/proc/device-tree/compatible"
#define SOC_DIR "/sys/devices/soc0"
#define GPUS_MAX 1024

static struct cv_prov prov(const char *path)
{
	return cv_see_prov("pci", path, 0);
}

/* A hexadecimal number file ("0x10de") of a device; false where it cannot be read. */
static bool read_hex(struct cv_collect_ctx *c, const char *dir, const char *name, uint64_t *ret)
{
	const char *line;

	return cv_view_read_line(c->view, cv_path_join(c->scratch, dir, name), c->scratch, &line) == 0 &&
	       cv_str_hex(cv_str_of(line), ret);
}

/* The link "driver"; copies of /sys that lost their links still have its name in uevent. */
static void put_bound(struct cv_collect_ctx *c, struct cv_subject *s, const char *dir)
{
	const char *link = cv_path_join(c->scratch, dir, "driver");
	const char *uevent = cv_path_join(c->scratch, dir, "uevent");
	struct cv_str text, name;
	const char *target;
	int r = cv_view_readlink(c->view, link, c->scratch, &target);

	if (r == 0)
		cv_facts_str(c->facts, s, CV_F_gpu_bound, cv_basename(target), prov(link));
	else if (cv_see_text(c, uevent, &text) == 0 && cv_uevent_get(text, "DRIVER", &name))
		cv_facts_str(c->facts, s, CV_F_gpu_bound, cv_str_dup(c->scratch, name), prov(uevent));
	else
		cv_see_fail(c, s, CV_F_gpu_bound, r, prov(link));
}

/* One PCI device; counts bridges of NVLink up in *switches. */
static void see_device(struct cv_collect_ctx *c, const char *name, uint64_t *switches)
{
	const char *dir = cv_path_join(c->scratch, PCI_DIR, name);
	const char *key = cv_pci_address(c->scratch, cv_str_of(name));
	struct cv_subject *s;
	uint64_t vendor, class, device;

	if (!read_hex(c, dir, "vendor", &vendor) || vendor != 0x10de || !read_hex(c, dir, "class", &class))
		return;
	if (class >> 8 == 0x0680)
		++*switches;
	if (class >> 8 != 0x0300 && class >> 8 != 0x0302)
		return;
	s = cv_facts_add(c->facts, CV_KIND_gpu, key ? key : name);
	cv_facts_str(c->facts, s, CV_F_gpu_vendor_id, "10de", prov(dir));
	if (read_hex(c, dir, "device", &device))
		cv_facts_str(c->facts, s, CV_F_gpu_device_id, cv_arena_printf(c->scratch, "%04llx", (unsigned long long)device),
			     prov(cv_path_join(c->scratch, dir, "device")));
	else
		cv_facts_state(c->facts, s, CV_F_gpu_device_id, CV_UNPARSED, NULL, prov(cv_path_join(c->scratch, dir, "device")));
	cv_facts_str(c->facts, s, CV_F_gpu_class, cv_arena_printf(c->scratch, "%06llx", (unsigned long long)class),
		     prov(cv_path_join(c->scratch, dir, "class")));
	put_bound(c, s, dir);
}

/* 0 if the bus was listed. */
static int see_bus(struct cv_collect_ctx *c)
{
	struct cv_subject *machine = cv_see_only(c, CV_KIND_machine);
	struct cv_dirlist list;
	uint64_t switches = 0;
	int r = cv_view_list(c->view, PCI_DIR, c->scratch, &list);

	if (r < 0) {
		cv_see_fail(c, machine, CV_F_machine_pci_devices, r, prov(PCI_DIR));
		return r;
	}
	for (size_t i = 0; i < list.n && cv_facts_count(c->facts, CV_KIND_gpu) < GPUS_MAX; i++)
		see_device(c, list.v[i].name, &switches);
	cv_facts_int(c->facts, machine, CV_F_machine_pci_devices, list.n, prov(PCI_DIR));
	cv_facts_int(c->facts, machine, CV_F_machine_nvswitches, switches, prov(PCI_DIR));
	return 0;
}

static void put_text(struct cv_collect_ctx *c, struct cv_subject *s, enum cv_field id, const char *value, struct cv_prov p)
{
	if (value)
		cv_facts_str(c->facts, s, id, value, p);
}

static void see_information(struct cv_collect_ctx *c, struct cv_subject *s, const char *path)
{
	struct cv_nvgpu g;
	struct cv_str text;
	int r = cv_see_text(c, path, &text);

	if (r == 0)
		r = cv_nvgpu_parse(text, c->scratch, &g);
	if (r < 0) {
		cv_see_fail(c, s, CV_F_gpu_name, r, prov(path));
		return;
	}
	put_text(c, s, CV_F_gpu_name, g.model, prov(path));
	put_text(c, s, CV_F_gpu_uuid, g.uuid, prov(path));
	put_text(c, s, CV_F_gpu_firmware, g.firmware, prov(path));
	if (g.firmware_none)
		cv_facts_state(c->facts, s, CV_F_gpu_firmware, CV_ABSENT, NULL, prov(path));
	if (g.has_minor)
		cv_facts_int(c->facts, s, CV_F_gpu_minor, g.minor, prov(path));
	if (g.has_excluded)
		cv_facts_bool(c->facts, s, CV_F_gpu_excluded, g.excluded, prov(path));
}

/* GPUs that the driver lists; then those of PCI that it does not. */
static void see_proc(struct cv_collect_ctx *c)
{
	struct cv_strv listed = { 0 };
	struct cv_dirlist list = { 0 };
	int r = cv_view_list(c->view, PROC_DIR, c->scratch, &list);

	for (size_t i = 0; r == 0 && i < list.n && i < GPUS_MAX; i++) {
		const char *key = cv_pci_address(c->scratch, cv_str_of(list.v[i].name));
		const char *dir = cv_path_join(c->scratch, PROC_DIR, list.v[i].name);
		struct cv_subject *s;

		if (!key)
			continue;
		s = cv_facts_add(c->facts, CV_KIND_gpu, key);
		cv_strv_push(c->scratch, &listed, key);
		cv_facts_bool(c->facts, s, CV_F_gpu_in_proc, true, prov(dir));
		see_information(c, s, cv_path_join(c->scratch, dir, "information"));
	}
	for (size_t i = 0; i < cv_facts_count(c->facts, CV_KIND_gpu); i++) {
		const char *key = cv_subject_key(cv_facts_at(c->facts, CV_KIND_gpu, i));
		struct cv_subject *s = cv_facts_add(c->facts, CV_KIND_gpu, key);

		if (cv_strv_has(&listed, key) || cv_streq(key, "tegra"))
			continue;
		if (r == 0)
			cv_facts_bool(c->facts, s, CV_F_gpu_in_proc, false, prov(PROC_DIR));
		else
			cv_see_fail(c, s, CV_F_gpu_in_proc, r, prov(PROC_DIR));
	}
}

/* Key of the GPU of PCI that is the chip's own; "tegra" if PCI does not show it. */
static const char *tegra_key(struct cv_collect_ctx *c, const char *chip)
{
	static const struct {
		const char *chip, *device_id;
	} on_pci[] = { { "tegra264", "2b00" } };

	for (size_t i = 0; i < cv_facts_count(c->facts, CV_KIND_gpu); i++) {
		const struct cv_subject *s = cv_facts_at(c->facts, CV_KIND_gpu, i);
		const char *id = cv_fact_str(s, CV_F_gpu_device_id);

		for (size_t k = 0; id && k < sizeof(on_pci) / sizeof(on_pci[0]); k++)
			if (cv_streq(on_pci[k].chip, chip) && cv_streq(on_pci[k].device_id, id))
				return cv_subject_key(s);
	}
	return "tegra";
}

/* The chip by the SoC's own number, where the device tree is hidden (docker masks /sys/firmware). NULL if it is no Tegra. */
static const char *soc_chip(struct cv_collect_ctx *c)
{
	static const struct {
		const char *id, *chip;
	} chips[] = { { "24", "tegra186" }, { "25", "tegra194" }, { "33", "tegra210" },
		      { "35", "tegra234" }, { "38", "tegra264" }, { "64", "tegra124" } };
	const char *family, *id;

	if (cv_view_read_line(c->view, SOC_DIR "/family", c->scratch, &family) < 0 || !cv_streq(family, "Tegra") ||
	    cv_view_read_line(c->view, SOC_DIR "/soc_id", c->scratch, &id) < 0)
		return NULL;
	for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++)
		if (cv_streq(chips[i].id, id))
			return chips[i].chip;
	return NULL;
}

/* True if the machine has an integrated GPU. */
static bool see_tegra(struct cv_collect_ctx *c)
{
	const char *name = NULL, *path = DEVTREE;
	struct cv_str text, chip;

	if (!cv_fact_known(cv_see_only(c, CV_KIND_machine), CV_F_machine_jetson))
		return false;
	if (cv_see_text(c, DEVTREE, &text) == 0 && cv_devtree_tegra(text, &chip)) {
		name = cv_str_dup(c->scratch, chip);
	} else {
		name = soc_chip(c);
		path = SOC_DIR "/soc_id";
	}
	if (!name)
		return false;
	cv_facts_str(c->facts, cv_facts_add(c->facts, CV_KIND_gpu, tegra_key(c, name)), CV_F_gpu_chip, name, prov(path));
	return true;
}

static void put_scan(struct cv_collect_ctx *c, int bus, bool tegra)
{
	struct cv_subject *m = cv_see_only(c, CV_KIND_machine);
	bool found = cv_facts_count(c->facts, CV_KIND_gpu) > 0;
	const char *hidden = NULL;

	if (!found && cv_fact_known(m, CV_F_machine_wsl))
		hidden = "WSL does not show its GPU on PCI";
	else if (!found && cv_fact_true(m, CV_F_machine_gvisor))
		hidden = "gVisor does not show its GPU on PCI";
	else if (!tegra && (cv_fact_known(m, CV_F_machine_jetson) || cv_fact_known(m, CV_F_machine_l4t)))
		hidden = "the chip of this Jetson is not shown";
	if (hidden)
		cv_facts_state(c->facts, m, CV_F_machine_gpu_scan, CV_NOT_ASKED, hidden, prov(PCI_DIR));
	else if (bus == 0 || tegra)
		cv_facts_bool(c->facts, m, CV_F_machine_gpu_scan, true, prov(bus == 0 ? PCI_DIR : DEVTREE));
	else if (bus == CV_ENOENT && cv_view_exists(c->view, "/sys/bus"))
		cv_facts_bool(c->facts, m, CV_F_machine_gpu_scan, true, prov("/sys/bus")); /* a kernel without PCI */
	else if (bus == CV_ENOENT)
		cv_facts_state(c->facts, m, CV_F_machine_gpu_scan, CV_NOT_ASKED, "there is no /sys here", prov(PCI_DIR));
	else
		cv_see_fail(c, m, CV_F_machine_gpu_scan, bus, prov(PCI_DIR));
}

static void run(struct cv_collect_ctx *c)
{
	int bus = see_bus(c);
	bool tegra = see_tegra(c);

	see_proc(c);
	put_scan(c, bus, tegra);
}

const struct cv_collector cv_collector_pci = {
	.name = "pci",
	.doc = "NVIDIA GPUs on PCI, in the driver's list and in the device tree",
	.run = run,
};
