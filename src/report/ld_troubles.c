/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is wrong with a load, for people: one line for each missing library and version, and the undefined symbols of each object
 * under it, readable. The loader's own words are printed where they say more, and with -v.
 */
#include "report/ld_parts.h"

#include "base/demangle.h"
#include "base/str.h"

#define SYMBOLS_SHOWN 10 /* of one object, without -v */
#define NAMED 3          /* libraries named in the verdict */

static bool is_missing(const struct cv_ld_page *p, const struct cv_lm_trouble *t)
{
	return t->kind == CV_LM_T_MISSING && t->edge != CV_LM_NONE && t->edge < p->m->edges.n;
}

/* Is there an earlier trouble of this kind with this name? */
static bool is_repeated(const struct cv_ld_page *p, size_t i)
{
	const struct cv_lm_trouble *t = &p->m->troubles.v[i];

	for (size_t k = 0; k < i; k++) {
		const struct cv_lm_trouble *o = &p->m->troubles.v[k];

		if (o->kind == t->kind && o->fatal == t->fatal && cv_streq(o->name, t->name))
			return true;
	}
	return false;
}

static void add_clause(struct cv_ld_page *p, const char **text, const char *clause)
{
	*text = *text ? cv_arena_printf(p->t->scratch, "%s; %s", *text, clause) : clause;
}

static void add_missing(struct cv_ld_page *p, const char **text)
{
	struct cv_arena *a = p->t->scratch;
	const char *names = "";
	size_t n = 0;

	for (size_t i = 0; i < p->m->troubles.n; i++) {
		const struct cv_lm_trouble *t = &p->m->troubles.v[i];

		if (!is_missing(p, t) || is_repeated(p, i))
			continue;
		if (n++ < NAMED)
			names = cv_arena_printf(a, "%s%s%s", names, n > 1 ? ", " : "", cv_basename(t->name));
	}
	if (n > NAMED)
		add_clause(p, text, cv_arena_printf(a, "%zu libraries are missing (%s, ...)", n, names));
	else if (n)
		add_clause(p, text, cv_arena_printf(a, "%s %s missing", names, n == 1 ? "is" : "are"));
}

/* A name of Python's C API: an extension module leaves it to the interpreter that imports it. */
static bool is_python(const struct cv_lm_trouble *t)
{
	return cv_starts(t->name, "Py") || cv_starts(t->name, "_Py");
}

static size_t count(const struct cv_ld_page *p, enum cv_lm_trouble_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < p->m->troubles.n; i++)
		n += p->m->troubles.v[i].kind == kind && p->m->troubles.v[i].fatal;
	return n;
}

static void add_symbols(struct cv_ld_page *p, const char **text)
{
	struct cv_arena *a = p->t->scratch;
	size_t n = count(p, CV_LM_T_UNDEFINED), python = 0, abi = 0;
	const char *clause = cv_ld_count(a, n, "undefined symbol", "undefined symbols");

	for (size_t i = 0; i < p->m->troubles.n; i++) {
		const struct cv_lm_trouble *t = &p->m->troubles.v[i];

		if (t->kind != CV_LM_T_UNDEFINED || !t->fatal)
			continue;
		python += is_python(t);
		abi += t->other_abi != NULL;
	}
	if (abi)
		clause = cv_arena_printf(a, "%s, %zu of the other C++11 ABI", clause, abi);
	else if (n && python == n)
		clause = cv_arena_printf(a, "%s, of Python's C API", clause);
	if (n)
		add_clause(p, text, clause);
}

/* The first trouble that is not counted in another clause. */
static const char *other_cause(const struct cv_ld_page *p)
{
	for (size_t i = 0; i < p->m->troubles.n; i++) {
		const struct cv_lm_trouble *t = &p->m->troubles.v[i];

		if (t->fatal && !is_missing(p, t) && t->kind != CV_LM_T_NO_VERSION && t->kind != CV_LM_T_UNDEFINED)
			return t->message;
	}
	for (size_t i = 0; i < p->m->troubles.n; i++)
		if (p->m->troubles.v[i].kind == CV_LM_T_UNREADABLE || p->m->troubles.v[i].kind == CV_LM_T_LIMIT)
			return p->m->troubles.v[i].message;
	return NULL;
}

/* The message without what the verdict says already. */
static const char *tail_of(const char *message)
{
	static const char *const heads[] = { "error while loading shared libraries: ", "symbol lookup error: ", "relocation error: " };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (cv_starts(message, heads[i]))
			return message + strlen(heads[i]);
	return message;
}

const char *cv_ld_cause(const struct cv_ld_page *page)
{
	struct cv_ld_page p = *page;
	size_t versions = count(page, CV_LM_T_NO_VERSION);
	const char *text = NULL, *other = other_cause(page);

	if (cv_streq(p.m->libc, "none") && p.m->interp)
		add_clause(&p, &text,
			   cv_arena_printf(p.t->scratch, "it is built for %s, and the loader of that, %s, is not here",
					   p.m->machine ? p.m->machine : "another machine", p.m->interp));
	else
		add_missing(&p, &text);
	if (versions)
		add_clause(&p, &text, cv_ld_count(p.t->scratch, versions, "version is missing", "versions are missing"));
	add_symbols(&p, &text);
	if (other)
		add_clause(&p, &text, tail_of(other));
	return text ? text : "a file that it needs cannot be read";
}

