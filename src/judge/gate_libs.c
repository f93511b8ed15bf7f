/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries of NVIDIA's wheels, as an installer takes them away and puts them in place. Rules tell them apart by SONAME; of cuDNN
 * the GPU code of its parts counts too, which kb lists by release.
 */
#include "judge/gate_int.h"

#include "base/version.h"
#include "judge/cells.h"

const char *cv__gate_wheel_stem(struct cv_gate_run *r, const char *name, int64_t *ret_cuda)
{
	ptrdiff_t at = cv_str_find(cv_str_of(name), "-cu1");
	uint64_t cuda = 0;

	*ret_cuda = at > 0 && cv_str_u64(cv_str_of(name + at + 3), &cuda) ? (int64_t)cuda : 0;
	return *ret_cuda ? cv_arena_memdup(r->a, name, (size_t)at) : name;
}

/* The directory below site-packages that holds a wheel's libraries. */
static const char *wheel_dir(struct cv_gate_run *r, const char *name)
{
	const char *dir = cv_kb_value(r->kb, cv_arena_printf(r->a, "package:%s", name), NULL, "dir");

	return cv_path_join(r->a, r->site, dir ? dir : "nvidia");
}

static bool is_of_wheel(const struct cv_subject *lib, const char *stem)
{
	const char *family = cv_fact_str(lib, CV_F_lib_family), *wheel = family ? cv_wheel_of(cv_str_of(family)) : NULL;

	if (wheel)
		return cv_streq(wheel, stem);
	return family && cv_starts(family, "cudnn") && cv_streq(stem, "nvidia-cudnn");
}

void cv__gate_remove_libs(struct cv_gate_run *r, const char *name)
{
	int64_t cuda;
	const char *stem = cv__gate_wheel_stem(r, name, &cuda), *dir = wheel_dir(r, name);

	for (size_t i = 0; i < cv_facts_count(r->facts, CV_KIND_lib); i++) {
		const struct cv_subject *lib = cv_facts_at(r->facts, CV_KIND_lib, i);

		if (!is_of_wheel(lib, stem) || !cv_path_below(cv_subject_key(lib), dir))
			continue;
		cv_facts_remove(r->copy, CV_KIND_code, cv_subject_key(lib));
		cv_facts_remove(r->copy, CV_KIND_lib, cv_subject_key(lib));
	}
}

/* A library of a wheel, of a version as libraries say theirs; NULL: not known. Its path. */
static const char *put_lib(struct cv_gate_run *r, const char *dir, const char *soname, const char *version)
{
	const char *path = cv_path_join(r->a, dir, soname);
	struct cv_subject *s;
	struct cv_strv names = { 0 };

	cv_facts_remove(r->copy, CV_KIND_code, path);
	cv_facts_remove(r->copy, CV_KIND_lib, path);
	s = cv_facts_add(r->copy, CV_KIND_lib, path);
	cv_strv_push(r->a, &names, path);
	cv__gate_str(r, s, CV_F_lib_family, cv_str_dup(r->a, cv_soname_family(soname)));
	cv__gate_str(r, s, CV_F_lib_soname, soname);
	if (version)
		cv__gate_str(r, s, CV_F_lib_version, version);
	if (*r->w->arch)
		cv__gate_str(r, s, CV_F_lib_machine, r->w->arch);
	cv__gate_str(r, s, CV_F_lib_origin, "wheel");
	cv__gate_str(r, s, CV_F_lib_env, r->env->path);
	cv_facts_list(r->copy, s, CV_F_lib_names, &names, cv__gate_prov());
	return path;
}

/* --- cuDNN --- */

const char *cv__gate_newest_cudnn(struct cv_gate_run *r, const char *name, const char *spec)
{
	const char *property = cv_arena_printf(r->a, "wheel:%s", name + strlen("nvidia-cudnn-")), *best = NULL;
	struct cv_kb_iter it = cv_kb_iter(r->kb, "cudnn", NULL, property);
	struct cv_kb_row row;

	while (cv_kb_next(&it, &row)) {
		struct cv_str rest = cv_str_of(row.value), word;

		while (cv_str_word(&rest, &word)) {
			const char *version = cv_str_dup(r->a, word);

			if (*spec && cv_spec_match(cv_str_of(spec), version) != 1)
				continue;
			if (!best || cv_ver_cmp(CV_VER_DOTTED, version, best) > 0)
				best = version;
		}
	}
	return best;
}

