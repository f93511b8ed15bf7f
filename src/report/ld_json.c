/* SPDX-License-Identifier: Apache-2.0 */
/* The document cuvet/ld/1: the first file's map at the top, those of further files in "further". */
#include "report/ld.h"

#include "base/demangle.h"
#include "base/json.h"

const char *cv_ld_abi_flag(const char *symbol)
{
	return cv_cxx11_tagged(symbol) ? "_GLIBCXX_USE_CXX11_ABI=1" : "_GLIBCXX_USE_CXX11_ABI=0";
}

bool cv_report_ld_unknown(const struct cv_ld_map *map)
{
	if (!map->m)
		return true;
	for (size_t i = 0; i < map->m->troubles.n; i++)
		if (map->m->troubles.v[i].kind == CV_LM_T_UNREADABLE || map->m->troubles.v[i].kind == CV_LM_T_LIMIT)
			return true;
	return false;
}

bool cv_report_ld_bad(const struct cv_ld_map *map)
{
	if (!map->m)
		return false;
	if (map->scn)
		return map->failed != NULL;
	for (size_t i = 0; i < map->m->troubles.n; i++) {
		const struct cv_lm_trouble *t = &map->m->troubles.v[i];

		if (t->kind == CV_LM_T_MISSING || (t->fatal && t->kind != CV_LM_T_UNREADABLE && t->kind != CV_LM_T_LIMIT))
			return true;
	}
	return false;
}

bool cv_report_ld_passed(const struct cv_ld_map *map, size_t edge)
{
	for (size_t i = 0; map->scn && i < map->scn->events.n; i++) {
		const struct cv_scn_event *e = &map->scn->events.v[i];

		if (e->outcome == CV_SCN_PASSED && edge >= e->edge && edge < e->edge_end)
			return true;
	}
	return false;
}

static const char *object_path(const struct cv_loadmap *m, size_t i)
{
	return i == CV_LM_NONE || i >= m->objects.n ? NULL : m->objects.v[i].real ? m->objects.v[i].real : m->objects.v[i].path;
}

static void put_losers(struct cv_json *j, const struct cv_lm_edge *e)
{
	cv_json_karr(j, "losers");
	for (size_t i = 0; i < e->losers.n; i++) {
		cv_json_obj(j);
		cv_json_kstr(j, "path", e->losers.v[i].path);
		cv_json_kstr(j, "reason", cv_lm_reason_name(e->losers.v[i].reason));
		cv_json_end_obj(j);
	}
	cv_json_end_arr(j);
}

/* Each object once, with the request that loaded it; further requests for it are in "wanted_by". */
static void put_load(struct cv_json *j, const struct cv_loadmap *m, size_t i)
{
	const struct cv_lm_object *o = &m->objects.v[i];
	const struct cv_lm_edge *e = o->edge < m->edges.n ? &m->edges.v[o->edge] : NULL;

	cv_json_obj(j);
	cv_json_kstr(j, "soname", o->soname ? o->soname : e && e->mode != CV_LM_BY_EXEC ? e->name : NULL);
	cv_json_kstr(j, "name", e ? e->name : o->path);
	cv_json_kstr(j, "path", object_path(m, i));
	cv_json_kstr(j, "by", e ? object_path(m, e->by) : NULL);
	cv_json_kstr(j, "step", e ? cv_lm_step_name(e->step) : NULL);
	cv_json_kstr(j, "detail", e ? e->detail : NULL);
	cv_json_kstr(j, "mode", e ? cv_lm_mode_name(e->mode) : NULL);
	if (e) {
		put_losers(j, e);
	} else {
		cv_json_karr(j, "losers");
		cv_json_end_arr(j);
	}
	cv_json_end_obj(j);
}

static void put_missing(struct cv_json *j, const struct cv_ld_map *map)
{
	const struct cv_loadmap *m = map->m;

	cv_json_karr(j, "missing");
	for (size_t i = 0; i < m->edges.n; i++) {
		const struct cv_lm_edge *e = &m->edges.v[i];

		if (e->object != CV_LM_NONE || cv_report_ld_passed(map, i))
			continue;
		cv_json_obj(j);
		cv_json_kstr(j, "soname", e->name);
		cv_json_kstr(j, "by", object_path(m, e->by));
		cv_json_karr(j, "searched");
		for (size_t k = 0; k < e->searched.n; k++)
			cv_json_str(j, e->searched.v[k]);
		cv_json_end_arr(j);
		cv_json_kstr(j, "refused", e->refused);
		cv_json_kstr(j, "refusal", e->refusal);
		cv_json_end_obj(j);
	}
	cv_json_end_arr(j);
}

static void put_version_errors(struct cv_json *j, const struct cv_loadmap *m)
{
	cv_json_karr(j, "version_errors");
	for (size_t i = 0; i < m->troubles.n; i++) {
		const struct cv_lm_trouble *t = &m->troubles.v[i];

		if (t->kind != CV_LM_T_NO_VERSION)
			continue;
		cv_json_obj(j);
		cv_json_kstr(j, "object", object_path(m, t->object));
		cv_json_kstr(j, "needs", t->name);
		cv_json_kstr(j, "provider", object_path(m, t->provider));
		cv_json_kbool(j, "fatal", t->fatal);
		cv_json_kstr(j, "message", t->message);
		cv_json_end_obj(j);
	}
	cv_json_end_arr(j);
}

