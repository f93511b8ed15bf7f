/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GPU code for people: one table, files down and GPUs across; below it the code lists. Many GPUs are split over several tables
 * of GPUS_ACROSS columns.
 */
#include "report/arch.h"

#include "base/str.h"

#define SCRATCH_MAX ((size_t)64 << 20)
#define INDENT 2
#define GPUS_ACROSS 4
#define NAME_MAX_COLS 32

static enum cv_ink cover_ink(enum cv_coverage c)
{
	switch (c) {
	case CV_COVER_NATIVE:
		return CV_INK_OK;
	case CV_COVER_PTX_JIT:
		return CV_INK_PLAIN;
	case CV_COVER_PARTIAL:
		return CV_INK_WARNING;
	case CV_COVER_NONE:
		return CV_INK_ERROR;
	case CV_COVER_NO_CODE:
		break;
	}
	return CV_INK_DIM;
}

/* The GPUs by name, so that the columns can do with the number. */
static void print_legend(const struct cv_arch *r, struct cv_term *t)
{
	struct cv_table tab;

	cv_table_init(&tab, t, INDENT, 2);
	for (size_t i = 0; i < r->gpus.n; i++) {
		if (!r->gpus.v[i].name)
			continue;
		cv_table_add(&tab, CV_INK_BOLD, r->gpus.v[i].cc);
		cv_table_add(&tab, CV_INK_PLAIN, r->gpus.v[i].name);
	}
	if (tab.cells.n) {
		cv_table_print(&tab);
		cv_term_nl(t);
	}
}

static const char *cover_text(struct cv_arena *a, const struct cv_cover *c)
{
	if (c->verdict == CV_COVER_NO_CODE)
		return "no GPU code";
	return cv_arena_printf(a, "%s %llu", cv_report_coverage_word(c->verdict), (unsigned long long)(c->native + c->jit));
}

/* A name that is too long loses its middle: the end tells versions apart. */
static const char *short_name(struct cv_term *t, const char *path)
{
	const char *name = cv_basename(path);
	size_t n = strlen(name), tail = NAME_MAX_COLS / 3, head = NAME_MAX_COLS - tail - 3;

	if (n <= NAME_MAX_COLS)
		return name;
	return cv_arena_printf(t->scratch, "%.*s...%s", (int)head, name, name + n - tail);
}

static void print_table(const struct cv_arch *r, struct cv_term *t, size_t first)
{
	size_t n = r->gpus.n - first < GPUS_ACROSS ? r->gpus.n - first : GPUS_ACROSS;
	struct cv_table tab;

	cv_table_init(&tab, t, INDENT, n + 2);
	cv_table_add(&tab, CV_INK_DIM, "containers with code for");
	for (size_t i = 0; i < n; i++)
		cv_table_add(&tab, CV_INK_BOLD, r->gpus.v[first + i].cc);
	cv_table_add(&tab, CV_INK_DIM, "of");
	for (size_t k = 0; k < r->files.n; k++) {
		const struct cv_arch_file *f = &r->files.v[k];

		cv_table_add(&tab, CV_INK_PLAIN, short_name(t, f->path));
		for (size_t i = 0; i < n; i++)
			if (f->error)
				cv_table_add(&tab, CV_INK_WARNING, i ? "" : "unreadable");
			else
				cv_table_add(&tab, cover_ink(f->cover[first + i].verdict),
					     cover_text(t->scratch, &f->cover[first + i]));
		cv_table_add(&tab, CV_INK_DIM,
			     f->error ? "" : cv_arena_printf(t->scratch, "%llu", (unsigned long long)f->cover[first].total));
	}
	cv_table_print(&tab);
	cv_term_nl(t);
}

static const char *list_text(struct cv_arena *a, const struct cv_code_place *place, bool ptx)
{
	size_t n = ptx ? place->ptx.n : place->cubin.n;
	const struct cv_code_count *v = ptx ? place->ptx.v : place->cubin.v;
	const char *text = "";

	for (size_t i = 0; i < n; i++) {
		const char *name = cv_report_target_text(a, v[i].target);

		/* The count tells a stray cubin from a served GPU; it is left out where all containers have the target. */
		if (v[i].n != place->containers)
			name = cv_arena_printf(a, "%s(%llu)", name, (unsigned long long)v[i].n);
		text = cv_arena_printf(a, "%s%s%s", text, i ? " " : "", name);
	}
	return text;
}

static void print_line(struct cv_term *t, const char *label, const char *text)
{
	cv_term_to(t, INDENT * 2);
	cv_term_put(t, CV_INK_DIM, label);
	cv_term_to(t, INDENT * 2 + 12);
	cv_term_wrap(t, INDENT * 2 + 12, CV_INK_PLAIN, text);
}

static void print_code(struct cv_term *t, const struct cv_arch_file *f)
{
	bool elsewhere = cv_gpucode_elsewhere_decides(&f->code);
	const struct cv_code_place *place = elsewhere ? &f->code.elsewhere : &f->code.own;

	cv_term_to(t, INDENT);
	cv_term_wrap(t, INDENT + 2, CV_INK_BOLD, f->path);
	if (f->error) {
		print_line(t, "unreadable", f->error);
		return;
	}
	if (place->containers == 0) {
		print_line(t, "code", "none");
		return;
	}
	print_line(t, "containers",
		   cv_arena_printf(t->scratch, "%llu%s%s", (unsigned long long)place->containers,
				   elsewhere ? ", outside of the usual sections" : "",
				   f->code.damaged ? cv_arena_printf(t->scratch, ", %llu damaged (the first at offset %llu)",
								     (unsigned long long)f->code.damaged,
								     (unsigned long long)f->code.damaged_at) :
						     ""));
	if (place->cubin.n)
		print_line(t, "cubin", list_text(t->scratch, place, false));
	if (place->ptx.n)
		print_line(t, "PTX", list_text(t->scratch, place, true));
}

static void print_tail(const struct cv_arch *r, const struct cv_report_head *head, struct cv_term *t)
{
	cv_term_nl(t);
	if (r->no_gpu)
		cv_term_wrap(t, 0, CV_INK_WARNING, cv_arena_printf(t->scratch, "%s; name one with --gpu or --cc", r->no_gpu));
	if (r->without_code)
		cv_term_wrap(t, 0, CV_INK_DIM,
			     cv_arena_printf(t->scratch, "%zu further libraries hold no GPU code", r->without_code));
	cv_term_printf(t, CV_INK_DIM, "cuvet %s, knowledge base of %s", cv_version(), head->kb_date);
	cv_term_nl(t);
}

int cv_report_arch_terminal(const struct cv_arch *r, const struct cv_report_head *head, const struct cv_style *style,
			    struct cv_buf *out)
{
	struct cv_arena *scratch = cv_arena_new(SCRATCH_MAX);
	struct cv_term t;
	int err;

	if (!scratch)
		return CV_ENOMEM;
	cv_term_init(&t, out, scratch, style);
	print_legend(r, &t);
	for (size_t i = 0; i < r->gpus.n; i += GPUS_ACROSS)
		print_table(r, &t, i);
	for (size_t i = 0; i < r->files.n; i++)
		print_code(&t, &r->files.v[i]);
	print_tail(r, head, &t);
	err = cv_arena_failed(scratch) ? CV_ENOMEM : out->err;
	cv_arena_free(scratch);
	return err;
}
