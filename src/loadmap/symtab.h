/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol tables in memory, for looking many symbols up in many objects. */
#ifndef CV_LOADMAP_SYMTAB_H
#define CV_LOADMAP_SYMTAB_H

#include "loadmap/lm.h"

struct lm_version {
	const char *name;  /* "" where no table names the index */
	uint32_t hash;     /* 0: no version */
	const char *file;  /* of a need: the provider's SONAME; NULL of a definition */
	bool hidden;
};

struct lm_symtab {
	const struct cv_elf *e;
	bool usable;              /* there are symbols and a hash table */
	const unsigned char *sym; /* the dynamic symbols as they are in the file */
	uint32_t sym_n;
	const char *str;          /* ends with a NUL of its own */
	size_t str_n;
	const unsigned char *versym; /* NULL: no symbol versions */
	uint32_t versym_n;
	bool gnu;                 /* else the SysV table */
	uint32_t bucket_n, first, bloom_n, shift, chain_n;
	const unsigned char *bloom, *buckets, *chains;
	struct lm_version *versions; /* by index */
	uint32_t version_n;
};

struct lm_symbol {
	const char *name;
	uint64_t value;
	uint16_t section;
	uint8_t bind, type, visibility;
};

/* Loads the file's table once. Damage leaves it unusable. */
int cv_lm_symtab(struct cv_lm_system *sys, struct lm_file *f, struct lm_symtab **ret);
/* False if there is no symbol i. */
bool cv_lm_symbol_at(const struct lm_symtab *t, uint32_t i, struct lm_symbol *ret);
/* The version that symbol i refers to or is of; NULL: none. */
const struct lm_version *cv_lm_symbol_version(const struct lm_symtab *t, uint32_t i);

/* What is looked for. */
struct lm_lookup {
	const char *name;
	uint32_t gnu_hash, sysv_hash;
	const struct lm_version *version; /* NULL: none */
	bool plt;                         /* an undefined symbol with a value does not do */
};
void cv_lm_lookup_init(struct lm_lookup *l, const char *name, const struct lm_version *version);
enum lm_found {
	LM_NOT_FOUND,  /* the table has no such symbol at all */
	LM_FOUND,
	LM_OTHER,      /* one of that name that does not count */
	LM_NO_VERSYM,  /* found, in an object without symbol versions although one is asked for */
};
enum lm_found cv_lm_symtab_find(const struct lm_symtab *t, const struct lm_lookup *l);

#endif
