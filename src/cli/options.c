/* SPDX-License-Identifier: Apache-2.0 */
/* Every option, and the reading of them. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

static int set_root(struct cli *c, const char *arg)
{
	c->opt.root = arg;
	return 0;
}

static int set_machine(struct cli *c, const char *arg)
{
	c->opt.machine = arg;
	return 0;
}

static int set_set(struct cli *c, const char *arg)
{
	c->set[c->opt.set_n++] = arg;
	return 0;
}

static int set_python(struct cli *c, const char *arg)
{
	c->opt.python = arg;
	return 0;
}

static int set_env(struct cli *c, const char *arg)
{
	c->envs[c->opt.env_n++] = arg;
	return 0;
}

static int set_print(struct cli *c, const char *arg)
{
	(void)arg;
	c->print = true;
	return 0;
}

static int set_cuda(struct cli *c, const char *arg)
{
	c->plan.cuda = arg;
	return 0;
}

static int set_program(struct cli *c, const char *arg)
{
	c->plan.program = arg;
	return 0;
}

static int set_symbols(struct cli *c, const char *arg)
{
	(void)arg;
	c->ld.symbols = true;
	return 0;
}

static int set_flat(struct cli *c, const char *arg)
{
	(void)arg;
	c->ld.flat = true;
	return 0;
}

static int set_why(struct cli *c, const char *arg)
{
	c->ld.why = arg;
	return 0;
}

static int set_gpu(struct cli *c, const char *arg)
{
	c->gpus[c->arch.gpu_n++] = arg;
	return 0;
}

static int set_cc(struct cli *c, const char *arg)
{
	c->ccs[c->arch.cc_n++] = arg;
	return 0;
}

static int set_all_envs(struct cli *c, const char *arg)
{
	(void)arg;
	c->opt.all_envs = true;
	return 0;
}

static int set_json(struct cli *c, const char *arg)
{
	(void)arg;
	c->style.format = CV_FORMAT_JSON;
	return 0;
}

static int set_format(struct cli *c, const char *arg)
{
	c->style.format = strcmp(arg, "json") == 0 ? CV_FORMAT_JSON : strcmp(arg, "facts") == 0 ? CV_FORMAT_FACTS
			  : strcmp(arg, "markdown") == 0 ? CV_FORMAT_MARKDOWN : CV_FORMAT_TERMINAL;
	return 0;
}

static int set_out(struct cli *c, const char *arg)
{
	c->output = strcmp(arg, "-") == 0 ? NULL : arg;
	return 0;
}

static int set_bundle(struct cli *c, const char *arg)
{
	if (strcmp(arg, "-") == 0)
		return cli_usage(c->cmd, "option '-o': a bundle is not written to standard output; name a file");
	c->output = arg;
	return 0;
}

static int set_fail_level(struct cli *c, const char *arg)
{
	c->opt.fail_level = strcmp(arg, "warning") == 0 ? CV_WARNING : CV_ERROR;
	return 0;
}

static int set_exit_zero(struct cli *c, const char *arg)
{
	(void)arg;
	c->opt.exit_zero = true;
	return 0;
}

static int set_kb(struct cli *c, const char *arg)
{
	c->opt.kb_dir = arg;
	return 0;
}

static int set_redact(struct cli *c, const char *arg)
{
	(void)arg;
	c->opt.redact = true;
	return 0;
}

static int set_live(struct cli *c, const char *arg)
{
	(void)arg;
	c->opt.live = true;
	return 0;
}

static int set_verbose(struct cli *c, const char *arg)
{
	(void)arg;
	c->style.verbose = true;
	return 0;
}

static int set_color(struct cli *c, const char *arg)
{
	c->colour = strcmp(arg, "always") == 0 ? CLI_COLOUR_ALWAYS : strcmp(arg, "never") == 0 ? CLI_COLOUR_NEVER : CLI_COLOUR_AUTO;
	return 0;
}

static int set_list(struct cli *c, const char *arg)
{
	(void)arg;
	c->list = true;
	return 0;
}

static int set_help(struct cli *c, const char *arg)
{
	(void)arg;
	c->help = true;
	return 0;
}

const struct cli_option cli_root = {
	.name = "root",
	.arg = "DIR|BUNDLE",
	.help = "look at a directory tree or a gathered bundle instead of this machine",
	.set = set_root,
};

const struct cli_option cli_machine = {
	.name = "machine",
	.arg = "DIR|BUNDLE",
	.help = "judge as if it ran on that machine: its /proc, /sys, /dev and driver",
	.set = set_machine,
};

const struct cli_option cli_set = {
	.name = "set",
	.arg = "NAME[=VALUE]",
	.help = "set or unset an environment variable in what is looked at (repeatable)",
	.set = set_set,
};

const struct cli_option cli_python = {
	.name = "python",
	.arg = "PATH",
	.help = "the environment of this interpreter",
	.set = set_python,
};

const struct cli_option cli_env = {
	.name = "env",
	.arg = "DIR",
	.help = "this environment (repeatable)",
	.set = set_env,
};

const struct cli_option cli_symbols = {
	.name = "symbols",
	.help = "look up undefined symbols too, as ldd -r does",
	.set = set_symbols,
};

const struct cli_option cli_flat = {
	.name = "flat",
	.help = "a list in load order instead of a tree",
	.set = set_flat,
};

const struct cli_option cli_why = {
	.name = "why",
	.arg = "LIB",
	.help = "only what leads to this library, and the files that lost",
	.set = set_why,
};

const struct cli_option cli_gpu = {
	.name = "gpu",
	.arg = "NAME",
	.help = "for this GPU, such as \"RTX 4090\" (repeatable)",
	.set = set_gpu,
};

const struct cli_option cli_cc = {
	.name = "cc",
	.arg = "X.Y[,X.Y...]",
	.help = "for GPUs of this compute capability (repeatable)",
	.set = set_cc,
};

const struct cli_option cli_all_envs = {
	.name = "all-envs",
	.help = "every environment that is found",
	.set = set_all_envs,
};

const struct cli_option cli_json = {
	.name = "json",
	.help = "the same as --format json",
	.set = set_json,
};

const struct cli_option cli_format_facts = {
	.name = "format",
	.arg = "FORMAT",
	.help = "terminal, json, or facts (all that was seen, with its sources)",
	.values = "terminal|json|facts",
	.set = set_format,
};

const struct cli_option cli_format = {
	.name = "format",
	.arg = "FORMAT",
	.help = "terminal or json",
	.values = "terminal|json",
	.set = set_format,
};

const struct cli_option cli_format_markdown = {
	.name = "format",
	.arg = "FORMAT",
	.help = "terminal, json, or markdown (an answer to paste under an issue)",
	.values = "terminal|json|markdown",
	.set = set_format,
};

const struct cli_option cli_out = {
	.name = "output",
	.short_name = 'o',
	.arg = "FILE",
	.help = "write to FILE; - is standard output",
	.set = set_out,
};

const struct cli_option cli_bundle_out = {
	.name = "output",
	.short_name = 'o',
	.arg = "FILE",
	.help = "the bundle to write, such as machine.tar.zst",
	.set = set_bundle,
};

const struct cli_option cli_fail_level = {
	.name = "fail-level",
	.arg = "LEVEL",
	.help = "the least finding that makes exit status 1: error or warning",
	.values = "error|warning",
	.set = set_fail_level,
};

const struct cli_option cli_exit_zero = {
	.name = "exit-zero",
	.help = "exit with 0 where it would be 1 or 3",
	.set = set_exit_zero,
};

const struct cli_option cli_kb = {
	.name = "kb",
	.arg = "DIR",
	.help = "lay the knowledge in DIR/*.tsv over the built-in one",
	.set = set_kb,
};

const struct cli_option cli_redact = {
	.name = "redact",
	.help = "replace user and host names, serial numbers and secrets",
	.set = set_redact,
};

const struct cli_option cli_live = {
	.name = "live",
	.help = "the text is of this machine: judge its messages on what check sees here",
	.set = set_live,
};

const struct cli_option cli_verbose = {
	.name = "verbose",
	.short_name = 'v',
	.help = "more: packages, notes in full, what was ruled out or not evaluated, the code of each file, whole paths",
	.set = set_verbose,
};

const struct cli_option cli_color = {
	.name = "color",
	.arg = "WHEN",
	.help = "auto, always or never",
	.values = "auto|always|never",
	.set = set_color,
};

const struct cli_option cli_list = {
	.name = "list",
	.help = "list all rules",
	.set = set_list,
};

const struct cli_option cli_print = {
	.name = "print",
	.help = "print what would be set, and start nothing",
	.set = set_print,
};

const struct cli_option cli_cuda = {
	.name = "cuda",
	.arg = "DIR",
	.help = "let the libraries and tools of this CUDA toolkit come first",
	.set = set_cuda,
};

const struct cli_option cli_program = {
	.name = "program",
	.arg = "STATEMENTS",
	.help = "what has to load: 'import torch; import onnxruntime'; otherwise each framework of the environment",
	.set = set_program,
};

const struct cli_option cli_help = {
	.name = "help",
	.short_name = 'h',
	.help = "show this help",
	.set = set_help,
};

/* The tables that getopt_long() wants, made from the command's rows; val is the row's index + 1000. */
struct getopt_tables {
	struct option longs[CLI_OPTIONS_MAX + 1];
	char shorts[2 * CLI_OPTIONS_MAX + 2];
};

