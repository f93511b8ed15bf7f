/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operating system of the root: distribution, kernel, what user-space programs are built for, C library, CPU.
 *
 * Nothing is run. The architecture and the kind of C library are those of /bin/sh, which names its loader; where there is no
 * shell (distroless images), those of the loader that is there. glibc's version is in its file name up to 2.33 (libc-2.31.so),
 * in the text that the library prints when it is run as a program, and, as the last resort, the newest symbol version that it
 * defines, which can lie one below (2.31 defines nothing newer than GLIBC_2.30).
 */
#include "collect/registry.h"
#include "collect/see.h"
#include "parse/elf.h"
#include "parse/osrelease.h"
#include "parse/procfs.h"

#define OSRELEASE "/proc/sys/kernel/osrelease"
#define CPUINFO "/proc/cpuinfo"
#define SCAN_PIECE ((size_t)64 * 1024)
#define SCAN_MAX ((uint64_t)4 << 20)

static struct cv_prov prov(const char *path, unsigned line)
{
	return cv_see_prov("os", path, line);
}

static void put_item(struct cv_collect_ctx *c, struct cv_subject *s, enum cv_field id, const struct cv_osrelease_item *item,
		     const char *path)
{
	if (item->value)
		cv_facts_str(c->facts, s, id, item->value, prov(path, item->line));
	else
		cv_facts_state(c->facts, s, id, CV_ABSENT, NULL, prov(path, 0));
}

static void see_osrelease(struct cv_collect_ctx *c, struct cv_subject *s)
{
	static const enum cv_field ids[] = { CV_F_machine_os_id, CV_F_machine_os_version, CV_F_machine_os_name };
	const char *path = "/etc/os-release";
	struct cv_osrelease os;
	struct cv_str text;
	int r = cv_see_text(c, path, &text);

	if (r == CV_ENOENT) {
		path = "/usr/lib/os-release";
		r = cv_see_text(c, path, &text);
	}
	if (r == 0)
		r = cv_osrelease_parse(text, c->scratch, &os);
	for (size_t i = 0; r < 0 && i < sizeof(ids) / sizeof(ids[0]); i++)
		cv_see_fail(c, s, ids[i], r, prov(path, 0));
	if (r < 0)
		return;
	put_item(c, s, CV_F_machine_os_id, &os.id, path);
	put_item(c, s, CV_F_machine_os_version, &os.version_id, path);
	put_item(c, s, CV_F_machine_os_name, &os.pretty_name, path);
}

static void see_kernel(struct cv_collect_ctx *c, struct cv_subject *s)
{
	const char *line;
	int r = cv_view_read_line(c->view, OSRELEASE, c->scratch, &line);

	if (r == 0 && line[0])
		cv_facts_str(c->facts, s, CV_F_machine_kernel, line, prov(OSRELEASE, 1));
	else
		cv_see_fail(c, s, CV_F_machine_kernel, r < 0 ? r : CV_EFORMAT, prov(OSRELEASE, 0));
}

/* Opens an ELF file; on success the caller closes *ret_src. */
static int open_elf(struct cv_collect_ctx *c, const char *path, struct cv_src **ret_src, struct cv_elf **ret)
{
	struct cv_src *src;
	int r = cv_view_open(c->view, path, &src);

	if (r < 0)
		return r;
	r = cv_elf_open(src, c->scratch, NULL, ret);
	if (r < 0)
		cv_src_close(src);
	else
		*ret_src = src;
	return r;
}

static const char *libc_of_loader(const char *path)
{
	const char *name = cv_basename(path);

	if (cv_starts(name, "ld-musl-"))
		return "musl";
	if (cv_starts(name, "ld-linux") || cv_starts(name, "ld64.so") || cv_starts(name, "ld.so"))
		return "glibc";
	return NULL;
}

struct user_space {
	const char *arch, *libc, *arch_from, *libc_from;
};

/* What one program or loader tells; true if both answers are there. */
static bool ask_program(struct cv_collect_ctx *c, const char *path, struct user_space *u)
{
	struct cv_src *src;
	struct cv_elf *e;
	const char *libc, *arch;

	if (open_elf(c, path, &src, &e) < 0)
		return false;
	arch = cv_elf_machine_name(e);
	if (!u->arch && arch) {
		u->arch = arch;
		u->arch_from = path;
	}
	/* A static program (busybox) names no loader and may be of another libc than the rest. */
	libc = libc_of_loader(e->interp ? e->interp : path);
	if (!u->libc && libc) {
		u->libc = libc;
		u->libc_from = path;
	}
	cv_src_close(src);
	return u->arch && u->libc;
}

