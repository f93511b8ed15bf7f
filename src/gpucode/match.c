/* SPDX-License-Identifier: Apache-2.0 */
#include "gpucode/match.h"

#include "base/str.h"

bool cv_gpu_target_parse(const char *s, struct cv_gpu_target *ret)
{
	struct cv_gpu_target t = { .ptx = false };
	struct cv_str rest = cv_str_of(s);
	uint64_t n;

	if (cv_str_eat(&rest, "compute_"))
		t.ptx = true;
	else if (!cv_str_eat(&rest, "sm_"))
		return false;
	if (rest.n && (rest.p[rest.n - 1] == 'a' || rest.p[rest.n - 1] == 'f')) {
		t.suffix = rest.p[rest.n - 1];
		rest.n--;
	}
	if (rest.n < 2 || rest.n > 3 || !cv_str_u64(rest, &n))
		return false;
	t.arch = (uint16_t)n;
	*ret = t;
	return true;
}

bool cv_gpu_cc_parse(const char *s, uint16_t *ret)
{
	struct cv_str minor = cv_str_of(s);
	struct cv_str major;
	uint64_t a, b;

	if (!cv_str_split(&minor, '.', &major) || !minor.p || !cv_str_u64(major, &a) || !cv_str_u64(minor, &b))
		return false;
	if (a > 99 || b > 9)
		return false;
	*ret = (uint16_t)(a * 10 + b);
	return true;
}

bool cv_gpu_target_fits(struct cv_gpu_target t, uint16_t cc)
{
	if (t.suffix == 'a')
		return cc == t.arch;
	/* A family is the GPUs of one major from the named minor on: sm_100f is 10.0 and 10.3, sm_120f 12.0 and 12.1. */
	if (t.suffix == 'f' || !t.ptx)
		return cc / 10 == t.arch / 10 && cc >= t.arch;
	return cc >= t.arch;
}
