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

/*
 * Before the C library is bound the loader knows only a few texts itself; "Error 21" is what it says of the others. The numbers
 * are Linux's, alike on all machines of today but a few.
 */
static const struct {
	int err, number;
	bool early;
	const char *text;
} errno_texts[] = {
	{ CV_ENOENT, 2, true, "No such file or directory" },
	{ CV_EACCES, 13, true, "Permission denied" },
	{ CV_EINVAL, 22, true, "Invalid argument" },
	{ CV_ENOMEM, 12, true, "Cannot allocate memory" },
	{ CV_EIO, 5, true, "Input/output error" },
	{ CV_ENOTDIR, 20, false, "Not a directory" },
	{ CV_ELOOP, 40, false, "Too many levels of symbolic links" },
	{ CV_ENOTREG, 21, false, "Is a directory" },
	{ CV_ELIMIT, 36, false, "File name too long" },
};

const char *cv_lm_errno_text(struct lm_map *m, int err)
{
	for (size_t i = 0; i < sizeof(errno_texts) / sizeof(errno_texts[0]); i++) {
		if (errno_texts[i].err != err)
			continue;
		if (errno_texts[i].early || m->running || m->loader->libc == LM_MUSL)
			return errno_texts[i].text;
		return cv_arena_printf(m->arena, "Error %d", errno_texts[i].number);
	}
	return "Input/output error";
}

const char *cv_lm_error_text(struct lm_map *m, const struct lm_error *e)
{
	return cv_arena_printf(m->arena, "%s%s%s%s%s", e->object, e->object[0] ? ": " : "", e->what, e->err ? ": " : "",
			       e->err ? cv_lm_errno_text(m, e->err) : "");
}
