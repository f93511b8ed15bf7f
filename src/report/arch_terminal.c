/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GPU code for people: a sentence for each GPU, the worst first; then one table, files down and GPUs across (or, for a single
 * file, GPUs down); then the code lists, where they are few enough to be read.
 */
#include "report/arch.h"

#include "base/str.h"

#define SCRATCH_MAX ((size_t)256 << 20)
#define INDENT 2
#define NAME_COLS 40 /* longer names are broken */
#define LISTS_MAX 3  /* files up to which their code is listed unasked */

struct page {
	const struct cv_arch *r;
	const char *const *labels;
	struct cv_term *t;
};

static const struct {
	const char *word;
	enum cv_ink ink;
} verdicts[] = {
	[CV_VERDICT_OK] = { "ok", CV_INK_OK },
	[CV_VERDICT_PROBLEM] = { "problem", CV_INK_ERROR },
	[CV_VERDICT_CANNOT_TELL] = { "cannot tell", CV_INK_WARNING },
};

static void print_sentence(struct cv_term *t, enum cv_verdict v, const char *text)
{
	cv_term_put(t, verdicts[v].ink, verdicts[v].word);
	cv_term_put(t, CV_INK_PLAIN, ": ");
	cv_term_wrap(t, INDENT, CV_INK_PLAIN, text);
}

static enum cv_verdict gpu_verdict(const struct cv_arch_sum *s)
{
	return s->none + s->partial ? CV_VERDICT_PROBLEM : s->unknown ? CV_VERDICT_CANNOT_TELL : CV_VERDICT_OK;
}

/* Above 0 if a is worse off than b. */
static int worse(const struct cv_arch *r, size_t a, size_t b)
{
	struct cv_arch_sum x = cv_arch_sum(r, a), y = cv_arch_sum(r, b);
	size_t p[] = { x.none + x.partial, x.none, x.unknown, x.ptx_jit };
	size_t q[] = { y.none + y.partial, y.none, y.unknown, y.ptx_jit };

	for (size_t i = 0; i < sizeof(p) / sizeof(p[0]); i++)
		if (p[i] != q[i])
			return p[i] > q[i] ? 1 : -1;
	return 0;
}

