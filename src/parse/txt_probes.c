/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions that people ask Python, and its answers:
 *
 *	>>> torch.cuda.is_available()           python -c "import torch; print(torch.__version__, torch.version.cuda)"
 *	False                                   2.9.1+cu130 13.0
 *
 *	torch.cuda.is_available(): False        torch.__version__ = 2.3.1+cu121        `torch.cuda.is_available()` True
 *
 * A value is one token, or everything between brackets.
 */
#include "parse/txt.h"

static const struct {
	const char *expr; /* how it ends, without its module's alias */
	const char *key;
} questions[] = {
	{ "torch.__version__", "torch.__version__" },
	{ "torch.version.cuda", "torch.version.cuda" },
	{ "torch.cuda.is_available()", "torch.cuda.is_available" },
	{ "torch.cuda.isavailable()", "torch.cuda.is_available" },
	{ "torch.cuda.is_available", "torch.cuda.is_available" },
	{ "torch.cuda.device_count()", "torch.cuda.device_count" },
	{ "torch.cuda.get_device_capability(0)", "torch.cuda.capability" },
	{ "torch.cuda.get_device_capability()", "torch.cuda.capability" },
	{ "torch.cuda.get_device_name(0)", "torch.cuda.name" },
	{ "torch.cuda.get_device_name()", "torch.cuda.name" },
	{ "torch.cuda.get_arch_list()", "torch.cuda.arch_list" },
	{ "torch.backends.cudnn.version()", "torch.cudnn" },
	{ "torchvision.__version__", "torchvision.__version__" },
	{ "get_available_providers()", "onnxruntime.available" },
	{ "session.get_providers()", "onnxruntime.session" },
	{ "get_providers()", "onnxruntime.session" },
	{ "onnxruntime.get_device()", "onnxruntime.device" },
	{ "ort.get_device()", "onnxruntime.device" },
	{ "rt.get_device()", "onnxruntime.device" },
	{ "onnxruntime.__version__", "onnxruntime.__version__" },
	{ "ort.__version__", "onnxruntime.__version__" },
	{ "tf.__version__", "tensorflow.__version__" },
	{ "list_physical_devices('GPU')", "tensorflow.gpus" },
	{ "list_physical_devices(\"GPU\")", "tensorflow.gpus" },
	{ "is_built_with_cuda()", "tensorflow.built" },
	{ "is_build_with_cuda()", "tensorflow.built" },
	{ "jax.devices()", "jax.devices" },
	{ "jax.__version__", "jax.__version__" },
	{ "['cudnn_conv_algo_search']", "onnxruntime.conv_search" },
};

#define QUESTIONS (sizeof(questions) / sizeof(questions[0]))

/* The question that an expression is, or QUESTIONS. */
static size_t question(struct cv_str e)
{
	e = cv_str_trim(e);
	while (e.n && strchr(" ;)", e.p[e.n - 1]) && !cv_str_ends(e, "()") && !cv_str_ends(e, "')"))
		e.n--;
	for (size_t i = 0; i < QUESTIONS; i++)
		if (cv_str_ends(e, questions[i].expr))
			return i;
	return QUESTIONS;
}

/* One value off *rest: a bracketed group, a quoted text or a word. */
static bool take_value(struct cv_str *rest, struct cv_str *ret)
{
	struct cv_str s = cv_str_trim(*rest);
	size_t n = 0;
	int depth = 0;

	if (!s.n)
		return false;
	for (; n < s.n; n++) {
		char c = s.p[n];

		if (c == '(' || c == '[' || c == '{')
			depth++;
		else if (c == ')' || c == ']' || c == '}')
			depth--;
		if (depth <= 0 && (c == ' ' || c == '\t'))
			break;
	}
	*ret = cv_str_sub(s, 0, n);
	*rest = cv_str_from(s, n);
	return true;
}

static struct cv_str unquote(struct cv_str v)
{
	while (v.n && strchr("'\"`", v.p[0]))
		v = cv_str_from(v, 1);
	while (v.n && strchr("'\"`,;.", v.p[v.n - 1]))
		v.n--;
	return v;
}

static void tell(struct cv_txt *t, size_t i, struct cv_str value)
{
	value = unquote(value);
	if (value.n)
		cv_tell(t, CV_TELL_PROBE, CV_TOLD_TOOL, cv_str_of(questions[i].key), value);
}

/* The arguments of the last print() of a command, or the bare expression. */
static struct cv_str asked(struct cv_str s)
{
	ptrdiff_t at = -1, next;

	for (size_t from = 0; (next = cv_str_find(cv_str_from(s, from), "print(")) >= 0; from = (size_t)at + 6)
		at = (ptrdiff_t)from + next;
	return at < 0 ? s : cv_str_from(s, (size_t)at + 6);
}

static bool next_argument(struct cv_str *rest, struct cv_str *ret)
{
	int depth = 0;
	size_t n = 0;

	if (!rest->n)
		return false;
	for (; n < rest->n; n++) {
		char c = rest->p[n];

		if (c == '(' || c == '[')
			depth++;
		else if ((c == ')' || c == ']') && --depth < 0)
			break;
		else if (c == ',' && depth == 0)
			break;
	}
	*ret = cv_str_sub(*rest, 0, n);
	*rest = n < rest->n && rest->p[n] == ',' ? cv_str_from(*rest, n + 1) : (struct cv_str){ "", 0 };
	return true;
}

