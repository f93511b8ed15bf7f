/* SPDX-License-Identifier: Apache-2.0 */
/* Which builds and drivers fit: look-ups in kb, no texts. */
#include "judge/advise.h"

#include "base/version.h"
#include "judge/cells.h"

bool cv_want_of(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, struct cv_want *ret)
{
	const struct cv_world *w = ctx->w;
	struct cv_want want = { .api = w->driver.api, .api_exact = w->driver.api_exact, .aarch64 = w->aarch64 };

	for (size_t i = 0; i < w->gpus.n; i++) {
		const struct cv_wgpu *g = &w->gpus.v[i];
		bool seen = false;

		if (g->visible == CV_TRI_BAD && !g->masked)
			continue;
		if (!g->cc)
			return false;
		for (size_t k = 0; k < want.n; k++)
			seen |= cv_cc_cmp(want.gpus[k], g->ccn) == 0;
		if (seen)
			continue;
		if (want.n == CV_WANT_GPUS)
			return false;
		want.gpus[want.n++] = g->ccn;
	}
	want.glibc = cv_fact_str(w->machine, CV_F_machine_glibc);
	want.py = env ? env->py : NULL;
	if (!want.n || !want.api)
		return false;
	*ret = want;
	return true;
}

static enum cv_tri compiles(const struct cv_judge_ctx *ctx, const struct cv_want *want, const char *cuda)
{
	const char *known, *needed;

	if (cv_ver_part(want->api, 0) > cv_ver_part(cuda, 0))
		return CV_TRI_OK;
	if (cv_ver_part(cuda, 1) < 0)
		return CV_TRI_UNKNOWN;
	if (cv_ver_cmp(CV_VER_DOTTED, want->api, cuda) >= 0)
		return CV_TRI_OK;
	known = cv_kb_value(ctx->kb, "cuda", want->api, "ptx_isa");
	needed = cv_kb_value(ctx->kb, "cuda", cuda, "ptx_isa");
	return known && needed && cv_ver_cmp(CV_VER_DOTTED, known, needed) >= 0 ? CV_TRI_OK : CV_TRI_BAD;
}

static bool code_fits(const struct cv_judge_ctx *ctx, const struct cv_want *want, const char *code, const char *cuda)
{
	for (size_t i = 0; i < want->n; i++) {
		struct cv_code_match m = cv_code_match(code, want->gpus[i], compiles(ctx, want, cuda));

		if (m.code != CV_CODE_NATIVE && m.code != CV_CODE_PTX_JIT)
			return false;
	}
	return code != NULL;
}

static bool has_wheel(const struct cv_judge_ctx *ctx, const struct cv_want *want, const char *subject, const char *version)
{
	const char *python = cv_kb_value(ctx->kb, subject, version, "python");
	const char *glibc = cv_kb_value(ctx->kb, subject, version, "min_glibc");

	if (want->py && python && !cv_kb_has_word(python, want->py))
		return false;
	return !want->glibc || !glibc || cv_ver_cmp(CV_VER_DOTTED, want->glibc, glibc) >= 0;
}

/* "12.8" of cu128; "" if the word is no CUDA build. */
static const char *cuda_of(const struct cv_judge_ctx *ctx, struct cv_str variant)
{
	uint64_t n;

	if (!cv_str_eat(&variant, "cu") || !cv_str_u64(variant, &n) || n < 60 || n > 9999)
		return "";
	return cv_arena_printf(ctx->a, "%u.%u", (unsigned)(n / 10), (unsigned)(n % 10));
}

/* The builds of a release: those of the vendor's index and the one of the Python package index. */
static const char *builds_of(const struct cv_judge_ctx *ctx, const struct cv_want *want, const char *version)
{
	const char *builds = cv_kb_value(ctx->kb, "torch", version, want->aarch64 ? "variants_aarch64" : "variants");
	const char *def = cv_kb_value(ctx->kb, "torch", version, "default_cuda");

	if (!builds)
		builds = cv_kb_value(ctx->kb, "torch", version, "variants");
	if (!builds && def && !cv_streq(def, "cpu"))
		builds = cv_arena_printf(ctx->a, "cu%lld%lld", (long long)cv_ver_part(def, 0), (long long)cv_ver_part(def, 1));
	return builds ? builds : "";
}

