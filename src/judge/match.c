/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binary compatibility by the CUDA programming guide ("binary compatibility", "PTX compatibility", "family-specific features")
 * and the PTX manual (targets with suffix a and f). The guide grants binary compatibility to the desktop only: "not supported
 * for Tegra", and not between the two. Thor counts as desktop: from CUDA 13 one Arm toolkit (SBSA) serves it.
 */
#include "judge/match.h"

#include "base/version.h"

bool cv_cc_parse(const char *s, struct cv_cc *ret)
{
	struct cv_str rest = cv_str_of(s), major, minor;
	uint64_t a, b;

	if (!cv_str_split(&rest, '.', &major) || !cv_str_split(&rest, '.', &minor) || rest.n)
		return false;
	if (!cv_str_u64(major, &a) || !cv_str_u64(minor, &b) || a > 1000 || b > 9)
		return false;
	ret->major = (unsigned)a;
	ret->minor = (unsigned)b;
	return true;
}

int cv_cc_cmp(struct cv_cc a, struct cv_cc b)
{
	if (a.major != b.major)
		return a.major < b.major ? -1 : 1;
	return a.minor == b.minor ? 0 : a.minor < b.minor ? -1 : 1;
}

bool cv_target_parse(struct cv_str word, struct cv_target *ret)
{
	struct cv_target t = { 0 };
	uint64_t n;

	if (cv_str_eat(&word, "compute_"))
		t.ptx = true;
	else if (!cv_str_eat(&word, "sm_"))
		return false;
	if (word.n && (word.p[word.n - 1] == 'a' || word.p[word.n - 1] == 'f'))
		t.suffix = word.p[--word.n];
	if (!cv_str_u64(word, &n) || n < 10 || n > 9999)
		return false;
	t.cc.major = (unsigned)(n / 10);
	t.cc.minor = (unsigned)(n % 10);
	*ret = t;
	return true;
}

/* Tegra chips before Thor, and 8.8, of which nothing is documented but the number. */
static bool cc_is_tegra(struct cv_cc cc)
{
	static const struct cv_cc tegra[] = { { 3, 2 }, { 5, 3 }, { 6, 2 }, { 7, 2 }, { 8, 7 }, { 8, 8 } };

	for (size_t i = 0; i < sizeof(tegra) / sizeof(tegra[0]); i++)
		if (cv_cc_cmp(tegra[i], cc) == 0)
			return true;
	return false;
}

/* The families of the PTX manual; a GPU of the same major that it does not list is left open. */
static enum cv_tri family_runs(struct cv_cc target, struct cv_cc gpu)
{
	static const struct {
		struct cv_cc target, gpu;
	} members[] = {
		{ { 10, 0 }, { 10, 3 } },
		{ { 12, 0 }, { 12, 1 } },
	};
	static const struct cv_cc known[] = { { 10, 0 }, { 10, 1 }, { 10, 3 }, { 11, 0 }, { 12, 0 }, { 12, 1 } };

	if (cv_cc_cmp(target, gpu) == 0)
		return CV_TRI_OK;
	if (target.major != gpu.major || gpu.minor < target.minor)
		return CV_TRI_BAD;
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (cv_cc_cmp(members[i].target, target) == 0 && cv_cc_cmp(members[i].gpu, gpu) == 0)
			return CV_TRI_OK;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (cv_cc_cmp(known[i], gpu) == 0)
			return CV_TRI_BAD;
	return CV_TRI_UNKNOWN;
}

enum cv_tri cv_target_runs(struct cv_target t, struct cv_cc gpu)
{
	if (t.suffix == 'a')
		return cv_cc_cmp(t.cc, gpu) == 0 ? CV_TRI_OK : CV_TRI_BAD;
	if (t.suffix == 'f')
		return family_runs(t.cc, gpu);
	if (t.ptx)
		return cv_cc_cmp(gpu, t.cc) >= 0 ? CV_TRI_OK : CV_TRI_BAD;
	if (t.cc.major != gpu.major || gpu.minor < t.cc.minor)
		return CV_TRI_BAD;
	if (gpu.minor != t.cc.minor && (cc_is_tegra(gpu) || cc_is_tegra(t.cc)))
		return CV_TRI_UNKNOWN;
	return CV_TRI_OK;
}

