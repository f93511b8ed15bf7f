/* SPDX-License-Identifier: Apache-2.0 */
/* The whole way of a text, from pieces whose size the first byte sets to diagnoses. */
#include <stdlib.h>

#include "fuzz.h"

#include "explain/explain.h"
#include "judge/hypo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *a = cv_arena_new((size_t)256 << 20);
	const struct cv_explanation *e;
	struct cv_facts *facts = cv_facts_new(a);
	struct cv_explain *x;
	size_t step = size ? data[0] + 1u : 1;

	if (cv_explain_new(cv_kb_builtin(), a, &x) == 0) {
		cv_explain_begin(x, "f");
		for (size_t i = 0; i < size; i += step)
			if (cv_explain_feed(x, (const char *)data + i, size - i < step ? size - i : step))
				abort();
		if (cv_explain_end(x) || cv_explain_finish(x, facts, false) || cv_facts_freeze(facts) || cv_hypo(facts, cv_kb_builtin(), a, &e))
			abort();
		cv_explain_free(x);
	}
	cv_arena_free(a);
	return 0;
}
