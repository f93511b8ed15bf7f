/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packages: what pip, uv, conda, NuGet and their like say is installed.
 *
 *	name==1.2                     freeze, also behind "[pip3] " of collect_env
 *	name        1.2      /path    pip list, conda list (with build and channel), behind their header or command
 *	Name: x / Version: y          pip show
 *	Successfully installed x-1.2 y-3.4
 *	Requirement already satisfied: x in DIR (1.2)
 *	|-- x v1.2                    uv tree
 *	> Microsoft.ML.X  1.2  1.2    dotnet list package
 *	onnxruntime-win-x64-gpu-1.19.0.zip, libtorch-...-1.5.0.zip: archives
 */
#include "parse/txt.h"

enum { NOTHING, PIP_LIST, CONDA_LIST, DOTNET };

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

static bool is_name(struct cv_str s)
{
	if (!s.n || s.n > 80)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!is_name_char(s.p[i]))
			return false;
	return (s.p[0] >= 'a' && s.p[0] <= 'z') || (s.p[0] >= 'A' && s.p[0] <= 'Z') || s.p[0] == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_requirements(const struct cv_txt *t)
{
	return t->file && (strstr(t->file, "requirements") || strstr(t->file, "pyproject") || strstr(t->file, "Dockerfile"));
}

static bool freeze_line(struct cv_txt *t, struct cv_str s)
{
	ptrdiff_t at = cv_str_find(s, "==");
	struct cv_str name, version, rest;
	ptrdiff_t extra;

	if (cv_str_starts(s, "[pip3] ") || cv_str_starts(s, "[pip] "))
		s = cv_str_trim(cv_str_from(s, cv_str_starts(s, "[pip3] ") ? 7 : 6));
	else if (cv_str_starts(s, "+ ") || cv_str_starts(s, "~ ")) /* uv: what it put in */
		s = cv_str_trim(cv_str_from(s, 2));
	else if (cv_str_starts(s, "[conda] ") || cv_str_starts(s, "RUN "))
		return false;
	at = cv_str_find(s, "==");
	if (at <= 0)
		return false;
	name = cv_str_trim(cv_str_sub(s, 0, (size_t)at));
	extra = cv_str_chr(name, '[');
	if (extra > 0)
		name = cv_str_sub(name, 0, (size_t)extra);
	if (!is_name(name) || !cv_txt_version(cv_str_trim(cv_str_from(s, (size_t)at + 2)), &version))
		return false;
	rest = cv_str_trim(cv_str_from(s, (size_t)(version.p - s.p) + version.n));
	if (rest.n && !strchr("#;(@,", rest.p[0]))
		return false;
	cv_tell(t, is_requirements(t) ? CV_TELL_WANT : CV_TELL_PACKAGE, CV_TOLD_TOOL, name, version);
	return true;
}

static bool table_line(struct cv_txt *t, struct cv_str s, unsigned *state)
{
	struct cv_str rest = s, name, version, third = { "", 0 }, fourth = { "", 0 }, v;

	if (!cv_str_word(&rest, &name) || !cv_str_word(&rest, &version) || !is_name(name))
		return false;
	(void)cv_str_word(&rest, &third);
	(void)cv_str_word(&rest, &fourth);
	/* pip: at most a directory behind; conda: build and channel. More words are a sentence. */
	if (!cv_txt_version(version, &v) || v.n != version.n || cv_str_trim(rest).n)
		return false;
	if (*state != CONDA_LIST && (fourth.n || (third.n && cv_str_chr(third, '/') < 0 && cv_str_chr(third, '\\') < 0)))
		return false;
	if (*state == CONDA_LIST)
		cv_tell_extra(t, CV_TELL_PACKAGE, CV_TOLD_TOOL, name, v, third.n ? third : CV_STR("conda"));
	else
		cv_tell(t, CV_TELL_PACKAGE, CV_TOLD_TOOL, name, v);
	return true;
}

