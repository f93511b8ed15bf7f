/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell starts with what the world tells: the driver's API against the build's CUDA, libraries that are there, GPU code by kb.
 * What is wrong is said by findings alone, which mark the cells they hit; so a bad cell always has an error that says so.
 *
 * "loads" is judged without the loader: the GPU library is there and undamaged, and the CUDA and cuDNN majors that it needs
 * are in the environment or where the loader looks.
 */
#include "judge/cells.h"

#include "base/version.h"
#include "judge/fate.h"
#include "judge/anchors.h"

enum cv_tri cv_driver_compiles(const struct cv_judge_ctx *ctx, const char *cuda, const char **ret_because)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	const char *release = cuda ? cv_ver_prefix(ctx->a, cuda, 2) : NULL;
	const char *known, *needed;

	if (ret_because)
		*ret_because = d->api ? "the CUDA release that made its PTX is not known" : d->api_because;
	if (!d->api || !release)
		return CV_TRI_UNKNOWN;
	if (cv_ver_part(d->api, 0) > cv_ver_part(release, 0))
		return CV_TRI_OK;
	if (cv_ver_part(release, 1) < 0)
		return CV_TRI_UNKNOWN;
	if (cv_ver_cmp(CV_VER_DOTTED, d->api, release) >= 0)
		return CV_TRI_OK;
	known = cv_kb_value(ctx->kb, "cuda", d->api, "ptx_isa");
	needed = cv_kb_value(ctx->kb, "cuda", release, "ptx_isa");
	if (known && needed && cv_ver_cmp(CV_VER_DOTTED, known, needed) >= 0)
		return CV_TRI_OK;
	if (!d->api_exact || !known || !needed) {
		if (ret_because)
			*ret_because =
				cv_arena_printf(ctx->a, "whether this driver compiles PTX of CUDA %s is not known", release);
		return CV_TRI_UNKNOWN;
	}
	return CV_TRI_BAD;
}

/*
 * XLA compiles at run time for whatever GPU is there, if it is not older than JAX serves and not newer than the compiler of
 * the CUDA release that the plugin is for: known to the major only, so the GPU must have come with its first release.
 */
static bool xla_serves(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const struct cv_wgpu *g)
{
	const char *version = l->version ? cv_ver_public(ctx->a, l->version) : NULL, *min, *first;

	if (!cv_streq(l->framework, "jax") || l->code || !version || !l->cuda || !g->cc)
		return false;
	min = cv_kb_value(ctx->kb, "jax", version, cv_arena_printf(ctx->a, "min_cc:%lld", (long long)cv_ver_part(l->cuda, 0)));
	first = cv_kb_value(ctx->kb, "cc", g->cc, "first_cuda");
	return min && first && cv_ver_cmp(CV_VER_DOTTED, g->cc, min) >= 0 && cv_ver_cmp(CV_VER_DOTTED, first, l->cuda) <= 0;
}

/* The PTX version that belongs to the driver's CUDA version. */
struct cv_ptx_limit cv_ptx_limit_of(const struct cv_judge_ctx *ctx)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	const char *isa = d->api ? cv_kb_value(ctx->kb, "cuda", d->api, "ptx_isa") : NULL;
	struct cv_cc v;

	if (!isa || !cv_cc_parse(isa, &v))
		return (struct cv_ptx_limit){ 0 };
	return (struct cv_ptx_limit){ .isa = (uint16_t)(v.major * 10 + v.minor), .exact = d->api_exact };
}

struct cv_code_match cv_load_code(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const struct cv_wgpu *g)
{
	struct cv_code_match none = { .code = CV_CODE_UNKNOWN };

	if (l->build == CV_BUILD_GPU && (l->code_elsewhere || xla_serves(ctx, l, g)))
		return (struct cv_code_match){ .code = CV_CODE_PTX_JIT };
	if (l->build != CV_BUILD_GPU || !l->code || !g->cc)
		return none;
	if (l->has_file_code)
		return cv_weigh(&l->file_code, g->ccn, cv_ptx_limit_of(ctx));
	return cv_code_match(l->code, g->ccn, cv_driver_compiles(ctx, l->cuda, NULL));
}

