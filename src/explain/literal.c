/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The literal of a pattern: what the filter looks for. Only what must be there counts: characters outside groups, classes and
 * alternatives, and not before "?", "*" or "{". A pattern with "|" outside groups has none.
 */
#include "explain/room.h"

/* Index behind a bracket expression or a group that begins at i; n if it does not end. */
static size_t skip_class(const char *p, size_t i, size_t n)
{
	i++;
	if (i < n && p[i] == '^')
		i++;
	if (i < n && p[i] == ']')
		i++;
	while (i < n && p[i] != ']')
		i += p[i] == '\\' ? 2 : 1;
	return i + 1;
}

static size_t skip_group(const char *p, size_t i, size_t n)
{
	int depth = 0;

	while (i < n) {
		if (p[i] == '\\') {
			i += 2;
			continue;
		}
		if (p[i] == '[') {
			i = skip_class(p, i, n);
			continue;
		}
		depth += p[i] == '(' ? 1 : p[i] == ')' ? -1 : 0;
		i++;
		if (depth == 0)
			break;
	}
	return i;
}

struct run {
	char *p;
	size_t n;
	const char *best;
	size_t best_n;
};

static void end_run(struct cv_arena *a, struct run *r)
{
	if (r->n > r->best_n) {
		r->best = cv_arena_memdup(a, r->p, r->n);
		r->best_n = r->n;
	}
	r->n = 0;
}

static bool is_optional(char c)
{
	return c == '?' || c == '*' || c == '{';
}

static bool is_escaped_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

struct cv_str cv_pattern_literal(struct cv_arena *a, const char *pattern)
{
	size_t n = strlen(pattern), i = 0;
	struct run r = { .p = cv_arena_alloc(a, n + 1) };

	while (r.p && i < n) {
		char c = pattern[i];

		if (c == '|')
			return (struct cv_str){ "", 0 };
		if (c == '(' || c == '[') {
			end_run(a, &r);
			i = c == '(' ? skip_group(pattern, i, n) : skip_class(pattern, i, n);
			continue;
		}
		if (c == '\\' && i + 1 < n) {
			c = pattern[i + 1];
			i++;
			if (is_escaped_letter(c)) {
				end_run(a, &r);
				i++;
				continue;
			}
		} else if (strchr(".^$+*?{})", c)) {
			end_run(a, &r);
			i++;
			continue;
		}
		i++;
		if (i < n && is_optional(pattern[i])) {
			end_run(a, &r);
			continue;
		}
		r.p[r.n++] = c;
	}
	if (r.p)
		end_run(a, &r);
	return r.best_n >= 4 ? (struct cv_str){ r.best, r.best_n } : (struct cv_str){ "", 0 };
}
