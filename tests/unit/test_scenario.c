/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lm_world.h"
#include "loadmap/scenario.h"

#define PUT(w, path, ...) lm_world_put(w, path, &(struct lm_elf){ __VA_ARGS__ })

/* The steps of a test: { scenario, seq, line }, in order; a NULL ends them. */
struct line {
	const char *scenario;
	unsigned seq;
	const char *text;
};

struct stage {
	struct lm_world w;
	const struct line *lines;
	struct cv_strv sys_path;
	struct cv_scn_python python;
	struct cv_scn_host host;
	struct cv_scn_run *run;
};

static bool knows(void *cookie, const char *scenario)
{
	const struct stage *s = cookie;

	for (const struct line *l = s->lines; l->scenario; l++)
		if (cv_streq(l->scenario, scenario))
			return true;
	return false;
}

static int steps(void *cookie, const char *scenario, struct cv_scn_steps *ret)
{
	struct stage *s = cookie;

	for (const struct line *l = s->lines; l->scenario; l++) {
		struct cv_scn_step *st;
		int err;

		if (!cv_streq(l->scenario, scenario))
			continue;
		st = CV_VEC_PUSH(s->w.arena, ret);
		assert_non_null(st);
		err = cv_scn_parse(l->seq, l->text, s->w.arena, &s->w.diag, st);
		if (err)
			return err;
	}
	return ret->n ? 0 : CV_ENOENT;
}

static const char *value(void *cookie, const char *scenario, const char *name)
{
	(void)cookie;
	return cv_streq(name, "cuda") ? cv_streq(scenario, "other") ? "12" : "13" : NULL;
}

static const char *version(void *cookie, const char *path)
{
	(void)cookie;
	return cv_ends(path, "libver.so.9") ? "9.19.2.5" : NULL;
}

static void begin(struct stage *s)
{
	memset(s, 0, sizeof(*s));
	lm_world_init(&s->w, "2.36");
	PUT(&s->w, "/bin/python3", .program = true);
	tmptree_file(&s->w.t, "/sp/pkg/__init__.py", "");
}

static void open_stage(struct stage *s, const struct line *lines)
{
	s->lines = lines;
	lm_world_open(&s->w, &(struct cv_lm_system_opts){ .hwcaps_mask = "" });
	cv_strv_push(s->w.arena, &s->sys_path, "/first");
	cv_strv_push(s->w.arena, &s->sys_path, "/sp");
	s->python = (struct cv_scn_python){ .exe = "/bin/python3", .version = "3.11.7", .sys_path = &s->sys_path };
	s->host = (struct cv_scn_host){ .cookie = s, .knows = knows, .steps = steps, .value = value, .version = version };
	assert_int_equal(cv_scn_new(s->w.view, s->w.map, &s->python, &s->host, s->w.arena, &s->w.diag, &s->run), 0);
}

static void end(struct stage *s)
{
	lm_world_done(&s->w);
}

/* Is this file loaded at the end? */
static bool has(const struct stage *s, const char *path)
{
	const struct cv_loadmap *m = s->w.map;

	for (size_t i = 0; i < m->objects.n; i++)
		if (!m->objects.v[i].unloaded && cv_streq(m->objects.v[i].path, path))
			return true;
	return false;
}

static const struct cv_scn_event *event(const struct stage *s, size_t i)
{
	assert_true(i < s->run->events.n);
	return &s->run->events.v[i];
}

static void assert_event(const struct stage *s, size_t i, enum cv_scn_outcome outcome, const char *text, const char *message)
{
	const struct cv_scn_event *e = event(s, i);

	assert_string_equal(e->text, text);
	assert_string_equal(cv_scn_outcome_name(e->outcome), cv_scn_outcome_name(outcome));
	if (message)
		assert_string_equal(e->message, message);
	else
		assert_null(e->message);
}

/* Runs lines as scenario "s" over the files that begin() and put() made. */
#define RUN(s, ...) (open_stage(s, (const struct line[]){ __VA_ARGS__, { NULL, 0, NULL } }), cv_scn_do((s)->run, "s"))

#define NOT_THERE(name) name ": cannot open shared object file: No such file or directory"

