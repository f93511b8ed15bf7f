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

/*
 * Chips of Tegra before Thor, and 8.8, of which nothing is documented but the number. Thor (11.0) has its major for itself; CUDA
 * 12.8 and 12.9 called it 10.1, which no GPU reports any more.
 */
static bool is_tegra(uint16_t arch)
{
	static const uint16_t tegra[] = { 32, 53, 62, 72, 87, 88, 101 };

	for (size_t i = 0; i < sizeof(tegra) / sizeof(tegra[0]); i++)
		if (tegra[i] == arch)
			return true;
	return false;
}

/* The families that the PTX manual lists; it says nothing of numbers that came later. */
static enum cv_fit family_fit(uint16_t target, uint16_t cc)
{
	static const uint16_t members[][2] = { { 100, 103 }, { 120, 121 } };
	static const uint16_t known[] = { 100, 101, 103, 110, 120, 121 };

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (members[i][0] == target && members[i][1] == cc)
			return CV_FIT_YES;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i] == cc)
			return CV_FIT_NO;
	return CV_FIT_OPEN;
}

enum cv_fit cv_gpu_target_fit(struct cv_gpu_target t, uint16_t cc)
{
	if (cc == t.arch)
		return CV_FIT_YES;
	if (t.suffix == 'a')
		return CV_FIT_NO;
	if (t.ptx && t.suffix == 0)
		return cc > t.arch ? CV_FIT_YES : CV_FIT_NO;
	if (cc / 10 != t.arch / 10 || cc < t.arch)
		return CV_FIT_NO;
	if (t.suffix == 'f')
		return family_fit(t.arch, cc);
	return is_tegra(t.arch) || is_tegra(cc) ? CV_FIT_OPEN : CV_FIT_YES;
}
