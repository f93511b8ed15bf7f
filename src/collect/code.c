/* SPDX-License-Identifier: Apache-2.0 */
/* GPU code of the libraries on which the workloads of the selected environments rest: the frameworks' own, and cuDNN's. */
#include "base/map.h"
#include "collect/registry.h"
#include "collect/see.h"
#include "gpucode/codetext.h"

static void put_place(struct cv_collect_ctx *c, struct cv_subject *s, enum cv_field id, const struct cv_code_place *place,
		      struct cv_prov p)
{
	struct cv_strv texts = { 0 };

	if (cv_codetext_write(place, c->scratch, &texts))
		cv_facts_list(c->facts, s, id, &texts, p);
}

static void put_code(struct cv_collect_ctx *c, struct cv_subject *s, const struct cv_gpucode *g, struct cv_prov p)
{
	cv_facts_int(c->facts, s, CV_F_code_containers, g->own.containers, p);
	cv_facts_int(c->facts, s, CV_F_code_damaged, g->damaged, p);
	put_place(c, s, CV_F_code_sets, &g->own, p);
	if (!g->looked_elsewhere)
		return;
	cv_facts_int(c->facts, s, CV_F_code_elsewhere, g->elsewhere.containers, p);
	put_place(c, s, CV_F_code_elsewhere_sets, &g->elsewhere, p);
}

static void see_code(struct cv_collect_ctx *c, const char *path)
{
	struct cv_prov p = cv_see_prov("code", path, 0);
	struct cv_gpucode g;
	struct cv_subject *s;
	struct cv_src *src;
	int err;

	if (cv_facts_find(c->facts, CV_KIND_code, path))
		return;
	s = cv_facts_add(c->facts, CV_KIND_code, path);
	err = cv_view_open(c->view, path, &src);
	if (!err) {
		err = cv_gpucode_read(src, CV_GPUCODE_SECTIONS, c->scratch, c->diag, &g);
		cv_src_close(src);
	}
	if (err)
		cv_see_fail(c, s, CV_F_code_containers, err, p);
	else
		put_code(c, s, &g, p);
}

/* Is it one of the libraries that kb names for a workload? */
static bool is_anchor(const struct cv_collect_ctx *c, const char *soname)
{
	struct cv_kb_iter it = cv_kb_iter(c->kb, "workload:*", NULL, "anchor");
	struct cv_kb_row row;

	while (soname && cv_kb_next(&it, &row))
		if (cv_kb_has_word(row.value, soname))
			return true;
	return false;
}

static void run(struct cv_collect_ctx *c)
{
	for (size_t i = 0; i < cv_facts_count(c->facts, CV_KIND_framework); i++) {
		const char *path = cv_fact_str(cv_facts_at(c->facts, CV_KIND_framework, i), CV_F_framework_gpu_lib);

		if (path)
			see_code(c, path);
	}
	for (size_t i = 0; i < cv_facts_count(c->facts, CV_KIND_lib); i++) {
		const struct cv_subject *s = cv_facts_at(c->facts, CV_KIND_lib, i);

		if (is_anchor(c, cv_fact_str(s, CV_F_lib_soname)))
			see_code(c, cv_subject_key(s));
	}
}

const struct cv_collector cv_collector_code = {
	.name = "code",
	.doc = "GPU code of the frameworks' libraries and of cuDNN",
	.run = run,
};
