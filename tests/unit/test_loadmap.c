/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lm_world.h"

static void run(struct lm_world *w, const struct cv_lm_system_opts *opts, const char *path)
{
	lm_world_open(w, opts);
	assert_int_equal(cv_loadmap_exec(w->map, path), 0);
}

static const struct cv_lm_system_opts plain = { .hwcaps_mask = "", .cwd = "/w" };

#define PUT(w, path, ...) lm_world_put(w, path, &(struct lm_elf){ __VA_ARGS__ })

static void test_loadmap_takes_by_breadth(void **state)
{
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "liba.so", "libb.so" });
	PUT(&w, "/usr/lib/liba.so", .soname = "liba.so", .needed = { "libc.so.9" });
	PUT(&w, "/lib/x86_64-linux-gnu/libb.so", .soname = "libb.so", .needed = { "liba.so", "ld-linux-x86-64.so.2" });
	PUT(&w, "/lib/libc.so.9", .soname = "libc.so.9");
	run(&w, &plain, "/p");
	assert_string_equal(w.map->libc, "glibc");
	assert_string_equal(w.map->glibc, "2.36");
	assert_int_equal(w.map->troubles.n, 0);
	assert_int_equal(w.map->objects.n, 5);
	assert_string_equal(w.map->objects.v[2].path, "/usr/lib/liba.so");
	assert_string_equal(w.map->objects.v[3].path, "/lib/x86_64-linux-gnu/libb.so");
	assert_string_equal(w.map->objects.v[4].path, "/lib/libc.so.9");
	/* The link map shows the loader where it was needed. */
	assert_int_equal(w.map->chain.n, 5);
	assert_int_equal(w.map->chain.v[4], 1);
	assert_taken(&w, "liba.so", CV_LM_DEFAULT, "/usr/lib/liba.so");
	assert_string_equal(edge_of(&w, "liba.so")->detail, "/usr/lib/");
	lm_world_done(&w);
}

static void test_loadmap_missing_is_told_with_where_it_looked(void **state)
{
	struct lm_world w;
	const struct cv_lm_edge *e;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "libno.so", "liba.so" });
	PUT(&w, "/lib/liba.so", .needed = { "libno.so" }, .runpath = "/a");
	run(&w, &plain, "/p");
	assert_trouble(
		&w, 0, CV_LM_T_MISSING, true,
		"error while loading shared libraries: libno.so: cannot open shared object file: No such file or directory");
	assert_int_equal(w.map->troubles.n, 2); /* asked for twice, with two paths */
	assert_int_equal(w.map->troubles.v[1].object, 2);
	e = &w.map->edges.v[w.map->troubles.v[1].edge];
	assert_string_equal(e->searched.v[0], "/a/");
	assert_string_equal(e->searched.v[1], "/etc/ld.so.cache");
	assert_string_equal(e->searched.v[2], "/lib/x86_64-linux-gnu/");
	lm_world_done(&w);
}

static void test_loadmap_origin_of_a_relative_name_in_the_root(void **state)
{
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "liba.so" });
	PUT(&w, "/w/rel/liba.so", .needed = { "$ORIGIN/libb.so" });
	run(&w, &(struct cv_lm_system_opts){ .hwcaps_mask = "", .library_path = "../w/rel", .cwd = "/" }, "/p");
	assert_taken(&w, "/../w/rel/libb.so", CV_LM_MISSING, NULL);
	lm_world_done(&w);
}

static void test_loadmap_rpath_chain_ends_at_runpath(void **state)
{
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .rpath = "/main", .needed = { "liba.so", "libb.so" });
	PUT(&w, "/main/liba.so", .rpath = "$ORIGIN/sub", .needed = { "libx.so" });
	PUT(&w, "/main/libb.so", .rpath = "/ignored", .runpath = "/run", .needed = { "liby.so", "libz.so" });
	PUT(&w, "/main/sub/libx.so", .needed = { "libw.so" });
	PUT(&w, "/main/sub/libw.so", .soname = "libw.so");
	PUT(&w, "/main/liby.so", .soname = "liby.so");
	PUT(&w, "/ignored/libz.so", .soname = "libz.so");
	run(&w, &plain, "/p");
	assert_taken(&w, "libx.so", CV_LM_RPATH, "/main/sub/libx.so");
	assert_string_equal(edge_of(&w, "libx.so")->detail, "$ORIGIN/sub");
	assert_int_equal(edge_of(&w, "libx.so")->detail_of, 2);
	/* libx has no RPATH: the one that asked for it lends its own. */
	assert_taken(&w, "libw.so", CV_LM_RPATH, "/main/sub/libw.so");
	/* RUNPATH switches the chain off, the program's RPATH and its own too. */
	assert_taken(&w, "liby.so", CV_LM_MISSING, NULL);
	assert_taken(&w, "libz.so", CV_LM_MISSING, NULL);
	lm_world_done(&w);
}

