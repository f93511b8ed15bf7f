/* SPDX-License-Identifier: Apache-2.0 */
/* The order of things: candidates, rules, findings of check, ranking, sentences. */
#include "judge/hypo.h"

#include <stdlib.h>

#include "judge/hypo_int.h"

#define SHOWN_MAX 6
#define SHOWN_MIN_SCORE 20
#define SAME_BEGINNING 16 /* bytes: two sentences that say the same */
#define LIKELY_SCORE 60
#define CONFIRMED_SCORE 120
#define BESIDE_SCORE 56
#define BEHIND_MAX 45 /* what lies further behind the first is noise */

struct cv_hyp *cv_hyp_of(struct cv_hypo_ctx *x, const char *id)
{
	for (size_t i = 0; i < x->hyps.n; i++)
		if (cv_streq(x->hyps.v[i].id, id))
			return &x->hyps.v[i];
	return &x->hyps.v[0];
}

void cv_hyp_support(struct cv_hyp *h, int score)
{
	h->score += score;
}

void cv_hyp_at_least(struct cv_hyp *h, int score)
{
	if (h->score < score)
		h->score = score;
}

void cv_hyp_confirm(struct cv_hyp *h, int score)
{
	h->confirmed = true;
	cv_hyp_at_least(h, CONFIRMED_SCORE + score);
}

void cv_hyp_refute(struct cv_hyp *h)
{
	h->refuted = true;
}

void cv_hyp_set(struct cv_hypo_ctx *x, struct cv_hyp *h, const char *name, const char *value)
{
	if (value && *value && !cv_map_get(&h->vars, name))
		cv_map_set(x->a, &h->vars, name, (void *)value);
}

void cv_hyp_quote(struct cv_hypo_ctx *x, struct cv_hyp *h, const struct cv_subject *hit)
{
	const struct cv_value *v = cv_fact(hit, CV_F_hit_text);
	struct cv_quote *q;

	for (size_t i = 0; i < h->evidence.n; i++)
		if (h->evidence.v[i].line == (unsigned)v->prov.line && h->evidence.v[i].file && v->prov.path &&
		    cv_streq(h->evidence.v[i].file, v->prov.path))
			return;
	if (v->state == CV_KNOWN && h->evidence.n < 8 && (q = CV_VEC_PUSH(x->a, &h->evidence)))
		*q = (struct cv_quote){ v->prov.path, (unsigned)v->prov.line, v->str };
}

void cv_hyp_fact(struct cv_hypo_ctx *x, struct cv_hyp *h, const struct cv_subject *s, enum cv_field id)
{
	const struct cv_value *v = cv_fact(s, id);
	const struct cv_field_info *info = &cv_field_table[id];
	bool text = v->prov.collector && (cv_streq(v->prov.collector, "text") || cv_streq(v->prov.collector, "prose"));
	struct cv_quote *q;

	if (!s || v->state == CV_NOT_ASKED)
		return;
	h->by_prose |= v->prov.collector && cv_streq(v->prov.collector, "prose");
	if (h->evidence.n >= 12 || !(q = CV_VEC_PUSH(x->a, &h->evidence)))
		return;
	*q = (struct cv_quote){ text ? v->prov.path : NULL, text ? (unsigned)v->prov.line : 0,
				cv_arena_printf(x->a, "%s %s: %s%s%s", cv_kind_names[info->kind], info->name, cv_value_text(x->a, id, v),
						text || !v->prov.path ? "" : ", ", text || !v->prov.path ? "" : v->prov.path) };
}

static void make_hyps(struct cv_hypo_ctx *x)
{
	struct cv_kb_iter it = cv_kb_iter(x->j.kb, "diagnosis:*", NULL, "title");
	struct cv_kb_row row;
	struct cv_hyp *h = CV_VEC_PUSH(x->a, &x->hyps);

	if (h)
		h->id = ""; /* swallows what is done to unknown ids */
	while (cv_kb_next(&it, &row)) {
		h = CV_VEC_PUSH(x->a, &x->hyps);
		if (h)
			h->id = row.subject + strlen("diagnosis:");
	}
}

static void add_captures(struct cv_hypo_ctx *x, struct cv_hyp *h, const struct cv_subject *hit)
{
	const struct cv_strv *list = cv_fact_list(hit, CV_F_hit_captures);

	for (size_t i = 0; i < list->n; i++) {
		const char *eq = strchr(list->v[i], '=');

		if (eq)
			cv_hyp_set(x, h, cv_arena_printf(x->a, "%.*s", (int)(eq - list->v[i]), list->v[i]), eq + 1);
	}
}

