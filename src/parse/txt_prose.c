/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes between the pastes: "2x RTX 4090, driver 550.120", "Windows 11, driver 566.36", "torch 2.5.1+cu124", "K8s 1.29". Told with
 * the weight of prose, so that anything a tool printed comes first; lines that look like a log are passed over.
 */
#include "parse/txt.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool starts_word(struct cv_str s, ptrdiff_t at)
{
	return at == 0 || (at > 0 && !is_alnum(s.p[at - 1]) && s.p[at - 1] != '-' && s.p[at - 1] != '_' && s.p[at - 1] != '/');
}

static bool is_log(struct cv_str s)
{
	static const char *const marks[] = { "http", "/site-packages/", "File \"", "Traceback", ".py:", ".cc:", "[W:", "[E:", "rror:", "==", ">>>", "|", "(you have " };

	if (s.n > 400)
		return true;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (cv_str_find(s, marks[i]) >= 0)
			return true;
	return s.n && (is_digit(s.p[0]) && cv_str_chr(s, ':') > 0 && cv_str_chr(s, ':') < 24);
}

static void drivers(struct cv_txt *t, struct cv_str s)
{
	ptrdiff_t at = cv_txt_find(s, "driver ");
	struct cv_str rest, v;

	if (!starts_word(s, at))
		return;
	rest = cv_str_from(s, (size_t)at + 7);
	(void)cv_str_eat(&rest, "version ");
	if (cv_txt_version(rest, &v) && v.n >= 3 && is_digit(v.p[1]) && is_digit(v.p[2]) && (v.n == 3 || v.p[3] == '.'))
		cv_tell(t, CV_TELL_DRIVER, CV_TOLD_PROSE, CV_STR(""), v);
}

/* "RTX 4090", "GTX 1080 Ti", "Tesla K40m", "RTX PRO 4500 Blackwell", "Quadro K2200": a brand and what belongs to it. */
static bool brand_gpu(struct cv_txt *t, struct cv_str s)
{
	static const char *const brands[] = { "RTX ", "GTX ", "Tesla ", "Quadro ", "GeForce ", "TITAN " };
	static const char *const tails[] = { "Ti", "SUPER", "Super", "D", "Ada", "Laptop", "Blackwell", "Generation", "XP", "V" };

	for (size_t i = 0; i < sizeof(brands) / sizeof(brands[0]); i++) {
		ptrdiff_t at = cv_str_find(s, brands[i]);
		struct cv_str rest, word;
		const char *end;
		bool number = false;

		if (!starts_word(s, at))
			continue;
		rest = cv_str_from(s, (size_t)at);
		end = rest.p;
		while (cv_str_word(&rest, &word)) {
			bool stop = strchr(",.;)", word.p[word.n - 1]) != NULL, tail = false;

			while (word.n && strchr(",.;)", word.p[word.n - 1]))
				word.n--;
			for (size_t k = 0; k < sizeof(tails) / sizeof(tails[0]); k++)
				tail |= cv_str_is(word, tails[k]);
			if (number && !tail)
				break;
			for (size_t k = 0; k < word.n; k++)
				number |= is_digit(word.p[k]);
			end = word.p + word.n;
			if (stop)
				break;
		}
		if (!number)
			continue;
		cv_tell(t, CV_TELL_GPU, CV_TOLD_PROSE, CV_STR(""), (struct cv_str){ s.p + at, (size_t)(end - s.p) - (size_t)at });
		return true;
	}
	return false;
}

static void bare_gpu(struct cv_txt *t, struct cv_str s)
{
	static const char *const names[] = { "GB200", "GB300", "B200", "B300", "H200", "H100", "H800", "H20", "GH200", "A100", "A800", "A40", "A30",
					     "A10G", "A10", "A16", "L40S", "L40", "L4", "T4", "V100", "P100", "P40", "K80", "K40m" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		ptrdiff_t at = cv_str_find(s, names[i]);
		size_t n = strlen(names[i]);

		if (!starts_word(s, at) || ((size_t)at + n < s.n && is_alnum(s.p[(size_t)at + n])))
			continue;
		cv_tell(t, CV_TELL_GPU, CV_TOLD_PROSE, CV_STR(""), cv_str_of(names[i]));
		return;
	}
}

static void systems(struct cv_txt *t, struct cv_str s)
{
	static const char *const names[] = { "Windows 10", "Windows 11", "Windows Server", "Ubuntu 16", "Ubuntu 18", "Ubuntu 20", "Ubuntu 22",
					     "Ubuntu 24", "Ubuntu 26", "Debian 1", "CentOS 7", "CentOS 6", "WSL2", "WSL 2", "WSL", "JetPack ", "Jetpack ", "jetpack",
					     "Jetson ", "jetson ", "Colab", "win10", "win11", "Win10", "Win11" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (starts_word(s, cv_str_find(s, names[i]))) {
			cv_tell(t, CV_TELL_OS, CV_TOLD_PROSE, CV_STR(""), cv_str_from(s, (size_t)cv_str_find(s, names[i])));
			return;
		}
}

/* "torch 2.5.1+cu124", "cuDNN 9.1": said in passing. */
static void versions(struct cv_txt *t, struct cv_str s)
{
	static const struct {
		const char *word;
		enum cv_tell what;
	} things[] = {
		{ "torch ", CV_TELL_PACKAGE },	 { "torchvision ", CV_TELL_PACKAGE }, { "tensorflow ", CV_TELL_PACKAGE },
		{ "onnxruntime-gpu ", CV_TELL_PACKAGE }, { "vllm ", CV_TELL_PACKAGE },	      { "python ", CV_TELL_PYTHON },
		{ "cuDNN ", CV_TELL_CUDNN },	 { "PyTorch ", CV_TELL_PACKAGE },
	};

	for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		ptrdiff_t at = cv_txt_find(s, things[i].word);
		struct cv_str name, v;

		if (!starts_word(s, at) || !cv_txt_version(cv_str_from(s, (size_t)at + strlen(things[i].word)), &v) || cv_str_chr(v, '.') < 0)
			continue;
		name = cv_str_trim(cv_str_of(things[i].word));
		if (cv_str_is(name, "PyTorch"))
			name = CV_STR("torch");
		cv_tell(t, things[i].what, CV_TOLD_PROSE, things[i].what == CV_TELL_PACKAGE ? name : CV_STR(""), v);
	}
}

void cv_txt_prose(struct cv_txt *t, struct cv_str line, unsigned *state)
{
	struct cv_str s = cv_str_trim(line);

	(void)state;
	if (s.n < 4 || is_log(s) || (t->command[0] && cv_str_ends(s, t->command)))
		return;
	drivers(t, s);
	if (!brand_gpu(t, s))
		bare_gpu(t, s);
	systems(t, s);
	versions(t, s);
}