static void test_loadmap_order_of_steps(void **state)
{
	struct lm_world w;
	struct cv_lm_system_opts opts = { .hwcaps_mask = "", .library_path = "/env", .cwd = "/w" };

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .runpath = "/run", .needed = { "liba.so", "libb.so", "libc.so.9" });
	PUT(&w, "/env/liba.so", .soname = "liba.so");
	PUT(&w, "/run/liba.so", .soname = "liba.so");
	PUT(&w, "/lib/liba.so", .soname = "liba.so");
	PUT(&w, "/run/libb.so", .soname = "libb.so");
	PUT(&w, "/lib/libb.so", .soname = "libb.so");
	PUT(&w, "/lib/libc.so.9", .soname = "libc.so.9");
	run(&w, &opts, "/p");
	assert_taken(&w, "liba.so", CV_LM_LIBRARY_PATH, "/env/liba.so");
	assert_int_equal(edge_of(&w, "liba.so")->losers.n, 2);
	assert_string_equal(edge_of(&w, "liba.so")->losers.v[0].path, "/run/liba.so");
	assert_int_equal(edge_of(&w, "liba.so")->losers.v[0].reason, CV_LM_LATER);
	assert_taken(&w, "libb.so", CV_LM_RUNPATH, "/run/libb.so");
	assert_taken(&w, "libc.so.9", CV_LM_DEFAULT, "/lib/libc.so.9");
	lm_world_done(&w);
}

static void test_loadmap_path_lists(void **state)
{
	struct lm_world w;
	struct cv_lm_system_opts opts = {
		.hwcaps_mask = "", .library_path = ":/a//;$LIB:/a/:${PLATFORM}X:/$LIBX:/nowhere", .cwd = "/w", .tries = true
	};
	const struct cv_lm_edge *e;

	(void)state;
	lm_world_init(&w, "2.41");
	PUT(&w, "/p", .program = true, .needed = { "libno.so" });
	run(&w, &opts, "/p");
	e = edge_of(&w, "libno.so");
	assert_string_equal(e->tries.v[0], "libno.so"); /* an empty element is the current directory */
	assert_string_equal(e->tries.v[1], "/a/libno.so");
	assert_string_equal(e->tries.v[2], "lib/x86_64-linux-gnu/libno.so");
	assert_string_equal(e->tries.v[3], "x86_64X/libno.so");
	assert_string_equal(e->tries.v[4], "/$LIBX/libno.so");
	assert_string_equal(e->tries.v[5], "/nowhere/libno.so");
	assert_string_equal(e->tries.v[6], "/lib/x86_64-linux-gnu/libno.so");
	lm_world_done(&w);
}

static void test_loadmap_origin_of_a_program_follows_links(void **state)
{
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/opt/bin/p", .program = true, .runpath = "$ORIGIN/../lib", .needed = { "liba.so" });
	tmptree_link(&w.t, "/usr/bin/p", "../../opt/bin/p");
	PUT(&w, "/opt/lib/real/liba.so", .soname = "liba.so", .runpath = "$ORIGIN", .needed = { "libb.so" });
	tmptree_link(&w.t, "/opt/lib/liba.so", "real/liba.so");
	PUT(&w, "/opt/lib/libb.so", .soname = "libb.so");
	run(&w, &plain, "/usr/bin/p");
	assert_taken(&w, "liba.so", CV_LM_RUNPATH, "/opt/bin/../lib/liba.so");
	assert_string_equal(w.map->objects.v[2].real, "/opt/lib/real/liba.so");
	/* A library's origin is where it was found, not where the link leads. */
	assert_taken(&w, "libb.so", CV_LM_RUNPATH, "/opt/bin/../lib/libb.so");
	lm_world_done(&w);
}

static void test_loadmap_skips_other_class_and_machine(void **state)
{
	struct lm_world w;
	struct cv_lm_system_opts opts = { .hwcaps_mask = "", .library_path = "/32:/arm:/good", .cwd = "/w" };

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "liba.so", "libb.so" });
	PUT(&w, "/32/liba.so", .class = 1, .machine = 3);
	PUT(&w, "/arm/liba.so", .machine = 183);
	PUT(&w, "/good/liba.so", .soname = "liba.so");
	PUT(&w, "/32/libb.so", .class = 1, .machine = 3);
	tmptree_link(&w.t, "/good/libb.so", "gone");
	run(&w, &opts, "/p");
	assert_taken(&w, "liba.so", CV_LM_LIBRARY_PATH, "/good/liba.so");
	assert_int_equal(edge_of(&w, "liba.so")->losers.n, 2);
	assert_int_equal(edge_of(&w, "liba.so")->losers.v[0].reason, CV_LM_WRONG_CLASS);
	assert_int_equal(edge_of(&w, "liba.so")->losers.v[1].reason, CV_LM_WRONG_MACHINE);
	assert_int_equal(edge_of(&w, "libb.so")->losers.v[1].reason, CV_LM_DANGLING);
	assert_trouble(&w, 0, CV_LM_T_WRONG_FORMAT, true,
		       "error while loading shared libraries: libb.so: wrong ELF class: ELFCLASS32");
	lm_world_done(&w);
}

