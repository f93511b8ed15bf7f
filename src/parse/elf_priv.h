/* SPDX-License-Identifier: Apache-2.0 */
/* What the elf_*.c files share and nobody else includes. */
#ifndef CV_PARSE_ELF_PRIV_H
#define CV_PARSE_ELF_PRIV_H

#include "parse/elf.h"

#define CV_ELF_BLOCK 4096
#define CV_ELF_BLOCKS 8

struct cv_elf_block {
	unsigned char *p; /* CV_ELF_BLOCK bytes, or NULL */
	const struct cv_elf *owner;
	uint64_t no;
	size_t n;         /* bytes read: fewer than a block at the end of the file, 0 while empty */
	uint64_t used;    /* when last */
};

struct cv_elf_pool {
	struct cv_elf_block blocks[CV_ELF_BLOCKS];
	uint64_t clock;
	struct cv_elf_block *last; /* the one that was used last, or NULL */
};

/* A hash table of symbols, checked to lie within the file. */
struct cv_elf_hash {
	bool usable;
	uint32_t bucket_n, first; /* GNU: the first symbol that is hashed */
	uint32_t bloom_n, shift;  /* GNU */
	uint64_t bloom_at, buckets_at, chains_at; /* offsets in the file */
	uint64_t chain_n;         /* entries that lie in the file; SysV: as the table says, the number of symbols */
};

/* The parts that are read when first asked for. */
struct cv_elf_lazy {
	uint64_t section_at;
	uint16_t section_n, section_size, name_section, segment_n;

	bool have_sections, have_verdefs, have_verneeds, have_sym_count, have_hashes;
	struct cv_elf_sec *sections;
	size_t sections_n;
	uint64_t names_at, names_size;

	CV_VEC(struct cv_elf_verdef) verdefs;
	CV_VEC(struct cv_elf_verneed) verneeds;

	uint32_t sym_count;
	struct cv_elf_hash gnu, sysv;

	size_t text_used;
	struct cv_elf_pool *pool;
	struct cv_elf_pool own; /* the pool, unless the caller shares one among files */
};

/* Ends the reading of a part: CV_EFORMAT and CV_ELIMIT become damage, a message and 0; any other error is passed on. */
int cv_elf_damage(struct cv_elf *e, enum cv_elf_part part, int err, uint64_t off, const char *what);
/* Length of the text that ends within [off, off + room). CV_EFORMAT if it does not end. */
int cv_elf_text_length(struct cv_elf *e, uint64_t off, uint64_t room, size_t *ret);
/* A text that ends within [off, off + room), counted against CV_ELF_TEXT_MAX. CV_EFORMAT if it does not end, CV_ELIMIT. */
int cv_elf_text(struct cv_elf *e, uint64_t off, uint64_t room, const char **ret);
/* 1 if the text at [off, off + room) is name, 0 if not, negative on error. */
int cv_elf_text_is(struct cv_elf *e, uint64_t off, uint64_t room, const char *name, size_t n);
/* The offset of addr for messages, or addr itself where it has none. */
uint64_t cv_elf_place(const struct cv_elf *e, uint64_t addr);
/* The dynamic string table: its offset and the bytes of it that lie in the file. */
bool cv_elf_strtab(const struct cv_elf *e, uint64_t *ret_off, uint64_t *ret_room);
/* Reads the program headers and what they tell; the dynamic section. */
int cv_elf_load_segments(struct cv_elf *e, uint64_t at);
int cv_elf_load_dynamic(struct cv_elf *e);
/* Word of the file's class, from p. */
static inline uint64_t cv_elf_word(const struct cv_elf *e, const unsigned char *p)
{
	return e->is64 ? cv_elf_u64(e, p) : cv_elf_u32(e, p);
}

#endif
