/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Txt: what people paste, line by line. A reader knows one format, gets clean lines and tells what each says; it sees no file,
 * no kb and no other reader. What the things told mean for a machine is for src/explain to say.
 *
 * To add a reader: a file txt_NAME.c with a `cv_txt_line_fn`, its row in the table of txt.c, a fuzz seed. See docs/ARCHITECTURE.md.
 */
#ifndef CV_PARSE_TXT_H
#define CV_PARSE_TXT_H

#include "base/str.h"

enum cv_tell {
	CV_TELL_PACKAGE,     /* subject: name; value: version; extra: build, "" if none */
	CV_TELL_PACKAGE_AT,  /* subject: name; value: directory */
	CV_TELL_WANT,        /* a requirement: subject: name; value: version, may be empty */
	CV_TELL_FRAMEWORK,   /* what an import said: subject: torch, ...; value: version */
	CV_TELL_BUILT_CUDA,  /* subject: framework; value: CUDA release, or "none" */
	CV_TELL_PYTHON,      /* value: version */
	CV_TELL_OS,          /* value: as written */
	CV_TELL_KERNEL,      /* value: release */
	CV_TELL_GLIBC,       /* value: version */
	CV_TELL_ARCH,        /* value: x86_64, aarch64 */
	CV_TELL_DRIVER,      /* value: version, as the tools call it */
	CV_TELL_MODULE,      /* value: version of the loaded kernel module */
	CV_TELL_DRIVER_CUDA, /* value: CUDA release that the driver offers */
	CV_TELL_MODULE_OPEN, /* value: "yes", "no" */
	CV_TELL_GPU,         /* subject: index or PCI address, "" if none; value: name */
	CV_TELL_GPU_LISTED,  /* the same, by a tool that lists every GPU */
	CV_TELL_GPU_CC,      /* subject: as above; value: compute capability */
	CV_TELL_GPU_MIG,     /* value: Enabled, Disabled */
	CV_TELL_GPU_MODE,    /* value: Default, E. Process, Prohibited */
	CV_TELL_GPU_BOUND,   /* subject: PCI address; value: kernel driver */
	CV_TELL_TOOLKIT,     /* subject: directory, "" if none; value: version */
	CV_TELL_NVCC,        /* value: version, or "none" */
	CV_TELL_CUDNN,       /* value: version; subject: where, "" if not said */
	CV_TELL_TENSORRT,    /* value: version */
	CV_TELL_LIB,         /* a library file that exists: subject: path or name; extra: "cache" if the loader's cache has it */
	CV_TELL_NEEDS,       /* subject: object; value: library that it names */
	CV_TELL_VAR,         /* subject: name; value */
	CV_TELL_PROBE,       /* what a program answered: subject: canonical question; value: answer */
	CV_TELL_CONTAINER,   /* value: docker, kubernetes, ... */
	CV_TELL_IMAGE,       /* value: image name */
	CV_TELL_SECURE_BOOT, /* value: "yes", "no" */
	CV_TELL_SHM,         /* value: size of /dev/shm as written (64M) */
	CV_TELL_EXTENT,      /* a report goes on to here */
	CV_TELL_COMPLETE,    /* here begins a list of everything that is installed */
	CV_TELL_COMMAND,     /* value: a command that was typed */
};

/* How sure the form is: prose is only believed where nothing else speaks. */
enum cv_told_weight { CV_TOLD_PROSE = 1, CV_TOLD_NOTE, CV_TOLD_TOOL, CV_TOLD_RUNTIME };

struct cv_told {
	enum cv_tell what;
	enum cv_told_weight weight;
	struct cv_str subject, value, extra; /* borrowed: valid during the call only */
	const char *as;                      /* what was recognised: "nvidia-smi", "pip list" */
};

#define CV_TXT_KEEP 512

/* A text being read. Zero it, set tell, cookie and file; each file begins with cv_txt_begin(). */
struct cv_txt {
	void (*tell)(void *cookie, const struct cv_told *told);
	void *cookie;
	const char *file;             /* name as given: "requirements.txt" is not "pip-freeze.txt" */
	char command[CV_TXT_KEEP];    /* the last command typed at a shell, "" if none */
	char name[CV_TXT_KEEP];       /* a name that the next line completes (pip show, find) */
	char ask[CV_TXT_KEEP];        /* expressions whose values the next line holds */
	unsigned state[16];           /* one per reader */
	unsigned blank;               /* empty lines in a row before this one */
	unsigned station;             /* number of the paste: what one program printed, or a paragraph between */
	unsigned report;              /* inside an environment report, whose sections are one paste */
	const char *as;
};

typedef void cv_txt_line_fn(struct cv_txt *t, struct cv_str line, unsigned *state);

void cv_txt_begin(struct cv_txt *t, const char *file);
/* A clean line (see cv_txt_clean); every reader gets it. */
void cv_txt_line(struct cv_txt *t, struct cv_str line);

/*
 * Copies s without escape sequences, control characters, carriage-return overwrites, Markdown quotes and log prefixes of
 * containers; at most cap bytes. Returns what was written to buf.
 */
struct cv_str cv_txt_clean(struct cv_str s, char *buf, size_t cap);

/* For readers. */
void cv_tell(struct cv_txt *t, enum cv_tell what, enum cv_told_weight weight, struct cv_str subject, struct cv_str value);
void cv_tell_extra(struct cv_txt *t, enum cv_tell what, enum cv_told_weight weight, struct cv_str subject, struct cv_str value,
		   struct cv_str extra);
/* The version at the start of s: digits, then digits, dots, and with local "+cu121", "rc1", ".dev2": at least one digit. */
bool cv_txt_version(struct cv_str s, struct cv_str *ret);
/* Index of needle in s ignoring ASCII case, or -1. */
ptrdiff_t cv_txt_find(struct cv_str s, const char *needle);
/* "Key: value" or "Key = value": false if line is no such thing. */
bool cv_txt_key(struct cv_str line, struct cv_str *ret_key, struct cv_str *ret_value);
bool cv_txt_is(struct cv_str s, const char *word); /* equal ignoring case */
void cv_txt_keep(char *dst, struct cv_str s);      /* into one of the CV_TXT_KEEP buffers, cut if need be */
/* A key and a value that somebody wrote: true if the key is known. */
bool cv_txt_note(struct cv_txt *t, struct cv_str key, struct cv_str value);
bool cv_txt_is_command(const struct cv_txt *t, const char *word); /* the last command has this in it */

cv_txt_line_fn cv_txt_command, cv_txt_packages, cv_txt_smi, cv_txt_notes, cv_txt_libs, cv_txt_kernel, cv_txt_vars, cv_txt_probes,
	cv_txt_prose, cv_txt_container, cv_txt_forms;

#endif