/* Indices of the GPUs, the worst first, otherwise as asked; NULL when out of memory. */
static const size_t *worst_first(const struct cv_arch *r, struct cv_arena *a)
{
	size_t *order = CV_NEW_ARRAY(a, size_t, r->gpus.n + 1);

	for (size_t i = 0; order && i < r->gpus.n; i++) {
		size_t k = i;

		for (; k > 0 && worse(r, i, order[k - 1]) > 0; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	return order;
}

static void print_gpu_sentences(struct page *p)
{
	const size_t *order = worst_first(p->r, p->t->scratch);

	for (size_t i = 0; order && i < p->r->gpus.n; i++) {
		struct cv_arch_sum s = cv_arch_sum(p->r, order[i]);
		enum cv_verdict v = gpu_verdict(&s);
		size_t room = p->t->width > strlen(verdicts[v].word) + 2 ? p->t->width - strlen(verdicts[v].word) - 2 : 1;

		print_sentence(p->t, v, cv_arch_sentence(p->r, order[i], p->labels, room, p->t->scratch));
	}
}

static bool has_code(const struct cv_arch *r)
{
	for (size_t i = 0; i < r->files.n; i++)
		if (!r->files.v[i].error && cv_arch_place(&r->files.v[i])->containers)
			return true;
	return false;
}

static void print_verdict(struct page *p)
{
	const struct cv_arch *r = p->r;
	struct cv_term *t = p->t;
	size_t unreadable = cv_arch_unreadable(r);

	if (r->gpus.n && unreadable < r->files.n)
		print_gpu_sentences(p);
	if (r->no_gpu)
		print_sentence(t, CV_VERDICT_CANNOT_TELL,
			       cv_arena_printf(t->scratch, "%s; name one with --gpu or --cc", r->no_gpu));
	if (unreadable)
		print_sentence(t, CV_VERDICT_CANNOT_TELL,
			       cv_arena_printf(t->scratch, "%zu of %zu files could not be read", unreadable, r->files.n));
	else if (r->files.n == 0 && r->without_code == 0)
		print_sentence(t, CV_VERDICT_OK, "no library was found");
	else if (!has_code(r) && (r->gpus.n == 0 || r->files.n == 0))
		print_sentence(t, CV_VERDICT_OK, "no GPU code");
}

static enum cv_ink cover_ink(const struct cv_cover *c)
{
	if (c->unsettled || c->verdict == CV_COVER_PARTIAL)
		return CV_INK_WARNING;
	return c->verdict == CV_COVER_NATIVE ? CV_INK_OK :
	       c->verdict == CV_COVER_NONE   ? CV_INK_ERROR :
	       c->verdict == CV_COVER_NO_CODE ? CV_INK_DIM : CV_INK_PLAIN;
}

/* In the wide table the usual case is the bare number. */
static const char *cover_text(struct cv_term *t, const struct cv_cover *c)
{
	unsigned long long n = c->native + c->jit;

	if (c->unsettled)
		return "unknown";
	switch (c->verdict) {
	case CV_COVER_NATIVE:
		return cv_arena_printf(t->scratch, "%llu", n);
	case CV_COVER_PTX_JIT:
		return cv_arena_printf(t->scratch, "jit %llu", n);
	case CV_COVER_PARTIAL:
		return cv_arena_printf(t->scratch, "partial %llu", n);
	case CV_COVER_NONE:
		return "none";
	case CV_COVER_NO_CODE:
		break;
	}
	return cv_term_dash(t);
}

/* The next GPU at or behind i whose compute capability has not come yet: equal ones share a column. */
static size_t next_column(const struct cv_arch *r, size_t i)
{
	for (; i < r->gpus.n; i++) {
		size_t k = 0;

		while (k < i && r->gpus.v[k].number != r->gpus.v[i].number)
			k++;
		if (k == i)
			break;
	}
	return i;
}

static void add_row(struct cv_table *tab, struct page *p, size_t file, const size_t *gpus, size_t n)
{
	const struct cv_arch_file *f = &p->r->files.v[file];

	cv_table_add(tab, CV_INK_PLAIN, p->labels[file]);
	for (size_t i = 0; i < n; i++)
		cv_table_add(tab, cover_ink(&f->cover[gpus[i]]), cover_text(p->t, &f->cover[gpus[i]]));
	cv_table_add(tab, CV_INK_DIM, cv_arena_printf(p->t->scratch, "%llu", (unsigned long long)f->cover[gpus[0]].total));
}

static struct cv_table make_table(struct page *p, const size_t *gpus, size_t n)
{
	struct cv_table tab;

	cv_table_init(&tab, p->t, INDENT, n + 2);
	tab.wraps[0] = true;
	cv_table_add(&tab, CV_INK_DIM, "containers for");
	for (size_t i = 0; i < n; i++)
		cv_table_add(&tab, CV_INK_BOLD, p->r->gpus.v[gpus[i]].cc);
	cv_table_add(&tab, CV_INK_DIM, "of");
	for (size_t i = 0; i < p->r->files.n; i++)
		if (!p->r->files.v[i].error)
			add_row(&tab, p, i, gpus, n);
	return tab;
}

static size_t widest_label(const struct page *p)
{
	size_t widest = 0;

	for (size_t i = 0; i < p->r->files.n; i++) {
		size_t w = strlen(p->labels[i]);

		widest = w > widest ? w : widest;
	}
	return widest;
}

static bool any_cover(const struct cv_arch *r, bool unsettled, enum cv_coverage verdict)
{
	for (size_t i = 0; i < r->files.n; i++)
		for (size_t k = 0; !r->files.v[i].error && k < r->gpus.n; k++) {
			const struct cv_cover *c = &r->files.v[i].cover[k];

			if (c->unsettled == unsettled && (unsettled || c->verdict == verdict))
				return true;
		}
	return false;
}

/* What the words of the table mean, where they occur. */
static void print_signs(struct page *p)
{
	const struct {
		bool occurs;
		const char *text;
	} signs[] = {
		{ any_cover(p->r, false, CV_COVER_PTX_JIT), "jit: only PTX, which the driver compiles at first use" },
		{ any_cover(p->r, false, CV_COVER_PARTIAL), "partial: less than 2 % of what the best-served GPU gets" },
		{ any_cover(p->r, true, CV_COVER_NONE), "unknown: damaged, or NVIDIA does not say; --json tells which" },
	};

	for (size_t i = 0, n = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (!signs[i].occurs)
			continue;
		if (n++ == 0)
			cv_term_nl(p->t);
		cv_term_to(p->t, INDENT);
		cv_term_wrap(p->t, INDENT, CV_INK_DIM, signs[i].text);
	}
}

/* As many GPUs across as the line holds, then a table of the next ones. */
static void print_tables(struct page *p)
{
	size_t label = widest_label(p), saved = label > NAME_COLS ? label - NAME_COLS : 0, gpus[CV_TABLE_COLS];

	for (size_t at = next_column(p->r, 0); at < p->r->gpus.n;) {
		struct cv_table tab;
		size_t n = 0, next = at;

		for (; n < CV_TABLE_COLS - 2 && next < p->r->gpus.n; next = next_column(p->r, next + 1))
			gpus[n++] = next;
		for (;; n--) {
			tab = make_table(p, gpus, n);
			if (n == 1 || cv_table_width(&tab) + INDENT <= p->t->width + saved)
				break;
		}
		cv_term_nl(p->t);
		cv_table_print(&tab);
		at = next_column(p->r, gpus[n - 1] + 1);
	}
	print_signs(p);
}

/* One file: a line for each GPU. */
static void print_single(struct page *p)
{
	const struct cv_arch_file *f = &p->r->files.v[0];
	struct cv_term *t = p->t;
	struct cv_table tab;

	if (f->error || cv_arch_place(f)->containers == 0)
		return;
	cv_term_nl(t);
	cv_table_init(&tab, t, INDENT, 4);
	tab.wraps[1] = true;
	for (size_t i = 0; i < p->r->gpus.n; i++) {
		const struct cv_cover *c = &f->cover[i];
		const char *because = cv_arch_because(f, c, t->scratch);

		cv_table_add(&tab, CV_INK_BOLD, p->r->gpus.v[i].cc);
		cv_table_add(&tab, CV_INK_PLAIN, p->r->gpus.v[i].name);
		cv_table_add(&tab, cover_ink(c), cv_arch_cover_word(c));
		cv_table_add(&tab, CV_INK_DIM, because ? because : cv_arena_printf(t->scratch, "%llu of %llu containers",
			(unsigned long long)(c->native + c->jit), (unsigned long long)c->total));
	}
	tab.wraps[3] = true;
	cv_table_print(&tab);
}

/* The GPUs by name, so that the columns can do with the number. */
static void print_legend(struct page *p)
{
	struct cv_table tab;

	cv_table_init(&tab, p->t, INDENT, 2);
	for (size_t i = 0; i < p->r->gpus.n; i++) {
		if (!p->r->gpus.v[i].name)
			continue;
		cv_table_add(&tab, CV_INK_BOLD, p->r->gpus.v[i].cc);
		cv_table_add(&tab, CV_INK_PLAIN, p->r->gpus.v[i].name);
	}
	if (tab.cells.n > 2) {
		cv_term_nl(p->t);
		cv_table_print(&tab);
	}
}

static const char *list_text(struct cv_arena *a, const struct cv_code_place *place, bool ptx)
{
	size_t n = ptx ? place->ptx.n : place->cubin.n;
	const struct cv_code_count *v = ptx ? place->ptx.v : place->cubin.v;
	const char *text = "";

	for (size_t i = 0; i < n; i++) {
		const char *name = cv_arch_target_text(a, v[i].target);

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
	cv_term_to(t, INDENT * 2 + 7);
	cv_term_wrap(t, INDENT * 2 + 7, CV_INK_PLAIN, text);
}

static void print_code(struct cv_term *t, const struct cv_arch_file *f)
{
	const struct cv_code_place *place = cv_arch_place(f);
	const char *text = cv_arena_printf(t->scratch, "%llu containers%s", (unsigned long long)place->containers,
					   cv_gpucode_elsewhere_decides(&f->code) ? " outside of the usual sections" : "");

	cv_term_wrap(t, INDENT + 2, CV_INK_BOLD, f->name);
	print_line(t, "code", place->containers ? text : "none");
	if (f->code.damaged)
		print_line(t, "damage",
			   cv_arena_printf(t->scratch, "%llu parts could not be read, the first at offset %llu",
					   (unsigned long long)f->code.damaged, (unsigned long long)f->code.damaged_at));
	if (place->cubin.n)
		print_line(t, "cubin", list_text(t->scratch, place, false));
	if (place->ptx.n)
		print_line(t, "PTX", list_text(t->scratch, place, true));
}

static bool lists_code(const struct page *p)
{
	return p->t->verbose || p->r->gpus.n == 0 || p->r->files.n <= LISTS_MAX;
}

/* Code lists, and what could not be read, under the directory or wheel that was given. */
static void print_files(struct page *p)
{
	const char *group = NULL;

	for (size_t i = 0; i < p->r->files.n; i++) {
		const struct cv_arch_file *f = &p->r->files.v[i];

		if (!f->error && !lists_code(p))
			continue;
		cv_term_nl(p->t);
		if (f->group && f->group != group) {
			cv_term_to(p->t, INDENT);
			cv_term_wrap(p->t, INDENT, CV_INK_DIM, cv_arena_printf(p->t->scratch, "in %s:", f->group));
			cv_term_nl(p->t);
		}
		group = f->group;
		cv_term_to(p->t, INDENT);
		if (f->error)
			cv_term_wrap(p->t, INDENT, CV_INK_WARNING, f->error);
		else
			print_code(p->t, f);
	}
}

static void print_tail(const struct page *p, const struct cv_report_head *head)
{
	struct cv_term *t = p->t;

	cv_term_nl(t);
	if (!lists_code(p) && has_code(p->r))
		cv_term_wrap(t, 0, CV_INK_DIM, "-v lists the code of each file.");
	if (p->r->without_code)
		cv_term_wrap(t, 0, CV_INK_DIM, cv_arena_printf(t->scratch, "%zu %s no GPU code.", p->r->without_code,
			p->r->without_code == 1 ? "further library holds" : "further libraries hold"));
	cv_term_printf(t, CV_INK_DIM, "cuvet %s, knowledge base of %s", cv_version(), head->kb_date);
	cv_term_nl(t);
}

int cv_report_arch_terminal(const struct cv_arch *r, const struct cv_report_head *head, const struct cv_style *style,
			    struct cv_buf *out)
{
	struct cv_arena *scratch = cv_arena_new(SCRATCH_MAX);
	struct page p = { .r = r };
	struct cv_term t;
	int err;

	if (!scratch)
		return CV_ENOMEM;
	cv_term_init(&t, out, scratch, style);
	p.t = &t;
	p.labels = cv_arch_labels(r, scratch);
	if (p.labels) {
		print_verdict(&p);
		if (r->gpus.n && r->files.n == 1) {
			print_single(&p);
		} else if (r->gpus.n && r->files.n > cv_arch_unreadable(r)) {
			print_legend(&p);
			print_tables(&p);
		}
		print_files(&p);
		print_tail(&p, head);
	}
	err = !p.labels || cv_arena_failed(scratch) ? CV_ENOMEM : out->err;
	cv_arena_free(scratch);
	return err;
}
