/* SPDX-License-Identifier: Apache-2.0 */
/* Evidence: fact, value and source side by side where they fit, otherwise the source on a line of its own. */
#include "report/check.h"

#include "base/str.h"
#include "report/text.h"

/* Where the columns of value and source begin; a text too long for its column pushes what follows to the next line. */
struct evidence_cols {
	size_t value, source;
};

#define FACT_MAX 30
#define VALUE_MAX 34

static struct evidence_cols evidence_cols(const struct cv_finding *f, size_t indent)
{
	size_t fact = 0, value = 0;

	for (size_t i = 0; i < f->evidence.n; i++) {
		const struct cv_evidence *e = &f->evidence.v[i];
		size_t fw = cv_text_width(e->fact), vw = cv_text_width(e->value ? e->value : "?");

		if (fw > fact && fw <= FACT_MAX)
			fact = fw;
		if (vw > value && vw <= VALUE_MAX)
			value = vw;
	}
	return (struct evidence_cols){ indent + fact + 2, indent + fact + 2 + value + 2 };
}

/* A file of an environment, whose path the reader has seen above, is told from site-packages on; -v tells all of it. */
static const char *short_source(const struct cv_check_view *v, const char *source)
{
	static const char *const marks[] = { "/site-packages/", "/dist-packages/" };

	if (!source || v->t->verbose)
		return source;
	for (size_t i = 0; i < v->r->envs.n; i++) {
		if (!cv_starts(source, v->r->envs.v[i].path))
			continue;
		for (size_t k = 0; k < sizeof(marks) / sizeof(marks[0]); k++) {
			const char *at = strstr(source, marks[k]);

			if (at)
				return cv_arena_printf(v->t->scratch, "%s%s", cv_term_dots(v->t), at);
		}
	}
	return source;
}

static void print_one(const struct cv_check_view *v, const struct cv_evidence *e, struct evidence_cols at, size_t indent)
{
	struct cv_term *t = v->t;
	const char *value = e->value ? e->value : "?", *from = short_source(v, e->source);
	bool source = from && *from, beside;

	cv_term_to(t, indent);
	cv_term_put(t, CV_INK_PLAIN, e->fact);
	if (t->col + 2 > at.value)
		cv_term_nl(t);
	cv_term_to(t, at.value);
	beside = source && at.value + cv_text_width(value) + 2 <= at.source && at.source + cv_text_width(from) <= t->width;
	if (!beside) {
		cv_term_wrap(t, at.value, CV_INK_BOLD, value);
		if (!source)
			return;
		cv_term_to(t, indent + 2);
	} else {
		cv_term_put(t, CV_INK_BOLD, value);
		cv_term_to(t, at.source);
	}
	cv_term_wrap(t, indent + 2, CV_INK_DIM, from);
}

void cv_check_print_evidence(const struct cv_check_view *v, const struct cv_finding *f, size_t indent)
{
	struct evidence_cols at = evidence_cols(f, indent);

	for (size_t i = 0; i < f->evidence.n; i++)
		print_one(v, &f->evidence.v[i], at, indent);
}
