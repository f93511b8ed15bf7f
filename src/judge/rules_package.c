/* SPDX-License-Identifier: Apache-2.0 */
/* Packages by themselves: two that write one directory, damaged files, hidden copies, wheels for a newer glibc. */
#include "judge/rules.h"

#include "base/version.h"
#include "judge/advise.h"
#include "judge/cells.h"
#include "judge/effect.h"

static const char *name_of(const struct cv_subject *pkg)
{
	const char *name = cv_fact_str(pkg, CV_F_package_name);

	return name ? name : cv_basename(cv_subject_key(pkg));
}

static const char *version_of(const struct cv_subject *pkg)
{
	return cv_fact_str(pkg, CV_F_package_version);
}

static const char *label_of(const struct cv_judge_ctx *ctx, const struct cv_subject *pkg)
{
	return version_of(pkg) ? cv_arena_printf(ctx->a, "%s %s", name_of(pkg), version_of(pkg)) : name_of(pkg);
}

static const char *path_of(const struct cv_subject *pkg)
{
	const char *path = cv_fact_str(pkg, CV_F_package_path);

	return path ? path : cv_subject_key(pkg);
}

static const char *package_kb(const struct cv_judge_ctx *ctx, const char *name, const char *property)
{
	return cv_kb_value(ctx->kb, cv_arena_printf(ctx->a, "package:%s", name), NULL, property);
}

static bool writes_same(const struct cv_judge_ctx *ctx, const char *a, const char *b)
{
	const char *x = cv_world_writes(ctx->w, a), *y = cv_world_writes(ctx->w, b);

	return x && y && cv_streq(x, y);
}

bool cv_is_double(const struct cv_judge_ctx *ctx, const struct cv_wload *l, const struct cv_subject **ret_cpu,
		  const struct cv_subject **ret_gpu)
{
	const struct cv_wenv *env = &ctx->w->envs.v[l->env];
	const struct cv_subject *cpu = NULL, *gpu = NULL;

	for (size_t i = 0; i < env->packages.n; i++) {
		const char *name = name_of(env->packages.v[i]);
		const char *writes = cv_world_writes(ctx->w, name), *gives;

		if (!writes || !cv_streq(writes, l->framework))
			continue;
		gives = package_kb(ctx, name, "provides_gpu");
		if (!gives)
			continue;
		if (cv_streq(gives, "no"))
			cpu = env->packages.v[i];
		else
			gpu = env->packages.v[i];
	}
	if (!cpu || !gpu)
		return false;
	*ret_cpu = cpu;
	*ret_gpu = gpu;
	return true;
}

