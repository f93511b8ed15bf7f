/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/fatpack.h"

#include <string.h>
#include <zstd.h>

/* A length of 15 goes on in the bytes that follow, up to one that is not 255. False if they end before. */
static bool more_length(struct cv_str *in, size_t *n)
{
	unsigned char c;

	do {
		if (in->n == 0)
			return false;
		c = (unsigned char)in->p[0];
		*in = cv_str_from(*in, 1);
		*n += c;
	} while (c == 255);
	return true;
}

/*
 * LZ4 block: a token (lengths of literal and match), literals, u16 distance of the match. The last sequence ends behind its
 * literals. Each byte of input adds at most 255 to a length, so nothing can overflow.
 */
static int unpack_lz4(struct cv_str in, unsigned char *out, size_t size)
{
	size_t at = 0;

	while (in.n) {
		unsigned token = (unsigned char)in.p[0];
		size_t literals = token >> 4, match = token & 15, distance;

		in = cv_str_from(in, 1);
		if ((literals == 15 && !more_length(&in, &literals)) || literals > in.n || literals > size - at)
			return CV_EFORMAT;
		if (literals)
			memcpy(out + at, in.p, literals);
		at += literals;
		in = cv_str_from(in, literals);
		if (in.n == 0)
			break;
		if (in.n < 2)
			return CV_EFORMAT;
		distance = (size_t)(unsigned char)in.p[0] | (size_t)(unsigned char)in.p[1] << 8;
		in = cv_str_from(in, 2);
		if ((match == 15 && !more_length(&in, &match)) || distance == 0 || distance > at || match + 4 > size - at)
			return CV_EFORMAT;
		/* Byte by byte: a match may overlap what it makes. */
		for (match += 4; match; match--, at++)
			out[at] = out[at - distance];
	}
	return at == size ? 0 : CV_EFORMAT;
}

int cv_fatbin_unpack(enum cv_fatbin_packing packing, struct cv_str packed, unsigned char *out, size_t size)
{
	switch (packing) {
	case CV_FATBIN_LZ4:
		return unpack_lz4(packed, out, size);
	case CV_FATBIN_ZSTD:
		return ZSTD_decompress(out, size, packed.p, packed.n) == size ? 0 : CV_EFORMAT;
	case CV_FATBIN_PLAIN:
	case CV_FATBIN_OTHER:
		break;
	}
	return CV_ENOTSUP;
}
