/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Library files that exist, and who needs which:
 *
 *	libcudnn.so.8 (libc6,x86-64) => /usr/lib/.../libcudnn.so.8      ldconfig -p: the loader's cache has it
 *	libcudart.so.12 => not found                                    ldd
 *	/usr/local/cuda-12.4/lib64/libcublas.so.12                      find, ls
 *	libcublas.so.12                                                 ls of a directory that the command names
 *	lrwxrwxrwx ... /usr/lib/.../libcuda.so.1 -> libcuda.so.460.32   ls -l
 *	find library=libnvJitLink.so.12 [0]; searching / trying file=   LD_DEBUG=libs
 *	cudnn64_9.dll                                                   dir; behind "dependencies:" of dumpbin, what is needed
 *	/usr/local/cuda-12.2                                            directories of toolkits
 */
#include "parse/txt.h"

enum { NOTHING, DEPENDENCIES };

static bool is_path_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("/\\._-+~:$", c);
}

static bool is_library(struct cv_str base)
{
	return (cv_str_starts(base, "lib") && cv_str_find(base, ".so") > 3) || (cv_str_ends(base, ".dll") && cv_str_find(base, "64_") > 0);
}

static struct cv_str base_of(struct cv_str path)
{
	ptrdiff_t a = cv_str_rchr(path, '/'), b = cv_str_rchr(path, '\\');

	return cv_str_from(path, (size_t)((a > b ? a : b) + 1));
}

