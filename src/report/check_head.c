/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict in one line, then the machine: system, driver, GPUs. */
#include "report/check.h"

#include "base/str.h"

static const struct {
	const char *word;
	enum cv_ink ink;
} verdicts[] = {
	[CV_VERDICT_OK] = { "ok", CV_INK_OK },
	[CV_VERDICT_PROBLEM] = { "problem", CV_INK_ERROR },
	[CV_VERDICT_CANNOT_TELL] = { "cannot tell", CV_INK_WARNING },
};

#define LABEL_COL 2
#define VALUE_COL 11

static void label(struct cv_term *t, const char *name)
{
	cv_term_to(t, LABEL_COL);
	cv_term_put(t, CV_INK_DIM, name);
	cv_term_to(t, VALUE_COL);
}

/* "a, b, c" of those that are not NULL. */
static const char *join(struct cv_arena *a, const char *const *v, size_t n)
{
	const char *out = "";

	for (size_t i = 0; i < n; i++)
		if (v[i] && *v[i])
			out = *out ? cv_arena_printf(a, "%s, %s", out, v[i]) : v[i];
	return out;
}

static void print_system(const struct cv_check_view *v)
{
	const struct cv_report *r = v->r;
	struct cv_arena *a = v->t->scratch;
	const char *parts[] = {
		r->os ? r->os : "unknown system",
		r->kernel ? cv_arena_printf(a, "kernel %s", r->kernel) : NULL,
		r->glibc ? cv_arena_printf(a, "glibc %s", r->glibc) : NULL,
		r->arch,
		r->kind && !cv_streq(r->kind, "bare") ? r->kind : NULL,
	};

	label(v->t, "machine");
	cv_term_wrap(v->t, VALUE_COL, CV_INK_PLAIN, join(a, parts, sizeof(parts) / sizeof(parts[0])));
}

static const char *module_text(struct cv_arena *a, const struct cv_report_driver *d)
{
	const char *flavour = d->open == CV_TRI_OK ? " (open)" : d->open == CV_TRI_BAD ? " (proprietary)" : "";

	if (d->module)
		return cv_arena_printf(a, "module %s%s", d->module, flavour);
	if (!d->state)
		return "kernel module not known";
	if (cv_streq(d->state, "absent"))
		return "no kernel module";
	if (cv_streq(d->state, "denied"))
		return "kernel module may not be seen";
	if (cv_streq(d->state, "not_asked"))
		return "kernel module not looked at";
	return cv_arena_printf(a, "kernel module %s", d->state);
}

static void print_driver(const struct cv_check_view *v)
{
	const struct cv_report_driver *d = &v->r->driver;
	struct cv_arena *a = v->t->scratch;
	const char *parts[] = {
		module_text(a, d),
		d->library ? cv_arena_printf(a, "libcuda %s", d->library) : d->library_path ? "libcuda of unknown version" : "no libcuda",
		d->cuda_api ? cv_arena_printf(a, "CUDA %s", d->cuda_api) : NULL,
		d->firmware ? cv_arena_printf(a, "GSP firmware %s", d->firmware) : NULL,
	};

	label(v->t, "driver");
	cv_term_wrap(v->t, VALUE_COL, CV_INK_PLAIN, join(a, parts, sizeof(parts) / sizeof(parts[0])));
	if (d->library_path) {
		cv_term_to(v->t, VALUE_COL);
		cv_term_put(v->t, CV_INK_DIM, d->library_path);
		cv_term_nl(v->t);
	}
}

static bool same(const char *a, const char *b)
{
	return (!a && !b) || (a && b && cv_streq(a, b));
}

static bool same_model(const struct cv_report_gpu *a, const struct cv_report_gpu *b)
{
	return same(a->name, b->name) && same(a->cc, b->cc) && a->memory_mib == b->memory_mib && a->visible == b->visible;
}

static const char *memory_text(struct cv_arena *a, uint64_t mib)
{
	if (mib == 0)
		return NULL;
	if (mib < 1024)
		return cv_arena_printf(a, "%u MiB", (unsigned)mib);
	return cv_arena_printf(a, "%u GiB", (unsigned)((mib + 512) / 1024));
}

/* GPUs from..last are alike and told in one line. */
static void print_gpus(const struct cv_check_view *v, size_t from, size_t last)
{
	const struct cv_report_gpu *g = &v->r->gpus.v[from];
	struct cv_arena *a = v->t->scratch;
	const char *parts[] = {
		g->name ? g->name : "NVIDIA GPU of unknown model",
		g->cc ? cv_arena_printf(a, "compute capability %s", g->cc) : "compute capability not known",
		memory_text(a, g->memory_mib),
		last > from ? cv_arena_printf(a, "%u of them", (unsigned)(last - from + 1)) : g->pci,
		g->visible == CV_TRI_BAD ? "hidden from CUDA" : NULL,
	};

	if (last > from)
		label(v->t, cv_arena_printf(a, "GPU %u-%u", (unsigned)from, (unsigned)last));
	else
		label(v->t, cv_arena_printf(a, "GPU %u", (unsigned)from));
	cv_term_wrap(v->t, VALUE_COL, CV_INK_PLAIN, join(a, parts, sizeof(parts) / sizeof(parts[0])));
}

void cv_check_print_head(const struct cv_check_view *v)
{
	const struct cv_report *r = v->r;

	/* "cannot tell whether ..." says it already. */
	if (!cv_starts(r->verdict_line, verdicts[r->verdict].word)) {
		cv_term_put(v->t, verdicts[r->verdict].ink, verdicts[r->verdict].word);
		cv_term_put(v->t, CV_INK_PLAIN, ": ");
	}
	cv_term_wrap(v->t, 2, CV_INK_BOLD, r->verdict_line);
	cv_term_nl(v->t);
	print_system(v);
	print_driver(v);
	for (size_t i = 0; i < r->gpus.n;) {
		size_t last = i;

		while (last + 1 < r->gpus.n && same_model(&r->gpus.v[i], &r->gpus.v[last + 1]))
			last++;
		print_gpus(v, i, last);
		i = last + 1;
	}
	if (r->gpus.n == 0) {
		label(v->t, "GPU");
		cv_term_put(v->t, CV_INK_PLAIN, "none seen");
		cv_term_nl(v->t);
	}
}
