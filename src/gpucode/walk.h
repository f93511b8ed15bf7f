/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walk: the fatbin containers of a part of a file, into sets. Private to the room.
 *
 * Which part of an ELF file is meant, its section headers say, and those are at its end. From a source that can only be read
 * forwards (a packed member of a wheel, up to a gigabyte) the containers are therefore noted wherever they are on the way to the
 * end, and the parts are answered from the notes.
 */
#ifndef CV_GPUCODE_WALK_H
#define CV_GPUCODE_WALK_H

#include "gpucode/sets.h"
#include "parse/fatbin.h"

/*
 * A container of small cubins only may be what device linking leaves behind where there is nothing to link: cubins without code,
 * for the architectures of the linker's command line. Their names say nothing then. Many compilation units are like that too, so
 * whether they count is the caller's choice.
 */
struct cv_walk_options {
	bool unmask; /* look into small cubins, and let a container without any code serve nobody */
	bool ret_small; /* set where such a container was met */
};

/* Adds the containers in [off, off + len) of src to sets, and to *walk. Errors of cv_fatbin_walk() and cv_sets_...(). */
int cv_walk(struct cv_src *src, uint64_t off, uint64_t len, struct cv_sets *sets, struct cv_walk_options *o,
	    struct cv_fatbin_walk *walk);

struct cv_walk_note {
	uint64_t at, end;
	size_t first, n; /* its pieces */
	bool small, bare; /* small cubins only; without any code */
};

struct cv_walk_notes {
	CV_VEC(struct cv_walk_note) containers; /* in file order */
	CV_VEC(struct cv_code_piece) pieces;
	CV_VEC(uint64_t) damaged; /* where something looked like a container and was none, in file order */
};

/* Notes every container of src, in one pass. */
int cv_walk_note_all(struct cv_src *src, struct cv_arena *a, struct cv_walk_notes *ret);
/*
 * What cv_walk() over [off, off + len) does, from the notes: 1. 0 if they cannot tell what it would do: it starts or ends inside
 * of a container. Nothing is added then.
 */
int cv_walk_replay(const struct cv_walk_notes *notes, uint64_t off, uint64_t len, struct cv_sets *sets,
		   struct cv_walk_options *o, struct cv_fatbin_walk *walk);

#endif