/* Where importlib looks: the tags of this Python in their order, then the plain one; the first directory of sys.path that has it. */
static void test_scenario_module_finds_what_python_finds(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	PUT(&s.w, "/sp/pkg/_C.so", .soname = "_C.so");
	PUT(&s.w, "/sp/pkg/_C.cpython-311-x86_64-linux-gnu.so", .soname = "_C.so");
	PUT(&s.w, "/sp/pkg/_D.cpython-312-x86_64-linux-gnu.so", .soname = "_D.so");
	PUT(&s.w, "/sp/pkg/_D.abi3.so", .soname = "_D.so");
	PUT(&s.w, "/first/top.so", .soname = "top.so");
	PUT(&s.w, "/sp/top.so", .soname = "top.so");
	assert_int_equal(RUN(&s, { "s", 1, "module pkg._C" }, { "s", 2, "module pkg._D" }, { "s", 3, "module top" },
			     { "s", 4, "module pkg._E else next" }, { "s", 5, "module nopkg._C" }),
			 0);
	assert_event(&s, 0, CV_SCN_DONE, "module /sp/pkg/_C.cpython-311-x86_64-linux-gnu.so", NULL);
	assert_event(&s, 1, CV_SCN_DONE, "module /sp/pkg/_D.abi3.so", NULL);
	assert_event(&s, 2, CV_SCN_DONE, "module /first/top.so", NULL);
	assert_event(&s, 3, CV_SCN_PASSED, "module pkg._E else next", "No module named 'pkg._E'");
	assert_event(&s, 4, CV_SCN_FAILED, "module nopkg._C", "No module named 'nopkg'");
	assert_false(has(&s, "/sp/top.so"));
	end(&s);
}

/* A directory without __init__.py in front of the package is no package that holds modules. */
static void test_scenario_module_passes_namespace_directories(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	PUT(&s.w, "/first/pkg/_C.so", .soname = "_C.so");
	PUT(&s.w, "/sp/pkg/_C.so", .soname = "_C.so");
	assert_int_equal(RUN(&s, { "s", 1, "module pkg._C" }), 1);
	assert_true(has(&s, "/sp/pkg/_C.so"));
	end(&s);
}

/* Free-threaded Python has its own tag. */
static void test_scenario_module_of_free_threaded_python(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	PUT(&s.w, "/sp/pkg/_C.cpython-313-x86_64-linux-gnu.so", .soname = "_C.so");
	PUT(&s.w, "/sp/pkg/_C.cpython-313t-x86_64-linux-gnu.so", .soname = "_C.so");
	s.lines = (const struct line[]){ { "s", 1, "module pkg._C" }, { NULL, 0, NULL } };
	open_stage(&s, s.lines);
	s.python.version = "3.13.1";
	s.python.free_threaded = true;
	assert_int_equal(cv_scn_do(s.run, "s"), 1);
	assert_true(has(&s, "/sp/pkg/_C.cpython-313t-x86_64-linux-gnu.so"));
	end(&s);
}

/* ctypes opens by its own module: that one's RUNPATH counts, not the interpreter's. */
static void test_scenario_cdll_is_asked_for_by_ctypes(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	PUT(&s.w, "/sp/_ctypes.cpython-311-x86_64-linux-gnu.so", .soname = "_ctypes.so", .runpath = "/ct");
	PUT(&s.w, "/ct/libx.so", .soname = "libx.so");
	assert_int_equal(RUN(&s, { "s", 1, "cdll now libx.so" }, { "s", 2, "cdll lazy {pkg}/nothing.so else end" }, { "s", 3, "cdll now a.so" }),
			 1);
	assert_true(has(&s, "/ct/libx.so"));
	assert_int_equal(s.run->events.n, 2);
	assert_event(&s, 1, CV_SCN_PASSED, "dlopen /sp/pkg/nothing.so", NOT_THERE("/sp/pkg/nothing.so"));
	end(&s);
}

