/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that are more than the rows of one version: error numbers, families of subjects, what circulates. */
#include "kb/query_int.h"

#define SUBJECTS_MAX 60 /* lines of a list of subjects */
#define NAMES_MAX 16

const char *cv_kb_word(struct cv_arena *a, const char **rest)
{
	struct cv_str s = cv_str_of(*rest), word;

	if (!cv_str_word(&s, &word))
		return NULL;
	*rest = s.n ? s.p : "";
	return cv_str_dup(a, word);
}

static bool is_number(const char *s)
{
	uint64_t n;

	return cv_str_u64(cv_str_of(s), &n);
}

/* The subjects of a family in order, each once. */
static struct cv_strv subjects_of(struct cv_kb_asking *q, const char *family)
{
	struct cv_kb_iter it = cv_kb_iter(q->kb, cv_arena_printf(q->a, "%s:*", family), NULL, NULL);
	struct cv_strv list = { 0 };
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row))
		if (!list.n || !cv_streq(list.v[list.n - 1], row.subject))
			cv_strv_push(q->a, &list, row.subject);
	return list;
}

/* What people call the library whose numbers these are. */
static const char *library_name(const char *subject)
{
	static const char *const names[][2] = {
		{ "error:cuda", "CUDA" },	{ "error:cuda-old", "CUDA runtime before the numbers changed" },
		{ "error:cudnn", "cuDNN 9" },	{ "error:cudnn8", "cuDNN 8 and older" },
		{ "error:cublas", "cuBLAS" },	{ "error:nccl", "NCCL" },
		{ "error:nvml", "NVML" },	{ "error:windows", "Windows loader" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (cv_streq(names[i][0], subject))
			return names[i][1];
	return subject + strlen("error:");
}

static void add_error(struct cv_kb_asking *q, const char *subject, const char *number)
{
	size_t first = q->answer->lines.n;

	cv_kb_add_rows(q, subject, number, NULL);
	for (size_t i = first; i < q->answer->lines.n; i++)
		q->answer->lines.v[i].label = cv_arena_printf(q->a, "%s: %s", library_name(subject), q->answer->lines.v[i].label);
	q->answer->found = true;
}

/* Is one of the names in a row's value this one? */
static bool is_named(struct cv_arena *a, const char *value, const char *name)
{
	struct cv_str rest = cv_str_of(value), w;

	while (cv_str_word(&rest, &w))
		if (w.n == strlen(name) && cv_kb_holds(cv_str_dup(a, w), name))
			return true;
	return false;
}

static void add_error_by_name(struct cv_kb_asking *q, const char *only, const char *name)
{
	struct cv_kb_iter it = cv_kb_iter(q->kb, "error:*", NULL, "symbol");
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row)) {
		if (only && !cv_streq(row.subject, only))
			continue;
		if (is_named(q->a, row.value, name)) {
			cv_kb_add_reckoned(q, cv_arena_printf(q->a, "%s: number", library_name(row.subject)), row.from);
			add_error(q, row.subject, row.from);
		} else if (cv_kb_holds(row.value, name) && q->answer->candidates.n < NAMES_MAX) {
			cv_strv_push(q->a, &q->answer->candidates, row.value);
		}
	}
	if (q->answer->found)
		q->answer->candidates.n = 0;
}

void cv_kb_answer_error(struct cv_kb_asking *q, const char *words)
{
	struct cv_strv list = subjects_of(q, "error");
	const char *rest = words, *word = cv_kb_word(q->a, &rest), *only = NULL;

	if (word && cv_kb_has_rows(q->kb, cv_arena_printf(q->a, "error:%s", word), NULL)) {
		only = cv_arena_printf(q->a, "error:%s", word);
		word = cv_kb_word(q->a, &rest);
	}
	q->answer->subject = only ? only : "error";
	q->answer->title = word ? cv_arena_printf(q->a, "error %s", word) : "errors";
	q->answer->reach = CV_KB_NO_SUBJECT;
	if (!word) {
		for (size_t i = 0; i < list.n; i++)
			cv_strv_push(q->a, &q->answer->candidates, list.v[i] + strlen("error:"));
		q->answer->note = "ask for a number or a name, with the library before it where you know it: 'error cuda 803'";
		return;
	}
	if (is_number(word)) {
		/* CUDA's own numbers are what people mean most. */
		for (int pass = 0; pass < 2; pass++)
			for (size_t i = 0; i < list.n; i++)
				if (cv_streq(list.v[i], "error:cuda") == (pass == 0) && (!only || cv_streq(list.v[i], only)) &&
				    cv_kb_value(q->kb, list.v[i], word, "symbol"))
					add_error(q, list.v[i], word);
	} else {
		add_error_by_name(q, only, word);
	}
	if (q->answer->found)
		q->answer->reach = CV_KB_LISTED;
	else
		q->answer->note = cv_arena_printf(q->a, "no library of this knowledge base (%s) has an error '%s'", cv_kb_date(q->kb), word);
}

