/* SPDX-License-Identifier: Apache-2.0 */
#include "view/recconv.h"

static const char type_letters[] = {
	[CV_FT_REG] = 'r', [CV_FT_DIR] = 'd',  [CV_FT_LNK] = 'l',  [CV_FT_CHR] = 'c',
	[CV_FT_BLK] = 'b', [CV_FT_FIFO] = 'p', [CV_FT_SOCK] = 's', [CV_FT_UNKNOWN] = '?',
};

static enum cv_ftype type_of(char letter)
{
	for (unsigned i = 0; i < sizeof(type_letters); i++)
		if (type_letters[i] == letter)
			return (enum cv_ftype)i;
	return CV_FT_UNKNOWN;
}

void cv_recconv_from_stat(const struct cv_stat *st, struct cv_rec_stat *ret)
{
	*ret = (struct cv_rec_stat){
		.type = type_letters[st->type],
		.mode = st->mode,
		.uid = st->uid,
		.gid = st->gid,
		.rdev_major = st->rdev_major,
		.rdev_minor = st->rdev_minor,
		.size = st->size,
		.dev = st->dev,
		.ino = st->ino,
	};
}

void cv_recconv_to_stat(const struct cv_rec_stat *st, struct cv_stat *ret)
{
	*ret = (struct cv_stat){
		.type = type_of(st->type),
		.mode = st->mode,
		.uid = st->uid,
		.gid = st->gid,
		.rdev_major = st->rdev_major,
		.rdev_minor = st->rdev_minor,
		.size = st->size,
		.dev = st->dev,
		.ino = st->ino,
	};
}

int cv_recconv_from_list(const struct cv_dirlist *list, struct cv_arena *a, struct cv_rec *ret)
{
	const char **words = CV_NEW_ARRAY(a, const char *, list->n);

	if (!words)
		return CV_ENOMEM;
	for (size_t i = 0; i < list->n; i++)
		words[i] = cv_arena_printf(a, "%c%s", type_letters[list->v[i].type], list->v[i].name);
	ret->words.v = words;
	ret->words.n = list->n;
	return cv_arena_failed(a) ? CV_ENOMEM : 0;
}

int cv_recconv_to_list(const struct cv_rec *r, struct cv_arena *a, struct cv_dirlist *ret)
{
	struct cv_dirent *v = CV_NEW_ARRAY(a, struct cv_dirent, r->words.n);

	if (!v)
		return CV_ENOMEM;
	for (size_t i = 0; i < r->words.n; i++) {
		v[i].name = cv_arena_strdup(a, r->words.v[i] + 1);
		v[i].type = type_of(r->words.v[i][0]);
	}
	if (cv_arena_failed(a))
		return CV_ENOMEM;
	*ret = (struct cv_dirlist){ v, r->words.n };
	return 0;
}
