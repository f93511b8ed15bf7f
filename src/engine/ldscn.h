/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CV_ENGINE_LDSCN_H
#define CV_ENGINE_LDSCN_H

#include "engine/engine.h"
#include "report/ld.h"

/* The facts of what is selected, and the first selected environment. */
int cv_ld_facts(struct cv_run *run, struct cv_view *view, const struct cv_selection *sel, struct cv_facts **ret,
		const struct cv_subject **ret_env);
/* One map per text of q->paths, in the selected environment. */
int cv_ld_python(struct cv_run *run, struct cv_view *view, const struct cv_selection *sel, const struct cv_ld_query *q, struct cv_ld *r);

#endif
