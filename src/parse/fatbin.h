/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fatbin: the containers in which a library carries GPU code, as fatbinary of the CUDA toolkit writes them.
 *
 * Layout, little-endian, read off files of CUDA 9 to 13 (tests/truth compares with cuobjdump):
 *
 *	container  0 u32 magic 0xBA55ED50   4 u16 version (1)   6 u16 header size (16)   8 u64 bytes that follow
 *	entry      0 u16 kind    2 u16 version   4 u32 header size (64 and up)   8 u64 payload size
 *	          16 u32 compressed size   24 u16 minor   26 u16 major (of the PTX ISA for PTX)   28 u32 architecture (90)
 *	          40 u64 flags: 0x100000 code of exactly this architecture (sm_90a), 0x200000 of its family (sm_100f)
 *	          56 u64 uncompressed size
 *
 * Entries follow each other inside a container. Containers follow each other aligned to 8 bytes. Only headers are read;
 * payloads are skipped, compressed or not.
 */
#ifndef CV_PARSE_FATBIN_H
#define CV_PARSE_FATBIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/src.h"

enum cv_fatbin_kind {
	CV_FATBIN_PTX = 1,
	CV_FATBIN_CUBIN = 2,
	/* others exist (4 old cubin, 8 NVVM, 16 Mercury, 32 Tile IR, 64 LTO IR): none of them runs by itself */
};

struct cv_fatbin_entry {
	uint16_t kind;
	uint16_t arch;          /* major * 10 + minor: 90, 120 */
	char suffix;            /* 'a', 'f' or 0 */
	uint16_t ptx_major, ptx_minor; /* PTX ISA, for PTX */
	uint64_t at, size;      /* of the payload */
	uint64_t full_size;     /* uncompressed; 0 if it is not compressed */
};

struct cv_fatbin_sink {
	/* One call per entry; container counts from 0 over the whole walk. A negative return ends the walk and is passed on. */
	int (*entry)(void *cookie, uint64_t container, const struct cv_fatbin_entry *e);
	void *cookie;
};

struct cv_fatbin_walk {
	uint64_t containers; /* whole ones */
	uint64_t entries;
	uint64_t damaged;    /* containers that lie about their size, or whose entries do */
	uint64_t damaged_at; /* offset of the first of them */
};

/*
 * Walks every container of src in [off, off + len). Between containers it searches on for the next magic, so padding and
 * foreign bytes are passed over. A container that is damaged is counted and passed over. At most CV_FATBIN_MAX containers and
 * CV_FATBIN_ENTRY_MAX entries (CV_ELIMIT). Adds to *walk, which the caller zeroes.
 */
#define CV_FATBIN_MAX 1000000
#define CV_FATBIN_ENTRY_MAX 8000000
int cv_fatbin_walk(struct cv_src *src, uint64_t off, uint64_t len, const struct cv_fatbin_sink *sink, struct cv_fatbin_walk *walk);

#endif
