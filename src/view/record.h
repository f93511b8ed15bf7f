/* SPDX-License-Identifier: Apache-2.0 */
/* Record: what record.c notes and recwrite.c writes. Private to view/. */
#ifndef CV_VIEW_RECORD_H
#define CV_VIEW_RECORD_H

#include "base/map.h"
#include "base/vec.h"
#include "parse/recindex.h"
#include "view/ranges.h"
#include "view/view.h"

/* Bytes of file content that a record keeps; the bundle's reader takes no more either. */
#define CV_RECORD_DATA_MAX ((size_t)512 << 20)
#define CV_RECORD_NOTES_MAX ((size_t)1 << 30) /* bytes of arena for everything else */

struct cv_record_read_error {
	uint64_t off, len;
	int err;
};

/* A file that was opened. */
struct cv_record_file {
	const char *path;
	uint64_t size;
	struct cv_ranges ranges;
	CV_VEC(struct cv_record_read_error) errors;
};

struct cv_record_note {
	struct cv_rec rec;
	struct cv_record_file *file; /* of an open that succeeded */
};

struct cv_record {
	struct cv_view view;
	struct cv_view *base;
	struct cv_arena *a;
	struct cv_map ops[CV_REC_OPS]; /* path -> struct cv_record_note */
	struct cv_map access[8];       /* the same for access, by mode */
	size_t budget;                 /* of content */
	int err;                       /* set once something could not be noted: the record is not whole */
};

/* What tells that a view is a record. */
extern const struct cv_view_ops cv_record_ops;

#endif