static void test_loadmap_bad_files_end_the_load(void **state)
{
	static const struct {
		struct lm_elf elf;
		const char *text;
	} cases[] = {
		{ { .phentsize = 57 }, "/lib/liba.so: ELF file's phentsize not the expected size" },
		{ { .type = 1 }, "/lib/liba.so: only ET_DYN and ET_EXEC can be loaded" },
		{ { .osabi = 9 }, "/lib/liba.so: ELF file OS ABI invalid" },
		{ { .type = 2 }, "liba.so: cannot dynamically load executable" },
		{ { .no_load = true }, "liba.so: object file has no loadable segments" },
		{ { .no_dynamic = true }, "liba.so: object file has no dynamic section" },
		{ { .flags1 = 0x8000000 }, "liba.so: cannot dynamically load position-independent executable" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[256];
		struct lm_world w;

		lm_world_init(&w, "2.36");
		PUT(&w, "/p", .program = true, .needed = { "libno.so", "liba.so", "libb.so" });
		lm_world_put(&w, "/lib/liba.so", &cases[i].elf);
		run(&w, &plain, "/p");
		snprintf(text, sizeof(text), "error while loading shared libraries: %s", cases[i].text);
		assert_trouble(&w, 1, CV_LM_T_WRONG_FORMAT, true, text);
		assert_int_equal(w.map->troubles.n, 2);
		assert_string_equal(edge_of(&w, "liba.so")->refused, "/lib/liba.so");
		assert_string_equal(w.map->edges.v[w.map->edges.n - 1].name, "liba.so"); /* nothing behind it is asked for */
		lm_world_done(&w);
	}
}

static void test_loadmap_files_that_are_none(void **state)
{
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "liba.so" });
	tmptree_file(&w.t, "/lib/liba.so",
		     "INPUT(liba.so.1)\n/* a linker script that is long enough to be taken for an ELF header */\n");
	run(&w, &plain, "/p");
	assert_trouble(&w, 0, CV_LM_T_WRONG_FORMAT, true,
		       "error while loading shared libraries: /lib/liba.so: invalid ELF header");
	lm_world_done(&w);

	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "liba.so" });
	tmptree_file(&w.t, "/lib/liba.so", "");
	run(&w, &plain, "/p");
	assert_trouble(&w, 0, CV_LM_T_WRONG_FORMAT, true, "error while loading shared libraries: /lib/liba.so: file too short");
	lm_world_done(&w);

	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "liba.so" });
	tmptree_dir(&w.t, "/lib/liba.so");
	run(&w, &plain, "/p");
	assert_trouble(&w, 0, CV_LM_T_WRONG_FORMAT, true,
		       "error while loading shared libraries: /lib/liba.so: cannot read file data: Error 21");
	lm_world_done(&w);
}

static void test_loadmap_known_by_soname_and_by_file(void **state)
{
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "/a/libx-1.so", "libx.so.1", "libxlink.so", "libsame.so" });
	PUT(&w, "/a/libx-1.so", .soname = "libx.so.1");
	PUT(&w, "/lib/libx.so.1", .soname = "libx.so.1");
	tmptree_link(&w.t, "/lib/libxlink.so", "../a/libx-1.so");
	PUT(&w, "/lib/libsame.so", .soname = "libx.so.1");
	run(&w, &plain, "/p");
	assert_taken(&w, "/a/libx-1.so", CV_LM_PATH, "/a/libx-1.so");
	assert_taken(&w, "libx.so.1", CV_LM_LOADED, "/a/libx-1.so");
	assert_taken(&w, "libxlink.so", CV_LM_LOADED, "/a/libx-1.so");
	/* Another file of the same SONAME is a second copy. */
	assert_taken(&w, "libsame.so", CV_LM_DEFAULT, "/lib/libsame.so");
	lm_world_done(&w);
}

