/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recindex: the index of a record: what was asked of a view and what it answered, one line each, sorted bytewise.
 *
 *	cuvet-record 1
 *	access PATH MODE ok                  MODE is some of "rwx" in this order, or '-'
 *	env NAME - ok VALUE
 *	ids - - ok UID GID
 *	list PATH - ok ENTRY...              ENTRY is a type letter and a name
 *	lstat PATH - ok TYPE MODE UID GID SIZE DEV INO MAJOR MINOR
 *	meta KEY - ok WORD...                argv, live (yes|no), redacted (yes|no)
 *	open PATH - ok SIZE
 *	read PATH OFFSET+LENGTH ok POSITION  OFFSET has 15 digits; POSITION is where the bytes lie in the record's blobs
 *	readlink PATH - ok TEXT
 *	realpath PATH - ok TEXT
 *	stat PATH - ok ...                   like lstat
 *
 * Instead of "ok ..." stands the name of an error ("enoent"). Type letters: r d l c b p s ?. MODE of lstat is octal, all other
 * numbers are decimal. Fields are separated by one blank. In a field every byte but printable ASCII, and '%', is written as %XX
 * with capital digits; an empty field is a single '%'.
 *
 * Nothing in an index is trusted: each field is checked, and what breaks the format ends in CV_EFORMAT with the line.
 */
#ifndef CV_PARSE_RECINDEX_H
#define CV_PARSE_RECINDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/str.h"

#define CV_RECINDEX_HEAD "cuvet-record 1"
#define CV_RECINDEX_MAX ((size_t)128 << 20) /* bytes */
#define CV_RECINDEX_LINES_MAX 2000000
#define CV_RECINDEX_WORDS_MAX 65536 /* in one line */
#define CV_RECINDEX_OFFSET_MAX 999999999999999 /* what 15 digits hold */

/* In the order of their names, so of the lines. */
enum cv_rec_op {
	CV_REC_ACCESS,
	CV_REC_ENV,
	CV_REC_IDS,
	CV_REC_LIST,
	CV_REC_LSTAT,
	CV_REC_META,
	CV_REC_OPEN,
	CV_REC_READ,
	CV_REC_READLINK,
	CV_REC_REALPATH,
	CV_REC_STAT,
	CV_REC_OPS,
};

struct cv_rec_stat {
	char type;
	uint32_t mode, uid, gid, rdev_major, rdev_minor;
	uint64_t size, dev, ino;
};

/* One question and its answer; of the union only what belongs to op, and only if err is 0 (mode, off and len always). */
struct cv_rec {
	enum cv_rec_op op;
	int err;          /* 0 or a negative cv_err */
	const char *path; /* or the variable's name, or the key; "-" for ids */
	union {
		unsigned mode;                                         /* access: 4 r, 2 w, 1 x */
		const char *text;                                      /* env, readlink, realpath */
		uint64_t size;                                         /* open */
		const struct cv_rec_stat *stat;                        /* lstat, stat */
		struct { uint64_t off, len, pos; } read;
		struct { uint32_t uid, gid; } ids;
		struct { const char *const *v; size_t n; } words;      /* list, meta */
	};
};

struct cv_recindex {
	const struct cv_rec *v;
	const struct cv_str *lines; /* the same in text, for the look-up */
	size_t n;
};

/* True for errors that a record can hold; CV_ENOMEM and CV_ENOTASKED, for example, are no answers. */
bool cv_rec_err_is_answer(int err);

/* Adds one line with its line end. */
void cv_rec_write(struct cv_buf *out, const struct cv_rec *r);

/*
 * text must outlive the result, which lives in a. name is the file's, for messages. CV_EFORMAT, CV_ELIMIT or CV_ENOMEM.
 * Lines must be sorted and differ. The ranges of one file come in ascending order and do not overlap, errors aside.
 */
int cv_recindex_parse(struct cv_str text, const char *name, struct cv_arena *a, struct cv_diag *d, struct cv_recindex *ret);

/*
 * All lines of op and path, and of mode for access (0 otherwise). They are neighbours: the first is returned and their
 * number set; NULL if there is none.
 */
const struct cv_rec *cv_recindex_find(const struct cv_recindex *x, enum cv_rec_op op, const char *path, unsigned mode,
				      size_t *ret_n);

#endif
