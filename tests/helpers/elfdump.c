/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what the ELF parser says of each file, one fact a line, for tests/truth/elf.py. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parse/elf.h"

struct file {
	struct cv_src src;
	int fd;
	unsigned long reads, bytes;
};

static int read_at(struct cv_src *s, uint64_t off, void *buf, size_t len)
{
	struct file *f = (struct file *)s;

	f->reads++;
	f->bytes += len;
	return pread(f->fd, buf, len, (off_t)off) == (ssize_t)len ? 0 : CV_EIO;
}

static const struct cv_src_ops ops = { .read_at = read_at };

static void dump_versions(struct cv_elf *e)
{
	const struct cv_elf_verdef *defs;
	const struct cv_elf_verneed *needs;
	size_t n;

	if (cv_elf_verdefs(e, &defs, &n) == 0)
		for (size_t i = 0; i < n; i++)
			printf("verdef %u %s%s%s\n", defs[i].index, defs[i].name, defs[i].base ? " BASE" : "", defs[i].weak ? " WEAK" : "");
	if (cv_elf_verneeds(e, &needs, &n) == 0)
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < needs[i].n; k++)
				printf("verneed %s %u %s%s\n", needs[i].file, needs[i].v[k].index, needs[i].v[k].name,
				       needs[i].v[k].weak ? " WEAK" : "");
}

static void dump_sections(struct cv_elf *e)
{
	const struct cv_elf_sec *v;
	size_t n;

	if (cv_elf_sections(e, &v, &n) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		const char *name = "?";
		const struct cv_elf_sec *again;

		cv_elf_sec_name(e, &v[i], &name);
		printf("section %zu %s %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", i, name, v[i].addr, v[i].offset, v[i].size);
		if (name[0] && (cv_elf_section(e, name, &again) != 0 || again > &v[i]))
			printf("section-lost %s\n", name);
	}
}

/* As readelf has it: the default version that the file itself defines. */
static bool is_default(struct cv_elf *e, const struct cv_elf_sym *s)
{
	const struct cv_elf_verdef *defs;
	size_t n;

	if (s->hidden || s->section == CV_ELF_UNDEF || cv_elf_verdefs(e, &defs, &n) < 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (defs[i].index == s->version_index)
			return true;
	return false;
}

static void dump_symbols(struct cv_elf *e)
{
	char name[CV_ELF_STR_MAX];
	uint32_t n;

	if (cv_elf_sym_count(e, &n) < 0)
		return;
	for (uint32_t i = 0; i < n; i++) {
		struct cv_elf_sym s, found;
		const char *version = NULL;

		if (cv_elf_sym_at(e, i, &s) < 0 || cv_elf_dynstr_to(e, s.name_at, name, sizeof(name)) < 0 || cv_elf_sym_version(e, &s, &version) < 0) {
			printf("symbol-lost %u\n", i);
			continue;
		}
		printf("symbol %u %" PRIx64 " %" PRIu64 " %u %u %u %s%s%s\n", i, s.value, s.size, s.type, s.bind, s.section, name,
		       !version ? "" : is_default(e, &s) ? "@@" : "@", version ? version : "");
		if (s.section && s.bind != CV_STB_LOCAL && name[0] &&
		    (cv_elf_symbol(e, name, version, &found) != 0 || found.name_at != s.name_at))
			printf("symbol-not-found %s %s\n", name, version ? version : "-");
	}
}

static int print_note(void *cookie, const struct cv_elf_note *note)
{
	(void)cookie;
	printf("note %.*s %" PRIx32 " %" PRIu64 "\n", (int)note->name.n, note->name.p, note->type, note->desc_size);
	return 0;
}

static void dump(struct cv_elf *e, bool all)
{
	const char *id;

	printf("class %d big %d machine %u %s type %u flags %" PRIx32 "\n", e->is64 ? 64 : 32, e->big_endian, e->machine,
	       cv_elf_machine_name(e) ? cv_elf_machine_name(e) : "-", e->type, e->flags);
	for (size_t i = 0; i < e->seg_n; i++)
		printf("segment %" PRIx32 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIu32 "\n", e->segs[i].type,
		       e->segs[i].offset, e->segs[i].addr, e->segs[i].file_size, e->segs[i].mem_size, e->segs[i].flags);
	if (e->interp)
		printf("interp %s\n", e->interp);
	if (e->soname)
		printf("soname %s\n", e->soname);
	if (e->rpath)
		printf("rpath %s\n", e->rpath);
	if (e->runpath)
		printf("runpath %s\n", e->runpath);
	for (size_t i = 0; i < e->needed.n; i++)
		printf("needed %s\n", e->needed.v[i]);
	printf("now %d textrel %d symbolic %d df1 %" PRIx64 "\n", e->bind_now, e->textrel, e->symbolic, e->df1);
	if (cv_elf_build_id(e, &id) == 0)
		printf("build-id %s\n", id);
	dump_versions(e);
	if (all) {
		cv_elf_notes(e, print_note, NULL);
		dump_sections(e);
		dump_symbols(e);
	}
	printf("damaged %u\n", e->damaged);
}

int main(int argc, char **argv)
{
	bool all = argc > 1 && strcmp(argv[1], "-s") != 0;

	for (int i = all ? 1 : 2; i < argc; i++) {
		struct file f = { .src = { .ops = &ops, .name = argv[i] }, .fd = open(argv[i], O_RDONLY | O_CLOEXEC) };
		struct cv_arena *a = cv_arena_new((size_t)256 << 20);
		struct cv_diag d;
		struct cv_elf *e;
		struct stat st;

		printf("file %s\n", argv[i]);
		cv_diag_init(&d, a);
		if (f.fd >= 0 && fstat(f.fd, &st) == 0) {
			f.src.size = (uint64_t)st.st_size;
			if (cv_elf_open(&f.src, a, &d, &e) == 0)
				dump(e, all);
			printf("reads %lu bytes %lu memory %zu\n", f.reads, f.bytes, cv_arena_used(a));
		}
		for (size_t k = 0; k < d.n; k++)
			printf("diag %s\n", d.v[k]);
		if (f.fd >= 0)
			close(f.fd);
		cv_arena_free(a);
	}
	return 0;
}
