/* SPDX-License-Identifier: Apache-2.0 */
/* Facts as JSON: {"schema": N, "KIND": [{"key", "FIELD": [{"value"|"state", "reason"?, "by", "from"?, "line"?, "offset"?}]}]}. */
#include "facts/facts.h"

static void write_value(struct cv_json *j, enum cv_field id, const struct cv_value *v)
{
	cv_json_key(j, v->state == CV_KNOWN ? "value" : "state");
	if (v->state != CV_KNOWN) {
		cv_json_str(j, cv_state_name(v->state));
		if (v->str)
			cv_json_kstr(j, "reason", v->str);
		return;
	}
	switch (cv_field_table[id].type) {
	case CV_TYPE_STR:
		cv_json_str(j, v->str);
		break;
	case CV_TYPE_INT:
		cv_json_uint(j, v->num);
		break;
	case CV_TYPE_BOOL:
		cv_json_bool(j, v->num != 0);
		break;
	case CV_TYPE_LIST:
		cv_json_arr(j);
		for (size_t i = 0; v->list && i < v->list->n; i++)
			cv_json_str(j, v->list->v[i]);
		cv_json_end_arr(j);
		break;
	}
}

static void write_field(struct cv_json *j, enum cv_field id, const struct cv_value *first)
{
	cv_json_karr(j, cv_field_table[id].name);
	for (const struct cv_value *v = first; v; v = v->next) {
		cv_json_obj(j);
		write_value(j, id, v);
		if (v->prov.collector)
			cv_json_kstr(j, "by", v->prov.collector);
		if (v->prov.path)
			cv_json_kstr(j, "from", v->prov.path);
		if (v->prov.line > 0)
			cv_json_kuint(j, "line", (uint64_t)v->prov.line);
		if (v->prov.offset >= 0)
			cv_json_kuint(j, "offset", (uint64_t)v->prov.offset);
		cv_json_end_obj(j);
	}
	cv_json_end_arr(j);
}

static void write_subject(struct cv_json *j, const struct cv_subject *s)
{
	cv_json_obj(j);
	cv_json_kstr(j, "key", cv_subject_key(s));
	for (unsigned id = 0; id < CV_FIELD_COUNT; id++) {
		const struct cv_value *v;

		if (cv_field_table[id].kind != cv_subject_kind(s))
			continue;
		v = cv_fact(s, (enum cv_field)id);
		if (v->prov.collector || v->state != CV_NOT_ASKED)
			write_field(j, (enum cv_field)id, v);
	}
	cv_json_end_obj(j);
}

void cv_facts_to_json(const struct cv_facts *f, struct cv_json *j)
{
	cv_json_obj(j);
	cv_json_kuint(j, "schema", CV_FACTS_SCHEMA);
	for (unsigned k = 0; k < CV_KIND_COUNT; k++) {
		size_t n = cv_facts_count(f, (enum cv_kind)k);

		cv_json_karr(j, cv_kind_names[k]);
		for (size_t i = 0; i < n; i++)
			write_subject(j, cv_facts_at(f, (enum cv_kind)k, i));
		cv_json_end_arr(j);
	}
	cv_json_end_obj(j);
}