static bool holds_all(struct cv_arena *a, const char *text, const char *words, const char *but)
{
	const char *rest = words, *word;

	while ((word = cv_kb_word(a, &rest)))
		if (!(but && cv_streq(word, but)) && !cv_kb_holds(text, word))
			return false;
	return true;
}

static const char *last_word(struct cv_arena *a, const char *words)
{
	const char *rest = words, *word, *last = NULL;

	while ((word = cv_kb_word(a, &rest)))
		last = word;
	return last;
}

/* "cloud:colab:gpu-runtime" as it is asked for: "colab gpu-runtime". */
static const char *spoken(struct cv_arena *a, const char *subject)
{
	char *text = cv_arena_strdup(a, strchr(subject, ':') + 1);

	for (char *c = text; *c; c++)
		if (*c == ':')
			*c = ' ';
	return text;
}

static const char *newest_release(const struct cv_kb *kb, const char *subject)
{
	struct cv_kb_iter it = cv_kb_iter(kb, subject, NULL, "release");
	const char *newest = NULL;
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row))
		newest = row.from;
	return newest;
}

/* One line for a subject of a list: what its newest release has. */
static void add_summary(struct cv_kb_asking *q, const char *subject)
{
	static const char *const telling[] = { "driver", "cuda", "torch", "gpu", "cc", "glibc", "rule:01" };
	const char *version = newest_release(q->kb, subject), *text = "";
	struct cv_kb_row row;

	for (size_t i = 0; i < sizeof(telling) / sizeof(*telling); i++)
		if (cv_kb_get(q->kb, subject, version, telling[i], &row))
			text = cv_arena_printf(q->a, "%s%s%s %s", text, *text ? ", " : "",
					       cv_streq(telling[i], "rule:01") ? "rule:" : cv_kb_label(q, subject, telling[i]), row.value);
	if (!*text && version)
		text = "known releases";
	cv_kb_add_reckoned(q, spoken(q->a, subject),
			   version ? cv_arena_printf(q->a, "%s: %s", version, text) : *text ? text : "known");
}

static void answer_one(struct cv_kb_asking *q, const char *subject, const char *version)
{
	q->answer->subject = subject;
	q->answer->version = version;
	if (version) {
		cv_kb_answer_version(q, subject, version);
		return;
	}
	cv_kb_answer_list(q, subject);
}

void cv_kb_answer_family(struct cv_kb_asking *q, const char *family, const char *words)
{
	struct cv_strv all = subjects_of(q, family), fit = { 0 };
	const char *last = last_word(q->a, words), *version = NULL;
	const char *exact = cv_arena_printf(q->a, "%s:%s", family, words);

	for (int pass = 0; pass < 2 && !fit.n; pass++) {
		version = pass && last && last[0] >= '0' && last[0] <= '9' ? last : NULL;
		if (pass && !version)
			break;
		for (size_t i = 0; i < all.n; i++)
			if (holds_all(q->a, all.v[i] + strlen(family) + 1, words, version))
				cv_strv_push(q->a, &fit, all.v[i]);
	}
	/* "pytorch" is not "pytorch-cpu" where both are known. */
	for (size_t i = 0; i < fit.n; i++) {
		const char *tail = strrchr(fit.v[i], ':') + 1, *rest = words, *word;

		while (fit.n > 1 && (word = cv_kb_word(q->a, &rest)))
			if (cv_streq(tail, word) || cv_streq(fit.v[i], exact)) {
				fit.v[0] = fit.v[i];
				fit.n = 1;
			}
	}
	q->answer->title = cv_arena_printf(q->a, "%s %s", family, words);
	q->answer->reach = CV_KB_NO_SUBJECT;
	if (fit.n == 1) {
		answer_one(q, fit.v[0], version);
		q->answer->title = cv_arena_printf(q->a, "%s %s%s%s", family, spoken(q->a, fit.v[0]), version ? " " : "", version ? version : "");
		return;
	}
	q->answer->subject = family;
	for (size_t i = 0; i < fit.n && i < SUBJECTS_MAX; i++)
		add_summary(q, fit.v[i]);
	q->answer->found = fit.n > 0;
	if (fit.n) {
		q->answer->reach = CV_KB_LISTED;
		q->answer->note = fit.n > SUBJECTS_MAX ? cv_arena_printf(q->a, "%zu more fit: add a word", fit.n - SUBJECTS_MAX) :
							"several fit: add a word for one of them";
		return;
	}
	q->answer->note = cv_arena_printf(q->a, "this knowledge base (%s) has no %s '%s'", cv_kb_date(q->kb), family, words);
	for (size_t i = 0; i < all.n && i < SUBJECTS_MAX; i++)
		cv_strv_push(q->a, &q->answer->candidates, spoken(q->a, all.v[i]));
}

