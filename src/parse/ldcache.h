/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ld.so.cache: where the dynamic loader looks names up, as ldconfig writes it.
 *
 *	old   "ld.so-1.7.0": u32 count at 12, entries of 12 bytes {flags, key, value}; texts are counted from the end of the entries
 *	new   "glibc-ld.so.cache1.1": u32 count at 20, u32 bytes of texts at 24, u8 byte order at 28 (2 little, 3 big, 0 not told:
 *	      before glibc 2.33), u32 offset of the extensions at 32; from 48 on entries of 24 bytes {flags, key, value, osversion,
 *	      u64 hwcap}; texts are counted from the magic
 *	both  the old one, then at the next multiple of 8 the new one ("compat", the default of ldconfig before 2.32)
 *
 * The extensions (2.33) hold the generator and the names of the glibc-hwcaps subdirectories, to which a hwcap with bit 62 points;
 * offsets in their directory are counted from the beginning of the file, the texts of names like all others. (`ldconfig -p` of
 * 2.36 prints wrong names for "both".)
 * Where both are there the loader takes the new one, and so do we.
 */
#ifndef CV_PARSE_LDCACHE_H
#define CV_PARSE_LDCACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/str.h"

#define CV_LDCACHE_MAX ((size_t)64 << 20) /* bytes that a reader should take */

struct cv_ldcache_entry {
	const char *key;    /* the SONAME that is asked for */
	const char *value;  /* the path that it means */
	const char *hwcaps; /* glibc-hwcaps subdirectory ("x86-64-v3"), or NULL */
	uint64_t hwcap;     /* raw; without bit 62 a mask of legacy hardware capabilities */
	uint32_t flags, osversion; /* osversion: least kernel 0x00MMmmpp, 0 for any */
};

struct cv_ldcache {
	bool has_old, has_new; /* which formats the file holds */
	bool big_endian;
	struct cv_ldcache_entry *v; /* in file order, the order of the loader's search among equals */
	size_t n;
	size_t told;                /* entries by the count in the file; more than n where damaged */
	const char *generator;      /* "ldconfig (GNU libc) ..." or NULL */
	size_t bad;                 /* entries that point outside of the file; not in v */
	bool damaged;               /* the loader would not use this file, or bad > 0 */
};

/*
 * bytes must have a NUL behind it (cv_src_all() and cv_view_read() put one) and outlive *ret, whose texts point into it; name is
 * for messages. CV_EFORMAT if it is no cache at all.
 */
int cv_ldcache_parse(struct cv_str bytes, const char *name, struct cv_arena *a, struct cv_diag *d, struct cv_ldcache *ret);

/* The machine that the flags mean, as cv_elf_machine_name() words it; NULL where they do not tell (32-bit x86 and others). */
const char *cv_ldcache_machine(const struct cv_ldcache_entry *e);
/* True for an entry of today's C library (libc6); others are remains of the 1990s. */
bool cv_ldcache_is_libc6(const struct cv_ldcache_entry *e);
/* What the file needs of the CPU by its own notes: 1 x86-64-v2, 2 v3, 3 v4; 0 the baseline, or not told. */
unsigned cv_ldcache_isa_level(const struct cv_ldcache_entry *e);

#endif
