/* SPDX-License-Identifier: Apache-2.0 */
/*
 * {"url": ..., "vcs_info": {"vcs", "commit_id", "requested_revision"}} or "archive_info": {...} or "dir_info": {"editable":
 * bool}. Installers should write no password into the url; where one did all the same, it goes no further than here.
 */
#include "parse/directurl.h"

#include <jansson.h>

static json_t *load(struct cv_str text)
{
	json_error_t error;

	if (text.n > CV_DIRECTURL_MAX)
		return NULL;
	return json_loadb(text.p, text.n, JSON_REJECT_DUPLICATES, &error);
}

/* "https://user:secret@host/x" becomes "https://host/x"; a user name alone ("git@") is kept. */
static const char *without_password(struct cv_arena *a, const char *url)
{
	const char *host = strstr(url, "://");
	size_t authority, user;

	if (!host)
		return cv_arena_strdup(a, url);
	host += 3;
	authority = strcspn(host, "/?#");
	for (user = authority; user > 0 && host[user - 1] != '@'; user--)
		;
	if (user == 0 || !memchr(host, ':', user))
		return cv_arena_strdup(a, url);
	return cv_arena_printf(a, "%.*s%s", (int)(host - url), url, host + user);
}

int cv_directurl_parse(struct cv_str text, struct cv_arena *a, struct cv_directurl *ret)
{
	json_t *root = load(text);
	const char *url = json_string_value(json_object_get(root, "url"));
	const char *commit = json_string_value(json_object_get(json_object_get(root, "vcs_info"), "commit_id"));
	int r = CV_EFORMAT;

	if (url && strlen(url) < 4096 && (!commit || strlen(commit) < 256)) {
		*ret = (struct cv_directurl){
			.url = without_password(a, url),
			.commit = commit ? cv_arena_strdup(a, commit) : NULL,
			.editable = json_is_true(json_object_get(json_object_get(root, "dir_info"), "editable")),
		};
		r = 0;
	}
	json_decref(root);
	return r;
}

int cv_json_text_of(struct cv_str text, const char *key, struct cv_arena *a, const char **ret)
{
	json_t *root = load(text);
	const char *value = json_string_value(json_object_get(root, key));
	int r = 0;

	if (!json_is_object(root))
		r = CV_EFORMAT;
	else if (!value || strlen(value) >= 4096)
		r = CV_ENOENT;
	else
		*ret = cv_arena_strdup(a, value);
	json_decref(root);
	return r;
}