static void report_double(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wload *l,
			  const struct cv_subject *cpu, const struct cv_subject *gpu)
{
	bool gpu_last = l->build == CV_BUILD_GPU;
	struct cv_finding *f;
	const char *none = NULL;

	if (gpu_last)
		f = cv_find(ctx, self, "%s and %s are installed over each other; the files of %s are in place",
			    label_of(ctx, cpu), label_of(ctx, gpu), name_of(gpu));
	else
		f = cv_find(ctx, self, "%s has overwritten the files of %s", label_of(ctx, cpu), label_of(ctx, gpu));
	if (gpu_last)
		f->severity = CV_WARNING; /* it works, until either is removed or updated */
	cv_find_env(ctx, f, &ctx->w->envs.v[l->env]);
	cv_find_subject(f, "package", name_of(cpu), path_of(cpu));
	cv_find_param(ctx, f, "package", name_of(cpu));
	cv_find_param(ctx, f, "package", name_of(gpu));
	cv_find_param(ctx, f, "found", gpu_last ? name_of(gpu) : name_of(cpu));
	cv_find_fact(ctx, f, cpu, CV_F_package_version);
	cv_find_fact(ctx, f, gpu, CV_F_package_version);
	cv_find_fact(ctx, f, l->fw, CV_F_framework_package);
	cv_find_fact(ctx, f, l->fw, CV_F_framework_cuda);
	if (cv_fact_known(l->fw, CV_F_framework_native_of))
		cv_find_fact(ctx, f, l->fw, CV_F_framework_native_of);
	cv_find_why(ctx, f,
		    "Both write the import directory %s; the one written last wins, and removing either takes files away from "
		    "the other.",
		    l->framework);
	if (!cv_streq(l->framework, "onnxruntime") || !cv_fix_ort(ctx, f, l, &none)) {
		struct cv_install in = { .env = &ctx->w->envs.v[l->env], .pkg = gpu };

		cv_strv_push(ctx->a, &in.remove, name_of(cpu));
		cv_strv_push(ctx->a, &in.remove, name_of(gpu));
		cv_strv_push(ctx->a, &in.specs,
			     version_of(gpu) ? cv_arena_printf(ctx->a, "%s==%s", name_of(gpu), version_of(gpu)) : name_of(gpu));
		if (!cv_find_install(ctx, f, &in, "removes both, then installs the GPU package alone"))
			cv_find_text(ctx, f, "remove both packages, then install the GPU one alone", NULL);
	}
	cv_find_prove(ctx, f, "cuvet check --env %s", cv_shell_quote(ctx->a, ctx->w->envs.v[l->env].path));
	cv_find_hits(ctx, f, gpu_last ? CV_ASPECT_NONE : CV_ASPECT_CODE,
		     (struct cv_hit){ .env = l->env, .gpu = CV_NO_INDEX, .workload = l->name });
}

CV_RULE(cv_rule_cpu_shadows_gpu)
{
	size_t n = 0;

	for (size_t i = 0; i < ctx->w->loads.n; i++) {
		const struct cv_subject *cpu, *gpu;

		if (!cv_is_double(ctx, &ctx->w->loads.v[i], &cpu, &gpu))
			continue;
		n++;
		report_double(ctx, self, &ctx->w->loads.v[i], cpu, gpu);
	}
	if (n)
		return;
	if (ctx->w->loads.n)
		cv_ruled_out(ctx, self, "no CPU and GPU package of one framework are installed together");
	else
		cv_not_evaluated(ctx, self, "no framework is installed");
}

/* Missing byte code is no damage: Python makes it again. */
static uint64_t missing_n(const struct cv_subject *pkg)
{
	const struct cv_strv *list = cv_fact_list(pkg, CV_F_package_record_missing);
	uint64_t n = cv_fact_int(pkg, CV_F_package_record_missing_n, 0), pyc = 0;

	for (size_t i = 0; i < list->n; i++)
		pyc += cv_ends(list->v[i], ".pyc");
	return n > pyc ? n - pyc : 0;
}

static bool unreadable(const struct cv_subject *pkg)
{
	return cv_fact(pkg, CV_F_package_version)->state == CV_UNPARSED ||
	       cv_fact(pkg, CV_F_package_record_files)->state == CV_UNPARSED;
}

/* Another installed package that writes the same import directory: it explains files of other sizes. */
static bool overwritten(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, const struct cv_subject *pkg)
{
	for (size_t i = 0; i < env->packages.n; i++)
		if (env->packages.v[i] != pkg && writes_same(ctx, name_of(env->packages.v[i]), name_of(pkg)))
			return true;
	return false;
}

bool cv_is_damaged(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, const struct cv_subject *pkg)
{
	if (missing_n(pkg) || unreadable(pkg))
		return true;
	return cv_fact_int(pkg, CV_F_package_record_changed_n, 0) && !overwritten(ctx, env, pkg);
}

static const char *torch_url(const struct cv_judge_ctx *ctx, const char *version)
{
	const char *url = cv_kb_value(ctx->kb, "index", NULL, "url:pytorch"), *local = cv_ver_local(ctx->a, version);
	ptrdiff_t at = url ? cv_str_find(cv_str_of(url), "%s") : -1;

	return at < 0 || !local ? NULL : cv_arena_printf(ctx->a, "%.*s%s%s", (int)at, url, local, url + at + 2);
}

