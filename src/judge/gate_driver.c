/* SPDX-License-Identifier: Apache-2.0 */
/* What installing a driver or loading its module does, in facts: which GPUs it takes, which nodes appear. */
#include "judge/gate_int.h"

#include "base/version.h"

static const char *kernel_of(const struct cv_gate_run *r)
{
	return cv_fact_str(r->w->machine, CV_F_machine_kernel);
}

static struct cv_subject *kmod_here(struct cv_gate_run *r)
{
	const char *running = kernel_of(r);

	for (size_t i = 0; running && i < cv_facts_count(r->facts, CV_KIND_kmod); i++) {
		const struct cv_subject *s = cv_facts_at(r->facts, CV_KIND_kmod, i);
		const char *kernel = cv_fact_str(s, CV_F_kmod_kernel);

		if (kernel && cv_streq(kernel, running))
			return cv_facts_add(r->copy, CV_KIND_kmod, cv_subject_key(s));
	}
	return NULL;
}

/* ok: this module drives the GPU; unknown: a fact is missing. */
static enum cv_tri drives(struct cv_gate_run *r, const struct cv_wgpu *g, const char *version, enum cv_tri open)
{
	const char *first, *last, *flavour, *bound = cv_fact_str(cv_facts_find(r->copy, CV_KIND_gpu, cv_subject_key(g->s)), CV_F_gpu_bound);

	if (bound && !cv_streq(bound, "nvidia"))
		return CV_TRI_BAD;
	if (!g->cc)
		return CV_TRI_UNKNOWN;
	first = cv_kb_value(r->kb, "cc", g->cc, "min_driver");
	last = cv_kb_value(r->kb, "cc", g->cc, "last_driver");
	flavour = cv_kb_value(r->kb, "cc", g->cc, "module");
	if (last && cv_ver_part(version, 0) > cv_ver_part(last, 0))
		return CV_TRI_BAD;
	if (first && cv_ver_cmp(CV_VER_DOTTED, version, first) < 0)
		return CV_TRI_BAD;
	if (!flavour || cv_streq(flavour, "any") || open == CV_TRI_UNKNOWN)
		return CV_TRI_OK;
	return (open == CV_TRI_OK) == cv_streq(flavour, "open") ? CV_TRI_OK : CV_TRI_BAD;
}

static void put_node(struct cv_gate_run *r, const char *path)
{
	struct cv_subject *s = cv_facts_add(r->copy, CV_KIND_node, path);

	if (cv_fact_true(s, CV_F_node_present))
		return;
	cv__gate_bool(r, s, CV_F_node_present, true);
	cv_facts_clear(r->copy, s, CV_F_node_usable);
}

static void bind_gpu(struct cv_gate_run *r, const struct cv_wgpu *g, bool driven)
{
	struct cv_subject *s = cv_facts_add(r->copy, CV_KIND_gpu, cv_subject_key(g->s));

	cv__gate_bool(r, s, CV_F_gpu_in_proc, driven);
	if (!driven)
		return;
	cv__gate_str(r, s, CV_F_gpu_bound, "nvidia");
	if (cv_fact_known(s, CV_F_gpu_minor))
		put_node(r, cv_arena_printf(r->a, "/dev/nvidia%u", (unsigned)cv_fact_int(s, CV_F_gpu_minor, 0)));
	else if (r->w->gpus.n == 1)
		put_node(r, "/dev/nvidia0");
}

/* The module, as its file is now, with the GPUs that it finds. One that finds none does not stay. */
static void load_module(struct cv_gate_run *r, const char *version, enum cv_tri open, enum cv_tri is_signed)
{
	struct cv_subject *d = cv_facts_add(r->copy, CV_KIND_driver, ""), *m = cv_facts_add(r->copy, CV_KIND_machine, "");
	enum cv_tri secure = cv_fact_tri(m, CV_F_machine_secure_boot);
	size_t driven = 0, unknown = 0;

	if (secure == CV_TRI_OK && is_signed == CV_TRI_BAD)
		return;
	if (secure == CV_TRI_OK && is_signed == CV_TRI_UNKNOWN)
		cv__gate_stop(r, "Secure Boot is on, and whether the module is signed is not known");
	for (size_t i = 0; i < r->w->gpus.n; i++) {
		const struct cv_wgpu *g = &r->w->gpus.v[i];
		enum cv_tri can = drives(r, g, version, open);

		driven += can == CV_TRI_OK;
		unknown += can == CV_TRI_UNKNOWN;
		if (can != CV_TRI_UNKNOWN)
			bind_gpu(r, g, can == CV_TRI_OK);
	}
	if (!driven && unknown)
		cv__gate_stop(r, "%s", r->w->gpus.v[0].cc_because ? r->w->gpus.v[0].cc_because : "the GPUs are not known well enough");
	if (!driven)
		return;
	cv__gate_bool(r, d, CV_F_driver_module_loaded, true);
	cv__gate_str(r, d, CV_F_driver_module_version, version);
	if (open != CV_TRI_UNKNOWN)
		cv__gate_bool(r, d, CV_F_driver_module_open, open == CV_TRI_OK);
	cv_facts_clear(r->copy, d, CV_F_driver_cuda_api);
	put_node(r, "/dev/nvidiactl");
	put_node(r, "/dev/nvidia-uvm");
}

