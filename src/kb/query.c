/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of `cuvet kb`: finds the subject and the version that are meant, then turns their rows into labelled lines. */
#include "kb/query.h"

#include "kb/query_int.h"

#include <stdlib.h>

#define WORDS_MAX 16

/* Other ways to write a subject. */
static const struct alias {
	const char *word, *subject;
} aliases[] = {
	{ "pytorch", "torch" }, { "ort", "onnxruntime-gpu" }, { "tf", "tensorflow" }, { "toolkit", "cuda" }, { "sm", "cc" },
	{ "ort-gpu", "onnxruntime-gpu" }, { "trt", "tensorrt" },	{ "flash-attention", "flash-attn" }, { "claim", "claims" },
	{ "l4t", "jetson" },	{ "bnb", "bitsandbytes" },	{ "images", "image" }, { "errors", "error" }, { "container", "image" },
};

/* Is to the next version of from in its last component? "9.1.0" and "9.1.1", "535" and "536". */
static bool is_one_step(const char *from, const char *to)
{
	unsigned n = 0;

	while (cv_ver_part(from, n) >= 0)
		n++;
	for (unsigned i = 0; i + 1 < n; i++)
		if (cv_ver_part(from, i) != cv_ver_part(to, i))
			return false;
	return n && cv_ver_part(to, n) < 0 && cv_ver_part(to, n - 1) == cv_ver_part(from, n - 1) + 1;
}

/* "2.9.0", "2.9.0 to before 2.10.0", "" */
static const char *interval_text(struct cv_arena *a, const struct cv_kb_row *row)
{
	const char *to = row->to;

	if (!row->from[0] && !row->to[0])
		return "";
	if (cv_streq(to, "="))
		return row->from;
	/* An end of "2.10.0.dev0" only keeps pre-releases out. */
	if (cv_ends(to, ".dev0"))
		to = cv_str_dup(a, cv_str_sub(cv_str_of(to), 0, strlen(to) - 5));
	if (!to[0])
		return cv_arena_printf(a, "%s and newer", row->from);
	if (is_one_step(row->from, to))
		return row->from;
	if (!row->from[0])
		return cv_arena_printf(a, "before %s", to);
	return cv_arena_printf(a, "%s to before %s", row->from, to);
}

void cv_kb_add_row(struct cv_kb_asking *q, const char *label, const struct cv_kb_row *row)
{
	struct cv_kb_line *line = CV_VEC_PUSH(q->a, &q->answer->lines);
	struct cv_kb_source source = { .title = "", .address = "" };

	if (!line)
		return;
	(void)cv_kb_source(q->kb, row->source, &source);
	*line = (struct cv_kb_line){
		.label = label,
		.value = row->value,
		.for_what = interval_text(q->a, row),
		.row = *row,
		.title = source.title,
		.address = source.address,
	};
}

void cv_kb_add_reckoned(struct cv_kb_asking *q, const char *label, const char *value)
{
	struct cv_kb_line *line = value[0] ? CV_VEC_PUSH(q->a, &q->answer->lines) : NULL;

	if (line)
		*line = (struct cv_kb_line){ .label = label, .value = value, .for_what = "", .title = "", .address = "" };
}

/* Rows that are data for reckoning, not for reading. */
static bool is_hidden(const char *property, bool brief)
{
	return cv_streq(property, "release") || cv_starts(property, "python_first:") || (brief && cv_starts(property, "code_lib:"));
}

/* A row on its way into an answer: its place in the order of labels[]. */
struct placed {
	struct cv_kb_row row;
	size_t place, nth;
};

static int cmp_placed(const void *pa, const void *pb)
{
	const struct placed *a = pa, *b = pb;
	int c = (a->place > b->place) - (a->place < b->place);

	return c ? c : (a->nth > b->nth) - (a->nth < b->nth);
}

struct placed_list {
	CV_VEC(struct placed) v;
};

static void place(struct cv_kb_asking *q, struct placed_list *list, const struct cv_kb_row *row)
{
	struct placed *p = CV_VEC_PUSH(q->a, &list->v);

	if (p)
		*p = (struct placed){ .row = *row, .place = cv_kb_label_place(row->subject, row->property), .nth = list->v.n };
}

/* Adds them in the order of labels[], those of one label in the order of the kb. */
static void add_placed(struct cv_kb_asking *q, struct placed_list *list)
{
	if (list->v.n)
		qsort(list->v.v, list->v.n, sizeof(*list->v.v), cmp_placed);
	for (size_t i = 0; i < list->v.n; i++) {
		const struct cv_kb_row *row = &list->v.v[i].row;

		cv_kb_add_row(q, cv_kb_label(q, row->subject, row->property), row);
	}
}

