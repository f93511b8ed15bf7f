/* SPDX-License-Identifier: Apache-2.0 */
/* Every form in which GPU code is kept, from files that nvcc, ptxas and fatbinary made (tests/data/gpucode/make.sh). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "code_file.h"
#include "gpucode/codetext.h"

static struct cv_arena *arena;
static struct cv_diag diag;

static int setup(void **state)
{
	(void)state;
	arena = cv_arena_new((size_t)512 << 20);
	if (!arena)
		return -1;
	cv_diag_init(&diag, arena);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cv_arena_free(arena);
	return 0;
}

/* In a block of exactly that size, so that a read behind it is seen. */
static int read_bytes(const unsigned char *p, size_t n, bool forward, enum cv_gpucode_where where, struct cv_gpucode *ret)
{
	unsigned char *exact = cv_arena_alloc(arena, n);
	struct cv_src_mem mem;

	assert_non_null(exact);
	if (n)
		memcpy(exact, p, n);
	cv_src_mem_init(&mem, exact, n, "made");
	mem.src.forward = forward;
	return cv_gpucode_read(&mem.src, where, arena, &diag, ret);
}

/* "2 sm_80 | 1 compute_90@9.0" */
static const char *text_of(const struct cv_code_place *place)
{
	struct cv_strv out = { 0 };
	const char *text = "";

	assert_true(cv_codetext_write(place, arena, &out));
	for (size_t i = 0; i < out.n; i++)
		text = cv_arena_printf(arena, "%s%s%s", text, i ? " | " : "", out.v[i]);
	return text;
}

static const char *names_of(const struct cv_code_place *place)
{
	const char *text = "";

	for (size_t i = 0; i < place->cubin.n; i++) {
		const struct cv_code_count *c = &place->cubin.v[i];

		text = cv_arena_printf(arena, "%ssm_%u:%llu ", text, c->target.arch, (unsigned long long)c->n);
	}
	return text;
}

/* Both ways of reading give that text. */
static void assert_code(struct bytes b, enum cv_gpucode_where where, const char *own)
{
	struct cv_gpucode g, h;

	assert_int_equal(read_bytes(b.p, b.n, false, where, &g), 0);
	assert_string_equal(text_of(&g.own), own);
	assert_int_equal(read_bytes(b.p, b.n, true, where, &h), 0);
	assert_string_equal(text_of(&h.own), own);
	assert_string_equal(text_of(&h.elsewhere), text_of(&g.elsewhere));
	assert_int_equal(h.damaged, g.damaged);
}

