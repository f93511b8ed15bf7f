/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lm_world.h"

static void start(struct lm_world *w, const char *aux)
{
	lm_world_init(w, "2.36");
	lm_world_put(w, "/p", &(struct lm_elf){ .program = true, .needed = { "libc.so.6" }, .aux = { aux } });
	lm_world_put(w, "/lib/libc.so.6", &(struct lm_elf){ .soname = "libc.so.6" });
	lm_world_put(w, "/lib/libaux.so", &(struct lm_elf){ .soname = "libaux.so" });
	lm_world_put(w, "/lib/libx.so", &(struct lm_elf){ .soname = "libx.so", .needed = { "libgone.so" } });
	lm_world_open(w, &(struct cv_lm_system_opts){ .hwcaps_mask = "", .cwd = "/w" });
	assert_int_equal(cv_loadmap_exec(w->map, "/p"), 0);
	assert_int_equal(w->map->troubles.n, 0);
}

static void test_loadmap_dlopen_that_fails_is_told(void **state)
{
	struct lm_world w;

	(void)state;
	start(&w, NULL);
	assert_int_equal(cv_loadmap_dlopen(w.map, 0, "libx.so", CV_LM_NOW), 0);
	assert_trouble(&w, 0, CV_LM_T_MISSING, true, "libgone.so: cannot open shared object file: No such file or directory");
	assert_int_equal(cv_loadmap_dlopen(w.map, 0, "libaux.so", CV_LM_NOW), 1);
	lm_world_done(&w);
}

/* The auxiliary stands in front of the program, where the loader does not see it when it counts. */
static void test_loadmap_dlopen_that_fails_beside_an_auxiliary_ends_the_program(void **state)
{
	struct lm_world w;

	(void)state;
	start(&w, "libaux.so");
	assert_int_equal(cv_loadmap_dlopen(w.map, 0, "libnot.so", CV_LM_NOW), 0); /* nothing was loaded, nothing is counted */
	assert_trouble(&w, 0, CV_LM_T_MISSING, true, "libnot.so: cannot open shared object file: No such file or directory");
	assert_int_equal(cv_loadmap_dlopen(w.map, 0, "libx.so", CV_LM_NOW), 0);
	assert_int_equal(w.map->troubles.n, 2);
	assert_trouble(&w, 1, CV_LM_T_MISSING, true,
		       "Inconsistency detected by ld.so: dl-close.c: _dl_close_worker: Assertion `idx == nloaded' failed!");
	assert_true(cv_loadmap_dlopen(w.map, 0, "libc.so.6", CV_LM_NOW) < 0);
	lm_world_done(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loadmap_dlopen_that_fails_is_told),
		cmocka_unit_test(test_loadmap_dlopen_that_fails_beside_an_auxiliary_ends_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
