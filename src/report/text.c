/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Widths follow Unicode 15's East_Asian_Width (W and F count 2) and general category (Mn, Me, Cf count 0), in ranges coarse
 * enough for package names and paths. An own table, because the C library's wcwidth() hangs on the locale.
 */
#include "report/text.h"

#include <string.h>

struct range {
	uint32_t from, to;
};

static const struct range zero_width[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x0610, 0x061a }, { 0x064b, 0x065f }, { 0x06d6, 0x06dc },
	{ 0x0900, 0x0902 }, { 0x093c, 0x093c }, { 0x0941, 0x0948 }, { 0x094d, 0x094d }, { 0x0e31, 0x0e31 }, { 0x0e34, 0x0e3a },
	{ 0x0e47, 0x0e4e }, { 0x1ab0, 0x1ace }, { 0x1dc0, 0x1dff }, { 0x20d0, 0x20f0 }, { 0x3099, 0x309a }, { 0xfe00, 0xfe0f },
	{ 0xfe20, 0xfe2f }, { 0xe0100, 0xe01ef },
};

static const struct range double_width[] = {
	{ 0x1100, 0x115f }, { 0x231a, 0x231b }, { 0x2e80, 0x303e }, { 0x3041, 0x33ff }, { 0x3400, 0x4dbf }, { 0x4e00, 0x9fff },
	{ 0xa000, 0xa4cf }, { 0xa960, 0xa97c }, { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff }, { 0xfe30, 0xfe6f }, { 0xff00, 0xff60 },
	{ 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};

/*
 * Characters that hide or reorder what follows (zero-width, bidirectional controls, tags): the means of a name that shows as
 * something else. C1 controls are here too: some terminals obey them.
 */
static const struct range harmful[] = {
	{ 0x0000, 0x001f }, { 0x007f, 0x009f }, { 0x00ad, 0x00ad }, { 0x061c, 0x061c }, { 0x180e, 0x180e }, { 0x200b, 0x200f },
	{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe007f },
};

static bool in_ranges(const struct range *r, size_t n, uint32_t c)
{
	for (size_t i = 0; i < n; i++) {
		if (c < r[i].from)
			return false;
		if (c <= r[i].to)
			return true;
	}
	return false;
}

#define IN(table, c) in_ranges((table), sizeof(table) / sizeof((table)[0]), (c))

static size_t invalid(uint32_t *ret)
{
	*ret = 0xfffd;
	return 1;
}

size_t cv_text_next(const char *s, uint32_t *ret)
{
	const unsigned char *p = (const unsigned char *)s;
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t c = p[0];
	size_t n;

	if (c < 0x80) {
		*ret = c;
		return c ? 1 : 0;
	}
	n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
	if (c < 0xc2 || c > 0xf4)
		return invalid(ret);
	c &= 0xffu >> (n + 1);
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return invalid(ret);
		c = c << 6 | (p[i] & 0x3fu);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return invalid(ret);
	*ret = c;
	return n;
}

unsigned cv_text_char_width(uint32_t c)
{
	if (c < 0x300)
		return 1;
	if (IN(zero_width, c))
		return 0;
	return IN(double_width, c) ? 2 : 1;
}

size_t cv_text_width_n(const char *s, size_t n)
{
	size_t width = 0, used;
	uint32_t c;

	for (size_t i = 0; i < n; i += used) {
		if ((unsigned char)(s[i] - 1) < 0x7f) { /* ASCII, as most is */
			used = 1;
			width++;
			continue;
		}
		used = cv_text_next(s + i, &c);
		if (used == 0)
			break;
		width += cv_text_char_width(c);
	}
	return width;
}

size_t cv_text_width(const char *s)
{
	return cv_text_width_n(s, strlen(s));
}

static bool is_clean(const char *s)
{
	for (const unsigned char *p = (const unsigned char *)s; *p; p++)
		if (*p < 0x20 || *p >= 0x7f)
			return false;
	return true;
}

const char *cv_text_clean(struct cv_arena *a, const char *s, bool ascii)
{
	size_t cap, at = 0, used;
	char *out;
	uint32_t c;

	if (is_clean(s))
		return s;
	cap = strlen(s);
	out = cv_arena_array(a, cap + 1, 3); /* an invalid byte becomes the three of U+FFFD */
	if (!out)
		return "";
	for (; (used = cv_text_next(s, &c)) != 0; s += used) {
		if (c == '\t' || c == '\n' || c == '\r')
			out[at++] = ' ';
		else if (IN(harmful, c))
			continue;
		else if (c >= 0x80 && ascii)
			out[at++] = '?';
		else if (c == 0xfffd) {
			memcpy(out + at, "\xef\xbf\xbd", 3);
			at += 3;
		} else {
			memcpy(out + at, s, used);
			at += used;
		}
	}
	return out;
}

/* cv_text_next(), quick for ASCII. */
static inline size_t next_of(const char *s, uint32_t *ret)
{
	unsigned char c = (unsigned char)*s;

	if (c >= 0x80)
		return cv_text_next(s, ret);
	*ret = c;
	return c != 0;
}

/* Bytes of s that make the line; see the header. */
static size_t line_end(const char *s, size_t width, bool hard)
{
	size_t at = 0, cols = 0, blank = 0, seam = 0, used;
	uint32_t c;

	for (; (used = next_of(s + at, &c)) != 0; at += used) {
		cols += c < 0x80 ? 1 : cv_text_char_width(c);
		if (c == ' ' && cols <= width + 1)
			blank = at;
		if (cols > width && (blank || hard || c == ' '))
			break;
		if (c == '/' || c == ',' || c == '=')
			seam = at + used;
	}
	if (used == 0 || (!blank && c == ' '))
		return at;
	if (blank)
		return blank;
	return seam ? seam : at ? at : used;
}

bool cv_text_line(const char **rest, size_t width, bool hard, struct cv_str *ret)
{
	const char *s = *rest;
	size_t n;

	while (*s == ' ')
		s++;
	if (*s == '\0')
		return false;
	n = line_end(s, width, hard);
	*rest = s + n;
	while (n > 0 && s[n - 1] == ' ')
		n--;
	*ret = (struct cv_str){ s, n };
	return true;
}
