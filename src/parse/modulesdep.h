/* SPDX-License-Identifier: Apache-2.0 */
/*
 * modules.dep: the module files of one kernel, and names of kernel module files.
 *
 * A line is "path: path path ...", paths relative to the kernel's directory (or absolute in old ones). depmod has already chosen
 * among files of one name, so what stands there is what modprobe loads.
 */
#ifndef CV_PARSE_MODULESDEP_H
#define CV_PARSE_MODULESDEP_H

#include "base/str.h"

/* Walks the module files; false at the end. */
bool cv_modulesdep_next(struct cv_str *rest, struct cv_str *ret_path);

enum cv_kmod_packing { CV_KMOD_PLAIN, CV_KMOD_GZ, CV_KMOD_XZ, CV_KMOD_ZST };

/*
 * Is this file name that of the core NVIDIA module ("nvidia.ko", "nvidia.ko.zst", and the names of Debian's packages,
 * "nvidia-current.ko", "nvidia-tesla-470.ko")? Not its companions (nvidia-uvm) and not nvidiafb.
 */
bool cv_kmod_is_nvidia(struct cv_str name, enum cv_kmod_packing *ret);

#endif