bool cv_package_intact(const struct cv_subject *pkg)
{
	return cv_fact_int(pkg, CV_F_package_record_missing_n, 0) == 0 && cv_fact_int(pkg, CV_F_package_record_changed_n, 0) == 0;
}

/* The wheels of the CUDA stack; from CUDA 13 on the toolkit's have no suffix and their major is the CUDA major. */
static const struct {
	const char *family, *wheel;
} wheels[] = {
	{ "cudart", "nvidia-cuda-runtime" },
	{ "cublas", "nvidia-cublas" },
	{ "cublasLt", "nvidia-cublas" },
	{ "cudnn", "nvidia-cudnn" },
	{ "cufft", "nvidia-cufft" },
	{ "curand", "nvidia-curand" },
	{ "cusolver", "nvidia-cusolver" },
	{ "cusparse", "nvidia-cusparse" },
	{ "nvrtc", "nvidia-cuda-nvrtc" },
};

const char *cv_wheel_of(struct cv_str family)
{
	for (size_t i = 0; i < sizeof(wheels) / sizeof(wheels[0]); i++)
		if (cv_str_is(family, wheels[i].family))
			return wheels[i].wheel;
	return NULL;
}

const char *cv_wheel_family(const char *wheel, size_t n)
{
	for (size_t i = 0; i < sizeof(wheels) / sizeof(wheels[0]); i++)
		if (cv_streq(wheels[i].wheel, wheel) && n-- == 0)
			return wheels[i].family;
	return NULL;
}

/*
 * Does an undamaged nvidia wheel of the environment bring this library? Only asked where files were not looked at (a report that
 * lists packages, an environment that is not selected): where they were, a library that was not seen is not there for sure.
 */
static bool wheel_provides(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, const char *soname)
{
	const char *wheel = cv_wheel_of(cv_soname_family(soname));
	struct cv_str major = cv_soname_major(soname);

	for (size_t i = 0; wheel && i < env->packages.n; i++) {
		const struct cv_subject *p = env->packages.v[i];
		const char *name = cv_fact_str(p, CV_F_package_name), *version = cv_fact_str(p, CV_F_package_version);
		const char *suffix;

		if (!name || !version || !cv_starts(name, wheel) || !cv_package_intact(p))
			continue;
		suffix = name + strlen(wheel);
		if (*suffix && !cv_starts(suffix, "-cu"))
			continue;
		if (cv_str_is(major, cv_arena_printf(ctx->a, "%lld", (long long)cv_ver_part(version, 0))))
			return true;
	}
	return false;
}

/* A file that could not be read as a library, or not at all, provides nothing that is known. */
static bool is_unread(const struct cv_wlib *lib)
{
	enum cv_state state = cv_fact(lib->s, CV_F_lib_soname)->state;

	return state == CV_UNPARSED || state == CV_DENIED;
}

static bool lib_is(const struct cv_wlib *lib, const char *soname)
{
	if (is_unread(lib))
		return false;
	return cv_streq(lib->soname ? lib->soname : cv_basename(lib->path), soname);
}

static bool same_family(const struct cv_wlib *lib, struct cv_str family)
{
	return lib->soname && cv_str_eq(cv_soname_family(lib->soname), family);
}

static bool files_seen(const struct cv_world *w, const struct cv_wenv *env)
{
	return w->machine && env->selected && cv_fact_known(env->s, CV_F_env_sys_path) && cv_fact_known(env->s, CV_F_env_packages);
}

struct cv_provided cv_load_provided(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const char *soname)
{
	const struct cv_world *w = ctx->w;
	const struct cv_wenv *env = &w->envs.v[l->env];
	struct cv_str family = cv_soname_family(soname);
	struct cv_provided p = { 0 };

