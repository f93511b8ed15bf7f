/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration of the dynamic loader: /etc/ld.so.conf with what it includes, /etc/ld.so.cache, /etc/ld.so.preload,
 * LD_LIBRARY_PATH.
 *
 * The loader itself reads only the cache; the directories are those that ldconfig would put into it. musl has none of the three.
 */
#include "base/map.h"
#include "view/glob.h"
#include "collect/registry.h"
#include "collect/see.h"
#include "parse/ldcache.h"
#include "parse/ldconf.h"

#define CONF "/etc/ld.so.conf"
#define CACHE "/etc/ld.so.cache"
#define PRELOAD "/etc/ld.so.preload"
#define DEPTH_MAX 8   /* of includes */
#define SEEN_MAX 1024 /* files and patterns, each taken once: a second time adds nothing */
#define DIRS_MAX 1024
#define LISTS_MAX 256
#define DEAD_MAX 256

static struct cv_prov prov(const char *path)
{
	return cv_see_prov("ldso", path, 0);
}

struct conf {
	struct cv_collect_ctx *c;
	struct cv_strv dirs;
	struct cv_map seen;
	unsigned lists; /* directories that may still be listed */
};

static void include(struct conf *conf, const char *from, struct cv_str pattern, unsigned depth);

static bool first_time(struct conf *conf, const char *text)
{
	if (conf->seen.n >= SEEN_MAX || cv_map_get(&conf->seen, text))
		return false;
	return cv_map_set(conf->c->scratch, &conf->seen, text, conf);
}

static int read_conf(struct conf *conf, const char *path, unsigned depth)
{
	struct cv_arena *a = conf->c->scratch;
	struct cv_ldconf walk = { 0 };
	struct cv_ldconf_item item;
	int r;

	if (depth > DEPTH_MAX || !first_time(conf, path))
		return 0;
	r = cv_see_text(conf->c, path, &walk.rest);
	while (r == 0 && cv_ldconf_next(&walk, &item)) {
		if (item.kind == CV_LDCONF_INCLUDE) {
			include(conf, path, item.text, depth);
		} else if (item.kind == CV_LDCONF_DIR) {
			const char *dir = cv_str_dup(a, item.text);

			if (conf->dirs.n < DIRS_MAX && !cv_strv_has(&conf->dirs, dir))
				cv_strv_push(a, &conf->dirs, dir);
		}
	}
	return r;
}

static void include(struct conf *conf, const char *from, struct cv_str pattern, unsigned depth)
{
	struct cv_arena *a = conf->c->scratch;
	const char *absolute = cv_ldconf_pattern(a, from, pattern);
	struct cv_strv paths = { 0 };

	if (!first_time(conf, cv_arena_printf(a, "include %s", absolute)))
		return;
	cv_glob(conf->c->view, absolute, &conf->lists, a, &paths);
	for (size_t i = 0; i < paths.n; i++)
		read_conf(conf, paths.v[i], depth + 1);
}

static void see_conf(struct cv_collect_ctx *c, struct cv_subject *s)
{
	struct conf conf = { .c = c, .lists = LISTS_MAX };
	int r = read_conf(&conf, CONF, 0);

	if (r < 0)
		cv_see_fail(c, s, CV_F_ldso_conf_dirs, r, prov(CONF));
	else
		cv_facts_list(c->facts, s, CV_F_ldso_conf_dirs, &conf.dirs, prov(CONF));
}

static void see_cache(struct cv_collect_ctx *c, struct cv_subject *s)
{
	struct cv_ldcache cache;
	struct cv_str bytes;
	int r = cv_view_read(c->view, CACHE, CV_LDCACHE_MAX, c->scratch, &bytes);

	if (r == 0)
		r = cv_ldcache_parse(bytes, CACHE, c->scratch, c->diag, &cache);
	if (r == 0 && cache.damaged)
		r = CV_EFORMAT;
	if (r < 0) {
		cv_see_fail(c, s, CV_F_ldso_cache_format, r, prov(CACHE));
		cv_see_fail(c, s, CV_F_ldso_cache_entries, r, prov(CACHE));
		return;
	}
	cv_facts_str(c->facts, s, CV_F_ldso_cache_format, !cache.has_old ? "new" : cache.has_new ? "both" : "old", prov(CACHE));
	cv_facts_int(c->facts, s, CV_F_ldso_cache_entries, cache.n, prov(CACHE));
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
	for (rest = cv_str_of(value); rest.n && dead.n < DEAD_MAX;) {
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

	see_conf(c, s);
	see_cache(c, s);
	see_preload(c, s);
	see_dead(c, s);
}

const struct cv_collector cv_collector_ldso = {
	.name = "ldso",
	.doc = "configuration of the dynamic loader",
	.run = run,
};
