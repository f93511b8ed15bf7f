/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an installer does to an environment, in facts. As pip: what is asked for is taken in the newest release that kb knows and
 * that has a wheel for this Python; what satisfies the request already stays; requirements follow the same way.
 */
#include "judge/gate_int.h"

#include "base/version.h"
#include "judge/cells.h"
#include "judge/effect.h"

struct cv_gate_pkg *cv__gate_pkg(struct cv_gate_run *r, const char *name)
{
	for (size_t i = 0; i < r->pkgs.n; i++)
		if (!r->pkgs.v[i].gone && cv_streq(r->pkgs.v[i].name, name))
			return &r->pkgs.v[i];
	return NULL;
}

static const char *package_path(const struct cv_subject *pkg)
{
	const char *path = cv_fact_str(pkg, CV_F_package_path);

	return path ? path : cv_subject_key(pkg);
}

/* Where packages go: beside those that are there, otherwise the last directory of sys.path in the environment. */
static const char *site_of(struct cv_gate_run *r)
{
	const struct cv_strv *path = cv_fact_list(r->env->s, CV_F_env_sys_path);
	const char *site = NULL;

	for (size_t i = 0; i < path->n; i++)
		if (cv_path_below(path->v[i], r->env->path) && cv_ends(path->v[i], "-packages"))
			site = path->v[i];
	for (size_t i = 0; !site && i < r->env->packages.n; i++)
		if (cv_path_below(package_path(r->env->packages.v[i]), r->env->path))
			site = cv_dirname(r->a, package_path(r->env->packages.v[i]));
	return site;
}

void cv__gate_env(struct cv_gate_run *r, const char *env)
{
	if (r->env && cv_streq(r->env->path, env))
		return;
	r->env = NULL;
	r->pkgs.n = 0;
	for (size_t i = 0; i < r->w->envs.n; i++)
		if (cv_streq(r->w->envs.v[i].path, env))
			r->env = &r->w->envs.v[i];
	if (!r->env) {
		cv__gate_stop(r, "what is in %s is not known", env);
		return;
	}
	r->site = site_of(r);
	if (!r->site)
		cv__gate_stop(r, "where packages of %s go is not known", env);
	for (size_t i = 0; i < r->env->packages.n; i++) {
		const struct cv_subject *s = r->env->packages.v[i];
		struct cv_gate_pkg *p = cv_fact_str(s, CV_F_package_name) ? CV_VEC_PUSH(r->a, &r->pkgs) : NULL;

		if (p)
			*p = (struct cv_gate_pkg){ .name = cv_fact_str(s, CV_F_package_name),
						   .key = cv_subject_key(s),
						   .version = cv_fact_str(s, CV_F_package_version),
						   .s = s };
	}
}

const char *cv__gate_owns(struct cv_gate_run *r, const char *name)
{
	return cv_kb_value(r->kb, cv_arena_printf(r->a, "package:%s", name), NULL, "framework");
}

void cv__gate_uninstall(struct cv_gate_run *r, const char *name)
{
	struct cv_gate_pkg *p = cv__gate_pkg(r, name);
	const char *framework = cv__gate_owns(r, name);

	if (!p)
		return;
	p->gone = true;
	cv_facts_remove(r->copy, CV_KIND_package, p->key);
	if (cv_starts(name, "nvidia-"))
		cv__gate_remove_libs(r, name);
	if (framework)
		cv_facts_remove(r->copy, CV_KIND_framework, cv_arena_printf(r->a, "%s|%s", r->env->path, framework));
}

/* The subject of kb that has the releases of a distribution. */
static const char *release_subject(struct cv_gate_run *r, const char *name)
{
	struct cv_kb_row row;

	if (cv_kb_get(r->kb, name, NULL, "release", &row))
		return name;
	name = cv_arena_printf(r->a, "package:%s", name);
	return cv_kb_get(r->kb, name, NULL, "release", &row) ? name : NULL;
}

