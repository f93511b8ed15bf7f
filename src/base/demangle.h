/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangle: C++ symbols as their authors wrote them ("_ZN3foo3barEi" -> "foo::bar(int)"), by the Itanium C++ ABI that all
 * compilers for Linux use.
 */
#ifndef CV_BASE_DEMANGLE_H
#define CV_BASE_DEMANGLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

#define CV_DEMANGLE_SYMBOL_MAX 4096 /* bytes of the symbol */
#define CV_DEMANGLE_MAX 32768       /* bytes of the result */

/* NULL if symbol is no mangled name or beyond these maxima, or when out of memory. */
const char *cv_demangle(struct cv_arena *a, const char *symbol);

/*
 * The two ABIs of std::string, std::list and their like that libstdc++ has since GCC 5 (_GLIBCXX_USE_CXX11_ABI). What was compiled
 * for the new one says so in its names: std::__cxx11::, and [abi:cxx11] on functions that return such a type.
 */
bool cv_cxx11_tagged(const char *symbol);
/* Equal for the two names that one declaration has under the two ABIs; seldom equal otherwise. */
uint64_t cv_cxx11_key(const char *symbol);
/* The name spelled out without the marks of the new ABI: what both ABIs have in common. ret has room for CV_DEMANGLE_MAX + 1. */
bool cv_cxx11_plain(const char *symbol, char *ret);

#endif