static void reinstall_fix(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wenv *env, const struct cv_subject *pkg)
{
	const char *version = version_of(pkg);
	struct cv_install in = { .env = env, .pkg = pkg, .force = true, .no_deps = true };

	cv_strv_push(ctx->a, &in.specs, version ? cv_arena_printf(ctx->a, "%s==%s", name_of(pkg), version) : name_of(pkg));
	if (version && cv_starts(name_of(pkg), "torch"))
		in.index_url = torch_url(ctx, version);
	if (cv_find_install(ctx, f, &in, "writes the package's files again"))
		return;
	if (cv_is_conda(env, pkg))
		cv_find_command(ctx, f,
				cv_arena_printf(ctx->a, "conda install -p %s --force-reinstall %s",
						cv_shell_quote(ctx->a, env->path), name_of(pkg)),
				"writes the package's files again");
	else
		cv_find_text(ctx, f, "reinstall the package with the tool that installed it", NULL);
}

/* The workloads that use the package: its own, and those that require it. */
static void hit_users(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wenv *env, const struct cv_subject *pkg)
{
	for (size_t i = 0; i < ctx->w->loads.n; i++) {
		const struct cv_wload *l = &ctx->w->loads.v[i];
		const struct cv_strv *requires = cv_fact_list(l->pkg, CV_F_package_requires);
		bool uses = l->pkg == pkg;

		if (l->env != env->index)
			continue;
		for (size_t k = 0; k < requires->n && !uses; k++)
			uses = cv_require_names(requires->v[k], name_of(pkg));
		if (uses)
			cv_find_hits(ctx, f, CV_ASPECT_LOADS,
				     (struct cv_hit){ .env = env->index, .gpu = CV_NO_INDEX, .workload = l->name });
	}
}

static const char *damage_title(const struct cv_judge_ctx *ctx, const struct cv_subject *pkg)
{
	uint64_t missing = missing_n(pkg), changed = cv_fact_int(pkg, CV_F_package_record_changed_n, 0);
	const char *what = "its metadata cannot be read";

	if (missing && changed)
		what = cv_arena_printf(ctx->a, "%llu of its files are missing, %llu have another size than recorded",
				       (unsigned long long)missing, (unsigned long long)changed);
	else if (missing)
		what = cv_arena_printf(ctx->a, "%llu of its files %s missing", (unsigned long long)missing,
				       missing == 1 ? "is" : "are");
	else if (changed)
		what = cv_arena_printf(ctx->a, "%llu of its files %s another size than recorded", (unsigned long long)changed,
				       changed == 1 ? "has" : "have");
	return cv_arena_printf(ctx->a, "%s is damaged: %s", label_of(ctx, pkg), what);
}

/* A CPU package on a machine with a GPU is not put back: with its files whole it would be the next finding. */
static bool gpu_build_instead(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wenv *env,
			      const struct cv_subject *pkg)
{
	const char *role = package_kb(ctx, name_of(pkg), "role"), *framework = package_kb(ctx, name_of(pkg), "framework");
	const struct cv_wload *l = framework ? cv_world_load(ctx->w, env->index, framework) : NULL;

	return l && ctx->w->has_gpu == CV_TRI_OK && role && cv_streq(role, "cpu-build") && cv_streq(framework, "onnxruntime") &&
	       cv_fix_ort(ctx, f, l, NULL);
}

