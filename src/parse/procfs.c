/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats as in the kernel's Documentation/filesystems/proc.rst and cgroup-v2.rst. Quirks met:
 *
 *	modules    "name size uses users, state address (taints)"; the state can be missing on old kernels
 *	cpuinfo    one block a processor; Arm has no "model name" on most kernels
 *	mountinfo  blanks in paths are octal escapes; a "-" ends a list of optional fields of any length
 *	cgroup     with a cgroup namespace the path is "/" and tells nothing
 */
#include "parse/procfs.h"

#include "base/num.h"
#include "cuvet/err.h"

bool cv_procmodules_next(struct cv_str *rest, unsigned *line_no, struct cv_procmodule *ret)
{
	struct cv_str line, word;

	while (cv_str_line(rest, &line, line_no)) {
		struct cv_procmodule m = { .live = true, .line = *line_no };
		uint64_t size;
		unsigned i = 0;

		if (!cv_str_word(&line, &m.name) || !cv_str_word(&line, &word) || !cv_str_u64(word, &size))
			continue;
		while (cv_str_word(&line, &word))
			if (++i == 3) /* uses, users, state */
				m.live = cv_str_is(word, "Live");
		*ret = m;
		return true;
	}
	return false;
}

int cv_cpuinfo_parse(struct cv_str text, struct cv_cpuinfo *ret)
{
	struct cv_cpuinfo got = { 0 };
	struct cv_str rest = text;
	struct cv_str line;
	unsigned line_no = 0;
	bool any = false;

	while (cv_str_line(&rest, &line, &line_no)) {
		ptrdiff_t colon = cv_str_chr(line, ':');
		struct cv_str key, value;

		if (cv_str_trim(line).n == 0 && any)
			break; /* the next processor */
		if (colon < 0)
			continue;
		key = cv_str_trim(cv_str_sub(line, 0, (size_t)colon));
		value = cv_str_trim(cv_str_from(line, (size_t)colon + 1));
		any = true;
		if (cv_str_is(key, "model name")) {
			got.model = value;
			got.model_line = line_no;
		} else if (cv_str_is(key, "flags") || cv_str_is(key, "Features")) {
			got.flags = value;
			got.flags_line = line_no;
		} else if (cv_str_is(key, "CPU implementer")) {
			got.implementer = value;
		} else if (cv_str_is(key, "CPU part")) {
			got.part = value;
			if (!got.model_line)
				got.model_line = line_no;
		}
	}
	if (!any)
		return CV_EFORMAT;
	*ret = got;
	return 0;
}

static const char *unescape(struct cv_arena *a, struct cv_str s)
{
	char *out = cv_arena_alloc(a, s.n + 1);
	size_t n = 0;

	if (!out)
		return "";
	for (size_t i = 0; i < s.n; i++) {
		const char *p = s.p + i;

		if (p[0] == '\\' && s.n - i >= 4 && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' && p[2] <= '7' && p[3] >= '0' &&
		    p[3] <= '7') {
			out[n++] = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
			i += 3;
		} else {
			out[n++] = p[0];
		}
	}
	out[n] = '\0';
	return out;
}

static bool parse_mount(struct cv_str line, struct cv_arena *a, struct cv_mount *ret)
{
	struct cv_str skip, root, point, word, type, source;

	if (!cv_str_word(&line, &skip) || !cv_str_word(&line, &skip) || !cv_str_word(&line, &skip) ||
	    !cv_str_word(&line, &root) || !cv_str_word(&line, &point) || !cv_str_word(&line, &skip))
		return false;
	do {
		if (!cv_str_word(&line, &word))
			return false;
	} while (!cv_str_is(word, "-"));
	if (!cv_str_word(&line, &type) || !cv_str_word(&line, &source))
		return false;
	if (!cv_str_word(&line, &ret->options))
		ret->options = (struct cv_str){ "", 0 };
	ret->root = unescape(a, root);
	ret->point = unescape(a, point);
	ret->type = unescape(a, type);
	ret->source = unescape(a, source);
	return true;
}

bool cv_mountinfo_next(struct cv_str *rest, unsigned *line_no, struct cv_arena *a, struct cv_mount *ret)
{
	struct cv_str line;

	while (cv_str_line(rest, &line, line_no)) {
		struct cv_mount m = { .line = *line_no };

		if (!parse_mount(line, a, &m))
			continue;
		*ret = m;
		return true;
	}
	return false;
}

/* "64k" -> 65536 */
static bool parse_size(struct cv_str s, uint64_t *ret)
{
	uint64_t unit = 1, n;

	if (s.n == 0)
		return false;
	switch (s.p[s.n - 1]) {
	case 'k':
	case 'K':
		unit = 1024;
		break;
	case 'm':
	case 'M':
		unit = 1024 * 1024;
		break;
	case 'g':
	case 'G':
		unit = 1024 * 1024 * 1024;
		break;
	default:
		break;
	}
	if (!cv_str_u64(cv_str_sub(s, 0, unit == 1 ? s.n : s.n - 1), &n) || !cv_mul(n, unit, &n))
		return false;
	*ret = n;
	return true;
}

