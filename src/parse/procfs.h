/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's own small texts under /proc and /sys. Slices point into the text that was given, except where an arena is asked
 * for.
 *
 * The ..._next() calls walk a text: *rest starts as the whole text; true and one item, or false at the end. Lines that are no
 * item are passed over.
 */
#ifndef CV_PARSE_PROCFS_H
#define CV_PARSE_PROCFS_H

#include "base/arena.h"
#include "base/str.h"

/* /proc/modules */
struct cv_procmodule {
	struct cv_str name;
	bool live; /* neither loading nor unloading */
	unsigned line;
};
bool cv_procmodules_next(struct cv_str *rest, unsigned *line_no, struct cv_procmodule *ret);

/* /proc/cpuinfo, the first processor. Empty slices and line 0 where a line is missing. */
struct cv_cpuinfo {
	struct cv_str model; /* "model name" */
	struct cv_str flags; /* "flags" of x86, "Features" of Arm: blank-separated */
	struct cv_str implementer, part; /* Arm's numbers, which stand in for a model name there */
	unsigned model_line, flags_line;
};
/* CV_EFORMAT if nothing of it is there. */
int cv_cpuinfo_parse(struct cv_str text, struct cv_cpuinfo *ret);

/* /proc/PID/mountinfo */
struct cv_mount {
	const char *root;  /* what of the file system is mounted: "/" is all of it */
	const char *point; /* where */
	const char *type;  /* "ext4", "overlay", "tmpfs" */
	const char *source;
	struct cv_str options; /* those of the file system: "rw,size=65536k" */
	unsigned line;
};
/* Texts are put in a, octal escapes undone. */
bool cv_mountinfo_next(struct cv_str *rest, unsigned *line_no, struct cv_arena *a, struct cv_mount *ret);
/* The bytes that size= of the options tells ("65536k", "50%" is no number of bytes); false if it is not there. */
bool cv_mount_size(struct cv_str options, uint64_t *ret);

/* The value in bytes of a line of /proc/meminfo ("MemTotal"). */
bool cv_meminfo_bytes(struct cv_str text, const char *key, uint64_t *ret);

/* /proc/PID/cgroup: the container system that a path names ("docker", "kubernetes", "podman", ...), or NULL. */
const char *cv_cgroup_container(struct cv_str text, unsigned *ret_line);

/* /proc/version: true for gVisor's kernel, which prints a fixed build date and names no compiler. */
bool cv_version_is_gvisor(struct cv_str text);
/* The WSL generation that /proc/sys/kernel/osrelease tells: 1, 2, or 0 for no WSL. */
unsigned cv_osrelease_wsl(struct cv_str text);

/* Texts that end in a NUL byte each: /proc/PID/environ, device-tree "compatible". A last one without NUL counts. */
bool cv_nul_next(struct cv_str *rest, struct cv_str *ret);

/* KEY=VALUE lines: uevent. */
bool cv_uevent_get(struct cv_str text, const char *key, struct cv_str *ret);

/* "tegra234" from the NUL-separated device-tree compatible list ("nvidia,p3737-0000+p3701-0000\0nvidia,tegra234"). */
bool cv_devtree_tegra(struct cv_str compatible, struct cv_str *ret);

/* An EFI variable of one byte as efivarfs shows it: 4 bytes of attributes, then the byte. */
int cv_efivar_byte(struct cv_str bytes, unsigned *ret);

#endif