static void report_damaged(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wenv *env,
			   const struct cv_subject *pkg)
{
	struct cv_finding *f = cv_find(ctx, self, "%s", damage_title(ctx, pkg));
	const char *partner = package_kb(ctx, name_of(pkg), "framework");

	cv_find_env(ctx, f, env);
	cv_find_subject(f, "package", name_of(pkg), path_of(pkg));
	cv_find_param(ctx, f, "package", label_of(ctx, pkg));
	cv_find_params(ctx, f, "missing", cv_fact_list(pkg, CV_F_package_record_missing));
	cv_find_params(ctx, f, "changed", cv_fact_list(pkg, CV_F_package_record_changed));
	if (unreadable(pkg))
		cv_find_fact(ctx, f, pkg,
			     cv_fact(pkg, CV_F_package_version)->state == CV_UNPARSED ? CV_F_package_version
										      : CV_F_package_record_files);
	if (missing_n(pkg)) {
		cv_find_fact(ctx, f, pkg, CV_F_package_record_missing_n);
		cv_find_fact(ctx, f, pkg, CV_F_package_record_missing);
	}
	if (cv_fact_int(pkg, CV_F_package_record_changed_n, 0)) {
		cv_find_fact(ctx, f, pkg, CV_F_package_record_changed_n);
		cv_find_fact(ctx, f, pkg, CV_F_package_record_changed);
	}
	if (partner && missing_n(pkg) && !overwritten(ctx, env, pkg) && cv_streq(partner, "onnxruntime"))
		cv_find_why(ctx, f,
			    "Its RECORD lists files that are not there. Removing another onnxruntime package does that: both "
			    "write the same directory.");
	else
		cv_find_why(ctx, f,
			    "The files on disk are not those that its RECORD lists: an interrupted or overlaid installation, or "
			    "files changed by hand.");
	if (!gpu_build_instead(ctx, f, env, pkg))
		reinstall_fix(ctx, f, env, pkg);
	cv_find_prove(ctx, f, "cuvet check --env %s", cv_shell_quote(ctx->a, env->path));
	hit_users(ctx, f, env, pkg);
	if (overwritten(ctx, env, pkg))
		cv_find_symptom(f, "cpu-package-shadows-gpu");
}

CV_RULE(cv_rule_damaged)
{
	size_t n = 0, checked = 0;
	const char *unknown = NULL;

	for (size_t e = 0; e < ctx->w->envs.n; e++)
		for (size_t i = 0; i < ctx->w->envs.v[e].packages.n; i++) {
			const struct cv_wenv *env = &ctx->w->envs.v[e];
			const struct cv_subject *pkg = env->packages.v[i];
			enum cv_state record = cv_fact(pkg, CV_F_package_record_missing_n)->state;

			if (cv_is_damaged(ctx, env, pkg)) {
				n++;
				report_damaged(ctx, self, env, pkg);
			} else if (record == CV_KNOWN) {
				checked++;
			} else if (record == CV_DENIED || record == CV_UNPARSED) {
				unknown = cv_fact_because(ctx->a, pkg, CV_F_package_record_missing_n);
			}
		}
	if (unknown)
		cv_not_evaluated(ctx, self, "%s", unknown);
	else if (!n && checked)
		cv_ruled_out(ctx, self, "the files of %zu package%s are as recorded", checked, checked == 1 ? "" : "s");
	else if (!n)
		cv_not_evaluated(ctx, self, "no package has a RECORD that could be compared");
}

/* The framework whose wheel it is, or NULL. */
static const struct cv_wload *load_of(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, const struct cv_subject *pkg)
{
	for (size_t i = 0; i < ctx->w->loads.n; i++)
		if (ctx->w->loads.v[i].env == env->index && ctx->w->loads.v[i].pkg == pkg)
			return &ctx->w->loads.v[i];
	return NULL;
}

/* A copy that is not imported, and the one that is. */
struct hidden {
	const struct cv_subject *hidden, *seen;
};

static bool is_foreign(const struct cv_wenv *env, const struct hidden *h)
{
	return !cv_path_below(path_of(h->seen), env->path);
}

