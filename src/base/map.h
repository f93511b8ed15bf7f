/* SPDX-License-Identifier: Apache-2.0 */
/* Map: string -> pointer, in an arena, insertion order kept. Keys are borrowed and must outlive the map. */
#ifndef CV_BASE_MAP_H
#define CV_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct cv_map_entry {
	const char *key;
	void *value;
	uint64_t hash;
};

struct cv_map {
	struct cv_map_entry *v; /* in order of insertion */
	size_t n, cap;
	uint32_t *slots; /* index + 1 into v, 0 = free; slot_n is a power of two */
	size_t slot_n;
};

/* The value, or NULL. */
void *cv_map_get(const struct cv_map *m, const char *key);
/* Adds or replaces; false when out of memory. */
bool cv_map_set(struct cv_arena *a, struct cv_map *m, const char *key, void *value);

#endif
