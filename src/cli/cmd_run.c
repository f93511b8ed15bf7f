/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a program with the smallest change of the environment that makes its libraries load. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* As a shell does: 127 not found, 126 not to be run. */
static int start(const struct cv_doc *doc, char **argv)
{
	for (size_t i = 0; i < cv_doc_change_count(doc); i++) {
		const char *value, *name = cv_doc_change(doc, i, &value);

		if (value ? setenv(name, value, 1) : unsetenv(name)) {
			cli_error("%s: %s", name, strerror(errno));
			return CV_STATUS_USAGE;
		}
	}
	execvp(argv[0], argv);
	cli_error("%s: %s", argv[0], strerror(errno));
	return errno == ENOENT ? 127 : 126;
}

int cli_cmd_run(struct cli *c, int argc, char **argv)
{
	struct cv_doc *doc;
	int status;

	if (argc == 0 && !c->print)
		return cli_usage(c->cmd, "which program? '-- COMMAND', or --print");
	if (!c->print && (c->opt.root || c->opt.machine))
		return cli_usage(c->cmd, "another machine's settings are of no use here: '--print' is needed");
	/* The interpreter that is started tells the environment. */
	if (!c->opt.python && c->opt.env_n == 0 && argc > 0 && strstr(argv[0], "python"))
		c->opt.python = argv[0];
	if (cv_plan(&c->opt, &c->plan, &doc))
		return CV_STATUS_USAGE;
	if (c->print)
		return cli_finish(c, doc);
	if (cv_doc_status(doc, &c->opt) != CV_STATUS_OK)
		cli_error("no setting makes everything load; 'cuvet run --print' says why. Starting it as it is");
	status = start(doc, argv);
	cv_doc_free(doc);
	return status;
}