/* Patterns in turn under each entry of sys.path; the first file by name; its directory decides, not the pattern. */
static void test_scenario_find_takes_the_first_entry_of_sys_path(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	PUT(&s.w, "/sp/nvidia/x/lib/libx.so.12", .soname = "libx.so.12");
	PUT(&s.w, "/first/x/lib/libx.so.13", .soname = "libx.so.13");
	PUT(&s.w, "/first/x/lib/libx.so.14", .soname = "libx.so.14");
	assert_int_equal(RUN(&s, { "s", 1, "find now {path}/nvidia/x/lib/libx.so.*[0-9] {path}/x/lib/libx.so.*[0-9]" },
			     { "s", 2, "find now {path}/nvidia/y/lib/liby.so.*[0-9]" }),
			 0);
	assert_event(&s, 0, CV_SCN_DONE, "dlopen /first/x/lib/libx.so.13", NULL);
	assert_event(&s, 1, CV_SCN_FAILED, "find now {path}/nvidia/y/lib/liby.so.*[0-9]", "liby.so.*[0-9] not found in the system path");
	end(&s);
}

/* "call?" makes a find that finds nothing harmless, in what it calls too, and only there; a file that does not load still fails. */
static void test_scenario_loose_call_lives_without_files(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	PUT(&s.w, "/sp/libbad.so", .soname = "libbad.so", .needed = { "libgone.so" });
	assert_int_equal(RUN(&s, { "s", 1, "call? inner" }, { "s", 2, "call? bad else next" }, { "s", 3, "call inner" },
			     { "inner", 1, "find now {path}/nothing" }, { "inner", 2, "call inmost" },
			     { "inmost", 1, "find now {path}/nothing" }, { "bad", 1, "find now {path}/libbad.so" }),
			 0);
	assert_int_equal(s.run->events.n, 4);
	assert_int_equal(event(&s, 0)->outcome, CV_SCN_DONE);
	assert_int_equal(event(&s, 1)->outcome, CV_SCN_DONE);
	assert_event(&s, 2, CV_SCN_PASSED, "dlopen /sp/libbad.so", NOT_THERE("libgone.so"));
	assert_event(&s, 3, CV_SCN_FAILED, "find now {path}/nothing", "nothing not found in the system path");
	end(&s);
}

/* By the library that opens: by file name or SONAME; without it there is nothing to do, and nothing fails. */
static void test_scenario_dlopen_by_a_library(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	PUT(&s.w, "/sp/pkg/_C.so", .soname = "libinner.so.3", .runpath = "/run");
	PUT(&s.w, "/run/libx.so", .soname = "libx.so");
	assert_int_equal(RUN(&s, { "s", 1, "dlopen now libnobody.so libx.so" }, { "s", 2, "module pkg._C" },
			     { "s", 3, "dlopen now libinner.so libx.so" }, { "s", 4, "dlopen now python libx2.so" }),
			 0);
	assert_event(&s, 0, CV_SCN_DONE, "dlopen now libnobody.so libx.so", "libnobody.so is not loaded, so nothing asks for libx.so");
	assert_event(&s, 2, CV_SCN_DONE, "dlopen libx.so", NULL);
	assert_true(has(&s, "/run/libx.so"));
	assert_event(&s, 3, CV_SCN_FAILED, "dlopen libx2.so", NOT_THERE("libx2.so"));
	end(&s);
}

/* A second import does nothing, a second call does all again; an import that failed is tried again. */
static void test_scenario_import_once_call_always(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	PUT(&s.w, "/sp/libx.so", .soname = "libx.so");
	assert_int_equal(RUN(&s, { "s", 1, "import a" }, { "s", 2, "import a" }, { "s", 3, "call a" }, { "s", 4, "import b else next" },
			     { "s", 5, "import b else next" }, { "a", 1, "cdll now /sp/libx.so" }, { "b", 1, "cdll now /nothing" }),
			 1);
	assert_int_equal(s.run->events.n, 4);
	assert_int_equal(event(&s, 1)->outcome, CV_SCN_DONE);
	assert_string_equal(event(&s, 2)->scenario, "b");
	assert_int_equal(cv_scn_do(s.run, "s"), 1);
	assert_int_equal(s.run->events.n, 4);
	end(&s);
}

/* What failed inside of a scenario that its caller may do without is passed, not failed. */
static void test_scenario_a_caller_forgives(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	assert_int_equal(RUN(&s, { "s", 1, "call a else 9" }, { "s", 5, "cdll now /never" }, { "s", 9, "end" }, { "a", 1, "cdll now /x" },
			     { "a", 2, "cdll now /y" }),
			 1);
	assert_int_equal(s.run->events.n, 1);
	assert_event(&s, 0, CV_SCN_PASSED, "dlopen /x", NOT_THERE("/x"));
	assert_null(cv_scn_failure(s.run));
	end(&s);
}

