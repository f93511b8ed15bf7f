/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gpucode: which GPUs a file has code for.
 *
 * GPU code is counted, not united: a library holds hundreds of fatbin containers, one per translation unit, and a stray sm_70
 * cubin does not make a V100 work. Containers with the same set of targets are kept once with a count, so that any GPU can be
 * asked about later without reading again.
 */
#ifndef CV_GPUCODE_GPUCODE_H
#define CV_GPUCODE_GPUCODE_H

#include "base/diag.h"
#include "base/src.h"
#include "base/vec.h"
#include "gpucode/match.h"

struct cv_code_piece {
	struct cv_gpu_target target;
	uint16_t ptx_isa; /* major * 10 + minor, for PTX; 0 where unknown */
};

struct cv_code_set {
	const struct cv_code_piece *v; /* sorted, without repeats */
	size_t n;
	uint64_t containers; /* how many have exactly this set */
};

struct cv_code_count {
	struct cv_gpu_target target;
	uint64_t n; /* entries of this target */
};

struct cv_code_place {
	uint64_t containers;
	CV_VEC(struct cv_code_set) sets;
	CV_VEC(struct cv_code_count) cubin, ptx; /* sorted by architecture, then suffix */
};

struct cv_gpucode {
	struct cv_code_place own;       /* the sections that nvcc fills, or the whole of a cubin, fatbin or PTX file */
	struct cv_code_place elsewhere; /* data sections: libcufft keeps 24,000 containers there */
	bool looked_elsewhere;
	uint64_t damaged;               /* containers, sections or members of an archive that could not be read */
	uint64_t damaged_at;
};

enum cv_gpucode_where {
	CV_GPUCODE_SECTIONS, /* .nv_fatbin and __nv_relfatbin; large data sections only where these hold next to nothing */
	CV_GPUCODE_SEARCH,   /* all data sections where these hold next to nothing, or nothing: for a file that somebody named */
};

/*
 * Reads an ELF object (a library, an object file, a cubin), a static archive of them, a fatbin file or PTX text. 0 also when
 * there is no GPU code in it. CV_EFORMAT for anything else and for a file whose section headers cannot be read, CV_ELIMIT for
 * more different sets, targets or containers than any real file has.
 */
int cv_gpucode_read(struct cv_src *src, enum cv_gpucode_where where, struct cv_arena *a, struct cv_diag *d,
		    struct cv_gpucode *ret);

enum cv_coverage {
	CV_COVER_NO_CODE, /* the file holds no GPU code at all */
	CV_COVER_NONE,
	CV_COVER_PARTIAL,
	CV_COVER_PTX_JIT,
	CV_COVER_NATIVE,
};

struct cv_cover {
	enum cv_coverage verdict; /* by what is certain */
	bool unsettled;           /* it could be a better one: by open containers, or by what is damaged */
	uint64_t native, jit;     /* containers with a cubin for it; with PTX only */
	uint64_t open;            /* with code only of which the documents do not say whether it runs there (CV_FIT_OPEN) */
	uint64_t total;           /* containers that were weighed */
};

/* The place that decides: code elsewhere counts only where most of the code is there. */
bool cv_gpucode_elsewhere_decides(const struct cv_gpucode *g);

/*
 * native or ptx-jit when the containers covered reach at least 2 % of those of the file's best-covered GPU; partial below that,
 * none at 0. Whole files serve a GPU with far fewer containers than they have (libcublasLt 13.0: 482 of 2782 for an A100), so
 * the measure is the best-covered GPU and not the total. max_ptx_isa is what the driver's compiler knows, 0 if that is not
 * known (then PTX counts).
 */
struct cv_cover cv_gpucode_cover(const struct cv_gpucode *g, uint16_t cc, uint16_t max_ptx_isa);

#endif
