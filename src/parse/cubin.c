/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/cubin.h"

#include "base/bytes.h"
#include "base/num.h"

bool cv_cubin_target(unsigned char os_abi, uint32_t e_flags, struct cv_cubin_target *ret)
{
	struct cv_cubin_target t = { 0 };

	if (os_abi == 0x33) {
		t.arch = e_flags & 0xff;
		t.suffix = e_flags & 0x800 ? 'a' : '\0';
	} else if (os_abi == 0x41) {
		t.arch = e_flags >> 8 & 0xffff;
		t.suffix = e_flags & 0x8 ? 'a' : '\0';
	} else {
		return false;
	}
	*ret = t;
	return true;
}

/* .nv.compat: attributes of u8 form, u8 number, u16 value; in form 4 the value is the size of what follows. */
#define COMPAT_SIZED 4
#define COMPAT_ARCH_SPECIFIC 9

static bool is_arch_specific(struct cv_str s)
{
	while (s.n >= 4) {
		const unsigned char *p = (const unsigned char *)s.p;
		unsigned value = cv_le16(p + 2);

		if (p[1] == COMPAT_ARCH_SPECIFIC && p[0] != COMPAT_SIZED)
			return value == 1;
		s = cv_str_from(s, 4);
		if (p[0] == COMPAT_SIZED)
			s = cv_str_from(s, value < s.n ? value : s.n);
	}
	return false;
}

/* The suffix of the first "-arch sm_N" (or "-arch=sm_N") with the right N; the note holds several texts, a NUL behind each. */
static char option_suffix(struct cv_str s, uint16_t arch)
{
	ptrdiff_t at;

	while ((at = cv_str_find(s, "-arch")) >= 0) {
		size_t digits = 0;
		struct cv_str word;
		uint64_t n;

		s = word = cv_str_from(s, (size_t)at + 5);
		if (!cv_str_eat(&word, " sm_") && !cv_str_eat(&word, "=sm_"))
			continue;
		while (digits < word.n && word.p[digits] >= '0' && word.p[digits] <= '9')
			digits++;
		if (!cv_str_u64(cv_str_sub(word, 0, digits), &n) || n != arch)
			continue;
		word = cv_str_from(word, digits);
		return word.n && (word.p[0] == 'a' || word.p[0] == 'f') ? word.p[0] : '\0';
	}
	return '\0';
}

char cv_cubin_suffix(struct cv_str compat, struct cv_str tkinfo, uint16_t arch)
{
	return is_arch_specific(compat) ? 'a' : option_suffix(tkinfo, arch);
}

#define EHDR_SIZE 64
#define SHDR_SIZE 64
#define SECTIONS_MAX 64
#define SHF_EXECINSTR 4

int cv_cubin_has_code(struct cv_src *src, uint64_t at, uint64_t size, bool *ret)
{
	unsigned char h[EHDR_SIZE], sec[SHDR_SIZE];
	uint64_t shoff;
	unsigned n;
	int r;

	*ret = true;
	if (size < EHDR_SIZE)
		return 0;
	r = cv_src_read(src, at, h, sizeof(h));
	if (r < 0)
		return r;
	shoff = cv_le64(h + 40);
	n = cv_le16(h + 60);
	if (memcmp(h, "\177ELF\2\1", 6) != 0 || cv_le16(h + 58) != SHDR_SIZE || n == 0 || n > SECTIONS_MAX ||
	    !cv_in_range(shoff, (uint64_t)n * SHDR_SIZE, size))
		return 0;
	for (unsigned i = 0; i < n; i++) {
		r = cv_src_read(src, at + shoff + i * SHDR_SIZE, sec, sizeof(sec));
		if (r < 0 || cv_le64(sec + 8) & SHF_EXECINSTR)
			return r;
	}
	*ret = false;
	return 0;
}

/* "sm_90a" or "sm_90, texmode_independent" */
static bool parse_target(struct cv_str s, struct cv_cubin_target *t)
{
	struct cv_str word;
	uint64_t n;

	if (!cv_str_split(&s, ',', &word))
		return false;
	word = cv_str_trim(word);
	if (!cv_str_eat(&word, "sm_"))
		return false;
	if (word.n && (word.p[word.n - 1] == 'a' || word.p[word.n - 1] == 'f')) {
		t->suffix = word.p[word.n - 1];
		word.n--;
	}
	if (word.n > 3 || !cv_str_u64(word, &n))
		return false;
	t->arch = (uint16_t)n;
	return true;
}

static bool parse_version(struct cv_str s, struct cv_cubin_target *t)
{
	struct cv_str major;
	uint64_t a, b;

	s = cv_str_trim(s);
	if (!cv_str_split(&s, '.', &major) || !cv_str_u64(major, &a) || !cv_str_u64(s, &b) || a > 99 || b > 9)
		return false;
	t->ptx_isa = (uint16_t)(a * 10 + b);
	return true;
}

bool cv_ptx_target(struct cv_str text, struct cv_cubin_target *ret)
{
	struct cv_cubin_target t = { 0 };
	struct cv_str line;

	while (cv_str_line(&text, &line, NULL)) {
		line = cv_str_trim(line);
		if (line.n == 0 || cv_str_starts(line, "//"))
			continue;
		if (cv_str_eat(&line, ".version")) {
			if (!parse_version(line, &t))
				return false;
		} else if (cv_str_eat(&line, ".target")) {
			if (!t.ptx_isa || !parse_target(line, &t))
				return false;
			*ret = t;
			return true;
		} else {
			return false;
		}
	}
	return false;
}
