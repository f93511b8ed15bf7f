/* SPDX-License-Identifier: Apache-2.0 */
/* Containers made by hand; tests/truth/ compares the same reader with cuobjdump on real files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "parse/fatbin.h"

struct made {
	unsigned char b[1 << 17];
	size_t n;
};

static void put(struct made *m, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		m->b[m->n++] = (unsigned char)(v >> 8 * i);
}

/* An entry with a payload of size bytes of filler that holds no magic. */
static void put_entry(struct made *m, unsigned kind, unsigned arch, uint64_t flags, size_t size)
{
	put(m, kind, 2);
	put(m, 0x101, 2);
	put(m, 64, 4);
	put(m, size, 8);
	put(m, 0, 4);
	put(m, 0, 4);
	put(m, 4, 2);
	put(m, 8, 2);
	put(m, arch, 4);
	put(m, 0, 8);
	put(m, flags, 8);
	put(m, 0, 8);
	put(m, 0, 8);
	memset(m->b + m->n, 0x55, size);
	m->n += size;
}

static size_t open_container(struct made *m)
{
	put(m, 0xBA55ED50u, 4);
	put(m, 1, 2);
	put(m, 16, 2);
	put(m, 0, 8);
	return m->n;
}

static void close_container(struct made *m, size_t body)
{
	uint64_t size = m->n - body;

	for (unsigned i = 0; i < 8; i++)
		m->b[body - 8 + i] = (unsigned char)(size >> 8 * i);
}

struct seen {
	char text[512];
	size_t n;
};

static int note(void *cookie, uint64_t at, uint64_t end, const struct cv_fatbin_entry *v, size_t n)
{
	struct seen *s = cookie;

	s->n += (size_t)snprintf(s->text + s->n, sizeof(s->text) - s->n, "%llu-%llu:", (unsigned long long)at,
				 (unsigned long long)end);
	for (size_t i = 0; i < n; i++) {
		const char *kind = v[i].kind == CV_FATBIN_PTX ? "compute_" : "sm_";

		s->n += (size_t)snprintf(s->text + s->n, sizeof(s->text) - s->n, "%s%u%c ", kind, v[i].arch,
					 v[i].suffix ? v[i].suffix : '.');
	}
	return 0;
}

static int walk(const struct made *m, struct seen *s, struct cv_fatbin_walk *w)
{
	struct cv_src_mem mem;
	struct cv_fatbin_sink sink = { .container = note, .cookie = s };

	memset(w, 0, sizeof(*w));
	memset(s, 0, sizeof(*s));
	return cv_fatbin_walk(cv_src_mem_init(&mem, m->b, m->n, "made"), 0, m->n, &sink, w);
}

static struct made m; /* large: not on the stack */

static int take_packing(void *cookie, uint64_t at, uint64_t end, const struct cv_fatbin_entry *v, size_t n)
{
	(void)at;
	(void)end;
	assert_int_equal(n, 1);
	*(enum cv_fatbin_packing *)cookie = v[0].packing;
	return 0;
}

static int refuse(void *cookie, uint64_t at, uint64_t end, const struct cv_fatbin_entry *v, size_t n)
{
	(void)cookie;
	(void)at;
	(void)end;
	(void)v;
	(void)n;
	return CV_ENOMEM;
}

static void test_fatbin_reads_kinds_and_suffixes(void **state)
{
	struct cv_fatbin_walk w;
	struct seen s;
	size_t body;

	(void)state;
	m.n = 0;
	body = open_container(&m);
	put_entry(&m, 2, 80, 0x11, 40);
	put_entry(&m, 2, 90, 0x100011, 3000);
	put_entry(&m, 1, 120, 0x208011, 8);
	close_container(&m, body);
	put(&m, 0, 4); /* padding */
	while (m.n % 8)
		put(&m, 0, 1);
	body = open_container(&m);
	put_entry(&m, 2, 100, 0x200011, 20000);
	close_container(&m, body);

	assert_int_equal(walk(&m, &s, &w), 0);
	assert_string_equal(s.text, "0-3256:sm_80. sm_90a compute_120f 3264-23344:sm_100f ");
	assert_int_equal(w.containers, 2);
	assert_int_equal(w.damaged, 0);
}

static void test_fatbin_passes_over_a_container_that_lies(void **state)
{
	struct cv_fatbin_walk w;
	struct seen s;
	size_t body;

	(void)state;
	m.n = 0;
	body = open_container(&m);
	put_entry(&m, 2, 70, 0x11, 16);
	m.b[body - 8 + 7] = 0xff; /* a size far beyond the file */
	while (m.n % 8)
		put(&m, 0, 1);
	body = open_container(&m);
	put_entry(&m, 2, 75, 0x11, 16);
	close_container(&m, body);

	assert_int_equal(walk(&m, &s, &w), 0);
	assert_string_equal(s.text, "96-192:sm_75. ");
	assert_int_equal(w.damaged, 1);
	assert_int_equal(w.damaged_at, 0);
}

static void test_fatbin_entry_longer_than_its_container_is_damage(void **state)
{
	struct cv_fatbin_walk w;
	struct seen s;
	size_t body;

	(void)state;
	m.n = 0;
	body = open_container(&m);
	put_entry(&m, 2, 86, 0x11, 64);
	close_container(&m, body);
	m.b[body + 8] = 0xff; /* payload size of the entry */

	assert_int_equal(walk(&m, &s, &w), 0);
	assert_string_equal(s.text, "");
	assert_int_equal(w.containers, 0);
	assert_int_equal(w.damaged, 1);
}

