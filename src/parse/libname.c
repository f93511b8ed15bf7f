/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/libname.h"

static bool is_family(struct cv_str s)
{
	static const char *const names[] = {
		"cuda",	    "nvidia-ml", "cudart",   "cublas", "cublasLt", "cudnn",    "nccl",
		"nvrtc", "nvJitLink", "cufft",	  "curand", "cusparse", "cusparseLt", "cusolver",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (cv_str_is(s, names[i]))
			return true;
	if (!cv_str_eat(&s, "cudnn_") || s.n == 0)
		return false;
	/* cuDNN's parts differ by release: ops_infer of 8, ops, graph, engines_precompiled of 9 ... */
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '_' && (s.p[i] < 'a' || s.p[i] > 'z'))
			return false;
	return true;
}

/* "" or ".1" or ".535.104.05" */
static bool is_version_tail(struct cv_str s)
{
	bool digit = true;

	for (size_t i = 0; i < s.n; i++) {
		bool was = digit;

		digit = s.p[i] >= '0' && s.p[i] <= '9';
		if (!digit && (s.p[i] != '.' || !was))
			return false;
	}
	return s.n == 0 || (s.p[0] == '.' && digit);
}

bool cv_libname_family(struct cv_str name, struct cv_str *ret_family)
{
	struct cv_str family = name;
	ptrdiff_t so;

	if (!cv_str_eat(&family, "lib") || (so = cv_str_find(family, ".so")) <= 0 ||
	    !is_version_tail(cv_str_from(family, (size_t)so + 3)))
		return false;
	family = cv_str_sub(family, 0, (size_t)so);
	if (!is_family(family))
		return false;
	*ret_family = family;
	return true;
}

struct cv_str cv_libname_version(struct cv_str name)
{
	ptrdiff_t so = cv_str_find(name, ".so.");
	struct cv_str tail = cv_str_from(name, so < 0 ? name.n : (size_t)so + 3);

	return so < 0 || !is_version_tail(tail) ? (struct cv_str){ "", 0 } : cv_str_from(tail, 1);
}
