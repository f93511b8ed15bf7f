/* SPDX-License-Identifier: Apache-2.0 */
/* Is there an NVIDIA driver, is its module loaded, and does it drive these GPUs? */
#include "judge/rules.h"

#include "base/version.h"
#include "judge/advise.h"
#include "judge/effect.h"

const char *cv_driver_version(const struct cv_judge_ctx *ctx)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	const struct cv_subject *kmod = cv_kmod_here(ctx);

	if (d->module)
		return d->module;
	if (kmod && cv_fact_str(kmod, CV_F_kmod_version))
		return cv_fact_str(kmod, CV_F_kmod_version);
	return d->host ? d->host->version : NULL;
}

const struct cv_subject *cv_kmod_here(const struct cv_judge_ctx *ctx)
{
	const char *running = cv_fact_str(ctx->w->machine, CV_F_machine_kernel);

	for (size_t i = 0; running && i < cv_facts_count(ctx->facts, CV_KIND_kmod); i++) {
		const struct cv_subject *s = cv_facts_at(ctx->facts, CV_KIND_kmod, i);
		const char *kernel = cv_fact_str(s, CV_F_kmod_kernel);

		if (kernel && cv_streq(kernel, running))
			return s;
	}
	return NULL;
}

bool cv_is_other_driver(const struct cv_judge_ctx *ctx)
{
	for (size_t i = 0; i < ctx->w->gpus.n; i++)
		if (ctx->w->gpus.v[i].held_by_linux)
			return true;
	return false;
}

/* Flavour of the loaded module, otherwise of the file that would be loaded. */
static enum cv_tri flavour(const struct cv_judge_ctx *ctx, const struct cv_subject **ret_s, enum cv_field *ret_id)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	const struct cv_subject *kmod = cv_kmod_here(ctx);

	*ret_s = d->s;
	*ret_id = CV_F_driver_module_open;
	if (d->open != CV_TRI_UNKNOWN || d->loaded != CV_TRI_BAD)
		return d->open;
	*ret_s = kmod;
	*ret_id = CV_F_kmod_open;
	if (!kmod || !cv_fact_known(kmod, CV_F_kmod_open))
		return CV_TRI_UNKNOWN;
	return cv_fact_true(kmod, CV_F_kmod_open) ? CV_TRI_OK : CV_TRI_BAD;
}

static const char *flavour_needed(const struct cv_judge_ctx *ctx, const struct cv_wgpu *g, struct cv_kb_row *ret)
{
	return g->cc && cv_kb_get(ctx->kb, "cc", g->cc, "module", ret) ? ret->value : NULL;
}

bool cv_is_flavour_wrong(const struct cv_judge_ctx *ctx, const struct cv_wgpu *g)
{
	const struct cv_subject *s;
	enum cv_field id;
	enum cv_tri open = flavour(ctx, &s, &id);
	struct cv_kb_row row;
	const char *needed = flavour_needed(ctx, g, &row);

	if (!needed || ctx->w->wsl || g->integrated)
		return false;
	return (open == CV_TRI_BAD && cv_streq(needed, "open")) || (open == CV_TRI_OK && cv_streq(needed, "proprietary"));
}

bool cv_is_dropped(const struct cv_judge_ctx *ctx, const struct cv_wgpu *g, struct cv_kb_row *ret_last)
{
	const char *version = cv_driver_version(ctx);

	if (!version || g->integrated || !g->cc || !cv_kb_get(ctx->kb, "cc", g->cc, "last_driver", ret_last))
		return false;
	return cv_ver_part(version, 0) > cv_ver_part(ret_last->value, 0);
}

bool cv_is_unsigned(const struct cv_judge_ctx *ctx)
{
	const struct cv_subject *kmod = cv_kmod_here(ctx);

	return kmod && cv_fact_true(ctx->w->machine, CV_F_machine_secure_boot) && ctx->w->driver.loaded == CV_TRI_BAD &&
	       cv_fact_tri(kmod, CV_F_kmod_signed) == CV_TRI_BAD;
}

