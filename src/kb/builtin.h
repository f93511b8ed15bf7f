/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stored form of a knowledge base: rows as 32-bit offsets into one pool of NUL-terminated texts, each text once. The build
 * writes the built-in one as C (tools/kbc.c), so it needs neither relocations nor set-up; an overlay is made in an arena.
 * Private to src/kb.
 */
#ifndef CV_KB_BUILTIN_H
#define CV_KB_BUILTIN_H

#include <stddef.h>
#include <stdint.h>

/* Offsets into the pool; the order of rows is that of cv_tsv_row_cmp(). */
struct cv_kb_packed {
	uint32_t subject, from, to, property, value, source, date, tier;
};

/* Sorted by key. */
struct cv_kb_packed_source {
	uint32_t key, title, address, date;
};

/* In the order of SCHEMA. */
struct cv_kb_packed_property {
	uint32_t subject, property, meaning, scheme; /* scheme: enum cv_ver_scheme, not an offset */
};

struct cv_kb {
	const char *pool;
	size_t pool_n;
	const struct cv_kb_packed *rows;
	size_t row_n;
	const struct cv_kb_packed_source *sources;
	size_t source_n;
	const struct cv_kb_packed_property *schema;
	size_t schema_n;
	uint32_t date; /* newest full date of a row */
};

extern const struct cv_kb cv_kb_builtin_data;

#endif
