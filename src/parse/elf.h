/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elf: a shared library, program or kernel module, read by ranges: what the dynamic loader sees of it, and its sections.
 *
 *	struct cv_elf *e;
 *	int r = cv_elf_open(src, arena, diag, &e);    // src stays open as long as e is used; e and its texts live in the arena
 *
 * Headers, dynamic section and the strings it names are read at once; version tables, sections, notes and symbols when they
 * are first asked for. 32 and 64 bit, both byte orders. A file stripped of its section headers is normal.
 *
 * Damage: only a file without a readable ELF header cannot be opened (CV_EFORMAT). Any other part that breaks its format or
 * lies outside of the file is told in damaged and in a diag message, and what could be read of it is given. Every other
 * error of the src (CV_EIO, CV_ENOTASKED, ...) is returned.
 *
 * Bounds: all counts have hard maxima, and the texts of one file together have CV_ELF_TEXT_MAX bytes; a part beyond counts as
 * damaged. All texts are raw bytes up to a NUL and can hold anything.
 *
 * Not safe for two threads on the same cv_elf.
 */
#ifndef CV_PARSE_ELF_H
#define CV_PARSE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/src.h"
#include "base/vec.h"

#define CV_ELF_SEGS_MAX 1024
#define CV_ELF_SECS_MAX 65536
#define CV_ELF_DYN_MAX 16384
#define CV_ELF_VERS_MAX 32768
#define CV_ELF_NOTES_MAX 65536
#define CV_ELF_SYMS_MAX 4000000
#define CV_ELF_STR_MAX 65536
#define CV_ELF_TEXT_MAX ((size_t)4 << 20)

enum cv_elf_type { CV_ET_REL = 1, CV_ET_EXEC = 2, CV_ET_DYN = 3 };
enum cv_elf_machine {
	CV_EM_386 = 3,
	CV_EM_PPC64 = 21,
	CV_EM_S390 = 22,
	CV_EM_ARM = 40,
	CV_EM_X86_64 = 62,
	CV_EM_AARCH64 = 183,
	CV_EM_CUDA = 190,
	CV_EM_RISCV = 243,
	CV_EM_LOONGARCH = 258,
};
enum cv_elf_pt {
	CV_PT_LOAD = 1,
	CV_PT_DYNAMIC = 2,
	CV_PT_INTERP = 3,
	CV_PT_NOTE = 4,
	CV_PT_TLS = 7,
	CV_PT_GNU_STACK = 0x6474e551,
};
enum cv_elf_sht { CV_SHT_SYMTAB = 2, CV_SHT_STRTAB = 3, CV_SHT_NOTE = 7, CV_SHT_NOBITS = 8, CV_SHT_DYNSYM = 11 };
enum cv_elf_df1 { CV_DF_1_NODELETE = 8, CV_DF_1_NODEFLIB = 0x800, CV_DF_1_PIE = 0x8000000 };

enum cv_elf_part {
	CV_ELF_SEGMENTS = 1,
	CV_ELF_DYNAMIC = 2, /* the dynamic section, or a string that it names */
	CV_ELF_VERDEF = 4,
	CV_ELF_VERNEED = 8,
	CV_ELF_SECTIONS = 16,
	CV_ELF_NOTES = 32,
	CV_ELF_SYMBOLS = 64, /* symbol table, hash tables or symbol versions */
};

struct cv_elf_seg {
	uint32_t type, flags; /* flags: 1 execute, 2 write, 4 read */
	uint64_t offset, addr, file_size, mem_size, align;
};

struct cv_elf_sec {
	uint32_t type;
	uint64_t flags, addr, offset, size, entry_size, align;
	uint32_t link, info;
	uint32_t name_at; /* in the table of section names: cv_elf_sec_name() */
};

/* Addresses of the loader's tables; 0: the file has none. */
struct cv_elf_tables {
	uint64_t symtab, strtab, strtab_size, hash, gnu_hash, versym, verdef, verdef_n, verneed, verneed_n;
	uint64_t rela, rela_size, rel, rel_size, relr, relr_size, jmprel, jmprel_size, init, fini;
	bool jmprel_is_rela;
};

struct cv_elf {
	/* from the ELF header */
	unsigned char ident[16];
	bool is64, big_endian;
	uint16_t type, machine, phentsize; /* enum cv_elf_type, enum cv_elf_machine */
	uint32_t version, flags;           /* e_version, e_flags */
	uint64_t entry;

