/* SPDX-License-Identifier: Apache-2.0 */
/* The public calls and what lies right behind them: options, selection, messages, documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/str.h"
#include "engine/engine.h"
#include "tmptree.h"

struct heard {
	char text[512];
	unsigned n;
};

static void hear(void *cookie, const char *text)
{
	struct heard *h = cookie;

	h->n++;
	snprintf(h->text, sizeof(h->text), "%s", text);
}

static int count_bytes(void *cookie, const char *p, size_t n)
{
	size_t *total = cookie;

	(void)p;
	*total += n;
	return 0;
}

static int refuse(void *cookie, const char *p, size_t n)
{
	(void)cookie;
	(void)p;
	(void)n;
	return CV_EIO;
}

static int make_empty_tree(void **state)
{
	static struct tmptree tree;

	tmptree_init(&tree);
	*state = &tree;
	return 0;
}

static int remove_tree(void **state)
{
	tmptree_done(*state);
	return 0;
}

static const char *tree_of(void **state)
{
	return ((struct tmptree *)*state)->dir;
}

static void test_engine_selection_survives_the_record(void **state)
{
	static const char *const envs[] = { "/a b", "/\xff", "/x=y" };
	struct cv_selection in = { .python = "/usr/bin/python3", .envs = envs, .env_n = 3, .all_envs = true, .cwd = "/home/me" }, out;
	struct cv_arena *a = cv_arena_new(1 << 16);
	struct cv_strv words = { 0 };

	(void)state;
	assert_int_equal(cv_selection_to_words(a, &in, &words), 0);
	assert_int_equal(cv_selection_from_words(a, words.v, words.n, &out), 0);
	assert_string_equal(out.python, in.python);
	assert_string_equal(out.cwd, in.cwd);
	assert_true(out.all_envs);
	assert_int_equal(out.env_n, 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(out.envs[i], envs[i]);
	cv_arena_free(a);
}

static void test_engine_selection_passes_over_unknown_words(void **state)
{
	static const char *const words[] = { "cuvet", "check", "--later=1", "--env=/e", "word", "--all-envs=no" };
	struct cv_arena *a = cv_arena_new(1 << 16);
	struct cv_selection out;

	(void)state;
	assert_int_equal(cv_selection_from_words(a, words, 6, &out), 0);
	assert_int_equal(out.env_n, 1);
	assert_string_equal(out.envs[0], "/e");
	assert_false(out.all_envs);
	assert_null(out.python);
	cv_arena_free(a);
}

static void test_engine_options_of_an_older_release_are_short(void **state)
{
	struct cv_options opt = { .size = offsetof(struct cv_options, all_envs), .root = "/r", .all_envs = true, .exit_zero = true };
	struct cv_run run;

	(void)state;
	assert_int_equal(cv_run_init(&run, &opt), 0);
	assert_string_equal(run.opt.root, "/r");
	assert_false(run.opt.all_envs);
	assert_false(run.opt.exit_zero);
	cv_arena_free(run.arena);
	opt.size = 0;
	assert_int_equal(cv_run_init(&run, &opt), CV_EINVAL);
	assert_int_equal(cv_run_init(&run, NULL), CV_EINVAL);
}

static void test_engine_failure_names_the_object_and_leaves_the_document(void **state)
{
	struct heard h = { .n = 0 };
	struct cv_options opt = { .size = sizeof(opt), .root = "/nonexistent/\033[31m", .notice = hear, .cookie = &h };
	struct cv_doc *doc = (struct cv_doc *)&h;

	(void)state;
	assert_true(cv_check(&opt, &doc) < 0);
	assert_ptr_equal(doc, &h);
	assert_true(h.n >= 1);
	assert_non_null(strstr(h.text, "/nonexistent/[31m"));
	opt.notice = NULL;
	assert_true(cv_check(&opt, &doc) < 0);
}

static void test_engine_kb_directory_is_looked_for(void **state)
{
	struct heard h = { .n = 0 };
	struct cv_options opt = { .size = sizeof(opt), .kb_dir = "nonexistent-kb", .cwd = "/tmp", .notice = hear, .cookie = &h };
	const char *words[] = { "torch" };
	struct cv_doc *doc;

	(void)state;
	assert_true(cv_kb_query(&opt, words, 1, &doc) < 0);
	assert_non_null(strstr(h.text, "/tmp/nonexistent-kb"));
}

static void test_engine_judges_an_empty_tree(void **state)
{
	struct cv_options opt = { .size = sizeof(opt), .root = tree_of(state) };
	size_t terminal = 0, json = 0, facts = 0;
	struct cv_doc *doc;

	assert_int_equal(cv_check(&opt, &doc), 0);
	assert_int_equal(cv_doc_write(doc, &(struct cv_style){ .format = CV_FORMAT_TERMINAL }, count_bytes, &terminal), 0);
	assert_int_equal(cv_doc_write(doc, &(struct cv_style){ .format = CV_FORMAT_JSON }, count_bytes, &json), 0);
	assert_int_equal(cv_doc_write(doc, &(struct cv_style){ .format = CV_FORMAT_FACTS }, count_bytes, &facts), 0);
	assert_true(terminal > 0 && json > 0 && facts > 0);
	assert_int_equal(cv_doc_write(doc, &(struct cv_style){ .format = CV_FORMAT_JSON }, refuse, NULL), CV_EIO);
	assert_int_equal(cv_doc_write(doc, &(struct cv_style){ .format = (enum cv_format)99 }, refuse, NULL), CV_EINVAL);
	assert_true(cv_doc_verdict_line(doc)[0] != '\0');
	assert_null(cv_doc_finding_id(doc, cv_doc_finding_count(doc)));
	assert_null(cv_doc_finding_title(doc, cv_doc_finding_count(doc)));
	opt.exit_zero = true;
	assert_int_equal(cv_doc_status(doc, &opt), CV_STATUS_OK);
	cv_doc_free(doc);
	cv_doc_free(NULL);
}

static void test_engine_set_needs_a_name(void **state)
{
	static const char *const bad[] = { "=x" };
	struct heard h = { .n = 0 };
	struct cv_options opt = { .size = sizeof(opt), .root = tree_of(state), .set = bad, .set_n = 1, .notice = hear, .cookie = &h };
	struct cv_doc *doc;

	assert_int_equal(cv_check(&opt, &doc), CV_EINVAL);
	assert_non_null(strstr(h.text, "=x"));
}

static void test_engine_rules_and_kb_have_no_facts(void **state)
{
	struct cv_options opt = { .size = sizeof(opt) };
	const char *words[] = { "torch", "2.9" };
	struct cv_doc *doc;
	size_t n = 0;

	(void)state;
	assert_int_equal(cv_rule_page(&opt, NULL, &doc), 0);
	assert_int_equal(cv_doc_status(doc, &opt), CV_STATUS_OK);
	assert_int_equal(cv_doc_write(doc, &(struct cv_style){ .format = CV_FORMAT_FACTS }, count_bytes, &n), CV_ENOTSUP);
	assert_int_equal(n, 0);
	assert_int_equal(cv_doc_finding_count(doc), 0);
	cv_doc_free(doc);
	assert_int_equal(cv_rule_page(&opt, "no-such-rule", &doc), 0);
	assert_int_equal(cv_doc_status(doc, &opt), CV_STATUS_CANNOT_TELL);
	cv_doc_free(doc);
	assert_int_equal(cv_kb_query(&opt, words, 2, &doc), 0);
	assert_int_equal(cv_doc_status(doc, &opt), CV_STATUS_OK);
	assert_int_equal(cv_doc_write(doc, &(struct cv_style){ .format = CV_FORMAT_TERMINAL }, count_bytes, &n), 0);
	assert_true(n > 0);
	cv_doc_free(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_engine_selection_survives_the_record),
		cmocka_unit_test(test_engine_selection_passes_over_unknown_words),
		cmocka_unit_test(test_engine_options_of_an_older_release_are_short),
		cmocka_unit_test(test_engine_failure_names_the_object_and_leaves_the_document),
		cmocka_unit_test(test_engine_kb_directory_is_looked_for),
		cmocka_unit_test(test_engine_judges_an_empty_tree),
		cmocka_unit_test(test_engine_set_needs_a_name),
		cmocka_unit_test(test_engine_rules_and_kb_have_no_facts),
	};

	return cmocka_run_group_tests(tests, make_empty_tree, remove_tree);
}
