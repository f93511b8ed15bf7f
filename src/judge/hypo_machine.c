/* SPDX-License-Identifier: Apache-2.0 */
/* Driver, GPU, container and system: what the facts of a report say for or against each hypothesis. */
#include "base/version.h"
#include "judge/hypo_int.h"

static const struct cv_subject *driver_subject(const struct cv_hypo_ctx *x)
{
	return cv_facts_find(x->j.facts, CV_KIND_driver, "");
}

static bool has_driver(const struct cv_hypo_ctx *x)
{
	return cv_fact_known(driver_subject(x), CV_F_driver_module_version);
}

/* "11040" is CUDA 11.4, "11000" 11.0 */
static const char *cuda_of_number(struct cv_hypo_ctx *x, const char *found)
{
	uint64_t n;

	if (!found || !cv_str_u64(cv_str_of(found), &n) || n < 1000)
		return NULL;
	return cv_arena_printf(x->a, "%u.%u", (unsigned)(n / 1000), (unsigned)(n % 1000 / 10));
}

static const char *floor_of(struct cv_hypo_ctx *x, const char *cuda)
{
	const char *floor = cuda ? cv_kb_value(x->j.kb, "cuda", cuda, "floor_driver") : NULL;

	if (!floor && cuda)
		floor = cv_kb_value(x->j.kb, "cuda", cv_ver_prefix(x->a, cuda, 2), "toolkit_driver");
	return floor;
}

/* "nvidia/cuda:11.6.2-devel", "project image with CUDA 12.1" */
static const char *cuda_of_image(struct cv_hypo_ctx *x)
{
	const char *image = cv_fact_str(x->j.w->machine, CV_F_machine_image), *at;

	if (!image)
		return NULL;
	at = strstr(image, "CUDA ");
	if (!at && (at = strstr(image, "cuda:")) == NULL)
		return NULL;
	at += 5;
	return *at >= '0' && *at <= '9' ? cv_arena_printf(x->a, "%.*s", (int)strspn(at, "0123456789."), at) : NULL;
}

CV_HYP_RULE(cv_hyp_driver_old)
{
	const struct cv_subject *old = cv_hypo_hit(x, "cuda-driver-old"), *err35 = cv_hypo_hit(x, "cuda-35");
	const char *build = cv_hypo_get(x, "build_cuda"), *told = cuda_of_number(x, cv_hit_capture(x, old, "found"));
	const struct cv_wload *ort = cv_world_load(x->j.w, 0, "onnxruntime");
	const char *nvcc = cv_hypo_get(x, "nvcc");

	if (!build && ort && ort->cuda)
		build = ort->cuda;
	cv_hyp_set(x, h, "build_cuda", build);
	cv_hyp_set(x, h, "image_cuda", cuda_of_image(x));
	cv_hyp_set(x, h, "driver_cuda", told);
	if (old)
		cv_hyp_confirm(h, 25); /* the program itself compared them */
	cv_hyp_set(x, h, "floor", floor_of(x, build ? build : cuda_of_image(x)));
	if (cv_hypo_hit(x, "ctr-require") && nvcc)
		cv_hyp_set(x, h, "floor", floor_of(x, nvcc));
	if (!err35)
		return;
	if (h->finding)
		cv_hyp_confirm(h, 30);
	/* wheels of the next CUDA major in the list: the build is for it */
	if (!h->finding && cv_hypo_version(x, "nvidia-cuda-runtime") && x->j.w->driver.api && cv_ver_part(x->j.w->driver.api, 0) < 13)
		cv_hyp_at_least(h, 95);
}

static bool in_container(const struct cv_hypo_ctx *x)
{
	return x->j.w->container || cv_fact_known(x->j.w->machine, CV_F_machine_image) || cv_hypo_command(x, "docker run");
}