static void test_loadmap_hwcaps_by_version(void **state)
{
	static const struct {
		const char *glibc, *mask, *path;
		bool v3_unfit;
	} cases[] = {
		{ "2.31", "x86-64-v3:x86-64-v2", "/lib/x86_64-linux-gnu/tls/x86_64/liba.so", false },
		{ "2.36", "x86-64-v3:x86-64-v2", "/lib/x86_64-linux-gnu/glibc-hwcaps/x86-64-v3/liba.so", false },
		{ "2.36", "x86-64-v2", "/lib/x86_64-linux-gnu/tls/x86_64/liba.so", true },
		{ "2.41", "x86-64-v2", "/lib/x86_64-linux-gnu/liba.so", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cv_lm_system_opts opts = { .hwcaps_mask = cases[i].mask };
		const struct cv_lm_edge *e;
		bool unfit = false;
		struct lm_world w;

		lm_world_init(&w, cases[i].glibc);
		PUT(&w, "/p", .program = true, .needed = { "liba.so" });
		PUT(&w, "/lib/x86_64-linux-gnu/glibc-hwcaps/x86-64-v3/liba.so", .soname = "liba.so");
		PUT(&w, "/lib/x86_64-linux-gnu/tls/x86_64/liba.so", .soname = "liba.so");
		PUT(&w, "/lib/x86_64-linux-gnu/liba.so", .soname = "liba.so");
		run(&w, &opts, "/p");
		assert_taken(&w, "liba.so", CV_LM_DEFAULT, cases[i].path);
		e = edge_of(&w, "liba.so");
		for (size_t k = 0; k < e->losers.n; k++)
			unfit |= e->losers.v[k].reason == CV_LM_HWCAP_UNFIT;
		if (!strstr(cases[i].path, "tls")) /* the copies are looked for beside the file that was taken */
			assert_int_equal(unfit, cases[i].v3_unfit);
		lm_world_done(&w);
	}
}

static void test_loadmap_hwcaps_of_the_cpu(void **state)
{
	static const char v2[] =
		"processor\t: 0\nvendor_id\t: AuthenticAMD\nflags\t\t: fpu cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3 avx\n";
	static const char intel[] =
		"processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3 avx avx2 "
		"bmi1 bmi2 "
		"f16c fma abm movbe avx512f avx512bw avx512cd avx512dq avx512vl\n";
	struct cv_lm_system_opts opts = { .tries = true };
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.41");
	tmptree_file(&w.t, "/proc/cpuinfo", v2);
	PUT(&w, "/p", .program = true, .needed = { "liba.so" });
	run(&w, &opts, "/p");
	assert_string_equal(edge_of(&w, "liba.so")->tries.v[0], "/lib/x86_64-linux-gnu/glibc-hwcaps/x86-64-v2/liba.so");
	assert_string_equal(edge_of(&w, "liba.so")->tries.v[1], "/lib/x86_64-linux-gnu/liba.so");
	lm_world_done(&w);

	lm_world_init(&w, "2.31");
	tmptree_file(&w.t, "/proc/cpuinfo", intel);
	PUT(&w, "/p", .program = true, .needed = { "liba.so" });
	run(&w, &opts, "/p");
	assert_string_equal(edge_of(&w, "liba.so")->tries.v[0], "/lib/x86_64-linux-gnu/tls/haswell/avx512_1/x86_64/liba.so");
	assert_string_equal(edge_of(&w, "liba.so")->tries.v[15], "/lib/x86_64-linux-gnu/liba.so");
	lm_world_done(&w);
}

static void test_loadmap_errno_lives_on(void **state)
{
	struct lm_world w;

	(void)state;
	/* With NODEFLIB there is nowhere to look: the second time not even the cache is asked, so there is no error number. */
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .flags1 = 0x800, .needed = { "liba.so", "libb.so" });
	PUT(&w, "/lib/liba.so", .soname = "liba.so");
	run(&w, &(struct cv_lm_system_opts){ .hwcaps_mask = "", .preload = "libno.so" }, "/p");
	assert_trouble(
		&w, 0, CV_LM_T_MISSING, false,
		"ERROR: ld.so: object 'libno.so' from LD_PRELOAD cannot be preloaded (cannot open shared object file): ignored.");
	assert_trouble(&w, 1, CV_LM_T_MISSING, true,
		       "error while loading shared libraries: liba.so: cannot open shared object file");
	lm_world_done(&w);

	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "/loop/liba.so" });
	tmptree_link(&w.t, "/loop", "loop");
	run(&w, &plain, "/p");
	assert_trouble(&w, 0, CV_LM_T_MISSING, true,
		       "error while loading shared libraries: /loop/liba.so: cannot open shared object file: Error 40");
	lm_world_done(&w);
}

static void test_loadmap_preloads(void **state)
{
	struct lm_world w;
	struct cv_lm_system_opts opts = { .hwcaps_mask = "", .preload = "libx.so /pre/liby.so:libx.so" };

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .rpath = "/pre", .needed = { "liba.so", "libx.so" });
	PUT(&w, "/lib/liba.so", .soname = "liba.so");
	PUT(&w, "/pre/libx.so", .soname = "libx.so");
	PUT(&w, "/pre/liby.so", .soname = "liby.so");
	PUT(&w, "/pre/libz.so", .soname = "libz.so");
	tmptree_file(&w.t, "/etc/ld.so.preload", "# libno.so\n  libz.so # and more\n");
	run(&w, &opts, "/p");
	assert_int_equal(w.map->troubles.n, 0);
	assert_string_equal(w.map->objects.v[w.map->scope.v[1]].path, "/pre/libx.so");
	assert_string_equal(w.map->objects.v[w.map->scope.v[2]].path, "/pre/liby.so");
	assert_string_equal(w.map->objects.v[w.map->scope.v[3]].path, "/pre/libz.so");
	assert_string_equal(w.map->objects.v[w.map->scope.v[4]].path, "/lib/liba.so");
	assert_int_equal(edge_of(&w, "libx.so")->mode, CV_LM_BY_PRELOAD);
	lm_world_done(&w);
}

static void test_loadmap_filters_come_first(void **state)
{
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "liba.so", "libb.so" });
	PUT(&w, "/lib/liba.so", .soname = "liba.so", .filter = { "libf.so" }, .aux = { "libno.so", "libb.so" });
	PUT(&w, "/lib/libb.so", .soname = "libb.so");
	PUT(&w, "/lib/libf.so", .soname = "libf.so");
	run(&w, &plain, "/p");
	assert_int_equal(w.map->troubles.n, 0); /* nobody minds an auxiliary that is missing */
	assert_string_equal(w.map->objects.v[w.map->scope.v[1]].path, "/lib/libb.so");
	assert_string_equal(w.map->objects.v[w.map->scope.v[2]].path, "/lib/libf.so");
	assert_string_equal(w.map->objects.v[w.map->scope.v[3]].path, "/lib/liba.so");
	lm_world_done(&w);

	/* Put in front of the program, a filter is out of sight, and old loaders do not bear it at all. */
	lm_world_init(&w, "2.31");
	PUT(&w, "/p", .program = true, .filter = { "libf.so" }, .needed = { "libno.so" });
	PUT(&w, "/lib/libf.so", .soname = "libf.so");
	run(&w, &plain, "/p");
	assert_trouble(
		&w, 1, CV_LM_T_WRONG_FORMAT, true,
		"Inconsistency detected by ld.so: dl-deps.c: _dl_map_object_deps: "
		"Assertion `map->l_searchlist.r_list[0] == map' failed!");
	lm_world_done(&w);
}

