/* SPDX-License-Identifier: Apache-2.0 */
/* The whole reader: ELF objects, archives, cubins, fatbins and PTX, then the weighing. Reading forwards must give the same. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "fuzz.h"
#include "gpucode/codetext.h"

static const char *text_of(const struct cv_code_place *place, struct cv_arena *a, struct cv_strv *texts)
{
	const char *text = "";

	if (!cv_codetext_write(place, a, texts))
		return text;
	for (size_t i = 0; i < texts->n; i++)
		text = cv_arena_printf(a, "%s%s\n", text, texts->v[i]);
	return text;
}

static void read_all(const uint8_t *data, size_t size, struct cv_arena *a)
{
	struct cv_strv own = { 0 }, forward_own = { 0 }, elsewhere = { 0 }, forward_elsewhere = { 0 };
	struct cv_code_place again;
	struct cv_src_mem mem;
	struct cv_gpucode g, h;
	struct cv_diag d;
	int r, s;

	cv_diag_init(&d, a);
	cv_src_mem_init(&mem, data, size, "fuzz");
	r = cv_gpucode_read(&mem.src, CV_GPUCODE_SEARCH, a, &d, &g);
	mem.src.forward = true;
	s = cv_gpucode_read(&mem.src, CV_GPUCODE_SEARCH, a, &d, &h);
	/* One way may meet a maximum of a part that the other one never looks at. */
	if (r == CV_ELIMIT || s == CV_ELIMIT || r == CV_ENOMEM || s == CV_ENOMEM)
		return;
	if (r != s)
		__builtin_trap();
	if (r)
		return;
	(void)cv_gpucode_cover(&g, 90, 87);
	if (g.damaged != h.damaged || strcmp(text_of(&g.own, a, &own), text_of(&h.own, a, &forward_own)) != 0 ||
	    strcmp(text_of(&g.elsewhere, a, &elsewhere), text_of(&h.elsewhere, a, &forward_elsewhere)) != 0)
		__builtin_trap();
	/* An architecture that no text can spell is the only thing that may be lost on the way. */
	(void)cv_codetext_read(&own, a, &again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *a = cv_arena_new((size_t)128 << 20);

	if (a)
		read_all(data, size, a);
	cv_arena_free(a);
	return 0;
}
