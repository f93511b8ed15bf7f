/* SPDX-License-Identifier: Apache-2.0 */
/* What NVIDIA's kernel driver says of itself under /proc/driver/nvidia, and the release file of a Jetson. */
#ifndef CV_PARSE_NVPROC_H
#define CV_PARSE_NVPROC_H

#include "base/arena.h"
#include "base/str.h"

/* /proc/driver/nvidia/version */
struct cv_nvrm {
	const char *version; /* "550.135"; a Jetson up to L4T 35 puts its L4T release here ("35.4.1") */
	const char *arch;    /* "x86_64", or NULL where the line does not say */
	bool open;           /* the open flavour of the module, otherwise the proprietary one */
	unsigned line;
};

/* Texts are put in a. CV_EFORMAT if there is no "NVRM version" line with a version on it. */
int cv_nvrm_parse(struct cv_str text, struct cv_arena *a, struct cv_nvrm *ret);

/* /proc/driver/nvidia/gpus/ADDRESS/information; what is missing, N/A or not yet known ("GPU-????...") is NULL or unset. */
struct cv_nvgpu {
	const char *model, *uuid, *firmware, *bus;
	bool firmware_none; /* the driver says that no GSP firmware is in use (N/A) */
	bool has_minor, has_excluded;
	uint64_t minor;
	bool excluded;
};

/* CV_EFORMAT if not one known key is in it. */
int cv_nvgpu_parse(struct cv_str text, struct cv_arena *a, struct cv_nvgpu *ret);

/*
 * "0000:65:00.0" from any spelling of a PCI address: the domain may have 4 or 8 digits ("00000000:65:00.0"), letters either
 * case. NULL if it is none.
 */
const char *cv_pci_address(struct cv_arena *a, struct cv_str s);

/* /etc/nv_tegra_release: "# R36 (release), REVISION: 4.7, ..." gives "36.4.7". CV_EFORMAT if its first line is not that. */
int cv_tegra_release_parse(struct cv_str text, struct cv_arena *a, const char **ret);

#endif
