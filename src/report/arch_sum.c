/* SPDX-License-Identifier: Apache-2.0 */
/* What the GPU code of many files means for one GPU, in numbers, words and one sentence. */
#include "report/arch.h"

#include "base/map.h"
#include "base/str.h"
#include "report/text.h"

#define BRIEF_COLS 48

const struct cv_code_place *cv_arch_place(const struct cv_arch_file *f)
{
	return cv_gpucode_elsewhere_decides(&f->code) ? &f->code.elsewhere : &f->code.own;
}

const char *cv_arch_cover_word(const struct cv_cover *c)
{
	if (c->unsettled)
		return "unknown";
	switch (c->verdict) {
	case CV_COVER_NATIVE:
		return "native";
	case CV_COVER_PTX_JIT:
		return "ptx-jit";
	case CV_COVER_PARTIAL:
		return "partial";
	case CV_COVER_NONE:
		return "none";
	case CV_COVER_NO_CODE:
		break;
	}
	return "no-gpu-code";
}

const char *cv_arch_target_text(struct cv_arena *a, struct cv_gpu_target t)
{
	const char *suffix = t.suffix == 'a' ? "a" : t.suffix == 'f' ? "f" : "";

	return cv_arena_printf(a, "%s_%u%s", t.ptx ? "compute" : "sm", t.arch, suffix);
}

static bool is_bad(const struct cv_cover *c)
{
	return !c->unsettled && (c->verdict == CV_COVER_NONE || c->verdict == CV_COVER_PARTIAL);
}

struct cv_arch_sum cv_arch_sum(const struct cv_arch *r, size_t gpu)
{
	struct cv_arch_sum s = { 0 };

	for (size_t i = 0; i < r->files.n; i++) {
		const struct cv_cover *c = r->files.v[i].error ? NULL : &r->files.v[i].cover[gpu];

		if (!c)
			continue;
		s.unknown += c->unsettled;
		s.native += c->verdict == CV_COVER_NATIVE;
		s.ptx_jit += c->verdict == CV_COVER_PTX_JIT;
		s.partial += is_bad(c) && c->verdict == CV_COVER_PARTIAL;
		s.none += is_bad(c) && c->verdict == CV_COVER_NONE;
	}
	return s;
}

size_t cv_arch_unreadable(const struct cv_arch *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->files.n; i++)
		n += r->files.v[i].error != NULL;
	return n;
}

enum cv_verdict cv_arch_verdict(const struct cv_arch *r)
{
	bool unknown = r->no_gpu || cv_arch_unreadable(r);

	for (size_t i = 0; i < r->gpus.n; i++) {
		struct cv_arch_sum s = cv_arch_sum(r, i);

		if (s.none || s.partial)
			return CV_VERDICT_PROBLEM;
		unknown |= s.unknown > 0;
	}
	return unknown ? CV_VERDICT_CANNOT_TELL : CV_VERDICT_OK;
}

/* Where the last n components of a path begin. */
static const char *tail(const char *path, size_t n)
{
	const char *p = path + strlen(path);

	while (p > path && (p[-1] != '/' || --n > 0))
		p--;
	return p;
}

/*
 * Sets repeated[i] where labels[i] is not the only one of its text. Returns how many are not, SIZE_MAX when out of memory.
 */
static size_t find_repeated(const char *const *labels, size_t n, bool *repeated, struct cv_arena *a)
{
	struct cv_map first = { 0 };
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		bool *other = cv_map_get(&first, labels[i]);

		repeated[i] = other != NULL;
		found += repeated[i];
		if (other)
			*other = true;
		else if (!cv_map_set(a, &first, labels[i], &repeated[i]))
			return SIZE_MAX;
	}
	return found;
}

