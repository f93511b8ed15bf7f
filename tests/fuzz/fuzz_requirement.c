/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "parse/requirement.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct cv_marker_env env = { .python_version = "3.11", .python_full_version = "3.11.2", .sys_platform = "linux",
						  .platform_machine = "x86_64", .platform_release = "5.15.0-91-generic", .extra = "" };
	struct cv_arena *a = cv_arena_new((size_t)1 << 20);
	struct cv_str text = { (const char *)data, size };
	enum cv_marker value;
	struct cv_req req;

	if (cv_req_parse(text, a, &req) == 0)
		cv_marker_eval(req.marker, &env, &value);
	cv_marker_eval(text, &env, &value);
	cv_arena_free(a);
	return 0;
}
