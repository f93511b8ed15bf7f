/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error numbers shared by every cuvet call.
 *
 * Calls that can fail return 0 or one of these negative values; nothing is written to the out parameters (ret_*) then.
 */
#ifndef CUVET_ERR_H
#define CUVET_ERR_H

#if defined(__GNUC__)
#define CV_API __attribute__((visibility("default")))
#define CV_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define CV_API
#define CV_PRINTF(fmt, args)
#endif

enum cv_err {
	CV_OK = 0,
	CV_ENOMEM = -1,    /* out of memory, or over the maximum that the caller set */
	CV_EINVAL = -2,    /* a bad argument or option */
	CV_ENOENT = -3,    /* looked: it is not there */
	CV_EACCES = -4,    /* looked: not allowed to see it */
	CV_ENOTDIR = -5,   /* a component of the path is not a directory (or the path itself, where one is needed) */
	CV_ELOOP = -6,     /* too many symbolic links */
	CV_ENOTREG = -7,   /* not a regular file: devices, pipes and sockets are never opened */
	CV_EIO = -8,       /* the system reported another error */
	CV_ENOTASKED = -9, /* replay: the record does not hold the answer to this question */
	CV_EFORMAT = -10,  /* the bytes break their format, or end early */
	CV_ELIMIT = -11,   /* a hard maximum on count, depth or size was reached */
	CV_ENOTSUP = -12,  /* understood, but this build or this view cannot do it */
};

/* A short lower-case text for one of the above ("not found", "permission denied"); never NULL. */
CV_API const char *cv_strerror(int err);

#endif
