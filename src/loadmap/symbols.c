/* SPDX-License-Identifier: Apache-2.0 */
#include "loadmap/lm.h"

int cv_lm_check_symbols(struct lm_map *m, size_t i, bool now, bool first_only, bool *ret_fatal)
{
	(void)i;
	(void)now;
	(void)first_only;
	(void)ret_fatal;
	return cv_diag_fail(m->diag, CV_ENOTSUP, "symbols are not looked up yet");
}

int cv_loadmap_symbols(struct cv_loadmap *m)
{
	return cv_lm_check_symbols(cv_lm_of(m), 0, true, false, NULL);
}
