/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pyworld.h"

static int setup(void **state)
{
	static struct pyworld w;

	pyworld_init(&w);
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	pyworld_done(*state);
	return 0;
}

#define STDLIB "/usr/lib/python311.zip /usr/lib/python3.11 /usr/lib/python3.11/lib-dynload"

static bool is(struct pyworld *w, const char *key, enum cv_field id)
{
	return cv_fact_true(pyworld_env(w, key), id);
}

/* In a tree every environment is found and selected. */
static void test_py_envs_tree(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	pyworld_venv(w, "/home/u/.venv", "");
	pyworld_venv(w, "/home/u/project/.venv", "uv = 0.4.18\ninclude-system-site-packages = true\n");
	pyworld_venv(w, "/opt/tool/venv", "");
	pyworld_python(w, "/opt/conda", "python3.12");
	tmptree_link(&w->t, "/opt/conda/bin/python3", "python3.12");
	tmptree_dir(&w->t, "/opt/conda/conda-meta");
	tmptree_dir(&w->t, "/opt/conda/lib/python3.12/site-packages");
	tmptree_dir(&w->t, "/opt/empty/bin");
	tmptree_dir(&w->t, "/usr/lib/python3.11/site-packages");
	pyworld_file(w, "/opt/conda/include/python3.12", "patchlevel.h", "#define PY_VERSION      \t\"3.12.4\"\n");
	pyworld_run(w);
	assert_int_equal(cv_facts_count(w->facts, CV_KIND_env), 5);
	s = pyworld_env(w, "/home/u/.venv");
	pyworld_text(s, CV_F_env_kind, "venv");
	pyworld_text(s, CV_F_env_python, "3.11.2");
	pyworld_text(s, CV_F_env_base, "/usr");
	pyworld_list(w, s, CV_F_env_sys_path, STDLIB " /home/u/.venv/lib/python3.11/site-packages");
	s = pyworld_env(w, "/home/u/project/.venv");
	pyworld_text(s, CV_F_env_kind, "uv");
	pyworld_text(s, CV_F_env_manager, "uv");
	pyworld_list(w, s, CV_F_env_sys_path,
		     STDLIB " /home/u/project/.venv/lib/python3.11/site-packages /usr/lib/python3.11/site-packages");
	s = pyworld_env(w, "/opt/conda");
	pyworld_text(s, CV_F_env_kind, "conda");
	pyworld_text(s, CV_F_env_python, "3.12.4");
	pyworld_text(s, CV_F_env_abi, "cp312");
	assert_true(is(w, "/usr", CV_F_env_selected));
	assert_true(is(w, "/opt/tool/venv", CV_F_env_selected));
	assert_false(is(w, "/opt/tool/venv", CV_F_env_active));
	pyworld_text(pyworld_env(w, "/usr"), CV_F_env_kind, "distribution");
	pyworld_text(pyworld_env(w, "/usr"), CV_F_env_python, "3.11");
}

/* Live: VIRTUAL_ENV counts before python3 on PATH; both are active. */
static void test_py_envs_virtual_env(void **state)
{
	struct pyworld *w = *state;

	pyworld_venv(w, "/a", "");
	pyworld_venv(w, "/b", "");
	pyworld_venv(w, "/w/.venv", "");
	w->live = true;
	w->sel.cwd = "/w";
	w->env[w->env_n++] = "VIRTUAL_ENV=/a";
	w->env[w->env_n++] = "PATH=/nowhere:/b/bin:/usr/bin";
	pyworld_run(w);
	assert_int_equal(cv_facts_count(w->facts, CV_KIND_env), 4);
	assert_true(is(w, "/a", CV_F_env_selected) && is(w, "/a", CV_F_env_active));
	assert_true(!is(w, "/b", CV_F_env_selected) && is(w, "/b", CV_F_env_active));
	assert_true(!is(w, "/w/.venv", CV_F_env_selected) && !is(w, "/w/.venv", CV_F_env_active));
	assert_true(!is(w, "/usr", CV_F_env_selected));
}

