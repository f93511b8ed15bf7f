/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GPUs: what they are (by PCI id, never by name where an id is known) and which of them CUDA would enumerate: those on PCI
 * that NVIDIA's driver holds and whose node is there, cut down by CUDA_VISIBLE_DEVICES.
 */
#include "judge/world.h"

#include "base/version.h"

static const char *gpu_subject(struct cv_arena *a, const char *vendor, const char *device)
{
	return cv_arena_printf(a, "gpu:%s:%s", vendor ? vendor : "10de", device);
}

/* "NVIDIA GeForce RTX 4090" and "GeForce RTX 4090" are the same product. */
static const char *bare_name(const char *name)
{
	return cv_starts(name, "NVIDIA ") ? name + strlen("NVIDIA ") : name;
}

/* Only where there is no id: all products of that name must agree. */
static void cc_by_name(struct cv_wgpu *g, const struct cv_kb *kb, struct cv_arena *a)
{
	struct cv_kb_iter it = cv_kb_iter(kb, NULL, NULL, "name");
	struct cv_kb_row row, cc;

	g->cc_because = cv_arena_printf(a, "the knowledge base (%s) does not know \"%s\"", cv_kb_date(kb), g->name);
	while (cv_kb_next(&it, &row)) {
		if (!cv_starts(row.subject, "gpu:") || !cv_streq(bare_name(row.value), bare_name(g->name)))
			continue;
		if (!cv_kb_get(kb, row.subject, NULL, "cc", &cc))
			continue;
		if (g->cc && !cv_streq(g->cc, cc.value)) {
			g->cc = NULL;
			g->cc_because = cv_arena_printf(a, "GPUs of different kinds are called \"%s\"", g->name);
			return;
		}
		g->cc = cc.value;
		g->cc_row = cc;
		g->has_cc_row = true;
	}
}

static void identify(struct cv_wgpu *g, const char *board, const struct cv_kb *kb, struct cv_arena *a)
{
	const char *device = cv_fact_str(g->s, CV_F_gpu_device_id);
	const char *chip = cv_fact_str(g->s, CV_F_gpu_chip);
	const char *subject = device ? gpu_subject(a, cv_fact_str(g->s, CV_F_gpu_vendor_id), device)
			      : chip ? cv_arena_printf(a, "gpu:%s", chip)
				     : NULL;
	struct cv_kb_row row;

	g->pci = cv_subject_key(g->s);
	g->name = cv_fact_str(g->s, CV_F_gpu_name);
	if (!g->name && g->integrated)
		g->name = board; /* kb knows the chip, which several boards have */
	if (!g->name && subject)
		g->name = cv_kb_value(kb, subject, NULL, "name");
	g->memory_mib = cv_fact_int(g->s, CV_F_gpu_memory_mib, 0);
	if (!g->memory_mib && subject && cv_kb_get(kb, subject, NULL, "memory_mib", &row))
		(void)cv_str_u64(cv_str_of(row.value), &g->memory_mib);
	g->cc = cv_fact_str(g->s, CV_F_gpu_cc);
	if (!g->cc && subject) {
		g->has_cc_row = cv_kb_get(kb, subject, NULL, "cc", &g->cc_row) ||
				(chip && cv_kb_get(kb, cv_arena_printf(a, "gpu:%s", chip), NULL, "cc", &g->cc_row));
		if (g->has_cc_row)
			g->cc = g->cc_row.value;
		else
			g->cc_because = cv_arena_printf(a, "GPU %s is newer than this knowledge base (%s), or not in it",
							subject + 4, cv_kb_date(kb));
	} else if (!g->cc && g->name) {
		cc_by_name(g, kb, a);
	} else if (!g->cc) {
		g->cc_because = "neither a PCI id nor a name of this GPU is known";
	}
	if (g->cc && !cv_cc_parse(g->cc, &g->ccn))
		g->cc = NULL;
	if (!g->cc && !g->cc_because)
		g->cc_because = "its compute capability cannot be read";
	g->arch = g->cc ? cv_kb_value(kb, "cc", g->cc, "arch") : NULL;
	if (g->name)
		g->label = g->name;
	else
		g->label = subject ? cv_arena_printf(a, "GPU %s", subject + 4) : cv_arena_printf(a, "GPU %s", g->pci);
}

static enum cv_tri node_state(const struct cv_facts *facts, const char *path)
{
	const struct cv_subject *s = cv_facts_find(facts, CV_KIND_node, path);
	enum cv_tri present = cv_fact_tri(s, CV_F_node_present);

	if (present == CV_TRI_OK && cv_fact_known(s, CV_F_node_usable) && !cv_fact_true(s, CV_F_node_usable))
		return CV_TRI_BAD;
	return present;
}

static bool held_by_other(const char *bound)
{
	return bound && !cv_streq(bound, "nvidia");
}

/* Linux's own drivers, by either spelling of their names. */
static bool is_linux_driver(const char *bound)
{
	return cv_streq(bound, "nouveau") || cv_starts(bound, "nova");
}

/* Before the mask: would CUDA enumerate it, as far as PCI, /proc and the nodes tell? */
static void find_visible(const struct cv_world *w, const struct cv_facts *facts, struct cv_wgpu *g, struct cv_arena *a)
{
	g->unbound = !w->wsl && !g->integrated && held_by_other(cv_fact_str(g->s, CV_F_gpu_bound));
	g->held_by_linux = g->unbound && is_linux_driver(cv_fact_str(g->s, CV_F_gpu_bound));
	g->node = CV_TRI_UNKNOWN;
	if (w->wsl || g->integrated)
		g->node = CV_TRI_OK;
	else if (cv_fact_known(g->s, CV_F_gpu_minor))
		g->node = node_state(facts, cv_arena_printf(a, "/dev/nvidia%u", (unsigned)cv_fact_int(g->s, CV_F_gpu_minor, 0)));
	else if (cv_facts_count(facts, CV_KIND_gpu) == 1)
		g->node = node_state(facts, "/dev/nvidia0");
	g->visible = g->unbound || cv_fact_true(g->s, CV_F_gpu_excluded) ? CV_TRI_BAD : CV_TRI_OK;
}

