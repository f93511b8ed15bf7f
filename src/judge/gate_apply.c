/* SPDX-License-Identifier: Apache-2.0 */
/* Effects of fixes on facts: frameworks and single facts. Packages and drivers have files of their own. */
#include "judge/gate_int.h"

#include <stdarg.h>

#include "base/version.h"
#include "judge/cells.h"

struct cv_prov cv__gate_prov(void)
{
	return (struct cv_prov){ .collector = "fix", .offset = -1 };
}

void cv__gate_stop(struct cv_gate_run *r, const char *fmt, ...)
{
	va_list ap;

	if (r->untried)
		return;
	va_start(ap, fmt);
	r->untried = cv_arena_vprintf(r->a, fmt, ap);
	va_end(ap);
}

/* --- frameworks --- */

const char *cv__gate_torch_cuda(struct cv_gate_run *r, const char *version, const char **ret_variant)
{
	const char *local = cv_ver_local(r->a, version), *dflt;
	struct cv_str s = cv_str_of(local ? local : "");
	uint64_t n;

	*ret_variant = local;
	if (cv_str_eat(&s, "cu") && cv_str_u64(s, &n) && n >= 60 && n < 10000)
		return cv_arena_printf(r->a, "%u.%u", (unsigned)(n / 10), (unsigned)(n % 10));
	if (local)
		return NULL;
	dflt = cv_kb_value(r->kb, "torch", version, "default_cuda");
	if (!dflt)
		cv__gate_stop(r, "the knowledge base does not say what CUDA torch %s is built with", version);
	if (!dflt || cv_ver_part(dflt, 0) < 0)
		return NULL;
	*ret_variant = cv_arena_printf(r->a, "cu%lld%lld", (long long)cv_ver_part(dflt, 0), (long long)cv_ver_part(dflt, 1));
	return dflt;
}

struct build {
	const char *cuda, *cudnn, *lib; /* lib: below its import directory */
	const char *needs;		/* SONAMEs, NULL: not known */
};

/* The libraries of torch's and TensorFlow's wheels come with them, as what they require: nothing is needed from elsewhere. */
static struct build torch_build(struct cv_gate_run *r, const char *version)
{
	const char *variant = NULL, *cuda = cv__gate_torch_cuda(r, version, &variant);

	if (!cuda)
		return (struct build){ 0 };
	return (struct build){ .cuda = cuda,
			       .cudnn = cv_kb_value(r->kb, "torch", cv_ver_public(r->a, version),
						    cv_arena_printf(r->a, "cudnn:%s", variant)),
			       .lib = "lib/libtorch_cuda.so",
			       .needs = "" };
}

static struct build ort_build(struct cv_gate_run *r, const char *dist, const char *version)
{
	const char *major = cv_kb_value(r->kb, dist, version, "cuda"), *built = cv_kb_value(r->kb, dist, version, "built_cuda");

	if (cv_streq(dist, "onnxruntime"))
		return (struct build){ 0 };
	if (!major)
		cv__gate_stop(r, "the knowledge base does not say what CUDA %s %s is built for", dist, version);
	return (struct build){ .cuda = built ? built : major,
			       .lib = "capi/libonnxruntime_providers_cuda.so",
			       .needs = cv_kb_value(r->kb, dist, version, "needs") };
}

static struct build other_build(struct cv_gate_run *r, const char *framework, const char *version, const char *extras)
{
	const char *cuda;

	if (cv_streq(framework, "jax")) {
		cuda = extras && cv_starts(extras, "cuda") ? cv_arena_memdup(r->a, extras + 4, strcspn(extras + 4, "_,")) : NULL;
		return (struct build){ .cuda = cuda, .lib = cuda ? "../jax_plugins/xla_cuda_plugin.so" : NULL, .needs = "" };
	}
	cuda = cv_kb_value(r->kb, framework, version, "cuda");
	if (!cv_streq(framework, "tensorflow") || !cuda)
		cv__gate_stop(r, "the knowledge base does not say what CUDA %s %s is built with", framework, version);
	return (struct build){ .cuda = cuda, .lib = "libtensorflow_framework.so.2", .needs = extras ? "" : NULL };
}

