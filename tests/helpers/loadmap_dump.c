/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints load maps as lines, for comparison with what the real loader does.
 *
 *	loadmap_dump [-r ROOT] [-L LIBRARY_PATH] [-P PRELOAD] [-C CWD] [-c HWCAPS] [-g GLIBC] [-q] [-s] [-t] [-n] FILE... [--
 *dlopen args]
 *
 * Each FILE is one map: "file PATH", then objects in load order, the chain that ldd prints, edges, troubles. Behind "--" each
 * argument is a dlopen from the program: "now:NAME", "lazy:NAME", "global:NAME", "globalnow:NAME"; from a library:
 *"now@PATH:NAME".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "loadmap/loadmap.h"

extern char **environ;

static void print_map(const struct cv_loadmap *m)
{
	printf("libc %s\n", m->libc);
	if (m->glibc)
		printf("glibc %s\n", m->glibc);
	for (size_t i = 0; i < m->objects.n; i++)
		printf("object %zu %s => %s%s\n", i, m->objects.v[i].path, m->objects.v[i].real,
		       m->objects.v[i].unloaded ? " unloaded" : "");
	for (size_t i = 0; i < m->chain.n; i++)
		printf("chain %zu %s\n", m->chain.v[i], m->objects.v[m->chain.v[i]].path);
	for (size_t i = 0; i < m->scope.n; i++)
		printf("scope %s\n", m->objects.v[m->scope.v[i]].path);
	for (size_t i = 0; i < m->edges.n; i++) {
		const struct cv_lm_edge *e = &m->edges.v[i];

		printf("edge %s\t%s\t%s\t%s\t%s\t%s\n", e->by == CV_LM_NONE ? "-" : m->objects.v[e->by].path,
		       cv_lm_mode_name(e->mode), e->name, cv_lm_step_name(e->step), e->detail ? e->detail : "-",
		       e->object == CV_LM_NONE ? "-" : m->objects.v[e->object].path);
		if (e->refused)
			printf("refused %s: %s\n", e->refused, e->refusal);
		for (size_t k = 0; k < e->tries.n; k++)
			printf("try %s\n", e->tries.v[k]);
		for (size_t k = 0; k < e->losers.n; k++)
			printf("loser %s\t%s\n", e->losers.v[k].path, cv_lm_reason_name(e->losers.v[k].reason));
	}
	for (size_t i = 0; i < m->troubles.n; i++)
		printf("trouble %s %s: %s\n", cv_lm_trouble_name(m->troubles.v[i].kind),
		       m->troubles.v[i].fatal ? "fatal" : "note", m->troubles.v[i].message);
}

/* The object whose file is at this path. */
static size_t object_of(struct cv_view *v, const struct cv_loadmap *m, struct cv_arena *a, const char *path, size_t n)
{
	const char *real;

	if (cv_view_realpath(v, cv_arena_memdup(a, path, n), a, &real) < 0)
		return CV_LM_NONE;
	for (size_t i = 1; i < m->objects.n; i++)
		if (strcmp(m->objects.v[i].real, real) == 0)
			return i;
	return CV_LM_NONE;
}

static int one(struct cv_view *v, struct cv_lm_system *sys, struct cv_arena *a, struct cv_diag *d, const char *path, char **dlopens, bool symbols,
	       bool silent)
{
	struct cv_loadmap *m;
	size_t said = d->n;
	int r = cv_loadmap_new(sys, a, d, &m);

	if (r == 0)
		r = cv_loadmap_exec(m, path);
	if (r == 0 && symbols)
		r = cv_loadmap_symbols(m);
	if (silent)
		return r;
	printf("file %s\n", path);
	if (r == 0) {
		printf("start %zu\n", m->troubles.n);
		for (size_t i = 0; i < m->chain.n; i++)
			printf("atstart %s\n", m->objects.v[m->chain.v[i]].path);
	}
	for (; r == 0 && dlopens && *dlopens; dlopens++) {
		unsigned flags = (strncmp(*dlopens, "global", 6) == 0 ? CV_LM_GLOBAL : 0) |
				 (strstr(*dlopens, "now:") ? CV_LM_NOW : 0) | (symbols ? CV_LM_SYMBOLS : 0);
		const char *at = strchr(*dlopens, '@'), *colon = strchr(*dlopens, ':');
		size_t by = at && at < colon ? object_of(v, m, a, at + 1, (size_t)(colon - at - 1)) : 0;
		size_t before = m->troubles.n;
		int ok;

		if (by == CV_LM_NONE)
			continue; /* it was not loaded, so it does not ask */
		ok = cv_loadmap_dlopen(m, by, colon + 1, flags);

		printf("dlopen %s %d\n", *dlopens, ok);
		for (size_t i = before; i < m->troubles.n; i++)
			printf("dlerror %s\n", m->troubles.v[i].message);
	}
	if (r < 0)
		printf("error %d %s\n", r, cv_strerror(r));
	else
		print_map(m);
	for (size_t i = said; i < d->n; i++)
		printf("diag %s\n", d->v[i]);
	return r;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	struct cv_lm_system_opts opts = { 0 };
	bool symbols = false, silent = false, timed = false;
	const char *root = NULL;
	struct cv_lm_system *sys;
	struct cv_arena *a = cv_arena_new((size_t)8 << 30);
	struct cv_view *v;
	struct cv_diag d;
	double start = now();
	int c, r;

	cv_diag_init(&d, a);
	while ((c = getopt(argc, argv, "+r:L:P:C:c:g:qstnbT")) != -1) {
		switch (c) {
		case 'r': root = optarg; break;
		case 'L': opts.library_path = optarg; break;
		case 'P': opts.preload = optarg; break;
		case 'C': opts.cwd = optarg; break;
		case 'c': opts.hwcaps_mask = optarg; break;
		case 'g': opts.glibc = optarg; break;
		case 'q': opts.quick = true; break;
		case 'b': opts.bind_now = true; break;
		case 's': symbols = true; break;
		case 't': opts.tries = true; break;
		case 'n': silent = true; break;
		case 'T': timed = true; break;
		default: return 2;
		}
	}
	r = root ? cv_view_tree_new(root, &d, &v) : cv_view_host_new(environ, &v);
	if (r == 0)
		r = cv_lm_system_new(v, &opts, a, &d, &sys);
	if (r < 0) {
		fprintf(stderr, "loadmap_dump: %s\n", cv_strerror(r));
		return 2;
	}
	for (int i = optind; i < argc && strcmp(argv[i], "--") != 0; i++) {
		char **dlopens = NULL;

		for (int k = i; k < argc; k++)
			if (strcmp(argv[k], "--") == 0)
				dlopens = argv + k + 1;
		one(v, sys, a, &d, argv[i], dlopens, symbols, silent);
	}
	if (timed)
		fprintf(stderr, "%.3f ms, arena %zu KiB\n", now() - start, cv_arena_used(a) / 1024);
	cv_lm_system_free(sys);
	cv_view_free(v);
	cv_arena_free(a);
	return 0;
}