/* In a container only part of what PCI lists was given to us. Elsewhere the driver's list lacks what it refuses: a finding. */
static void drop_not_given(struct cv_world *w)
{
	bool in_proc = false, has_node = false;

	for (size_t i = 0; i < w->gpus.n; i++) {
		in_proc |= cv_fact_true(w->gpus.v[i].s, CV_F_gpu_in_proc);
		has_node |= w->gpus.v[i].node == CV_TRI_OK;
	}
	for (size_t i = 0; i < w->gpus.n; i++) {
		struct cv_wgpu *g = &w->gpus.v[i];

		if (w->container && in_proc && cv_fact_tri(g->s, CV_F_gpu_in_proc) == CV_TRI_BAD)
			g->visible = CV_TRI_BAD;
		if (w->container && has_node && g->node == CV_TRI_BAD)
			g->visible = CV_TRI_BAD;
	}
}

static bool all_equal(const struct cv_world *w)
{
	const char *first = NULL;

	for (size_t i = 0; i < w->gpus.n; i++) {
		const char *device = cv_fact_str(w->gpus.v[i].s, CV_F_gpu_device_id);

		if (w->gpus.v[i].visible == CV_TRI_BAD)
			continue;
		if (!device || (first && !cv_streq(first, device)))
			return false;
		first = device;
	}
	return true;
}

static void apply_mask(struct cv_world *w, const struct cv_facts *facts, struct cv_arena *a)
{
	const struct cv_subject *order = cv_facts_find(facts, CV_KIND_var, "CUDA_DEVICE_ORDER");
	const char *order_value = cv_fact_str(order, CV_F_var_value);
	struct cv_mask_gpu *masks = CV_NEW_ARRAY(a, struct cv_mask_gpu, w->gpus.n);
	size_t n = 0;

	w->mask_value = cv_fact_str(cv_facts_find(facts, CV_KIND_var, "CUDA_VISIBLE_DEVICES"), CV_F_var_value);
	if (!w->mask_value || !masks)
		return;
	for (size_t i = 0; i < w->gpus.n; i++)
		if (w->gpus.v[i].visible == CV_TRI_OK)
			masks[n++].uuid = cv_fact_str(w->gpus.v[i].s, CV_F_gpu_uuid);
	w->mask_ordered = all_equal(w) || (order_value && cv_streq(order_value, "PCI_BUS_ID"));
	w->mask = cv_mask_apply(w->mask_value, w->mask_ordered, masks, n);
	n = 0;
	for (size_t i = 0; i < w->gpus.n; i++) {
		struct cv_wgpu *g = &w->gpus.v[i];

		if (g->visible != CV_TRI_OK)
			continue;
		g->visible = masks[n++].visible;
		g->masked = g->visible == CV_TRI_BAD;
	}
}

static void find_presence(struct cv_world *w, struct cv_arena *a)
{
	const struct cv_value *pci = cv_fact(w->machine, CV_F_machine_pci_devices);
	const struct cv_value *scan = cv_fact(w->machine, CV_F_machine_gpu_scan);

	if (w->gpus.n) {
		w->has_gpu = CV_TRI_OK;
	} else if (w->wsl || w->jetson || w->driver.tegra) {
		w->has_gpu_because = "this kind of machine does not show its GPU on PCI";
	} else if (w->gvisor) {
		w->has_gpu_because = "gVisor does not show the PCI bus";
	} else if (scan->state != CV_KNOWN && scan->prov.collector) {
		w->has_gpu_because = cv_fact_because(a, w->machine, CV_F_machine_gpu_scan);
	} else if (cv_fact_true(w->machine, CV_F_machine_gpu_scan) || pci->state == CV_KNOWN) {
		w->has_gpu = CV_TRI_BAD;
	} else if (w->machine && !w->live) {
		w->has_gpu_because = "these are the files of a system that does not run";
	} else {
		w->has_gpu_because = cv_fact_because(a, w->machine, CV_F_machine_pci_devices);
	}
}

void cv__world_gpus(struct cv_world *w, const struct cv_facts *facts, const struct cv_kb *kb, struct cv_arena *a)
{
	for (size_t i = 0; i < cv_facts_count(facts, CV_KIND_gpu); i++) {
		struct cv_wgpu *g = CV_VEC_PUSH(a, &w->gpus);

		if (!g)
			return;
		g->s = cv_facts_at(facts, CV_KIND_gpu, i);
		g->integrated = (w->jetson || w->driver.tegra) &&
				(cv_fact_known(g->s, CV_F_gpu_chip) || !cv_fact_known(g->s, CV_F_gpu_device_id));
		identify(g, cv_fact_str(w->machine, CV_F_machine_jetson), kb, a);
		find_visible(w, facts, g, a);
	}
	drop_not_given(w);
	apply_mask(w, facts, a);
	for (size_t i = 0; i < w->gpus.n; i++) {
		w->visible_n += w->gpus.v[i].visible == CV_TRI_OK;
		w->maybe_n += w->gpus.v[i].visible == CV_TRI_UNKNOWN;
	}
	find_presence(w, a);
}
