/* SPDX-License-Identifier: Apache-2.0 */
/* The document cuvet/rule/1: a rule with its page, or the catalogue. */
#include "report/answer.h"

#include "base/json.h"
#include "base/str.h"

#define SCRATCH_MAX ((size_t)64 << 20)

static void put_rule(struct cv_json *j, const struct cv_rule *rule)
{
	cv_json_obj(j);
	cv_json_kstr(j, "id", rule->id);
	if (rule->parent)
		cv_json_kstr(j, "parent", rule->parent);
	cv_json_kstr(j, "severity", cv_report_severity_word(rule->severity));
	cv_json_kstr(j, "title", rule->title);
	cv_json_end_obj(j);
}

int cv_report_rule_json(const struct cv_rule_answer *r, const struct cv_report_head *head, struct cv_buf *out)
{
	struct cv_json j;

	cv_json_init(&j, out, true);
	cv_json_obj(&j);
	cv_json_kstr(&j, "schema", head->schema);
	cv_json_kstr(&j, "cuvet", cv_version());
	cv_json_kstr(&j, "kb_date", head->kb_date);
	cv_json_kbool(&j, "found", !r->asked || r->rule);
	cv_json_karr(&j, "rules");
	if (r->rule)
		put_rule(&j, r->rule);
	for (size_t i = 0; !r->asked && i < cv_rule_count(); i++)
		put_rule(&j, cv_rule_at(i));
	cv_json_end_arr(&j);
	cv_json_kstr(&j, "page", r->page);
	cv_json_end_obj(&j);
	return out->err;
}

static void print_list(struct cv_term *t)
{
	struct cv_table tab;

	cv_table_init(&tab, t, 0, 3);
	tab.wraps[2] = true;
	for (size_t i = 0; i < cv_rule_count(); i++) {
		const struct cv_rule *rule = cv_rule_at(i);
		enum cv_ink ink = rule->severity == CV_ERROR ? CV_INK_ERROR : rule->severity == CV_WARNING ? CV_INK_WARNING : CV_INK_DIM;

		cv_table_add(&tab, CV_INK_BOLD, rule->id);
		cv_table_add(&tab, ink, cv_report_severity_word(rule->severity));
		cv_table_add(&tab, CV_INK_PLAIN, rule->title);
	}
	cv_table_print(&tab);
}

/* The page behind its own heading, which says the id and the title again. */
static const char *body_of(const char *page)
{
	const char *end = cv_starts(page, "# ") ? strchr(page, '\n') : NULL;

	if (!end)
		return page;
	while (*end == '\n')
		end++;
	return end;
}

static void print_one(struct cv_term *t, const struct cv_rule_answer *r)
{
	if (!r->rule) {
		cv_term_wrap(t, 2, CV_INK_PLAIN,
			     cv_arena_printf(t->scratch, "no rule is called %s; the catalogue lists all of them:", r->asked));
		cv_term_command(t, 2, "cuvet rule --list");
		return;
	}
	cv_term_put(t, CV_INK_BOLD, r->rule->id);
	cv_term_printf(t, CV_INK_DIM, "  %s%s%s", cv_report_severity_word(r->rule->severity), r->rule->parent ? ", a case of " : "",
		       r->rule->parent ? r->rule->parent : "");
	cv_term_nl(t);
	cv_term_to(t, 2);
	cv_term_wrap(t, 2, CV_INK_PLAIN, r->rule->title);
	if (r->page) {
		cv_term_nl(t);
		cv_markdown_print(t, body_of(r->page));
	}
}

int cv_report_rule_terminal(const struct cv_rule_answer *r, const struct cv_report_head *head, const struct cv_style *style,
			    struct cv_buf *out)
{
	struct cv_arena *scratch = cv_arena_new(SCRATCH_MAX);
	struct cv_term t;
	int err;

	(void)head;
	if (!scratch)
		return CV_ENOMEM;
	cv_term_init(&t, out, scratch, style);
	if (r->asked)
		print_one(&t, r);
	else
		print_list(&t);
	err = cv_arena_failed(scratch) ? CV_ENOMEM : out->err;
	cv_arena_free(scratch);
	return err;
}