static void put_build(struct cv_gate_run *r, struct cv_subject *s, const struct build *b, const char *dir)
{
	struct cv_str rest = cv_str_of(b->needs ? b->needs : ""), word;
	struct cv_strv needs = { 0 };
	const char *lib = b->lib ? cv_path_clean(r->a, cv_path_join(r->a, dir, b->lib)) : NULL;

	while (cv_str_word(&rest, &word))
		cv_strv_push(r->a, &needs, cv_str_dup(r->a, word));
	cv__gate_str(r, s, CV_F_framework_cuda, b->cuda);
	cv__gate_str(r, s, CV_F_framework_cudnn, b->cudnn);
	cv__gate_str(r, s, CV_F_framework_hip, NULL);
	cv__gate_str(r, s, CV_F_framework_gpu_lib, lib);
	if (!lib)
		return;
	/* Code of a file that is not there yet is what kb lists of the wheel. */
	cv_facts_remove(r->copy, CV_KIND_code, lib);
	if (b->needs)
		cv_facts_list(r->copy, s, CV_F_framework_gpu_needed, &needs, cv__gate_prov());
	else
		cv_facts_state(r->copy, s, CV_F_framework_gpu_needed, CV_UNPARSED, "the knowledge base does not list it",
			       cv__gate_prov());
}

static const char *joined(struct cv_gate_run *r, const struct cv_strv *list)
{
	const char *text = "";

	for (size_t i = 0; i < list->n; i++)
		text = cv_arena_printf(r->a, "%s %s", text, list->v[i]);
	return text;
}

void cv__gate_framework(struct cv_gate_run *r, const char *framework, const char *dist, const char *version, const char *extras)
{
	const char *key = cv_arena_printf(r->a, "%s|%s", r->env->path, framework), *public = cv_ver_public(r->a, version);
	const struct cv_subject *had = cv_facts_find(r->facts, CV_KIND_framework, key);
	const char *old = cv_fact_str(had, CV_F_framework_path), *was = cv_fact_str(had, CV_F_framework_version);
	const char *dir = old && cv_path_below(old, r->env->path) ? old : cv_path_join(r->a, r->site, framework);
	struct cv_strv owner = { 0 };
	struct cv_subject *s;
	struct build b;

	b = cv_streq(framework, "torch")	 ? torch_build(r, version)
	    : cv_streq(framework, "onnxruntime") ? ort_build(r, dist, public)
						 : other_build(r, framework, public, extras);
	if (r->untried)
		return;
	/* Where kb is silent, what the files of the same release said before still holds. */
	if (!b.needs && b.lib && was && cv_streq(was, version) && cv_fact_known(had, CV_F_framework_gpu_needed))
		b.needs = joined(r, cv_fact_list(had, CV_F_framework_gpu_needed));
	cv_strv_push(r->a, &owner, dist);
	cv_facts_remove(r->copy, CV_KIND_framework, key);
	s = cv_facts_add(r->copy, CV_KIND_framework, key);
	cv__gate_str(r, s, CV_F_framework_env, r->env->path);
	cv__gate_str(r, s, CV_F_framework_name, framework);
	cv__gate_str(r, s, CV_F_framework_path, dir);
	cv__gate_str(r, s, CV_F_framework_version, version);
	cv__gate_str(r, s, CV_F_framework_package, dist);
	cv_facts_list(r->copy, s, CV_F_framework_claimed_by, &owner, cv__gate_prov());
	cv_facts_list(r->copy, s, CV_F_framework_native_of, &owner, cv__gate_prov());
	put_build(r, s, &b, dir);
}

/* --- one by one --- */

static void apply_fact(struct cv_gate_run *r, const struct cv_effect *e)
{
	struct cv_subject *s = cv_facts_add(r->copy, e->subject, e->name);

	if (!e->value)
		cv__gate_str(r, s, e->field, NULL);
	else if (cv_field_table[e->field].type == CV_TYPE_BOOL)
		cv__gate_bool(r, s, e->field, cv_streq(e->value, "yes"));
	else if (cv_field_table[e->field].type == CV_TYPE_STR)
		cv__gate_str(r, s, e->field, e->value);
	else
		cv__gate_stop(r, "what it changes is not among the facts");
}

static void apply(struct cv_gate_run *r, const struct cv_effect *e)
{
	switch (e->kind) {
	case CV_EFFECT_INSTALL:
	case CV_EFFECT_UNINSTALL:
		cv__gate_env(r, e->env);
		if (!r->untried && e->kind == CV_EFFECT_INSTALL)
			cv__gate_install(r, e);
		else if (!r->untried)
			cv__gate_uninstall(r, e->name);
		break;
	case CV_EFFECT_DRIVER:
		cv__gate_driver(r, e->spec);
		break;
	case CV_EFFECT_LOAD:
		cv__gate_load(r);
		break;
	case CV_EFFECT_FACT:
		apply_fact(r, e);
		break;
	case CV_EFFECT_REMOVE:
		cv_facts_remove(r->copy, e->subject, e->name);
		break;
	}
}

const char *cv__gate_apply(struct cv_gate_run *r, const struct cv_fix *x)
{
	for (size_t i = 0; i < x->effects.n && !r->untried; i++)
		apply(r, &x->effects.v[i]);
	return r->untried;
}
