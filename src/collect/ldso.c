/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration of the dynamic loader: /etc/ld.so.conf with what it includes, /etc/ld.so.cache, /etc/ld.so.preload, LD_LIBRARY_PATH. */
#include "collect/registry.h"
#include "collect/see.h"

#define PRELOAD "/etc/ld.so.preload"

static struct cv_prov prov(const char *path)
{
	return cv_see_prov("ldso", path, 0);
}

/* Names between blanks or colons; a '#' begins a comment. */
static void see_preload(struct cv_collect_ctx *c, struct cv_subject *s)
{
	struct cv_strv libs = { 0 };
	struct cv_str rest, line, word, part;
	int r = cv_see_text(c, PRELOAD, &rest);

	if (r < 0) {
		cv_see_fail(c, s, CV_F_ldso_preload, r, prov(PRELOAD));
		return;
	}
	while (cv_str_line(&rest, &line, NULL)) {
		ptrdiff_t comment = cv_str_chr(line, '#');

		line = cv_str_sub(line, 0, comment < 0 ? line.n : (size_t)comment);
		while (cv_str_word(&line, &word))
			while (cv_str_split(&word, ':', &part))
				if (part.n)
					cv_strv_push(c->scratch, &libs, cv_str_dup(c->scratch, part));
	}
	cv_facts_list(c->facts, s, CV_F_ldso_preload, &libs, prov(PRELOAD));
}

/* Directories of LD_LIBRARY_PATH that are not there; both separators count, a relative one is no directory of the machine. */
static void see_dead(struct cv_collect_ctx *c, struct cv_subject *s)
{
	struct cv_strv dead = { 0 };
	const char *value;
	int r = cv_view_getenv(c->view, "LD_LIBRARY_PATH", &value);
	struct cv_str rest;

	if (r < 0) {
		cv_facts_state(c->facts, s, CV_F_ldso_path_dead, cv_state_of_err(r), NULL, prov("environment"));
		return;
	}
	for (rest = cv_str_of(value); rest.n;) {
		const char *dir;
		struct cv_stat st;
		size_t n = 0;

		while (n < rest.n && rest.p[n] != ':' && rest.p[n] != ';')
			n++;
		dir = cv_str_dup(c->scratch, cv_str_sub(rest, 0, n));
		rest = cv_str_from(rest, n + 1);
		if (dir[0] != '/' || strchr(dir, '$') || cv_strv_has(&dead, dir))
			continue;
		r = cv_view_stat(c->view, dir, &st);
		if (r == CV_ENOENT || r == CV_ENOTDIR || (r == 0 && st.type != CV_FT_DIR))
			cv_strv_push(c->scratch, &dead, dir);
	}
	cv_facts_list(c->facts, s, CV_F_ldso_path_dead, &dead, prov("environment"));
}

static void run(struct cv_collect_ctx *c)
{
	struct cv_subject *s = cv_see_only(c, CV_KIND_ldso);

	see_preload(c, s);
	see_dead(c, s);
}

const struct cv_collector cv_collector_ldso = {
	.name = "ldso",
	.doc = "configuration of the dynamic loader",
	.run = run,
};