CV_HYP_RULE(cv_hyp_container)
{
	const char *mistyped = cv_hypo_probe(x, "var.mistyped");
	bool inside = in_container(x), plain = cv_hypo_command(x, "docker run") && !cv_hypo_command(x, "--gpus") && !cv_hypo_command(x, "--runtime");
	bool nodev = cv_hypo_hit(x, "dev-missing") != NULL, nosmi = cv_hypo_hit(x, "smi-not-found") != NULL;

	if (mistyped) {
		cv_hyp_set(x, h, "ctr_reason", cv_arena_printf(x->a, "the variable %s was mistyped (a blank before its name), so it was not set", mistyped));
		cv_hyp_at_least(h, 92);
	}
	if (!h->score)
		return;
	if (plain)
		cv_hyp_set(x, h, "ctr_reason", "it was started without --gpus all or --runtime=nvidia");
	if (inside)
		cv_hyp_support(h, 18);
	else if (!cv_hypo_hit(x, "ctr-loadlib") && !cv_hypo_hit(x, "ctr-nodriver") && !cv_hypo_hit(x, "ctr-detected"))
		cv_hyp_support(h, -12);
	if (cv_hypo_hit(x, "libcuda-short"))
		cv_hyp_refute(cv_hyp_of(x, "damaged-installation")); /* the image was committed so: nothing is cut */
	if (inside && nodev && (nosmi || plain))
		cv_hyp_confirm(h, 30);
	if (inside && nodev)
		cv_hyp_refute(cv_hyp_of(x, "driver-missing"));
	if (h->confirmed)
		cv_hyp_refute(cv_hyp_of(x, "driver-too-old"));
	if (cv_fact_known(driver_subject(x), CV_F_driver_module_version) && cv_hypo_probe(x, "nvidia-smi"))
		cv_hyp_support(h, -30);
}

CV_HYP_RULE(cv_hyp_requirement)
{
	const struct cv_subject *hit = cv_hypo_hit(x, "ctr-require");
	const char *cuda = cv_hit_capture(x, hit, "cuda"), *api = cv_hypo_get(x, "driver_cuda"), *floor;

	if (!cuda || !cv_ver_valid(CV_VER_DOTTED, cuda))
		return;
	floor = cv_kb_value(x->j.kb, "cuda", cv_ver_prefix(x->a, cuda, 2), "toolkit_driver");
	cv_hyp_set(x, h, "want_cuda", cuda);
	cv_hyp_set(x, h, "floor_branch", floor ? cv_ver_prefix(x->a, floor, 1) : cv_ver_part(cuda, 0) <= 9 ? "384.81" : NULL);
	cv_hyp_confirm(h, api && cv_ver_cmp(CV_VER_DOTTED, api, cuda) < 0 ? 30 : 10);
}

/* A libcuda of another version than the module's, in the cache or a listing. */
CV_HYP_RULE(cv_hyp_compat)
{
	const char *driver = cv_fact_str(driver_subject(x), CV_F_driver_module_version), *toolkit = cv_hypo_get(x, "toolkit");
	const char *image = cv_fact_str(x->j.w->machine, CV_F_machine_image);

	if (!h->score)
		return;
	cv_hyp_set(x, h, "image_cuda", cuda_of_image(x) ? cuda_of_image(x) : toolkit);
	if (cv_hypo_hit(x, "cuda-803") && (image || x->j.w->container))
		cv_hyp_support(h, 10);
	for (size_t i = 0; driver && i < cv_facts_count(x->j.facts, CV_KIND_lib); i++) {
		const struct cv_subject *lib = cv_facts_at(x->j.facts, CV_KIND_lib, i);
		const char *family = cv_fact_str(lib, CV_F_lib_family), *v = cv_fact_str(lib, CV_F_lib_version);

		if (!family || !cv_streq(family, "cuda") || !v || !strchr(v, '.') || cv_ver_part(v, 0) < 300 ||
		    cv_ver_cmp(CV_VER_DOTTED, v, driver) == 0)
			continue;
		cv_hyp_set(x, h, "libcuda_found", cv_arena_printf(x->a, "libcuda.so.%s", v));
		cv_hyp_fact(x, h, lib, CV_F_lib_version);
		if (cv_hypo_hit(x, "cuda-803"))
			cv_hyp_confirm(h, 30);
	}
	/* 803 and 804 have one cause in common and differ in what failed: only 804 says that the GPU refuses forward compatibility. */
	if (cv_hypo_hit(x, "cuda-804"))
		cv_hyp_set(x, h, "error_804", "804");
	if (cv_hypo_hit(x, "cuda-804") && driver)
		cv_hyp_support(h, 8);
}

