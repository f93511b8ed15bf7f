/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An entry of paths_data.paths: {"_path", "path_type": "hardlink" | "softlink" | "directory" | ..., "sha256",
 * "sha256_in_prefix", "size_in_bytes", "file_mode": "text" | "binary", "prefix_placeholder"}. The size is that in the
 * package: where a placeholder was replaced in a text, the installed file differs; in a binary the length is kept.
 */
#include "parse/condameta.h"

#include "base/num.h"
#include "parse/jscan.h"

struct reader {
	struct cv_jscan scan;
	struct cv_arena *a;
	cv_condafile_fn *fn;
	void *cookie;
	struct cv_condameta meta;
	uint64_t listed; /* in "files" */
};

static int text_value(struct reader *r, int token, const char **ret)
{
	if (token == CV_J_STR && !r->scan.cut) {
		*ret = cv_arena_memdup(r->a, r->scan.text, r->scan.text_n);
		return 0;
	}
	return cv_jscan_skip(&r->scan, token);
}

static bool number_value(const struct reader *r, int token, uint64_t *ret)
{
	return token == CV_J_NUM && cv_str_u64((struct cv_str){ r->scan.text, r->scan.text_n }, ret);
}

/* One entry of paths_data.paths, behind its opening brace. */
static int one_path(struct reader *r)
{
	char path[CV_JSCAN_TEXT + 1] = "";
	struct cv_condafile file = { .path = path };
	bool sized = false, plain = true, placeholder = false, text = true;
	int t;

	while ((t = cv_jscan_next(&r->scan)) == CV_J_KEY) {
		struct cv_str key = { r->scan.text, r->scan.text_n };
		enum { PATH, TYPE, SIZE, MODE, PLACEHOLDER, OTHER } what =
			cv_str_is(key, "_path")		       ? PATH :
			cv_str_is(key, "path_type")	       ? TYPE :
			cv_str_is(key, "size_in_bytes")	       ? SIZE :
			cv_str_is(key, "file_mode")	       ? MODE :
			cv_str_is(key, "prefix_placeholder")   ? PLACEHOLDER :
								 OTHER;
		struct cv_str value;
		int err;

		t = cv_jscan_next(&r->scan);
		value = (struct cv_str){ r->scan.text, t == CV_J_STR ? r->scan.text_n : 0 };
		if (what == PATH && t == CV_J_STR && !r->scan.cut)
			memcpy(path, r->scan.text, r->scan.text_n + 1);
		else if (what == TYPE)
			plain = cv_str_is(value, "hardlink");
		else if (what == SIZE)
			sized = number_value(r, t, &file.size);
		else if (what == MODE)
			text = !cv_str_is(value, "binary");
		else if (what == PLACEHOLDER)
			placeholder = value.n > 0;
		err = cv_jscan_skip(&r->scan, t);
		if (err < 0)
			return err;
	}
	if (t != CV_J_END_OBJ)
		return t < 0 ? t : CV_EFORMAT;
	if (++r->meta.files > CV_CONDAMETA_FILES)
		return CV_ELIMIT;
	file.has_size = sized && plain && !(placeholder && text);
	return path[0] && r->fn ? r->fn(r->cookie, &file) : 0;
}

static int path_list(struct reader *r, int token)
{
	int t;

	if (token != CV_J_ARR)
		return cv_jscan_skip(&r->scan, token);
	while ((t = cv_jscan_next(&r->scan)) != CV_J_END_ARR) {
		int err = t == CV_J_OBJ ? one_path(r) : cv_jscan_skip(&r->scan, t);

		if (err)
			return err;
	}
	return 0;
}

static int paths_data(struct reader *r, int token)
{
	int t;

	if (token != CV_J_OBJ)
		return cv_jscan_skip(&r->scan, token);
	while ((t = cv_jscan_next(&r->scan)) == CV_J_KEY) {
		bool paths = cv_streq(r->scan.text, "paths");
		int err;

		t = cv_jscan_next(&r->scan);
		err = paths ? path_list(r, t) : cv_jscan_skip(&r->scan, t);
		if (err)
			return err;
	}
	return t < 0 ? t : 0;
}

/* Counts the texts of an array, keeping them where list is given. */
static int text_list(struct reader *r, int token, struct cv_strv *list, uint64_t *count)
{
	int t;

	if (token != CV_J_ARR)
		return cv_jscan_skip(&r->scan, token);
	while ((t = cv_jscan_next(&r->scan)) != CV_J_END_ARR) {
		int err = cv_jscan_skip(&r->scan, t);

		if (err < 0)
			return err;
		if (++*count > CV_CONDAMETA_FILES)
			return CV_ELIMIT;
		if (list && t == CV_J_STR && !r->scan.cut &&
		    !cv_strv_push(r->a, list, cv_arena_memdup(r->a, r->scan.text, r->scan.text_n)))
			return CV_ENOMEM;
	}
	return 0;
}

static int top_value(struct reader *r, struct cv_str key)
{
	const struct {
		const char *key;
		const char **to;
	} texts[] = {
		{ "name", &r->meta.name },	 { "version", &r->meta.version }, { "build", &r->meta.build },
		{ "channel", &r->meta.channel }, { "subdir", &r->meta.subdir },	  { "url", &r->meta.url },
	};
	bool depends = cv_str_is(key, "depends"), files = cv_str_is(key, "files"), paths = cv_str_is(key, "paths_data");
	bool number = cv_str_is(key, "build_number");
	uint64_t ignored = 0;
	const char **to = NULL;
	int t;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (cv_str_is(key, texts[i].key))
			to = texts[i].to;
	t = cv_jscan_next(&r->scan); /* key is gone from here on */
	if (to)
		return text_value(r, t, to);
	if (paths)
		return paths_data(r, t);
	if (depends || files)
		return text_list(r, t, depends ? &r->meta.depends : NULL, depends ? &ignored : &r->listed);
	if (number)
		r->meta.has_build_number = number_value(r, t, &r->meta.build_number);
	return cv_jscan_skip(&r->scan, t);
}

static int document(struct reader *r)
{
	int t = cv_jscan_next(&r->scan);

	if (t != CV_J_OBJ)
		return t < 0 ? t : CV_EFORMAT;
	while ((t = cv_jscan_next(&r->scan)) == CV_J_KEY) {
		int err = top_value(r, (struct cv_str){ r->scan.text, r->scan.text_n });

		if (err)
			return err;
	}
	if (t < 0)
		return t;
	t = cv_jscan_next(&r->scan);
	return t < 0 ? t : 0;
}

int cv_condameta_read(struct cv_src *s, struct cv_arena *a, cv_condafile_fn *fn, void *cookie, uint64_t *ret_offset,
		      struct cv_condameta *ret)
{
	struct reader r = { .a = a, .fn = fn, .cookie = cookie };
	int err = cv_jscan_init(&r.scan, s, a);

	if (err == 0)
		err = document(&r);
	if (err) {
		if (ret_offset)
			*ret_offset = cv_jscan_offset(&r.scan);
		return err;
	}
	if (r.meta.files == 0)
		r.meta.files = r.listed;
	*ret = r.meta;
	return 0;
}
