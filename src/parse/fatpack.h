/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fatpack: unpacks the payload of a fatbin entry.
 *
 * Two schemes are in use: flag 0x2000 (CUDA up to 12.x) is an LZ4 block without any frame, flag 0x8000 (since 12.8) a zstd frame.
 * Only small payloads are ever unpacked, to see whether there is anything in them.
 */
#ifndef CV_PARSE_FATPACK_H
#define CV_PARSE_FATPACK_H

#include <stddef.h>

#include "base/str.h"
#include "parse/fatbin.h"

/* Fills out with exactly size bytes. CV_EFORMAT if the bytes do not unpack to that many, CV_ENOTSUP for another scheme. */
int cv_fatbin_unpack(enum cv_fatbin_packing packing, struct cv_str packed, unsigned char *out, size_t size);

#endif
