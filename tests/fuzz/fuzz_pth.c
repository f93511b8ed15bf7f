/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "parse/pth.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_str rest = cv_pth_skip_bom((struct cv_str){ (const char *)data, size });
	struct cv_pth_line line;
	unsigned no = 0;

	while (cv_pth_next(&rest, &no, &line))
		cv_pth_kind_name(line.kind);
	return 0;
}
