/* SPDX-License-Identifier: Apache-2.0 */
/* Packages that must fit each other: companions of one release, pinned requirements, nvidia wheels of several CUDA releases. */
#include "judge/rules.h"

#include "base/version.h"
#include "judge/advise.h"
#include "judge/effect.h"

static const char *name_of(const struct cv_subject *pkg)
{
	const char *name = cv_fact_str(pkg, CV_F_package_name);

	return name ? name : "";
}

static const char *version_of(const struct cv_subject *pkg)
{
	return cv_fact_str(pkg, CV_F_package_version);
}

/* One line of Requires-Dist. */
struct require {
	const char *name; /* normalised */
	struct cv_str spec;
};

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("._-", c);
}

/* "name[extra] (>=1,<2) ; marker": false for a direct reference, which no version can break. */
static bool parse_require(const struct cv_judge_ctx *ctx, const char *text, struct require *ret)
{
	struct cv_str s = cv_str_trim(cv_str_of(text)), name = s;
	ptrdiff_t at = cv_str_chr(s, ';');

	if (at >= 0)
		s = cv_str_trim(cv_str_sub(s, 0, (size_t)at));
	name.n = 0;
	while (name.n < s.n && s.p[name.n] && is_name_char(s.p[name.n]))
		name.n++;
	if (!name.n)
		return false;
	s = cv_str_trim(cv_str_from(s, name.n));
	if (cv_str_starts(s, "[")) {
		at = cv_str_chr(s, ']');
		if (at < 0)
			return false;
		s = cv_str_trim(cv_str_from(s, (size_t)at + 1));
	}
	if (cv_str_starts(s, "@"))
		return false;
	if (cv_str_starts(s, "(") && cv_str_ends(s, ")"))
		s = cv_str_trim(cv_str_sub(s, 1, s.n - 2));
	ret->name = cv_pep503(ctx->a, name);
	ret->spec = s;
	return true;
}

/* What a package requires of another; false if it says nothing. */
static bool requires_of(const struct cv_judge_ctx *ctx, const struct cv_subject *pkg, const char *name, struct require *ret)
{
	const struct cv_strv *list = cv_fact_list(pkg, CV_F_package_requires);

	for (size_t i = 0; i < list->n; i++)
		if (parse_require(ctx, list->v[i], ret) && cv_streq(ret->name, name))
			return true;
	return false;
}

static bool satisfies(struct cv_str spec, const char *version)
{
	return !spec.n || cv_spec_match(spec, version) != 0; /* what cannot be parsed is not held against it */
}

/* Pairs of which the first must fit the second. */
static const struct {
	const char *one, *base;
} pairs[] = {
	{ "torchvision", "torch" },
	{ "torchaudio", "torch" },
	{ "triton", "torch" },
	{ "jaxlib", "jax" },
	{ "jax-cuda12-plugin", "jaxlib" },
	{ "jax-cuda13-plugin", "jaxlib" },
	{ "jax-cuda12-pjrt", "jax-cuda12-plugin" },
	{ "jax-cuda13-pjrt", "jax-cuda13-plugin" },
};

static bool is_pair(const char *a, const char *b)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if ((cv_streq(pairs[i].one, a) && cv_streq(pairs[i].base, b)) ||
		    (cv_streq(pairs[i].one, b) && cv_streq(pairs[i].base, a)))
			return true;
	return false;
}

struct misfit {
	const char *needed; /* version or specifier, NULL: they fit */
	const char *why;
	const struct cv_subject *by; /* whose requirement it is */
	bool has_row;
	struct cv_kb_row row;
};

static struct misfit by_requirement(const struct cv_judge_ctx *ctx, const struct cv_subject *who, const struct cv_subject *other)
{
	struct require r;
	struct misfit m = { 0 };

	if (!requires_of(ctx, who, name_of(other), &r) || satisfies(r.spec, version_of(other)))
		return m;
	m.needed = cv_arena_printf(ctx->a, "%s%.*s", r.name, CV_STR_ARG(r.spec));
	m.by = who;
	m.why = cv_arena_printf(ctx->a, "%s %s requires %s in its own metadata.", name_of(who), version_of(who), m.needed);
	return m;
}

static int64_t cuda_major_of_local(const struct cv_judge_ctx *ctx, const char *version, const char *dflt)
{
	const char *local = cv_ver_local(ctx->a, version);
	struct cv_str s = cv_str_of(local ? local : "");
	uint64_t n;

	if (!local)
		return dflt ? cv_ver_part(dflt, 0) : -1;
	if (cv_starts(local, "cpu"))
		return 0;
	return cv_str_eat(&s, "cu") && cv_str_u64(s, &n) ? (int64_t)(n / 10) : -1;
}

