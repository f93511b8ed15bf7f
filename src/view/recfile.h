/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recfile: a record on disk: a tar compressed with zstd with two members. "index" is what parse/recindex.h describes, "blobs"
 * the bytes that its "read" lines point into. Private to view/.
 */
#ifndef CV_VIEW_RECFILE_H
#define CV_VIEW_RECFILE_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/str.h"

/*
 * Writes file by way of a new file beside it that takes its place when it is complete; on failure that one is removed and file
 * is as it was. Only a regular file is replaced (CV_ENOTREG). With owner_only nobody else may read it. Owner, times and order
 * inside are fixed: equal contents make equal files.
 */
int cv_recfile_write(const char *file, bool owner_only, struct cv_str index, const struct cv_str *blobs, size_t blob_n,
		     struct cv_diag *d);

#endif
