/* SPDX-License-Identifier: Apache-2.0 */
/* Little- and big-endian numbers at any address. The caller has checked the bounds. */
#ifndef CV_BASE_BYTES_H
#define CV_BASE_BYTES_H

#include <stdint.h>

static inline uint16_t cv_le16(const unsigned char *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t cv_le32(const unsigned char *p)
{
	return (uint32_t)cv_le16(p) | (uint32_t)cv_le16(p + 2) << 16;
}

static inline uint64_t cv_le64(const unsigned char *p)
{
	return (uint64_t)cv_le32(p) | (uint64_t)cv_le32(p + 4) << 32;
}

static inline uint16_t cv_be16(const unsigned char *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t cv_be32(const unsigned char *p)
{
	return (uint32_t)cv_be16(p) << 16 | (uint32_t)cv_be16(p + 2);
}

static inline uint64_t cv_be64(const unsigned char *p)
{
	return (uint64_t)cv_be32(p) << 32 | (uint64_t)cv_be32(p + 4);
}

#endif
