/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a zip archive, read from the end, from the beginning and from the middle: the same bytes each time. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "fuzz.h"
#include "view/member.h"

#define MEMBERS 16 /* looked into; an archive of many is slow, not different */

static void look(struct cv_src *s)
{
	unsigned char first[64], again[64];
	size_t n = s->size < sizeof(first) ? (size_t)s->size : sizeof(first);
	int r;

	/* What lies about its size would be unpacked to the end. */
	if (s->size > 4 << 20)
		return;
	(void)cv_src_read(s, s->size - n, again, n);
	r = cv_src_read(s, 0, first, n);
	(void)cv_src_read(s, s->size / 2, again, (size_t)(s->size - s->size / 2) < n ? (size_t)(s->size - s->size / 2) : n);
	if (r == 0 && cv_src_read(s, 0, again, n) == 0 && memcmp(first, again, n) != 0)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *a = cv_arena_new((size_t)16 << 20);
	struct cv_members *m = NULL;
	struct cv_src_mem mem;
	struct cv_member f;
	struct cv_diag d;

	if (!a)
		return 0;
	cv_diag_init(&d, a);
	if (cv_members_open(cv_src_mem_init(&mem, data, size, "fuzz"), &d, &m) == 0)
		for (int i = 0; i < MEMBERS && cv_members_next(m, &d, &f) == 1; i++) {
			if (strlen(f.name) > size)
				__builtin_trap();
			look(cv_members_src(m));
		}
	cv_members_close(m);
	cv_arena_free(a);
	return 0;
}
