/* SPDX-License-Identifier: Apache-2.0 */
/* A --kb file: the same bytes as rows, as SOURCES and as SCHEMA, checked against the names of the built-in kb. */
#include <stddef.h>
#include <stdint.h>

#include "fuzz.h"
#include "kb/tsv.h"

static const char schema[] = "driver\tdotted\tcuda\tmeaning\n"
			     "torch\tpep440\tcode:*\tmeaning\n"
			     "gpu:*\tdotted\tname\tmeaning\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_str text = { (const char *)data, size };
	struct cv_tsv_set set = { 0 }, other = { 0 };
	struct cv_arena *a = cv_arena_new((size_t)32 << 20);
	struct cv_diag d;

	if (!a)
		return 0;
	cv_diag_init(&d, a);
	(void)cv_tsv_schema(cv_str_of(schema), "SCHEMA", a, &d, &set);
	(void)cv_tsv_sources(cv_str_of("k\tTitle\t\t2026\n"), "SOURCES", a, &d, &set);
	if (cv_tsv_rows(text, "fuzz.tsv", a, &d, &set) == 0 && cv_tsv_finish(a, &d, &set) == 0)
		(void)cv_tsv_check_used(&d, &set);
	(void)cv_tsv_sources(text, "SOURCES", a, &d, &other);
	(void)cv_tsv_schema(text, "SCHEMA", a, &d, &other);
	cv_arena_free(a);
	return 0;
}
