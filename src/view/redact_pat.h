/* SPDX-License-Identifier: Apache-2.0 */
/* Redact_pat: the patterns that redact.c looks for in texts. All work in place and keep the length. Private to view/. */
#ifndef CV_VIEW_REDACT_PAT_H
#define CV_VIEW_REDACT_PAT_H

#include <stdbool.h>
#include <stddef.h>

#define CV_PAT_UUID_LEN 36

typedef void cv_pat_fn(void *cookie, char *p, size_t n);

/* Calls fn for each 8-4-4-4-12 UUID. */
void cv_pat_uuids(char *p, size_t n, cv_pat_fn *fn, void *cookie);
/* Calls fn for what follows "GPU-" or "MIG-" if it begins like a UUID and is not a whole one. */
void cv_pat_short_uuids(char *p, size_t n, cv_pat_fn *fn, void *cookie);
/* Blots out user and password between "://" and "@", and the token in "/t/TOKEN/" of a package channel's address. */
void cv_pat_addresses(char *p, size_t n);
/* Blots out values after password=, token: and the like, and words that begin like a well-known service's token. */
void cv_pat_secrets(char *p, size_t n);
/* Blots out numbers after the word "serial". */
void cv_pat_serials(char *p, size_t n);
/* True if a variable or key of this name holds a secret ("HF_TOKEN"). */
bool cv_pat_secret_name(const char *p, size_t n);
/* True if all that a file of this name holds is a serial number or the like. */
bool cv_pat_is_identity_file(const char *path);
/* Letters and digits become c. */
void cv_pat_blot(char *p, size_t n, char c);

#endif