	/* from the program headers */
	const struct cv_elf_seg *segs;
	size_t seg_n;
	const char *interp;          /* NULL: none */
	bool has_stack, exec_stack;  /* PT_GNU_STACK is there; it asks for an executable stack */
	bool has_tls;
	uint64_t tls_size, tls_align;

	/* from the dynamic section */
	bool has_dynamic;
	const char *soname, *rpath, *runpath; /* NULL: none */
	struct cv_strv needed, auxiliary, filter; /* in file order */
	uint64_t df, df1;            /* DT_FLAGS, DT_FLAGS_1 */
	bool bind_now;               /* by any of the three ways to say so */
	bool textrel;                /* text relocations, either way to say so */
	bool symbolic;
	struct cv_elf_tables at;

	unsigned damaged; /* enum cv_elf_part; grows as parts are read */

	/* the parser's own */
	struct cv_src *src;
	struct cv_arena *arena;
	struct cv_diag *diag;
	struct cv_elf_lazy *lazy;
};

int cv_elf_open(struct cv_src *src, struct cv_arena *a, struct cv_diag *d, struct cv_elf **ret);
/*
 * The same for one of many files that stay open: they share the memory of one pool, which must outlive them, instead of up to
 * 32 KiB each. NULL: a pool of its own.
 */
struct cv_elf_pool;
struct cv_elf_pool *cv_elf_pool_new(struct cv_arena *a);
int cv_elf_open_in(struct cv_elf_pool *pool, struct cv_src *src, struct cv_arena *a, struct cv_diag *d, struct cv_elf **ret);
/* The same without the dynamic section, as if there were none: for those who look at sections and segments only. */
int cv_elf_open_static(struct cv_src *src, struct cv_arena *a, struct cv_diag *d, struct cv_elf **ret);

/* "x86_64", "aarch64", "i386", "arm", "ppc64le", ... by machine, class and byte order; NULL for one that has no name here. */
const char *cv_elf_machine_name(const struct cv_elf *e);

/* Bytes at an offset of the file, in small pieces through a cache, in large ones directly. CV_EFORMAT past the end. */
int cv_elf_read(struct cv_elf *e, uint64_t off, void *buf, size_t len);
/* Numbers in the file's byte order. */
uint16_t cv_elf_u16(const struct cv_elf *e, const unsigned char *p);
uint32_t cv_elf_u32(const struct cv_elf *e, const unsigned char *p);
uint64_t cv_elf_u64(const struct cv_elf *e, const unsigned char *p);

/* Where in the file the byte at addr comes from, and how many bytes follow it there; false where no segment holds it. */
bool cv_elf_offset_of(const struct cv_elf *e, uint64_t addr, uint64_t *ret_off, uint64_t *ret_room);
/* Bytes as loaded at addr: zeros behind a segment's part in the file. CV_ENOENT where no segment holds all of them. */
int cv_elf_read_addr(struct cv_elf *e, uint64_t addr, void *buf, size_t len);
/* The dynamic string at index; CV_EFORMAT outside of the table or where it does not end. */
int cv_elf_dynstr(struct cv_elf *e, uint64_t index, const char **ret);
/* The same into buf, for walks over many symbols; CV_ELIMIT if it does not fit. */
int cv_elf_dynstr_to(struct cv_elf *e, uint64_t index, char *buf, size_t size);

/* Versions that the file defines. */
struct cv_elf_verdef {
	const char *name;
	uint32_t hash;
	uint16_t index;
	bool base;            /* names the file, not a version */
	bool weak;
	struct cv_strv parents;
};
/* Versions that it needs of another. */
struct cv_elf_vernaux {
	const char *name;
	uint32_t hash;
	uint16_t index;
	bool weak;
};
struct cv_elf_verneed {
	const char *file; /* SONAME of the provider */
	const struct cv_elf_vernaux *v;
	size_t n;
};
/* Read once, in file order. A file without the table gives none. */
int cv_elf_verdefs(struct cv_elf *e, const struct cv_elf_verdef **ret, size_t *ret_n);
int cv_elf_verneeds(struct cv_elf *e, const struct cv_elf_verneed **ret, size_t *ret_n);

/* Sections. A file without section headers has none. */
int cv_elf_sections(struct cv_elf *e, const struct cv_elf_sec **ret, size_t *ret_n);
/* CV_ENOENT if there is none of that name. NOBITS sections are found too: they have no bytes in the file. */
int cv_elf_section(struct cv_elf *e, const char *name, const struct cv_elf_sec **ret);
int cv_elf_sec_name(struct cv_elf *e, const struct cv_elf_sec *sec, const char **ret);

