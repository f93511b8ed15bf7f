/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hardware capabilities: the subdirectories that the loader tries in each directory of a search.
 *
 * From 2.33 "glibc-hwcaps/x86-64-v4/", -v3, -v2 (as the CPU can), best first. Until 2.36 the legacy ones too: every combination
 * of "tls", the platform and the capabilities, in the order of binary numbers from all to none, doubled names included:
 * "tls/haswell/avx512_1/x86_64/" ... "x86_64/", "". The platform is the kernel's AT_PLATFORM ("x86_64", also where the
 * capability of that name is there), on CPUs of Intel from 2.26 on "haswell" or "xeon_phi"; $PLATFORM is that still.
 */
#include "loadmap/lm.h"

#define CPUINFO_MAX ((size_t)16 << 20)
#define LEGACY_MAX 4 /* capabilities, platform and tls at most */

enum {
	BIT_SSE2 = 0,
	BIT_X86_64 = 1,
	BIT_AVX512_1 = 2,
	BIT_ATOMICS = 8,
	BIT_I686 = 49,
	BIT_HASWELL = 50,
	BIT_XEON_PHI = 51,
	BIT_TLS = 63
};

static bool has_all(struct cv_str flags, const char *words)
{
	struct cv_str want = cv_str_of(words), word;

	while (cv_str_word(&want, &word)) {
		struct cv_str rest = flags, f;
		bool found = false;

		while (!found && cv_str_word(&rest, &f))
			found = cv_str_eq(f, word);
		if (!found)
			return false;
	}
	return true;
}

static void judge_x86(struct lm_cpu *cpu, struct cv_str flags)
{
	cpu->level = 1;
	if (has_all(flags, "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3")) {
		cpu->level = 2;
		if (has_all(flags, "avx avx2 bmi1 bmi2 f16c fma abm movbe")) {
			cpu->level = 3;
			if (has_all(flags, "avx512f avx512bw avx512cd avx512dq avx512vl"))
				cpu->level = 4;
		}
	}
	if (!cpu->intel)
		return;
	if (has_all(flags, "avx512cd")) {
		if (has_all(flags, "avx512er avx512pf"))
			cpu->platform = "xeon_phi";
		else if (!has_all(flags, "avx512er"))
			cpu->avx512_1 = has_all(flags, "avx512bw avx512dq avx512vl");
	}
	if (!cpu->platform && has_all(flags, "avx2 bmi1 bmi2 fma abm movbe popcnt"))
		cpu->platform = "haswell";
}

/* "key : value" */
static bool is_line(struct cv_str line, const char *key, struct cv_str *ret_value)
{
	ptrdiff_t colon = cv_str_chr(line, ':');

	if (colon < 0 || !cv_str_is(cv_str_trim(cv_str_sub(line, 0, (size_t)colon)), key))
		return false;
	*ret_value = cv_str_trim(cv_str_from(line, (size_t)colon + 1));
	return true;
}

int cv_lm_cpu(struct cv_lm_system *sys, const struct lm_cpu **ret)
{
	struct lm_cpu *cpu = &sys->cpu;
	struct cv_str text, line, value;
	int r;

	*ret = cpu;
	if (sys->have_cpu)
		return 0;
	sys->have_cpu = true;
	r = cv_view_read(sys->view, "/proc/cpuinfo", CPUINFO_MAX, sys->arena, &text);
	if (r == CV_ENOMEM)
		return r;
	if (r < 0) {
		cv_diag_fail(sys->diag, r, "/proc/cpuinfo: %s: no copies for special CPUs are looked for", cv_strerror(r));
		return 0;
	}
	/* The first processor speaks for all. */
	while (!cpu->known && cv_str_line(&text, &line, NULL)) {
		if (is_line(line, "vendor_id", &value)) {
			cpu->intel = cv_str_is(value, "GenuineIntel");
		} else if (is_line(line, "flags", &value)) {
			cpu->known = true;
			judge_x86(cpu, value);
		} else if (is_line(line, "Features", &value)) {
			cpu->known = true;
			cpu->atomics = has_all(value, "atomics");
		}
	}
	return 0;
}

