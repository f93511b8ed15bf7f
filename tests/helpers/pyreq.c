/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads requirements, one a line, for tests/truth/requirements.py.
 *
 *	in:  the values of the marker variables, NAME=VALUE lines, up to an empty line; then requirements
 *	out: name TAB extras (comma list) TAB specifiers TAB url TAB marker ("y", "n", "?" or "" for none); "!" for what is none
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse/requirement.h"

static char names[16][512];

static void set(struct cv_marker_env *env, char *line, size_t i)
{
	const struct {
		const char *name;
		const char **to;
	} table[] = {
		{ "python_version", &env->python_version },
		{ "python_full_version", &env->python_full_version },
		{ "os_name", &env->os_name },
		{ "sys_platform", &env->sys_platform },
		{ "platform_system", &env->platform_system },
		{ "platform_machine", &env->platform_machine },
		{ "platform_release", &env->platform_release },
		{ "platform_version", &env->platform_version },
		{ "platform_python_implementation", &env->platform_python_implementation },
		{ "implementation_name", &env->implementation_name },
		{ "implementation_version", &env->implementation_version },
		{ "extra", &env->extra },
	};
	char *eq = strchr(line, '=');

	if (!eq || i >= 16)
		return;
	*eq = '\0';
	snprintf(names[i], sizeof(names[i]), "%s", eq + 1);
	for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++)
		if (strcmp(table[k].name, line) == 0)
			*table[k].to = names[i];
}

static void answer(const char *line, const struct cv_marker_env *env)
{
	struct cv_arena *a = cv_arena_new((size_t)1 << 20);
	enum cv_marker v = CV_MARKER_UNKNOWN;
	struct cv_req r;

	if (cv_req_parse(cv_str_of(line), a, &r) < 0 || cv_marker_eval(r.marker, env, &v) < 0) {
		puts("!");
	} else {
		printf("%.*s\t", CV_STR_ARG(r.name));
		for (size_t i = 0; i < r.extras.n; i++)
			printf("%s%.*s", i ? "," : "", CV_STR_ARG(r.extras.v[i]));
		printf("\t%.*s\t%.*s\t%s\n", CV_STR_ARG(r.spec), CV_STR_ARG(r.url),
		       r.marker.n == 0 ? "" : v == CV_MARKER_TRUE ? "y" : v == CV_MARKER_FALSE ? "n" : "?");
	}
	cv_arena_free(a);
}

int main(void)
{
	static char line[1 << 16];
	struct cv_marker_env env = { 0 };
	size_t i = 0;

	while (fgets(line, sizeof(line), stdin) && line[0] != '\n') {
		line[strcspn(line, "\n")] = '\0';
		set(&env, line, i++);
	}
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		answer(line, &env);
	}
	return 0;
}
