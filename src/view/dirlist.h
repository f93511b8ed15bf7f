/* SPDX-License-Identifier: Apache-2.0 */
/* Dirlist: helpers on struct cv_dirlist. Private to view/. */
#ifndef CV_VIEW_DIRLIST_H
#define CV_VIEW_DIRLIST_H

#include "view/view.h"

/* Sorts bytewise by name. */
void cv_dirlist_sort(struct cv_dirlist *list);

#endif
