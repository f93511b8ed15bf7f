/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line that begins with '#' is a comment, one of blanks nothing, one that begins with "import " or "import\t" code. All
 * else is a path, of which only the end is trimmed. Lines end with LF, CRLF or CR.
 */
#include "parse/pth.h"

#include <ctype.h>

/* What stands in the code of known tools; the first match counts. */
static const struct {
	const char *text;
	enum cv_pth_kind kind;
} known[] = {
	{ "sys.__plen = len(sys.path)", CV_PTH_EGG_BEGIN },
	{ "sys.__egginsert", CV_PTH_EGG_END },
	{ "_distutils_hack", CV_PTH_HARMLESS },          /* setuptools: its own distutils */
	{ "import _virtualenv", CV_PTH_HARMLESS },       /* virtualenv: distutils configuration */
	{ "a1_coverage", CV_PTH_HARMLESS },
	{ "coverage", CV_PTH_HARMLESS },                 /* pytest-cov and coverage start measuring */
	{ "editable", CV_PTH_EDITABLE },                 /* setuptools, hatch, scikit-build-core, meson-python */
	{ "has_mfs", CV_PTH_NAMESPACE },                 /* setuptools, -nspkg.pth */
	{ "new_module(", CV_PTH_NAMESPACE },             /* the same of older releases */
	{ "types.ModuleType(", CV_PTH_NAMESPACE },
};

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

static struct cv_str take_line(struct cv_str *rest)
{
	size_t n = 0;
	struct cv_str line;

	while (n < rest->n && !is_line_end(rest->p[n]))
		n++;
	line = cv_str_sub(*rest, 0, n);
	if (n + 1 < rest->n && rest->p[n] == '\r' && rest->p[n + 1] == '\n')
		n++;
	*rest = cv_str_from(*rest, n + 1);
	return line;
}

static struct cv_str trim_end(struct cv_str s)
{
	while (s.n && isspace((unsigned char)s.p[s.n - 1]))
		s.n--;
	return s;
}

static enum cv_pth_kind kind_of(struct cv_str line)
{
	if (!cv_str_starts(line, "import ") && !cv_str_starts(line, "import\t"))
		return CV_PTH_PATH;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (cv_str_find(line, known[i].text) >= 0)
			return known[i].kind;
	return CV_PTH_CODE;
}

bool cv_pth_next(struct cv_str *rest, unsigned *line_no, struct cv_pth_line *ret)
{
	while (rest->n) {
		struct cv_str line = take_line(rest);
		enum cv_pth_kind kind;

		++*line_no;
		if (cv_str_starts(line, "#") || trim_end(line).n == 0)
			continue;
		kind = kind_of(line);
		*ret = (struct cv_pth_line){ .kind = kind, .text = trim_end(line), .line = *line_no };
		return true;
	}
	return false;
}

struct cv_str cv_pth_skip_bom(struct cv_str text)
{
	cv_str_eat(&text, "\xef\xbb\xbf");
	return text;
}

const char *cv_pth_kind_name(enum cv_pth_kind kind)
{
	switch (kind) {
	case CV_PTH_EDITABLE:
		return "editable";
	case CV_PTH_NAMESPACE:
		return "namespace";
	case CV_PTH_HARMLESS:
	case CV_PTH_EGG_BEGIN:
	case CV_PTH_EGG_END:
		return "harmless";
	default:
		return "other";
	}
}