CV_HYP_RULE(cv_hyp_wsl)
{
	struct cv_hyp *limit = cv_hyp_of(x, "wsl-resource-limit");
	bool cached = false, copies = false;

	if (!x->j.w->wsl) {
		cv_hyp_refute(h);
		cv_hyp_refute(limit);
		return;
	}
	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_lib); i++) {
		const struct cv_subject *lib = cv_facts_at(x->j.facts, CV_KIND_lib, i);
		const char *key = cv_subject_key(lib);

		cached |= strstr(key, "libcuda.so.1") && cv_strv_has(cv_fact_list(lib, CV_F_lib_via), "ld.so.cache");
		copies |= cv_starts(key, "/usr/lib/wsl/lib/libcuda.so");
		if (cv_starts(key, "/usr/lib/wsl/lib/libcuda.so"))
			cv_hyp_fact(x, h, lib, CV_F_lib_soname);
	}
	if (h->score)
		cv_hyp_support(h, 60); /* no device although WSL has one: seldom anything else */
	if (cached && copies && cv_hypo_command(x, "ldconfig") && !cv_hypo_works(x) && !cv_hypo_probe(x, "nvidia-smi"))
		cv_hyp_at_least(h, 56);
	if (cv_hypo_hit(x, "cuda-oom") && !cv_hypo_hit(x, "ort-arena"))
		cv_hyp_support(limit, cv_fact_str(cv_hypo_hit(x, "cuda-oom"), CV_F_hit_text) &&
					      strstr(cv_fact_str(cv_hypo_hit(x, "cuda-oom"), CV_F_hit_text), "Tried to allocate")
				      ? 0 : 60);
	if (cv_hypo_hit(x, "cuda-error2-count"))
		cv_hyp_confirm(limit, 20);
	if (limit->score > 60)
		cv_hyp_set(x, limit, "gpu_n", cv_hypo_get(x, "gpu_n"));
}

CV_HYP_RULE(cv_hyp_suspend)
{
	if (!h->score)
		return;
	if (cv_hypo_hit(x, "cuda-suspend") && cv_hypo_hit(x, "cuda-999"))
		cv_hyp_at_least(h, 88);
	if (cv_hypo_hit(x, "cuda-999"))
		cv_hyp_at_least(h, 64);
}

CV_HYP_RULE(cv_hyp_mask)
{
	const struct cv_subject *var = cv_facts_find(x->j.facts, CV_KIND_var, "CUDA_VISIBLE_DEVICES");
	const char *mask = cv_fact_str(var, CV_F_var_value);
	bool no_device = cv_hypo_hit(x, "cuda-no-gpus") || cv_hypo_hit(x, "cuda-100") || cv_hypo_hit(x, "cuda-101");

	if (!h->score && !h->finding)
		return;
	cv_hyp_fact(x, h, var, CV_F_var_value);
	if (h->finding && h->finding->severity == CV_ERROR) {
		cv_hyp_confirm(h, no_device ? 35 : 5);
		return;
	}
	if (mask && no_device && !cv_streq(mask, "0"))
		cv_hyp_support(h, 40);
	else if (mask && no_device)
		cv_hyp_support(h, -10);
	else if (!mask && cv_hypo_hit(x, "cuda-100") && !cv_hypo_hit(x, "cuda-101"))
		cv_hyp_support(h, -5);
}

CV_HYP_RULE(cv_hyp_mig)
{
	struct cv_hyp *none = cv_hyp_of(x, "mig-without-instance");
	bool mig_words = false, enabled = false, disabled = false;

	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_gpu); i++) {
		const struct cv_subject *g = cv_facts_at(x->j.facts, CV_KIND_gpu, i);
		const char *mig = cv_fact_str(g, CV_F_gpu_mig), *name = cv_fact_str(g, CV_F_gpu_name);

		enabled |= mig && cv_streq(mig, "Enabled");
		disabled |= mig && cv_streq(mig, "Disabled");
		mig_words |= name && strstr(name, "MIG");
		if (mig && cv_streq(mig, "Enabled"))
			cv_hyp_fact(x, none, g, CV_F_gpu_mig);
	}
	for (size_t i = 0; i < x->j.w->gpus.n; i++)
		for (const struct cv_value *v = cv_fact(x->j.w->gpus.v[i].s, CV_F_gpu_name); v; v = v->next)
			mig_words |= v->state == CV_KNOWN && strstr(v->str, "MIG");
	if (h->score && (enabled || mig_words || (cv_hypo_get(x, "gpu") && strstr(cv_hypo_get(x, "gpu"), "MIG"))))
		cv_hyp_support(h, 30);
	if (cv_hypo_hit(x, "mig-none") && enabled)
		cv_hyp_confirm(none, 30);
	else if (disabled && !enabled)
		cv_hyp_refute(none);
}

