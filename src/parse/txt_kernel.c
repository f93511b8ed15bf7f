/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's side, as its own tools print it:
 *
 *	NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Wed Jul 10 ...           /proc/driver/nvidia/version
 *	NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build
 *	01:00.0 VGA compatible controller: NVIDIA Corporation GM204 [GeForce GTX 970] (rev a1)     lspci -k
 *		Kernel driver in use: nouveau
 *	license: Dual MIT/GPL                                                               modinfo nvidia
 *	SecureBoot enabled                                                                  mokutil --sb-state
 *	nvidia/550.54.14, 6.5.0-28-generic, x86_64: installed                               dkms status
 *	5.15.153.1-microsoft-standard-WSL2                                                  uname -r
 *	# R35 (release), REVISION: 4.1, ...                                                 /etc/nv_tegra_release
 */
#include "parse/txt.h"

static bool nvrm_version(struct cv_txt *t, struct cv_str s)
{
	struct cv_str word, v;
	bool open;

	if (cv_str_find(s, "NVRM version:") < 0)
		return false;
	open = cv_str_find(s, "Open Kernel Module") >= 0;
	while (cv_str_word(&s, &word))
		if (cv_txt_version(word, &v) && v.n == word.n && cv_str_chr(v, '.') > 0) {
			cv_tell(t, CV_TELL_MODULE, CV_TOLD_RUNTIME, CV_STR(""), v);
			cv_tell(t, CV_TELL_MODULE_OPEN, CV_TOLD_TOOL, CV_STR(""), open ? CV_STR("yes") : CV_STR("no"));
			return true;
		}
	return true;
}

static bool lspci_line(struct cv_txt *t, struct cv_str s)
{
	ptrdiff_t at = cv_str_find(s, "NVIDIA Corporation "), open, close;
	struct cv_str rest = s;

	if (cv_str_eat(&rest, "Kernel driver in use: ")) {
		if (t->name[0])
			cv_tell(t, CV_TELL_GPU_BOUND, CV_TOLD_TOOL, cv_str_of(t->name), cv_str_trim(rest));
		return true;
	}
	if (at < 0 || (cv_str_find(s, "VGA") < 0 && cv_str_find(s, "3D controller") < 0))
		return false;
	if (cv_str_chr(s, ' ') > 0)
		cv_txt_keep(t->name, cv_str_sub(s, 0, (size_t)cv_str_chr(s, ' ')));
	open = cv_str_chr(cv_str_from(s, (size_t)at), '[');
	close = cv_str_chr(cv_str_from(s, (size_t)at), ']');
	if (open > 0 && close > open)
		cv_tell(t, CV_TELL_GPU_LISTED, CV_TOLD_TOOL, cv_str_of(t->name),
			cv_str_sub(s, (size_t)(at + open) + 1, (size_t)(close - open - 1)));
	return true;
}

/* "# R35 (release), REVISION: 4.1": L4T 35.4.1 */
static bool tegra_line(struct cv_txt *t, struct cv_str s)
{
	struct cv_str major, minor, rest;
	ptrdiff_t at = cv_str_find(s, "REVISION: ");
	char text[32];

	if (!cv_str_starts(s, "# R") || at < 0 || !cv_txt_version(cv_str_from(s, 3), &major))
		return false;
	rest = cv_str_from(s, (size_t)at + 10);
	if (!cv_txt_version(rest, &minor) || major.n + minor.n + 2 > sizeof(text))
		return true;
	memcpy(text, major.p, major.n);
	text[major.n] = '.';
	memcpy(text + major.n + 1, minor.p, minor.n);
	cv_tell(t, CV_TELL_PROBE, CV_TOLD_TOOL, CV_STR("l4t"), (struct cv_str){ text, major.n + 1 + minor.n });
	return true;
}

