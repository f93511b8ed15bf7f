/* SPDX-License-Identifier: Apache-2.0 */
/* Words for the enums, and the texts of errno as glibc and musl share them for these few. */
#include "loadmap/lm.h"

static const char *const step_names[] = {
	[CV_LM_PROGRAM] = "path asked for", [CV_LM_PATH] = "path",
	[CV_LM_LOADED] = "already loaded",  [CV_LM_RPATH] = "RPATH",
	[CV_LM_LIBRARY_PATH] = "LD_LIBRARY_PATH", [CV_LM_RUNPATH] = "RUNPATH",
	[CV_LM_CACHE] = "ld.so.cache",      [CV_LM_DEFAULT] = "default directory",
	[CV_LM_INTERP] = "interpreter",     [CV_LM_MISSING] = "missing",
};

static const char *const mode_names[] = {
	[CV_LM_BY_EXEC] = "exec",       [CV_LM_BY_NEEDED] = "needed", [CV_LM_BY_FILTER] = "filter",
	[CV_LM_BY_AUXILIARY] = "auxiliary", [CV_LM_BY_PRELOAD] = "preload", [CV_LM_BY_DLOPEN] = "dlopen",
};

static const char *const reason_names[] = {
	[CV_LM_LATER] = "later in the search",
	[CV_LM_WRONG_CLASS] = "wrong ELF class",
	[CV_LM_WRONG_MACHINE] = "wrong machine",
	[CV_LM_NOT_ELF] = "not a loadable ELF file",
	[CV_LM_UNREADABLE] = "not readable",
	[CV_LM_DANGLING] = "dangling link",
	[CV_LM_NEEDS_NEWER_KERNEL] = "needs a newer kernel",
	[CV_LM_HWCAP_UNFIT] = "for another CPU",
};

static const char *const trouble_names[] = {
	[CV_LM_T_MISSING] = "missing",         [CV_LM_T_NO_VERSION] = "no-version", [CV_LM_T_WRONG_FORMAT] = "wrong-format",
	[CV_LM_T_UNDEFINED] = "undefined",     [CV_LM_T_EXEC_STACK] = "exec-stack", [CV_LM_T_STATIC_TLS] = "static-tls",
	[CV_LM_T_ISA_LEVEL] = "isa-level",     [CV_LM_T_UNREADABLE] = "unreadable", [CV_LM_T_LIMIT] = "limit",
};

const char *cv_lm_step_name(enum cv_lm_step step)
{
	return step_names[step];
}

const char *cv_lm_mode_name(enum cv_lm_mode mode)
{
	return mode_names[mode];
}

const char *cv_lm_reason_name(enum cv_lm_reason reason)
{
	return reason_names[reason];
}

const char *cv_lm_trouble_name(enum cv_lm_trouble_kind kind)
{
	return trouble_names[kind];
}

const char *cv_lm_errno_text(int err)
{
	switch (err) {
	case CV_ENOENT:
		return "No such file or directory";
	case CV_EACCES:
		return "Permission denied";
	case CV_ENOTDIR:
		return "Not a directory";
	case CV_ELOOP:
		return "Too many levels of symbolic links";
	case CV_ENOTREG:
		return "Is a directory";
	case CV_EINVAL:
		return "Invalid argument";
	case CV_ELIMIT:
		return "File name too long";
	case CV_ENOMEM:
		return "Cannot allocate memory";
	default:
		return "Input/output error";
	}
}

const char *cv_lm_error_text(struct lm_map *m, const struct lm_error *e)
{
	return cv_arena_printf(m->arena, "%s%s%s%s%s", e->object, e->object[0] ? ": " : "", e->what, e->err ? ": " : "",
			       e->err ? cv_lm_errno_text(e->err) : "");
}
