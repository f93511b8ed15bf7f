/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/txt.h"

static const struct {
	cv_txt_line_fn *line;
	const char *as;
} readers[] = {
	{ cv_txt_command, "commands" },	     { cv_txt_packages, "package list" },  { cv_txt_smi, "nvidia-smi" },
	{ cv_txt_notes, "environment report" }, { cv_txt_libs, "library list" },	   { cv_txt_kernel, "kernel and modules" },
	{ cv_txt_vars, "environment variables" }, { cv_txt_probes, "Python session" }, { cv_txt_container, "container" },
	{ cv_txt_forms, "filled-in form" },	     { cv_txt_prose, "notes" },
};

_Static_assert(sizeof(readers) / sizeof(readers[0]) <= 16, "struct cv_txt has a state for each reader");

void cv_txt_begin(struct cv_txt *t, const char *file)
{
	t->file = file;
	t->command[0] = t->name[0] = t->ask[0] = '\0';
	t->blank = 0;
	t->station++;
	t->report = 0;
	memset(t->state, 0, sizeof(t->state));
}

enum { REPORT_NONE, REPORT_BEGUN, REPORT_PACKAGES };

/* Where one paste ends and the next begins: blank lines, fences, commands and the first lines of well-known reports. */
static void stations(struct cv_txt *t, struct cv_str line)
{
	struct cv_str s = cv_str_trim(line);
	bool head = cv_str_starts(s, "Collecting environment information") || (cv_str_starts(s, "PyTorch version: ") && !t->report);

	if (head) {
		t->report = REPORT_BEGUN;
	} else if (t->report && (cv_str_starts(s, "[pip") || cv_str_starts(s, "[conda] ") || cv_str_starts(s, "Versions of relevant libraries"))) {
		t->report = REPORT_PACKAGES;
	} else if (cv_str_starts(s, "```") || (!s.n && t->report == REPORT_PACKAGES)) {
		t->report = REPORT_NONE;
	} else if (s.n ? !(cv_str_starts(s, "Package ") && cv_str_find(s, "Version") > 0) && cv_str_find(s, "| NVIDIA-SMI ") < 0 : t->report != 0) {
		if (t->report && !s.n)
			cv_tell(t, CV_TELL_EXTENT, CV_TOLD_TOOL, CV_STR(""), CV_STR(""));
		return;
	}
	if (!cv_str_starts(s, "Collecting") && !cv_str_starts(s, "PyTorch version") && t->report == REPORT_BEGUN && s.n)
		t->report = REPORT_NONE;
	t->station++;
}

void cv_txt_line(struct cv_txt *t, struct cv_str line)
{
	stations(t, line);
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		t->as = readers[i].as;
		readers[i].line(t, line, &t->state[i]);
	}
	t->blank = cv_str_trim(line).n ? 0 : t->blank + 1;
}

void cv_tell_extra(struct cv_txt *t, enum cv_tell what, enum cv_told_weight weight, struct cv_str subject, struct cv_str value,
		   struct cv_str extra)
{
	struct cv_told told = { what, weight, subject, value, extra, t->as };

	t->tell(t->cookie, &told);
}

void cv_tell(struct cv_txt *t, enum cv_tell what, enum cv_told_weight weight, struct cv_str subject, struct cv_str value)
{
	cv_tell_extra(t, what, weight, subject, value, (struct cv_str){ "", 0 });
}

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool same(const char *p, const char *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fold(p[i]) != fold(word[i]))
			return false;
	return true;
}

bool cv_txt_is(struct cv_str s, const char *word)
{
	return s.n == strlen(word) && same(s.p, word, s.n);
}

ptrdiff_t cv_txt_find(struct cv_str s, const char *needle)
{
	size_t n = strlen(needle);

	for (size_t i = 0; i + n <= s.n; i++)
		if (fold(s.p[i]) == fold(needle[0]) && same(s.p + i, needle, n))
			return (ptrdiff_t)i;
	return -1;
}

void cv_txt_keep(char *dst, struct cv_str s)
{
	size_t n = s.n < CV_TXT_KEEP - 1 ? s.n : CV_TXT_KEEP - 1;

	memcpy(dst, s.p, n);
	dst[n] = '\0';
}

bool cv_txt_is_command(const struct cv_txt *t, const char *word)
{
	return cv_txt_find(cv_str_of(t->command), word) >= 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_version_char(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '+' || c == '_';
}

bool cv_txt_version(struct cv_str s, struct cv_str *ret)
{
	size_t n = 0;

	if (s.n && (s.p[0] == 'v' || s.p[0] == 'V'))
		s = cv_str_from(s, 1);
	if (!s.n || !is_digit(s.p[0]))
		return false;
	while (n < s.n && is_version_char(s.p[n]))
		n++;
	while (n && !is_digit(s.p[n - 1]) && !(s.p[n - 1] >= 'a' && s.p[n - 1] <= 'z') && !(s.p[n - 1] >= 'A' && s.p[n - 1] <= 'Z'))
		n--;
	*ret = cv_str_sub(s, 0, n);
	return true;
}

bool cv_txt_key(struct cv_str line, struct cv_str *ret_key, struct cv_str *ret_value)
{
	struct cv_str s = cv_str_trim(line);
	size_t i = 0;

	while (cv_str_starts(s, "- ") || cv_str_starts(s, "* ") || cv_str_starts(s, "**"))
		s = cv_str_trim(cv_str_from(s, 2));
	while (i < s.n && i < 64 && s.p[i] != ':' && s.p[i] != '=')
		i++;
	if (i == 0 || i >= s.n || i >= 64)
		return false;
	*ret_key = cv_str_trim(cv_str_sub(s, 0, i));
	*ret_value = cv_str_trim(cv_str_from(s, i + 1));
	while (cv_str_ends(*ret_key, "*"))
		ret_key->n--;
	while (cv_str_starts(*ret_value, "*"))
		*ret_value = cv_str_trim(cv_str_from(*ret_value, 1));
	return ret_key->n > 0;
}
