/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/demangle.h"
#include "lm_world.h"

#define PUT(w, path, ...) lm_world_put(w, path, &(struct lm_elf){ __VA_ARGS__ })

#define NEW_STRING "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"

/* Two names, each of one ABI. */
static const struct {
	const char *tagged, *old;
} pairs[] = {
	{ "_ZN3c106detail14torchCheckFailEPKcS2_jRK" NEW_STRING, "_ZN3c106detail14torchCheckFailEPKcS2_jRKSs" },
	{ "_ZN3foo3barB5cxx11Ev", "_ZN3foo3barEv" },
	{ "_ZNK3foo3barB5cxx11ERK" NEW_STRING "PKcS9_", "_ZNK3foo3barERKSsPKcS3_" },
	{ "_Z4takeNSt7__cxx114listIiSaIiEEE", "_Z4takeSt4listIiSaIiEE" },
	{ "_Z4openRKNSt10filesystem7__cxx114pathE", "_Z4openRKNSt10filesystem4pathE" },
	{ "_Z4wideNSt7__cxx1112basic_stringIwSt11char_traitsIwESaIwEEE", "_Z4wideSbIwSt11char_traitsIwESaIwEE" },
	{ "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4sizeEv", "_ZNKSs4sizeEv" },
};

static void test_cxx11_names_of_both_abis_have_one_plain_form(void **state)
{
	char a[CV_DEMANGLE_MAX + 1], b[CV_DEMANGLE_MAX + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		assert_true(cv_cxx11_tagged(pairs[i].tagged));
		assert_false(cv_cxx11_tagged(pairs[i].old));
		assert_int_equal(cv_cxx11_key(pairs[i].tagged), cv_cxx11_key(pairs[i].old));
		assert_true(cv_cxx11_plain(pairs[i].tagged, a));
		assert_true(cv_cxx11_plain(pairs[i].old, b));
		assert_string_equal(a, b);
	}
	assert_int_not_equal(cv_cxx11_key("_Z3fooSs"), cv_cxx11_key("_Z3barSs"));
	assert_false(cv_cxx11_plain("foo", a));
}

static void look(struct lm_world *w)
{
	lm_world_open(w, &(struct cv_lm_system_opts){ .hwcaps_mask = "", .cwd = "/w" });
	assert_int_equal(cv_loadmap_exec(w->map, "/p"), 0);
	assert_int_equal(cv_loadmap_symbols(w->map), 0);
}

/* Needs a, gets b: both ways round. */
static void other(const char *wanted, const char *defined, bool told)
{
	struct lm_world w;

	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "liba.so", "libb.so" }, .syms = { { .name = wanted, .data = true } });
	PUT(&w, "/lib/liba.so", .soname = "liba.so", .syms = { { .name = "_Z5otherSs", .defined = true } });
	PUT(&w, "/lib/libb.so", .soname = "libb.so", .syms = { { .name = "_Z4moreNSt4listIiEE", .defined = true }, { .name = defined, .defined = true } });
	look(&w);
	assert_int_equal(w.map->troubles.n, 1);
	assert_string_equal(w.map->troubles.v[0].name, wanted);
	if (told) {
		assert_non_null(w.map->troubles.v[0].other_abi);
		assert_string_equal(w.map->troubles.v[0].other_abi, defined);
		assert_string_equal(w.map->objects.v[w.map->troubles.v[0].provider].soname, "libb.so");
	} else {
		assert_null(w.map->troubles.v[0].other_abi);
		assert_int_equal(w.map->troubles.v[0].provider, CV_LM_NONE);
	}
	lm_world_done(&w);
}

static void test_loadmap_tells_the_other_cxx11_abi(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		other(pairs[i].tagged, pairs[i].old, true);
		other(pairs[i].old, pairs[i].tagged, true);
	}
}

static void test_loadmap_tells_no_abi_where_the_declaration_differs(void **state)
{
	(void)state;
	other("_ZN3foo3barB5cxx11Ev", "_ZN3foo3barEi", false);
	other("_Z3fooNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", "_Z3fooPKc", false);
	other("_Z3foo" NEW_STRING, "_Z3foo" NEW_STRING "i", false); /* the same ABI, another function */
	other("_ZN3foo3barB5cxx11Ev", "_ZN3foo3bazEv", false);
	other("cudaMalloc", "cudaFree", false);
}

/* One that is only needed there too defines nothing; two that need it are both told. */
static void test_loadmap_tells_the_abi_to_everyone_who_needs_it(void **state)
{
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "liba.so", "libb.so" }, .syms = { { .name = pairs[0].tagged, .data = true } });
	PUT(&w, "/lib/liba.so", .soname = "liba.so",
	    .syms = { { .name = pairs[0].tagged, .data = true }, { .name = pairs[0].old, .data = true, .weak = true } });
	PUT(&w, "/lib/libb.so", .soname = "libb.so", .syms = { { .name = pairs[0].old, .defined = true } });
	look(&w);
	assert_int_equal(w.map->troubles.n, 2);
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(w.map->objects.v[w.map->troubles.v[i].provider].soname, "libb.so");
	lm_world_done(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cxx11_names_of_both_abis_have_one_plain_form),
		cmocka_unit_test(test_loadmap_tells_the_other_cxx11_abi),
		cmocka_unit_test(test_loadmap_tells_no_abi_where_the_declaration_differs),
		cmocka_unit_test(test_loadmap_tells_the_abi_to_everyone_who_needs_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