CV_HYP_RULE(cv_hyp_exclusive)
{
	bool exclusive = false;

	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_gpu); i++) {
		const struct cv_subject *g = cv_facts_at(x->j.facts, CV_KIND_gpu, i);
		const char *mode = cv_fact_str(g, CV_F_gpu_compute_mode);

		if (!mode || (!cv_starts(mode, "E. ") && !cv_streq(mode, "Prohibited")))
			continue;
		exclusive = true;
		cv_hyp_set(x, h, "mode", mode);
		cv_hyp_fact(x, h, g, CV_F_gpu_compute_mode);
	}
	if (exclusive && cv_hypo_hit(x, "cuda-46"))
		cv_hyp_confirm(h, 30);
}

CV_HYP_RULE(cv_hyp_mismatch)
{
	const char *module = cv_fact_str(driver_subject(x), CV_F_driver_module_version), *other = NULL;

	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_lib); i++) {
		const struct cv_subject *lib = cv_facts_at(x->j.facts, CV_KIND_lib, i);
		const char *family = cv_fact_str(lib, CV_F_lib_family), *v = cv_fact_str(lib, CV_F_lib_version);

		if (family && v && module && (cv_streq(family, "cuda") || cv_streq(family, "nvidia-ml")) && strchr(v, '.') &&
		    cv_ver_part(v, 0) > 300 && cv_ver_cmp(CV_VER_DOTTED, v, module) != 0)
			other = v;
	}
	if (!h->score)
		return;
	cv_hyp_set(x, h, "module", other ? module : NULL);
	cv_hyp_set(x, h, "library", other);
	if (cv_hypo_command(x, "unattended") || cv_hypo_hit(x, "cue-unattended"))
		cv_hyp_set(x, h, "updater", "unattended-upgrade");
	if (cv_hypo_hit(x, "nvml-mismatch"))
		cv_hyp_confirm(h, 30);
}

CV_HYP_RULE(cv_hyp_flavour)
{
	const char *cc = cv_hypo_get(x, "cc"), *needed = cc ? cv_kb_value(x->j.kb, "cc", cc, "module") : NULL;
	const char *gpu = cv_hypo_get(x, "gpu");
	bool series50 = gpu && (strstr(gpu, "RTX 50") || strstr(gpu, "Blackwell"));

	if (h->score && ((needed && cv_streq(needed, "any")) || (!series50 && needed && cv_streq(needed, "open"))))
		cv_hyp_support(h, needed && cv_streq(needed, "open") ? 0 : -15);
	/* A bare note "RTX 50 series, Ubuntu": nothing else about it is worth asking first. */
	if (!h->score && series50 && !cv_hypo_messages(x) && !cv_hypo_get(x, "build") && !has_driver(x))
		cv_hyp_at_least(h, 45);
}

CV_HYP_RULE(cv_hyp_secure_boot)
{
	enum cv_tri on = cv_fact_tri(x->j.w->machine, CV_F_machine_secure_boot);
	const char *os = cv_fact_str(x->j.w->machine, CV_F_machine_os_name);

	if (on == CV_TRI_BAD)
		cv_hyp_refute(h);
	else if (on == CV_TRI_OK && h->score)
		cv_hyp_support(h, 45);
	else if (h->score && os && strstr(os, "Azure"))
		cv_hyp_support(h, 12);
}

/* dkms status: no module for the kernel that runs, though there is a driver for others. */
static void dkms(struct cv_hypo_ctx *x, struct cv_hyp *h)
{
	const char *kernel = cv_fact_str(x->j.w->machine, CV_F_machine_kernel), *driver = cv_hypo_probe(x, "dkms.driver");
	const char *state = kernel ? cv_hypo_probe(x, cv_arena_printf(x->a, "dkms:%s", kernel)) : NULL;

	if (!driver || !kernel || (state && cv_starts(state, "installed")) || cv_hypo_get(x, "driver_cuda"))
		return;
	cv_hyp_set(x, h, "dkms_state", cv_arena_printf(x->a, "the module of driver %s was not built and installed for the running kernel %s (dkms status: %s)", driver,
						       kernel, state ? state : "nothing for it"));
	cv_hyp_fact(x, h, cv_facts_find(x->j.facts, CV_KIND_probe, "dkms.driver"), CV_F_probe_value);
	cv_hyp_at_least(h, 60);
	if (h->messages)
		cv_hyp_confirm(h, 25);
}