static void make_tables(const struct cli_command *cmd, struct getopt_tables *t)
{
	size_t n = 0, at = 0;

	memset(t, 0, sizeof(*t));
	t->shorts[at++] = ':'; /* tell a missing argument from an unknown option */
	for (; cmd->options[n] && n < CLI_OPTIONS_MAX; n++) {
		const struct cli_option *o = cmd->options[n];

		t->longs[n] = (struct option){ o->name, o->arg ? required_argument : no_argument, NULL, 1000 + (int)n };
		if (!o->short_name)
			continue;
		t->shorts[at++] = o->short_name;
		if (o->arg)
			t->shorts[at++] = ':';
	}
}

static const struct cli_option *option_of(const struct cli_command *cmd, int val)
{
	if (val >= 1000)
		return cmd->options[val - 1000];
	for (size_t i = 0; cmd->options[i]; i++)
		if (cmd->options[i]->short_name == (char)val)
			return cmd->options[i];
	return NULL;
}

static bool is_allowed(const char *values, const char *arg)
{
	size_t n = strchr(arg, '|') ? 0 : strlen(arg);

	for (const char *p = values; n && (p = strstr(p, arg)); p += n)
		if ((p == values || p[-1] == '|') && (p[n] == '\0' || p[n] == '|'))
			return true;
	return false;
}