/* False only where kb lists the Pythons of that release, and this one is not among them. */
static bool has_wheel(struct cv_gate_run *r, const char *subject, const char *version)
{
	const char *python = cv_kb_value(r->kb, subject, version, "python");

	return !python || !r->env->py || cv_kb_has_word(python, r->env->py);
}

const char *cv__gate_exact(const char *spec)
{
	if (!cv_starts(spec, "==") || strchr(spec, '*') || strchr(spec, ','))
		return NULL;
	for (spec += 2; *spec == '=' || *spec == ' '; spec++)
		;
	return spec;
}

static const char *newest(struct cv_gate_run *r, const char *subject, const char *spec)
{
	struct cv_kb_iter it = cv_kb_iter(r->kb, subject, NULL, "release");
	struct cv_kb_row row;
	const char *best = NULL;

	while (cv_kb_next(&it, &row)) {
		if (cv_ver_is_pre(row.from) || (*spec && cv_spec_match(cv_str_of(spec), row.from) != 1) ||
		    !has_wheel(r, subject, row.from))
			continue;
		if (!best || cv_ver_cmp(CV_VER_PEP440, row.from, best) > 0)
			best = row.from;
	}
	return best;
}

/* The first number of "==12.*", "~=13.0": what the SONAME of a wheel's libraries has; NULL where a range leaves it open. */
static const char *major_of(struct cv_gate_run *r, const char *spec)
{
	int64_t n = cv_starts(spec, "==") || cv_starts(spec, "~=") ? cv_ver_part(spec + 2, 0) : -1;

	return n < 0 ? NULL : cv_arena_printf(r->a, "%lld", (long long)n);
}

static void set_whole(struct cv_gate_run *r, struct cv_subject *s)
{
	cv_facts_int(r->copy, s, CV_F_package_record_missing_n, 0, cv__gate_prov());
	cv_facts_int(r->copy, s, CV_F_package_record_changed_n, 0, cv__gate_prov());
	if (!cv_fact_known(s, CV_F_package_record_files))
		cv_facts_clear(r->copy, s, CV_F_package_record_files);
	cv_facts_clear(r->copy, s, CV_F_package_record_missing);
	cv_facts_clear(r->copy, s, CV_F_package_record_changed);
}

static void set_tags(struct cv_gate_run *r, struct cv_subject *s, const char *name, const char *version)
{
	const char *variant = cv_ver_local(r->a, version), *public = cv_ver_public(r->a, version), *glibc = NULL;
	struct cv_strv tags = { 0 };

	if (variant)
		glibc = cv_kb_value(r->kb, name, public, cv_arena_printf(r->a, "min_glibc:%s", variant));
	if (!glibc)
		glibc = cv_kb_value(r->kb, name, public, "min_glibc");
	if (!glibc || cv_ver_part(glibc, 1) < 0)
		return;
	cv_strv_push(r->a, &tags,
		     cv_arena_printf(r->a, "py3-none-manylinux_2_%lld_%s", (long long)cv_ver_part(glibc, 1), r->w->arch));
	cv_facts_list(r->copy, s, CV_F_package_tags, &tags, cv__gate_prov());
}

/* The package's own subject; the same release keeps what is known of it. version NULL: some release that satisfies. */
static struct cv_subject *put_package(struct cv_gate_run *r, const char *name, const char *version)
{
	struct cv_gate_pkg *p = cv__gate_pkg(r, name);
	bool same = p && p->s && p->version && version && cv_ver_cmp(CV_VER_PEP440, p->version, version) == 0;
	const char *key = p ? p->key : cv_arena_printf(r->a, "%s/%s.dist-info", r->site, name);
	const char *path = p && p->s ? package_path(p->s) : key;
	struct cv_subject *s;