/* What is wrong in the second entry must not leave the first one behind. */
static void test_fatbin_container_is_whole_or_not_there(void **state)
{
	struct cv_fatbin_walk w;
	struct seen s;
	size_t body, second;

	(void)state;
	m.n = 0;
	body = open_container(&m);
	put_entry(&m, 2, 75, 0x11, 64);
	second = m.n;
	put_entry(&m, 2, 86, 0x11, 64);
	close_container(&m, body);
	m.b[second + 4] = 8; /* size of the entry's header */

	assert_int_equal(walk(&m, &s, &w), 0);
	assert_string_equal(s.text, "");
	assert_int_equal(w.damaged, 1);
}

static void test_fatbin_tells_how_a_payload_is_packed(void **state)
{
	static const uint64_t flags[] = { 0x11, 0x2011, 0x108011, 0x1011 };
	static const enum cv_fatbin_packing want[] = { CV_FATBIN_PLAIN, CV_FATBIN_LZ4, CV_FATBIN_ZSTD, CV_FATBIN_OTHER };
	struct cv_fatbin_sink sink = { .container = take_packing, .cookie = NULL };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		enum cv_fatbin_packing got = 99;
		struct cv_fatbin_walk w = { 0 };
		struct cv_src_mem mem;
		size_t body;

		m.n = 0;
		body = open_container(&m);
		put_entry(&m, 2, 80, flags[i], 48);
		if (i)
			m.b[body + 16] = 41; /* packed size */
		close_container(&m, body);
		sink.cookie = &got;
		assert_int_equal(cv_fatbin_walk(cv_src_mem_init(&mem, m.b, m.n, "made"), 0, m.n, &sink, &w), 0);
		assert_int_equal(got, want[i]);
	}
}

/* Each magic that lies costs a look: a file full of them must end. */
static void test_fatbin_gives_up_on_a_file_of_lies(void **state)
{
	struct cv_fatbin_walk w;
	struct seen s;

	(void)state;
	m.n = 0;
	while (m.n + 16 < sizeof(m.b)) {
		put(&m, 0xBA55ED50u, 4);
		put(&m, 0, 4);
	}
	assert_int_equal(walk(&m, &s, &w), CV_ELIMIT);
}

static void test_fatbin_passes_errors_of_the_sink_on(void **state)
{
	struct cv_fatbin_sink sink = { .container = refuse, .cookie = NULL };
	struct cv_fatbin_walk w = { 0 };
	struct cv_src_mem mem;
	size_t body;

	(void)state;
	m.n = 0;
	body = open_container(&m);
	close_container(&m, body);
	assert_int_equal(cv_fatbin_walk(cv_src_mem_init(&mem, m.b, m.n, "made"), 0, m.n, &sink, &w), CV_ENOMEM);
}

/* A record of another version holds the headers and not what lies around them. */
struct recorded {
	struct cv_src src;
	uint64_t held[4]; /* where the headers begin that it holds, 64 bytes each; the file ends behind the last of them */
};

static int recorded_read(struct cv_src *src, uint64_t off, void *buf, size_t len)
{
	const struct recorded *r = (const struct recorded *)src;

	for (size_t i = 0; i < 4; i++)
		if (off >= r->held[i] && off + len <= r->held[i] + 80) {
			memcpy(buf, m.b + off, len);
			return 0;
		}
	return CV_ENOTASKED;
}

static void test_fatbin_reads_no_more_than_a_record_holds(void **state)
{
	static const struct cv_src_ops ops = { .read_at = recorded_read };
	struct recorded r = { .src = { .ops = &ops, .name = "record" } };
	struct cv_fatbin_walk w = { 0 };
	struct seen s = { .n = 0 };
	struct cv_fatbin_sink sink = { .container = note, .cookie = &s };
	size_t body;

	(void)state;
	m.n = 0;
	body = open_container(&m);
	put_entry(&m, 2, 80, 0x11, 9000);
	put_entry(&m, 2, 90, 0x100011, 9000);
	close_container(&m, body);
	body = open_container(&m);
	put_entry(&m, 2, 100, 0x200011, 9000);
	close_container(&m, body);
	r.src.size = m.n;
	r.held[1] = 16 + 64 + 9000;
	r.held[2] = 16 + 2 * (64 + 9000);
	assert_int_equal(cv_fatbin_walk(&r.src, 0, m.n, &sink, &w), 0);
	assert_string_equal(s.text, "0-18144:sm_80. sm_90a 18144-27224:sm_100f ");
	r.held[2] = 0;
	assert_int_equal(cv_fatbin_walk(&r.src, 0, m.n, &sink, &w), CV_ENOTASKED);
}

static void test_fatbin_range_outside_the_file_is_refused(void **state)
{
	struct cv_src_mem mem;
	struct cv_fatbin_walk w = { 0 };
	struct seen s = { .n = 0 };
	struct cv_fatbin_sink sink = { .container = note, .cookie = &s };

	(void)state;
	assert_int_equal(cv_fatbin_walk(cv_src_mem_init(&mem, "1234", 4, "short"), 2, 3, &sink, &w), CV_EFORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fatbin_reads_kinds_and_suffixes),
		cmocka_unit_test(test_fatbin_passes_over_a_container_that_lies),
		cmocka_unit_test(test_fatbin_entry_longer_than_its_container_is_damage),
		cmocka_unit_test(test_fatbin_container_is_whole_or_not_there),
		cmocka_unit_test(test_fatbin_tells_how_a_payload_is_packed),
		cmocka_unit_test(test_fatbin_gives_up_on_a_file_of_lies),
		cmocka_unit_test(test_fatbin_passes_errors_of_the_sink_on),
		cmocka_unit_test(test_fatbin_reads_no_more_than_a_record_holds),
		cmocka_unit_test(test_fatbin_range_outside_the_file_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
