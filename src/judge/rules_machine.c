/* SPDX-License-Identifier: Apache-2.0 */
/* Is there a GPU, and may this system, container or process reach it? */
#include "judge/rules.h"

#include "base/str.h"
#include "judge/effect.h"

CV_RULE(cv_rule_no_nvidia_gpu)
{
	const struct cv_world *w = ctx->w;
	struct cv_finding *f;

	if (w->has_gpu == CV_TRI_UNKNOWN) {
		cv_not_evaluated(ctx, self, "%s", w->has_gpu_because);
		return;
	}
	if (w->has_gpu == CV_TRI_OK) {
		cv_ruled_out(ctx, self, "PCI lists %zu NVIDIA GPU%s", w->gpus.n, w->gpus.n == 1 ? "" : "s");
		return;
	}
	f = cv_find(ctx, self, "there is no NVIDIA GPU in this machine%s",
		    w->driver.state == CV_DRIVER_MISSING ? ", and no NVIDIA driver" : "");
	cv_find_fact(ctx, f, w->machine, CV_F_machine_pci_devices);
	cv_find_param(ctx, f, "found", "0");
	cv_find_why(ctx, f, "None of the PCI devices is a GPU of vendor 10de, so there is nothing that CUDA could run on.");
	cv_fix_untried(cv_find_text(ctx, f, "use a machine with an NVIDIA GPU, or CPU builds of the frameworks on this one", NULL),
		       "it is about other hardware");
	cv_find_prove(ctx, f, "cuvet check");
	cv_find_hits(ctx, f, CV_ASPECT_DRIVER, CV_HIT_ALL);
}

static enum cv_tri node_present(const struct cv_judge_ctx *ctx, const char *path)
{
	return cv_fact_tri(cv_facts_find(ctx->facts, CV_KIND_node, path), CV_F_node_present);
}

/* No node at all: ok = none, unknown = not known. */
static enum cv_tri no_nodes(const struct cv_judge_ctx *ctx)
{
	bool unknown = node_present(ctx, "/dev/nvidiactl") == CV_TRI_UNKNOWN;

	for (size_t i = 0; i < cv_facts_count(ctx->facts, CV_KIND_node); i++) {
		const struct cv_subject *s = cv_facts_at(ctx->facts, CV_KIND_node, i);

		if (cv_starts(cv_subject_key(s), "/dev/nvidia") && cv_fact_tri(s, CV_F_node_present) == CV_TRI_OK)
			return CV_TRI_BAD;
	}
	return unknown ? CV_TRI_UNKNOWN : CV_TRI_OK;
}

static bool special_machine(const struct cv_world *w)
{
	return w->wsl || w->jetson || w->driver.tegra || w->gvisor;
}

bool cv_is_without_gpu(const struct cv_judge_ctx *ctx)
{
	const struct cv_world *w = ctx->w;

	return w->container && !special_machine(w) && w->has_gpu != CV_TRI_BAD && no_nodes(ctx) == CV_TRI_OK;
}

static const char *run_flag(const struct cv_judge_ctx *ctx)
{
	const char *kind = cv_fact_str(ctx->w->machine, CV_F_machine_container);

	if (cv_streq(kind, "docker"))
		return "docker run --gpus all ...";
	if (cv_streq(kind, "podman"))
		return "podman run --device nvidia.com/gpu=all ...";
	if (cv_streq(kind, "apptainer"))
		return "apptainer exec --nv ...";
	return NULL;
}

static void add_visible_var(struct cv_judge_ctx *ctx, struct cv_finding *f)
{
	const struct cv_subject *var = cv_facts_find(ctx->facts, CV_KIND_var, "NVIDIA_VISIBLE_DEVICES");
	const char *value = cv_fact_str(var, CV_F_var_value);

	if (!value)
		return;
	cv_find_fact(ctx, f, var, CV_F_var_value);
	cv_find_param(ctx, f, "nvidia_visible_devices", value);
}

