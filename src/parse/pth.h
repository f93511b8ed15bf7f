/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Path configuration files (.pth) of site directories, line by line as CPython's site reads them. Code is never run: a line
 * that Python would execute is told as such, with what is known about it.
 */
#ifndef CV_PARSE_PTH_H
#define CV_PARSE_PTH_H

#include <stdbool.h>

#include "base/str.h"

enum cv_pth_kind {
	CV_PTH_PATH,      /* a directory or archive, relative to the directory of the .pth file */
	CV_PTH_EDITABLE,  /* code that installs the finder of an editable installation */
	CV_PTH_NAMESPACE, /* code of setuptools that makes a namespace package */
	CV_PTH_HARMLESS,  /* code known not to change what is imported */
	CV_PTH_EGG_BEGIN, /* easy_install: remembers the length of sys.path ... */
	CV_PTH_EGG_END,   /* ... and moves what was added since to its front */
	CV_PTH_CODE,      /* other code */
};

struct cv_pth_line {
	enum cv_pth_kind kind;
	struct cv_str text; /* without blanks at its end; for CV_PTH_PATH the path */
	unsigned line;      /* 1-based */
};

/* Walks the text; *rest starts as the whole text, *line_no as 0. False at the end. Blank lines and comments are passed over. */
bool cv_pth_next(struct cv_str *rest, unsigned *line_no, struct cv_pth_line *ret);
/* The text without the byte order mark at its beginning, which Python accepts from 3.13 on. */
struct cv_str cv_pth_skip_bom(struct cv_str text);
/* "editable", "namespace", "harmless", "other" for the kinds that are code. */
const char *cv_pth_kind_name(enum cv_pth_kind kind);

#endif
