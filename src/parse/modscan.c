/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/modscan.h"

#include "base/str.h"
#include "base/version.h"

/* At the end of a signed module file, behind the signature. */
#define SIGNED "~Module signature appended~\n"

/* Takes the text behind key ("\0version=") up to its NUL; out stays "" where the value is none. */
static void look(struct cv_str s, const char *key, size_t key_n, bool (*is_value)(const char *), char out[CV_MODSCAN_TEXT])
{
	const char *p;

	while (!out[0] && (p = s.n ? memmem(s.p, s.n, key, key_n) : NULL)) {
		struct cv_str value;
		ptrdiff_t end;

		s = cv_str_from(s, (size_t)(p - s.p) + key_n);
		value = cv_str_sub(s, 0, CV_MODSCAN_TEXT);
		end = cv_str_chr(value, '\0');
		if (end <= 0)
			continue;
		memcpy(out, value.p, (size_t)end + 1);
		if (!is_value(out))
			out[0] = '\0';
	}
}

static bool is_version(const char *s)
{
	return cv_ver_valid(CV_VER_DOTTED, s);
}

static bool is_license(const char *s)
{
	static const char *const known[] = { "NVIDIA", "Dual MIT/GPL", "MIT", "GPL", "GPL v2", "Proprietary" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (cv_streq(known[i], s))
			return true;
	return false;
}

static void look_both(struct cv_modscan *m, struct cv_str s)
{
	look(s, "\0version=", 9, is_version, m->version);
	look(s, "\0license=", 9, is_license, m->license);
}

void cv_modscan_feed(struct cv_modscan *m, const char *p, size_t n)
{
	char seam[4 * CV_MODSCAN_TEXT];
	const size_t keep_max = sizeof(m->keep);
	size_t head = n < keep_max ? n : keep_max;
	size_t seam_n = m->keep_n + head;

	memcpy(seam, m->keep, m->keep_n);
	memcpy(seam + m->keep_n, p, head);
	look_both(m, (struct cv_str){ seam, seam_n });
	look_both(m, (struct cv_str){ p, n });
	if (n >= keep_max) {
		memcpy(m->keep, p + n - keep_max, keep_max);
		m->keep_n = keep_max;
	} else {
		size_t from = seam_n > keep_max ? seam_n - keep_max : 0;

		m->keep_n = seam_n - from;
		memcpy(m->keep, seam + from, m->keep_n);
	}
	m->is_signed = cv_str_ends((struct cv_str){ m->keep, m->keep_n }, SIGNED);
}
