/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers: images and who runs them.
 *
 *	docker run --rm IMAGE:TAG cmd          FROM IMAGE:TAG            "image: IMAGE:TAG" of compose and pods
 */
#include "parse/txt.h"

static bool is_image(struct cv_str w)
{
	ptrdiff_t colon = cv_str_rchr(w, ':');

	return colon > 2 && (size_t)colon + 1 < w.n && w.p[0] != '-' && w.p[0] != '/' && w.p[0] != '"' && cv_str_find(w, "://") < 0 &&
	       cv_str_chr(w, '=') < 0 && cv_str_chr(w, ',') < 0 &&
	       (cv_str_chr(w, '/') > 0 || (w.p[0] >= 'a' && w.p[0] <= 'z')) && cv_str_find(w, ":/") < 0;
}

static void run_line(struct cv_txt *t, struct cv_str s)
{
	struct cv_str word, last = { "", 0 };

	while (cv_str_word(&s, &word)) {
		while (word.n && strchr("'\"", word.p[0]))
			word = cv_str_from(word, 1);
		while (word.n && strchr("'\"", word.p[word.n - 1]))
			word.n--;
		if (word.n && is_image(word) && !cv_str_is(last, "-v") && !cv_str_is(last, "-p"))
			cv_tell(t, CV_TELL_IMAGE, CV_TOLD_TOOL, CV_STR(""), word);
		last = word;
	}
}

void cv_txt_container(struct cv_txt *t, struct cv_str line, unsigned *state)
{
	struct cv_str s = cv_str_trim(line), rest = s;

	if (s.n > 600)
		return;
	if (cv_str_find(s, "docker run") >= 0 || cv_str_find(s, "podman run") >= 0) {
		*state = 1;
		cv_tell(t, CV_TELL_COMMAND, CV_TOLD_TOOL, CV_STR(""), s);
		run_line(t, cv_str_from(s, (size_t)cv_str_find(s, " run") + 4));
	} else if (*state && (cv_str_starts(line, "  ") || cv_str_starts(s, "-"))) {
		run_line(t, s);
	} else {
		*state = 0;
	}
	if ((cv_str_eat(&rest, "FROM ") || cv_str_eat(&rest, "image: ") || cv_str_eat(&rest, "- image: ")) && is_image(cv_str_trim(rest)))
		cv_tell(t, CV_TELL_IMAGE, CV_TOLD_TOOL, CV_STR(""), cv_str_trim(rest));
}