static bool push(struct cv_lm_system *sys, struct lm_loader *ld, const char *s)
{
	return cv_strv_push(sys->arena, &ld->subdirs, s);
}

static int add_named(struct cv_lm_system *sys, struct lm_loader *ld, const struct lm_cpu *cpu)
{
	struct cv_str rest, part;

	if (sys->opts.hwcaps_mask) {
		rest = cv_str_of(sys->opts.hwcaps_mask);
		while (cv_str_split(&rest, ':', &part))
			if (part.n && !push(sys, ld, cv_arena_printf(sys->arena, "glibc-hwcaps/%.*s/", CV_STR_ARG(part))))
				return CV_ENOMEM;
	} else if (ld->machine == CV_EM_X86_64 && ld->is64) {
		for (unsigned level = cpu->level; level >= 2; level--)
			if (!push(sys, ld, cv_arena_printf(sys->arena, "glibc-hwcaps/x86-64-v%u/", level)))
				return CV_ENOMEM;
	}
	ld->named = ld->subdirs.n;
	return 0;
}

/* All combinations of words, the last word first in each. */
static int add_combinations(struct cv_lm_system *sys, struct lm_loader *ld, const char *const *words, unsigned n)
{
	for (unsigned mask = (1u << n) - 1; mask; mask--) {
		const char *s = "";

		for (unsigned i = n; i-- > 0;)
			if (mask & 1u << i)
				s = cv_arena_printf(sys->arena, "%s%s/", s, words[i]);
		if (!push(sys, ld, s))
			return CV_ENOMEM;
	}
	return 0;
}

static int add_legacy(struct cv_lm_system *sys, struct lm_loader *ld)
{
	const char *words[LEGACY_MAX];
	unsigned n = 0;

	if (ld->machine == CV_EM_386 && ld->hwcap & 1u << BIT_SSE2)
		words[n++] = "sse2";
	if (ld->hwcap & 1u << BIT_X86_64)
		words[n++] = "x86_64";
	if (ld->hwcap & 1u << BIT_AVX512_1)
		words[n++] = "avx512_1";
	if (ld->hwcap & 1u << BIT_ATOMICS)
		words[n++] = "atomics";
	if (ld->platform && n < LEGACY_MAX - 1)
		words[n++] = ld->platform;
	words[n++] = "tls";
	return add_combinations(sys, ld, words, n);
}

static void judge_loader(struct lm_loader *ld, const struct lm_cpu *cpu)
{
	if (ld->machine == CV_EM_X86_64) {
		ld->platform = "x86_64";
		if (ld->minor >= 26) {
			ld->hwcap |= 1u << BIT_X86_64;
			ld->hwcap |= cpu->avx512_1 ? 1u << BIT_AVX512_1 : 0;
			if (cpu->platform) {
				ld->platform = cpu->platform;
				ld->platform_bit = (uint64_t)1
						   << (cv_streq(cpu->platform, "haswell") ? BIT_HASWELL : BIT_XEON_PHI);
			}
		}
	} else if (ld->machine == CV_EM_386) {
		ld->platform = "i686";
		ld->platform_bit = (uint64_t)1 << BIT_I686;
		ld->hwcap |= 1u << BIT_SSE2;
	} else if (ld->machine == CV_EM_AARCH64) {
		ld->platform = "aarch64";
		ld->hwcap |= cpu->atomics ? 1u << BIT_ATOMICS : 0;
	}
	ld->hwcap |= (uint64_t)1 << BIT_TLS;
	ld->isa = cpu->level ? (1u << cpu->level) - 1 : ~0u;
}

int cv_lm_hwcaps(struct cv_lm_system *sys, struct lm_loader *ld)
{
	const struct lm_cpu *cpu;
	int r = cv_lm_cpu(sys, &cpu);

	if (r < 0)
		return r;
	judge_loader(ld, cpu);
	if (ld->minor >= 33)
		r = add_named(sys, ld, cpu);
	if (r == 0 && ld->minor < 37)
		r = add_legacy(sys, ld);
	if (r == 0 && !push(sys, ld, ""))
		r = CV_ENOMEM;
	return r < 0 ? r : cv_arena_failed(sys->arena) ? CV_ENOMEM : 0;
}