static bool show_line(struct cv_txt *t, struct cv_str s)
{
	struct cv_str rest = s, v;

	if (cv_str_eat(&rest, "Name: ") && is_name(cv_str_trim(rest))) {
		cv_txt_keep(t->name, cv_str_trim(rest));
		return true;
	}
	if (!t->name[0])
		return false;
	if (cv_str_eat(&rest, "Version: ") && cv_txt_version(rest, &v)) {
		cv_tell(t, CV_TELL_PACKAGE, CV_TOLD_TOOL, cv_str_of(t->name), v);
		return true;
	}
	if (cv_str_eat(&rest, "Location: "))
		cv_tell(t, CV_TELL_PACKAGE_AT, CV_TOLD_TOOL, cv_str_of(t->name), cv_str_trim(rest));
	return false;
}

/* "torch-2.6.0": the version begins behind the last dash that a digit follows. */
static bool split_dash(struct cv_str word, struct cv_str *ret_name, struct cv_str *ret_version)
{
	for (size_t i = word.n; i-- > 1;)
		if (word.p[i - 1] == '-' && is_digit(word.p[i])) {
			*ret_name = cv_str_sub(word, 0, i - 1);
			return is_name(*ret_name) && cv_txt_version(cv_str_from(word, i), ret_version);
		}
	return false;
}

static bool install_line(struct cv_txt *t, struct cv_str s)
{
	struct cv_str rest = s, word, name, v;
	ptrdiff_t open;

	if (cv_str_eat(&rest, "Successfully installed ")) {
		while (cv_str_word(&rest, &word))
			if (split_dash(word, &name, &v))
				cv_tell(t, CV_TELL_PACKAGE, CV_TOLD_TOOL, name, v);
		return true;
	}
	if (!cv_str_eat(&rest, "Requirement already satisfied: ") || !cv_str_word(&rest, &name))
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (!is_name_char(name.p[i]))
			name.n = i;
	open = cv_str_rchr(rest, '(');
	if (open < 0 || cv_str_find(rest, "(from ") >= 0)
		open = cv_str_find(rest, " (");
	if (open >= 0 && cv_txt_version(cv_str_trim(cv_str_from(rest, (size_t)open + (rest.p[open] == ' ' ? 2 : 1))), &v) && is_name(name))
		cv_tell(t, CV_TELL_PACKAGE, CV_TOLD_TOOL, name, v);
	cv_tell(t, CV_TELL_PROBE, CV_TOLD_TOOL, CV_STR("pip.satisfied"), name);
	return true;
}

static bool tree_line(struct cv_txt *t, struct cv_str s)
{
	struct cv_str name, version, v;

	if (!cv_str_starts(s, "\xe2\x94") && !cv_str_starts(s, "|-- ") && !cv_str_starts(s, "\\-- "))
		return false;
	while (s.n && !is_name_char(s.p[0]))
		s = cv_str_from(s, 1);
	if (!cv_str_word(&s, &name) || !cv_str_word(&s, &version) || version.n < 2 || version.p[0] != 'v' || !is_name(name))
		return false;
	if (cv_txt_version(version, &v))
		cv_tell(t, CV_TELL_PACKAGE, CV_TOLD_TOOL, name, v);
	return true;
}

/* "> Name  requested  resolved" of dotnet, with or without the sign (it may have been taken for a quote). */
static bool dotnet_line(struct cv_txt *t, struct cv_str s)
{
	struct cv_str rest = s, name, version, last = { "", 0 }, v;

	(void)cv_str_eat(&rest, "> ");
	if (!cv_str_word(&rest, &name) || cv_str_find(name, "Microsoft.ML.") != 0)
		return false;
	while (cv_str_word(&rest, &version))
		last = version;
	if (cv_txt_version(last, &v))
		cv_tell(t, CV_TELL_PACKAGE, CV_TOLD_TOOL, name, v);
	return true;
}

