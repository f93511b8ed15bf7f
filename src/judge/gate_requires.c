/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a release brings along: its requirements by kb, exactly where kb lists them, otherwise as far as the libraries of one CUDA
 * major are alike. Where neither is known the trial ends.
 */
#include "judge/gate_int.h"

#include "base/version.h"
#include "judge/effect.h"

/* Are the wheels behind a line of requirements listed? */
static bool toolkit_listed(struct cv_gate_run *r, const char *pins)
{
	struct cv_str rest = cv_str_of(pins), word;

	while (cv_str_word(&rest, &word)) {
		struct cv_effect e = { 0 };

		if (!cv_str_starts(word, "cuda-toolkit"))
			continue;
		cv_effect_of_spec(r->a, cv_str_dup(r->a, word), &e);
		return cv__gate_exact(e.spec) && cv_kb_value(r->kb, "package:cuda-toolkit", cv__gate_exact(e.spec), "pins");
	}
	return true;
}

/* CUDA wheels of some torch of this CUDA major: the majors of libraries stay within one. */
static const char *pins_of_major(struct cv_gate_run *r, int64_t cuda)
{
	struct cv_kb_iter it = cv_kb_iter(r->kb, "torch", NULL, "pins:*");
	struct cv_kb_row row;
	const char *words = NULL;

	while (cv_kb_next(&it, &row)) {
		uint64_t n;

		if (cv_str_u64(cv_str_of(row.property + strlen("pins:cu")), &n) && (int64_t)(n / 10) == cuda &&
		    toolkit_listed(r, row.value))
			words = row.value;
	}
	return words;
}

/* Of a wheel that is taken in any version: what its kind has for this CUDA major. cuDNN's major is its own. */
const char *cv__gate_usual_version(struct cv_gate_run *r, const char *name)
{
	const char *kb = cv_kb_value(r->kb, cv_arena_printf(r->a, "package:%s", name), NULL, "cuda"), *pins;
	int64_t cuda = kb ? cv_ver_part(kb, 0) : 0;
	struct cv_str rest, word;

	pins = cuda > 0 && !cv_starts(name, "nvidia-cudnn") ? pins_of_major(r, cuda) : NULL;
	for (rest = cv_str_of(pins ? pins : ""); cv_str_word(&rest, &word);) {
		struct cv_effect e = { 0 };

		cv_effect_of_spec(r->a, cv_str_dup(r->a, word), &e);
		if (cv_streq(e.name, "cuda-toolkit") && cv__gate_exact(e.spec)) {
			rest = cv_str_of(cv_kb_value(r->kb, "package:cuda-toolkit", cv__gate_exact(e.spec), "pins"));
			continue;
		}
		if (cv_streq(e.name, name) && cv__gate_exact(e.spec))
			return cv__gate_exact(e.spec);
	}
	return NULL;
}

/* That of the build, otherwise what all builds of the release agree on as far as the major goes. */
static const char *torch_cudnn(struct cv_gate_run *r, const char *version, const char *variant)
{
	const char *own = cv_kb_value(r->kb, "torch", version, cv_arena_printf(r->a, "cudnn:%s", variant));
	struct cv_kb_iter it = cv_kb_iter(r->kb, "torch", version, "cudnn:*");
	struct cv_kb_row row;

	if (own)
		return own;
	while (cv_kb_next(&it, &row)) {
		if (own && cv_ver_part(own, 0) != cv_ver_part(row.value, 0))
			return NULL;
		own = row.value;
	}
	return own;
}

/*
 * A package that pinned another to its own version does so in its next release too (jax-cuda12-plugin and -pjrt). Said where
 * kb says nothing of what it requires.
 */
static void keep_step(struct cv_gate_run *r, const struct cv_subject *was, const char *version)
{
	const struct cv_strv *requires = cv_fact_list(was, CV_F_package_requires);
	const char *old = cv_fact_str(was, CV_F_package_version);

	for (size_t i = 0; old && i < requires->n; i++) {
		struct cv_effect e = { 0 };

		cv_effect_of_spec(r->a, requires->v[i], &e);
		if (cv__gate_exact(e.spec) && cv_streq(cv__gate_exact(e.spec), old))
			cv__gate_requires(r, cv_arena_printf(r->a, "%s==%s", e.name, version), false);
	}
}

static void torch_brings(struct cv_gate_run *r, struct cv_subject *s, const char *version)
{
	const char *variant = NULL, *cuda = cv__gate_torch_cuda(r, version, &variant), *public = cv_ver_public(r->a, version);
	const char *triton = cv_kb_value(r->kb, "torch", public, "triton"), *pins, *cudnn;
	struct cv_strv requires = { 0 };

	if (triton)
		cv_strv_push(r->a, &requires, cv_arena_printf(r->a, "triton==%s", triton));
	if (triton && cuda)
		cv__gate_requires(r, requires.v[0], false);
	cv_facts_clear(r->copy, s, CV_F_package_requires);
	if (!cuda)
		return;
	pins = cv_kb_value(r->kb, "torch", public, cv_arena_printf(r->a, "pins:%s", variant));
	if (pins) {
		struct cv_str rest = cv_str_of(pins), word;

		while (cv_str_word(&rest, &word))
			cv_strv_push(r->a, &requires, cv_str_dup(r->a, word));
		cv_facts_list(r->copy, s, CV_F_package_requires, &requires, cv__gate_prov());
		cv__gate_requires(r, pins, false);
		return;
	}
	pins = pins_of_major(r, cv_ver_part(cuda, 0));
	cudnn = torch_cudnn(r, public, variant);
	if (!pins || !cudnn) {
		cv__gate_stop(r, "the knowledge base does not list what torch %s requires", version);
		return;
	}
	cv__gate_requires(r, pins, true);
	cv__gate_libs(r, cv_arena_printf(r->a, "nvidia-cudnn-cu%lld", (long long)cv_ver_part(cuda, 0)), cudnn);
}

