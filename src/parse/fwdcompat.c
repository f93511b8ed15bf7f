/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/fwdcompat.h"

#include <jansson.h>

#define SECTION ".note.cuda.fwd_compatibility"
#define OWNER "NVIDIA Corporation"
#define ITEMS_MAX 1024

/* A whole number or a text, as text; NULL for anything else: 12.10 as a number would be 12.1. */
static const char *scalar(struct cv_arena *a, const json_t *v)
{
	if (json_is_string(v))
		return cv_arena_strdup(a, json_string_value(v));
	if (json_is_integer(v))
		return cv_arena_printf(a, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	return NULL;
}

static int take_list(struct cv_arena *a, const json_t *v, struct cv_strv *list)
{
	size_t n = json_is_array(v) ? json_array_size(v) : 1;

	if (n > ITEMS_MAX)
		return CV_ELIMIT;
	for (size_t i = 0; i < n; i++) {
		const char *s = scalar(a, json_is_array(v) ? json_array_get(v, i) : v);

		if (s && !cv_strv_push(a, list, s))
			return CV_ENOMEM;
	}
	return 0;
}

static int take_object(const json_t *root, struct cv_arena *a, struct cv_fwdcompat *f)
{
	const json_t *cuda = json_object_get(root, "CUDA version");
	const json_t *driver = json_object_get(root, "driver");
	const json_t *device = json_object_get(root, "device");
	int r = 0;

	if (!cuda && !driver && !device)
		return CV_EFORMAT;
	if (cuda)
		f->cuda = scalar(a, cuda);
	if (driver)
		r = take_list(a, driver, &f->branches);
	if (r == 0 && device)
		r = take_list(a, device, &f->devices);
	return r;
}

int cv_fwdcompat_parse(struct cv_str json, struct cv_arena *a, struct cv_fwdcompat *ret)
{
	struct cv_fwdcompat f = { 0 };
	json_t *root;
	int r;

	while (json.n && json.p[json.n - 1] == '\0')
		json.n--;
	if (json.n > CV_FWDCOMPAT_MAX)
		return CV_ELIMIT;
	root = json.n ? json_loadb(json.p, json.n, 0, NULL) : NULL;
	if (!root)
		return CV_EFORMAT;
	f.json = cv_str_dup(a, json);
	r = json_is_object(root) ? take_object(root, a, &f) : CV_EFORMAT;
	json_decref(root);
	if (r == 0)
		*ret = f;
	return r;
}

struct search {
	struct cv_elf *e;
	struct cv_arena *arena;
	struct cv_fwdcompat *ret;
	int err; /* of the last note of this owner that was not understood */
};

static int look_at(void *cookie, const struct cv_elf_note *note)
{
	struct search *s = cookie;
	struct cv_str json;
	int r;

	if (!cv_str_is(note->name, OWNER) || note->type != 0)
		return 0;
	if (note->desc_size > CV_FWDCOMPAT_MAX) {
		s->err = CV_ELIMIT;
		return 0;
	}
	r = cv_src_slice(s->e->src, note->desc_at, (size_t)note->desc_size, s->arena, &json);
	if (r < 0)
		return r;
	r = cv_fwdcompat_parse(json, s->arena, s->ret);
	if (r == 0) {
		s->ret->at = note->desc_at;
		return 1;
	}
	s->err = r;
	return r == CV_EFORMAT || r == CV_ELIMIT ? 0 : r;
}

int cv_fwdcompat_read(struct cv_elf *e, struct cv_arena *a, struct cv_fwdcompat *ret)
{
	struct search s = { .e = e, .arena = a, .ret = ret, .err = CV_ENOENT };
	const struct cv_elf_sec *sec;
	int r = cv_elf_section(e, SECTION, &sec);

	if (r == 0)
		r = cv_elf_notes_of(e, sec, look_at, &s);
	else if (r == CV_ENOENT)
		r = 0;
	/* stripped of its section headers, the note may still be in a segment */
	if (r == 0)
		r = cv_elf_notes(e, look_at, &s);
	if (r != 0)
		return r < 0 ? r : 0;
	return s.err == CV_ENOENT ? s.err : cv_diag_fail(e->diag, s.err, "%s: %s: not understood", e->src->name, SECTION);
}
