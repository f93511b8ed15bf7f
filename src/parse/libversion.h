/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exact version of a library of the GPU stack, from its own bytes and its file's real name.
 *
 *	cuDNN           the 4-byte symbols cudnn_graph_version (9) and cudnn_ops_infer_version (8): patch, minor, major, 0
 *	any             a real file name that says more than the SONAME: libcublas.so.12.8.4.1, libcuda.so.580.95.05
 *	cuBLASLt, cuFFT, cuRAND, cuSOLVER, cuSPARSE, NCCL, cudart, NVRTC, nvJitLink
 *	                the constant that the library's own ...GetVersion function hands out, read from its machine code
 *
 * Machine code is read only in forms that cannot be mistaken (x86_64 and aarch64), and the constant must have the SONAME's
 * major number: anything else is CV_ENOENT, never a guess. cudart, NVRTC and nvJitLink tell their release only as "13.0".
 * Compilers' own marks ("release 13.0, V13.0.88") are those of the build tools, so they are not used.
 */
#ifndef CV_PARSE_LIBVERSION_H
#define CV_PARSE_LIBVERSION_H

#include "parse/elf.h"

struct cv_libversion {
	const char *version;
	const char *how;   /* "symbol" or "file name" */
	const char *where; /* the symbol's name, or NULL */
	bool partial;      /* only the beginning of the version: major and minor */
};

/* name is that of the real file, without directories. CV_ENOENT if the version is not known from the file. */
int cv_libversion(struct cv_elf *e, const char *name, struct cv_arena *a, struct cv_libversion *ret);

/*
 * Some libraries are shims that do not know their version; the file beside them does: libcudnn.so.9 -> libcudnn_graph.so.9,
 * libcudnn.so.8 -> libcudnn_ops_infer.so.8, libcublas.so.12 -> libcublasLt.so.12. NULL if there is no such neighbour.
 */
const char *cv_libversion_neighbour(struct cv_arena *a, const char *name);

#endif
