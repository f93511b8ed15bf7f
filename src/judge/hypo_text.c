/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sentences of kb: {name} is filled in from the hypothesis, then from the report; [ ... ] falls away where a name in it is not
 * known. Brackets nest.
 */
#include "base/buf.h"
#include "judge/hypo_int.h"

#define SENTENCE_MAX ((size_t)64 << 10)

static const char *value_of(const struct cv_hypo_ctx *x, const struct cv_hyp *h, struct cv_str name)
{
	const char *key = cv_str_dup(x->a, name), *v = cv_map_get(&h->vars, key);

	return v ? v : cv_map_get(&x->vars, key);
}

/* Of a "[part]": is there a {name} that decides on it? "tensorflow[and-cuda]" is what it says. */
static bool has_name(const char *part)
{
	part += strcspn(part, "{]");
	return *part == '{';
}

/* Fills up to the bracket that ends this level. False if a name of this level is not known; the text is read to its end anyway. */
static bool fill(const struct cv_hypo_ctx *x, const struct cv_hyp *h, const char **p, struct cv_buf *out, int depth)
{
	bool known = true;

	while (**p && !(depth && **p == ']')) {
		const char *end;

		if (**p == '[' && depth < 8 && has_name(*p + 1)) {
			size_t before = out->n;

			++*p;
			if (!fill(x, h, p, out, depth + 1) && out->p) {
				out->n = before;
				out->p[before] = '\0';
			}
			if (**p == ']')
				++*p;
			continue;
		}
		if (**p == '{' && (end = strchr(*p, '}')) != NULL) {
			const char *v = value_of(x, h, (struct cv_str){ *p + 1, (size_t)(end - *p - 1) });

			known &= v != NULL;
			cv_buf_puts(out, v ? v : "");
			*p = end + 1;
			continue;
		}
		cv_buf_putc(out, **p);
		++*p;
	}
	return known;
}

bool cv_hypo_fill(const struct cv_hypo_ctx *x, const struct cv_hyp *h, const char *text, const char **ret)
{
	struct cv_buf out;
	bool known;

	cv_buf_init(&out, SENTENCE_MAX);
	known = fill(x, h, &text, &out, 0) && !out.err;
	if (known)
		*ret = cv_arena_strdup(x->a, cv_buf_str(&out));
	cv_buf_release(&out);
	return known;
}
