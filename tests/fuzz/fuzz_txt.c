/* SPDX-License-Identifier: Apache-2.0 */
/* Every reader of pasted text, line by line. */
#include "fuzz.h"
#include "parse/txt.h"

static void on_told(void *cookie, const struct cv_told *told)
{
	size_t *sum = cookie;

	for (size_t i = 0; i < told->subject.n; i++)
		*sum += (unsigned char)told->subject.p[i];
	for (size_t i = 0; i < told->value.n; i++)
		*sum += (unsigned char)told->value.p[i];
	for (size_t i = 0; i < told->extra.n; i++)
		*sum += (unsigned char)told->extra.p[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cv_str rest = { (const char *)data, size }, line;
	size_t sum = 0;
	struct cv_txt t = { .tell = on_told, .cookie = &sum };

	cv_txt_begin(&t, "error.log");
	while (cv_str_line(&rest, &line, NULL)) {
		static char buf[1 << 16];

		cv_txt_line(&t, cv_txt_clean(line, buf, sizeof(buf)));
	}
	return 0;
}
