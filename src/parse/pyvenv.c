/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three tools write this file. venv: home, include-system-site-packages, version, executable, command. virtualenv: also
 * implementation, version_info ("3.11.2.final.0"), virtualenv, base-prefix. uv: home, implementation, uv, version_info
 * ("3.12.3").
 *
 * getpath takes the first "home", site the last of the other keys. A missing include-system-site-packages counts as true.
 */
#include "parse/pyvenv.h"

#include <ctype.h>

static bool is_key(struct cv_str key, const char *name)
{
	if (key.n != strlen(name))
		return false;
	for (size_t i = 0; i < key.n; i++)
		if (tolower((unsigned char)key.p[i]) != name[i])
			return false;
	return true;
}

static bool is_true(struct cv_str value)
{
	return is_key(value, "true");
}

/* The leading "3.11.2" of "3.11.2.final.0". */
static struct cv_str release_of(struct cv_str s)
{
	size_t n = 0;
	unsigned dots = 0;

	while (n < s.n && (isdigit((unsigned char)s.p[n]) || (s.p[n] == '.' && dots < 2))) {
		dots += s.p[n] == '.';
		n++;
	}
	while (n && s.p[n - 1] == '.')
		n--;
	return cv_str_sub(s, 0, n);
}

static void take(struct cv_pyvenv *cfg, struct cv_str key, struct cv_str value, unsigned line)
{
	if (is_key(key, "home")) {
		if (!cfg->home.p)
			cfg->home = value;
	} else if (is_key(key, "include-system-site-packages")) {
		cfg->system_site = is_true(value);
	} else if (is_key(key, "version") || is_key(key, "version_info")) {
		struct cv_str release = release_of(value);

		if (release.n == 0 || (cfg->version.p && cfg->version.n >= release.n))
			return;
		cfg->version = release;
		cfg->version_line = line;
	} else if (is_key(key, "uv")) {
		cfg->uv = value;
	} else if (is_key(key, "virtualenv")) {
		cfg->virtualenv = value;
	} else if (is_key(key, "implementation")) {
		cfg->implementation = value;
	}
}

void cv_pyvenv_parse(struct cv_str text, struct cv_pyvenv *ret)
{
	struct cv_pyvenv cfg = { .system_site = true };
	struct cv_str line;
	unsigned line_no = 0;

	while (cv_str_line(&text, &line, &line_no)) {
		ptrdiff_t eq = cv_str_chr(line, '=');

		if (eq < 0)
			continue;
		take(&cfg, cv_str_trim(cv_str_sub(line, 0, (size_t)eq)), cv_str_trim(cv_str_from(line, (size_t)eq + 1)), line_no);
	}
	*ret = cfg;
}
