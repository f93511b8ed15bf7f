/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Redact: takes names, identities and secrets out of the texts of a record. Private to view/.
 *
 * Every replacement is as long as what it replaces, so sizes, offsets and RECORD entries stay true, and depends on the words
 * alone, so a path reads the same in a question, in a link and in a file. What is replaced:
 *
 *	users    /home/NAME and /Users/NAME everywhere; NAME also as any other component, if it is a user of this machine
 *	         (learned from the questions and the environment) and no part of the system's own paths has that name
 *	host     the host name, as a whole word
 *	UUIDs    of GPUs, disks, the machine ...; an abbreviated one ("GPU-8f3c") stays the beginning of its full one
 *	serials  whole files that hold one (product_serial, machine-id), and what follows the word "serial" and a colon
 *	secrets  user:password in addresses, values after password=, token=, ..., words that look like a service's access token
 *
 * Use: learn everything first, then cv_redact_ready(), then change texts. Numbers are given in order of first use.
 */
#ifndef CV_VIEW_REDACT_H
#define CV_VIEW_REDACT_H

#include <stdbool.h>

#include "base/arena.h"

struct cv_redact;

/* Lives in a; NULL when out of memory. */
struct cv_redact *cv_redact_new(struct cv_arena *a);
/* A path of a question or an answer: whose homes there are, which names the system uses itself. */
void cv_redact_learn_path(struct cv_redact *r, const char *path);
/* A variable: HOME, USER, LOGNAME, HOSTNAME ... tell names. */
void cv_redact_learn_env(struct cv_redact *r, const char *name, const char *value);
void cv_redact_learn_host(struct cv_redact *r, const char *name);
/* Any text: UUIDs, and in /etc/hostname and the like the host's name. */
void cv_redact_learn_text(struct cv_redact *r, const char *path, const char *p, size_t n);
void cv_redact_ready(struct cv_redact *r);

/* A path or the text of a link, in place; a component may stand at its beginning without a slash. */
void cv_redact_path(struct cv_redact *r, char *path);
/* The value of a variable, in place. */
void cv_redact_env(struct cv_redact *r, const char *name, char *value);
/* The name of an entry of directory dir (not redacted), in place. */
void cv_redact_entry(struct cv_redact *r, const char *dir, char *name);
/* (Part of) the text of the file path (not redacted), in place. */
void cv_redact_text(struct cv_redact *r, const char *path, char *p, size_t n);
/* True if the bytes are text that may be changed: files of /proc and /sys may hold NUL between their words. */
bool cv_redact_is_text(const char *path, const void *p, size_t n);

#endif