void cv__gate_load(struct cv_gate_run *r)
{
	struct cv_subject *kmod = kmod_here(r);
	const char *version = cv_fact_str(kmod, CV_F_kmod_version);

	if (!kernel_of(r))
		cv__gate_stop(r, "the running kernel is not known");
	else if (!kmod)
		cv__gate_stop(r, "there is no module for the running kernel to look at");
	else if (!version)
		cv__gate_stop(r, "the version of the module file is not known");
	if (!r->untried)
		load_module(r, version, cv_fact_known(kmod, CV_F_kmod_open) ? cv_fact_tri(kmod, CV_F_kmod_open) : CV_TRI_UNKNOWN,
			    cv_fact_tri(kmod, CV_F_kmod_signed));
}

static void put_libcuda(struct cv_gate_run *r, const char *version)
{
	const char *dir = cv_arena_printf(r->a, "/usr/lib/%s-linux-gnu", *r->w->arch ? r->w->arch : "x86_64");
	struct cv_subject *s = cv_facts_add(r->copy, CV_KIND_lib, cv_arena_printf(r->a, "%s/libcuda.so.%s", dir, version));
	struct cv_strv names = { 0 }, via = { 0 };

	cv_strv_push(r->a, &names, cv_path_join(r->a, dir, "libcuda.so.1"));
	cv_strv_push(r->a, &via, "ld.so.cache");
	cv__gate_str(r, s, CV_F_lib_family, "cuda");
	cv__gate_str(r, s, CV_F_lib_soname, "libcuda.so.1");
	cv__gate_str(r, s, CV_F_lib_version, version);
	cv__gate_str(r, s, CV_F_lib_origin, "host");
	cv_facts_list(r->copy, s, CV_F_lib_names, &names, cv__gate_prov());
	cv_facts_list(r->copy, s, CV_F_lib_via, &via, cv__gate_prov());
}

/* Every library of the driver's own is replaced; where there was no libcuda there is one now. */
static void put_driver_libs(struct cv_gate_run *r, const char *version)
{
	const char *own = r->w->wsl ? "wsl" : "host";
	bool cuda = false;

	for (size_t i = 0; i < cv_facts_count(r->facts, CV_KIND_lib); i++) {
		const struct cv_subject *had = cv_facts_at(r->facts, CV_KIND_lib, i);
		const char *origin = cv_fact_str(had, CV_F_lib_origin), *family = cv_fact_str(had, CV_F_lib_family);
		struct cv_subject *s;

		if (!origin || !cv_streq(origin, own))
			continue;
		s = cv_facts_add(r->copy, CV_KIND_lib, cv_subject_key(had));
		cv__gate_str(r, s, CV_F_lib_version, version);
		cuda = cuda || (family && cv_streq(family, "cuda"));
	}
	if (!cuda && !r->w->wsl)
		put_libcuda(r, version);
}

void cv__gate_driver(struct cv_gate_run *r, const char *version)
{
	struct cv_subject *kmod = kmod_here(r);
	const struct cv_subject *d = cv_facts_find(r->copy, CV_KIND_driver, "");
	enum cv_tri open = CV_TRI_UNKNOWN;

	if (r->w->jetson || r->w->driver.tegra) {
		cv__gate_stop(r, "a board's driver comes with its own system");
		return;
	}
	put_driver_libs(r, version);
	if (r->w->wsl)
		return;
	if (cv_fact_known(d, CV_F_driver_module_open))
		open = cv_fact_tri(d, CV_F_driver_module_open);
	if (kmod) {
		if (open == CV_TRI_UNKNOWN && cv_fact_known(kmod, CV_F_kmod_open))
			open = cv_fact_tri(kmod, CV_F_kmod_open);
		cv__gate_str(r, kmod, CV_F_kmod_version, version);
	}
	/* Its signature is made as that of the module before was. */
	load_module(r, version, open, kmod ? cv_fact_tri(kmod, CV_F_kmod_signed) : CV_TRI_UNKNOWN);
}
