/* SPDX-License-Identifier: Apache-2.0 */
#include "gpucode/codetext.h"

#include "base/str.h"
#include "gpucode/sets.h"

static const char *piece_text(struct cv_arena *a, const struct cv_code_piece *p)
{
	const char *suffix = p->target.suffix == 'a' ? "a" : p->target.suffix == 'f' ? "f" : "";

	if (!p->target.ptx)
		return cv_arena_printf(a, " sm_%u%s", p->target.arch, suffix);
	if (!p->ptx_isa)
		return cv_arena_printf(a, " compute_%u%s", p->target.arch, suffix);
	return cv_arena_printf(a, " compute_%u%s@%u.%u", p->target.arch, suffix, p->ptx_isa / 10, p->ptx_isa % 10);
}

bool cv_codetext_write(const struct cv_code_place *place, struct cv_arena *a, struct cv_strv *ret)
{
	for (size_t i = 0; i < place->sets.n; i++) {
		const struct cv_code_set *set = &place->sets.v[i];
		const char *text = cv_arena_printf(a, "%llu", (unsigned long long)set->containers);

		for (size_t k = 0; k < set->n; k++)
			text = cv_arena_printf(a, "%s%s", text, piece_text(a, &set->v[k]));
		if (!cv_strv_push(a, ret, text))
			return false;
	}
	return true;
}

static bool parse_piece(struct cv_arena *a, struct cv_str word, struct cv_code_piece *p)
{
	struct cv_str rest = word, name;

	p->ptx_isa = 0;
	if (!cv_str_split(&rest, '@', &name) || !cv_gpu_target_parse(cv_str_dup(a, name), &p->target))
		return false;
	return !rest.p || cv_gpu_cc_parse(cv_str_dup(a, rest), &p->ptx_isa);
}

static int read_set(struct cv_sets *s, const char *text)
{
	struct cv_str rest = cv_str_of(text), word;
	struct cv_code_piece p;
	uint64_t n;
	int err;

	if (!cv_str_word(&rest, &word) || !cv_str_u64(word, &n) || n == 0 || n > 1000000)
		return CV_EFORMAT;
	while (cv_str_word(&rest, &word)) {
		if (!parse_piece(s->a, word, &p))
			return CV_EFORMAT;
		err = cv_sets_add(s, p);
		if (!err && n > 1)
			err = cv_sets_name(s, p.target, n - 1);
		if (err)
			return err;
	}
	err = cv_sets_close(s);
	if (err)
		return err;
	s->place->sets.v[s->last].containers += n - 1;
	s->place->containers += n - 1;
	return 0;
}

int cv_codetext_read(const struct cv_strv *texts, struct cv_arena *a, struct cv_code_place *ret)
{
	struct cv_code_place place = { 0 };
	struct cv_sets *s = CV_NEW(a, struct cv_sets);

	if (!s)
		return CV_ENOMEM;
	s->place = &place;
	s->a = a;
	for (size_t i = 0; i < texts->n; i++) {
		int err = read_set(s, texts->v[i]);

		if (err)
			return err;
	}
	*ret = place;
	return 0;
}
