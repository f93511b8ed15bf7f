/* SPDX-License-Identifier: Apache-2.0 */
/* Which environments are meant, as words in a bundle: a replay must ask the questions that the recorded run asked. */
#include "engine/engine.h"

#include "base/str.h"

int cv_selection_to_words(struct cv_arena *a, const struct cv_selection *sel, struct cv_strv *ret)
{
	bool ok = cv_strv_push(a, ret, "cuvet") && cv_strv_push(a, ret, "check");

	if (sel->cwd)
		ok = ok && cv_strv_push(a, ret, cv_arena_printf(a, "--cwd=%s", sel->cwd));
	if (sel->python)
		ok = ok && cv_strv_push(a, ret, cv_arena_printf(a, "--python=%s", sel->python));
	for (size_t i = 0; i < sel->env_n; i++)
		ok = ok && cv_strv_push(a, ret, cv_arena_printf(a, "--env=%s", sel->envs[i]));
	if (sel->all_envs)
		ok = ok && cv_strv_push(a, ret, "--all-envs");
	return ok && !cv_arena_failed(a) ? 0 : CV_ENOMEM;
}

int cv_selection_from_words(struct cv_arena *a, const char *const *words, size_t n, struct cv_selection *ret)
{
	struct cv_selection sel = { 0 };
	struct cv_strv envs = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct cv_str word = cv_str_of(words[i]);

		if (cv_str_is(word, "--all-envs"))
			sel.all_envs = true;
		else if (cv_str_eat(&word, "--cwd="))
			sel.cwd = cv_str_dup(a, word);
		else if (cv_str_eat(&word, "--python="))
			sel.python = cv_str_dup(a, word);
		else if (cv_str_eat(&word, "--env=") && !cv_strv_push(a, &envs, cv_str_dup(a, word)))
			return CV_ENOMEM;
	}
	if (cv_arena_failed(a))
		return CV_ENOMEM;
	sel.envs = envs.v;
	sel.env_n = envs.n;
	*ret = sel;
	return 0;
}