/* torchvision and torchaudio hold kernels too: a CPU build, or one of another CUDA major, has none for this torch. */
static struct misfit by_cuda(const struct cv_judge_ctx *ctx, const struct cv_subject *one, const struct cv_subject *torch)
{
	const char *dflt = cv_kb_value(ctx->kb, "torch", cv_ver_public(ctx->a, version_of(torch)), "default_cuda");
	int64_t a = cuda_major_of_local(ctx, version_of(one), dflt), b = cuda_major_of_local(ctx, version_of(torch), dflt);
	struct misfit m = { 0 };

	if (a < 0 || b < 0 || a == b || !cv_ver_local(ctx->a, version_of(torch)) || cv_streq(name_of(one), "torchaudio"))
		return m;
	m.needed = cv_arena_printf(ctx->a, "the build of +%s", cv_ver_local(ctx->a, version_of(torch)));
	m.why = cv_arena_printf(ctx->a, "%s %s is built for %s, %s %s for %s.", name_of(one), version_of(one),
				a ? cv_arena_printf(ctx->a, "CUDA %lld", (long long)a) : "the CPU", name_of(torch),
				version_of(torch), b ? cv_arena_printf(ctx->a, "CUDA %lld", (long long)b) : "the CPU");
	return m;
}

/* By kb, only where the package itself says nothing about torch. */
static struct misfit by_kb(const struct cv_judge_ctx *ctx, const struct cv_subject *one, const struct cv_subject *torch)
{
	struct misfit m = { 0 };
	const char *made_for;

	if (!cv_kb_get(ctx->kb, "torch", cv_ver_public(ctx->a, version_of(torch)), name_of(one), &m.row))
		return m;
	made_for = m.row.value;
	if (cv_ver_cmp(CV_VER_PEP440, cv_ver_public(ctx->a, version_of(one)), made_for) == 0)
		return m;
	/* torchaudio stopped following torch at 2.11, and its later releases ask for no torch. */
	if (cv_streq(name_of(one), "torchaudio") && cv_ver_cmp(CV_VER_PEP440, version_of(one), "2.11") >= 0)
		return m;
	m.has_row = true;
	m.needed = made_for;
	m.why = cv_arena_printf(ctx->a, "%s %s goes with %s %s.", name_of(torch), cv_ver_public(ctx->a, version_of(torch)),
				name_of(one), made_for);
	return m;
}

static struct misfit by_release(const struct cv_judge_ctx *ctx, const struct cv_subject *one, const struct cv_subject *base)
{
	struct misfit m = { 0 };
	const char *a = cv_ver_prefix(ctx->a, version_of(one), 3), *b = cv_ver_prefix(ctx->a, version_of(base), 3);

	if (cv_ver_cmp(CV_VER_PEP440, a, b) == 0)
		return m;
	m.needed = b;
	m.why = cv_arena_printf(ctx->a, "JAX skips a plugin whose release is not that of %s, and runs on the CPU.",
				name_of(base));
	return m;
}

static struct misfit misfit_of(const struct cv_judge_ctx *ctx, const struct cv_subject *one, const struct cv_subject *base)
{
	bool torch = cv_streq(name_of(base), "torch");
	struct require r;
	struct misfit m;

	if (!version_of(one) || !version_of(base))
		return (struct misfit){ 0 };
	m = by_requirement(ctx, one, base);
	if (!m.needed)
		m = by_requirement(ctx, base, one);
	if (m.needed)
		return m;
	if (!torch)
		return cv_starts(name_of(one), "jax-cuda") ? by_release(ctx, one, base) : m;
	if (!cv_streq(name_of(one), "triton"))
		m = by_cuda(ctx, one, base);
	if (!m.needed && !requires_of(ctx, one, "torch", &r) && !requires_of(ctx, base, name_of(one), &r))
		m = by_kb(ctx, one, base);
	return m;
}

