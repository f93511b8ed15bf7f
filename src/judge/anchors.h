/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Anchors: the libraries beside a framework's own whose GPU code decides too. kb names them (workload:cudnn, property anchor):
 * cuDNN's ops, cnn and adv. Convolutions, recurrent layers and attention run in them, so a framework with code for a GPU fails
 * there all the same where they have none: nvidia-cudnn-cu12 lost Volta and older with 9.11, in the middle of a major.
 *
 * Which copy counts: the one that the workload loads by itself (fate.h), or, where that is not known, the one that is there for
 * it (cv_load_provided()). The parts lie beside it.
 */
#ifndef CV_JUDGE_ANCHORS_H
#define CV_JUDGE_ANCHORS_H

#include "judge/ctx.h"

struct cv_anchor {
	const struct cv_wload *load;
	const char *name;          /* "libcudnn_ops.so.9"; of a package, "nvidia-cudnn-cu12" */
	const char *version;       /* of cuDNN, may be NULL */
	const struct cv_wlib *lib; /* NULL: told by a package alone */
	const struct cv_subject *pkg;
	bool has_file;
	struct cv_file_code file;
	struct cv_kb_row row;      /* without a file: the list that kb has */
	const char *because;       /* why its code is not known, NULL: it is */
};

/* Fills ctx->anchors, for the workloads that need cuDNN and get one. */
void cv_anchors_find(struct cv_judge_ctx *ctx);

/* What code an anchor has for a GPU. */
struct cv_code_match cv_anchor_code(const struct cv_judge_ctx *ctx, const struct cv_anchor *a, const struct cv_wgpu *g);
/*
 * What decides for a cell: the code of the framework's own library, or that of an anchor that serves the GPU worse. *ret_by is
 * that anchor, NULL where it is the framework's own.
 */
struct cv_code_match cv_cell_code(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const struct cv_wgpu *g,
				  const struct cv_anchor **ret_by);
/* Why an anchor's answer m is unknown. */
const char *cv_anchor_because(const struct cv_judge_ctx *ctx, const struct cv_anchor *a, const struct cv_wgpu *g,
			      const struct cv_code_match *m);

#endif