CV_HYP_RULE(cv_hyp_not_loaded)
{
	dkms(x, h);
	if (cv_hypo_hit(x, "nvrm-rminit"))
		cv_hyp_set(x, h, "rminit", "");
	if (h->score && cv_hypo_probe(x, "nvidia-smi") && !cv_hypo_hit(x, "nvrm-rminit") && !cv_hypo_hit(x, "nvml-nodev"))
		cv_hyp_support(h, -30);
	if (cv_hypo_hit(x, "nvrm-rminit"))
		cv_hyp_confirm(h, 5);
	if (cv_hypo_hit(x, "dkms-fail") && cv_hypo_hit(x, "nvml-nodriver"))
		cv_hyp_confirm(h, 25);
}

CV_HYP_RULE(cv_hyp_no_gpu)
{
	const char *gpu = cv_hypo_get(x, "gpu"), *cpu = cv_hypo_get(x, "cpu");
	bool report = cv_hypo_answered(x, "collect_env.cuda", "none");
	struct cv_hyp *missing = cv_hyp_of(x, "driver-missing");

	if (gpu && cv_hypo_get(x, "cc")) {
		if (cv_hypo_get(x, "driver"))
			cv_hyp_refute(missing);
		cv_hyp_refute(h);
		return;
	}
	if (!h->score)
		return;
	if (report && !in_container(x) && !has_driver(x)) {
		cv_hyp_support(h, 25);
		cv_hyp_support(missing, 18);
	}
	if (cpu && (strstr(cpu, "Radeon") || strstr(cpu, "Ryzen") || strstr(cpu, "AMD")))
		cv_hyp_support(h, 25);
}

CV_HYP_RULE(cv_hyp_ptx)
{
	const char *conda = cv_hypo_version(x, "cudatoolkit");

	if (!h->score)
		return;
	cv_hyp_set(x, h, "build_cuda", conda);
	cv_hyp_set(x, h, "build_cuda", cv_hypo_get(x, "build_cuda"));
	if (conda && cv_hypo_get(x, "driver_cuda") && cv_ver_cmp(CV_VER_DOTTED, conda, cv_hypo_get(x, "driver_cuda")) > 0)
		cv_hyp_confirm(h, 30);
	else if (cv_hypo_hit(x, "cuda-222") || cv_hypo_hit(x, "cuda-222b"))
		cv_hyp_confirm(h, 10); /* error 222 says exactly this */
}

CV_HYP_RULE(cv_hyp_lost)
{
	bool reload = cv_hypo_hit(x, "daemon-reload") || cv_hypo_command(x, "daemon-reload");

	cv_hyp_set(x, h, "daemon_reload", reload ? ": systemctl daemon-reload triggered it" : "");
	if (!cv_hypo_hit(x, "nvml-unknown")) {
		if (h->score)
			cv_hyp_support(h, -20);
		return;
	}
	if (in_container(x) && (reload || cv_hypo_probe(x, "nvidia-smi")))
		cv_hyp_confirm(h, 20);
}

CV_HYP_RULE(cv_hyp_dropped)
{
	if (h->finding && !h->messages && !cv_hypo_hit(x, "nvrm-nogpu"))
		cv_hyp_support(h, -10);
}

/* What follows from a GPU that no longer answers is no fault of its own. */
CV_HYP_RULE(cv_hyp_fell)
{
	const struct cv_subject *xid = cv_hypo_xid(x, "79");

	if (xid) {
		cv_hyp_at_least(h, 90);
		cv_hyp_quote(x, h, xid);
	}
	if (!xid && !cv_hypo_hit(x, "xid-79") && !cv_hypo_hit(x, "gpu-lost") && !cv_hypo_hit(x, "nvrm-fallen") && !cv_hypo_hit(x, "smi-lost"))
		return;
	cv_hyp_confirm(h, 30);
	cv_hyp_refute(cv_hyp_of(x, "driver-not-loaded"));
}

CV_HYP_RULE(cv_hyp_k8s)
{
	if (cv_hypo_hit(x, "k8s-registered") && !cv_hypo_hit(x, "k8s-nonnvml"))
		cv_hyp_refute(h);
	if (cv_hypo_hit(x, "k8s-nonnvml") || cv_hypo_get(x, "missing"))
		cv_hyp_set(x, h, "no_libs", "");
}
