/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line: one table of commands (commands.c), one of options (options.c); help, man page and completions follow
 * them. It knows the library by its public headers only.
 */
#ifndef CUVET_CLI_H
#define CUVET_CLI_H

#include "cuvet/cuvet.h"

#define CLI_OPTIONS_MAX 24

enum cli_colour { CLI_COLOUR_AUTO, CLI_COLOUR_ALWAYS, CLI_COLOUR_NEVER };

struct cli_command;

/* What the command line asked for. */
struct cli {
	const struct cli_command *cmd;
	struct cv_options opt;
	struct cv_style style;
	enum cli_colour colour;
	const char *output; /* -o, or NULL for standard output */
	bool list, help;
	struct cv_arch_query arch;
	struct cv_ld_query ld;
	struct cv_plan_query plan;
	bool print;
	const char **envs, **set, **gpus, **ccs; /* room for every argument */
};

struct cli_option {
	const char *name;
	char short_name;      /* 0: none */
	const char *arg;      /* what its argument is called; NULL: it takes none */
	const char *help;
	const char *values;   /* "a|b|c": the only arguments allowed; NULL: any */
	int (*set)(struct cli *c, const char *arg); /* 0, or CV_STATUS_USAGE after a message */
};

struct cli_command {
	const char *name;
	const char *summary;                      /* one line, for the list of commands */
	const char *args;                         /* what follows the options in the usage line, or NULL */
	const char *about;                        /* what it does, for its help */
	const struct cli_option *const *options;  /* ends with NULL */
	int (*run)(struct cli *c, int argc, char **argv); /* returns the exit status */
};

extern const struct cli_command cli_commands[]; /* the first is the default; ends with a NULL name */

extern const struct cli_option cli_root, cli_machine, cli_set, cli_python, cli_env, cli_all_envs, cli_json, cli_format_facts,
	cli_gpu, cli_cc, cli_symbols, cli_flat, cli_why, cli_format, cli_format_markdown, cli_out, cli_bundle_out, cli_fail_level, cli_exit_zero, cli_kb, cli_redact, cli_live, cli_verbose,
	cli_color, cli_list, cli_print, cli_cuda, cli_program,
	cli_help;

int cli_cmd_check(struct cli *c, int argc, char **argv);
int cli_cmd_ld(struct cli *c, int argc, char **argv);
int cli_cmd_run(struct cli *c, int argc, char **argv);
int cli_cmd_arch(struct cli *c, int argc, char **argv);
int cli_cmd_gather(struct cli *c, int argc, char **argv);
int cli_cmd_explain(struct cli *c, int argc, char **argv);
int cli_cmd_kb(struct cli *c, int argc, char **argv);
int cli_cmd_rule(struct cli *c, int argc, char **argv);
int cli_cmd_help(struct cli *c, int argc, char **argv);

/* Reads the options of c->cmd out of argv (argv[0] is skipped) and leaves *ret_first at the first other argument. */
int cli_parse(struct cli *c, int argc, char **argv, int *ret_first);
const struct cli_command *cli_find_command(const char *name);
/* The command that name most likely meant, or NULL. */
const struct cli_command *cli_nearest_command(const char *name);

/* Help goes to standard output. */
int cli_print_help(const struct cli_command *cmd); /* NULL: of the program */
int cli_print_version(void);

/* "cuvet: ..." on standard error; cli_usage() adds where help is found and returns CV_STATUS_USAGE. */
void cli_error(const char *fmt, ...) CV_PRINTF(1, 2);
int cli_usage(const struct cli_command *cmd, const char *fmt, ...) CV_PRINTF(2, 3);
/* Passes the library's messages on. */
void cli_notice(void *cookie, const char *text);

/* Settles colour, signs and width for where the output goes. */
void cli_settle_style(struct cli *c);
/*
 * The file that a name of -o stands for: links are followed, the last one may lead to nothing yet. NULL where they go on
 * without end; to be freed.
 */
char *cli_target(const char *name);
/* Writes the document where it was asked for, frees it, and returns the exit status. */
int cli_finish(struct cli *c, struct cv_doc *doc);
/* Writes all of text to standard output; 0 or CV_STATUS_USAGE after a message. */
int cli_put(const char *text, size_t n);

#endif
