/* SPDX-License-Identifier: Apache-2.0 */
#include "report/check.h"

const char *cv_report_verdict_word(enum cv_verdict v)
{
	switch (v) {
	case CV_VERDICT_OK:
		return "ok";
	case CV_VERDICT_PROBLEM:
		return "problem";
	case CV_VERDICT_CANNOT_TELL:
		break;
	}
	return "cannot-tell";
}

const char *cv_report_severity_word(enum cv_severity s)
{
	switch (s) {
	case CV_ERROR:
		return "error";
	case CV_WARNING:
		return "warning";
	case CV_NOTE:
		break;
	}
	return "note";
}

const char *cv_report_role_word(enum cv_role r)
{
	switch (r) {
	case CV_PRIMARY:
		return "primary";
	case CV_CONTRIBUTING:
		return "contributing";
	case CV_SECONDARY:
		break;
	}
	return "secondary";
}

const char *cv_report_tri_word(enum cv_tri t)
{
	switch (t) {
	case CV_TRI_OK:
		return "ok";
	case CV_TRI_BAD:
		return "bad";
	case CV_TRI_UNKNOWN:
		break;
	}
	return "unknown";
}

const char *cv_report_code_word(enum cv_code c)
{
	switch (c) {
	case CV_CODE_NATIVE:
		return "native";
	case CV_CODE_PTX_JIT:
		return "ptx-jit";
	case CV_CODE_PARTIAL:
		return "partial";
	case CV_CODE_NONE:
		return "none";
	case CV_CODE_UNKNOWN:
		break;
	}
	return "unknown";
}

bool cv_report_counts(const struct cv_report *r, const struct cv_finding *f)
{
	if (f->env == CV_NO_INDEX || f->env >= r->envs.n || r->envs.v[f->env].selected)
		return true;
	for (size_t i = 0; i < r->cells.n; i++) {
		const struct cv_cell *c = &r->cells.v[i];

		if (c->env < r->envs.n && r->envs.v[c->env].selected && cv_strv_has(&f->cells, c->key))
			return true;
	}
	return false;
}