/* The best build of one release; *ret_full tells whether the driver offers its CUDA in full. */
static bool best_build(const struct cv_judge_ctx *ctx, const struct cv_want *want, const char *version,
		       struct cv_build_advice *ret, bool *ret_full)
{
	struct cv_str rest = cv_str_of(builds_of(ctx, want, version)), word;
	bool found = false;

	while (cv_str_word(&rest, &word)) {
		const char *cuda = cuda_of(ctx, word), *variant = cv_str_dup(ctx->a, word), *code, *glibc;
		bool full, better;

		if (!*cuda || cv_driver_runs(want->api, want->api_exact, cuda) != CV_TRI_OK)
			continue;
		/* Builds of one release may ask for different ones: 2.6.0 has 2.17, its cu126 2.28. */
		glibc = cv_kb_value(ctx->kb, "torch", version, cv_arena_printf(ctx->a, "min_glibc:%s", variant));
		if (want->glibc && glibc && cv_ver_cmp(CV_VER_DOTTED, want->glibc, glibc) < 0)
			continue;
		code = cv_kb_value(ctx->kb, "torch", version,
				   cv_arena_printf(ctx->a, "code%s:%s", want->aarch64 ? "_aarch64" : "", variant));
		if (!code_fits(ctx, want, code, cuda))
			continue;
		full = cv_ver_cmp(CV_VER_DOTTED, want->api, cuda) >= 0;
		/* In full the highest, beyond it the lowest. */
		better = !found || (full && !*ret_full) ||
			 (full == *ret_full && (cv_ver_cmp(CV_VER_DOTTED, cuda, ret->cuda) > 0) == full);
		if (better) {
			*ret = (struct cv_build_advice){ .version = version, .variant = variant, .cuda = cuda };
			*ret_full = full;
			found = true;
		}
	}
	return found;
}

/* Kept between findings; NULL in tests that ask with wants of their own. */
static const struct cv_memo_entry *recall(const struct cv_judge_ctx *ctx, const char *key)
{
	for (size_t i = 0; ctx->memo && i < ctx->memo->entries.n; i++)
		if (cv_streq(ctx->memo->entries.v[i].key, key))
			return &ctx->memo->entries.v[i];
	return NULL;
}

static void memorise(const struct cv_judge_ctx *ctx, const char *key, const struct cv_build_advice *first,
		     const struct cv_build_advice *second)
{
	struct cv_memo_entry *e = ctx->memo ? CV_VEC_PUSH(ctx->a, &ctx->memo->entries) : NULL;

	if (e)
		*e = (struct cv_memo_entry){ .key = key,
					     .first = *first,
					     .second = second ? *second : (struct cv_build_advice){ 0 } };
}

struct best {
	struct cv_build_advice full, minor; /* version NULL: none */
};

static void offer(struct cv_build_advice *best, const struct cv_build_advice *a)
{
	if (!best->version || cv_ver_cmp(CV_VER_PEP440, a->version, best->version) > 0)
		*best = *a;
}

/* "at least two releases newer": 2.13 against 2.11. */
static bool far_newer(const char *a, const char *b)
{
	return cv_ver_part(a, 0) != cv_ver_part(b, 0) || cv_ver_part(a, 1) - cv_ver_part(b, 1) >= 2;
}

/* The newest builds of torch, searched for once per Python: the rest of what is wanted is the machine's. */
static struct best newest_torch(const struct cv_judge_ctx *ctx, const struct cv_want *want)
{
	const char *key = cv_arena_printf(ctx->a, "torch %s", want->py ? want->py : "");
	const struct cv_memo_entry *known = recall(ctx, key);
	struct cv_kb_iter it = cv_kb_iter(ctx->kb, "torch", NULL, "release");
	struct cv_kb_row row;
	struct best best = { 0 };

	if (known)
		return (struct best){ known->first, known->second };
	while (cv_kb_next(&it, &row)) {
		struct cv_build_advice a = { 0 };
		bool full = false;

		if (cv_ver_is_pre(row.from) || !has_wheel(ctx, want, "torch", row.from))
			continue;
		if (best_build(ctx, want, row.from, &a, &full))
			offer(full ? &best.full : &best.minor, &a);
	}
	memorise(ctx, key, &best.full, &best.minor);
	return best;
}