static void companion_fix(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wenv *env, const struct cv_subject *one,
			  const struct cv_subject *base, const struct misfit *m)
{
	const char *local = cv_ver_local(ctx->a, version_of(base)), *url = cv_kb_value(ctx->kb, "index", NULL, "url:pytorch");
	const char *fitting = m->has_row ? m->needed : NULL;
	const char *changes = cv_arena_printf(ctx->a, "replaces %s %s", name_of(one), version_of(one));
	struct cv_install in = { .env = env, .pkg = one };
	ptrdiff_t at = url ? cv_str_find(cv_str_of(url), "%s") : -1;

	if (cv_streq(name_of(base), "torch"))
		fitting = cv_kb_value(ctx->kb, "torch", cv_ver_public(ctx->a, version_of(base)), name_of(one));
	else if (!cv_streq(name_of(base), "jax"))
		fitting = version_of(base);
	if (!fitting && m->by == base)
		cv_strv_push(ctx->a, &in.specs, m->needed);
	else if (fitting && local && at >= 0 && !cv_streq(name_of(one), "triton") && ctx->w->x86)
		cv_strv_push(ctx->a, &in.specs, cv_arena_printf(ctx->a, "%s==%s+%s", name_of(one), fitting, local));
	else if (fitting)
		cv_strv_push(ctx->a, &in.specs, cv_arena_printf(ctx->a, "%s==%s", name_of(one), fitting));
	if (in.specs.n && local && at >= 0 && cv_streq(name_of(base), "torch"))
		in.index_url = cv_arena_printf(ctx->a, "%.*s%s%s", (int)at, url, local, url + at + 2);
	if (!in.specs.n || !cv_find_install(ctx, f, &in, changes))
		cv_find_text(ctx, f,
			     cv_arena_printf(ctx->a, "install %s and %s together, in one command, from one index", name_of(base),
					     name_of(one)),
			     NULL);
}

static void report_misfit(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wenv *env,
			  const struct cv_subject *one, const struct cv_subject *base, const struct misfit *m)
{
	struct cv_finding *f = cv_find(ctx, self, "%s %s does not go with %s %s", name_of(one), version_of(one), name_of(base),
				       version_of(base));

	cv_find_env(ctx, f, env);
	cv_find_subject(f, "package", name_of(one), cv_subject_key(one));
	cv_find_param(ctx, f, "package", name_of(one));
	cv_find_param(ctx, f, "found", version_of(one));
	cv_find_param(ctx, f, "needed", m->needed);
	cv_find_param(ctx, f, "base", cv_arena_printf(ctx->a, "%s %s", name_of(base), version_of(base)));
	cv_find_fact(ctx, f, one, CV_F_package_version);
	cv_find_fact(ctx, f, base, CV_F_package_version);
	if (m->by)
		cv_find_fact(ctx, f, m->by, CV_F_package_requires);
	if (m->has_row)
		cv_find_row(ctx, f, &m->row);
	cv_find_why(ctx, f, "%s", m->why);
	companion_fix(ctx, f, env, one, base, m);
	cv_find_prove(ctx, f, "cuvet check --env %s", cv_shell_quote(ctx->a, env->path));
	if (cv_starts(name_of(one), "jax"))
		cv_find_hits(ctx, f, CV_ASPECT_LOADS,
			     (struct cv_hit){ .env = env->index, .gpu = CV_NO_INDEX, .workload = "jax" });
}

/* A plugin beside a jaxlib that does not fit jax: that one is the cause. */
static bool is_explained(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, const struct cv_subject *one,
			 const struct cv_subject *base)
{
	const struct cv_subject *jax = cv_wenv_package(env, "jax");

	return jax && cv_starts(name_of(one), "jax-cuda") && cv_streq(name_of(base), "jaxlib") &&
	       misfit_of(ctx, base, jax).needed;
}

CV_RULE(cv_rule_companions)
{
	size_t n = 0, checked = 0, blind = 0;

	for (size_t e = 0; e < ctx->w->envs.n; e++)
		for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
			const struct cv_wenv *env = &ctx->w->envs.v[e];
			const struct cv_subject *one = cv_wenv_package(env, pairs[i].one),
						*base = cv_wenv_package(env, pairs[i].base);
			struct misfit m;

			if (!one || !base || is_explained(ctx, env, one, base))
				continue;
			blind += !version_of(one) || !version_of(base);
			checked++;
			m = misfit_of(ctx, one, base);
			if (!m.needed)
				continue;
			n++;
			report_misfit(ctx, self, env, one, base, &m);
		}
	if (blind)
		cv_not_evaluated(ctx, self, "the version of a companion package is not known");
	else if (!n && checked)
		cv_ruled_out(ctx, self, "%zu pair%s of companion packages fit", checked, checked == 1 ? "" : "s");
	else if (!n)
		cv_not_evaluated(ctx, self, "no companion packages are installed together");
}

/* onnxruntime may be there as onnxruntime-gpu: the files are the same import. */
static bool has_partner(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, const char *name)
{
	const char *partner = cv_kb_value(ctx->kb, cv_arena_printf(ctx->a, "package:%s", name), NULL, "partner");

	return partner && cv_wenv_package(env, partner);
}

