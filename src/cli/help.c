/* SPDX-License-Identifier: Apache-2.0 */
/* Help, made from the tables; short errors. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

#define WIDTH 80
#define HELP_MAX 16384
#define MESSAGE_MAX 16384

/* A fixed page: longer help than this is a mistake of ours, and is cut. */
struct page {
	char text[HELP_MAX];
	size_t n, col;
};

static void put(struct page *p, const char *s, size_t n)
{
	if (n > sizeof(p->text) - p->n)
		n = sizeof(p->text) - p->n;
	memcpy(p->text + p->n, s, n);
	p->n += n;
	p->col += n;
}

static void puts_(struct page *p, const char *s)
{
	put(p, s, strlen(s));
}

static void nl(struct page *p)
{
	put(p, "\n", 1);
	p->col = 0;
}

static void to(struct page *p, size_t col)
{
	while (p->col < col && p->n < sizeof(p->text))
		put(p, " ", 1);
}

/* Words from the current column on, wrapped; further lines begin at indent. */
static void wrap(struct page *p, size_t indent, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, " ");

		if (p->col > indent && p->col + 1 + n > WIDTH)
			nl(p);
		if (p->col > indent)
			put(p, " ", 1);
		to(p, indent);
		put(p, s, n);
		s += n;
		s += strspn(s, " ");
	}
	nl(p);
}

#define HELP_COL 26

static void put_option(struct page *p, const struct cli_option *o)
{
	to(p, 2);
	if (o->short_name) {
		char s[] = { '-', o->short_name, ',', ' ', '\0' };

		puts_(p, s);
	}
	puts_(p, "--");
	puts_(p, o->name);
	if (o->arg) {
		puts_(p, " ");
		puts_(p, o->arg);
	}
	if (p->col + 1 > HELP_COL)
		nl(p);
	to(p, HELP_COL);
	wrap(p, HELP_COL, o->help);
}

static void put_command_help(struct page *p, const struct cli_command *cmd)
{
	puts_(p, "usage: cuvet ");
	puts_(p, cmd->name);
	puts_(p, " [OPTION]...");
	if (cmd->args) {
		puts_(p, " ");
		puts_(p, cmd->args);
	}
	nl(p);
	nl(p);
	wrap(p, 0, cmd->about);
	nl(p);
	puts_(p, "options:");
	nl(p);
	for (size_t i = 0; cmd->options[i]; i++)
		put_option(p, cmd->options[i]);
}

static void put_program_help(struct page *p)
{
	puts_(p, "usage: cuvet [COMMAND] [OPTION]...");
	nl(p);
	nl(p);
	wrap(p, 0,
	     "Says whether this machine and its Python environments can run PyTorch, ONNX Runtime and their neighbours on its NVIDIA "
	     "GPUs; if not, why, with the evidence, and what to type. It reads files and loads nothing.");
	nl(p);
	puts_(p, "commands:");
	nl(p);
	for (const struct cli_command *cmd = cli_commands; cmd->name; cmd++) {
		to(p, 2);
		puts_(p, cmd->name);
		to(p, 12);
		puts_(p, cmd->summary);
		puts_(p, cmd == cli_commands ? " (the default)" : "");
		nl(p);
	}
	nl(p);
	wrap(p, 0, "'cuvet COMMAND --help' shows the options of a command, 'cuvet --version' the version.");
	nl(p);
	wrap(p, 0, "exit status: 0 nothing wrong, 1 a problem was found, 2 usage or input error, 3 could not tell");
}

int cli_print_help(const struct cli_command *cmd)
{
	struct page p = { .n = 0, .col = 0 };

	if (cmd)
		put_command_help(&p, cmd);
	else
		put_program_help(&p);
	return cli_put(p.text, p.n);
}

int cli_print_version(void)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "cuvet %s\n", cv_version());

	return cli_put(text, n > 0 ? (size_t)n : 0);
}

static void print_error(const char *fmt, va_list ap) CV_PRINTF(1, 0);
/* Names of files and arguments may hold anything: control characters do not get to the terminal. */
static void print_error(const char *fmt, va_list ap)
{
	char text[MESSAGE_MAX];

	vsnprintf(text, sizeof(text), fmt, ap);
	for (unsigned char *p = (unsigned char *)text; *p; p++) {
		bool c1 = p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0;

		if (c1)
			*p++ = '?';
		if (c1 || *p < ' ' || *p == 0x7f)
			*p = '?';
	}
	fprintf(stderr, "cuvet: %s\n", text);
}

void cli_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_error(fmt, ap);
	va_end(ap);
}

int cli_usage(const struct cli_command *cmd, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_error(fmt, ap);
	va_end(ap);
	fprintf(stderr, "try 'cuvet %s%s--help'\n", cmd ? cmd->name : "", cmd ? " " : "");
	return CV_STATUS_USAGE;
}

void cli_notice(void *cookie, const char *text)
{
	(void)cookie;
	cli_error("%s", text);
}