static void test_loadmap_versions(void **state)
{
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "liba.so", "libb.so", "libc.so.9" }, .verneed_of = "liba.so",
	    .verneed = { "V1", "V2" });
	PUT(&w, "/lib/liba.so", .soname = "liba.so", .verdef = { "V1" });
	PUT(&w, "/lib/libb.so", .soname = "libb.so", .verneed_of = "libc.so.9", .verneed = { "V1" });
	PUT(&w, "/lib/libc.so.9", .soname = "libc.so.9", .needed = { "liba.so" }, .verneed_of = "liba.so", .verneed = { "V3" },
	    .verneed_weak = true);
	run(&w, &plain, "/p");
	assert_trouble(&w, 0, CV_LM_T_NO_VERSION, true, "/lib/liba.so: version `V2' not found (required by /p)");
	assert_int_equal(w.map->troubles.v[0].object, 0);
	assert_int_equal(w.map->troubles.v[0].provider, edge_of(&w, "liba.so")->object);
	assert_trouble(&w, 1, CV_LM_T_NO_VERSION, false,
		       "/lib/libc.so.9: no version information available (required by /lib/libb.so)");
	assert_trouble(&w, 2, CV_LM_T_NO_VERSION, false,
		       "/lib/liba.so: weak version `V3' not found (required by /lib/libc.so.9)");
	assert_int_equal(w.map->troubles.n, 3);
	lm_world_done(&w);
}

static void test_loadmap_isa_level(void **state)
{
	static const char v2[] = "vendor_id\t: AuthenticAMD\nflags\t\t: cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3\n";
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	tmptree_file(&w.t, "/proc/cpuinfo", v2);
	PUT(&w, "/p", .program = true, .needed = { "liba.so", "libb.so" });
	PUT(&w, "/lib/liba.so", .soname = "liba.so", .isa = 3);
	PUT(&w, "/lib/libb.so", .soname = "libb.so", .isa = 4);
	run(&w, &(struct cv_lm_system_opts){ 0 }, "/p");
	assert_trouble(&w, 0, CV_LM_T_ISA_LEVEL, true, "/lib/libb.so: CPU ISA level is lower than required");
	assert_int_equal(w.map->troubles.n, 1);
	lm_world_done(&w);
}

static void test_loadmap_kernel_note(void **state)
{
	static const struct {
		const char *glibc, *path;
	} cases[] = { { "2.31", "/b/liba.so" }, { "2.36", "/a/liba.so" } };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct lm_world w;

		lm_world_init(&w, cases[i].glibc);
		tmptree_file(&w.t, "/proc/sys/kernel/osrelease", "5.15.0-91-generic\n");
		PUT(&w, "/p", .program = true, .rpath = "/a:/b", .needed = { "liba.so" });
		PUT(&w, "/a/liba.so", .kernel = { 9, 0, 0 });
		PUT(&w, "/b/liba.so", .kernel = { 3, 2, 0 });
		run(&w, &plain, "/p");
		assert_taken(&w, "liba.so", CV_LM_RPATH, cases[i].path);
		if (i == 0)
			assert_int_equal(edge_of(&w, "liba.so")->losers.v[0].reason, CV_LM_NEEDS_NEWER_KERNEL);
		lm_world_done(&w);
	}
}

static void test_loadmap_dlopen_undoes_what_fails(void **state)
{
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "liba.so" });
	PUT(&w, "/lib/liba.so", .soname = "liba.so", .verdef = { "V1" });
	PUT(&w, "/lib/libx.so", .soname = "libx.so", .needed = { "liby.so", "libno.so" });
	PUT(&w, "/lib/liby.so", .soname = "liby.so");
	PUT(&w, "/lib/libv.so", .soname = "libv.so", .needed = { "liba.so" }, .verneed_of = "liba.so", .verneed = { "V9" });
	run(&w, &plain, "/p");
	assert_int_equal(cv_loadmap_dlopen(w.map, 0, "libx.so", CV_LM_NOW), 0);
	assert_trouble(&w, 0, CV_LM_T_MISSING, true, "libno.so: cannot open shared object file: No such file or directory");
	assert_true(w.map->objects.v[3].unloaded);
	assert_true(w.map->objects.v[4].unloaded);
	assert_int_equal(cv_loadmap_dlopen(w.map, 0, "liby.so", CV_LM_NOW | CV_LM_GLOBAL), 1);
	assert_false(w.map->objects.v[5].unloaded);
	assert_true(w.map->objects.v[5].wanted_by_dlopen);
	assert_true(w.map->objects.v[5].global);
	assert_int_equal(cv_loadmap_dlopen(w.map, 0, "libv.so", CV_LM_NOW), 0);
	assert_trouble(&w, 1, CV_LM_T_NO_VERSION, true, "/lib/liba.so: version `V9' not found (required by /lib/libv.so)");
	assert_int_equal(cv_loadmap_dlopen(w.map, 0, "liba.so", CV_LM_LAZY), 1);
	assert_int_equal(cv_loadmap_dlopen(w.map, 3, "liba.so", CV_LM_LAZY), CV_EINVAL); /* it is gone */
	lm_world_done(&w);
}

