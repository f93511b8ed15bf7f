/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver is several facts: the loaded kernel module, the libcuda of the driver's own package, and the libcuda that a
 * program gets. The last decides the CUDA API version: by the note in the file (.note.cuda.fwd_compatibility, which host
 * libraries carry too), otherwise by kb's table of branches. Jetson numbers before JetPack 7 (540.4.0) are in no such table.
 */
#include "judge/world.h"

#include "base/version.h"

static bool is_libcuda(const struct cv_wlib *lib)
{
	return lib->family && cv_streq(lib->family, "cuda");
}

static bool is_own(const struct cv_world *w, const struct cv_wlib *lib)
{
	return lib->origin && cv_streq(lib->origin, w->wsl ? "wsl" : "host");
}

static bool same_version(const char *a, const char *b)
{
	return a && b && cv_ver_cmp(CV_VER_DOTTED, a, b) == 0;
}

/* Of several copies of the driver's own libcuda the one of the module's version is it; the others are strays. */
static void pick_libs(struct cv_world *w)
{
	struct cv_wdriver *d = &w->driver;

	for (size_t i = 0; i < w->libs.n; i++) {
		const struct cv_wlib *lib = &w->libs.v[i];

		if (!is_libcuda(lib))
			continue;
		if (lib->soname && cv_streq(lib->soname, "libcuda.so.1") && lib->step != CV_STEP_NONE &&
		    (!d->first || lib->step < d->first->step || (lib->step == d->first->step && lib->order < d->first->order)))
			d->first = lib;
		if (!is_own(w, lib))
			continue;
		if (!d->host) {
			d->host = lib;
		} else if (!same_version(lib->version, d->host->version)) {
			d->other = lib;
			if (same_version(lib->version, d->module)) {
				d->other = d->host;
				d->host = lib;
			}
		}
	}
}

/* The newest kb row of (driver, cuda) that begins at or before version. */
static bool row_below(const struct cv_kb *kb, const char *version, struct cv_kb_row *ret)
{
	struct cv_kb_iter it = cv_kb_iter(kb, "driver", NULL, "cuda");
	struct cv_kb_row row;
	bool found = false;

	while (cv_kb_next(&it, &row)) {
		if (*row.from && cv_ver_cmp(CV_VER_DOTTED, row.from, version) > 0)
			continue;
		if (!found || cv_ver_cmp(CV_VER_DOTTED, row.from, ret->from) > 0)
			*ret = row;
		found = true;
	}
	return found;
}

static bool board_numbers(const struct cv_world *w, const struct cv_wdriver *d)
{
	const char *l4t = cv_fact_str(w->machine, CV_F_machine_l4t);

	return (d->tegra || w->jetson) && (!l4t || cv_ver_cmp(CV_VER_DOTTED, l4t, "38") < 0);
}

static void find_api(struct cv_world *w, const struct cv_kb *kb, struct cv_arena *a)
{
	struct cv_wdriver *d = &w->driver;
	const struct cv_wlib *lib = d->first ? d->first : d->host;
	const char *note = lib ? cv_fact_str(lib->s, CV_F_lib_fwd_cuda) : NULL;

	d->version = lib && lib->version ? lib->version : d->module;
	d->library_read = lib && (lib->version || note);
	if (note) {
		d->api = note;
		d->api_exact = true;
		return;
	}
	if (cv_fact_known(d->s, CV_F_driver_cuda_api)) {
		d->api = cv_fact_str(d->s, CV_F_driver_cuda_api);
		d->api_exact = true;
		return;
	}
	if (!d->version) {
		d->api_because = "the version of the driver is not known";
		return;
	}
	if (board_numbers(w, d)) {
		d->api_because =
			cv_arena_printf(a, "driver %s has the number of a Jetson, which no table of branches covers", d->version);
		return;
	}
	d->newer_than_kb = cv_kb_reach(kb, "driver", d->version) == CV_KB_NEWER;
	d->api_exact = !d->newer_than_kb && cv_kb_get(kb, "driver", d->version, "cuda", &d->api_row);
	d->has_api_row = d->api_exact || row_below(kb, d->version, &d->api_row);
	if (d->has_api_row)
		d->api = d->api_row.value;
	else
		d->api_because =
			cv_arena_printf(a, "the knowledge base (%s) does not know driver %s", cv_kb_date(kb), d->version);
}

