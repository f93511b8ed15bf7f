/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kind of machine this is: container, WSL, Jetson, virtual machine, gVisor; Secure Boot and the size of /dev/shm.
 *
 * Signs that were tried and found wanting: /.dockerenv stays behind when an image is written to a disk and booted as a virtual
 * machine, so it counts only while the root is no whole disk file system; an overlay as the root is also what live systems and
 * ostree hosts have, so it counts only with a container engine's directory in it; /proc/1/environ would tell "container=", but
 * holds other people's secrets, so it is not read.
 */
#include "collect/registry.h"
#include "collect/see.h"
#include "parse/nvproc.h"
#include "parse/procfs.h"

#define SECURE_BOOT "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define MOUNTINFO "/proc/self/mountinfo"
#define TEGRA_RELEASE "/etc/nv_tegra_release"
#define SHM_MOUNTS_MAX 100000

struct mounts {
	struct cv_mount root, shm; /* line 0: not seen */
	int err;
};

static struct cv_prov prov(const char *path, unsigned line)
{
	return cv_see_prov("kind", path, line);
}

/* A later mount on the same point hides an earlier one. */
static struct mounts see_mounts(struct cv_collect_ctx *c)
{
	struct mounts got = { 0 };
	struct cv_mount m;
	struct cv_str rest;
	unsigned line = 0;

	got.err = cv_see_text(c, MOUNTINFO, &rest);
	while (got.err == 0 && line < SHM_MOUNTS_MAX && cv_mountinfo_next(&rest, &line, c->scratch, &m)) {
		if (cv_streq(m.point, "/"))
			got.root = m;
		else if (cv_streq(m.point, "/dev/shm"))
			got.shm = m;
	}
	return got;
}

static void see_shm(struct cv_collect_ctx *c, struct cv_subject *s, const struct mounts *mounts)
{
	struct cv_str text;
	uint64_t bytes;

	if (mounts->err < 0) {
		cv_see_fail(c, s, CV_F_machine_shm_bytes, mounts->err, prov(MOUNTINFO, 0));
	} else if (!mounts->shm.line) {
		cv_facts_state(c->facts, s, CV_F_machine_shm_bytes, CV_ABSENT, NULL, prov(MOUNTINFO, 0));
	} else if (cv_mount_size(mounts->shm.options, &bytes)) {
		cv_facts_int(c->facts, s, CV_F_machine_shm_bytes, bytes, prov(MOUNTINFO, mounts->shm.line));
	} else if (cv_streq(mounts->shm.type, "tmpfs") && cv_see_text(c, "/proc/meminfo", &text) == 0 &&
		   cv_meminfo_bytes(text, "MemTotal", &bytes)) {
		/* The kernel leaves size= out where it is its own default, half of the memory. */
		cv_facts_int(c->facts, s, CV_F_machine_shm_bytes, bytes / 2, prov("/proc/meminfo", 0));
	} else {
		cv_facts_state(c->facts, s, CV_F_machine_shm_bytes, CV_UNPARSED, "its mount tells no size",
			       prov(MOUNTINFO, mounts->shm.line));
	}
}

/* Container engine whose storage the root's overlay is made of, or NULL. */
static const char *overlay_engine(const struct cv_mount *root)
{
	static const struct {
		const char *dir, *engine;
	} dirs[] = { { "/docker/", "docker" }, { "/containers/storage/", "podman" }, { "/io.containerd.", "containerd" } };

	if (!root->line || !cv_streq(root->type, "overlay"))
		return NULL;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (cv_str_find(root->options, dirs[i].dir) >= 0)
			return dirs[i].engine;
	return NULL;
}

/* The root is a disk's file system, mounted whole: not what a container gets. */
static bool is_disk_root(const struct cv_mount *root)
{
	return root->line && cv_streq(root->root, "/") && cv_starts(root->source, "/dev/");
}

static const char *container_env(struct cv_collect_ctx *c)
{
	static const struct {
		const char *name, *engine;
	} vars[] = { { "KUBERNETES_SERVICE_HOST", "kubernetes" },
		     { "APPTAINER_CONTAINER", "apptainer" },
		     { "SINGULARITY_CONTAINER", "apptainer" } };
	const char *value;

	for (size_t i = 0; i < sizeof(vars) / sizeof(vars[0]); i++)
		if (cv_view_getenv(c->view, vars[i].name, &value) == 0 && value[0])
			return vars[i].engine;
	return NULL;
}

static const char *container_cgroup(struct cv_collect_ctx *c, struct cv_prov *ret)
{
	static const char *const paths[] = { "/proc/1/cgroup", "/proc/self/cgroup" };
	struct cv_str text;
	unsigned line = 0;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const char *kind = cv_see_text(c, paths[i], &text) == 0 ? cv_cgroup_container(text, &line) : NULL;

		if (kind) {
			*ret = prov(paths[i], line);
			return kind;
		}
	}
	return NULL;
}

