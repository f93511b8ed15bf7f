/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/demangle.h"

static struct cv_arena *arena;

static int setup(void **state)
{
	(void)state;
	arena = cv_arena_new((size_t)1 << 20);
	return arena ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	cv_arena_free(arena);
	return 0;
}

static void test_demangle_spells_as_the_authors_did(void **state)
{
	(void)state;
	assert_string_equal(cv_demangle(arena, "_ZN3foo3barEi"), "foo::bar(int)");
	assert_string_equal(cv_demangle(arena, "_ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"),
			    "c10::Error::Error(c10::SourceLocation, std::__cxx11::basic_string<char, std::char_traits<char>, "
			    "std::allocator<char> >)");
}

static void test_demangle_leaves_other_names(void **state)
{
	static const char *const names[] = { "", "_Z", "cudaMalloc", "_Zebra()", "_ZN3foo", "_ZN99999999999999999999a" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_null(cv_demangle(arena, names[i]));
}

/* f(A1) with A1 = a<A0, A0>, A2 = a<A1, A1> and so on: 300 bytes that mean 2^60 names. */
static void test_demangle_gives_up_on_exploding_names(void **state)
{
	char symbol[2000] = "_Z1f1aI1bS0_E";
	size_t n = strlen(symbol);

	(void)state;
	for (unsigned i = 0; i < 60; i++)
		n += (size_t)snprintf(symbol + n, sizeof(symbol) - n, "S_IS%c_S%c_E", "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i % 34],
				      "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i % 34]);
	assert_null(cv_demangle(arena, symbol));
	memset(symbol, 'P', sizeof(symbol) - 1);
	memcpy(symbol, "_Z1f", 4);
	symbol[sizeof(symbol) - 1] = '\0';
	assert_null(cv_demangle(arena, symbol));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demangle_spells_as_the_authors_did),
		cmocka_unit_test(test_demangle_leaves_other_names),
		cmocka_unit_test(test_demangle_gives_up_on_exploding_names),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
