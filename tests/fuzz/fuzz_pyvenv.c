/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "parse/pyvenv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_pyvenv cfg;

	cv_pyvenv_parse((struct cv_str){ (const char *)data, size }, &cfg);
	return 0;
}
