/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fatbin: the containers in which a library carries GPU code, as fatbinary of the CUDA toolkit writes them.
 *
 * Layout, little-endian, read off files of CUDA 9 to 13 (tests/truth compares with cuobjdump):
 *
 *	container  0 u32 magic 0xBA55ED50   4 u16 version (1)   6 u16 header size (16)   8 u64 bytes that follow
 *	entry      0 u16 kind    2 u16 version   4 u32 header size (64 and up)   8 u64 payload size
 *	          16 u32 compressed size   24 u16 minor   26 u16 major (of the PTX ISA for PTX)   28 u32 architecture (90)
 *	          40 u64 flags: 0x100000 code of exactly this architecture (sm_90a), 0x200000 of its family (sm_100f), 0x2000 and
 *	             0x8000 how it is compressed
 *	          56 u64 uncompressed size
 *
 * Entries follow each other inside a container. Containers follow each other aligned to 8 bytes. Only headers are read;
 * payloads are skipped, compressed or not.
 */
#ifndef CV_PARSE_FATBIN_H
#define CV_PARSE_FATBIN_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/src.h"

#define CV_FATBIN_MAGIC 0xBA55ED50u

enum cv_fatbin_kind {
	CV_FATBIN_PTX = 1,
	CV_FATBIN_CUBIN = 2,
	/* others exist (4 old cubin, 8 NVVM, 16 Mercury, 32 Tile IR, 64 LTO IR): none of them runs by itself */
};

enum cv_fatbin_packing { CV_FATBIN_PLAIN, CV_FATBIN_LZ4, CV_FATBIN_ZSTD, CV_FATBIN_OTHER };

struct cv_fatbin_entry {
	uint16_t kind;
	uint16_t arch;          /* major * 10 + minor: 90, 120 */
	char suffix;            /* 'a', 'f' or 0 */
	uint16_t ptx_major, ptx_minor; /* PTX ISA, for PTX */
	uint64_t at, size;      /* of the payload */
	enum cv_fatbin_packing packing;
	uint64_t packed_size;   /* of the packed bytes in it: padding may follow */
	uint64_t full_size;     /* unpacked */
};

/* A container is [at, end) of the source. Its entries are whole, and live until the call returns. */
struct cv_fatbin_sink {
	/* One call per whole container, in file order. A negative return ends the walk and is passed on. */
	int (*container)(void *cookie, uint64_t at, uint64_t end, const struct cv_fatbin_entry *v, size_t n);
	void *cookie;
	/* The same for each damaged one; may be NULL. */
	int (*damaged)(void *cookie, uint64_t at);
};

struct cv_fatbin_walk {
	uint64_t containers; /* whole ones */
	uint64_t damaged;    /* containers that lie about their size, or whose entries do */
	uint64_t damaged_at; /* offset of the first of them */
};

/*
 * Walks every container of src in [off, off + len). Between containers it searches on for the next magic, so padding and
 * foreign bytes are passed over. A container that is damaged, or has more than CV_FATBIN_ENTRY_MAX entries, is counted and passed
 * over. At most CV_FATBIN_MAX containers and CV_FATBIN_DAMAGED_MAX damaged ones (CV_ELIMIT): each of those costs a look at its
 * entries before the search goes on right behind its magic. Adds to *walk, which the caller zeroes.
 */
#define CV_FATBIN_MAX 1000000
#define CV_FATBIN_HEADER 16 /* bytes at least: less of it is not looked at */
#define CV_FATBIN_DAMAGED_MAX 1000
#define CV_FATBIN_ENTRY_MAX 128
int cv_fatbin_walk(struct cv_src *src, uint64_t off, uint64_t len, const struct cv_fatbin_sink *sink,
		   struct cv_fatbin_walk *walk);

#endif