static void test_scenario_questions_choose_the_way(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	PUT(&s.w, "/sp/liba.so.1", .soname = "liba.so.1");
	tmptree_file(&s.w.t, "/etc/flag", "");
	assert_int_equal(RUN(&s, { "s", 1, "if-loaded liba.so else 3" }, { "s", 2, "cdll now /never1" }, { "s", 3, "cdll now /sp/liba.so.1" },
			     { "s", 4, "if-loaded sp/liba.so else 20" }, { "s", 5, "if-exists /etc/flag else 20" },
			     { "s", 6, "if-exists /etc/{cuda} else 8" }, { "s", 7, "cdll now /never2" },
			     { "s", 8, "cdll now /gone/libb.so else next" }, { "s", 9, "if-error libc.so libb.so else 20" },
			     { "s", 10, "if-error libc.so else 12" }, { "s", 11, "cdll now /never3" }, { "s", 12, "goto 14" },
			     { "s", 13, "cdll now /never4" }, { "s", 14, "end" }, { "s", 20, "cdll now /never5" }),
			 1);
	assert_int_equal(s.run->events.n, 2);
	end(&s);
}

/* Who asks what the failure was and does not know it raises it again; other questions fail by themselves. */
static void test_scenario_ends_at_a_question(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	assert_int_equal(RUN(&s, { "s", 1, "cdll now /first.so else next" }, { "s", 2, "cdll now /second.so else next" },
			     { "s", 3, "if-error third fourth" }),
			 0);
	assert_int_equal(s.run->events.n, 2);
	assert_event(&s, 0, CV_SCN_PASSED, "dlopen /first.so", NOT_THERE("/first.so"));
	assert_event(&s, 1, CV_SCN_FAILED, "dlopen /second.so", NOT_THERE("/second.so"));
	assert_ptr_equal(cv_scn_failure(s.run), event(&s, 1));
	end(&s);
	begin(&s);
	assert_int_equal(RUN(&s, { "s", 1, "if-loaded libno.so" }), 0);
	assert_event(&s, 0, CV_SCN_FAILED, "if-loaded libno.so", "no: if-loaded libno.so");
	end(&s);
}

/* Values: of the host, by scenario; of a loaded file; of an import; one that is not known fails and says which. */
static void test_scenario_values(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	PUT(&s.w, "/sp/libver.so.9", .soname = "libver.so.9");
	assert_int_equal(RUN(&s, { "s", 1, "cdll now /v/{cuda}/x else next" }, { "s", 2, "call other" }, { "s", 3, "cdll now /sp/libver.so.9" },
			     { "s", 4, "cdll now {pkg}/a.{version:libver.so.9}.{version2:libver.so.9} else next" },
			     { "s", 5, "cdll now {nopkg}/a else next" }, { "s", 6, "cdll now {version:libno.so} else next" },
			     { "s", 7, "cdll now /open{brace else next" }, { "other", 1, "cdll now /v/{cuda}/x else next" }),
			 1);
	assert_string_equal(event(&s, 0)->text, "dlopen /v/13/x");
	assert_string_equal(event(&s, 1)->text, "dlopen /v/12/x");
	assert_string_equal(event(&s, 3)->text, "dlopen /sp/pkg/a.9.19.2.5.9.19");
	assert_string_equal(event(&s, 4)->message, "No module named 'nopkg'");
	assert_string_equal(event(&s, 5)->message, "version:libno.so is not known here");
	assert_string_equal(event(&s, 6)->text, "dlopen /open{brace");
	end(&s);
}

