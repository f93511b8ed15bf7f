/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

int cli_cmd_kb(struct cli *c, int argc, char **argv)
{
	struct cv_doc *doc;

	if (argc == 0)
		return cli_usage(c->cmd, "what about? for example: cuvet kb torch 2.9");
	if (cv_kb_query(&c->opt, (const char *const *)argv, (size_t)argc, &doc))
		return CV_STATUS_USAGE;
	return cli_finish(c, doc);
}
