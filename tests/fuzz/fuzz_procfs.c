/* SPDX-License-Identifier: Apache-2.0 */
/* The first byte picks the format; the rest is the file. */
#include "fuzz.h"

#include <stdlib.h>

#include "parse/cudaver.h"
#include "parse/libname.h"
#include "parse/modscan.h"
#include "parse/modulesdep.h"
#include "parse/nvproc.h"
#include "parse/osrelease.h"
#include "parse/procfs.h"

static void fuzz_mounts(struct cv_str text, struct cv_arena *a)
{
	struct cv_mount m;
	unsigned line = 0;
	uint64_t bytes;

	while (cv_mountinfo_next(&text, &line, a, &m))
		cv_mount_size(m.options, &bytes);
}

static void fuzz_modules(struct cv_str text)
{
	struct cv_str rest = text;
	struct cv_procmodule m;
	struct cv_str path;
	enum cv_kmod_packing packing;
	unsigned line = 0;

	while (cv_procmodules_next(&rest, &line, &m))
		if (m.name.n == 0 || m.line == 0)
			abort();
	while (cv_modulesdep_next(&text, &path))
		cv_kmod_is_nvidia(path, &packing);
}

static void fuzz_kernel(struct cv_str text)
{
	struct cv_cpuinfo cpu;
	struct cv_str item;
	uint64_t bytes;
	unsigned line;

	cv_cpuinfo_parse(text, &cpu);
	cv_meminfo_bytes(text, "MemTotal", &bytes);
	cv_cgroup_container(text, &line);
	cv_version_is_gvisor(text);
	cv_osrelease_wsl(text);
	cv_uevent_get(text, "DRIVER", &item);
	cv_devtree_tegra(text, &item);
	cv_efivar_byte(text, &line);
	while (cv_nul_next(&text, &item))
		;
}

static void fuzz_nvidia(struct cv_str text, struct cv_arena *a)
{
	struct cv_nvrm v;
	struct cv_nvgpu g;
	const char *s;

	cv_nvrm_parse(text, a, &v);
	cv_nvgpu_parse(text, a, &g);
	cv_tegra_release_parse(text, a, &s);
	s = cv_pci_address(a, text);
	/* what it gives is an address itself */
	if (s && !cv_pci_address(a, cv_str_of(s)))
		abort();
}

static void fuzz_cudaver(struct cv_str text, struct cv_arena *a)
{
	const char *s;
	unsigned line;

	cv_cudaver_json(text, a, &s, &line);
	cv_cudaver_txt(text, a, &s);
	cv_cudaver_header(text, a, &s, &line);
	cv_cudaver_name(cv_str_dup(a, text), "cuda-", a, &s);
}

/* A stream tells the same however it is cut; the first byte says how. */
static void fuzz_stream(struct cv_str text)
{
	struct cv_modscan whole = { 0 }, cut = { 0 };
	size_t step = text.n ? (unsigned char)text.p[0] + 1u : 1;

	cv_modscan_feed(&whole, text.p, text.n);
	for (size_t at = 0; at < text.n; at += step)
		cv_modscan_feed(&cut, text.p + at, text.n - at < step ? text.n - at : step);
	if (strcmp(whole.version, cut.version) != 0 || strcmp(whole.license, cut.license) != 0 ||
	    whole.is_signed != cut.is_signed)
		abort();
}

static void fuzz_libname(struct cv_str name)
{
	struct cv_str family;

	if (cv_libname_family(name, &family) && (family.n == 0 || family.n + 6 > name.n))
		abort();
	cv_libname_version(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_arena *a = cv_arena_new((size_t)16 << 20);
	struct cv_osrelease os;
	struct cv_str text;

	if (!a)
		return 0;
	text = (struct cv_str){ size ? (const char *)data + 1 : "", size ? size - 1 : 0 };
	switch (size ? data[0] : 0) {
	case 'm':
		fuzz_mounts(text, a);
		break;
	case 'k':
		fuzz_modules(text);
		break;
	case 'n':
		fuzz_nvidia(text, a);
		break;
	case 'o':
		cv_osrelease_parse(text, a, &os);
		break;
	case 'l':
		fuzz_libname(text);
		break;
	case 's':
		fuzz_stream(text);
		break;
	case 'v':
		fuzz_cudaver(text, a);
		break;
	default:
		fuzz_kernel(text);
		break;
	}
	cv_arena_free(a);
	return 0;
}