CV_RULE(cv_rule_container_without_gpu)
{
	const struct cv_world *w = ctx->w;
	struct cv_finding *f;
	struct cv_fix *x;
	const char *run;

	if (!w->container || special_machine(w)) {
		if (cv_fact(w->machine, CV_F_machine_container)->state == CV_ABSENT)
			cv_ruled_out(ctx, self, "this is not a container");
		else
			cv_not_evaluated(ctx, self, "%s", cv_fact_because(ctx->a, w->machine, CV_F_machine_container));
		return;
	}
	if (w->has_gpu == CV_TRI_BAD || no_nodes(ctx) == CV_TRI_UNKNOWN) {
		cv_not_evaluated(ctx, self,
				 w->has_gpu == CV_TRI_BAD ? "the host has no NVIDIA GPU that could be passed in"
							  : "device nodes were not looked at");
		return;
	}
	if (!cv_is_without_gpu(ctx)) {
		cv_ruled_out(ctx, self, "the container has NVIDIA device nodes");
		return;
	}
	f = cv_find(ctx, self, "this container has no access to the GPU: it was given no NVIDIA device");
	cv_find_param(ctx, f, "container", cv_fact_str(w->machine, CV_F_machine_container));
	cv_find_fact(ctx, f, w->machine, CV_F_machine_container);
	cv_find_fact(ctx, f, cv_facts_find(ctx->facts, CV_KIND_node, "/dev/nvidiactl"), CV_F_node_present);
	cv_find_fact(ctx, f, w->driver.s, CV_F_driver_module_loaded);
	add_visible_var(ctx, f);
	cv_find_why(ctx, f, "%s",
		    w->driver.loaded == CV_TRI_OK ? "The host's NVIDIA module is loaded, but neither device nodes nor libcuda "
						    "were passed into the container."
						  : "Neither device nodes nor libcuda were passed into the container, and no "
						    "NVIDIA module is seen on the host.");
	run = run_flag(ctx);
	if (run)
		x = cv_find_command(ctx, f, run,
				    "starts the container with the host's GPUs; the host needs nvidia-container-toolkit");
	else
		x = cv_find_text(ctx, f, "start the container with access to the GPUs (the host needs nvidia-container-toolkit)",
				 NULL);
	if (w->driver.module)
		cv_fix_driver_version(ctx, x, w->driver.module);
	else
		cv_fix_untried(x, "the host's driver is not seen from here");
	cv_find_prove(ctx, f, "cuvet check");
	cv_find_hits(ctx, f, CV_ASPECT_DRIVER, CV_HIT_ALL);
}

/* The nodes that CUDA opens, with the GPU of each (CV_NO_INDEX: all). */
struct want_node {
	const char *path;
	size_t gpu;
};

/* A GPU that the driver refused has no node to miss. */
static bool is_driven(const struct cv_wgpu *g)
{
	const char *bound = cv_fact_str(g->s, CV_F_gpu_bound);

	return cv_fact_true(g->s, CV_F_gpu_in_proc) || (bound && cv_streq(bound, "nvidia"));
}

static size_t wanted_nodes(const struct cv_judge_ctx *ctx, struct want_node *v, size_t max)
{
	size_t n = 0;

	v[n++] = (struct want_node){ "/dev/nvidiactl", CV_NO_INDEX };
	v[n++] = (struct want_node){ "/dev/nvidia-uvm", CV_NO_INDEX };
	for (size_t i = 0; i < ctx->w->gpus.n && n < max; i++) {
		const struct cv_wgpu *g = &ctx->w->gpus.v[i];

		if ((g->visible == CV_TRI_BAD && !g->masked) || !is_driven(g))
			continue;
		if (cv_fact_known(g->s, CV_F_gpu_minor))
			v[n++] = (struct want_node){
				cv_arena_printf(ctx->a, "/dev/nvidia%u", (unsigned)cv_fact_int(g->s, CV_F_gpu_minor, 0)), i
			};
		else if (ctx->w->gpus.n == 1)
			v[n++] = (struct want_node){ "/dev/nvidia0", i };
	}
	return n;
}

#define NODES_MAX 66

/* False, with the reason said, where nodes tell nothing. */
static bool nodes_matter(struct cv_judge_ctx *ctx, const struct cv_rule *self)
{
	const struct cv_world *w = ctx->w;

	if (special_machine(w))
		cv_not_evaluated(ctx, self, "this kind of machine has other device nodes");
	else if (w->driver.state != CV_DRIVER_READY)
		cv_not_evaluated(ctx, self, "without a loaded driver no device node is expected");
	else if (cv_is_without_gpu(ctx))
		cv_not_evaluated(ctx, self, "the container was given no device at all");
	else
		return true;
	return false;
}

static const char *joined(const struct cv_judge_ctx *ctx, const struct cv_strv *list)
{
	const char *text = "";

	for (size_t i = 0; i < list->n; i++)
		text = cv_arena_printf(ctx->a, "%s%s%s", text, i ? " " : "", cv_shell_quote(ctx->a, list->v[i]));
	return text;
}