	if (!same)
		cv_facts_remove(r->copy, CV_KIND_package, key);
	s = cv_facts_add(r->copy, CV_KIND_package, key);
	if (!p && (p = CV_VEC_PUSH(r->a, &r->pkgs)))
		*p = (struct cv_gate_pkg){ .name = name, .key = key };
	if (p)
		p->version = version;
	cv__gate_str(r, s, CV_F_package_env, r->env->path);
	cv__gate_str(r, s, CV_F_package_name, name);
	cv__gate_str(r, s, CV_F_package_path, path);
	cv__gate_str(r, s, CV_F_package_source, "dist-info");
	cv__gate_str(r, s, CV_F_package_installer, "pip");
	cv__gate_bool(r, s, CV_F_package_shadowed, false);
	set_whole(r, s);
	if (!version)
		return s;
	cv__gate_str(r, s, CV_F_package_version, version);
	cv__gate_str(r, s, CV_F_package_build, cv_ver_local(r->a, version));
	if (!same)
		set_tags(r, s, name, version);
	return s;
}


static const char *resolve(struct cv_gate_run *r, const struct cv_effect *e)
{
	const char *version = cv__gate_exact(e->spec), *subject = release_subject(r, e->name);

	if (!version && cv_starts(e->name, "nvidia-cudnn-"))
		return cv__gate_newest_cudnn(r, e->name, e->spec);
	if (version && subject && cv_kb_reach(r->kb, subject, version) == CV_KB_LISTED && !has_wheel(r, subject, version))
		cv__gate_stop(r, "the knowledge base lists no wheel of %s %s for Python %s", e->name, version, r->env->py);
	if (!version && subject)
		version = newest(r, subject, e->spec);
	return version;
}

static bool is_there(struct cv_gate_run *r, const struct cv_effect *e)
{
	const struct cv_gate_pkg *p = cv__gate_pkg(r, e->name);

	if (!p || e->force)
		return false;
	return !*e->spec || !p->version || cv_spec_match(cv_str_of(e->spec), p->version) == 1;
}

void cv__gate_install(struct cv_gate_run *r, const struct cv_effect *e)
{
	const char *framework = cv__gate_owns(r, e->name), *version;
	const char *libs;
	bool wheel = cv_starts(e->name, "nvidia-");
	const struct cv_gate_pkg *p;
	const struct cv_subject *was;
	struct cv_subject *s;

	if (r->untried)
		return;
	if (++r->installs > CV_GATE_INSTALLS_MAX) {
		cv__gate_stop(r, "it installs more than %d packages", CV_GATE_INSTALLS_MAX);
		return;
	}
	p = cv__gate_pkg(r, e->name);
	was = p ? p->s : NULL;
	if (is_there(r, e)) {
		/* Only what the extras bring is new; they may make a GPU build of it. */
		if (e->extras && framework && p->version && !cv_streq(framework, "onnxruntime"))
			cv__gate_framework(r, framework, e->name, p->version, e->extras);
		if (e->extras && p->version)
			cv__gate_extras(r, e->name, cv_ver_public(r->a, p->version), e->extras);
		return;
	}
	version = resolve(r, e);
	if (wheel)
		cv__gate_remove_libs(r, e->name);
	s = put_package(r, e->name, version);
	libs = version ? version : major_of(r, e->spec);
	if (!libs && wheel)
		libs = cv__gate_usual_version(r, e->name);
	if (wheel && libs) {
		cv__gate_libs(r, e->name, libs);
		cv__gate_overwrite(r, e->name, libs);
	} else if (wheel && cv_wheel_family(cv__gate_wheel_stem(r, e->name, &(int64_t){ 0 }), 0))
		cv__gate_stop(r, "which release of %s the installer takes is not known", e->name);
	if (framework && !version)
		cv__gate_stop(r, "which release of %s the installer takes is not known", e->name);
	if (version && framework && !r->untried)
		cv__gate_framework(r, framework, e->name, version, e->extras);
	if (version && !e->no_deps)
		cv__gate_brings(r, s, was, e, version);
	else if (libs && !version && !e->no_deps)
		cv__gate_requires(r, cv_kb_value(r->kb, cv_arena_printf(r->a, "package:%s", e->name), NULL, "pins"), false);
}
