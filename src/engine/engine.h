/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Engine: the only room that knows the order of things: options -> views -> knowledge -> facts -> judge -> document.
 */
#ifndef CV_ENGINE_ENGINE_H
#define CV_ENGINE_ENGINE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "collect/collect.h"
#include "cuvet/cuvet.h"
#include "kb/kb.h"
#include "view/view.h"

/* A document is one of a few kinds; each is a struct that begins with this one. */
struct cv_doc_ops {
	const char *schema; /* "cuvet/check/1" */
	enum cv_status (*status)(const struct cv_doc *doc, const struct cv_options *opt);
	int (*terminal)(const struct cv_doc *doc, const struct cv_style *style, struct cv_buf *out);
	int (*json)(const struct cv_doc *doc, struct cv_buf *out);
	int (*facts)(const struct cv_doc *doc, struct cv_buf *out); /* NULL: not offered */
	int (*markdown)(const struct cv_doc *doc, struct cv_buf *out); /* NULL: not offered */
};

struct cv_doc {
	const struct cv_doc_ops *ops;
	struct cv_arena *arena; /* owns everything, this struct too */
	const struct cv_kb *kb;
};

/*
 * What one call works with. cv_run_init() copies the options (as many fields as the caller's release knows) and makes the
 * arena; CV_EINVAL if the options contradict themselves. After that the call ends with cv_run_fail() or with a document that has
 * taken over the arena.
 */
struct cv_run {
	struct cv_options opt;
	struct cv_arena *arena;
	struct cv_diag diag;
	const struct cv_kb *kb;
};

int cv_run_init(struct cv_run *run, const struct cv_options *opt);
/* Tells the caller why, gives the arena back and returns err. */
int cv_run_fail(struct cv_run *run, int err);
/* Hands the messages so far to the caller and empties the list. */
void cv_run_tell(struct cv_run *run);
/* Loads the knowledge that the options ask for into run->kb. */
int cv_run_load_kb(struct cv_run *run);
/* A new document of size bytes (its kind's struct) in run's arena; NULL when out of memory. */
void *cv_run_doc_new(struct cv_run *run, const struct cv_doc_ops *ops, size_t size);

/* Builds the stack of views that the options describe and settles the selection in it. Texts of *sel live in run's arena. */
int cv_run_open(struct cv_run *run, struct cv_view **ret_view, struct cv_selection *ret_sel);

/*
 * The selection as words, for the bundle, and back: "--python=P", "--env=D", "--all-envs", "--cwd=D" behind the name of the
 * command. Words that are not understood are passed over, so that older releases read newer bundles.
 */
int cv_selection_to_words(struct cv_arena *a, const struct cv_selection *sel, struct cv_strv *ret);
int cv_selection_from_words(struct cv_arena *a, const char *const *words, size_t n, struct cv_selection *ret);

#endif