static void test_loadmap_dlopen_uses_the_callers_paths(void **state)
{
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .rpath = "/main", .needed = { "liba.so" });
	PUT(&w, "/main/liba.so", .soname = "liba.so", .runpath = "$ORIGIN/plug");
	PUT(&w, "/main/plug/libx.so", .soname = "libx.so", .needed = { "liby.so" });
	PUT(&w, "/main/liby.so", .soname = "liby.so");
	run(&w, &plain, "/p");
	assert_int_equal(cv_loadmap_dlopen(w.map, 0, "libx.so", CV_LM_LAZY), 0);
	assert_int_equal(cv_loadmap_dlopen(w.map, 2, "libx.so", CV_LM_LAZY), 1);
	/* What it needs is looked for by its own paths and the program's RPATH, not by the caller's. */
	assert_taken(&w, "liby.so", CV_LM_RPATH, "/main/liby.so");
	assert_int_equal(edge_of(&w, "liby.so")->detail_of, 0);
	assert_int_equal(cv_loadmap_dlopen(w.map, 2, "${ORIGIN}/plug/libx.so", CV_LM_LAZY), 1);
	lm_world_done(&w);
}

static void test_loadmap_dlopen_refuses_executable_stacks(void **state)
{
	static const char text[] = "libx.so: cannot enable executable stack as shared object requires: Invalid argument";

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct lm_world w;

		lm_world_init(&w, i == 0 ? "2.36" : "2.41");
		PUT(&w, "/p", .program = true, .stack = i == 2 ? 7 : 6);
		PUT(&w, "/lib/libx.so", .soname = "libx.so", .no_stack = true);
		run(&w, &plain, "/p");
		assert_int_equal(cv_loadmap_dlopen(w.map, 0, "libx.so", CV_LM_NOW), i != 1);
		if (i == 1)
			assert_trouble(&w, 0, CV_LM_T_EXEC_STACK, true, text);
		lm_world_done(&w);
	}
}

static void test_loadmap_dlopen_runs_out_of_static_tls(void **state)
{
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .static_tls = 5000);
	PUT(&w, "/lib/liba.so", .soname = "liba.so", .static_tls = 1200);
	PUT(&w, "/lib/libb.so", .soname = "libb.so", .static_tls = 1200);
	PUT(&w, "/lib/libc.so.9", .soname = "libc.so.9", .static_tls = 100);
	run(&w, &plain, "/p");
	assert_int_equal(cv_loadmap_dlopen(w.map, 0, "liba.so", CV_LM_NOW), 1);
	assert_int_equal(cv_loadmap_dlopen(w.map, 0, "libb.so", CV_LM_NOW), 0);
	assert_trouble(&w, 0, CV_LM_T_STATIC_TLS, true, "/lib/libb.so: cannot allocate memory in static TLS block");
	assert_int_equal(cv_loadmap_dlopen(w.map, 0, "libc.so.9", CV_LM_NOW), 1);
	lm_world_done(&w);
}

static void test_loadmap_symbols(void **state)
{
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "liba.so" },
	    .syms = { { .name = "f_there" },
		      { .name = "f_gone" },
		      { .name = "d_gone", .data = true },
		      { .name = "w_gone", .weak = true, .data = true } });
	PUT(&w, "/lib/liba.so", .soname = "liba.so", .now = true,
	    .syms = { { .name = "f_there", .defined = true }, { .name = "g_gone" } });
	run(&w, &plain, "/p");
	assert_int_equal(cv_loadmap_symbols(w.map), 0);
	assert_trouble(&w, 0, CV_LM_T_UNDEFINED, true, "symbol lookup error: /lib/liba.so: undefined symbol: g_gone");
	assert_trouble(&w, 1, CV_LM_T_UNDEFINED, true, "symbol lookup error: /p: undefined symbol: d_gone");
	assert_trouble(&w, 2, CV_LM_T_UNDEFINED, false, "symbol lookup error: /p: undefined symbol: f_gone");
	assert_int_equal(w.map->troubles.n, 3);
	lm_world_done(&w);
}

static void test_loadmap_symbols_with_versions(void **state)
{
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "liba.so", "libb.so" }, .verneed_of = "liba.so", .verneed = { "V1", "V2" },
	    .syms = { { .name = "one", .version = "V1", .data = true },
		      { .name = "two", .version = "V2", .data = true },
		      { .name = "moved", .version = "V1", .data = true },
		      { .name = "plain", .data = true } });
	PUT(&w, "/lib/liba.so", .soname = "liba.so", .verdef = { "V1", "V2" },
	    .syms = { { .name = "one", .version = "V1", .defined = true, .data = true },
		      { .name = "two", .version = "V1", .defined = true, .data = true } });
	PUT(&w, "/lib/libb.so", .soname = "libb.so", .verdef = { "V1" },
	    .syms = { { .name = "moved", .version = "V1", .defined = true, .data = true },
		      { .name = "plain", .version = "V1", .defined = true, .data = true } });
	run(&w, &plain, "/p");
	assert_int_equal(cv_loadmap_symbols(w.map), 0);
	assert_trouble(&w, 0, CV_LM_T_UNDEFINED, true, "symbol lookup error: /p: undefined symbol: two, version V2");
	assert_int_equal(w.map->troubles.n, 1);
	lm_world_done(&w);

	/* A provider without symbol versions is too much for older loaders. */
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "liba.so" }, .verneed_of = "liba.so", .verneed = { "V1" },
	    .syms = { { .name = "one", .version = "V1", .data = true } });
	PUT(&w, "/lib/liba.so", .soname = "liba.so", .syms = { { .name = "one", .defined = true, .data = true } });
	run(&w, &plain, "/p");
	assert_int_equal(cv_loadmap_symbols(w.map), 0);
	assert_int_equal(w.map->troubles.n, 2);
	assert_true(cv_starts(w.map->troubles.v[1].message, "Inconsistency detected by ld.so: dl-lookup.c"));
	lm_world_done(&w);
}