/* "6.2" is the newest L4T whose JetPack is 6.2, 6.2.1 or "6.2 GA". */
void cv_kb_answer_jetpack(struct cv_kb_asking *q, const char *jetpack)
{
	struct cv_kb_iter it = cv_kb_iter(q->kb, "jetson", NULL, "jetpack");
	const char *l4t = NULL;
	size_t n = strlen(jetpack);
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row)) {
		if (strncmp(row.value, jetpack, n) != 0 || (row.value[n] && row.value[n] != '.' && row.value[n] != ' '))
			continue;
		l4t = row.from;
		cv_kb_add_reckoned(q, cv_arena_printf(q->a, "JetPack %s", row.value), cv_arena_printf(q->a, "L4T %s", row.from));
	}
	if (l4t) {
		cv_kb_answer_version(q, "jetson", l4t);
		q->answer->title = cv_arena_printf(q->a, "JetPack %s: L4T %s", jetpack, l4t);
		q->answer->subject = "jetson";
		q->answer->version = l4t;
		return;
	}
	q->answer->title = cv_arena_printf(q->a, "JetPack %s", jetpack);
	q->answer->reach = CV_KB_UNLISTED;
	q->answer->note = cv_arena_printf(q->a, "JetPack %s is not in this knowledge base (%s)", jetpack, cv_kb_date(q->kb));
}

static void add_claim(struct cv_kb_asking *q, const struct cv_kb_row *claim)
{
	struct cv_kb_claim *c = CV_VEC_PUSH(q->a, &q->answer->claims);
	struct cv_kb_iter it = cv_kb_iter(q->kb, claim->subject, NULL, "source:*");
	struct cv_kb_row row;
	const char *verdict, *right, *topic;

	if (!c)
		return;
	verdict = cv_kb_value(q->kb, claim->subject, NULL, "verdict");
	right = cv_kb_value(q->kb, claim->subject, NULL, "right");
	topic = cv_kb_value(q->kb, claim->subject, NULL, "topic");
	*c = (struct cv_kb_claim){
		.id = claim->subject + strlen("claim:"),
		.topic = topic ? topic : "",
		.claim = claim->value,
		.verdict = verdict ? verdict : "",
		.right = right ? right : "",
		.doubt = cv_kb_value(q->kb, claim->subject, NULL, "doubt"),
	};
	cv_strv_push(q->a, &c->sources, claim->source);
	while (cv_kb_next(&it, &row))
		cv_strv_push(q->a, &c->sources, row.source);
}

void cv_kb_answer_claims(struct cv_kb_asking *q, const char *words)
{
	struct cv_kb_iter it = cv_kb_iter(q->kb, "claim:*", NULL, "claim");
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row)) {
		const char *topic = cv_kb_value(q->kb, row.subject, NULL, "topic");

		if (holds_all(q->a, cv_arena_printf(q->a, "%s %s", row.subject, topic ? topic : ""), words, NULL))
			add_claim(q, &row);
	}
	q->answer->subject = "claims";
	q->answer->title = *words ? cv_arena_printf(q->a, "what circulates about %s", words) : "what circulates";
	q->answer->found = q->answer->claims.n > 0;
	q->answer->reach = q->answer->found ? CV_KB_LISTED : CV_KB_NO_SUBJECT;
	if (!q->answer->found)
		q->answer->note = cv_arena_printf(q->a, "this knowledge base (%s) has no claim about '%s'", cv_kb_date(q->kb), words);
}