/* A conda environment entered after a venv: python3 on PATH tells which variable is stale. */
static void test_py_envs_conda_after_venv(void **state)
{
	struct pyworld *w = *state;

	pyworld_venv(w, "/a", "");
	pyworld_python(w, "/conda", "python3.12");
	tmptree_link(&w->t, "/conda/bin/python3", "python3.12");
	tmptree_dir(&w->t, "/conda/conda-meta");
	w->live = true;
	w->env[w->env_n++] = "VIRTUAL_ENV=/a";
	w->env[w->env_n++] = "CONDA_PREFIX=/conda";
	w->env[w->env_n++] = "PATH=/conda/bin:/a/bin:/usr/bin";
	pyworld_run(w);
	assert_true(is(w, "/conda", CV_F_env_selected));
	assert_true(!is(w, "/a", CV_F_env_selected) && is(w, "/a", CV_F_env_active));
}

static void test_py_envs_path_only(void **state)
{
	struct pyworld *w = *state;

	w->live = true;
	w->env[w->env_n++] = "VIRTUAL_ENV=/gone";
	w->env[w->env_n++] = "PATH=/usr/bin";
	pyworld_run(w);
	assert_true(is(w, "/usr", CV_F_env_selected) && is(w, "/usr", CV_F_env_active));
	assert_int_equal(w->diag.n, 1);
	assert_non_null(strstr(w->diag.v[0], "/gone: VIRTUAL_ENV names it"));
}

static void test_py_envs_named(void **state)
{
	struct pyworld *w = *state;
	const char *const envs[] = { "b", "/missing" };
	const struct cv_subject *s;

	pyworld_venv(w, "/w/b", "");
	tmptree_link(&w->t, "/w/link", "b");
	w->live = true;
	w->sel.cwd = "/w";
	w->sel.envs = envs;
	w->sel.env_n = 2;
	w->sel.python = "link/bin/python3";
	w->env[w->env_n++] = "PATH=/usr/bin";
	pyworld_run(w);
	s = pyworld_env(w, "/w/link"); /* the first name under which it was met */
	assert_true(cv_fact_true(s, CV_F_env_selected));
	assert_null(cv_facts_find(w->facts, CV_KIND_env, "/w/b"));
	assert_false(is(w, "/usr", CV_F_env_selected));
	s = pyworld_env(w, "/missing");
	assert_true(cv_fact_absent(s, CV_F_env_exe));
	assert_true(cv_fact_true(s, CV_F_env_selected));
}

/* pyenv's shim is a script: the version files tell what it starts. */
static void test_py_envs_pyenv_shim(void **state)
{
	struct pyworld *w = *state;

	pyworld_file(w, "/pyenv/shims", "python3", "#!/usr/bin/env bash\n");
	tmptree_chmod(&w->t, "/pyenv/shims/python3", 0755);
	pyworld_python(w, "/pyenv/versions/3.10.9", "python3.10");
	pyworld_python(w, "/pyenv/versions/3.10.13", "python3.10");
	tmptree_link(&w->t, "/pyenv/versions/3.10.9/bin/python3", "python3.10");
	tmptree_link(&w->t, "/pyenv/versions/3.10.13/bin/python3", "python3.10");
	pyworld_file(w, "/pyenv", "version", "3.10.9\n");
	pyworld_file(w, "/w/project", ".python-version", "# ours\n3.10\n");
	w->live = true;
	w->env[w->env_n++] = "PYENV_ROOT=/pyenv";
	w->env[w->env_n++] = "PATH=/pyenv/shims:/usr/bin";
	w->sel.cwd = "/w/project/deep";
	pyworld_run(w);
	assert_true(is(w, "/pyenv/versions/3.10.13", CV_F_env_selected));
}

static void test_py_envs_pyenv_system(void **state)
{
	struct pyworld *w = *state;

	pyworld_file(w, "/pyenv/shims", "python3", "#!/usr/bin/env bash\n");
	tmptree_chmod(&w->t, "/pyenv/shims/python3", 0755);
	w->live = true;
	w->env[w->env_n++] = "PYENV_ROOT=/pyenv";
	w->env[w->env_n++] = "PYENV_VERSION=3.9.1:system";
	w->env[w->env_n++] = "PATH=/pyenv/shims:/usr/bin";
	pyworld_run(w);
	assert_true(is(w, "/usr", CV_F_env_selected));
}

