/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges this machine, or the directory or bundle named, and tells each finding on a line.
 *
 *	cc check.c $(pkg-config --cflags --libs cuvet) -o check && ./check
 */
#include <stdio.h>

#include <cuvet/cuvet.h>

extern char **environ;

static void complain(void *cookie, const char *text)
{
	(void)cookie;
	fprintf(stderr, "check: %s\n", text);
}

int main(int argc, char **argv)
{
	struct cv_options opt = { .size = sizeof(opt), .environ = environ, .notice = complain };
	static const char *const severities[] = { "note", "warning", "error" };
	struct cv_doc *doc;
	int status;

	if (argc > 1)
		opt.root = argv[1];
	if (cv_check(&opt, &doc) != 0)
		return CV_STATUS_USAGE;
	printf("%s\n", cv_doc_verdict_line(doc));
	for (size_t i = 0; i < cv_doc_finding_count(doc); i++)
		printf("%s: %s: %s\n", severities[cv_doc_finding_severity(doc, i)], cv_doc_finding_id(doc, i), cv_doc_finding_title(doc, i));
	status = (int)cv_doc_status(doc, &opt);
	cv_doc_free(doc);
	return status;
}