/* "nvidia/", "nvidia,", "nvidia-535, ", "nvidia-current/"; nvidia-fs and nvidia-peermem are others. */
static bool is_driver(struct cv_str s)
{
	if (!cv_str_eat(&s, "nvidia") || !s.n)
		return false;
	return strchr("/,", s.p[0]) || cv_str_starts(s, "-current") || cv_str_starts(s, "-srv") || cv_str_starts(s, "-open") ||
	       (s.n > 1 && s.p[0] == '-' && s.p[1] >= '0' && s.p[1] <= '9');
}

/* "nvidia/550.54.14, 6.5.0-28-generic, x86_64: installed": the state of the module of one kernel; "nvidia, 525.60.13, 5.15..." of old */
static bool dkms_line(struct cv_txt *t, struct cv_str s)
{
	ptrdiff_t colon = cv_str_chr(s, ':');
	struct cv_str rest = cv_str_sub(s, 0, colon < 0 ? 0 : (size_t)colon), name, kernel, v;
	char key[96];

	if (!is_driver(rest) || !cv_str_split(&rest, ',', &name))
		return false;
	if (cv_str_chr(name, '/') < 0 && !cv_str_split(&rest, ',', &name))
		return false;
	name = cv_str_trim(cv_str_from(name, (size_t)(cv_str_chr(name, '/') + 1)));
	if (!cv_txt_version(name, &v) || v.n != name.n)
		return false;
	cv_tell(t, CV_TELL_PROBE, CV_TOLD_TOOL, CV_STR("dkms.driver"), v);
	if (!cv_str_split(&rest, ',', &kernel)) /* "nvidia/550.54.14: added": of no kernel yet */
		return true;
	kernel = cv_str_trim(kernel);
	if (!kernel.n || kernel.n + 6 > sizeof(key) || kernel.p[0] < '2' || kernel.p[0] > '9')
		return true;
	memcpy(key, "dkms:", 5);
	memcpy(key + 5, kernel.p, kernel.n);
	cv_tell(t, CV_TELL_PROBE, CV_TOLD_TOOL, (struct cv_str){ key, 5 + kernel.n }, cv_str_trim(cv_str_from(s, (size_t)colon + 1)));
	return true;
}

/* df -h: "shm  64M  0  64M  0% /dev/shm" */
static void shm_line(struct cv_txt *t, struct cv_str s)
{
	struct cv_str word, size;

	if (!cv_str_ends(s, "/dev/shm") || !cv_str_word(&s, &word) || !cv_str_word(&s, &size))
		return;
	if (size.n && size.p[0] >= '0' && size.p[0] <= '9')
		cv_tell(t, CV_TELL_SHM, CV_TOLD_TOOL, CV_STR(""), size);
}

void cv_txt_kernel(struct cv_txt *t, struct cv_str line, unsigned *state)
{
	struct cv_str s = cv_str_trim(line), rest = s;

	(void)state;
	if (!s.n || s.n > 600 || nvrm_version(t, s) || lspci_line(t, s) || tegra_line(t, s) || dkms_line(t, s))
		return;
	if (cv_txt_find(s, "SecureBoot ") == 0)
		cv_tell(t, CV_TELL_SECURE_BOOT, CV_TOLD_TOOL, CV_STR(""), cv_txt_find(s, "enabled") > 0 ? CV_STR("yes") : CV_STR("no"));
	else if (cv_str_eat(&rest, "license:") && cv_txt_is_command(t, "modinfo"))
		cv_tell(t, CV_TELL_MODULE_OPEN, CV_TOLD_TOOL, CV_STR(""), cv_str_find(rest, "GPL") >= 0 ? CV_STR("yes") : CV_STR("no"));
	else if (cv_str_find(s, "-microsoft-standard-WSL2") > 0)
		cv_tell(t, CV_TELL_OS, CV_TOLD_NOTE, CV_STR(""), CV_STR("WSL2"));
	else if (cv_txt_is_command(t, "uname -r") && s.p[0] >= '2' && s.p[0] <= '9' && cv_str_chr(s, ' ') < 0)
		cv_tell(t, CV_TELL_KERNEL, CV_TOLD_TOOL, CV_STR(""), s);
	shm_line(t, s);
}