	for (size_t i = 0; i < env->near.n; i++) {
		const struct cv_wlib *lib = env->near.v[i].lib;
		enum cv_provider by = env->near.v[i].in_env ? CV_PROVIDER_ENV : CV_PROVIDER_LOADER;

		if (lib_is(lib, soname)) {
			if (p.by == CV_PROVIDER_NONE || by < p.by) {
				p.by = by;
				p.lib = lib;
			}
		} else if (same_family(lib, family) && !p.other_major) {
			p.other_major = lib;
		}
	}
	if (p.by == CV_PROVIDER_NONE) {
		p.lib = cv_map_get(&w->by_soname, soname);
		p.by = p.lib ? CV_PROVIDER_ELSEWHERE : CV_PROVIDER_NONE;
	}
	if ((p.by == CV_PROVIDER_NONE || p.by == CV_PROVIDER_ELSEWHERE) && !files_seen(w, env) && wheel_provides(ctx, env, soname))
		p = (struct cv_provided){ .by = CV_PROVIDER_ENV };
	return p;
}

bool cv_soname_decides(const char *soname)
{
	return cv_wheel_of(cv_soname_family(soname)) && cv_soname_major(soname).n;
}

void cv_load_needs(const struct cv_judge_ctx *ctx, const struct cv_wload *l, struct cv_strv *ret)
{
	const struct cv_strv *needed = cv_fact_list(l->fw, CV_F_framework_gpu_needed);
	const char *version = l->version ? cv_ver_public(ctx->a, l->version) : NULL, *cudnn, *soname;

	for (size_t i = 0; i < needed->n; i++)
		if (cv_soname_decides(needed->v[i]))
			cv_strv_push(ctx->a, ret, needed->v[i]);
	/* ONNX Runtime opens cuDNN only when a session begins, from 1.28 on. */
	if (!needed->n || !version || !cv_streq(l->framework, "onnxruntime"))
		return;
	cudnn = cv_kb_value(ctx->kb, "onnxruntime-gpu", version, "cudnn");
	if (!cudnn)
		return;
	soname = cv_arena_printf(ctx->a, "libcudnn.so.%lld", (long long)cv_ver_part(cudnn, 0));
	if (!cv_strv_has(ret, soname))
		cv_strv_push(ctx->a, ret, soname);
}

static enum cv_tri loads_of(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const char **ret_because)
{
	enum cv_state lib = cv_fact(l->fw, CV_F_framework_gpu_lib)->state;
	struct cv_fate fate = cv_load_fate(ctx, l);
	struct cv_strv needs = { 0 };

	if (fate.kind == CV_FATE_FAILS) { /* BAD is for a rule to say */
		*ret_because = fate.message;
		return CV_TRI_UNKNOWN;
	}
	if (l->build == CV_BUILD_CPU || l->build == CV_BUILD_ROCM)
		return CV_TRI_OK;
	if (l->build == CV_BUILD_UNKNOWN) {
		*ret_because = cv_arena_printf(ctx->a, "whether %s is a GPU build is not known (%s)", l->label, l->build_because);
		return CV_TRI_UNKNOWN;
	}
	if (lib != CV_KNOWN) {
		*ret_because = cv_fact_because(ctx->a, l->fw, CV_F_framework_gpu_lib);
		return CV_TRI_UNKNOWN;
	}
	lib = cv_fact(l->fw, CV_F_framework_gpu_needed)->state;
	if (lib == CV_UNPARSED || lib == CV_DENIED) {
		*ret_because = cv_fact_because(ctx->a, l->fw, CV_F_framework_gpu_needed);
		return CV_TRI_UNKNOWN;
	}
	if (!cv_package_intact(l->pkg)) {
		*ret_because = cv_arena_printf(ctx->a, "files of %s are missing or changed", l->dist);
		return CV_TRI_UNKNOWN;
	}
	if (fate.kind != CV_FATE_UNKNOWN)
		return CV_TRI_OK;
	if (fate.because) {
		*ret_because = fate.because;
		return CV_TRI_UNKNOWN;
	}
	cv_load_needs(ctx, l, &needs);
	for (size_t i = 0; i < needs.n; i++) {
		enum cv_provider by = cv_load_provided(ctx, l, needs.v[i]).by;

		if (by == CV_PROVIDER_ENV || by == CV_PROVIDER_LOADER)
			continue;
		*ret_because = cv_arena_printf(ctx->a, "where %s comes from is not known", needs.v[i]);
		return CV_TRI_UNKNOWN;
	}
	return CV_TRI_OK;
}

