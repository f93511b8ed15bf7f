/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries of the GPU stack, each real file opened once and read by ranges. Which of them a program gets is not said here:
 * names and via keep what is needed to tell.
 *
 * A file that is no ELF object (the empty placeholder that some container tools leave), or that is cut so short that the loader
 * would refuse it, is unparsed, its origin too: it is nobody's working copy. A link of the driver's libraries that leads nowhere
 * gets a subject of its own, for "libcuda.so.1 is there" is what people see.
 */
#include "collect/libfind.h"
#include "collect/liborigin.h"
#include "collect/libways.h"
#include "collect/registry.h"
#include "collect/see.h"
#include "parse/fwdcompat.h"
#include "parse/libversion.h"

static struct cv_prov prov(const char *path, int64_t offset)
{
	return (struct cv_prov){ .collector = "lib", .path = path, .offset = offset };
}

/* 0 if the version is put. */
static int put_version(struct cv_collect_ctx *c, struct cv_subject *s, const struct cv_libfile *file, struct cv_elf *e)
{
	struct cv_libversion v;
	int r = cv_libversion(e, cv_basename(file->real), c->scratch, &v);

	if (r < 0)
		return r;
	cv_facts_str(c->facts, s, CV_F_lib_version, v.version, prov(file->real, -1));
	cv_facts_str(c->facts, s, CV_F_lib_version_how, v.how, prov(file->real, -1));
	return 0;
}

static void put_note(struct cv_collect_ctx *c, struct cv_subject *s, const struct cv_libfile *file, struct cv_elf *e)
{
	struct cv_fwdcompat note;
	int r = cv_fwdcompat_read(e, c->scratch, &note);
	struct cv_prov p = prov(file->real, r == 0 ? (int64_t)note.at : -1);

	if (r < 0) {
		cv_see_fail(c, s, CV_F_lib_fwd_cuda, r, p);
		return;
	}
	if (note.cuda)
		cv_facts_str(c->facts, s, CV_F_lib_fwd_cuda, note.cuda, p);
	cv_facts_list(c->facts, s, CV_F_lib_fwd_branches, &note.branches, p);
	cv_facts_list(c->facts, s, CV_F_lib_fwd_devices, &note.devices, p);
}

static void put_elf(struct cv_collect_ctx *c, struct cv_subject *s, const struct cv_libfile *file, struct cv_elf *e)
{
	const bool damaged = !e->soname && ((e->damaged & (CV_ELF_DYNAMIC | CV_ELF_SEGMENTS)) || !e->has_dynamic);
	const char *machine = cv_elf_machine_name(e);
	const char *origin;
	int r;

	if (e->soname)
		cv_facts_str(c->facts, s, CV_F_lib_soname, e->soname, prov(file->real, -1));
	else
		cv_facts_state(c->facts, s, CV_F_lib_soname, damaged ? CV_UNPARSED : CV_ABSENT,
			       damaged ? "its dynamic section is damaged or not there" : NULL, prov(file->real, -1));
	if (machine)
		cv_facts_str(c->facts, s, CV_F_lib_machine, machine, prov(file->real, 18));
	else
		cv_facts_state(c->facts, s, CV_F_lib_machine, CV_UNPARSED, "an ELF machine without a name", prov(file->real, 18));
	r = put_version(c, s, file, e);
	if (r < 0 && r != CV_ENOENT)
		cv_see_fail(c, s, CV_F_lib_version, r, prov(file->real, -1));
	origin = cv_lib_origin(c->facts, file, cv_fact_str(s, CV_F_lib_version));
	if (damaged)
		cv_facts_state(c->facts, s, CV_F_lib_origin, CV_UNPARSED, "the file is damaged", prov(file->real, -1));
	else
		cv_facts_str(c->facts, s, CV_F_lib_origin, origin, prov(file->real, -1));
	if (cv_streq(file->family, "cuda"))
		put_note(c, s, file, e);
}

/* What holds of a file that cannot be read as a library. */
static void put_unread(struct cv_collect_ctx *c, struct cv_subject *s, const struct cv_libfile *file, int err)
{
	static const enum cv_field ids[] = { CV_F_lib_soname, CV_F_lib_version, CV_F_lib_machine, CV_F_lib_origin };
	const char *reason = err == CV_EFORMAT ? "offset 0: no ELF header" : cv_strerror(err);

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		cv_facts_state(c->facts, s, ids[i], cv_state_of_err(err), reason, prov(file->real, err == CV_EFORMAT ? 0 : -1));
}

