/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version.json has one object a component; the toolkit's own is "cuda". Its third number is the update (12.4.1), but in many
 * first releases it is the date of the build (12.1.20230222). The file is scanned and not parsed: all that counts is the text
 * behind "cuda" and "version", and damaged copies should not hide it.
 */
#include "parse/cudaver.h"

#include "cuvet/err.h"

/* A dotted version of two or more numbers at the start of s, without a date in the third place; empty if there is none. */
static struct cv_str dotted(struct cv_str s)
{
	size_t end = 0; /* of the last number that counts */
	unsigned parts = 0;

	while (parts < 4) {
		size_t from = parts ? end + 1 : 0;
		size_t n = from;

		if (parts && (end == s.n || s.p[end] != '.'))
			break;
		while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
			n++;
		if (n == from || (parts == 2 && n - from > 5))
			break;
		end = n;
		parts++;
	}
	return cv_str_sub(s, 0, parts >= 2 ? end : 0);
}

static unsigned line_of(struct cv_str text, struct cv_str at)
{
	unsigned line = 1;

	for (const char *p = text.p; p < at.p; p++)
		line += *p == '\n';
	return line;
}

/* Moves s behind the first "key" and the colon that follows it. */
static bool behind_key(struct cv_str *s, const char *quoted_key)
{
	ptrdiff_t at;

	while ((at = cv_str_find(*s, quoted_key)) >= 0) {
		struct cv_str rest = cv_str_trim(cv_str_from(*s, (size_t)at + strlen(quoted_key)));

		if (cv_str_eat(&rest, ":")) {
			*s = cv_str_trim(rest);
			return true;
		}
		*s = cv_str_from(*s, (size_t)at + 1);
	}
	return false;
}

int cv_cudaver_json(struct cv_str text, struct cv_arena *a, const char **ret, unsigned *ret_line)
{
	struct cv_str s = text;
	struct cv_str version;
	ptrdiff_t end;

	if (!behind_key(&s, "\"cuda\""))
		return CV_EFORMAT;
	end = cv_str_chr(s, '}');
	s = cv_str_sub(s, 0, end < 0 ? s.n : (size_t)end);
	if (!behind_key(&s, "\"version\"") || !cv_str_eat(&s, "\""))
		return CV_EFORMAT;
	version = dotted(s);
	if (version.n == 0)
		return CV_EFORMAT;
	*ret = cv_str_dup(a, version);
	*ret_line = line_of(text, version);
	return 0;
}

int cv_cudaver_txt(struct cv_str text, struct cv_arena *a, const char **ret)
{
	struct cv_str s = cv_str_trim(text);
	struct cv_str version;

	if (!cv_str_eat(&s, "CUDA Version"))
		return CV_EFORMAT;
	version = dotted(cv_str_trim(s));
	if (version.n == 0)
		return CV_EFORMAT;
	*ret = cv_str_dup(a, version);
	return 0;
}

int cv_cudaver_header(struct cv_str text, struct cv_arena *a, const char **ret, unsigned *ret_line)
{
	struct cv_str rest = text;
	struct cv_str line, word;
	unsigned line_no = 0;
	uint64_t n;

	while (cv_str_line(&rest, &line, &line_no)) {
		if (!cv_str_eat(&line, "#define") || !cv_str_word(&line, &word) || !cv_str_is(word, "CUDA_VERSION"))
			continue;
		if (!cv_str_word(&line, &word) || !cv_str_u64(word, &n) || n < 1000 || n > 999999)
			return CV_EFORMAT;
		*ret = cv_arena_printf(a, "%llu.%llu", (unsigned long long)(n / 1000), (unsigned long long)(n % 1000 / 10));
		*ret_line = line_no;
		return 0;
	}
	return CV_EFORMAT;
}

int cv_cudaver_name(const char *name, const char *prefix, struct cv_arena *a, const char **ret)
{
	struct cv_str s = cv_str_of(name);
	struct cv_str version;

	if (!cv_str_eat(&s, prefix))
		return CV_EFORMAT;
	version = dotted(s);
	if (version.n == 0 || version.n != s.n)
		return CV_EFORMAT;
	*ret = cv_str_dup(a, version);
	return 0;
}
