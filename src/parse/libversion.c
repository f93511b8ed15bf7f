/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seen in files of CUDA 11.8 to 13.1. Version functions come in three shapes:
 *
 *	small ones store a constant through their argument and return (cuRAND, cuFFT, cuSOLVER, NCCL; NVRTC and nvJitLink
 *	store two); some log first and then load or store the constant (cuBLASLt, cuSPARSE); cudart's calls a small one
 */
#include "parse/libversion.h"

#include "base/version.h"

#define CODE_MAX 1024

enum scheme {
	MAJOR_1000,  /* major * 1000 + minor * 100 + patch */
	MAJOR_10000, /* major * 10000 + minor * 100 + patch */
	CUDA_1000,   /* major * 1000 + minor * 10, no patch */
	TWO_NUMBERS, /* major and minor, apart */
};

static const struct getter {
	const char *symbol;
	enum scheme scheme;
	bool follow_calls;
} getters[] = {
	{ "cublasLtGetVersion", MAJOR_10000, false }, { "cufftGetVersion", MAJOR_1000, false },
	{ "curandGetVersion", MAJOR_1000, false },    { "cusolverGetVersion", MAJOR_1000, false },
	{ "cusparseGetVersion", MAJOR_1000, false },  { "ncclGetVersion", MAJOR_10000, false },
	{ "cudaRuntimeGetVersion", CUDA_1000, true }, { "nvrtcVersion", TWO_NUMBERS, false },
	{ "nvJitLinkVersion", TWO_NUMBERS, false },
};

/* The body of a function, and what is looked for in it. */
struct code {
	struct cv_elf *e;
	uint64_t addr;
	unsigned char p[CODE_MAX];
	size_t n;
	uint32_t low, high; /* a constant counts only in [low, high] */
	uint32_t found;     /* 0: none */
	bool unsure;        /* two constants that differ */
};