bool cv_advise_torch_in_full(const struct cv_judge_ctx *ctx, const struct cv_want *want, struct cv_build_advice *ret)
{
	struct best best = newest_torch(ctx, want);

	if (best.full.version)
		*ret = best.full;
	return best.full.version != NULL;
}

bool cv_advise_torch(const struct cv_judge_ctx *ctx, const struct cv_want *want, const char *keep, struct cv_build_advice *ret)
{
	struct best best;
	bool full = false;

	if (keep && cv_kb_reach(ctx->kb, "torch", keep) == CV_KB_LISTED && has_wheel(ctx, want, "torch", keep) &&
	    best_build(ctx, want, keep, ret, &full))
		return true;
	best = newest_torch(ctx, want);
	if (!best.full.version && !best.minor.version)
		return false;
	if (!best.full.version || (best.minor.version && cv_ver_cmp(CV_VER_PEP440, best.minor.version, best.full.version) > 0 &&
				   far_newer(best.minor.version, best.full.version)))
		*ret = best.minor;
	else
		*ret = best.full;
	return true;
}

static bool ort_glibc(const struct cv_judge_ctx *ctx, const struct cv_want *want, const char *version)
{
	const char *glibc;

	if (!want->aarch64)
		return true;
	glibc = cv_kb_value(ctx->kb, "onnxruntime-gpu", version, "glibc_aarch64");
	return glibc && (!want->glibc || cv_ver_cmp(CV_VER_DOTTED, want->glibc, glibc) >= 0);
}

bool cv_advise_ort(const struct cv_judge_ctx *ctx, const struct cv_want *want, int64_t cuda_major, struct cv_build_advice *ret)
{
	const char *key = cv_arena_printf(ctx->a, "onnxruntime %lld %s", (long long)cuda_major, want->py ? want->py : "");
	const struct cv_memo_entry *known = recall(ctx, key);
	struct cv_kb_iter it = cv_kb_iter(ctx->kb, "onnxruntime-gpu", NULL, "release");
	struct cv_kb_row row;
	struct cv_build_advice best = { 0 };

	if (known) {
		*ret = known->first;
		return known->first.version != NULL;
	}
	while (cv_kb_next(&it, &row)) {
		const char *major = cv_kb_value(ctx->kb, "onnxruntime-gpu", row.from, "cuda");
		const char *built = cv_kb_value(ctx->kb, "onnxruntime-gpu", row.from, "built_cuda");
		struct cv_build_advice a = { .version = row.from, .cuda = built ? built : major };

		if (!major || cv_ver_is_pre(row.from) || (cuda_major && cv_ver_part(major, 0) != cuda_major))
			continue;
		if (!has_wheel(ctx, want, "onnxruntime-gpu", row.from) || !ort_glibc(ctx, want, row.from))
			continue;
		if (cv_driver_runs(want->api, want->api_exact, a.cuda) != CV_TRI_OK)
			continue;
		if (code_fits(ctx, want,
			      cv_kb_value(ctx->kb, "onnxruntime-gpu", row.from, want->aarch64 ? "code_aarch64" : "code"), a.cuda))
			offer(&best, &a);
	}
	memorise(ctx, key, &best, NULL);
	if (!best.version)
		return false;
	*ret = best;
	return true;
}

static bool serves_all(const char *list, const struct cv_want *want)
{
	for (size_t i = 0; i < want->n; i++)
		if (cv_code_match(list, want->gpus[i], CV_TRI_BAD).code != CV_CODE_NATIVE)
			return false;
	return true;
}

/* Does every package that asks for the wheel take this version? */
static bool is_asked(const struct cv_wenv *env, const char *wheel, const char *version)
{
	for (size_t i = 0; i < env->packages.n; i++) {
		const struct cv_strv *requires = cv_fact_list(env->packages.v[i], CV_F_package_requires);

		for (size_t k = 0; k < requires->n; k++) {
			struct cv_str spec = cv_str_of(requires->v[k]);
			ptrdiff_t marker;

			if (!cv_require_names(requires->v[k], wheel))
				continue;
			spec = cv_str_trim(cv_str_from(spec, strlen(wheel)));
			marker = cv_str_chr(spec, ';');
			spec = marker < 0 ? spec : cv_str_trim(cv_str_sub(spec, 0, (size_t)marker));
			if (spec.n && cv_spec_match(spec, version) == 0)
				return false;
		}
	}
	return true;
}

