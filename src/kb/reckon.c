/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of an answer that no single row holds: what a driver or a toolkit means for the other subjects. */
#include "kb/query_int.h"

#define NAMES_MAX 8

/* The compute capabilities whose row of property is above (sign > 0) or below (sign < 0) version, joined with blanks. */
static const char *ccs_by_driver(struct cv_kb_asking *q, const char *property, const char *version, int sign)
{
	struct cv_kb_iter it = cv_kb_iter(q->kb, "cc", NULL, property);
	const char *branch = cv_ver_prefix(q->a, version, 1), *text = "";
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row)) {
		/* "last" names a branch: every release of it still runs the GPU. */
		int c = cv_ver_cmp(CV_VER_DOTTED, row.value, sign < 0 ? branch : version);

		if (sign < 0 ? c < 0 : c > 0)
			text = cv_arena_printf(q->a, "%s%s%s", text, *text ? " " : "", row.from);
	}
	return text;
}

void cv_kb_reckon_driver(struct cv_kb_asking *q, const char *version)
{
	const char *cuda = cv_kb_value(q->kb, "driver", version, "cuda");
	const char *majors = "", *ptx = cuda ? cv_kb_value(q->kb, "cuda", cuda, "ptx_isa") : NULL;
	struct cv_kb_iter it = cv_kb_iter(q->kb, "cuda", NULL, "floor_driver");
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row))
		if (cv_ver_cmp(CV_VER_DOTTED, version, row.value) >= 0)
			majors = cv_arena_printf(q->a, "%s%s%lld.x", majors, *majors ? " " : "",
						 (long long)cv_ver_part(row.from, 0));
	cv_kb_add_reckoned(q, "runs programs built for CUDA (11 and newer)", majors);
	cv_kb_add_reckoned(q, "newest PTX it can compile (PTX ISA)", ptx ? ptx : "");
	cv_kb_add_reckoned(q, "too new for compute capabilities", ccs_by_driver(q, "last_driver", version, -1));
	cv_kb_add_reckoned(q, "too old for compute capabilities", ccs_by_driver(q, "min_driver", version, 1));
}

/* "2.5.0", "2.5.0 to 2.15.0" for releases of subject for which holds() is true; "" if none. */
typedef bool holds_fn(const struct cv_kb *kb, const char *subject, const char *version, const char *word);

static const char *releases_where(struct cv_kb_asking *q, const char *subject, holds_fn *holds, const char *word)
{
	struct cv_kb_iter it = cv_kb_iter(q->kb, subject, NULL, "release");
	const char *first = NULL, *last = NULL;
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row)) {
		if (!holds(q->kb, subject, row.from, word))
			continue;
		first = first ? first : row.from;
		last = row.from;
	}
	if (!first)
		return "";
	return cv_streq(first, last) ? first : cv_arena_printf(q->a, "%s to %s", first, last);
}

static bool has_variant(const struct cv_kb *kb, const char *subject, const char *version, const char *word)
{
	const char *value = cv_kb_value(kb, subject, version, "variants");

	return value && cv_kb_has_word(value, word);
}

static bool is_for_cuda(const struct cv_kb *kb, const char *subject, const char *version, const char *word)
{
	const char *value = cv_kb_value(kb, subject, version, "cuda");

	return value && cv_streq(value, word);
}

static bool has_python(const struct cv_kb *kb, const char *subject, const char *version, const char *word)
{
	const char *value = cv_kb_value(kb, subject, version, "python");

	return value && cv_kb_has_word(value, word);
}

void cv_kb_reckon_cuda(struct cv_kb_asking *q, const char *version)
{
	const char *xy = cv_ver_prefix(q->a, version, 2), *major = cv_ver_prefix(q->a, version, 1);
	long long x = (long long)cv_ver_part(version, 0), y = (long long)cv_ver_part(version, 1);
	const char *build = cv_arena_printf(q->a, "cu%lld%lld", x, y < 0 ? 0 : y);

	cv_kb_add_reckoned(q, cv_arena_printf(q->a, "torch with a %s build", build),
			   releases_where(q, "torch", has_variant, build));
	cv_kb_add_reckoned(q, cv_arena_printf(q->a, "onnxruntime-gpu for CUDA %s", major),
			   releases_where(q, "onnxruntime-gpu", is_for_cuda, major));
	cv_kb_add_reckoned(q, cv_arena_printf(q->a, "tensorflow for CUDA %s", xy),
			   releases_where(q, "tensorflow", is_for_cuda, xy));
}

void cv_kb_reckon_cc(struct cv_kb_asking *q, const char *cc)
{
	struct cv_kb_iter it = cv_kb_iter(q->kb, "gpu:*", NULL, "cc");
	struct cv_strv names = { 0 };
	struct cv_kb_row row;
	const char *text = "";

	while (cv_kb_next(&it, &row)) {
		const char *name;

		if (cv_ver_cmp(CV_VER_DOTTED, row.value, cc) != 0)
			continue;
		name = cv_kb_value(q->kb, row.subject, NULL, "name");
		if (name && !cv_strv_has(&names, name))
			cv_strv_push(q->a, &names, name);
	}
	for (size_t i = 0; i < names.n && i < NAMES_MAX; i++)
		text = cv_arena_printf(q->a, "%s%s%s", text, *text ? ", " : "", names.v[i]);
	if (names.n > NAMES_MAX)
		text = cv_arena_printf(q->a, "%s and %zu more", text, names.n - NAMES_MAX);
	cv_kb_add_reckoned(q, "GPUs", text);
}

/* The same for Python wheels: where a source names the first release, the rows of single releases need not go that far back. */
static const char *releases_for_python(struct cv_kb_asking *q, const char *subject, const char *minor)
{
	const char *text = releases_where(q, subject, has_python, minor);
	const char *first = cv_kb_value(q->kb, subject, NULL, cv_arena_printf(q->a, "python_first:%s", minor));
	const char *to = strstr(text, " to ");

	if (!first || !*text)
		return text;
	return cv_arena_printf(q->a, "%s to %s", first, to ? to + strlen(" to ") : text);
}

/* A requirement on Python that the newest patch release of minor meets. */
static bool accepts_python(const struct cv_kb *kb, const char *subject, const char *version, const char *word)
{
	const char *spec = cv_kb_value(kb, subject, version, "python_spec");

	return spec && cv_spec_match(cv_str_of(spec), word) == 1;
}

bool cv_kb_reckon_python(struct cv_kb_asking *q, const char *minor)
{
	static const char *const subjects[] = { "torch", "onnxruntime-gpu", "onnxruntime", "tensorflow", "jax", "cupy",
						"triton", "flash-attn" };
	static const char *const accepting[] = { "vllm", "bitsandbytes", "xformers", "tensorrt" };
	size_t before = q->answer->lines.n;

	for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++)
		cv_kb_add_reckoned(q, cv_arena_printf(q->a, "%s with wheels", subjects[i]),
				   releases_for_python(q, subjects[i], minor));
	/* Of these only the requirement is known, not which wheels there are; a free-threaded Python needs wheels of its own. */
	for (size_t i = 0; i < sizeof(accepting) / sizeof(*accepting) && !cv_ends(minor, "t") && q->answer->lines.n > before; i++)
		cv_kb_add_reckoned(q, cv_arena_printf(q->a, "%s that accepts it", accepting[i]),
				   releases_where(q, accepting[i], accepts_python, minor));
	return q->answer->lines.n > before;
}