/* What each extra that was asked for brings. */
void cv__gate_extras(struct cv_gate_run *r, const char *name, const char *version, const char *extras)
{
	struct cv_str rest = cv_str_of(extras ? extras : ""), extra;

	while (cv_str_split(&rest, ',', &extra)) {
		const char *word = cv_str_dup(r->a, cv_str_trim(extra)), *pins = NULL;

		if (cv_streq(name, "onnxruntime-gpu"))
			pins = cv_kb_value(r->kb, name, version, cv_arena_printf(r->a, "extra:%s", word));
		else if (cv_streq(name, "jax"))
			pins = cv_kb_value(r->kb, name, version, cv_arena_printf(r->a, "pins:%s", word));
		else if (cv_streq(name, "tensorflow"))
			pins = cv_kb_value(r->kb, name, version, "pins");
		/* JAX finds its libraries by itself, which no rule judges: the plugin's name is enough there. */
		if (!pins && !cv_streq(name, "jax"))
			cv__gate_stop(r, "the knowledge base does not list what %s[%s] %s brings", name, word, version);
		cv__gate_requires(r, pins ? pins : "", false);
		if (cv_streq(name, "jax") && cv_starts(word, "cuda"))
			cv__gate_requires(r, cv_arena_printf(r->a, "jax-%s-plugin jax-%s-pjrt", word, word), false);
	}
}

/* Requirements by a row of kb of this property, one specifier. */
static void one_requirement(struct cv_gate_run *r, const char *name, const char *version, const char *property)
{
	const char *spec = cv_kb_value(r->kb, name, version, property);

	if (spec)
		cv__gate_requires(r, cv_arena_printf(r->a, "%s%s", property, spec), false);
}

/* "cublas" means nvidia-cublas, "cudart" nvidia-cuda-runtime, "nvrtc" nvidia-cuda-nvrtc. */
static bool extra_means(struct cv_str extra, const char *wheel)
{
	struct cv_str name = cv_str_of(wheel);

	if (!cv_str_eat(&name, "nvidia-"))
		return false;
	if (cv_str_eq(name, extra))
		return true;
	return cv_str_eat(&name, "cuda-") && (cv_str_eq(name, extra) || (cv_str_is(extra, "cudart") && cv_str_is(name, "runtime")));
}

/* The wheels behind cuda-toolkit[cublas,cudart,...]. */
static const char *toolkit_pins(struct cv_gate_run *r, const char *version, const char *extras)
{
	const char *pins = version ? cv_kb_value(r->kb, "package:cuda-toolkit", version, "pins") : NULL, *words = "";
	struct cv_str rest = cv_str_of(pins ? pins : ""), word;

	if (!pins)
		cv__gate_stop(r, "the knowledge base does not list the wheels of cuda-toolkit %s", version ? version : "");
	while (cv_str_word(&rest, &word)) {
		struct cv_str left = cv_str_of(extras ? extras : ""), extra;
		struct cv_effect e = { 0 };
		bool wanted = false;

		cv_effect_of_spec(r->a, cv_str_dup(r->a, word), &e);
		while (cv_str_split(&left, ',', &extra))
			wanted = wanted || extra_means(extra, e.name);
		if (wanted)
			words = cv_arena_printf(r->a, "%s %.*s", words, CV_STR_ARG(word));
	}
	return words;
}

void cv__gate_brings(struct cv_gate_run *r, struct cv_subject *s, const struct cv_subject *was, const struct cv_effect *e,
		   const char *version)
{
	const char *public = cv_ver_public(r->a, version);
	const char *pins = cv_kb_value(r->kb, cv_arena_printf(r->a, "package:%s", e->name), version, "pins");

	if (cv_streq(e->name, "torch"))
		torch_brings(r, s, version);
	if (!cv_streq(e->name, "cuda-toolkit"))
		cv__gate_extras(r, e->name, public, e->extras);
	if (cv_streq(e->name, "jax"))
		one_requirement(r, e->name, public, "jaxlib");
	if (cv_starts(e->name, "onnxruntime") || cv_streq(e->name, "jax") || cv_streq(e->name, "tensorflow"))
		one_requirement(r, e->name, public, "numpy");
	if (pins && !cv_streq(e->name, "cuda-toolkit"))
		cv__gate_requires(r, pins, false);
	else if (!cv__gate_owns(r, e->name))
		keep_step(r, was, version);
	if (cv_streq(e->name, "cuda-toolkit"))
		cv__gate_requires(r, toolkit_pins(r, version, e->extras), false);
}

void cv__gate_requires(struct cv_gate_run *r, const char *words, bool only_majors)
{
	struct cv_str rest = cv_str_of(words ? words : ""), word;

	while (!r->untried && cv_str_word(&rest, &word)) {
		struct cv_effect e = { .kind = CV_EFFECT_INSTALL };

		cv_effect_of_spec(r->a, cv_str_dup(r->a, word), &e);
		if (!only_majors) {
			cv__gate_install(r, &e);
			continue;
		}
		/* cuDNN follows its own releases: the caller knows which. */
		if (cv_streq(e.name, "cuda-toolkit"))
			cv__gate_requires(r, toolkit_pins(r, cv__gate_exact(e.spec), e.extras), true);
		else if (cv_starts(e.name, "nvidia-") && !cv_starts(e.name, "nvidia-cudnn") && cv__gate_exact(e.spec))
			cv__gate_libs(r, e.name, cv__gate_exact(e.spec));
	}
}