/* All GPUs that count suffer from it: then it is why the module is not loaded. */
static bool all_gpus(const struct cv_judge_ctx *ctx, bool (*is)(const struct cv_judge_ctx *, const struct cv_wgpu *))
{
	for (size_t i = 0; i < ctx->w->gpus.n; i++)
		if (!is(ctx, &ctx->w->gpus.v[i]))
			return false;
	return ctx->w->gpus.n > 0;
}

static bool dropped(const struct cv_judge_ctx *ctx, const struct cv_wgpu *g)
{
	struct cv_kb_row row;

	return cv_is_dropped(ctx, g, &row);
}

/* Which finding says why the module is not loaded; NULL if none does. */
static const char *cause_of_not_loaded(const struct cv_judge_ctx *ctx)
{
	if (ctx->w->has_gpu == CV_TRI_BAD)
		return "no-nvidia-gpu";
	if (cv_is_other_driver(ctx))
		return "other-driver-holds-gpu";
	if (cv_is_unsigned(ctx))
		return "secure-boot-blocks-driver";
	if (all_gpus(ctx, cv_is_flavour_wrong))
		return "kernel-module-flavour";
	if (all_gpus(ctx, dropped))
		return "gpu-dropped-by-driver";
	return NULL;
}

/* Debian's own driver: 535 in release 12, 550 in 13. Older releases are left to the reader. */
static int64_t debian_branch(const struct cv_judge_ctx *ctx)
{
	const char *release = cv_fact_str(ctx->w->machine, CV_F_machine_os_version);
	int64_t n = release ? cv_ver_part(release, 0) : 0;

	return n < 12 ? 0 : n == 12 ? 535 : 550;
}

static bool debian_serves(const struct cv_judge_ctx *ctx, const char *min)
{
	return debian_branch(ctx) && (!min || cv_ver_part(min, 0) <= debian_branch(ctx));
}

/* The driver to install on a bare machine: any that all GPUs accept. */
static void add_install_fix(struct cv_judge_ctx *ctx, struct cv_finding *f)
{
	const char *min = cv_min_driver(ctx), *last = cv_last_driver(ctx), *os = cv_fact_str(ctx->w->machine, CV_F_machine_os_id);
	struct cv_fix *x;

	if (ctx->w->wsl) {
		cv_find_text(ctx, f,
			     "install NVIDIA's Windows driver in Windows, then run wsl --shutdown there; no Linux driver belongs "
			     "into WSL",
			     "gives WSL its libcuda");
		return;
	}
	if (os && cv_streq(os, "ubuntu") && !last) {
		x = cv_find_command(ctx, f, "sudo ubuntu-drivers install", "installs the recommended NVIDIA driver");
		cv_fix_untried(x, "which driver Ubuntu recommends is not known");
	} else if (os && cv_streq(os, "debian") && !last && debian_serves(ctx, min)) {
		x = cv_find_command(ctx, f, "sudo apt-get install nvidia-driver",
				    "installs Debian's NVIDIA driver (component non-free)");
		cv_fix_driver_version(ctx, x, cv_arena_printf(ctx->a, "%lld", (long long)debian_branch(ctx)));
	} else {
		x = cv_find_text(ctx, f,
				 cv_arena_printf(ctx->a, "install an NVIDIA driver%s%s%s%s", min ? " of branch " : "",
						 min ? min : "", min ? " or newer" : "",
						 last ? cv_arena_printf(ctx->a,
									", but none past branch %s: it is the last that drives "
									"all GPUs here",
									last)
						      : ""),
				 "installs kernel module and libraries of the driver");
		if (min)
			cv_fix_driver_version(ctx, x, min);
		else
			cv_fix_untried(x, "which driver is taken is left to the reader");
	}
	x->needs_root = true;
	x->reboot = true;
}

