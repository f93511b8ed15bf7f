/* SPDX-License-Identifier: Apache-2.0 */
/* The collectors by name; only registry.c and tests need them one by one. */
#ifndef CV_COLLECT_REGISTRY_H
#define CV_COLLECT_REGISTRY_H

#include "collect/collect.h"

extern const struct cv_collector cv_collector_os;
extern const struct cv_collector cv_collector_kind;
extern const struct cv_collector cv_collector_var;
extern const struct cv_collector cv_collector_pci;
extern const struct cv_collector cv_collector_driver;
extern const struct cv_collector cv_collector_kmod;
extern const struct cv_collector cv_collector_node;
extern const struct cv_collector cv_collector_ldso;
extern const struct cv_collector cv_collector_py_envs;
extern const struct cv_collector cv_collector_py_packages;
extern const struct cv_collector cv_collector_py_frameworks;
extern const struct cv_collector cv_collector_toolkit;
extern const struct cv_collector cv_collector_lib;
extern const struct cv_collector cv_collector_loads;
extern const struct cv_collector cv_collector_code;

#endif
