/* SPDX-License-Identifier: Apache-2.0 */
/* The fixtures are one library built for four machines by tests/data/elf/make.sh; tests/truth/elf.py has the large comparison. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "elf_file.h"

static const struct fixture {
	const char *file, *machine;
	bool is64, big;
} fixtures[] = {
	{ TEST_DATA "/elf/x86_64.so", "x86_64", true, false },
	{ TEST_DATA "/elf/i386.so", "i386", false, false },
	{ TEST_DATA "/elf/aarch64.so", "aarch64", true, false },
	{ TEST_DATA "/elf/powerpc64.so", "ppc64", true, true },
};
#define FIXTURES (sizeof(fixtures) / sizeof(fixtures[0]))

static void check_dynamic(const struct cv_elf *e, const struct fixture *x)
{
	assert_string_equal(cv_elf_machine_name(e), x->machine);
	assert_int_equal(e->is64, x->is64);
	assert_int_equal(e->big_endian, x->big);
	assert_int_equal(e->type, CV_ET_DYN);
	assert_string_equal(e->soname, "libfixture.so.3");
	assert_string_equal(e->runpath, "$ORIGIN/../lib");
	assert_null(e->rpath);
	assert_null(e->interp);
	assert_int_equal(e->needed.n, 1);
	assert_string_equal(e->needed.v[0], "libdep.so.1");
	assert_true(e->bind_now);
	assert_true(e->df1 & CV_DF_1_NODELETE);
	assert_false(e->df1 & CV_DF_1_NODEFLIB);
	assert_false(e->textrel);
	assert_true(e->has_stack);
	assert_false(e->exec_stack);
	assert_true(e->has_tls);
	assert_int_equal(e->tls_size, 4);
	assert_true(e->at.hash && e->at.gnu_hash && e->at.versym);
}

static void check_versions(struct cv_elf *e)
{
	const struct cv_elf_verdef *d;
	const struct cv_elf_verneed *v;
	size_t n;

	assert_int_equal(cv_elf_verdefs(e, &d, &n), 0);
	assert_int_equal(n, 3);
	assert_true(d[0].base);
	assert_string_equal(d[1].name, "API_1");
	assert_int_equal(d[1].hash, cv_elf_sysv_hash("API_1"));
	assert_int_equal(d[2].index, 3);
	assert_false(d[2].base || d[2].weak);
	if (e->machine == CV_EM_X86_64) { /* only GNU ld notes parents */
		assert_int_equal(d[2].parents.n, 1);
		assert_string_equal(d[2].parents.v[0], "API_1");
	}
	assert_int_equal(cv_elf_verneeds(e, &v, &n), 0);
	assert_int_equal(n, 1);
	assert_string_equal(v[0].file, "libdep.so.1");
	assert_int_equal(v[0].n, 2);
	assert_string_equal(v[0].v[0].name, "DEP_1");
	assert_int_equal(v[0].v[1].hash, cv_elf_sysv_hash("DEP_2"));
	assert_false(v[0].v[1].weak);
}

static void check_symbols(struct cv_elf *e)
{
	struct cv_elf_sym s, old;
	const char *version;
	unsigned char b[4];
	unsigned char zeros[16];

	assert_int_equal(cv_elf_symbol(e, "cudnn_graph_version", NULL, &s), 0);
	assert_int_equal(s.type, CV_STT_OBJECT);
	assert_int_equal(s.size, 4);
	assert_int_equal(cv_elf_read_addr(e, s.value, b, 4), 0);
	assert_memory_equal(b, "\2\12\11\0", 4);
	assert_int_equal(cv_elf_symbol(e, "api", NULL, &s), 0);
	assert_int_equal(cv_elf_sym_version(e, &s, &version), 0);
	assert_string_equal(version, "API_2");
	assert_false(s.hidden);
	assert_int_equal(cv_elf_symbol(e, "api", "API_1", &old), 0);
	assert_true(old.hidden);
	assert_true(old.value != s.value);
	assert_int_equal(cv_elf_symbol(e, "api", "API_3", &s), CV_ENOENT);
	assert_int_equal(cv_elf_symbol(e, "weak_one", NULL, &s), 0);
	assert_int_equal(s.bind, CV_STB_WEAK);
	assert_int_equal(cv_elf_symbol(e, "tls_value", NULL, &s), 0);
	assert_int_equal(s.type, CV_STT_TLS);
	assert_int_equal(cv_elf_symbol(e, "zeros", NULL, &s), 0);
	memset(zeros, 1, sizeof(zeros));
	assert_int_equal(cv_elf_read_addr(e, s.value, zeros, sizeof(zeros)), 0);
	for (size_t i = 0; i < sizeof(zeros); i++)
		assert_int_equal(zeros[i], 0);
	/* needed, not defined; and not there at all */
	assert_int_equal(cv_elf_symbol(e, "dep_old", NULL, &s), CV_ENOENT);
	assert_int_equal(cv_elf_symbol(e, "cudnn_graph_versio", NULL, &s), CV_ENOENT);
}