static bool is_of_build(const char *property, const char *build)
{
	const char *of = cv_kb_qualifier(property);

	return !build || !of || cv_streq(of, build);
}

static void add_rows(struct cv_kb_asking *q, const char *subject, const char *version, const char *build, bool brief)
{
	struct cv_kb_iter it = cv_kb_iter(q->kb, subject, version, NULL);
	struct placed_list list = { 0 };
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row))
		if (!is_hidden(row.property, brief) && is_of_build(row.property, build))
			place(q, &list, &row);
	add_placed(q, &list);
}

void cv_kb_add_rows(struct cv_kb_asking *q, const char *subject, const char *version, const char *build)
{
	add_rows(q, subject, version, build, false);
}

/* Is part the beginning of whole, component by component, and shorter? "2.9" of "2.9.1". */
static bool is_shorter_version(const char *part, const char *whole)
{
	size_t n = strlen(part);

	return strncmp(part, whole, n) == 0 && whole[n] == '.';
}

/* "2.9" means a minor: the newest release that begins so. NULL if none does. */
static const char *newest_with_prefix(const struct cv_kb *kb, const char *subject, const char *version)
{
	struct cv_kb_iter it = cv_kb_iter(kb, subject, NULL, "release");
	const char *newest = NULL;
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row))
		if (is_shorter_version(version, row.from))
			newest = row.from;
	return newest;
}

bool cv_kb_has_rows(const struct cv_kb *kb, const char *subject, const char *property)
{
	struct cv_kb_iter it = cv_kb_iter(kb, subject, NULL, property);
	struct cv_kb_row row;

	return cv_kb_next(&it, &row);
}

static const char *edge_release(const struct cv_kb *kb, const char *subject, bool newest)
{
	enum cv_ver_scheme scheme = cv_kb_scheme(kb, subject);
	struct cv_kb_iter it = cv_kb_iter(kb, subject, NULL, cv_kb_has_rows(kb, subject, "release") ? "release" : NULL);
	const char *edge = NULL;
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row)) {
		int c = edge ? cv_ver_cmp(scheme, row.from, edge) : 0;

		if (!edge || (newest ? c > 0 : c < 0))
			edge = row.from;
	}
	return edge ? edge : "";
}

static const char *reach_note(struct cv_kb_asking *q, const char *subject, const char *version, enum cv_kb_reach reach)
{
	const char *what = cv_arena_printf(q->a, "%s %s", subject, version);
	const char *kb = cv_arena_printf(q->a, "this knowledge base (%s)", cv_kb_date(q->kb));

	switch (reach) {
	case CV_KB_NEWER:
		return cv_arena_printf(q->a, "%s is newer than %s, which ends at %s", what, kb, edge_release(q->kb, subject, true));
	case CV_KB_OLDER:
		return cv_arena_printf(q->a, "%s is older than %s, which begins at %s", what, kb, edge_release(q->kb, subject, false));
	case CV_KB_UNLISTED:
		return cv_arena_printf(q->a, "%s is not among the releases of %s", what, kb);
	case CV_KB_LISTED:
	case CV_KB_NO_SUBJECT:
		break;
	}
	return NULL;
}

static void add_releases(struct cv_kb_asking *q, const char *subject, const char *prefix)
{
	struct cv_kb_iter it = cv_kb_iter(q->kb, subject, NULL, "release");
	const char *text = "";
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row))
		if (!prefix || is_shorter_version(prefix, row.from))
			text = cv_arena_printf(q->a, "%s%s%s", text, *text ? " " : "", row.from);
	cv_kb_add_reckoned(q, "releases", text);
}

static bool has_line(const struct cv_kb_answer *ans, const char *property)
{
	for (size_t i = 0; i < ans->lines.n; i++)
		if (ans->lines.v[i].row.subject && cv_streq(ans->lines.v[i].row.property, property))
			return true;
	return false;
}

/* A minor is asked for: what no row says of its newest release, the newest one that has a row says. */
static void add_older(struct cv_kb_asking *q, const char *subject, const char *prefix, const char *build)
{
	struct cv_kb_iter it = cv_kb_iter(q->kb, subject, NULL, NULL);
	struct placed_list list = { 0 };
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row)) {
		struct placed *last = list.v.n ? &list.v.v[list.v.n - 1] : NULL;

		if (!is_shorter_version(prefix, row.from) || is_hidden(row.property, true) || !is_of_build(row.property, build) ||
		    has_line(q->answer, row.property))
			continue;
		/* Rows of one property follow each other, the newest last. */
		if (last && cv_streq(last->row.property, row.property))
			last->row = row;
		else
			place(q, &list, &row);
	}
	add_placed(q, &list);
}

