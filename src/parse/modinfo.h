/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modinfo: what a kernel module says of itself in its section .modinfo, "key=value" texts with NUL bytes between.
 *
 * Only for a module that is not packed: ".ko.xz" and the like are no ELF files.
 */
#ifndef CV_PARSE_MODINFO_H
#define CV_PARSE_MODINFO_H

#include "parse/elf.h"

#define CV_MODINFO_MAX ((size_t)1 << 20) /* bytes of the section */

struct cv_modinfo {
	const char *name, *version, *license, *vermagic; /* NULL: it does not say; the first one where it says it twice */
	struct cv_strv firmware;                         /* files that it may ask for */
};

/* Everything lives in a. CV_ENOENT if there is no such section, CV_ELIMIT if it is too long, CV_EFORMAT if it is cut off. */
int cv_modinfo_read(struct cv_elf *e, struct cv_arena *a, struct cv_modinfo *ret);
/* From the bytes of the section. CV_ENOMEM. */
int cv_modinfo_parse(struct cv_str text, struct cv_arena *a, struct cv_modinfo *ret);

#endif
