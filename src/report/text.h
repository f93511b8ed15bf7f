/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text: UTF-8 as a terminal shows it. Every text that a report prints passes through cv_text_clean(), so this is the one
 * place where bytes from files are made harmless.
 */
#ifndef CV_REPORT_TEXT_H
#define CV_REPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* Takes the next character of s; *ret is U+FFFD for a byte that is not valid UTF-8. Returns the bytes used, 0 at the end. */
size_t cv_text_next(const char *s, uint32_t *ret);
/* Columns that a character takes: 0 (combining marks), 1 or 2 (East Asian wide, emoji). */
unsigned cv_text_char_width(uint32_t c);
/* Columns of a clean text; of its first n bytes. */
size_t cv_text_width(const char *s);
size_t cv_text_width_n(const char *s, size_t n);

/*
 * A copy without control characters (C0, DEL, C1), without marks that reorder or hide text, and with U+FFFD for invalid UTF-8;
 * tabs and line ends become spaces. With ascii, everything else outside ASCII becomes '?'. s itself if it is clean already.
 */
const char *cv_text_clean(struct cv_arena *a, const char *s, bool ascii);

/*
 * Takes the next line of at most width columns from *rest, broken at a blank. A word that alone is too long is kept whole, or
 * with hard cut, if possible behind '/', ',' or '='. Blanks around a line go. False at the end.
 */
bool cv_text_line(const char **rest, size_t width, bool hard, struct cv_str *ret);

#endif
