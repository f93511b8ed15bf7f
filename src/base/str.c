/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

bool cv_str_eq(struct cv_str a, struct cv_str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool cv_str_is(struct cv_str a, const char *b)
{
	return cv_str_eq(a, cv_str_of(b));
}

bool cv_str_starts(struct cv_str s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.n >= n && (n == 0 || memcmp(s.p, prefix, n) == 0);
}

bool cv_str_ends(struct cv_str s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s.n >= n && (n == 0 || memcmp(s.p + s.n - n, suffix, n) == 0);
}

ptrdiff_t cv_str_chr(struct cv_str s, char c)
{
	const char *p = s.n ? memchr(s.p, c, s.n) : NULL;

	return p ? p - s.p : -1;
}

ptrdiff_t cv_str_rchr(struct cv_str s, char c)
{
	for (size_t i = s.n; i > 0; i--)
		if (s.p[i - 1] == c)
			return (ptrdiff_t)(i - 1);
	return -1;
}

ptrdiff_t cv_str_find(struct cv_str s, const char *needle)
{
	size_t n = strlen(needle);
	size_t at = 0;

	if (n == 0)
		return 0;
	while (s.n - at >= n) {
		const char *p = memchr(s.p + at, needle[0], s.n - at - n + 1);

		if (!p)
			return -1;
		if (memcmp(p, needle, n) == 0)
			return p - s.p;
		at = (size_t)(p - s.p) + 1;
	}
	return -1;
}

struct cv_str cv_str_sub(struct cv_str s, size_t from, size_t n)
{
	if (from > s.n)
		from = s.n;
	if (n > s.n - from)
		n = s.n - from;
	return (struct cv_str){ from ? s.p + from : s.p, n }; /* NULL + 0 is undefined */
}

struct cv_str cv_str_from(struct cv_str s, size_t from)
{
	return cv_str_sub(s, from, s.n);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct cv_str cv_str_trim(struct cv_str s)
{
	while (s.n && is_blank(s.p[0]))
		s = cv_str_from(s, 1);
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool cv_str_eat(struct cv_str *s, const char *prefix)
{
	if (!cv_str_starts(*s, prefix))
		return false;
	*s = cv_str_from(*s, strlen(prefix));
	return true;
}

bool cv_str_split(struct cv_str *rest, char sep, struct cv_str *ret_part)
{
	ptrdiff_t at;

	if (!rest->p)
		return false;
	at = cv_str_chr(*rest, sep);
	if (at < 0) {
		if (rest->n == 0) {
			rest->p = NULL;
			return false;
		}
		*ret_part = *rest;
		*rest = (struct cv_str){ NULL, 0 };
		return true;
	}
	*ret_part = cv_str_sub(*rest, 0, (size_t)at);
	*rest = cv_str_from(*rest, (size_t)at + 1);
	return true;
}

bool cv_str_line(struct cv_str *rest, struct cv_str *ret_line, unsigned *line_no)
{
	ptrdiff_t at;
	struct cv_str line;

	if (rest->n == 0)
		return false;
	at = cv_str_chr(*rest, '\n');
	line = at < 0 ? *rest : cv_str_sub(*rest, 0, (size_t)at);
	*rest = cv_str_from(*rest, at < 0 ? rest->n : (size_t)at + 1);
	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	*ret_line = line;
	if (line_no)
		++*line_no;
	return true;
}

bool cv_str_word(struct cv_str *rest, struct cv_str *ret_word)
{
	struct cv_str s = *rest;
	size_t n = 0;

	while (s.n && is_blank(s.p[0]))
		s = cv_str_from(s, 1);
	while (n < s.n && !is_blank(s.p[n]))
		n++;
	*rest = cv_str_from(s, n);
	if (n == 0)
		return false;
	*ret_word = cv_str_sub(s, 0, n);
	return true;
}

bool cv_str_u64(struct cv_str s, uint64_t *ret)
{
	uint64_t v = 0;

	if (s.n == 0)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		unsigned d = (unsigned)(unsigned char)s.p[i] - '0';

		if (d > 9 || v > (UINT64_MAX - d) / 10)
			return false;
		v = v * 10 + d;
	}
	*ret = v;
	return true;
}

bool cv_str_hex(struct cv_str s, uint64_t *ret)
{
	uint64_t v = 0;

	if (!cv_str_eat(&s, "0x"))
		cv_str_eat(&s, "0X");
	if (s.n == 0 || s.n > 16)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		unsigned d;

		if (c >= '0' && c <= '9')
			d = (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			d = (unsigned)(c - 'a') + 10;
		else if (c >= 'A' && c <= 'F')
			d = (unsigned)(c - 'A') + 10;
		else
			return false;
		v = v << 4 | d;
	}
	*ret = v;
	return true;
}

bool cv_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool cv_ends(const char *s, const char *suffix)
{
	return cv_str_ends(cv_str_of(s), suffix);
}

const char *cv_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *cv_dirname(struct cv_arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return ".";
	if (slash == path)
		return "/";
	return cv_arena_memdup(a, path, (size_t)(slash - path));
}

const char *cv_path_join(struct cv_arena *a, const char *dir, const char *name)
{
	if (name[0] == '/')
		return cv_arena_strdup(a, name);
	if (name[0] == '\0')
		return cv_arena_strdup(a, dir);
	return cv_arena_cat(a, dir, dir[0] && cv_ends(dir, "/") ? "" : "/", name);
}

const char *cv_path_clean(struct cv_arena *a, const char *path)
{
	size_t len = strlen(path);
	char *out = cv_arena_alloc(a, len + 2);
	size_t n = 0;
	struct cv_str rest = { path, len };
	struct cv_str part;

	if (!out)
		return "/";
	while (cv_str_split(&rest, '/', &part)) {
		if (part.n == 0 || cv_str_is(part, "."))
			continue;
		if (cv_str_is(part, "..")) {
			while (n > 0 && out[--n] != '/')
				;
			continue;
		}
		out[n++] = '/';
		memcpy(out + n, part.p, part.n);
		n += part.n;
	}
	if (n == 0)
		out[n++] = '/';
	out[n] = '\0';
	return out;
}

bool cv_path_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	while (n > 1 && dir[n - 1] == '/')
		n--;
	if (strncmp(path, dir, n) != 0)
		return false;
	return n == 1 || path[n] == '/' || path[n] == '\0';
}

const char *cv_pep503(struct cv_arena *a, struct cv_str name)
{
	char *out = cv_arena_alloc(a, name.n + 1);
	size_t n = 0;

	if (!out)
		return "";
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (c == '_' || c == '.')
			c = '-';
		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (c == '-' && n > 0 && out[n - 1] == '-')
			continue;
		out[n++] = c;
	}
	out[n] = '\0';
	return out;
}
