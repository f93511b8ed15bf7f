/* SPDX-License-Identifier: Apache-2.0 */
/* What a mistyped word was meant to be. */
#include "kb/query_int.h"

#define LETTERS_MAX 40

static unsigned char lower(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool cv_kb_holds(const char *text, const char *part)
{
	for (; *text; text++) {
		size_t i = 0;

		while (part[i] && lower(text[i]) == lower(part[i]))
			i++;
		if (!part[i])
			return true;
	}
	return !*part;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t cv_kb_letters_apart(const char *a, const char *b)
{
	size_t before[LETTERS_MAX + 1], last[LETTERS_MAX + 1], now[LETTERS_MAX + 1], n = strlen(a), m = strlen(b);

	if (n > LETTERS_MAX || m > LETTERS_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= m; j++)
		before[j] = last[j] = j;
	for (size_t i = 1; i <= n; i++) {
		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t wrong = lower(a[i - 1]) != lower(b[j - 1]);

			now[j] = least(least(now[j - 1], last[j]) + 1, last[j - 1] + wrong);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
				now[j] = least(now[j], before[j - 2] + 1);
		}
		memcpy(before, last, sizeof(last));
		memcpy(last, now, sizeof(now));
	}
	return last[m];
}

const char *cv_kb_nearest(const char *word, const struct cv_strv *list)
{
	size_t most = strlen(word) < 4 ? 1 : strlen(word) / 3, best = most + 1;
	const char *found = NULL;

	for (size_t i = 0; i < list->n; i++) {
		size_t d = cv_kb_letters_apart(word, list->v[i]);

		if (d < best) {
			best = d;
			found = list->v[i];
		}
	}
	return found;
}

/* The part of a subject that people type: "gpu" of "gpu:10de:2684". Data of other commands is not for asking. */
static const char *typed_word(struct cv_arena *a, const char *subject)
{
	static const char *const inner[] = { "diagnosis", "index", "message", "workload" };
	ptrdiff_t colon = cv_str_chr(cv_str_of(subject), ':');
	const char *word = colon < 0 ? subject : cv_arena_memdup(a, subject, (size_t)colon);

	for (size_t i = 0; i < sizeof(inner) / sizeof(*inner); i++)
		if (cv_streq(word, inner[i]))
			return NULL;
	return cv_streq(word, "claim") ? "claims" : word;
}

void cv_kb_answer_nothing(struct cv_kb_asking *q, const char *word)
{
	struct cv_kb_iter it = cv_kb_iter(q->kb, NULL, NULL, NULL);
	struct cv_strv words = { 0 }, packages = { 0 };
	const char *last = "", *near;
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row)) {
		const char *typed;

		if (cv_streq(row.subject, last))
			continue;
		last = row.subject;
		if (cv_starts(last, "package:"))
			cv_strv_push(q->a, &packages, last + strlen("package:"));
		typed = typed_word(q->a, last);
		if (typed && (!words.n || !cv_streq(words.v[words.n - 1], typed)))
			cv_strv_push(q->a, &words, typed);
	}
	cv_strv_push(q->a, &words, "matrix");
	near = cv_kb_nearest(word, &words);
	if (!near)
		near = cv_kb_nearest(word, &packages);
	q->answer->title = word;
	q->answer->reach = CV_KB_NO_SUBJECT;
	q->answer->note = cv_arena_printf(q->a, "this knowledge base (%s) has no subject '%s'%s%s%s", cv_kb_date(q->kb), word,
					  near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	if (near)
		cv_strv_push(q->a, &q->answer->candidates, near);
	else
		q->answer->candidates = words;
}
