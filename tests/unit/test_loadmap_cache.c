/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lm_world.h"

/* A cache of the new format, for x86-64: names from the last to the first, each with its path; count: what its header says. */
static void put_cache(struct lm_world *w, const char *const (*v)[2], size_t n, uint32_t count)
{
	unsigned char b[1024] = "glibc-ld.so.cache1.1";
	size_t at = 48 + 24 * n;

	lm_w(b + 20, count, 4);
	b[28] = 2;
	for (size_t i = 0; i < n; i++) {
		lm_w(b + 48 + 24 * i, 0x303, 4);
		for (size_t k = 0; k < 2; k++) {
			lm_w(b + 52 + 24 * i + 4 * k, at, 4);
			memcpy(b + at, v[i][k], strlen(v[i][k]) + 1);
			at += strlen(v[i][k]) + 1;
		}
	}
	tmptree_bytes(&w->t, "/etc/ld.so.cache", b, at);
}

static const char *const entries[][2] = { { "libb.so.10", "/far/libb.so.10" }, { "libb.so.9", "/far/libb.so.9" }, { "liba.so", "/far/liba.so" } };

static void look(struct lm_world *w, uint32_t count)
{
	lm_world_init(w, "2.36");
	lm_world_put(w, "/p", &(struct lm_elf){ .program = true, .needed = { "liba.so", "libb.so.10" } });
	lm_world_put(w, "/far/liba.so", &(struct lm_elf){ .soname = "liba.so" });
	lm_world_put(w, "/far/libb.so.10", &(struct lm_elf){ .soname = "libb.so.10" });
	lm_world_put(w, "/lib/liba.so", &(struct lm_elf){ .soname = "liba.so" });
	put_cache(w, entries, 3, count);
	lm_world_open(w, &(struct cv_lm_system_opts){ .hwcaps_mask = "", .cwd = "/w" });
	assert_int_equal(cv_loadmap_exec(w->map, "/p"), 0);
}

static void test_loadmap_cache_comes_before_the_default_directories(void **state)
{
	struct lm_world w;

	(void)state;
	look(&w, 3);
	assert_taken(&w, "liba.so", CV_LM_CACHE, "/far/liba.so");
	assert_taken(&w, "libb.so.10", CV_LM_CACHE, "/far/libb.so.10");
	lm_world_done(&w);
}

/* The search by halves begins behind the file, where there is nothing: what ldconfig 2.36 -c compat may write. */
static void test_loadmap_cache_whose_count_is_wrong_is_of_no_use(void **state)
{
	struct lm_world w;

	(void)state;
	look(&w, 557);
	assert_taken(&w, "liba.so", CV_LM_DEFAULT, "/lib/liba.so");
	assert_taken(&w, "libb.so.10", CV_LM_MISSING, NULL);
	lm_world_done(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loadmap_cache_comes_before_the_default_directories),
		cmocka_unit_test(test_loadmap_cache_whose_count_is_wrong_is_of_no_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