static bool serves_all(const struct cv_gate_run *r, const char *list)
{
	for (size_t i = 0; i < r->w->gpus.n; i++) {
		const struct cv_wgpu *g = &r->w->gpus.v[i];

		if (g->visible != CV_TRI_BAD && (!g->cc || cv_code_match(list, g->ccn, CV_TRI_BAD).code != CV_CODE_NATIVE))
			return false;
	}
	return true;
}

/* A release that kb does not list: all that it lists of this flavour and major have code for the GPUs here. */
static bool all_serve(struct cv_gate_run *r, const char *property, const char *version)
{
	struct cv_kb_iter it = cv_kb_iter(r->kb, "cudnn", NULL, property);
	struct cv_kb_row row;
	bool any = false;

	while (cv_kb_next(&it, &row)) {
		if (cv_ver_part(row.from, 0) != cv_ver_part(version, 0))
			continue;
		any = true;
		if (!serves_all(r, row.value))
			return false;
	}
	return any;
}

/* The code of a part; PTX is left out, of which the list does not say what compiles it. */
static void put_code(struct cv_gate_run *r, const char *path, const char *list)
{
	struct cv_subject *s = cv_facts_add(r->copy, CV_KIND_code, path);
	struct cv_str rest = cv_str_of(list), word;
	struct cv_strv sets = { 0 };
	const char *set = "1";

	while (cv_str_word(&rest, &word))
		if (cv_str_starts(word, "sm_"))
			set = cv_arena_printf(r->a, "%s %.*s", set, CV_STR_ARG(word));
	cv_strv_push(r->a, &sets, set);
	cv_facts_list(r->copy, s, CV_F_code_sets, &sets, cv__gate_prov());
}

static void put_cudnn(struct cv_gate_run *r, const char *wheel, const char *dir, const char *version)
{
	const char *release = cv_ver_part(version, 2) >= 0 ? cv_ver_prefix(r->a, version, 3) : NULL;
	const char *property = cv_arena_printf(r->a, "code:%s", wheel + strlen("nvidia-cudnn-"));
	const char *names = cv_kb_value(r->kb, "workload:cudnn", version, "anchor");
	const char *list = release ? cv_kb_value(r->kb, "cudnn", release, property) : NULL;
	struct cv_str rest = cv_str_of(names ? names : ""), word;

	put_lib(r, dir, cv_arena_printf(r->a, "libcudnn.so.%lld", (long long)cv_ver_part(version, 0)), release);
	if (!list && all_serve(r, property, version))
		return;
	if (!list || !r->w->x86) /* the lists are those of the x86_64 wheels */
		cv__gate_stop(r, "the knowledge base does not list the GPU code of %s %s%s", wheel, version,
			      r->w->x86 ? "" : " for this architecture");
	while (!r->untried && cv_str_word(&rest, &word))
		put_code(r, put_lib(r, dir, cv_str_dup(r->a, word), release), list);
}

void cv__gate_overwrite(struct cv_gate_run *r, const char *wheel, const char *version)
{
	int64_t cuda, other_cuda;
	const char *stem = cv__gate_wheel_stem(r, wheel, &cuda), *dir = wheel_dir(r, wheel);

	/* Those without a number in their name (CUDA 13 and later) have a directory of their own. */
	for (size_t i = 0; cuda && i < r->pkgs.n; i++) {
		const struct cv_gate_pkg *p = &r->pkgs.v[i];

		if (p->gone || !p->version || cv_streq(p->name, wheel) || cv_ver_part(p->version, 0) != cv_ver_part(version, 0) ||
		    !cv_streq(cv__gate_wheel_stem(r, p->name, &other_cuda), stem) || !other_cuda ||
		    !cv_streq(wheel_dir(r, p->name), dir))
			continue;
		cv_facts_int(r->copy, cv_facts_add(r->copy, CV_KIND_package, p->key), CV_F_package_record_changed_n, 1,
			     cv__gate_prov());
	}
}

void cv__gate_libs(struct cv_gate_run *r, const char *wheel, const char *version)
{
	int64_t cuda, major = cv_ver_part(version, 0);
	const char *stem = cv__gate_wheel_stem(r, wheel, &cuda), *dir = wheel_dir(r, wheel), *family;

	if (cv_streq(stem, "nvidia-cudnn") && cuda) {
		put_cudnn(r, wheel, dir, version);
		return;
	}
	for (size_t i = 0; major > 0 && (family = cv_wheel_family(stem, i)); i++) {
		/* CUDA 11's run-time library alone has a second number in its name. */
		const char *tail = cv_streq(family, "cudart") && major == 11 ? ".0" : "";

		put_lib(r, dir, cv_arena_printf(r->a, "lib%s.so.%lld%s", family, (long long)major, tail), NULL);
	}
}