/*
 * Notes of the PT_NOTE segments, then of those SHT_NOTE sections that no such segment covers (a note that is not loaded, as
 * .note.cuda.fwd_compatibility, may be in a section only). Zeroed words between notes are passed over: the CUDA note has 604
 * bytes of them before it. Sections .gnu.build.attributes* are left out: thousands of notes for annobin's tools only.
 */
struct cv_elf_note {
	struct cv_str name; /* without its NUL */
	uint32_t type;
	uint64_t desc_at, desc_size; /* in the file, whole within it */
};
/* Gets each note; a return other than 0 ends the walk and is passed on. The name lives until it returns. */
typedef int cv_elf_note_fn(void *cookie, const struct cv_elf_note *note);
int cv_elf_notes(struct cv_elf *e, cv_elf_note_fn *fn, void *cookie);
/* Those of segments alone, which is what the loader sees: no section header is read. */
int cv_elf_segment_notes(struct cv_elf *e, cv_elf_note_fn *fn, void *cookie);
/* The notes of one section alone, whatever its type. */
int cv_elf_notes_of(struct cv_elf *e, const struct cv_elf_sec *sec, cv_elf_note_fn *fn, void *cookie);
/* The first note of that name and type. CV_ENOENT. Its name is the caller's text. */
int cv_elf_note(struct cv_elf *e, const char *name, uint32_t type, struct cv_elf_note *ret);
int cv_elf_segment_note(struct cv_elf *e, const char *name, uint32_t type, struct cv_elf_note *ret);
/* The GNU build id as lower-case hexadecimal digits. CV_ENOENT. */
int cv_elf_build_id(struct cv_elf *e, const char **ret);

/* Dynamic symbols. */
enum cv_elf_bind { CV_STB_LOCAL, CV_STB_GLOBAL, CV_STB_WEAK, CV_STB_UNIQUE = 10 };
enum cv_elf_stt { CV_STT_NOTYPE, CV_STT_OBJECT, CV_STT_FUNC, CV_STT_TLS = 6, CV_STT_IFUNC = 10 };
#define CV_ELF_UNDEF 0

struct cv_elf_sym {
	uint32_t name_at;   /* cv_elf_dynstr_to() */
	uint64_t value, size;
	uint16_t section;   /* CV_ELF_UNDEF: it is not defined here */
	uint8_t bind, type, other; /* enum cv_elf_bind, enum cv_elf_stt, st_other */
	uint16_t version_index; /* 0 local, 1 no version (also where the file has no symbol versions), else of a verdef or vernaux */
	bool hidden;        /* found only by its version */
};
/* How many the table has; 0 where there is none. Told by the hash tables or the section headers; CV_ENOENT if by neither. */
int cv_elf_sym_count(struct cv_elf *e, uint32_t *ret);
int cv_elf_sym_at(struct cv_elf *e, uint32_t i, struct cv_elf_sym *ret);
/* The version's name, of a definition or a need; NULL for the indices 0 and 1 and for one that no table has. */
int cv_elf_sym_version(struct cv_elf *e, const struct cv_elf_sym *sym, const char **ret);

/*
 * Walks the defined symbols of one name: by GNU hash, by SysV hash, or through the whole table.
 *
 *	struct cv_elf_find f;
 *	r = cv_elf_find_init(&f, e, "cudnnGetVersion");
 *	while (r == 0 && (r = cv_elf_find_next(&f, &sym)) == 1)
 *		...
 */
struct cv_elf_find {
	struct cv_elf *e;
	const char *name;
	size_t name_n;
	uint32_t hash; /* by the kind of table */
	uint32_t next; /* index of the next candidate */
	uint32_t left; /* how many steps are still allowed */
	uint8_t how;
};
int cv_elf_find_init(struct cv_elf_find *f, struct cv_elf *e, const char *name);
/* 1: *ret is one; 0: the end; negative: an error. */
int cv_elf_find_next(struct cv_elf_find *f, struct cv_elf_sym *ret);
/*
 * The first defined symbol of that name: with version NULL the default one, or else the first hidden one; otherwise the one of
 * that version. CV_ENOENT.
 */
int cv_elf_symbol(struct cv_elf *e, const char *name, const char *version, struct cv_elf_sym *ret);

/* The hashes that the tables use. */
uint32_t cv_elf_sysv_hash(const char *name);
uint32_t cv_elf_gnu_hash(const char *name);

#endif
