/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include <string.h>

#include "base/vec.h"

/* FNV-1a; tables are small and bounded, so a keyed hash is not needed: a full chain is a linear scan of that bounded table. */
static uint64_t hash_of(const char *s)
{
	uint64_t h = 1469598103934665603u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	return h;
}

static size_t find_slot(const struct cv_map *m, const char *key, uint64_t hash)
{
	size_t i = (size_t)hash & (m->slot_n - 1);

	while (m->slots[i]) {
		const struct cv_map_entry *e = &m->v[m->slots[i] - 1];

		if (e->hash == hash && strcmp(e->key, key) == 0)
			break;
		i = (i + 1) & (m->slot_n - 1);
	}
	return i;
}

void *cv_map_get(const struct cv_map *m, const char *key)
{
	size_t i;

	if (m->n == 0)
		return NULL;
	i = find_slot(m, key, hash_of(key));
	return m->slots[i] ? m->v[m->slots[i] - 1].value : NULL;
}

static bool grow_slots(struct cv_arena *a, struct cv_map *m)
{
	size_t n = m->slot_n ? m->slot_n * 2 : 16;
	uint32_t *slots = cv_arena_array(a, n, sizeof(*slots));

	if (!slots)
		return false;
	m->slots = slots;
	m->slot_n = n;
	for (size_t i = 0; i < m->n; i++)
		m->slots[find_slot(m, m->v[i].key, m->v[i].hash)] = (uint32_t)i + 1;
	return true;
}

bool cv_map_set(struct cv_arena *a, struct cv_map *m, const char *key, void *value)
{
	uint64_t hash = hash_of(key);
	struct cv_map_entry *e;
	size_t i;

	if ((m->n + 1) * 2 > m->slot_n && !grow_slots(a, m))
		return false;
	i = find_slot(m, key, hash);
	if (m->slots[i]) {
		m->v[m->slots[i] - 1].value = value;
		return true;
	}
	e = CV_VEC_PUSH(a, m);
	if (!e)
		return false;
	*e = (struct cv_map_entry){ .key = key, .value = value, .hash = hash };
	m->slots[i] = (uint32_t)m->n;
	return true;
}