/* Exact code is named before code of a lower minor, so that "by" reads best. */
static void note_native(struct cv_code_match *m, struct cv_target t, struct cv_cc gpu, struct cv_str word)
{
	if (m->code != CV_CODE_NATIVE || (cv_cc_cmp(t.cc, gpu) == 0 && t.suffix == 0))
		m->by = word;
	m->code = CV_CODE_NATIVE;
}

struct cv_code_match cv_code_match(const char *list, struct cv_cc gpu, enum cv_tri ptx)
{
	struct cv_code_match m = { .code = CV_CODE_UNKNOWN };
	struct cv_str rest = cv_str_of(list ? list : ""), word, ptx_word = { 0 };
	bool any = false, open = false;

	while (cv_str_word(&rest, &word)) {
		struct cv_target t;
		enum cv_tri runs;

		if (!cv_target_parse(word, &t))
			continue;
		if (!any || cv_cc_cmp(t.cc, m.min) < 0)
			m.min = t.cc;
		if (!any || cv_cc_cmp(t.cc, m.max) > 0)
			m.max = t.cc;
		any = true;
		runs = cv_target_runs(t, gpu);
		if (runs == CV_TRI_OK && !t.ptx)
			note_native(&m, t, gpu, word);
		else if (runs == CV_TRI_OK)
			ptx_word = word;
		else if (runs == CV_TRI_UNKNOWN)
			open = true;
	}
	if (!any || m.code == CV_CODE_NATIVE)
		return m;
	if (ptx_word.n && (!open || ptx == CV_TRI_OK)) {
		m.only_ptx = true;
		m.by = ptx_word;
		m.code = ptx == CV_TRI_OK ? CV_CODE_PTX_JIT : ptx == CV_TRI_BAD ? CV_CODE_NONE : CV_CODE_UNKNOWN;
		return m;
	}
	m.undecided = open;
	m.code = open ? CV_CODE_UNKNOWN : CV_CODE_NONE;
	return m;
}

enum cv_tri cv_driver_runs(const char *api, bool exact, const char *cuda)
{
	int64_t major = cuda ? cv_ver_part(cuda, 0) : -1;
	bool enough;

	if (!api || major < 0)
		return CV_TRI_UNKNOWN;
	if (major >= 11)
		enough = cv_ver_part(api, 0) >= major;
	else
		enough = cv_ver_cmp(CV_VER_DOTTED, api, cuda) >= 0;
	if (enough)
		return CV_TRI_OK;
	return exact ? CV_TRI_BAD : CV_TRI_UNKNOWN;
}

static void mask_all(struct cv_mask_gpu *gpus, size_t n, enum cv_tri visible)
{
	for (size_t i = 0; i < n; i++)
		gpus[i].visible = visible;
}

/* "GPU-..." or any prefix of a UUID that is unique; false if it names none. */
static bool mask_uuid(struct cv_str entry, struct cv_mask_gpu *gpus, size_t n)
{
	size_t hits = 0, hit = 0, blind = 0;

	for (size_t i = 0; i < n; i++) {
		struct cv_str uuid = cv_str_of(gpus[i].uuid ? gpus[i].uuid : "");

		if (!uuid.n) {
			blind++;
		} else if (uuid.n >= entry.n && memcmp(uuid.p, entry.p, entry.n) == 0) {
			hits++;
			hit = i;
		}
	}
	if (hits == 1) {
		gpus[hit].visible = CV_TRI_OK;
		return true;
	}
	if (hits || !blind)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!gpus[i].uuid && gpus[i].visible == CV_TRI_BAD)
			gpus[i].visible = blind == 1 ? CV_TRI_OK : CV_TRI_UNKNOWN;
	return true;
}

/* A MIG instance belongs to one of the GPUs; which one its new UUID form does not say. */
static void mask_mig(struct cv_mask_gpu *gpus, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (gpus[i].visible == CV_TRI_BAD)
			gpus[i].visible = n == 1 ? CV_TRI_OK : CV_TRI_UNKNOWN;
}

