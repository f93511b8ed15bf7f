/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expected: output against the files of tests/data/report. CUVET_UPDATE=1 writes them anew: look at the difference before
 * committing it. Include it after cmocka.h.
 */
#ifndef TESTS_EXPECTED_H
#define TESTS_EXPECTED_H

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"

/* Compares out with the expected file, or writes that. */
static inline void expected_compare(const char *name, const struct cv_buf *out)
{
	char path[512], *want = NULL;
	size_t n = 0, cap = 1 << 20;
	FILE *f;

	snprintf(path, sizeof(path), "%s/report/%s", TEST_DATA, name);
	if (getenv("CUVET_UPDATE")) {
		f = fopen(path, "wb");
		assert_non_null(f);
		assert_int_equal(fwrite(cv_buf_str(out), 1, out->n, f), out->n);
		assert_int_equal(fclose(f), 0);
		return;
	}
	f = fopen(path, "rb");
	if (!f)
		fail_msg("%s: missing; CUVET_UPDATE=1 makes it", path);
	want = calloc(1, cap + 1);
	assert_non_null(want);
	n = fread(want, 1, cap, f);
	fclose(f);
	if (n != out->n || memcmp(want, cv_buf_str(out), n) != 0)
		print_error("--- %s says\n%s--- now\n%s", path, want, cv_buf_str(out));
	assert_int_equal(n, out->n);
	assert_memory_equal(want, cv_buf_str(out), n);
	free(want);
}

#endif