/* Only where no libcuda can be read do the numbers of the module decide. */
static enum cv_tri floor_by_module(const struct cv_judge_ctx *ctx, const char *cuda, const char **ret_because)
{
	const char *module = ctx->w->driver.module;
	const char *floor = cv_kb_value(ctx->kb, "cuda", cuda, "floor_driver");

	if (!module || !floor) {
		*ret_because = ctx->w->driver.api_because ? ctx->w->driver.api_because : "the driver's CUDA version is not known";
		return CV_TRI_UNKNOWN;
	}
	return cv_ver_cmp(CV_VER_DOTTED, module, floor) >= 0 ? CV_TRI_OK : CV_TRI_BAD;
}

enum cv_tri cv_driver_floor(const struct cv_judge_ctx *ctx, const char *cuda, const char **ret_because)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	enum cv_tri runs;

	if (!cuda) {
		*ret_because = "the CUDA release of the build is not known";
		return CV_TRI_UNKNOWN;
	}
	if (!d->library_read && !d->tegra && !ctx->w->jetson && !cv_fact_known(d->s, CV_F_driver_cuda_api))
		return floor_by_module(ctx, cuda, ret_because);
	runs = cv_driver_runs(d->api, d->api_exact, cuda);
	if (runs == CV_TRI_UNKNOWN)
		*ret_because = d->api ? cv_arena_printf(ctx->a, "driver %s is newer than this knowledge base (%s)", d->version,
							cv_kb_date(ctx->kb))
				      : d->api_because;
	return runs;
}

static enum cv_tri driver_of(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const char **ret_because)
{
	const struct cv_wdriver *d = &ctx->w->driver;

	if (d->state == CV_DRIVER_UNKNOWN) {
		*ret_because = d->unknown_because;
		return CV_TRI_UNKNOWN;
	}
	if (d->state != CV_DRIVER_READY)
		return CV_TRI_UNKNOWN;
	if (d->version_because) {
		*ret_because = d->version_because;
		return CV_TRI_UNKNOWN;
	}
	if (l->build == CV_BUILD_CPU || l->build == CV_BUILD_ROCM)
		return CV_TRI_OK;
	/* BAD is for the rule driver-too-old to say. */
	return cv_driver_floor(ctx, l->cuda, ret_because) == CV_TRI_OK ? CV_TRI_OK : CV_TRI_UNKNOWN;
}

static enum cv_code code_of(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const struct cv_wgpu *g,
			    bool *ret_cudnn, const char **ret_because)
{
	const struct cv_anchor *by;
	struct cv_code_match m;

	if (l->build != CV_BUILD_GPU)
		return CV_CODE_UNKNOWN;
	if (!g) {
		*ret_because = ctx->w->has_gpu_because ? ctx->w->has_gpu_because : "there is no GPU to judge for";
		return CV_CODE_UNKNOWN;
	}
	m = cv_cell_code(ctx, l, g, &by);
	if (m.code == CV_CODE_NONE || m.code == CV_CODE_PARTIAL) { /* is for a rule to say */
		*ret_cudnn = by != NULL;
		if (g->visible == CV_TRI_UNKNOWN)
			*ret_because = cv_arena_printf(ctx->a, "whether CUDA_VISIBLE_DEVICES=%s means this GPU is not known",
						       ctx->w->mask_value);
		return CV_CODE_UNKNOWN;
	}
	if (m.code != CV_CODE_UNKNOWN)
		return m.code;
	if (!g->cc)
		*ret_because = g->cc_because;
	else if (by)
		*ret_because = cv_anchor_because(ctx, by, g, &m);
	else if (!l->code)
		*ret_because = l->code_because;
	else if (m.undecided)
		*ret_because = cv_arena_printf(ctx->a, "whether code of %s runs on compute capability %s is not settled",
					       l->label, g->cc);
	else if (l->has_file_code)
		*ret_because =
			ctx->w->driver.api ? "whether this driver compiles its PTX is not known" : ctx->w->driver.api_because;
	else
		(void)cv_driver_compiles(ctx, l->cuda, ret_because);
	return m.code;
}