static int complain(const struct cli_command *cmd, int val, char **argv)
{
	const char *word = argv[optind - 1];
	const struct cli_option *o;

	if (optopt && optopt < 1000 && (val == '?' || word[1] != '-')) {
		if (val == ':')
			return cli_usage(cmd, "option '-%c' needs an argument", optopt);
		if (strncmp(word, "--", 2) != 0)
			return cli_usage(cmd, "unknown option '-%c'", optopt);
	}
	o = optopt >= 1000 ? option_of(cmd, optopt) : NULL;
	if (val == ':')
		return cli_usage(cmd, "option '%s' needs an argument", o ? word : argv[optind - 1]);
	if (o)
		return cli_usage(cmd, "option '--%s' takes no argument", o->name);
	return cli_usage(cmd, "unknown or ambiguous option '%s'", word);
}

int cli_parse(struct cli *c, int argc, char **argv, int *ret_first)
{
	struct getopt_tables t;
	int val;

	make_tables(c->cmd, &t);
	opterr = 0;
	optind = 1;
	while ((val = getopt_long(argc, argv, t.shorts, t.longs, NULL)) != -1) {
		const struct cli_option *o = val == '?' || val == ':' ? NULL : option_of(c->cmd, val);
		int status;

		if (!o)
			return complain(c->cmd, val, argv);
		if (o->arg && !*optarg)
			return cli_usage(c->cmd, "option '--%s' needs an argument that is not empty", o->name);
		if (o->values && !is_allowed(o->values, optarg))
			return cli_usage(c->cmd, "option '--%s': '%s' is not one of %s", o->name, optarg, o->values);
		status = o->set(c, optarg);
		if (status)
			return status;
	}
	c->opt.envs = c->envs;
	c->opt.set = c->set;
	*ret_first = optind;
	return 0;
}
