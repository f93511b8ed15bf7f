/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding a GPU of the kb by PCI id or by a name as people and tools write it.
 *
 * A name is a set of words. Words that never decide the architecture (vendor, brand, form factor, memory, MIG and vGPU
 * profiles) are dropped on both sides. A GPU fits if it has every word of the question; those with no further word fit
 * exactly and win. "Quadro" decides ("RTX 6000" may be Turing, Ada or Blackwell), so it stays. What is left must agree on
 * the compute capability, or the name is ambiguous.
 */
#include "kb/query_int.h"

#include <stdio.h>
#include <stdlib.h>

#define WORDS_MAX 16
#define CANDIDATES_MAX 24

struct words {
	struct cv_str v[WORDS_MAX];
	size_t n;
};

/* Words that say nothing about the architecture. */
static const char *const noise[] = {
	"nvidia", "geforce", "tesla", "grid", "gpu", "graphics", "device", "generation", "laptop", "mobile", "embedded", "oem",
	"edition", "pcie", "sxm", "max", "q", "mig", "nvgpu", "dgxs", "fhhl", "ac", "gb", "rev", "refresh",
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

/* A prefix, then digits to the end, then at most the letters of tail: "sxm4", "80gb", "hbm3e", "nvl16", "16q". */
static bool is_prefix_number(struct cv_str w, const char *prefix, const char *tail)
{
	size_t digits = 0;

	if (!cv_str_eat(&w, prefix))
		return false;
	while (w.n && is_digit(w.p[0])) {
		w = cv_str_from(w, 1);
		digits++;
	}
	return digits && (w.n == 0 || (w.n <= strlen(tail) && strncmp(w.p, tail, w.n) == 0));
}

static bool is_noise(struct cv_str w)
{
	for (size_t i = 0; i < sizeof(noise) / sizeof(*noise); i++)
		if (cv_str_is(w, noise[i]))
			return true;
	if (is_digit(w.p[0]) && (cv_str_ends(w, "gb") || cv_str_ends(w, "g") || cv_str_ends(w, "q")))
		return is_prefix_number(w, "", w.p[w.n - 1] == 'q' ? "q" : "gb");
	return is_prefix_number(w, "sxm", "") || is_prefix_number(w, "hbm", "e") || cv_str_is(w, "nvl") ||
	       is_prefix_number(w, "nvl", "");
}

static bool is_short_number(struct cv_str w)
{
	for (size_t i = 0; i < w.n; i++)
		if (!is_digit(w.p[i]))
			return false;
	return w.n <= 3;
}

static void add_word(struct words *ws, struct cv_str w)
{
	/* "80 GB": the number before belongs to it. */
	if (cv_str_is(w, "gb") && ws->n && is_short_number(ws->v[ws->n - 1]))
		ws->n--;
	if (w.n && ws->n < WORDS_MAX && !is_noise(w))
		ws->v[ws->n++] = w;
}

/* "rtx4090ti" as people type it: brand, number and suffix are words of their own. */
static void add_joined(struct words *ws, struct cv_str w)
{
	static const char *const brands[] = { "rtx", "gtx", "gt", "mx" };
	size_t digits = 0;

	for (size_t i = 0; i < sizeof(brands) / sizeof(*brands); i++) {
		size_t n = strlen(brands[i]);

		/* "mx350" is one word in the product's name. */
		if (i < 3 && cv_str_starts(w, brands[i]) && w.n > n && is_digit(w.p[n])) {
			add_word(ws, cv_str_sub(w, 0, n));
			w = cv_str_from(w, n);
			break;
		}
	}
	while (digits < w.n && is_digit(w.p[digits]))
		digits++;
	if (digits >= 3 && (cv_str_is(cv_str_from(w, digits), "ti") || cv_str_is(cv_str_from(w, digits), "super"))) {
		add_word(ws, cv_str_sub(w, 0, digits));
		w = cv_str_from(w, digits);
	}
	add_word(ws, w);
}

/* text must be lower case. */
static void split_words(struct cv_str text, struct words *ws)
{
	size_t start = 0;

	ws->n = 0;
	for (size_t i = 0; i <= text.n; i++) {
		if (i < text.n && (is_digit(text.p[i]) || is_letter(text.p[i])))
			continue;
		if (i > start)
			add_joined(ws, cv_str_sub(text, start, i - start));
		start = i + 1;
	}
}

static struct cv_str lower(struct cv_arena *a, const char *s)
{
	char *p = cv_arena_strdup(a, s);

	for (char *c = p; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	return cv_str_of(p);
}

static bool has_word(const struct words *ws, struct cv_str w)
{
	for (size_t i = 0; i < ws->n; i++)
		if (cv_str_eq(ws->v[i], w))
			return true;
	return false;
}

/* Words of the GPU that the question does not have; -1 if the GPU lacks a word of the question. */
static int distance(const struct words *asked, const struct words *gpu)
{
	int extra = 0;

	for (size_t i = 0; i < asked->n; i++)
		if (!has_word(gpu, asked->v[i]))
			return -1;
	for (size_t i = 0; i < gpu->n; i++)
		if (!has_word(asked, gpu->v[i]))
			extra++;
	return extra;
}

/* The same for a row's value, which may name several products of one chip: "Jetson Nano, Jetson TX1". */
static int distance_of_row(const struct words *asked, const char *names, struct cv_arena *a)
{
	struct cv_str rest = lower(a, names), part;
	int best = -1;

	while (cv_str_split(&rest, ',', &part)) {
		struct words ws;
		int d;

		split_words(part, &ws);
		d = ws.n ? distance(asked, &ws) : -1;
		if (d >= 0 && (best < 0 || d < best))
			best = d;
	}
	return best;
}

static uint64_t memory_of(const struct cv_kb *kb, const char *subject)
{
	const char *text = cv_kb_value(kb, subject, NULL, "memory_mib");
	uint64_t n = 0;

	return text && cv_str_u64(cv_str_of(text), &n) ? n : 0;
}

static void fill(const struct cv_kb *kb, const struct cv_kb_row *name, struct cv_kb_gpu *ret)
{
	*ret = (struct cv_kb_gpu){
		.subject = name->subject,
		.name = name->value,
		.cc = cv_kb_value(kb, name->subject, NULL, "cc"),
		.memory_mib = memory_of(kb, name->subject),
	};
}

/* The least distance of any GPU to the question, -1 if none fits. */
static int least_distance(const struct cv_kb *kb, const struct words *asked, struct cv_arena *a)
{
	struct cv_kb_iter it = cv_kb_iter(kb, "gpu:*", NULL, "name");
	struct cv_kb_row row;
	int best = -1;

	while (cv_kb_next(&it, &row)) {
		int d = distance_of_row(asked, row.value, a);

		if (d >= 0 && (best < 0 || d < best))
			best = d;
	}
	return best;
}

static void add_candidate(struct cv_arena *a, struct cv_strv *list, const struct cv_kb_gpu *gpu)
{
	const char *text = cv_arena_printf(a, "%s (%s)", gpu->name, gpu->cc ? gpu->cc : "compute capability unknown");

	if (list && list->n < CANDIDATES_MAX && !cv_strv_has(list, text))
		cv_strv_push(a, list, text);
}

int cv_kb_gpu_by_name(const struct cv_kb *kb, const char *name, struct cv_arena *a, struct cv_strv *candidates,
		      struct cv_kb_gpu *ret)
{
	struct words asked;
	struct cv_kb_iter it = cv_kb_iter(kb, "gpu:*", NULL, "name");
	struct cv_kb_gpu best = { 0 };
	struct cv_kb_row row;
	bool differ = false, memory_differs = false;
	int least, best_distance = -1;

	split_words(lower(a, name), &asked);
	least = asked.n ? least_distance(kb, &asked, a) : -1;
	if (least < 0)
		return CV_ENOENT;
	while (cv_kb_next(&it, &row)) {
		int d = distance_of_row(&asked, row.value, a);
		struct cv_kb_gpu gpu;

		/* An exact fit leaves the longer names out: "RTX 3050" is not "RTX 3050 A". */
		if (d < 0 || (least == 0 && d > 0))
			continue;
		fill(kb, &row, &gpu);
		add_candidate(a, candidates, &gpu);
		if (best.subject) {
			differ |= !gpu.cc || !best.cc || !cv_streq(gpu.cc, best.cc);
			memory_differs |= gpu.memory_mib != best.memory_mib;
		}
		/* Of equal fits the plainest name is shown. */
		if (best_distance < 0 || d < best_distance || (d == best_distance && strlen(gpu.name) < strlen(best.name))) {
			best = gpu;
			best_distance = d;
		}
	}
	if (differ)
		return CV_EINVAL;
	if (memory_differs)
		best.memory_mib = 0;
	*ret = best;
	return 0;
}

static const char *short_name(const char *name)
{
	static const char *const brands[] = { "NVIDIA ", "GeForce ", "Tesla " };

	for (size_t i = 0; i < sizeof(brands) / sizeof(*brands); i++)
		name += cv_starts(name, brands[i]) ? strlen(brands[i]) : 0;
	return name;
}

#define NEAREST_MAX 3

void cv_kb_gpu_nearest(const struct cv_kb *kb, const char *name, struct cv_arena *a, struct cv_strv *ret)
{
	struct cv_kb_iter it = cv_kb_iter(kb, "gpu:*", NULL, "name");
	size_t best = strlen(short_name(name)) / 4 + 1;
	struct cv_kb_row row;

	ret->n = 0;
	while (cv_kb_next(&it, &row)) {
		const char *one = short_name(row.value);
		size_t d = cv_kb_letters_apart(short_name(name), one);

		if (d > best || (ret->n == 0 && d == best))
			continue;
		if (d < best)
			ret->n = 0;
		best = d;
		if (ret->n < NEAREST_MAX && !cv_strv_has(ret, one))
			cv_strv_push(a, ret, one);
	}
}

bool cv_kb_gpu_by_pci(const struct cv_kb *kb, const char *vendor, const char *device, struct cv_kb_gpu *ret)
{
	char subject[16];
	struct cv_kb_row row;

	if (strlen(vendor) != 4 || strlen(device) != 4)
		return false;
	(void)snprintf(subject, sizeof(subject), "gpu:%s:%s", vendor, device);
	for (char *c = subject; *c; c++)
		if (*c >= 'A' && *c <= 'F')
			*c = (char)(*c - 'A' + 'a');
	if (!cv_kb_get(kb, subject, NULL, "name", &row))
		return false;
	fill(kb, &row, ret);
	return true;
}
