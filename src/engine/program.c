/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/program.h"

#include "base/str.h"
#include "collect/scene.h"

struct reader {
	const struct cv_kb *kb;
	struct cv_arena *a;
	struct cv_diag *d;
	struct cv_strv alias, meaning; /* import onnxruntime as ort */
	struct cv_program *out;
};

/* Not "torch/preload", a part that others call, and not "libcublasLt.so", what a library does. */
static bool is_whole(const char *name)
{
	return !strchr(name, '/') && !cv_ends(name, ".so");
}

/* "a.b.c" -> itself, "a.b" or "a": the longest that has a scenario. NULL: none has. */
static const char *known(struct reader *r, const char *name)
{
	while (name && !(is_whole(name) && cv_scene_knows(r->kb, name))) {
		ptrdiff_t dot = cv_str_rchr(cv_str_of(name), '.');

		name = dot < 0 ? NULL : cv_arena_memdup(r->a, name, (size_t)dot);
	}
	return name;
}

static int unknown(struct reader *r, struct cv_str statement)
{
	struct cv_kb_iter it = cv_kb_iter(r->kb, CV_SCENE_SUBJECT "*", NULL, NULL);
	const char *list = "", *last = "";
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row))
		if (!cv_streq(row.subject, last) && is_whole(row.subject + strlen(CV_SCENE_SUBJECT))) {
			last = row.subject;
			list = cv_arena_printf(r->a, "%s%s%s", list, *list ? ", " : "", row.subject + strlen(CV_SCENE_SUBJECT));
		}
	return cv_diag_fail(r->d, CV_EINVAL, "\"%.*s\": what this loads is not known; known are %s", CV_STR_ARG(statement), list);
}

static int add(struct reader *r, struct cv_str statement, const char *name, bool import)
{
	struct cv_statement *slot;

	if (!name)
		return unknown(r, statement);
	slot = CV_VEC_PUSH(r->a, &r->out->v);
	if (!slot)
		return CV_ENOMEM;
	*slot = (struct cv_statement){ name, import };
	return 0;
}

/* "torch, onnxruntime as ort" */
static int read_import(struct reader *r, struct cv_str statement, struct cv_str list)
{
	struct cv_str part, name, word;

	while (cv_str_split(&list, ',', &part)) {
		const char *module;
		int err;

		if (!cv_str_word(&part, &name))
			return unknown(r, statement);
		module = cv_str_dup(r->a, name);
		err = add(r, statement, known(r, module), true);
		if (err)
			return err;
		if (cv_str_word(&part, &word) && cv_str_is(word, "as") && cv_str_word(&part, &word)) {
			cv_strv_push(r->a, &r->alias, cv_str_dup(r->a, word));
			cv_strv_push(r->a, &r->meaning, module);
		}
	}
	return 0;
}

/* "ort.InferenceSession(...)": the whole name must have a scenario, a part of it will not do. */
static int read_call(struct reader *r, struct cv_str statement)
{
	ptrdiff_t open = cv_str_chr(statement, '(');
	struct cv_str name = cv_str_trim(open < 0 ? statement : cv_str_sub(statement, 0, (size_t)open)), first = name;
	ptrdiff_t dot = cv_str_chr(name, '.');
	const char *full = cv_str_dup(r->a, name);

	if (dot >= 0)
		first = cv_str_sub(name, 0, (size_t)dot);
	for (size_t i = 0; i < r->alias.n; i++)
		if (cv_str_is(first, r->alias.v[i]))
			full = cv_arena_printf(r->a, "%s%.*s", r->meaning.v[i], CV_STR_ARG(cv_str_from(name, first.n)));
	return add(r, statement, is_whole(full) && cv_scene_knows(r->kb, full) ? full : NULL, false);
}

static int read_statement(struct reader *r, struct cv_str s)
{
	struct cv_str rest = s, word, module;

	if (!cv_str_word(&rest, &word))
		return 0;
	if (cv_str_is(word, "import"))
		return read_import(r, s, rest);
	if (cv_str_is(word, "from") && cv_str_word(&rest, &module))
		return add(r, s, known(r, cv_str_dup(r->a, module)), true);
	return read_call(r, s);
}

int cv_program_read(const char *text, const struct cv_kb *kb, struct cv_arena *a, struct cv_diag *d, struct cv_program *ret)
{
	struct reader r = { .kb = kb, .a = a, .d = d, .out = ret };
	struct cv_str rest = cv_str_of(text), line, statement;

	while (cv_str_line(&rest, &line, NULL))
		while (cv_str_split(&line, ';', &statement)) {
			int err = read_statement(&r, cv_str_trim(statement));

			if (err)
				return err;
		}
	if (ret->v.n == 0)
		return cv_diag_fail(d, CV_EINVAL, "\"%s\": no statement; such as 'import torch'", text);
	return 0;
}
