/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device nodes that CUDA opens. Whether the user may use one is asked by access, never by opening it.
 *
 * Every machine is asked for the control nodes and for the node of each GPU whose minor number the driver told; all others are
 * those that /dev holds. WSL has /dev/dxg instead, a Jetson the nodes of its own driver (nvhost-*, nvmap, nvgpu) besides.
 *
 * In a tree a node counts by its presence alone: whoever copied the tree may have had no right to make device nodes.
 */
#include "collect/registry.h"
#include "collect/see.h"

#define NODES_MAX 4096

static struct cv_prov prov(const char *path)
{
	return cv_see_prov("node", path, 0);
}

static void put_usable(struct cv_collect_ctx *c, struct cv_subject *s, const char *path)
{
	int r = cv_view_access(c->view, path, CV_ACCESS_R | CV_ACCESS_W);

	if (r == 0 || r == CV_EACCES)
		cv_facts_bool(c->facts, s, CV_F_node_usable, r == 0, prov(path));
	else
		cv_see_fail(c, s, CV_F_node_usable, r, prov(path));
}

static void see_node(struct cv_collect_ctx *c, const char *path)
{
	struct cv_subject *s;
	struct cv_stat st;
	int r;

	if (cv_facts_find(c->facts, CV_KIND_node, path))
		return;
	s = cv_facts_add(c->facts, CV_KIND_node, path);
	r = cv_view_stat(c->view, path, &st);
	if (r == 0) {
		bool present = st.type == CV_FT_CHR || !c->view->live;

		cv_facts_bool(c->facts, s, CV_F_node_present, present, prov(path));
		if (present && c->view->live)
			put_usable(c, s, path);
	} else if (cv_see_state(c, path, r) == CV_ABSENT) {
		cv_facts_bool(c->facts, s, CV_F_node_present, false, prov(path));
		cv_facts_state(c->facts, s, CV_F_node_usable, CV_ABSENT, NULL, prov(path));
	} else {
		cv_see_fail(c, s, CV_F_node_present, r, prov(path));
	}
}

static bool all_digits(const char *s)
{
	uint64_t n;

	return cv_str_u64(cv_str_of(s), &n);
}

static bool is_gpu_node(const char *name, bool jetson)
{
	if (cv_starts(name, "nvidia") && all_digits(name + 6))
		return true;
	return jetson && (cv_starts(name, "nvhost-") || cv_streq(name, "nvmap"));
}

static void run(struct cv_collect_ctx *c)
{
	static const char *const always[] = { "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools" };
	const struct cv_subject *m = cv_facts_find(c->facts, CV_KIND_machine, "");
	bool jetson = cv_fact_known(m, CV_F_machine_jetson) || cv_fact_known(m, CV_F_machine_l4t);
	struct cv_dirlist list = { 0 };

	if (cv_fact_known(m, CV_F_machine_wsl)) {
		see_node(c, "/dev/dxg");
		return;
	}
	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		see_node(c, always[i]);
	for (size_t i = 0; i < cv_facts_count(c->facts, CV_KIND_gpu); i++) {
		const struct cv_value *minor = cv_fact(cv_facts_at(c->facts, CV_KIND_gpu, i), CV_F_gpu_minor);

		if (minor->state == CV_KNOWN)
			see_node(c, cv_arena_printf(c->scratch, "/dev/nvidia%llu", (unsigned long long)minor->num));
	}
	if (jetson)
		see_node(c, "/dev/nvmap");
	if (cv_view_list(c->view, "/dev", c->scratch, &list) < 0)
		return;
	for (size_t i = 0; i < list.n && cv_facts_count(c->facts, CV_KIND_node) < NODES_MAX; i++)
		if (is_gpu_node(list.v[i].name, jetson))
			see_node(c, cv_path_join(c->scratch, "/dev", list.v[i].name));
}

const struct cv_collector cv_collector_node = {
	.name = "node",
	.doc = "device nodes that CUDA opens",
	.run = run,
};
