/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In a .dist-info name the first '-' should end the name (other dashes become '_'), but older tools kept dashes in names and
 * some versions hold one ("1.0-1"): the version begins at the first dash behind which a version stands. In conda records the
 * name may hold dashes and the two other parts cannot. A wheel's build tag begins with a digit.
 */
#include "parse/pyname.h"

#include <ctype.h>

#include "base/version.h"

#define VERSION_MAX 128

static bool is_version(struct cv_str s)
{
	char text[VERSION_MAX + 1];

	if (s.n == 0 || s.n > VERSION_MAX || memchr(s.p, '\0', s.n))
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	return cv_ver_valid(CV_VER_PEP440, text);
}

/* Splits "name-version"; where no dash has a valid version behind it, the first one with a digit behind it will do. */
static void split_version(struct cv_str s, struct cv_distname *ret)
{
	size_t digit = s.n;

	for (size_t i = 1; i + 1 < s.n; i++) {
		if (s.p[i] != '-' || !isdigit((unsigned char)s.p[i + 1]))
			continue;
		if (digit == s.n)
			digit = i;
		if (is_version(cv_str_from(s, i + 1))) {
			digit = i;
			break;
		}
	}
	ret->name = cv_str_sub(s, 0, digit);
	ret->version = cv_str_from(s, digit + 1);
}

/* "-py3.11" and what follows it (a platform) at the end of an egg's name. */
static struct cv_str cut_python(struct cv_str s)
{
	ptrdiff_t at = cv_str_find(s, "-py");

	return at > 0 && (size_t)at + 3 < s.n && isdigit((unsigned char)s.p[at + 3]) ? cv_str_sub(s, 0, (size_t)at) : s;
}

bool cv_distname_parse(struct cv_str entry, struct cv_distname *ret)
{
	static const struct {
		const char *suffix;
		enum cv_distkind kind;
	} kinds[] = {
		{ ".dist-info", CV_DIST_INFO },
		{ ".egg-info", CV_DIST_EGG_INFO },
		{ ".egg", CV_DIST_EGG },
	};
	struct cv_distname d = { .version = { "", 0 }, .build = { "", 0 } };

	if (cv_str_starts(entry, "~") && entry.n > 1) {
		*ret = (struct cv_distname){ .kind = CV_DIST_LEFTOVER, .name = entry, .version = { "", 0 }, .build = { "", 0 } };
		return true;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct cv_str s = entry;

		if (!cv_str_ends(entry, kinds[i].suffix))
			continue;
		s.n -= strlen(kinds[i].suffix);
		if (s.n == 0 || s.p[0] == '-' || s.p[0] == '.')
			return false;
		d.kind = kinds[i].kind;
		split_version(d.kind == CV_DIST_INFO ? s : cut_python(s), &d);
		*ret = d;
		return true;
	}
	return false;
}

bool cv_distname_conda(struct cv_str entry, struct cv_distname *ret)
{
	struct cv_distname d = { .kind = CV_DIST_CONDA };
	ptrdiff_t dash;

	if (!cv_str_ends(entry, ".json"))
		return false;
	entry.n -= strlen(".json");
	dash = cv_str_rchr(entry, '-');
	if (dash <= 0)
		return false;
	d.build = cv_str_from(entry, (size_t)dash + 1);
	entry.n = (size_t)dash;
	dash = cv_str_rchr(entry, '-');
	if (dash <= 0 || d.build.n == 0)
		return false;
	d.version = cv_str_from(entry, (size_t)dash + 1);
	d.name = cv_str_sub(entry, 0, (size_t)dash);
	if (d.version.n == 0)
		return false;
	*ret = d;
	return true;
}

bool cv_wheelname_parse(struct cv_str file, struct cv_wheelname *ret)
{
	struct cv_str part[6];
	struct cv_wheelname w = { .build = { "", 0 } };
	size_t n = 0, tag;

	if (!cv_str_ends(file, ".whl"))
		return false;
	file.n -= strlen(".whl");
	while (n < 6 && cv_str_split(&file, '-', &part[n]))
		if (part[n++].n == 0)
			return false;
	if (n < 5 || file.p)
		return false;
	tag = n - 3;
	if (n == 6) {
		if (!isdigit((unsigned char)part[2].p[0]))
			return false;
		w.build = part[2];
	}
	w.name = part[0];
	w.version = part[1];
	w.python = part[tag];
	w.abi = part[tag + 1];
	w.platform = part[tag + 2];
	*ret = w;
	return true;
}
