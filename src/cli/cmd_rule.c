/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

int cli_cmd_rule(struct cli *c, int argc, char **argv)
{
	struct cv_doc *doc;

	if (argc == 0 && !c->list)
		return cli_usage(c->cmd, "the id of a rule is needed, or --list");
	if (argc > (c->list ? 0 : 1))
		return cli_usage(c->cmd, "unexpected argument '%s'", argv[c->list ? 0 : 1]);
	if (cv_rule_page(&c->opt, c->list ? NULL : argv[0], &doc))
		return CV_STATUS_USAGE;
	return cli_finish(c, doc);
}
