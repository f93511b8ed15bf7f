/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix: the table of compatibility of a framework, release by release and build by build, put together from its rows.
 *
 * Of several patch releases of one minor the newest stands for all. The GPUs of Tegra chips are left out: a table of wheels for
 * desktops and servers would otherwise have a hole for every Jetson.
 */
#include "gpucode/match.h"
#include "kb/query_int.h"

#define CCS_MAX 64

/* Where the values of a framework's table are; %s stands for the build. NULL: there are none. */
static const struct spec {
	const char *subject;
	const char *builds;  /* a list of builds, or a prefix of properties whose qualifiers are the builds ("cuda:") */
	const char *cuda, *cudnn, *code, *min_cc;
} specs[] = {
	{ "torch", "variants", NULL, "cudnn:%s", "code:%s", NULL },
	{ "onnxruntime-gpu", NULL, "built_cuda", "cudnn", "code", NULL },
	{ "tensorflow", NULL, "cuda", "cudnn", "code", NULL },
	{ "jax", "cuda:", NULL, "cudnn", "code:%s", "min_cc:%s" },
	{ "cupy", "code:", NULL, "cudnn", NULL, NULL },
};

struct ccs {
	const char *v[CCS_MAX]; /* ascending */
	uint16_t n10[CCS_MAX];
	size_t n;
};

static void collect_ccs(const struct cv_kb *kb, struct ccs *ret)
{
	struct cv_kb_iter it = cv_kb_iter(kb, "gpu:*", NULL, "cc");
	struct cv_kb_row row;

	ret->n = 0;
	while (cv_kb_next(&it, &row)) {
		size_t at = ret->n;
		uint16_t cc;
		bool have = false;

		if (cv_starts(row.subject, "gpu:tegra") || cv_starts(row.subject, "gpu:name:jetson") || !cv_gpu_cc_parse(row.value, &cc))
			continue;
		for (size_t i = 0; i < ret->n; i++)
			have |= ret->n10[i] == cc;
		if (have || ret->n == CCS_MAX)
			continue;
		for (; at > 0 && ret->n10[at - 1] > cc; at--) {
			ret->n10[at] = ret->n10[at - 1];
			ret->v[at] = ret->v[at - 1];
		}
		ret->n10[at] = cc;
		ret->v[at] = row.value;
		ret->n++;
	}
}

static bool serves(const char *code, uint16_t cc)
{
	struct cv_str rest = cv_str_of(code), w;
	char name[24];

	while (cv_str_word(&rest, &w)) {
		struct cv_gpu_target t;

		if (w.n >= sizeof(name))
			continue;
		memcpy(name, w.p, w.n);
		name[w.n] = '\0';
		if (cv_gpu_target_parse(name, &t) && cv_gpu_target_fit(t, cc) == CV_FIT_YES)
			return true;
	}
	return false;
}

/* PTX without a suffix can be compiled for whatever comes. */
static bool has_open_ptx(const char *code)
{
	struct cv_str rest = cv_str_of(code), w;

	while (cv_str_word(&rest, &w))
		if (cv_str_starts(w, "compute_") && w.p[w.n - 1] >= '0' && w.p[w.n - 1] <= '9')
			return true;
	return false;
}

static void set_gpus(struct cv_kb_asking *q, const struct ccs *ccs, const char *code, struct cv_kb_matrix_row *row)
{
	size_t first = ccs->n, last = 0;

	row->gaps = "";
	for (size_t i = 0; i < ccs->n; i++)
		if (serves(code, ccs->n10[i])) {
			first = first < i ? first : i;
			last = i;
		}
	if (first == ccs->n)
		return;
	row->oldest = ccs->v[first];
	row->newest = ccs->v[last];
	row->ptx = has_open_ptx(code);
	for (size_t i = first; i < last; i++)
		if (!serves(code, ccs->n10[i]))
			row->gaps = cv_arena_printf(q->a, "%s%s%s", row->gaps, *row->gaps ? " " : "", ccs->v[i]);
}

