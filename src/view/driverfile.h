/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driverfile: which paths belong to the machine and its NVIDIA driver, and not to the environment that runs on it. Private to
 * view/. Pure functions of the path, which must be lexically clean.
 */
#ifndef CV_VIEW_DRIVERFILE_H
#define CV_VIEW_DRIVERFILE_H

#include <stdbool.h>

enum cv_path_owner {
	CV_OWNER_BASE,    /* the environment's */
	CV_OWNER_DRIVER,  /* of the driver if the machine has it, otherwise the environment's */
	CV_OWNER_MACHINE, /* the machine's alone: /proc, /sys, /dev, what the driver's daemons keep in /run */
};

enum cv_path_owner cv_path_owner(const char *path);
/* True for directories of the system in which driver files lie among others. */
bool cv_is_driver_home(const char *path);

#endif