bool cv_mount_size(struct cv_str options, uint64_t *ret)
{
	struct cv_str part;

	while (cv_str_split(&options, ',', &part))
		if (cv_str_eat(&part, "size="))
			return parse_size(part, ret);
	return false;
}

bool cv_meminfo_bytes(struct cv_str text, const char *key, uint64_t *ret)
{
	struct cv_str rest = text;
	struct cv_str line, word, unit;
	uint64_t n;

	while (cv_str_line(&rest, &line, NULL)) {
		if (!cv_str_eat(&line, key) || !cv_str_eat(&line, ":"))
			continue;
		if (!cv_str_word(&line, &word) || !cv_str_u64(word, &n))
			return false;
		if (!cv_mul(n, cv_str_word(&line, &unit) && cv_str_is(unit, "kB") ? 1024 : 1, &n))
			return false;
		*ret = n;
		return true;
	}
	return false;
}

/* True if s holds word at the start of a path component ("/docker/", "/docker-"). */
static bool has_component(struct cv_str s, const char *start)
{
	struct cv_str part;

	while (cv_str_split(&s, '/', &part))
		if (cv_str_starts(part, start))
			return true;
	return false;
}

/* True if a component is exactly "docker" with another below it: the daemon's own "docker.service" is no container. */
static bool has_parent(struct cv_str s, const char *name)
{
	struct cv_str part;

	while (cv_str_split(&s, '/', &part))
		if (cv_str_is(part, name))
			return s.n > 0;
	return false;
}

static const char *container_of_path(struct cv_str path)
{
	/* Kubernetes first: its pods are also docker's or containerd's. */
	if (has_component(path, "kubepods"))
		return "kubernetes";
	if (has_component(path, "libpod-"))
		return "podman";
	if (has_parent(path, "docker") || has_component(path, "docker-"))
		return "docker";
	if (has_parent(path, "containerd") || has_component(path, "cri-containerd"))
		return "containerd";
	if (has_parent(path, "lxc") || has_component(path, "lxc.payload"))
		return "lxc";
	if (has_component(path, "systemd-nspawn@"))
		return "nspawn";
	return NULL;
}

const char *cv_cgroup_container(struct cv_str text, unsigned *ret_line)
{
	struct cv_str rest = text;
	struct cv_str line, skip;
	unsigned line_no = 0;

	while (cv_str_line(&rest, &line, &line_no)) {
		const char *kind;

		/* hierarchy:controllers:path; the path may hold colons */
		if (!cv_str_split(&line, ':', &skip) || !cv_str_split(&line, ':', &skip) || !line.p)
			continue;
		kind = container_of_path(line);
		if (kind) {
			*ret_line = line_no;
			return kind;
		}
	}
	return NULL;
}

bool cv_version_is_gvisor(struct cv_str text)
{
	struct cv_str s = cv_str_trim(text);

	/* A real kernel tells its builder and compiler in brackets behind the release. */
	return cv_str_starts(s, "Linux version ") && cv_str_chr(s, '(') < 0 &&
	       (cv_str_find(s, "gvisor") >= 0 || cv_str_ends(s, "#1 SMP Sun Jan 10 15:06:54 PST 2016"));
}

unsigned cv_osrelease_wsl(struct cv_str text)
{
	/* "5.15.153.1-microsoft-standard-WSL2" against "4.4.0-19041-Microsoft" */
	if (cv_str_find(text, "microsoft") >= 0 || cv_str_find(text, "WSL2") >= 0)
		return 2;
	return cv_str_find(text, "Microsoft") >= 0 ? 1 : 0;
}

bool cv_nul_next(struct cv_str *rest, struct cv_str *ret)
{
	return cv_str_split(rest, '\0', ret);
}

bool cv_uevent_get(struct cv_str text, const char *key, struct cv_str *ret)
{
	struct cv_str rest = text;
	struct cv_str line;

	while (cv_str_line(&rest, &line, NULL)) {
		if (!cv_str_eat(&line, key) || !cv_str_eat(&line, "="))
			continue;
		*ret = cv_str_trim(line);
		return true;
	}
	return false;
}

bool cv_devtree_tegra(struct cv_str compatible, struct cv_str *ret)
{
	struct cv_str rest = compatible;
	struct cv_str item;

	while (cv_nul_next(&rest, &item)) {
		uint64_t n;
		struct cv_str chip = item;

		if (!cv_str_eat(&chip, "nvidia,") || !cv_str_starts(chip, "tegra") || !cv_str_u64(cv_str_from(chip, 5), &n))
			continue;
		*ret = chip;
		return true;
	}
	return false;
}

int cv_efivar_byte(struct cv_str bytes, unsigned *ret)
{
	if (bytes.n != 5)
		return CV_EFORMAT;
	*ret = (unsigned char)bytes.p[4];
	return 0;
}