CV_RULE(cv_rule_driver_missing)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	struct cv_finding *f;

	if (d->state == CV_DRIVER_UNKNOWN) {
		cv_not_evaluated(ctx, self, "%s", d->unknown_because);
		return;
	}
	if (d->state == CV_DRIVER_NOT_PASSED) {
		cv_not_evaluated(ctx, self, "in a container the driver is the host's");
		return;
	}
	if (d->state != CV_DRIVER_MISSING) {
		cv_ruled_out(ctx, self, "parts of an NVIDIA driver are here");
		return;
	}
	if (ctx->w->has_gpu == CV_TRI_BAD) {
		cv_not_evaluated(ctx, self, "none is installed, and there is no GPU that one could drive");
		return;
	}
	f = cv_find(ctx, self, ctx->w->wsl ? "the Windows driver's libcuda is not in this WSL" : "no NVIDIA driver is installed");
	cv_find_fact(ctx, f, d->s, CV_F_driver_module_loaded);
	cv_find_fact(ctx, f, d->s, CV_F_driver_module_version);
	for (size_t i = 0; i < ctx->w->gpus.n; i++) {
		cv_find_param(ctx, f, "gpu", ctx->w->gpus.v[i].label);
		cv_find_fact(ctx, f, ctx->w->gpus.v[i].s, CV_F_gpu_device_id);
	}
	if (ctx->w->wsl)
		cv_find_why(ctx, f, "WSL gets its driver from Windows, in /usr/lib/wsl/lib; there is no libcuda there.");
	else
		cv_find_why(
			ctx, f,
			"The kernel has no nvidia module loaded, no module file is on disk and there is no libcuda of a driver.");
	add_install_fix(ctx, f);
	cv_find_prove(ctx, f, "nvidia-smi");
	cv_find_hits(ctx, f, CV_ASPECT_DRIVER, CV_HIT_ALL);
	if (cv_is_other_driver(ctx))
		cv_find_symptom(f, "other-driver-holds-gpu");
}

CV_RULE(cv_rule_driver_library_missing)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	struct cv_finding *f;
	struct cv_fix *x;

	if (d->state == CV_DRIVER_UNKNOWN) {
		cv_not_evaluated(ctx, self, "%s", d->unknown_because);
		return;
	}
	if (d->state != CV_DRIVER_NO_LIBRARY) {
		if (d->state == CV_DRIVER_READY)
			cv_ruled_out(ctx, self, "there is a libcuda");
		else
			cv_not_evaluated(ctx, self, "the driver itself is not in place");
		return;
	}
	f = cv_find(ctx, self, "the kernel module %s is loaded, but the driver's libcuda is not installed",
		    d->module ? d->module : "nvidia");
	cv_find_param(ctx, f, "soname", "libcuda.so.1");
	cv_find_param(ctx, f, "found", d->module);
	cv_find_fact(ctx, f, d->s, CV_F_driver_module_loaded);
	cv_find_fact(ctx, f, d->s, CV_F_driver_module_version);
	cv_find_why(
		ctx, f,
		"Every CUDA program opens libcuda.so.1. Distributions put it into a package of its own, which is missing here.");
	x = cv_find_text(ctx, f,
			 cv_arena_printf(ctx->a,
					 "install the driver's compute libraries of exactly version %s (libcuda1, "
					 "libnvidia-compute-NNN or nvidia-driver-cuda)",
					 d->module ? d->module : "of the module"),
			 "adds libcuda and its companions");
	x->needs_root = true;
	if (d->module)
		cv_fix_driver_version(ctx, x, d->module);
	else
		cv_fix_untried(x, "the version of the module is not known");
	cv_find_prove(ctx, f, "ldconfig -p | grep libcuda.so.1");
	cv_find_hits(ctx, f, CV_ASPECT_DRIVER, CV_HIT_ALL);
}

