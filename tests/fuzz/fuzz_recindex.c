/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever is accepted is written as it was read, and each line is found by its question. */
#include "parse/recindex.h"

#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static void demand(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz_recindex: %s\n", what);
	abort();
}

static void check(const struct cv_recindex *x, struct cv_arena *a)
{
	struct cv_buf out;
	struct cv_recindex again;
	size_t n = 0;

	cv_buf_init(&out, (size_t)64 << 20);
	cv_buf_puts(&out, CV_RECINDEX_HEAD "\n");
	for (size_t i = 0; i < x->n; i++)
		cv_rec_write(&out, &x->v[i]);
	/* an index that was spelled otherwise need not be sorted any more when spelled as the writer does */
	if (out.err == 0 && cv_recindex_parse((struct cv_str){ out.p, out.n }, "again", a, NULL, &again) == 0) {
		demand(again.n == x->n, "a line got lost");
		for (size_t i = 0; i < again.n; i++) {
			const struct cv_rec *r = cv_recindex_find(&again, again.v[i].op, again.v[i].path,
								  again.v[i].op == CV_REC_ACCESS ? again.v[i].mode : 0, &n);

			if (strlen(again.v[i].path) > 4096)
				continue;
			demand(r && r <= &again.v[i] && &again.v[i] < r + n, "a line is not found");
			demand(r->op == again.v[i].op && cv_streq(r->path, again.v[i].path), "another line is found");
		}
	}
	cv_buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *a = cv_arena_new((size_t)128 << 20);
	struct cv_recindex x;
	struct cv_diag d;

	if (!a)
		return 0;
	cv_diag_init(&d, a);
	if (cv_recindex_parse((struct cv_str){ (const char *)data, size }, "index", a, &d, &x) == 0)
		check(&x, a);
	cv_arena_free(a);
	return 0;
}
