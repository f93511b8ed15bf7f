/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Json: a streaming writer. It puts commas and, when pretty, line breaks; the caller puts structure.
 *
 * Strings may hold any bytes: what is not valid UTF-8 is written as U+FFFD, control characters are escaped (this is the one
 * place where paths that are not UTF-8 are made safe).
 */
#ifndef CV_BASE_JSON_H
#define CV_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define CV_JSON_DEPTH 32

struct cv_json {
	struct cv_buf *out;
	bool pretty;
	unsigned depth;
	bool has_item[CV_JSON_DEPTH]; /* whether a comma is due */
	bool after_key;
};

void cv_json_init(struct cv_json *j, struct cv_buf *out, bool pretty);
void cv_json_obj(struct cv_json *j);
void cv_json_end_obj(struct cv_json *j);
void cv_json_arr(struct cv_json *j);
void cv_json_end_arr(struct cv_json *j);
void cv_json_key(struct cv_json *j, const char *key);
void cv_json_str(struct cv_json *j, const char *s); /* NULL is written as null */
void cv_json_int(struct cv_json *j, int64_t v);
void cv_json_uint(struct cv_json *j, uint64_t v);
void cv_json_bool(struct cv_json *j, bool v);
void cv_json_null(struct cv_json *j);

/* key and value in one call */
void cv_json_kstr(struct cv_json *j, const char *key, const char *s);
void cv_json_kuint(struct cv_json *j, const char *key, uint64_t v);
void cv_json_kbool(struct cv_json *j, const char *key, bool v);
void cv_json_knull(struct cv_json *j, const char *key);
void cv_json_kobj(struct cv_json *j, const char *key);
void cv_json_karr(struct cv_json *j, const char *key);

#endif
