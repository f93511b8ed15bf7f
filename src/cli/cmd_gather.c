/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

int cli_cmd_gather(struct cli *c, int argc, char **argv)
{
	struct cv_doc *doc;

	if (argc > 0)
		return cli_usage(c->cmd, "unexpected argument '%s'", argv[0]);
	if (!c->output)
		return cli_usage(c->cmd, "option '-o' is needed: the bundle to write");
	c->opt.record_to = c->output;
	if (cv_check(&c->opt, &doc))
		return CV_STATUS_USAGE;
	cv_doc_free(doc);
	cli_error("wrote %s; 'cuvet check --root %s' judges it", c->output, c->output);
	return CV_STATUS_OK;
}
