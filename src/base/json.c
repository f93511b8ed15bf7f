/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <inttypes.h>

void cv_json_init(struct cv_json *j, struct cv_buf *out, bool pretty)
{
	*j = (struct cv_json){ .out = out, .pretty = pretty };
}

static void new_line(struct cv_json *j)
{
	if (!j->pretty)
		return;
	cv_buf_putc(j->out, '\n');
	cv_buf_fill(j->out, ' ', (size_t)j->depth * 2);
}

static void before_item(struct cv_json *j)
{
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (j->depth == 0)
		return;
	if (j->has_item[j->depth - 1])
		cv_buf_putc(j->out, ',');
	j->has_item[j->depth - 1] = true;
	new_line(j);
}

static void open_group(struct cv_json *j, char c)
{
	before_item(j);
	cv_buf_putc(j->out, c);
	if (j->depth >= CV_JSON_DEPTH) {
		j->out->err = CV_ELIMIT;
		return;
	}
	j->has_item[j->depth++] = false;
}

static void close_group(struct cv_json *j, char c)
{
	if (j->depth == 0) {
		j->out->err = CV_EINVAL;
		return;
	}
	if (j->has_item[--j->depth])
		new_line(j);
	cv_buf_putc(j->out, c);
	if (j->depth == 0 && j->pretty)
		cv_buf_putc(j->out, '\n');
}

void cv_json_obj(struct cv_json *j)
{
	open_group(j, '{');
}

void cv_json_end_obj(struct cv_json *j)
{
	close_group(j, '}');
}

void cv_json_arr(struct cv_json *j)
{
	open_group(j, '[');
}

void cv_json_end_arr(struct cv_json *j)
{
	close_group(j, ']');
}

/* Length of the valid UTF-8 sequence at p (RFC 3629: no surrogates, nothing overlong), 0 if there is none. */
static size_t utf8_len(const unsigned char *p)
{
	unsigned char c = p[0];

	if (c < 0x80)
		return 1;
	if (c >= 0xc2 && c <= 0xdf)
		return (p[1] & 0xc0) == 0x80 ? 2 : 0;
	if (c >= 0xe0 && c <= 0xef) {
		if ((p[1] & 0xc0) != 0x80 || (p[2] & 0xc0) != 0x80)
			return 0;
		if ((c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] > 0x9f))
			return 0;
		return 3;
	}
	if (c >= 0xf0 && c <= 0xf4) {
		if ((p[1] & 0xc0) != 0x80 || (p[2] & 0xc0) != 0x80 || (p[3] & 0xc0) != 0x80)
			return 0;
		if ((c == 0xf0 && p[1] < 0x90) || (c == 0xf4 && p[1] > 0x8f))
			return 0;
		return 4;
	}
	return 0;
}

static void put_string(struct cv_buf *b, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	cv_buf_putc(b, '"');
	while (*p) {
		size_t n = utf8_len(p);

		if (n == 0) {
			cv_buf_puts(b, "\xef\xbf\xbd");
			p++;
			continue;
		}
		if (*p == '"' || *p == '\\') {
			cv_buf_putc(b, '\\');
			cv_buf_putc(b, (char)*p);
		} else if (*p == '\n') {
			cv_buf_puts(b, "\\n");
		} else if (*p == '\t') {
			cv_buf_puts(b, "\\t");
		} else if (*p < 0x20 || *p == 0x7f) {
			cv_buf_printf(b, "\\u%04x", *p);
		} else {
			cv_buf_add(b, p, n);
		}
		p += n;
	}
	cv_buf_putc(b, '"');
}

void cv_json_key(struct cv_json *j, const char *key)
{
	before_item(j);
	put_string(j->out, key);
	cv_buf_puts(j->out, j->pretty ? ": " : ":");
	j->after_key = true;
}

void cv_json_str(struct cv_json *j, const char *s)
{
	before_item(j);
	if (s)
		put_string(j->out, s);
	else
		cv_buf_puts(j->out, "null");
}

void cv_json_int(struct cv_json *j, int64_t v)
{
	before_item(j);
	cv_buf_printf(j->out, "%" PRId64, v);
}

void cv_json_uint(struct cv_json *j, uint64_t v)
{
	before_item(j);
	cv_buf_printf(j->out, "%" PRIu64, v);
}

void cv_json_bool(struct cv_json *j, bool v)
{
	before_item(j);
	cv_buf_puts(j->out, v ? "true" : "false");
}

void cv_json_null(struct cv_json *j)
{
	before_item(j);
	cv_buf_puts(j->out, "null");
}

void cv_json_kstr(struct cv_json *j, const char *key, const char *s)
{
	cv_json_key(j, key);
	cv_json_str(j, s);
}

void cv_json_kuint(struct cv_json *j, const char *key, uint64_t v)
{
	cv_json_key(j, key);
	cv_json_uint(j, v);
}

void cv_json_kbool(struct cv_json *j, const char *key, bool v)
{
	cv_json_key(j, key);
	cv_json_bool(j, v);
}

void cv_json_knull(struct cv_json *j, const char *key)
{
	cv_json_key(j, key);
	cv_json_null(j);
}

void cv_json_kobj(struct cv_json *j, const char *key)
{
	cv_json_key(j, key);
	cv_json_obj(j);
}

void cv_json_karr(struct cv_json *j, const char *key)
{
	cv_json_key(j, key);
	cv_json_arr(j);
}