/* What systemd in the container was told; "systemd-nspawn" is our "nspawn". WSL writes its name here too. */
static const char *container_systemd(struct cv_collect_ctx *c)
{
	static const char *const known[] = { "docker", "podman", "lxc", "apptainer" };
	const char *line;

	if (cv_view_read_line(c->view, "/run/systemd/container", c->scratch, &line) < 0 || cv_streq(line, "wsl"))
		return NULL;
	if (cv_streq(line, "systemd-nspawn"))
		return "nspawn";
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (cv_starts(line, known[i]))
			return known[i];
	return "other";
}

/* The engine and where that is told, or NULL. */
static const char *find_container(struct cv_collect_ctx *c, const struct mounts *mounts, struct cv_prov *ret)
{
	static const struct {
		const char *path, *engine;
	} marks[] = { { "/run/secrets/kubernetes.io", "kubernetes" },
		      { "/var/run/secrets/kubernetes.io", "kubernetes" },
		      { "/.singularity.d", "apptainer" },
		      { "/run/.containerenv", "podman" } };
	const char *kind = container_env(c);

	*ret = prov("environment", 0);
	if (kind)
		return kind;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (cv_view_exists(c->view, marks[i].path)) {
			*ret = prov(marks[i].path, 0);
			return marks[i].engine;
		}
	}
	kind = container_cgroup(c, ret);
	if (kind)
		return kind;
	kind = container_systemd(c);
	*ret = prov("/run/systemd/container", 0);
	if (kind)
		return kind;
	kind = overlay_engine(&mounts->root);
	*ret = prov(MOUNTINFO, mounts->root.line);
	if (kind)
		return kind;
	*ret = prov("/.dockerenv", 0);
	return !is_disk_root(&mounts->root) && cv_view_exists(c->view, "/.dockerenv") ? "docker" : NULL;
}

static void see_container(struct cv_collect_ctx *c, struct cv_subject *s, const struct mounts *mounts)
{
	struct cv_prov at;
	const char *kind = find_container(c, mounts, &at);

	if (!kind && cv_fact_true(s, CV_F_machine_gvisor)) {
		kind = "other"; /* gVisor runs nothing but containers */
		at = prov("/proc/version", 1);
	}
	if (kind)
		cv_facts_str(c->facts, s, CV_F_machine_container, kind, at);
	else
		cv_see_fail(c, s, CV_F_machine_container, CV_ENOENT, prov("/proc/1/cgroup", 0));
}

static void see_kernel_kind(struct cv_collect_ctx *c, struct cv_subject *s)
{
	const struct cv_value *kernel = cv_fact(s, CV_F_machine_kernel);
	unsigned wsl = kernel->state == CV_KNOWN ? cv_osrelease_wsl(cv_str_of(kernel->str)) : 0;
	struct cv_str text;
	int r;

	if (wsl)
		cv_facts_int(c->facts, s, CV_F_machine_wsl, wsl, kernel->prov);
	else if (kernel->state == CV_KNOWN)
		cv_facts_state(c->facts, s, CV_F_machine_wsl, CV_ABSENT, NULL, kernel->prov);
	else if (cv_view_exists(c->view, "/usr/lib/wsl/lib/libcuda.so.1"))
		cv_facts_int(c->facts, s, CV_F_machine_wsl, 2, prov("/usr/lib/wsl/lib", 0));
	else
		cv_facts_state(c->facts, s, CV_F_machine_wsl, kernel->state, NULL, kernel->prov);
	r = cv_see_text(c, "/proc/version", &text);
	if (r == 0)
		cv_facts_bool(c->facts, s, CV_F_machine_gvisor, cv_version_is_gvisor(text), prov("/proc/version", 1));
	else
		cv_see_fail(c, s, CV_F_machine_gvisor, r, prov("/proc/version", 0));
}

/* "NVIDIA Jetson AGX Orin Developer Kit": the device tree's text, without the NUL at its end. */
static const char *board_model(struct cv_collect_ctx *c, const char **ret_path)
{
	struct cv_str text, model;
	const char *line;

	*ret_path = "/proc/device-tree/model";
	if (cv_see_text(c, *ret_path, &text) == 0 && cv_nul_next(&text, &model) && model.n)
		return cv_str_dup(c->scratch, model);
	*ret_path = "/sys/devices/soc0/machine";
	return cv_view_read_line(c->view, *ret_path, c->scratch, &line) == 0 && line[0] ? line : NULL;
}

static bool is_tegra(struct cv_collect_ctx *c)
{
	struct cv_str text, chip;
	const char *family;

	if (cv_see_text(c, "/proc/device-tree/compatible", &text) == 0 && cv_devtree_tegra(text, &chip))
		return true;
	return cv_view_read_line(c->view, "/sys/devices/soc0/family", c->scratch, &family) == 0 && cv_streq(family, "Tegra");
}