static void test_loadmap_dlopen_binds(void **state)
{
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .syms = { { .name = "from_main", .defined = true } });
	PUT(&w, "/lib/liba.so", .soname = "liba.so", .syms = { { .name = "late" }, { .name = "from_main" } });
	PUT(&w, "/lib/libb.so", .soname = "libb.so", .syms = { { .name = "late", .defined = true } });
	run(&w, &plain, "/p");
	assert_int_equal(cv_loadmap_dlopen(w.map, 0, "liba.so", CV_LM_NOW | CV_LM_SYMBOLS), 0);
	assert_trouble(&w, 0, CV_LM_T_UNDEFINED, true, "/lib/liba.so: undefined symbol: late");
	/* A library that was opened for itself does not help, one that was opened for all does. */
	assert_int_equal(cv_loadmap_dlopen(w.map, 0, "libb.so", CV_LM_LAZY | CV_LM_SYMBOLS), 1);
	assert_int_equal(cv_loadmap_dlopen(w.map, 0, "liba.so", CV_LM_NOW | CV_LM_SYMBOLS), 0);
	assert_int_equal(cv_loadmap_dlopen(w.map, 0, "libb.so", CV_LM_LAZY | CV_LM_GLOBAL), 1);
	assert_int_equal(cv_loadmap_dlopen(w.map, 0, "liba.so", CV_LM_NOW | CV_LM_SYMBOLS), 1);
	lm_world_done(&w);
}

static void test_loadmap_programs_that_load_nothing(void **state)
{
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/static", .type = 2, .no_dynamic = true);
	PUT(&w, "/pie", .flags1 = 0x8000000);
	PUT(&w, "/other", .program = true, .interp = "/lib/ld-other.so.1");
	PUT(&w, "/mod.ko", .type = 1);
	tmptree_file(&w.t, "/script", "#!/usr/bin/python3 -E\nprint()\n");
	run(&w, &plain, "/static");
	assert_string_equal(w.map->libc, "static");
	assert_int_equal(w.map->objects.n, 1);
	assert_int_equal(cv_loadmap_dlopen(w.map, 0, "libx.so", CV_LM_NOW), CV_ENOTSUP);
	assert_int_equal(cv_loadmap_new(w.sys, w.arena, &w.diag, &w.map), 0);
	assert_int_equal(cv_loadmap_exec(w.map, "/pie"), 0);
	assert_string_equal(w.map->libc, "static");
	assert_int_equal(cv_loadmap_new(w.sys, w.arena, &w.diag, &w.map), 0);
	assert_int_equal(cv_loadmap_exec(w.map, "/other"), 0);
	assert_string_equal(w.map->libc, "none");
	assert_trouble(&w, 0, CV_LM_T_MISSING, true, "/other: cannot execute: required file not found (/lib/ld-other.so.1)");
	assert_int_equal(cv_loadmap_new(w.sys, w.arena, &w.diag, &w.map), 0);
	w.diag.n = 0;
	assert_int_equal(cv_loadmap_exec(w.map, "/script"), CV_EFORMAT);
	assert_string_equal(w.diag.v[0], "/script: a script for /usr/bin/python3, not an ELF file");
	assert_int_equal(cv_loadmap_exec(w.map, "/script"), CV_EINVAL); /* once only */
	assert_int_equal(cv_loadmap_new(w.sys, w.arena, &w.diag, &w.map), 0);
	assert_int_equal(cv_loadmap_exec(w.map, "/mod.ko"), CV_EFORMAT);
	assert_int_equal(cv_loadmap_new(w.sys, w.arena, &w.diag, &w.map), 0);
	assert_int_equal(cv_loadmap_exec(w.map, "/gone"), CV_ENOENT);
	lm_world_done(&w);
}

static void test_loadmap_library_as_ldd_loads_it(void **state)
{
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/a/liba.so", .soname = "liba.so", .runpath = "$ORIGIN", .needed = { "libb.so", "liba.so" });
	PUT(&w, "/a/libb.so", .soname = "libb.so", .needed = { "/a/liba.so" });
	run(&w, &plain, "/a/liba.so");
	assert_string_equal(w.map->interp, LM_INTERP);
	assert_taken(&w, "libb.so", CV_LM_RUNPATH, "/a/libb.so");
	assert_taken(&w, "liba.so", CV_LM_LOADED, "/a/liba.so");
	/* By path it comes in once more: the loader does not know its file. */
	assert_int_equal(w.map->edges.v[4].step, CV_LM_PATH);
	assert_int_equal(w.map->edges.v[4].object, 3);
	assert_int_equal(w.map->objects.n, 4);
	lm_world_done(&w);
}

