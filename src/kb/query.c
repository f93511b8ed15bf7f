/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of `cuvet kb`: finds the subject and the version that are meant, then turns their rows into labelled lines. */
#include "kb/query.h"

#include "kb/query_int.h"

#define WORDS_MAX 16

/* How a property is called in an answer; also the order of the lines. Properties that are not here follow under their name. */
static const struct label {
	const char *subject, *property, *label; /* subject NULL: any */
} labels[] = {
	{ NULL, "name", "name" },
	{ NULL, "arch", "architecture" },
	{ NULL, "tegra", "chip" },
	{ "gpu:*", "cc", "compute capability" },
	{ NULL, "memory_mib", "memory, nominal (MiB)" },
	{ "driver", "cuda", "highest CUDA of its driver API" },
	{ NULL, "designation", "branch" },
	{ NULL, "end_of_life", "end of life" },
	{ NULL, "default_cuda", "CUDA of the wheel on the Python package index" },
	{ NULL, "variants", "builds of the vendor's index" },
	{ NULL, "variants_aarch64", "builds of the vendor's index, aarch64" },
	{ NULL, "cuda", "CUDA" },
	{ NULL, "built_cuda", "built with CUDA" },
	{ NULL, "cudnn", "cuDNN" },
	{ NULL, "code", "GPU code" },
	{ NULL, "code_aarch64", "GPU code, aarch64" },
	{ NULL, "python", "Python with wheels" },
	{ NULL, "python_min", "lowest Python" },
	{ NULL, "min_glibc", "lowest glibc" },
	{ NULL, "glibc_aarch64", "lowest glibc, aarch64" },
	{ NULL, "torchvision", "torchvision" },
	{ NULL, "torchvision_spec", "torchvision" },
	{ NULL, "torchaudio", "torchaudio" },
	{ NULL, "torchaudio_spec", "torchaudio" },
	{ NULL, "triton", "triton" },
	{ NULL, "triton_spec", "triton" },
	{ NULL, "nccl", "NCCL" },
	{ NULL, "toolkit_driver", "driver for all its features" },
	{ NULL, "floor_driver", "oldest driver for its major" },
	{ NULL, "driver_branch", "driver branch" },
	{ NULL, "ptx_isa", "PTX ISA" },
	{ "cuda", "cc", "compute capabilities its compiler knows" },
	{ NULL, "min_driver", "oldest driver" },
	{ NULL, "last_driver", "newest driver" },
	{ NULL, "module", "kernel module flavour" },
	{ NULL, "first_cuda", "first CUDA toolkit" },
	{ NULL, "last_cuda", "last CUDA toolkit" },
	{ NULL, "listed_since", "listed by the open kernel modules since" },
	{ "cudnn", "cc", "compute capabilities of the support matrix" },
	{ NULL, "soname", "SONAME" },
	{ NULL, "split_libs", "split into" },
	{ NULL, "wheel", "wheel versions" },
	{ NULL, "extras", "extras that bring CUDA" },
	{ NULL, "needs", "libraries that it needs" },
	{ NULL, "opens", "libraries that it opens when used" },
	{ NULL, "import_needs", "cannot be imported without" },
	{ NULL, "rpath", "RPATH or RUNPATH" },
	{ NULL, "tensorrt", "TensorRT major" },
	{ NULL, "preload_dlls", "has preload_dlls()" },
	{ NULL, "numpy", "numpy" },
	{ NULL, "pins_cudnn", "cuDNN wheel of [and-cuda]" },
	{ NULL, "windows_gpu", "GPU on native Windows" },
	{ NULL, "min_cc", "lowest compute capability" },
	{ NULL, "role", "role" },
	{ NULL, "framework", "import directory" },
	{ NULL, "provides_gpu", "brings GPU code" },
	{ NULL, "partner", "GPU package" },
	{ NULL, "dir", "directory" },
};
#define LABEL_N (sizeof(labels) / sizeof(*labels))

