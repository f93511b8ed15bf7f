/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers on container images: NAME[:TAG], where the tag's first number is the version that rows speak of and its other words
 * (flavour, cuDNN, distribution) are held against those rows. A host before the name only says where it is pulled from.
 */
#include "kb/query_int.h"

struct image {
	const char *name, *tag, *version; /* tag and version NULL where there is none */
};

static struct image parse(struct cv_arena *a, const char *text)
{
	struct image im = { 0 };
	const char *slash = strchr(text, '/'), *at = strchr(text, '@'), *colon;
	size_t n = 0;

	if (at)
		text = cv_arena_memdup(a, text, (size_t)(at - text));
	slash = strchr(text, '/');
	if (slash) {
		struct cv_str first = { text, (size_t)(slash - text) };

		if (cv_str_chr(first, '.') >= 0 || cv_str_chr(first, ':') >= 0 || cv_str_is(first, "localhost"))
			text = slash + 1;
	}
	if (cv_starts(text, "library/"))
		text += strlen("library/");
	colon = strrchr(text, ':');
	/* "cuda 12.4" and "cuda:12.4" are one. */
	if (!colon)
		colon = strchr(text, ' ');
	im.name = colon ? cv_arena_memdup(a, text, (size_t)(colon - text)) : text;
	im.tag = colon ? colon + 1 : NULL;
	while (im.tag && ((im.tag[n] >= '0' && im.tag[n] <= '9') || (n && im.tag[n] == '.')))
		n++;
	im.version = n ? cv_arena_memdup(a, im.tag, n) : NULL;
	return im;
}

static const char *join(struct cv_kb_asking *q, const char *a, const char *b)
{
	return *a ? cv_arena_printf(q->a, "%s; %s", a, b) : b;
}

/* "ubuntu22.04", "rockylinux9": a word that some row knows as a distribution. */
static bool is_distribution(const struct cv_kb *kb, const char *subject, const char *word)
{
	static const char *const names[] = { "os", "os_ended" };

	for (size_t i = 0; i < 2; i++) {
		struct cv_kb_iter it = cv_kb_iter(kb, subject, NULL, names[i]);
		struct cv_kb_row row;

		while (cv_kb_next(&it, &row))
			if (cv_kb_has_word(row.value, word))
				return true;
	}
	return false;
}

/* What the tag's words and the rows of its version do not agree on. */
static const char *mismatch(struct cv_kb_asking *q, const char *subject, const struct image *im)
{
	const char *os = cv_kb_value(q->kb, subject, im->version, "os"), *ended = cv_kb_value(q->kb, subject, im->version, "os_ended");
	const char *flavours = cv_kb_value(q->kb, subject, im->version, "flavours");
	const char *cudnn = cv_kb_value(q->kb, subject, im->version, "cudnn_tag");
	const char *missing = cv_kb_value(q->kb, subject, im->version, "missing_tags"), *text = "";
	struct cv_str rest = cv_str_of(im->tag), part;

	if (missing && cv_kb_has_word(missing, im->tag))
		return cv_arena_printf(q->a, "the tag %s is written about, but was not built", im->tag);
	while (cv_str_split(&rest, '-', &part)) {
		const char *word = cv_str_dup(q->a, part);

		if (cv_starts(word, "cudnn")) {
			if (os && !cudnn && !ended)
				text = join(q, text, "no image of this version has cuDNN");
			else if (cudnn && !cv_streq(cudnn, word))
				text = join(q, text, cv_arena_printf(q->a, "tags of this version say '%s', not '%s'", cudnn, word));
		} else if (cv_streq(word, "base") || cv_streq(word, "runtime") || cv_streq(word, "devel")) {
			if (flavours && !cv_kb_has_word(flavours, word))
				text = join(q, text, cv_arena_printf(q->a, "no flavour '%s' is known of it", word));
		} else if (is_distribution(q->kb, subject, word)) {
			if (!(os && cv_kb_has_word(os, word)) && !(ended && cv_kb_has_word(ended, word)) && (os || ended))
				text = join(q, text, cv_arena_printf(q->a, "it is not known to be built for %s", word));
			else if (!(os && cv_kb_has_word(os, word)) && ended)
				text = join(q, text, cv_arena_printf(q->a, "the image for %s is no longer renewed", word));
		}
	}
	return text;
}

/* What its CUDA asks of the driver. */
static void reckon_driver(struct cv_kb_asking *q, const char *subject, const char *version)
{
	const char *cuda = cv_streq(subject, "image:nvidia/cuda") ? version : cv_kb_value(q->kb, subject, version, "cuda");
	const char *floor;

	if (!cuda)
		return;
	/* Images of torch come with one of several: the oldest needs the least, and each major is told. */
	for (const char *rest = cuda, *word; (word = cv_kb_word(q->a, &rest));) {
		floor = cv_kb_value(q->kb, "cuda", cv_ver_prefix(q->a, word, 2), "floor_driver");
		if (floor)
			cv_kb_add_reckoned(q, cv_arena_printf(q->a, "oldest driver for CUDA %s", cv_ver_prefix(q->a, word, 2)), floor);
	}
}

void cv_kb_answer_image(struct cv_kb_asking *q, const char *image)
{
	struct image im = parse(q->a, image);
	const char *subject = cv_arena_printf(q->a, "image:%s", im.name), *text;

	if (!cv_kb_has_rows(q->kb, subject, NULL)) {
		cv_kb_answer_family(q, "image", image);
		return;
	}
	q->answer->subject = subject;
	q->answer->version = im.version;
	if (!im.version) {
		cv_kb_answer_list(q, subject);
		if (im.tag)
			q->answer->note = cv_arena_printf(q->a, "the tag '%s' does not begin with a version", im.tag);
		return;
	}
	cv_kb_answer_version(q, subject, im.version);
	reckon_driver(q, subject, im.version);
	text = mismatch(q, subject, &im);
	if (*text)
		q->answer->note = q->answer->note ? join(q, q->answer->note, text) : text;
	q->answer->title = cv_arena_printf(q->a, "%s:%s", im.name, im.tag);
}