/* An error names a path that may not exist: such lines are no listings. */
static bool is_message(struct cv_str s)
{
	static const char *const words[] = { "rror", "cannot", "not found", "undefined", "Could not", "Unable", "ailed", "required by", "warn",
					     "File \"", "import", "FAIL", "Traceback", "exception", "needed by" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (cv_str_find(s, words[i]) >= 0)
			return true;
	return false;
}

static bool arrow_line(struct cv_txt *t, struct cv_str s)
{
	ptrdiff_t at = cv_str_find(s, " => ");
	struct cv_str left, right;
	bool cache;

	if (at <= 0 || cv_str_find(s, ".so") < 0)
		return false;
	left = cv_str_trim(cv_str_sub(s, 0, (size_t)at));
	right = cv_str_trim(cv_str_from(s, (size_t)at + 4));
	cache = cv_str_find(left, " (") > 0;
	if (cache)
		left = cv_str_sub(left, 0, (size_t)cv_str_find(left, " ("));
	if (cv_str_starts(right, "not found")) {
		cv_tell(t, CV_TELL_NEEDS, CV_TOLD_TOOL, CV_STR("ldd"), left);
		return true;
	}
	if (cv_str_find(right, " (0x") > 0)
		right = cv_str_sub(right, 0, (size_t)cv_str_find(right, " (0x"));
	if (right.n && right.p[0] == '/' && is_library(base_of(right)))
		cv_tell_extra(t, CV_TELL_LIB, CV_TOLD_TOOL, right, left, CV_STR("cache"));
	return true;
}

/* Directory that the last command lists: "ls /usr/local/cuda/lib64 | grep ...", "ls $CONDA_PREFIX/lib/libstdc++*". */
static struct cv_str listed_dir(const struct cv_txt *t)
{
	struct cv_str s = cv_str_of(t->command), word;

	if (!cv_str_starts(s, "ls ") && !cv_str_starts(s, "dir "))
		return (struct cv_str){ "", 0 };
	while (cv_str_word(&s, &word))
		if (word.p[0] == '/' && cv_str_chr(word, '*') < 0)
			return word;
	return (struct cv_str){ "", 0 };
}

static bool is_listing(const struct cv_txt *t)
{
	return cv_str_starts(cv_str_of(t->command), "ls") || cv_str_starts(cv_str_of(t->command), "dir ") ||
	       cv_str_starts(cv_str_of(t->command), "find ") || cv_txt_is_command(t, "| xargs ls") || cv_txt_is_command(t, "ls ");
}

static void list_line(struct cv_txt *t, struct cv_str s)
{
	struct cv_str word, dir = listed_dir(t);
	bool listing = is_listing(t);

	while (cv_str_word(&s, &word)) {
		struct cv_str base = base_of(word);
		char path[CV_TXT_KEEP];

		if (!is_library(base) || cv_str_chr(word, '*') >= 0 || cv_str_chr(word, '=') >= 0)
			continue;
		for (size_t i = 0; i < word.n; i++)
			if (!is_path_char(word.p[i]))
				return;
		if (word.n != base.n && (word.p[0] == '/' || cv_str_find(word, ":\\") == 1)) {
			cv_tell_extra(t, CV_TELL_LIB, listing ? CV_TOLD_TOOL : CV_TOLD_NOTE, word, base, CV_STR("listing"));
		} else if (listing && dir.n && dir.n + base.n + 2 < sizeof(path)) {
			memcpy(path, dir.p, dir.n);
			path[dir.n] = '/';
			memcpy(path + dir.n + 1, base.p, base.n);
			cv_tell_extra(t, CV_TELL_LIB, CV_TOLD_TOOL, (struct cv_str){ path, dir.n + 1 + base.n }, base, CV_STR("listing"));
		} else if (listing) {
			cv_tell_extra(t, CV_TELL_LIB, CV_TOLD_TOOL, base, base, CV_STR("listing"));
		}
	}
}

/* "/usr/local/cuda-12.2" and "CUDA\v11.8": directories of toolkits, wherever they stand in a listing or a path variable. */
static void toolkit_dirs(struct cv_txt *t, struct cv_str s)
{
	static const char *const heads[] = { "/usr/local/cuda-", "CUDA\\v" };

	for (size_t i = 0; i < 2; i++)
		for (struct cv_str rest = s;;) {
			ptrdiff_t at = cv_str_find(rest, heads[i]);
			struct cv_str v;

			if (at < 0)
				break;
			rest = cv_str_from(rest, (size_t)at);
			if (cv_txt_version(cv_str_from(rest, strlen(heads[i])), &v))
				cv_tell(t, CV_TELL_TOOLKIT, CV_TOLD_TOOL, cv_str_sub(rest, 0, strlen(heads[i]) + v.n), v);
			rest = cv_str_from(rest, strlen(heads[i]));
		}
}

static bool needs_line(struct cv_txt *t, struct cv_str s, unsigned *state)
{
	if (cv_str_starts(s, "Dump of file ")) {
		cv_txt_keep(t->name, cv_str_trim(cv_str_from(s, 13)));
		return true;
	}
	if (cv_str_find(s, "following dependencies:") >= 0) {
		*state = DEPENDENCIES;
		return true;
	}
	if (*state == DEPENDENCIES && cv_str_ends(s, ".dll") && cv_str_chr(s, ' ') < 0) {
		cv_tell(t, CV_TELL_NEEDS, CV_TOLD_TOOL, cv_str_of(t->name), s);
		return true;
	}
	if (cv_str_find(s, "(NEEDED)") >= 0 && cv_str_chr(s, '[') > 0) {
		struct cv_str name = cv_str_from(s, (size_t)cv_str_chr(s, '[') + 1);

		if (cv_str_ends(name, "]"))
			cv_tell(t, CV_TELL_NEEDS, CV_TOLD_TOOL, CV_STR("readelf"), cv_str_sub(name, 0, name.n - 1));
		return true;
	}
	if (s.n && *state == DEPENDENCIES && cv_str_chr(s, ' ') >= 0)
		*state = NOTHING;
	return false;
}

static void debug_line(struct cv_txt *t, struct cv_str s)
{
	ptrdiff_t at = cv_str_find(s, "trying file=");

	if (at >= 0)
		cv_tell_extra(t, CV_TELL_LIB, CV_TOLD_TOOL, cv_str_trim(cv_str_from(s, (size_t)at + 12)), base_of(s), CV_STR("tried"));
}

void cv_txt_libs(struct cv_txt *t, struct cv_str line, unsigned *state)
{
	struct cv_str s = cv_str_trim(line);

	if (!s.n || s.n > 4000)
		return;
	if (cv_str_find(s, "/usr/local/cuda-") >= 0 || cv_str_find(s, "CUDA\\v") >= 0)
		if (!is_message(s) && !cv_str_is(s, t->command))
			toolkit_dirs(t, s);
	if (cv_str_find(s, ".so") < 0 && cv_str_find(s, ".dll") < 0 && cv_str_find(s, "depend") < 0 && cv_str_find(s, "Dump of") < 0)
		return;
	if (needs_line(t, s, state) || arrow_line(t, s))
		return;
	debug_line(t, s);
	if (!is_message(s) && cv_str_find(s, "command") < 0 && !cv_str_ends(s, t->command))
		list_line(t, s);
}
