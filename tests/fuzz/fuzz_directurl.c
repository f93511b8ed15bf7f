/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "parse/directurl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *a = cv_arena_new((size_t)1 << 20);
	struct cv_str text = { (const char *)data, size };
	struct cv_directurl url;
	const char *value;

	cv_directurl_parse(text, a, &url);
	cv_json_text_of(text, "cuda", a, &value);
	cv_arena_free(a);
	return 0;
}