/* Other ways to write a subject. */
static const struct alias {
	const char *word, *subject;
} aliases[] = {
	{ "pytorch", "torch" }, { "ort", "onnxruntime-gpu" }, { "tf", "tensorflow" }, { "toolkit", "cuda" }, { "sm", "cc" },
};

/* The part of a property before its qualifier. */
static struct cv_str stem(const char *property)
{
	struct cv_str s = cv_str_of(property);
	ptrdiff_t colon = cv_str_chr(s, ':');

	return colon < 0 ? s : cv_str_sub(s, 0, (size_t)colon);
}

static const char *qualifier(const char *property)
{
	const char *colon = strchr(property, ':');

	return colon ? colon + 1 : NULL;
}

static bool subject_fits(const char *pattern, const char *subject)
{
	if (!pattern)
		return true;
	return cv_ends(pattern, ":*") ? strncmp(subject, pattern, strlen(pattern) - 1) == 0 : cv_streq(pattern, subject);
}

/* Place in labels[], LABEL_N if the property is not there. */
static size_t label_index(const char *subject, const char *property)
{
	struct cv_str s = stem(property);

	for (size_t i = 0; i < LABEL_N; i++)
		if (cv_str_is(s, labels[i].property) && subject_fits(labels[i].subject, subject))
			return i;
	return LABEL_N;
}