static void unknown(struct cv_wdriver *d, const char *because)
{
	d->state = CV_DRIVER_UNKNOWN;
	d->unknown_because = because;
}

/* Where the module cannot be seen by design: WSL, boards, gVisor. */
static bool special_state(struct cv_world *w)
{
	struct cv_wdriver *d = &w->driver;

	if (w->wsl) {
		d->state = d->host ? CV_DRIVER_READY : CV_DRIVER_MISSING;
		return true;
	}
	if (w->jetson || d->tegra) {
		if (d->host || d->loaded == CV_TRI_OK)
			d->state = CV_DRIVER_READY;
		else
			unknown(d, "a Jetson's driver is part of its board support, and no libcuda of it was found");
		return true;
	}
	if (w->gvisor) {
		if (d->host)
			d->state = CV_DRIVER_READY;
		else
			unknown(d, "gVisor does not show the kernel's modules");
		return true;
	}
	return false;
}

/* Why no libcuda being found does not mean that there is none; NULL if it does. */
static const char *library_unseen(const struct cv_world *w, const struct cv_facts *facts, struct cv_arena *a)
{
	const struct cv_subject *ldso = cv_facts_find(facts, CV_KIND_ldso, "");
	const struct cv_strv *closed = cv_fact_list(ldso, CV_F_ldso_dirs_denied);
	enum cv_state conf = cv_fact(ldso, CV_F_ldso_conf_dirs)->state;

	for (size_t i = 0; i < w->libs.n; i++)
		if (is_libcuda(&w->libs.v[i]) && !w->libs.v[i].soname)
			return cv_fact_because(a, w->libs.v[i].s, CV_F_lib_soname);
	if (closed->n)
		return cv_arena_printf(a, "%s could not be looked into", closed->v[0]);
	if (conf != CV_KNOWN && conf != CV_ABSENT)
		return cv_fact_because(a, ldso, CV_F_ldso_conf_dirs);
	return NULL;
}

static void find_state(struct cv_world *w, const struct cv_facts *facts, struct cv_arena *a)
{
	struct cv_wdriver *d = &w->driver;
	bool kmods = cv_facts_count(facts, CV_KIND_kmod) > 0;
	const struct cv_wlib *own = d->first ? d->first : d->host;
	const char *unseen = NULL;

	if (!own)
		unseen = library_unseen(w, facts, a);
	else if (cv_fact(own->s, CV_F_lib_soname)->state == CV_UNPARSED)
		unseen = cv_fact_because(a, own->s, CV_F_lib_soname); /* it is there, and is no library that could be loaded */

	if (special_state(w))
		return;
	if (d->loaded == CV_TRI_UNKNOWN) {
		unknown(d, w->machine && !w->live ? "these are the files of a system that does not run"
						  : cv_fact_because(a, d->s, CV_F_driver_module_loaded));
	} else if (unseen && (d->loaded == CV_TRI_OK || !kmods)) {
		unknown(d, unseen);
	} else if (d->loaded == CV_TRI_OK) {
		d->state = d->host || d->first ? CV_DRIVER_READY : w->container ? CV_DRIVER_NOT_PASSED : CV_DRIVER_NO_LIBRARY;
	} else if (w->container) {
		d->state = CV_DRIVER_NOT_PASSED;
	} else {
		d->state = d->host || kmods ? CV_DRIVER_NOT_LOADED : CV_DRIVER_MISSING;
	}
}

void cv__world_driver(struct cv_world *w, const struct cv_facts *facts, const struct cv_kb *kb, struct cv_arena *a)
{
	struct cv_wdriver *d = &w->driver;

	d->s = cv_facts_find(facts, CV_KIND_driver, "");
	d->loaded = cv_fact_tri(d->s, CV_F_driver_module_loaded);
	d->module = cv_fact_str(d->s, CV_F_driver_module_version);
	if (cv_fact_known(d->s, CV_F_driver_module_open))
		d->open = cv_fact_true(d->s, CV_F_driver_module_open) ? CV_TRI_OK : CV_TRI_BAD;
	d->tegra = cv_fact_true(d->s, CV_F_driver_tegra);
	pick_libs(w);
	find_api(w, kb, a);
	find_state(w, facts, a);
	if (d->loaded == CV_TRI_OK && !d->module && !w->wsl && !w->jetson && !d->tegra)
		d->version_because = cv_fact_because(a, d->s, CV_F_driver_module_version);
}