/* What keeps the module out, as far as the files tell; adds evidence and the fix. */
static void explain_not_loaded(struct cv_judge_ctx *ctx, struct cv_finding *f)
{
	const char *running = cv_fact_str(ctx->w->machine, CV_F_machine_kernel);
	const struct cv_subject *here = cv_kmod_here(ctx);
	const char *os = cv_fact_str(ctx->w->machine, CV_F_machine_os_id);
	bool debian = os && (cv_streq(os, "debian") || cv_streq(os, "ubuntu"));
	size_t n = cv_facts_count(ctx->facts, CV_KIND_kmod);
	struct cv_fix *x;

	cv_find_param(ctx, f, "kernel", running);
	if (here) {
		cv_find_fact(ctx, f, here, CV_F_kmod_kernel);
		cv_find_fact(ctx, f, here, CV_F_kmod_version);
		cv_find_param(ctx, f, "found", cv_fact_str(here, CV_F_kmod_version));
		cv_find_why(ctx, f, "A module for the running kernel is on disk; the kernel log says why it was not loaded.");
		x = cv_find_command(ctx, f, "sudo modprobe nvidia", "loads the module");
		x->needs_root = true;
		cv_fix_load(ctx, x);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct cv_subject *s = cv_facts_at(ctx->facts, CV_KIND_kmod, i);

		cv_find_fact(ctx, f, s, CV_F_kmod_kernel);
		cv_find_param(ctx, f, "built_for", cv_fact_str(s, CV_F_kmod_kernel));
	}
	if (n)
		cv_find_why(ctx, f,
			    "The module was built for another kernel than the running one (%s): DKMS did not build it, often for "
			    "want of the kernel's headers.",
			    running ? running : "unknown");
	else
		cv_find_why(ctx, f,
			    "The driver's libraries are installed, a module for this kernel is not: DKMS did not build it, or "
			    "its package is missing.");
	if (debian)
		x = cv_find_command(
			ctx, f,
			"sudo apt-get install linux-headers-$(uname -r) && sudo dkms autoinstall && sudo modprobe nvidia",
			"builds the module for the running kernel and loads it");
	else
		x = cv_find_text(ctx, f,
				 "install the running kernel's headers, then: sudo dkms autoinstall && sudo modprobe nvidia", NULL);
	x->needs_root = true;
	if (ctx->w->driver.host && ctx->w->driver.host->version)
		cv_fix_driver_version(ctx, x, ctx->w->driver.host->version);
	else
		cv_fix_untried(x, "the version of the driver whose module would be built is not known");
}

CV_RULE(cv_rule_driver_not_loaded)
{
	const struct cv_wdriver *d = &ctx->w->driver;
	struct cv_finding *f;
	const char *cause;

	if (d->state == CV_DRIVER_UNKNOWN) {
		cv_not_evaluated(ctx, self, "%s", d->unknown_because);
		return;
	}
	if (d->state != CV_DRIVER_NOT_LOADED) {
		if (d->loaded == CV_TRI_OK)
			cv_ruled_out(ctx, self, "the nvidia module is loaded");
		else
			cv_not_evaluated(ctx, self,
					 d->state == CV_DRIVER_MISSING ? "no driver is installed that could be loaded"
								       : "this machine's kernel does not show a module");
		return;
	}
	f = cv_find(ctx, self, "the NVIDIA driver%s%s is installed, but its kernel module is not loaded",
		    cv_driver_version(ctx) ? " " : "", cv_driver_version(ctx) ? cv_driver_version(ctx) : "");
	cv_find_fact(ctx, f, d->s, CV_F_driver_module_loaded);
	cv_find_fact(ctx, f, ctx->w->machine, CV_F_machine_kernel);
	if (d->host)
		cv_find_fact(ctx, f, d->host->s, CV_F_lib_version);
	explain_not_loaded(ctx, f);
	if (cv_fact_true(ctx->w->machine, CV_F_machine_secure_boot))
		cv_find_fact(ctx, f, ctx->w->machine, CV_F_machine_secure_boot);
	cv_find_prove(ctx, f, "cat /proc/driver/nvidia/version");
	cv_find_hits(ctx, f, CV_ASPECT_DRIVER, CV_HIT_ALL);
	cause = cause_of_not_loaded(ctx);
	if (cause)
		cv_find_symptom(f, cause);
}

