/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cli.h"

int cli_cmd_gather(struct cli *c, int argc, char **argv)
{
	struct cv_doc *doc;
	char *target;
	int failed;

	if (argc > 0)
		return cli_usage(c->cmd, "unexpected argument '%s'", argv[0]);
	if (!c->output)
		return cli_usage(c->cmd, "option '-o' is needed: the bundle to write");
	target = cli_target(c->output);
	if (!target) {
		cli_error("%s: %s", c->output, cv_strerror(CV_ELOOP));
		return CV_STATUS_USAGE;
	}
	c->opt.record_to = target;
	failed = cv_check(&c->opt, &doc);
	free(target);
	if (failed)
		return CV_STATUS_USAGE;
	cv_doc_free(doc);
	cli_error("wrote %s; 'cuvet check --root %s' judges it", c->output, c->output);
	return CV_STATUS_OK;
}
