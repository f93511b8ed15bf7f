/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that were typed. The command gives meaning to the lines after it, so it is kept in t->command.
 *
 *	$ cmd      user@host:~/dir$ cmd      root@5d1c0a7e93b2:/# cmd      (env) C:\work>cmd      (env) ~/x$ cmd
 *
 * A line without a prompt counts where it begins with a program that people type; an empty command ends the last one.
 */
#include "parse/txt.h"

static const char *const programs[] = {
	"pip ", "pip3 ", "python ", "python3 ", "python -", "conda ", "mamba ", "uv ", "nvidia-smi", "nvcc ", "docker ", "podman ",
	"kubectl ", "ls ", "find ", "ldd ", "ldconfig ", "echo ", "dir ", "sudo ", "lspci", "lsmod", "modinfo ", "dkms ", "mokutil ",
	"cat ", "env", "export ", "uname ", "where ", "which ", "dpkg ", "rpm ", "dmesg", "set ", "journalctl ", "dumpbin ",
	"poetry ", "pipenv ", "LD_DEBUG=", "CUDA_VISIBLE_DEVICES=",
};

static bool is_program(struct cv_str s)
{
	if (s.n > 300 || cv_str_chr(s, ':') == (ptrdiff_t)(s.n - 1))
		return false;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct cv_str rest = s;

		if (!cv_str_eat(&rest, programs[i]) || cv_str_starts(rest, " ")) /* two blanks: a column of a table */
			continue;
		if (programs[i][strlen(programs[i]) - 1] == ' ' || !rest.n || rest.p[0] == ' ' || strchr(programs[i], '='))
			return true;
	}
	return false;
}

/* A container's shell has its id, twelve hexadecimal digits, as the host name. */
static bool is_container_host(struct cv_str prompt)
{
	ptrdiff_t at = cv_str_chr(prompt, '@');
	size_t n = 0;

	if (at < 0)
		return false;
	prompt = cv_str_from(prompt, (size_t)at + 1);
	while (n < prompt.n && strchr("0123456789abcdef", prompt.p[n]))
		n++;
	return n == 12 && n < prompt.n && prompt.p[n] == ':';
}

/* Where the typed part begins, or -1: behind "$ " or "# " of a prompt without blanks before its directory, or "dir>" of Windows. */
static ptrdiff_t typed(struct cv_str s)
{
	size_t depth = 0;

	if (cv_str_starts(s, "$ ") || (cv_str_starts(s, "$") && s.n > 1 && s.p[1] >= 'a' && s.p[1] <= 'z'))
		return s.p[1] == ' ' ? 2 : 1;
	if (cv_str_starts(s, "# ") && is_program(cv_str_from(s, 2)))
		return 2;
	if (cv_str_starts(s, ">>> ") || cv_str_starts(s, "In ["))
		return -1;
	for (size_t i = 1; i < s.n && i < 120; i++) {
		char c = s.p[i], before = s.p[i - 1];

		depth += c == ' ';
		if ((c == '$' || c == '#') && (i + 1 == s.n || s.p[i + 1] == ' ') &&
		    (before == '~' || before == ']' || before == '/' || cv_str_chr(cv_str_sub(s, 0, i), '@') >= 0 || s.p[0] == '(') && depth < 4)
			return (ptrdiff_t)i + 1;
		if (c == '>' && i > 3 && (cv_str_find(cv_str_sub(s, 0, i), ":\\") >= 0) && depth < 4 && i + 1 < s.n && s.p[i + 1] != '>')
			return (ptrdiff_t)i + 1;
	}
	return -1;
}

void cv_txt_command(struct cv_txt *t, struct cv_str line, unsigned *state)
{
	struct cv_str s = cv_str_trim(line);
	ptrdiff_t at = typed(s);

	(void)state;
	if (at < 0 && !is_program(s)) {
		if (cv_str_starts(s, "```"))
			t->command[0] = '\0';
		return;
	}
	if (at > 0 && is_container_host(cv_str_sub(s, 0, (size_t)at)))
		cv_tell(t, CV_TELL_CONTAINER, CV_TOLD_TOOL, CV_STR(""), CV_STR("docker"));
	if (at > 0 && s.p[at - 1] == '>') /* typed() saw "C:\\" before it */
		cv_tell(t, CV_TELL_OS, CV_TOLD_PROSE, CV_STR(""), CV_STR("Windows"));
	s = at < 0 ? s : cv_str_trim(cv_str_from(s, (size_t)at));
	cv_txt_keep(t->command, s);
	t->station++;
	t->name[0] = t->ask[0] = '\0';
	if (s.n)
		cv_tell(t, CV_TELL_COMMAND, CV_TOLD_TOOL, CV_STR(""), s);
}
