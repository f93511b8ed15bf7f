/* SPDX-License-Identifier: Apache-2.0 */
/* Recconv: the answers of a view as lines of a record and back. Private to view/. */
#ifndef CV_VIEW_RECCONV_H
#define CV_VIEW_RECCONV_H

#include "parse/recindex.h"
#include "view/view.h"

void cv_recconv_from_stat(const struct cv_stat *st, struct cv_rec_stat *ret);
void cv_recconv_to_stat(const struct cv_rec_stat *st, struct cv_stat *ret);
/* The words and their texts live in a. CV_ENOMEM. */
int cv_recconv_from_list(const struct cv_dirlist *list, struct cv_arena *a, struct cv_rec *ret);
int cv_recconv_to_list(const struct cv_rec *r, struct cv_arena *a, struct cv_dirlist *ret);

#endif
