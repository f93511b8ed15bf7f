/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A look-up in ld.so.cache (elf/dl-cache.c).
 *
 * The entries are sorted by name, downwards, numbers in it compared as numbers ("libx.so.10" before "libx.so.9"); equal names are
 * found by halves and then walked. Only entries of the loader's own machine count. From 2.33 on those of glibc-hwcaps come
 * first, and the best of those that this CPU takes wins; else the first that asks for nothing that this CPU or kernel lacks. In a
 * file of both formats the loader looks for the names of glibc-hwcaps at the wrong place, so that none of them is ever taken.
 */
#include "loadmap/lm.h"

#define CACHE_PATH "/etc/ld.so.cache"
#define PLATFORM_BITS ((uint64_t)15 << 48)

static int load(struct cv_lm_system *sys)
{
	struct cv_str bytes;
	int r;

	if (sys->have_cache)
		return 0;
	sys->have_cache = true;
	r = cv_view_read(sys->view, CACHE_PATH, CV_LDCACHE_MAX, sys->arena, &bytes);
	if (r == 0)
		r = cv_ldcache_parse(bytes, CACHE_PATH, sys->arena, sys->diag, &sys->cache);
	else if (r != CV_ENOENT)
		cv_diag_fail(sys->diag, r, CACHE_PATH ": %s", cv_strerror(r));
	sys->cache_err = r;
	return r == CV_ENOMEM ? r : 0;
}

static uint32_t digits(const char **p)
{
	uint32_t n = 0; /* wraps as the loader's int does */

	for (; **p >= '0' && **p <= '9'; (*p)++)
		n = n * 10 + (uint32_t)(**p - '0');
	return n;
}

static int compare(const char *a, const char *b)
{
	while (*a) {
		bool da = *a >= '0' && *a <= '9';
		bool db = *b >= '0' && *b <= '9';

		if (da != db)
			return da ? 1 : -1;
		if (da) {
			uint32_t x = digits(&a);
			uint32_t y = digits(&b);

			if (x != y)
				return (int32_t)(x - y) < 0 ? -1 : 1;
		} else {
			if (*a != *b)
				return (signed char)*a < (signed char)*b ? -1 : 1;
			a++;
			b++;
		}
	}
	return *b ? -1 : 0;
}

/*
 * The entries of that name: [*ret_from, *ret_to). A count that is wrong leads the loader behind the file, where it finds no text
 * and gives up (ldconfig of 2.36 writes such a file with -c compat where there are glibc-hwcaps).
 */
static void find(const struct cv_ldcache *c, const char *name, size_t *ret_from, size_t *ret_to)
{
	size_t left = 0, right = c->told;

	*ret_from = *ret_to = 0;
	while (left < right) {
		size_t middle = (left + right - 1) / 2;
		int r;

		if (middle >= c->n)
			return;
		r = compare(name, c->v[middle].key);
		if (r == 0) {
			size_t from = middle, to = middle + 1;

			while (from > 0 && compare(name, c->v[from - 1].key) == 0)
				from--;
			while (to < c->n && compare(name, c->v[to].key) == 0)
				to++;
			*ret_from = from;
			*ret_to = to;
			return;
		}
		if (r < 0) /* sorted downwards */
			left = middle + 1;
		else
			right = middle;
	}
}

/* Rank of a glibc-hwcaps name, 1 the best; 0: this CPU does not take it. */
static size_t rank(const struct lm_loader *ld, const char *hwcaps)
{
	for (size_t i = 0; i < ld->named; i++) {
		struct cv_str s = cv_str_of(ld->subdirs.v[i]);

		if (cv_str_eat(&s, "glibc-hwcaps/") && s.n == strlen(hwcaps) + 1 && memcmp(s.p, hwcaps, s.n - 1) == 0)
			return i + 1;
	}
	return 0;
}

