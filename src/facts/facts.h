/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts: what was seen, each value with a state and a provenance.
 *
 * A subject is (kind, key), for example (package, "/venv/lib/.../torch-2.9.0.dist-info"). Its fields are those of schema.def.
 * A field holds a chain of values: two sources that disagree are both kept, the first put in is the one that rules use unless
 * they ask for all.
 *
 * States keep apart what others mix up: "no driver" (CV_ABSENT) and "not allowed to see" (CV_DENIED) never meet in one value,
 * and unknown is never 0. A field that nobody filled reads as CV_NOT_ASKED.
 *
 * Filling: cv_facts_* setters never fail visibly; the first out-of-memory is kept and told by cv_facts_freeze(). Texts are
 * copied. After the freeze, setters are ignored and subjects of a kind are sorted by key.
 */
#ifndef CV_FACTS_FACTS_H
#define CV_FACTS_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/vec.h"

#define CV_FACTS_SCHEMA 1

enum cv_kind {
#define KIND(kind, doc) CV_KIND_##kind,
#define FIELD(kind, name, type, unit, redact, doc)
#include "facts/schema.def"
#undef KIND
#undef FIELD
	CV_KIND_COUNT
};

/* CV_F_driver_module_version and so on. */
enum cv_field {
#define KIND(kind, doc)
#define FIELD(kind, name, type, unit, redact, doc) CV_F_##kind##_##name,
#include "facts/schema.def"
#undef KIND
#undef FIELD
	CV_FIELD_COUNT
};

enum cv_type { CV_TYPE_STR, CV_TYPE_INT, CV_TYPE_BOOL, CV_TYPE_LIST };
enum cv_redact { CV_REDACT_KEEP, CV_REDACT_ID, CV_REDACT_PATH, CV_REDACT_TEXT };

struct cv_field_info {
	enum cv_kind kind;
	const char *name;
	enum cv_type type;
	const char *unit;
	enum cv_redact redact;
	const char *doc;
};

extern const struct cv_field_info cv_field_table[CV_FIELD_COUNT];
extern const char *const cv_kind_names[CV_KIND_COUNT];

enum cv_state {
	CV_KNOWN,
	CV_ABSENT,    /* looked: it is not there */
	CV_DENIED,    /* looked: not allowed to see */
	CV_UNPARSED,  /* it is there and cannot be read as what it should be */
	CV_NOT_ASKED, /* nobody looked, or the record does not hold it */
};
const char *cv_state_name(enum cv_state s); /* "known", "absent", "denied", "unparsed", "not_asked" */
/* The state that an error of a view or parser means: CV_ENOENT -> absent, CV_EACCES -> denied, CV_ENOTASKED -> not_asked ... */
enum cv_state cv_state_of_err(int err);

/* Where a value comes from. All parts are borrowed by the setters and copied. */
struct cv_prov {
	const char *collector; /* "pci", "driver", ... */
	const char *path;      /* file or directory in the view, or "environment"; NULL if none */
	int64_t line;          /* 1-based, 0 if it has none */
	int64_t offset;        /* byte offset, -1 if it has none */
};

struct cv_value {
	enum cv_state state;
	const char *str;          /* STR, when known; for other states a reason or NULL */
	uint64_t num;             /* INT, BOOL (0 or 1) */
	const struct cv_strv *list; /* LIST */
	struct cv_prov prov;
	const struct cv_value *next; /* another source's value, or NULL */
};

struct cv_subject;
struct cv_facts;

/* The arena owns the store and must outlive it. */
struct cv_facts *cv_facts_new(struct cv_arena *a);
/* Finds or makes the subject; never NULL (a dummy that swallows values when out of memory). */
struct cv_subject *cv_facts_add(struct cv_facts *f, enum cv_kind kind, const char *key);
/* NULL if there is none. */
const struct cv_subject *cv_facts_find(const struct cv_facts *f, enum cv_kind kind, const char *key);
size_t cv_facts_count(const struct cv_facts *f, enum cv_kind kind);
const struct cv_subject *cv_facts_at(const struct cv_facts *f, enum cv_kind kind, size_t i);
const char *cv_subject_key(const struct cv_subject *s);
enum cv_kind cv_subject_kind(const struct cv_subject *s);

void cv_facts_str(struct cv_facts *f, struct cv_subject *s, enum cv_field id, const char *value, struct cv_prov prov);
void cv_facts_int(struct cv_facts *f, struct cv_subject *s, enum cv_field id, uint64_t value, struct cv_prov prov);
void cv_facts_bool(struct cv_facts *f, struct cv_subject *s, enum cv_field id, bool value, struct cv_prov prov);
void cv_facts_list(struct cv_facts *f, struct cv_subject *s, enum cv_field id, const struct cv_strv *value, struct cv_prov prov);
/* A state other than known; reason ("offset 12: bad magic") may be NULL. */
void cv_facts_state(struct cv_facts *f, struct cv_subject *s, enum cv_field id, enum cv_state state, const char *reason,
		    struct cv_prov prov);

/*
 * A copy to change: it costs what is changed in it. f must be frozen and outlive the copy, whose arena is a. In a copy
 * cv_facts_add() gives a subject with the fields it had, and a value that is put in takes the place of those before it. Before
 * the freeze cv_facts_count() and cv_facts_at() still speak of f.
 */
struct cv_facts *cv_facts_copy(const struct cv_facts *f, struct cv_arena *a);
/* Takes the subject out of a copy; one that is added again has no fields. */
void cv_facts_remove(struct cv_facts *copy, enum cv_kind kind, const char *key);
/* Takes a field out of a subject of a copy: as if nobody had asked. */
void cv_facts_clear(struct cv_facts *copy, struct cv_subject *s, enum cv_field id);

/* Ends the filling, sorts. CV_ENOMEM if anything was lost. */
int cv_facts_freeze(struct cv_facts *f);

/* The first value; never NULL: a field that was not filled gives one of state CV_NOT_ASKED. s may be NULL. */
const struct cv_value *cv_fact(const struct cv_subject *s, enum cv_field id);
/* Shorthands: the known value, otherwise NULL, dflt, false or an empty list. */
const char *cv_fact_str(const struct cv_subject *s, enum cv_field id);
uint64_t cv_fact_int(const struct cv_subject *s, enum cv_field id, uint64_t dflt);
bool cv_fact_true(const struct cv_subject *s, enum cv_field id);
const struct cv_strv *cv_fact_list(const struct cv_subject *s, enum cv_field id);
static inline bool cv_fact_known(const struct cv_subject *s, enum cv_field id)
{
	return cv_fact(s, id)->state == CV_KNOWN;
}
static inline bool cv_fact_absent(const struct cv_subject *s, enum cv_field id)
{
	return cv_fact(s, id)->state == CV_ABSENT;
}
/* "PATH:LINE", "PATH@OFFSET", "PATH" or "" as one text. */
const char *cv_prov_text(struct cv_arena *a, const struct cv_prov *p);
/* A value as text for people: "yes"/"no", numbers, lists joined with a space; for other states "not found" and the like. */
const char *cv_value_text(struct cv_arena *a, enum cv_field id, const struct cv_value *v);

/* Writes every subject and value as one JSON object (schema number, kinds, fields, states, provenance). */
void cv_facts_to_json(const struct cv_facts *f, struct cv_json *j);

#endif