/* "3.10 3.11 3.12 3.13t" as "3.10-3.12"; a list with a hole stays a list. */
static const char *python_range(struct cv_kb_asking *q, const char *list)
{
	const char *first = NULL, *last = NULL, *plain = "", *word;
	long long before = -1;
	bool hole = false;

	for (const char *rest = list; (word = cv_kb_word(q->a, &rest));) {
		if (cv_ends(word, "t"))
			continue;
		hole |= before >= 0 && cv_ver_part(word, 1) != before + 1;
		before = (long long)cv_ver_part(word, 1);
		first = first ? first : word;
		last = word;
		plain = cv_arena_printf(q->a, "%s%s%s", plain, *plain ? " " : "", word);
	}
	if (!first || hole)
		return first ? plain : NULL;
	return cv_streq(first, last) ? first : cv_arena_printf(q->a, "%s-%s", first, last);
}

struct making {
	struct cv_kb_asking *q;
	const struct spec *spec;
	const struct ccs *ccs;
	struct cv_kb_matrix *matrix;
	const char *release;
};

/* The value of a property pattern for a build; its source is noted in row. */
static const char *value_of(struct making *m, const char *pattern, const char *build, struct cv_kb_matrix_row *out)
{
	struct cv_str head = pattern ? cv_str_of(pattern) : (struct cv_str){ "", 0 };
	const char *property = pattern;
	struct cv_kb_row row;

	if (!pattern)
		return NULL;
	if (cv_str_ends(head, "%s"))
		property = cv_arena_printf(m->q->a, "%.*s%s", (int)(head.n - 2), head.p, build ? build : "");
	if (!cv_kb_get(m->q->kb, m->spec->subject, m->release, property, &row))
		return NULL;
	if (!cv_strv_has(&out->sources, row.source))
		cv_strv_push(m->q->a, &out->sources, row.source);
	return row.value;
}

/* "12.8" of "cu128", "13" of "13"; NULL for cpu, rocm, xpu. */
static const char *cuda_of_build(struct cv_arena *a, const char *build)
{
	size_t n = strlen(build);

	if (build[0] >= '0' && build[0] <= '9')
		return build;
	if (!cv_starts(build, "cu") || n < 4 || build[2] < '0' || build[2] > '9')
		return NULL;
	return cv_arena_printf(a, "%.*s.%c", (int)(n - 3), build + 2, build[n - 1]);
}

static void add_build(struct making *m, const char *build)
{
	struct cv_kb_matrix_row out = { .release = m->release, .build = build, .gaps = "" }, *slot;
	struct cv_arena *a = m->q->a;
	const char *code, *python, *floor, *def;

	out.cuda = build ? cuda_of_build(a, build) : NULL;
	if (build && !out.cuda)
		return;
	if (!build) {
		out.cuda = value_of(m, m->spec->cuda, NULL, &out);
		if (!out.cuda)
			out.cuda = value_of(m, "cuda", NULL, &out);
	}
	out.cudnn = value_of(m, m->spec->cudnn, build, &out);
	code = value_of(m, m->spec->code, build, &out);
	if (code)
		set_gpus(m->q, m->ccs, code, &out);
	else
		out.oldest = value_of(m, m->spec->min_cc, build, &out);
	python = value_of(m, "python", NULL, &out);
	out.python = python ? python_range(m->q, python) : NULL;
	floor = out.cuda ? cv_kb_value(m->q->kb, "cuda", out.cuda, "floor_driver") : NULL;
	/* "12" stands for 12.0: the floor is that of the major. */
	out.driver = floor;
	def = cv_kb_value(m->q->kb, m->spec->subject, m->release, "default_cuda");
	out.is_default = def && build && cv_streq(out.cuda, def);
	slot = CV_VEC_PUSH(a, &m->matrix->rows);
	if (slot)
		*slot = out;
}

/* "13.2" as the build cu132 */
static void add_default(struct making *m)
{
	const char *cuda = cv_kb_value(m->q->kb, m->spec->subject, m->release, "default_cuda");

	if (cuda && cv_ver_part(cuda, 1) >= 0)
		add_build(m, cv_arena_printf(m->q->a, "cu%lld%lld", (long long)cv_ver_part(cuda, 0), (long long)cv_ver_part(cuda, 1)));
}