CV_RULE(cv_rule_secure_boot)
{
	const struct cv_subject *kmod = cv_kmod_here(ctx);
	enum cv_tri on = cv_fact_tri(ctx->w->machine, CV_F_machine_secure_boot);
	struct cv_finding *f;
	struct cv_fix *x;

	if (ctx->w->driver.loaded == CV_TRI_OK || on == CV_TRI_BAD) {
		cv_ruled_out(ctx, self, on == CV_TRI_BAD ? "Secure Boot is off" : "the module is loaded");
		return;
	}
	if (on == CV_TRI_UNKNOWN || !kmod || !cv_fact_known(kmod, CV_F_kmod_signed)) {
		cv_not_evaluated(ctx, self,
				 on == CV_TRI_UNKNOWN ? "whether Secure Boot is on is not known"
				 : kmod		      ? "whether the module file is signed is not known"
						      : "no module file for the running kernel is known");
		return;
	}
	if (!cv_is_unsigned(ctx)) {
		cv_not_evaluated(ctx, self, "the module is signed; whether its key is enrolled is not known");
		return;
	}
	f = cv_find(ctx, self, "Secure Boot is on and the NVIDIA kernel module is not signed: the kernel refuses it");
	cv_find_param(ctx, f, "module", cv_subject_key(kmod));
	cv_find_fact(ctx, f, ctx->w->machine, CV_F_machine_secure_boot);
	cv_find_fact(ctx, f, kmod, CV_F_kmod_signed);
	cv_find_fact(ctx, f, ctx->w->driver.s, CV_F_driver_module_loaded);
	cv_find_why(ctx, f, "With Secure Boot the kernel loads signed modules only, and the signing key must be enrolled.");
	x = cv_find_text(ctx, f,
			 "install the distribution's signed module package, or sign the module with a key of your own and enrol "
			 "it: sudo mokutil --import KEY.der",
			 NULL);
	x->needs_root = true;
	cv_fix_fact(ctx, x, kmod, CV_F_kmod_signed, "yes");
	cv_fix_load(ctx, x);
	x = cv_find_text(ctx, f, "turn Secure Boot off in the firmware settings", "lets the kernel load unsigned modules");
	x->reboot = true;
	cv_fix_fact(ctx, x, ctx->w->machine, CV_F_machine_secure_boot, "no");
	cv_fix_load(ctx, x);
	cv_find_prove(ctx, f, "sudo modprobe nvidia && cat /proc/driver/nvidia/version");
	cv_find_hits(ctx, f, CV_ASPECT_DRIVER, CV_HIT_ALL);
}

static void other_driver_fix(struct cv_judge_ctx *ctx, struct cv_finding *f, const struct cv_wgpu *g, const char *bound)
{
	const char *os = cv_fact_str(ctx->w->machine, CV_F_machine_os_id);
	bool debian = os && (cv_streq(os, "debian") || cv_streq(os, "ubuntu"));
	struct cv_fix *x;

	if (!g->held_by_linux) {
		cv_find_text(ctx, f,
			     "use the GPU inside the virtual machine that it was given to, or give it back to the host's driver",
			     NULL)
			->needs_root = true;
		return;
	}
	x = cv_find_command(ctx, f,
			    cv_arena_printf(ctx->a,
					    "printf 'blacklist %s\\noptions %s modeset=0\\n' | sudo tee "
					    "/etc/modprobe.d/blacklist-%s.conf && %s && sudo reboot",
					    bound, bound, bound, debian ? "sudo update-initramfs -u" : "sudo dracut --force"),
			    "keeps the other driver out from the next boot on");
	x->needs_root = true;
	x->reboot = true;
	for (size_t i = 0; i < ctx->w->gpus.n; i++)
		if (ctx->w->gpus.v[i].held_by_linux)
			cv_fix_fact(ctx, x, ctx->w->gpus.v[i].s, CV_F_gpu_bound, NULL);
	if (cv_kmod_here(ctx))
		cv_fix_load(ctx, x);
}

