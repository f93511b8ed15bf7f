/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs that versions compared as text, or by a simpler rule, get wrong. tests/truth/versions.py has the large comparison. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/version.h"

struct pair {
	const char *a;
	char relation; /* '<' or '=' */
	const char *b;
};

#define LONG_ONE "100000000000000000000000000000000000000"

static const struct pair pep440_pairs[] = {
	{ "2.9.0", '<', "2.10.0" },
	{ "2.9.0", '<', "2.9.0+cu128" },
	{ "2.9.0+cu126", '<', "2.9.0+cu128" },
	{ "2.9.0+cpu", '<', "2.9.0+cu128" },
	{ "1.0", '=', "1" },
	{ "1.0.0", '=', "v1.0" },
	{ "1.0+ubuntu.1", '=', "1.0+Ubuntu-1" },
	{ "1.0+1", '=', "1.0+01" },
	{ "1.0+abc", '<', "1.0+1" },
	{ "1.0+9", '<', "1.0+10" },
	{ "1.0+9a", '<', "1.0+9" },
	{ "1.0+1", '<', "1.0+1.0" },
	{ "1.0.dev456", '<', "1.0a1" },
	{ "1.0a1.dev1", '<', "1.0a1" },
	{ "1.0a1", '<', "1.0a2.dev456" },
	{ "1.0a12", '<', "1.0b1.dev456" },
	{ "1.0b2.post345.dev456", '<', "1.0b2.post345" },
	{ "1.0b2.post345", '<', "1.0rc1.dev456" },
	{ "1.0rc1", '<', "1.0" },
	{ "1.0", '<', "1.0.post456.dev34" },
	{ "1.0.post456.dev34", '<', "1.0.post456" },
	{ "1.0.post456", '<', "1.1.dev1" },
	{ "1.0c1", '=', "1.0-RC.1" },
	{ "1.0alpha", '=', "1.0a0" },
	{ "1.0.alpha1", '=', "1.0a1" },
	{ "1.0a-1", '=', "1.0a1" },
	{ "1.0a--1", '=', "1.0a0.post1" },
	{ "1.0preview2", '=', "1.0pre2" },
	{ "1.0-1", '=', "1.0.post1" },
	{ "1.0-r4", '=', "1.0.rev4" },
	{ "1.0.DEV", '=', "1.0dev0" },
	{ " 1.0\n", '=', "1.0" },
	{ "2026.1", '<', "1!0.1" },
	{ "0!1", '=', "1" },
	{ "1." LONG_ONE, '<', "1." LONG_ONE "0" },
	{ "1.9" LONG_ONE, '<', "1.9" LONG_ONE ".post1" },
	{ "1.0rc9", '<', "1.0rc10" },
	{ "not a version", '<', "0.dev0" },
	{ "1.0+", '=', "1..0" },
};

static const struct pair dotted_pairs[] = {
	{ "535.54.03", '<', "535.104.05" },
	{ "999.1", '<', "1000" },
	{ "12", '=', "12.0" },
	{ "12.0.0", '=', "12" },
	{ "8.9", '<', "10.0" },
	{ "525.60.13", '=', "525.60.013" },
	{ "5.15.0-91-generic", '=', "5.15" },
	{ "5.15.", '=', "5.15" },
	{ "18446744073709551616", '<', "18446744073709551617" },
	{ "v12", '<', "0" },
	{ "", '<', "0" },
};

static const struct pair deb_pairs[] = {
	{ "535.247.01-1~deb12u1", '<', "535.247.01-1" },
	{ "1.0~rc1-1", '<', "1.0-1" },
	{ "1.0", '<', "1.0+b1" },
	{ "1.0a", '<', "1.0+" },
	{ "1.0~~", '<', "1.0~" },
	{ "1.0~", '<', "1.0" },
	{ "1.0", '=', "0:1.0-0" },
	{ "1.0-1", '<', "1:0.5" },
	{ "1.2.9-1", '<', "1.2.10-1" },
	{ "1.0-1", '<', "1.0-1ubuntu1" },
	{ "1-2-3", '<', "1-10-1" },
	{ "1.007", '=', "1.7" },
	{ "1." LONG_ONE "1", '<', "1." LONG_ONE "2" },
	{ "a1", '<', "0" },
	{ "1.0-", '<', "0~" },
	{ ":1", '<', "0" },
};