/* "{soname} belongs to CUDA 12": a note with the captures of this hit only. */
static void add_note(struct cv_hypo_ctx *x, struct cv_hyp *h, const struct cv_subject *hit, const char *message)
{
	const char *note = cv_kb_value(x->j.kb, cv_arena_printf(x->a, "message:%s", message), NULL, "note"), *text;
	struct cv_hyp own = { .id = "" };

	add_captures(x, &own, hit);
	if (note && cv_hypo_fill(x, &own, note, &text) && !cv_strv_has(&h->notes, text))
		cv_strv_push(x->a, &h->notes, text);
}

/* One word of a row of candidates: "id:weight". */
static void add_candidate(struct cv_hypo_ctx *x, const struct cv_subject *hit, const char *message, struct cv_str word)
{
	ptrdiff_t colon = cv_str_rchr(word, ':');
	struct cv_hyp *h;
	uint64_t weight;

	if (colon <= 0 || !cv_str_u64(cv_str_from(word, (size_t)colon + 1), &weight) || weight > 100)
		return;
	h = cv_hyp_of(x, cv_str_dup(x->a, cv_str_sub(word, 0, (size_t)colon)));
	if (!*h->id)
		return;
	if (h->score)
		h->score += h->messages < 4 ? 3 : 0;
	cv_hyp_at_least(h, (int)weight);
	h->messages++;
	add_captures(x, h, hit);
	add_note(x, h, hit, message);
	cv_hyp_quote(x, h, hit);
}

static void add_candidates(struct cv_hypo_ctx *x)
{
	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_hit); i++) {
		const struct cv_subject *hit = cv_facts_at(x->j.facts, CV_KIND_hit, i);
		const char *message = cv_fact_str(hit, CV_F_hit_message);
		const char *list = cv_kb_value(x->j.kb, cv_arena_printf(x->a, "message:%s", message), NULL, "candidates");
		struct cv_str rest = cv_str_of(list ? list : ""), word;

		while (cv_str_word(&rest, &word))
			add_candidate(x, hit, message, word);
	}
}

/* Rules of check that pasted facts can feed in full; the others ask for what only a machine can show. */
static const char *const trusted[] = {
	"companion-version-mismatch", "cpu-only-build", "cpu-package-shadows-gpu", "cuda-visible-devices", "driver-library-mismatch",
	"driver-too-old", "gpu-dropped-by-driver", "gpu-too-new-for-build", "gpu-too-old-for-build", "kernel-module-flavour",
	"mixed-cuda-wheels", "other-driver-holds-gpu", "ptx-newer-than-driver", "rocm-build", "secure-boot-blocks-driver",
};

static bool is_trusted(const char *id)
{
	for (size_t i = 0; i < sizeof(trusted) / sizeof(trusted[0]); i++)
		if (cv_streq(trusted[i], id))
			return true;
	return false;
}

static bool is_prose(const struct cv_subject *s, enum cv_field id)
{
	const struct cv_value *v = cv_fact(s, id);

	return v->state == CV_KNOWN && v->prov.collector && cv_streq(v->prov.collector, "prose");
}

/* A finding's evidence names fields; one of them told in prose makes the whole a guess. */
static bool rests_on_prose(const struct cv_hypo_ctx *x, const struct cv_finding *f)
{
	const struct cv_facts *facts = x->j.facts;

	for (size_t i = 0; i < f->evidence.n; i++) {
		const char *fact = f->evidence.v[i].fact;

		if (cv_starts(fact, "driver.") && is_prose(cv_facts_find(facts, CV_KIND_driver, ""), CV_F_driver_module_version))
			return true;
		for (size_t k = 0; cv_starts(fact, "gpu.") && k < cv_facts_count(facts, CV_KIND_gpu); k++)
			if (is_prose(cv_facts_at(facts, CV_KIND_gpu, k), CV_F_gpu_name))
				return true;
		for (size_t k = 0; (cv_starts(fact, "package.") || cv_starts(fact, "framework.")) && k < cv_facts_count(facts, CV_KIND_package); k++)
			if (is_prose(cv_facts_at(facts, CV_KIND_package, k), CV_F_package_version) &&
			    cv_streq(cv_value_text(x->a, CV_F_package_version, cv_fact(cv_facts_at(facts, CV_KIND_package, k), CV_F_package_version)),
				     f->evidence.v[i].value))
				return true;
	}
	return false;
}

static void quote_finding(struct cv_hypo_ctx *x, struct cv_hyp *h, const struct cv_finding *f)
{
	for (size_t i = 0; i < f->evidence.n && h->evidence.n < 12; i++) {
		const struct cv_evidence *e = &f->evidence.v[i];
		const char *colon = e->source ? strrchr(e->source, ':') : NULL;
		uint64_t line = 0;
		bool placed = colon && cv_str_u64(cv_str_of(colon + 1), &line) && line < 1u << 30;
		struct cv_quote *q;

		if (!e->source || !*e->source)
			continue; /* what nothing told is no evidence here */
		q = CV_VEC_PUSH(x->a, &h->evidence);
		if (q)
			*q = (struct cv_quote){ placed ? cv_arena_printf(x->a, "%.*s", (int)(colon - e->source), e->source) : NULL, (unsigned)line,
						cv_arena_printf(x->a, "%s: %s%s%s", e->fact, e->value ? e->value : "?", placed ? "" : ", ",
								placed || !e->source ? "" : e->source) };
	}
}

