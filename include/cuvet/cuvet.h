/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcuvet: vets NVIDIA GPU deep-learning stacks by reading files, never by loading them.
 *
 * Each command is one call that makes a document; a document has an exit status and can be written in a format:
 *
 *	struct cv_options opt = { .size = sizeof(opt), .environ = environ };
 *	struct cv_doc *doc;
 *
 *	if (cv_check(&opt, &doc) == 0) {
 *		cv_doc_write(doc, &(struct cv_style){ .format = CV_FORMAT_TERMINAL }, my_write, NULL);
 *		status = cv_doc_status(doc, &opt);
 *		cv_doc_free(doc);
 *	}
 *
 * Threads: calls on different documents may run at the same time; there are no globals. The library never prints, exits or
 * reads the environment by itself. Options are borrowed for the duration of the call.
 */
#ifndef CUVET_CUVET_H
#define CUVET_CUVET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuvet/err.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cv_severity { CV_NOTE, CV_WARNING, CV_ERROR };
enum cv_role { CV_PRIMARY, CV_CONTRIBUTING, CV_SECONDARY };
enum cv_verdict { CV_VERDICT_OK, CV_VERDICT_PROBLEM, CV_VERDICT_CANNOT_TELL };

/* Exit status, the same for every command. */
enum cv_status {
	CV_STATUS_OK = 0,
	CV_STATUS_PROBLEM = 1,
	CV_STATUS_USAGE = 2,
	CV_STATUS_CANNOT_TELL = 3,
};

enum cv_format { CV_FORMAT_TERMINAL, CV_FORMAT_JSON, CV_FORMAT_FACTS, CV_FORMAT_MARKDOWN };

struct cv_options {
	size_t size;                 /* sizeof(struct cv_options): lets later releases add fields */
	char *const *environ;        /* the process's environment, or NULL for an empty one */
	const char *cwd;             /* working directory, or NULL */
	const char *root;            /* a directory or a bundle to look at instead of this machine, or NULL */
	const char *machine;         /* a bundle or directory whose /proc, /sys, /dev and driver files are laid over, or NULL */
	const char *python;          /* an interpreter whose environment is meant, or NULL */
	const char *const *envs;     /* environments that are meant; none: see docs/json.md, "selected" */
	size_t env_n;
	bool all_envs;
	const char *const *set;      /* "NAME=VALUE" or "NAME": changes of the environment that is looked at */
	size_t set_n;
	const char *kb_dir;          /* further knowledge, or NULL */
	const char *record_to;       /* write everything that was looked at to this bundle, with the selection above, or NULL */
	bool redact;                 /* replace names, serial numbers and secrets in that bundle */
	enum cv_severity fail_level; /* which findings make status 1; CV_NOTE (0) means the default, CV_ERROR */
	bool exit_zero;              /* status 1 and 3 become 0 */
	void (*notice)(void *cookie, const char *text); /* why a call failed or is incomplete: a line each; or NULL */
	void *cookie;
	bool live; /* cv_explain: the machine of the text is this one: judge its messages on what is seen here */
};

struct cv_style {
	enum cv_format format;
	bool colour;
	bool ascii;     /* only ASCII in terminal output */
	unsigned width; /* columns; 0: 80 */
	bool verbose;   /* evidence of notes, what was ruled out, environments that were not selected */
};

struct cv_doc;

/*
 * Judges a machine and its environments. Root may be a bundle: then the selection (python, envs, all_envs, cwd) is that of the
 * run which recorded it, unless the options make one. What cannot be read on the way is a part of the answer, not a failure.
 */
CV_API int cv_check(const struct cv_options *opt, struct cv_doc **ret_doc);
/*
 * Says what the dynamic loader takes for programs and libraries, by whom it was asked, which step decided, and what it refuses.
 * Nothing is loaded. LD_LIBRARY_PATH, LD_PRELOAD and LD_BIND_NOW are those of the environment that is looked at.
 */
struct cv_ld_query {
	const char *const *paths;
	size_t path_n;
	bool symbols;    /* also look up every undefined symbol, as ldd -r does */
	bool flat;       /* terminal: a list instead of a tree */
	const char *why; /* terminal: only what leads to libraries whose name holds this text; or NULL */
	bool quick;      /* do not look for the files that lose ("losers"): half the time */
};
CV_API int cv_ld(const struct cv_options *opt, const struct cv_ld_query *query, struct cv_doc **ret_doc);
/*
 * Lists the GPU code of files, wheels and environments, and which GPUs it serves. Without gpus and ccs the GPUs of the machine
 * that is looked at are meant.
 */