/* The values of the kept expressions, in order, from the line behind. */
static void answers(struct cv_txt *t, struct cv_str line)
{
	struct cv_str args = asked(cv_str_of(t->ask)), arg, value;
	bool only = cv_str_chr(args, ',') < 0 || cv_str_find(args, "()") < 0;

	if (cv_str_starts(cv_str_trim(line), "Traceback") || cv_str_find(line, "Error") >= 0)
		return;
	while (next_argument(&args, &arg)) {
		size_t q = question(arg);

		if (only && q < QUESTIONS && !args.n && cv_str_trim(line).n && cv_str_trim(line).p[0] != '(')
			value = cv_str_trim(line);
		else if (!take_value(&line, &value))
			return;
		if (q < QUESTIONS)
			tell(t, q, value);
	}
}

/* Code that is listed goes on with code; an answer is one word, or a list. */
static bool is_answer(struct cv_str s)
{
	return cv_txt_is(s, "True") || cv_txt_is(s, "False") || cv_txt_is(s, "None") || s.p[0] == '[' ||
	       (s.p[0] >= '0' && s.p[0] <= '9' && cv_str_chr(s, ' ') < 0);
}

/* "expr: value", "expr = value", "expr) # false", "`expr` True" in one line. */
static void inline_answer(struct cv_txt *t, struct cv_str s)
{
	for (size_t i = 0; i < QUESTIONS; i++) {
		ptrdiff_t at = cv_str_find(s, questions[i].expr);
		struct cv_str rest, value;

		if (at < 0)
			continue;
		rest = cv_str_from(s, (size_t)at + strlen(questions[i].expr));
		while (rest.n && strchr(" `):=>#,-()\"'", rest.p[0]))
			rest = cv_str_from(rest, 1);
		(void)cv_str_eat(&rest, "is ");
		(void)cv_str_eat(&rest, "returns ");
		(void)cv_str_eat(&rest, "gives ");
		if (!take_value(&rest, &value))
			return;
		value = unquote(value);
		if (cv_txt_is(value, "True"))
			tell(t, i, CV_STR("True"));
		else if (cv_txt_is(value, "False"))
			tell(t, i, CV_STR("False"));
		else if (cv_str_is(value, "None") || (value.n && (value.p[0] == '[' || (value.p[0] >= '0' && value.p[0] <= '9'))))
			tell(t, i, value);
		return;
	}
}

static void providers(struct cv_txt *t, struct cv_str s)
{
	static const char *const heads[] = { "providers in use: ", "Onnx using ", "Applied providers: " };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		ptrdiff_t at = cv_str_find(s, heads[i]);

		if (at >= 0)
			cv_tell(t, CV_TELL_PROBE, CV_TOLD_TOOL, CV_STR("onnxruntime.session"),
				cv_str_trim(cv_str_from(s, (size_t)at + strlen(heads[i]))));
	}
	if (cv_str_find(s, "device='cuda") > 0 && cv_str_find(s, "tensor(") >= 0 && cv_str_find(s, "torch.tensor(") < 0)
		cv_tell(t, CV_TELL_PROBE, CV_TOLD_TOOL, CV_STR("torch.ran"), CV_STR("True"));
	if (cv_str_find(s, "/device:GPU:0 with") > 0 && cv_str_find(s, "Created device") > 0)
		cv_tell(t, CV_TELL_PROBE, CV_TOLD_TOOL, CV_STR("tensorflow.ran"), CV_STR("True"));
}

void cv_txt_probes(struct cv_txt *t, struct cv_str line, unsigned *state)
{
	struct cv_str s = cv_str_trim(line), rest = s;

	if (!s.n || s.n > 3000)
		return;
	if (cv_str_find(s, "rovider") >= 0 || cv_str_find(s, "evice") >= 0)
		providers(t, s);
	if (cv_str_eat(&rest, ">>>")) {
		rest = cv_str_trim(rest);
		cv_txt_keep(t->ask, rest);
		*state = question(rest) < QUESTIONS || cv_str_find(rest, "print(") >= 0;
		return;
	}
	/* "print(torch.__version__)" alone on its line, as in a notebook */
	if (!*state && cv_str_starts(s, "print(") && cv_str_ends(s, ")") && s.n < 80 && question(asked(s)) < QUESTIONS) {
		cv_txt_keep(t->ask, s);
		*state = 2;
		return;
	}
	if (t->command[0] && cv_str_ends(s, t->command)) {
		*state = cv_str_find(s, "python") >= 0 && cv_str_find(s, "print(") >= 0;
		if (*state)
			cv_txt_keep(t->ask, s);
		return;
	}
	if (*state) {
		bool noise = cv_str_find(s, "Warning") >= 0 || cv_str_starts(s, "20");

		if (noise && cv_str_find(s, "I ") > 0)
			return;
		if (*state == 2 && !is_answer(s)) {
			*state = 0;
			return;
		}
		*state = 0;
		answers(t, s);
		return;
	}
	inline_answer(t, s);
}