/* What check would say of these facts. */
static void add_findings(struct cv_hypo_ctx *x, const struct cv_report *r)
{
	bool works = cv_hypo_works(x);
	int best = 0;

	for (size_t i = 1; i < x->hyps.n; i++)
		best = x->hyps.v[i].score > best ? x->hyps.v[i].score : best;

	for (size_t i = 0; i < r->findings.n; i++) {
		const struct cv_finding *f = &r->findings.v[i];
		struct cv_hyp *h;

		if (f->severity < CV_WARNING || f->cause || !is_trusted(f->rule->id))
			continue;
		h = cv_hyp_of(x, f->rule->parent && cv_hyp_of(x, f->rule->id)->id[0] == '\0' ? f->rule->parent : f->rule->id);
		if (h->finding || (works && h->score == 0 && f->severity != CV_ERROR))
			continue;
		if (works && h->score == 0)
			continue; /* it runs: whatever the table says, it is no fault of this report */
		h->finding = f;
		quote_finding(x, h, f);
		h->by_prose |= rests_on_prose(x, f);
		if (h->by_prose)
			cv_hyp_at_least(h, h->score ? 75 : 55);
		else if (!h->score && best >= LIKELY_SCORE)
			cv_hyp_at_least(h, BESIDE_SCORE); /* the messages speak of something else */
		else if (f->severity == CV_ERROR || h->score)
			cv_hyp_confirm(h, h->score ? 30 : 10);
		else
			cv_hyp_at_least(h, 58);
	}
}

/* Of what is only possible, that comes first of which a message speaks: facts that stand about in a long text are many. */
static int by_score(const void *pa, const void *pb)
{
	const struct cv_hyp *a = *(const struct cv_hyp *const *)pa, *b = *(const struct cv_hyp *const *)pb;

	if (a->score < LIKELY_SCORE && b->score < LIKELY_SCORE && (a->messages == 0) != (b->messages == 0))
		return a->messages ? -1 : 1;
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return strcmp(a->id, b->id);
}

static const char *kb_text(struct cv_hypo_ctx *x, const char *id, const char *property)
{
	return cv_kb_value(x->j.kb, cv_arena_printf(x->a, "diagnosis:%s", id), NULL, property);
}

/* The first sentence that can be filled in. */
static const char *cause_of(struct cv_hypo_ctx *x, const struct cv_hyp *h)
{
	for (unsigned i = 1; i < 10; i++) {
		const char *text = kb_text(x, h->id, cv_arena_printf(x->a, "cause:%u", i)), *filled;

		if (!text)
			break;
		if (cv_hypo_fill(x, h, text, &filled))
			return filled;
	}
	return kb_text(x, h->id, "title");
}

static const char *why_of(struct cv_hypo_ctx *x, const struct cv_hyp *h)
{
	const char *general = kb_text(x, h->id, "why"), *text = "";

	if (h->finding && h->finding->why)
		text = h->finding->why;
	for (size_t i = 0; i < h->notes.n && i < 4; i++)
		text = cv_arena_printf(x->a, "%s%s%s.", text, *text ? " " : "", h->notes.v[i]);
	if (general && cv_hypo_fill(x, h, general, &general) && *general)
		text = cv_arena_printf(x->a, "%s%s%s", text, *text ? " " : "", general);
	return *text ? text : NULL;
}

static void add_fixes(struct cv_hypo_ctx *x, const struct cv_hyp *h, struct cv_diagnosis *d)
{
	struct cv_fix *fix;

	for (size_t i = 0; h->finding && i < h->finding->fixes.n; i++)
		if ((fix = CV_VEC_PUSH(x->a, &d->fixes)))
			*fix = h->finding->fixes.v[i];
	for (unsigned i = 1; i < 10; i++) {
		const char *text = kb_text(x, h->id, cv_arena_printf(x->a, "fix:%u", i)), *filled;

		if (!text)
			break;
		if (cv_hypo_fill(x, h, text, &filled) && (fix = CV_VEC_PUSH(x->a, &d->fixes)))
			*fix = (struct cv_fix){ .text = filled };
	}
}

/* The finding in its own words, unless the cause says the same with more in it. */
static const char *join_causes(struct cv_hypo_ctx *x, const struct cv_hyp *h)
{
	const char *cause = cause_of(x, h);

	if (h->finding && h->finding->title && strncmp(h->finding->title, cause, SAME_BEGINNING) != 0)
		return cv_arena_printf(x->a, "%s: %s", h->finding->title, cause);
	return cause;
}