static int find_dep_new(struct cv_elf *e, struct cv_elf_sym *ret)
{
	uint32_t n;
	char name[64];

	assert_int_equal(cv_elf_sym_count(e, &n), 0);
	for (uint32_t i = 1; i < n; i++) {
		assert_int_equal(cv_elf_sym_at(e, i, ret), 0);
		assert_int_equal(cv_elf_dynstr_to(e, ret->name_at, name, sizeof(name)), 0);
		if (cv_streq(name, "dep_new"))
			return 0;
	}
	return CV_ENOENT;
}

static void check_needed_symbols(struct cv_elf *e)
{
	struct cv_elf_sym s;
	const char *version;
	char tiny[4];

	assert_int_equal(find_dep_new(e, &s), 0);
	assert_int_equal(s.section, CV_ELF_UNDEF);
	assert_int_equal(s.bind, CV_STB_WEAK);
	assert_int_equal(cv_elf_sym_version(e, &s, &version), 0);
	assert_string_equal(version, "DEP_2");
	assert_int_equal(cv_elf_dynstr_to(e, s.name_at, tiny, sizeof(tiny)), CV_ELIMIT);
}

static void check_notes(struct cv_elf *e)
{
	struct cv_elf_note note;
	char desc[8];
	const char *id;

	assert_int_equal(cv_elf_note(e, "Made", 9, &note), 0);
	assert_int_equal(note.desc_size, 7);
	assert_int_equal(cv_elf_read(e, note.desc_at, desc, 7), 0);
	assert_memory_equal(desc, "hello!", 7);
	assert_int_equal(cv_elf_note(e, "Made", 8, &note), CV_ENOENT);
	assert_int_equal(cv_elf_note(e, "Mad", 9, &note), CV_ENOENT);
	assert_int_equal(cv_elf_segment_note(e, "GNU", 3, &note), 0);
	assert_int_equal(note.desc_size, 8);
	assert_int_equal(cv_elf_segment_note(e, "GNU", 99, &note), CV_ENOENT);
	assert_int_equal(cv_elf_build_id(e, &id), 0);
	assert_string_equal(id, "0123456789abcdef");
}

static void check_sections(struct cv_elf *e)
{
	const struct cv_elf_sec *s, *all;
	const char *name;
	size_t n;

	assert_int_equal(cv_elf_section(e, ".note.made_up", &s), 0);
	assert_int_equal(s->type, CV_SHT_NOTE);
	assert_int_equal(s->size, 28);
	assert_int_equal(cv_elf_section(e, ".note.made", &s), CV_ENOENT);
	assert_int_equal(cv_elf_section(e, ".bss", &s), 0);
	assert_int_equal(s->type, CV_SHT_NOBITS);
	assert_int_equal(cv_elf_sections(e, &all, &n), 0);
	assert_int_equal(cv_elf_sec_name(e, s, &name), 0);
	assert_string_equal(name, ".bss");
	assert_true(s > all && s < all + n);
}

static void test_elf_fixtures(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIXTURES; i++) {
		struct elf_file f;

		elf_file_load(&f, fixtures[i].file);
		assert_int_equal(elf_file_open(&f), 0);
		check_dynamic(f.elf, &fixtures[i]);
		check_versions(f.elf);
		check_symbols(f.elf);
		check_needed_symbols(f.elf);
		check_notes(f.elf);
		check_sections(f.elf);
		assert_int_equal(f.elf->damaged, 0);
		assert_int_equal(f.diag.n, 0);
		elf_file_free(&f);
	}
}