static void put_dead(struct cv_collect_ctx *c, struct cv_subject *s, const struct cv_libfile *file)
{
	const char *reason = cv_arena_printf(c->scratch, "a link to %s, which is not there", file->dead);

	cv_facts_state(c->facts, s, CV_F_lib_soname, CV_ABSENT, reason, prov(file->real, -1));
	cv_facts_state(c->facts, s, CV_F_lib_version, CV_ABSENT, reason, prov(file->real, -1));
	cv_facts_state(c->facts, s, CV_F_lib_machine, CV_ABSENT, reason, prov(file->real, -1));
}

static void see_file(struct cv_collect_ctx *c, const struct cv_libfile *file)
{
	struct cv_subject *s = cv_facts_add(c->facts, CV_KIND_lib, file->real);
	struct cv_src *src;
	struct cv_elf *e;
	int r;

	cv_facts_str(c->facts, s, CV_F_lib_family, file->family, prov(file->real, -1));
	cv_facts_list(c->facts, s, CV_F_lib_names, &file->names, prov(NULL, -1));
	cv_facts_list(c->facts, s, CV_F_lib_via, &file->via, prov(NULL, -1));
	if (file->env)
		cv_facts_str(c->facts, s, CV_F_lib_env, file->env, prov(NULL, -1));
	if (file->dead) {
		put_dead(c, s, file);
		return;
	}
	r = cv_view_open(c->view, file->real, &src);
	if (r < 0) {
		put_unread(c, s, file, r);
		return;
	}
	r = cv_elf_open(src, c->scratch, c->diag, &e);
	if (r < 0)
		put_unread(c, s, file, r);
	else
		put_elf(c, s, file, e);
	cv_src_close(src);
}

/* cuDNN's and cuBLAS' front libraries do not know their version; the part beside them does. */
static void put_neighbours_version(struct cv_collect_ctx *c, const struct cv_libfind *f, const struct cv_libfile *file)
{
	struct cv_subject *s = cv_facts_add(c->facts, CV_KIND_lib, file->real);
	const char *name, *version, *path;
	const struct cv_libfile *beside;
	const struct cv_subject *other;

	if (cv_fact(s, CV_F_lib_version)->state != CV_NOT_ASKED)
		return;
	name = cv_libversion_neighbour(c->scratch, cv_basename(file->real));
	path = name ? cv_path_join(c->scratch, cv_dirname(c->scratch, file->real), name) : NULL;
	beside = path ? cv_libfind_named(f, path) : NULL;
	other = beside ? cv_facts_find(c->facts, CV_KIND_lib, beside->real) : NULL;
	version = cv_fact_str(other, CV_F_lib_version);
	if (!version) {
		cv_facts_state(c->facts, s, CV_F_lib_version, CV_ABSENT, "the file does not tell it", prov(file->real, -1));
		return;
	}
	cv_facts_str(c->facts, s, CV_F_lib_version, version, prov(beside->real, -1));
	cv_facts_str(c->facts, s, CV_F_lib_version_how, cv_fact_str(other, CV_F_lib_version_how), prov(beside->real, -1));
}

static void run(struct cv_collect_ctx *c)
{
	struct cv_libfind f = { .view = c->view, .arena = c->scratch };

	cv_libways(c, &f);
	cv_strv_sort(&f.denied);
	cv_facts_list(c->facts, cv_see_only(c, CV_KIND_ldso), CV_F_ldso_dirs_denied, &f.denied, prov(NULL, -1));
	for (size_t i = 0; i < f.files.n; i++)
		if (!f.files.v[i]->dead || cv_lib_is_drivers(f.files.v[i]->family))
			see_file(c, f.files.v[i]);
	for (size_t i = 0; i < f.files.n; i++)
		if (!f.files.v[i]->dead)
			put_neighbours_version(c, &f, f.files.v[i]);
}

const struct cv_collector cv_collector_lib = {
	.name = "lib",
	.doc = "libraries of the GPU stack",
	.run = run,
};