static int relation(enum cv_ver_scheme scheme, const char *a, const char *b)
{
	int c = cv_ver_cmp(scheme, a, b);

	return c < 0 ? '<' : c > 0 ? '>' : '=';
}

static void check_pairs(enum cv_ver_scheme scheme, const struct pair *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int mirrored = p[i].relation == '<' ? '>' : '=';

		if (relation(scheme, p[i].a, p[i].b) != p[i].relation || relation(scheme, p[i].b, p[i].a) != mirrored)
			fail_msg("%s %c %s does not hold", p[i].a, p[i].relation, p[i].b);
	}
}

#define CHECK_PAIRS(scheme, pairs) check_pairs((scheme), (pairs), sizeof(pairs) / sizeof((pairs)[0]))

static void test_version_pep440_order(void **state)
{
	(void)state;
	CHECK_PAIRS(CV_VER_PEP440, pep440_pairs);
}

static void test_version_dotted_order(void **state)
{
	(void)state;
	CHECK_PAIRS(CV_VER_DOTTED, dotted_pairs);
}

static void test_version_deb_order(void **state)
{
	(void)state;
	CHECK_PAIRS(CV_VER_DEB, deb_pairs);
}

static void test_version_valid(void **state)
{
	static const char *const good[] = { "1", "v1!2.3-4.dev+a.1", "1.0a-", "1.0.post.dev", "2.4.0a0+3bcc3cddb5.nv24.07" };
	static const char *const bad[] = { "", "v", "1.", "1!", "1.0-", "1.0+a..b", "1.0+-a", "1.0 .1", "1.0x", "1.0devel", "!1" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!cv_ver_valid(CV_VER_PEP440, good[i]))
			fail_msg("'%s' was refused", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (cv_ver_valid(CV_VER_PEP440, bad[i]))
			fail_msg("'%s' was taken", bad[i]);
	assert_true(cv_ver_valid(CV_VER_DOTTED, "5.15.0-91-generic"));
	assert_false(cv_ver_valid(CV_VER_DOTTED, ".5"));
	assert_true(cv_ver_valid(CV_VER_DEB, "1:2.38.1-5+deb12u3"));
	assert_false(cv_ver_valid(CV_VER_DEB, "x:1"));
	assert_false(cv_ver_valid(CV_VER_DEB, "1 2"));
	assert_false(cv_ver_valid(CV_VER_DEB, ""));
}

static void test_version_parts(void **state)
{
	struct cv_arena *a = cv_arena_new(65536);

	(void)state;
	assert_int_equal(cv_ver_part("12.8.90", 0), 12);
	assert_int_equal(cv_ver_part("12.8.90", 2), 90);
	assert_int_equal(cv_ver_part("12.8.90", 3), -1);
	assert_int_equal(cv_ver_part("v1!2.9.0+cu128", 1), 9);
	assert_int_equal(cv_ver_part("5.15.0-91-generic", 2), 0);
	assert_int_equal(cv_ver_part("none", 0), -1);
	assert_int_equal(cv_ver_part(LONG_ONE, 0), INT64_MAX);
	assert_int_equal(cv_ver_part("1.00000000000000000000000000007", 1), 7);
	assert_string_equal(cv_ver_prefix(a, "12.8.90", 2), "12.8");
	assert_string_equal(cv_ver_prefix(a, "12", 2), "12");
	assert_string_equal(cv_ver_prefix(a, "2.9.0+cu128", 9), "2.9.0");
	assert_string_equal(cv_ver_prefix(a, "none", 2), "");
	assert_string_equal(cv_ver_local(a, "2.9.0+cu128"), "cu128");
	assert_string_equal(cv_ver_local(a, "1+Git_5-X"), "git.5.x");
	assert_null(cv_ver_local(a, "2.9.0"));
	assert_null(cv_ver_local(a, "x+cu128"));
	assert_string_equal(cv_ver_public(a, " 2.9.0rc1+cu128 "), "2.9.0rc1");
	assert_string_equal(cv_ver_public(a, "2.9.0"), "2.9.0");
	assert_true(cv_ver_is_pre("1.0rc1"));
	assert_true(cv_ver_is_pre("1.0.post1.dev0"));
	assert_false(cv_ver_is_pre("1.0.post1"));
	assert_false(cv_ver_is_pre("rc"));
	cv_arena_free(a);
}

static void test_version_in_interval(void **state)
{
	(void)state;
	assert_true(cv_ver_in(CV_VER_DOTTED, "12.8", "12.8", "12.9"));
	assert_false(cv_ver_in(CV_VER_DOTTED, "12.9.0", "12.8", "12.9"));
	assert_true(cv_ver_in(CV_VER_DOTTED, "12.10", "12.9", ""));
	assert_true(cv_ver_in(CV_VER_DOTTED, "1", "", ""));
	assert_false(cv_ver_in(CV_VER_DOTTED, "unknown", "", "12"));
	assert_false(cv_ver_in(CV_VER_PEP440, "2.9.0rc1", "2.9", ""));
}

static void test_version_specifiers(void **state)
{
	static const struct {
		const char *spec, *version;
		int want;
	} t[] = {
		{ "", "1.0", 1 },
		{ ">=2.4,<3", "2.10.0+cu128", 1 },
		{ ">=2.4,<3", "2.3.9", 0 },
		{ "==2.9.0", "2.9.0+cu128", 1 },
		{ "==2.9.0+cu126", "2.9.0+cu128", 0 },
		{ "== 2.9.0+CU-128", "2.9.0+cu.128", 1 },
		{ "!=2.9.0", "2.9.0+cu128", 0 },
		{ "<=2.9.0", "2.9.0+cu128", 1 },
		{ ">2.9.0", "2.9.0+cu128", 0 },
		{ ">2.9.0rc1", "2.9.0+cu128", 1 },
		{ ">2.9", "2.9.0.post1", 0 },
		{ ">2.9.post1", "2.9.post2", 1 },
		{ "<2.9", "2.9.0rc1", 0 },
		{ "<2.9rc2", "2.9.0rc1", 1 },
		{ "<2.9.post1", "2.9", 1 },
		{ "==2.9.*", "2.9.1rc1+cu128", 1 },
		{ "==2.9.0.*", "2.9", 1 },
		{ "==2.9.*", "2.90", 0 },
		{ "==1!2.*", "2.0", 0 },
		{ "!=2.*", "2.0", 0 },
		{ "~=1.4.2", "1.4.10", 1 },
		{ "~=1.4.2", "1.5", 0 },
		{ "~=1.4", "1.99", 1 },
		{ "~=2.2.post3", "2.2", 0 },
		{ "~=1.4.5a4", "1.4.9", 1 },
		{ "===1.0-X", "1.0-x", 1 },
		{ "===1.0", "1.0.0", 0 },
		{ ">=1,", "1", 1 },
		{ "~=1", "1.0", CV_EFORMAT },
		{ ">=1.*", "1.0", CV_EFORMAT },
		{ "==1.0a1.*", "1.0", CV_EFORMAT },
		{ ">=1.0+cu128", "1.0", CV_EFORMAT },
		{ "1.0", "1.0", CV_EFORMAT },
		{ "=1.0", "1.0", CV_EFORMAT },
		{ "<0,>=x", "1.0", CV_EFORMAT },
		{ "===", "1.0", CV_EFORMAT },
		{ ">=1", "odd one", CV_EFORMAT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		int got = cv_spec_match(cv_str_of(t[i].spec), t[i].version);

		if (got != t[i].want)
			fail_msg("'%s' and %s: got %d, want %d", t[i].spec, t[i].version, got, t[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_version_pep440_order), cmocka_unit_test(test_version_dotted_order),
		cmocka_unit_test(test_version_deb_order),    cmocka_unit_test(test_version_valid),
		cmocka_unit_test(test_version_parts),        cmocka_unit_test(test_version_in_interval),
		cmocka_unit_test(test_version_specifiers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