struct cv_arch_query {
	const char *const *paths;
	size_t path_n;
	const char *const *gpus; /* names: "RTX 4090" */
	size_t gpu_n;
	const char *const *ccs;  /* compute capabilities, each one or a comma list: "8.9", "8.0,9.0" */
	size_t cc_n;
};
CV_API int cv_arch(const struct cv_options *opt, const struct cv_arch_query *query, struct cv_doc **ret_doc);
/*
 * Says what has to be set so that the programs of an environment load: each change was tried on the load map. Nothing is
 * started. The status is CV_STATUS_PROBLEM if no change is enough.
 */
struct cv_plan_query {
	const char *program; /* "import torch; import onnxruntime"; NULL: each framework of the environment */
	const char *cuda;    /* root of a CUDA toolkit that comes first, or NULL */
};
CV_API int cv_plan(const struct cv_options *opt, const struct cv_plan_query *query, struct cv_doc **ret_doc);
/* The changes of a document of cv_plan(), none for others: the variable's name and *ret_value, NULL to unset it. */
CV_API size_t cv_doc_change_count(const struct cv_doc *doc);
CV_API const char *cv_doc_change(const struct cv_doc *doc, size_t i, const char **ret_value);
/* Answers from the knowledge base: words are what follows `cuvet kb`. */
CV_API int cv_kb_query(const struct cv_options *opt, const char *const *words, size_t n, struct cv_doc **ret_doc);
/*
 * Rows for the knowledge base out of wheels, or directories that hold one distribution each. date (YYYY-MM-DD) is the day of
 * reading. Written to a terminal they are lines for a file of kb/.
 */
CV_API int cv_kb_derive(const struct cv_options *opt, const char *const *paths, size_t n, const char *date, struct cv_doc **ret_doc);
/* A finding's page, or the catalogue where id is NULL. */
CV_API int cv_rule_page(const struct cv_options *opt, const char *id, struct cv_doc **ret_doc);

/* A text to be explained; read puts the next bytes into buf, *ret_n 0 at the end, and returns 0 or a negative enum cv_err. */
struct cv_input {
	const char *name; /* as the answer shall quote it; a bundle of gather is opened by this path */
	int (*read)(void *cookie, char *buf, size_t cap, size_t *ret_n);
	void *cookie;
};
/*
 * Diagnoses what people paste: tracebacks, logs, environment reports. The answer speaks of the machine of the text, never of this
 * one unless opt->live says that it is the same. Memory does not grow with the texts; of a text without an end, the first 1 GiB
 * is read (64 MiB where no line ends), and a notice says so.
 */
CV_API int cv_explain(const struct cv_options *opt, const struct cv_input *inputs, size_t n, struct cv_doc **ret_doc);

/* Gets the next piece of the output; a negative return stops the writing and is passed on. */
typedef int cv_write_fn(void *cookie, const char *p, size_t n);

/*
 * CV_ENOTSUP: this document has no such format (CV_FORMAT_FACTS is for cv_check() only, CV_FORMAT_MARKDOWN for cv_explain() only). A terminal document has no escape
 * sequences unless colour is set; what comes from files never adds any.
 */
CV_API int cv_doc_write(const struct cv_doc *doc, const struct cv_style *style, cv_write_fn *write, void *cookie);
/* The exit status that the document means under the options' fail_level and exit_zero. */
CV_API enum cv_status cv_doc_status(const struct cv_doc *doc, const struct cv_options *opt);
/* NULL is allowed. */
CV_API void cv_doc_free(struct cv_doc *doc);

/* Reading a document of cv_check(), empty for others: texts live as long as the document. */
CV_API enum cv_verdict cv_doc_verdict(const struct cv_doc *doc);
CV_API const char *cv_doc_verdict_line(const struct cv_doc *doc);
CV_API size_t cv_doc_finding_count(const struct cv_doc *doc);
CV_API const char *cv_doc_finding_id(const struct cv_doc *doc, size_t i);
CV_API enum cv_severity cv_doc_finding_severity(const struct cv_doc *doc, size_t i);
CV_API const char *cv_doc_finding_title(const struct cv_doc *doc, size_t i);

/* "0.1.0" */
CV_API const char *cv_version(void);

#ifdef __cplusplus
}
#endif

#endif
