/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lists follow what NVIDIA's container toolkit mounts into a container, and the Linux driver's own installer: libraries
 * of the driver's release, its few programs, and the firmware and kernel modules. Only the system's directories count, where
 * a driver is installed: a libcuda.so in a Python environment, in a toolkit's stubs or in a compat package is the
 * environment's own.
 */
#include "view/driverfile.h"

#include "base/str.h"

#define N(list) (sizeof(list) / sizeof((list)[0]))

static const char *const machine_roots[] = { "/proc", "/sys", "/dev" };

/* Beginnings of names below /run and /var/run: persistence daemon, fabric manager, MPS, driver containers. */
static const char *const run_prefixes[] = { "/run/nvidia", "/var/run/nvidia" };

/* What belongs to the kernel or to Tegra's board support, whole. */
static const char *const driver_trees[] = {
	"/lib/modules", "/usr/lib/modules", "/lib/firmware/nvidia", "/usr/lib/firmware/nvidia",
	"/usr/local/nvidia", "/usr/lib/wsl", "/etc/nv_tegra_release", "/etc/nv_boot_control.conf",
};

static const char *const lib_roots[] = { "/usr/lib", "/usr/lib64", "/usr/lib32", "/lib", "/lib64", "/lib32" };
static const char *const bin_dirs[] = { "/usr/bin", "/bin", "/usr/sbin", "/sbin" };

/* Directories below a library directory that hold nothing but driver files. */
static const char *const driver_dirs[] = { "nvidia", "nvidia-current", "tegra", "tegra-egl" };

/* Any path with such a component is the environment's: link stubs, forward compatibility, Python's own directories. */
static const char *const never_below[] = { "stubs", "compat", "cuda-compat" };

static const char *const programs[] = {
	"nvidia-smi", "nvidia-debugdump", "nvidia-persistenced", "nvidia-modprobe", "nvidia-cuda-mps-control",
	"nvidia-cuda-mps-server", "nvidia-bug-report.sh", "nvidia-imex", "nvidia-imex-ctl", "nv-fabricmanager",
	"nvidia-powerd", "nvidia-pcc",
};

/* Library names up to ".so". */
static const char *const libraries[] = {
	"libcuda", "libcudadebugger", "libnvcuvid", "libnvoptix", "libGLX_nvidia", "libEGL_nvidia", "libGLESv1_CM_nvidia",
	"libGLESv2_nvidia", "libvdpau_nvidia", "libdxcore",
};

static bool in_list(const char *const *list, size_t n, struct cv_str s)
{
	for (size_t i = 0; i < n; i++)
		if (cv_str_is(s, list[i]))
			return true;
	return false;
}

static bool is_driver_library(struct cv_str name)
{
	ptrdiff_t so = cv_str_find(name, ".so");
	struct cv_str stem;

	if (so < 0)
		return false;
	stem = cv_str_sub(name, 0, (size_t)so);
	if (in_list(libraries, N(libraries), stem))
		return true;
	/* all of them are of the driver's release but these, which are the container toolkit's */
	return cv_str_starts(stem, "libnvidia-") && !cv_str_starts(stem, "libnvidia-container");
}

static bool has_foreign_component(const char *path)
{
	struct cv_str rest = cv_str_of(path), part;

	while (cv_str_split(&rest, '/', &part))
		if (in_list(never_below, N(never_below), part) || cv_str_starts(part, "python"))
			return true;
	return false;
}

/* What follows the library directory that path lies below, without an architecture's directory; false if there is none. */
static bool below_lib_root(const char *path, struct cv_str *ret)
{
	struct cv_str rest, first;

	for (size_t i = 0; i < N(lib_roots); i++) {
		if (!cv_path_below(path, lib_roots[i]))
			continue;
		rest = cv_str_of(path + strlen(lib_roots[i]));
		cv_str_eat(&rest, "/");
		*ret = rest;
		if (cv_str_split(&rest, '/', &first) && cv_str_find(first, "-linux-") >= 0)
			*ret = rest;
		return true;
	}
	return false;
}

enum cv_path_owner cv_path_owner(const char *path)
{
	struct cv_str name = cv_str_of(cv_basename(path)), rest, first;

	for (size_t i = 0; i < N(machine_roots); i++)
		if (cv_path_below(path, machine_roots[i]))
			return CV_OWNER_MACHINE;
	for (size_t i = 0; i < N(run_prefixes); i++)
		if (cv_starts(path, run_prefixes[i]))
			return CV_OWNER_MACHINE;
	for (size_t i = 0; i < N(driver_trees); i++)
		if (cv_path_below(path, driver_trees[i]))
			return CV_OWNER_DRIVER;
	if (has_foreign_component(path))
		return CV_OWNER_BASE;
	if (below_lib_root(path, &rest)) {
		if (is_driver_library(name))
			return CV_OWNER_DRIVER;
		return cv_str_split(&rest, '/', &first) && in_list(driver_dirs, N(driver_dirs), first) ? CV_OWNER_DRIVER : CV_OWNER_BASE;
	}
	for (size_t i = 0; i < N(bin_dirs); i++)
		if (cv_path_below(path, bin_dirs[i]) && in_list(programs, N(programs), name))
			return CV_OWNER_DRIVER;
	return CV_OWNER_BASE;
}

bool cv_is_driver_home(const char *path)
{
	struct cv_str rest;

	if (has_foreign_component(path))
		return false;
	if (below_lib_root(path, &rest))
		return true;
	for (size_t i = 0; i < N(bin_dirs); i++)
		if (cv_streq(path, bin_dirs[i]))
			return true;
	return cv_streq(path, "/") || cv_streq(path, "/run") || cv_streq(path, "/var/run");
}
