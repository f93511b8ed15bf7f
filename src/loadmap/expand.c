/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dynamic string tokens and lists of directories.
 *
 * A token is $NAME or ${NAME}, where no letter, digit or '_' follows the name. One whose value is not known makes the whole text
 * empty, and an empty element that was not written empty is left out. Slashes at the end of an element count for one;
 * otherwise directories are compared as texts, and one that comes twice in a list counts once.
 */
#include "loadmap/lm.h"

#include "base/buf.h"

#define EXPANDED_MAX 65536

static bool is_name_char(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Length of the token name at s (behind the '$'), 0 if it is another. */
static size_t token(const char *s, const char *name)
{
	bool curly = *s == '{';
	size_t n = strlen(name);

	s += curly;
	if (strncmp(s, name, n) != 0 || (curly && s[n] != '}') || is_name_char(s[n]))
		return 0;
	return curly ? n + 2 : n;
}

/* The value of the token behind a '$'; *ret_n is 0 if there is none. */
static const char *value_at(const struct lm_map *m, size_t by, const char *s, size_t *ret_n)
{
	if ((*ret_n = token(s, "ORIGIN")) != 0)
		return by == CV_LM_NONE ? NULL : m->objs.v[by].origin;
	if ((*ret_n = token(s, "PLATFORM")) != 0)
		return m->loader->platform;
	if ((*ret_n = token(s, "LIB")) != 0)
		return m->loader->lib;
	return NULL;
}

int cv_lm_expand(struct lm_map *m, size_t by, const char *text, const char **ret)
{
	struct cv_buf b;
	int r = 0;

	if (!strchr(text, '$')) {
		*ret = text;
		return 0;
	}
	cv_buf_init(&b, EXPANDED_MAX);
	for (const char *s = text; *s;) {
		const char *value;
		size_t n;

		if (*s != '$') {
			cv_buf_putc(&b, *s++);
			continue;
		}
		value = value_at(m, by, ++s, &n);
		if (n && !value) {
			cv_buf_release(&b);
			*ret = "";
			return 0;
		}
		cv_buf_puts(&b, n ? value : "$");
		s += n;
	}
	r = b.err;
	if (r == 0)
		*ret = cv_arena_strdup(m->arena, cv_buf_str(&b));
	cv_buf_release(&b);
	if (r == CV_ELIMIT) {
		*ret = "";
		r = 0;
	}
	return r < 0 ? r : cv_arena_failed(m->arena) ? CV_ENOMEM : 0;
}

static int known_dir(struct lm_map *m, const char *name, struct lm_dir **ret)
{
	struct lm_dir *d = cv_map_get(&m->dirs, name);

	if (!d) {
		d = CV_NEW(m->arena, struct lm_dir);
		if (!d)
			return CV_ENOMEM;
		d->name = name;
		d->status = cv_arena_alloc(m->arena, 2 * (m->loader->subdirs.n + 1));
		d->later = d->status ? d->status + m->loader->subdirs.n + 1 : NULL;
		if (!d->status || !cv_map_set(m->arena, &m->dirs, name, d))
			return CV_ENOMEM;
		/* The loader never forgets a relative directory: the current one may change. */
		if (name[0] != '/')
			memset(d->status, LM_EXISTS, 2 * (m->loader->subdirs.n + 1));
	}
	*ret = d;
	return 0;
}

/* The element with one slash at its end; "" stays, and *ret is NULL where it is to be left out. */
static int element(struct lm_map *m, size_t by, struct cv_str raw, const char **ret)
{
	const char *text = cv_str_dup(m->arena, raw);
	size_t n;
	int r;

	*ret = "";
	if (raw.n == 0)
		return 0;
	r = cv_lm_expand(m, by, text, &text);
	n = r < 0 ? 0 : strlen(text);
	if (n == 0) {
		*ret = NULL;
		return r;
	}
	while (n > 1 && text[n - 1] == '/')
		n--;
	if (text[n - 1] == '/' || text[n] == '/')
		*ret = cv_arena_memdup(m->arena, text, text[n - 1] == '/' ? n : n + 1);
	else
		*ret = cv_arena_cat(m->arena, text, "/", "");
	return 0;
}

/* text is the whole list. */
static int add_entry(struct lm_map *m, struct lm_dirs *list, size_t *cap, const char *name, struct cv_str raw, const char *text)
{
	struct lm_dir *d;
	int r = known_dir(m, name, &d);

	if (r < 0)
		return r;
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].dir == d)
			return 0;
	if (list->n >= CV_LM_LIST_MAX)
		return cv_lm_limit(m, cv_arena_printf(m->arena, "more than %d directories in the path list \"%.60s...\"", CV_LM_LIST_MAX, text));
	if (!cv_vec_reserve(m->arena, (void **)&list->v, list->n, cap, sizeof(*list->v)))
		return CV_ENOMEM;
	list->v[list->n++] = (struct lm_entry){ .dir = d, .raw = cv_str_dup(m->arena, raw) };
	return 0;
}

int cv_lm_decompose(struct lm_map *m, size_t by, const char *text, const char *seps, struct lm_dirs *ret)
{
	size_t cap = 0;

	ret->done = true;
	for (const char *s = text; s && *text;) {
		const char *end = s + strcspn(s, seps);
		struct cv_str raw = { s, (size_t)(end - s) };
		const char *name;
		int r = element(m, by, raw, &name);

		if (r == 0 && name)
			r = add_entry(m, ret, &cap, name, raw, text);
		if (r < 0 || m->stopped)
			return r;
		s = *end ? end + 1 : NULL;
	}
	return cv_arena_failed(m->arena) ? CV_ENOMEM : 0;
}

int cv_lm_rpath(struct lm_map *m, size_t by, bool run, const struct lm_dirs **ret)
{
	struct lm_obj *o = &m->objs.v[by];
	struct lm_dirs *list = run ? &o->runpath : &o->rpath;
	const struct cv_elf *e = o->file ? o->file->elf : NULL;
	const char *text = !e ? NULL : run ? e->runpath : e->runpath ? NULL : e->rpath;

	*ret = list;
	if (list->done)
		return 0;
	list->done = true;
	return text ? cv_lm_decompose(m, by, text, ":", list) : 0;
}