/* The numbers that libraries give their versions: 91002, 12080, 22703. NULL if it is not one. */
static const char *version_of_number(struct cv_arena *a, const char *subject, const char *text)
{
	uint64_t n, wide;

	if (!cv_str_u64(cv_str_of(text), &n) || n < 1000 || n > 999999)
		return NULL;
	if (cv_streq(subject, "cuda"))
		return cv_arena_printf(a, "%llu.%llu", (unsigned long long)(n / 1000), (unsigned long long)(n % 1000 / 10));
	/* cuDNN from 9 and NCCL from 2.9 on have two digits for the minor, before them one. */
	if (cv_streq(subject, "cudnn"))
		wide = n >= 90000 ? 10000 : 1000;
	else if (cv_streq(subject, "nccl"))
		wide = n >= 20900 ? 10000 : 1000;
	else
		return NULL;
	return cv_arena_printf(a, "%llu.%llu.%llu", (unsigned long long)(n / wide), (unsigned long long)(n % wide / 100),
			       (unsigned long long)(n % 100));
}

static void reckon_more(struct cv_kb_asking *q, const char *subject, const char *version)
{
	if (cv_streq(subject, "driver") && q->answer->reach != CV_KB_NEWER)
		cv_kb_reckon_driver(q, version);
	if (cv_streq(subject, "cuda") && q->answer->reach == CV_KB_LISTED)
		cv_kb_reckon_cuda(q, version);
	if (cv_streq(subject, "cc") && q->answer->reach == CV_KB_LISTED)
		cv_kb_reckon_cc(q, version);
}

void cv_kb_answer_version(struct cv_kb_asking *q, const char *subject, const char *asked)
{
	struct cv_kb_answer *ans = q->answer;
	bool pep440 = cv_kb_scheme(q->kb, subject) == CV_VER_PEP440;
	const char *build = pep440 ? cv_ver_local(q->a, asked) : NULL;
	const char *version = build ? cv_ver_public(q->a, asked) : asked;
	const char *newest = newest_with_prefix(q->kb, subject, version), *prefix = version;
	const char *number = newest ? NULL : version_of_number(q->a, subject, version);

	if (number)
		cv_kb_add_reckoned(q, cv_arena_printf(q->a, "the number %s", version), cv_arena_printf(q->a, "version %s", number));
	if (newest)
		add_releases(q, subject, version);
	version = newest ? newest : number ? number : version;
	ans->reach = cv_kb_reach(q->kb, subject, version);
	ans->title = build ? cv_arena_printf(q->a, "%s %s, build %s", subject, version, build) :
			     cv_arena_printf(q->a, "%s %s", subject, version);
	ans->note = reach_note(q, subject, version, ans->reach);
	add_rows(q, subject, version, build, newest != NULL);
	if (newest)
		add_older(q, subject, prefix, build);
	reckon_more(q, subject, version);
	ans->found = ans->reach == CV_KB_LISTED || (ans->reach == CV_KB_UNLISTED && ans->lines.n > 0);
}

static void answer_python(struct cv_kb_asking *q, const char *asked)
{
	const char *minor = cv_ver_prefix(q->a, asked, 2);

	/* "3.13t" keeps its letter: free-threaded wheels are others. */
	if (cv_ends(asked, "t"))
		minor = cv_arena_printf(q->a, "%st", minor);
	q->answer->title = cv_arena_printf(q->a, "Python %s", minor);
	cv_kb_add_rows(q, "python", cv_ver_prefix(q->a, asked, 2), NULL);
	q->answer->found = cv_kb_reckon_python(q, minor);
	q->answer->reach = q->answer->found ? CV_KB_LISTED : CV_KB_UNLISTED;
	if (!q->answer->found)
		q->answer->note = cv_arena_printf(q->a, "no release in this knowledge base (%s) has wheels for Python %s",
						  cv_kb_date(q->kb), minor);
}

static void answer_gpu_found(struct cv_kb_asking *q, const struct cv_kb_gpu *gpu)
{
	q->answer->subject = gpu->subject;
	q->answer->title = gpu->name;
	q->answer->found = true;
	q->answer->reach = CV_KB_LISTED;
	cv_kb_add_rows(q, gpu->subject, NULL, NULL);
	if (gpu->cc)
		cv_kb_add_rows(q, "cc", gpu->cc, NULL);
}

