/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands. To add one: a row here, a file cmd_NAME.c, and its part of the man page and the completions. */
#include <string.h>

#include "cli.h"

static const struct cli_option *const check_options[] = {
	&cli_root,   &cli_machine,    &cli_set,	      &cli_python, &cli_env, &cli_all_envs, &cli_json,	&cli_format_facts,
	&cli_out,    &cli_fail_level, &cli_exit_zero, &cli_kb,	   &cli_verbose, &cli_color,	&cli_help, NULL,
};

static const struct cli_option *const gather_options[] = {
	&cli_bundle_out, &cli_redact, &cli_root, &cli_machine, &cli_set, &cli_python, &cli_env, &cli_all_envs, &cli_help, NULL,
};

static const struct cli_option *const ld_options[] = {
	&cli_symbols, &cli_flat, &cli_why, &cli_python, &cli_env, &cli_root, &cli_machine, &cli_set, &cli_json, &cli_format,
	&cli_out, &cli_exit_zero, &cli_kb, &cli_verbose, &cli_color, &cli_help, NULL,
};

static const struct cli_option *const run_options[] = {
	&cli_print, &cli_program, &cli_cuda, &cli_python, &cli_env, &cli_root, &cli_machine, &cli_set, &cli_json, &cli_format,
	&cli_out, &cli_exit_zero, &cli_kb, &cli_color, &cli_help, NULL,
};

static const struct cli_option *const arch_options[] = {
	&cli_gpu, &cli_cc, &cli_root, &cli_machine, &cli_set, &cli_json, &cli_format, &cli_out, &cli_exit_zero, &cli_kb, &cli_verbose,
	&cli_color, &cli_help, NULL,
};

static const struct cli_option *const explain_options[] = {
	&cli_live, &cli_json, &cli_format_markdown, &cli_out, &cli_exit_zero, &cli_kb, &cli_verbose, &cli_color, &cli_help, NULL,
};

static const struct cli_option *const kb_options[] = {
	&cli_json, &cli_format, &cli_out, &cli_exit_zero, &cli_kb, &cli_color, &cli_help, NULL,
};

static const struct cli_option *const rule_options[] = {
	&cli_list, &cli_json, &cli_format, &cli_out, &cli_exit_zero, &cli_color, &cli_help, NULL,
};

static const struct cli_option *const help_options[] = { &cli_help, NULL };

const struct cli_command cli_commands[] = {
	{
		.name = "check",
		.summary = "judge this machine and its Python environments",
		.about = "Says whether the GPU frameworks in the active environment (VIRTUAL_ENV, CONDA_PREFIX, or the python3 on PATH) "
			 "can run on this machine's GPUs; if not, why, with the evidence, and what to type. Reads files only; starts and "
			 "loads nothing.",
		.options = check_options,
		.run = cli_cmd_check,
	},
	{
		.name = "gather",
		.summary = "record everything that check looks at into a bundle",
		.about = "Writes what check looks at, and what it did not find, into one file. 'cuvet check --root FILE' gives the same "
			 "answer elsewhere.",
		.options = gather_options,
		.run = cli_cmd_gather,
	},
	{
		.name = "ld",
		.summary = "say what the dynamic loader would take, and what it refuses",
		.args = "FILE...|STATEMENTS",
		.about = "Names the file that the dynamic loader takes for each library of a program or library, who asked for it, which "
			 "step of the search decided, and what is missing or refused. With --python or --env it is Python that is read: "
			 "'import torch; import onnxruntime'. Reads files only: nothing is loaded.",
		.options = ld_options,
		.run = cli_cmd_ld,
	},
	{
		.name = "run",
		.summary = "start a program with the settings that make its libraries load",
		.args = "-- COMMAND [ARGUMENT]...",
		.about = "Finds the smallest change of LD_LIBRARY_PATH with which the frameworks of an environment load, tries it on the "
			 "load map, and starts the command with it, for that command alone. --print only says what it would be. The "
			 "exit status is that of the command.",
		.options = run_options,
		.run = cli_cmd_run,
	},
	{
		.name = "arch",
		.summary = "list the GPU code in files and the GPUs it serves",
		.args = "FILE|WHEEL|DIR...",
		.about = "Reads the GPU code (cubin and PTX) of libraries, objects, archives, cubins, fatbins, PTX, whole wheels or the "
			 "libraries below a directory, counts it, and says which GPUs it serves: those named by --gpu and --cc, "
			 "otherwise those of the machine.",
		.options = arch_options,
		.run = cli_cmd_arch,
	},
	{
		.name = "explain",
		.summary = "diagnose a pasted log, traceback or environment report",
		.args = "[FILE...]",
		.about = "Reads texts (files, or standard input) and says what is wrong with the machine that they are of, the lines it rests on, "
			 "the fix, and what is still unknown. This machine is not looked at without --live. A bundle of gather is read like a text.",
		.options = explain_options,
		.run = cli_cmd_explain,
	},
	{
		.name = "kb",
		.summary = "ask the knowledge base",
		.args = "WORDS...|add WHEEL|DIR...",
		.about = "Answers from the built-in knowledge, with source and date: 'cuvet kb torch 2.9', 'cuvet kb driver 535', "
			 "'cuvet kb gpu \"RTX 4090\"', 'cuvet kb python 3.13', 'cuvet kb error 803', 'cuvet kb xid 79', 'cuvet kb image "
			 "nvidia/cuda:12.4.1-base-ubuntu22.04'. 'cuvet kb matrix torch' draws what goes with what, 'cuvet kb claims' lists "
			 "what circulates and is wrong. 'cuvet kb add WHEEL' prints the rows that a real wheel gives.",
		.options = kb_options,
		.run = cli_cmd_kb,
	},
	{
		.name = "rule",
		.summary = "explain a finding",
		.args = "ID",
		.about = "Prints the page of a finding: what it means, how it is judged, how it is put right.",
		.options = rule_options,
		.run = cli_cmd_rule,
	},
	{
		.name = "help",
		.summary = "show the help of a command",
		.args = "[COMMAND]",
		.about = "Shows the help of a command, or the list of commands.",
		.options = help_options,
		.run = cli_cmd_help,
	},
	{ .name = NULL },
};

const struct cli_command *cli_find_command(const char *name)
{
	for (const struct cli_command *cmd = cli_commands; cmd->name; cmd++)
		if (strcmp(cmd->name, name) == 0)
			return cmd;
	return NULL;
}

/* Longest common subsequence of two short words. */
static size_t common_letters(const char *a, const char *b)
{
	size_t row[33] = { 0 }, n = strlen(b);

	if (n > 32)
		n = 32;
	for (; *a; a++) {
		size_t diagonal = 0;

		for (size_t i = 0; i < n; i++) {
			size_t above = row[i + 1];

			row[i + 1] = *a == b[i] ? diagonal + 1 : above > row[i] ? above : row[i];
			diagonal = above;
		}
	}
	return row[n];
}

const struct cli_command *cli_nearest_command(const char *name)
{
	const struct cli_command *best = NULL;
	size_t most = 0;

	for (const struct cli_command *cmd = cli_commands; cmd->name; cmd++) {
		size_t common = common_letters(name, cmd->name), longer = strlen(name) > strlen(cmd->name) ? strlen(name) : strlen(cmd->name);

		/* At least two thirds of the letters, in order. */
		if (common * 3 >= longer * 2 && common > most) {
			most = common;
			best = cmd;
		}
	}
	return best;
}
