/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Environment variables: "NAME=value" alone, behind export or set, in front of a command, "-e NAME=value" of docker, ENV of a
 * Dockerfile, os.environ['NAME'] = 'value' of Python, and the answer to "echo $NAME".
 */
#include "parse/txt.h"

static const char *const names[] = {
	"CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "CUDA_DEVICE_ORDER", "NVIDIA_VISIBLE_DEVICES",
	"NVIDIA_DRIVER_CAPABILITIES", "PYTHONPATH", "CUDA_MODULE_LOADING", "LD_PRELOAD", "VIRTUAL_ENV", "CONDA_PREFIX",
	"PYTORCH_CUDA_ALLOC_CONF", "NCCL_P2P_DISABLE", "CUDA_LAUNCH_BLOCKING", "CUDA_DISABLE_PTX_JIT", "NVIDIA_REQUIRE_CUDA",
	"NVIDIA_DISABLE_REQUIRE", "BNB_CUDA_VERSION", "TORCH_CUDA_ARCH_LIST", "XLA_FLAGS", "HIP_VISIBLE_DEVICES",
};

static struct cv_str unquote(struct cv_str v)
{
	while (v.n && strchr("'\"`", v.p[0]))
		v = cv_str_from(v, 1);
	while (v.n && strchr("'\"`;,", v.p[v.n - 1]))
		v.n--;
	return v;
}

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The value behind a name: up to a blank, or to the closing quote. */
static bool value_at(struct cv_str rest, struct cv_str *ret)
{
	size_t n = 0;
	char quote = 0;

	while (rest.n && (rest.p[0] == '\'' || rest.p[0] == '"' || rest.p[0] == ']' || rest.p[0] == ' '))
		rest = cv_str_from(rest, 1);
	if (!rest.n || rest.p[0] != '=' || (rest.n > 1 && rest.p[1] == '='))
		return false;
	rest = cv_str_from(rest, 1);
	while (rest.n && rest.p[0] == ' ')
		rest = cv_str_from(rest, 1);
	if (rest.n && (rest.p[0] == '\'' || rest.p[0] == '"')) {
		quote = rest.p[0];
		rest = cv_str_from(rest, 1);
	}
	while (n < rest.n && (quote ? rest.p[n] != quote : rest.p[n] != ' ' && rest.p[n] != ';' && rest.p[n] != ')' && rest.p[n] != '`'))
		n++;
	*ret = unquote(cv_str_sub(rest, 0, n));
	return true;
}

static void scan_names(struct cv_txt *t, struct cv_str s)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		ptrdiff_t at = cv_str_find(s, names[i]);
		struct cv_str value;
		size_t start;

		if (at < 0)
			continue;
		start = (size_t)at;
		if (start && (is_word_char(s.p[start - 1]) || s.p[start - 1] == '$' || s.p[start - 1] == '{'))
			continue;
		/* -e ' NAME'='all': the blank makes it another variable */
		if (start > 1 && s.p[start - 1] == ' ' && (s.p[start - 2] == '\'' || s.p[start - 2] == '"')) {
			cv_tell(t, CV_TELL_PROBE, CV_TOLD_TOOL, CV_STR("var.mistyped"), cv_str_sub(s, start, strlen(names[i])));
			continue;
		}
		if (value_at(cv_str_from(s, start + strlen(names[i])), &value))
			cv_tell(t, CV_TELL_VAR, CV_TOLD_TOOL, cv_str_of(names[i]), value);
	}
}

/* "$ echo $NAME" or "> echo %NAME%", the value on the next line. */
static bool answer(struct cv_txt *t, struct cv_str s, unsigned *state)
{
	struct cv_str command = cv_str_of(t->command), name;

	if (!*state || !cv_str_eat(&command, "echo "))
		return false;
	name = cv_str_trim(command);
	while (name.n && strchr("$%{\"", name.p[0]))
		name = cv_str_from(name, 1);
	for (size_t i = 0; i < name.n; i++)
		if (!is_word_char(name.p[i]))
			name.n = i;
	*state = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (cv_str_is(name, names[i]) && s.p != NULL) {
			cv_tell(t, CV_TELL_VAR, CV_TOLD_TOOL, name, s);
			return true;
		}
	return false;
}

void cv_txt_vars(struct cv_txt *t, struct cv_str line, unsigned *state)
{
	struct cv_str s = cv_str_trim(line);

	if (s.n > 4000)
		return;
	if (t->command[0] && cv_str_ends(s, t->command)) {
		*state = cv_str_starts(cv_str_of(t->command), "echo ");
		if (*state)
			return;
	} else if (answer(t, s, state)) {
		return;
	}
	scan_names(t, s);
}
