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