static void answer_gpu(struct cv_kb_asking *q, const char *name)
{
	struct cv_kb_answer *ans = q->answer;
	struct cv_strv candidates = { 0 };
	struct cv_kb_gpu gpu;
	const char *colon = strchr(name, ':');
	bool is_id = colon && colon - name == 4 && strlen(colon + 1) == 4;
	int err;

	ans->title = name;
	if (is_id) {
		err = cv_kb_gpu_by_pci(q->kb, cv_arena_memdup(q->a, name, 4), colon + 1, &gpu) ? 0 : CV_ENOENT;
	} else {
		err = cv_kb_gpu_by_name(q->kb, name, q->a, &candidates, &gpu);
	}
	if (!err) {
		answer_gpu_found(q, &gpu);
		if (candidates.n > 1)
			ans->candidates = candidates;
		return;
	}
	ans->candidates = candidates;
	ans->reach = err == CV_EINVAL ? CV_KB_UNLISTED : CV_KB_NO_SUBJECT;
	if (err == CV_EINVAL)
		ans->note = cv_arena_printf(q->a, "'%s' can mean GPUs of different compute capability: say which", name);
	else
		ans->note = cv_arena_printf(q->a, "'%s' is not among the GPUs of this knowledge base (%s)", name,
					    cv_kb_date(q->kb));
}

static void answer_package(struct cv_kb_asking *q, const char *name, const char *version)
{
	const char *subject = cv_arena_printf(q->a, "package:%s", cv_pep503(q->a, cv_str_of(name))), *library;

	if (!cv_kb_has_rows(q->kb, subject, NULL)) {
		cv_kb_answer_nothing(q, name);
		return;
	}
	q->answer->subject = subject;
	library = cv_kb_value(q->kb, subject, NULL, "library");
	if (version && library) {
		q->answer->subject = library;
		cv_kb_answer_version(q, library, version);
		return;
	}
	if (version && cv_kb_has_rows(q->kb, subject, "release")) {
		cv_kb_answer_version(q, subject, version);
		q->answer->title = cv_arena_printf(q->a, "package %s %s", subject + strlen("package:"), version);
		return;
	}
	q->answer->title = cv_arena_printf(q->a, "package %s", subject + strlen("package:"));
	q->answer->reach = CV_KB_LISTED;
	q->answer->found = true;
	add_releases(q, subject, NULL);
	cv_kb_add_rows(q, subject, NULL, NULL);
}

static void answer_var(struct cv_kb_asking *q, const char *name)
{
	struct cv_kb_row row;

	q->answer->title = cv_arena_printf(q->a, "environment variable %s", name);
	q->answer->found = cv_kb_get(q->kb, "var", NULL, cv_arena_printf(q->a, "steering:%s", name), &row);
	q->answer->reach = q->answer->found ? CV_KB_LISTED : CV_KB_UNLISTED;
	if (q->answer->found)
		cv_kb_add_row(q, "read by", &row);
	else
		q->answer->note = cv_arena_printf(q->a, "'%s' is not among the variables of this knowledge base (%s)", name,
						  cv_kb_date(q->kb));
}

void cv_kb_answer_list(struct cv_kb_asking *q, const char *subject)
{
	const char *newest = edge_release(q->kb, subject, true);

	q->answer->title = subject;
	q->answer->found = true;
	q->answer->reach = CV_KB_LISTED;
	add_releases(q, subject, NULL);
	/* A GPU of the list, or what the newest release of it has. */
	if (!cv_streq(subject, "cc"))
		add_rows(q, subject, newest[0] ? newest : NULL, NULL, true);
	else
		for (struct cv_kb_iter it = cv_kb_iter(q->kb, "cc", NULL, "arch");;) {
			struct cv_kb_row row;

			if (!cv_kb_next(&it, &row))
				break;
			cv_kb_add_row(q, row.from, &row);
		}
}

/* "manylinux_2_28_x86_64", "2_28" and "manylinux2014" are versions of glibc. */
static const char *manylinux_version(struct cv_kb_asking *q, const char *text)
{
	struct cv_kb_iter it = cv_kb_iter(q->kb, "manylinux", NULL, "alias");
	struct cv_kb_row row;
	char *v;

	while (cv_kb_next(&it, &row))
		if (cv_starts(text, row.value) || cv_streq(text, row.value + strlen("manylinux")))
			return row.from;
	if (cv_starts(text, "manylinux_"))
		text += strlen("manylinux_");
	v = cv_arena_strdup(q->a, text);
	for (char *c = v; *c; c++)
		if (*c == '_')
			*c = c == strchr(v, '_') && c[1] >= '0' && c[1] <= '9' && !memchr(v, '.', (size_t)(c - v)) ? '.' : '\0';
	return v;
}