static bool pip_installed(const struct cv_subject *pkg)
{
	const char *source = cv_fact_str(pkg, CV_F_package_source), *installer = cv_fact_str(pkg, CV_F_package_installer);

	return source && cv_streq(source, "dist-info") && (!installer || !cv_streq(installer, "conda"));
}

/* The requirements of one package that are not met: as written, and as found. */
static void unmet_of(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, const struct cv_subject *pkg,
		     struct cv_strv *needed, struct cv_strv *found)
{
	const struct cv_strv *list = cv_fact_list(pkg, CV_F_package_requires);

	for (size_t i = 0; i < list->n && pip_installed(pkg); i++) {
		const struct cv_subject *other;
		struct require r;

		if (!parse_require(ctx, list->v[i], &r) || is_pair(name_of(pkg), r.name))
			continue;
		other = cv_wenv_package(env, r.name);
		if ((!other && has_partner(ctx, env, r.name)) ||
		    (other && (!version_of(other) || satisfies(r.spec, version_of(other)))))
			continue;
		cv_strv_push(ctx->a, needed, cv_arena_printf(ctx->a, "%s%.*s", r.name, CV_STR_ARG(r.spec)));
		cv_strv_push(ctx->a, found,
			     other ? cv_arena_printf(ctx->a, "%s %s", r.name, version_of(other))
				   : cv_arena_printf(ctx->a, "no %s", r.name));
	}
}

static void report_unmet(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wenv *env,
			 const struct cv_subject *pkg, const struct cv_strv *needed, const struct cv_strv *found)
{
	struct cv_install in = { .env = env, .pkg = pkg, .specs = *needed };
	struct cv_finding *f =
		cv_find(ctx, self, "%s %s requires %s; installed: %s", name_of(pkg), version_of(pkg) ? version_of(pkg) : "",
			cv_join_and(ctx->a, needed), cv_join_and(ctx->a, found));

	cv_find_env(ctx, f, env);
	cv_find_subject(f, "package", name_of(pkg), cv_subject_key(pkg));
	cv_find_param(ctx, f, "package", name_of(pkg));
	cv_find_params(ctx, f, "needed", needed);
	cv_find_params(ctx, f, "found", found);
	cv_find_fact(ctx, f, pkg, CV_F_package_requires);
	cv_find_why(ctx, f,
		    "pip installs what it is asked for last and only warns about what that breaks; the package was tested with "
		    "what it requires.");
	cv_find_install(ctx, f, &in, "installs what is required");
	cv_find_prove(ctx, f, "%s -m pip check", cv_shell_quote(ctx->a, env->exe ? env->exe : "python3"));
}

CV_RULE(cv_rule_requirements)
{
	size_t n = 0, checked = 0;

	for (size_t e = 0; e < ctx->w->envs.n; e++)
		for (size_t i = 0; i < ctx->w->envs.v[e].packages.n; i++) {
			const struct cv_wenv *env = &ctx->w->envs.v[e];
			struct cv_strv needed = { 0 }, found = { 0 };

			checked += cv_fact_known(env->packages.v[i], CV_F_package_requires);
			unmet_of(ctx, env, env->packages.v[i], &needed, &found);
			if (!needed.n)
				continue;
			n++;
			report_unmet(ctx, self, env, env->packages.v[i], &needed, &found);
		}
	if (n)
		return;
	if (checked)
		cv_ruled_out(ctx, self, "the requirements of %zu package%s are met", checked, checked == 1 ? "" : "s");
	else
		cv_not_evaluated(ctx, self, "no package's requirements are known");
}

/* CUDA major and base name of one of nvidia's wheels: nvidia-cudnn-cu12, nvidia-cublas (13 and newer). 0: it is none. */
static int64_t wheel_cuda(const struct cv_judge_ctx *ctx, const struct cv_subject *pkg, struct cv_str *ret_base)
{
	struct cv_str name = cv_str_of(name_of(pkg));
	ptrdiff_t at = cv_str_find(name, "-cu1");
	uint64_t n;
	const char *kb;

	if (!cv_str_starts(name, "nvidia-"))
		return 0;
	if (at > 0 && cv_str_u64(cv_str_from(name, (size_t)at + 3), &n)) {
		*ret_base = cv_str_sub(name, 0, (size_t)at);
		return (int64_t)n;
	}
	kb = cv_kb_value(ctx->kb, cv_arena_printf(ctx->a, "package:%s", name_of(pkg)), NULL, "cuda");
	*ret_base = name;
	return kb ? cv_ver_part(kb, 0) : 0;
}

