/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the output looks where it goes. --color wins over NO_COLOR (https://no-color.org), that over CLICOLOR_FORCE and CLICOLOR.
 * What goes to a file or a pipe is always the same: 80 columns and UTF-8.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli.h"

static const char *env(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static bool wants_colour(bool terminal)
{
	const char *force = env("CLICOLOR_FORCE"), *clicolor = env("CLICOLOR"), *term = env("TERM");

	if (env("NO_COLOR"))
		return false;
	if (force && strcmp(force, "0") != 0)
		return true;
	if (clicolor && strcmp(clicolor, "0") == 0)
		return false;
	return terminal && term && strcmp(term, "dumb") != 0;
}

static bool shows_utf8(void)
{
	const char *locale = env("LC_ALL");

	if (!locale)
		locale = env("LC_CTYPE");
	if (!locale)
		locale = env("LANG");
	for (; locale && *locale; locale++)
		if (strncasecmp(locale, "utf-8", 5) == 0 || strncasecmp(locale, "utf8", 4) == 0)
			return true;
	return false;
}

static unsigned columns(void)
{
	const char *text = env("COLUMNS");
	char *end;
	unsigned long n = text ? strtoul(text, &end, 10) : 0;

	return text && *end == '\0' && n >= 40 && n <= 1000 ? (unsigned)n : 80;
}

void cli_settle_style(struct cli *c)
{
	bool terminal = !c->output && isatty(STDOUT_FILENO);

	c->style.colour = c->colour == CLI_COLOUR_ALWAYS || (c->colour == CLI_COLOUR_AUTO && wants_colour(terminal));
	c->style.ascii = terminal && !shows_utf8();
	c->style.width = terminal ? columns() : 80;
}