static void put_word(struct cv_ld_page *p, bool fatal)
{
	cv_term_to(p->t, CV_LD_INDENT);
	cv_term_put(p->t, fatal ? CV_INK_ERROR : CV_INK_WARNING, fatal ? "error: " : "note: ");
}

static void put_words_of_loader(struct cv_ld_page *p, const struct cv_lm_trouble *t)
{
	if (!p->t->verbose || !t->message)
		return;
	cv_term_to(p->t, CV_LD_INDENT * 2);
	cv_term_wrap(p->t, CV_LD_INDENT * 2, CV_INK_DIM, t->message);
}

/* "liba.so, libb.so": who asks in vain. */
static const char *askers(struct cv_ld_page *p, const struct cv_lm_trouble *first)
{
	const char *text = NULL;
	size_t n = 0;

	for (size_t i = 0; i < p->m->troubles.n; i++) {
		const struct cv_lm_trouble *t = &p->m->troubles.v[i];

		if (is_missing(p, t) && cv_streq(t->name, first->name))
			text = cv_ld_add_name(p, text, n++, t->object);
	}
	return cv_ld_end_names(p, text, n);
}

static void print_missing(struct cv_ld_page *p, const struct cv_lm_trouble *t)
{
	put_word(p, true);
	cv_term_wrap(p->t, CV_LD_INDENT * 2, CV_INK_PLAIN,
		     cv_arena_printf(p->t->scratch, "%s is missing, needed by %s", t->name, askers(p, t)));
	put_words_of_loader(p, t);
}

static void print_version(struct cv_ld_page *p, const struct cv_lm_trouble *t)
{
	put_word(p, t->fatal);
	cv_term_wrap(p->t, CV_LD_INDENT * 2, CV_INK_PLAIN,
		     t->provider == CV_LM_NONE ? t->message :
						 cv_arena_printf(p->t->scratch, "%s has no version %s, which %s needs",
								 cv_ld_short(p, t->provider), t->name, cv_ld_short(p, t->object)));
	put_words_of_loader(p, t);
}

/* std::string under its usual name. */
static const char *readable(struct cv_arena *a, const char *name)
{
	static const char full[] = "basic_string<char, std::char_traits<char>, std::allocator<char> >", usual[] = "string";
	char *text = cv_arena_strdup(a, name), *to = text;

	if (!*text)
		return name;
	for (const char *s = name; *s;) {
		bool is_full = cv_starts(s, full);

		if (is_full)
			memcpy(to, usual, sizeof(usual) - 1);
		else
			*to = *s;
		to += is_full ? sizeof(usual) - 1 : 1;
		s += is_full ? sizeof(full) - 1 : 1;
	}
	*to = '\0';
	return text;
}

/* " (version V)" where the message names one. */
static const char *version_of(struct cv_arena *a, const struct cv_lm_trouble *t)
{
	static const char comma[] = ", version ";
	ptrdiff_t at = t->message ? cv_str_find(cv_str_of(t->message), comma) : -1;

	return at < 0 ? "" : cv_arena_printf(a, " (version %s)", t->message + at + sizeof(comma) - 1);
}

static void print_symbol(struct cv_ld_page *p, const struct cv_lm_trouble *t)
{
	struct cv_term *term = p->t;
	const char *name = t->demangled ? readable(term->scratch, t->demangled) : t->name;

	cv_term_to(term, CV_LD_INDENT * 2);
	cv_term_wrap(term, CV_LD_INDENT * 3, CV_INK_PLAIN, cv_arena_printf(term->scratch, "%s%s", name, version_of(term->scratch, t)));
	if (t->demangled && term->verbose) {
		cv_term_to(term, CV_LD_INDENT * 3);
		cv_term_wrap(term, CV_LD_INDENT * 3, CV_INK_DIM, t->name);
	}
}

/* Undefined symbols of one object: those that end the load, or functions that end the program once they are called. */
struct symbols {
	size_t object;
	bool fatal;
	size_t n, python;
};

static bool is_of(const struct symbols *s, const struct cv_lm_trouble *t)
{
	return t->kind == CV_LM_T_UNDEFINED && t->object == s->object && t->fatal == s->fatal;
}

/* Are both defined by one object, for one of the two ABIs? */
static bool same_abi(const struct cv_lm_trouble *a, const struct cv_lm_trouble *b)
{
	return b->other_abi && a->provider == b->provider && cv_streq(cv_ld_abi_flag(a->other_abi), cv_ld_abi_flag(b->other_abi));
}