static bool is_placeholder(const struct cv_judge_ctx *ctx, const struct cv_subject *pkg)
{
	return cv_kb_value(ctx->kb, cv_arena_printf(ctx->a, "package:%s", name_of(pkg)), NULL, "placeholder") != NULL;
}

struct mix {
	struct cv_strv majors, clash; /* clash: names that write the same files */
	const struct cv_subject *first;
};

/* Wheels of one component and one library major write the same files: libcudnn.so.9 of cu12 and of cu13. */
static void find_clash(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, size_t i, struct mix *mix)
{
	const struct cv_subject *a = env->packages.v[i];
	struct cv_str base_a, base_b;
	int64_t cuda_a = wheel_cuda(ctx, a, &base_a);

	for (size_t k = i + 1; k < env->packages.n; k++) {
		const struct cv_subject *b = env->packages.v[k];
		int64_t cuda_b = wheel_cuda(ctx, b, &base_b);

		if (!cuda_b || cuda_a == cuda_b || !cv_str_eq(base_a, base_b) || base_a.n == strlen(name_of(a)) ||
		    base_b.n == strlen(name_of(b)))
			continue;
		if (!version_of(a) || !version_of(b) || cv_ver_part(version_of(a), 0) != cv_ver_part(version_of(b), 0))
			continue;
		cv_strv_push(ctx->a, &mix->clash, name_of(a));
		cv_strv_push(ctx->a, &mix->clash, name_of(b));
	}
}

static void find_mix(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, struct mix *mix)
{
	for (size_t i = 0; i < env->packages.n; i++) {
		struct cv_str base;
		int64_t cuda = wheel_cuda(ctx, env->packages.v[i], &base);

		if (cuda <= 0 || (cuda >= 13 && is_placeholder(ctx, env->packages.v[i])))
			continue;
		if (!mix->first)
			mix->first = env->packages.v[i];
		cv_strv_push(ctx->a, &mix->majors, cv_arena_printf(ctx->a, "%lld", (long long)cuda));
		find_clash(ctx, env, i, mix);
	}
	cv_strv_sort(&mix->majors);
	cv_strv_sort(&mix->clash);
}

static void report_mix(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wenv *env, const struct mix *mix)
{
	struct cv_finding *f;

	if (mix->clash.n)
		f = cv_find(ctx, self, "%s write the same files", cv_join_and(ctx->a, &mix->clash));
	else
		f = cv_find(ctx, self, "nvidia wheels of CUDA %s are installed together", cv_join_and(ctx->a, &mix->majors));
	if (!mix->clash.n)
		f->severity = CV_NOTE; /* they share no file: each program finds its own */
	cv_find_env(ctx, f, env);
	cv_find_params(ctx, f, "cuda", &mix->majors);
	cv_find_params(ctx, f, "package", &mix->clash);
	for (size_t i = 0; i < env->packages.n; i++) {
		struct cv_str base;

		if (wheel_cuda(ctx, env->packages.v[i], &base) > 0 &&
		    (!mix->clash.n || cv_strv_has(&mix->clash, name_of(env->packages.v[i]))))
			cv_find_fact(ctx, f, env->packages.v[i], CV_F_package_version);
	}
	cv_find_why(ctx, f,
		    mix->clash.n ? "The wheel installed last has overwritten the other's libraries, which then are of the wrong "
				   "CUDA release for one of their users; removing one breaks the other."
				 : "They lie in different files and do no harm; what no framework needs may be removed.");
	if (mix->clash.n)
		cv_fix_untried(cv_find_text(ctx, f,
					    "remove all of these, then reinstall the framework with its requirements: that brings "
					    "back the ones it needs",
					    NULL),
			       "which of them come back depends on the framework that is reinstalled");
	cv_find_prove(ctx, f, "cuvet check --env %s", cv_shell_quote(ctx->a, env->path));
}

CV_RULE(cv_rule_mixed_wheels)
{
	size_t n = 0, checked = 0;

	for (size_t e = 0; e < ctx->w->envs.n; e++) {
		struct mix mix = { 0 };

		find_mix(ctx, &ctx->w->envs.v[e], &mix);
		checked += mix.first != NULL;
		if (mix.majors.n < 2)
			continue;
		n++;
		report_mix(ctx, self, &ctx->w->envs.v[e], &mix);
	}
	if (n)
		return;
	if (checked)
		cv_ruled_out(ctx, self, "the nvidia wheels of each environment are of one CUDA major");
	else
		cv_not_evaluated(ctx, self, "no nvidia wheel is installed");
}