/* Another tool's script on PATH: what it starts is not known, and no other Python is taken for it. */
static void test_py_envs_foreign_shim(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	pyworld_file(w, "/tool/shims", "python3", "#!/bin/sh\nexec tool python3\n");
	tmptree_chmod(&w->t, "/tool/shims/python3", 0755);
	w->live = true;
	w->env[w->env_n++] = "PATH=/tool/shims:/usr/bin";
	pyworld_run(w);
	s = pyworld_env(w, "/tool");
	assert_true(cv_fact_true(s, CV_F_env_selected));
	assert_int_equal(cv_fact(s, CV_F_env_python)->state, CV_UNPARSED);
	assert_int_equal(cv_fact(s, CV_F_env_sys_path)->state, CV_UNPARSED);
	assert_false(is(w, "/usr", CV_F_env_selected));
}

/* A venv whose base is gone still tells its packages' directory, and that its interpreter does not start. */
static void test_py_envs_base_gone(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;
	const struct cv_value *v;

	pyworld_file(w, "/app/.venv", "pyvenv.cfg", "home = /opt/py/bin\ninclude-system-site-packages = false\n"
			"version = 3.13.1\n");
	tmptree_link(&w->t, "/app/.venv/bin/python3", "/opt/py/bin/python3.13");
	tmptree_dir(&w->t, "/app/.venv/lib/python3.13/site-packages");
	pyworld_run(w);
	s = pyworld_env(w, "/app/.venv");
	assert_true(cv_fact_absent(s, CV_F_env_exe));
	pyworld_text(s, CV_F_env_python, "3.13.1");
	assert_true(cv_fact_absent(s, CV_F_env_base));
	v = cv_fact(s, CV_F_env_sys_path);
	assert_int_equal(v->list->n, 1);
	assert_string_equal(v->list->v[0], "/app/.venv/lib/python3.13/site-packages");
	assert_int_equal(v->next->state, CV_UNPARSED);
}

/* After an upgrade of the base the interpreter is another one than pyvenv.cfg says: the interpreter counts. */
static void test_py_envs_outdated_cfg(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	pyworld_file(w, "/app/.venv", "pyvenv.cfg", "home = /usr/bin\nversion = 3.9.2\ninclude-system-site-packages = false\n");
	tmptree_link(&w->t, "/app/.venv/bin/python3", "/usr/bin/python3");
	tmptree_dir(&w->t, "/app/.venv/lib/python3.9/site-packages");
	pyworld_run(w);
	s = pyworld_env(w, "/app/.venv");
	pyworld_text(s, CV_F_env_python, "3.11");
	assert_string_equal(cv_fact(s, CV_F_env_python)->next->str, "3.9.2");
	pyworld_list(w, s, CV_F_env_sys_path, STDLIB);
}

static void test_py_envs_free_threaded(void **state)
{
	struct pyworld *w = *state;
	const struct cv_subject *s;

	pyworld_python(w, "/opt/py", "python3.13t");
	tmptree_link(&w->t, "/opt/py/bin/python3", "python3.13t");
	tmptree_dir(&w->t, "/opt/py/lib/python3.13t/site-packages");
	pyworld_run(w);
	s = pyworld_env(w, "/opt/py");
	pyworld_text(s, CV_F_env_abi, "cp313t");
	pyworld_list(w, s, CV_F_env_sys_path,
		     "/opt/py/lib/python313t.zip /opt/py/lib/python3.13t /opt/py/lib/python3.13t/lib-dynload "
		     "/opt/py/lib/python3.13t/site-packages");
}

/* Two Pythons in one prefix: the second has its interpreter as key. */
static void test_py_envs_two_in_usr(void **state)
{
	struct pyworld *w = *state;

	pyworld_python(w, "/usr", "python3.12");
	pyworld_run(w);
	assert_int_equal(cv_facts_count(w->facts, CV_KIND_env), 2);
	pyworld_text(pyworld_env(w, "/usr"), CV_F_env_python, "3.11");
	pyworld_text(pyworld_env(w, "/usr/bin/python3.12"), CV_F_env_python, "3.12");
}

