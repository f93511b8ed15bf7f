/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/ldcache.h"

#include <inttypes.h>

#include "base/num.h"

#define OLD_MAGIC "ld.so-1.7.0"
#define NEW_MAGIC "glibc-ld.so.cache1.1"
#define EXTENSION_MAGIC 0xeaa42174u

enum { OLD_HEAD = 16, OLD_ENTRY = 12, NEW_HEAD = 48, NEW_ENTRY = 24, SECTIONS_MAX = 64 };
enum { TAG_GENERATOR = 0, TAG_HWCAPS = 1 };

struct reader {
	struct cv_str all;   /* the file */
	struct cv_str texts; /* what offsets of texts are counted from, to the end of the file */
	struct cv_str hwcaps; /* array of text offsets, empty if there is none */
	const char *name;
	struct cv_diag *diag;
	struct cv_arena *arena;
	struct cv_ldcache *c;
};

static uint32_t number(const struct cv_ldcache *c, const char *at)
{
	const unsigned char *p = (const unsigned char *)at;

	if (c->big_endian)
		return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static uint64_t number64(const struct cv_ldcache *c, const char *at)
{
	uint64_t first = number(c, at);
	uint64_t second = number(c, at + 4);

	return c->big_endian ? first << 32 | second : second << 32 | first;
}

static void damage(struct reader *r, size_t off, const char *what)
{
	if (!r->c->damaged)
		cv_diag_fail(r->diag, CV_EFORMAT, "%s: offset %zu: %s", r->name, off, what);
	r->c->damaged = true;
}

/* The NUL behind the file ends any text. */
static const char *text(const struct reader *r, uint32_t off)
{
	return off < r->texts.n ? r->texts.p + off : NULL;
}

/* How many of count entries lie in the file. */
static size_t fitting(struct reader *r, struct cv_str part, size_t head, size_t entry)
{
	size_t count = number(r->c, part.p + (head == OLD_HEAD ? 12 : 20));
	size_t room = (part.n - head) / entry;

	if (count <= room)
		return count;
	damage(r, (size_t)(part.p - r->all.p), "more entries than the file can hold");
	return room;
}

static bool is_extension(uint64_t hwcap)
{
	return (hwcap >> 32 & ~(uint64_t)0x3ff) == (uint64_t)1 << 30;
}

static const char *hwcaps_name(const struct reader *r, uint64_t hwcap)
{
	uint32_t i = (uint32_t)hwcap;

	if (!is_extension(hwcap) || i >= r->hwcaps.n / 4)
		return NULL;
	return text(r, number(r->c, r->hwcaps.p + (size_t)i * 4));
}

static void add(struct reader *r, const char *p, bool is_new)
{
	struct cv_ldcache *c = r->c;
	struct cv_ldcache_entry e = { .flags = number(c, p), .key = text(r, number(c, p + 4)), .value = text(r, number(c, p + 8)) };

	if (is_new) {
		e.osversion = number(c, p + 12);
		e.hwcap = number64(c, p + 16);
		e.hwcaps = hwcaps_name(r, e.hwcap);
	}
	if (!e.key || !e.value || (is_extension(e.hwcap) && !e.hwcaps)) {
		c->bad++;
		damage(r, (size_t)(p - r->all.p), "an entry points outside of the file");
		return;
	}
	c->v[c->n++] = e;
}

static int add_all(struct reader *r, struct cv_str part, bool is_new)
{
	size_t head = is_new ? NEW_HEAD : OLD_HEAD;
	size_t entry = is_new ? NEW_ENTRY : OLD_ENTRY;
	size_t n = fitting(r, part, head, entry);

	r->c->told = number(r->c, part.p + (is_new ? 20 : 12));
	r->texts = is_new ? part : cv_str_from(part, head + n * entry);
	r->c->v = CV_NEW_ARRAY(r->arena, struct cv_ldcache_entry, n);
	if (!r->c->v)
		return CV_ENOMEM;
	for (size_t i = 0; i < n; i++)
		add(r, part.p + head + i * entry, is_new);
	return 0;
}

/* The directory of extensions; offsets in it are counted from the beginning of the file. */
static void read_extensions(struct reader *r, struct cv_str part)
{
	struct cv_ldcache *c = r->c;
	uint32_t off = number(c, part.p + 32);
	uint32_t n;

	if (off == 0)
		return;
	if (!cv_in_range(off, 8, r->all.n) || number(c, r->all.p + off) != EXTENSION_MAGIC) {
		damage(r, off, "no extensions where they should be");
		return;
	}
	n = number(c, r->all.p + off + 4);
	for (uint32_t i = 0; i < n && i < SECTIONS_MAX; i++) {
		size_t at = off + 8 + (size_t)i * 16;
		struct cv_str s;

		if (!cv_in_range(at, 16, r->all.n) ||
		    !cv_in_range(number(c, r->all.p + at + 8), number(c, r->all.p + at + 12), r->all.n)) {
			damage(r, at, "an extension lies outside of the file");
			return;
		}
		s = cv_str_sub(r->all, number(c, r->all.p + at + 8), number(c, r->all.p + at + 12));
		if (number(c, r->all.p + at) == TAG_GENERATOR)
			c->generator = cv_str_dup(r->arena, s);
		else if (number(c, r->all.p + at) == TAG_HWCAPS)
			r->hwcaps = s;
	}
}

/* The byte order: as the file says, or else the one in which the number of entries can be true. */
static bool is_big_endian(struct cv_str part, size_t head, size_t entry)
{
	struct cv_ldcache little = { .big_endian = false };
	unsigned told = head == NEW_HEAD ? part.p[28] & 3 : 0;

	if (told >= 2)
		return told == 3;
	return number(&little, part.p + (head == OLD_HEAD ? 12 : 20)) > (part.n - head) / entry;
}

static bool is_format(struct cv_str part, const char *magic, size_t head)
{
	return part.n >= head && cv_str_starts(part, magic);
}

int cv_ldcache_parse(struct cv_str bytes, const char *name, struct cv_arena *a, struct cv_diag *d, struct cv_ldcache *ret)
{
	struct cv_ldcache c = { .has_old = is_format(bytes, OLD_MAGIC, OLD_HEAD) };
	struct reader r = { .all = bytes, .name = name, .diag = d, .arena = a, .c = &c };
	struct cv_str part = bytes;
	int err;

	if (c.has_old) {
		size_t end;

		c.big_endian = is_big_endian(bytes, OLD_HEAD, OLD_ENTRY);
		end = OLD_HEAD + fitting(&r, bytes, OLD_HEAD, OLD_ENTRY) * OLD_ENTRY;
		part = cv_str_from(bytes, (end + 7) / 8 * 8);
	}
	c.has_new = is_format(part, NEW_MAGIC, NEW_HEAD);
	if (!c.has_old && !c.has_new)
		return cv_diag_fail(d, CV_EFORMAT, "%s: offset 0: no cache of the loader", name);
	if (c.has_new) {
		c.big_endian = is_big_endian(part, NEW_HEAD, NEW_ENTRY);
		r.texts = part;
		read_extensions(&r, part);
	}
	err = add_all(&r, c.has_new ? part : bytes, c.has_new);
	if (err == 0)
		*ret = c;
	return err;
}

const char *cv_ldcache_machine(const struct cv_ldcache_entry *e)
{
	switch (e->flags >> 8 & 0xff) {
	case 0x03:
		return "x86_64";
	case 0x08:
		return "x32";
	case 0x0a:
		return "aarch64";
	case 0x09:
	case 0x0b:
		return "arm";
	case 0x04:
		return "s390x";
	case 0x05:
		return "ppc64le";
	case 0x0f:
	case 0x10:
		return "riscv64";
	case 0x11:
	case 0x12:
		return "loongarch64";
	default:
		return NULL;
	}
}

bool cv_ldcache_is_libc6(const struct cv_ldcache_entry *e)
{
	return (e->flags & 0xff) == 3;
}

unsigned cv_ldcache_isa_level(const struct cv_ldcache_entry *e)
{
	return is_extension(e->hwcap) ? (unsigned)(e->hwcap >> 32 & 0x3ff) : 0;
}