CV_RULE(cv_rule_other_driver)
{
	const struct cv_world *w = ctx->w;
	size_t held = 0, unknown = 0;

	for (size_t i = 0; i < w->gpus.n; i++) {
		const struct cv_wgpu *g = &w->gpus.v[i];
		const char *bound = cv_fact_str(g->s, CV_F_gpu_bound);
		struct cv_finding *f;

		unknown += cv_fact_tri(g->s, CV_F_gpu_bound) == CV_TRI_UNKNOWN;
		/* vfio-pci on one of several GPUs is somebody's wish. */
		if (!g->unbound || (!g->held_by_linux && w->visible_n + w->maybe_n))
			continue;
		held++;
		f = cv_find(ctx, self, "%s holds the %s, so NVIDIA's driver cannot", bound, g->label);
		cv_find_subject(f, "gpu", g->label, g->pci);
		cv_find_param(ctx, f, "driver", bound);
		cv_find_param(ctx, f, "gpu", g->label);
		cv_find_fact(ctx, f, g->s, CV_F_gpu_bound);
		cv_find_fact(ctx, f, w->driver.s, CV_F_driver_module_names);
		cv_find_why(ctx, f, "A PCI device belongs to one kernel driver; CUDA needs it to be nvidia.");
		other_driver_fix(ctx, f, g, bound);
		cv_find_prove(ctx, f, "lspci -k -s %s", g->pci);
		cv_find_hits(ctx, f, CV_ASPECT_DRIVER, (struct cv_hit){ .env = CV_NO_INDEX, .gpu = i });
	}
	if (held)
		return;
	if (!w->gpus.n || unknown)
		cv_not_evaluated(ctx, self, w->gpus.n ? "which driver a GPU is bound to is not known" : "no GPU is seen on PCI");
	else
		cv_ruled_out(ctx, self, "no GPU is bound to another driver that matters");
}

static void flavour_effects(struct cv_judge_ctx *ctx, struct cv_fix *x, const char *needed)
{
	const char *open = cv_streq(needed, "open") ? "yes" : "no";

	if (!cv_driver_version(ctx)) {
		cv_fix_untried(x, "the version of the driver is not known");
		return;
	}
	cv_fix_fact(ctx, x, cv_kmod_here(ctx), CV_F_kmod_open, open);
	cv_fix_fact(ctx, x, ctx->w->driver.s, CV_F_driver_module_open, open);
	cv_fix_driver_version(ctx, x, cv_driver_version(ctx));
}

CV_RULE(cv_rule_module_flavour)
{
	const struct cv_world *w = ctx->w;
	const struct cv_subject *s;
	enum cv_field id;
	enum cv_tri open = flavour(ctx, &s, &id);
	size_t wrong = 0, unknown = 0;

	if (w->wsl || open == CV_TRI_UNKNOWN) {
		cv_not_evaluated(ctx, self,
				 w->wsl ? "WSL has no kernel module of NVIDIA's"
					: "whether the module is the open one is not known");
		return;
	}
	for (size_t i = 0; i < w->gpus.n; i++) {
		const struct cv_wgpu *g = &w->gpus.v[i];
		struct cv_kb_row row;
		const char *needed = flavour_needed(ctx, g, &row);
		struct cv_finding *f;
		struct cv_fix *x;

		unknown += !needed;
		if (!cv_is_flavour_wrong(ctx, g))
			continue;
		wrong++;
		f = cv_find(ctx, self, "the %s needs the %s kernel module, and the %s one is installed", g->label, needed,
			    open == CV_TRI_OK ? "open" : "proprietary");
		cv_find_subject(f, "gpu", g->label, g->pci);
		cv_find_param(ctx, f, "needed", needed);
		cv_find_param(ctx, f, "found", open == CV_TRI_OK ? "open" : "proprietary");
		cv_find_param(ctx, f, "gpu", g->label);
		cv_find_param(ctx, f, "sm", g->cc);
		cv_find_fact(ctx, f, s, id);
		cv_find_fact(ctx, f, g->s, CV_F_gpu_device_id);
		cv_find_row(ctx, f, &row);
		cv_find_why(ctx, f,
			    open == CV_TRI_OK ? "The open module drives Turing and newer GPUs only."
					      : "Blackwell and newer GPUs are driven by the open module only.");
		x = cv_find_text(ctx, f,
				 cv_arena_printf(ctx->a, "install the driver package with the %s module (%s) of the same version",
						 needed,
						 cv_streq(needed, "open") ? "nvidia-driver-NNN-open, nvidia-open"
									  : "nvidia-driver-NNN, without -open"),
				 "replaces the kernel module");
		x->needs_root = x->reboot = true;
		flavour_effects(ctx, x, needed);
		cv_find_prove(ctx, f, "cat /proc/driver/nvidia/version");
		cv_find_hits(ctx, f, CV_ASPECT_DRIVER, (struct cv_hit){ .env = CV_NO_INDEX, .gpu = i });
	}
	if (wrong)
		return;
	if (!w->gpus.n || unknown)
		cv_not_evaluated(ctx, self, "what module the GPU needs is not known");
	else
		cv_ruled_out(ctx, self, "the %s module suits every GPU here", open == CV_TRI_OK ? "open" : "proprietary");
}