static void add_diagnosis(struct cv_hypo_ctx *x, const struct cv_hyp *h, struct cv_explanation *e)
{
	struct cv_diagnosis *d = CV_VEC_PUSH(x->a, &e->diagnoses);
	const char *ask = kb_text(x, h->id, "ask"), *filled;

	if (!d)
		return;
	d->id = h->id;
	d->score = h->score;
	d->title = kb_text(x, h->id, "title");
	d->surety = h->confirmed && !h->by_prose && !cv_fact_true(x->j.w->machine, CV_F_machine_mixed) ? CV_CONFIRMED : h->score >= LIKELY_SCORE ? CV_LIKELY : CV_POSSIBLE;
	d->cause = join_causes(x, h);
	d->why = why_of(x, h);
	for (size_t i = 0; i < h->evidence.n; i++) {
		struct cv_quote *q = CV_VEC_PUSH(x->a, &d->evidence);

		if (q)
			*q = h->evidence.v[i];
	}
	add_fixes(x, h, d);
	if (ask && cv_hypo_fill(x, h, ask, &filled))
		cv_strv_push(x->a, &d->ask, filled);
}

static void rank(struct cv_hypo_ctx *x, struct cv_explanation *e)
{
	CV_VEC(const struct cv_hyp *) order = { 0 };
	int best = 0;

	for (size_t i = 1; i < x->hyps.n; i++) {
		const struct cv_hyp *h = &x->hyps.v[i];
		const struct cv_hyp **slot;

		if (!h->refuted && h->score >= SHOWN_MIN_SCORE && (slot = CV_VEC_PUSH(x->a, &order)))
			*slot = h;
	}
	if (!order.n)
		return;
	qsort(order.v, order.n, sizeof(*order.v), by_score);
	best = order.v[0]->score;
	for (size_t i = 0; i < order.n && e->diagnoses.n < SHOWN_MAX; i++)
		if (order.v[i]->confirmed || best - order.v[i]->score <= BEHIND_MAX || (i < 3 && order.v[i]->score >= 40))
			add_diagnosis(x, order.v[i], e);
}

static void say_nothing(struct cv_hypo_ctx *x, struct cv_explanation *e)
{
	size_t hits = cv_facts_count(x->j.facts, CV_KIND_hit), packages = cv_facts_count(x->j.facts, CV_KIND_package);
	bool driver = cv_fact_known(cv_facts_find(x->j.facts, CV_KIND_driver, ""), CV_F_driver_module_version);
	const char *xids = cv_hypo_xids(x);

	e->healthy = (cv_hypo_works(x) && !xids) || (driver && !hits && !e->diagnoses.n && packages);
	if (e->diagnoses.n || e->healthy)
		return;
	if (xids)
		e->cannot_tell = cv_arena_printf(x->a, "the kernel log reports a fault that names no configuration. %s", xids);
	else if (hits || packages || driver)
		e->cannot_tell = cv_arena_printf(x->a,
						 "recognised %zu message%s, %zu package%s%s; nothing in it shows a fault. What would help: the full error text, "
						 "and the output of `python -m torch.utils.collect_env` and `nvidia-smi`",
						 hits, hits == 1 ? "" : "s", packages, packages == 1 ? "" : "s", driver ? " and the driver" : "");
	else
		e->cannot_tell = "nothing in this text was recognised. What would help: the full error text, and the output of "
				 "`python -m torch.utils.collect_env` and `nvidia-smi`";
}

int cv_hypo(const struct cv_facts *facts, const struct cv_kb *kb, struct cv_arena *a, const struct cv_explanation **ret)
{
	struct cv_explanation *e = CV_NEW(a, struct cv_explanation);
	struct cv_hypo_ctx x = { .a = a, .j = { .facts = facts, .kb = kb, .a = a } };
	const struct cv_report *report;
	int err = cv_judge(facts, kb, a, &report);

	if (err)
		return err;
	x.j.w = cv_world_new(facts, kb, a);
	x.j.report = CV_NEW(a, struct cv_report);
	make_hyps(&x);
	if (!e || !x.j.w || !x.j.report || !x.hyps.n || cv_arena_failed(a))
		return CV_ENOMEM;
	cv_hypo_digest(&x);
	cv_hypo_wants(&x);
	add_candidates(&x);
	add_findings(&x, report);
	for (const struct cv_hyp_rule *r = cv_hyp_rules; r->id; r++)
		r->eval(&x, cv_hyp_of(&x, r->id));
	rank(&x, e);
	say_nothing(&x, e);
	if (cv_arena_failed(a))
		return CV_ENOMEM;
	*ret = e;
	return 0;
}
