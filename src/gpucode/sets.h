/* SPDX-License-Identifier: Apache-2.0 */
/* Sets: gathers pieces of code container by container and keeps equal containers once. Private to the room. */
#ifndef CV_GPUCODE_SETS_H
#define CV_GPUCODE_SETS_H

#include "gpucode/gpucode.h"

/* Real files have up to 40 different sets of 20 pieces; the maxima bound the time of weighing a hostile one. */
#define CV_SETS_MAX 4096
#define CV_SET_PIECES_MAX 64
#define CV_SET_NAMES_MAX 128

struct cv_sets {
	struct cv_code_place *place; /* where containers are counted now */
	struct cv_arena *a;
	struct cv_code_piece open[CV_SET_PIECES_MAX]; /* the container at hand: sorted, without repeats */
	size_t open_n;
	size_t last; /* the set that the last container had: most files repeat it */
};

/* Adds a piece to the container at hand, and to the counts. CV_ELIMIT or CV_ENOMEM. */
int cv_sets_add(struct cv_sets *s, struct cv_code_piece p);
/* Counts n entries of this target and adds no code. */
int cv_sets_name(struct cv_sets *s, struct cv_gpu_target t, uint64_t n);
/* Ends the container at hand. An empty one (nothing that can run by itself) counts as a set too. */
int cv_sets_close(struct cv_sets *s);

#endif
