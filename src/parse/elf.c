/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading an ELF file: the header, the cached bytes, the mapping from addresses to offsets.
 *
 * Format: System V ABI (gABI) with the GNU extensions; fields are decoded byte by byte for class and byte order. Small reads go
 * through a cache of blocks at fixed places, so that a file costs a handful of system calls, and so that a record of them holds
 * the same ranges in every run.
 */
#include "parse/elf_priv.h"

#include <inttypes.h>

#include "base/num.h"

/* Is the file's byte order the other one? */
static bool swapped(const struct cv_elf *e)
{
	return e->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

uint16_t cv_elf_u16(const struct cv_elf *e, const unsigned char *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swapped(e) ? __builtin_bswap16(v) : v;
}

uint32_t cv_elf_u32(const struct cv_elf *e, const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swapped(e) ? __builtin_bswap32(v) : v;
}

uint64_t cv_elf_u64(const struct cv_elf *e, const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swapped(e) ? __builtin_bswap64(v) : v;
}

int cv_elf_damage(struct cv_elf *e, enum cv_elf_part part, int err, uint64_t off, const char *what)
{
	if (err != CV_EFORMAT && err != CV_ELIMIT)
		return err;
	if (!(e->damaged & (unsigned)part)) /* one message a part is enough */
		cv_diag_fail(e->diag, err, "%s: offset %" PRIu64 ": %s", e->src->name, off, what);
	e->damaged |= (unsigned)part;
	return 0;
}

/* The block, from the cache or in place of the one that was used longest ago. */
static int get_block(struct cv_elf *e, uint64_t no, const struct cv_elf_block **ret)
{
	struct cv_elf_pool *l = e->lazy->pool;
	struct cv_elf_block *b = &l->blocks[0];
	uint64_t at = no * CV_ELF_BLOCK;
	uint64_t room = e->src->size - at;
	int r;

	if (l->last && l->last->n && l->last->no == no && l->last->owner == e) {
		*ret = l->last;
		return 0;
	}
	for (size_t i = 0; i < CV_ELF_BLOCKS; i++) {
		if (l->blocks[i].n && l->blocks[i].no == no && l->blocks[i].owner == e) {
			b = &l->blocks[i];
			b->used = ++l->clock;
			*ret = l->last = b;
			return 0;
		}
		if (l->blocks[i].used < b->used)
			b = &l->blocks[i];
	}
	if (!b->p && !(b->p = cv_arena_alloc(e->arena, CV_ELF_BLOCK)))
		return CV_ENOMEM;
	b->n = 0;
	room = room < CV_ELF_BLOCK ? room : CV_ELF_BLOCK;
	r = cv_src_read(e->src, at, b->p, (size_t)room);
	if (r < 0)
		return r;
	b->owner = e;
	b->no = no;
	b->n = (size_t)room;
	b->used = ++l->clock;
	*ret = l->last = b;
	return 0;
}

/* The cached bytes from off to the end of its block. */
static int peek(struct cv_elf *e, uint64_t off, const unsigned char **ret, size_t *ret_n)
{
	size_t in = (size_t)(off % CV_ELF_BLOCK);
	const struct cv_elf_block *b;
	int r;

	if (off >= e->src->size)
		return CV_EFORMAT;
	r = get_block(e, off / CV_ELF_BLOCK, &b);
	if (r < 0)
		return r;
	*ret = b->p + in;
	*ret_n = b->n - in;
	return 0;
}

int cv_elf_read(struct cv_elf *e, uint64_t off, void *buf, size_t len)
{
	unsigned char *out = buf;

	if (!cv_in_range(off, len, e->src->size))
		return CV_EFORMAT;
	if (len > CV_ELF_BLOCK)
		return cv_src_read(e->src, off, buf, len);
	while (len) {
		const unsigned char *p;
		size_t n;
		int r = peek(e, off, &p, &n);

		if (r < 0)
			return r;
		n = n < len ? n : len;
		memcpy(out, p, n);
		out += n;
		off += n;
		len -= n;
	}
	return 0;
}

int cv_elf_text_length(struct cv_elf *e, uint64_t off, uint64_t room, size_t *ret)
{
	size_t len = 0;

	while (len < room && len < CV_ELF_STR_MAX) {
		const unsigned char *p, *end;
		size_t n;
		int r = peek(e, off + len, &p, &n);

		if (r < 0)
			return r;
		if (n > room - len)
			n = (size_t)(room - len);
		end = memchr(p, 0, n);
		if (end) {
			*ret = len + (size_t)(end - p);
			return 0;
		}
		len += n;
	}
	return CV_EFORMAT;
}

int cv_elf_text(struct cv_elf *e, uint64_t off, uint64_t room, const char **ret)
{
	struct cv_elf_lazy *l = e->lazy;
	size_t n;
	char *s;
	int r = cv_elf_text_length(e, off, room, &n);

	if (r < 0)
		return r;
	if (n >= CV_ELF_TEXT_MAX - l->text_used)
		return CV_ELIMIT;
	s = cv_arena_alloc(e->arena, n + 1);
	if (!s)
		return CV_ENOMEM;
	r = cv_elf_read(e, off, s, n);
	if (r < 0)
		return r;
	l->text_used += n + 1;
	*ret = s;
	return 0;
}

int cv_elf_text_is(struct cv_elf *e, uint64_t off, uint64_t room, const char *name, size_t n)
{
	size_t done = 0;

	if (room <= n)
		return 0;
	while (done <= n) { /* the NUL too */
		const unsigned char *p;
		size_t k;
		int r = peek(e, off + done, &p, &k);

		if (r < 0)
			return r;
		k = k < n + 1 - done ? k : n + 1 - done;
		if (memcmp(p, name + done, k) != 0)
			return 0;
		done += k;
	}
	return 1;
}

/* Addresses */

bool cv_elf_offset_of(const struct cv_elf *e, uint64_t addr, uint64_t *ret_off, uint64_t *ret_room)
{
	for (size_t i = 0; i < e->seg_n; i++) {
		const struct cv_elf_seg *s = &e->segs[i];
		uint64_t in, off, room;

		if (s->type != CV_PT_LOAD || addr < s->addr || addr - s->addr >= s->file_size)
			continue;
		in = addr - s->addr;
		if (!cv_add(s->offset, in, &off) || off >= e->src->size)
			continue;
		room = s->file_size - in;
		*ret_off = off;
		*ret_room = room < e->src->size - off ? room : e->src->size - off;
		return true;
	}
	return false;
}

uint64_t cv_elf_place(const struct cv_elf *e, uint64_t addr)
{
	uint64_t off, room;

	return cv_elf_offset_of(e, addr, &off, &room) ? off : addr;
}

int cv_elf_read_addr(struct cv_elf *e, uint64_t addr, void *buf, size_t len)
{
	for (size_t i = 0; i < e->seg_n; i++) {
		const struct cv_elf_seg *s = &e->segs[i];
		uint64_t in, off;
		size_t from_file = 0;
		int r;

		if (s->type != CV_PT_LOAD || addr < s->addr || !cv_in_range(addr - s->addr, len, s->mem_size))
			continue;
		in = addr - s->addr;
		if (in < s->file_size)
			from_file = len < s->file_size - in ? len : (size_t)(s->file_size - in);
		if (!cv_add(s->offset, in, &off))
			return CV_EFORMAT;
		r = cv_elf_read(e, from_file ? off : 0, buf, from_file);
		if (r < 0)
			return r;
		memset((unsigned char *)buf + from_file, 0, len - from_file);
		return 0;
	}
	return CV_ENOENT;
}

const char *cv_elf_machine_name(const struct cv_elf *e)
{
	switch (e->machine) {
	case CV_EM_X86_64:
		return e->is64 ? "x86_64" : "x32";
	case CV_EM_386:
		return "i386";
	case CV_EM_AARCH64:
		return "aarch64";
	case CV_EM_ARM:
		return "arm";
	case CV_EM_PPC64:
		return e->big_endian ? "ppc64" : "ppc64le";
	case CV_EM_RISCV:
		return e->is64 ? "riscv64" : "riscv32";
	case CV_EM_S390:
		return e->is64 ? "s390x" : "s390";
	case CV_EM_LOONGARCH:
		return "loongarch64";
	case CV_EM_CUDA:
		return "cuda";
	default:
		return NULL;
	}
}

/* Opening */

static int fail(struct cv_elf *e, int err, const char *what)
{
	return cv_diag_fail(e->diag, err, "%s: offset 0: %s", e->src->name, what);
}

static int read_ident(struct cv_elf *e)
{
	int r = cv_elf_read(e, 0, e->ident, sizeof(e->ident));

	if (r == CV_EFORMAT || (r == 0 && memcmp(e->ident, "\177ELF", 4) != 0))
		return fail(e, CV_EFORMAT, "not an ELF file");
	if (r < 0)
		return fail(e, r, cv_strerror(r));
	if (e->ident[4] != 1 && e->ident[4] != 2)
		return fail(e, CV_EFORMAT, "unknown ELF class");
	if (e->ident[5] != 1 && e->ident[5] != 2)
		return fail(e, CV_EFORMAT, "unknown ELF byte order");
	e->is64 = e->ident[4] == 2;
	e->big_endian = e->ident[5] == 2;
	return 0;
}

static int read_header(struct cv_elf *e, uint64_t *ret_segments_at)
{
	struct cv_elf_lazy *l = e->lazy;
	unsigned char h[64];
	const unsigned char *tail; /* where the two classes are alike again */
	int r = cv_elf_read(e, 0, h, e->is64 ? 64 : 52);

	if (r == CV_EFORMAT)
		return fail(e, r, "the ELF header is cut off");
	if (r < 0)
		return fail(e, r, cv_strerror(r));
	e->type = cv_elf_u16(e, h + 16);
	e->machine = cv_elf_u16(e, h + 18);
	e->version = cv_elf_u32(e, h + 20);
	e->entry = cv_elf_word(e, h + 24);
	*ret_segments_at = cv_elf_word(e, h + (e->is64 ? 32 : 28));
	l->section_at = cv_elf_word(e, h + (e->is64 ? 40 : 32));
	tail = h + (e->is64 ? 48 : 36);
	e->flags = cv_elf_u32(e, tail);
	e->phentsize = cv_elf_u16(e, tail + 6);
	l->segment_n = cv_elf_u16(e, tail + 8);
	l->section_size = cv_elf_u16(e, tail + 10);
	l->section_n = cv_elf_u16(e, tail + 12);
	l->name_section = cv_elf_u16(e, tail + 14);
	return 0;
}

static int open_parts(struct cv_elf_pool *pool, struct cv_src *src, struct cv_arena *a, struct cv_diag *d, bool dynamic, struct cv_elf **ret)
{
	struct cv_elf *e = CV_NEW(a, struct cv_elf);
	uint64_t segments_at = 0;
	int r;

	if (!e || !(e->lazy = CV_NEW(a, struct cv_elf_lazy)))
		return CV_ENOMEM;
	e->lazy->pool = pool ? pool : &e->lazy->own;
	e->src = src;
	e->arena = a;
	e->diag = d;
	r = read_ident(e);
	if (r == 0)
		r = read_header(e, &segments_at);
	if (r == 0)
		r = cv_elf_load_segments(e, segments_at);
	if (r == 0 && dynamic)
		r = cv_elf_load_dynamic(e);
	if (r == 0)
		*ret = e;
	return r;
}

struct cv_elf_pool *cv_elf_pool_new(struct cv_arena *a)
{
	struct cv_elf_pool *pool = CV_NEW(a, struct cv_elf_pool);

	for (size_t i = 0; pool && i < CV_ELF_BLOCKS; i++)
		if (!(pool->blocks[i].p = cv_arena_alloc(a, CV_ELF_BLOCK)))
			return NULL;
	return pool;
}

int cv_elf_open_in(struct cv_elf_pool *pool, struct cv_src *src, struct cv_arena *a, struct cv_diag *d, struct cv_elf **ret)
{
	return open_parts(pool, src, a, d, true, ret);
}

int cv_elf_open(struct cv_src *src, struct cv_arena *a, struct cv_diag *d, struct cv_elf **ret)
{
	return open_parts(NULL, src, a, d, true, ret);
}

int cv_elf_open_static(struct cv_src *src, struct cv_arena *a, struct cv_diag *d, struct cv_elf **ret)
{
	return open_parts(NULL, src, a, d, false, ret);
}
