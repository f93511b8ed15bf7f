/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a wheel, without unpacking it. */
#include "engine/derive.h"

#include "view/member.h"

int cv_wheel_walk(struct cv_src *wheel, struct cv_arena *a, struct cv_diag *d, cv_artifact_file_fn *fn, void *cookie)
{
	struct cv_members *members;
	struct cv_member m;
	int err = cv_members_open(wheel, d, &members);

	if (err)
		return err;
	while ((err = cv_members_next(members, d, &m)) == 1) {
		err = fn(cookie, cv_arena_strdup(a, m.name), cv_members_src(members));
		if (err)
			break;
	}
	cv_members_close(members);
	return err;
}