static void see_user_space(struct cv_collect_ctx *c, struct cv_subject *s)
{
	static const char *const programs[] = { "/bin/sh", "/usr/bin/env", "/bin/busybox", "/lib64/ld-linux-x86-64.so.2",
						"/lib/ld-linux-aarch64.so.1", "/lib/ld-musl-x86_64.so.1",
						"/lib/ld-musl-aarch64.so.1", NULL };
	struct user_space u = { 0 };

	for (const char *const *p = programs; *p && !ask_program(c, *p, &u); p++)
		;
	if (u.arch)
		cv_facts_str(c->facts, s, CV_F_machine_arch, u.arch, prov(u.arch_from, 0));
	else
		cv_facts_state(c->facts, s, CV_F_machine_arch, CV_ABSENT, "no program of the root can be read",
			       prov("/bin/sh", 0));
	if (u.libc)
		cv_facts_str(c->facts, s, CV_F_machine_libc, u.libc, prov(u.libc_from, 0));
	else
		cv_facts_state(c->facts, s, CV_F_machine_libc, CV_ABSENT, NULL, prov("/bin/sh", 0));
}

/* "2.36" behind the words that glibc prints of itself; reads pieces that overlap by keep. */
static int scan_banner(struct cv_collect_ctx *c, struct cv_elf *e, uint64_t at, uint64_t size, const char **ret, uint64_t *ret_at)
{
	static const char words[] = "release version ";
	const size_t keep = 256;
	char *buf = cv_arena_alloc(c->scratch, SCAN_PIECE);
	uint64_t off = 0;

	if (!buf)
		return CV_ENOMEM;
	if (size > SCAN_MAX)
		size = SCAN_MAX;
	while (off < size) {
		size_t n = size - off < SCAN_PIECE ? (size_t)(size - off) : SCAN_PIECE;
		struct cv_str text = { buf, n }, version;
		ptrdiff_t found;
		int r = cv_elf_read(e, at + off, buf, n);

		if (r < 0)
			return r;
		found = cv_str_find(text, "GNU C Library ");
		if (found >= 0) {
			struct cv_str line = cv_str_sub(text, (size_t)found, keep);
			ptrdiff_t word = cv_str_find(line, words);

			version = cv_str_from(line, word < 0 ? line.n : (size_t)word + strlen(words));
			found = cv_str_find(version, ".\n");
			version = cv_str_sub(version, 0, found < 0 ? 0 : (size_t)found);
			*ret_at = at + off + (uint64_t)(line.p - buf);
			*ret = cv_str_dup(c->scratch, version);
			if (cv_ver_valid(CV_VER_DOTTED, *ret))
				return 0;
		}
		if (n < SCAN_PIECE)
			break;
		off += n - keep;
	}
	return CV_ENOENT;
}

static int banner_version(struct cv_collect_ctx *c, struct cv_elf *e, const char **ret, uint64_t *ret_at)
{
	const struct cv_elf_sec *sec;
	int r = cv_elf_section(e, ".rodata", &sec);

	if (r == 0 && sec->type != CV_SHT_NOBITS)
		return scan_banner(c, e, sec->offset, sec->size, ret, ret_at);
	return scan_banner(c, e, 0, e->src->size, ret, ret_at);
}

static int verdef_version(struct cv_elf *e, const char **ret)
{
	const struct cv_elf_verdef *v;
	const char *best = NULL;
	size_t n;
	int r = cv_elf_verdefs(e, &v, &n);

	for (size_t i = 0; r == 0 && i < n; i++) {
		const char *version = v[i].name + strlen("GLIBC_");

		if (cv_starts(v[i].name, "GLIBC_2.") && cv_ver_valid(CV_VER_DOTTED, version) &&
		    (!best || cv_ver_cmp(CV_VER_DOTTED, version, best) > 0))
			best = version;
	}
	if (r < 0 || !best)
		return r < 0 ? r : CV_EFORMAT;
	*ret = best;
	return 0;
}

static void read_glibc(struct cv_collect_ctx *c, struct cv_subject *s, const char *path)
{
	struct cv_prov p = prov(path, 0);
	const char *version;
	struct cv_src *src;
	struct cv_elf *e;
	uint64_t at;
	int r = open_elf(c, path, &src, &e);

	if (r < 0) {
		cv_see_fail(c, s, CV_F_machine_glibc, r, p);
		return;
	}
	r = banner_version(c, e, &version, &at);
	if (r == 0)
		p.offset = (int64_t)at;
	else
		r = verdef_version(e, &version);
	if (r == 0)
		cv_facts_str(c->facts, s, CV_F_machine_glibc, version, p);
	else
		cv_see_fail(c, s, CV_F_machine_glibc, r, p);
	cv_src_close(src);
}

/* Path of libc.so.6 after links, among the directories of the architecture; NULL if there is none. */
static const char *find_libc(struct cv_collect_ctx *c, const char *arch)
{
	static const struct {
		const char *arch, *path;
	} rows[] = {
		{ "x86_64", "/lib/x86_64-linux-gnu/libc.so.6" },
		{ "x86_64", "/lib64/libc.so.6" },
		{ "aarch64", "/lib/aarch64-linux-gnu/libc.so.6" },
		{ "aarch64", "/lib64/libc.so.6" },
		{ "ppc64le", "/lib/powerpc64le-linux-gnu/libc.so.6" },
		{ "", "/lib64/libc.so.6" },
		{ "", "/usr/lib/libc.so.6" },
	};
	const char *real;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((!rows[i].arch[0] || cv_streq(rows[i].arch, arch)) &&
		    cv_view_realpath(c->view, rows[i].path, c->scratch, &real) == 0)
			return real;
	return NULL;
}

