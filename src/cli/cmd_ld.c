/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

int cli_cmd_ld(struct cli *c, int argc, char **argv)
{
	struct cv_doc *doc;

	if (argc == 0)
		return cli_usage(c->cmd, "which program or library, or with --python which statements?");
	c->ld.paths = (const char *const *)argv;
	c->ld.path_n = (size_t)argc;
	c->ld.quick = !c->ld.why && c->style.format == CV_FORMAT_TERMINAL; /* where nobody sees them */
	if (cv_ld(&c->opt, &c->ld, &doc))
		return CV_STATUS_USAGE;
	return cli_finish(c, doc);
}
