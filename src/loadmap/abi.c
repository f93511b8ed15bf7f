/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C++ ABI tells: an undefined symbol whose provider is loaded after all, but was compiled for the other ABI of std::string and
 * its like (_GLIBCXX_USE_CXX11_ABI): then it defines the same name with other marks. Every defined C++ symbol is looked at once;
 * a hash of what both names begin with spares nearly all of them the spelling out.
 */
#include "loadmap/lm.h"

#include <stdlib.h>

#include "base/demangle.h"
#include "base/map.h"
#include "loadmap/symtab.h"

#define SPELL_MAX 100000 /* definitions spelled out; hostile ones could all begin alike */

/* An undefined name without its marks, and the troubles that are of it. */
struct want {
	struct lm_indices troubles;
	bool told;
};

struct tells {
	struct lm_map *m;
	struct cv_map wants[2]; /* plain name -> want; [1]: those that have the marks */
	uint64_t *keys;         /* sorted */
	size_t key_n, left, spelled;
	char text[CV_DEMANGLE_MAX + 1];
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int add_want(struct tells *w, size_t i)
{
	struct lm_map *m = w->m;
	const char *symbol = m->pub.troubles.v[i].name;
	struct cv_map *map = &w->wants[cv_cxx11_tagged(symbol)];
	struct want *want;
	size_t *slot;

	if (!cv_cxx11_plain(symbol, w->text))
		return 0;
	want = cv_map_get(map, w->text);
	if (!want) {
		want = CV_NEW(m->sys->tables, struct want);
		if (!want || !cv_map_set(m->sys->tables, map, cv_arena_strdup(m->sys->tables, w->text), want))
			return CV_ENOMEM;
		w->keys[w->key_n++] = cv_cxx11_key(symbol);
		w->left++;
	}
	slot = CV_VEC_PUSH(m->sys->tables, &want->troubles);
	if (!slot)
		return CV_ENOMEM;
	*slot = i;
	return 0;
}

static void tell(struct tells *w, size_t obj, const char *symbol)
{
	struct want *want;

	if (!bsearch(&(uint64_t){ cv_cxx11_key(symbol) }, w->keys, w->key_n, sizeof(*w->keys), by_value))
		return;
	w->spelled++;
	want = cv_cxx11_plain(symbol, w->text) ? cv_map_get(&w->wants[!cv_cxx11_tagged(symbol)], w->text) : NULL;
	if (!want || want->told)
		return;
	want->told = true;
	w->left--;
	for (size_t i = 0; i < want->troubles.n; i++) {
		w->m->pub.troubles.v[want->troubles.v[i]].other_abi = cv_arena_strdup(w->m->arena, symbol);
		w->m->pub.troubles.v[want->troubles.v[i]].provider = obj;
	}
}

static int look_at(struct tells *w, size_t obj)
{
	struct lm_file *f = w->m->objs.v[obj].file;
	struct lm_symtab *t;
	struct lm_symbol s;
	int r;

	if (!f || w->m->pub.objects.v[obj].unloaded)
		return 0;
	r = cv_lm_symtab(w->m->sys, f, &t);
	for (uint32_t i = 1; r == 0 && i < t->sym_n && w->left && w->spelled < SPELL_MAX; i++)
		if (cv_lm_symbol_at(t, i, &s) && s.section != CV_ELF_UNDEF && s.bind != CV_STB_LOCAL && s.name[0] == '_' && s.name[1] == 'Z')
			tell(w, obj, s.name);
	return r;
}

int cv_lm_abi_tells(struct lm_map *m)
{
	struct tells *w = CV_NEW(m->sys->tables, struct tells);
	int r = 0;

	if (!w)
		return CV_ENOMEM;
	w->m = m;
	w->keys = CV_NEW_ARRAY(m->sys->tables, uint64_t, m->pub.troubles.n);
	if (!w->keys)
		return CV_ENOMEM;
	for (size_t i = 0; r == 0 && i < m->pub.troubles.n; i++)
		if (m->pub.troubles.v[i].kind == CV_LM_T_UNDEFINED && m->pub.troubles.v[i].provider == CV_LM_NONE)
			r = add_want(w, i);
	qsort(w->keys, w->key_n, sizeof(*w->keys), by_value);
	for (size_t i = 0; r == 0 && i < m->objs.n && w->left; i++)
		r = look_at(w, i);
	return r;
}
