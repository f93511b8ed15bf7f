/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

int cli_cmd_arch(struct cli *c, int argc, char **argv)
{
	struct cv_doc *doc;

	if (argc == 0)
		return cli_usage(c->cmd, "which file, wheel or environment?");
	c->arch.paths = (const char *const *)argv;
	c->arch.path_n = (size_t)argc;
	c->arch.gpus = c->gpus;
	c->arch.ccs = c->ccs;
	if (cv_arch(&c->opt, &c->arch, &doc))
		return CV_STATUS_USAGE;
	return cli_finish(c, doc);
}
