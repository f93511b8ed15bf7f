/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"

/* Today as YYYY-MM-DD, or the day that SOURCE_DATE_EPOCH names, for output that is the same on every day. */
static int today(char text[11])
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	time_t now = epoch && *epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
	struct tm tm;

	return gmtime_r(&now, &tm) && strftime(text, 11, "%Y-%m-%d", &tm) == 10 ? 0 : -1;
}

static int add(struct cli *c, int argc, char **argv)
{
	struct cv_doc *doc;
	char date[11];

	if (argc == 0)
		return cli_usage(c->cmd, "add what? a wheel, or a directory with one distribution");
	if (today(date)) {
		cli_error("the date of today cannot be told");
		return CV_STATUS_USAGE;
	}
	if (cv_kb_derive(&c->opt, (const char *const *)argv, (size_t)argc, date, &doc))
		return CV_STATUS_USAGE;
	return cli_finish(c, doc);
}

int cli_cmd_kb(struct cli *c, int argc, char **argv)
{
	struct cv_doc *doc;

	if (argc == 0)
		return cli_usage(c->cmd, "what about? for example: cuvet kb torch 2.9");
	if (strcmp(argv[0], "add") == 0)
		return add(c, argc - 1, argv + 1);
	if (cv_kb_query(&c->opt, (const char *const *)argv, (size_t)argc, &doc))
		return CV_STATUS_USAGE;
	return cli_finish(c, doc);
}
