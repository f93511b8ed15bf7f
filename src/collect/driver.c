/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The NVIDIA kernel driver that is loaded now. Its version is told in two places, both kept: /proc/driver/nvidia/version, which
 * containers get from the host, and /sys/module/nvidia/version. The files on disk are another collector's (kmod).
 */
#include "collect/registry.h"
#include "collect/see.h"
#include "parse/nvproc.h"
#include "parse/procfs.h"

#define PROC_VERSION "/proc/driver/nvidia/version"
#define SYS_VERSION "/sys/module/nvidia/version"
#define SYS_MODULE "/sys/module/nvidia"
#define MODULES "/proc/modules"

static struct cv_prov prov(const char *path, unsigned line)
{
	return cv_see_prov("driver", path, line);
}

/* Modules that drive a GPU of this vendor, or keep its driver from it. */
static bool is_gpu_module(struct cv_str name)
{
	static const char *const others[] = { "nouveau", "nova_core", "nova_drm", "nvgpu", "vfio_pci", "nvmap", "tegra_drm" };

	if (cv_str_is(name, "nvidia") || cv_str_is(name, "nvidia_uvm") || cv_str_is(name, "nvidia_modeset") ||
	    cv_str_is(name, "nvidia_drm") || cv_str_is(name, "nvidia_peermem") || cv_str_is(name, "nvidia_fs"))
		return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (cv_str_is(name, others[i]))
			return true;
	return false;
}

/* Puts driver.module_names; returns the line of "nvidia" in /proc/modules, 0 if it is not there, or a negative error. */
static int see_modules(struct cv_collect_ctx *c, struct cv_subject *s)
{
	struct cv_strv names = { 0 };
	struct cv_procmodule m;
	struct cv_str rest;
	unsigned line = 0, nvidia = 0;
	int r = cv_see_text(c, MODULES, &rest);

	if (r < 0) {
		cv_see_fail(c, s, CV_F_driver_module_names, r, prov(MODULES, 0));
		return r;
	}
	while (cv_procmodules_next(&rest, &line, &m)) {
		if (!is_gpu_module(m.name))
			continue;
		cv_strv_push(c->scratch, &names, cv_str_dup(c->scratch, m.name));
		if (cv_str_is(m.name, "nvidia") && m.live)
			nvidia = m.line;
	}
	cv_facts_list(c->facts, s, CV_F_driver_module_names, &names, prov(MODULES, 0));
	return (int)nvidia;
}

/* 0 and both version and flavour, or the error of /proc/driver/nvidia/version. */
static int see_proc_version(struct cv_collect_ctx *c, struct cv_subject *s)
{
	struct cv_str text;
	struct cv_nvrm v;
	int r = cv_see_text(c, PROC_VERSION, &text);

	if (r == 0)
		r = cv_nvrm_parse(text, c->scratch, &v);
	if (r < 0) {
		cv_see_fail(c, s, CV_F_driver_module_open, r, prov(PROC_VERSION, 0));
		return r;
	}
	cv_facts_str(c->facts, s, CV_F_driver_module_version, v.version, prov(PROC_VERSION, v.line));
	cv_facts_bool(c->facts, s, CV_F_driver_module_open, v.open, prov(PROC_VERSION, v.line));
	return 0;
}

static void see_versions(struct cv_collect_ctx *c, struct cv_subject *s, int *ret_proc, int *ret_sys)
{
	const char *line;

	*ret_proc = see_proc_version(c, s);
	*ret_sys = cv_view_read_line(c->view, SYS_VERSION, c->scratch, &line);
	if (*ret_sys == 0 && !cv_ver_valid(CV_VER_DOTTED, line))
		*ret_sys = CV_EFORMAT;
	if (*ret_sys == 0)
		cv_facts_str(c->facts, s, CV_F_driver_module_version, line, prov(SYS_VERSION, 1));
	else if (*ret_proc < 0)
		cv_see_fail(c, s, CV_F_driver_module_version, *ret_proc, prov(PROC_VERSION, 0));
}