const char *cv_advise_cudnn(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, const char *flavour, int64_t major)
{
	struct cv_kb_iter it = cv_kb_iter(ctx->kb, "cudnn", NULL, cv_arena_printf(ctx->a, "code:%s", flavour));
	const char *wheel = cv_arena_printf(ctx->a, "nvidia-cudnn-%s", flavour), *best = NULL;
	struct cv_want want;
	struct cv_kb_row row;

	if (!ctx->w->x86 || !cv_want_of(ctx, env, &want))
		return NULL; /* kb lists the code of the x86_64 wheels */
	while (cv_kb_next(&it, &row)) {
		const char *versions =
			cv_kb_value(ctx->kb, "cudnn", row.from, cv_arena_printf(ctx->a, "wheel:%s", flavour));
		struct cv_str rest = cv_str_of(versions ? versions : ""), word;
		const char *version = cv_str_word(&rest, &word) ? cv_str_dup(ctx->a, word) : NULL;

		if (!cv_streq(row.tier, "artifact") || !version || cv_ver_part(version, 0) != major)
			continue;
		if (!serves_all(row.value, &want) || !is_asked(env, wheel, version))
			continue;
		if (!best || cv_ver_cmp(CV_VER_DOTTED, version, best) > 0)
			best = version;
	}
	return best;
}

const char *cv_cudnn_pin(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, int64_t cuda_major)
{
	const char *flavour = cv_arena_printf(ctx->a, "cu%lld", (long long)cuda_major), *newest = NULL, *release;
	struct cv_kb_iter it = cv_kb_iter(ctx->kb, "cudnn", NULL, cv_arena_printf(ctx->a, "code:%s", flavour));
	struct cv_want want;
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row))
		newest = row.value; /* rows of a property are in the order of versions */
	if (!newest || !ctx->w->x86 || !cv_want_of(ctx, env, &want) || serves_all(newest, &want))
		return NULL;
	release = cv_advise_cudnn(ctx, env, flavour, 9);
	return release ? cv_arena_printf(ctx->a, "nvidia-cudnn-%s==%s", flavour, release) : NULL;
}

const char *cv_last_driver(const struct cv_judge_ctx *ctx)
{
	const char *last = NULL;

	for (size_t i = 0; i < ctx->w->gpus.n; i++) {
		const char *cc = ctx->w->gpus.v[i].cc;
		const char *one = cc ? cv_kb_value(ctx->kb, "cc", cc, "last_driver") : NULL;

		if (one && (!last || cv_ver_cmp(CV_VER_DOTTED, one, last) < 0))
			last = one;
	}
	return last;
}

const char *cv_min_driver(const struct cv_judge_ctx *ctx)
{
	const char *min = NULL;

	for (size_t i = 0; i < ctx->w->gpus.n; i++) {
		const char *cc = ctx->w->gpus.v[i].cc;
		const char *one = cc ? cv_kb_value(ctx->kb, "cc", cc, "min_driver") : NULL;

		if (one && (!min || cv_ver_cmp(CV_VER_DOTTED, one, min) > 0))
			min = one;
	}
	return min;
}

enum cv_tri cv_advise_driver(const struct cv_judge_ctx *ctx, const char *version, const struct cv_wgpu **ret_gpu,
			     const char **ret_last)
{
	bool unknown = false;

	for (size_t i = 0; i < ctx->w->gpus.n; i++) {
		const struct cv_wgpu *g = &ctx->w->gpus.v[i];
		const char *last = g->cc ? cv_kb_value(ctx->kb, "cc", g->cc, "last_driver") : NULL;

		unknown |= g->cc == NULL;
		if (last && cv_ver_part(version, 0) > cv_ver_part(last, 0)) {
			*ret_gpu = g;
			*ret_last = last;
			return CV_TRI_BAD;
		}
	}
	return unknown ? CV_TRI_UNKNOWN : CV_TRI_OK;
}
