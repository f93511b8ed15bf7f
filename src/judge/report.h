/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the report that are not findings: machine, GPUs, environments, verdict. */
#ifndef CV_JUDGE_REPORT_H
#define CV_JUDGE_REPORT_H

#include "judge/ctx.h"

/* Machine, driver, GPUs, environments with their packages. */
void cv_report_fill(struct cv_judge_ctx *ctx);
/* Verdicts of environments and of the whole, and the one sentence; after findings and cells are final. */
void cv_report_conclude(struct cv_judge_ctx *ctx);

#endif