static void see_glibc(struct cv_collect_ctx *c, struct cv_subject *s)
{
	const char *arch = cv_fact_str(s, CV_F_machine_arch), *libc = cv_fact_str(s, CV_F_machine_libc);
	const char *path, *name, *version;

	if (libc && cv_streq(libc, "musl")) {
		cv_facts_state(c->facts, s, CV_F_machine_glibc, CV_ABSENT, "the C library is musl", prov(NULL, 0));
		return;
	}
	path = find_libc(c, arch ? arch : "");
	if (!path) {
		cv_facts_state(c->facts, s, CV_F_machine_glibc, CV_ABSENT, NULL, prov("/lib64/libc.so.6", 0));
		return;
	}
	name = cv_basename(path);
	if (cv_starts(name, "libc-") && cv_ends(name, ".so")) {
		version = cv_arena_memdup(c->scratch, name + 5, strlen(name) - 8);
		if (cv_ver_valid(CV_VER_DOTTED, version)) {
			cv_facts_str(c->facts, s, CV_F_machine_glibc, version, prov(path, 0));
			return;
		}
	}
	read_glibc(c, s, path);
}

/* Flags that builds are made for, and the one that tells a virtual machine. */
static bool flag_counts(struct cv_str flag)
{
	static const char *const flags[] = {
		"sse4_1",   "sse4_2",	"ssse3",    "avx",	  "avx2",	 "f16c",	"fma",
		"bmi2",	    "avx512f",	"avx512bw", "avx512vl",	  "avx512_vnni", "avx512_bf16", "avx_vnni",
		"amx_tile", "amx_bf16", "amx_int8", "hypervisor", "asimd",	 "asimdhp",	"asimddp",
		"sve",	    "sve2",	"bf16",	    "i8mm",
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (cv_str_is(flag, flags[i]))
			return true;
	return false;
}

static void put_cpu_model(struct cv_collect_ctx *c, struct cv_subject *s, const struct cv_cpuinfo *cpu)
{
	const char *arm;

	if (cpu->model.n) {
		cv_facts_str(c->facts, s, CV_F_machine_cpu_model, cv_str_dup(c->scratch, cpu->model),
			     prov(CPUINFO, cpu->model_line));
	} else if (cpu->implementer.n && cpu->part.n) {
		arm = cv_arena_printf(c->scratch, "Arm implementer %.*s part %.*s", CV_STR_ARG(cpu->implementer),
				      CV_STR_ARG(cpu->part));
		cv_facts_str(c->facts, s, CV_F_machine_cpu_model, arm, prov(CPUINFO, cpu->model_line));
	} else {
		cv_facts_state(c->facts, s, CV_F_machine_cpu_model, CV_ABSENT, NULL, prov(CPUINFO, 0));
	}
}

static void see_cpu(struct cv_collect_ctx *c, struct cv_subject *s)
{
	struct cv_strv flags = { 0 };
	struct cv_cpuinfo cpu;
	struct cv_str text, flag;
	int r = cv_see_text(c, CPUINFO, &text);

	if (r == 0)
		r = cv_cpuinfo_parse(text, &cpu);
	if (r < 0) {
		cv_see_fail(c, s, CV_F_machine_cpu_model, r, prov(CPUINFO, 0));
		cv_see_fail(c, s, CV_F_machine_cpu_flags, r, prov(CPUINFO, 0));
		return;
	}
	put_cpu_model(c, s, &cpu);
	if (!cpu.flags_line) {
		cv_facts_state(c->facts, s, CV_F_machine_cpu_flags, CV_ABSENT, NULL, prov(CPUINFO, 0));
		return;
	}
	while (cv_str_word(&cpu.flags, &flag))
		if (flag_counts(flag))
			cv_strv_push(c->scratch, &flags, cv_str_dup(c->scratch, flag));
	cv_strv_sort(&flags);
	cv_facts_list(c->facts, s, CV_F_machine_cpu_flags, &flags, prov(CPUINFO, cpu.flags_line));
}

static void run(struct cv_collect_ctx *c)
{
	struct cv_subject *s = cv_see_only(c, CV_KIND_machine);
	struct cv_ids ids;
	int r = cv_view_ids(c->view, &ids);

	cv_facts_bool(c->facts, s, CV_F_machine_live, c->view->live, prov(NULL, 0));
	if (r == 0)
		cv_facts_int(c->facts, s, CV_F_machine_uid, ids.uid, prov(NULL, 0));
	else
		cv_facts_state(c->facts, s, CV_F_machine_uid, cv_state_of_err(r), NULL, prov(NULL, 0));
	see_osrelease(c, s);
	see_kernel(c, s);
	see_user_space(c, s);
	see_glibc(c, s);
	see_cpu(c, s);
}

const struct cv_collector cv_collector_os = {
	.name = "os",
	.doc = "distribution, kernel, architecture, C library, CPU",
	.run = run,
};