static void test_loadmap_musl(void **state)
{
	struct lm_world w;
	struct cv_lm_system_opts opts = { .library_path = "/env" };

	(void)state;
	lm_world_init(&w, NULL);
	PUT(&w, "/lib/ld-musl-x86_64.so.1", .soname = "libc.musl-x86_64.so.1");
	PUT(&w, "/p", .program = true, .interp = "/lib/ld-musl-x86_64.so.1", .runpath = "/run",
	    .needed = { "liba.so", "libc.musl-x86_64.so.1", "libno.so" });
	PUT(&w, "/env/liba.so", .soname = "liba.so", .needed = { "libb.so", "libd.so" });
	PUT(&w, "/run/libb.so", .soname = "libb.so");
	PUT(&w, "/usr/local/lib/libd.so", .soname = "libd.so");
	run(&w, &opts, "/p");
	assert_string_equal(w.map->libc, "musl");
	assert_taken(&w, "liba.so", CV_LM_LIBRARY_PATH, "/env/liba.so");
	assert_taken(&w, "libc.musl-x86_64.so.1", CV_LM_LOADED, "/lib/ld-musl-x86_64.so.1");
	assert_taken(&w, "libb.so", CV_LM_RUNPATH, "/run/libb.so"); /* inherited from the program */
	assert_taken(&w, "libd.so", CV_LM_DEFAULT, "/usr/local/lib/libd.so");
	assert_trouble(&w, 0, CV_LM_T_MISSING, true,
		       "Error loading shared library libno.so: No such file or directory (needed by /p)");
	lm_world_done(&w);
}

static void test_loadmap_stops_at_limits(void **state)
{
	struct lm_world w;
	char *list = malloc(5 * 17000 + 1);

	(void)state;
	assert_non_null(list);
	for (size_t i = 0; i < 17000; i++)
		snprintf(list + 5 * i, 6, "%04zx:", i);
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "liba.so" });
	run(&w, &(struct cv_lm_system_opts){ .hwcaps_mask = "", .library_path = list, .cwd = "/w" }, "/p");
	assert_trouble(&w, 0, CV_LM_T_LIMIT, true,
		       "more than 16384 directories in the path list \"0000:0001:0002:0003:0004:0005:0006:0007:0008:0009:000a:000b:...\"");
	lm_world_done(&w);
	free(list);
}

static void test_loadmap_survives_circles(void **state)
{
	struct lm_world w;

	(void)state;
	lm_world_init(&w, "2.36");
	PUT(&w, "/p", .program = true, .needed = { "liba.so" }, .aux = { "liba.so" });
	PUT(&w, "/lib/liba.so", .soname = "liba.so", .filter = { "libb.so" }, .needed = { "liba.so", "libb.so" });
	PUT(&w, "/lib/libb.so", .soname = "libb.so", .aux = { "liba.so", "libb.so" }, .filter = { "liba.so" });
	run(&w, &plain, "/p");
	assert_true(w.map->objects.n <= CV_LM_OBJECTS_MAX);
	lm_world_done(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loadmap_takes_by_breadth),
		cmocka_unit_test(test_loadmap_missing_is_told_with_where_it_looked),
		cmocka_unit_test(test_loadmap_origin_of_a_relative_name_in_the_root),
		cmocka_unit_test(test_loadmap_rpath_chain_ends_at_runpath),
		cmocka_unit_test(test_loadmap_order_of_steps),
		cmocka_unit_test(test_loadmap_path_lists),
		cmocka_unit_test(test_loadmap_origin_of_a_program_follows_links),
		cmocka_unit_test(test_loadmap_skips_other_class_and_machine),
		cmocka_unit_test(test_loadmap_bad_files_end_the_load),
		cmocka_unit_test(test_loadmap_files_that_are_none),
		cmocka_unit_test(test_loadmap_known_by_soname_and_by_file),
		cmocka_unit_test(test_loadmap_hwcaps_by_version),
		cmocka_unit_test(test_loadmap_hwcaps_of_the_cpu),
		cmocka_unit_test(test_loadmap_errno_lives_on),
		cmocka_unit_test(test_loadmap_preloads),
		cmocka_unit_test(test_loadmap_filters_come_first),
		cmocka_unit_test(test_loadmap_versions),
		cmocka_unit_test(test_loadmap_isa_level),
		cmocka_unit_test(test_loadmap_kernel_note),
		cmocka_unit_test(test_loadmap_dlopen_undoes_what_fails),
		cmocka_unit_test(test_loadmap_dlopen_uses_the_callers_paths),
		cmocka_unit_test(test_loadmap_dlopen_refuses_executable_stacks),
		cmocka_unit_test(test_loadmap_dlopen_runs_out_of_static_tls),
		cmocka_unit_test(test_loadmap_symbols),
		cmocka_unit_test(test_loadmap_symbols_with_versions),
		cmocka_unit_test(test_loadmap_dlopen_binds),
		cmocka_unit_test(test_loadmap_programs_that_load_nothing),
		cmocka_unit_test(test_loadmap_library_as_ldd_loads_it),
		cmocka_unit_test(test_loadmap_musl),
		cmocka_unit_test(test_loadmap_stops_at_limits),
		cmocka_unit_test(test_loadmap_survives_circles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
