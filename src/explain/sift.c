/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads tell of several machines: the one with the fault, and those of people who answer. Each paste (a station) may say who it is
 * about: the packages, the driver, the GPUs, Python, the system. Stations that contradict each other in two such points are not of
 * one machine; then the ones that count are, in this order, what people note by hand, attached files, what stands by the messages,
 * and the rest in the order of the text. What contradicts them is left out, with what belongs to it.
 */
#include "explain/room.h"

#include <stdlib.h>

#define STATIONS_MAX 2000
#define POINTS_MAX 4000
#define NEAR 25    /* lines between a paste and a message that still make them one */
#define SPEAKS 40  /* weight from which on a message marks the place of the fault */
#define ADJOINING 8 /* lines between two pastes of one hand */
#define APART 2    /* points of contradiction that make two machines */

enum point_kind { POINT_PACKAGE, POINT_DRIVER, POINT_GPU, POINT_PYTHON, POINT_OS, POINT_TOOLKIT, POINT_KINDS };

struct point {
	enum point_kind kind;
	const char *name, *value;
	unsigned station;
};

struct station {
	unsigned number, first, last;
	const char *file;
	size_t begin, end; /* of its points */
	bool noted;        /* somebody wrote it by hand */
	bool complete;     /* a list of everything that is installed */
	bool prose;        /* sentences */
	bool alone;        /* nothing but it in its file */
	unsigned rank, group;
	bool weighed, dropped;
	bool doubtful; /* one point against it: not enough by itself */
};

struct sift {
	struct cv_arena *a;
	CV_VEC(struct station) stations;
	CV_VEC(struct point) points;
	bool mixed; /* another machine was told of, not only a list of something else */
};

static const char *const stack[] = { "torch", "torchvision", "torchaudio", "onnxruntime", "onnxruntime-gpu", "tensorflow", "jax", "jaxlib",
				     "xformers", "vllm", "numpy", "triton", "cupy-cuda12x", "cupy-cuda11x", "ctranslate2", "flash-attn" };

static bool is_stack(const char *name)
{
	for (size_t i = 0; i < sizeof(stack) / sizeof(stack[0]); i++)
		if (cv_streq(stack[i], name))
			return true;
	return cv_starts(name, "nvidia-");
}

static struct station *station_of(struct sift *s, const struct cv_kept *k)
{
	struct station *st = s->stations.n ? &s->stations.v[s->stations.n - 1] : NULL;
	bool prose = k->weight == CV_TOLD_PROSE;

	if (!st || st->number != k->station || st->file != k->file || st->prose != prose) {
		if (s->stations.n >= STATIONS_MAX || !(st = CV_VEC_PUSH(s->a, &s->stations)))
			return NULL;
		*st = (struct station){ .number = k->station, .first = k->line, .file = k->file, .begin = s->points.n, .alone = true, .prose = prose };
	}
	st->last = k->line;
	st->noted |= k->weight == CV_TOLD_NOTE;
	st->complete |= k->what == CV_TELL_COMPLETE;
	return st;
}

