/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

int cli_cmd_help(struct cli *c, int argc, char **argv)
{
	const struct cli_command *cmd = argc > 0 ? cli_find_command(argv[0]) : NULL;

	if (argc > 1)
		return cli_usage(c->cmd, "unexpected argument '%s'", argv[1]);
	if (argc > 0 && !cmd)
		return cli_usage(NULL, "unknown command '%s'", argv[0]);
	return cli_print_help(cmd);
}