/* Changes the tag of a dynamic entry of an x86_64 file to one that nobody reads. */
static void hide_tag(struct elf_file *f, uint64_t tag)
{
	assert_int_equal(elf_file_open(f), 0);
	for (size_t i = 0; i < f->elf->seg_n; i++) {
		const struct cv_elf_seg *s = &f->elf->segs[i];

		for (uint64_t o = s->offset; s->type == CV_PT_DYNAMIC && o < s->offset + s->file_size; o += 16)
			if (cv_elf_u64(f->elf, f->p + o) == tag)
				memset(f->p + o, 0x55, 8);
	}
}

#define SECTION_OFFSET 40 /* e_shoff of a 64-bit header */

static void test_elf_symbols_without_hash_tables(void **state)
{
	static const uint64_t gnu_hash = 0x6ffffef5, sysv_hash = 4;
	struct elf_file f;
	struct cv_elf_sym s;
	uint32_t n;

	(void)state;
	elf_file_load(&f, fixtures[0].file);
	hide_tag(&f, gnu_hash);
	assert_int_equal(elf_file_open(&f), 0);
	assert_int_equal(f.elf->at.gnu_hash, 0);
	check_symbols(f.elf); /* by the SysV table */
	hide_tag(&f, sysv_hash);
	assert_int_equal(elf_file_open(&f), 0);
	check_symbols(f.elf); /* one by one, counted by the section header */
	memset(f.p + SECTION_OFFSET, 0, 8);
	assert_int_equal(elf_file_open(&f), 0);
	assert_int_equal(cv_elf_sym_count(f.elf, &n), CV_ENOENT);
	assert_int_equal(cv_elf_symbol(f.elf, "api", NULL, &s), CV_ENOENT);
	elf_file_free(&f);
}

static void test_elf_stripped_of_sections(void **state)
{
	struct elf_file f;
	const struct cv_elf_sec *s;
	size_t n;

	(void)state;
	elf_file_load(&f, fixtures[0].file);
	memset(f.p + SECTION_OFFSET, 0, 8);
	assert_int_equal(elf_file_open(&f), 0);
	check_dynamic(f.elf, &fixtures[0]);
	check_versions(f.elf);
	check_symbols(f.elf);
	check_notes(f.elf);
	assert_int_equal(cv_elf_sections(f.elf, &s, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(cv_elf_section(f.elf, ".bss", &s), CV_ENOENT);
	assert_int_equal(f.elf->damaged, 0);
	elf_file_free(&f);
}

static void test_elf_not_elf(void **state)
{
	struct elf_file f;

	(void)state;
	elf_file_load(&f, fixtures[0].file);
	assert_int_equal(elf_file_open_cut(&f, 0), CV_EFORMAT);
	assert_int_equal(elf_file_open_cut(&f, 63), CV_EFORMAT);
	assert_int_equal(f.diag.n, 1);
	assert_string_equal(f.diag.v[0], "fixture: offset 0: the ELF header is cut off");
	f.p[4] = 3;
	assert_int_equal(elf_file_open(&f), CV_EFORMAT);
	assert_string_equal(f.diag.v[0], "fixture: offset 0: unknown ELF class");
	memcpy(f.p, "/* GNU ld script */", 19);
	assert_int_equal(elf_file_open(&f), CV_EFORMAT);
	assert_string_equal(f.diag.v[0], "fixture: offset 0: not an ELF file");
	elf_file_free(&f);
}

/* Whatever is cut off is told; whatever is left is given. */
static void test_elf_cut_off_anywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIXTURES; i++) {
		struct elf_file f;

		elf_file_load(&f, fixtures[i].file);
		for (size_t n = fixtures[i].is64 ? 64 : 52; n < f.n; n += 37) {
			const struct cv_elf_sec *s;
			struct cv_elf_sym sym;
			size_t k;

			assert_int_equal(elf_file_open_cut(&f, n), 0);
			assert_int_equal(cv_elf_sections(f.elf, &s, &k), 0);
			assert_true(f.elf->damaged);
			assert_true(f.diag.n > 0);
			cv_elf_symbol(f.elf, "api", NULL, &sym);
		}
		/* the end holds section headers only */
		check_dynamic(f.elf, &fixtures[i]);
		check_symbols(f.elf);
		elf_file_free(&f);
	}
}