/* "torch/lib/python3.11/site-packages/a/b.so" becomes "torch/.../b.so", if no other label becomes the same. */
static bool shorten(const char **labels, size_t n, bool *repeated, struct cv_arena *a)
{
	const char **shorter = CV_NEW_ARRAY(a, const char *, n + 1);

	for (size_t i = 0; shorter && i < n; i++) {
		const char *slash = strchr(labels[i] + 1, '/'), *base = tail(labels[i], 1);

		shorter[i] = labels[i];
		if (slash && slash + 5 < base)
			shorter[i] = cv_arena_printf(a, "%.*s/.../%s", (int)(slash - labels[i]), labels[i], base);
	}
	if (!shorter || find_repeated(shorter, n, repeated, a) == SIZE_MAX)
		return false;
	for (size_t i = 0; i < n; i++)
		labels[i] = repeated[i] ? labels[i] : shorter[i];
	return true;
}

const char *const *cv_arch_labels(const struct cv_arch *r, struct cv_arena *a)
{
	const char **labels = CV_NEW_ARRAY(a, const char *, r->files.n + 1);
	bool *repeated = CV_NEW_ARRAY(a, bool, r->files.n + 1);
	size_t left = r->files.n;

	if (!labels || !repeated)
		return NULL;
	for (size_t i = 0; i < r->files.n; i++)
		repeated[i] = true;
	/* One component more for those that are not alone yet; a file that was named twice never is. */
	for (size_t depth = 1; left && left != SIZE_MAX && depth < 64; depth++) {
		for (size_t i = 0; i < r->files.n; i++)
			if (repeated[i])
				labels[i] = tail(r->files.v[i].path, depth);
		left = find_repeated(labels, r->files.n, repeated, a);
	}
	return left != SIZE_MAX && shorten(labels, r->files.n, repeated, a) ? labels : NULL;
}

static const char *gpu_text(const struct cv_arch_gpu *g, struct cv_arena *a)
{
	return g->name ? cv_arena_printf(a, "%s (%s)", g->name, g->cc) : g->cc;
}

static const char *noun(const struct cv_arch *r, size_t n)
{
	for (size_t i = 0; i < r->files.n; i++)
		if (!r->files.v[i].group)
			return n == 1 ? "file" : "files";
	return n == 1 ? "library" : "libraries";
}

/* Where column cols of a clean text begins. */
static size_t at_column(const char *s, size_t cols)
{
	size_t at = 0, used;
	uint32_t c;

	while ((used = cv_text_next(s + at, &c)) != 0 && cols >= cv_text_char_width(c)) {
		cols -= cv_text_char_width(c);
		at += used;
	}
	return at;
}

/* A name that would fill a line by itself loses its middle. */
static const char *brief(const char *name, struct cv_arena *a)
{
	size_t cols;

	name = cv_text_clean(a, name, false);
	cols = cv_text_width(name);
	if (cols <= BRIEF_COLS)
		return name;
	return cv_arena_printf(a, "%.*s...%s", (int)at_column(name, BRIEF_COLS / 2), name,
			       name + at_column(name, cols - (BRIEF_COLS / 2 - 3)));
}

/*
 * text, a colon and the names of the files that pick() wants, as many as fit into a line of width, or into two where not even one
 * fits; the rest is "and 7 more".
 */
static const char *with_names(const struct cv_arch *r, size_t gpu, bool (*pick)(const struct cv_cover *),
			      const char *const *labels, size_t width, const char *text, struct cv_arena *a)
{
	size_t n = 0, used = cv_text_width(text) + 1, shown = 0;

	for (size_t i = 0; i < r->files.n; i++)
		n += !r->files.v[i].error && pick(&r->files.v[i].cover[gpu]);
	for (size_t i = 0; i < r->files.n && shown < n; i++) {
		const char *name = labels ? brief(labels[i], a) : r->files.v[i].path;
		size_t more = cv_text_width(name) + 2, reserve = n - shown > 1 ? strlen(" and 9999 more") : 0;

		if (r->files.v[i].error || !pick(&r->files.v[i].cover[gpu]))
			continue;
		if (!shown && used + more + reserve > width)
			width *= 2;
		if (shown && used + more + reserve > width)
			return cv_arena_printf(a, "%s and %zu more", text, n - shown);
		text = cv_arena_printf(a, "%s%s %s", text, shown ? "," : ":", name);
		used += more;
		shown++;
	}
	return text;
}