/* A copy of the environment's own, or of the same version, is what an import should get. */
static bool is_mild(const struct cv_wenv *env, const struct hidden *h)
{
	const char *a = version_of(h->hidden), *b = version_of(h->seen);

	return !is_foreign(env, h) || (a && b && cv_ver_cmp(CV_VER_PEP440, a, b) == 0);
}

/* The hidden copy is what an import gets then: as facts, a package of that version and the framework in it. */
static void unhide(struct cv_judge_ctx *ctx, struct cv_fix *x, const struct cv_wenv *env, const struct hidden *h)
{
	struct cv_install in = { .env = env, .no_deps = true };

	if (!version_of(h->hidden)) {
		cv_fix_untried(x, cv_arena_printf(ctx->a, "the version of the hidden %s is not known", name_of(h->hidden)));
		return;
	}
	cv_strv_push(ctx->a, &in.remove, name_of(h->seen));
	cv_strv_push(ctx->a, &in.specs, cv_arena_printf(ctx->a, "%s==%s", name_of(h->hidden), version_of(h->hidden)));
	cv_fix_remove(ctx, x, h->hidden);
	cv_fix_install(ctx, x, &in);
}

/* One cause, a directory before another, whatever number of packages it hides: the others are named in one finding. */
static void report_hidden(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wenv *env,
			  const struct hidden *h, const struct cv_strv *others, const struct hidden *v, size_t n)
{
	struct cv_fix *x;
	const struct cv_subject *hidden = h->hidden, *seen = h->seen;
	bool foreign = is_foreign(env, h);
	struct cv_finding *f = cv_find(ctx, self, "%s in %s hides %s of this environment", label_of(ctx, seen),
				       cv_dirname(ctx->a, path_of(seen)), label_of(ctx, hidden));

	if (is_mild(env, h))
		f->severity = CV_WARNING;
	cv_find_env(ctx, f, env);
	cv_find_subject(f, "package", name_of(seen), path_of(seen));
	cv_find_param(ctx, f, "package", name_of(seen));
	cv_find_param(ctx, f, "found", version_of(seen));
	cv_find_param(ctx, f, "hidden", version_of(hidden));
	cv_find_params(ctx, f, "also", others);
	cv_find_fact(ctx, f, seen, CV_F_package_version);
	cv_find_fact(ctx, f, hidden, CV_F_package_version);
	cv_find_fact(ctx, f, hidden, CV_F_package_shadowed);
	cv_find_why(ctx, f, "Python takes the first copy on sys.path%s.",
		    foreign ? ", and that one lies outside the environment (user site or PYTHONPATH)" : "");
	if (foreign && env->exe)
		cv_fix_untried(cv_find_command(ctx, f,
					       cv_arena_printf(ctx->a, "PYTHONNOUSERSITE=1 %s -c \"import sys; print(sys.path)\"",
							       cv_shell_quote(ctx->a, env->exe)),
					       "shows what the environment is without the user site; export PYTHONNOUSERSITE=1 (and "
					       "unset PYTHONPATH) to keep it out"),
			       "it shows something and changes nothing");
	x = cv_find_text(ctx, f, cv_arena_printf(ctx->a, "remove the copy in %s", cv_dirname(ctx->a, path_of(seen))),
			 "lets the environment's own copy be imported");
	for (size_t i = 0; i < n; i++)
		unhide(ctx, x, env, &v[i]);
	cv_find_prove(ctx, f, "cuvet check --env %s", cv_shell_quote(ctx->a, env->path));
}

/* The hidden copies of one environment that are mild or not; a framework's first. */
static void judge_hidden(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wenv *env, const struct hidden *v,
			 size_t n, bool mild)
{
	const struct hidden *first = NULL;
	struct cv_strv others = { 0 };

	for (size_t i = 0; i < n; i++)
		if (is_mild(env, &v[i]) == mild && (!first || (load_of(ctx, env, v[i].seen) && !load_of(ctx, env, first->seen))))
			first = &v[i];
	for (size_t i = 0; i < n; i++)
		if (is_mild(env, &v[i]) == mild && &v[i] != first)
			cv_strv_push(ctx->a, &others, label_of(ctx, v[i].hidden));
	if (first)
		report_hidden(ctx, self, env, first, &others, v, n);
}