static void put_other_abi(struct cv_json *j, const struct cv_loadmap *m, const struct cv_lm_trouble *t)
{
	if (!t->other_abi) {
		cv_json_knull(j, "other_abi");
		return;
	}
	cv_json_kobj(j, "other_abi");
	cv_json_kstr(j, "provider", object_path(m, t->provider));
	cv_json_kstr(j, "symbol", t->other_abi);
	cv_json_kstr(j, "built_with", cv_ld_abi_flag(t->other_abi));
	cv_json_end_obj(j);
}

static void put_undefined(struct cv_json *j, const struct cv_ld *r, const struct cv_loadmap *m)
{
	if (!r->symbols) {
		cv_json_knull(j, "undefined");
		return;
	}
	cv_json_karr(j, "undefined");
	for (size_t i = 0; i < m->troubles.n; i++) {
		const struct cv_lm_trouble *t = &m->troubles.v[i];

		if (t->kind != CV_LM_T_UNDEFINED)
			continue;
		cv_json_obj(j);
		cv_json_kstr(j, "object", object_path(m, t->object));
		cv_json_kstr(j, "symbol", t->name);
		cv_json_kstr(j, "demangled", t->demangled);
		cv_json_kbool(j, "fatal", t->fatal);
		put_other_abi(j, m, t);
		cv_json_end_obj(j);
	}
	cv_json_end_arr(j);
}

static bool has_own_list(enum cv_lm_trouble_kind kind)
{
	return kind == CV_LM_T_MISSING || kind == CV_LM_T_NO_VERSION || kind == CV_LM_T_UNDEFINED;
}

static void put_other(struct cv_json *j, const struct cv_loadmap *m)
{
	cv_json_karr(j, "other");
	for (size_t i = 0; i < m->troubles.n; i++) {
		const struct cv_lm_trouble *t = &m->troubles.v[i];

		if (has_own_list(t->kind))
			continue;
		cv_json_obj(j);
		cv_json_kstr(j, "kind", cv_lm_trouble_name(t->kind));
		cv_json_kstr(j, "object", object_path(m, t->object));
		cv_json_kbool(j, "fatal", t->fatal);
		cv_json_kstr(j, "message", t->message);
		cv_json_end_obj(j);
	}
	cv_json_end_arr(j);
}

/* What a Python program did, step by step; null for a file. */
static void put_steps(struct cv_json *j, const struct cv_ld_map *map)
{
	if (!map->scn) {
		cv_json_knull(j, "steps");
		return;
	}
	cv_json_karr(j, "steps");
	for (size_t i = 0; i < map->scn->events.n; i++) {
		const struct cv_scn_event *e = &map->scn->events.v[i];

		cv_json_obj(j);
		cv_json_kstr(j, "scenario", e->scenario);
		cv_json_kuint(j, "step", e->seq);
		cv_json_kstr(j, "text", e->text);
		cv_json_kstr(j, "outcome", cv_scn_outcome_name(e->outcome));
		cv_json_kstr(j, "message", e->message);
		cv_json_end_obj(j);
	}
	cv_json_end_arr(j);
}

static void put_map(struct cv_json *j, const struct cv_ld *r, const struct cv_ld_map *map)
{
	const struct cv_loadmap *m = map->m;

	cv_json_kstr(j, "scenario", map->asked);
	cv_json_kstr(j, "error", map->error);
	put_steps(j, map);
	cv_json_kstr(j, "libc", m ? m->libc : NULL);
	cv_json_kstr(j, "glibc", m ? m->glibc : NULL);
	cv_json_kstr(j, "interp", m ? m->interp : NULL);
	cv_json_karr(j, "loads");
	for (size_t i = 0; m && i < m->objects.n; i++)
		if (!m->objects.v[i].unloaded)
			put_load(j, m, i);
	cv_json_end_arr(j);
	if (!m)
		return;
	put_missing(j, map);
	put_version_errors(j, m);
	put_undefined(j, r, m);
	put_other(j, m);
}

int cv_report_ld_json(const struct cv_ld *r, const struct cv_report_head *head, struct cv_buf *out)
{
	struct cv_json j;

	cv_json_init(&j, out, true);
	cv_json_obj(&j);
	cv_json_kstr(&j, "schema", head->schema);
	cv_json_kstr(&j, "cuvet", cv_version());
	cv_json_kstr(&j, "kb_date", head->kb_date);
	put_map(&j, r, &r->maps.v[0]);
	cv_json_karr(&j, "further");
	for (size_t i = 1; i < r->maps.n; i++) {
		cv_json_obj(&j);
		put_map(&j, r, &r->maps.v[i]);
		cv_json_end_obj(&j);
	}
	cv_json_end_arr(&j);
	cv_json_end_obj(&j);
	return out->err;
}