static const char *label_of(struct cv_kb_asking *q, const char *subject, const char *property)
{
	size_t i = label_index(subject, property);
	const char *name = i < LABEL_N ? labels[i].label : cv_str_dup(q->a, stem(property)), *build = qualifier(property);

	return build ? cv_arena_printf(q->a, "%s (%s)", name, build) : name;
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

/* Every row of subject that covers version, in the order of labels[]. build: only these qualifiers, or NULL for all. */
static void add_rows(struct cv_kb_asking *q, const char *subject, const char *version, const char *build)
{
	for (size_t place = 0; place <= LABEL_N; place++) {
		struct cv_kb_iter it = cv_kb_iter(q->kb, subject, version, NULL);
		struct cv_kb_row row;

		while (cv_kb_next(&it, &row)) {
			const char *of = qualifier(row.property);

			if (cv_streq(row.property, "release") || cv_starts(row.property, "python_first:") ||
			    label_index(subject, row.property) != place)
				continue;
			if (build && of && !cv_streq(of, build))
				continue;
			cv_kb_add_row(q, label_of(q, subject, row.property), &row);
		}
	}
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

static bool has_rows(const struct cv_kb *kb, const char *subject, const char *property)
{
	struct cv_kb_iter it = cv_kb_iter(kb, subject, NULL, property);
	struct cv_kb_row row;

	return cv_kb_next(&it, &row);
}

static const char *edge_release(const struct cv_kb *kb, const char *subject, bool newest)
{
	enum cv_ver_scheme scheme = cv_kb_scheme(kb, subject);
	struct cv_kb_iter it = cv_kb_iter(kb, subject, NULL, has_rows(kb, subject, "release") ? "release" : NULL);
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

static void answer_version(struct cv_kb_asking *q, const char *subject, const char *asked)
{
	struct cv_kb_answer *ans = q->answer;
	bool pep440 = cv_kb_scheme(q->kb, subject) == CV_VER_PEP440;
	const char *build = pep440 ? cv_ver_local(q->a, asked) : NULL;
	const char *version = build ? cv_ver_public(q->a, asked) : asked;
	const char *newest = newest_with_prefix(q->kb, subject, version);

	if (newest)
		add_releases(q, subject, version);
	version = newest ? newest : version;
	ans->reach = cv_kb_reach(q->kb, subject, version);
	ans->title = build ? cv_arena_printf(q->a, "%s %s, build %s", subject, version, build) :
			     cv_arena_printf(q->a, "%s %s", subject, version);
	ans->note = reach_note(q, subject, version, ans->reach);
	add_rows(q, subject, version, build);
	if (cv_streq(subject, "driver") && ans->reach != CV_KB_NEWER)
		cv_kb_reckon_driver(q, version);
	if (cv_streq(subject, "cuda") && ans->reach == CV_KB_LISTED)
		cv_kb_reckon_cuda(q, version);
	if (cv_streq(subject, "cc") && ans->reach == CV_KB_LISTED)
		cv_kb_reckon_cc(q, version);
	ans->found = ans->reach == CV_KB_LISTED || (ans->reach == CV_KB_UNLISTED && ans->lines.n > 0);
}

static void answer_python(struct cv_kb_asking *q, const char *asked)
{
	const char *minor = cv_ver_prefix(q->a, asked, 2);

	/* "3.13t" keeps its letter: free-threaded wheels are others. */
	if (cv_ends(asked, "t"))
		minor = cv_arena_printf(q->a, "%st", minor);
	q->answer->title = cv_arena_printf(q->a, "Python %s", minor);
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
	add_rows(q, gpu->subject, NULL, NULL);
	if (gpu->cc)
		add_rows(q, "cc", gpu->cc, NULL);
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

/* Subjects that are not of one thing ("gpu:*") are asked by their own words; these are the ones to offer. */
static void offer_subjects(struct cv_kb_asking *q, const char *word)
{
	static const char *const words[] = {
		"torch", "onnxruntime-gpu", "onnxruntime", "tensorflow", "jax", "cupy", "cuda",
		"cudnn", "driver", "cc", "gpu", "python", "package", "var",
	};

	q->answer->title = word;
	q->answer->reach = CV_KB_NO_SUBJECT;
	q->answer->note = cv_arena_printf(q->a, "this knowledge base (%s) has no subject '%s'", cv_kb_date(q->kb), word);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		cv_strv_push(q->a, &q->answer->candidates, words[i]);
}

static void answer_package(struct cv_kb_asking *q, const char *name)
{
	const char *subject = cv_arena_printf(q->a, "package:%s", cv_pep503(q->a, cv_str_of(name)));

	if (!has_rows(q->kb, subject, NULL)) {
		offer_subjects(q, name);
		return;
	}
	q->answer->subject = subject;
	q->answer->title = cv_arena_printf(q->a, "package %s", subject + strlen("package:"));
	q->answer->reach = CV_KB_LISTED;
	q->answer->found = true;
	add_rows(q, subject, NULL, NULL);
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

static void answer_list(struct cv_kb_asking *q, const char *subject)
{
	q->answer->title = subject;
	q->answer->found = true;
	q->answer->reach = CV_KB_LISTED;
	add_releases(q, subject, NULL);
	if (cv_streq(subject, "cc"))
		for (struct cv_kb_iter it = cv_kb_iter(q->kb, "cc", NULL, "arch");;) {
			struct cv_kb_row row;

			if (!cv_kb_next(&it, &row))
				break;
			cv_kb_add_row(q, row.from, &row);
		}
}

static void answer(struct cv_kb_asking *q, const char *subject, const char *rest)
{
	q->answer->subject = subject;
	q->answer->version = rest[0] ? rest : NULL;
	if (cv_streq(subject, "gpu") && rest[0])
		answer_gpu(q, rest);
	else if (cv_streq(subject, "python") && rest[0])
		answer_python(q, rest);
	else if (cv_streq(subject, "package") && rest[0])
		answer_package(q, rest);
	else if (cv_streq(subject, "var") && rest[0])
		answer_var(q, rest);
	else if (has_rows(q->kb, subject, "release") || cv_streq(subject, "cc"))
		rest[0] ? answer_version(q, subject, rest) : answer_list(q, subject);
	else if (!rest[0])
		answer_package(q, subject);
	else
		offer_subjects(q, subject);
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
	if (has_rows(kb, subject, "release") && rest[0] && !cv_ver_valid(cv_kb_scheme(kb, subject), rest))
		return cv_diag_fail(d, CV_EINVAL, "kb: '%s' is not a version of %s", rest, subject);
	answer(&q, subject, rest);
	if (cv_arena_failed(a))
		return CV_ENOMEM;
	*ret = ans;
	return 0;
}