/* Archives name their build: onnxruntime-linux-x64-gpu-1.16.3.tgz, onnxruntime-win-x64-cuda12-1.17.1.zip */
static void archives(struct cv_txt *t, struct cv_str s)
{
	static const char *const heads[] = { "onnxruntime-win-x", "onnxruntime-linux-", "libtorch-" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		ptrdiff_t at = cv_str_find(s, heads[i]);
		struct cv_str word, name, v, build = { "archive", 7 };
		const char *pkg = i == 2 ? "torch" : "onnxruntime";

		if (at < 0)
			continue;
		word = cv_str_from(s, (size_t)at);
		for (size_t k = 0; k < word.n; k++)
			if (!is_name_char(word.p[k]) && word.p[k] != '+')
				word.n = k;
		if (!split_dash(word, &name, &v))
			continue;
		while (v.n > 4 && (cv_str_ends(v, ".zip") || cv_str_ends(v, ".tgz") || cv_str_ends(v, ".tar")))
			v.n -= 4;
		if (cv_str_ends(v, ".tar.gz"))
			v.n -= 7;
		if (cv_str_find(name, "-cuda12") >= 0)
			build = CV_STR("archive cuda12");
		else if (cv_str_find(name, "-cuda13") >= 0 || cv_str_find(name, "_cuda13") >= 0)
			build = CV_STR("archive cuda13");
		if (i < 2 && (cv_str_find(name, "-gpu") >= 0 || build.n > 7))
			pkg = "onnxruntime-gpu";
		cv_tell_extra(t, CV_TELL_PACKAGE, CV_TOLD_NOTE, cv_str_of(pkg), v, build);
	}
}

static bool header(struct cv_txt *t, struct cv_str s, unsigned *state)
{
	if (cv_str_starts(s, "# Name") || cv_str_starts(s, "# packages in environment")) {
		*state = CONDA_LIST;
		cv_tell(t, CV_TELL_COMPLETE, CV_TOLD_TOOL, CV_STR(""), CV_STR(""));
		return true;
	}
	if (cv_str_starts(s, "Package ") && cv_str_find(s, "Version") > 0) {
		*state = PIP_LIST;
		cv_tell(t, CV_TELL_COMPLETE, CV_TOLD_TOOL, CV_STR(""), CV_STR(""));
		return true;
	}
	return *state && (cv_str_starts(s, "---") || cv_str_starts(s, "#"));
}

static void conda_line(struct cv_txt *t, struct cv_str s)
{
	unsigned conda = CONDA_LIST;

	(void)table_line(t, cv_str_trim(cv_str_from(s, 8)), &conda);
}

static bool is_gpu_stack(struct cv_str s)
{
	static const char *const names[] = { "torch", "torchvision", "torchaudio", "onnxruntime", "onnxruntime-gpu", "tensorflow",
					     "jax", "jaxlib", "xformers", "vllm", "ctranslate2", "faster-whisper", "flash-attn", "triton" };
	struct cv_str word;

	if (!cv_str_word(&s, &word))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (cv_str_is(word, names[i]))
			return true;
	return false;
}

void cv_txt_packages(struct cv_txt *t, struct cv_str line, unsigned *state)
{
	struct cv_str s = cv_str_trim(line);

	if (!s.n)
		return;
	if (cv_str_is(s, t->command) || cv_str_starts(s, "$ ") || cv_str_starts(s, "```")) {
		*state = cv_txt_is_command(t, "conda list") ? CONDA_LIST
			 : cv_txt_is_command(t, "pip list") || cv_txt_is_command(t, "pip3 list") || cv_txt_is_command(t, "pip freeze")
				 ? PIP_LIST
				 : NOTHING;
		if (cv_str_starts(s, "```"))
			*state = NOTHING;
	}
	archives(t, s);
	if (header(t, s, state))
		return;
	if (freeze_line(t, s) || show_line(t, s) || install_line(t, s) || tree_line(t, s) || dotnet_line(t, s))
		return;
	if (cv_str_starts(s, "[conda] ")) {
		conda_line(t, s);
		return;
	}
	/* Two columns alone are no list, unless the first is a package of the GPU stack. */
	if (*state != NOTHING || (is_gpu_stack(s) && s.n < 80 && cv_str_find(s, "  ") > 0))
		if (!table_line(t, s, state))
			*state = NOTHING;
}