CV_RULE(cv_rule_shadowed)
{
	size_t packages = cv_facts_count(ctx->facts, CV_KIND_package), found = 0, checked = 0;
	struct hidden *v = cv_arena_array(ctx->a, packages + 1, sizeof(*v));

	for (size_t e = 0; v && e < ctx->w->envs.n; e++) {
		const struct cv_wenv *env = &ctx->w->envs.v[e];
		size_t n = 0;

		for (size_t i = 0; i < packages; i++) {
			const struct cv_subject *pkg = cv_facts_at(ctx->facts, CV_KIND_package, i);
			const char *home = cv_fact_str(pkg, CV_F_package_env);
			const struct cv_subject *seen;

			if (!home || !cv_streq(env->path, home))
				continue;
			checked += cv_fact_known(pkg, CV_F_package_shadowed);
			seen = cv_fact_true(pkg, CV_F_package_shadowed) ? cv_wenv_package(env, name_of(pkg)) : NULL;
			if (seen)
				v[n++] = (struct hidden){ pkg, seen };
		}
		judge_hidden(ctx, self, env, v, n, false);
		judge_hidden(ctx, self, env, v, n, true);
		found += n;
	}
	if (found)
		return;
	if (checked)
		cv_ruled_out(ctx, self, "no package of the GPU stack is hidden by another copy");
	else
		cv_not_evaluated(ctx, self, "which copies hide each other is not known");
}

/* The glibc that a package needs: by its tags, and by kb where the tags promise less than the symbols need. */
static const char *glibc_needed(const struct cv_judge_ctx *ctx, const struct cv_subject *pkg, struct cv_kb_row *ret_row,
				bool *ret_has_row)
{
	int minor = cv_tags_glibc(cv_fact_list(pkg, CV_F_package_tags));
	const char *by_tag = minor < 0 ? NULL : cv_arena_printf(ctx->a, "2.%d", minor);

	*ret_has_row = false;
	if (!by_tag || !version_of(pkg) || (!cv_streq(name_of(pkg), "torch") && !cv_streq(name_of(pkg), "onnxruntime-gpu")))
		return by_tag;
	*ret_has_row = cv_kb_get(ctx->kb, name_of(pkg), cv_ver_public(ctx->a, version_of(pkg)), "min_glibc", ret_row) &&
		       cv_ver_cmp(CV_VER_DOTTED, ret_row->value, by_tag) > 0;
	return *ret_has_row ? ret_row->value : by_tag;
}

/* A wheel that asks for a newer glibc than there is. */
struct too_new {
	const struct cv_subject *pkg;
	const char *needed;
	struct cv_kb_row row;
	bool has_row;
};

