/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path after links decides, for a link into a toolkit's stubs is a stub wherever it lies. Where two answers fit, the one
 * that explains more wins: /usr/local/cuda/compat is below a toolkit, but a driver's library there is no toolkit's.
 */
#include "collect/liborigin.h"

#include "base/version.h"

bool cv_lib_is_drivers(const char *family)
{
	return cv_streq(family, "cuda") || cv_streq(family, "nvidia-ml");
}

/* True if a directory of the path is called name. */
static bool has_dir(const char *path, const char *name)
{
	struct cv_str rest = cv_str_of(path);
	struct cv_str part;

	while (cv_str_split(&rest, '/', &part))
		if (rest.n && cv_str_is(part, name))
			return true;
	return false;
}

static bool is_in_toolkit(const struct cv_facts *facts, const char *path)
{
	for (size_t i = 0; i < cv_facts_count(facts, CV_KIND_toolkit); i++)
		if (cv_path_below(path, cv_subject_key(cv_facts_at(facts, CV_KIND_toolkit, i))))
			return true;
	return cv_starts(path, "/usr/local/cuda");
}

static bool is_below_any(const char *path, const char *const *dirs)
{
	for (; *dirs; dirs++)
		if (cv_path_below(path, *dirs))
			return true;
	return false;
}

static const char *const system_dirs[] = { "/usr/lib", "/usr/lib64", "/usr/lib32", "/lib", "/lib64", "/lib32", NULL };

/*
 * The driver's own copy lies in a system directory, where container hosts, NixOS and old JetPacks keep it, or where the
 * loader's configuration leads; or it has the version of the loaded module, wherever that is.
 */
static bool is_host_driver(const struct cv_facts *facts, const struct cv_libfile *file, const char *version)
{
	static const char *const dirs[] = { "/usr/local/nvidia", "/run/opengl-driver", "/run/nvidia", NULL };
	const char *module = cv_fact_str(cv_facts_find(facts, CV_KIND_driver, ""), CV_F_driver_module_version);

	if (is_below_any(file->real, system_dirs) || is_below_any(file->real, dirs))
		return true;
	if (cv_strv_has(&file->via, "ld.so.cache") || cv_strv_has(&file->via, "ld.so.conf"))
		return true;
	return version && module && cv_ver_cmp(CV_VER_DOTTED, version, module) == 0;
}

const char *cv_lib_origin(const struct cv_facts *facts, const struct cv_libfile *file, const char *version)
{
	const char *path = file->real;

	if (has_dir(path, "stubs"))
		return "stub";
	if (cv_path_below(path, "/usr/lib/wsl"))
		return "wsl";
	if (cv_lib_is_drivers(file->family)) {
		if (has_dir(path, "compat") || has_dir(path, "cuda-compat"))
			return "compat";
		return is_host_driver(facts, file, version) ? "host" : "other";
	}
	if (has_dir(path, "site-packages") || has_dir(path, "dist-packages"))
		return "wheel";
	if (file->env)
		return "conda";
	if (is_in_toolkit(facts, path))
		return "toolkit";
	return is_below_any(path, system_dirs) ? "distribution" : "other";
}
