/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/driver/nvidia/version, first line, as the driver's branches print it:
 *
 *	NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.135  Fri Jan 10 20:00:00 UTC 2025
 *	NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (builder@host)  Sat Oct  3 ...
 *
 * so the version is at no fixed word: it is the first word behind "Kernel Module" that is a dotted number. The second line
 * tells a compiler, whose version must not be taken for the driver's.
 *
 * gpus/ADDRESS/information holds "Key: value" lines with blanks and tabs around the colon.
 */
#include "parse/nvproc.h"

#include "cuvet/err.h"

static bool is_dotted(struct cv_str s)
{
	bool dot = false;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '.' && i > 0 && s.p[i - 1] != '.')
			dot = true;
		else if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	}
	return dot && s.p[s.n - 1] != '.';
}

static int parse_nvrm_line(struct cv_str s, struct cv_arena *a, struct cv_nvrm *ret)
{
	ptrdiff_t at = cv_str_find(s, "Kernel Module");
	struct cv_nvrm got = { 0 };
	struct cv_str before, word, prev = { 0 };

	if (at < 0)
		return CV_EFORMAT;
	before = cv_str_trim(cv_str_sub(s, 0, (size_t)at));
	got.open = cv_str_ends(before, "Open");
	s = cv_str_from(s, (size_t)at + strlen("Kernel Module"));
	if (!got.open) {
		ptrdiff_t blank = cv_str_rchr(before, ' ');
		struct cv_str arch = cv_str_from(before, (size_t)(blank + 1));

		if (blank >= 0 && !cv_str_is(arch, "UNIX"))
			got.arch = cv_str_dup(a, arch);
	}
	while (cv_str_word(&s, &word)) {
		if (cv_str_is(prev, "for") && !got.arch)
			got.arch = cv_str_dup(a, word);
		if (is_dotted(word)) {
			got.version = cv_str_dup(a, word);
			*ret = got;
			return 0;
		}
		prev = word;
	}
	return CV_EFORMAT;
}

int cv_nvrm_parse(struct cv_str text, struct cv_arena *a, struct cv_nvrm *ret)
{
	struct cv_str rest = text;
	struct cv_str line;
	unsigned line_no = 0;

	while (cv_str_line(&rest, &line, &line_no)) {
		struct cv_str s = cv_str_trim(line);
		int r;

		if (!cv_str_eat(&s, "NVRM version:"))
			continue;
		r = parse_nvrm_line(s, a, ret);
		if (r == 0)
			ret->line = line_no;
		return r;
	}
	return CV_EFORMAT;
}

static bool is_unset(struct cv_str value)
{
	return value.n == 0 || cv_str_is(value, "N/A") || cv_str_chr(value, '?') >= 0;
}

static bool take_key(struct cv_nvgpu *g, struct cv_str key, struct cv_str value, struct cv_arena *a)
{
	const struct {
		const char *key;
		const char **to;
	} texts[] = {
		{ "Model", &g->model }, { "GPU UUID", &g->uuid }, { "GPU Firmware", &g->firmware }, { "Bus Location", &g->bus }
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!cv_str_is(key, texts[i].key))
			continue;
		if (!is_unset(value))
			*texts[i].to = cv_str_dup(a, value);
		if (texts[i].to == &g->firmware)
			g->firmware_none = cv_str_is(value, "N/A");
		return true;
	}
	if (cv_str_is(key, "Device Minor")) {
		g->has_minor = cv_str_u64(value, &g->minor);
		return true;
	}
	if (cv_str_is(key, "GPU Excluded") || cv_str_is(key, "Blacklisted")) {
		g->excluded = cv_str_is(value, "Yes");
		g->has_excluded = g->excluded || cv_str_is(value, "No");
		return true;
	}
	return false;
}

int cv_nvgpu_parse(struct cv_str text, struct cv_arena *a, struct cv_nvgpu *ret)
{
	struct cv_nvgpu got = { 0 };
	struct cv_str rest = text;
	struct cv_str line;
	bool any = false;

	while (cv_str_line(&rest, &line, NULL)) {
		ptrdiff_t colon = cv_str_chr(line, ':');

		if (colon > 0 && take_key(&got, cv_str_trim(cv_str_sub(line, 0, (size_t)colon)),
					  cv_str_trim(cv_str_from(line, (size_t)colon + 1)), a))
			any = true;
	}
	if (!any)
		return CV_EFORMAT;
	*ret = got;
	return 0;
}

const char *cv_pci_address(struct cv_arena *a, struct cv_str s)
{
	uint64_t domain, bus, dev, fn;
	struct cv_str part, rest = s;

	if (s.n > 16 || !cv_str_split(&rest, ':', &part) || part.n < 4 || part.n > 8 || !cv_str_hex(part, &domain))
		return NULL;
	if (!cv_str_split(&rest, ':', &part) || part.n != 2 || !cv_str_hex(part, &bus))
		return NULL;
	if (!cv_str_split(&rest, '.', &part) || part.n != 2 || !cv_str_hex(part, &dev) || dev > 31)
		return NULL;
	if (rest.n != 1 || !cv_str_hex(rest, &fn) || fn > 7)
		return NULL;
	return cv_arena_printf(a, "%04llx:%02llx:%02llx.%llx", (unsigned long long)domain, (unsigned long long)bus,
			       (unsigned long long)dev, (unsigned long long)fn);
}

int cv_tegra_release_parse(struct cv_str text, struct cv_arena *a, const char **ret)
{
	struct cv_str rest = text;
	struct cv_str line, major, revision = { 0 };
	uint64_t n;
	ptrdiff_t at;

	/* "# R32 (release), REVISION: 7.1, ..."; old ones have no blank before the bracket */
	if (!cv_str_line(&rest, &line, NULL) || !cv_str_eat(&line, "#"))
		return CV_EFORMAT;
	line = cv_str_trim(line);
	if (!cv_str_eat(&line, "R") || (at = cv_str_chr(line, '(')) < 0)
		return CV_EFORMAT;
	major = cv_str_trim(cv_str_sub(line, 0, (size_t)at));
	at = cv_str_find(line, "REVISION:");
	if (!cv_str_u64(major, &n) || at < 0)
		return CV_EFORMAT;
	line = cv_str_from(line, (size_t)at + strlen("REVISION:"));
	cv_str_split(&line, ',', &revision);
	revision = cv_str_trim(revision);
	if (!is_dotted(revision) && !cv_str_u64(revision, &n))
		return CV_EFORMAT;
	*ret = cv_arena_printf(a, "%.*s.%.*s", CV_STR_ARG(major), CV_STR_ARG(revision));
	return 0;
}