/* One cause, however many wheels it stops: the others are named in the finding of the first. */
static void report_glibc(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wenv *env,
			 const struct too_new *main, const struct cv_strv *others)
{
	const struct cv_subject *pkg = main->pkg;
	const char *needed = main->needed;
	const char *glibc = cv_fact_str(ctx->w->machine, CV_F_machine_glibc);
	struct cv_finding *f = cv_find(ctx, self, "%s needs glibc %s, this system has %s", label_of(ctx, pkg), needed, glibc);

	cv_find_env(ctx, f, env);
	cv_find_subject(f, "package", name_of(pkg), path_of(pkg));
	cv_find_param(ctx, f, "package", label_of(ctx, pkg));
	cv_find_param(ctx, f, "needed", needed);
	cv_find_param(ctx, f, "found", glibc);
	cv_find_params(ctx, f, "also", others);
	cv_find_fact(ctx, f, ctx->w->machine, CV_F_machine_glibc);
	cv_find_fact(ctx, f, pkg, CV_F_package_tags);
	if (main->has_row)
		cv_find_row(ctx, f, &main->row);
	cv_find_why(
		ctx, f,
		"Its libraries ask the loader for symbol versions up to GLIBC_%s, which this system's libc.so.6 does not have%s.",
		needed,
		others->n ? cv_arena_printf(ctx->a, ", and so do those of %zu more wheel%s", others->n, others->n == 1 ? "" : "s") : "");
	if (!cv_streq(name_of(pkg), "torch") || !cv_world_load(ctx->w, env->index, "torch") ||
	    !cv_fix_torch(ctx, f, cv_world_load(ctx->w, env->index, "torch"), NULL))
		cv_find_text(ctx, f,
			     cv_arena_printf(ctx->a, "install an older release of %s whose wheel asks for glibc %s or less",
					     name_of(pkg), glibc),
			     NULL);
	cv_fix_untried(cv_find_text(ctx, f,
				    cv_arena_printf(ctx->a, "run it in a container or on a system with glibc %s or newer", needed),
				    NULL),
		       "it is about another system");
	cv_find_prove(ctx, f, "ldd --version");
	hit_users(ctx, f, env, pkg);
}

/* The wheels of an environment that ask for too much; a framework's own come first. *ret_checked counts those that say. */
static size_t too_new_wheels(const struct cv_judge_ctx *ctx, const struct cv_wenv *env, const char *glibc, struct too_new *v,
			     size_t *ret_checked)
{
	size_t n = 0, frameworks = 0;

	for (size_t i = 0; i < env->packages.n; i++) {
		struct too_new t = { .pkg = env->packages.v[i] };

		t.needed = glibc_needed(ctx, t.pkg, &t.row, &t.has_row);
		*ret_checked += t.needed != NULL;
		if (!t.needed || cv_ver_cmp(CV_VER_DOTTED, glibc, t.needed) >= 0)
			continue;
		v[n++] = t;
		if (load_of(ctx, env, t.pkg)) {
			v[n - 1] = v[frameworks];
			v[frameworks++] = t;
		}
	}
	return n;
}

static size_t judge_glibc(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_wenv *env, const char *glibc,
			  size_t *ret_checked)
{
	struct too_new *v = cv_arena_array(ctx->a, env->packages.n + 1, sizeof(*v));
	size_t n = v ? too_new_wheels(ctx, env, glibc, v, ret_checked) : 0, frameworks = 0;
	struct cv_strv others = { 0 };
	const struct cv_strv none = { 0 };

	while (frameworks < n && load_of(ctx, env, v[frameworks].pkg))
		frameworks++;
	for (size_t i = frameworks ? frameworks : 1; i < n; i++)
		cv_strv_push(ctx->a, &others, label_of(ctx, v[i].pkg));
	for (size_t i = 0; i < n && i < (frameworks ? frameworks : 1); i++)
		report_glibc(ctx, self, env, &v[i], i == 0 ? &others : &none);
	return n;
}

CV_RULE(cv_rule_glibc)
{
	const char *glibc = cv_fact_str(ctx->w->machine, CV_F_machine_glibc);
	size_t n = 0, checked = 0;

	if (!glibc) {
		cv_not_evaluated(ctx, self, "%s", cv_fact_because(ctx->a, ctx->w->machine, CV_F_machine_glibc));
		return;
	}
	for (size_t e = 0; e < ctx->w->envs.n; e++)
		n += judge_glibc(ctx, self, &ctx->w->envs.v[e], glibc, &checked);
	if (!n) /* a wheel whose tag says it is the clearer finding */
		n = cv_glibc_by_loads(ctx, self);
	if (n)
		return;
	if (checked)
		cv_ruled_out(ctx, self, "glibc %s is new enough for the tags of %zu wheel%s", glibc, checked,
			     checked == 1 ? "" : "s");
	else
		cv_not_evaluated(ctx, self, "no wheel says which glibc it needs");
}
