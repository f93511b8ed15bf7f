/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel module says of itself. */
#define INFO(n, text) static const char info_##n[] __attribute__((section(".modinfo"), used, aligned(1))) = text
INFO(1, "firmware=nvidia/550.135/gsp_tu10x.bin");
INFO(2, "firmware=nvidia/550.135/gsp_ga10x.bin");
INFO(3, "version=550.135");
INFO(4, "license=Dual MIT/GPL");
INFO(5, "version=second one does not count");
INFO(6, "name=nvidia");
INFO(7, "vermagic=6.1.0-28-amd64 SMP preempt mod_unload modversions ");
INFO(8, "versionless");
