/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modscan: version, licence and signature of a kernel module that comes as a stream.
 *
 * A packed module cannot be read by ranges, and its section headers come last, so the texts of .modinfo ("version=550.135",
 * each between NUL bytes) are looked for in the stream itself.
 */
#ifndef CV_PARSE_MODSCAN_H
#define CV_PARSE_MODSCAN_H

#include <stdbool.h>
#include <stddef.h>

#define CV_MODSCAN_TEXT 64

struct cv_modscan {
	char version[CV_MODSCAN_TEXT], license[CV_MODSCAN_TEXT]; /* "" until found */
	bool is_signed;  /* valid at the end of the stream */
	/* the scanner's own: what came last, for texts that lie across two pieces */
	char keep[2 * CV_MODSCAN_TEXT];
	size_t keep_n;
};

/* Takes the next piece; start with a zeroed struct. */
void cv_modscan_feed(struct cv_modscan *m, const char *p, size_t n);

#endif
