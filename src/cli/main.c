/* SPDX-License-Identifier: Apache-2.0 */
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

extern char **environ;

/* The options begin at argv[1]. */
static int run_command(struct cli *c, int argc, char **argv)
{
	int first, status;

	c->envs = calloc((size_t)argc + 1, sizeof(*c->envs));
	c->set = calloc((size_t)argc + 1, sizeof(*c->set));
	c->gpus = calloc((size_t)argc + 1, sizeof(*c->gpus));
	c->ccs = calloc((size_t)argc + 1, sizeof(*c->ccs));
	if (!c->envs || !c->set || !c->gpus || !c->ccs) {
		cli_error("out of memory");
		status = CV_STATUS_USAGE;
	} else {
		status = cli_parse(c, argc, argv, &first);
		if (!status)
			status = c->help ? cli_print_help(c->cmd) : c->cmd->run(c, argc - first, argv + first);
	}
	free(c->envs);
	free(c->set);
	free(c->gpus);
	free(c->ccs);
	return status;
}

static int unknown_command(const char *name)
{
	const struct cli_command *near = cli_nearest_command(name);

	if (near)
		return cli_usage(NULL, "unknown command '%s'; did you mean '%s'?", name, near->name);
	return cli_usage(NULL, "unknown command '%s'", name);
}

static int dispatch(struct cli *c, int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		return cli_print_version();
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return cli_print_help(NULL);
	c->cmd = &cli_commands[0];
	if (word[0] == '-' || argc < 2)
		return run_command(c, argc, argv);
	c->cmd = cli_find_command(word);
	if (!c->cmd)
		return unknown_command(word);
	return run_command(c, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	struct cli c = { .opt = { .size = sizeof(c.opt), .environ = environ, .notice = cli_notice } };
	char *cwd = getcwd(NULL, 0);
	int status;

	setlocale(LC_CTYPE, "C.UTF-8"); /* names in archives are UTF-8 whatever the user's locale is */
	signal(SIGPIPE, SIG_IGN);	/* a reader that leaves is a write error like any other */
	c.opt.cwd = cwd;
	status = dispatch(&c, argc, argv);
	free(cwd);
	return status;
}
