/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <stdlib.h>

#include "parse/ldconf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *a = cv_arena_new((size_t)16 << 20);
	struct cv_ldconf c = { .rest = { (const char *)data, size } };
	struct cv_ldconf_item item;
	size_t n = 0;

	if (!a)
		return 0;
	while (cv_ldconf_next(&c, &item)) {
		if (++n > size || item.line == 0)
			abort();
		if (item.text.n && (item.text.p < (const char *)data || item.text.p + item.text.n > (const char *)data + size))
			abort();
		if (item.kind == CV_LDCONF_DIR && item.text.p[0] != '/')
			abort();
		if (item.kind == CV_LDCONF_INCLUDE)
			cv_ldconf_pattern(a, "/etc/ld.so.conf", item.text);
	}
	cv_arena_free(a);
	return 0;
}
