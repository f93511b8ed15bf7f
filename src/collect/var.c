/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Environment variables that steer the GPU stack. Which ones is told by the kb (subject var, property steering:NAME); the list
 * here holds those that other parts of cuvet itself go by, so that they are there whatever the kb says.
 */
#include "collect/registry.h"
#include "collect/see.h"

static const char *const own[] = { "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH",
				   "LD_PRELOAD", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "VIRTUAL_ENV",
				   "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME", "PYTHONNOUSERSITE" };

static void see_var(struct cv_collect_ctx *c, const char *name)
{
	struct cv_subject *s;
	const char *value;
	int r;

	if (cv_facts_find(c->facts, CV_KIND_var, name))
		return;
	s = cv_facts_add(c->facts, CV_KIND_var, name);
	r = cv_view_getenv(c->view, name, &value);
	if (r == 0)
		cv_facts_str(c->facts, s, CV_F_var_value, value, cv_see_prov("var", "environment", 0));
	else
		cv_facts_state(c->facts, s, CV_F_var_value, cv_state_of_err(r), NULL, cv_see_prov("var", "environment", 0));
}

static void run(struct cv_collect_ctx *c)
{
	struct cv_kb_iter it = cv_kb_iter(c->kb, "var", NULL, "steering:*");
	struct cv_kb_row row;

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		see_var(c, own[i]);
	while (cv_kb_next(&it, &row))
		if (cv_starts(row.property, "steering:"))
			see_var(c, row.property + strlen("steering:"));
}

const struct cv_collector cv_collector_var = {
	.name = "var",
	.doc = "environment variables that steer the GPU stack",
	.run = run,
};
