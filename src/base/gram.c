/* SPDX-License-Identifier: Apache-2.0 */
#include "base/gram.h"

#define BITS 18
#define HEADS 4096
#define WINDOW 7

struct entry {
	uint32_t word;
	uint32_t which;
	uint32_t off;
	uint32_t next; /* index + 1 of the next entry with the same head, 0: none */
};

struct filter {
	uint64_t bit[1 << (BITS - 6)];
	uint32_t head[HEADS];
	struct entry *v;
	size_t n, stride;
};

struct cv_gram {
	const struct cv_str *literals;
	struct filter longs, shorts;
};

/* Four bytes with the case bit set: letters of both cases fall together, and so do a few signs, which the comparison sorts out. */
static uint32_t word_at(const char *p)
{
	uint32_t w;

	memcpy(&w, p, sizeof(w));
	return w | 0x20202020u;
}

static uint32_t hash(uint32_t w)
{
	return (uint32_t)(w * 0x9E3779B1u) >> (32 - BITS);
}

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static void add(struct filter *f, const struct cv_str *literals, size_t which, size_t off)
{
	uint32_t w = word_at(literals[which].p + off), h = hash(w);

	f->bit[h >> 6] |= (uint64_t)1 << (h & 63);
	f->v[f->n] = (struct entry){ w, (uint32_t)which, (uint32_t)off, f->head[h & (HEADS - 1)] };
	f->head[h & (HEADS - 1)] = (uint32_t)++f->n;
}

/* Digits, capitals and signs are rare in prose and logs, common letters are not. */
static unsigned rarity(const char *s)
{
	unsigned r = 0;

	for (size_t i = 0; i < WINDOW; i++)
		r += s[i] && strchr(" etaoinsrlhd.01/", s[i]) ? 0 : s[i] >= 'a' && s[i] <= 'z' ? 1 : 3;
	return r;
}

static size_t best_window(struct cv_str s)
{
	size_t best = 0;

	for (size_t i = 1; i + WINDOW <= s.n; i++)
		if (rarity(s.p + i) > rarity(s.p + best))
			best = i;
	return best;
}

int cv_gram_new(struct cv_arena *a, const struct cv_str *literals, size_t n, struct cv_gram **ret)
{
	struct cv_gram *g = CV_NEW(a, struct cv_gram);

	if (n > CV_GRAM_MAX)
		return CV_ELIMIT;
	if (!g)
		return CV_ENOMEM;
	g->literals = literals;
	g->longs.stride = 4;
	g->shorts.stride = 1;
	g->longs.v = CV_NEW_ARRAY(a, struct entry, 4 * n + 1);
	g->shorts.v = CV_NEW_ARRAY(a, struct entry, n + 1);
	if (!g->longs.v || !g->shorts.v)
		return CV_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t at;

		if (literals[i].n < CV_GRAM_MIN)
			return CV_EINVAL;
		if (literals[i].n < WINDOW) {
			add(&g->shorts, literals, i, 0);
			continue;
		}
		at = best_window(literals[i]);
		for (size_t k = 0; k < 4; k++)
			add(&g->longs, literals, i, at + k);
	}
	*ret = g;
	return 0;
}

static bool same(const char *p, struct cv_str literal)
{
	for (size_t i = 0; i < literal.n; i++)
		if (fold(p[i]) != fold(literal.p[i]))
			return false;
	return true;
}

static void scan(const struct cv_gram *g, const struct filter *f, const char *buf, size_t n, cv_gram_hit *hit, void *cookie)
{
	for (size_t i = 0; i + 4 <= n; i += f->stride) {
		uint32_t w = word_at(buf + i), h = hash(w);

		if (!(f->bit[h >> 6] >> (h & 63) & 1))
			continue;
		for (uint32_t k = f->head[h & (HEADS - 1)]; k; k = f->v[k - 1].next) {
			const struct entry *e = &f->v[k - 1];
			struct cv_str literal = g->literals[e->which];

			if (e->word == w && i >= e->off && i - e->off + literal.n <= n && same(buf + i - e->off, literal))
				hit(cookie, e->which, i - e->off);
		}
	}
}

void cv_gram_scan(const struct cv_gram *g, const char *buf, size_t n, cv_gram_hit *hit, void *cookie)
{
	if (g->longs.n)
		scan(g, &g->longs, buf, n, hit, cookie);
	if (g->shorts.n)
		scan(g, &g->shorts, buf, n, hit, cookie);
}
