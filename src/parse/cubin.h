/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cubin and PTX by themselves: what a compiled GPU object (an ELF file of machine 190) and a PTX text say of their target.
 *
 * Read off the output of ptxas and nvlink 12.8 and 13.0 for sm_50 to sm_121: with OS ABI 0x33 the low byte of e_flags is the
 * architecture and 0x800 the suffix a; with OS ABI 0x41 the architecture is bits 8 to 23 and 0x8 the suffix a, which 13.0 does
 * not set any more. Two sections tell it then: .nv.compat, a list of attributes of which number 9 is 1 for code of exactly one
 * architecture (a), and the note .note.nv.tkinfo with the options of the tool ("-arch sm_100f -m 64"), the linker's note first.
 * Family code (f) is told by the note alone: where that was stripped it looks like plain code of its architecture.
 */
#ifndef CV_PARSE_CUBIN_H
#define CV_PARSE_CUBIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/src.h"
#include "base/str.h"

struct cv_cubin_target {
	uint16_t arch;
	char suffix; /* 'a', 'f' or 0 */
	uint16_t ptx_isa; /* major * 10 + minor; 0 for a cubin */
};

/* By the ELF header. False if the OS ABI is one whose flags are not known. */
bool cv_cubin_target(unsigned char os_abi, uint32_t e_flags, struct cv_cubin_target *ret);
/* The suffix for a cubin of arch that its sections tell, 0 if none; compat and tkinfo are their bytes, or empty. */
char cv_cubin_suffix(struct cv_str compat, struct cv_str tkinfo, uint16_t arch);
/*
 * Does the cubin at [at, at + size) of src have an executable section? *ret is true too where its section headers cannot be made
 * out: only what is known to be empty is called so. 0 or an error of src.
 */
int cv_cubin_has_code(struct cv_src *src, uint64_t at, uint64_t size, bool *ret);
/* The .version and .target lines at the beginning of a PTX text; false if it is not PTX. */
bool cv_ptx_target(struct cv_str text, struct cv_cubin_target *ret);

#endif
