/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

int cli_cmd_check(struct cli *c, int argc, char **argv)
{
	struct cv_doc *doc;

	if (argc > 0)
		return cli_usage(c->cmd, "unexpected argument '%s'", argv[0]);
	if (cv_check(&c->opt, &doc))
		return CV_STATUS_USAGE;
	return cli_finish(c, doc);
}
