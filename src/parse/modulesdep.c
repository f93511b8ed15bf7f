/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/modulesdep.h"

bool cv_modulesdep_next(struct cv_str *rest, struct cv_str *ret_path)
{
	struct cv_str line;

	while (cv_str_line(rest, &line, NULL)) {
		ptrdiff_t colon = cv_str_chr(line, ':');

		if (colon <= 0)
			continue;
		*ret_path = cv_str_sub(line, 0, (size_t)colon);
		return true;
	}
	return false;
}

/* Drops suffix from the end of *s if it is there. */
static bool eat_end(struct cv_str *s, const char *suffix)
{
	if (!cv_str_ends(*s, suffix))
		return false;
	s->n -= strlen(suffix);
	return true;
}

bool cv_kmod_is_nvidia(struct cv_str name, enum cv_kmod_packing *ret)
{
	static const char *const names[] = { "nvidia", "nvidia-current", "nvidia-current-open", "nvidia-tesla" };
	static const char *const branches[] = { "nvidia-tesla-", "nvidia-legacy-" };
	enum cv_kmod_packing packing = CV_KMOD_PLAIN;
	struct cv_str s = name;
	uint64_t n;

	if (eat_end(&s, ".gz"))
		packing = CV_KMOD_GZ;
	else if (eat_end(&s, ".xz"))
		packing = CV_KMOD_XZ;
	else if (eat_end(&s, ".zst"))
		packing = CV_KMOD_ZST;
	if (!eat_end(&s, ".ko"))
		return false;
	*ret = packing;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (cv_str_is(s, names[i]))
			return true;
	for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++) {
		struct cv_str branch = s;

		if (!cv_str_eat(&branch, branches[i]))
			continue;
		eat_end(&branch, "xx"); /* nvidia-legacy-390xx */
		return cv_str_u64(branch, &n);
	}
	return false;
}