/*
 * Loaded if any of the three places says so. A driver that is built in is in /sys/module only; gVisor and some containers show
 * /proc/driver/nvidia but no modules. Not loaded needs a place that would have shown it.
 */
static void put_loaded(struct cv_collect_ctx *c, struct cv_subject *s, int modules, int proc, int sys)
{
	const enum cv_field id = CV_F_driver_module_loaded;

	if (modules > 0)
		cv_facts_bool(c->facts, s, id, true, prov(MODULES, (unsigned)modules));
	else if (proc == 0 || proc == CV_EFORMAT)
		cv_facts_bool(c->facts, s, id, true, prov(PROC_VERSION, 0));
	else if (sys == 0 || cv_view_is_dir(c->view, SYS_MODULE))
		cv_facts_bool(c->facts, s, id, true, prov(SYS_MODULE, 0));
	else if (modules == 0)
		cv_facts_bool(c->facts, s, id, false, prov(MODULES, 0));
	else if (proc == CV_EACCES)
		cv_see_fail(c, s, id, proc, prov(PROC_VERSION, 0));
	else if (cv_see_state(c, MODULES, modules) == CV_ABSENT && cv_view_is_dir(c->view, "/sys/module"))
		cv_facts_bool(c->facts, s, id, false, prov("/sys/module", 0));
	else if (cv_see_state(c, MODULES, modules) == CV_ABSENT)
		cv_facts_state(c->facts, s, id, CV_NOT_ASKED, "neither /proc/modules nor /sys/module is shown here",
			       prov(MODULES, 0));
	else
		cv_see_fail(c, s, id, modules, prov(MODULES, 0));
}

static void see_modprobe(struct cv_collect_ctx *c, struct cv_subject *s)
{
	static const char *const paths[] = { "/usr/bin/nvidia-modprobe", "/usr/sbin/nvidia-modprobe",
					     "/usr/local/nvidia/bin/nvidia-modprobe" };
	struct cv_stat st;
	int r = CV_ENOENT;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		r = cv_view_stat(c->view, paths[i], &st);
		if (r < 0)
			continue;
		cv_facts_bool(c->facts, s, CV_F_driver_modprobe_setuid, (st.mode & 04000) && st.uid == 0, prov(paths[i], 0));
		return;
	}
	cv_see_fail(c, s, CV_F_driver_modprobe_setuid, r, prov(paths[0], 0));
}

/* The Tegra driver: nvgpu is loaded, or the nvidia module of a board that is a Jetson. */
static void put_tegra(struct cv_collect_ctx *c, struct cv_subject *s)
{
	const struct cv_subject *m = cv_facts_find(c->facts, CV_KIND_machine, "");
	const struct cv_strv *names = cv_fact_list(s, CV_F_driver_module_names);
	bool jetson = cv_fact_known(m, CV_F_machine_jetson) || cv_fact_known(m, CV_F_machine_l4t);

	if (cv_strv_has(names, "nvgpu"))
		cv_facts_bool(c->facts, s, CV_F_driver_tegra, true, prov(MODULES, 0));
	else if (jetson)
		cv_facts_bool(c->facts, s, CV_F_driver_tegra, true, prov("/etc/nv_tegra_release", 0));
	else if (cv_fact_known(s, CV_F_driver_module_names) || cv_fact_absent(m, CV_F_machine_jetson))
		cv_facts_bool(c->facts, s, CV_F_driver_tegra, false, prov(NULL, 0));
}

static void run(struct cv_collect_ctx *c)
{
	struct cv_subject *s = cv_see_only(c, CV_KIND_driver);
	int proc, sys;
	int modules = see_modules(c, s);

	see_versions(c, s, &proc, &sys);
	put_loaded(c, s, modules, proc, sys);
	see_modprobe(c, s);
	put_tegra(c, s);
}

const struct cv_collector cv_collector_driver = {
	.name = "driver",
	.doc = "the loaded NVIDIA kernel driver",
	.run = run,
};