/* *seen has a bit for each index met, so that a repeated one does not count twice. */
static bool mask_index(struct cv_str entry, bool ordered, struct cv_mask_gpu *gpus, size_t n, uint64_t *seen)
{
	uint64_t index;

	if (!cv_str_u64(entry, &index) || index >= n)
		return false;
	if (ordered || n == 1) {
		gpus[index].visible = CV_TRI_OK;
		return true;
	}
	*seen |= index < 64 ? UINT64_C(1) << index : 0;
	if (n < 64 && *seen == (UINT64_C(1) << n) - 1) {
		mask_all(gpus, n, CV_TRI_OK);
		return true;
	}
	for (size_t i = 0; i < n; i++)
		if (gpus[i].visible == CV_TRI_BAD)
			gpus[i].visible = CV_TRI_UNKNOWN;
	return true;
}

struct cv_mask cv_mask_apply(const char *value, bool ordered, struct cv_mask_gpu *gpus, size_t n)
{
	struct cv_str rest = cv_str_trim(cv_str_of(value)), entry;
	struct cv_mask m = { 0 };
	uint64_t seen = 0;

	mask_all(gpus, n, CV_TRI_BAD);
	m.bad_is_end = rest.n == 0;
	for (unsigned i = 0; cv_str_split(&rest, ',', &entry); i++) {
		bool good = true;

		entry = cv_str_trim(entry);
		if (cv_str_starts(entry, "MIG-")) {
			m.has_mig = true;
			mask_mig(gpus, n);
		} else if (cv_str_starts(entry, "GPU-")) {
			good = mask_uuid(entry, gpus, n);
		} else {
			good = mask_index(entry, ordered, gpus, n, &seen);
		}
		if (!good) {
			m.bad = entry;
			m.bad_is_end =
				i == 0 && (cv_str_is(entry, "-1") || cv_str_is(entry, "NoDevFiles") || cv_str_is(entry, "none"));
			break;
		}
	}
	return m;
}

/* The glibc of one platform tag: "manylinux_2_28_x86_64", "manylinux2014_x86_64"; false if it is no manylinux tag. */
static bool tag_glibc(struct cv_str platform, unsigned *ret_minor)
{
	static const struct {
		const char *tag;
		unsigned minor;
	} old[] = { { "manylinux1_", 5 }, { "manylinux2010_", 12 }, { "manylinux2014_", 17 } };
	struct cv_str minor;
	uint64_t n;

	for (size_t i = 0; i < sizeof(old) / sizeof(old[0]); i++)
		if (cv_str_starts(platform, old[i].tag)) {
			*ret_minor = old[i].minor;
			return true;
		}
	if (!cv_str_eat(&platform, "manylinux_2_") || !cv_str_split(&platform, '_', &minor) || !cv_str_u64(minor, &n) || n > 999)
		return false;
	*ret_minor = (unsigned)n;
	return true;
}

int cv_tags_glibc(const struct cv_strv *tags)
{
	int lowest = -1;

	for (size_t i = 0; i < tags->n; i++) {
		struct cv_str tag = cv_str_of(tags->v[i]), platform;
		ptrdiff_t dash = cv_str_rchr(tag, '-');

		tag = cv_str_from(tag, (size_t)(dash + 1));
		while (cv_str_split(&tag, '.', &platform)) {
			unsigned minor;

			if (tag_glibc(platform, &minor) && (lowest < 0 || (int)minor < lowest))
				lowest = (int)minor;
		}
	}
	return lowest;
}

bool cv_require_names(const char *require, const char *name)
{
	char next = cv_starts(require, name) ? require[strlen(name)] : 'x';

	return next == '\0' || strchr(" =<>!~;[(", next);
}

struct cv_str cv_soname_family(const char *soname)
{
	struct cv_str s = cv_str_of(soname);
	ptrdiff_t so = cv_str_find(s, ".so");

	if (so < 0 || !cv_str_eat(&s, "lib"))
		return (struct cv_str){ 0 };
	return cv_str_sub(s, 0, (size_t)so - 3);
}

struct cv_str cv_soname_major(const char *soname)
{
	struct cv_str s = cv_str_of(soname), part;
	ptrdiff_t so = cv_str_find(s, ".so.");
	uint64_t n;

	if (so < 0)
		return (struct cv_str){ 0 };
	s = cv_str_from(s, (size_t)so + 4);
	if (!cv_str_split(&s, '.', &part) || !cv_str_u64(part, &n))
		return (struct cv_str){ 0 };
	return part;
}