static bool is_unknown(const struct cv_cover *c)
{
	return c->unsettled;
}

static const char *single_sentence(const struct cv_cover *c, const char *name, const char *gpu, struct cv_arena *a)
{
	if (c->unsettled)
		return cv_arena_printf(a, "%s: whether it has code for %s is not known", name, gpu);
	switch (c->verdict) {
	case CV_COVER_NATIVE:
		return cv_arena_printf(a, "%s has code for %s", name, gpu);
	case CV_COVER_PTX_JIT:
		return cv_arena_printf(a, "%s has PTX for %s, which the driver compiles at first use", name, gpu);
	case CV_COVER_PARTIAL:
		return cv_arena_printf(a, "%s has hardly any code for %s", name, gpu);
	case CV_COVER_NONE:
		return cv_arena_printf(a, "%s has no code for %s", name, gpu);
	case CV_COVER_NO_CODE:
		break;
	}
	return cv_arena_printf(a, "%s holds no GPU code", name);
}

/* The only file that could be read, or NULL. */
static const struct cv_arch_file *only_file(const struct cv_arch *r, size_t *ret)
{
	if (r->files.n != cv_arch_unreadable(r) + 1)
		return NULL;
	for (*ret = 0; r->files.v[*ret].error; ++*ret)
		;
	return &r->files.v[*ret];
}

const char *cv_arch_sentence(const struct cv_arch *r, size_t gpu, const char *const *labels, size_t width, struct cv_arena *a)
{
	const char *g = gpu_text(&r->gpus.v[gpu], a);
	struct cv_arch_sum s = cv_arch_sum(r, gpu);
	size_t n = s.native + s.ptx_jit + s.partial + s.none + s.unknown, bad = s.partial + s.none, at;
	const struct cv_arch_file *only = only_file(r, &at);
	const char *text;

	if (only)
		return single_sentence(only->cover + gpu, labels ? brief(labels[at], a) : only->path, g, a);
	if (bad) {
		text = cv_arena_printf(a, "%zu of %zu %s %s no%s code for %s", bad, n, noun(r, n), bad == 1 ? "has" : "have",
				       s.partial ? " or hardly any" : "", g);
		return with_names(r, gpu, is_bad, labels, width, text, a);
	}
	if (s.unknown) {
		text = cv_arena_printf(a, "whether %zu of %zu %s %s code for %s is not known", s.unknown, n, noun(r, n),
				       s.unknown == 1 ? "has" : "have", g);
		return with_names(r, gpu, is_unknown, labels, width, text, a);
	}
	if (n == 0)
		return "no GPU code";
	if (n == 1)
		return cv_arena_printf(a, "the one %s with GPU code has %s for %s", noun(r, n), s.ptx_jit ? "PTX" : "code", g);
	return cv_arena_printf(a, "all %zu %s have code for %s%s", n, noun(r, n), g,
			       s.ptx_jit ? cv_arena_printf(a, ", %zu of them only PTX", s.ptx_jit) : "");
}

const char *cv_arch_because(const struct cv_arch_file *f, const struct cv_cover *c, struct cv_arena *a)
{
	if (!c->unsettled)
		return NULL;
	if (f->code.damaged)
		return cv_arena_printf(a, "%llu parts of the file could not be read, the first at offset %llu",
				       (unsigned long long)f->code.damaged, (unsigned long long)f->code.damaged_at);
	return cv_arena_printf(a, "%llu containers hold code of its major for other chips only, and NVIDIA does not say that "
			       "it runs here", (unsigned long long)c->open);
}
