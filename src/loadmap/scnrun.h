/* SPDX-License-Identifier: Apache-2.0 */
/* What scenario.c and scnopen.c share. */
#ifndef CV_LOADMAP_SCNRUN_H
#define CV_LOADMAP_SCNRUN_H

#include "loadmap/scenario.h"

struct scn {
	struct cv_scn_run run; /* first: the public part */
	struct cv_view *view;
	const struct cv_scn_python *python;
	const struct cv_scn_host *host;
	struct cv_arena *arena;
	struct cv_diag *diag;
	struct cv_strv imported;
	const char *error;   /* message of the last failure */
	const char *message; /* of this step: why nothing was opened */
	const char *shown;   /* of this step: with values put in */
	unsigned depth, steps;
	bool started;        /* the constructors of what the program starts with have run */
	bool loose;          /* inside of call? */
	bool ctypes_tried;
	size_t ctypes;       /* the module _ctypes; valid with ctypes_tried */
};

/* Puts values into text; path is for {path}. NULL if one is not known: s->message says which. */
const char *cv_scn_expand(struct scn *s, const char *scenario, const char *text, const char *path);
/* 1, 0 or <0. */
int cv_scn_module(struct scn *s, const char *name);
int cv_scn_open(struct scn *s, const char *scenario, const struct cv_scn_step *st);

#endif
