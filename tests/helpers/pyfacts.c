/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the collectors of Python environments and prints their facts as JSON, for tests/truth/syspath.py and by hand.
 *
 *	pyfacts [--root DIR] [--python PATH] [--env DIR]... [--all-envs] [--cwd DIR] [--times N]
 *
 * --times repeats the run for measuring; only the last one is printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "collect/registry.h"

extern char **environ;

static const struct cv_collector *const collectors[] = {
	&cv_collector_py_envs,
	&cv_collector_py_packages,
	&cv_collector_py_frameworks,
};

struct args {
	const char *root;
	const char *envs[64];
	struct cv_selection sel;
	long times;
};

static int parse(int argc, char **argv, struct args *a)
{
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (strcmp(argv[i], "--all-envs") == 0) {
			a->sel.all_envs = true;
			continue;
		}
		i++;
		if (strcmp(argv[i - 1], "--root") == 0)
			a->root = value;
		else if (strcmp(argv[i - 1], "--python") == 0)
			a->sel.python = value;
		else if (strcmp(argv[i - 1], "--env") == 0 && a->sel.env_n < 64)
			a->envs[a->sel.env_n++] = value;
		else if (strcmp(argv[i - 1], "--cwd") == 0)
			a->sel.cwd = value;
		else if (strcmp(argv[i - 1], "--times") == 0)
			a->times = strtol(value, NULL, 10);
		else
			return -1;
	}
	a->sel.envs = a->envs;
	return 0;
}

static int run(const struct args *args, bool print)
{
	struct cv_arena *a = cv_arena_new((size_t)512 << 20);
	struct cv_view *view = NULL;
	struct cv_diag diag;
	struct cv_collect_ctx c = { .kb = cv_kb_builtin(), .sel = &args->sel, .diag = &diag };
	struct cv_json j;
	struct cv_buf out;
	int r;

	cv_diag_init(&diag, a);
	r = args->root ? cv_view_root_new(args->root, &diag, &view) : cv_view_host_new(environ, &view);
	if (r < 0)
		return r;
	c.view = view;
	c.facts = cv_facts_new(a);
	for (size_t i = 0; i < sizeof(collectors) / sizeof(collectors[0]); i++) {
		c.scratch = cv_arena_new((size_t)256 << 20);
		collectors[i]->run(&c);
		cv_arena_free(c.scratch);
	}
	r = cv_facts_freeze(c.facts);
	cv_buf_init(&out, (size_t)256 << 20);
	cv_json_init(&j, &out, true);
	cv_facts_to_json(c.facts, &j);
	if (print) {
		for (size_t i = 0; i < diag.n; i++)
			fprintf(stderr, "%s\n", diag.v[i]);
		puts(cv_buf_str(&out));
	}
	cv_buf_release(&out);
	cv_view_free(view);
	cv_arena_free(a);
	return r;
}

int main(int argc, char **argv)
{
	static struct args args;
	int r = 0;

	args.times = 1;
	if (parse(argc, argv, &args) < 0)
		return 2;
	for (long i = 0; i < args.times && r == 0; i++)
		r = run(&args, i + 1 == args.times);
	return r < 0;
}