static void test_gpucode_read_knows_every_form(void **state)
{
	static const char *const forms[][2] = {
		{ "90a-12.8.cubin", "1 sm_90a" },
		{ "90a.cubin", "1 sm_90a" },
		{ "100f.cubin", "1 sm_100f" },
		{ "120.ptx", "1 compute_120@9.0" },
		{ "plain.fatbin", "1 sm_80 sm_90a compute_120@9.0" },
		{ "lz4.fatbin", "1 sm_80 sm_90a compute_120@9.0" },
		{ "zstd.fatbin", "1 sm_80 sm_90a compute_120@9.0" },
		{ "reloc.obj", "1 sm_80 compute_90@9.0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		assert_code(code_file_load(arena, forms[i][0]), CV_GPUCODE_SEARCH, forms[i][1]);
}

/* The cubin that device linking leaves behind is named and serves nobody, packed or not. */
static void test_gpucode_read_sees_through_link_stubs(void **state)
{
	static const char *const names[] = { "stub-none.obj", "stub-size.obj", "stub-speed.obj" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct bytes stub = code_file_container(arena, names[i]), code = code_file_container(arena, "zstd.fatbin");
		struct code_section both[] = { { ".nv_fatbin", stub, 2 }, { "__nv_relfatbin", code, 2 } };
		struct cv_gpucode g;

		assert_code(code_file_load(arena, names[i]), CV_GPUCODE_SECTIONS, "1");
		assert_code(code_file_elf(arena, both, 2), CV_GPUCODE_SECTIONS, "1 | 1 sm_80 sm_90a compute_120@9.0");
		stub = code_file_load(arena, names[i]);
		assert_int_equal(read_bytes(stub.p, stub.n, false, CV_GPUCODE_SECTIONS, &g), 0);
		assert_string_equal(names_of(&g.own), "sm_80:1 ");
		assert_int_equal(cv_gpucode_cover(&g, 80, 0).verdict, CV_COVER_NO_CODE);
	}
}

/* Among many a single one decides nothing, and files are read faster without looking into each. */
static void test_gpucode_read_takes_many_small_ones_by_name(void **state)
{
	struct bytes stub = code_file_container(arena, "stub-size.obj"), many = { .p = cv_arena_alloc(arena, 1 << 20) };
	struct code_section section = { ".nv_fatbin", { NULL, 0 }, 2 };

	(void)state;
	for (int i = 0; i < 50; i++)
		code_file_add(&many, stub.p, stub.n);
	section.data = many;
	assert_code(code_file_elf(arena, &section, 1), CV_GPUCODE_SECTIONS, "50");
	code_file_add(&many, stub.p, stub.n);
	section.data = many;
	assert_code(code_file_elf(arena, &section, 1), CV_GPUCODE_SECTIONS, "51 sm_80");
}

/* libcufft: a stub in the usual section, thousands of containers in .ldata. */
static void test_gpucode_read_finds_code_elsewhere(void **state)
{
	struct bytes stub = code_file_container(arena, "stub-none.obj"), code = code_file_container(arena, "plain.fatbin");
	struct bytes small = { .p = cv_arena_alloc(arena, 1 << 20) }, large = { .p = cv_arena_alloc(arena, 3 << 20) };
	struct cv_gpucode g;
	struct bytes file;

	(void)state;
	for (int i = 0; i < 3; i++) {
		code_file_add(&small, code.p, code.n);
		code_file_add(&large, code.p, code.n);
	}
	large.n = 2 << 20;

	file = code_file_elf(
		arena, (struct code_section[]){ { ".nv_fatbin", stub, 2 }, { ".ldata", large, 2 }, { ".text", large, 6 } }, 3);
	assert_code(file, CV_GPUCODE_SECTIONS, "1");
	assert_int_equal(read_bytes(file.p, file.n, false, CV_GPUCODE_SECTIONS, &g), 0);
	assert_true(g.looked_elsewhere);
	assert_string_equal(text_of(&g.elsewhere), "3 sm_80 sm_90a compute_120@9.0");
	assert_true(cv_gpucode_elsewhere_decides(&g));
	assert_int_equal(cv_gpucode_cover(&g, 80, 0).verdict, CV_COVER_NATIVE);

	/* A small data section is worth no look unless all of them are asked for. */
	file = code_file_elf(arena, (struct code_section[]){ { ".nv_fatbin", stub, 2 }, { ".data", small, 2 } }, 2);
	assert_int_equal(read_bytes(file.p, file.n, false, CV_GPUCODE_SECTIONS, &g), 0);
	assert_int_equal(g.elsewhere.containers, 0);
	assert_int_equal(read_bytes(file.p, file.n, false, CV_GPUCODE_SEARCH, &g), 0);
	assert_int_equal(g.elsewhere.containers, 3);

	/* Without any usual section nothing is searched. */
	file = code_file_elf(arena, (struct code_section[]){ { ".ldata", large, 2 } }, 1);
	assert_int_equal(read_bytes(file.p, file.n, false, CV_GPUCODE_SECTIONS, &g), 0);
	assert_false(g.looked_elsewhere);
}

static struct bytes library(void)
{
	struct bytes code = code_file_container(arena, "zstd.fatbin"), more = { .p = cv_arena_alloc(arena, 1 << 16) };

	code_file_add(&more, code.p, code.n);
	code_file_add(&more, code.p, code.n);
	return code_file_elf(arena, (struct code_section[]){ { ".nv_fatbin", more, 2 } }, 1);
}

static void test_gpucode_read_works_without_section_headers(void **state)
{
	struct bytes b = library();

	(void)state;
	code_file_set(&b, 40, 0, 8);
	code_file_set(&b, 60, 0, 4);
	assert_code(b, CV_GPUCODE_SECTIONS, "2 sm_80 sm_90a compute_120@9.0");
}

/* What a download that broke off leaves: headers at the end are gone. That is no library without GPU code. */
static void test_gpucode_read_says_that_a_file_was_cut(void **state)
{
	struct bytes b = library();
	struct cv_gpucode g;

	(void)state;
	assert_int_equal(read_bytes(b.p, b.n - 64, false, CV_GPUCODE_SECTIONS, &g), CV_EFORMAT);
	assert_int_equal(read_bytes(b.p, b.n - 64, true, CV_GPUCODE_SECTIONS, &g), CV_EFORMAT);
	assert_int_equal(read_bytes(b.p, 3, false, CV_GPUCODE_SECTIONS, &g), CV_EFORMAT);
	assert_int_equal(read_bytes(b.p, 0, false, CV_GPUCODE_SECTIONS, &g), CV_EFORMAT);
}

static void test_gpucode_read_leaves_damage_open(void **state)
{
	struct bytes b = library();
	struct cv_gpucode g;
	size_t second;

	(void)state;
	for (second = 128; memcmp(b.p + second, "\x50\xed\x55\xba", 4) != 0; second += 8)
		;
	b.p[second + 15] = 0xff; /* its size */
	assert_code(b, CV_GPUCODE_SECTIONS, "1 sm_80 sm_90a compute_120@9.0");
	assert_int_equal(read_bytes(b.p, b.n, false, CV_GPUCODE_SECTIONS, &g), 0);
	assert_int_equal(g.damaged, 1);
	assert_int_equal(g.damaged_at, second);
	assert_int_equal(cv_gpucode_cover(&g, 80, 0).verdict, CV_COVER_NATIVE);
	assert_false(cv_gpucode_cover(&g, 80, 0).unsettled);
	assert_int_equal(cv_gpucode_cover(&g, 75, 0).verdict, CV_COVER_NONE);
	assert_true(cv_gpucode_cover(&g, 75, 0).unsettled);
}

static void test_gpucode_read_reads_a_section_as_far_as_it_goes(void **state)
{
	struct bytes b = library();
	size_t headers = b.n - 3 * 64;
	struct cv_gpucode g;

	(void)state;
	code_file_set(&b, headers + 64 + 32, 1 << 20, 8); /* size of .nv_fatbin */
	assert_int_equal(read_bytes(b.p, b.n, false, CV_GPUCODE_SECTIONS, &g), 0);
	assert_string_equal(text_of(&g.own), "2 sm_80 sm_90a compute_120@9.0");
	assert_int_equal(g.damaged, 1);
}

static void test_gpucode_read_walks_archives(void **state)
{
	struct bytes reloc = code_file_load(arena, "reloc.obj"), stub = code_file_load(arena, "stub-none.obj"), ar = library();
	struct cv_gpucode g;

	(void)state;
	ar.n = 0;
	code_file_add(&ar, "!<arch>\n", 8);
	code_file_member(&ar, "/", "\0\0\0\0", 4);
	code_file_member(&ar, "//", "a_long_name.o/\n", 15);
	code_file_member(&ar, "a.o/", reloc.p, reloc.n);
	code_file_member(&ar, "notes.txt/", "not an object", 13);
	code_file_member(&ar, "b.o/", reloc.p, reloc.n);
	assert_code(ar, CV_GPUCODE_SECTIONS, "2 sm_80 compute_90@9.0");
	assert_code(ar, CV_GPUCODE_SEARCH, "2 sm_80 compute_90@9.0");
	/* An object is linked again: what it names counts. */
	code_file_member(&ar, "c.o/", stub.p, stub.n);
	assert_code(ar, CV_GPUCODE_SECTIONS, "2 sm_80 compute_90@9.0 | 1 sm_80");
	/* A member that is broken leaves the rest readable. */
	code_file_set(&stub, 40, 1 << 20, 8);
	code_file_member(&ar, "d.o/", stub.p, stub.n);
	code_file_member(&ar, "e.o/", reloc.p, reloc.n);
	assert_int_equal(read_bytes(ar.p, ar.n, false, CV_GPUCODE_SECTIONS, &g), 0);
	assert_string_equal(text_of(&g.own), "3 sm_80 compute_90@9.0 | 1 sm_80");
	assert_int_equal(g.damaged, 1);
	assert_int_equal(read_bytes(ar.p, ar.n - 1, false, CV_GPUCODE_SECTIONS, &g), CV_EFORMAT);
}

static void test_gpucode_read_refuses_other_files(void **state)
{
	struct bytes cubin = code_file_load(arena, "90a.cubin");
	struct cv_gpucode g;

	(void)state;
	assert_int_equal(read_bytes((const unsigned char *)"#!/bin/sh\n", 10, false, CV_GPUCODE_SEARCH, &g), CV_EFORMAT);
	assert_int_equal(read_bytes((const unsigned char *)"!<thin>\n", 8, false, CV_GPUCODE_SEARCH, &g), CV_EFORMAT);
	cubin.p[7] = 0x42; /* OS ABI */
	assert_int_equal(read_bytes(cubin.p, cubin.n, false, CV_GPUCODE_SEARCH, &g), CV_ENOTSUP);
	assert_non_null(strstr(diag.v[diag.n - 1], "0x42"));
}

/* Honest sections lie beside each other; a thousand over the whole file would be a thousand files to walk. */
static void test_gpucode_read_refuses_sections_over_one_another(void **state)
{
	struct bytes part = code_file_container(arena, "plain.fatbin");
	struct code_section v[8];
	struct cv_gpucode g;
	struct bytes b;

	(void)state;
	for (size_t i = 0; i < 8; i++)
		v[i] = (struct code_section){ ".nv_fatbin", part, 2 };
	b = code_file_elf(arena, v, 8);
	assert_code(b, CV_GPUCODE_SECTIONS, "8 sm_80 sm_90a compute_120@9.0");
	for (size_t i = 0; i < 8; i++) {
		size_t header = b.n - (9 - i) * 64;

		code_file_set(&b, header + 24, 64 + 56, 8);
		code_file_set(&b, header + 32, 8 * part.n, 8);
	}
	for (int forward = 0; forward < 2; forward++)
		assert_int_equal(read_bytes(b.p, b.n, forward, CV_GPUCODE_SECTIONS, &g), CV_ELIMIT);
}

struct counted {
	struct cv_src src;
	const unsigned char *p;
	uint64_t bytes;
};

static int counted_read(struct cv_src *s, uint64_t off, void *buf, size_t len)
{
	struct counted *c = (struct counted *)s;

	c->bytes += len;
	memcpy(buf, c->p + off, len);
	return 0;
}

/* Damage anywhere does not cost a packed file a second unpacking. */
static void test_gpucode_read_reads_a_packed_file_once(void **state)
{
	static const struct cv_src_ops ops = { .read_at = counted_read };
	struct bytes code = code_file_container(arena, "plain.fatbin"), large = { .p = cv_arena_alloc(arena, 3 << 20) };
	struct counted c = { .src = { .ops = &ops, .name = "packed", .forward = true } };
	struct cv_gpucode g, direct;
	struct bytes b;

	(void)state;
	code_file_add(&large, code.p, code.n);
	code_file_add(&large, code.p, code.n);
	large.p[code.n + 15] = 0xff;
	large.n = 2 << 20;
	b = code_file_elf(arena, (struct code_section[]){ { ".data", large, 2 }, { ".nv_fatbin", large, 2 } }, 2);
	c.p = b.p;
	c.src.size = b.n;
	assert_int_equal(cv_gpucode_read(&c.src, CV_GPUCODE_SECTIONS, arena, &diag, &g), 0);
	assert_true(c.bytes < b.n + b.n / 8);
	assert_int_equal(read_bytes(b.p, b.n, false, CV_GPUCODE_SECTIONS, &direct), 0);
	assert_int_equal(g.damaged, 1);
	assert_int_equal(g.damaged, direct.damaged);
	assert_int_equal(g.damaged_at, direct.damaged_at);
	assert_string_equal(text_of(&g.own), text_of(&direct.own));
}

/* A cubin whose notes were stripped keeps what the header and .nv.compat tell; f is lost. */
static void test_gpucode_read_reads_the_suffix_of_a_cubin_where_it_is(void **state)
{
	static const char *const names[] = { "90a.cubin", "100f.cubin" };
	static const char *const without_note[] = { "1 sm_90a", "1 sm_100" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct bytes b = code_file_load(arena, names[i]);
		size_t at = 0;

		while (memcmp(b.p + at, ".note.nv.tkinfo", 15) != 0)
			at++;
		b.p[at + 1] = 'x';
		assert_code(b, CV_GPUCODE_SEARCH, without_note[i]);
	}
}

/* Cut anywhere, a file is read or refused, and both ways agree. */
static void test_gpucode_read_survives_every_cut(void **state)
{
	static const char *const names[] = { "90a.cubin",   "100f.cubin", "lz4.fatbin",
					     "zstd.fatbin", "reloc.obj",  "stub-speed.obj" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct bytes b = code_file_load(arena, names[i]);

		for (size_t n = 0; n < b.n; n += 61) {
			struct cv_gpucode g, h;
			int r = read_bytes(b.p, n, false, CV_GPUCODE_SEARCH, &g);

			assert_int_equal(read_bytes(b.p, n, true, CV_GPUCODE_SEARCH, &h), r);
			if (r == 0)
				assert_string_equal(text_of(&h.own), text_of(&g.own));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gpucode_read_knows_every_form),
		cmocka_unit_test(test_gpucode_read_sees_through_link_stubs),
		cmocka_unit_test(test_gpucode_read_takes_many_small_ones_by_name),
		cmocka_unit_test(test_gpucode_read_finds_code_elsewhere),
		cmocka_unit_test(test_gpucode_read_works_without_section_headers),
		cmocka_unit_test(test_gpucode_read_says_that_a_file_was_cut),
		cmocka_unit_test(test_gpucode_read_leaves_damage_open),
		cmocka_unit_test(test_gpucode_read_reads_a_section_as_far_as_it_goes),
		cmocka_unit_test(test_gpucode_read_walks_archives),
		cmocka_unit_test(test_gpucode_read_refuses_other_files),
		cmocka_unit_test(test_gpucode_read_reads_the_suffix_of_a_cubin_where_it_is),
		cmocka_unit_test(test_gpucode_read_refuses_sections_over_one_another),
		cmocka_unit_test(test_gpucode_read_reads_a_packed_file_once),
		cmocka_unit_test(test_gpucode_read_survives_every_cut),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
