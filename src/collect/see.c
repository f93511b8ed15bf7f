/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/see.h"

int cv_see_text(struct cv_collect_ctx *c, const char *path, struct cv_str *ret)
{
	return cv_view_read(c->view, path, CV_SEE_TEXT_MAX, c->scratch, ret);
}

bool cv_see_area(struct cv_collect_ctx *c, const char *area)
{
	static const char *const proc[] = { "/proc/version", "/proc/sys/kernel/osrelease", "/proc/modules", "/proc/driver",
					    "/proc/cpuinfo", NULL };
	static const char *const sys[] = { "/sys/bus", "/sys/module", "/sys/class", "/sys/devices", NULL };
	const char *const *p = cv_streq(area, "/sys") ? sys : proc; /* a /dev belongs to the system whose /proc is shown */

	if (c->view->live)
		return true;
	for (; *p; p++)
		if (cv_view_exists(c->view, *p))
			return true;
	return false;
}

enum cv_state cv_see_state(struct cv_collect_ctx *c, const char *path, int err)
{
	static const char *const areas[] = { "/proc", "/sys", "/dev" };
	enum cv_state state = cv_state_of_err(err);

	for (size_t i = 0; state == CV_ABSENT && i < sizeof(areas) / sizeof(areas[0]); i++)
		if (cv_path_below(path, areas[i]) && !cv_see_area(c, areas[i]))
			return CV_NOT_ASKED;
	return state;
}

void cv_see_fail(struct cv_collect_ctx *c, struct cv_subject *s, enum cv_field id, int err, struct cv_prov prov)
{
	enum cv_state state = prov.path ? cv_see_state(c, prov.path, err) : cv_state_of_err(err);

	cv_facts_state(c->facts, s, id, state, state == CV_UNPARSED ? cv_strerror(err) : NULL, prov);
}