static void report_missing(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct want_node *nodes, size_t n,
			   const struct cv_strv *missing)
{
	bool one = missing->n == 1;
	struct cv_finding *f = cv_find(ctx, self, "%s %s missing, and nothing here makes %s: CUDA cannot start",
				       cv_join_and(ctx->a, missing), one ? "is" : "are", one ? "it" : "them");
	struct cv_fix *x;

	for (size_t i = 0; i < n; i++) {
		if (!cv_strv_has(missing, nodes[i].path))
			continue;
		cv_find_param(ctx, f, "node", nodes[i].path);
		cv_find_fact(ctx, f, cv_facts_find(ctx->facts, CV_KIND_node, nodes[i].path), CV_F_node_present);
		cv_find_hits(ctx, f, CV_ASPECT_DRIVER, (struct cv_hit){ .env = CV_NO_INDEX, .gpu = nodes[i].gpu });
	}
	cv_find_fact(ctx, f, ctx->w->driver.s, CV_F_driver_modprobe_setuid);
	cv_find_why(ctx, f, "CUDA opens these nodes itself. A setuid nvidia-modprobe makes missing ones on demand; %s.",
		    ctx->w->container ? "in a container it cannot" : "there is none here");
	if (ctx->w->container)
		x = cv_find_text(ctx, f,
				 "make the node on the host (sudo nvidia-modprobe -u -c=0), then restart the container with the "
				 "GPU passed in",
				 "gives the container every node");
	else
		x = cv_find_command(ctx, f, "sudo nvidia-modprobe -u -c=0",
				    "loads nvidia-uvm and makes the nodes until the next boot");
	x->needs_root = !ctx->w->container;
	for (size_t i = 0; i < missing->n; i++)
		cv_fix_fact(ctx, x, cv_facts_find(ctx->facts, CV_KIND_node, missing->v[i]), CV_F_node_present, "yes");
	cv_find_prove(ctx, f, "ls -l %s", joined(ctx, missing));
}

CV_RULE(cv_rule_device_node_missing)
{
	struct want_node nodes[NODES_MAX];
	size_t n;
	enum cv_tri helper = cv_fact_tri(ctx->w->driver.s, CV_F_driver_modprobe_setuid);
	bool unknown = false, helped = false;
	struct cv_strv missing = { 0 };

	if (!nodes_matter(ctx, self))
		return;
	if (ctx->w->container)
		helper = CV_TRI_BAD; /* it may not make nodes in there */
	n = wanted_nodes(ctx, nodes, NODES_MAX);
	for (size_t i = 0; i < n; i++) {
		enum cv_tri present = node_present(ctx, nodes[i].path);

		unknown |= present == CV_TRI_UNKNOWN || (present == CV_TRI_BAD && helper == CV_TRI_UNKNOWN);
		helped |= present == CV_TRI_BAD && helper == CV_TRI_OK;
		if (present == CV_TRI_BAD && helper == CV_TRI_BAD)
			cv_strv_push(ctx->a, &missing, nodes[i].path);
	}
	if (missing.n) {
		report_missing(ctx, self, nodes, n, &missing);
	} else if (unknown) {
		cv_not_evaluated(ctx, self, "some device nodes, or whether nvidia-modprobe would make them, could not be seen");
	} else {
		cv_ruled_out(ctx, self, helped ? "a setuid nvidia-modprobe makes missing nodes" : "all device nodes are there");
	}
}

CV_RULE(cv_rule_device_node_denied)
{
	struct want_node nodes[NODES_MAX];
	struct cv_strv denied = { 0 };
	struct cv_finding *f;
	struct cv_fix *x;
	bool unknown = false;
	size_t n;

	if (!nodes_matter(ctx, self))
		return;
	n = wanted_nodes(ctx, nodes, NODES_MAX);
	for (size_t i = 0; i < n; i++) {
		const struct cv_subject *s = cv_facts_find(ctx->facts, CV_KIND_node, nodes[i].path);

		if (cv_fact_tri(s, CV_F_node_present) != CV_TRI_OK)
			continue;
		if (!cv_fact_known(s, CV_F_node_usable))
			unknown = true;
		else if (!cv_fact_true(s, CV_F_node_usable))
			cv_strv_push(ctx->a, &denied, nodes[i].path);
	}
	if (!denied.n) {
		if (unknown)
			cv_not_evaluated(ctx, self, "whether this user may open the device nodes is not known");
		else
			cv_ruled_out(ctx, self, "this user may open the device nodes that are there");
		return;
	}
	f = cv_find(ctx, self, "this user may not open %s", cv_join_and(ctx->a, &denied));
	for (size_t i = 0; i < n; i++) {
		if (!cv_strv_has(&denied, nodes[i].path))
			continue;
		cv_find_param(ctx, f, "node", nodes[i].path);
		cv_find_fact(ctx, f, cv_facts_find(ctx->facts, CV_KIND_node, nodes[i].path), CV_F_node_usable);
		cv_find_hits(ctx, f, CV_ASPECT_DRIVER, (struct cv_hit){ .env = CV_NO_INDEX, .gpu = nodes[i].gpu });
	}
	cv_find_fact(ctx, f, ctx->w->machine, CV_F_machine_uid);
	cv_find_why(ctx, f, "CUDA needs to read and write them; their owner, group and mode do not let this user.");
	x = cv_find_text(
		ctx, f, "add the user to the group that owns the nodes (ls -l /dev/nvidia*; often video or render) and log in again",
		NULL);
	x->needs_root = true;
	for (size_t i = 0; i < denied.n; i++)
		cv_fix_fact(ctx, x, cv_facts_find(ctx->facts, CV_KIND_node, denied.v[i]), CV_F_node_usable, "yes");
	cv_find_prove(ctx, f, "cuvet check");
}

