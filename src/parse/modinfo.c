/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/modinfo.h"

static int take(struct cv_str item, struct cv_arena *a, struct cv_modinfo *m)
{
	const struct {
		const char *key;
		const char **to;
	} single[] = {
		{ "name=", &m->name },
		{ "version=", &m->version },
		{ "license=", &m->license },
		{ "vermagic=", &m->vermagic },
	};

	for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++) {
		if (!cv_str_eat(&item, single[i].key))
			continue;
		if (!*single[i].to)
			*single[i].to = cv_str_dup(a, item);
		return 0;
	}
	if (cv_str_eat(&item, "firmware=") && !cv_strv_push(a, &m->firmware, cv_str_dup(a, item)))
		return CV_ENOMEM;
	return 0;
}

int cv_modinfo_parse(struct cv_str text, struct cv_arena *a, struct cv_modinfo *ret)
{
	struct cv_modinfo m = { 0 };
	struct cv_str item;

	while (cv_str_split(&text, '\0', &item)) {
		int r = take(item, a, &m);

		if (r < 0)
			return r;
	}
	*ret = m;
	return 0;
}

int cv_modinfo_read(struct cv_elf *e, struct cv_arena *a, struct cv_modinfo *ret)
{
	const struct cv_elf_sec *sec;
	struct cv_str text;
	int r = cv_elf_section(e, ".modinfo", &sec);

	if (r < 0)
		return r;
	if (sec->type == CV_SHT_NOBITS)
		return CV_EFORMAT;
	if (sec->size > CV_MODINFO_MAX)
		return CV_ELIMIT;
	r = cv_src_slice(e->src, sec->offset, (size_t)sec->size, a, &text);
	return r < 0 ? r : cv_modinfo_parse(text, a, ret);
}