/* One line for each provider and ABI. */
static void print_abi(struct cv_ld_page *p, const struct symbols *s)
{
	for (size_t i = 0; i < p->m->troubles.n; i++) {
		const struct cv_lm_trouble *v = p->m->troubles.v, *t = &v[i];
		size_t n = 0, k = 0;

		if (!is_of(s, t) || !t->other_abi)
			continue;
		while (k < i && !(is_of(s, &v[k]) && same_abi(t, &v[k])))
			k++;
		if (k < i)
			continue;
		for (; k < p->m->troubles.n; k++)
			n += is_of(s, &v[k]) && same_abi(t, &v[k]);
		cv_term_to(p->t, CV_LD_INDENT * 2);
		cv_term_wrap(p->t, CV_LD_INDENT * 2, CV_INK_BOLD,
			     cv_arena_printf(p->t->scratch, "%s defines %zu of them for the other C++11 ABI: it is built with %s, %s is not",
					     cv_ld_short(p, t->provider), n, cv_ld_abi_flag(t->other_abi), cv_ld_short(p, t->object)));
	}
}

static void print_head(struct cv_ld_page *p, const struct symbols *s)
{
	struct cv_arena *a = p->t->scratch;
	const char *who = cv_ld_short(p, s->object);

	put_word(p, s->fatal);
	cv_term_wrap(p->t, CV_LD_INDENT * 2, CV_INK_PLAIN,
		     s->fatal	? cv_arena_printf(a, "%s needs %s that nothing defines:", who, cv_ld_count(a, s->n, "symbol", "symbols")) :
		     s->n == 1 ? cv_arena_printf(a, "%s fails when it calls a function that nothing defines:", who) :
				 cv_arena_printf(a, "%s fails when it calls one of %zu functions that nothing defines:", who, s->n));
}

static void print_symbols(struct cv_ld_page *p, size_t object, bool fatal)
{
	struct symbols s = { .object = object, .fatal = fatal };
	struct cv_term *t = p->t;
	size_t shown = 0;

	for (size_t i = 0; i < p->m->troubles.n; i++) {
		s.n += is_of(&s, &p->m->troubles.v[i]);
		s.python += is_of(&s, &p->m->troubles.v[i]) && is_python(&p->m->troubles.v[i]);
	}
	print_head(p, &s);
	if (s.python && !t->verbose) {
		cv_term_to(t, CV_LD_INDENT * 2);
		cv_term_wrap(t, CV_LD_INDENT * 3, CV_INK_DIM,
			     cv_arena_printf(t->scratch, "%zu of Python's C API: the interpreter that imports it has them", s.python));
		shown = s.python;
	}
	for (size_t i = 0, k = 0; i < p->m->troubles.n && (k < SYMBOLS_SHOWN || t->verbose); i++) {
		const struct cv_lm_trouble *tr = &p->m->troubles.v[i];

		if (!is_of(&s, tr) || (is_python(tr) && !t->verbose))
			continue;
		print_symbol(p, tr);
		shown++;
		k++;
	}
	if (shown < s.n) {
		cv_term_to(t, CV_LD_INDENT * 2);
		cv_term_printf(t, CV_INK_DIM, "and %zu more: -v lists them", s.n - shown);
		cv_term_nl(t);
	}
	print_abi(p, &s);
}

static bool is_first_of_object(const struct cv_ld_page *p, size_t i)
{
	const struct cv_lm_trouble *t = &p->m->troubles.v[i];

	for (size_t k = 0; k < i; k++) {
		const struct cv_lm_trouble *o = &p->m->troubles.v[k];

		if (o->kind == t->kind && o->object == t->object && o->fatal == t->fatal)
			return false;
	}
	return true;
}

static void print_trouble(struct cv_ld_page *p, size_t i)
{
	const struct cv_lm_trouble *t = &p->m->troubles.v[i];

	if (t->fatal && is_missing(p, t)) {
		if (!is_repeated(p, i))
			print_missing(p, t);
	} else if (t->kind == CV_LM_T_NO_VERSION) {
		print_version(p, t);
	} else if (t->kind == CV_LM_T_UNDEFINED) {
		if (is_first_of_object(p, i))
			print_symbols(p, t->object, t->fatal);
	} else {
		put_word(p, t->fatal);
		cv_term_wrap(p->t, CV_LD_INDENT * 2, CV_INK_PLAIN, t->message ? tail_of(t->message) : t->name);
	}
}

/* Where a program ends. */
static void print_steps(struct cv_ld_page *p)
{
	for (size_t i = 0; i < p->map->scn->events.n; i++) {
		const struct cv_scn_event *e = &p->map->scn->events.v[i];

		if (e->outcome != CV_SCN_FAILED)
			continue;
		put_word(p, true);
		cv_term_wrap(p->t, CV_LD_INDENT * 2, CV_INK_PLAIN,
			     cv_arena_printf(p->t->scratch, "%s, %s: %s", e->scenario, e->text, e->message));
		cv_term_nl(p->t);
	}
}

void cv_ld_print_troubles(struct cv_ld_page *p)
{
	if (p->map->scn) {
		print_steps(p);
		return;
	}
	for (size_t i = 0; i < p->m->troubles.n; i++)
		print_trouble(p, i);
	if (p->m->troubles.n)
		cv_term_nl(p->t);
}