static void test_elf_lying_counts(void **state)
{
	struct elf_file f;
	const struct cv_elf_sec *s;
	size_t n;

	(void)state;
	elf_file_load(&f, fixtures[0].file);
	memset(f.p + 56, 0xff, 2); /* e_phnum: "see the section header", which says 0 */
	assert_int_equal(elf_file_open(&f), 0);
	assert_int_equal(f.elf->seg_n, 0);
	memcpy(f.p + 56, "\xff\xfe", 2);
	assert_int_equal(elf_file_open(&f), 0);
	assert_true(f.elf->damaged & CV_ELF_SEGMENTS);
	assert_true(f.elf->seg_n <= CV_ELF_SEGS_MAX);
	memcpy(f.p + 60, "\xff\xfe", 2); /* e_shnum */
	assert_int_equal(elf_file_open(&f), 0);
	assert_int_equal(cv_elf_sections(f.elf, &s, &n), 0);
	assert_true(f.elf->damaged & CV_ELF_SECTIONS);
	assert_true(n > 10 && n < 200);
	elf_file_free(&f);
}

/* A version table that runs in a circle of one entry, and one that points outside. */
static void test_elf_damaged_versions(void **state)
{
	const struct cv_elf_verdef *d;
	const struct cv_elf_verneed *v;
	struct elf_file f;
	uint64_t off, room;
	size_t n;

	(void)state;
	elf_file_load(&f, fixtures[0].file);
	assert_int_equal(elf_file_open(&f), 0);
	assert_true(cv_elf_offset_of(f.elf, f.elf->at.verdef, &off, &room));
	memset(f.p + off + 28 + 16, 0xff, 4); /* vd_next of the second */
	assert_true(cv_elf_offset_of(f.elf, f.elf->at.verneed, &off, &room));
	memset(f.p + off + 4, 0xff, 4); /* vn_file */
	assert_int_equal(elf_file_open(&f), 0);
	assert_int_equal(cv_elf_verdefs(f.elf, &d, &n), 0);
	assert_int_equal(n, 2);
	assert_string_equal(d[1].name, "API_1");
	assert_int_equal(cv_elf_verneeds(f.elf, &v, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(f.elf->damaged, CV_ELF_VERDEF | CV_ELF_VERNEED);
	assert_int_equal(f.diag.n, 2);
	elf_file_free(&f);
}

/* A file of which the record holds only the beginning: that is no damage. */
static int half_read(struct cv_src *s, uint64_t off, void *buf, size_t len)
{
	if (off >= 4096)
		return CV_ENOTASKED;
	memcpy(buf, ((struct cv_src_mem *)s)->p + off, len);
	return 0;
}

static void test_elf_read_errors_are_no_damage(void **state)
{
	static const struct cv_src_ops ops = { .read_at = half_read };
	const struct cv_elf_sec *s;
	struct elf_file f;
	struct cv_src_mem mem;
	size_t n;

	(void)state;
	elf_file_load(&f, fixtures[0].file);
	cv_src_mem_init(&mem, f.p, f.n, "half");
	mem.src.ops = &ops;
	assert_int_equal(cv_elf_open(&mem.src, f.arena, &f.diag, &f.elf), CV_ENOTASKED);
	/* with the dynamic section out of the way, the sections are still to be asked for */
	memset(f.p + 56, 0, 2);
	assert_int_equal(cv_elf_open(&mem.src, f.arena, &f.diag, &f.elf), 0);
	assert_int_equal(cv_elf_sections(f.elf, &s, &n), CV_ENOTASKED);
	assert_int_equal(f.elf->damaged, 0);
	elf_file_free(&f);
}

static void test_elf_hashes(void **state)
{
	(void)state;
	assert_int_equal(cv_elf_sysv_hash("GLIBC_2.2.5"), 0x9691a75);
	assert_int_equal(cv_elf_gnu_hash("printf"), 0x156b2bb8);
	assert_int_equal(cv_elf_gnu_hash(""), 5381);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elf_fixtures),
		cmocka_unit_test(test_elf_symbols_without_hash_tables),
		cmocka_unit_test(test_elf_stripped_of_sections),
		cmocka_unit_test(test_elf_not_elf),
		cmocka_unit_test(test_elf_cut_off_anywhere),
		cmocka_unit_test(test_elf_lying_counts),
		cmocka_unit_test(test_elf_damaged_versions),
		cmocka_unit_test(test_elf_read_errors_are_no_damage),
		cmocka_unit_test(test_elf_hashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
