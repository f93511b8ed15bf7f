/* SPDX-License-Identifier: Apache-2.0 */
#include "base/diag.h"

#include "base/vec.h"

void cv_diag_init(struct cv_diag *d, struct cv_arena *arena)
{
	*d = (struct cv_diag){ .arena = arena };
}

int cv_diag_fail(struct cv_diag *d, int err, const char *fmt, ...)
{
	va_list ap;
	const char **slot;

	if (!d)
		return err;
	if (d->n >= CV_DIAG_MAX || !(slot = CV_VEC_PUSH(d->arena, d))) {
		d->dropped++;
		return err;
	}
	va_start(ap, fmt);
	*slot = cv_arena_vprintf(d->arena, fmt, ap);
	va_end(ap);
	return err;
}

const char *cv_strerror(int err)
{
	switch ((enum cv_err)err) {
	case CV_OK:
		return "ok";
	case CV_ENOMEM:
		return "out of memory";
	case CV_EINVAL:
		return "invalid argument";
	case CV_ENOENT:
		return "not found";
	case CV_EACCES:
		return "permission denied";
	case CV_ENOTDIR:
		return "not a directory";
	case CV_ELOOP:
		return "too many symbolic links";
	case CV_ENOTREG:
		return "not a regular file";
	case CV_EIO:
		return "input/output error";
	case CV_ENOTASKED:
		return "not in the record";
	case CV_EFORMAT:
		return "malformed";
	case CV_ELIMIT:
		return "over a hard limit";
	case CV_ENOTSUP:
		return "not supported";
	}
	return "unknown error";
}
