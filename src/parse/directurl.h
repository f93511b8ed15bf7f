/* SPDX-License-Identifier: Apache-2.0 */
/* direct_url.json (PEP 610): where a distribution came from that no index gave. And cupy/.data/_wheel.json, as small a file. */
#ifndef CV_PARSE_DIRECTURL_H
#define CV_PARSE_DIRECTURL_H

#include <stdbool.h>

#include "base/str.h"

#define CV_DIRECTURL_MAX ((size_t)65536)

struct cv_directurl {
	const char *url;    /* passwords taken out */
	const char *commit; /* vcs_info.commit_id; NULL: none */
	bool editable;      /* dir_info.editable */
};

/* CV_EFORMAT if it is not such a document, CV_ENOMEM. Texts live in a. */
int cv_directurl_parse(struct cv_str text, struct cv_arena *a, struct cv_directurl *ret);

/* The text value of a key of a small JSON object, in a. CV_EFORMAT, CV_ENOENT if there is no such text, CV_ENOMEM. */
int cv_json_text_of(struct cv_str text, const char *key, struct cv_arena *a, const char **ret);

#endif
