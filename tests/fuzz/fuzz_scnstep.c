/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a scenario, each as a step; then what is read once is read again out of its own text. */
#include <stdlib.h>

#include "fuzz.h"
#include "loadmap/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_str rest = { (const char *)data, size }, line;
	struct cv_arena *a = cv_arena_new((size_t)64 << 20);
	struct cv_diag d;

	if (!a)
		return 0;
	cv_diag_init(&d, a);
	for (unsigned seq = 1; cv_str_line(&rest, &line, NULL); seq++) {
		const char *text = cv_str_dup(a, line);
		struct cv_scn_step st, again;

		if (!text || cv_scn_parse(seq, text, a, &d, &st) != 0)
			continue;
		if ((st.op == CV_SCN_GOTO || st.otherwise == CV_SCN_ELSE_SEQ) && st.to <= seq)
			abort();
		if (cv_scn_parse(seq, st.text, a, &d, &again) == 0 && (again.op != st.op || again.args.n != st.args.n))
			abort();
	}
	cv_arena_free(a);
	return 0;
}
