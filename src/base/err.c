/* SPDX-License-Identifier: Apache-2.0 */
#include "cuvet/err.h"

const char *cv_strerror(int err)
{
	switch (err) {
	case CV_OK:
		return "no error";
	case CV_ENOMEM:
		return "out of memory, or over the maximum";
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
		return "not in the expected format";
	case CV_ELIMIT:
		return "over a hard limit";
	case CV_ENOTSUP:
		return "not supported";
	default:
		return "unknown error";
	}
}