static void mask_hides_all(struct cv_judge_ctx *ctx, const struct cv_rule *self, const struct cv_subject *var)
{
	const struct cv_world *w = ctx->w;
	size_t hidden = 0;
	struct cv_finding *f;

	for (size_t i = 0; i < w->gpus.n; i++)
		hidden += w->gpus.v[i].masked;
	f = cv_find(ctx, self, "CUDA_VISIBLE_DEVICES=%s hides %s", w->mask_value,
		    hidden == 1 ? "the GPU" : cv_arena_printf(ctx->a, "all %zu GPUs", hidden));
	cv_find_param(ctx, f, "found", w->mask_value);
	cv_find_param(ctx, f, "gpus", cv_arena_printf(ctx->a, "%zu", hidden));
	cv_find_fact(ctx, f, var, CV_F_var_value);
	if (w->mask.bad_is_end)
		cv_find_why(ctx, f, "An empty list, or one that begins with an entry that is no GPU, leaves none visible.");
	else
		cv_find_why(ctx, f,
			    "\"%.*s\" names no GPU here, and CUDA drops it and everything after it; GPUs are counted from 0.",
			    CV_STR_ARG(w->mask.bad));
	cv_fix_var(ctx, cv_find_command(ctx, f, "unset CUDA_VISIBLE_DEVICES", "shows every GPU to programs started from this shell"),
		   "CUDA_VISIBLE_DEVICES", NULL);
	cv_find_prove(ctx, f, "cuvet check");
	cv_find_hits(ctx, f, CV_ASPECT_DRIVER, CV_HIT_ALL);
}

CV_RULE(cv_rule_cuda_visible_devices)
{
	const struct cv_world *w = ctx->w;
	const struct cv_subject *var = cv_facts_find(ctx->facts, CV_KIND_var, "CUDA_VISIBLE_DEVICES");
	struct cv_finding *f;
	size_t masked = 0;

	for (size_t i = 0; i < w->gpus.n; i++)
		masked += w->gpus.v[i].masked;
	if (!w->mask_value) {
		if (cv_fact(var, CV_F_var_value)->state == CV_ABSENT)
			cv_ruled_out(ctx, self, "CUDA_VISIBLE_DEVICES is not set");
		else
			cv_not_evaluated(ctx, self, "%s", cv_fact_because(ctx->a, var, CV_F_var_value));
	} else if (masked + w->visible_n + w->maybe_n == 0) {
		cv_not_evaluated(ctx, self, "no GPU is known that it could hide");
	} else if (w->visible_n + w->maybe_n == 0) {
		mask_hides_all(ctx, self, var);
	} else if (w->mask.bad.n) {
		f = cv_find(ctx, self, "CUDA_VISIBLE_DEVICES=%s ends at \"%.*s\", which names no GPU here", w->mask_value,
			    CV_STR_ARG(w->mask.bad));
		f->severity = CV_WARNING; /* some GPUs stay visible */
		cv_find_param(ctx, f, "found", w->mask_value);
		cv_find_param(ctx, f, "entry", cv_str_dup(ctx->a, w->mask.bad));
		cv_find_fact(ctx, f, var, CV_F_var_value);
		cv_find_why(ctx, f, "CUDA drops the first entry that names no GPU and everything after it.");
		cv_find_prove(ctx, f, "cuvet check");
	} else if (w->maybe_n) {
		cv_not_evaluated(ctx, self,
				 "GPUs of different kinds and no CUDA_DEVICE_ORDER=PCI_BUS_ID: which GPUs %s means is not known",
				 w->mask_value);
	} else {
		cv_ruled_out(ctx, self, "CUDA_VISIBLE_DEVICES=%s leaves %zu GPU%s visible", w->mask_value, w->visible_n,
			     w->visible_n == 1 ? "" : "s");
	}
}