/* May the loader take an entry without a glibc-hwcaps name? */
static bool fits_plain(struct cv_lm_system *sys, const struct lm_loader *ld, const struct cv_ldcache_entry *e)
{
	if (ld->minor >= 37)
		return e->hwcap == 0;
	if (e->hwcap & ~(ld->hwcap | PLATFORM_BITS))
		return false;
	if (ld->minor < 36 && cv_lm_kernel(sys) && e->osversion > cv_lm_kernel(sys))
		return false;
	return (e->hwcap & PLATFORM_BITS) == 0 || (e->hwcap & PLATFORM_BITS) == ld->platform_bit;
}

static bool isa_fits(const struct lm_loader *ld, const struct cv_ldcache_entry *e)
{
	unsigned level = cv_ldcache_isa_level(e);

	return level == 0 || ld->isa == ~0u || ld->isa >> level & 1;
}

static const struct cv_ldcache_entry *best_of(struct cv_lm_system *sys, const struct lm_loader *ld, size_t from, size_t to)
{
	const struct cv_ldcache_entry *best = NULL;
	size_t best_rank = 0;

	for (size_t i = from; i < to; i++) {
		const struct cv_ldcache_entry *e = &sys->cache.v[i];
		bool named = ld->minor >= 33 && e->hwcaps;
		size_t n = named && !sys->cache.has_old && isa_fits(ld, e) ? rank(ld, e->hwcaps) : 0;

		if (e->flags != ld->cache_flags || (named && n == 0))
			continue;
		if (!named) {
			if (best)
				break;
			if (fits_plain(sys, ld, e))
				return e;
		} else if (!best || n < best_rank) {
			best = e;
			best_rank = n;
		}
	}
	return best;
}

/* Others of that name, but only those that are there. */
static int note_losers(struct lm_search *s, size_t from, size_t to, const struct cv_ldcache_entry *best)
{
	struct lm_map *m = s->m;

	for (size_t i = from; i < to; i++) {
		const struct cv_ldcache_entry *e = &m->sys->cache.v[i];
		struct cv_lm_loser *l;
		struct lm_path *p;
		enum cv_lm_reason reason = CV_LM_LATER;
		bool known = e == best;
		int r;

		for (size_t k = 0; k < s->edge->losers.n; k++)
			known |= cv_streq(s->edge->losers.v[k].path, e->value);
		if (known || e->value[0] != '/')
			continue;
		r = cv_lm_look(m->sys, e->value, &p);
		if (r == CV_ENOMEM)
			return r;
		if (r < 0 || p->err < 0 || (s->hit && s->hit->dev == p->dev && s->hit->ino == p->ino))
			continue;
		if (e->flags != m->loader->cache_flags)
			reason = CV_LM_WRONG_CLASS;
		else if (e->hwcap)
			reason = CV_LM_HWCAP_UNFIT;
		l = CV_VEC_PUSH(m->arena, &s->edge->losers);
		if (!l)
			return CV_ENOMEM;
		*l = (struct cv_lm_loser){ .path = e->value, .reason = reason };
	}
	return 0;
}

/* What the cache has for a name, found once per loader. */
struct lm_cached {
	size_t from, to;
	const struct cv_ldcache_entry *best;
};

static int cached(struct lm_search *s, const struct lm_cached **ret)
{
	struct cv_lm_system *sys = s->m->sys;
	struct lm_loader *ld = s->m->loader;
	struct lm_cached *c = cv_map_get(&ld->cached, s->name);

	if (!c) {
		c = CV_NEW(sys->arena, struct lm_cached);
		if (!c || !cv_map_set(sys->arena, &ld->cached, cv_arena_strdup(sys->arena, s->name), c))
			return CV_ENOMEM;
		find(&sys->cache, s->name, &c->from, &c->to);
		c->best = best_of(sys, ld, c->from, c->to);
	}
	*ret = c;
	return 0;
}

int cv_lm_cache_lookup(struct lm_search *s, const char **ret)
{
	struct cv_lm_system *sys = s->m->sys;
	const struct lm_cached *c;
	int r = load(sys);

	*ret = NULL;
	if (r < 0 || sys->cache_err < 0)
		return r;
	r = cached(s, &c);
	if (r < 0)
		return r;
	if (!sys->opts.quick && (s->behind || !c->best))
		r = note_losers(s, c->from, c->to, c->best);
	*ret = c->best ? c->best->value : NULL;
	return r;
}