static uint32_t le32(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void take(struct code *c, uint32_t v)
{
	if (v < c->low || v > c->high)
		return;
	if (c->found && c->found != v)
		c->unsure = true;
	c->found = v;
}

/* x86_64: mov imm32 into a register; mov imm32 into memory at a register, with or without an 8-bit displacement. */
static void scan_x86(struct code *c)
{
	for (size_t i = 0; i + 5 <= c->n; i++) {
		const unsigned char *p = c->p + i;
		size_t room = c->n - i;

		if ((p[0] & 0xf8) == 0xb8)
			take(c, le32(p + 1));
		else if (p[0] == 0xc7 && p[1] <= 7 && p[1] != 4 && p[1] != 5 && room >= 6)
			take(c, le32(p + 2));
		else if (p[0] == 0xc7 && (p[1] & 0xf8) == 0x40 && p[1] != 0x44 && room >= 7)
			take(c, le32(p + 3));
		else if (p[0] == 0xc7 && p[1] == 0x44 && room >= 8)
			take(c, le32(p + 4));
	}
}

/* aarch64: movz into a 32-bit register, with the movk of its upper half if that follows. */
static void scan_arm(struct code *c)
{
	for (size_t i = 0; i + 4 <= c->n; i += 4) {
		uint32_t insn = le32(c->p + i);
		uint32_t v = insn >> 5 & 0xffff;

		if ((insn & 0xffe00000) != 0x52800000)
			continue;
		for (size_t k = i + 4; k + 4 <= c->n && k <= i + 16; k += 4) {
			uint32_t next = le32(c->p + k);

			if ((next & 0xffe0001f) == (0x72a00000 | (insn & 31)))
				v |= (next >> 5 & 0xffff) << 16;
		}
		take(c, v);
	}
}

/* Up to CODE_MAX bytes at addr, less where the segment ends. */
static int load(struct code *c, uint64_t addr, uint64_t size)
{
	uint64_t off, room;
	int r;

	c->addr = addr;
	c->n = size && size < CODE_MAX ? (size_t)size : CODE_MAX;
	if (!cv_elf_offset_of(c->e, addr, &off, &room))
		return CV_ENOENT;
	if (room < c->n)
		c->n = (size_t)room;
	r = cv_elf_read(c->e, off, c->p, c->n);
	return r == CV_EFORMAT ? CV_ENOENT : r;
}

/* x86_64: test rdi,rdi; je; mov dword [rdi],imm32; xor eax,eax; ret */
static bool is_small_x86(const unsigned char *p)
{
	return memcmp(p, "\x48\x85\xff\x74", 4) == 0 && p[5] == 0xc7 && p[6] == 0x07 && memcmp(p + 11, "\x31\xc0\xc3", 3) == 0;
}

/* aarch64: cbz x0; mov x1,x0; movz w2,#imm; movz w0,#0; str w2,[x1]; ret */
static bool is_small_arm(const unsigned char *p)
{
	uint32_t mov = le32(p + 8);

	return (le32(p) & 0xff00001f) == 0xb4000000 && le32(p + 4) == 0xaa0003e1 && (mov & 0xffe0001f) == 0x52800002 &&
	       le32(p + 12) == 0x52800000 && le32(p + 16) == 0xb9000022 && le32(p + 20) == 0xd65f03c0;
}

/* Reads what the function called at place i of c would store. */
static int follow(struct code *c, uint64_t target)
{
	bool arm = c->e->machine == CV_EM_AARCH64;
	unsigned char p[24];
	uint64_t off, room;
	int r;

	if (!cv_elf_offset_of(c->e, target, &off, &room) || room < sizeof(p))
		return 0;
	r = cv_elf_read(c->e, off, p, sizeof(p));
	if (r < 0)
		return r;
	if (!arm && is_small_x86(p))
		take(c, le32(p + 7));
	else if (arm && is_small_arm(p))
		take(c, le32(p + 8) >> 5 & 0xffff);
	return 0;
}

static int follow_calls(struct code *c)
{
	bool arm = c->e->machine == CV_EM_AARCH64;
	int r = 0;

	for (size_t i = 0; r == 0 && i + 5 <= c->n; i += arm ? 4 : 1) {
		uint32_t insn = le32(c->p + i);

		if (arm && (insn & 0xfc000000) == 0x94000000) {
			uint64_t words = (insn & 0x3ffffff) | (insn & 0x2000000 ? UINT64_MAX << 26 : 0);

			r = follow(c, c->addr + i + words * 4);
		} else if (!arm && c->p[i] == 0xe8) {
			uint32_t rel = le32(c->p + i + 1);

			r = follow(c, c->addr + i + 5 + (rel | (rel & 0x80000000 ? UINT64_MAX << 32 : 0)));
		}
	}
	return r;
}

/* test rdi,rdi and rsi,rsi in any order with others; mov dword [rdi],major; xor eax,eax; mov dword [rsi],minor; ret */
static bool two_numbers(const struct code *c, uint32_t *ret_major, uint32_t *ret_minor)
{
	unsigned majors = 0, minors = 0;

	if (c->e->machine != CV_EM_X86_64 || c->n > 64)
		return false;
	for (size_t i = 0; i + 6 <= c->n; i++) {
		if (c->p[i] != 0xc7)
			continue;
		if (c->p[i + 1] == 0x07) {
			majors++;
			*ret_major = le32(c->p + i + 2);
		} else if (c->p[i + 1] == 0x06) {
			minors++;
			*ret_minor = le32(c->p + i + 2);
		}
	}
	return majors == 1 && minors == 1 && *ret_minor < 100;
}

static int scan(struct code *c, const struct getter *g)
{
	if (g->follow_calls)
		return follow_calls(c);
	if (c->e->machine == CV_EM_AARCH64)
		scan_arm(c);
	else
		scan_x86(c);
	return 0;
}

/* The version that a getter hands out, in *ret. CV_ENOENT where it cannot be told. */
static int run_getter(struct cv_elf *e, const struct getter *g, uint32_t major, struct cv_arena *a, const char **ret)
{
	uint32_t unit = g->scheme == MAJOR_10000 ? 10000 : 1000;
	struct code c = { .e = e, .low = major * unit, .high = major * unit + unit - 1 };
	struct cv_elf_sym sym;
	uint32_t x = 0, y = 0, rest;
	int r = cv_elf_symbol(e, g->symbol, NULL, &sym);

	if (r == 0)
		r = load(&c, sym.value, sym.size);
	if (r < 0)
		return r;
	if (g->scheme == TWO_NUMBERS) {
		if (!two_numbers(&c, &x, &y) || x != major)
			return CV_ENOENT;
		*ret = cv_arena_printf(a, "%u.%u", x, y);
		return 0;
	}
	r = scan(&c, g);
	if (r < 0)
		return r;
	rest = c.found % unit;
	if (!c.found || c.unsure || (g->scheme == CUDA_1000 && rest % 10))
		return CV_ENOENT;
	if (g->scheme == CUDA_1000)
		*ret = cv_arena_printf(a, "%u.%u", major, rest / 10);
	else
		*ret = cv_arena_printf(a, "%u.%u.%u", major, rest / 100, rest % 100);
	return 0;
}

/* "13" of libcublasLt.so.13, "11.0" of libcudart.so.11.0; NULL if there is none. */
static const char *suffix(const char *name)
{
	const char *so = strstr(name, ".so.");

	return so && cv_ver_valid(CV_VER_DOTTED, so + 4) ? so + 4 : NULL;
}

static int by_getter(struct cv_elf *e, struct cv_arena *a, struct cv_libversion *ret)
{
	const char *so = e->soname ? suffix(e->soname) : NULL;
	int64_t major = so ? cv_ver_part(so, 0) : -1;

	if (major < 1 || major > 1000 || !e->is64 || (e->machine != CV_EM_X86_64 && e->machine != CV_EM_AARCH64))
		return CV_ENOENT;
	for (size_t i = 0; i < sizeof(getters) / sizeof(getters[0]); i++) {
		const struct getter *g = &getters[i];
		int r = run_getter(e, g, (uint32_t)major, a, &ret->version);

		if (r == CV_ENOENT)
			continue;
		ret->how = "symbol";
		ret->where = g->symbol;
		ret->partial = g->scheme == CUDA_1000 || g->scheme == TWO_NUMBERS;
		return r;
	}
	return CV_ENOENT;
}

static int by_cudnn_symbol(struct cv_elf *e, struct cv_arena *a, struct cv_libversion *ret)
{
	static const char *const names[] = { "cudnn_graph_version", "cudnn_ops_infer_version", "cudnn_adv_infer_version",
					     "cudnn_cnn_infer_version" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct cv_elf_sym sym;
		unsigned char b[4];
		int r = cv_elf_symbol(e, names[i], NULL, &sym);

		if (r == CV_ENOENT || (r == 0 && sym.size != 4))
			continue;
		if (r == 0)
			r = cv_elf_read_addr(e, sym.value, b, sizeof(b));
		if (r == CV_ENOENT || r == CV_EFORMAT || (r == 0 && (b[3] != 0 || b[2] == 0)))
			continue;
		if (r < 0)
			return r;
		ret->version = cv_arena_printf(a, "%u.%u.%u", b[2], b[1], b[0]);
		ret->how = "symbol";
		ret->where = names[i];
		return 0;
	}
	return CV_ENOENT;
}

static unsigned parts(const char *dotted)
{
	unsigned n = 0;

	while (cv_ver_part(dotted, n) >= 0)
		n++;
	return n;
}

/*
 * libX.so.A.B.C with the SONAME libX.so.A or libX.so.A.B. Driver libraries have the driver's version (at least 100) behind a
 * SONAME of 1 or of that version; libcuda.so.1.1 of WSL and Jetson is no version.
 */
static int by_name(const struct cv_elf *e, const char *name, struct cv_arena *a, struct cv_libversion *ret)
{
	const char *v = suffix(name);
	const char *so = e->soname ? suffix(e->soname) : NULL;
	bool driver = v && cv_ver_part(v, 0) >= 100 && parts(v) >= 2;
	size_t digits;

	if (!v)
		return CV_ENOENT;
	if (!driver) {
		if (!so || cv_ver_part(v, 0) != cv_ver_part(so, 0) || parts(v) <= parts(so))
			return CV_ENOENT;
		if (cv_starts(name, "libcuda.so.") || cv_starts(name, "libnvidia-"))
			return CV_ENOENT;
	}
	digits = strspn(v, "0123456789.");
	if (v[digits] != '\0' || v[digits - 1] == '.')
		return CV_ENOENT; /* a copy with a further ending is somebody's own */
	ret->version = cv_arena_strdup(a, v);
	ret->how = "file name";
	return 0;
}

int cv_libversion(struct cv_elf *e, const char *name, struct cv_arena *a, struct cv_libversion *ret)
{
	struct cv_libversion v = { 0 };
	int r = CV_ENOENT;

	if (cv_starts(name, "libcudnn") || (e->soname && cv_starts(e->soname, "libcudnn")))
		r = by_cudnn_symbol(e, a, &v);
	if (r == CV_ENOENT)
		r = by_name(e, name, a, &v);
	if (r == CV_ENOENT)
		r = by_getter(e, a, &v);
	if (r == 0)
		*ret = v;
	return r;
}

const char *cv_libversion_neighbour(struct cv_arena *a, const char *name)
{
	const char *v = suffix(name);
	int64_t major = v ? cv_ver_part(v, 0) : -1;

	if (cv_starts(name, "libcudnn.so."))
		return major == 8   ? "libcudnn_ops_infer.so.8"
		       : major >= 9 ? (const char *)cv_arena_printf(a, "libcudnn_graph.so.%d", (int)major)
				    : NULL;
	if (cv_starts(name, "libcublas.so.") && major > 0)
		return cv_arena_printf(a, "libcublasLt.so.%d", (int)major);
	return NULL;
}
