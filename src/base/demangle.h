/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangle: C++ symbols as their authors wrote them ("_ZN3foo3barEi" -> "foo::bar(int)"), by the Itanium C++ ABI that all
 * compilers for Linux use.
 */
#ifndef CV_BASE_DEMANGLE_H
#define CV_BASE_DEMANGLE_H

#include "base/arena.h"

#define CV_DEMANGLE_SYMBOL_MAX 4096 /* bytes of the symbol */
#define CV_DEMANGLE_MAX 32768       /* bytes of the result */

/* NULL if symbol is no mangled name or beyond these maxima, or when out of memory. */
const char *cv_demangle(struct cv_arena *a, const char *symbol);

#endif
