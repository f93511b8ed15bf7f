/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/fate.h"

#include "judge/cells.h"

#define ORT "onnxruntime:cuda"

const struct cv_subject *cv_scenario_of(const struct cv_judge_ctx *ctx, size_t env, const char *programs)
{
	return cv_facts_find(ctx->facts, CV_KIND_scenario, cv_arena_printf(ctx->a, "%s|%s", ctx->w->envs.v[env].path, programs));
}

/* What only a driver brings is not a matter of the environment. */
static bool is_drivers(const char *library)
{
	return cv_starts(library, "libcuda.so") || cv_starts(library, "libnvidia-");
}

bool cv_is_of(const struct cv_subject *s, const struct cv_subject *scenario)
{
	const char *key = cv_subject_key(s), *of = scenario ? cv_subject_key(scenario) : "";
	size_t n = strlen(of);

	return n && strncmp(key, of, n) == 0 && key[n] == '|';
}

size_t cv_first_of(const struct cv_judge_ctx *ctx, enum cv_kind kind, const struct cv_subject *scenario)
{
	const char *prefix = scenario ? cv_arena_printf(ctx->a, "%s|", cv_subject_key(scenario)) : "";
	size_t low = 0, high = scenario ? cv_facts_count(ctx->facts, kind) : 0;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(cv_subject_key(cv_facts_at(ctx->facts, kind, mid)), prefix) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The failure that ends a scenario. */
static const struct cv_subject *end_of(const struct cv_judge_ctx *ctx, const struct cv_subject *scenario)
{
	for (size_t i = cv_first_of(ctx, CV_KIND_loadfail, scenario); i < cv_facts_count(ctx->facts, CV_KIND_loadfail); i++) {
		const struct cv_subject *f = cv_facts_at(ctx->facts, CV_KIND_loadfail, i);

		if (!cv_is_of(f, scenario))
			break;
		if (!cv_fact_true(f, CV_F_loadfail_passed))
			return f;
	}
	return NULL;
}

static bool ends_at_driver(const struct cv_judge_ctx *ctx, const struct cv_subject *scenario)
{
	const char *name = cv_fact_str(end_of(ctx, scenario), CV_F_loadfail_name);

	return name && is_drivers(name);
}

bool cv_scenario_done(const struct cv_subject *scenario)
{
	const char *outcome = cv_fact_str(scenario, CV_F_scenario_outcome);

	return outcome && cv_streq(outcome, "done");
}

/* Through, but for what the driver would bring: whether there is one is said by other rules. */
static bool goes_through(const struct cv_judge_ctx *ctx, const struct cv_subject *scenario)
{
	return cv_scenario_done(scenario) || (cv_fact_known(scenario, CV_F_scenario_outcome) && ends_at_driver(ctx, scenario));
}

static enum cv_fate_why why_version(const char *name)
{
	if (cv_starts(name, "GLIBCXX_") || cv_starts(name, "CXXABI_"))
		return CV_WHY_LIBSTDCXX;
	return cv_starts(name, "GLIBC_") ? CV_WHY_GLIBC : CV_WHY_VERSION;
}

static const struct {
	const char *kind;
	enum cv_fate_why why;
} kinds[] = {
	{ "exec-stack", CV_WHY_EXEC_STACK }, { "static-tls", CV_WHY_STATIC_TLS }, { "wrong-format", CV_WHY_FORMAT },
	{ "no-module", CV_WHY_MODULE },
};

static void explain(const struct cv_judge_ctx *ctx, const struct cv_wload *l, struct cv_fate *f)
{
	const char *kind = cv_fact_str(f->fail, CV_F_loadfail_kind);

	f->name = cv_fact_str(f->fail, CV_F_loadfail_name);
	f->by = cv_fact_str(f->fail, CV_F_loadfail_by);
	f->message = cv_fact_str(f->fail, CV_F_loadfail_message);
	f->why = CV_WHY_OTHER;
	if (!kind)
		return;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (cv_streq(kind, kinds[i].kind))
			f->why = kinds[i].why;
	if (f->name && cv_streq(kind, "no-version"))
		f->why = why_version(f->name);
	if (f->name && cv_streq(kind, "missing") && !strchr(f->name, '/')) {
		struct cv_provided p = cv_load_provided(ctx, l, f->name);

		f->there = p.lib;
		f->why = p.lib ? CV_WHY_NOT_ON_PATH : CV_WHY_NOWHERE;
	}
}

static const char *program_of(const struct cv_judge_ctx *ctx, const struct cv_wload *l)
{
	const char *cuda = cv_arena_printf(ctx->a, "%s:cuda", l->framework);

	return cv_scenario_of(ctx, l->env, cuda) ? cuda : l->framework;
}

struct cv_fate cv_load_fate(const struct cv_judge_ctx *ctx, const struct cv_wload *l)
{
	const char *program = program_of(ctx, l);
	struct cv_fate f = { .scenario = cv_scenario_of(ctx, l->env, program) };

	if (!cv_fact_known(f.scenario, CV_F_scenario_outcome)) {
		/* A bundle of an older release does not hold what this one asks: then the libraries that are there must do. */
		if (f.scenario && cv_fact(f.scenario, CV_F_scenario_outcome)->state != CV_NOT_ASKED)
			f.because = cv_fact_because(ctx->a, f.scenario, CV_F_scenario_outcome);
		return f;
	}
	if (goes_through(ctx, f.scenario) && !(ends_at_driver(ctx, f.scenario) && ctx->w->driver.host)) {
		f.kind = CV_FATE_LOADS;
		return f;
	}
	f.fail = end_of(ctx, f.scenario);
	explain(ctx, l, &f);
	f.torch_first = cv_streq(program, ORT) && goes_through(ctx, cv_scenario_of(ctx, l->env, "torch:cuda " ORT));
	f.preload = cv_streq(program, ORT) && goes_through(ctx, cv_scenario_of(ctx, l->env, "onnxruntime.preload_dlls " ORT));
	f.kind = f.torch_first || f.preload ? CV_FATE_WITH_HELP : CV_FATE_FAILS;
	if (f.kind == CV_FATE_FAILS && f.there && !cv_fact_known(f.there->s, CV_F_lib_soname)) { /* this user may not read it */
		f.kind = CV_FATE_UNKNOWN;
		f.because = cv_fact_because(ctx->a, f.there->s, CV_F_lib_soname);
	}
	return f;
}

const struct cv_wlib *cv_lib_at(const struct cv_judge_ctx *ctx, const char *path)
{
	for (size_t i = 0; i < ctx->w->libs.n; i++)
		if (cv_streq(cv_subject_key(ctx->w->libs.v[i].s), path))
			return &ctx->w->libs.v[i];
	return NULL;
}

const struct cv_subject *cv_scenario_load(const struct cv_judge_ctx *ctx, const struct cv_subject *scenario, const char *family)
{
	const char *start = cv_arena_printf(ctx->a, "lib%s.so", family);

	for (size_t i = cv_first_of(ctx, CV_KIND_load, scenario); i < cv_facts_count(ctx->facts, CV_KIND_load); i++) {
		const struct cv_subject *s = cv_facts_at(ctx->facts, CV_KIND_load, i);
		const char *soname = cv_fact_str(s, CV_F_load_soname);

		if (!cv_is_of(s, scenario))
			break;
		if (soname && cv_starts(soname, start))
			return s;
	}
	return NULL;
}

const char *cv_path_without(const struct cv_judge_ctx *ctx, const char *entry)
{
	const char *path = cv_fact_str(cv_facts_find(ctx->facts, CV_KIND_var, "LD_LIBRARY_PATH"), CV_F_var_value);
	struct cv_str rest = cv_str_of(path ? path : ""), part;
	const char *left = "";
	bool found = false;

	while (cv_str_split(&rest, ':', &part)) {
		struct cv_str clean = part;

		while (clean.n > 1 && clean.p[clean.n - 1] == '/')
			clean.n--;
		if (cv_str_is(clean, entry) || cv_str_is(part, entry))
			found = true;
		else if (part.n)
			left = cv_arena_printf(ctx->a, "%s%s%.*s", left, *left ? ":" : "", CV_STR_ARG(part));
	}
	return found ? left : NULL;
}

struct cv_fix *cv_find_path(struct cv_judge_ctx *ctx, struct cv_finding *f, const char *value, const char *changes)
{
	return cv_find_command(ctx, f,
			       *value ? cv_arena_printf(ctx->a, "export LD_LIBRARY_PATH=%s", cv_shell_quote(ctx->a, value))
				      : "unset LD_LIBRARY_PATH",
			       changes);
}

struct tally {
	size_t found, known;
	const char *blind;
};

static struct tally walk(struct cv_judge_ctx *ctx, const struct cv_rule *self, cv_fate_fn *see)
{
	struct tally t = { 0 };

	for (size_t i = 0; i < ctx->w->loads.n; i++) {
		struct cv_fate fate = cv_load_fate(ctx, &ctx->w->loads.v[i]);

		if (fate.kind == CV_FATE_UNKNOWN) {
			t.blind = fate.because ? fate.because : t.blind;
			continue;
		}
		t.known++;
		t.found += see(ctx, self, &ctx->w->loads.v[i], &fate);
	}
	return t;
}

size_t cv_fates_find(struct cv_judge_ctx *ctx, const struct cv_rule *self, cv_fate_fn *see)
{
	return walk(ctx, self, see).found;
}

void cv_fates_judge(struct cv_judge_ctx *ctx, const struct cv_rule *self, cv_fate_fn *see, const char *ruled_out)
{
	struct tally t = walk(ctx, self, see);

	if (t.found)
		return;
	if (t.blind)
		cv_not_evaluated(ctx, self, "%s", t.blind);
	else if (t.known)
		cv_ruled_out(ctx, self, "%s", ruled_out);
	else
		cv_not_evaluated(ctx, self, "there is no workload of which it is known what it loads");
}
