/* SPDX-License-Identifier: Apache-2.0 */
/* The fixtures have the shapes of real version functions: tests/data/elf/getter.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "elf_file.h"
#include "parse/libversion.h"

#define ELF(name) TEST_DATA "/elf/" name

static int version_of(struct elf_file *f, const char *name, struct cv_libversion *ret)
{
	assert_int_equal(elf_file_open(f), 0);
	return cv_libversion(f->elf, name, f->arena, ret);
}

static void test_libversion_symbols(void **state)
{
	static const struct {
		const char *file, *name, *version, *where;
		bool partial;
	} t[] = {
		{ ELF("x86_64.so"), "libcudnn_graph.so.9", "9.10.2", "cudnn_graph_version", false },
		{ ELF("powerpc64.so"), "libcudnn_graph.so.9", "9.10.2", "cudnn_graph_version", false },
		{ ELF("i386.so"), "libcudnn_graph.so.9", "9.10.2", "cudnn_graph_version", false },
		{ ELF("cublaslt.so"), "libcublasLt.so.12", "12.8.4", "cublasLtGetVersion", false },
		{ ELF("curand.so"), "libcurand.so.10", "10.3.9", "curandGetVersion", false },
		{ ELF("curand_arm.so"), "libcurand.so.10", "10.3.9", "curandGetVersion", false },
		{ ELF("cudart.so"), "libcudart.so.12", "12.8", "cudaRuntimeGetVersion", true },
		{ ELF("cudart_arm.so"), "libcudart.so.12", "12.8", "cudaRuntimeGetVersion", true },
		{ ELF("nvrtc.so"), "libnvrtc.so.12", "12.8", "nvrtcVersion", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct elf_file f;
		struct cv_libversion v;

		elf_file_load(&f, t[i].file);
		assert_int_equal(version_of(&f, t[i].name, &v), 0);
		assert_string_equal(v.version, t[i].version);
		assert_string_equal(v.how, "symbol");
		assert_string_equal(v.where, t[i].where);
		assert_int_equal(v.partial, t[i].partial);
		elf_file_free(&f);
	}
}

/* Every place where the bytes of v stand. */
static void replace(struct elf_file *f, uint32_t v, uint32_t with, unsigned skip)
{
	for (size_t i = 0; i + 4 <= f->n; i++) {
		if (memcmp(f->p + i, &v, 4) != 0 || skip-- > 0)
			continue;
		memcpy(f->p + i, &with, 4);
		skip = 0;
	}
}

static void test_libversion_code_that_is_no_version(void **state)
{
	struct cv_libversion v;
	struct elf_file f;

	(void)state;
	elf_file_load(&f, ELF("cublaslt.so"));
	replace(&f, 120804, 120900, 1); /* two constants that differ */
	assert_int_equal(version_of(&f, "libcublasLt.so.12", &v), CV_ENOENT);
	replace(&f, 120804, 120900, 0);
	assert_int_equal(version_of(&f, "libcublasLt.so.12", &v), 0);
	assert_string_equal(v.version, "12.9.0");
	replace(&f, 120900, 130000, 0); /* not the SONAME's major */
	assert_int_equal(version_of(&f, "libcublasLt.so.12", &v), CV_ENOENT);
	elf_file_free(&f);
	elf_file_load(&f, ELF("cudart.so"));
	replace(&f, 12080, 12085, 0); /* cudart has no patch number */
	assert_int_equal(version_of(&f, "libcudart.so.12", &v), CV_ENOENT);
	replace(&f, 12085, 12090, 0);
	assert_int_equal(version_of(&f, "libcudart.so.12", &v), 0);
	assert_string_equal(v.version, "12.9");
	elf_file_free(&f);
}

/* The fixture's SONAME is libfixture.so.3, so its major is 3. */
static void test_libversion_file_names(void **state)
{
	static const struct {
		const char *name, *version;
	} t[] = {
		{ "libfixture.so.3.12.8.90", "3.12.8.90" },
		{ "libfixture.so.3.0", "3.0" },
		{ "libfixture.so.3", NULL },
		{ "libfixture.so.4.1", NULL },
		{ "libfixture.so", NULL },
		{ "libfixture.so.3.1.bak", NULL },
		{ "libfixture.so.3.1-old", NULL },
		{ "libfixture.so.3.1.", NULL },
		{ "libcuda.so.580.95.05", "580.95.05" },
		{ "libnvidia-ml.so.535.183.01", "535.183.01" },
		{ "libcupti.so.2025.1.1", "2025.1.1" },
		{ "libcuda.so.3.1", NULL }, /* WSL and Jetson have libcuda.so.1.1 beside the SONAME libcuda.so.1 */
		{ "libnvidia-ml.so.3.1", NULL },
	};
	struct elf_file f;

	(void)state;
	elf_file_load(&f, ELF("aarch64.so"));
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct cv_libversion v;
		int r = version_of(&f, t[i].name, &v);

		if (r != (t[i].version ? 0 : CV_ENOENT))
			fail_msg("%s: %d", t[i].name, r);
		if (r < 0)
			continue;
		assert_string_equal(v.version, t[i].version);
		assert_string_equal(v.how, "file name");
		assert_false(v.partial);
	}
	elf_file_free(&f);
}

static void test_libversion_symbol_outranks_name(void **state)
{
	struct cv_libversion v;
	struct elf_file f;

	(void)state;
	elf_file_load(&f, ELF("x86_64.so"));
	assert_int_equal(version_of(&f, "libcudnn_graph.so.3.1.2", &v), 0);
	assert_string_equal(v.version, "9.10.2");
	elf_file_free(&f);
}

static void test_libversion_neighbours(void **state)
{
	struct cv_arena *a = cv_arena_new(65536);

	(void)state;
	assert_string_equal(cv_libversion_neighbour(a, "libcudnn.so.9"), "libcudnn_graph.so.9");
	assert_string_equal(cv_libversion_neighbour(a, "libcudnn.so.9.10.2"), "libcudnn_graph.so.9");
	assert_string_equal(cv_libversion_neighbour(a, "libcudnn.so.8"), "libcudnn_ops_infer.so.8");
	assert_string_equal(cv_libversion_neighbour(a, "libcublas.so.12"), "libcublasLt.so.12");
	assert_null(cv_libversion_neighbour(a, "libcudnn.so.7"));
	assert_null(cv_libversion_neighbour(a, "libcudnn.so"));
	assert_null(cv_libversion_neighbour(a, "libcublasLt.so.12"));
	cv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libversion_symbols),
		cmocka_unit_test(test_libversion_code_that_is_no_version),
		cmocka_unit_test(test_libversion_file_names),
		cmocka_unit_test(test_libversion_symbol_outranks_name),
		cmocka_unit_test(test_libversion_neighbours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
