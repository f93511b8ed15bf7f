/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers questions about versions, one a line, for tests/truth/versions.py.
 *
 *	in:  pep440|dotted|deb TAB a TAB b    out: "< > =", or "?" where one of them is no version
 *	     spec TAB specifiers TAB version  out: "y n ?"
 */
#include <stdio.h>
#include <string.h>

#include "base/version.h"

static const char *compare(enum cv_ver_scheme scheme, const char *a, const char *b)
{
	int c;

	if (!cv_ver_valid(scheme, a) || !cv_ver_valid(scheme, b))
		return "?";
	c = cv_ver_cmp(scheme, a, b);
	return c < 0 ? "<" : c > 0 ? ">" : "=";
}

static const char *answer(const char *what, const char *a, const char *b)
{
	int r;

	if (strcmp(what, "pep440") == 0)
		return compare(CV_VER_PEP440, a, b);
	if (strcmp(what, "dotted") == 0)
		return compare(CV_VER_DOTTED, a, b);
	if (strcmp(what, "deb") == 0)
		return compare(CV_VER_DEB, a, b);
	r = cv_spec_match(cv_str_of(a), b);
	return r < 0 ? "?" : r ? "y" : "n";
}

int main(void)
{
	char line[4096];

	while (fgets(line, sizeof(line), stdin)) {
		char *a = strchr(line, '\t');
		char *b = a ? strchr(a + 1, '\t') : NULL;

		if (!b)
			return 2;
		*a++ = '\0';
		*b++ = '\0';
		b[strcspn(b, "\n")] = '\0';
		puts(answer(line, a, b));
	}
	return 0;
}