static const char *cudnn_shown(const struct cv_judge_ctx *ctx, const struct cv_wload *l)
{
	const struct cv_wenv *env = &ctx->w->envs.v[l->env];

	for (size_t i = 0; i < env->near.n; i++) {
		const struct cv_wlib *lib = env->near.v[i].lib;

		if (env->near.v[i].in_env && lib->family && cv_streq(lib->family, "cudnn") && lib->version)
			return lib->version;
	}
	return l->cudnn;
}

static void make_cell(struct cv_judge_ctx *ctx, const struct cv_wload *l, size_t gpu)
{
	const struct cv_wgpu *g = gpu == CV_NO_INDEX ? NULL : &ctx->w->gpus.v[gpu];
	const struct cv_wdriver *d = &ctx->w->driver;
	struct cv_cell *c = CV_VEC_PUSH(ctx->a, &ctx->report->cells);
	const char *driver_why = NULL, *loads_why = NULL, *code_why = NULL;

	if (!c)
		return;
	c->key = g ? cv_arena_printf(ctx->a, "%zu|%s|%zu", l->env, l->name, gpu)
		   : cv_arena_printf(ctx->a, "%zu|%s|-", l->env, l->name);
	c->env = l->env;
	c->gpu = gpu;
	c->workload = l->name;
	c->driver = driver_of(ctx, l, &driver_why);
	c->loads = loads_of(ctx, l, &loads_why);
	c->code = code_of(ctx, l, g, &c->cudnn_lacks_code, &code_why);
	c->unknown_because = driver_why ? driver_why : loads_why ? loads_why : code_why;
	c->show_driver = d->module ? d->module : d->version;
	c->show_cuda = l->cuda;
	c->show_cudnn = l->build == CV_BUILD_GPU ? cudnn_shown(ctx, l) : NULL;
	c->show_framework = l->label;
	if (g)
		c->show_gpu = cv_arena_printf(ctx->a, "%s (%s)", g->label, g->cc ? g->cc : "?");
}

/* GPUs that count: visible ones and those that a wrong driver holds; where that leaves none, those that are hidden. */
static bool gpu_counts(const struct cv_world *w, const struct cv_wgpu *g)
{
	if (g->visible != CV_TRI_BAD || g->held_by_linux)
		return true;
	return (g->masked || g->unbound) && w->visible_n + w->maybe_n == 0;
}

void cv_cells_make(struct cv_judge_ctx *ctx)
{
	for (size_t i = 0; i < ctx->w->loads.n; i++) {
		bool any = false;

		for (size_t g = 0; g < ctx->w->gpus.n; g++)
			if (gpu_counts(ctx->w, &ctx->w->gpus.v[g])) {
				make_cell(ctx, &ctx->w->loads.v[i], g);
				any = true;
			}
		if (!any)
			make_cell(ctx, &ctx->w->loads.v[i], CV_NO_INDEX);
	}
}

static bool has_error(const struct cv_judge_ctx *ctx, const char *key)
{
	for (size_t i = 0; i < ctx->found.n; i++)
		if (ctx->found.v[i]->severity == CV_ERROR && cv_strv_has(&ctx->found.v[i]->cells, key))
			return true;
	return false;
}

void cv_cells_judge(struct cv_judge_ctx *ctx)
{
	for (size_t i = 0; i < ctx->report->cells.n; i++) {
		struct cv_cell *c = &ctx->report->cells.v[i];

		if (has_error(ctx, c->key)) {
			c->verdict = CV_VERDICT_PROBLEM;
			c->unknown_because = NULL;
		} else if (c->driver == CV_TRI_OK && c->loads == CV_TRI_OK &&
			   (c->code == CV_CODE_NATIVE || c->code == CV_CODE_PTX_JIT)) {
			c->verdict = CV_VERDICT_OK;
			c->unknown_because = NULL;
		} else {
			c->verdict = CV_VERDICT_CANNOT_TELL;
		}
	}
}