static void add_builds(struct making *m)
{
	const char *builds = m->spec->builds, *list, *word;
	struct cv_kb_iter it;
	struct cv_kb_row row;

	if (!builds) {
		add_build(m, NULL);
		return;
	}
	if (!cv_ends(builds, ":")) {
		list = cv_kb_value(m->q->kb, m->spec->subject, m->release, builds);
		for (const char *rest = list ? list : ""; (word = cv_kb_word(m->q->a, &rest));)
			add_build(m, word);
		/* Where the vendor's index is not known, the build of the package index still is. */
		if (!list)
			add_default(m);
		return;
	}
	it = cv_kb_iter(m->q->kb, m->spec->subject, m->release, cv_arena_printf(m->q->a, "%s*", builds));
	while (cv_kb_next(&it, &row))
		add_build(m, row.property + strlen(builds));
}

static bool is_same_minor(const char *a, const char *b)
{
	return cv_ver_part(a, 0) == cv_ver_part(b, 0) && cv_ver_part(a, 1) == cv_ver_part(b, 1);
}

/* Releases from the newest down, of each minor the newest; only those that begin with prefix. */
static struct cv_strv releases_of(struct cv_kb_asking *q, const char *subject, const char *prefix)
{
	struct cv_kb_iter it = cv_kb_iter(q->kb, subject, NULL, "release");
	struct cv_strv up = { 0 }, down = { 0 };
	size_t n = strlen(prefix);
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row)) {
		bool pre = cv_ver_is_pre(row.from);

		if (pre || (n && (strncmp(row.from, prefix, n) != 0 || (row.from[n] && row.from[n] != '.'))))
			continue;
		/* A whole version asks for each of its minor's releases. */
		if (up.n && !strchr(prefix, '.') && is_same_minor(up.v[up.n - 1], row.from))
			up.v[up.n - 1] = row.from;
		else
			cv_strv_push(q->a, &up, row.from);
	}
	for (size_t i = up.n; i > 0; i--)
		cv_strv_push(q->a, &down, up.v[i - 1]);
	return down;
}

static const struct spec *spec_of(const char *subject)
{
	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++)
		if (cv_streq(specs[i].subject, subject))
			return &specs[i];
	return NULL;
}

void cv_kb_answer_matrix(struct cv_kb_asking *q, const char *words)
{
	const char *rest = words, *subject = cv_kb_word(q->a, &rest), *prefix = cv_kb_word(q->a, &rest);
	struct cv_kb_matrix *matrix = CV_NEW(q->a, struct cv_kb_matrix);
	struct ccs *ccs = CV_NEW(q->a, struct ccs);
	struct cv_kb_answer *ans = q->answer;
	struct cv_strv releases;

	ans->title = subject ? cv_arena_printf(q->a, "%s: what goes with what", subject) : "matrix";
	ans->reach = CV_KB_NO_SUBJECT;
	if (!subject || !spec_of(subject) || !matrix || !ccs) {
		struct cv_strv names = { 0 };
		const char *near;

		for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++)
			cv_strv_push(q->a, &names, specs[i].subject);
		near = subject ? cv_kb_nearest(subject, &names) : NULL;
		ans->note = !subject ? "ask for one of these" :
				      cv_arena_printf(q->a, "there is no table for '%s'%s%s%s", subject, near ? "; did you mean '" : "",
						      near ? near : "", near ? "'?" : "");
		ans->candidates = names;
		return;
	}
	collect_ccs(q->kb, ccs);
	matrix->subject = subject;
	releases = releases_of(q, subject, prefix ? prefix : "");
	for (size_t i = 0; i < releases.n; i++) {
		struct making m = { q, spec_of(subject), ccs, matrix, releases.v[i] };

		add_builds(&m);
	}
	ans->subject = subject;
	ans->version = prefix;
	ans->found = matrix->rows.n > 0;
	ans->matrix = matrix;
	ans->reach = ans->found ? CV_KB_LISTED : prefix ? cv_kb_reach(q->kb, subject, prefix) : CV_KB_UNLISTED;
	if (!ans->found)
		ans->note = cv_arena_printf(q->a, "this knowledge base (%s) has no release %s of %s%s", cv_kb_date(q->kb), prefix ? prefix : "",
					    subject, ans->reach == CV_KB_NEWER ? ": it is newer" : "");
}