/* NULL: a name that fits many ("Linux"). */
static const char *system_of(const char *name)
{
	static const char *const names[] = { "windows", "ubuntu", "debian", "centos", "fedora", "arch", "red hat", "rocky", "suse", "macos" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (cv_txt_find(cv_str_of(name), names[i]) >= 0 && (i || cv_txt_find(cv_str_of(name), "wsl") < 0))
			return names[i];
	return NULL;
}

static bool point_of(const struct sift *s, const struct cv_kept *k, struct point *ret)
{
	*ret = (struct point){ .value = k->value, .name = "", .station = k->station };
	switch (k->what) {
	case CV_TELL_PACKAGE:
	case CV_TELL_FRAMEWORK:
		ret->kind = POINT_PACKAGE;
		ret->name = cv_pep503(s->a, cv_str_of(k->subject));
		return is_stack(ret->name) && !cv_starts(k->extra, "archive");
	case CV_TELL_DRIVER:
	case CV_TELL_MODULE:
		ret->kind = POINT_DRIVER;
		return true;
	case CV_TELL_GPU:
	case CV_TELL_GPU_LISTED:
		ret->kind = POINT_GPU;
		return true;
	case CV_TELL_PYTHON:
		ret->kind = POINT_PYTHON;
		return true;
	case CV_TELL_OS:
		ret->kind = POINT_OS;
		ret->value = system_of(k->value);
		return ret->value != NULL;
	case CV_TELL_IMAGE:
		ret->kind = POINT_PACKAGE;
		ret->name = "torch";
		ret->value = strstr(k->value, "pytorch:");
		ret->value = ret->value ? ret->value + 8 : "";
		return *ret->value >= '0' && *ret->value <= '9';
	case CV_TELL_TOOLKIT:
	case CV_TELL_NVCC:
		ret->kind = POINT_TOOLKIT;
		return !*k->subject;
	default:
		return false;
	}
}

static void collect(struct sift *s, const struct cv_keeps *keeps)
{
	for (size_t i = 0; i < keeps->v.n; i++) {
		const struct cv_kept *k = &keeps->v.v[i];
		struct point p, *slot;
		struct station *st;

		if (k->weight == CV_TOLD_PROSE && k->what != CV_TELL_GPU && k->what != CV_TELL_DRIVER)
			continue;
		st = station_of(s, k);
		if (!st)
			continue;
		if (s->points.n < POINTS_MAX && point_of(s, k, &p) && (slot = CV_VEC_PUSH(s->a, &s->points)))
			*slot = p;
		st->end = s->points.n;
	}
	for (size_t i = 0; i + 1 < s->stations.n; i++)
		if (s->stations.v[i].file == s->stations.v[i + 1].file && !s->stations.v[i].prose && !s->stations.v[i + 1].prose)
			s->stations.v[i].alone = s->stations.v[i + 1].alone = false;
}

/* "12" and "12.4", "2.5.1" and "2.5.1+cu124": one is the beginning of the other. */
static bool may_be_same(const char *a, const char *b)
{
	size_t n = strcspn(a, "+"), m = strcspn(b, "+"), k = n < m ? n : m;

	return !k || (strncmp(a, b, k) == 0 && (n == m || (n < m ? b : a)[k] == '.'));
}

/* The number in a product's name, with what follows it: "4090", "3060Ti". */
static struct cv_str model(const char *name)
{
	size_t at = strcspn(name, "0123456789");

	return (struct cv_str){ name + at, strspn(name + at, "0123456789") };
}

/* Names without a number tell nothing. */
static bool same_gpu(const char *a, const char *b)
{
	struct cv_str x = model(a), y = model(b);

	return !x.n || !y.n || cv_str_eq(x, y);
}

static bool agrees(const struct point *a, const struct point *b)
{
	switch (a->kind) {
	case POINT_GPU:
		return same_gpu(a->value, b->value);
	case POINT_OS:
		return cv_streq(a->value, b->value);
	default:
		return may_be_same(a->value, b->value);
	}
}

/* What a station and those that count already say of one thing: 1 if none of it agrees. */
static unsigned against(const struct sift *s, const struct station *st, const struct point *p, const bool *counts)
{
	bool any = false;

	for (size_t i = 0; i < s->points.n; i++) {
		const struct point *q = &s->points.v[i];

		if (!counts[i] || q->kind != p->kind || !cv_streq(q->name, p->name) || (i >= st->begin && i < st->end))
			continue;
		if (agrees(p, q))
			return 0;
		any = true;
	}
	return any;
}

static bool against_windows(const struct sift *s, const bool *counts)
{
	for (size_t i = 0; i < s->points.n; i++)
		if (counts[i] && s->points.v[i].kind == POINT_OS && cv_streq(s->points.v[i].value, "windows"))
			return true;
	return false;
}

/* A list of everything that lacks what those that count have is of another environment. */
static unsigned lacks(const struct sift *s, const struct station *st, const bool *counts)
{
	for (size_t i = 0; i < s->points.n && st->complete; i++) {
		const struct point *q = &s->points.v[i];
		bool has = false;

		if (!counts[i] || q->kind != POINT_PACKAGE || cv_streq(q->name, "numpy") || cv_streq(q->name, "triton"))
			continue;
		for (size_t k = st->begin; k < st->end; k++)
			has |= s->points.v[k].kind == POINT_PACKAGE &&
			       (*q->value ? cv_streq(s->points.v[k].name, q->name) : cv_starts(s->points.v[k].name, q->name));
		if (!has)
			return APART;
	}
	return 0;
}

/* Points of contradiction; one for each kind of thing, and up to two for packages. */
static unsigned contradictions(const struct sift *s, const struct station *st, const bool *counts)
{
	static const unsigned most[] = { [POINT_PACKAGE] = 2, [POINT_DRIVER] = 2, [POINT_GPU] = 2, [POINT_PYTHON] = 1,
					[POINT_OS] = 2,	     [POINT_TOOLKIT] = 1 };
	unsigned found[POINT_KINDS] = { 0 }, agreed[POINT_KINDS] = { 0 }, sum = lacks(s, st, counts);

	for (size_t i = st->begin; i < st->end; i++) {
		const struct point *p = &s->points.v[i];
		unsigned n = against(s, st, p, counts);

		if (n && p->kind == POINT_OS && (cv_streq(p->value, "windows") || against_windows(s, counts)))
			n = 2;
		found[p->kind] += p->kind == POINT_PACKAGE && (cv_streq(p->name, "torch") || cv_starts(p->name, "onnxruntime")) ? 2 * n : n;
		agreed[p->kind] += !n;
	}
	for (size_t k = 0; k < POINT_KINDS; k++) {
		if (k == POINT_GPU && agreed[k])
			found[k] = 0;
		if (k == POINT_DRIVER || k == POINT_GPU)
			found[k] *= 2;
		sum += found[k] < most[k] ? found[k] : most[k];
	}
	return sum;
}

static bool speaks(const struct cv_kb *kb, struct cv_arena *a, const char *id)
{
	const char *list = cv_kb_value(kb, cv_arena_printf(a, "message:%s", id), NULL, "candidates");
	struct cv_str rest = cv_str_of(list ? list : ""), word;
	uint64_t weight;

	while (cv_str_word(&rest, &word))
		if (cv_str_u64(cv_str_from(word, (size_t)cv_str_rchr(word, ':') + 1), &weight) && weight >= SPEAKS)
			return true;
	return false;
}

static bool is_near(const struct station *st, const struct cv_hit *h)
{
	return h->file && st->file && cv_streq(h->file, st->file) && h->line + NEAR >= st->first && h->line <= st->last + NEAR;
}

/* Returns whether anything tells the stations apart. */
static bool rank_stations(struct sift *s, const struct cv_scan *scan, const struct cv_kb *kb)
{
	const struct cv_hit *hits;
	size_t n = cv_scan_hits(scan, &hits);
	bool told = false;

	for (size_t i = 0; i < s->stations.n; i++) {
		struct station *st = &s->stations.v[i];

		st->rank = st->noted ? 0 : st->alone ? 1 : 3;
		for (size_t k = 0; k < n && st->rank > 2; k++)
			if (is_near(st, &hits[k]) && speaks(kb, s->a, cv_scan_id(scan, hits[k].message)))
				st->rank = 2;
		if (st->prose)
			st->rank = st->rank == 3 ? 4 : 2; /* far away: somebody else's */
		told |= st->rank < 3 && st->end > st->begin;
	}
	return told;
}

/* Two stations that name the very same of something that differs from machine to machine. */
static bool shares(const struct sift *s, const struct station *a, const struct station *b)
{
	for (size_t i = a->begin; i < a->end; i++)
		for (size_t k = b->begin; k < b->end; k++) {
			const struct point *p = &s->points.v[i], *q = &s->points.v[k];

			if (p->kind == q->kind && p->kind <= POINT_DRIVER && cv_streq(p->name, q->name) && cv_streq(p->value, q->value))
				return true;
		}
	return false;
}

/* Pastes with nothing but blank lines, fences and commands between them come from one hand. */
static bool adjoins(const struct station *a, const struct station *b)
{
	return a->file == b->file && b->first > a->last && b->first - a->last <= ADJOINING;
}

static bool joins(const struct station *st)
{
	return !st->noted && !st->alone && !st->prose;
}

static void merge(struct sift *s, unsigned from, unsigned to)
{
	for (size_t i = 0; i < s->stations.n; i++)
		if (s->stations.v[i].group == from)
			s->stations.v[i].group = to;
}

static void make_groups(struct sift *s)
{
	for (size_t i = 0; i < s->stations.n; i++)
		s->stations.v[i].group = (unsigned)i;
	for (size_t i = 0; i < s->stations.n; i++)
		for (size_t k = i + 1; k < s->stations.n; k++) {
			struct station *a = &s->stations.v[i], *b = &s->stations.v[k];

			if (a->group != b->group && joins(a) && joins(b) && ((k == i + 1 && adjoins(a, b)) || shares(s, a, b)))
				merge(s, b->group, a->group);
		}
}

static bool weigh(struct sift *s, unsigned group, bool *counts)
{
	unsigned sum = 0, missing = 0;

	for (size_t i = 0; i < s->stations.n; i++)
		if (s->stations.v[i].group == group && !s->stations.v[i].prose) {
			sum += contradictions(s, &s->stations.v[i], counts);
			missing += lacks(s, &s->stations.v[i], counts);
		}
	s->mixed |= sum >= APART && sum > missing;
	for (size_t i = 0; i < s->stations.n; i++) {
		struct station *st = &s->stations.v[i];

		if (st->group != group)
			continue;
		st->weighed = true;
		st->dropped = sum >= APART;
		st->doubtful = sum > 0;
		for (size_t k = st->begin; k < st->end && !st->dropped; k++)
			counts[k] = true;
	}
	return sum >= APART;
}

static void add_point(struct sift *s, enum point_kind kind, const char *name, const char *value)
{
	struct point *p = s->points.n < POINTS_MAX ? CV_VEC_PUSH(s->a, &s->points) : NULL;

	if (p)
		*p = (struct point){ .kind = kind, .name = name, .value = value };
}

/* The package whose message it is: its name begins so. */
static const char *speaker(const char *id)
{
	static const char *const names[][2] = { { "ort-", "onnxruntime" }, { "cupy-", "cupy" }, { "tf-", "tensorflow" }, { "jax-", "jax" } };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (cv_starts(id, names[i][0]))
			return names[i][1];
	return NULL;
}

/* Messages tell of their machine too: paths of Windows, the directory of a Python, the package that speaks. */
static void hear_messages(struct sift *s, const struct cv_scan *scan, const struct cv_kb *kb)
{
	const struct cv_hit *hits;
	size_t n = cv_scan_hits(scan, &hits);

	for (size_t i = 0; i < n && i < 200; i++) {
		const char *text = hits[i].text, *python = strstr(text, "/python3.");
		struct cv_str v;

		if (!speaks(kb, s->a, cv_scan_id(scan, hits[i].message)))
			continue;
		if (strstr(text, ":\\Users\\") || strstr(text, "C:\\") || strstr(text, "D:\\") || strstr(text, "E:\\"))
			add_point(s, POINT_OS, "", "windows");
		if (python && cv_txt_version(cv_str_of(python + 7), &v))
			add_point(s, POINT_PYTHON, "", cv_str_dup(s->a, v));
		if (speaker(cv_scan_id(scan, hits[i].message)))
			add_point(s, POINT_PACKAGE, speaker(cv_scan_id(scan, hits[i].message)), ""); /* of some version */
	}
}

static bool choose(struct sift *s, const struct cv_scan *scan, const struct cv_kb *kb)
{
	size_t told = s->points.n;
	bool *counts, dropped = false;

	hear_messages(s, scan, kb);
	counts = cv_arena_alloc(s->a, s->points.n ? s->points.n : 1);
	for (size_t i = told; counts && i < s->points.n; i++)
		counts[i] = true;
	make_groups(s);
	for (unsigned rank = 0; counts && rank < 4; rank++)
		for (size_t i = 0; i < s->stations.n; i++)
			if (s->stations.v[i].rank == rank && !s->stations.v[i].weighed)
				dropped |= weigh(s, s->stations.v[i].group, counts);
	return dropped;
}

static const struct station *find(const struct sift *s, const struct cv_kept *k)
{
	size_t lo = 0, hi = s->stations.n;

	while (lo < hi) { /* numbers rise */
		size_t mid = (lo + hi) / 2;

		if (s->stations.v[mid].number < k->station)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < s->stations.n && s->stations.v[lo].number == k->station; lo++)
		if (!s->stations.v[lo].prose)
			return &s->stations.v[lo];
	return NULL;
}

static bool is_meant(const struct sift *s, const struct station *st)
{
	for (size_t i = 0; i < s->stations.n; i++)
		if (s->stations.v[i].group == st->group && s->stations.v[i].rank < 3)
			return true;
	return false;
}

bool cv_sift(struct cv_keeps *keeps, const struct cv_scan *scan, const struct cv_kb *kb, struct cv_arena *a)
{
	struct sift s = { .a = a };
	size_t n = 0;
	bool told;

	collect(&s, keeps);
	told = rank_stations(&s, scan, kb);
	if (!choose(&s, scan, kb))
		return false;
	for (size_t i = 0; i < keeps->v.n; i++) {
		struct cv_kept *k = &keeps->v.v[i];
		const struct station *st = k->weight == CV_TOLD_PROSE ? NULL : find(&s, k);

		if (st && st->dropped)
			continue;
		if (st && told && s.mixed && !is_meant(&s, st)) {
			if (st->doubtful)
				continue;
			k->weight = CV_TOLD_PROSE; /* far from everything that is known to be meant */
		}
		keeps->v.v[n++] = *k;
	}
	keeps->v.n = n;
	return !told;
}
