/* SPDX-License-Identifier: Apache-2.0 */
/* Asks an ELF file for everything that the parser can tell. */
#include "fuzz.h"

#include "parse/elf.h"

static int touch_note(void *cookie, const struct cv_elf_note *note)
{
	size_t *sum = cookie;

	*sum += note->name.n + note->type + note->desc_at + note->desc_size;
	return 0;
}

static void touch_symbols(struct cv_elf *e)
{
	static const char *const names[] = { "api", "cudnn_graph_version", "dep_old", "" };
	struct cv_elf_sym s;
	const char *version;
	char name[64];
	uint32_t n;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		cv_elf_symbol(e, names[i], "API_1", &s);
		if (cv_elf_symbol(e, names[i], NULL, &s) == 0)
			cv_elf_read_addr(e, s.value, name, 4);
	}
	if (cv_elf_sym_count(e, &n) < 0)
		return;
	for (uint32_t i = 0; i < n && i < 64; i++)
		if (cv_elf_sym_at(e, i, &s) == 0 && cv_elf_sym_version(e, &s, &version) == 0)
			cv_elf_dynstr_to(e, s.name_at, name, sizeof(name));
}

static void touch_all(struct cv_elf *e)
{
	const struct cv_elf_verdef *defs;
	const struct cv_elf_verneed *needs;
	const struct cv_elf_sec *secs;
	const char *text;
	size_t n, sum = 0;

	cv_elf_machine_name(e);
	cv_elf_verdefs(e, &defs, &n);
	cv_elf_verneeds(e, &needs, &n);
	if (cv_elf_sections(e, &secs, &n) == 0)
		for (size_t i = 0; i < n && i < 64; i++)
			cv_elf_sec_name(e, &secs[i], &text);
	cv_elf_section(e, ".nv_fatbin", &secs);
	cv_elf_notes(e, touch_note, &sum);
	cv_elf_build_id(e, &text);
	touch_symbols(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *a = cv_arena_new((size_t)64 << 20);
	struct cv_src_mem mem;
	struct cv_diag d;
	struct cv_elf *e;

	if (!a)
		return 0;
	cv_diag_init(&d, a);
	if (cv_elf_open(cv_src_mem_init(&mem, data, size, "fuzz"), a, &d, &e) == 0)
		touch_all(e);
	cv_arena_free(a);
	return 0;
}