/* Debian's and Fedora's site.py are told by their text. */
static void test_py_envs_distributions(void **state)
{
	struct pyworld *w = *state;

	pyworld_file(w, "/usr/lib/python3.11", "site.py", "x = \"dist-packages\"\n");
	pyworld_file(w, "/usr/lib/python3.11", "EXTERNALLY-MANAGED", "");
	pyworld_file(w, "/var/lib/dpkg", "status", "");
	tmptree_dir(&w->t, "/usr/lib/python3.11/site-packages");
	tmptree_dir(&w->t, "/usr/local/lib/python3.11/dist-packages");
	tmptree_dir(&w->t, "/usr/lib/python3/dist-packages");
	tmptree_dir(&w->t, "/root/.local/lib/python3.11/site-packages");
	pyworld_python(w, "/opt/fedora", "python3.10");
	tmptree_link(&w->t, "/opt/fedora/bin/python3", "python3.10");
	pyworld_file(w, "/opt/fedora/lib/python3.10", "site.py", "if ENABLE_USER_SITE and 'RPM_BUILD_ROOT' not in os.environ:\n");
	tmptree_dir(&w->t, "/usr/local/lib/python3.10/site-packages");
	pyworld_run(w);
	pyworld_list(w, pyworld_env(w, "/usr"), CV_F_env_sys_path,
		     STDLIB " /root/.local/lib/python3.11/site-packages /usr/local/lib/python3.11/dist-packages "
		     "/usr/lib/python3/dist-packages");
	assert_true(is(w, "/usr", CV_F_env_managed));
	pyworld_text(pyworld_env(w, "/usr"), CV_F_env_manager, "apt");
	pyworld_list(w, pyworld_env(w, "/opt/fedora"), CV_F_env_sys_path,
		     "/opt/fedora/lib/python310.zip /opt/fedora/lib/python3.10 /opt/fedora/lib/python3.10/lib-dynload "
		     "/usr/local/lib/python3.10/site-packages");
}

/* In a tree nobody says whose user site is meant: it counts only where one home alone has it. */
static void test_py_envs_user_site_of_tree(void **state)
{
	struct pyworld *w = *state;

	tmptree_dir(&w->t, "/home/a/.local/lib/python3.11/site-packages");
	tmptree_dir(&w->t, "/home/b/.local/lib/python3.11/site-packages");
	pyworld_run(w);
	pyworld_list(w, pyworld_env(w, "/usr"), CV_F_env_sys_path, STDLIB);
}

static void test_py_envs_path_code(void **state)
{
	struct pyworld *w = *state;
	const char *site = "/app/.venv/lib/python3.11/site-packages";

	pyworld_venv(w, "/app/.venv", "");
	pyworld_file(w, site, "distutils-precedence.pth", "import os; __import__('_distutils_hack')\n");
	pyworld_file(w, site, "__editable__.x.pth", "\nimport __editable___x_finder; __editable___x_finder.install()\n");
	pyworld_file(w, site, "z.pth", "import sys; sys.path.insert(0, '/x')\n/src\n/nowhere\n");
	tmptree_dir(&w->t, "/src");
	pyworld_run(w);
	pyworld_list(w, pyworld_env(w, "/app/.venv"), CV_F_env_path_code,
		     "/app/.venv/lib/python3.11/site-packages/__editable__.x.pth:2 editable | "
		     "/app/.venv/lib/python3.11/site-packages/distutils-precedence.pth:1 harmless | "
		     "/app/.venv/lib/python3.11/site-packages/z.pth:1 other");
	pyworld_list(w, pyworld_env(w, "/app/.venv"), CV_F_env_sys_path, STDLIB " /app/.venv/lib/python3.11/site-packages /src");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_py_envs_tree),	    TEST(test_py_envs_virtual_env),	 TEST(test_py_envs_conda_after_venv),
		TEST(test_py_envs_path_only),	    TEST(test_py_envs_named),		 TEST(test_py_envs_pyenv_shim),
		TEST(test_py_envs_pyenv_system),    TEST(test_py_envs_foreign_shim),	 TEST(test_py_envs_base_gone),
		TEST(test_py_envs_outdated_cfg),    TEST(test_py_envs_free_threaded),	 TEST(test_py_envs_two_in_usr),
		TEST(test_py_envs_distributions),   TEST(test_py_envs_user_site_of_tree), TEST(test_py_envs_path_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