/* Subjects that are asked in a way of their own. */
static const struct way {
	const char *subject;
	void (*answer)(struct cv_kb_asking *q, const char *rest);
	bool alone; /* also without further words */
} ways[] = {
	{ "gpu", answer_gpu, false },		     { "python", answer_python, false },
	{ "var", answer_var, false },		     { "error", cv_kb_answer_error, true },
	{ "jetpack", cv_kb_answer_jetpack, false },  { "claims", cv_kb_answer_claims, true },
	{ "image", cv_kb_answer_image, true },	     { "matrix", cv_kb_answer_matrix, true },
};
static const char *const families[] = { "cloud", "conda", "distro" };

/* A name that says by itself what it is: CUDA_ERROR_NO_DEVICE, nvidia/cuda:12.4.1-base-ubuntu22.04 */
static const char *implied_way(const char *word)
{
	static const char *const errors[] = { "CUDA_ERROR_", "cudaError", "CUDNN_STATUS_", "CUBLAS_STATUS_", "NVML_ERROR_", "nccl" };

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (cv_starts(word, errors[i]) && strlen(word) > strlen("nccl"))
			return "error";
	return strchr(word, '/') ? "image" : NULL;
}

static bool answer_own_way(struct cv_kb_asking *q, const char *subject, const char *rest)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (cv_streq(subject, ways[i].subject) && (rest[0] || ways[i].alone)) {
			ways[i].answer(q, rest);
			return true;
		}
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (cv_streq(subject, families[i])) {
			cv_kb_answer_family(q, subject, rest);
			return true;
		}
	return false;
}

static void answer(struct cv_kb_asking *q, const char *subject, const char *rest)
{
	const char *way = cv_kb_has_rows(q->kb, subject, NULL) ? NULL : implied_way(subject);

	q->answer->subject = subject;
	q->answer->version = rest[0] ? rest : NULL;
	if (way)
		answer_own_way(q, way, rest[0] ? cv_arena_printf(q->a, "%s %s", subject, rest) : subject);
	else if (answer_own_way(q, subject, rest))
		return;
	else if (cv_streq(subject, "package") && rest[0])
		answer_package(q, rest, NULL);
	else if (cv_kb_has_rows(q->kb, subject, "release") || cv_streq(subject, "cc"))
		rest[0] ? cv_kb_answer_version(q, subject, rest) : cv_kb_answer_list(q, subject);
	else
		answer_package(q, subject, rest[0] ? rest : NULL);
}

/* "torch==2.9" is "torch 2.9"; the rest of the words are one, as GPU names have blanks. */
static void split_question(struct cv_arena *a, const char *const *words, size_t n, const char **ret_subject,
			   const char **ret_rest)
{
	const char *eq = strstr(words[0], "=="), *rest = eq ? eq + 2 : "";
	const char *subject = eq ? cv_arena_memdup(a, words[0], (size_t)(eq - words[0])) : words[0];

	for (size_t i = 1; i < n; i++)
		rest = cv_arena_printf(a, "%s%s%s", rest, *rest ? " " : "", words[i]);
	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
		if (cv_streq(subject, aliases[i].word))
			subject = aliases[i].subject;
	*ret_subject = subject;
	*ret_rest = rest;
}

int cv_kb_ask(const struct cv_kb *kb, const char *const *words, size_t n, struct cv_arena *a, struct cv_diag *d,
	      const struct cv_kb_answer **ret)
{
	struct cv_kb_answer *ans = CV_NEW(a, struct cv_kb_answer);
	struct cv_kb_asking q = { .kb = kb, .a = a, .answer = ans };
	const char *subject, *rest;

	if (!ans)
		return CV_ENOMEM;
	if (!n || !words[0][0] || n > WORDS_MAX)
		return cv_diag_fail(d, CV_EINVAL, "kb: ask for a subject and a version, such as 'torch 2.9' or 'gpu RTX 4090'");
	split_question(a, words, n, &subject, &rest);
	if (cv_streq(subject, "manylinux") || cv_starts(subject, "manylinux_") || cv_starts(subject, "manylinux2")) {
		rest = manylinux_version(&q, rest[0] || cv_streq(subject, "manylinux") ? rest : subject);
		subject = "manylinux";
	}
	if (cv_kb_has_rows(kb, subject, "release") && rest[0] && !cv_ver_valid(cv_kb_scheme(kb, subject), rest))
		return cv_diag_fail(d, CV_EINVAL, "kb: '%s' is not a version of %s", rest, subject);
	answer(&q, subject, rest);
	if (cv_arena_failed(a))
		return CV_ENOMEM;
	*ret = ans;
	return 0;
}