/* A scenario with a library's name is taken when it comes in, whoever asked for it, and cannot fail. */
static void test_scenario_constructors_open_more(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	PUT(&s.w, "/sp/libuser.so", .soname = "libuser.so", .needed = { "libcon.so.1" }, .runpath = "/lib");
	PUT(&s.w, "/sp/libbad.so", .soname = "libbad.so", .needed = { "libcon2.so.1", "libgone.so" });
	PUT(&s.w, "/lib/libcon.so.1", .soname = "libcon.so.1", .runpath = "/drv");
	PUT(&s.w, "/lib/libcon2.so.1", .soname = "libcon2.so.1");
	PUT(&s.w, "/drv/libdrv.so", .soname = "libdrv.so");
	assert_int_equal(RUN(&s, { "s", 1, "cdll now /nothing else next" }, { "s", 2, "cdll now /sp/libuser.so" },
			     { "s", 3, "if-error /nothing" }, { "s", 4, "cdll now /sp/libuser.so" }, { "s", 5, "cdll now /sp/libbad.so else next" },
			     { "libcon.so", 1, "dlopen now libcon.so libdrv.so" }, { "libcon.so", 2, "dlopen now libcon.so libmore.so" },
			     { "libcon2.so", 1, "dlopen now libcon2.so libdrv2.so" }),
			 1);
	assert_true(has(&s, "/drv/libdrv.so"));
	assert_int_equal(s.run->events.n, 6);
	assert_string_equal(event(&s, 2)->scenario, "libcon.so");
	assert_string_equal(event(&s, 5)->message, NOT_THERE("libgone.so"));
	end(&s);
}

/* With symbols, a file that lacks one fails as it does for dlopen; without, it is loaded. */
static void test_scenario_symbols_on_request(void **state)
{
	(void)state;
	for (int on = 0; on < 2; on++) {
		struct stage s;

		begin(&s);
		PUT(&s.w, "/sp/libx.so", .soname = "libx.so", .syms = { { .name = "nowhere" } });
		open_stage(&s, (const struct line[]){ { "s", 1, "cdll now /sp/libx.so else next" }, { NULL, 0, NULL } });
		s.run->symbols = on;
		assert_int_equal(cv_scn_do(s.run, "s"), 1);
		assert_int_equal(has(&s, "/sp/libx.so"), !on);
		if (on)
			assert_string_equal(event(&s, 0)->message, "/sp/libx.so: undefined symbol: nowhere");
		end(&s);
	}
}

/* Scenarios that call themselves, and more steps than one run may take. */
static void test_scenario_limits(void **state)
{
	struct line many[CV_SCN_STEPS_MAX + 3] = { { "s", 1, "call s" }, { NULL, 0, NULL } };
	struct stage s;

	(void)state;
	begin(&s);
	open_stage(&s, many);
	assert_int_equal(cv_scn_do(s.run, "s"), CV_ELIMIT);
	assert_non_null(strstr(s.w.diag.v[s.w.diag.n - 1], "more than 16 inside of each other"));
	end(&s);
	for (unsigned i = 0; i <= CV_SCN_STEPS_MAX; i++)
		many[i] = (struct line){ "s", i + 1, "if-loaded nothing else next" };
	many[CV_SCN_STEPS_MAX + 1].scenario = NULL;
	begin(&s);
	open_stage(&s, many);
	assert_int_equal(cv_scn_do(s.run, "s"), CV_ELIMIT);
	end(&s);
	many[CV_SCN_STEPS_MAX].scenario = NULL;
	begin(&s);
	open_stage(&s, many);
	assert_int_equal(cv_scn_do(s.run, "s"), 1);
	end(&s);
}

static void test_scenario_what_is_not_there_is_an_error(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	assert_int_equal(RUN(&s, { "t", 1, "end" }), CV_ENOENT);
	end(&s);
	begin(&s);
	assert_int_equal(RUN(&s, { "s", 1, "fly away" }), CV_EFORMAT);
	end(&s);
}

struct parsed {
	const char *line;
	enum cv_scn_op op;
	unsigned flags;
	size_t args;
	enum cv_scn_else otherwise;
	unsigned to;
};

