/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forms that are filled in, where the key and the value are not one "key: value" line:
 *
 *	### TensorFlow version                          issue templates: the value is the next line with text
 *
 *	2.13
 *
 *	torch cuda version ............... 11.8          ds_report and its like
 *	CuPy Version                 : 13.6.0            cupy.show_config()
 *	jax:    0.4.33                                   jax.print_environment_info()
 */
#include "parse/txt.h"

enum { IDLE, HEADING };

static bool heading(struct cv_txt *t, struct cv_str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] == '#')
		n++;
	if (n < 2 || n >= s.n || s.p[n] != ' ')
		return false;
	s = cv_str_trim(cv_str_from(s, n));
	while (s.n && strchr("?:* ", s.p[s.n - 1]))
		s.n--;
	cv_txt_keep(t->name, s);
	return s.n > 1 && s.n < 60;
}

/* "12.5/9.2.1" under "CUDA/cuDNN version" */
static void cuda_and_cudnn(struct cv_txt *t, struct cv_str value)
{
	ptrdiff_t slash = cv_str_chr(value, '/');
	struct cv_str v, rest;

	while (value.n && !(value.p[0] >= '0' && value.p[0] <= '9'))
		value = cv_str_from(value, 1);
	if (cv_txt_version(value, &v))
		cv_tell_extra(t, CV_TELL_TOOLKIT, CV_TOLD_NOTE, CV_STR(""), v, v);
	if (slash < 0)
		return;
	rest = cv_str_from(value, (size_t)(cv_str_chr(value, '/') < 0 ? (ptrdiff_t)value.n : cv_str_chr(value, '/')) + 1);
	while (rest.n && !(rest.p[0] >= '0' && rest.p[0] <= '9'))
		rest = cv_str_from(rest, 1);
	if (cv_txt_version(rest, &v) && cv_str_chr(v, '.') > 0)
		cv_tell(t, CV_TELL_CUDNN, CV_TOLD_NOTE, CV_STR(""), v);
}

/* "key ....... value" */
static bool dotted(struct cv_txt *t, struct cv_str s)
{
	static const struct {
		const char *key;
		enum cv_tell what;
		const char *subject;
	} keys[] = {
		{ "torch version", CV_TELL_FRAMEWORK, "torch" },
		{ "torch cuda version", CV_TELL_BUILT_CUDA, "torch" },
		{ "nvcc version", CV_TELL_NVCC, "" },
		{ "deepspeed info", CV_TELL_PACKAGE, "deepspeed" },
	};
	ptrdiff_t at = cv_str_find(s, " ....");
	struct cv_str key, value, v;

	if (at <= 0)
		return false;
	key = cv_str_trim(cv_str_sub(s, 0, (size_t)at));
	value = cv_str_from(s, (size_t)at + 1);
	while (value.n && value.p[0] == '.')
		value = cv_str_from(value, 1);
	value = cv_str_trim(value);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (cv_txt_is(key, keys[i].key) && cv_txt_version(value, &v))
			cv_tell(t, keys[i].what, CV_TOLD_TOOL, cv_str_of(keys[i].subject), v);
	return true;
}

static bool show_config(struct cv_txt *t, struct cv_str s)
{
	static const char *const frameworks[] = { "jax", "jaxlib", "numpy" };
	ptrdiff_t at = cv_str_find(s, " : ");
	struct cv_str rest = s, v, key;

	if (at > 0) {
		key = cv_str_trim(cv_str_sub(s, 0, (size_t)at));
		rest = cv_str_trim(cv_str_from(s, (size_t)at + 3));
		if (cv_str_is(key, "CuPy Version") && cv_txt_version(rest, &v))
			cv_tell(t, CV_TELL_PACKAGE, CV_TOLD_TOOL, CV_STR("cupy"), v);
		else if (cv_str_is(key, "CUDA Driver Version") && cv_txt_version(rest, &v) && v.n == 5)
			cv_tell(t, CV_TELL_PROBE, CV_TOLD_TOOL, CV_STR("cuda.driver_number"), v);
		return cv_str_starts(key, "C");
	}
	for (size_t i = 0; i < sizeof(frameworks) / sizeof(frameworks[0]); i++) {
		rest = s;
		if (cv_str_eat(&rest, frameworks[i]) && cv_str_eat(&rest, ":") && cv_str_starts(rest, " ") && cv_txt_version(cv_str_trim(rest), &v) &&
		    v.n == cv_str_trim(rest).n && cv_str_chr(v, '.') > 0)
			cv_tell(t, CV_TELL_PACKAGE, CV_TOLD_TOOL, cv_str_of(frameworks[i]), v);
	}
	return false;
}

void cv_txt_forms(struct cv_txt *t, struct cv_str line, unsigned *state)
{
	struct cv_str s = cv_str_trim(line);

	if (!s.n || s.n > 400)
		return;
	if (heading(t, s)) {
		*state = HEADING;
		return;
	}
	if (*state == HEADING) {
		struct cv_str key = cv_str_of(t->name);

		*state = IDLE;
		if (cv_txt_find(key, "CUDA/cuDNN") >= 0)
			cuda_and_cudnn(t, s);
		else if (s.n < 120 && !cv_str_starts(s, "_No response"))
			(void)cv_txt_note(t, key, s);
		return;
	}
	if (!dotted(t, s))
		(void)show_config(t, s);
}
