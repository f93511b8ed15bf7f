/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target over its seeds without a fuzzer, so that every test run replays them: each file whole, cut off at every
 * length, and with a few hundred small damages that are the same in every run.
 *
 *	replay FILE|DIRECTORY...
 *
 * Fails where there is no seed. A fault in the target shows as a crash or a sanitizer's report.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

#define MAX_SIZE ((size_t)1 << 20)
#define MAX_CUTS 2048
#define MUTATIONS 400

struct count {
	unsigned long files, inputs;
};

/* The same numbers in every run (xorshift64). */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A copy of exactly this size, so that the sanitizer sees a read behind it. */
static void run(const uint8_t *data, size_t size, struct count *c)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	if (size)
		memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	c->inputs++;
}

static void put_number(uint8_t *p, size_t room, uint64_t *state)
{
	static const uint64_t odd[] = {
		0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff,
		0x8000000000000000, 0xfffffffffffffff0, 0xffffffffffffffff,
	};
	uint64_t v = odd[next_random(state) % (sizeof(odd) / sizeof(odd[0]))];
	size_t n = (size_t)1 << next_random(state) % 4;

	for (size_t i = 0; i < n && i < room; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static void mutate(const uint8_t *data, size_t size, unsigned round, struct count *c)
{
	uint64_t state = 0x9e3779b97f4a7c15u * (round + 1);
	uint8_t *m = malloc(size + 1);

	if (!m)
		abort();
	memcpy(m, data, size);
	for (unsigned i = 0; i <= round % 3; i++) {
		size_t at = (size_t)(next_random(&state) % size);

		switch (next_random(&state) % 4) {
		case 0:
			m[at] ^= (uint8_t)(1u << next_random(&state) % 8);
			break;
		case 1:
			m[at] = (uint8_t)next_random(&state);
			break;
		case 2:
			put_number(m + at, size - at, &state);
			break;
		default: /* one byte goes, the rest moves up */
			memmove(m + at, m + at + 1, size - at - 1);
			break;
		}
	}
	run(m, size, c);
	free(m);
}

static void run_seed(const uint8_t *data, size_t size, struct count *c)
{
	size_t step = size / MAX_CUTS + 1;

	run(data, size, c);
	for (size_t n = 0; n < size; n += step)
		run(data, n, c);
	for (unsigned i = 0; size && i < MUTATIONS; i++)
		mutate(data, size, i, c);
	c->files++;
}

static int run_file(const char *path, struct count *c)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(MAX_SIZE);
	size_t n;

	if (!f || !data) {
		fprintf(stderr, "%s: cannot be read\n", path);
		if (f)
			fclose(f);
		free(data);
		return 1;
	}
	n = fread(data, 1, MAX_SIZE, f);
	fclose(f);
	run_seed(data, n, c);
	free(data);
	return 0;
}

static int run_path(const char *path, struct count *c);

static int run_dir(const char *path, struct count *c)
{
	struct dirent **v;
	int n = scandir(path, &v, NULL, alphasort);
	int bad = n < 0;

	for (int i = 0; i < n; i++) {
		char name[4096];

		if (v[i]->d_name[0] != '.') {
			snprintf(name, sizeof(name), "%s/%s", path, v[i]->d_name);
			bad |= run_path(name, c);
		}
		free(v[i]);
	}
	if (n >= 0)
		free(v);
	return bad;
}

static int run_path(const char *path, struct count *c)
{
	struct stat st;

	if (stat(path, &st) < 0) {
		fprintf(stderr, "%s: not found\n", path);
		return 1;
	}
	return S_ISDIR(st.st_mode) ? run_dir(path, c) : run_file(path, c);
}

int main(int argc, char **argv)
{
	struct count c = { 0, 0 };
	int bad = 0;

	for (int i = 1; i < argc; i++)
		bad |= run_path(argv[i], &c);
	printf("%lu inputs from %lu files\n", c.inputs, c.files);
	return bad || c.files == 0;
}