static void test_scenario_lines_are_read(void **state)
{
	static const struct parsed good[] = {
		{ "module torch._C", CV_SCN_MODULE, 0, 1, CV_SCN_ELSE_FAIL, 0 },
		{ "cdll now,global {torch}/lib/x.so else 30", CV_SCN_CDLL, CV_LM_NOW | CV_LM_GLOBAL, 1, CV_SCN_ELSE_SEQ, 30 },
		{ "cdll lazy x.so else next", CV_SCN_CDLL, CV_LM_LAZY, 1, CV_SCN_ELSE_NEXT, 0 },
		{ "find now a b c else end", CV_SCN_FIND, CV_LM_NOW, 3, CV_SCN_ELSE_END, 0 },
		{ "dlopen global,lazy liba.so libb.so else fail", CV_SCN_DLOPEN, CV_LM_GLOBAL, 1, CV_SCN_ELSE_FAIL, 0 },
		{ "import torch", CV_SCN_IMPORT, 0, 1, CV_SCN_ELSE_FAIL, 0 },
		{ "call x", CV_SCN_CALL, 0, 1, CV_SCN_ELSE_FAIL, 0 },
		{ "call? x else  11 ", CV_SCN_CALL_LOOSE, 0, 1, CV_SCN_ELSE_SEQ, 11 },
		{ "if-loaded a", CV_SCN_IF_LOADED, 0, 1, CV_SCN_ELSE_FAIL, 0 },
		{ "if-exists a", CV_SCN_IF_EXISTS, 0, 1, CV_SCN_ELSE_FAIL, 0 },
		{ "if-error a b c d", CV_SCN_IF_ERROR, 0, 4, CV_SCN_ELSE_FAIL, 0 },
		{ "goto 11", CV_SCN_GOTO, 0, 1, CV_SCN_ELSE_FAIL, 11 },
		{ "end", CV_SCN_END, 0, 0, CV_SCN_ELSE_FAIL, 0 },
	};
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_diag d;

	(void)state;
	cv_diag_init(&d, a);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const struct parsed *g = &good[i];
		struct cv_scn_step st;

		assert_int_equal(cv_scn_parse(10, g->line, a, &d, &st), 0);
		assert_int_equal(st.seq, 10);
		assert_int_equal(st.op, g->op);
		assert_int_equal(st.flags, g->flags);
		assert_int_equal(st.args.n, g->args);
		assert_int_equal(st.otherwise, g->otherwise);
		assert_int_equal(st.to, g->to);
		assert_string_equal(st.text, g->line);
	}
	cv_arena_free(a);
}

static void test_scenario_hostile_lines_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		" ",
		"Module x",
		"module",
		"module a b",
		"cdll x.so",
		"cdll now",
		"cdll global x.so",
		"cdll now,,global x.so",
		"cdll now,fast x.so",
		"cdll now a b",
		"find now",
		"find now 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17",
		"dlopen now liba.so",
		"dlopen now",
		"if-error",
		"goto",
		"goto 10",
		"goto 9",
		"goto x",
		"goto 10000",
		"goto -11",
		"end now",
		"end else 5",
		"module a else",
		"module a else ",
		"module a else back",
		"module a else 10",
		"module a else next else next",
		"module a else 99999999999999999999",
	};
	struct cv_arena *a = cv_arena_new(1 << 20);
	struct cv_diag d;

	(void)state;
	cv_diag_init(&d, a);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct cv_scn_step st = { .seq = 77 };

		if (cv_scn_parse(10, bad[i], a, &d, &st) != CV_EFORMAT)
			fail_msg("taken: \"%s\"", bad[i]);
		assert_int_equal(st.seq, 77);
	}
	assert_int_equal(d.n, sizeof(bad) / sizeof(bad[0]));
	cv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scenario_module_finds_what_python_finds),
		cmocka_unit_test(test_scenario_module_passes_namespace_directories),
		cmocka_unit_test(test_scenario_module_of_free_threaded_python),
		cmocka_unit_test(test_scenario_cdll_is_asked_for_by_ctypes),
		cmocka_unit_test(test_scenario_find_takes_the_first_entry_of_sys_path),
		cmocka_unit_test(test_scenario_loose_call_lives_without_files),
		cmocka_unit_test(test_scenario_dlopen_by_a_library),
		cmocka_unit_test(test_scenario_import_once_call_always),
		cmocka_unit_test(test_scenario_a_caller_forgives),
		cmocka_unit_test(test_scenario_questions_choose_the_way),
		cmocka_unit_test(test_scenario_ends_at_a_question),
		cmocka_unit_test(test_scenario_values),
		cmocka_unit_test(test_scenario_constructors_open_more),
		cmocka_unit_test(test_scenario_symbols_on_request),
		cmocka_unit_test(test_scenario_limits),
		cmocka_unit_test(test_scenario_what_is_not_there_is_an_error),
		cmocka_unit_test(test_scenario_lines_are_read),
		cmocka_unit_test(test_scenario_hostile_lines_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
