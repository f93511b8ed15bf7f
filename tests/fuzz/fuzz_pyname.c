/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "parse/pyname.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_str text = { (const char *)data, size };
	struct cv_distname dist;
	struct cv_wheelname wheel;

	cv_distname_parse(text, &dist);
	cv_distname_conda(text, &dist);
	cv_wheelname_parse(text, &wheel);
	return 0;
}