static void see_jetson(struct cv_collect_ctx *c, struct cv_subject *s)
{
	const char *l4t = NULL, *model, *path;
	struct cv_str text;
	int r = cv_see_text(c, TEGRA_RELEASE, &text);

	if (r == 0)
		r = cv_tegra_release_parse(text, c->scratch, &l4t);
	if (r == 0)
		cv_facts_str(c->facts, s, CV_F_machine_l4t, l4t, prov(TEGRA_RELEASE, 1));
	else
		cv_see_fail(c, s, CV_F_machine_l4t, r, prov(TEGRA_RELEASE, 1));
	if (!is_tegra(c) && r < 0) {
		cv_see_fail(c, s, CV_F_machine_jetson, CV_ENOENT, prov("/proc/device-tree/compatible", 0));
		return;
	}
	model = board_model(c, &path);
	if (model)
		cv_facts_str(c->facts, s, CV_F_machine_jetson, model, prov(path, 0));
	else
		cv_facts_str(c->facts, s, CV_F_machine_jetson, "a Tegra board that does not tell its model",
			     prov(TEGRA_RELEASE, 1));
}

/* Name of the hypervisor that the firmware's texts tell, or NULL. Metal instances of clouds carry the same vendor. */
static const char *dmi_vm(const char *vendor, const char *product)
{
	static const struct {
		const char *vendor, *product, *name;
	} rows[] = {
		{ "QEMU", "", "KVM" },
		{ "Red Hat", "KVM", "KVM" },
		{ "KVM", "", "KVM" },
		{ "VMware", "", "VMware" },
		{ "innotek GmbH", "", "VirtualBox" },
		{ "Oracle Corporation", "VirtualBox", "VirtualBox" },
		{ "Xen", "", "Xen" },
		{ "Microsoft Corporation", "Virtual Machine", "Hyper-V" },
		{ "Amazon EC2", "", "Amazon EC2" },
		{ "Google", "Google Compute Engine", "Google Compute Engine" },
		{ "Alibaba Cloud", "", "Alibaba Cloud" },
		{ "OpenStack", "", "OpenStack" },
		{ "DigitalOcean", "", "DigitalOcean" },
		{ "Hetzner", "vServer", "Hetzner Cloud" },
		{ "Parallels", "", "Parallels" },
		{ "Nutanix", "AHV", "Nutanix AHV" },
		{ "Apple", "Apple Virtualization", "Apple Virtualization" },
	};

	if (cv_ends(product, ".metal"))
		return NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (cv_starts(vendor, rows[i].vendor) && cv_starts(product, rows[i].product))
			return rows[i].name;
	return NULL;
}

static void see_vm(struct cv_collect_ctx *c, struct cv_subject *s)
{
	const char *vendor = "", *product = "", *type, *name;
	int r = cv_view_read_line(c->view, "/sys/class/dmi/id/sys_vendor", c->scratch, &vendor);

	cv_view_read_line(c->view, "/sys/class/dmi/id/product_name", c->scratch, &product);
	name = dmi_vm(vendor, product);
	if (name) {
		cv_facts_str(c->facts, s, CV_F_machine_vm, name, prov("/sys/class/dmi/id/sys_vendor", 1));
	} else if (cv_view_read_line(c->view, "/sys/hypervisor/type", c->scratch, &type) == 0) {
		cv_facts_str(c->facts, s, CV_F_machine_vm, cv_streq(type, "xen") ? "Xen" : type, prov("/sys/hypervisor/type", 1));
	} else if (cv_strv_has(cv_fact_list(s, CV_F_machine_cpu_flags), "hypervisor")) {
		cv_facts_str(c->facts, s, CV_F_machine_vm, "unnamed hypervisor", prov("/proc/cpuinfo", 0));
	} else {
		cv_see_fail(c, s, CV_F_machine_vm, r < 0 ? r : CV_ENOENT, prov("/sys/class/dmi/id/sys_vendor", 0));
	}
}

static void see_secure_boot(struct cv_collect_ctx *c, struct cv_subject *s)
{
	struct cv_str bytes;
	unsigned on;
	int r = cv_see_text(c, SECURE_BOOT, &bytes);

	if (r == 0)
		r = cv_efivar_byte(bytes, &on);
	if (r == 0)
		cv_facts_bool(c->facts, s, CV_F_machine_secure_boot, on != 0, prov(SECURE_BOOT, 0));
	else if (r == CV_ENOENT && cv_fact_known(s, CV_F_machine_container))
		cv_facts_state(c->facts, s, CV_F_machine_secure_boot, CV_NOT_ASKED, "containers do not see the firmware",
			       prov(SECURE_BOOT, 0));
	else
		cv_see_fail(c, s, CV_F_machine_secure_boot, r, prov(SECURE_BOOT, 0));
}

static void run(struct cv_collect_ctx *c)
{
	struct cv_subject *s = cv_see_only(c, CV_KIND_machine);
	struct mounts mounts = see_mounts(c);

	see_kernel_kind(c, s);
	see_container(c, s, &mounts);
	see_jetson(c, s);
	see_vm(c, s);
	see_secure_boot(c, s);
	see_shm(c, s, &mounts);
}

const struct cv_collector cv_collector_kind = {
	.name = "kind",
	.doc = "container, WSL, Jetson, virtual machine, Secure Boot, /dev/shm",
	.run = run,
};