/* Evidence: the version that meets the GPU. */
static void add_driver_version(struct cv_judge_ctx *ctx, struct cv_finding *f)
{
	if (ctx->w->driver.module)
		cv_find_fact(ctx, f, ctx->w->driver.s, CV_F_driver_module_version);
	else if (cv_kmod_here(ctx))
		cv_find_fact(ctx, f, cv_kmod_here(ctx), CV_F_kmod_version);
	else if (ctx->w->driver.host)
		cv_find_fact(ctx, f, ctx->w->driver.host->s, CV_F_lib_version);
}

static void report_dropped(struct cv_judge_ctx *ctx, const struct cv_rule *self, size_t gpu, const struct cv_kb_row *last)
{
	const struct cv_wgpu *g = &ctx->w->gpus.v[gpu];
	const char *version = cv_driver_version(ctx), *min = cv_min_driver(ctx);
	struct cv_finding *f =
		cv_find(ctx, self, "driver %s no longer supports the %s: its last branch is %s", version, g->label, last->value);

	cv_find_subject(f, "gpu", g->label, g->pci);
	cv_find_param(ctx, f, "needed", last->value);
	cv_find_param(ctx, f, "found", version);
	cv_find_param(ctx, f, "gpu", g->label);
	cv_find_param(ctx, f, "sm", g->cc);
	add_driver_version(ctx, f);
	cv_find_fact(ctx, f, g->s, CV_F_gpu_device_id);
	cv_find_row(ctx, f, last);
	cv_find_why(ctx, f, "NVIDIA ended support for %s GPUs after branch %s; newer modules ignore them.",
		    g->arch ? g->arch : "these", last->value);
	if (min && cv_ver_part(min, 0) > cv_ver_part(last->value, 0)) {
		cv_find_text(ctx, f,
			     cv_arena_printf(ctx->a,
					     "no driver serves all GPUs of this machine: another one needs %s or newer; take one "
					     "kind out",
					     min),
			     NULL);
	} else {
		struct cv_fix *x = cv_find_text(
			ctx, f, cv_arena_printf(ctx->a, "install a driver of branch %s and hold it there", last->value),
			"replaces the driver");

		x->needs_root = x->reboot = true;
		cv_fix_driver_version(ctx, x, last->value);
	}
	cv_find_prove(ctx, f, "nvidia-smi -L");
	cv_find_hits(ctx, f, CV_ASPECT_DRIVER, (struct cv_hit){ .env = CV_NO_INDEX, .gpu = gpu });
}

CV_RULE(cv_rule_gpu_dropped)
{
	const struct cv_world *w = ctx->w;
	const char *version = cv_driver_version(ctx);
	size_t n = 0, unknown = 0;

	if (!version || !w->gpus.n) {
		cv_not_evaluated(ctx, self, version ? "no GPU is seen on PCI" : "the version of the driver is not known");
		return;
	}
	for (size_t i = 0; i < w->gpus.n; i++) {
		struct cv_kb_row last;

		unknown += !w->gpus.v[i].cc;
		if (!cv_is_dropped(ctx, &w->gpus.v[i], &last))
			continue;
		n++;
		report_dropped(ctx, self, i, &last);
	}
	if (n)
		return;
	if (unknown)
		cv_not_evaluated(ctx, self, "the compute capability of a GPU is not known");
	else
		cv_ruled_out(ctx, self, "driver %s supports every GPU here", version);
}
